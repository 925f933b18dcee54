#!/bin/sh
# rowcast predict and export-model: choices of a model worked out by hand, formats, names, errors.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
# shellcheck source=tests/env.sh.in
. "${top_builddir:?}/tests/env.sh"
# shellcheck source=tests/cli/model.sh
. "$top_srcdir/tests/cli/model.sh"
plan 110

cd "$tmp" || exit 1
mkdir models

write_model log_ns >models/byhand.json
# among scores the largest wins, which is that of dcsr
write_model score null >models/classifier.json
sed 's/"lpt", "policy_version": 1/"lpt", "policy_version": 42/' models/byhand.json >old.json
sed 's/"weight": \[0/"weight": [null/' models/byhand.json >broken.json

# matrix N: N rows of one entry, but for the first, which is full
matrix()
{
    awk -v n="$1" 'BEGIN {
        print "%%MatrixMarket matrix coordinate pattern general"
        print n, n, 2 * n - 1
        for (i = 1; i <= n; i++) print 1, i
        for (i = 2; i <= n; i++) print i, 1
    }'
}
matrix 5 >short.mtx  # longest row 5: lpt takes exp(8.9) / 6 = 1222 ns, csr exp(6.9) = 992 ns
matrix 200 >long.mtx # longest row 200: lpt takes exp(8.9) / 201 = 36.48 ns, 27.2 x

# column NAME: that column of the csv output
column()
{
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
        { gsub(/"[^"]*"/, "q") } { split($0, f, ","); print f[at] }' "$tmp/table.csv"
}

# near FOUND WANT: equal to three digits
near()
{
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && (a - b) ^ 2 < (0.001 * b) ^ 2) }'
}

code "a matrix with a long row" 0 "$ROWCAST" predict long.mtx --model models/byhand.json --k 32
ok "lpt is chosen" grep -q '^K = 32: Reorder by lpt: gsub:lanes=8 should take 36 ns in fp32; it is 27.2 times as fast as gsub:lanes=8 in the given order and pays after 27 products.$' "$tmp/out"
ok "the table begins with it" grep -qE '^\* +lpt +gsub:lanes=8 +0.03648 +- +27.2 ' "$tmp/out"
ok "the model is named, with its device" grep -q '^model .*byhand@3, features mehrabi@1, [0-9]* matrices on a device, "class" 7$' "$tmp/out"
is "nothing is said on stderr" "$(wc -c <"$tmp/err")" 0

code "a matrix with short rows" 0 "$ROWCAST" predict short.mtx --model models/byhand.json --k 32
ok "csr is chosen" grep -q '^K = 32: Keep the order: gsub:lanes=8 should take 992 ns in fp32, and nothing tried is worth a change; no other order is faster.$' "$tmp/out"
ok "lpt is slower and never pays" grep -qE '^ +lpt +gsub:lanes=8 +1.222 +- +0.81[0-9]* +(25|0.025)[0-9.]* +never' "$tmp/out"

code "csv" 0 "$ROWCAST" predict long.mtx -m models/byhand.json -k 32 --format csv
cp out table.csv
is "has the classes by predicted time" "$(column class | tr '\n' ' ')" "lpt csr dcsr "
is "marks the chosen one" "$(column chosen | tr '\n' ' ')" "1 0 0 "
is "and the baseline" "$(column baseline | tr '\n' ' ')" "0 1 0 "
ok "times in ns" near "$(column time_ns | sed -n 1p)" 36.4828
ok "speedups" near "$(column speedup | sed -n 3p)" 0.548812
ok "setup in ns" near "$(column setup_ns | sed -n 1p)" 20000
# (features + 20000 - 100) / (992.27 - 36.48), rounded up; the prediction is of six products
ok "the break-even counts features, prediction and setup" near "$(column break_even | sed -n 1p)" \
    "$(awk 'BEGIN { n = (5000 + 0.6 + 19900) / (exp(6.9) - exp(8.9) / 201); print int(n) + (n > int(n)) }')"
ok "what they took here is apart" awk -v f="$(column featurise_ns | sed -n 1p)" 'BEGIN { exit !(f > 0) }'
is "the baseline has nothing to earn back" "$(column break_even | sed -n 2p)" 0
is "what never pays has none" "$(column break_even | sed -n 3p)" ""

# 3 products: 2977 + 100 ns against 109 + 20000 + 5000 ns; 100 products: 99327 against 28649 ns
code "few products" 0 "$ROWCAST" predict long.mtx -m models/byhand.json -k 32 --reuse 3
ok "do not pay for lpt" grep -q '^K = 32: Keep the order: .*; lpt would pay after 27 products.$' "$tmp/out"
code "many products" 0 "$ROWCAST" predict long.mtx -m models/byhand.json -k 32 --reuse 100
ok "do" grep -q '^K = 32: Reorder by lpt' "$tmp/out"
"$ROWCAST" predict long.mtx -m models/byhand.json -k 32 --reuse 3 --format csv >table.csv
is "sorted by total" "$(column class | tr '\n' ' ')" "csr dcsr lpt "
ok "total of lpt, features included" near "$(column total_ns | sed -n 3p)" 25110
# lpt is cheaper without features from 21 products on, with them from 27 on: it pays within the reuse
for reuse in 22 24 26 27 30; do
    "$ROWCAST" predict long.mtx -m models/byhand.json -k 32 --reuse "$reuse" --format csv >table.csv
    is "$reuse products: what is chosen has paid by then" "$(awk -v n="$(column break_even | sed -n 1p)" \
        -v r="$reuse" 'BEGIN { print (n <= r) }')" 1
    is "$reuse products: and is the cheapest" "$(column class | sed -n 1p)" \
        "$([ "$reuse" -ge 27 ] && echo lpt || echo csr)"
done


code "K = n" 0 "$ROWCAST" predict long.mtx -m models/byhand.json --json --extrapolate
ok "has k = n" grep -q '"k": 200,' "$tmp/out"
ok "and the chosen class" grep -q '"class": "lpt", "policy": "lpt", "kernel": "gsub:lanes=8", "baseline": false, "chosen": true' "$tmp/out"
ok "inputs outside the range are named" grep -qx \
    'long.mtx: an extrapolation, outside of what the model knows: k = 200 (1 to 64)' "$tmp/err"
ok "also in the answer" grep -q '"extrapolation": "k = 200 (1 to 64)"' "$tmp/out"
cp out json
"$ROWCAST" predict long.mtx -m models/byhand.json -k 8 --format json >json2 2>&1
is "--json is --format json" "$(grep -c '"class": "lpt"' json2)" 1

code "a classifier" 0 "$ROWCAST" predict long.mtx -m models/classifier.json -k 8
ok "says that it has no times" grep -q '^K = 8: Take gsub:lanes=8 in order dcsr; no time of it is known.$' "$tmp/out"
code "and none for a reuse" 2 "$ROWCAST" predict long.mtx -m models/classifier.json -k 8 --reuse 5

# ------------------------------------------------------------ what a model knows

code "a K below what the fit had is refused" 2 "$ROWCAST" predict long.mtx -m models/byhand.json -k 4
is "in one line" "$(wc -l <"$tmp/err")" 2 # and how to get help
ok "that says what is known" grep -q \
    'outside of what the model knows (--extrapolate asks it all the same): K = 4 (K 8 to 32 and n); it knows spmm, K 8 to 32 and n, fp32, layout row, device a device' "$tmp/err"
code "with --extrapolate there is an answer" 0 "$ROWCAST" predict long.mtx -m models/byhand.json -k 4 --extrapolate
ok "with a warning" grep -q ': an extrapolation, outside of what the model knows: K = 4 (K 8 to 32 and n)$' "$tmp/err"
code "a K between two is known" 0 "$ROWCAST" predict long.mtx -m models/byhand.json -k 20
is "without a word" "$(cat "$tmp/err")" ""
code "n is known, where it is n" 0 "$ROWCAST" predict short.mtx -m models/byhand.json -k 5
code "but not as a number" 2 "$ROWCAST" predict long.mtx -m models/byhand.json -k 5
code "a longer row than any in training is refused" 2 "$ROWCAST" predict uniform:n=2000,mean=600 -m models/byhand.json -k 8
ok "by name and range" grep -q 'nnz_per_row_max = [0-9]* (1 to 500)' "$tmp/err"
code "another device too" 2 "$ROWCAST" predict long.mtx -m models/byhand.json -k 8 --device 'cuda:other'
code "a glob may fit the device" 0 "$ROWCAST" predict long.mtx -m models/byhand.json -k 8 --device '*CLASS*'
sed -e 's/"k": \[8, 32, "n"\]/"k": ["n"]/' -e '/"name": "k", /d' -e 's/"max": 500},/"max": 500}],/' \
    -e 's/"in": 2/"in": 1/; s/0, 0, -1, 0, 0, 0/0, 0, -1/; s/, 0, 0\]/, 0]/' models/byhand.json >paper.json
code "a model of K = n alone" 0 "$ROWCAST" predict long.mtx -m paper.json
code "refuses a number" 2 "$ROWCAST" predict long.mtx -m paper.json -k 8
ok "and says so" grep -q 'K = 8 (K = n)' "$tmp/err"

# files of version 1 do not say these things
sed -e 's/"version": 2/"version": 1/; /"domain"/d; /"featurise"/d' \
    -e 's/"kernel_version": 1,$/"kernel_version": 1}/; /^   "layout": "row", .*},*$/s/.*/,/; /^   "layout": .*}\],$/s/.*/],/' \
    models/byhand.json >version1.json
code "a file of version 1 is read" 0 "$ROWCAST" predict long.mtx -m version1.json -k 32
ok "what it does not say is said" grep -q 'version1.json: a file of version 1 does not say layouts' "$tmp/err"
code "its K is that of the input" 2 "$ROWCAST" predict long.mtx -m version1.json -k 100
ok "and named" grep -q 'K = 100 (K 1 to 64)' "$tmp/err"

# ------------------------------------------------------------------ constraints

code "orders" 0 "$ROWCAST" predict long.mtx -m models/byhand.json -k 32 --orders 'csr,d*' -f csv
cp out table.csv
is "the others are not ranked" "$(column class | tr '\n' ' ')" "csr dcsr "
code "without the baseline" 0 "$ROWCAST" predict long.mtx -m models/byhand.json -k 32 --orders dcsr,lpt -f csv
cp out table.csv
is "the first one changes nothing" "$(column class | tr '\n' ' ')$(column baseline | tr '\n' ' ')" "lpt dcsr 0 1 "
code "deterministic" 0 "$ROWCAST" predict long.mtx -m models/byhand.json -k 32 --deterministic -f csv
cp out table.csv
is "only those that are" "$(column class | tr '\n' ' ')" "lpt csr "
code "a layout that is not there" 2 "$ROWCAST" predict long.mtx -m models/byhand.json -k 32 --layouts col
ok "names what there is" grep -q 'no class of the model fits layout col; its classes: csr (row, deterministic: yes)' "$tmp/err"
code "kernels" 0 "$ROWCAST" predict long.mtx -m models/byhand.json -k 32 --kernels gsub --layouts row
code "none" 2 "$ROWCAST" predict long.mtx -m models/byhand.json -k 32 --kernels 'gstat*'
# 399 entries of 8 bytes, 201 pointers of 8, and 400 rows of 32 columns of 4 bytes: 58 kB or less
code "memory enough" 0 "$ROWCAST" predict long.mtx -m models/byhand.json -k 32 --device-memory 60000
code "and too little" 2 "$ROWCAST" predict long.mtx -m models/byhand.json -k 32 --device-memory 50000
code "C in another order is not known" 2 "$ROWCAST" predict long.mtx -m models/byhand.json -k 32 --c-order schedule
code "C in any order" 0 "$ROWCAST" predict long.mtx -m models/byhand.json -k 32 --c-order original,schedule

# ---------------------------------------------------------------- installed ones

mkdir one
cp models/byhand.json one/
code "without --model the one that fits is taken" 0 env ROWCAST_MODELS="$tmp/one" "$ROWCAST" predict long.mtx -k 8 --device 'a device*'
ok "and named" grep -q "^model   byhand.json: byhand@3" "$tmp/out"

# a program that is not installed, in a tree and without one
mkdir -p tree/build tree/data/models bare
cp "$ROWCAST" tree/build/rowcast
cp "$ROWCAST" bare/rowcast
lone()
{
    env -u ROWCAST_MODELS "$1/rowcast" predict short.mtx -k 8 2>&1
}
if env -u ROWCAST_MODELS tree/build/rowcast docs -- complete predict -m "" 2>err | grep -qv '^:files$' || [ -s err ]; then
    for of in "a tree" "no tree" "a name"; do skip "models of $of" "some are installed, or the program does not run alone"; done
else
    is "models of the sources are named" "$(lone tree/build | sed 's/.* in .*; //')" \
        "ROWCAST_MODELS=$(cd tree && pwd -P)/data/models takes those of the sources"
    is "else what names them" "$(lone bare | sed 's/.* in .*; //')" "ROWCAST_MODELS names a folder of some"
    is "of a name too" "$(env -u ROWCAST_MODELS bare/rowcast predict short.mtx -m nothing 2>&1 | sed 's/.* in .*; //')" \
        "ROWCAST_MODELS names a folder of some"
fi

ROWCAST_MODELS=$tmp/models
export ROWCAST_MODELS
code "a name is one of ROWCAST_MODELS" 0 "$ROWCAST" predict short.mtx -m byhand -k 8
code "an unknown name is an error" 3 "$ROWCAST" predict short.mtx -m nothing -k 8
ok "that lists the names" grep -q "no model 'nothing'; there are byhand, classifier (in $tmp/models)" "$tmp/err"
code "so is a file that is not there" 3 "$ROWCAST" predict short.mtx -m ./nothing.json
code "a broken model is refused" 3 "$ROWCAST" predict short.mtx -m broken.json
ok "by member" grep -q 'broken.json: predictor.state: .*weight\[0\]: expected a number, found null' "$tmp/err"
code "one of another version of a policy too" 3 "$ROWCAST" predict short.mtx -m old.json
ok "by name" grep -q 'old.json: class lpt was fitted with the order lpt@42, this library has lpt@1' "$tmp/err"

touch -d 2001-01-01 models/classifier.json
code "of two that fit alike the newest is taken" 0 "$ROWCAST" predict short.mtx -k 8 --device 'a device*'
ok "which is named" grep -q '^model   byhand.json: ' "$tmp/out"
sed -i 's/"matrices": \[/"matrices": ["one", "two", "three", /' models/classifier.json
grep -q '"three"' models/classifier.json || sed -i 's/"training": {/"training": {"matrices": ["one", "two", "three"], /' models/classifier.json
touch -d 2001-01-01 models/classifier.json
"$ROWCAST" predict short.mtx -k 8 --device 'a device*' >out 2>err
ok "but first that of the most matrices" grep -q '^model   classifier.json: .*, [3-9] matrices' out
"$ROWCAST" predict short.mtx --device 'a device*' >out 2>err
is "without K there is an answer for usual ones that it knows" "$(sed -n 's/^K = \([0-9]*\): .*/\1/p' out | tr '\n' ' ')" "8 32 "
"$ROWCAST" predict short.mtx --device 'a device*' -f csv >table.csv 2>err
is "for programs too" "$(column k | sort -nu | tr '\n' ' ')" "8 32 "
code "when none fits, too" 3 "$ROWCAST" predict short.mtx --op sddmm
ok "with the reason" grep -q 'byhand.json: knows spmm.*the model was trained on spmm, found a request for sddmm' "$tmp/err"
code "a precision that was not trained is refused" 2 "$ROWCAST" predict short.mtx -m byhand --precision fp64
code "and one that is none" 2 "$ROWCAST" predict short.mtx -m byhand --precision fp12
code "k must be a number or n" 2 "$ROWCAST" predict short.mtx -m byhand --k 0
code "a missing matrix is an error" 3 "$ROWCAST" predict missing.mtx -m byhand

# ---------------------------------------------------------------- export-model

code "a model is written as C" 0 "$ROWCAST" export-model byhand --c out.c --name pick
code "the same on stdout" 0 "$ROWCAST" export-model byhand --c - --name pick
ok "byte for byte" cmp out out.c
ok "it says what it is" grep -q '^ \* device      a device, "class" 7$' out.c
ok "and on which data it was fitted" grep -q '^ \* training    0123abcd (digest of the data)$' out.c
cat >main.c <<'END'
#include <stdio.h>
int pick_choose(const double *value, double *time);
extern const char *const pick_class[];
int main(void)
{
    const double value[2] = {200, 32};
    double time[3];
    int c = pick_choose(value, time);
    printf("%s %.17g %.17g %.17g\n", pick_class[c], time[2], time[0], time[1]);
    return 0;
}
END
# shellcheck disable=SC2086  # a compiler and its options
ok "it compiles without a warning" $CC -std=c99 -O2 -Wall -Wextra -Werror -pedantic out.c main.c -o main -lm
"$ROWCAST" predict long.mtx -m models/byhand.json -k 32 --format csv >table.csv
is "and says the same, digit for digit" "$(./main)" "lpt $(column time_ns | tr '\n' ' ' | sed 's/ $//')"
code "a name that is no identifier is refused" 2 "$ROWCAST" export-model byhand --c out.c --name 1a
