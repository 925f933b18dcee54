#!/bin/sh
# Matrices prepared ahead of the one that is measured: the same cases, nothing lost or doubled
# however a run ends, and whatever dies is put down to what it died of.
# shellcheck source=tests/mpi/mpi.sh
. "${top_srcdir:?}/tests/mpi/mpi.sh"
# no core files
# shellcheck disable=SC3045
ulimit -c 0 2>/dev/null || true
kills=${ROWCAST_KILLS:-8}
seed=${ROWCAST_SEED:-$$}
export OMPI_MCA_odls_base_sigkill_timeout=0 # mpirun ends the others at once
plan 67

for i in 1 2 3 4 5 6 7 8; do
    matrix "m$i" uniform:n=$((60 + 20 * i))
done
list="-k 2,n -p csr,lpt,cta,hybrid1 --kernels rowsplit,null"

count() # count WHAT: the numbers of a line of the last result table
{
    grep "^$1" "$tmp/out" | tr -s ' ' | sed "s/^$1 //"
}

statuses() # statuses STORE: matrices with their status
{
    alone query "$1" -M -f csv -o fullname,status | tail -n +2 | tr '\n' ' '
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
    # shellcheck disable=SC2086
    code "a second run" 0 sweep "$ranks" "$store" $list --ahead "$ahead"
    ok "has nothing to do" grep -q "nothing to do: all 128 cases of 8 matrices" "$tmp/err"
done
# shellcheck disable=SC2086
code "room for one matrix at a time" 0 sweep 2 "$tmp/room.h5" $list --ahead 6 -m 400K
is "takes them one by one" "$(cases "$tmp/room.h5")" "$(cases "$tmp/0.h5")"
# shellcheck disable=SC2086
ok "figures of the run for programs" sh -c "'$ROWCAST' sweep -C '$tmp/col' -s '$tmp/fig.h5' $quick $list --ahead 2 -f csv 2>/dev/null | grep -q '^run,,,,,,[0-9]'"

# the longest come first: whoever asks first must not have them all
mkdir "$tmp/long"
(cd "$tmp/long" && mkdir -p G && for i in 1 2 3 4; do alone generate "uniform:n=1500$i,mean=20" -o "G/long$i.mtx"; done \
    && for i in 1 2 3 4 5 6 7 8 9; do for k in 0 1 2 3; do alone generate "uniform:n=5$k$i" -o "G/short$i$k.mtx"; done; done) >/dev/null
code "four long matrices and many short ones" 0 launch 2 sweep -C "$tmp/long" -s "$tmp/long.h5" \
    --threads 1 --share-device --timing shared --case-time 0.0005 --max-reps 7 -q -k 512 -p csr --kernels rowsplit --ahead 8
is "measures all" "$(rows "$tmp/long.h5" -w 'status == ok')" 40
is "no rank has all of the long ones" \
    "$(alone query "$tmp/long.h5" -f csv -o rank -w 'rows > 10000' | tail -n +2 | sort -u | tr '\n' ' ')" "0 1 "

# --------------------------------------------------------------- failures of a preparer
echo 'this is no matrix' >"$tmp/col/G/x1.mtx"
cp "$tmp/col/G/m1.mtx" "$tmp/col/G/same.mtx"
# shellcheck disable=SC2086
code "a matrix that cannot be read, and one that is there twice" 1 \
    sweep 1 "$tmp/bad.h5" $list --ahead 4
is "harm nobody else" "$(count matrices); $(count cases)" "9 0 0 1 0; 128 0 0 0 0"
rm "$tmp/col/G/x1.mtx" "$tmp/col/G/same.mtx"

# ---------------------------------------------------------------------- crashes
crash="--kernels fault:mode=2:rows=140,rowsplit -k 2 -p csr,lpt --ahead 4"
one=$tmp/one.h5
runs=0
while [ "$runs" -lt 8 ]; do
    runs=$((runs + 1))
    # shellcheck disable=SC2086
    sweep $((1 + runs % 2)) "$one" $crash >"$tmp/out" 2>"$tmp/err"
    code=$?
    [ "$code" -gt 3 ] || break
done
is "two crashing cases take four runs, the fifth completes" "$runs $code" "5 1"
is "exactly they are crashed" "$(alone query "$one" -f csv -o fullname,policy -w 'status == crashed && kernel ~ fault*' \
    | tail -n +2 | sort | tr '\n' ' ')$(rows "$one" -w 'status == ok')" "G/m4,csr G/m4,lpt 30"
is "and no matrix is" "$(alone query "$one" -M -f csv -o fullname -w 'status != ok' | tail -n +2)" ""
is "nothing is doubled" "$(twice "$one")" ""

# ------------------------------------------------------------------- a lost device
lost="--kernels fault:mode=9:rows=140 -k 2 -p csr,lpt --ahead 3"
store=$tmp/lost.h5
# shellcheck disable=SC2086
code "a device that is lost ends its rank, not the sweep" 1 sweep 2 "$store" $lost
ok "says so" grep -q '1 of 2 ranks stopped because their device became unusable' "$tmp/err"
is "the other rank does the rest" "$(rows "$store" -w 'status == ok') $(rows "$store")" "14 14"
runs=1
while [ "$runs" -lt 8 ]; do
    runs=$((runs + 1))
    # shellcheck disable=SC2086
    sweep 1 "$store" $lost >"$tmp/out" 2>"$tmp/err"
    code=$?
    grep -q 'became unusable' "$tmp/err" || break
done
is "what loses it twice is given up, one case after the other" "$runs $code" "5 1"
is "as crashed" "$(alone query "$store" -f csv -o fullname,policy -w 'status == crashed' | tail -n +2 | sort | tr '\n' ' ')" \
    "G/m4,csr G/m4,lpt "
ok "and the text says of what" sh -c \
    "'$ROWCAST' query '$store' -f csv -o message -w 'status == crashed' | grep -q 'lost their device'"
# shellcheck disable=SC2086
code "then there is nothing to do, and it exits so too" 1 sweep 1 "$store" $lost

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

shows() # shows PATTERN: wait until status shows it of a journal
{
    waits=0
    while [ "$waits" -lt 600 ]; do
        alone status "$store" -f csv 2>/dev/null | grep '^"*journal' >"$tmp/status"
        grep -q "$1" "$tmp/status" && return 0
        waits=$((waits + 1))
        sleep 0.05
    done
    return 1
}

slow="-k 2 -p csr,lpt,warp --kernels fault:mode=0:delay_us=10000 --ahead 4"
# shellcheck disable=SC2086
code "an uninterrupted sweep" 0 sweep 1 "$tmp/whole.h5" $slow

for how in TERM USR1; do
    # shellcheck disable=SC2086
    run 2 "$tmp/$how.h5" $slow
    ok "$how: matrices wait, prepared" shows 'running.*(prepared)'
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
hang="-k 2 -p hybrid2.2,hybrid2.3 --kernels fault:mode=0:delay_us=20000 --ahead 4"
# shellcheck disable=SC2086
run 1 "$tmp/hang.h5" $hang
ok "one is ordered while another one is measured" shows 'running.*G/m[0-9] (time).*G/x (order)'
xargs -r kill -9 <"$PIDS" 2>/dev/null
end
for kills in 2 3 4; do
    # shellcheck disable=SC2086
    run 1 "$store" $hang
    ok "after $((kills - 1)) kills the next run has it in hand" shows 'running.*G/x (order)'
    is "alone" "$(grep -c 'G/m' "$tmp/status")" 0
    xargs -r kill -9 <"$PIDS" 2>/dev/null
    end
done
# shellcheck disable=SC2086
code "it is given up" 1 sweep 1 "$store" $hang -w 'name != x'
is "and nothing else is" "$(alone query "$store" -f csv -o fullname -w 'status != ok' | tail -n +2)$(
    alone query "$store" -M -f csv -o fullname -w 'status != ok' | tail -n +2)" "G/x"
is "what was measured beside it is there" "$(rows "$store" -w 'status == ok')" 16
rm "$tmp/col/G/x.mtx"

# ------------------------------------------------------------------- kill -9 at any time
random() # random N: 0 .. N-1, in $random
{
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    random=$((seed / 65536 % $1))
}

finished() # finished STORE: cases that are ok, from a copy that is folded
{
    rm -rf "$tmp/copy.h5" "$tmp/copy.h5.journal"
    [ ! -e "$1" ] || cp "$1" "$tmp/copy.h5"
    [ ! -d "$1.journal" ] || cp -r "$1.journal" "$tmp/copy.h5.journal"
    [ -e "$tmp/copy.h5" ] || [ -e "$tmp/copy.h5.journal" ] || return 0 # killed before anything
    alone fold -q "$tmp/copy.h5" >"$tmp/fold.out" 2>&1 || fault "fold: $(cat "$tmp/fold.out")"
    [ -e "$tmp/copy.h5" ] || return 0
    twice "$tmp/copy.h5" >"$tmp/twice"
    [ ! -s "$tmp/twice" ] || fault "doubled: $(tr '\n' ' ' <"$tmp/twice")"
    alone query "$tmp/copy.h5" -f csv -o case -w 'status == ok' | tail -n +2 | sort
}

fault()
{
    echo "# kill $n: $1" >&2
    echo "$n: $1" >>"$tmp/faults"
}

echo "# $kills kills, seed $seed"
store=$tmp/killed.h5
: >"$tmp/faults"
: >"$tmp/before"
n=0
while [ "$n" -lt "$kills" ]; do
    n=$((n + 1))
    # shellcheck disable=SC2086
    run $((1 + n % 2)) "$store" $slow
    random 2500
    sleep "$(printf '%d.%03d' $((random / 1000)) $((random % 1000)))"
    xargs -r kill -9 "$job" <"$PIDS" 2>/dev/null
    end
    finished "$store" >"$tmp/now"
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
    "$(alone query "$store" -a -f csv -o case -w 'status == ok' | tail -n +2 | sort | uniq -d)" ""
is "every matrix is ok" "$(statuses "$store")" \
    "G/m1,ok G/m2,ok G/m3,ok G/m4,ok G/m5,ok G/m6,ok G/m7,ok G/m8,ok "
ok "no journal is left" test ! -e "$store.journal"
