"""The Python module against SciPy and the programs: run by python.t as check.py TEST, from a folder with what that made."""
import ctypes
import os
import subprocess
import sys

import numpy as np

import rowcast
from rowcast import _library


def structures(listed):
    """Layouts of ctypes are those of C, as tests/abi/structs has them."""
    found = []
    for name, structure in _library.STRUCTURES.items():
        found += [f"{name} {field} {getattr(structure, field).offset}" for field, *_ in structure._fields_]
        found.append(f"{name} size {ctypes.sizeof(structure)}")
    with open(listed) as f:
        known = [line.strip() for line in f if line.split()[0] in _library.STRUCTURES]
    assert sorted(known) == sorted(found), set(known) ^ set(found)


def matrix():
    import scipy.sparse as sparse
    return sparse.random(200, 150, density=0.05, format="csr", random_state=1)


def printed(a, policy):
    """Rows, and columns where they move, as `rowcast order` writes them."""
    from scipy.io import mmwrite
    mmwrite("a.mtx", a)
    words = [os.environ["ROWCAST"], "order", "a.mtx", "--order", policy, "--rows", "rows.txt"]
    columns = ["--columns", "columns.txt"] if policy == "rcm" else []
    subprocess.run(words + columns, check=True, stdout=subprocess.DEVNULL)
    return [np.loadtxt(name, dtype=int) for name in ["rows.txt"] + columns[1:]]


def orders():
    """As the program has them; unsorted and repeated columns are taken."""
    import scipy.sparse as sparse
    a = matrix()
    for policy in ("lpt", "csr", "random:seed=7", "minlabel"):
        assert (rowcast.order(a, policy).row == printed(a, policy)[0]).all(), policy
    assert sorted(rowcast.order(a, "random:seed=7").row) == list(range(200))
    square = (sparse.eye(50, format="csr") + sparse.random(50, 50, 0.1, random_state=2)).tocsr()
    square = (square + square.T).tocsr()
    s = rowcast.order(square, "rcm")
    row, col = printed(square, "rcm")
    assert (s.row == row).all() and (s.col == col).all() and sorted(s.col) == list(range(50))
    groups = rowcast.order(square, "bandk").groups
    assert groups and all(g[0] == 0 and (np.diff(g) > 0).all() for g in groups.values())
    twice = sparse.csr_matrix((np.ones(3), np.array([1, 0, 1]), np.array([0, 3])), shape=(1, 2))
    assert rowcast.features(twice)["nnz_per_row_mean"] == 2 and twice.nnz == 3


def features():
    """Against SciPy's own counts."""
    a = matrix()
    f = rowcast.features(a)
    length = np.diff(a.indptr)
    assert len(f) == 24 and f["n_row"] == 200 and f["n_col"] == 150
    assert f["nnz_per_row_min"] == length.min() and abs(f["nnz_per_row_mean"] - length.mean()) < 1e-9
    assert rowcast.features(a, geometry=(32, 32, 16)) != f


def errors():
    """A line of the library, and what is no matrix."""
    a = matrix()
    for policy, status in (("no-such", "missing"), ("lpt:no=1", "")):
        try:
            rowcast.order(a, policy)
        except rowcast.Error as e:
            assert e.status < 0 and str(e)
        else:
            raise AssertionError(policy)
    for wrong in (np.zeros((2, 2)), None, [[1]]):
        try:
            rowcast.features(wrong)
        except TypeError:
            continue
        raise AssertionError(wrong)
    try:
        rowcast.Model("no-such.json")
    except rowcast.Error as e:
        assert "no-such.json" in str(e)
    else:
        raise AssertionError("a model that is not there")


def predict(file):
    """As `rowcast predict` says."""
    import scipy.sparse as sparse
    a = sparse.random(3000, 3000, density=0.002, format="csr", random_state=3)
    m = rowcast.Model(file)
    assert m.operation == "spmm" and m.device and m.knows
    c = rowcast.predict(a, m, k=32, extrapolate=True)
    assert c.name in c.time_ns and c.reference in c.time_ns
    assert len(c.schedule.row) >= 1 and c.policy == rowcast.predict(a, file, k=32, extrapolate=True).policy
    only = m.choose(a, 32, extrapolate=True, orders="csr")
    assert only.policy == "csr"


def store(file):
    """As many rows and the same medians as `rowcast query` prints: they are on standard input as fullname,policy,median_ns."""
    lines = [line.strip().split(",") for line in sys.stdin]
    with rowcast.open_store(file) as s:
        r = s.results()
        assert len(r) == len(lines) > 0, (len(r), len(lines))
        want = sorted((m, p, float(ns)) for m, p, ns in lines)
        found = sorted(zip(r.matrix_name, r.policy_name, r.median_ns.astype(float)))
        for (m, p, x), (n, q, y) in zip(want, found):
            assert (m, p) == (n, q) and abs(x - y) <= 1e-3 * y, (m, p, x, n, q, y)
        assert (s.speedups()[r.policy_name == "csr"].speedup == 1).all()
        assert "name" in s.frame("dict/policy")


def speedups(file):
    """Those of `rowcast query`, which standard input has as case,speedup: of each run over its own baseline."""
    lines = [line.strip().split(",") for line in sys.stdin][1:]
    with rowcast.open_store(file) as s:
        r = s.speedups()
    found = dict(zip(r.case_id, r.speedup))
    assert len(found) == len(lines) > 0 and r.run.nunique() > 1, (len(found), len(lines))
    for case, text in lines:
        x, y = found[case], float(text or "nan")
        assert abs(x - y) <= 1e-3 * y or (x != x and y != y), (case, x, y)


def dense(shape, strides):
    """A view as one of a GPU would be, without a GPU."""
    from rowcast._arrays import Dense
    d = object.__new__(Dense)
    d.shape, d.strides = shape, strides
    return d


def refused(error, function, *arguments):
    try:
        function(*arguments)
    except error:
        return
    raise AssertionError((function, arguments))


def arrays():
    """What is read of matrices, without a GPU."""
    import scipy.sparse as sparse
    from rowcast._arrays import Sparse
    assert dense((3, 4), (4, 1)).leading(False, "B") == 4 and dense((3, 4), (1, 5)).leading(True, "B") == 5
    assert dense((1, 4), (0, 1)).leading(False, "B") == 4 and dense((3, 1), (2, 7)).leading(False, "B") == 2
    for strides in ((0, 1), (-4, 1), (3, 1)):
        refused(ValueError, dense((3, 4), strides).leading, False, "B")
    unsorted = sparse.csr_matrix((np.array([1., 2, 3]), np.array([2, 0, 1]), np.array([0, 2, 3])), shape=(2, 3))
    s = Sparse(unsorted)
    ptr, idx, val = s.kept
    assert (idx == [2, 0, 1]).all() and (val == [1, 2, 3]).all() and (ptr == [0, 2, 3]).all() and s.nnz == 3
    assert s.value_bytes == 8 and Sparse(unsorted.astype(np.float32)).value_bytes == 4
    same = sparse.csr_matrix((np.ones(3), np.array([1, 0, 1]), np.array([0, 3, 3])), shape=(2, 2))
    refused(ValueError, Sparse, same)
    Sparse(sparse.csr_matrix((np.ones(2), np.array([1, 1]), np.array([0, 1, 2])), shape=(2, 2)))
    for kind in (np.int64, np.complex128, bool):
        refused(TypeError, Sparse, unsorted.astype(kind))
    refused(TypeError, Sparse, unsorted.tocsc())
    refused(TypeError, Sparse, np.zeros((2, 2)))


def answers():
    """A search: a sentence for each K, rows that compare, and a plan of what was chosen."""
    import scipy.sparse as sparse
    a = sparse.random(400, 300, density=0.02, format="csr", random_state=3, dtype="float32")
    found = rowcast.answer(a, [4, 16], budget=0.2, device="cpu", threads=1)
    assert found.sentence.count("\n") == 1 and found.sentence.startswith("K = 4: ") and repr(found) == found.sentence
    for k in (4, 16):
        rows = [r for r in found.rows if r["k"] == k]
        chosen, = (r for r in rows if r["chosen"])
        baseline, = (r for r in rows if r["baseline"])
        assert rows[0] is chosen and chosen["kernel"] in found.sentence and chosen["time_ns"] > 0
        assert abs(chosen["speedup"] - baseline["time_ns"] / chosen["time_ns"]) < 1e-9 and baseline["order"] == "csr"
    b = np.ones((300, 4), dtype="float32")
    assert np.allclose(found.plan(b), a @ b, rtol=1e-4)
    few = rowcast.answer(a, 8, budget=0, device="cpu")
    assert sum(r["time_ns"] == r["time_ns"] for r in few.rows) >= 1 and "K = " not in few.sentence
    refused(ValueError, lambda: rowcast.plan(a, 8, budget=float("nan")))


def host_plans():
    """On the CPU: products of NumPy are SciPy's, in both layouts and types; new values, A', several threads at once."""
    import threading
    import scipy.sparse as sparse
    rng = np.random.RandomState(5)
    for dtype, eps in (("float32", 1e-4), ("float64", 1e-12)):
        a = sparse.random(300, 150, density=0.05, format="csr", random_state=2, dtype=dtype)
        a.indices[:2] = a.indices[:2][::-1].copy()  # columns in any order
        a.data[:2] = a.data[:2][::-1].copy()
        for layout, order in (("row", "C"), ("column", "F")):
            p = rowcast.plan(a, k=[3, 32], layout=layout, device="cpu", threads=2)
            assert p.on_cpu and p.shape == (300, 150) and p.describe()
            for k in (3, 32):
                b = np.asarray(rng.rand(150, k), dtype=dtype, order=order)
                c = p(b)
                assert isinstance(c, np.ndarray) and c.dtype == dtype and np.allclose(c, a @ b, rtol=eps)
                out = np.asarray(rng.rand(300, k), dtype=dtype, order=order)
                want = 2 * (a @ b) - 0.5 * out
                assert p(b, out, alpha=2, beta=-0.5) is out and np.allclose(out, want, rtol=eps, atol=eps)
                wide = np.zeros((300, 2 * k), dtype=dtype, order=order)  # a part of a larger array
                p(b, wide[:, k:])
                assert np.allclose(wide[:, k:], a @ b, rtol=eps) and not wide[:, :k].any()
            p.update(a.data.astype("float64") * 3)
            assert np.allclose(p(b), 3 * (a @ b), rtol=eps, atol=eps)
            refused(ValueError, p, b.astype("float16"))
            refused(ValueError, p, b[:-1])
            refused(ValueError, p, np.asarray(b, order="F" if order == "C" else "C"))
            refused(TypeError, p, [[1.0]])
            refused(rowcast.Error, p, b[:, :2].copy(order))
            b.flags.writeable = False
            out.flags.writeable = False
            p(b)
            refused(ValueError, p, b, out)
    both = rowcast.plan(a, 4, kernels="rs", device="cpu", threads=1)
    y = rng.rand(300, 4)
    assert np.allclose(both(y, transposed=True), a.T @ y)
    p = rowcast.plan(a, 4, device="cpu", threads=1)
    b, found = rng.rand(150, 4), []
    team = [threading.Thread(target=lambda: found.append(p(b))) for _ in range(4)]
    for t in team:
        t.start()
    for t in team:
        t.join()
    assert len(found) == 4 and all((c == found[0]).all() for c in found)
    refused(ValueError, lambda: rowcast.plan(a, 4, device="tpu"))
    refused(ValueError, lambda: rowcast.plan(a, 4, device="cpu", stream=0))
    refused(rowcast.Error, lambda: rowcast.plan(a, 4, device="cpu", kernels="nope"))


def beside():
    """A plan that a GPU has makes another for NumPy, until it has new values: with a stand-in for that GPU."""
    a = matrix()
    p = object.__new__(rowcast.Plan)
    import threading
    p.on_cpu, p._lock, p.shape, p.dtype, p.layout, p.device = False, threading.Lock(), a.shape, "float64", "row", None
    made = []
    p._beside = lambda: made.append(rowcast.plan(a, 8, device="cpu", threads=1)) or made[0]
    b = np.random.RandomState(3).rand(150, 8)
    assert np.allclose(p(b), a @ b) and np.allclose(p(b, alpha=2.0), 2 * (a @ b)) and len(made) == 1
    p._beside = p._cpu = None
    refused(ValueError, p, b)


def plans():
    """Without a GPU a plan is of the CPU; with one asked for, refused by a line; what is no matrix by a type."""
    assert rowcast.plan(matrix(), 8).on_cpu != _library.has_gpu()
    for wrong in (dict(layout="diagonal"), dict(dtype="int8")):
        try:
            rowcast.plan(matrix(), 8, **wrong)
        except ValueError:
            continue
        raise AssertionError(wrong)
    refused(ValueError, lambda: rowcast.plan(matrix(), 8, stream=2))
    for k in (8, np.int64(8), [8, np.int32(16)]):
        try:
            p = rowcast.plan(matrix(), k=k, device="gpu")
            assert p.shape == (200, 150) and p.describe()
        except rowcast.Error as e:
            assert e.name and str(e)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
