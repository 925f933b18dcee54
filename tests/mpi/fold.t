#!/bin/sh
# The journals of a killed sweep, folded on 1, 2, 3 and 5 ranks (more than there are journals): the
# same file.  With ROWCAST_OTHER, a program built with the other HDF5, its file is the same too.
# shellcheck source=tests/mpi/mpi.sh
. "${top_srcdir:?}/tests/mpi/mpi.sh"
command -v h5diff >/dev/null || skip_all "no h5diff"
export OMPI_MCA_odls_base_sigkill_timeout=0
plan 33

for i in 1 2 3 4; do
    matrix "m$i" uniform:n=$((50 + 40 * i))
done
# a store with rows from before, then two ranks killed in the middle of their work
first=$tmp/first.h5
sweep 2 "$first" -k 3 -p csr,lpt --kernels null >/dev/null 2>&1
# shellcheck disable=SC2086
start 2 sweep -C "$tmp/col" -s "$first" $quick -k 2,5 -p csr,lpt,cta \
    --kernels fault:mode=0:delay_us=20000 --max-reps 50 --case-time 1
ok "both ranks have results in their journals" begun "$first" 2
kill -9 "$job"
finish
ranks | xargs -r kill -9 2>/dev/null
ok "and are killed" gone
is "two journals are left" "$(find "$first.journal" -name '*.rcj' | wc -l)" 2
is "their writers are gone" "$(alone status "$first" -f csv | grep -c died)" 2

fold() # fold NAME COMMAND...: fold a copy, its file is $tmp/NAME.h5
{
    copy=$tmp/$1.h5
    shift
    cp "$first" "$copy"
    cp -r "$first.journal" "$copy.journal"
    "$@" fold "$copy"
}
fresh() # as fold, without the store from before
{
    copy=$tmp/$1.h5
    shift
    cp -r "$first.journal" "$copy.journal"
    "$@" fold "$copy"
}
# same FILE FILE: h5diff says nothing, but for empty tables (it passes what it cannot compare), and the
# dumps are equal
same()
{
    h5diff -c "$1" "$2" >"$tmp/difference" || return 1
    ! grep -v 'is an empty dataset' "$tmp/difference" || return 1
    h5dump "$1" | tail -n +2 >"$tmp/dump.1" && h5dump "$2" | tail -n +2 >"$tmp/dump.2" \
        && cmp "$tmp/dump.1" "$tmp/dump.2"
}
for ranks in 1 2 3 5; do
    ok "a fold on $ranks ranks" fold "f$ranks" launch "$ranks"
    ok "into a new store too" fresh "n$ranks" launch "$ranks"
    [ "$ranks" -gt 1 ] || continue
    ok "gives the file of one rank" same "$tmp/f1.h5" "$tmp/f$ranks.h5"
    ok "and the new file of one rank" same "$tmp/n1.h5" "$tmp/n$ranks.h5"
done
not_ok "a store of before is seen to differ" same "$tmp/f1.h5" "$first"
is "no journal is left" "$(find "$tmp"/[fn][1-5].h5.journal -name '*.rcj' | wc -l)" 0
before=$(cksum <"$tmp/f3.h5")
ok "a second fold" launch 2 fold "$tmp/f3.h5"
is "leaves the file alone" "$(cksum <"$tmp/f3.h5")" "$before"
ok "the journals of before, put back," cp -r "$first.journal" "$tmp/f3.h5.journal"
ok "are folded again" launch 3 fold "$tmp/f3.h5"
ok "and add nothing" same "$tmp/f1.h5" "$tmp/f3.h5"
if [ -n "${ROWCAST_OTHER:-}" ]; then
    ROWCAST=$ROWCAST_OTHER
    fold other launch 2 >/dev/null 2>&1
    ok "the other HDF5 makes the same file" same "$tmp/f1.h5" "$tmp/other.h5"
    fresh other-new launch 3 >/dev/null 2>&1
    ok "and the same new file" same "$tmp/n1.h5" "$tmp/other-new.h5"
else
    skip "the other HDF5 makes the same file" "ROWCAST_OTHER is not set"
    skip "and the same new file" "ROWCAST_OTHER is not set"
fi

# A process that no launcher started starts no MPI: it does not mind one that cannot start.
without_mpi()
{
    OMPI_MCA_pml=none-of-this-name "$@"
}
if without_mpi launch 1 fold "$tmp/f1.h5" >/dev/null 2>&1; then
    for what in "a sweep" "gives the cases of one under a launcher" "a fold" "gives the file of one rank" "a new one" "likewise"; do
        skip "without MPI: $what" "this MPI cannot be kept from starting"
    done
else
    list="-k 3 -p csr,lpt --kernels null"
    # shellcheck disable=SC2086
    ok "without MPI: a sweep" without_mpi alone sweep -C "$tmp/col" -s "$tmp/alone.h5" $quick $list
    # shellcheck disable=SC2086
    sweep 1 "$tmp/launched.h5" $list >/dev/null 2>&1
    is "gives the cases of one under a launcher" "$(cases "$tmp/alone.h5")" "$(cases "$tmp/launched.h5")"
    ok "a fold without MPI" fold none without_mpi alone
    ok "gives the file of one rank" same "$tmp/f1.h5" "$tmp/none.h5"
    ok "into a new store too" fresh none-new without_mpi alone
    ok "likewise" same "$tmp/n1.h5" "$tmp/none-new.h5"
fi
