#!/bin/sh
# The figures of rowcast report: the numbers behind each against rowcast query and plain computations, drawings
# that are whole, what is left out and why, and texts of a store that nothing may run.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
python=/usr/bin/python3 # of the distribution: the one that has h5py
$python -c 'import h5py' 2>/dev/null || skip_all "no python3 with h5py"
plan 38

synthetic=${top_builddir:?}/tests/cli/synthetic_store
check=$top_srcdir/tests/report
model=$top_srcdir/data/models/h200-paper.json
gnuplot=$(command -v "${GNUPLOT:-gnuplot}")
ROWCAST_ASSETS=$(cd "$top_srcdir/analysis" && pwd)
export ROWCAST_ASSETS

# times that a seed decides, gaps, failures, set-up times; a kernel becomes the vendor's
cat >"$tmp/edit.py" <<'PY'
import random
import sys
import h5py

random.seed(3)
with h5py.File(sys.argv[1], "r+") as f:
    r = f["results"][:]
    status = h5py.check_enum_dtype(r.dtype["status"])
    for row in r:
        row["layout"] = 0 # plans of one layout, the vendor's too
        row["median_ns"] = 1000 * random.lognormvariate(0, 0.3)
        row["order_ns"] = random.randrange(2000)
        row["preprocess_ns"] = random.choice([0, 500])
        row["bytes_min"] = random.randrange(1000, 90000)
        if random.random() < 0.1:
            row["status"] = status["wrong"]
    f["results"][:] = r
    k = f["dict/kernel"][:]
    for row in k:
        if row["name"] == b"syn-c":
            row["name"] = b"cusparse-x"
    f["dict/kernel"][:] = k
    for a, b in (a.split("=", 1) for a in sys.argv[2:]):
        d = f["dict/policy"][:]
        d["name"][d["name"] == a.encode()] = b.encode()
        f["dict/policy"][:] = d
PY

# report STORE DIR ARGUMENTS...
report()
{
    store=$1
    dir=$2
    shift 2
    "$ROWCAST" report "$store" -o "$dir" --spies 0 -q "$@"
}

ok "a store" "$synthetic" --matrices 40 --groups 10 --k 8,32,n "$tmp/a.h5"
ok "with times that a seed decides" $python "$tmp/edit.py" "$tmp/a.h5"
seal "$tmp/a.h5"
code "a report" 0 report "$tmp/a.h5" "$tmp/a"
ok "has the numbers that query and the file have" $python "$check/check_figures.py" "$ROWCAST" "$tmp/a.h5" "$tmp/a"
for k in 8 32; do
    ok "and those of K = $k, in a folder of their own" env SETTING="k$k-fp32-col" LABEL="K = $k, fp32, column-major" \
        $python "$check/check_figures.py" "$ROWCAST" "$tmp/a.h5" "$tmp/a"
    not_ok "which are other numbers" cmp "$tmp/a/figures/k$k-fp32-col/speedup-boxes.csv" "$tmp/a/figures/speedup-boxes.csv"
done
mkdir -p "$tmp/again/figures/k16-fp32-col" "$tmp/again/figures/own" "$tmp/elsewhere"
touch "$tmp/again/figures/k16-fp32-col/share.svg" "$tmp/again/figures/own/share.svg" "$tmp/again/figures/own/mine.svg" \
    "$tmp/elsewhere/share.svg"
ln -s "$tmp/elsewhere" "$tmp/again/figures/link"
code "a model of this store" 0 "$ROWCAST" train "$tmp/a.h5" -o "$tmp/fitted.json" --model xgboost-merit-soft --kernel syn-a:strip=8 --folds 5
code "a report with it" 0 report "$tmp/a.h5" "$tmp/fitted" --model "$tmp/fitted.json"
for k in 8 n; do
    ok "shows its unseen rows of K = $k" env SETTING="k$k-fp32-col" LABEL="K = $k, fp32, column-major" \
        $python "$check/check_figures.py" "$ROWCAST" "$tmp/a.h5" "$tmp/fitted" "$tmp/fitted.json"
done
code "again" 0 report "$tmp/a.h5" "$tmp/again"
is "figures of products that are no more are removed, and nothing else" \
    "$(cd "$tmp" && find again/figures/k16* again/figures/own again/figures/link elsewhere ! -type d 2>/dev/null | sort | tr '\n' ' ')" \
    "again/figures/link again/figures/own/mine.svg elsewhere/share.svg "
rm -r "$tmp/again/figures/own" "$tmp/again/figures/link"
ok "the numbers are the same" diff -r -x '*.pdf' "$tmp/a/figures" "$tmp/again/figures"
ok "two devices" "$synthetic" --matrices 30 --groups 10 --k 8,n --devices 2 "$tmp/b.h5"
$python "$tmp/edit.py" "$tmp/b.h5"
seal "$tmp/b.h5"
code "a report of them, with a model" 0 report "$tmp/b.h5" "$tmp/b" --model "$model"
ok "has the right numbers too" $python "$check/check_figures.py" "$ROWCAST" "$tmp/b.h5" "$tmp/b" "$model"
is "boxes of both devices" "$(cut -d, -f1 "$tmp/b/figures/speedup-boxes.csv" | sort -u | grep -c syn)" 2

if [ -n "$gnuplot" ]; then
    ok "drawings that fit a page" $python "$check/check_svg.py" "$tmp/b"
    # a text of the store is no command, and no part of one
    $python "$tmp/edit.py" "$tmp/b.h5" "warp=w'\`touch x\`\"@a_{b}" "lpt=\$(touch y),\\"
    seal "$tmp/b.h5"
    odd="$tmp/it's \"odd\" \$(touch z)"
    code "odd names and an odd folder" 0 report "$tmp/b.h5" "$odd" --model "$model"
    ok "are drawn" $python "$check/check_svg.py" "$odd"
    ok "as they are" grep -qF "w'\`touch x\`" "$odd/figures/share.svg"
    is "and nothing ran" "$(find . "$tmp" -name '[xyz]' | head)" ""
    # a template of one's own
    mkdir "$tmp/own"
    cp -r "$ROWCAST_ASSETS/page" "$ROWCAST_ASSETS/figures" "$tmp/own"
    echo 'set xlabel "of the site"' >>"$tmp/own/figures/common.gp"
    sed 's/^set xlabel.*//' "$ROWCAST_ASSETS/figures/share.gp" >"$tmp/own/figures/share.gp"
    code "templates of a site" 0 report "$tmp/a.h5" "$tmp/a" --assets "$tmp/own"
    ok "are used" grep -q 'of the site' "$tmp/a/figures/share.svg"
    sed 's/^set xrange.*/set nonsense/' "$ROWCAST_ASSETS/figures/share.gp" >"$tmp/own/figures/share.gp"
    line=$(grep -n nonsense "$tmp/own/figures/share.gp" | cut -d: -f1)
    code "one that is wrong" 3 report "$tmp/a.h5" "$tmp/a" --assets "$tmp/own"
    ok "is named with its line" grep -q "figures/share.gp:$line:" "$tmp/err"
    ok "the drawing before it is still there" grep -q 'of the site' "$tmp/a/figures/share.svg"
    is "no temporary file is left" "$(find "$tmp/a" -name '*.tmp*')" ""
else
    for t in 11 12 13 14 15 16 17 18 19 20 21; do
        skip "drawing $t" "no gnuplot"
    done
fi
code "no templates" 3 report "$tmp/a.h5" "$tmp/a" --assets "$tmp/nowhere"
ok "says what names their folder" grep -q -e '--assets (or ROWCAST_ASSETS): ' "$tmp/err"

GNUPLOT=$tmp/none code "without gnuplot" 0 report "$tmp/a.h5" "$tmp/a"
ok "stderr says so" grep -q "^rowcast report: gnuplot was not found" "$tmp/err"
is "there are numbers and no drawings" "$(find "$tmp/a/figures" -name '*.csv' | wc -l) \
$(find "$tmp/a/figures" -name '*.svg' -o -name '*.pdf' | wc -l)" "36 0"
ok "and the page says so" grep -q 'gnuplot was not found' "$tmp/a/index.html"
code "one order and one kernel" 0 report "$tmp/a.h5" "$tmp/a" -w 'policy == csr && kernel ~ "syn-a*"'
is "leaves out what compares" "$(cd "$tmp/a/figures" && echo ./*.csv)" "./roofline.csv ./throughput.csv"
