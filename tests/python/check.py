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
    assert m.choose(a, 32, precision="fp64", extrapolate=True).time_ns != c.time_ns
    try:
        m.choose(a, 32, precision="fp16", extrapolate=True)
    except rowcast.Error as e:
        assert "trained on fp32 and fp64, found a request for fp16" in str(e), e
    else:
        raise AssertionError("a type that the model was not trained on")


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
    same = sparse.csr_matrix((np.ones(3), np.array([1, 0, 1]), np.array([0, 3, 3])), shape=(2, 2))
    refused(ValueError, Sparse, same)
    Sparse(sparse.csr_matrix((np.ones(2), np.array([1, 1]), np.array([0, 1, 2])), shape=(2, 2)))
    for kind in (np.int64, np.clongdouble, bool, np.longdouble):
        refused(TypeError, Sparse, unsorted.astype(kind))
    refused(TypeError, Sparse, unsorted.tobsr())
    assert [Sparse(unsorted.asformat(f)).form for f in ("csr", "csc", "coo")] == [0, 1, 2]
    assert (Sparse(unsorted.tocsc()).kept[0] == [0, 1, 2, 3]).all()
    refused(TypeError, Sparse, np.zeros((2, 2)))


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
    y = rng.rand(300, 4)
    for options in (dict(kernels="rs"), dict(transposed=True)):
        both = rowcast.plan(a, 4, device="cpu", threads=1, **options)
        assert np.allclose(both(y, transposed=True), a.T @ y)
    p = rowcast.plan(a, 4, device="cpu", threads=1)
    b, found = rng.rand(150, 4), []
    team = [threading.Thread(target=lambda: found.append(p(b))) for _ in range(4)]
    for t in team:
        t.start()
    for t in team:
        t.join()
    assert len(found) == 4 and all((c == found[0]).all() for c in found)
    b, new = rng.rand(150, 4), rng.rand(a.nnz)
    for form in ("csc", "coo"):
        other = a.asformat(form)
        if form == "coo":
            there = rng.permutation(a.nnz)
            other = sparse.coo_matrix((other.data[there], (other.row[there], other.col[there])), a.shape)
        p = rowcast.plan(other, 4, device="cpu", threads=1)
        assert np.allclose(p(b), a @ b)
        other.data[:] = new  # in the order that the matrix has them
        p.update(new)
        assert np.allclose(p(b), other @ b)
    twice = sparse.coo_matrix((np.ones(2), ([1, 1], [0, 0])), (2, 2))
    refused(rowcast.Error, lambda: rowcast.plan(twice, 4, device="cpu"))
    refused(ValueError, lambda: rowcast.plan(a, 4, device="tpu"))
    refused(ValueError, lambda: rowcast.plan(a, 4, device="cpu", stream=0))
    refused(rowcast.Error, lambda: rowcast.plan(a, 4, device="cpu", kernels="nope"))


def again():
    """A product that is asked for again has what is other than it was: places, shapes, K, factors, values, what is wrong."""
    import scipy.sparse as sparse
    rng = np.random.RandomState(7)
    a = sparse.random(60, 60, density=0.1, format="csr", random_state=4)
    for layout, order in (("row", "C"), ("column", "F")):
        p = rowcast.plan(a, [3, 8], layout=layout, device="cpu", threads=1)
        b, out = np.asarray(rng.rand(60, 8), order=order), np.zeros((60, 8), order=order)
        for _ in range(3):
            assert p(b, out) is out and np.allclose(out, a @ b) and np.allclose(p(b), a @ b)
            b[:] = rng.rand(60, 8)  # in its place
            assert np.allclose(p(b, alpha=2, beta=np.float32(0)), 2 * (a @ b))
            small, other = np.asarray(rng.rand(60, 3), order=order), np.asarray(rng.rand(60, 8), order=order)
            assert np.allclose(p(small), a @ small) and np.allclose(p(other), a @ other) and np.allclose(p(b), a @ b)
            first, second = p(b), p(other)  # each new array is another
            assert first is not second and np.allclose(first, a @ b) and np.allclose(second, a @ other)
            before = out.copy()
            want = 2 * (a @ b) - 0.5 * before
            p(b, out)
            out[:] = before
            assert p(b, out, alpha=2, beta=-0.5) is out and np.allclose(out, want)
            wide = np.zeros((60, 20), order=order)
            p(b, out)
            p(b, wide[:, 4:12])
            assert np.allclose(wide[:, 4:12], a @ b) and not wide[:, :4].any() and not wide[:, 12:].any()
            p(b, out)
            for wrong in (b[:-1], b[:, :-1], b.astype("float32"), np.asarray(b, order="F" if order == "C" else "C")):
                refused((ValueError, rowcast.Error), p, wrong, out)
            refused((ValueError, rowcast.Error), p, b, b)
            p(b, out)
            out.flags.writeable = False
            refused(ValueError, p, b, out)
            out = out.copy(order)
            p(b, out)
            refused(TypeError, lambda: p(b, out, alpha="2"))
            refused(TypeError, p, None, out)
            a.data = rng.rand(a.nnz)
            p.update(a.data)
            assert p(b, out) is out and np.allclose(out, a @ b)
    both = rowcast.plan(a, 8, kernels="rs", device="cpu", threads=1)
    b = rng.rand(60, 8)
    for _ in range(3):
        assert np.allclose(both(b), a @ b) and np.allclose(both(b, transposed=True), a.T @ b)


class FakeTorch:
    """What of PyTorch a product asks for, over NumPy: no GPU is there."""

    def __init__(self):
        import types
        self.float64 = "torch.float64"
        self.sparse_csr, self.sparse_csc, self.sparse_coo = "sparse_csr", "sparse_csc", "sparse_coo"
        self.stream, self.waited = 5, 0
        torch = self

        class Tensor:
            """negative: what is stored is read with the other sign."""

            def __init__(self, of, index=0, negative=False):
                self.of, self.dtype, self.shape = of, "torch." + str(of.dtype), of.shape
                self.device = types.SimpleNamespace(type="cuda", index=index)
                self.negative = negative

            def data_ptr(self):
                return self.of.ctypes.data

            def stride(self):
                return tuple(s // self.of.itemsize for s in self.of.strides)

            def is_neg(self):
                return self.negative

            def is_conj(self):
                return self.of.dtype.kind == "c"

            def resolve_neg(self):
                return Tensor(-self.of, self.device.index) if self.negative else self

            def resolve_conj(self):
                return Tensor(self.of.conj(), self.device.index) if self.is_conj() else self

            def contiguous(self):
                return self

        class Csr(Tensor):
            """In CSR, of tensors."""

            def __init__(self, shape, ptr, idx, val):
                self.layout, self.shape = torch.sparse_csr, shape
                self.crow_indices, self.col_indices, self.values = lambda: ptr, lambda: idx, lambda: val

        class Coo(Tensor):
            """In COO, of so many dimensions that are sparse."""

            def __init__(self, shape, dims, idx, val):
                self.layout, self.shape, self.sparse_dim = torch.sparse_coo, shape, lambda: dims
                self._indices, self._values = lambda: [idx] * dims, lambda: val

        class Stream:
            """The current one."""

            def __init__(self):
                self.cuda_stream = torch.stream

            def synchronize(self):
                torch.waited += 1

        self.Tensor, self.Csr, self.Coo = Tensor, Csr, Coo
        self.cuda = types.SimpleNamespace(current_stream=lambda device: Stream(),
                                          device=lambda device: __import__("contextlib").nullcontext())
        self._C = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda index: torch.stream)

    def empty(self, shape, dtype, device):
        return self.Tensor(np.empty(shape), device.index)


class FakeLibrary:
    """The calls of a GPU by a plan of the CPU, and on which streams they were asked for."""

    def __init__(self, of):
        self.host, self.of, self.handle, self.streams, self.clones = of, of._library, of._any(), [], 0

    def rc_plan_execute(self, handle, *rest):
        self.streams.append(rest[-2])
        return self.of.rc_plan_execute(self.handle, *rest[:-2], 0, rest[-1])

    def rc_plan_execute_many(self, calls, count, stream, err):
        self.streams.append(stream)
        return self.of.rc_plan_execute_many(calls, count, 0, err)

    def rc_plan_clone(self, handle, stream, out, err):
        self.clones += 1
        return self.of.rc_plan_clone(self.handle, 0, out, err)

    def rc_plan_update_values(self, handle, nnz, values, precision, on_device, stream, err):
        self.streams.append(stream)
        return self.of.rc_plan_update_values(self.handle, nnz, values, precision, 0, 0, err)

    def rc_plan_free(self, handle):
        if handle is not self.handle:  # which is of another plan
            self.of.rc_plan_free(handle)


def on_fake_gpu(host):
    """A plan of a GPU, by one of the CPU of fp64."""
    import threading
    p = object.__new__(rowcast.Plan)
    p._library, p._of, p._nnz, p._process = FakeLibrary(host), {5: (host._any(), None)}, host._nnz, os.getpid()
    p._lock, p.shape, p.dtype, p.out_dtype, p.layout, p.device = threading.Lock(), host.shape, "float64", "float64", "row", 0
    sys.modules["rowcast.plan"]._plans.add(p)
    return p


def again_of_torch():
    """The same of tensors of a GPU, with a stand-in for both: streams, devices and new tensors."""
    a = matrix()
    torch = sys.modules["torch"] = FakeTorch()
    p = on_fake_gpu(rowcast.plan(a, 8, device="cpu", threads=1))
    b = torch.Tensor(np.random.RandomState(3).rand(150, 8))
    out = torch.Tensor(np.zeros((200, 8)))
    for _ in range(3):
        assert p(b, out) is out and np.allclose(out.of, a @ b.of)
        assert np.allclose(p(b).of, a @ b.of)
    assert p._library.streams == [5] * 6 and p._library.clones == 0
    for stream in (7, 5, 7):
        torch.stream = stream
        out.of[:] = 0
        assert p(b, out) is out and np.allclose(out.of, a @ b.of) and p._library.streams[-1] == stream
    assert p(b, out, stream=5) is out and p._library.streams[-1] == 5 and p._library.clones == 1
    refused(ValueError, p, torch.Tensor(b.of, 1), out)
    refused(ValueError, p, b, torch.Tensor(out.of, 1))
    refused(ValueError, lambda: p(b, out, stream=2))
    refused(ValueError, p, np.ones((150, 8)))
    del sys.modules["torch"]


def several():
    """Several plans by one call: their own products; with a wrong one none is written."""
    rng = np.random.RandomState(8)
    a, many = matrix(), []
    plans = [rowcast.plan(a, 8, device="cpu", threads=1 + i) for i in range(2)]
    b = rng.rand(150, 8)
    outs = [np.zeros((200, 8)) for _ in range(3)]
    many = rowcast.execute_many([(plans[0], b), (plans[1], b, outs[0]), (plans[0], b, outs[1], 2, 0.0)])
    assert many[1] is outs[0] and many[2] is outs[1] and rowcast.execute_many([]) == []
    assert all(np.allclose(x, f * (a @ b)) for x, f in zip(many, (1, 1, 2)))
    for x in outs:
        x[:] = 3
    for wrong in ((plans[1], b[:-1], outs[2]), (plans[1], b[:, :3].copy(), outs[2][:, :3].copy()), (plans[1], outs[0], b)):
        refused((ValueError, rowcast.Error), rowcast.execute_many, [(plans[0], b, outs[0]), wrong])
    refused(ValueError, rowcast.execute_many, [(plans[0],)])
    assert all((x == 3).all() for x in outs)
    try:
        rowcast.execute_many([(plans[0], b, outs[0]), (plans[0], b[:, :4].copy())])
    except rowcast.Error as e:
        assert "call 1: K = 4" in str(e)
    assert (outs[0] == 3).all()


def lazy():
    """Lazy views of PyTorch have the values that they are read with, as B, as values and in a matrix."""
    from rowcast._arrays import Sparse
    a = matrix()
    torch = sys.modules["torch"] = FakeTorch()
    host = rowcast.plan(a, 8, device="cpu", threads=1)
    p = on_fake_gpu(host)
    b, out = torch.Tensor(np.random.RandomState(3).rand(150, 8)), torch.Tensor(np.zeros((200, 8)))
    minus = torch.Tensor(b.of, negative=True)
    for _ in range(3):
        assert p(b, out) is out and np.allclose(out.of, a @ b.of) and np.allclose(p(b).of, a @ b.of)
        assert p(minus, out) is out and np.allclose(out.of, -(a @ b.of)) and np.allclose(p(minus).of, -(a @ b.of))
    before = out.of.copy()
    refused(ValueError, p, b, torch.Tensor(out.of, negative=True))
    refused(ValueError, p, torch.Tensor(b.of + 1j), out)
    refused(ValueError, lambda: p(minus, out, stream=7))  # the values are made on the current one
    p.update(torch.Tensor(a.data, negative=True))
    assert (out.of == before).all() and np.allclose(p(b).of, -(a @ b.of))
    refused(ValueError, lambda: p.update(torch.Tensor(a.data, negative=True), stream=7))
    refused(TypeError, p.update, torch.Tensor(a.data + 1j))
    ptr, idx, val = torch.Tensor(a.indptr), torch.Tensor(a.indices), torch.Tensor(a.data, negative=True)
    s = Sparse(torch.Csr(a.shape, ptr, idx, val))
    assert (s.kept[2].array.of == -a.data).all() and s.val == s.kept[2].array.data_ptr()
    refused(ValueError, Sparse, torch.Csr(a.shape, ptr, idx, torch.Tensor(np.ones((a.nnz, 3)))))
    refused(TypeError, Sparse, torch.Csr((*a.shape, 3), ptr, idx, torch.Tensor(np.ones((a.nnz, 3)))))
    batch = [torch.Tensor(np.stack([x.of] * 2)) for x in (ptr, idx, val)]
    refused(TypeError, Sparse, torch.Csr((2, *a.shape), *batch))
    refused(ValueError, Sparse, torch.Csr(a.shape, *batch))
    assert Sparse(torch.Csr(a.shape, ptr, idx, torch.Tensor(a.data + 1j))).dtype == "complex128"
    s = Sparse(torch.Coo((150, 150), 2, idx, val))
    assert (s.kept[2].array.of == -a.data).all()
    for shape, dims, v in (((9, 150, 150), 3, a.data), ((150, 3), 1, np.ones((a.nnz, 3))),
                           ((150, 150, 3), 2, np.ones((a.nnz, 3))), ((150,), 1, a.data)):
        refused(TypeError, Sparse, torch.Coo(shape, dims, idx, torch.Tensor(v)))
    del sys.modules["torch"]


def of_cuda():
    """libneedy.so.1 needs libcuneeded.so.7, which is among Python's packages of NVIDIA, in the toolkit, or nowhere."""
    _library._FUNCTIONS["needy"] = {}
    try:
        _library.load("needy")
    except ImportError as e:
        assert str(e).startswith("libneedy does not load: libcuneeded.so.7 of CUDA is neither") and "\n" not in str(e), e
    else:
        raise AssertionError("it is nowhere")
    for prepare in (lambda: sys.path.append(os.path.abspath("site")), lambda: os.environ.update(CUDA_HOME=os.path.abspath("toolkit"))):
        sys.stdout.flush()
        pid = os.fork()  # what was opened stays
        if pid == 0:
            try:
                prepare()
                os._exit(0 if _library.load("needy").needy() == 7 else 1)
            finally:
                os._exit(2)
        assert os.waitpid(pid, 0)[1] == 0


def child_of_gpu():
    """A child of fork has not the GPU of a plan, but the CPU for an array of NumPy."""
    a = matrix()
    torch = sys.modules["torch"] = FakeTorch()
    p = on_fake_gpu(rowcast.plan(a, 8, device="cpu", threads=1))
    b, values = torch.Tensor(np.ones((150, 8))), torch.Tensor(a.data)
    p._beside = lambda: rowcast.plan(a, 8, device="cpu", threads=1)
    p(b)
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        try:
            refused(rowcast.Error, p, b)
            refused(rowcast.Error, p.update, values)
            os._exit(0 if np.allclose(p(b.of), a @ b.of) and p._library.streams == [5] else 1)
        finally:
            os._exit(2)
    assert os.waitpid(pid, 0)[1] == 0 and p(b).shape == (200, 8)
    del sys.modules["torch"]


def empty():
    """Products without a value, and of matrices without rows, columns or entries."""
    import scipy.sparse as sparse
    a = matrix()
    for layout, order in (("row", "C"), ("column", "F")):
        p = rowcast.plan(a, 8, layout=layout, device="cpu", threads=1)
        none = np.zeros((150, 0), order=order)
        out = np.zeros((200, 0), order=order)
        assert p(none).shape == (200, 0) and p(none, out) is out
        full = np.ones((150, 8), order=order)
        zero, eight = rowcast.execute_many([(p, none), (p, full)])
        assert zero.shape == (200, 0) and np.allclose(eight, a @ full)
        assert rowcast.execute_many([(p, none, out)])[0] is out
        for wrong in ((none[1:],), (none, out[1:]), (none.astype("float32"),), (none, np.zeros((200, 8), order=order))):
            refused(ValueError, p, *wrong)
        refused(TypeError, lambda: p(none, alpha="1"))
        for shape in ((0, 40), (50, 0), (0, 0), (50, 40)):
            q = rowcast.plan(sparse.csr_matrix(shape), 8, layout=layout, device="cpu", threads=1)
            b, c = np.ones((shape[1], 8), order=order), np.ones((shape[0], 8), order=order)
            assert q(b).shape == c.shape and not q(b).any() and (q(b, c, beta=3.0) == 3).all()
            assert (rowcast.order(sparse.csr_matrix(shape)).row >= 0).sum() == shape[0]
    torch = sys.modules["torch"] = FakeTorch()
    p = on_fake_gpu(rowcast.plan(a, 8, device="cpu", threads=1))
    assert p(torch.Tensor(np.zeros((150, 0)))).shape == (200, 0) and not p._library.streams
    del sys.modules["torch"]


def beside():
    """A plan that a GPU has makes another for NumPy, until it has new values: with a stand-in for that GPU."""
    a = matrix()
    p = object.__new__(rowcast.Plan)
    import threading
    p.on_cpu, p._lock, p.shape, p.dtype, p.layout, p.device = False, threading.Lock(), a.shape, "float64", "row", None
    p.out_dtype = p.dtype
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
