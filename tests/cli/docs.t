#!/bin/sh
# The manual pages and the completion agree with --help and are well formed.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"

commands=$("$ROWCAST" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z0-9-]*\) .*/\1/p')
n=0
for c in $commands; do n=$((n + 1)); done
plan $((5 * n + 43))

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

# complete WORD...: what the completion of bash offers for the last word
complete_words()
{
    PATH=$(dirname "$ROWCAST"):$PATH bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rowcast
        printf "%s\n" "${COMPREPLY[@]}"' bash "$tmp/completion" "$@"
}

# says WORD...: what the program has for the last word, in one line
says()
{
    "$ROWCAST" docs -- complete "$@" | tr '\n' ' '
}

# registry WHAT: the names that info lists; those of kernels for several devices once
registry()
{
    "$ROWCAST" info -f csv | awk -F, -v what="$1" '$1 == what { print $2 }' | sort -u
}

# offers_registry WHAT WORD...: all of them, but for "all" nothing else
offers_registry()
{
    registry "$1" >"$tmp/want"
    shift
    "$ROWCAST" docs -- complete "$@" | grep -vx all | sort >"$tmp/found"
    test -s "$tmp/want" && cmp "$tmp/want" "$tmp/found"
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
for c in $commands; do
    "$ROWCAST" "$c" --help >"$tmp/help.$c"
    if grep -q -e '--format' "$tmp/help.$c"; then
        ok "-f is the format of $c" grep -q '^ *-f, --format FORMAT' "$tmp/help.$c"
    else
        skip "-f is the format of $c" "it has none"
    fi
done
forms() # forms COMMAND: each line of its usage has the command, in --help and on the page
{
    "$ROWCAST" "$1" --help | awk -v c="$1" '/^Usage:/ { on = 1; sub(/^Usage:/, "      ") } on && !NF { exit } on && $1 " " $2 != "rowcast " c { bad = 1 } END { exit bad || !on }' \
        && "$ROWCAST" docs man "$1" | sed 's/\\-/-/g; s/\\f[BIR]//g' | awk -v c="$1" '/^[.]SH DESC/ { exit } on && $1 != ".br" && $1 " " $2 != "rowcast " c { bad = 1 } /^[.]SH SYN/ { on = 1 } END { exit bad || !on }'
}
for c in $commands; do ok "each form of $c is a command" forms "$c"; done
code "an operand too few of several forms" 2 "$ROWCAST" tune
is "is said in two lines" "$(wc -l <"$tmp/err" | tr -d ' ')" 2
page=$(plain)
for c in $commands; do
    case $page in *"rowcast-$c"*) ;; *) page= ;; esac
done
ok "rowcast.1 names every command" test -n "$page"
code "an unknown page is a usage error" 2 "$ROWCAST" docs man nonsense
ok "and is named" grep -q "unknown command 'nonsense'" "$tmp/err"
code "an unknown document is a usage error" 2 "$ROWCAST" docs nonsense
code "an unknown shell is a usage error" 2 "$ROWCAST" docs completion csh

# what can stand for a word
ok "policies" offers_registry policy sweep --orders ""
ok "kernels" offers_registry kernel sweep -x ""
ok "storage formats" offers_registry format format -x ""
ok "operations" offers_registry operation predict --op ""
ok "trainers" offers_registry trainer train -m ""
is "summaries" "$(says query -S "")" "speedup share portfolio versus best rate errors "
is "papers" "$(says paper "")" "mehrabi hong nisa jiang lane "
is "tables of a paper" "$(says paper lane "")" "suite scaling suite-rate "
is "and a store" "$(says paper lane suite "")" ":files "
is "devices" "$(says sweep -d "")" "cpu cuda auto "
is "of a list the last one" "$(says sweep --orders csr,lp)" "csr,lpt "
is "behind an equals sign" "$(says sweep --op=spmm,sd)" "--op=spmm,sddmm "
is "which bash cuts" "$(says sweep --op = sd)" "sddmm "
is "words of a placeholder" "$(says sweep --timing "")" "exclusive shared "
is "formats" "$(says info -f "")" "table csv json "
mkdir "$tmp/models"
touch "$tmp/models/one.json" "$tmp/models/two.json" "$tmp/models/three.txt"
is "models, and files" "$(ROWCAST_MODELS=$tmp/models "$ROWCAST" docs -- complete predict -m "" | grep -x -e one -e two -e three -e :files | tr '\n' ' ')" \
    "one two :files "
is "a folder" "$(says sweep --collection "")" ":dirs "
is "an operand" "$(says query -S rate "")" ":files "
is "nothing for a number" "$(says sweep --limit "")" ""

"$ROWCAST" docs completion bash >"$tmp/completion"
if command -v bash >/dev/null; then
    ok "the completion is valid bash" bash -n "$tmp/completion"
    ok "a command is completed" offers info rowcast in
    ok "commands are offered after help" offers docs rowcast help ""
    for c in $commands; do ok "every option of $c is offered" offers_all_options "$c"; done
    ok "--help is completed" offers --help rowcast info --he
    not_ok "nothing else is offered for it" offers --version rowcast info --he
    ok "a policy is completed" offers csr,lpt rowcast sweep -p csr,lp
    touch "$tmp/a file.h5"
    ok "a file is completed" offers "$tmp/a file.h5" rowcast query "$tmp/a"
else
    for name in "the completion is valid bash" "a command is completed" "commands after help" \
        "--help is completed" "nothing else is offered for it" "a policy" "a file" $commands; do
        skip "$name" "no bash"
    done
fi
"$ROWCAST" docs completion zsh >"$tmp/_rowcast"
if command -v zsh >/dev/null; then
    ok "the completion is valid zsh" zsh -n "$tmp/_rowcast"
    # shellcheck disable=SC2016
    is "and offers a policy" "$(PATH=$(dirname "$ROWCAST"):$PATH zsh -fc 'compdef() { : }; compset() { : }; _files() { print -r files }
        compadd() { shift; print -rl -- "$@" }; . "$1"; words=(rowcast sweep -p csr,lp); CURRENT=4; _rowcast' zsh "$tmp/_rowcast")" csr,lpt
else
    skip "the completion is valid zsh" "no zsh"
    skip "and offers a policy" "no zsh"
fi
"$ROWCAST" docs completion fish >"$tmp/rowcast.fish"
if command -v fish >/dev/null; then
    ok "the completion is valid fish" fish -n "$tmp/rowcast.fish"
    is "and offers a policy" "$(HOME=$tmp PATH=$(dirname "$ROWCAST"):$PATH fish -c ". '$tmp/rowcast.fish'; complete -C 'rowcast sweep -p csr,lp'")" csr,lpt
else
    skip "the completion is valid fish" "no fish"
    skip "and offers a policy" "no fish"
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
