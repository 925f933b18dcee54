#!/bin/sh
# Noise is found and said: cases whose batches disagree are timed once more and then noisy, in no table unless asked for,
# and measured anew by the next sweep; who else had the CPUs is counted.  Nothing here rests on how long anything takes.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 52
cd "$tmp" || exit 99
quick="--device cpu --threads 1 --share-device --timing shared -C col -k 8 --orders csr,lpt --kernels rowsplit,cstat"

sweep() # sweep STORE OPTION...
{
    noise_store=$1
    shift
    # shellcheck disable=SC2086
    "$ROWCAST" sweep -s "$noise_store" $quick "$@"
}

statuses() # statuses STORE OPTION...
{
    "$ROWCAST" query "$@" -f csv --columns status 2>query.err | tail -n +2 | sort | uniq -c | xargs
}

await() # await COMMAND: until it succeeds, at most 60 s
{
    for _ in $(seq 600); do
        "$@" && return
        sleep 0.1
    done
    return 1
}

mkdir -p col/G
"$ROWCAST" generate uniform:n=3000,mean=20 -o col/G/a.mtx >/dev/null

# ------------------------------------------------------- batches that disagree, by any measure
# the target is never met, and any error is too large: of 50 batches no two need be alike
disagree="--target 0 --case-time 1000 --max-reps 50 --noisy-above 1e-9"
# shellcheck disable=SC2086
code "a sweep whose batches disagree says that something failed" 1 sweep a.h5 $disagree -f csv
is "all its cases are noisy" "$(statuses a.h5)" "4 noisy"
is "each was timed twice" "$(statuses a.h5 --all)" "8 noisy"
is "the table counts each once" "$(grep '^cases,' out | cut -d, -f2-7)" "0,0,0,0,0,4"
ok "a line says so" grep -q '^.*/a.h5: 4 of 4 are noisy: in no table' err
is "which query says too" "$(sed 's/;.*//' query.err)" "a.h5: 4 of 4 are noisy: in no table"
ok "the store is sound" "$ROWCAST" verify a.h5
is "no summary counts them" "$("$ROWCAST" query a.h5 -S speedup -f csv 2>/dev/null | tail -n +2 | wc -l)" 0
ok "but asked for they are as others" sh -c "'$ROWCAST' query a.h5 -S speedup --noisy -f csv 2>/dev/null | grep -q lpt"
is "rows as well" "$(statuses a.h5 --noisy)" "4 ok"
is "of the matrix they are counted" "$("$ROWCAST" query a.h5 -M -f csv --columns cases_ok,cases_noisy | tail -1)" 0,4
code "as rows" 0 "$ROWCAST" query a.h5 --columns fullname,median_us
is "each has a mark" "$(grep -c '^~ .*G/a' out) $(tail -1 out)" "4 ~ noisy: in no table"
is "and none for programs" "$("$ROWCAST" query a.h5 --columns fullname -f csv 2>/dev/null | sort -u | xargs)" "G/a fullname"
is "nor when they are taken" "$("$ROWCAST" query a.h5 --noisy 2>/dev/null | grep -c '~')" 0
ok "and by status" sh -c "'$ROWCAST' status a.h5 -f csv | grep -q '^store: cases,,0,0,0,0,0,4,'"

# ------------------------------------------------------------------ the next sweep
code "a plan has them to do" 0 sweep a.h5 --dry-run --noisy-above 1e9
ok "all of them" grep -q ' 4 cases' out err
code "the same cases, where any error will do" 0 sweep a.h5 --target 0 --max-reps 50 --noisy-above 1e9 -q
is "are ok then" "$(statuses a.h5)" "4 ok"
code "and are not measured once more" 0 sweep a.h5 --target 0 --max-reps 50 --noisy-above 1e-9
ok "nothing is left to do" grep -q 'nothing to do' err

# shellcheck disable=SC2086
code "noise is no failure when it is accepted" 0 sweep n.h5 $disagree --accept-noisy -q
is "and is noise all the same" "$(statuses n.h5)" "4 noisy"

# of two matrices the one that was measured first has a last turn when the other is done
mkdir -p two/G
for n in 500 900; do
    "$ROWCAST" generate "uniform:n=$n,mean=20" -o "two/G/n$n.mtx" >/dev/null
done
two="-C two --kernels rowsplit --orders csr,lpt"
# shellcheck disable=SC2086
code "two matrices of noisy cases" 1 sweep t.h5 $two $disagree -f csv
is "count each once" "$(grep '^cases,' out | cut -d, -f2-7) $(statuses t.h5)" "0,0,0,0,0,4 4 noisy"
is "the first was timed three times, the last twice" "$(statuses t.h5 --all)" "10 noisy"
ok "the store is sound too" "$ROWCAST" verify t.h5
# shellcheck disable=SC2086
code "where any error will do" 0 sweep t.h5 $two --target 0 --max-reps 50 --noisy-above 1e9
is "of all rows the noisy ones have the mark" "$("$ROWCAST" query t.h5 --all 2>/dev/null | grep -c '^~ .* noisy ') $("$ROWCAST" query t.h5 --all 2>/dev/null | grep -c '^  .* ok ')" "10 4"
is "each has its time then" "$(statuses t.h5) of $(statuses t.h5 --all)" "4 ok of 10 noisy 4 ok"

# a baseline beside what cannot be measured here, so that nothing else is noisy
mkdir -p wide/G
"$ROWCAST" generate uniform:n=300,cols=500,mean=20 -o wide/G/w.mtx >/dev/null
again="-C wide --kernels rowsplit --orders"
# shellcheck disable=SC2086
code "a baseline" 0 sweep w.h5 $again csr --target 0 --max-reps 50 --noisy-above 1e9
# shellcheck disable=SC2086
code "one that is noisy when it is timed again has a time all the same" 0 sweep w.h5 $again csr,rcm $disagree
ok "a line says so" grep -q '1 baseline timed again was noisy: the earlier times stay' err
is "its earlier row stays" "$(statuses w.h5) of $(statuses w.h5 --all)" "1 ok 1 skipped of 2 noisy 1 ok 1 skipped"
# shellcheck disable=SC2086
code "the next run has the same to say" 0 sweep w.h5 $again csr,rcm $disagree
ok "nothing is left to do there" grep -q 'nothing to do' err

for word in much -1 nan inf; do
    code "how noisy is no '$word'" 2 env "ROWCAST_NOISY_ABOVE=$word" "$ROWCAST" sweep -s b.h5 --dry-run
    is "which a line says" "$(grep -c "ROWCAST_NOISY_ABOVE: expected a number.*'$word'" err)" 1
done

# ------------------------------------------------- products that wait alike, beside loops on their CPU
mkdir -p slow/G
"$ROWCAST" generate uniform:n=20000,mean=50 -o slow/G/s.mtx >/dev/null
cpu=$(taskset -cp $$ 2>/dev/null | sed 's/.*[:,] *//; s/-.*//')
if [ "$cpu" ]; then
    loops=
    trap 'kill -9 $loops 2>/dev/null; rm -rf "$tmp"' EXIT
    for _ in 1 2 3; do
        taskset -c "$cpu" sh -c 'while :; do :; done' &
        loops="$loops $!"
    done
    code "a time of which most was waited for a CPU is no result" 1 taskset -c "$cpu" "$ROWCAST" sweep -s e.h5 -C slow \
        --device cpu --threads 1 --share-device -k 128 --orders csr --kernels rowsplit --target 1 --noisy-above 0.1 -q
    is "its row says why, even where its batches agree" "$("$ROWCAST" query e.h5 -f csv --columns status,message 2>/dev/null | tail -1 | sed 's/[0-9][0-9]*/N/')" \
        "noisy,noise: for N % of the time a thread waited for a CPU"
    # shellcheck disable=SC2086
    kill -9 $loops
else
    skip "a time of which most was waited for a CPU is no result" "no taskset"
    skip "its row says why, even where its batches agree" "no taskset"
fi

# ------------------------------------------------------------ others have the CPUs
env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT OMP_PLACES=threads OMP_PROC_BIND=close \
    "$ROWCAST" sweep -s d.h5 -C col -k 8 --orders csr --kernels rowsplit \
    --target 0 --case-time 100 --max-reps 1000000 --device cpu --share-device -q >out 2>err &
run=$!
loops=$run
trap 'kill -9 $loops 2>/dev/null; rm -rf "$tmp"' EXIT
await test -d d.h5.journal
for _ in $(seq 0 "$(getconf _NPROCESSORS_ONLN)"); do
    sh -c 'while :; do :; done' &
    loops="$loops $!"
done
sleep 0.2
if [ "$(cut -d' ' -f4 /proc/loadavg | cut -d/ -f1)" -gt "$(getconf _NPROCESSORS_ONLN)" ]; then
    ok "a run that is under way lets its team sleep" await sh -c "grep -qs spare /proc/$run/task/*/comm"
    is "and every thread has the CPUs of the process" "$(grep -h Cpus_allowed_list "/proc/$run"/task/*/status | sort -u | xargs)" \
        "$(grep Cpus_allowed_list /proc/self/status | xargs)"
    kill -9 "$run"
    env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT "$ROWCAST" sweep -s c.h5 -C col -k 8 --orders csr \
        --kernels rowsplit --device cpu --share-device -f csv >out 2>err
    is "every case had company" "$(column crowded <out | tail -1)" 1
    ok "which its row says" sh -c "'$ROWCAST' query c.h5 -f csv --columns load,cpus 2>/dev/null | tail -1 | awk -F, '{ exit !(\$1 >= 1 && \$2 >= 1) }'"
    ok "and its team waited asleep" grep -aq asleep c.h5
else
    for name in "a run that is under way lets its team sleep" "and every thread has the CPUs of the process" \
        "every case had company" "which its row says" "and its team waited asleep"; do
        skip "$name" "/proc/loadavg does not tell"
    done
fi
