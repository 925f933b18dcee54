#!/bin/sh
# The manual pages and the completion agree with --help and are well formed.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"

commands=$("$ROWCAST" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z0-9-]*\) .*/\1/p')
n=0
for c in $commands; do n=$((n + 1)); done
plan $((3 * n + 16))

# A page without the troff of hyphens and quotes, one line.
plain()
{
    "$ROWCAST" docs man "$@" | sed 's/\\-/-/g; s/\\(aq/'"'"'/g; s/\\f[BIR]//g; s/\\&//g' | tr '\n' ' '
}

clean_page()
{
    "$ROWCAST" docs man "$@" >"$tmp/page.1" || return 1
    groff -man -Tutf8 -ww "$tmp/page.1" >"$tmp/page.txt" 2>"$tmp/page.err" || return 1
    cat "$tmp/page.err"
    test ! -s "$tmp/page.err" && test -s "$tmp/page.txt"
}

has_options()
{
    plain "$1" >"$tmp/plain"
    for option in $("$ROWCAST" "$1" --help | sed -n 's/^ \{1,6\}\(-[a-zA-Z], \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p'); do
        grep -q -e "$option" "$tmp/plain" || { echo "$option is not in the page of $1"; return 1; }
    done
    grep -q -e '--help' "$tmp/plain"
}

# complete WORD...: what the completion offers for the last word
complete_words()
{
    bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rowcast
        printf "%s\n" "${COMPREPLY[@]}"' bash "$tmp/completion" "$@"
}

offers()
{
    want=$1
    shift
    complete_words "$@" | grep -qx -e "$want"
}

offers_all_options()
{
    complete_words rowcast "$1" -- >"$tmp/offered"
    for option in $("$ROWCAST" "$1" --help | sed -n 's/^ \{1,6\}\(-[a-zA-Z], \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p'); do
        grep -qx -e "$option" "$tmp/offered" || { echo "$option is not offered"; return 1; }
    done
}

test "$n" -ge 2
is "--help lists commands" "$?" 0
if command -v groff >/dev/null; then
    ok "rowcast.1 gives no warning" clean_page
    for c in $commands; do ok "rowcast-$c.1 gives no warning" clean_page "$c"; done
else
    skip "rowcast.1 gives no warning" "no groff"
    for c in $commands; do skip "rowcast-$c.1 gives no warning" "no groff"; done
fi
for c in $commands; do ok "the page of $c has every option of its --help" has_options "$c"; done
page=$(plain)
for c in $commands; do
    case $page in *"rowcast-$c"*) ;; *) page= ;; esac
done
ok "rowcast.1 names every command" test -n "$page"
code "an unknown page is a usage error" 2 "$ROWCAST" docs man nonsense
ok "and is named" grep -q "unknown command 'nonsense'" "$tmp/err"
code "an unknown document is a usage error" 2 "$ROWCAST" docs nonsense
code "an unknown shell is a usage error" 2 "$ROWCAST" docs completion csh

"$ROWCAST" docs completion bash >"$tmp/completion"
if command -v bash >/dev/null; then
    ok "the completion is valid bash" bash -n "$tmp/completion"
    ok "a command is completed" offers info rowcast in
    ok "commands are offered after help" offers docs rowcast help ""
    for c in $commands; do ok "every option of $c is offered" offers_all_options "$c"; done
    ok "--help is completed" offers --help rowcast info --he
    not_ok "nothing else is offered for it" offers --version rowcast info --he
else
    for name in "the completion is valid bash" "a command is completed" "commands after help" \
        "--help is completed" "nothing else is offered for it" $commands; do
        skip "$name" "no bash"
    done
fi
if [ -r "${top_builddir:?}/src/cmd/man/rowcast.1" ]; then
    "$ROWCAST" docs man >"$tmp/again.1"
    ok "the page of the build is the printed one" cmp "$tmp/again.1" "$top_builddir/src/cmd/man/rowcast.1"
else
    skip "the page of the build is the printed one" "cross build"
fi

# what cannot be printed
full()
{
    "$ROWCAST" "$@" >/dev/full
}
if [ -c /dev/full ]; then
    code "a full standard output is an error" 3 full --help
    is "in one line" "$(cat "$tmp/err")" "rowcast: cannot write to standard output"
    code "also of a command" 3 full query --help
else
    for i in 1 2 3; do skip "a full standard output ($i)" "no /dev/full"; done
fi
