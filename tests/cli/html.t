#!/bin/sh
# make html: every public function, command and name of the Python module has its page, and make install-html puts them there.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
html=$tmp/html

# make_here TARGET [VARIABLE=VALUE]...
make_here()
{
    env -u MAKEFLAGS -u MFLAGS make -s -C "${top_builddir:?}" "$@"
}

# public: the functions that the headers declare
public()
{
    (cd "$top_srcdir/src" && sed -n '/^RC_API/,/;/s/^.*[ *]\(rc_[a-z_0-9]*\)(.*/\1/p' rowcast*.h)
}

# commands: those of --help
commands()
{
    "$ROWCAST" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z0-9-]*\) .*/\1/p'
}

# exported: what the Python module says that it has
exported()
{
    sed -n '/^__all__/,/\]/p' "$top_srcdir/src/python/rowcast/__init__.py" | grep -o '"[A-Za-z_]*"' | tr -d '"'
}

# lacks FOLDER: the words on stdin that no page of the folder has
lacks()
{
    cat "$1"/*.html >"$tmp/all"
    while read -r word; do grep -qw -e "$word" "$tmp/all" || echo "$word"; done
}

plan 12
code "without Doxygen make html fails" 2 make_here html DOXYGEN=no-such-doxygen html_dir="$html"
ok "and says what to install" grep -q 'Debian: doxygen' "$tmp/err"
not_ok "and makes nothing" test -e "$html"
if ! command -v doxygen >/dev/null; then
    for what in "make html" "its warnings" "the number of functions" functions "plans of C++" commands "names of the module" \
        "make install-html" "what it installs"; do
        skip "$what" "no doxygen"
    done
    exit 0
fi
code "make html" 0 make_here html html_dir="$html"
is "it warns of nothing" "$(cat "$tmp/err")" ""
ok "there are functions" test "$(public | wc -l)" -gt 40
is "every one has its place" "$(public | lacks "$html")" ""
is "plans of C++ have GPUs too" "$(printf 'spmm_host\nrc_plan_load_host\nrc_plan_load\n' | lacks "$html")" ""
if grep -q '^man_pages' "$top_builddir/Makefile"; then
    is "so has every command" "$(commands | sed 's/^/rowcast /' | lacks "$html")" ""
else
    skip "so has every command" "cross build"
fi
is "so has every name of the module" "$(exported | lacks "$html/python")" ""
code "make install-html" 0 make_here install-html html_dir="$html" htmldir=/doc DESTDIR="$tmp/to"
is "puts all of it there" "$(diff -r "$html" "$tmp/to/doc/html" | head -n 3)" ""
