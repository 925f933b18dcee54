#!/bin/sh
# rowcast tune csrk --fit: what cannot be fitted, from stores of a CPU, whose csr3 has pairs too; the SRS of a CPU.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 25

mkdir -p "$tmp/col/study" "$tmp/col/fit"
"$ROWCAST" generate mesh2d:n=12 -o "$tmp/col/study/a.mtx" >/dev/null || exit 99
"$ROWCAST" generate mesh3d:n=6 -o "$tmp/col/fit/b.mtx" >/dev/null || exit 99
store=$tmp/s.h5
# sweep KERNELS OPTION...
sweep()
{
    kernels=$1
    shift
    "$ROWCAST" sweep -q -s "$store" -C "$tmp/col" --device cpu -t 1 --share-device --op spmv --orders csr \
        --case-time 0.001 --kernels "$kernels" "$@" >/dev/null 2>&1
}

ok "a store without pairs" sweep csr2
code "is no store to fit on" 2 "$ROWCAST" tune csrk --fit "$store"
ok "and that is said" grep -q "there is no time of a pair: expected csr3:srs=S:ssrs=T" "$tmp/err"
ok "a store with a pair" sweep csr3:srs=4:ssrs=4
code "with one pair of 64" 2 "$ROWCAST" tune csrk --fit "$store"
ok "the matrix and the kernel are said" grep -q "not all 64 pairs were measured with csr3" "$tmp/err"
code "a training matrix of the test set" 2 "$ROWCAST" tune csrk --fit "$store" --test 'group == study'
ok "is named" grep -q "study/a is in the test set and cannot be fitted on" "$tmp/err"
code "a group that is not there" 2 "$ROWCAST" tune csrk --fit "$store" -w 'group == nowhere'
ok "two precisions are no one setting" sweep csr3:srs=4:ssrs=4 --precision fp64
code "so that they are refused" 2 "$ROWCAST" tune csrk --fit "$store"
code "an option of --fit alone" 2 "$ROWCAST" tune csrk --rdensity 2 -d volta --report
code "and another" 2 "$ROWCAST" tune csrk --rdensity 2 -d volta --round
code "two ways to change sizes" 2 "$ROWCAST" tune csrk --fit none.h5 --round --fill 132
code "both" 2 "$ROWCAST" tune csrk --rdensity 2 --fit "$store"

# SRS of csr2: what is printed is what the rows of the store say
sizes=plain-spmv-static
for srs in 8 12 16 24 32 48 64 96 128 192 256 384 512 768 1024 1536 2048 3072; do sizes=$sizes,csr2:srs=$srs; done
store=$tmp/cpu.h5
ok "one size" sweep csr2:srs=8
code "of 18" 2 "$ROWCAST" tune csrk --fit "$store"
ok "is said to be too few" grep -q "no matrix has csr2 with all 18 sizes" "$tmp/err"
ok "all of them" sweep "$sizes"
code "make no file" 2 "$ROWCAST" tune csrk --fit "$store" -o "$tmp/no.json"
code "are searched" 0 "$ROWCAST" tune csrk --fit "$store" -f csv --report
cp "$tmp/out" "$tmp/report"
"$ROWCAST" query "$store" -f csv -w 'kernel ~ "csr2*"' --columns fullname,kernel,median_ns |
    awk -F, 'NR > 1 { sub(/\r$/, ""); split($2, k, "="); if (!($1 in best) || $3 < least[$1]) { least[$1] = $3; best[$1] = k[2] + 0 } }
        END { for (m in best) print m, best[m] }' | sort >"$tmp/best"
is "the best size of each matrix" "$(awk -F, 'NR > 1 { print $1, $4 }' "$tmp/report" | sort)" "$(cat "$tmp/best")"
code "and judged" 0 "$ROWCAST" tune csrk --fit "$store" -f csv --test 'group == nowhere'
is "tuned loses nothing" "$(awk -F, '$1 == "tuned" { print $6 }' "$tmp/out")" 1
is "the paper's constant" "$(awk -F, '$1 == "paper" { print $2, $5 }' "$tmp/out")" "96 2"
