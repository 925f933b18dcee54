"""counted_check.py STORE FOLDER: tables of `rowcast query --summary` against a second reader, which has only the file.

Rows, the data sets of trainers, Python and the report too, where FOLDER has rows.csv, dataset.csv or report.json.
FOLDER has best.csv, rate.csv, versus.csv (gsub*, syn-b* or rowsplit against the rest, all orders), speedup.csv, share.csv,
portfolio.csv.  Prints how many lines agreed; an AssertionError says which one does not."""
import csv
import fnmatch
import importlib.util
import json
import math
import os
import sys

import h5py
import numpy as np

SPLITS = 128
random = np.random.default_rng(1)

store, folder = sys.argv[1:3]  # and where the Python package is
with h5py.File(store) as f:
    r = f["results"][:]
    types = {n: {v: k for k, v in h5py.check_enum_dtype(r.dtype[n]).items()}
             for n in ("op", "precision", "layout", "c_order", "cache", "status")}
    cols, nnz = f["dict/matrix"]["cols"], f["dict/matrix"]["nnz"]
    device = [d.decode() for d in f["dict/device"]["class_name"]]
    sampled = "samples" in f and len(f["samples"]) > 0
    uuid = {(p["run"], p["rank"]): p["value"].decode() for p in f["provenance"][:]
            if p["key"] == b"device.uuid" and not p["value"].startswith(b"cpu")}
    run_uuid = {d["id"]: d["uuid"].decode() for d in f["dict/run"][:]}
    digest = [d.decode() for d in f["dict/matrix"]["digest"]]
    name_of = [d.decode() for d in f["dict/matrix"]["name"]]
    spec, version, base = {}, {}, {}
    for what in ("policy", "kernel"):
        d = f["dict/" + what][:]
        base[what] = [n.decode() for n in d["name"]]
        params = [p.decode() for p in d["params"]] if "params" in d.dtype.names else [""] * len(d)
        spec[what] = [":".join(t for t in pair if t) for pair in zip(base[what], params)]
        version[what] = d["version"]

# which results count
last = {case: i for i, case in enumerate(r["case_id"])}
newest = np.zeros(len(r), bool)
newest[list(last.values())] = True
ok = np.array([types["status"][s] == "ok" for s in r["status"]]) & (r["median_ns"] > 0)
counts = newest & ok & ~np.isnan(r["error_max"])
for what in ("policy", "kernel"):
    top = {}
    for name, v in zip(base[what], version[what]):
        top[name] = max(v, top.get(name, v))
    current = np.array([v == top[name] for name, v in zip(base[what], version[what])])
    counts &= current[r[what]]
rows = np.flatnonzero(counts)

widths = {}
for i in rows:
    widths.setdefault((r["op"][i], r["k"][i]), set()).add(cols[r["matrix"][i]])


def width(i):
    if r["k"][i] == 0:
        return ""
    alone = len(widths[r["op"][i], r["k"][i]]) == 1
    return "n" if r["k"][i] == cols[r["matrix"][i]] and alone else str(r["k"][i])


ROW = r[["matrix", "op", "precision", "c_order", "cache", "device", "kernel", "policy", "layout", "nw", "nt", "line", "k",
         "run", "median_ns", "bytes_min", "rel_err", "rank", "seq"]].tolist()
NAMES = {n: i for i, n in enumerate(("matrix", "op", "precision", "c_order", "cache", "device", "kernel", "policy", "layout",
                                     "nw", "nt", "line", "k", "run", "median_ns", "bytes_min", "rel_err", "rank", "seq"))}


def at(i, name):
    return ROW[i][NAMES[name]]


def is_csr(i):
    return spec["policy"][at(i, "policy")] == "csr" and types["c_order"][at(i, "c_order")] == "original"


# the pairing rule: what each ok result is compared with, and its time beside others of its cell
session = [(at(i, "run"), uuid.get((at(i, "run"), at(i, "rank")), "")) for i in range(len(r))]
since = {s: i for i, s in reversed(list(enumerate(session)))}
cells, base_of, scale, frame, refused = {}, {}, {}, {}, set()
for i in np.flatnonzero(ok):
    group = tuple(at(i, n) for n in ("kernel", "layout", "nw", "nt", "line"))
    cell = tuple(at(i, n) for n in ("matrix", "op", "k", "precision", "cache", "device"))
    cells.setdefault(cell, {}).setdefault(group, []).append(i)


def most(own):
    """The session of most of the newest results, of equals the later one."""
    count = {s: sum(newest[i] for i in own if session[i] == s) for s in {session[i] for i in own}}
    return max(count, key=lambda s: (count[s], since[s]))


for groups in cells.values():
    main = most([i for own in groups.values() for i in own])
    drift = {}
    for own in groups.values():
        csr = {session[i]: i for i in own if is_csr(i)}
        valid = any(newest[i] for i in own if is_csr(i))
        kept = main if main in csr else most([i for i in own if session[i] in csr]) if csr else None
        for i in own:
            fits = [k for k in own if is_csr(k) and (session[k][1] == session[i][1] or "" in (session[k][1], session[i][1]))]
            base_of[i] = csr.get(session[i], max(fits) if valid and fits else None)
            if base_of[i] is None:
                scale[i], frame[i] = 1, session[i]
                refused |= {i} if valid else set()
            else:
                scale[i], frame[i] = at(csr[kept], "median_ns") / at(base_of[i], "median_ns"), kept
        for s, i in csr.items():
            if main in csr:
                drift.setdefault(s, []).append(at(csr[main], "median_ns") / at(i, "median_ns"))
    for own in groups.values():
        for i in own:
            if frame[i] != main and frame[i] in drift:
                scale[i] *= math.exp(sum(map(math.log, drift[frame[i]])) / len(drift[frame[i]]))
                frame[i] = main


def common(i):
    return at(i, "median_ns") * scale.get(i, 1)


def csr_of(i):
    return base_of.get(i)


def speedup(i):
    c = csr_of(i)
    return math.nan if c is None else at(c, "median_ns") / at(i, "median_ns")


# settings -> matrix -> rows; the original order is the baseline of the other orders of C too
settings = {}
for i in rows:
    key = (types["op"][at(i, "op")], width(i), types["precision"][at(i, "precision")], types["c_order"][at(i, "c_order")],
           types["cache"][at(i, "cache")], device[at(i, "device")])
    settings.setdefault(key, {}).setdefault(at(i, "matrix"), []).append(i)
for key, matrices in settings.items():
    if key[3] != "original":
        original = settings.get(key[:3] + ("original",) + key[4:], {})
        for m, own in matrices.items():
            own += [i for i in original.get(m, []) if is_csr(i)]


def read(name):
    with open(f"{folder}/{name}.csv", newline="") as text:
        return [dict({"op": "spmm"}, **line) for line in csv.DictReader(text)]


def setting_of(line):
    return tuple(line[n] for n in ("op", "k", "precision", "c_order", "cache", "device"))


agreed = 0


def same(line, expected, where):
    global agreed
    for name, value in expected.items():
        found = float(line[name]) if line[name] else math.nan
        assert math.isclose(found, value, rel_tol=1e-9, abs_tol=1e-9) or (math.isnan(found) and math.isnan(value)), \
            (where, name, found, value)
    agreed += 1


def geomean(x):
    return math.exp(math.fsum(map(math.log, x)) / len(x)) if x else math.nan


def stats(x):
    if not x:
        return dict.fromkeys(("max", "mean", "geomean", "median", "min"), math.nan)
    return {"max": max(x), "mean": math.fsum(x) / len(x), "geomean": geomean(x), "median": float(np.median(x)), "min": min(x)}


def error_of(i):
    e = at(i, "rel_err")
    return e if math.isfinite(e) else 0.05


def halves(i):
    """Two independent estimates of a log time without raw samples, many times over, by other random numbers."""
    z = error_of(i) * random.standard_normal(SPLITS)
    return math.log(common(i)) + np.array([z, -z])


def held_out(costs):
    """Mean of the cost, in one half, of the choice in the other; and what that may be off by."""
    half = np.array(costs)  # [choices][2][splits]
    score = np.take_along_axis(half[:, ::-1], np.argmin(half, 0)[None], 0)[0].mean(0)
    return score.mean(), score.var() / SPLITS


def tie(i, k):
    return abs(math.log(common(i) / common(k))) <= 2 * math.hypot(error_of(i), error_of(k))


def about(line, name, logs, where):
    """A held-out geometric mean, up to what both sides' random numbers leave open."""
    global agreed
    value = math.exp(math.fsum(x for x, _ in logs) / len(logs))
    error = math.sqrt(math.fsum(v for _, v in logs) * (1 + SPLITS / 32)) / len(logs)
    # choices of one split in hundreds, which one side's random numbers have and the other's lack; of raw times the halves are
    # other ones
    rare = 5e-3 if sampled else 5e-4
    assert abs(math.log(float(line[name]) / value)) <= 5 * error + rare, (where, name, line[name], value, error)
    agreed += 1


def is_of_two_cards(*sides):
    return len({frame[i][1] for i in sides} - {""}) > 1


# best and rate
best, rate = {}, {}
for key, matrices in settings.items():
    for own in matrices.values():
        own.sort(key=lambda i: (common(i), i))
        seen = set()
        for i in own:
            pair = (spec["kernel"][at(i, "kernel")], spec["policy"][at(i, "policy")])
            if pair in seen:
                continue
            seen.add(pair)
            t = best.setdefault(key + pair, {"wins": 0, "clear": 0, "ties": 0, "loss": [], "cards": 0})
            t["wins"] += i == own[0]
            tied = [k for k in own if (at(k, "kernel"), at(k, "policy")) != (at(own[0], "kernel"), at(own[0], "policy")) and tie(k, own[0])]
            t["clear"] += i == own[0] and not tied
            # a pair counts with its fastest geometry
            t["ties"] += i in tied or (i == own[0] and bool(tied))
            t["loss"].append(common(i) / common(own[0]))
            t["cards"] += is_of_two_cards(i, own[0])
            flop = 2.0 * float(nnz[at(i, "matrix")]) * (at(i, "k") or 1)
            u = rate.setdefault(key + pair, {"flop": [], "bytes": []})
            u["flop"].append(flop / at(i, "median_ns"))
            u["bytes"].append(at(i, "bytes_min") / at(i, "median_ns"))
lines = read("best")
assert len(lines) == len(best), (len(lines), len(best))
for line in lines:
    key = setting_of(line)
    t = best[key + (line["kernel"], line["policy"])]
    same(line, {"matrices": len(t["loss"]), "wins": t["wins"], "clear": t["clear"], "ties": t["ties"], "share": 100 * t["wins"] / len(settings[key]),
                "loss_geomean": 100 * (geomean(t["loss"]) - 1), "loss_mean": 100 * (math.fsum(t["loss"]) / len(t["loss"]) - 1),
                "loss_max": 100 * (max(t["loss"]) - 1), "two_cards": t["cards"]}, line)
def of_all(name):
    """The lines of all matrices; those of real ones are of no more."""
    both = read(name)
    lines = [line for line in both if line["set"] == "all"]
    most = {tuple(line.get(n) for n in ("kernel", "policy")) + setting_of(line): int(line["matrices"]) for line in lines}
    for line in both:
        assert int(line["matrices"]) <= most[tuple(line.get(n) for n in ("kernel", "policy")) + setting_of(line)], line
    return lines


lines = of_all("rate")
assert len(lines) == len(rate), (len(lines), len(rate))
for line in lines:
    t = rate[setting_of(line) + (line["kernel"], line["policy"])]
    expected = {"matrices": len(t["flop"]), "mean": math.fsum(t["flop"]) / len(t["flop"]), "geomean": geomean(t["flop"])}
    same(line, dict(expected, max_bytes=max(t["bytes"])), line)

# errors: also of what is wrong
UNIT = {"fp32": 2**-24, "fp64": 2**-53, "bf16": 2**-8, "fp16": 2**-11, "c64": 2**-24, "c128": 2**-53}
errors = {}
for i in rows:
    key = types["op"][r["op"][i]], spec["kernel"][r["kernel"][i]], types["precision"][r["precision"][i]]
    errors.setdefault(key, []).append((float(r["error_rel"][i]), float(r["error_max"][i])))
lines = {(line["op"], line["kernel"], line["precision"]): line for line in read("errors") if int(line["results"])}
assert set(lines) == set(errors), (set(lines) ^ set(errors))
for key, found in errors.items():
    rel = max(e[0] for e in found)
    same(lines[key], {"results": len(found), "error_rel": rel, "error_units": rel / UNIT[key[2]],
                      "error_max": max(e[1] for e in found)}, key)

# versus
lines = {setting_of(line): line for line in of_all("versus")}
side = [any(fnmatch.fnmatchcase(k, p) for p in ("gsub*", "syn-b*")) for k in spec["kernel"]]
n = 0
for key, matrices in settings.items():
    a, b = [], []
    for own in matrices.values():
        for times, wanted in ((a, True), (b, False)):
            times.append(min(((common(i), i) for i in own if side[at(i, "kernel")] == wanted), default=None))
    ratio = [y[0] / x[0] for x, y in zip(a, b) if x and y]
    cards = [is_of_two_cards(x[1], y[1]) for x, y in zip(a, b) if x and y]
    if any(a) or any(b):
        n += 1
        same(lines[key], dict(stats(ratio), matrices=len(ratio), two_cards=sum(cards), wins_a=sum(x > 1 for x in ratio),
                              only_a=sum(bool(x and not y) for x, y in zip(a, b)),
                              only_b=sum(bool(y and not x) for x, y in zip(a, b))), key)
assert n == len(lines), (n, len(lines))

# speedups over csr
expected, members = {}, {}
for key, matrices in settings.items():
    parts = {}
    for m, own in matrices.items():
        for i in own:
            part = (spec["kernel"][at(i, "kernel")], types["layout"][at(i, "layout")], at(i, "nw"), at(i, "nt"), at(i, "line"))
            parts.setdefault(part, {}).setdefault(m, []).append(i)
    for part, of in parts.items():
        table = {}
        for m, own in of.items():
            if any(is_csr(i) for i in own) and any(types["c_order"][at(i, "c_order")] == key[3] for i in own):
                gains = {spec["policy"][at(i, "policy")]: speedup(i) for i in own}
                if any(p != "csr" and not math.isnan(x) for p, x in gains.items()):  # else nothing is known of orders
                    table[m] = gains
        policies = {p for gain in table.values() for p in gain} | \
                   {spec["policy"][at(i, "policy")] for own in of.values() for i in own}
        if table and len(policies) > 1:
            expected[key + part] = (list(table.values()), policies)
            members[key + part] = [of[m] for m in table]


def table_of(line):
    return setting_of(line) + (line["kernel"], line["layout"], int(line["nw"]), int(line["nt"]), int(line["line"]))


def over(gains, policies):
    return [max([g[p] for p in policies if p in g and not math.isnan(g[p])] + [1]) for g in gains]


for name in ("speedup", "share"):
    lines = read(name)
    assert {table_of(line) for line in lines} == set(expected), name
    assert len(lines) == sum(len(p) + (name == "share") for _, p in expected.values()), name
    for line in lines:
        gains, policies = expected[table_of(line)]
        own = over(gains, policies) if line["policy"] == "oracle" else [g[line["policy"]] for g in gains if not math.isnan(g.get(line["policy"], math.nan))]
        if name == "speedup":
            same(line, dict(stats(own), matrices=len(own)), line)
            if line["policy"] != "oracle":
                assert line["geomean_held_out"] == line["mean_held_out"] == "", line
                continue
            logs = []
            for of in members[table_of(line)]:
                own = [i for i in of if not math.isnan(speedup(i))]
                half = {i: halves(i) for i in sorted(set(own) | {csr_of(i) for i in own})}
                logs.append(held_out([half[i] - half[i if is_csr(i) else csr_of(i)] for i in own]))
            about(line, "geomean_held_out", [(-x, v) for x, v in logs], line)
        else:
            same(line, {"matrices": len(own), "gain_over_5": 100 * sum(x > 1.05 for x in own) / len(gains)}, line)
for key in {table_of(line) for line in lines}:
    wins = [int(line["wins"]) for line in lines if table_of(line) == key and line["policy"] != "oracle"]
    assert sum(wins) == len(expected[key][0]), (key, wins)

steps = {}
for line in read("portfolio"):
    steps.setdefault(table_of(line), []).append(line)
assert set(steps) == set(expected)
for key, own in steps.items():
    gains, policies = expected[key]
    policies, used = set(policies), []
    assert len(own) == len(policies), key
    for line in own:
        left = sorted(policies - set(used))
        most = max(geomean(over(gains, used + [p])) for p in left) if used else 1
        used.append(line["added"])
        assert used[0] == "csr", key
        now = over(gains, used)
        same(line, {"policies": len(used), "geomean": geomean(now), "mean": math.fsum(now) / len(now)}, key)
        assert math.isclose(geomean(now), most, rel_tol=1e-9), (key, used, most)


# rows, all of them
def close(x, y):
    return math.isclose(x, y, rel_tol=1e-9) or (math.isnan(x) and math.isnan(y))


if os.path.exists(f"{folder}/rows.csv"):
    place = {(run_uuid[at(i, "run")], at(i, "rank"), at(i, "seq")): i for i in range(len(r))}
    lines = read("rows")
    assert len(lines) == len(r)
    for line in lines:
        i = place[line["run"], int(line["rank"]), int(line["seq"])]
        want = speedup(i) if ok[i] else math.nan
        assert close(float(line["speedup"] or "nan"), want), (line, want)
        assert line["card"] == session[i][1] and (line["paired"] == "1") == \
            (i in base_of and base_of[i] is not None and session[base_of[i]] == session[i]), line
        assert not ok[i] or close(float(line["common_ns"]), common(i)), (line, common(i))
        agreed += 1

# the data set of trainers of a kernel: of one of its layouts
if os.path.exists(f"{folder}/dataset.csv"):
    with open(f"{folder}/dataset.csv", newline="") as text:
        lines = list(csv.reader(text))
    kernel = spec["kernel"].index("syn-a:strip=8")
    ways = []
    for layout in {at(i, "layout") for i in rows}:
        time = {(digest[at(i, "matrix")], str(at(i, "k")), spec["policy"][at(i, "policy")]): common(i) for i in rows
                if at(i, "kernel") == kernel and at(i, "layout") == layout and i not in refused and
                types["c_order"][at(i, "c_order")] == "original"}
        ways.append(all(tuple(line[:3]) in time and close(time[tuple(line[:3])], float(line[3])) for line in lines))
    assert any(ways), "dataset"
    agreed += len(lines)

# Python; behind the seal, which these stores may lack
if importlib.util.find_spec("pandas") and any(sys.argv[3:]):
    sys.path.insert(0, sys.argv[3])
    from rowcast.store import Store
    frames = object.__new__(Store)
    frames._file = h5py.File(store)
    s = frames.speedups()
    own = {(x.run, x["rank"], x.seq): x.speedup for _, x in s.iterrows()}
    found = {(at(i, "run"), at(i, "rank"), at(i, "seq")): speedup(i) for i in np.flatnonzero(newest & ok)}
    assert set(own) == set(found) and all(close(own[k], x) for k, x in found.items()), \
        [(k, own.get(k), x) for k, x in found.items() if not close(own.get(k, 0), x)][:3]
    agreed += len(own)

# the report: plans of each matrix, and the orders of its reference kernel
if os.path.exists(f"{folder}/report.json"):
    with open(f"{folder}/report.json") as text:
        report = json.load(text)
    count = [0, 0, 0]
    for key, matrices in settings.items():
        for own in matrices.values():
            for i in own:
                if types["c_order"][at(i, "c_order")] == key[3]:
                    count[0] += base_of[i] is not None and session[base_of[i]] != session[i]
                    count[1] += i in refused
                    count[2] += base_of[i] is None and i not in refused
    pairs = report["pairs"]
    assert [pairs[n] for n in ("another_run", "another_card", "nothing")] == count, (pairs, count)
    # a layout of B and C is a product apart
    by_layout = {(key, at(i, "layout") if at(i, "k") else 0) for key, matrices in settings.items() for own in matrices.values()
                 for i in own if types["c_order"][at(i, "c_order")] == key[3]}
    words = {"column-major": "col", "row-major": "row", "row-major B and column-major C": "row-col",
             "column-major B and row-major C": "col-row"}
    assert len(report["settings"]) == len(by_layout), (len(report["settings"]), by_layout)
    for part in report["settings"]:
        c_order = next((word for word in ("schedule", "symmetric") if word in part["label"]), "original")
        key = next(k for k in settings if k[:4] == (part["operation"], "" if part["k"] is None else str(part["k"]), part["precision"], c_order)
                   and k[5] == part["device"])
        ratio, mixed, with_dense = [], {"order": 0, "plan": 0}, 0
        for at_line, at_matrix in enumerate(part["matrix"]):
            own = [i for i in settings[key][name_of.index(report["matrix"]["name"][at_matrix])]
                   if part["layout"] is None or types["layout"][at(i, "layout")] == words[part["layout"]]]
            library, dense = ([i for i in own if spec["kernel"][at(i, "kernel")].startswith(prefix)] for prefix in (("cusparse", "mkl"), "cublas"))
            # the library is no plan, unless it was measured alone; a product with A dense is neither
            rivals = [] if part["vendor_alone"] else [i for i in library if is_csr(i)]
            own = [i for i in own if i not in dense + (library if not part["vendor_alone"] else [])]
            with_dense += bool(dense)
            of_kernel = [i for i in own if spec["kernel"][at(i, "kernel")] == part["reference"] and i not in refused]
            of_csr = [i for i in of_kernel if is_csr(i)]
            ratio += [min(map(common, of_csr)) / min(map(common, of_kernel))] if 0 < len(of_csr) < len(of_kernel) else []
            for name, above, below in (("order", of_csr, of_kernel), ("plan", [i for i in own if is_csr(i)], own)):
                # the fastest of each; of equal times there is no telling
                mixed[name] += bool(above) and is_of_two_cards(min(above, key=common), min(below, key=common))
            for name, among in (("best_ns", own), ("csr_ns", [i for i in own if is_csr(i)]), ("reference_csr_ns", of_csr),
                                ("reference_best_ns", of_kernel), ("vendor_ns", rivals)):
                found = part[name][at_line]
                assert (found is None) == (not among) and (not among or math.isclose(found, min(map(common, among)), rel_tol=1e-5)), \
                    (key, name, found, among)
                agreed += 1
        assert {name: part["headline"][name]["two_cards"] for name in mixed} == mixed, (key, part["headline"], mixed)
        assert part["with_dense"] == with_dense and part["dense"] == ("cuBLAS" if with_dense else None), (key, with_dense)
        found = part["headline"]["order"]
        assert found["matrices"] == len(ratio) and (not ratio or math.isclose(found["geomean"], geomean(ratio), rel_tol=1e-5)), \
            (key, found, geomean(ratio))
print(f"agreed {agreed}, settings {len(settings)}, operations {len({k[0] for k in settings})}")
