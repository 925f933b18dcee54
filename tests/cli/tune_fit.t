#!/bin/sh
# rowcast tune csrk --fit: what cannot be fitted, from stores of a CPU, whose csr3 has pairs too.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 14

mkdir -p "$tmp/col/study" "$tmp/col/fit"
"$ROWCAST" generate mesh2d:n=12 -o "$tmp/col/study/a.mtx" >/dev/null || exit 99
"$ROWCAST" generate mesh3d:n=6 -o "$tmp/col/fit/b.mtx" >/dev/null || exit 99
store=$tmp/s.h5
# sweep KERNELS OPTION...
sweep()
{
    kernels=$1
    shift
    "$ROWCAST" sweep -q -s "$store" -C "$tmp/col" --device cpu -t 1 --share-device --op spmv --policies csr \
        --case-time 0.001 --kernels "$kernels" "$@" >/dev/null 2>&1
}

ok "a store without pairs" sweep csr2
code "is no store to fit on" 2 "$ROWCAST" tune csrk --fit "$store"
ok "and that is said" grep -q "there is no time of a pair: expected csr3:srs=S:ssrs=T" "$tmp/err"
ok "a store with a pair" sweep csr3:srs=4:ssrs=4
code "with one pair of 64" 2 "$ROWCAST" tune csrk --fit "$store"
ok "the matrix and the kernel are said" grep -q "not all 64 pairs were measured with csr3" "$tmp/err"
code "a training matrix of the test set" 2 "$ROWCAST" tune csrk --fit "$store" --test 'group == study'
ok "is named" grep -q "study/a is in the test set and cannot be fitted on" "$tmp/err"
code "a group that is not there" 2 "$ROWCAST" tune csrk --fit "$store" -w 'group == nowhere'
ok "two precisions are no one setting" sweep csr3:srs=4:ssrs=4 --precision fp64
code "so that they are refused" 2 "$ROWCAST" tune csrk --fit "$store"
code "an option of --fit alone" 2 "$ROWCAST" tune csrk --rdensity 2 -d volta --report
code "and another" 2 "$ROWCAST" tune csrk --rdensity 2 -d volta --round
code "both" 2 "$ROWCAST" tune csrk --rdensity 2 --fit "$store"
