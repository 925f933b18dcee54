#!/bin/sh
# rowcast train --task parameters, and rs with the tuning that it writes.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 63

# eleven matrices of more than 10,000 entries: every 5th of them, by entries, are two
mkdir -p "$tmp/c/g"
i=10
for spec in mesh2d:n=50 mesh2d:n=52 mesh2d:n=54 uniform:n=600,mean=23 banded:n=1300 banded:n=1400 \
    banded:n=1000,lower=8,upper=8 banded:n=1100,lower=8,upper=8 block:n=600,size=30,between=1 \
    block:n=640,size=32,between=1 block:n=700,size=35,between=1 mesh2d:n=20; do
    i=$((i + 1))
    echo "$spec" >"$tmp/c/g/m$i.spec"
done
sweep()
{
    "$ROWCAST" sweep -s "$tmp/rs.h5" -C "$tmp/c" -d cpu -p csr --case-time 0.0001 --max-reps 1 "$@"
}
train()
{
    "$ROWCAST" train "$tmp/rs.h5" --task parameters "$@"
}
member() # member NAME: its values in the tuning, on one line
{
    tr -d ' \n' <"$tmp/t.json" | grep -o "\"$1\":[^,}]*" | cut -d: -f2 | tr '\n' ' '
}
bad() # bad TEXT SED: a tuning changed by SED is refused by one line with TEXT
{
    sed "$2" "$tmp/t.json" >"$tmp/bad.json"
    code "$1" 3 "$ROWCAST" plan mesh2d:n=10 -d cpu -k 2 --kernels "rs:tune=$tmp/bad.json"
    is "is said in one line" "$(grep -c -- "$1" "$tmp/err")" 1
}

code "costs of two K" 0 "$ROWCAST" calibrate --kernel rs --device cpu --n 64 --k 2,4 --precision fp32 -q -o "$tmp/costs.json"
code "a sweep of the parameters" 0 sweep -k 2,4 -x rs:t=1..3:cfv=1..2:cfh=1..2
code "a tuning" 0 train --kernel rs --costs "$tmp/costs.json" -o "$tmp/t.json"
is "has a line for each K" "$(grep -c fp32 "$tmp/out")" 2
ok "says on how many matrices of how many" grep -q '2 training matrices of 12' "$tmp/err"
is "they are the 5th and the 10th by entries" \
    "$(tr -d ' \n' <"$tmp/t.json" | grep -o '"training_matrices":\[[^]]*\]')" '"training_matrices":["g/m13","g/m20"]'
is "of the K of the costs" "$(member k)" "2 4 "
ok "t was one of those measured" sh -c "! printf '%s\n' $(member t) | grep -v '^[123]$'"
code "JSON of what was chosen" 0 train --kernel rs --costs "$tmp/costs.json" -o "$tmp/t.json" -f json -q
ok "it has the columns" grep -q '"cfh"' "$tmp/out"

code "matrices by name" 0 train --kernel rs --costs "$tmp/costs.json" --training 'g/m1[123],none' -o "$tmp/t2.json" -q
is "are those that are there" "$(tr -d ' \n' <"$tmp/t2.json" | grep -o '"training_matrices":\[[^]]*\]')" \
    '"training_matrices":["g/m11","g/m12","g/m13"]'
code "none of the names" 2 train --kernel rs --costs "$tmp/costs.json" --training nosuch -o "$tmp/t2.json" -q
sed 's/"k": 4/"k": 8/' "$tmp/t.json" >"$tmp/old.json" # a K that is not fitted now
code "a tuning that is added to" 0 train --kernel rs --costs "$tmp/costs.json" --training g/m11 --onto "$tmp/old.json" -o "$tmp/t2.json" -q
is "keeps what is not fitted" "$(tr -d ' \n' <"$tmp/t2.json" | grep -o '"k":[^,}]*' | tr '\n' ' ')" '"k":8 "k":2 "k":4 '
is "and names all matrices" "$(tr -d ' \n' <"$tmp/t2.json" | grep -o '"training_matrices":\[[^]]*\]')" \
    '"training_matrices":["g/m11","g/m13","g/m20"]'
code "it is a tuning" 0 "$ROWCAST" plan mesh2d:n=10 -d cpu -k 8 --kernels "rs:tune=$tmp/t2.json"
sed 's/"device": "[^"]*"/"device": "cuda:other"/' "$tmp/t.json" >"$tmp/old.json"
code "one of another device" 2 train --kernel rs --costs "$tmp/costs.json" --onto "$tmp/old.json" -o "$tmp/t3.json" -q
ok "is refused by its name" grep -q 'onto: expected version 2 of rs on cpu.*found version 2 on cuda:other' "$tmp/err"
code "a second model" 0 train --kernel rs --costs "$tmp/costs.json" --paths "$tmp" -o "$tmp/paths.json" -q -f csv
is "is beside the first" "$(grep -c paths_ns "$tmp/paths.json") $(grep -c '"tree"' "$tmp/paths.json")" "2 2"
ok "it is scored on matrices that did not train" test "$(column others <"$tmp/out" | sort -u)" -gt 5
ok "within 0 and 1" sh -c "for x in $(column paths <"$tmp/out" | paste -s -d' ') $(column worst_paths <"$tmp/out" | paste -s -d' '); do \
    awk -v x=\$x 'BEGIN { exit !(x > 0 && x <= 1) }' || exit 1; done"
code "it chooses" 0 "$ROWCAST" plan mesh2d:n=10 -d cpu -k 2 --kernels "rs:tune=$tmp/paths.json"
sed 's/"panel_entry": [^,]*/"panel_entry": "nan"/' "$tmp/paths.json" >"$tmp/bad.json"
code "a cost that is no number" 3 "$ROWCAST" plan mesh2d:n=10 -d cpu -k 2 --kernels "rs:tune=$tmp/bad.json"
is "is named" "$(grep -c 'paths_ns.panel_entry: expected a number' "$tmp/err")" 1
code "--paths of another task" 2 "$ROWCAST" train "$tmp/rs.h5" -o "$tmp/x.json" --paths "$tmp"
code "rs with it" 0 sweep -k 2 -x "rs:tune=$tmp/t.json"
is "says nothing where all fits" "$(grep -c tuning "$tmp/err")" 0
code "by its name" 0 env ROWCAST_TUNING="$tmp" "$ROWCAST" sweep -s "$tmp/rs.h5" -C "$tmp/c" -d cpu -p csr -k 2 -x rs:tune=t
is "it is the same case" \
    "$("$ROWCAST" query "$tmp/rs.h5" --all -w 'kernel ~ "*t=0:*" && k == 2' --columns kernel -f csv | grep -c '^rs:tune=[0-9a-f]*:t=0')" 12
code "another K" 0 sweep -k 16 -x "rs:tune=$tmp/t.json"
is "is said in one line" "$(grep -c 'K = 16 takes what it has for K = 4' "$tmp/err")" 1
code "another precision" 0 sweep -k 2 --precision fp64 -x "rs:tune=$tmp/t.json"
is "is said in one line" "$(grep -c 'it has no fp64, so t = 4 and cfv = 2' "$tmp/err")" 1
sed 's/"device": "[^"]*"/"device": "cuda:other"/' "$tmp/t.json" >"$tmp/other.json"
code "another device" 0 "$ROWCAST" plan mesh2d:n=10 -d cpu -k 2 --kernels "rs:tune=$tmp/other.json"
is "is said in one line" "$(grep -c 'it was measured on cuda:other, this is cpu' "$tmp/err")" 1
mkdir "$tmp/both"
cp "$tmp/other.json" "$tmp/both/rs-h200.json"
cp "$tmp/t.json" "$tmp/both/rs-here.json"
cp "$tmp/t.json" "$tmp/both/rs-here-published.json"
code "the usual one is of another device" 0 env ROWCAST_TUNING="$tmp/both" "$ROWCAST" plan mesh2d:n=10 -d cpu -k 2 --kernels rs
is "that of this one is named" "$(grep -c 'measured on cuda:other, this is cpu.*, for which there is tune=rs-here$' "$tmp/err")" 1
code "no installed tuning" 0 env ROWCAST_TUNING="$tmp/none" "$ROWCAST" plan mesh2d:n=10 -d cpu -k 2 --kernels rs:t=3:cfv=1:cfh=1
is "says nothing where nothing is open" "$(grep -c tuning "$tmp/err")" 0
mkdir "$tmp/here" "$tmp/here/rs-h200"
ran_here()
{
    (cd "$tmp/here" && "$@")
}
code "a folder of that name is no tuning" 0 ran_here env ROWCAST_TUNING="$tmp/none" "$ROWCAST" plan mesh2d:n=10 -d cpu -k 2 --kernels rs
cp "$tmp/t.json" "$tmp/rs-h200.json"
rmdir "$tmp/here/rs-h200"
echo '{' >"$tmp/here/rs-h200"
code "nor is a file, where one is installed" 0 ran_here env ROWCAST_TUNING="$tmp" "$ROWCAST" plan mesh2d:n=10 -d cpu -k 2 --kernels rs

code "the file of the H200" 0 "$ROWCAST" plan mesh2d:n=10 -d cpu -k 128 --kernels "rs:tune=$top_srcdir/data/tuning/rs-h200.json"
is "another device is said" "$(grep -c 'measured on cuda:NVIDIA H200' "$tmp/err")" 1
bad 'expected 1 to 16, found 17' 's/"t": [0-9]*/"t": 17/'
bad 'file.version: expected 1 to 1, found 9' 's/"version": 1,/"version": 9,/'
bad 'line' 's/"settings"/settings/'
bad 'light_row: expected a finite number of 0 or more, found -1' 's/"light_row": [^,]*/"light_row": -1/'
bad 'light_entry: expected a number' 's/"light_entry": .*/"light_entry": "nan"/'
code "a file that is not there" 3 "$ROWCAST" plan mesh2d:n=10 -d cpu -k 2 --kernels "rs:tune=$tmp/none.json"
code "costs are no tuning" 3 "$ROWCAST" plan mesh2d:n=10 -d cpu -k 2 --kernels "rs:tune=$tmp/costs.json"
code "a tuning is no file of costs" 3 train --kernel rs --costs "$tmp/t.json" -o "$tmp/x.json"
code "no costs" 2 train --kernel rs -o "$tmp/x.json"
code "another kernel" 2 train --kernel gstat --costs "$tmp/costs.json" -o "$tmp/x.json"
sed 's/"device": "[^"]*"/"device": "cuda:other"/' "$tmp/costs.json" >"$tmp/other.json"
code "costs of another device" 2 train --kernel rs --costs "$tmp/other.json" -o "$tmp/x.json"
ok "no file was left by these" test ! -e "$tmp/x.json"
code "--costs of another task" 2 "$ROWCAST" train "$tmp/rs.h5" -o "$tmp/x.json" --costs "$tmp/costs.json"
