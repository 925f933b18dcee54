#!/usr/bin/env python3
"""Features of real matrices beside those of their twins, by kind.

Usage: twins.py ROWCAST CATALOG COLLECTION [--each]

ROWCAST is the program, CATALOG the index ssstats.csv, COLLECTION a directory with Group/Name.mtx*.
Prints a table in Markdown: for each kind the number of matrices and, for each feature, the median of
the real matrices, the median of the twins, and the median factor between a matrix and its twin.
--each: one line a matrix instead, as CSV.
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
        kind = matrix["kind"].removeprefix("subsequent ").removeprefix("duplicate ")
        name = matrix["fullname"]
        yield (kind.removesuffix(" sequence").removesuffix(" problem"), name,
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


def main():
    """The command."""
    if len(sys.argv) not in (4, 5) or (len(sys.argv) == 5 and sys.argv[4] != "--each"):
        sys.exit(__doc__)
    rows = pairs(*sys.argv[1:4])
    if len(sys.argv) == 5:
        print_each(rows)
    else:
        print_kinds(list(rows))


if __name__ == "__main__":
    main()
