#!/bin/sh
# Network file systems: locks that fail, or succeed and exclude nobody; nodes that do not see each other's
# processes; new files and lengths that other nodes see only after a while.  Nothing may rest on them: two
# writers at once never have a store, a dead one is taken over from, and what is not seen yet is waited for.
# ROWCAST_FAULT_POINTS: "all": every delay, and more takers.
# shellcheck source=tests/fault/fault.sh
. "${top_srcdir:?}/tests/fault/fault.sh"
delays=2
takers="1 2 3"
if [ "$points" = all ]; then
    delays="1 4 8"
    takers="1 2 3 4 5 6 7 8"
fi
plan $((27 + 7 * $(echo "$delays" | wc -w)))

for i in 1 2 3; do
    matrix "m$i" uniform:n=$((40 + 30 * i))
done
list="-C $tmp/col $quick -k 2 -p csr,lpt,warp --kernels null"
slow="-C $tmp/col $quick -k 2,3,5,7 -p csr,lpt,warp --kernels fault:mode=0:delay_us=2000,null"
lasting="--max-reps 1000 --case-time 0.5 --target 0" # half a minute, for those that others meet; the same cases

# on NODE COMMAND...: as a process of another machine, where NODE is not '-'; with $how locks and $delay
how=fail
delay=0
on()
{
    on_node=$1
    shift
    set -- env LD_PRELOAD="$shims/shim_lock.so${LD_PRELOAD:+:$LD_PRELOAD}" LOCK_HOW="$how" LOCK_MATCH=.journal "$@"
    [ "$on_node" = - ] || set -- env LOCK_HOST="$on_node" "$@"
    if [ "$delay" != 0 ]; then
        mkdir -p "$tmp/cache.$on_node"
        set -- env LOCK_NODE="$tmp/cache.$on_node" LOCK_DELAY="$delay" "$@"
    fi
    sh "$top_srcdir/tests/bound.sh" "$limit" "$@"
}

# a rank that is a node of its own
cat >"$tmp/node" <<END_OF_NODE
#!/bin/sh
LD_PRELOAD='$shims/shim_lock.so'\${LD_PRELOAD:+:\$LD_PRELOAD}
LOCK_HOST=node\${OMPI_COMM_WORLD_RANK-\$PMI_RANK}
LOCK_NODE='$tmp/cache.'\$LOCK_HOST
LOCK_MATCH=.journal
mkdir -p "\$LOCK_NODE"
export LD_PRELOAD LOCK_HOST LOCK_NODE LOCK_MATCH
exec "\$ROWCAST" "\$@"
END_OF_NODE
chmod +x "$tmp/node"

measures() # measures STORE: a sweep does
{
    alone status "$1" 2>/dev/null | grep -q '(time)'
}

# begin NODE STORE: a slow sweep there in the background, its id is $slow_id; returns when it measures
begin()
{
    : >"$tmp/slow.err"
    # shellcheck disable=SC2086
    on "$1" "$ROWCAST" sweep -s "$2" $slow $lasting >"$tmp/slow.out" 2>"$tmp/slow.err" &
    slow_job=$!
    slow_id=
    comes "$slow_job" measures "$2"
    slow_id=$(sed 's/^process \([0-9]*\) .*/\1/' "$2.journal/sweep.lock")
}

# shellcheck disable=SC2086
code "an uninterrupted run" 0 alone sweep -s "$tmp/whole.h5" $list
cases "$tmp/whole.h5" >"$tmp/cases"
# shellcheck disable=SC2086
code "one that the slow ones are compared with" 0 alone sweep -s "$tmp/all.h5" $slow
cases "$tmp/all.h5" >"$tmp/all"

for how in fail lie; do
    store=$tmp/$how.h5
    # shellcheck disable=SC2086
    code "flock '$how': a sweep" 0 on - "$ROWCAST" sweep -s "$store" $list
    is "... has all cases once, and leaves no journal" "$(cases "$store")$(twice "$store")$(ls "$store".* 2>/dev/null)" "$(cat "$tmp/cases")"

    store=$tmp/$how-two.h5
    begin - "$store"
    # shellcheck disable=SC2086
    code "flock '$how': a second sweep is refused" 3 on - "$ROWCAST" sweep -s "$store" $slow
    ok "... in a line that names the first" grep -q "another sweep has this store: .*held by process $slow_id on" "$tmp/err"
    # shellcheck disable=SC2086
    code "... and so is one on another node, which sees it live" 3 on other "$ROWCAST" sweep -s "$store" $slow
    code "a fold on another node takes what is there" 0 on other "$ROWCAST" fold -q "$store"
    ok "... and leaves the journal that is written" test -n "$(ls "$store.journal/"*.rcj)"
    kill -9 "$slow_id"
    wait "$slow_job" 2>/dev/null
    if [ "$how" = fail ]; then
        # shellcheck disable=SC2086
        code "the first is killed: the next one goes on at once" 0 on - "$ROWCAST" sweep -s "$store" $slow
    else
        # shellcheck disable=SC2086
        code "the first is killed: the next one, on another node, goes on after a while" 0 \
            on other "$ROWCAST" sweep -s "$store" $slow --take-over 2
    fi
    is "... and completes it" "$(cases "$store")$(twice "$store")$(ls -d "$store".* 2>/dev/null)" "$(cat "$tmp/all")"
done

# many find the same dead owner at once, on nodes that do not see each other
store=$tmp/many.h5
begin dead "$store"
kill -9 "$slow_id"
wait "$slow_job" 2>/dev/null
for taker in $takers; do
    # shellcheck disable=SC2086
    on "node$taker" "$ROWCAST" sweep -s "$store" $slow --take-over 3 >"$tmp/taker$taker" 2>&1 &
    eval "taker$taker=$!"
done
taken=0
for taker in $takers; do
    eval "wait \$taker$taker"
    taker_code=$?
    case $taker_code in
    0) taken=$((taken + 1)) ;;
    3) ;;
    *) fault "a taker ended with $taker_code: $(cat "$tmp/taker$taker")" ;;
    esac
done
is "of many that take over from a dead owner at least one does" "$([ "$taken" -gt 0 ] && echo yes)" yes
is "... and nothing is doubled or lost" "$(cases "$store")$(twice "$store")$(cat "$tmp/faults")" "$(cat "$tmp/all")"

# one stands still, is taken for gone, and wakes
store=$tmp/still.h5
how=lie
begin sleeper "$store"
kill -STOP "$slow_id"
# shellcheck disable=SC2086
code "one stands still: another takes over" 0 on other "$ROWCAST" sweep -s "$store" $slow --take-over 2
kill -CONT "$slow_id"
wait "$slow_job"
is "it wakes, and ends with an error" "$?" 3
is "... in one line" "$(grep -c -e '^rowcast ' "$tmp/slow.err")" 1
ok "the store verifies" alone verify -q "$store"
is "... and nothing is doubled or lost" "$(cases "$store")$(twice "$store")" "$(cat "$tmp/all")"

# what other nodes write is seen late
launched=$tmp/node
for delay in $delays; do
    LOCK_DELAY=$delay
    export LOCK_DELAY
    rm -rf "$tmp"/cache.*
    store=$tmp/late$delay.h5
    # shellcheck disable=SC2086
    code "$delay s late: a sweep on two nodes" 0 launch 2 sweep -s "$store" $list
    is "... has all cases once" "$(cases "$store")$(twice "$store")$(ls -d "$store".* 2>/dev/null)" "$(cat "$tmp/cases")"
    # shellcheck disable=SC2086
    code "$delay s late: more of it, on two nodes" 0 launch 2 sweep -s "$store" $list -k 2,4
    is "... has no row twice" "$(twice "$store")$(ls -d "$store".* 2>/dev/null)" ""
    store=$tmp/lateslow$delay.h5
    # shellcheck disable=SC2086
    launch 2 sweep -s "$store" $slow $long >"$tmp/late.out" 2>"$tmp/late.err" &
    late_job=$!
    for round in 1 2 3 4; do
        sleep 0.5
        # what is not there yet is said to be missing, nothing is damaged
        on late "$ROWCAST" status "$store" >"$tmp/out" 2>&1 || grep -q 'no such store' "$tmp/out" || fault "status: $(cat "$tmp/out")"
        on late "$ROWCAST" fold --take-over 30 "$store" >"$tmp/out" 2>&1 || grep -q 'no such store' "$tmp/out" || fault "fold: $(cat "$tmp/out")"
        ! grep -q -e damage -e 'expected' "$tmp/out" || fault "round $round: $(cat "$tmp/out")"
    done
    wait "$late_job"
    is "$delay s late: another node looks and folds meanwhile" "$?$(cat "$tmp/faults")" 0
    is "... and all is there, once" "$(cases "$store")$(twice "$store")" "$(cat "$tmp/all")"
    ok "the store verifies" alone verify -q "$store"
done
counted 2 "kinds of locks that do not lock"
counted "$(echo "$delays" | wc -w)" "delays of visibility"
