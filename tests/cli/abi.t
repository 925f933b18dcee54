#!/bin/sh
# What compiled programs rest on: exported symbols, and size and offsets of the public structs, as the lists of tests/abi
# have them.  Names may be added, then the list is too (ROWCAST_ABI_UPDATE=1 writes it).  What goes or moves breaks
# programs: then the first number of -version-info in src/library.am grows as well.
# With ROWCAST_ABI_OLD, a folder of older libraries of the same soname, abidiff compares both.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
# shellcheck source=tests/env.sh.in
. "${top_builddir:?}/tests/env.sh"

command -v nm >/dev/null || skip_all "no nm"
[ -e "$top_builddir/.libs/librowcast.so" ] || skip_all "no shared library in this build"
lists=$top_srcdir/tests/abi
plan 10
cd "$tmp" || exit 1

# kept LIST: compare LIST.found with the list that is kept
kept()
{
    [ -z "${ROWCAST_ABI_UPDATE:-}" ] || cp "$1.found" "$lists/$1"
    is "$1 is as it was" "$(diff "$lists/$1" "$1.found")" ""
}

# the code for GPUs is in a library of its own
: >"$tmp/kernels"
kernels=$top_builddir/.libs/librowcast_kernels.so
[ ! -e "$kernels" ] || nm -D --defined-only "$kernels" | awk '{ print $3 }' | LC_ALL=C sort >"$tmp/kernels"
for library in rowcast rowcast_io rowcast_plan rowcast_cuda; do
    file=$top_builddir/.libs/lib$library.so
    if [ ! -e "$file" ]; then
        skip "$library.symbols is as it was" "a build without CUDA"
        continue
    fi
    nm -D --defined-only "$file" | awk '$2 ~ /[TDRBV]/ { print $3 }' | LC_ALL=C sort >"$library.symbols.found"
    kept "$library.symbols"
    nm -D --undefined-only "$file" | awk '$2 ~ /^rc_/ { print $2 }' | LC_ALL=C sort | comm -23 - "$tmp/kernels" >>"$tmp/lacks"
done
is "no library lacks what is ours" "$(cat "$tmp/lacks")" ""

# A program that prints every field of every public struct: what is between "typedef struct NAME {" and "} NAME_t;",
# without comments.
for header in rowcast rowcast_io rowcast_plan rowcast_rows rowcast_cuda rowcast_device; do
    $CC -fpreprocessed -dD -E -P "$top_srcdir/src/$header.h"
done 2>"$tmp/cpp" | awk '
    BEGIN {
        print "#include <rowcast_device.h>\n#include <rowcast_io.h>\n#include <stdio.h>"
        print "#define FIELD(t, f) printf(\"%s %s %zu\\n\", #t, #f, offsetof(t, f));\nint main(void)\n{"
    }
    /^typedef struct [a-z_]+ \{/ { n = 0; open = 1; next }
    open && /^\} [a-z_]+;/ {
        name = $2
        sub(/;.*/, "", name)
        for (i = 1; i <= n; i++)
            print "FIELD(" name ", " field[i] ")"
        print "printf(\"%s size %zu\\n\", \"" name "\", sizeof(" name "));"
        open = 0
        next
    }
    open && match($0, /\(\*[a-z_]+\)/) { field[++n] = substr($0, RSTART + 2, RLENGTH - 3); next }
    open && match($0, /[a-z_0-9]+(\[[^;]*\])?;/) {
        f = substr($0, RSTART, RLENGTH)
        sub(/(\[.*)?;.*/, "", f)
        field[++n] = f
    }
    END { print "return 0; }" }' >fields.c
# shellcheck disable=SC2086  # flags are words
ok "the public structs can be asked" $CC $CFLAGS -I "$top_srcdir/src" fields.c -o fields
./fields >structs.found
case $(getconf LONG_BIT) in
64) kept structs ;;
*) skip "structs is as it was" "the list is of a machine of 64 bits" ;;
esac
is "all of them are in the list" "$(cat "$top_srcdir"/src/rowcast*.h | grep -cE '^typedef struct [a-z_]+ \{')" \
    "$(grep -c ' size ' structs.found)"
sed 's/ int64_t rows;/ int64_t rows; int64_t more;/' "$top_srcdir/src/rowcast.h" >rowcast.h
cp "$top_srcdir"/src/rowcast_*.h .
# shellcheck disable=SC2086
is "a field that comes between is seen" "$($CC $CFLAGS -I. fields.c -o fields && ./fields | diff -q - structs.found \
    | wc -l)" 1
if [ "${ROWCAST_ABI_OLD:-}" ] && command -v abidiff >/dev/null; then
    # shellcheck disable=SC2016  # for that shell
    ok "abidiff finds no change that breaks programs" sh -c 'for old in "$ROWCAST_ABI_OLD"/librowcast*.so; do
        abidiff --no-added-syms "$old" "$top_builddir/.libs/$(basename "$old")" || exit 1
    done'
else
    skip "abidiff finds no change that breaks programs" "no abidiff, or no ROWCAST_ABI_OLD"
fi
