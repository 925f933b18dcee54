"""check_figures.py ROWCAST STORE REPORT [MODEL]: the numbers behind each figure against `rowcast query`, the
file itself and the model file, by other means than the report's.  Prints what differs; exit code 1 then.
SETTING, "k8-fp32-col" with the label "K = 8, fp32, column-major", makes it look at the figures of that product."""
import csv
import json
import math
import os
import statistics
import subprocess
import sys
import h5py

rowcast, store, report = sys.argv[1:4]
wrong = []


folder = os.environ.get("SETTING", "")


def table(name):
    path = os.path.join(report, "figures", folder, name + ".csv")
    if not os.path.exists(path):  # of all products
        path = os.path.join(report, "figures", name + ".csv")
    with open(path, newline="") as f:
        return list(csv.reader(f))[1:]


def same(what, found, expected, digits=1e-5):
    found, expected = float(found), float(expected)
    if not abs(found - expected) <= digits * max(abs(expected), 1e-12):
        wrong.append(f"{what}: found {found}, expected {expected}")


def query(*arguments):
    text = subprocess.run([rowcast, "query", store, "-f", "csv", *arguments], check=True, capture_output=True,
                          text=True).stdout
    return list(csv.DictReader(text.splitlines()))


# --------------------------------------------------------------------------- results as they are in the file
with h5py.File(store) as f:
    results = f["results"][:]
    status = h5py.check_enum_dtype(results.dtype["status"])["ok"]
    precision = {v: k for k, v in h5py.check_enum_dtype(results.dtype["precision"]).items()}
    matrix = f["dict/matrix"][:]
    policy = [p["name"].decode() for p in f["dict/policy"][:]]
    kernel = [(k["name"] + (b":" + k["params"] if k["params"] else b"")).decode() for k in f["dict/kernel"][:]]
    device = [d["class_name"].decode() for d in f["dict/device"][:]]
newest = {r["case_id"]: r for r in results}.values()
rows = [r for r in newest if r["status"] == status and r["median_ns"] > 0 and not math.isnan(r["error_max"])]
widths = {}
for r in rows:
    widths.setdefault(int(r["k"]), set()).add(int(matrix[r["matrix"]]["cols"]))


def label(r):
    is_n = r["k"] == matrix[r["matrix"]]["cols"] and len(widths[int(r["k"])]) == 1
    text = f"K = {'n' if is_n else int(r['k'])}, {precision[r['precision']]}"
    text += ", row-major" if r["layout"] == 1 else ", column-major"
    return text + (f", on {device[r['device']]}" if len({x["device"] for x in rows}) > 1 else "")


arena = {}
for r in rows:
    arena.setdefault(label(r), {}).setdefault(matrix[r["matrix"]]["name"].decode(), []).append(r)
main = [a for a in arena if a.startswith("K = n")]
main = max(main, key=lambda a: len(arena[a]))
main = os.environ.get("LABEL", main)
k_of = main.split(",")[0].split("= ")[1]
in_csr = lambda r: policy[r["policy"]] == "csr"
vendor = lambda r: kernel[r["kernel"]].startswith("cusparse")
fastest = lambda own, fits: min((r for r in own if fits(r)), key=lambda r: (r["median_ns"], not in_csr(r)), default=None)
geomean = lambda x: math.exp(statistics.fmean(map(math.log, x)))
reference = table("speedup-boxes")[0][1]
of_reference = lambda r: kernel[r["kernel"]] == reference

# the newest csr row of the reference kernel: these stores have one run
csr_time = {m: r["median_ns"] for m, own in arena[main].items() for r in own if of_reference(r) and in_csr(r)}
gain = {}
for m, own in arena[main].items():
    for r in own:
        if of_reference(r) and m in csr_time:
            gain[policy[r["policy"]], m] = csr_time[m] / r["median_ns"]
oracle = {m: max([1] + [g for (p, x), g in gain.items() if x == m]) for m in csr_time}
gain_of = lambda p: oracle if p == "oracle" else {m: g for (q, m), g in gain.items() if q == p}
orders = sorted({p for p, _ in gain} - {"csr"}, key=policy.index)

# ---------------------------------------------------------------------------------------------- orders
for name, value in (("speedup-density", lambda m: m["nnz"] / (m["rows"] * m["cols"])), ("speedup-rows", lambda m: m["rows"])):
    found = {(p, m): (x, y) for p, m, x, y in table(name)}
    if set(found) != {(p, m) for p in orders + ["oracle"] for m in gain_of(p)}:
        wrong.append(f"{name}: other points")
        continue
    at = {m["name"].decode(): m for m in matrix}
    for (p, m), (x, y) in found.items():
        same(f"{name} {p} {m} x", x, value(at[m]))
        same(f"{name} {p} {m} y", y, gain_of(p)[m])

for p, low, high, count, share in table("speedup-histogram"):
    inside = [g for g in gain_of(p).values() if float(low) * (1 - 1e-6) <= g < (float(high) * (1 - 1e-6) if high else math.inf)]
    same(f"histogram {p} from {low}", count, len(inside))
    same(f"histogram {p} from {low} share", share, 100 * len(inside) / len(gain_of(p)), 1e-3)

where = f"kernel ~ '{reference}' && k == {'cols' if k_of == 'n' else k_of} && precision == fp32"
if ", on " in main:
    where += " && device == '" + main.split(", on ")[1] + "'"
speedup = {r["policy"]: r for r in query("--summary", "speedup", "--where", where)}
boxes = [r for r in table("speedup-boxes") if f", on {r[0]}" in main or ", on " not in main]
if {r[2] for r in boxes} != set(speedup):
    wrong.append("boxes: other policies than `query --summary speedup`")
for _, _, p, count, low, _, q1, median, q3, _, high, geo, mean in boxes:
    for what, x in (("matrices", count), ("min", low), ("median", median), ("max", high), ("geomean", geo), ("mean", mean)):
        same(f"boxes {p} {what}", x, speedup[p][what])
    quartile = statistics.quantiles(gain_of(p).values(), n=4, method="inclusive")
    same(f"boxes {p} quartile 1", q1, quartile[0])
    same(f"boxes {p} quartile 3", q3, quartile[2])

share = {r["policy"]: r for r in query("--summary", "share", "--where", where)}
for p, wins, percent, clear, clear_percent in table("share"):
    same(f"share {p} wins", wins, share[p]["wins"])
    same(f"share {p}", percent, share[p]["share"], 1e-3)
    same(f"share {p} clear", clear, share[p]["clear"])
    same(f"share {p} clear share", clear_percent, 100 * float(clear) / len(csr_time), 1e-3)
steps = query("--summary", "portfolio", "--where", where)
for found, expected in zip(table("portfolio"), steps, strict=True):
    if found[1] != expected["added"]:
        wrong.append(f"portfolio step {found[0]}: adds {found[1]}, expected {expected['added']}")
    same(f"portfolio {found[0]} geomean", found[2], expected["geomean"])
    same(f"portfolio {found[0]} mean", found[3], expected["mean"])
    same(f"portfolio {found[0]} geomean held out", found[4], expected["geomean_held_out"])
    same(f"portfolio {found[0]} mean held out", found[5], expected["mean_held_out"])

# ---------------------------------------------------------------------------------------------- kernels
what = {"reference kernel, csr": lambda r: of_reference(r) and in_csr(r), "fastest kernel, csr": lambda r: not vendor(r) and in_csr(r),
        "fastest kernel and order": lambda r: not vendor(r)}
seen = set()
for a, series, _, count, geo, mean, low, high in table("vendor-speedup"):
    ratios = []
    for own in arena[a].values():
        other, best = fastest(own, lambda r: vendor(r) and in_csr(r)), fastest(own, what[series])
        if other is not None and best is not None:
            ratios.append(other["median_ns"] / best["median_ns"])
    seen.add((a, series))
    for name, x, y in (("matrices", count, len(ratios)), ("geomean", geo, geomean(ratios)),
                       ("mean", mean, statistics.fmean(ratios)), ("min", low, min(ratios)), ("max", high, max(ratios))):
        same(f"vendor {a} {series} {name}", x, y)
beside = [a for a in arena if a.split(", ")[2:] == main.split(", ")[2:]]  # of the same layout and device
if len(seen) != 3 * len(beside):
    wrong.append(f"vendor: {len(seen)} series for {len(arena)} arenas")
versus = query("--summary", "versus", "--side-a", "!cusparse*@csr", "--side-b", "cusparse*@csr")
for a, series, _, count, geo, *_ in table("vendor-speedup"):
    for r in versus:
        of_product = a.startswith(f"K = {r['k']}, {r['precision']}, ") and (", on " not in a or a.endswith(", on " + r["device"]))
        if series == "fastest kernel, csr" and of_product:
            same(f"versus {a}", geo, r["geomean"])

peak = max(r["bytes_min"] / r["median_ns"] for r in rows if device[r["device"]] in main or ", on " not in main)
ways = {"cuSPARSE, csr": lambda r: vendor(r) and in_csr(r), "reference, csr": lambda r: of_reference(r) and in_csr(r),
        "ours, any order": lambda r: not vendor(r)}
for name, value in (("throughput", lambda r: 2 * matrix[r["matrix"]]["nnz"] * r["k"] / r["median_ns"]),
                    ("roofline", lambda r: r["bytes_min"] / r["median_ns"] / peak)):
    found = table(name)
    for series in {r[0] for r in found}:
        if sum(r[0] == series for r in found) != sum(fastest(own, ways[series]) is not None for own in arena[main].values()):
            wrong.append(f"{name} {series}: other matrices")
    for series, m, entries, _, _, y in found:
        best = fastest(arena[main][m], ways[series])
        same(f"{name} {series} {m}", y, value(best))
        same(f"{name} {series} {m} entries", entries, matrix[best["matrix"]]["nnz"])

profile = table("profile")
for a, family, m, y in profile:
    own = arena[a][m]
    best = fastest(own, lambda r: kernel[r["kernel"]].split(":")[0] == family)
    same(f"profile {a} {family} {m}", y, best["median_ns"] / fastest(own, lambda r: True)["median_ns"])
drawn = {a for a, *_ in profile}
expected = sum(len({kernel[r["kernel"]].split(":")[0] for r in own}) for a in drawn for own in arena[a].values())
same("profile points", len(profile), expected)

# ---------------------------------------------------------------------------------------------- cost
for p, m, entries, y in table("order-cost"):
    own = next(r for r in arena[main][m] if of_reference(r) and policy[r["policy"]] == p)
    same(f"order-cost {p} {m}", y, own["order_ns"] / csr_time[m])
# ---------------------------------------------------------------------------------------------- model
if len(sys.argv) > 4:
    with open(sys.argv[4]) as f:
        e = json.load(f)["evaluation"]
    if folder:
        part = next(p for p in e["by_k"] if p["name"] == "k=" + " ".join(main.split("= ")[1].split(", ")[:2]))
        e = {**e, "all": part, "confusion": part["confusion"], "time_error": part["time_error"]}
    cells, losses = e["confusion"]["rows_best_by_chosen"], e["confusion"]["loss_mean_best_by_chosen"]
    for (name, count, percent), line in zip(table("model-classes"), cells, strict=True):
        same(f"classes {name}", count, sum(line))
        same(f"classes {name} share", percent, 100 * sum(line) / sum(map(sum, cells)), 1e-3)
    found = iter(table("model-confusion"))
    for i, best in enumerate(e["classes"]):
        for k, chosen in enumerate(e["classes"]):
            row = next(found)
            if row[:2] != [best, chosen] or (row[4] == "") != (losses[i][k] is None):
                wrong.append(f"confusion: {row} where {best}, {chosen} should be")
            same(f"confusion {best} {chosen}", row[2], cells[i][k])
            if row[4]:
                same(f"confusion {best} {chosen} loss", row[4], 100 * losses[i][k])
    for (_, to, count, _, so_far), edge, rows_in in zip(table("model-loss"), e["all"]["loss_bin_upper_edges"],
                                                        e["all"]["loss_bin_rows"], strict=True):
        same(f"loss to {to}", count, rows_in)
        if edge is not None:
            same(f"loss edge {to}", to, 100 * edge)
        for limit, within in e["all"]["share_of_loss_within"].items():
            if to and abs(float(to) - 100 * float(limit)) < 1e-9:
                same(f"loss within {limit}", so_far, 100 * within, 1e-3)
    error = e["time_error"]
    listed = [(c["class"], q, x) for c in error["absolute_relative_error"] for q, x in zip(error["quantiles"], c["at_quantiles"])]
    for row, (name, q, x) in zip(table("model-error"), listed, strict=True):
        if row[0] != name:
            wrong.append(f"error: {row[0]} where {name} should be")
        same(f"error {name} {q}", row[1], 100 * q)
        same(f"error {name} at {q}", row[2], 100 * x)

print("\n".join(wrong[:40]))
sys.exit(1 if wrong else 0)
