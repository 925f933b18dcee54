#!/usr/bin/env python3
"""The rule by which a plan guesses a kernel, fitted to published stores.

Writes the tables of src/plan/guess, which guess.c there reads: for each one trees whose leaves add
up to a cost of every candidate, in 1/256 of a natural logarithm of the time over that of the best.
Needs NumPy and h5py.
"""
import argparse
import csv
import io
import pathlib
import subprocess
import sys
import textwrap

try:
    import h5py
    import numpy as np
except ImportError:  # which --help does without
    h5py = np = None

# In the order of src/plan/guess/guess.c: log2 of each.
FEATURES = ["row_bytes", "value_bytes", "rows_sm", "entries_sm", "mean", "skew", "longest",
            "work_sm", "long_work", "b_over_l2", "c_over_l2", "long_share", "empty_share",
            "load_values", "tail"]
SMS = 132
NEWER = "h200-gstage.h5"  # a kernel that became another one, on matrices of the other stores
STORES = ["h200-plans.h5", "h200-large.h5", "h200-orders.h5", "h200-types.h5",
          "h200-spmv-628.h5", NEWER]
L2 = {"h100": 52428800, "h200": 62914560}  # of the GPU that a store's name begins with
ORDERED_ROWS, ORDERED_PART = 30000, 16  # as in guess.c: where the order is `auto`
DEFAULTS = {"entries": "auto", "vectors": "0", "rounds": "0", "strip": ("auto", "0"), "panel": "0",
            "longest": "auto", "pairs": "auto", "rows": "auto", "ctas": "3", "near": "4",
            "b": "auto", "tile": "auto", "split": "0", "lanes": "auto", "width": "mu", "fill": "256"}
FILL = 7  # places for an entry, beyond which gmma is not worth a try
# measured so; plans take one that refuses padding
GUARDED = {"ell:limit=none": "ell:limit=cusp", "gmma": f"gmma:fill={FILL}"}
REFUSED = 1.05  # what looking costs there, over the best of the others
WIDTH = {"fp32": 4, "fp64": 8, "bf16": 2, "fp16": 2}
CAP = .5  # more than this is as bad
SLOWER = .5  # a candidate that is slower than the vendor's fastest costs so much of that besides
TIMES = 3  # that a large matrix and pruned weights count, of which there are few
UNIT = 256
TREES = {"rows": {"trees": 38, "rate": .2, "leaves": 24, "least": 4, "part": .7},
         "shorts": {"trees": 34, "rate": .17, "leaves": 24, "least": 6, "part": .7},
         "columns": {"trees": 24, "rate": .2, "leaves": 24, "least": 6, "part": .7},
         "vector": {"trees": 12, "rate": .3, "leaves": 16, "least": 6, "part": .7}}


def rows_of(rowcast, store):
    """The verified results of a store, as dictionaries of text."""
    fields = ("digest,name,group,rows,cols,nnz,policy,kernel,op,k,precision,layout,fill,median_ns,"
              "kernel_version")
    words = [rowcast, "query", str(store), "-w", "status == ok", "--columns", fields, "-f", "csv"]
    text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(io.StringIO(text)))


def lengths_of(store):
    """Entries of the longest row and share of empty rows, by digest."""
    found = {}
    with h5py.File(store) as f:
        digest = [m["digest"].decode() for m in f["dict/matrix"][:]]
        table = f["features/storage"]
        names = table["values"].attrs["names"].decode().split(",")
        for row, value in zip(table["rows"][:], table["values"][:]):
            value = dict(zip(names, value))
            found[digest[row["matrix"]]] = (value["nnz_max"], value["empty_share"])
    return found


def spell(kernel):
    """A kernel as a candidate names it: without what is a default."""
    name, *params = kernel.split(":")
    for p in params:
        key, value = p.split("=")
        if value not in DEFAULTS.get(key, ()) and value != DEFAULTS.get(key):
            name += ":" + p
    return GUARDED.get(name, name)


def is_ordered(r, l2):
    """1: plans build an order there (src/plan/guess/guess.c)."""
    width = WIDTH[r["precision"]]
    b = int(r["cols"]) * int(r["k"] or 1) * width
    return int(r["rows"]) > ORDERED_ROWS and b * ORDERED_PART >= l2


def features(r, longest, empty, l2):
    """FEATURES of a problem."""
    width = WIDTH[r["precision"]]
    k = int(r["k"] or 1)
    rows, cols, nnz = (max(int(r[x]), 1) for x in ("rows", "cols", "nnz"))
    longest = max(longest, 1)
    mean = nnz / max(rows - round(empty * rows), 1)
    row = k * width
    load = max(v for v in (1, 2, 4, 8) if v * width <= 16 and k % v == 0)
    return np.log2([row, width, rows / SMS, nnz / SMS, mean, longest / mean, longest,
                    nnz / SMS * row, longest * row, cols * row / l2, rows * row / l2,
                    longest / nnz, empty + 1 / 1024, load, -(-k // 128) * 128 / k])


class Problems:
    """Problems, their features, times of the candidates and of the vendor, groups."""

    def __init__(self, candidates, vendor, natural=False):
        """natural: where `auto` was not measured, rows are in a good order, and it leaves them."""
        self.candidates, self.vendor_is, self.natural = candidates, vendor, natural
        self.x, self.time, self.vendor, self.text = [], [], [], []
        self.group, self.label, self.large, self.pruned = [], [], [], []

    def add(self, rowcast, store, large, keep):
        """Those of a store; of large matrices those where plans build an order."""
        lengths, l2 = lengths_of(store), L2[store.name[:4]]
        found = {}
        for r in rows_of(rowcast, store):
            if r["digest"] in lengths and keep(r):
                key = (r["digest"], r["k"], r["precision"])
                found.setdefault(key, {}).setdefault((spell(r["kernel"]), r["policy"]), r)
        newer = store.parent / NEWER
        for r in rows_of(rowcast, newer) if newer.name[:4] == store.name[:4] else []:
            of = found.get((r["digest"], r["k"], r["precision"]), {})
            at = (spell(r["kernel"]), r["policy"])
            if at in of and int(of[at]["kernel_version"]) < int(r["kernel_version"]):
                of[at] = r
        for of in found.values():
            some = next((r for (c, _), r in of.items() if c in self.candidates), None)
            if not some:
                continue
            if is_ordered(some, l2) == large:
                measured = {o for _, o in of}
                keeps = not large or self.natural and "auto" not in measured
                order = "csr" if keeps else "auto"
                self._add(of, some, lengths[some["digest"]], order, large, l2)

    def _add(self, of, some, lengths, order, large, l2):
        time = [float(of[c, order]["median_ns"]) if (c, order) in of else np.nan
                for c in self.candidates]
        vendor = [float(r["median_ns"]) for (c, o), r in of.items()
                  if c.startswith("cusparse") and o == "csr" and self.vendor_is(r)]
        base = {c.split(":")[0] for c, t in zip(self.candidates, time) if not np.isnan(t)}
        if base != {c.split(":")[0] for c in self.candidates} - REFUSES | base & REFUSES:
            return  # a family was not measured
        for i, c in enumerate(self.candidates):  # a variant was not: a little behind the best one
            if np.isnan(time[i]):
                same = [t for d, t in zip(self.candidates, time) if d.split(":")[0] ==
                        c.split(":")[0] and not np.isnan(t)]
                time[i] = 1.03 * max(same) if same else 3 * np.nanmax(time)
        for i, c in enumerate(self.candidates):
            if c.startswith("gmma") and float(of[c, order]["fill"]) > FILL:
                time[i] = REFUSED * min(t for d, t in zip(self.candidates, time) if d != c)
        self.x.append(features(some, *lengths, l2))
        empty = round(lengths[1] * int(some["rows"]))
        self.text.append(" ".join([some["op"], some["layout"], str(WIDTH[some["precision"]]),
                                   some["k"] or "1", some["rows"], some["cols"], some["nnz"],
                                   str(int(lengths[0])), str(empty), str(l2), str(SMS)]))
        self.time.append(time)
        self.vendor.append(min(vendor, default=np.nan))
        generated = some["group"] in ("", "large", "shuffled", "natural", "pruned")
        self.group.append(some["name"].rsplit("-", 1)[0] if generated else some["group"])
        k = some["k"] if some["k"] in ("8", "32", "128", "512") else "n"
        self.pruned.append(some["group"] == "pruned")
        kind = "pruned" if self.pruned[-1] else "K = " + k if some["k"] else ""
        self.label.append(kind + " " + some["precision"])
        self.large.append(large)

    def ready(self):
        """As arrays."""
        self.x, self.time = np.array(self.x), np.array(self.time)
        self.vendor, self.large = np.array(self.vendor), np.array(self.large)
        self.pruned = np.array(self.pruned)
        self.group, self.label = np.array(self.group), np.array(self.label)
        return self

    def often(self, which):
        """The numbers of some problems, several times those of kinds of which there are few."""
        i = np.nonzero(which)[0]
        few = self.large[i] | self.pruned[i]
        return np.concatenate([i] + [i[few]] * (TIMES - 1))


# ------------------------------------------------------------------------------------------- trees

def splits_of(x):
    """Where trees may split: pairs of a feature and a bound, in 1/64."""
    found = []
    for f in range(x.shape[1]):
        seen = np.unique(np.round(x[:, f] * 64) / 64)
        if len(seen) < 2:
            continue
        at = np.unique(np.quantile(x[:, f], np.linspace(0, 1, 29)[1:-1], method="lower"))
        at = np.unique(np.searchsorted(seen, at).clip(0, len(seen) - 2))
        found += [(f, np.ceil((seen[i] + seen[i + 1]) / 2 * 64) / 64) for i in at]
    return found


def best_split(below, residual, least):
    """How much of the squares the best split takes away, and which it is."""
    n = len(residual)
    count = below.sum(0)
    total = residual.sum(0)
    left = residual.T @ below
    gain = ((left ** 2).sum(0) / np.maximum(count, 1)
            + ((total[:, None] - left) ** 2).sum(0) / np.maximum(n - count, 1)
            - (total ** 2).sum() / n)
    gain[(count < least) | (n - count < least)] = -1
    at = int(gain.argmax()) if len(gain) else 0
    return (float(gain[at]), at) if len(gain) else (-1., 0)


def grow(below, splits, residual, how):
    """A tree, the best leaf split first: a node is (feature, bound, below, above) or a mean."""
    root = {"i": np.arange(len(residual))}
    leaves = [root]
    while len(leaves) < how["leaves"]:
        for leaf in leaves:
            if "best" not in leaf:
                leaf["best"] = best_split(below[leaf["i"]], residual[leaf["i"]], how["least"])
        leaf = max(leaves, key=lambda n: n["best"][0])
        gain, at = leaf["best"]
        if gain <= 1e-6:
            break
        is_below = below[leaf["i"], at] > 0
        leaf["split"] = splits[at]
        leaf["below"], leaf["above"] = {"i": leaf["i"][is_below]}, {"i": leaf["i"][~is_below]}
        leaves = [n for n in leaves if n is not leaf] + [leaf["below"], leaf["above"]]

    def plain(n):
        if "split" in n:
            return (*n["split"], plain(n["below"]), plain(n["above"]))
        mean = residual[n["i"]].mean(0) * how["rate"] * UNIT
        return np.clip(np.round(mean), -127, 127) / UNIT
    return plain(root)


def add_tree(tree, x, out, i):
    """Add what a tree says of problems i."""
    if isinstance(tree, np.ndarray):
        out[i] += tree
        return
    feature, bound, below, above = tree
    is_below = x[i, feature] < bound
    add_tree(below, x, out, i[is_below])
    add_tree(above, x, out, i[~is_below])


def fit(x, cost, how):
    """Boosted trees of the costs, each of a part of problems and features."""
    random = np.random.default_rng(1)
    splits = splits_of(x)
    below = np.array([x[:, f] < bound for f, bound in splits], dtype=np.float32).T
    first = np.clip(np.round(cost.mean(0) * UNIT), 0, 127) / UNIT
    said = np.tile(first, (len(x), 1))
    trees = [first]
    for _ in range(how["trees"]):
        i = np.nonzero(random.random(len(x)) < how["part"])[0]
        of = random.permutation(x.shape[1])[:int(np.ceil(x.shape[1] * how["part"]))]
        some = [j for j, (f, _) in enumerate(splits) if f in of]
        residual = (cost - said)[i].astype(np.float32)
        tree = grow(below[np.ix_(i, some)], [splits[j] for j in some], residual, how)
        add_tree(tree, x, said, np.arange(len(x)))
        trees.append(tree)
    return trees


def costs_of(problems):
    """What a rule learns: logarithms of the time over that of the best."""
    best = problems.time.min(1)[:, None]
    slower = np.log(problems.time / problems.vendor[:, None])
    cost = np.log(problems.time / best) + SLOWER * np.nan_to_num(slower).clip(0, CAP)
    return np.minimum(cost, CAP)


# -------------------------------------------------------------------------------------- the figures

def folds_of(group, n=10):
    """Whole groups, the largest first, into the fold that has least."""
    names, count = np.unique(group, return_counts=True)
    size, fold = np.zeros(n, int), {}
    for at in np.argsort(-count, kind="stable"):
        fold[names[at]] = int(size.argmin())
        size[size.argmin()] += count[at]
    return np.array([fold[g] for g in group])


def held_out(name, p):
    """The candidate that a rule which has not seen the group chooses."""
    fold, cost = folds_of(p.group), costs_of(p)
    said = np.zeros_like(cost)
    for f in np.unique(fold):
        i = p.often(fold != f)
        for tree in fit(p.x[i], cost[i], TREES[name]):
            add_tree(tree, p.x, said, np.nonzero(fold == f)[0])
    return said.argmin(1)


def compiled(p, program):
    """The candidate that the compiled rule chooses."""
    run = subprocess.run([program], input="\n".join(p.text) + "\n", capture_output=True, text=True,
                         check=True)
    return np.array([p.candidates.index(line.split()[0]) for line in run.stdout.splitlines()])


def report(name, p, chosen):
    """Print the share of the best candidate, by K and value type."""
    time = p.time[np.arange(len(chosen)), chosen]
    share, over = p.time.min(1) / time, p.vendor / time
    for large in (False, True):
        for label in dict.fromkeys(p.label[p.large == large]):
            i = (p.large == large) & (p.label == label)
            print(f"| {name} | {label}{', ordered' if large else ''} | {i.sum()} | "
                  f"{np.exp(np.log(share[i]).mean()):.3f} | {share[i].min():.2f} | "
                  f"{np.exp(np.nanmean(np.log(over[i]))):.2f} | {np.nanmin(over[i]):.2f} |")


# --------------------------------------------------------------------------------------- the tables

def table_of(name, p, out):
    """The trees as C."""
    nodes, leaves = [], []

    def number(tree):
        if isinstance(tree, np.ndarray):
            leaves.append(np.round(tree * UNIT).astype(int))
            return -len(leaves)
        at = len(nodes)
        nodes.append(None)
        feature, bound, below, above = tree
        nodes[at] = (feature, round(bound * 64), number(below), number(above))
        return at
    i = p.often(np.ones(len(p.x), bool))
    roots = [number(tree) for tree in fit(p.x[i], costs_of(p)[i], TREES[name])]
    lists = [("char *const", "kernel", [f'"{c}",' for c in p.candidates]),
             ("int16_t", "root", [f"{r}," for r in roots]),
             ("rc_guess_node_t", "node", ["{%d,%d,%d,%d}," % n for n in nodes]),
             ("int8_t", "leaf", [",".join(map(str, v)) + "," for v in leaves])]
    for kind, what, texts in lists:
        out.write(f"\nstatic const {kind} {name}_{what}[] = {{\n")
        out.write(textwrap.fill(" ".join(texts), 98, break_long_words=False,
                                break_on_hyphens=False) + "\n};\n")


ROWS = ["gchunk", "gchunk:entries=4", "gchunk:entries=8", "gchunk:entries=16", "gchunk:entries=32",
        "gchunk:vectors=1", "gchunk:vectors=2", "gpanel", "gpanel:longest=64", "gpanel:panel=32",
        "gpanel:strip=32x2", "gstage:ctas=4", "gstage", "growmajor"]
SHORTS = ROWS + ["gpanel:strip=16x2", GUARDED["gmma"]]
COLUMNS = ["gchunk-col", "gchunk-col:entries=8:b=columns:tile=2",
           "gchunk-col:entries=16:b=columns:tile=2", "gchunk-col:b=rows", "gchunk-col:b=columns",
           "gslice", "gslice:strip=2:split=1", "gslice:strip=8:split=1"]
VECTOR = ["csr", "csr:lanes=2", "csr:lanes=8", "merge:items=448", "merge:items=896", "coo",
          "ell:limit=cusp", "hyb"]
REFUSES = {"ell"}  # a kernel that does not take every matrix


def tables(rowcast, results):
    """Names and problems."""
    def real(r):
        return r["group"] != "large"
    rows = Problems(ROWS, lambda r: True)
    rows.add(rowcast, results / "h200-plans.h5", False, real)
    for name in ("h200-large.h5", "h200-orders.h5"):
        rows.add(rowcast, results / name, True, lambda r: True)
    rows.add(rowcast, results / "h200-types.h5", False,
             lambda r: r["group"] == "pruned" and r["precision"] == "fp32" and r["op"] == "spmm")
    yield "rows", rows.ready()
    shorts = Problems(SHORTS, lambda r: True, natural=True)
    for large in (False, True):  # of 2 bytes: those of which all candidates were measured
        shorts.add(rowcast, results / "h200-types.h5", large,
                   lambda r: r["precision"] == "bf16" and r["op"] == "spmm")
    yield "shorts", shorts.ready()
    columns = Problems(COLUMNS, lambda r: r["layout"] == "col")
    columns.add(rowcast, results / "h200-plans.h5", False, real)
    yield "columns", columns.ready()
    vector = Problems(VECTOR, lambda r: True)
    vector.add(rowcast, results / "h200-spmv-628.h5", False, lambda r: True)
    yield "vector", vector.ready()


def main():
    """See the top."""
    p = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    p.add_argument("rowcast", help="the program")
    p.add_argument("--results", type=pathlib.Path, default=pathlib.Path("data/results"),
                   help="where the stores are [data/results]")
    p.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("src/plan/guess"),
                   help="folder of the tables [%(default)s]")
    p.add_argument("--check", action="store_true",
                   help="print how near to the best candidate the rule comes on matrices of groups "
                        "that it has not seen: 10 folds, whole groups at a time")
    p.add_argument("--of", metavar="PROGRAM",
                   help="the same of the compiled rule, seen or not, which PROGRAM runs "
                        "(tests/cli/guess_says)")
    a = p.parse_args()
    if h5py is None:
        sys.exit("guess.py: needs NumPy and h5py")
    for name in STORES:
        if not (a.results / name).is_file():
            sys.exit(f"guess.py: --results: expected {name} in {a.results}, found none")
    if a.check or a.of:
        print("| operands | of | problems | share of the best | least | over cuSPARSE | least |")
        for name, t in tables(a.rowcast, a.results):
            report(name, t, held_out(name, t) if a.check else compiled(t, a.of))
        return
    a.output.mkdir(exist_ok=True)
    for name, t in tables(a.rowcast, a.results):
        with open(a.output / f"{name}.inc", "w", encoding="ascii") as out:
            out.write("/* Trees of src/plan/guess/guess.c, made by jobs/guess.py, "
                      "not by hand. */\n")
            table_of(name, t, out)


if __name__ == "__main__":
    main()
