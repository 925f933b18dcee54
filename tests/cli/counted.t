#!/bin/sh
# Which results count: every table of query --summary against a second reader of the file, on the published store and
# on stores with several operations, orders of C, versions, failures and policies with parameters.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
python=/usr/bin/python3 # of the distribution: the one that has h5py
$python -c 'import h5py, numpy' 2>/dev/null || skip_all "no python3 with h5py"
plan 20

# tables STORE: its summaries, in $tmp/csv
tables()
{
    rm -rf "$tmp/csv"
    mkdir "$tmp/csv"
    for name in best rate errors speedup share portfolio; do
        "$ROWCAST" query "$1" --summary $name -f csv >"$tmp/csv/$name.csv" || return 1
    done
    "$ROWCAST" query "$1" --summary versus -A 'gsub*,syn-b*@any' -B '!gsub*,!syn-b*@any' -f csv \
        >"$tmp/csv/versus.csv" 2>/dev/null
}

# agrees WHAT STORE: all lines of all tables, which are more than a few
agrees()
{
    ok "$1: the tables are made" tables "$2"
    ok "$1: they are what the file says" sh -c "$python '$top_srcdir/tests/cli/counted_check.py' '$2' '$tmp/csv' \
        >'$tmp/said' 2>'$tmp/flaw' || { tail -n 2 '$tmp/flaw'; exit 1; }"
    ok "$1: there are many" test "$(sed 's/agreed \([0-9]*\).*/\1/' "$tmp/said")" -gt 50
}

published=$top_srcdir/data/results/h200.h5
agrees "published" "$published"
is "a matrix that was not measured with C in schedule order is in no table of it" "$(
    "$ROWCAST" query "$published" -S best -w 'k == 128 && precision == fp32' -f csv \
        | awk -F, '$4 == "schedule" && $8 > n { n = $8 } END { print n }')" 488

many=$tmp/many.h5
"${top_builddir:?}/tests/cli/synthetic_store" --matrices 40 --k 8,n --fp64 --shorts --op spmm,spmv,spmm_t,sddmm --schedule --params --gaps --stale "$many" || exit 99
agrees "operations" "$many"
is "operations: all four" "$(cut -d' ' -f6 "$tmp/said")" 4
one=$tmp/one.h5
"${top_builddir:?}/tests/cli/synthetic_store" --matrices 25 --k 8,32 --schedule --devices 2 --bursts 0.2 "$one" || exit 99
agrees "devices" "$one"

is "K of spmv is missing" "$("$ROWCAST" query "$many" -w 'op == spmv' --columns k -f csv | sort -u)" "
k"
is "and is null in JSON" "$("$ROWCAST" query "$many" -w 'op == spmv' --columns k -f json | grep -c '"k": null')" \
    "$("$ROWCAST" query "$many" -w 'op == spmv' --columns case -f csv | tail -n +2 | wc -l)"
is "no condition on K holds for it" "$("$ROWCAST" query "$many" -w 'op == spmv && (k > 0 || k == 0 || k == cols)' -f csv | wc -l)" 1
is "spmm alone goes unsaid" "$("$ROWCAST" query "$one" -S best | head -n 1 | grep -c '^op')" 0
is "other operations are named" "$("$ROWCAST" query "$many" -S rate -f csv | tail -n +2 | cut -d, -f1 | sort -u | paste -s -d' ')" \
    "sddmm spmm spmm_t spmv"
is "parameters of a policy are shown" "$("$ROWCAST" query "$many" --columns policy -f csv | sort -u | grep -c '^warp:n=')" 2
is "a filter on them holds" "$("$ROWCAST" query "$many" -w 'policy == "warp:n=2"' --columns policy -f csv | sort -u | paste -s -d' ')" \
    "policy warp:n=2"
is "unknown bytes and fill are missing" "$("$ROWCAST" query "$many" --columns kernel,device_bytes,fill -f csv | sort -u | paste -s -d' ')" \
    "kernel,device_bytes,fill syn-a:strip=8,, syn-b:lanes=8,1000,1.5 syn-c:pre=1,2000,1.5"
ok "compare matches cases of one operation and parameter" sh -c "'$ROWCAST' compare -q '$many' '$many' -f csv >'$tmp/groups'"
