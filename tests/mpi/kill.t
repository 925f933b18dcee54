#!/bin/sh
# kill -9 of one rank, of all, or of the launcher, at random times, many times over: the store opens,
# no finished case is lost or doubled, and in the end everything is there.
# ROWCAST_KILLS: how many; ROWCAST_SEED: of the random numbers.
# shellcheck source=tests/mpi/mpi.sh
. "${top_srcdir:?}/tests/mpi/mpi.sh"
kills=${ROWCAST_KILLS:-16}
export OMPI_MCA_odls_base_sigkill_timeout=0 # mpirun ends the others at once
echo "# $kills kills, seed $seed"
plan 8

for i in 1 2 3 4 5 6; do
    matrix "m$i" uniform:n=$((40 + 30 * i))
done
list="-C $tmp/col $quick -k 2 -p csr,lpt,warp,cta,hybrid1 --kernels fault:mode=0:delay_us=300,null"

run() # run STORE: a sweep on 2 ranks in the background
{
    # shellcheck disable=SC2086
    start 2 sweep -s "$1" $list
}

# an uninterrupted run: what there is to be, and how long it takes
began=$(date +%s%N)
run "$tmp/whole.h5"
finish
[ "$job_code" -eq 0 ] || { # nothing would be there to lose
    echo "Bail out! an uninterrupted run: exit code $job_code"
    exit 99
}
is "an uninterrupted run has cases" "$([ -n "$(cases "$tmp/whole.h5")" ] && echo yes)" yes
span=$((($(date +%s%N) - began) / 1000000))
echo "# a run takes $span ms"

store=$tmp/s.h5
n=0
complete=0 # those that were faster than the kill do not count

: >"$tmp/before"
while [ $((n - complete)) -lt "$kills" ] && [ "$n" -lt $((3 * kills)) ]; do
    n=$((n + 1))
    at="kill $n"
    run "$store"
    random "$span"
    sleep "$(seconds "$random")"
    random 4
    case $random in
    0) # the ranks live on without their launcher for a while
        kill -9 "$job" 2>/dev/null
        random "$span"
        sleep "$(seconds "$random")"
        xargs -r kill -9 <"$PIDS" 2>/dev/null
        ;;
    1) xargs -r kill -9 "$job" <"$PIDS" 2>/dev/null ;;
    2) pid=$(sed -n 1p "$PIDS") && [ -n "$pid" ] && kill -9 "$pid" 2>/dev/null ;;
    3) pid=$(sed -n 2p "$PIDS") && [ -n "$pid" ] && kill -9 "$pid" 2>/dev/null ;;
    esac
    finish
    [ "$job_code" -ne 124 ] || fault "stuck"
    gone || fault "a rank is still there"
    if [ -e "$store" ] || [ -d "$store.journal" ]; then
        alone status "$store" >/dev/null 2>"$tmp/status" || {
            [ ! -e "$store" ] && grep -q 'no such store' "$tmp/status"
        } || fault "status: $(cat "$tmp/status")"
    fi
    snapshot "$store"
    finished >"$tmp/now"
    comm -23 "$tmp/before" "$tmp/now" >"$tmp/lost"
    [ ! -s "$tmp/lost" ] || fault "lost: $(tr '\n' ' ' <"$tmp/lost")"
    cp "$tmp/now" "$tmp/before"
    random 5
    if [ "$random" -eq 0 ]; then # a fold in between, killed now and then
        random 400
        timeout -s KILL "$(seconds $((random + 1)))" "$ROWCAST" fold -q "$store" >/dev/null 2>&1
    fi
    if [ "$job_code" -le 1 ]; then # it was faster than the kill: begin again
        complete=$((complete + 1))
        rm -rf "$store" "$store.journal"
        : >"$tmp/before"
    fi
done
is "no kill lost or doubled anything, or left what cannot be opened" "$(cat "$tmp/faults")" ""

run "$store"
finish
ok "the last run completes" test "$job_code" -le 1
given_up=$(alone query "$store" -f csv --columns case -w 'status == crashed' | tail -n +2 | wc -l)
given_up=$((given_up + $(alone query "$store" -M -f csv --columns fullname -w 'status == crashed' | tail -n +2 | wc -l)))
echo "# $complete more runs were not hit; $given_up cases or matrices were in flight in four killed runs"
if [ "$given_up" -gt 0 ]; then
    is "what was in flight too often is told by the exit code" "$job_code" 1
    # shellcheck disable=SC2086
    launch 2 sweep -s "$store" $list --redo 'status == crashed' >"$tmp/out" 2>&1
    is "and a redo brings it to ok" "$?" 0
else
    is "nothing was in flight too often" "$job_code" 0
    skip "a redo brings the crashed to ok" "there are none"
fi
is "the cases are those of an uninterrupted run" "$(cases "$store")" "$(cases "$tmp/whole.h5")"
is "nothing is doubled" "$(alone query "$store" -a -f csv --columns case -w 'status == ok' | tail -n +2 | sort | uniq -d)" ""
ok "no journal is left" test ! -e "$store.journal"
[ -s "$tmp/faults" ] || counted $((n - complete)) "kills survived"
