#!/bin/sh
# Sweeps on 1, 2, 3 and 5 ranks: the same cases, incremental reruns, failures, bad options.
# shellcheck source=tests/mpi/mpi.sh
. "${top_srcdir:?}/tests/mpi/mpi.sh"
plan 92

matrix a uniform:n=100
matrix b uniform:n=150
matrix c uniform:n=200
list="-k 2,5,n -p csr,lpt,cta --precision fp32,fp64 --kernels rowsplit,null"
total=$((3 * 3 * 3 * 2 * 2))

# --------------------------------------------------- the same on any number of ranks
for ranks in 1 2 3 5; do
    store=$tmp/r$ranks.h5
    # shellcheck disable=SC2086
    code "a sweep on $ranks ranks" 0 sweep "$ranks" "$store" $list
    is "$ranks ranks measure every case" "$(count matrices); $(count cases)" \
        "3 0 0 0 0; $total 0 0 0 0"
    is "$ranks ranks give the cases of one rank" "$(cases "$store")" "$(cases "$tmp/r1.h5")"
    is "nothing is there twice on $ranks" "$(twice "$store")" ""
    ok "no journal is left on $ranks" test ! -e "$store.journal"
    before=$(rows "$store" -a)
    # shellcheck disable=SC2086
    code "a second run on $ranks ranks" 0 sweep "$ranks" "$store" $list
    ok "says that there is nothing to do" grep -q "nothing to do: all $total cases of 3 matrices" \
        "$tmp/err"
    is "and adds no row" "$(rows "$store" -a)" "$before"
done
is "without a launcher too" "$(
    # shellcheck disable=SC2086
    alone sweep -C "$tmp/col" -s "$tmp/r2.h5" $quick $list 2>&1 | grep -c 'nothing to do'
)" 1

# ------------------------------------------------------------- exactly the new cases
store=$tmp/inc.h5
sweep 2 "$store" -k 2 -p csr,lpt --kernels null >/dev/null 2>&1
is "two policies on three matrices" "$(rows "$store" -a)" 6

dry() # dry ARGUMENT...: what a dry run says is pending, done
{
    sweep 2 "$store" --dry-run "$@" 2>&1 >/dev/null | sed -n 's/.*left: \([0-9]*\) cases pending, \([0-9]*\) done.*/\1 \2/p'
}
sum=$(cksum <"$store")
is "a dry run tells what a policy adds" "$(dry -k 2 -p csr,lpt,cta --kernels null)" "3 6"
is "a dry run tells what two K add" "$(dry -k 2,7,n -p csr,lpt --kernels null)" "12 6"
is "a dry run touches nothing" "$(cksum <"$store")$(ls -d "$store"*)" "$sum$store"
code "another policy" 0 sweep 2 "$store" -k 2 -p csr,lpt,cta --kernels null
is "adds its cases only" "$(count cases); $(rows "$store" -a)" "3 0 0 0 0; 9"
code "another K" 0 sweep 3 "$store" -k 2,7 -p csr,lpt,cta --kernels null
is "adds its cases only" "$(count cases); $(rows "$store" -a)" "9 0 0 0 0; 18"
fair=${quick#--once } # baselines are timed again beside what is added
cp "$store" "$tmp/fair.h5"
cp "$tmp/col/G/a.mtx" "$tmp/col/G/same.mtx"
# shellcheck disable=SC2086
code "another policy, its baselines again" 0 launch 3 sweep -C "$tmp/col" -s "$tmp/fair.h5" $fair -k 2 -p csr,warp --kernels null
is "times each of them once, on any rank" "$(count cases); $(rows "$tmp/fair.h5" -a)" "6 0 0 0 0; 24"
is "what is added has csr of its run" "$(rows "$tmp/fair.h5" -a -w 'policy == warp && paired')" 3
# shellcheck disable=SC2086
code "the same again" 0 launch 3 sweep -C "$tmp/col" -s "$tmp/fair.h5" $fair -k 2 -p csr,warp --kernels null
is "adds nothing" "$(rows "$tmp/fair.h5" -a)" 24
rm "$tmp/col/G/same.mtx"
matrix d uniform:n=120
is "a dry run tells what a matrix adds" "$(dry -k 2,7 -p csr,lpt,cta --kernels null)" "6 18"
code "another matrix" 0 sweep 2 "$store" -k 2,7 -p csr,lpt,cta --kernels null
is "adds its cases only" "$(count matrices); $(count cases); $(rows "$store" -a)" \
    "1 0 0 0 0; 6 0 0 0 0; 24"
code "a K that n repeats" 0 sweep 2 "$store" -k 120,n -p csr --kernels null -w 'name == d'
is "is measured once" "$(count cases)" "1 0 0 0 0"
code "a redo" 0 sweep 2 "$store" -k 2,7 -p csr,lpt,cta --kernels null --redo 'policy == lpt'
is "measures what matches" "$(count cases)" "8 0 0 0 0"
is "and adds that many newer rows" "$(rows "$store" -a) $(rows "$store")" "33 25"
is "the newest rows are the redone ones" \
    "$(alone query "$store" -f csv --columns run -w 'policy == lpt' | tail -n +2 | sort -u | wc -l)" 1
cp "$tmp/col/G/a.mtx" "$tmp/col/G/same.mtx"
code "a second copy of a matrix" 0 sweep 2 "$store" -k 2,7 -p csr,lpt,cta --kernels null
is "is loaded, and not measured again" "$(count matrices); $(count cases)" "1 0 0 0 0; 0 0 0 0 0"
rm "$tmp/col/G/same.mtx"

# ------------------------------------------------------------------------ failures
bad=$tmp/bad.h5
echo 'this is no matrix' >"$tmp/col/G/x1.mtx"
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n7 1 1\n' >"$tmp/col/G/x2.mtx"
: >"$tmp/col/G/x3.mtx"
printf 'Group,Name\n' >"$tmp/none.csv"
code "matrices that cannot be read" 1 sweep 2 "$bad" -k 2 -p csr --kernels rowsplit
is "are failed, the others are ok" "$(count matrices); $(count cases)" "4 0 0 3 0; 4 0 0 0 0"
ok "the text has file, line and what was expected" sh -c \
    "'$ROWCAST' query '$bad' -M -f csv --columns message -w 'fullname == G/x2' | grep -q 'x2.mtx.*4.*expected'"
code "a rerun does not try them again, and exits so too" 1 sweep 2 "$bad" -k 2 -p csr --kernels rowsplit
ok "and has nothing to do" grep -q 'nothing to do' "$tmp/err"
matrix x1 uniform:n=50
code "one that is mended" 1 sweep 2 "$bad" -k 2 -p csr --kernels rowsplit
is "is loaded and measured" "$(count matrices); $(count cases)" "1 0 0 0 0; 1 0 0 0 0"
code "a redo of what failed" 1 sweep 2 "$bad" -k 2 -p csr --kernels rowsplit \
    --redo 'status == failed'
is "loads that again and nothing else" "$(count matrices); $(count cases)" "0 0 0 2 0; 0 0 0 0 0"
rm "$tmp/col/G"/x*

code "a wrong kernel" 1 sweep 2 "$bad" -k 2 -p csr --kernels fault:mode=1,rowsplit
is "is wrong, the others are done" "$(count cases)" "0 4 0 0 0"
code "a kernel without memory" 1 sweep 2 "$bad" -k 2 -p csr --kernels fault:mode=5:rows=100
is "is skipped on its matrix only" "$(count cases)" "3 0 1 0 0"
is "in its phase, with its text" "$(alone query "$bad" -f csv --columns phase,message -w 'status == skipped' | tail -n +2)" \
    "prepare,memory: no memory (requested by fault:mode=5)"
code "a device that fails" 1 sweep 2 "$bad" -k 2 -p csr --kernels fault:mode=4:rows=100
is "has failed on its matrix only" "$(count cases)" "3 0 0 1 0"
code "too little memory for the matrices" 1 sweep 2 "$tmp/small.h5" -k 2 -p csr --kernels null --memory 10
is "skips them" "$(count matrices)" "0 0 4 0 0"
ok "and says how much is missing" sh -c \
    "'$ROWCAST' query '$tmp/small.h5' -M -f csv --columns message | grep -q 'memory: loading takes about [0-9]* bytes, the limit is 10'"
code "too little memory for B and C" 0 sweep 2 "$tmp/tiled.h5" -k 100000 -p csr --kernels rowsplit --device-memory 1M
is "tiles K" "$(alone query "$tmp/tiled.h5" -w 'status == ok && k_tile >= 32 && k_tile < k' -f csv --columns case | tail -n +2 | wc -l)" 4
code "too little memory for a tile" 1 sweep 2 "$tmp/small2.h5" -k 100000 -p csr --kernels null --device-memory 5K
is "skips the cases" "$(count matrices); $(count cases)" "4 0 0 0 0; 0 0 4 0 0"
ok "every field of a row can be asked for" sh -c "'$ROWCAST' query -F -f csv | tail -n +2 | cut -d, -f1 |
    paste -sd, | xargs -I@ '$ROWCAST' query '$tmp/tiled.h5' --columns @"

# -------------------------------------------------------------------- empty, wrong
code "an empty selection" 0 sweep 2 "$tmp/empty.h5" -w 'rows > 1000000'
ok "says so" grep -q 'nothing to do' "$tmp/err"
code "C in an order that no kernel can store" 0 sweep 2 "$tmp/empty.h5" -k 2 --kernels fault --c-order schedule
ok "does not claim to be done" grep -q 'nothing to do: no case can be made' "$tmp/err"

said() # lines of ours on stderr
{
    grep -cv -e '^---' -e '^$' -e '[Pp]rimary job' -e 'non-zero' -e 'mpirun detected' \
        -e 'CPUs, as asked' -e 'the job to be' -e 'Process name' -e 'Exit code' -e 'try .rowcast' "$tmp/err"
}
while read -r words; do
    # shellcheck disable=SC2086
    code "a usage error: $words" 2 sweep 3 "$tmp/empty.h5" $words
    is "is told once" "$(said)" 1
    [ "$(said)" -eq 1 ] || sed 's/^/# /' "$tmp/err"
done <<END
-p nosuch
-k 0
--bogus
--redo nosuch==1
END
cat >"$tmp/own" <<'END'
#!/bin/sh
[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" = "$LOUD" ] && export ROWCAST_NOISY_ABOVE=-1
exec "$ROWCAST" "$@"
END
chmod +x "$tmp/own"
launched=$tmp/own
LOUD=1
export LOUD
code "the environment of another rank says nothing" 0 sweep 2 "$tmp/empty.h5" --dry-run -k 2 --kernels null
LOUD=0
code "that of the first is checked" 2 sweep 2 "$tmp/empty.h5" --dry-run -k 2 --kernels null
is "and told once" "$(said)" 1
unset launched
code "more ranks than processors" 3 launch $((2 * $(nproc) + 1)) sweep -C "$tmp/col" -s "$tmp/empty.h5" -q
is "are refused once" "$(said)" 1
