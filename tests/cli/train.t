#!/bin/sh
# rowcast train and evaluate: a rule is recovered, figures agree with each other and with plain
# computations over the store, only unseen rows count, and what is wrong is said.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
python=/usr/bin/python3 # of the distribution: the one that has h5py
$python -c 'import h5py, numpy' 2>/dev/null || skip_all "no python3 with h5py"
"$ROWCAST" train "$tmp/none" -o "$tmp/none" --model nosuch 2>&1 | grep -q 'there are:.*mlp' \
    || skip_all "this build has no mlp (no OpenBLAS)"
plan 122

synthetic=${top_builddir:?}/tests/cli/synthetic_store
store=$tmp/rule.h5
fast='--restarts 1 -q' # enough for the rule

# get FILE EXPRESSION: a value of the JSON in a file, as python; x is the file's contents
get()
{
    $python -c 'import json, sys
with open(sys.argv[1]) as f:
    x = json.load(f)
print(eval(sys.argv[2]))' "$1" "$2"
}

ok "a store with a known rule" "$synthetic" --matrices 150 --groups 30 --k 8,128 "$store"

# the built-in set is one group by name, and many by generator
code "part of the built-in set" 0 "$ROWCAST" sweep -s "$tmp/builtin.h5" -d cpu -t 1 -w 'rows <= 11000' -p csr,lpt,dcsr -x rowsplit \
    -k 4 --case-time 0.0002 --max-reps 5 -q
code "can be trained on" 0 "$ROWCAST" train "$tmp/builtin.h5" -o "$tmp/builtin.json" --epochs 20 --restarts 1 -q --format json
ok "with groups on either side" grep -q '"split"' "$tmp/builtin.json"

# ------------------------------------------------------------------------- train
# shellcheck disable=SC2086 # words
code "a model is fitted" 0 "$ROWCAST" train "$store" -o "$tmp/a.json" $fast --format json
cp "$tmp/out" "$tmp/a.eval"
is "silent with -q" "$(cat "$tmp/err")" ""
is "most of the gain is recovered" "$(get "$tmp/a.eval" 'x["all"]["gain_recovered"]["value"] > 0.85')" True
is "the model says what it is" "$(get "$tmp/a.json" \
    '[x["format"], x["kind"], x["task"], x["device"], [c["name"] for c in x["classes"]], x["baseline"]]')" \
    "['rowcast-model', 'mlp', 'order', 'syn:device', ['csr', 'dcsr', 'lpt', 'warp'], 'csr']"
is "and what it was fitted on" "$(get "$tmp/a.json" \
    '0.7 < x["training"]["rows"] / x["training"]["data_rows"] < 0.9 and x["training"]["data_rows"] == 300')" True
is "and by which BLAS" "$(get "$tmp/a.json" '"unknown" == x["training"]["blas"] or "OpenBLAS " in x["training"]["blas"]')" True
is "its evaluation is the printed one" "$(get "$tmp/a.json" 'x["evaluation"]["all"]')" \
    "$(get "$tmp/a.eval" 'x["all"]')"
# shellcheck disable=SC2086
code "again, on one thread" 0 "$ROWCAST" train "$store" -o "$tmp/b.json" $fast --threads 1
ok "the model is the same" cmp "$tmp/a.json" "$tmp/b.json"
for words in 'Speedup over csr' 'gain recovered' 'mean loss' 'rows within 5 %' 'balanced accuracy at 2 %' \
    'Confusion' 'Absolute error' 'Greedy portfolio' 'By K' 'By kind' 'random' 'oracle' 'always '; do
    ok "the evaluation has: $words" grep -q "$words" "$tmp/out"
done
# shellcheck disable=SC2086
code "another seed" 0 "$ROWCAST" train "$store" -o "$tmp/c.json" $fast --seed 2
not_ok "gives another model" cmp -s "$tmp/a.json" "$tmp/c.json"
code "talk goes to stderr" 0 "$ROWCAST" train "$store" -o "$tmp/c.json" --restarts 1 --epochs 20 --k 8
ok "with the size of the data" grep -q '^train: 150 rows of 150 matrices in 30 groups, 24 inputs' "$tmp/err"
ok "and the loss" grep -q '^train: fitted in .*, validation loss [0-9.e-]*$' "$tmp/err"

# ---------------------------------------------------------------------- evaluate
code "evaluate takes the rows that the fit did not see" 0 \
    "$ROWCAST" evaluate "$store" --model "$tmp/a.json" --format json --extrapolate
is "and finds what train found" "$(get "$tmp/out" '[x["all"], x["by_k"], x["confusion"], x["time_error"]]')" \
    "$(get "$tmp/a.eval" '[x["all"], x["by_k"], x["confusion"], x["time_error"]]')"
total=$(get "$tmp/out" 'x["all"]["rows"]')
code "rows outside of what the model knows are left out" 0 \
    "$ROWCAST" evaluate "$store" --model "$tmp/a.json" --format json
is "and counted" "$(get "$tmp/out" \
    "[x['all']['rows'] < $total, str($total - x['all']['rows']) + ' of them outside of what the model knows: left out' in x['evaluated']]")" \
    "[True, True]"
is "the model states its K, layouts and what features take" "$(get "$tmp/a.json" \
    '[x["version"], x["domain"]["k"], sorted({c["layout"] for c in x["classes"]}), x["featurise"]["min_log_ns"] > 0]')" \
    "[2, [8, 128], ['col'], True]"
code "a K that it does not know" 2 "$ROWCAST" predict mesh3d:n=12 -m "$tmp/a.json" -k 512
ok "is refused with the K that it knows" grep -q 'K = 512 (K 8 to 128)' "$tmp/err"
# shellcheck disable=SC2086
code "fitted at one K" 0 "$ROWCAST" train "$store" -o "$tmp/k8.json" $fast --epochs 20 --where 'k == 8'
code "evaluate takes the K of the model" 0 "$ROWCAST" evaluate "$store" -m "$tmp/k8.json" -f json -q --extrapolate
is "alone" "$(get "$tmp/out" '[p["name"] for p in x["by_k"]]')" "['k=8 fp32']"
code "another one is not known" 2 "$ROWCAST" evaluate "$store" -m "$tmp/k8.json" -q --k 128
ok "in one line" grep -q 'does not know any of these [0-9]* rows, e.g. K = 128 (K 8)' "$tmp/err"
# shellcheck disable=SC2086
code "kernels of this or another build that are deterministic" 0 "$ROWCAST" train "$store" -o "$tmp/d.json" $fast \
    --epochs 20 --deterministic 'syn-*'
is "are kept" "$(get "$tmp/d.json" '{c["deterministic"] for c in x["classes"]}')" "{'yes'}"
is "of others nothing is known" "$(get "$tmp/a.json" '{c["deterministic"] for c in x["classes"]}')" "{'unknown'}"
# shellcheck disable=SC2086
code "fitted in folds" 0 "$ROWCAST" train "$store" -o "$tmp/f.json" $fast --folds 3 -f json
is "every row is evaluated" "$(get "$tmp/out" 'x["all"]["rows"]')" 300
code "nothing is unseen then" 2 "$ROWCAST" evaluate "$store" --model "$tmp/f.json"
ok "which is said" grep -q 'fitted on all 150 matrices' "$tmp/err"
code "unless asked for" 0 "$ROWCAST" evaluate "$store" --model "$tmp/f.json" --seen
ok "the figures are marked" grep -q '300 of them .*optimistic' "$tmp/out"
ok "another store" "$synthetic" --matrices 60 --seed 9 --k 8,128 --stale --gaps "$tmp/new.h5"
code "is new but for the names of groups" 0 \
    "$ROWCAST" evaluate "$tmp/new.h5" --model "$tmp/f.json" --seen --extrapolate -f json

# the same from the rows, by other means
cat >"$tmp/check.py" <<'PY'
import json
import math
import sys
import h5py

with h5py.File(sys.argv[1]) as f, open(sys.argv[2]) as text:
    found = json.load(text)
    status = h5py.check_enum_dtype(f["results"].dtype["status"])["ok"]
    newest = {r["case_id"]: r for r in f["results"][:]}
    policy = [p["name"].decode() for p in f["dict/policy"][:]]
    kernel = {k["id"]: (k["name"].decode() + ":" + k["params"].decode(), k["version"]) for k in f["dict/kernel"][:]}
    featured = {r["matrix"] for r in f["features/mehrabi/rows"][:]}
cells = {}
for r in newest.values():
    if r["status"] == status and kernel[r["kernel"]] == (found["kernel"], 2) and r["matrix"] in featured:
        cells.setdefault((r["matrix"], r["k"]), {})[policy[r["policy"]]] = r["median_ns"]
rows = [c for c in cells.values() if len(c) == 4]
geo = lambda x: math.exp(math.fsum(map(math.log, x)) / len(x))
part = found["all"]
assert part["rows"] == len(rows), (part["rows"], len(rows))
close = lambda a, b: math.isclose(a, b, rel_tol=1e-12)
assert close(part["speedup_oracle"]["geomean"]["value"], geo([c["csr"] / min(c.values()) for c in rows]))
best = [sum(min(c, key=c.get) == name for c in rows) for name in found["classes"]]
assert best == [sum(line) for line in found["confusion"]["rows_best_by_chosen"]], best
single = found["single"]
assert close(part["speedup_single"]["geomean"]["value"], geo([c["csr"] / c[single] for c in rows]))
assert close(part["speedup_random"]["geomean"]["value"], geo([c["csr"] / geo(list(c.values())) for c in rows]))
gain = (part["speedup_selector"]["geomean"]["value"] - 1) / (part["speedup_oracle"]["geomean"]["value"] - 1)
assert close(part["gain_recovered"]["value"], gain) and 0.7 < gain <= 1, gain
PY
ok "the baselines are what a plain computation gives" $python "$tmp/check.py" "$tmp/new.h5" "$tmp/out"
code "a filter applies" 0 "$ROWCAST" evaluate "$tmp/new.h5" -m "$tmp/f.json" --seen -f json -k 8 -w 'rows > 1000'
is "to the rows" "$(get "$tmp/out" '[p["name"] for p in x["by_k"]], x["all"]["rows"] < 60')" "(['k=8 fp32'], True)"

# --------------------------------------------------------------------- comparisons
# shellcheck disable=SC2086
code "trainers are compared" 0 "$ROWCAST" evaluate "$store" --compare -m mlp,softmax $fast --folds 3 -f csv
is "with the baselines" "$(cut -d, -f1 "$tmp/out" | tr '\n' ';')" "model;mlp;softmax;best single;random;oracle;"
is "of which the oracle has all of the gain" "$(grep '^oracle' "$tmp/out" | cut -d, -f2,8,9)" "100,100,0"
# shellcheck disable=SC2086
code "features are ablated" 0 "$ROWCAST" evaluate "$store" --ablation $fast --folds 3 -f json
is "without those of the warps the rule cannot be seen" "$(get "$tmp/out" \
    '[r["name"] for r in x[:2]], x[0]["evaluation"]["all"]["gain_recovered"]["value"] > x[1]["evaluation"]["all"]["gain_recovered"]["value"] + 0.1')" \
    "(['mlp all features', 'mlp matrix-only'], True)"
# shellcheck disable=SC2086
code "layer sizes are compared" 0 "$ROWCAST" evaluate "$store" --topologies $fast --hidden '0;8;16,8' --folds 2
is "a line each" "$(sed -n '3,5p' "$tmp/out" | cut -c1-19 | sed 's/ *$//' | tr '\n' ';')" \
    "mlp no hidden layer;mlp 8;mlp 16,8;"

# --------------------------------------------------------------------- a CPU's own store
for group in A B C D; do
    mkdir -p "$tmp/col/$group"
    for n in 40 90 200; do
        "$ROWCAST" generate "uniform:n=$n,mean=$((n / 20)),seed=$n$(printf %d "'$group")" \
            -o "$tmp/col/$group/m$n.mtx" >/dev/null
    done
done
code "a collection is measured here" 0 "$ROWCAST" sweep --device cpu --threads 1 --share-device --timing shared \
    --case-time 0.0005 --max-reps 7 -q --store "$tmp/cpu.h5" --collection "$tmp/col" --k 4,8 \
    --orders csr,lpt,dcsr,warp --kernels cstat:strip=4,rowsplit
# shellcheck disable=SC2086
code "a model is fitted to it" 0 "$ROWCAST" train "$tmp/cpu.h5" -o "$tmp/cpu.json" $fast --folds 2 --kernel rowsplit -f json
is "of all that was measured" "$(get "$tmp/out" 'x["data_rows"], x["data_groups"], x["kernel"], x["left_out"]')" \
    "(24, 4, 'rowsplit', {'incomplete': 0, 'without_features': 0})"
code "it chooses for a matrix" 0 "$ROWCAST" predict "$tmp/col/A/m90.mtx" --model "$tmp/cpu.json" --k 8 --format csv
is "among the orders" "$(sed 1d "$tmp/out" | wc -l | tr -d ' ')" 4

# -------------------------------------------------------------------------- plans
ok "a store with two precisions" "$synthetic" --matrices 80 --k 8,128 --fp64 "$tmp/plan.h5"
# shellcheck disable=SC2086
code "a plan is fitted" 0 "$ROWCAST" train "$tmp/plan.h5" -o "$tmp/plan.json" --task plan $fast -f json
is "its classes are pairs, each with the team of its kernel" "$(get "$tmp/plan.json" \
    'all(c["name"] == c["kernel"] + "/" + c["policy"] for c in x["classes"]), sorted({c["kernel"][:5] + str(c["geometry"]["fp64"]["nw"]) for c in x["classes"]})')" \
    "(True, ['syn-a32', 'syn-b128', 'syn-c32'])"
is "K and precision are inputs" "$(get "$tmp/plan.json" '[i["name"] for i in x["inputs"][-2:]]')" "['k', 'value_bytes']"

# -------------------------------------------------------------------- what is wrong
code "no model file" 2 "$ROWCAST" train "$store"
code "a folder that is not there" 3 "$ROWCAST" train "$store" -o "$tmp/no/x.json"
code "no store" 3 "$ROWCAST" train "$tmp/nothing.h5" -o "$tmp/x.json"
code "an unknown trainer" 2 "$ROWCAST" train "$store" -o "$tmp/x.json" --model mpl
code "an unknown class" 2 "$ROWCAST" train "$store" -o "$tmp/x.json" --classes csr,lptt
ok "has a suggestion" grep -q "did you mean 'lpt'" "$tmp/err"
code "folds and a test part" 2 "$ROWCAST" train "$store" -o "$tmp/x.json" --folds 3 --test-share 0.5
code "more folds than groups" 2 "$ROWCAST" train "$store" -o "$tmp/x.json" --folds 31
ok "with both numbers" grep -q '31 folds of 30 groups' "$tmp/err"
not_ok "no model is left of a failure" test -e "$tmp/x.json"
code "nothing to evaluate" 2 "$ROWCAST" evaluate "$store"
code "options of a fit with a model file" 2 "$ROWCAST" evaluate "$store" -m "$tmp/a.json" --folds 3
ok "are named" grep -q -- '--folds is of --compare' "$tmp/err"
ok "a model of another device" sed -i 's/"syn:device"/"syn:other"/' "$tmp/a.json"
code "does not fit" 2 "$ROWCAST" evaluate "$store" -m "$tmp/a.json"
ok "and both are named" grep -q "'syn:other'.* syn:device" "$tmp/err"

# two operations in one store: times of one never enter a model of the other
ok "a store of two operations" "${top_builddir:?}/tests/cli/synthetic_store" --matrices 60 --groups 12 --k 8,32 \
    --op spmm,spmv "$tmp/ops.h5"
code "spmm is the default" 0 "$ROWCAST" train "$tmp/ops.h5" -o "$tmp/spmm.json" --model cart -f json
is "its rows are those of spmm" "$(get "$tmp/out" '[x["operation"], x["data_rows"]]')" "['spmm', 120]"
code "spmv" 0 "$ROWCAST" train "$tmp/ops.h5" -o "$tmp/spmv.json" --op spmv --model mlp --restarts 1 --epochs 30 --task plan -f json
is "has one row a matrix" "$(get "$tmp/out" '[x["operation"], x["data_rows"]]')" "['spmv', 60]"
is "the model says so, and K is no input" \
    "$(get "$tmp/spmv.json" '[x["operation"], [i["name"] for i in x["inputs"] if i["name"] == "k"]]')" "['spmv', []]"
code "a mixture is refused" 2 "$ROWCAST" train "$tmp/ops.h5" -o "$tmp/x.json" --op spmm,spmv
ok "in one line" grep -q -- "--op: unknown operation 'spmm,spmv'; known: spmm, spmv, spmm_t, sddmm" "$tmp/err"
code "spmv has no K" 2 "$ROWCAST" train "$tmp/ops.h5" -o "$tmp/x.json" --op spmv --k 8
code "a prediction needs none" 0 "$ROWCAST" predict mesh3d:n=5 -m "$tmp/spmv.json" --extrapolate -f json
is "and has none" "$(get "$tmp/out" '[x["rows"][0][k] for k in ("operation", "k")]')" "['spmv', None]"
code "another operation is refused" 2 "$ROWCAST" predict mesh3d:n=5 -m "$tmp/spmv.json" --op spmm
ok "and both are named" grep -q 'trained on spmv, found a request for spmm' "$tmp/err"
code "also when a store is evaluated" 2 "$ROWCAST" evaluate "$tmp/ops.h5" -m "$tmp/spmv.json" --op spmm

# formats: the task of spmv
ok "a store of six formats" "$synthetic" --formats --matrices 100 --groups 20 "$tmp/formats.h5"
code "a regressor" 0 "$ROWCAST" train "$tmp/formats.h5" -o "$tmp/format.json" --op spmv --model mlp-nisa-time --epochs 60 -f json
is "chooses a format by the features of Nisa et al." \
    "$(get "$tmp/format.json" '[x["task"], x["features"]["set"], [c["name"] for c in x["classes"]], x["baseline"]]')" \
    "['format', 'nisa', ['coo', 'ell', 'csr', 'hyb', 'csr5', 'merge'], 'csr']"
ok "which kernel a format is can be read" grep -q 'csr5 (csr5:sigma=auto, best of ' "$tmp/err"
ok "what is left out is counted by format and reason" grep -q '^train: csr5: 1 (matrix, precision) failed' "$tmp/err"
ok "skipped or failed" grep -q '^train: ell: [0-9]* (matrix, precision) skipped' "$tmp/err"
code "conversion counts" 0 "$ROWCAST" predict mesh3d:n=8 -m "$tmp/format.json" --op spmv --reuse 1 --extrapolate -f json
is "so that one product is in CSR" "$(get "$tmp/out" '[r["class"] for r in x["rows"] if r["chosen"]]')" "['csr']"
code "a classifier" 0 "$ROWCAST" train "$tmp/formats.h5" -o "$tmp/x.json" --op spmv --model cart --missing worst \
    --classes ell,csr,hyb --features nisa-1 -f json
is "keeps what failed when asked to, without the matrices of COO" "$(get "$tmp/x.json" \
    '[len(x["inputs"]), [c["name"] for c in x["classes"]], x["training"]["selection"]["missing"]]')" \
    "[5, ['ell', 'csr', 'hyb'], 'worst']"
ok "which are counted" grep -q 'where coo, no class here, is fastest' "$tmp/err"
code "classifiers know no reuse" 2 "$ROWCAST" predict mesh3d:n=8 -m "$tmp/x.json" --reuse 5 --extrapolate
code "a regressor needs all times" 2 "$ROWCAST" train "$tmp/formats.h5" -o "$tmp/y.json" --op spmv --model mlp-nisa-time --missing worst
ok "which is said" grep -q 'a classifier is needed, or --missing drop' "$tmp/err"
code "an unknown set of features" 2 "$ROWCAST" evaluate "$tmp/formats.h5" --compare --op spmv --features storage+prod
ok "is answered with all there are" grep -q 'sets: .*, storage+product, shares+product, matrix, nisa-1, nisa-2;' "$tmp/err"
code "a model without importances has no top features" 2 "$ROWCAST" train "$tmp/formats.h5" -o "$tmp/y.json" --op spmv \
    --features "top:3:$tmp/x.json"
ok "which is said, too" grep -q 'of kind cart has no importances' "$tmp/err"
code "formats have no kernel to choose" 2 "$ROWCAST" train "$tmp/formats.h5" -o "$tmp/y.json" --task format --op spmv --kernel csr
