"""What a page must say, computed from `rowcast query` without the report's code."""
import csv
import math
import re
import statistics
import subprocess

COLUMNS = ("fullname,kind,rows,cols,nnz,density,digest,kernel,policy,k,precision,c_order,cache,device,median_ns,"
           "error_max,gflops,order_ns,preprocess_ns,policy_version,kernel_version,layout")


def read_rows(rowcast, store):
    text = subprocess.run([rowcast, "query", store, "-f", "csv", "--columns", COLUMNS, "-w", "status == ok"], check=True,
                          capture_output=True, text=True).stdout
    rows = [r for r in csv.DictReader(text.splitlines()) if r["error_max"] and float(r["median_ns"]) > 0]
    newest = {}
    for r in rows:
        for name in ("policy", "kernel"):
            base = r[name].split(":")[0]
            newest[name, base] = max(newest.get((name, base), 0), int(r[name + "_version"]))
    rows = [r for r in rows if all(int(r[n + "_version"]) == newest[n, r[n].split(":")[0]] for n in ("policy", "kernel"))]
    widths = {}
    for r in rows:
        widths.setdefault(r["k"], set()).add(r["cols"])
        r["t"] = float(r["median_ns"])
    for r in rows:
        r["K"] = "n" if r["k"] == r["cols"] and len(widths[r["k"]]) == 1 else r["k"]
    return rows


def geomean(x):
    return math.exp(math.fsum(map(math.log, x)) / len(x)) if x else None


class Arena:
    """One product: its matrices with the rows that matter."""

    def __init__(self, key, rows, reference):
        self.key = key
        self.reference = reference
        self.pairs = {}
        for r in rows:
            self.pairs.setdefault(r["fullname"], []).append(r)
        self.alone = all(r["kernel"].startswith("cusparse") for r in rows)  # then the library's kernels are the plans
        self.pair = {name: self.sum_up(own) for name, own in self.pairs.items()}

    def sum_up(self, own):
        def best(fits):
            found = [r for r in own if fits(r)]
            # of equal times the original order
            return min(found, key=lambda r: (r["t"], r["policy"] != "csr"), default=None)
        def rival(r):
            return r["kernel"].startswith("cusparse") and not self.alone
        out = {"best": best(lambda r: not rival(r)), "csr": best(lambda r: r["policy"] == "csr" and not rival(r)),
               "ref_csr": best(lambda r: r["kernel"] == self.reference and r["policy"] == "csr"),
               "ref": best(lambda r: r["kernel"] == self.reference),
               "vendor": best(lambda r: r["policy"] == "csr" and rival(r))}
        out["reordered"] = {name: any(r["policy"] != "csr" and fits(r) for r in own) for name, fits in
                            (("best", lambda r: not rival(r)), ("ref", lambda r: r["kernel"] == self.reference))}
        out["breakeven"] = self.break_even(out["best"], out["csr"])
        return out

    @staticmethod
    def break_even(best, csr):
        if csr is None or best is None:
            return None
        more = sum(int(best[c]) - int(csr[c]) for c in ("order_ns", "preprocess_ns"))
        if best is csr or more <= 0:
            return 0
        n = 0 if best["t"] >= csr["t"] else max(0, int(more / (csr["t"] - best["t"])) - 2)
        while more + n * (best["t"] - csr["t"]) >= 0:  # the smallest N, by trying
            n += 1
        return n

    def ratios(self, above, below):
        # of what an order gains a matrix without another order says nothing
        return [p[above]["t"] / p[below]["t"] for p in self.pair.values()
                if p[above] and p[below] and (above == "vendor" or p["reordered"][below])]

    def row(self, name):
        """Figures of a line of the table."""
        p = self.pair[name]

        def over(a, b, known=True):
            return p[a]["t"] / p[b]["t"] if p[a] and p[b] and known else None
        orders = p["reordered"]
        b = p["best"]
        return {"order": b["policy"], "kernel": b["kernel"], "best": b["t"] / 1000,
                "csr": p["csr"]["t"] / 1000 if p["csr"] else None, "gain": over("csr", "best", orders["best"]),
                "orders": over("ref_csr", "ref", orders["ref"]),
                "ref": over("ref_csr", "best"), "vendor": over("vendor", "best"), "gflops": float(b["gflops"]),
                "ordering": int(b["order_ns"]) / 1e3, "breakeven": p["breakeven"] if orders["best"] else None, "rows": int(b["rows"]), "cols": int(b["cols"]),
                "nnz": int(b["nnz"]), "density": float(b["density"]), "kind": b["kind"], "name": name}

    def standing(self, clear):
        """Figures of the summary, by the names that the page gives them.  clear: matrices whose gain by an order is beyond
        the error, with the low end of the interval; None: not known, and not when an order has paid."""
        order, plan, vendor = self.ratios("ref_csr", "ref"), self.ratios("csr", "best"), self.ratios("vendor", "best")
        reordered = [p["breakeven"] for name, p in self.pair.items()
                     if name in (clear or ()) and p["best"]["policy"] != "csr" and p["breakeven"] is not None]
        out = {"matrices": len(self.pair)}
        if clear is not None:
            over = sum(low > 1.05 and self.pair[name]["best"]["policy"] != "csr" for name, low in clear.items())
            out["plan-over5"] = 100 * over / len(plan) if plan else None
            out["break-even"] = math.ceil(statistics.median(reordered)) if reordered else None
        for name, x in (("order", order), ("plan", plan), ("vendor", vendor)):
            out[name + "-geomean"] = geomean(x)
            out[name + "-mean"] = statistics.fmean(x) if x else None
        return out


def arenas(rows, references):
    """{(K, precision, c_order, layout): Arena}; references: the kernel of each, as the page names it."""
    groups = {}
    for r in rows:
        groups.setdefault((r["K"], r["precision"], r["c_order"], r["layout"]), []).append(r)
    for key, own in groups.items():  # the original order has no C in schedule order and is the baseline of both
        if key[2] != "original":
            there = {r["fullname"] for r in own}
            own += [r for r in groups.get((key[0], key[1], "original", key[3]), []) if r["policy"] == "csr" and r["fullname"] in there]
    return {key: Arena(key, own, references.get(key, "")) for key, own in groups.items()}


def key_of(label):
    """(K, precision, c_order, layout) of "K = 128, fp32, row-major, C in schedule order"."""
    k, precision = re.match(r"K = (\w+), (fp\d+)", label).groups()
    layout = {"row-major": "row", "column-major": "col", "row-major B and column-major C": "row-col",
              "column-major B and row-major C": "col-row"}[label.split(", ")[2]]
    return k, precision, "schedule" if "schedule" in label else "original", layout


def number(text):
    """A number as a page writes it; None for a dash."""
    text = text.replace("\u00d7", "").replace("\u00a0", "").replace("%", "").replace(",", "").strip()
    return None if text in ("\u2013", "") else math.inf if text == "never" else float(text)


def agrees(text, value):
    """Whether a text is the value, rounded as its digits say."""
    found = number(text)
    if found is None or value is None:
        return found is None and value is None
    if found == value:
        return True
    mantissa, _, power = text.replace(",", "").strip("\u00d7%\u00a0 ").partition("e")
    decimals = len(mantissa.partition(".")[2])
    half = 0.5 * 10 ** (int(power or 0) - decimals)
    if not decimals and not power and abs(value) >= 1000:  # at least four digits are right
        half = max(half, 0.5 * 10 ** (math.floor(math.log10(abs(value))) - 3))
    return abs(found - value) <= half * (1 + 1e-3) + abs(value) * 1e-5
