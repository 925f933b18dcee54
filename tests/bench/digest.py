"""Compare what two versions of the program compute and take.

Usage: digest.py BEFORE.csv AFTER.csv, both of tests/bench/digest_gpu on one machine.

Exit code 1 where a kernel that computes the same bits in both preparations of BEFORE computes others
in AFTER.  Ratios are AFTER over BEFORE.
"""
import csv
import math
import sys

COLUMNS = ["matrix", "order", "kernel", "operation", "k", "precision", "status", "here", "there",
           "product", "prepare here", "prepare there"]


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return {tuple(r[:6]): dict(zip(COLUMNS, r)) for r in csv.reader(file)}


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    before, after = rows(sys.argv[1]), rows(sys.argv[2])
    differ = [key for key, b in before.items() if key not in after
              or after[key]["status"] != b["status"]
              or b["here"] == b["there"] != "0" * 16 and after[key]["here"] != b["here"]
              or b["here"] == b["there"] != "0" * 16 and after[key]["there"] != b["there"]]
    print(f"{len(before)} cases, {len(differ)} differ")
    for key in differ:
        print("  " + " ".join(key))
    for column in COLUMNS[9:]:
        ratios = [float(after[key][column]) / float(b[column]) for key, b in before.items()
                  if key in after and float(b[column]) > 0 and float(after[key][column]) > 0]
        if ratios:
            print(f"{column}: geomean {geomean(ratios):.3f}, least {min(ratios):.2f}, "
                  f"most {max(ratios):.2f}, of {len(ratios)}")
    sys.exit(1 if differ else 0)


main()
