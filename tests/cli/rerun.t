#!/bin/sh
# What failed stays visible: a rerun exits as the run did that found it, says how many and what to do,
# until it is done again or accepted; what was mended, or lacked memory only then, is tried again.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
# shellcheck source=/dev/null
. "${top_builddir:?}/tests/env.sh"
plan 64
cd "$tmp" || exit 99
quick="--threads 1 --share-device --timing shared --case-time 0.0005 --max-reps 7 -q -C col -k 2 -p csr"

sweep() # sweep STORE OPTION...
{
    rerun_store=$1
    shift
    # shellcheck disable=SC2086
    "$ROWCAST" sweep -s "$rerun_store" $quick "$@"
}

statuses() # statuses STORE: of the newest row of each case
{
    "$ROWCAST" query "$1" -f csv --columns status | tail -n +2 | sort | uniq -c | xargs
}

mkdir -p col/G
for n in 100 140; do "$ROWCAST" generate "uniform:n=$n" -o "col/G/m$n.mtx" >/dev/null; done

# ------------------------------------------------------------------- cases that fail
code "a wrong kernel" 1 sweep wrong.h5 --kernels fault:mode=1:rows=140,rowsplit
for run in second third; do
    code "the $run run exits as the first did" 1 sweep wrong.h5 --kernels fault:mode=1:rows=140,rowsplit
    ok "it has nothing to do" grep -q 'nothing to do: all 4 cases of 2 matrices are done' "$tmp/err"
    ok "it counts what failed, and the baselines among it" \
        grep -q '1 case (1 of them the baseline csr) .* failed before' "$tmp/err"
    ok "it says how to do it again and how to accept it" \
        sh -c "grep -q -e \"--redo 'status != ok'\" '$tmp/err' && grep -q -e '--accept-failed' '$tmp/err'"
done
code "a run that measures more exits so too" 1 sweep wrong.h5 --kernels fault:mode=1:rows=140,rowsplit,null
ok "and says so too" grep -q '1 case .* failed before' "$tmp/err"
code "what is not selected does not count" 0 sweep wrong.h5 --kernels rowsplit
code "--accept-failed takes them as they are" 0 sweep wrong.h5 --kernels fault:mode=1:rows=140 --accept-failed
ok "and still says so" grep -q '1 case .* failed before: accepted' "$tmp/err"
code "it does not accept what fails now" 1 sweep wrong.h5 --kernels fault:mode=1:rows=100 --accept-failed
code "a plan tells" 0 sweep wrong.h5 --kernels fault:mode=1:rows=140 --dry-run
ok "of what failed" grep -q '1 case .* failed before' "$tmp/err"
code "a redo that fails again exits so" 1 sweep wrong.h5 --kernels fault:mode=1:rows=140 --redo 'status != ok'

# ------------------------------------------------------------ files that cannot be read
cp col/G/m140.mtx whole.mtx
head -c 300 whole.mtx >col/G/m140.mtx
code "a file that is cut" 1 sweep file.h5 --kernels rowsplit
code "stays visible" 1 sweep file.h5 --kernels rowsplit
ok "with its count" grep -q '1 matrix .* failed before' "$tmp/err"
cp whole.mtx col/G/m140.mtx
code "mended, it is read again by itself" 0 sweep file.h5 --kernels rowsplit
is "and measured" "$(statuses file.h5)" "2 ok"
code "after which nothing is left to say" 0 sweep file.h5 --kernels rowsplit
head -c 300 whole.mtx >col/G/m140.mtx
touch -r whole.mtx col/G/m140.mtx
code "a file that is damaged" 1 sweep file2.h5 --kernels rowsplit
cp whole.mtx col/G/m140.mtx
touch -r whole.mtx col/G/m140.mtx
code "mended with the time that it had, by its size" 0 sweep file2.h5 --kernels rowsplit

# ------------------------------------------------------- files that are not there any more
printf '2\n01-Jan-2024 00:00:00\nG,m100,100,100,600,1,0,0,0,0,0,test,600\nG,never,9,9,9,1,0,0,0,0,0,test,9\n' >index.csv
what_became() # of the matrices of a store
{
    "$ROWCAST" query --matrices away.h5 -f csv --columns fullname,status,cases_ok | tail -n +2 | xargs
}
code "a catalogue that names a matrix without a file" 0 sweep away.h5 -c index.csv -w 'name != m140' --kernels rowsplit
is "says so of that one" "$(what_became)" "G/m100,ok,1 G/never,skipped,0"
mv col/G/m100.mtx away.mtx
code "a later sweep, when a file is gone" 0 sweep away.h5 -c index.csv -w 'name != m140' --kernels rowsplit,null
is "what was measured stays" "$(what_became)" "G/m100,ok,1 G/never,skipped,0"
mv away.mtx col/G/m100.mtx
code "and when it is back" 0 sweep away.h5 -c index.csv -w 'name != m140' --kernels rowsplit,null
is "the sweep goes on with it" "$(what_became)" "G/m100,ok,2 G/never,skipped,0"

# ------------------------------------------------------------------------- memory
code "too little memory for the matrices" 1 sweep small.h5 --kernels rowsplit --memory 10
code "with as little it stays visible" 1 sweep small.h5 --kernels rowsplit --memory 10
ok "and nothing is done again" grep -q 'nothing to do' "$tmp/err"
code "with more they are loaded, without a redo" 0 sweep small.h5 --kernels rowsplit
is "and measured (loaded)" "$(statuses small.h5)" "2 ok"
code "too little memory for the operands" 1 sweep tile.h5 --kernels null --device-memory 1K -k 1000
code "with as little it stays visible (operands)" 1 sweep tile.h5 --kernels null --device-memory 1K -k 1000
code "with more they are measured" 0 sweep tile.h5 --kernels null -k 1000
is "and are ok" "$(statuses tile.h5)" "2 ok"
code "a kernel that gets no memory" 1 sweep busy.h5 --kernels fault:mode=5
code "is tried again by the next run" 1 sweep busy.h5 --kernels fault:mode=5
ok "which says so in its table" grep -qE '^cases +0 +0 +2 +0 +0 +0$' "$tmp/out"
# the same under a limit of the shell: the sweep believes that there is memory, and gets none.  The limit is what a sweep of
# two columns needs here, libraries included, in steps of 50 MB, and one step more; the operands of 600,000 columns take 670 MB.
narrow() # narrow KB STORE K: a thread of OpenBLAS that gets no memory asks for ever, so there is none
{
    # shellcheck disable=SC2086,SC3045
    (ulimit -v "$1" && OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 timeout -k 5 60 \
        "$ROWCAST" sweep -s "$2" $quick --kernels rowsplit -k "$3")
}
room=150000
while [ "$room" -lt 1500000 ] && ! narrow "$room" "room$room.h5" 2 >/dev/null 2>&1; do room=$((room + 50000)); done
room=$((room + 50000))
if [ "$room" -lt 1500000 ]; then
    code "memory that could not be had for a while" 1 narrow "$room" shell.h5 600000
    code "is tried again when there is some" 0 sweep shell.h5 --kernels rowsplit -k 600000
else # sanitizers reserve terabytes
    skip "memory that could not be had for a while" "no limit of memory here"
    skip "is tried again when there is some" "no limit of memory here"
fi

# ----------------------------------------------------- what no record has room for
long() # long N: N letters
{
    printf "%0$1d" 0 | tr 0 x
}
deep=$tmp/$(long 200)/$(long 200)/$(long 200)
rm -rf col
mkdir -p col/G "$deep"
put() # put NAME N: a matrix of that name
{
    "$ROWCAST" generate "uniform:n=$2" -o put.mtx >/dev/null && mv put.mtx "col/G/$1.mtx"
}
# of the name with its group 128 bytes fit
for name in "$(long 126)" "$(long 127)" "$(long 200)a" "$(long 200)b" "$(long 125)ßü"; do put "$name" 100; done
put good 140
printf 'uniform:n=100 %600s\n' '' | tr ' ' 0 >col/G/spec.spec
lists() # lists STORE: status and length of the name of each matrix
{
    "$ROWCAST" query "$1" --matrices -f csv --columns fullname,status | sed 1d | awk -F, '{ print $2, length($1) }' | LC_ALL=C sort | xargs
}
export LC_ALL=C
code "matrices with long names beside good ones" 1 sweep long.h5 --kernels rowsplit
is "the good ones are measured" "$(statuses long.h5)" "2 ok"
is "the others have a status" "$(lists long.h5)" "failed 128 failed 128 failed 128 failed 128 failed 6 ok 128 ok 6"
is "and each a line" "$(grep -c 'expected a name of at most 128 bytes, found 20[0-9]: it is not measured' "$tmp/err"), \
$(grep -c 'expected a name of at most 128 bytes' "$tmp/err"), $(grep -c 'expected a spec of at most 512 bytes' "$tmp/err")" "2, 4, 1"
is "none is taken for another" "$("$ROWCAST" query long.h5 --matrices -f csv --columns fullname | sed 1d | sort -u | wc -l | xargs)" 7
code "a rerun exits so too" 1 sweep long.h5 --kernels rowsplit
ok "and has nothing to do" grep -q 'nothing to do: all 2 cases' "$tmp/err"
ok "it counts them" grep -q '5 matrices' "$tmp/err"
is "and adds nothing" "$(lists long.h5)" "failed 128 failed 128 failed 128 failed 128 failed 6 ok 128 ok 6"
code "they are accepted" 0 sweep long.h5 --kernels rowsplit --accept-failed
code "or tried again" 1 sweep long.h5 --kernels rowsplit --redo 'status != ok'
ok "the store is sound" "$ROWCAST" verify long.h5
ok "and shows why" sh -c "'$ROWCAST' query long.h5 --matrices -f csv --columns message | grep -q 'expected a spec'"
mv col "$deep/col"
code "a path that is too long for all" 1 "$ROWCAST" sweep -s deep.h5 --threads 1 --share-device --timing shared -q -C "$deep/col" -k 2 -p csr --kernels rowsplit
is "each has a status" "$(lists deep.h5)" "failed 128 failed 128 failed 128 failed 128 failed 128 failed 6 failed 6"
mv "$deep/col" col
code "a store in such a folder" 1 sweep "$deep/s.h5" --kernels rowsplit
is "is made" "$(statuses "$deep/s.h5")" "2 ok"
code "and a word of the command line that is longer than a record" 0 \
    "$ROWCAST" sweep -s word.h5 --threads 1 --share-device --timing shared --case-time 0.0005 --max-reps 7 -q -C col -k 2 -p csr --kernels rowsplit -w "name == good$(printf '%70000s' '')"
