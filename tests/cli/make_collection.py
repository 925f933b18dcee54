#!/usr/bin/python3
"""make_collection.py ROOT: a small collection in the layout of the SuiteSparse site, ROOT/MM and
ROOT/files/ssstats.csv: groups A to C with good archives, and X with those that must be refused.
All values are seeded; nothing is copied from anywhere."""
import gzip
import io
import os
import random
import sys
import tarfile

root = sys.argv[1]
rng = random.Random(7)
index = []


def text(rows, cols, entries, field="real", symmetry="general", values=None):
    lines = ["%%%%MatrixMarket matrix coordinate %s %s" % (field, symmetry), "% made for a test",
             "%d %d %d" % (rows, cols, len(entries))]
    for n, (i, j) in enumerate(entries):
        value = values[n] if values else rng.uniform(-1, 1)
        lines.append("%d %d" % (i, j) if field == "pattern" else "%d %d %.17g" % (i, j, value))
    return ("\n".join(lines) + "\n").encode()


def entries(rows, cols, n, lower=False):
    found = set()
    while len(found) < n:
        i, j = rng.randint(1, rows), rng.randint(1, cols)
        if not lower or i >= j:
            found.add((i, j))
    return sorted(found, key=lambda e: (e[1], e[0]))


def member(name, data=b"", **more):
    m = tarfile.TarInfo(name)
    m.size = len(data)
    for key, value in more.items():
        setattr(m, key, value)
    return m, data


def tar(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        for m, data in members:
            t.addfile(m, io.BytesIO(data))
    return out.getvalue()


def put(group, name, archive):
    os.makedirs(os.path.join(root, "MM", group), exist_ok=True)
    with open(os.path.join(root, "MM", group, name + ".tar.gz"), "wb") as f:
        f.write(archive)


def list_(group, name, rows, cols, nnz, pattern=None, kind="test problem"):
    index.append("%s,%s,%d,%d,%d,1,0,0,0,0,0,%s,%d"
                 % (group, name, rows, cols, nnz, kind, pattern or nnz))


def good(group, name, rows, cols, n, extra=()):
    list_(group, name, rows, cols, n)
    body = text(rows, cols, entries(rows, cols, n))
    members = [member(name, type=tarfile.DIRTYPE, mode=0o755), member(name + "/" + name + ".mtx", body)]
    put(group, name, gzip.compress(tar(members + list(extra))))


good("A", "one", 20, 20, 60)
good("A", "two", 50, 50, 200, [member("two/two_b.mtx", b"%%MatrixMarket matrix array real general\n1 1\n1\n"),
                               member("two/README.txt", b"hello\n")])
good("A", "three", 40, 40, 120)
good("A", "four", 40, 40, 150)
good("B", "rect", 30, 10, 100)
# explicit zeros: the index counts them in the last column only
e = entries(25, 25, 80, lower=True)
off = sum(i != j for i, j in e[3:])
list_("B", "zeros", 25, 25, 77 + off, 80 + sum(i != j for i, j in e))
put("B", "zeros", gzip.compress(tar([member("zeros/zeros.mtx", text(
    25, 25, e, symmetry="symmetric", values=[0] * 3 + [1.5] * 77))])))
e = entries(30, 30, 90)
list_("B", "pattern", 30, 30, 90)
put("B", "pattern", gzip.compress(tar([member("./pattern/pattern.mtx", text(30, 30, e, "pattern"))])))
good("C", "big", 2000, 2000, 100000)
good("C", "odd+name", 20, 20, 50)

# what must be refused; each is listed as 10 x 10 with 20 entries
e = entries(10, 10, 20)
right = text(10, 10, e)
cases = {}


def bad(name, members, listed=True):
    if listed:
        list_("X", name, 10, 10, 20)
    put("X", name, members if isinstance(members, bytes) else gzip.compress(tar(members)))


def main(name, data=right):
    return member("%s/%s.mtx" % (name, name), data)


list_("X", "gone", 10, 10, 20)
whole = gzip.compress(tar([main("truncated", text(10, 10, e))]) + os.urandom(0))
bad("truncated", whole[:-20])
flipped = bytearray(gzip.compress(tar([main("flipped")]), 0))
flipped[700] ^= 1
bad("flipped", bytes(flipped))
bad("wrong", [main("wrong", text(11, 10, e))])
bad("fewer", [main("fewer", text(10, 10, e[1:]))])
bad("html", b"<html><title>Please log in</title></html>\n")
bad("empty", b"")
bad("tarless", gzip.compress(right))
bad("othername", [member("name/name.mtx", right)])
bad("missing", [member("missing/other.mtx", right)])
bad("traversal", [main("traversal"), member("traversal/../../evil", b"x")])
bad("absolute", [member("/tmp/evil", b"x"), main("absolute")])
bad("symlink", [member("symlink/symlink.mtx", type=tarfile.SYMTYPE, linkname="/etc/passwd")])
bad("hardlink", [main("hardlink"), member("hardlink/x", type=tarfile.LNKTYPE, linkname="/etc/passwd")])
bad("device", [main("device"), member("device/x", type=tarfile.CHRTYPE)])
bad("twice", [main("twice"), main("twice")])
bad("bomb", [main("bomb"), member("bomb/x", bytes(80 << 20))])
bad("bombs", [main("bombs")] + [member("bombs/x%d" % i, bytes(30 << 20)) for i in range(3)])
bad("header", [main("header", b"%%MatrixMarket matrix coordinate real general\n10 10 999999999999\n1 1 1\n")])
bad("garbage", [main("garbage", right[:-30] + b"1 1 x\n")])

os.makedirs(os.path.join(root, "files"))
with open(os.path.join(root, "files", "ssstats.csv"), "w") as f:
    f.write("%d\n01-Jan-2024 00:00:00\n%s\n" % (len(index), "\n".join(index)))
