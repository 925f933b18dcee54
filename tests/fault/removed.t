#!/bin/sh
# The journals or the store of a sweep are removed, moved, replaced or cut off while it runs: it notices,
# measures no more, saves what it holds under a new name and does not end with 0.  A fold by another
# process replaces the store too, and is no alarm.
# ROWCAST_REMOVALS: how many at random moments; ROWCAST_SEED: of the random numbers.
# shellcheck source=tests/mpi/mpi.sh
. "${top_srcdir:?}/tests/mpi/mpi.sh"
removals=${ROWCAST_REMOVALS:-9}
echo "# $removals removals, seed $seed"
plan 14

for i in 1 2 3 4 5 6; do
    matrix "m$i" uniform:n=$((40 + 30 * i))
done
before="-C $tmp/col $quick -k 2 -p csr --kernels null"
list="-C $tmp/col $quick -k 2 -p csr,lpt,warp,cta,hybrid1 --kernels fault:mode=0:delay_us=300,null"
slow="-C $tmp/col $quick -k 2,3,5,7 -p csr,lpt --kernels fault:mode=0:delay_us=2000 $long" # 48 cases
dir=$tmp/run
store=$dir/s.h5

# one_journal: a journal of the run, $journal
one_journal()
{
    random 2
    journal=$(find "$store.journal" -name '*.rcj' 2>/dev/null | sort | sed -n "$((random + 1))p")
    [ -n "$journal" ]
}

# attack KIND: 1 when there is nothing to attack yet, or no more
attack()
{
    case $1 in
    folder) [ -d "$store.journal" ] && mv "$store.journal" "$dir/gone" ;;
    journal) one_journal && rm -f "$journal" ;;
    store) [ -e "$store" ] && rm -f "$store" ;;
    moved-folder) [ -d "$store.journal" ] && mv "$store.journal" "$dir/away.h5.journal" ;;
    moved-store) [ -e "$store" ] && mv "$store" "$dir/away.h5" ;;
    copied-journal) one_journal && cp "$journal" "$dir/new" && mv "$dir/new" "$journal" ;;
    older-store) [ -e "$store" ] && cp "$tmp/older.h5" "$dir/new" && mv "$dir/new" "$store" ;;
    cut-journal) one_journal && [ "$(wc -c <"$journal")" -gt 500 ] && truncate -c -s '<500' "$journal" ;; # it may be gone by now
    fold) [ -d "$store.journal" ] && alone fold -q "$store" ;;
    esac 2>/dev/null
}

# looks_again: the sweep looks at its files at least once more, as it gives its lock back before it looks for
# the last time.  What is removed after that is removed after the run.
looks_again()
{
    for folder in "$store.journal" "$dir/away.h5.journal" "$dir/gone"; do
        [ ! -e "$folder/sweep.lock" ] || return 0
    done
    return 1
}

# journals_are NUMBER: wait until the run has (1) or has no more (0) a journal; 1 when it ends before
journals_are()
{
    while running "$job"; do
        case $1$(echo "$store.journal"/*.rcj) in 1*"*.rcj" | 0*[!*].rcj) sleep 0.005 ;; *) return 0 ;; esac
    done
    return 1
}

# everywhere: cases that are ok in the store, in what was saved and in what was moved away
everywhere()
{
    for part in "$store" "$dir"/s.h5.rescued-* "$dir/away.h5"; do
        part=${part%.journal}
        [ -e "$part" ] || [ -d "$part.journal" ] || continue
        [ ! -d "$part.journal" ] || alone fold -q "$part" >"$tmp/fold.out" 2>&1 || fault "fold of $part: $(cat "$tmp/fold.out")"
        [ ! -e "$part" ] || alone query "$part" -f csv --columns case -w 'status == ok' | tail -n +2
    done | sort -u
}

# one KIND MILLISECONDS: attack a run that long after it has journals; $hit is 1 when it was one
one()
{
    rm -rf "$dir"
    mkdir "$dir"
    cp "$tmp/before.h5" "$store"
    # shellcheck disable=SC2086
    start 2 sweep -s "$store" $list
    hit=0
    if journals_are 1; then
        sleep "$(seconds "$2")"
        snapshot "$store"
        ! attack "$1" || ! looks_again || hit=1
        rm -rf "$dir/gone"
    fi
    finish
    # taken away before the sweep had it open: it says so, and holds nothing that it could save
    ! grep -q -e 's.h5: cannot open: No such file' -e 's.h5: no store yet, but journals' "$tmp/job.err" || hit=0
    [ "$hit" -eq 1 ] || return
    kinds="$kinds $1"
    [ "$job_code" -ne 124 ] || fault "stuck"
    gone || fault "a rank is still there"
    if [ "$job_code" -eq 0 ]; then
        cases "$store" >"$tmp/now" 2>/dev/null
        cmp -s "$tmp/now" "$tmp/cases" || fault "success without data: $(wc -l <"$tmp/now") of $(wc -l <"$tmp/cases") cases"
    elif [ "$1" = fold ]; then
        fault "an alarm over a fold: $(cat "$tmp/job.err")"
    else
        alarms=$((alarms + 1))
        [ "$job_code" -eq 3 ] || fault "exit code $job_code: $(cat "$tmp/job.err")"
        grep -q "^rowcast sweep: \|error sweep: " "$tmp/job.err" || fault "no line says what is wrong: $(cat "$tmp/job.err")"
    fi
    finished >"$tmp/had"
    everywhere >"$tmp/now"
    comm -23 "$tmp/had" "$tmp/now" >"$tmp/lost"
    case $1 in
    cut-journal | older-store) ;; # what was cut off is gone; the older store is what the user put there
    store) # or taken away after the sweep had counted its results and before it had it open
        grep -q 'found another store' "$tmp/job.err" && cmp -s "$tmp/lost" "$tmp/before" || [ ! -s "$tmp/lost" ] \
            || fault "lost: $(wc -l <"$tmp/lost") of $(wc -l <"$tmp/had"): $(cat "$tmp/job.err")"
        ;;
    *) [ ! -s "$tmp/lost" ] || fault "lost: $(wc -l <"$tmp/lost") of $(wc -l <"$tmp/had"): $(cat "$tmp/job.err")" ;;
    esac
    # shellcheck disable=SC2086
    alone sweep -s "$store" $list >"$tmp/out" 2>&1 || fault "again: exit code $?: $(cat "$tmp/out")"
    cases "$store" >"$tmp/now"
    cmp -s "$tmp/now" "$tmp/cases" || fault "the run after it has $(wc -l <"$tmp/now") cases"
}

# shellcheck disable=SC2086
code "a store" 0 alone sweep -s "$tmp/before.h5" $before
alone query "$tmp/before.h5" -f csv --columns case -w 'status == ok' | tail -n +2 | sort -u >"$tmp/before"
# shellcheck disable=SC2086
alone sweep -s "$tmp/older.h5" $before --limit 2 >/dev/null 2>&1
mkdir "$dir"
cp "$tmp/before.h5" "$store"
# shellcheck disable=SC2086
start 2 sweep -s "$store" $list
journals_are 1
began=$(date +%s%N)
journals_are 0
span=$((($(date +%s%N) - began) / 1000000))
finish
is "an uninterrupted run" "$job_code" 0
cases "$store" >"$tmp/cases"
echo "# a run has journals for $span ms, and $(wc -l <"$tmp/cases") cases"

# A long run is not measured to its end.
# early KIND: attack a long run when both ranks have results
early()
{
    rm -rf "$dir"
    mkdir "$dir"
    cp "$tmp/before.h5" "$store"
    # shellcheck disable=SC2086
    start 2 sweep -s "$store" $slow
    begun "$store" 2
    snapshot "$store"
    attack "$1"
    rm -rf "$dir/gone"
    finish
    gone
    finished >"$tmp/had"
    everywhere >"$tmp/now"
    comm -23 "$tmp/had" "$tmp/now" >"$tmp/lost"
}
: >"$tmp/ends"
for kind in folder journal store; do
    at="a long run, $kind"
    early "$kind"
    is "$at removed: exit code" "$job_code" 3
    ok "one line says what, and where the rest is" test "$(grep -c -e '^rowcast sweep: ' -e 'error sweep: ' "$tmp/job.err")" -eq 1 -a "$(grep -c 'rescued-' "$tmp/job.err")" -ge 1
    is "nothing is lost" "$(cat "$tmp/lost")" ""
    [ "$(wc -l <"$tmp/now")" -lt $((48 + $(wc -l <"$tmp/before"))) ] || echo "$at" >>"$tmp/ends"
done
is "and none of them is measured to its end" "$(cat "$tmp/ends")" ""

kinds=
alarms=0
n=0
hits=0
while [ "$hits" -lt "$removals" ] && [ "$n" -lt $((20 * removals)) ]; do
    n=$((n + 1))
    kind=$(echo folder journal store moved-folder moved-store copied-journal older-store cut-journal fold | cut -d ' ' -f $((hits % 9 + 1)))
    random $((span + span / 4)) # its end too
    at="removal $n, $kind after $random ms"
    one "$kind" "$random"
    hits=$((hits + hit))
done
is "no success without data, nothing lost, no false alarm" "$(cat "$tmp/faults")" ""
echo "$kinds" | tr ' ' '\n' | sed '/^$/d' | sort | uniq -c | sed 's/^ */# /'
echo "# $alarms of $hits ended with an error"
ok "they were at random moments of a run" test "$hits" -eq "$removals"
[ -s "$tmp/faults" ] || counted "$hits" "removals and replacements survived"
