#!/bin/sh
# rowcast compare: exit codes, which cases are named, and that list, groups and formats agree.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 82

python=/usr/bin/python3 # of the distribution: the one that has h5py
store() # store NAME OPTION...
{
    store_name=$1
    shift
    "${top_builddir:?}/tests/cli/synthetic_store" --matrices 30 "$@" "$tmp/$store_name.h5" || exit 99
}

compare()
{
    compare_a=$1
    compare_b=$2
    shift 2
    "$ROWCAST" compare "$tmp/$compare_a.h5" "$tmp/$compare_b.h5" "$@"
}

# counts COLUMN...: of a list in $tmp/out, how often each combination of these CSV columns is there
counts()
{
    sed 1d "$tmp/out" | cut -d, -f"$1" | sort | uniq -c | awk '{ printf "%s %s;", $1, $2 }'
}

store a --run 1
store again --run 2
store slow --run 3 --slow 1.1 --version 3
store gaps --run 1 --gaps
store noisy --run 1 --noisy
store two --run 1 --devices 2
"$ROWCAST" archive -q -w 'device ~ *device1' "$tmp/two.h5" "$tmp/other.h5"

code "a store and itself" 0 compare a a --list all -f csv
is "are all the same" "$(counts 1)" "1080 same;"
code "two runs of one program" 0 compare a again
is "say so" "$(sed 's/[0-9]* same, /N same, /; s/, [0-9]* unclear; 0 of/; 0 of/; s/; noise.*//' "$tmp/err")" \
    "rowcast compare: 1080 cases: N same, 0 slower, 0 faster; 0 of 36 groups slower, 0 faster, 0 unclear"
is "in a line per group" "$(sed 1,2d "$tmp/out" | wc -l)" 36

code "a slower kernel" 1 compare a slow
cp "$tmp/out" "$tmp/groups"
ok "is counted" grep -Eq '1080 cases: [0-9]* same, 3[0-9]* slower, 0 faster.*; 12 of 36 groups slower, 0 faster, 0 unclear' "$tmp/err"
is "its groups come first" "$(sed 1,2d "$tmp/groups" | head -n 12 | awk '{ print $1, $NF }' | sort -u)" \
    "syn-b:lanes=8 slower"
is "and are all" "$(grep -c 'slower$' "$tmp/groups")" 12
code "its cases are named" 1 compare a slow --list slower -f csv -q
is "nothing is said with -q" "$(wc -c <"$tmp/err")" 0
is "nearly all of that kernel, and hardly any other" "$(sed 1d "$tmp/out" | awk -F, '
    $1 != "slower" { bad++ } $3 == "syn-b:lanes=8" { right++ } $3 != "syn-b:lanes=8" { wrong++ }
    END { print bad + 0, (right > 340), (wrong < right / 20) }')" "0 1 1"
sed 1d "$tmp/out" | cut -d, -f9 >"$tmp/ratios"
is "sorted by ratio" "$(sort -rg "$tmp/ratios" | cmp - "$tmp/ratios" && echo yes)" yes
code "from there to here it is faster, which is no failure" 0 compare slow a
ok "and as often" test "$(sed 's/.*same, 0 slower, \([0-9]*\) faster.*/\1/' "$tmp/err")" = \
    "$(wc -l <"$tmp/ratios" | tr -d ' ')"
code "another kernel alone is the same" 0 compare a slow -w 'kernel !~ syn-b*'
ok "and smaller" grep -Eq '720 cases: [0-9]* same, 0 slower, 0 faster.*; 0 of 24 groups slower, 0 faster, 0 unclear' "$tmp/err"
code "10 % is below a threshold of 15 %" 0 compare a slow --threshold 0.15

# noise hides changes: it never makes them the same
store loud --run 4 --noise 0.4
store louder --run 5 --noise 0.4 --slow 0.4
code "a comparison that noise hides" 4 compare loud louder -w 'kernel ~ syn-a*'
ok "has no group that is the same" test "$(sed 1,2d "$tmp/out" | awk '{ print $NF }' | sort -u)" = unclear
code "a factor of 0.4 under it" 4 compare loud louder
is "is the same for no group" "$(sed 1,2d "$tmp/out" | grep -c ' same$')" 0
code "what is slower goes before what is unclear" 1 compare louder loud

# groups and cases say the same
compare a slow -f csv -q >"$tmp/groups.csv"
compare a slow --list all -f csv -q >"$tmp/cases.csv"
is "a group's mean is that of its cases" "$(awk -F, '
    NR == FNR { if (FNR > 1) { key = $3 "," $5 "," $6 "," $4; n[key]++; sum[key] += log($9) } next }
    FNR > 1 { key = $1 "," $2 "," $3 "," $4; d = exp(sum[key] / n[key]) / $15 - 1
        all = 0
        for (i = 5; i <= 14; i++) all += $i
        if (d > 1e-12 || d < -1e-12 || all != n[key]) print key, d, all, n[key]; else good++ }
    END { print good }' "$tmp/cases.csv" "$tmp/groups.csv")" 36
if command -v python3 >/dev/null; then
    compare a slow --list all -f json -q >"$tmp/cases.json"
    is "JSON has the same cases" "$(python3 -c '
import csv, json, sys
rows = json.load(open(sys.argv[1]))["rows"]
lines = list(csv.DictReader(open(sys.argv[2])))
print(len(rows) == len(lines) and all(r["a_case"] == l["a_case"] and r["ratio"] == float(l["ratio"])
    and r["verdict"] == l["verdict"] for r, l in zip(rows, lines)))' "$tmp/cases.json" "$tmp/cases.csv")" True
else
    skip "JSON has the same cases" "no python3"
fi

code "a case that is ok no more is a failure" 1 compare a gaps --list changed -f csv
is "and named" "$(counts 1,13,14)" "$(sed 1d "$tmp/out" | wc -l | tr -d ' ') broken,ok,failed;"
code "the other way round it is none" 0 compare gaps a
ok "but fixed" grep -q '[1-9][0-9]* fixed' "$tmp/err"

# noise is neither: nothing is wrong, and there is no time
for pair in "a noisy ok,noisy" "noisy a noisy,ok"; do
    # shellcheck disable=SC2086
    set -- $pair
    code "a case that is noisy in $1 or $2 is no failure" 0 compare "$1" "$2" --list changed -f csv
    is "and named" "$(counts 1,13,14)" "$(sed 1d "$tmp/out" | wc -l | tr -d ' ') noisy,$3;"
done
ok "a line counts them" grep -q ', [1-9][0-9]* noisy;' "$tmp/err"
code "what fails is broken all the same" 1 compare noisy gaps --list broken -f csv
code "and what is noisy in both is noisy" 0 compare noisy noisy --list noisy -f csv
is "by its status" "$(counts 1,13,14)" "$(sed 1d "$tmp/out" | wc -l | tr -d ' ') noisy,noisy,noisy;"

# no time in both stores: nothing is compared, which is no success
if $python -c 'import h5py' 2>/dev/null; then
    cat >"$tmp/set.py" <<'END'
import h5py, sys
with h5py.File(sys.argv[1], "r+") as f:
    r = f["results"][:]
    r["status"] = h5py.check_enum_dtype(r.dtype["status"])[sys.argv[2]]
    f["results"][:] = r
END
    for status in noisy failed; do
        cp "$tmp/a.h5" "$tmp/all_$status.h5" && $python "$tmp/set.py" "$tmp/all_$status.h5" $status && seal "$tmp/all_$status.h5"
        code "all are $status in both" 4 compare "all_$status" "all_$status" -q
        is "which is said" "$(cat "$tmp/err")" "rowcast compare: nothing is compared: no case has a time in both stores"
    done
    # both FIELD A:B: the stores both_a and both_b, with these in all rows
    cat >"$tmp/field.py" <<'END'
import h5py, sys
with h5py.File(sys.argv[1], "r+") as f:
    r = f["results"][:]
    r[sys.argv[2]] = float(sys.argv[3])
    f["results"][:] = r
END
    both()
    {
        cp "$tmp/a.h5" "$tmp/both_a.h5" && $python "$tmp/field.py" "$tmp/both_a.h5" "$1" "${2%:*}" && seal "$tmp/both_a.h5" &&
            cp "$tmp/a.h5" "$tmp/both_b.h5" && $python "$tmp/field.py" "$tmp/both_b.h5" "$1" "${2#*:}" && seal "$tmp/both_b.h5"
    }
    for hop in 25:160 160:25 25:35; do
        both hop_ns $hop
        code "teams of which neighbours are $hop ns apart" 0 compare both_a both_b
        is "which is said where it is another place" "$(grep -o 'took.*' "$tmp/err")" "$([ $hop = 25:35 ] || echo \
            "took ${hop%:*} ns between neighbours of a team in A, ${hop#*:} in B: where their rows take turns, times differ by that")"
    done
    for load in 6.5:0.0 0.0:6.5 3.0:3.1 128:12; do
        both load $load
        code "beside $load threads of other programs" 0 compare both_a both_b
        is "which is said where it is not alike" "$(grep -o 'threads of .*' "$tmp/err")" "$([ $load = 3.0:3.1 ] || echo \
            "threads of other programs that wanted CPUs, or their processes on a GPU: ${load%:*} in A, ${load#*:} in B: times may differ by that")"
    done
    # 25 ns in both for one K, and in B 160 for the others
    cp "$tmp/a.h5" "$tmp/hop_a.h5" && cp "$tmp/a.h5" "$tmp/hop_b.h5"
    hop_k=$($python - "$tmp/hop_a.h5" "$tmp/hop_b.h5" <<'END'
import h5py, sys
for path, far in zip(sys.argv[1:], (25, 160)):
    with h5py.File(path, "r+") as f:
        r = f["results"][:]
        k = r["k"].min()
        r["hop_ns"] = [25 if each == k else far for each in r["k"]]
        f["results"][:] = r
print(k)
END
    ) && seal "$tmp/hop_a.h5" && seal "$tmp/hop_b.h5"
    code "a filter that passes one K" 0 compare hop_a hop_b -w "k == $hop_k"
    is "how far teams of others were apart goes unsaid" "$(grep -c 'took' "$tmp/err")" 0
    code "one that passes the others" 0 compare hop_a hop_b -w "k != $hop_k"
    is "says it" "$(grep -c 'took 25 ns .* 160 in B' "$tmp/err")" 1
    code "all are noisy in one" 4 compare all_noisy a
    ok "which is said, too" grep -q 'nothing is compared' "$tmp/err"
    code "broken goes before it" 1 compare a all_failed
    code "all that one filter lets pass" 4 compare all_failed a -w 'kernel ~ syn-a*'
else
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26; do skip "all cases of one status, $i" "no python3 with h5py"; done
fi
ok "the help has the code" sh -c "'$ROWCAST' compare --help | tr '\n' ' ' | grep -q 'no case has a time *in both stores'"
ok "two stores with times say nothing of it" sh -c "! '$ROWCAST' compare '$tmp/a.h5' '$tmp/a.h5' 2>&1 | grep -q 'nothing is compared'"

code "other versions are other cases when asked" 3 compare a slow --ignore none
ok "which is said" grep -q 'no case in common' "$tmp/err"
code "stores of two devices have none in common" 3 compare a other
ok "and it says how they have" grep -q "'syn:device'.*'syn:device1'.*--across-devices" "$tmp/err"
code "across devices" 1 compare a other --across-devices
is "all is slower" "$(sed 's/,.*//; s/.*: //' "$tmp/err") $(sed 's/.*same, \([0-9]*\) .*/\1/' "$tmp/err")" "0 same 1080"
code "a device that only one store has" 0 compare a two -f csv --list only_b
is "is only there" "$(counts 1)" "1080 only_b;"
code "its groups" 0 compare a two
is "are no lines of the table" "$(sed 1,2d "$tmp/out" | wc -l)" 36
is "but one of their own" "$(sed -n 2p "$tmp/err")" "rowcast compare: groups in one store only: 0 in A, 36 in B"
compare a two -f csv -q >"$tmp/both.csv"
is "and are in the table for programs" "$(grep -c ',only_b,syn' "$tmp/both.csv")" 36
code "the help explains q" 0 "$ROWCAST" compare --help
ok "in a sentence" grep -q 'The column q is the false-discovery rate' "$tmp/out"

code "a verdict that is none is a usage error" 2 compare a again --list slow
code "so is one store" 2 "$ROWCAST" compare "$tmp/a.h5"
code "a missing store is an input error" 3 compare a missing
