#!/bin/sh
# rowcast merge: stores that were measured apart, in one.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 50

mkdir -p "$tmp/col/G"
for n in 60 70 80; do
    "$ROWCAST" generate "uniform:n=$n,mean=4,seed=$n" -o "$tmp/col/G/m$n.mtx" >/dev/null
done

# sweep STORE OPTION...
sweep()
{
    sweep_store=$1
    shift
    $how "$ROWCAST" sweep --device cpu --threads 1 --share-device --timing shared --case-time 0.0005 --max-reps 7 -q \
        --store "$sweep_store" --collection "$tmp/col" --kernels cstat:strip=1 "$@"
}

# rows STORE...: the rows of some stores, each once
rows()
{
    for store in "$@"; do
        "$ROWCAST" query "$store" -a -f csv --columns all | sed 1d
    done | sort -u
}

# bare STORE...: as rows, without what depends on the other rows of a store
bare()
{
    for store in "$@"; do
        "$ROWCAST" query "$store" -a -f csv --columns case,name,kernel,policy,k,status,median_ns,min_ns,reps,run,rank,seq,utc_ns | sed 1d
    done | sort -u
}

how=
a=$tmp/a.h5 b=$tmp/b.h5 c=$tmp/c.h5
{
    sweep "$a" --k 8 --orders csr,lpt && sweep "$b" --k 8,16 --orders csr,warp \
        && sweep "$c" --k 16 --orders csr,lpt,warp && sweep "$a" --k 8 --orders csr --redo 'policy == csr'
} >"$tmp/sweep" 2>&1 || { cat "$tmp/sweep"; exit 99; }
before=$(cksum "$a" "$b" "$c")

code "three stores are merged" 0 "$ROWCAST" merge "$tmp/abc.h5" "$a" "$b" "$c"
all=$(bare "$a" "$b" "$c" | wc -l | tr -d ' ')
is "and counted" "$(cat "$tmp/out")" \
    "$tmp/abc.h5: $all result rows, $all of them new; 3 stores read, 0 rows were in several"
is "they have the rows of all" "$(bare "$tmp/abc.h5")" "$(bare "$a" "$b" "$c")"
is "inputs are not touched" "$(cksum "$a" "$b" "$c")" "$before"
is "nothing else is left" "$(find "$tmp" -name '*tmp' -o -name '*.journal')" ""
code "the result is sound" 0 "$ROWCAST" verify --deep "$tmp/abc.h5"
for order in 'a c b' 'b a c' 'b c a' 'c a b' 'c b a'; do
    # shellcheck disable=SC2086  # three words
    set -- $order
    rm -f "$tmp/out.h5"
    code "in the order $order" 0 "$ROWCAST" merge -q "$tmp/out.h5" "$tmp/$1.h5" "$tmp/$2.h5" "$tmp/$3.h5"
    ok "the file is the same" cmp "$tmp/out.h5" "$tmp/abc.h5"
done
code "in two steps" 0 "$ROWCAST" merge "$tmp/ab.h5" "$a" "$b"
code "into what is there" 0 "$ROWCAST" merge "$tmp/ab.h5" "$c"
ok "the file is the same" cmp "$tmp/ab.h5" "$tmp/abc.h5"
code "again" 0 "$ROWCAST" merge "$tmp/abc.h5" "$b" "$tmp/ab.h5" "$b"
is "adds nothing" "$(sed 's/.*rows, //; s/;.*//' "$tmp/out")" "0 of them new"
ok "the file is the same" cmp "$tmp/ab.h5" "$tmp/abc.h5"

code "a sweep over all of it" 0 sweep "$tmp/abc.h5" --k 8,16 --orders csr,lpt,warp
is "finds everything done" "$(bare "$tmp/abc.h5" | wc -l | tr -d ' ')" "$all"
newest=$("$ROWCAST" query "$tmp/ab.h5" -f csv --columns utc_ns -w 'policy == csr && k == 8 && name == m60' | sed 1d)
is "the latest row of a case counts" "$newest" \
    "$("$ROWCAST" query "$tmp/ab.h5" -a -f csv --columns utc_ns -w 'policy == csr && k == 8 && name == m60' | sed 1d | sort -n | tail -n 1)"

published=$top_srcdir/data/results/h200.h5
if [ -f "$published" ]; then
    code "the published store" 0 "$ROWCAST" merge -q "$tmp/h200.h5" "$published"
    ok "has the same rows" test "$(rows "$tmp/h200.h5" | cksum)" = "$(rows "$published" | cksum)"
    rm "$tmp/h200.h5"
else
    skip "the published store" "no data/results/h200.h5"
    skip "has the same rows" "no data/results/h200.h5"
fi

code "no input" 2 "$ROWCAST" merge "$tmp/x.h5"
code "an input that is not there" 3 "$ROWCAST" merge "$tmp/x.h5" "$a" "$tmp/none.h5"
ok "is named" grep -q 'none.h5: cannot open the store' "$tmp/err"
echo text >"$tmp/text"
code "an input that is no store" 3 "$ROWCAST" merge "$tmp/x.h5" "$a" "$tmp/text"
code "an output that is no store" 3 "$ROWCAST" merge "$tmp/text" "$a"
is "stays what it was" "$(cat "$tmp/text")" text
is "no failure leaves anything" "$(find "$tmp" -name '*tmp' -o -name '*.journal' -o -name x.h5)" ""

if command -v flock >/dev/null; then
    mkdir "$tmp/ab.h5.journal"
    before=$(cksum <"$tmp/ab.h5")
    code "an output that a sweep has" 3 flock "$tmp/ab.h5.journal/sweep.lock" "$ROWCAST" merge "$tmp/ab.h5" "$a"
    ok "is refused in one line" test "$(grep -c 'a sweep has the store' "$tmp/err") $(wc -l <"$tmp/err")" = "1 1"
    is "and stays what it was" "$(cksum <"$tmp/ab.h5")" "$before"
    rm -r "$tmp/ab.h5.journal"
else
    for i in 1 2 3; do skip "an output that a sweep has ($i)" "no flock"; done
fi

# a sweep that is killed with finished cases in its journal; exec, so that $! is the sweep and not a shell
how="exec"
sweep "$c" --k 3,5,7,9,11,13 --orders csr,lpt,cta,warp --kernels fault:mode=0:delay_us=2000 --max-reps 1000 --case-time 0.1 \
    --target 0 >/dev/null 2>&1 &
job=$!
how=
begun "$c"
kill -9 "$job"
wait "$job" 2>/dev/null
code "a store with journals to fold" 3 "$ROWCAST" merge "$tmp/x.h5" "$a" "$c"
ok "is refused, with what to do" grep -q "c.h5: 1 journals beside it .*'rowcast fold .*c.h5' first" "$tmp/err"
code "or merged without them" 0 "$ROWCAST" merge -q --skip-journals "$tmp/x.h5" "$a" "$b" "$c"
ok "which is the store of before" cmp "$tmp/x.h5" "$tmp/ab.h5"
code "the journals are folded" 0 "$ROWCAST" fold "$c"
code "then they come too" 0 "$ROWCAST" merge -q "$tmp/x.h5" "$c"
is "with all rows" "$(bare "$tmp/x.h5")" "$(bare "$a" "$b" "$c")"

# slices of an array: one without a matrix has a store, so one without a store is missing
mkdir "$tmp/slices"
for i in 1 2 3 4; do
    code "slice $i of 4 of three matrices" 0 sweep "$tmp/slices/slice-$i-of-4.h5" -k 2 -p csr --slice "$i/4"
done
code "they are merged" 0 bash "$top_srcdir/jobs/merge-slices.sh" "$tmp/sliced.h5" "$tmp/slices" 4
rm "$tmp/slices/slice-4-of-4.h5"
code "a slice that lost its store fails the merge" 1 bash "$top_srcdir/jobs/merge-slices.sh" "$tmp/sliced.h5" "$tmp/slices" 4
