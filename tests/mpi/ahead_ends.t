#!/bin/sh
# Sweeps with matrices prepared ahead, see ahead.t, that are stopped or killed: nothing is lost or doubled however
# a run ends, and what is killed again and again is given up.
# shellcheck source=tests/mpi/mpi.sh
. "${top_srcdir:?}/tests/mpi/mpi.sh"
# no core files
# shellcheck disable=SC3045
ulimit -c 0 2>/dev/null || true
kills=${ROWCAST_KILLS:-4}
export OMPI_MCA_odls_base_sigkill_timeout=0 # mpirun ends the others at once
plan 29

for i in 1 2 3 4 5 6 7 8; do
    matrix "m$i" uniform:n=$((60 + 20 * i))
done

statuses() # statuses STORE: matrices with their status
{
    alone query "$1" -M -f csv --columns fullname,status | tail -n +2 | tr '\n' ' '
}

# ------------------------------------------------ runs in the background, and their ends
run() # run RANKS STORE ARGUMENT...: a sweep in the background
{
    ranks=$1
    store=$2
    shift 2
    # shellcheck disable=SC2086
    start "$ranks" sweep -C "$tmp/col" -s "$store" $quick "$@"
}

end() # end all of it: the exit code of the job in $job_code
{
    finish
    gone
}

shows() # shows PATTERN: status does, of a journal
{
    alone status "$store" -f csv 2>/dev/null | grep '^"*journal' >"$tmp/status"
    grep -q "$1" "$tmp/status"
}

slow="-k 2 -p csr,lpt,warp --kernels fault:mode=0:delay_us=2000 --ahead 4"
# shellcheck disable=SC2086
code "an uninterrupted sweep" 0 sweep 1 "$tmp/whole.h5" $slow

for how in TERM USR1; do
    # shellcheck disable=SC2086
    run 2 "$tmp/$how.h5" $slow $long
    ok "$how: matrices wait, prepared" comes "$job" shows 'running.*(prepared)'
    kill "-$how" "$(sed -n 2p "$PIDS")"
    end
    is "$how: exit code 75" "$job_code" 75
    # shellcheck disable=SC2086
    code "$how: a rerun completes" 0 sweep 1 "$store" $slow
    is "$how: with the same cases" "$(cases "$store")$(twice "$store")" "$(cases "$tmp/whole.h5")"
done

# a matrix that takes long to order, killed there four times from outside: first while another one is
# measured, then alone
matrix x uniform:n=60000
hang="-k 2 -p hybrid2.2,hybrid2.3 --kernels fault:mode=0:delay_us=2000 --ahead 4"
# shellcheck disable=SC2086
run 1 "$tmp/hang.h5" $hang $long
ok "one is ordered while another one is measured" comes "$job" shows 'running.*G/m[0-9] (time).*G/x (order)'
xargs -r kill -9 <"$PIDS" 2>/dev/null
end
for hangs in 2 3 4; do
    # shellcheck disable=SC2086
    run 1 "$store" $hang
    ok "after $((hangs - 1)) kills the next run has it in hand" comes "$job" shows 'running.*G/x (order)'
    is "alone" "$(grep -c 'G/m' "$tmp/status")" 0
    xargs -r kill -9 <"$PIDS" 2>/dev/null
    end
done
# shellcheck disable=SC2086
code "it is given up" 1 sweep 1 "$store" $hang -w 'name != x'
is "and nothing else is" "$(alone query "$store" -f csv --columns fullname -w 'status != ok' | tail -n +2)$(
    alone query "$store" -M -f csv --columns fullname -w 'status != ok' | tail -n +2)" "G/x"
is "what was measured beside it is there" "$(rows "$store" -w 'status == ok')" 16
rm "$tmp/col/G/x.mtx"

# its features may take longer than what is measured of it, which a kill then does not put under suspicion
echo uniform:n=100000,mean=30 >"$tmp/col/G/big.spec"
run 1 "$tmp/behind.h5" -k 2 -p csr --kernels null --ahead 2 -w 'name == "big"'
ok "what was measured is not in flight while features are" comes "$job" shows 'running.*,1,0,0,0,0,0,"G/big (feature), G/big (prepared)"'
xargs -r kill -9 <"$PIDS" 2>/dev/null
end
code "the next run" 0 sweep 1 "$store" -k 2 -p csr --kernels null --ahead 2 -w 'name == "big"'
is "has no case to do again" "$(rows "$store" -a -w 'status == ok'):$(rows "$store" -a)" 1:1
rm "$tmp/col/G/big.spec"

# ------------------------------------------------------------------- kill -9 at any time
echo "# $kills kills, seed $seed"
store=$tmp/killed.h5
: >"$tmp/before"
n=0
while [ "$n" -lt "$kills" ]; do
    n=$((n + 1))
    at="kill $n"
    # shellcheck disable=SC2086
    run $((1 + n % 2)) "$store" $slow $long
    random 2500
    sleep "$(seconds "$random")"
    xargs -r kill -9 "$job" <"$PIDS" 2>/dev/null
    end
    snapshot "$store"
    finished >"$tmp/now"
    comm -23 "$tmp/before" "$tmp/now" >"$tmp/gone"
    [ ! -s "$tmp/gone" ] || fault "lost: $(tr '\n' ' ' <"$tmp/gone")"
    cp "$tmp/now" "$tmp/before"
done
is "no kill loses or doubles anything" "$(cat "$tmp/faults")" ""
# shellcheck disable=SC2086
sweep 2 "$store" $slow >"$tmp/out" 2>"$tmp/err"
code=$?
ok "the last run completes" test "$code" -le 1
# shellcheck disable=SC2086
sweep 2 "$store" $slow --redo 'status == crashed' >"$tmp/out" 2>&1
is "with what was in flight twice, in the end" "$?" 0
is "the cases are those of an uninterrupted run" "$(cases "$store")" "$(cases "$tmp/whole.h5")"
is "none of them twice" \
    "$(alone query "$store" -a -f csv --columns case -w 'status == ok' | tail -n +2 | sort | uniq -d)" ""
is "every matrix is ok" "$(statuses "$store")" \
    "G/m1,ok G/m2,ok G/m3,ok G/m4,ok G/m5,ok G/m6,ok G/m7,ok G/m8,ok "
ok "no journal is left" test ! -e "$store.journal"
