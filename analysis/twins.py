#!/usr/bin/env python3
"""Features and best plans of real matrices beside those of their twins, by kind.

Usage: twins.py ROWCAST CATALOG COLLECTION [--each]
       twins.py ROWCAST --plans STORE

ROWCAST is the program, CATALOG the index ssstats.csv, COLLECTION a directory with Group/Name.mtx*.
Prints a table in Markdown: for each kind the number of matrices and, for each feature, the median
of the real matrices, the median of the twins, and the median factor between a matrix and its twin.
--each: one line a matrix instead, as CSV.
--plans: of a store of the campaign part twins, for each kind and K: on how many matrices the
fastest kernel, its order, and both are those of the twin; the geometric mean and the largest time
of what is fastest on the twin over the least time, on the real matrix; the median rate (Gflop/s) of
the real matrices and of the twins, and the median factor between the two.  Then, for each K, the
same mean of the twins' plans and of the one plan that is best for all real matrices.
"""
import csv
import io
import math
import statistics
import subprocess
import sys

# heading, feature set, feature, divided by
FEATURES = [
    ("spread of rows", "nisa", "nnz_sigma", "nnz_mu"),
    ("longest row / mean", "nisa", "nnz_max", "nnz_mu"),
    ("run of columns", "nisa", "row_block_size_mean", None),
    ("similarity", "jiang", "similarity", None),
    ("reuse of 8 rows", "jiang", "panel_reuse_8", None),
    ("reuse of 128 rows", "jiang", "panel_reuse_128", None),
]


def table(*words):
    """The rows that a command prints as CSV."""
    run = subprocess.run(words, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{' '.join(words)}: {run.stderr.strip()}")
    return list(csv.DictReader(io.StringIO(run.stdout)))


def features(rowcast, matrix):
    """The values of FEATURES of a file or a generator spec."""
    found = {}
    for name in sorted({f[1] for f in FEATURES}):
        found[name] = table(rowcast, "features", matrix, "--set", name, "-f", "csv")[0]
    values = []
    for _, name, feature, over in FEATURES:
        value = float(found[name][feature] or "nan")
        below = float(found[name][over]) if over else 1
        values.append(value / below if below else math.nan)
    return values


def pairs(rowcast, catalog, collection):
    """Kind, name, features of the matrix, features of its twin."""
    fields = "fullname,kind,location"
    real = table(rowcast, "catalog", "--catalog", catalog, "--collection", collection,
                 "--where", "present && id > 0", "--columns", fields, "-f", "csv")
    twins = table(rowcast, "catalog", "--catalog", catalog, "--collection", "twins",
                  "--columns", fields, "-f", "csv")
    spec = {t["fullname"]: t["location"] for t in twins}
    for matrix in real:
        name = matrix["fullname"]
        yield (short_kind(matrix["kind"]), name,
               features(rowcast, matrix["location"]), features(rowcast, spec["twin:" + name]))


def factor(a, b):
    """How many times the one is the other, at least 1; a tenth counts as nothing."""
    a, b = abs(a) + 0.1, abs(b) + 0.1
    return max(a / b, b / a)


def cell(real, twin):
    """real / twin (factor), medians over the matrices of a kind."""
    both = [(a, b) for a, b in zip(real, twin) if not math.isnan(a + b)]
    if not both:
        return "-"
    a = statistics.median(x for x, _ in both)
    b = statistics.median(y for _, y in both)
    return f"{a:.3g} / {b:.3g} ({statistics.median(factor(x, y) for x, y in both):.2g})"


def print_kinds(rows):
    """A line for each kind, the most frequent first."""
    kinds = {}
    for kind, _, real, twin in rows:
        kinds.setdefault(kind, []).append((real, twin))
    kinds["all"] = [pair for of in kinds.values() for pair in of]
    print("| kind | matrices | " + " | ".join(f[0] for f in FEATURES) + " |")
    print("| --- " * (len(FEATURES) + 2) + "|")
    for kind, of in sorted(kinds.items(), key=lambda k: (k[0] == "all", -len(k[1]), k[0])):
        cells = [cell([r[i] for r, _ in of], [t[i] for _, t in of]) for i in range(len(FEATURES))]
        print(f"| {kind} | {len(of)} | " + " | ".join(cells) + " |")


def print_each(rows):
    """A line for each matrix."""
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["kind", "name"] + [s + f[0] for s in ("", "twin: ") for f in FEATURES])
    for kind, name, real, twin in rows:
        out.writerow([kind, name] + [f"{v:.6g}" for v in real + twin])


def short_kind(kind):
    """The kind of problem, without what says nothing of it."""
    kind = kind.removeprefix("subsequent ").removeprefix("duplicate ")
    return kind.removesuffix(" sequence").removesuffix(" problem")


def plans(rowcast, store):
    """Kind, K, matrix, and {(kernel, order): Gflop/s} of the matrix and of its twin."""
    rates = {}
    kinds = {}
    for row in table(rowcast, "query", store, "--where", "status == ok", "--columns",
                     "fullname,kind,k,kernel,policy,gflops", "-f", "csv"):
        plan = (row["kernel"].split(":")[0], row["policy"].split(":")[0])
        of = rates.setdefault((row["fullname"], int(row["k"])), {})
        of[plan] = max(of.get(plan, 0), float(row["gflops"]))
        kinds[row["fullname"]] = short_kind(row["kind"])
    for (name, k), real in sorted(rates.items()):
        twin = rates.get(("twin:" + name, k))
        if twin:
            yield kinds[name], k, real, twin


def fastest(rates, among):
    """The plan of the greatest rate."""
    return max(among, key=lambda plan: rates[plan])


def geomean(values):
    """Their geometric mean."""
    return math.exp(statistics.fmean(math.log(v) for v in values))


def print_one_for_all(rows, losses):
    """What the twins' plans lose, and the best one plan.  losses: by K."""
    for k, loss in sorted(losses.items()):
        of = [real for _, at, real, _ in rows if at == k]
        common = set.intersection(*[set(real) for real in of])
        best = min((geomean(max(real.values()) / real[plan] for real in of), plan)
                   for plan in common)
        print(f"K = {k}: the plans of the twins take {geomean(loss):.3f} of the least time, "
              f"{' under '.join(best[1])} for all {best[0]:.3f}")


def print_plans(rows):
    """A line for each kind and K."""
    kinds = {}
    for kind, k, real, twin in rows:
        both = sorted(set(real) & set(twin))
        if not both:
            continue
        a, b = fastest(real, both), fastest(twin, both)
        kinds.setdefault((kind, k), []).append(
            (a[0] == b[0], a[1] == b[1], a == b, real[a] / real[b], real[a], twin[b]))
    for (kind, k), of in list(kinds.items()):
        if kind != "all":
            kinds.setdefault(("all", k), []).extend(of)
    print("| kind | K | matrices | same kernel | same order | both | loss of the twin's plan "
          "| largest | Gflop/s, real / twins |")
    print("| --- " * 9 + "|")
    count = {}
    for (kind, _), of in kinds.items():
        count[kind] = max(count.get(kind, 0), len(of))
    for (kind, k), of in sorted(
            kinds.items(), key=lambda x: (x[0][0] == "all", -count[x[0][0]], x[0])):
        same = [sum(row[i] for row in of) for i in range(3)]
        loss = [row[3] for row in of]
        rate = [statistics.median(row[i] for row in of) for i in (4, 5)]
        apart = statistics.median(max(row[4] / row[5], row[5] / row[4]) for row in of)
        print(f"| {kind} | {k} | {len(of)} | {same[0]} | {same[1]} | {same[2]} "
              f"| {geomean(loss):.3g} | {max(loss):.3g} | {rate[0]:.3g} / {rate[1]:.3g} "
              f"({apart:.2g}) |")
    print()
    print_one_for_all(
        rows, {k: [row[3] for row in of] for (kind, k), of in kinds.items() if kind == "all"})


def main():
    """The command."""
    if len(sys.argv) == 4 and sys.argv[2] == "--plans":
        print_plans(list(plans(sys.argv[1], sys.argv[3])))
        return
    if len(sys.argv) not in (4, 5) or (len(sys.argv) == 5 and sys.argv[4] != "--each"):
        sys.exit(__doc__)
    rows = pairs(*sys.argv[1:4])
    if len(sys.argv) == 5:
        print_each(rows)
    else:
        print_kinds(list(rows))


if __name__ == "__main__":
    main()
