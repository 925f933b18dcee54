#!/bin/sh
# rowcast sweep --kernels: lists with globs and ranges, and what is wrong with them.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 15

dry() # dry KERNELS: pending cases
{
    "$ROWCAST" sweep -s "$tmp/none.h5" --dry-run -q -f csv -l 1 -p csr -k 4 --device cpu --kernels "$1"
}

pending() # pending KERNELS: number of cases of one matrix, order, K
{
    dry "$1" | sed -n '2s/^\([^,]*,\)\{4\}\([0-9]*\),.*/\2/p'
}

ok "info has type, range and default of a parameter" sh -c "'$ROWCAST' info -f csv | grep -q '^parameter,cstat:strip,.*(integer, 1 to 16; default 4)'"
formats=$("$ROWCAST" info -f csv | sed -n '/^kernel,/s/.*; format \([a-z0-9_]*\).*/\1/p' | sort -u)
is "info has the format of a kernel" "$(echo "$formats" | grep -c '^slots$')" 1
is "a header holds each" "$(for f in $formats; do
    [ -n "$(find "$top_srcdir/src/format" -name "$f.h")" ] || echo "$f"
done)" ""
is "a range is all of its values" "$(pending cstat:strip=1..16)" 16
is "ranges give all combinations" "$(pending fault:mode=0..2:at=-1..2)" 12
is "a glob is every kernel that fits" "$(pending '*s*t*')" 2
is "what both give is taken once" "$(pending 'cstat:strip=2..5,c*:strip=4..6')" 5
code "a range with nothing in it is a usage error" 2 dry cstat:strip=3..1
ok "that names the option" grep -q -e '--kernels:.*3\.\.1' "$tmp/err"
code "a glob that nothing fits is a usage error" 2 dry 'zz*'
code "a parameter that a kernel of the glob has not is a usage error" 2 dry '*:strip=1..2'
code "too many kernels are a usage error" 2 dry fault:delay_us=0..1000
ok "that says how many there may be" grep -q 'more than 256 kernels' "$tmp/err"
code "a value out of range is a usage error" 2 dry cstat:strip=99
code "so is a range that leaves it" 2 dry cstat:strip=0..3
