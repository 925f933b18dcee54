#!/bin/sh
# rowcast query --summary suite, suite-rate and scaling, against what single rows say.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 29

mkdir -p "$tmp/col/G"
"$ROWCAST" generate mesh2d:n=20 -o "$tmp/col/G/mesh.mtx" >/dev/null || exit 99
"$ROWCAST" generate mesh3d:n=7 -o "$tmp/col/G/cube.mtx" >/dev/null || exit 99
"$ROWCAST" generate arrow:n=300 -o "$tmp/col/G/arrow.mtx" >/dev/null || exit 99
store=$tmp/s.h5
# sweep THREADS
sweep()
{
    "$ROWCAST" sweep -q -s "$store" -C "$tmp/col" --device cpu -t "$1" --share-device --op spmv --orders csr,rcm,bandk \
        --case-time 0.001 --kernels csr2,plain-spmv-static >/dev/null 2>&1
}

ok "one thread" sweep 1
ok "two" sweep 2
"$ROWCAST" query "$store" --summary suite -f csv >"$tmp/suite" || exit 99
is "regular matrices first, then by rdensity" "$(column matrix <"$tmp/suite" | paste -s -d' ')" "G/mesh G/cube G/arrow"
is "their classes" "$(column class <"$tmp/suite" | paste -s -d' ')" "regular regular irregular"
is "the longest rows" "$(column longest <"$tmp/suite" | paste -s -d' ')" "5 7 300"
is "all are generated, as their files say" "$(column set <"$tmp/suite" | sort -u)" generated

one='nw == 1 && kernel ~ "csr2*" && policy == rcm'
"$ROWCAST" query "$store" --summary suite-rate -f csv -w "$one" >"$tmp/rate" || exit 99
"$ROWCAST" query "$store" -f csv -w "$one && regular" --columns gflops | sed 1d | awk '{ s += $1; n++ } END { printf "%.2g\n", s / n }' >"$tmp/mean"
is "the mean of a class is that of its rows" "$(paste -d' ' "$tmp/rate" /dev/null | column class | head -n 1) $(
    awk -v x="$(column mean <"$tmp/rate" | head -n 1)" 'BEGIN { printf "%.2g\n", x }')" "regular $(cat "$tmp/mean")"
"$ROWCAST" query "$store" --summary suite-rate -f csv -w 'nw == 1 && kernel ~ "csr2*"' >"$tmp/rates" || exit 99
# rates COLUMN: what stands in it, in order
rates()
{
    column "$1" <"$tmp/rates" | awk 'NF { printf "%.4g\n", $1 }' | sort | paste -s -d' '
}
is "the paper's CPUs stand beside what it published" \
    "$(awk -F, '/,yes,/ { print $7 }' "$tmp/rates" | sort -u | sed 's/:.*//') $(rates paper_ice_lake) $(rates paper_rome)" "csr2 32.2 44.1 36.5 73.1"
is "but not its GPUs" "$(rates paper_volta)$(rates paper_ampere)" ""
is "matrices of the classes" "$(column matrices <"$tmp/rate" | paste -s -d' ')" "2 1"
is "a line a matrix" "$("$ROWCAST" query "$store" --summary suite-rate -M -f csv -w "$one" | column matrix | sort | paste -s -d' ')" \
    "G/arrow G/cube G/mesh"
"$ROWCAST" query "$store" --summary scaling -f csv >"$tmp/scaling" || exit 99
is "the loop over itself" "$(awk -F, '$5 ~ /^plain-spmv-static/ && $7 == 1 { print $9 }' "$tmp/scaling" | sort -u)" 1
is "threads of a kernel and order" "$(awk -F, '$5 ~ /^csr2/ && /rcm/ { print $7 }' "$tmp/scaling" | paste -s -d' ')" "1 2"
is "scaling: generated ones are marked, too" "$(column set <"$tmp/scaling" | sort -u)" generated
lead=$("$ROWCAST" query "$store" -S suite-rate -M -f csv -w 'nw == 1 && c_order == original && fullname == "G/cube"')
is "the lead of one of two kernels is that over the other" \
    "$(echo "$lead" | column lead | awk 'NF { p = p ? p * $1 : $1 } END { printf "%.6f", p }')" 1.000000
is "of one kind of device" "$("$ROWCAST" query "$store" -S scaling --device cpu -f csv)" "$(cat "$tmp/scaling")"
is "of another" "$("$ROWCAST" query "$store" -S scaling --device cuda -f csv 2>/dev/null | sed 1d)" ""
# vectors are permuted for a symmetric order alone; pointers: of 400 rows cut to 96, 5 + 1 of 4 bytes
is "pointers" "$("$ROWCAST" query "$store" -f csv -w "fullname == 'G/mesh' && nw == 1 && policy == csr && kernel ~ 'csr2*' && c_order == original" \
    --columns pointer_bytes,permute_ns | sed 1d)" 24,0
ok "permuting" test "$("$ROWCAST" query "$store" -f csv -w "$one && fullname == 'G/mesh'" --columns permute_ns | sed 1d | head -n 1)" -gt 0

# beside a matrix of the paper, or a twin of it, stands what the paper says of it
export OMP_WAIT_POLICY=passive # more threads than CPUs
mkdir -p "$tmp/paper/AG-Monien"
"$ROWCAST" generate mesh2d:n=9 -o "$tmp/paper/AG-Monien/debr.mtx" >/dev/null || exit 99
ok "a matrix of the paper on 16 threads" "$ROWCAST" sweep -q -s "$tmp/p.h5" -C "$tmp/paper" --device cpu -t 16 --share-device --op spmv \
    --orders csr,bandk --case-time 0.001 --kernels csr2,csr3,plain-spmv-static
is "its line of Table 1" "$("$ROWCAST" query "$tmp/p.h5" -S suite -f csv |
    awk -F, 'NR > 1 { printf "%s %.4g %.4g %.4g %.4g %.4g\n", $10, $11, $12, $13, $14, $15 }')" "r8 1 1.05 4.19 4 4"
is "which others do not have" "$(column paper <"$tmp/suite" | paste -s -d' ')$(column paper_rdensity <"$tmp/suite" | tr -d '\n')" "  "
"$ROWCAST" query "$tmp/p.h5" -S scaling -f csv >"$tmp/paper_scaling" || exit 99
is "what 16 cores gain there" "$(column paper <"$tmp/paper_scaling" | sort -u | paste -s -d'|')" "|8 to 12"
is "and fewer do not" "$(column paper <"$tmp/scaling" | sort -u)" ""
is "what CSR-2 gains on GPUs is not said of a CPU" "$("$ROWCAST" query "$tmp/p.h5" -S suite-rate -M -f csv |
    column paper_lead_volta | sort -u)" ""

# the figure of it, of the setting that has most of what the paper compares, not of the first one
# few THREADS POLICIES KERNELS
few() { "$ROWCAST" sweep -q -s "$tmp/f.h5" -C "$tmp/paper" --device cpu -t "$1" --share-device --op spmv -p "$2" -x "$3" --case-time 0.001; }
ok "a setting of one series" few 1 csr,rcm csr2
ok "one of two" few 2 csr,bandk csr2
ROWCAST_ASSETS=$(cd "$top_srcdir/analysis" && pwd)
GNUPLOT=$tmp/none
export ROWCAST_ASSETS GNUPLOT
"$ROWCAST" report -q "$tmp/f.h5" --op spmv -o "$tmp/report" >/dev/null 2>"$tmp/err" || sed 's/^/# /' "$tmp/err"
is "is drawn with its two" "$(sed 1d "$tmp/report/figures/suite.csv" | awk -F, '{ for (i = 6; i <= NF; i++) n += $i != "" } END { print n + 0 }')" 2
code "a summary that is none" 2 "$ROWCAST" query "$store" --summary suites
