#!/bin/sh
# rowcast query --summary: every table against a plain computation over the file, by other means.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
python=/usr/bin/python3 # of the distribution: the one that has h5py
$python -c 'import h5py, numpy' 2>/dev/null || skip_all "no python3 with h5py"
plan 26

store=$tmp/x.h5
mkdir -p "$tmp/col/G"
for n in 60 61 70 80 90 100 110 120 130; do
    "$ROWCAST" generate "uniform:n=$n,mean=4,seed=$n" -o "$tmp/col/G/m$n.mtx" >/dev/null
done
"$ROWCAST" sweep --device cpu --threads 1 --share-device --timing shared --case-time 0.0005 \
    --max-reps 7 -q --store "$store" --collection "$tmp/col" --k 8,n \
    --orders csr,lpt,dcsr,warp --kernels cstat:strip=1,cstat:strip=4,rowsplit >"$tmp/sweep" 2>&1 \
    || { cat "$tmp/sweep"; exit 99; }

# times that a seed decides, failures, C in schedule order, kernels that lack matrices
cat >"$tmp/edit.py" <<'PY'
import random
import sys
import h5py
import numpy as np

random.seed(5)
with h5py.File(sys.argv[1], "r+") as f:
    r = f["results"][:]
    policy = [p["name"].decode() for p in f["dict/policy"][:]]
    status = h5py.check_enum_dtype(r.dtype["status"])
    copies = []
    for row in r:
        row["median_ns"] = random.uniform(100, 1000)
        dice = random.random()
        if dice < 0.1:
            row["status"] = status["wrong"]
        elif dice < 0.15:
            row["error_max"] = np.nan
        elif dice < 0.5 and policy[row["policy"]] != "csr":
            copy = row.copy()
            copy["c_order"] = 1
            copy["median_ns"] = random.uniform(100, 1000)
            copy["case_id"] = b"%032d" % len(copies)
            copies.append(copy)
    # a redone case: the newest row counts
    redone = r[3].copy()
    redone["median_ns"] = 77
    redone["status"] = status["ok"]
    redone["error_max"] = 0.5
    copies.append(redone)
    f["results"].resize(len(r) + len(copies), axis=0)
    f["results"][:] = np.concatenate([r, np.array(copies, dtype=r.dtype)])
PY

# the same tables, from the rows
cat >"$tmp/check.py" <<'PY'
import csv
import fnmatch
import math
import statistics
import sys
import h5py

what, store, out = sys.argv[1:4]
with h5py.File(store) as f:
    status = h5py.check_enum_dtype(f["results"].dtype["status"])
    newest = {r["case_id"]: r for r in f["results"][:]}
    matrix = {m["id"]: m for m in f["dict/matrix"][:]}
    policy = {p["id"]: p["name"].decode() for p in f["dict/policy"][:]}
    kernel = {k["id"]: ":".join(t.decode() for t in (k["name"], k["params"]) if t) for k in f["dict/kernel"][:]}

rows = []
for r in newest.values():
    if r["status"] != status["ok"] or math.isnan(r["error_max"]):
        continue
    m = matrix[r["matrix"]]
    k = "n" if r["k"] == m["cols"] else str(r["k"])
    name = policy[r["policy"]]
    row = dict(matrix=r["matrix"], k=k, kernel=kernel[r["kernel"]], policy=name, ns=r["median_ns"], bytes=r["bytes_min"],
               flop=2.0 * m["nnz"] * r["k"])
    orders = ("original", "schedule") if name == "csr" else (("original", "schedule")[r["c_order"]],)
    rows += [dict(row, c_order=c) for c in orders]

def geomean(x):
    return math.exp(math.fsum(map(math.log, x)) / len(x))

def stats(x):
    if not x:
        return dict(max=None, mean=None, geomean=None, median=None, min=None)
    return dict(max=max(x), mean=statistics.fmean(x), geomean=geomean(x), median=statistics.median(x), min=min(x))

def split(names):
    groups = {}
    for r in rows:
        groups.setdefault(tuple(r[n] for n in names), []).append(r)
    return groups

def table():
    with open(out, newline="") as f:
        return [t for t in csv.DictReader(f) if t.get("set", "all") == "all"]

def same(found, expected, where):
    for name, value in expected.items():
        text = found[name]
        if value is None:
            assert text == "", (where, name, text)
        else:
            assert math.isclose(float(text), value, rel_tol=1e-9, abs_tol=1e-9), (where, name, text, value)

def gains(group):
    """{policy: {matrix: speedup}} over the matrices that have csr; csr is of a setting with C in
    schedule order only where there is another order in it"""
    own = {r["matrix"] for r in group if r["policy"] != "csr" or r["c_order"] == "original"}
    csr = {r["matrix"]: r["ns"] for r in group if r["policy"] == "csr" and r["matrix"] in own}
    out = {}
    for r in group:
        if r["matrix"] in csr:
            out.setdefault(r["policy"], {})[r["matrix"]] = csr[r["matrix"]] / r["ns"]
    return out

def settings():
    for key, group in split(("kernel", "k", "c_order")).items():
        if any(r["policy"] != "csr" for r in group) and any(r["policy"] == "csr" for r in group):
            yield key, gains(group)

def oracle(gain, policies):
    return [max(gain[p].get(m, 0) for p in policies) for m in gain["csr"]]

def speedup():
    found = {(t["kernel"], t["k"], t["c_order"], t["policy"]): t for t in table()}
    n = 0
    for key, gain in settings():
        gain["oracle"] = dict(enumerate(oracle(gain, gain)))
        for name in gain:
            if name != "csr":
                same(found[key + (name,)], dict(stats(list(gain[name].values())), matrices=len(gain[name])), key)
                n += 1
    assert n == len(found), (n, len(found))

def share():
    found = {(t["kernel"], t["k"], t["c_order"], t["policy"]): t for t in table()}
    for key, gain in settings():
        best = oracle(gain, gain)
        for name, values in gain.items():
            wins = sum(values.get(m) == b for m, b in zip(gain["csr"], best))
            over = 100 * sum(v > 1.05 for v in values.values()) / len(best)
            same(found[key + (name,)], dict(wins=wins, share=100 * wins / len(best), gain_over_5=over), key)

def portfolio():
    lines = table()
    for key, gain in settings():
        own = [t for t in lines if (t["kernel"], t["k"], t["c_order"]) == key]
        used = []
        assert len(own) == len(gain), key
        for i, t in enumerate(own):
            best = max(geomean(oracle(gain, used + [p])) for p in gain) if used else 1
            used.append(t["added"])
            now = oracle(gain, used)
            assert used[0] == "csr" and math.isclose(geomean(now), best, rel_tol=1e-9), (key, used)
            same(t, dict(policies=i + 1, geomean=best, mean=statistics.fmean(now)), key)

def versus(kernels_a, policies_a, kernels_b, policies_b):
    def best(group, kernels, policies):
        out = {}
        for r in group:
            if any(fnmatch.fnmatch(r["kernel"], k) for k in kernels.split(",")) and fnmatch.fnmatch(r["policy"], policies):
                out[r["matrix"]] = min(out.get(r["matrix"], math.inf), r["ns"])
        return out

    found = {(t["k"], t["c_order"]): t for t in table()}
    groups = split(("k", "c_order"))
    assert set(found) == set(groups)
    for key, group in groups.items():
        a, b = best(group, kernels_a, policies_a), best(group, kernels_b, policies_b)
        ratio = [b[m] / a[m] for m in a if m in b]
        wins = sum(x > 1 for x in ratio)
        same(found[key], dict(stats(ratio), matrices=len(ratio), only_a=len(set(a) - set(b)), only_b=len(set(b) - set(a)),
                              wins_a=wins, share_a=100 * wins / len(ratio)), key)

def best():
    lines = table()
    for key, group in split(("k", "c_order")).items():
        fastest = {}
        for r in group:
            fastest[r["matrix"]] = min(fastest.get(r["matrix"], math.inf), r["ns"])
        own = [t for t in lines if (t["k"], t["c_order"]) == key]
        order = [(-int(t["wins"]), float(t["loss_geomean"])) for t in own]
        assert order == sorted(order), key
        pairs = {}
        for r in group:
            pairs.setdefault((r["kernel"], r["policy"]), []).append(r["ns"] / fastest[r["matrix"]])
        assert len(own) == len(pairs), key
        for t in own:
            x = pairs[t["kernel"], t["policy"]]
            same(t, dict(matrices=len(x), wins=sum(v == 1 for v in x), share=100 * sum(v == 1 for v in x) / len(fastest),
                         loss_geomean=100 * (geomean(x) - 1), loss_mean=100 * (statistics.fmean(x) - 1),
                         loss_max=100 * (max(x) - 1)), key)

def rate():
    groups = split(("k", "c_order", "kernel", "policy"))
    lines = table()
    assert len(lines) == len(groups)
    for t in lines:
        group = groups[t["k"], t["c_order"], t["kernel"], t["policy"]]
        flops = [r["flop"] / r["ns"] for r in group]
        bytes_ = [r["bytes"] / r["ns"] for r in group]
        same(t, dict(matrices=len(group), geomean=geomean(flops), mean=statistics.fmean(flops), max=max(flops),
                     geomean_bytes=geomean(bytes_), mean_bytes=statistics.fmean(bytes_), max_bytes=max(bytes_)), t["kernel"])

def errors():
    # in units of 2^-24, the unit roundoff of fp32
    lines = {t["kernel"]: t for t in table()}
    groups = {}
    for r in newest.values():
        groups.setdefault(kernel[r["kernel"]], []).append(r)
    assert set(lines) == set(groups)
    for name, group in groups.items():
        ok = [r for r in group if r["status"] == status["ok"] and not math.isnan(r["error_max"])]
        rel = float(max(r["error_rel"] for r in ok))
        assert rel > 0 and lines[name]["precision"] == "fp32" and lines[name]["op"] == "spmm"
        same(lines[name], dict(results=len(ok), wrong=sum(r["status"] == status["wrong"] for r in group), error_rel=rel,
                               error_units=rel * 2**24, error_max=float(max(r["error_max"] for r in ok))), name)

globals()[what](*sys.argv[4:])
PY
ok "the store is given times, failures and orders of C" $python "$tmp/edit.py" "$store"
seal "$store"

# table NAME OPTION...: the table as CSV in $tmp/NAME
table()
{
    table_name=$1
    shift
    "$ROWCAST" query "$store" --format csv --summary "$table_name" "$@" >"$tmp/$table_name"
}

for name in speedup share portfolio best rate errors; do
    table "$name"
    ok "$name is what a plain computation gives" $python "$tmp/check.py" "$name" "$store" "$tmp/$name"
done
table versus --side-a 'cstat*' --side-b rowsplit
ok "versus compares the original orders" $python "$tmp/check.py" versus "$store" "$tmp/versus" \
    'cstat*' csr rowsplit csr
table versus --side-a 'cstat*@any' --side-b rowsplit
ok "with orders for one side" $python "$tmp/check.py" versus "$store" "$tmp/versus" 'cstat*' '*' rowsplit csr
"$ROWCAST" query "$store" -f csv -S versus --side-a 'cstat*/any' --side-b rowsplit/csr | cmp -s - "$tmp/versus"
is "a slash before them does too" $? 0
table versus --side-a 'cstat*@any@col' --side-b '*@csr@row'
"$ROWCAST" query "$store" -f csv -S versus --side-a '*@any@col' --side-b rowsplit | cmp -s - "$tmp/versus"
is "a layout takes the kernels that multiply in it" $? 0
table versus --side-a '!row*,!*=4' --side-b 'rowsplit,*=4' --orders any
ok "with patterns that take out, and orders for both" $python "$tmp/check.py" versus "$store" \
    "$tmp/versus" 'cstat:strip=1' '*' 'rowsplit,*=4' '*'
table versus --side-a '!nothing' --side-b 'cusparse*'
is "a side without rows leaves only counts" "$(cut -d, -f7-8,14 "$tmp/versus" | sort -u | head -n 2)" \
    "$(printf '0,9,\nmatrices,only_a,max')"
code "a side that nothing is on" 0 "$ROWCAST" query "$store" -f csv -S versus -A 'nosuch*' -B rowsplit
is "is named, and no other" "$(grep side "$tmp/err")" "versus: no result is on side a, 'nosuch*'; the store has cstat, rowsplit"
code "--top cuts the table" 0 "$ROWCAST" query "$store" -f csv -S best --top 2 -w 'c_order == original'
is "for each K" "$(sed 1d "$tmp/out" | cut -d, -f1 | tr '\n' ' ')" "8 8 n n "
code "a filter applies" 0 "$ROWCAST" query "$store" -f csv -S rate -w 'policy == csr && k == 8'
is "to all tables" "$(sed 1d "$tmp/out" | cut -d, -f1,8 | sort -u)" "8,csr"

code "an unknown summary is a usage error" 2 "$ROWCAST" query "$store" -S nonsense
ok "that names the known" grep -q "'nonsense'; known: speedup, share, portfolio, versus, best, rate, errors" "$tmp/err"
code "sides are for versus" 2 "$ROWCAST" query "$store" -S best -A 'x*'
code "--top is for best" 2 "$ROWCAST" query "$store" -S rate --top 3
code "an empty pattern is a usage error" 2 "$ROWCAST" query "$store" -S versus -A 'x,'
code "a flawed one too" 2 "$ROWCAST" query "$store" -S versus -B 'x[1'
ok "and is named" grep -q "side-b: not a pattern: 'x\[1'" "$tmp/err"
