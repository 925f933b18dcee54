#!/bin/sh
# Matrices prepared ahead of the one that is measured: the same cases on any number of ranks, whatever is
# ahead.  How such runs end is in ahead_crash.t and ahead_ends.t.
# shellcheck source=tests/mpi/mpi.sh
. "${top_srcdir:?}/tests/mpi/mpi.sh"
plan 35

for i in 1 2 3 4 5 6 7 8; do
    matrix "m$i" uniform:n=$((60 + 20 * i))
done
list="-k 2,n -p csr,lpt,cta,hybrid1 --kernels rowsplit,null"

features() # features STORE: lines of features
{
    rm -rf "$tmp/tables"
    alone export "$1" -a --csv "$tmp/tables" -q && cat "$tmp/tables"/features_*.csv | wc -l
}

# ------------------------------------------------------------ the same, ahead or not
# shellcheck disable=SC2086
code "a sweep that prepares nothing ahead" 0 sweep 1 "$tmp/0.h5" $list --ahead 0
is "measures every case" "$(count matrices); $(count cases)" "8 0 0 0 0; 128 0 0 0 0"
for how in 1-1 1-4 2-3 3-8; do
    ranks=${how%-*}
    ahead=${how#*-}
    store=$tmp/$how.h5
    # shellcheck disable=SC2086
    code "$ranks ranks, $ahead ahead" 0 sweep "$ranks" "$store" $list --ahead "$ahead"
    is "the same cases" "$(cases "$store")" "$(cases "$tmp/0.h5")"
    is "none of them twice" "$(twice "$store")" ""
    is "the features, which come while a matrix is measured" "$(features "$store")" "$(features "$tmp/0.h5")"
    # shellcheck disable=SC2086
    code "a second run" 0 sweep "$ranks" "$store" $list --ahead "$ahead"
    ok "has nothing to do" grep -q "nothing to do: all 128 cases of 8 matrices" "$tmp/err"
done
ok "of 8 matrices each" test "$(features "$tmp/0.h5")" -gt 8
# shellcheck disable=SC2086
code "room for one matrix at a time" 0 sweep 2 "$tmp/room.h5" $list --ahead 6 --memory 400K
is "takes them one by one" "$(cases "$tmp/room.h5")" "$(cases "$tmp/0.h5")"
# shellcheck disable=SC2086
ok "figures of the run for programs" sh -c "'$ROWCAST' sweep -C '$tmp/col' -s '$tmp/fig.h5' $quick $list --ahead 2 -f csv 2>/dev/null | grep -q '^run,,,,,,,[0-9]'"

# the longest come first: whoever asks first must not have them all
mkdir -p "$tmp/long/G"
for i in 1 2 3 4; do
    alone generate "uniform:n=1500$i,mean=20" -o "$tmp/long/G/long$i.mtx" >/dev/null
done
awk -v dir="$tmp/long/G" 'BEGIN {
    for (i = 0; i < 36; i++) {
        file = dir "/short" i ".mtx"
        print "%%MatrixMarket matrix coordinate real general\n" 500 + i, 500 + i, 500 >file
        for (j = 1; j <= 500; j++) print j, j, j + i >file
        close(file)
    }
}'
code "four long matrices and many short ones" 0 launch 2 sweep -C "$tmp/long" -s "$tmp/long.h5" \
    --threads 1 --share-device --timing shared --case-time 0.0005 --max-reps 7 -q -k 512 -p csr --kernels rowsplit --ahead 8
is "measures all" "$(rows "$tmp/long.h5" -w 'status == ok')" 40
is "no rank has all of the long ones" \
    "$(alone query "$tmp/long.h5" -f csv --columns rank -w 'rows > 10000' | tail -n +2 | sort -u | tr '\n' ' ')" "0 1 "

# --------------------------------------------------------------- failures of a preparer
echo 'this is no matrix' >"$tmp/col/G/x1.mtx"
cp "$tmp/col/G/m1.mtx" "$tmp/col/G/same.mtx"
# shellcheck disable=SC2086
code "a matrix that cannot be read, and one that is there twice" 1 \
    sweep 1 "$tmp/bad.h5" $list --ahead 4
is "harm nobody else" "$(count matrices); $(count cases)" "9 0 0 1 0; 128 0 0 0 0"
rm "$tmp/col/G/x1.mtx" "$tmp/col/G/same.mtx"
