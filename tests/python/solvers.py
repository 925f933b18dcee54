"""Plans as matrices and as operators of solvers, against SciPy: run by python.t as solvers.py TEST."""
import contextlib
import copy
import os
import pickle
import signal
import sys
import types

import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg

import rowcast
from rowcast import _library

SHAPES = ((300, 150), (150, 300), (1, 40), (40, 1), (7, 5), (0, 6), (6, 0), (0, 0))
TYPES = (("float32", 1e-4), ("float64", 1e-12))


def matrix(rows, cols, dtype="float64", density=0.05):
    """With empty rows and columns, where there are several."""
    a = sparse.random(rows, cols, density=density, format="lil", random_state=rows + cols, dtype=dtype)
    if rows > 4 and cols > 4:
        a[rows // 2] = 0
        a[:, cols // 2] = 0
    return a.tocsr()


def spd(n):
    a = sparse.random(n, n, density=4 / n, format="csr", random_state=n)
    return (a + a.T + sparse.diags(np.linspace(6, 60, n))).tocsr()


def views(rng, rows, cols, dtype):
    """The same values in every way that NumPy has them."""
    b = np.asarray(rng.rand(rows, cols), dtype)
    wide = np.zeros((2 * rows, 3 * cols), dtype)
    wide[::2, ::3] = b
    return (b, np.asfortranarray(b), wide[::2, ::3], b[::-1].copy()[::-1],
            b[:, ::-1].copy()[:, ::-1], np.broadcast_to(b[:, :1], b.shape))


def refused(error, named, function, *arguments):
    """By one line that has the name."""
    try:
        function(*arguments)
    except error as e:
        assert named in str(e) and "\n" not in str(e), (named, e)
        return
    raise AssertionError((named, function, arguments))


def near(found, want, eps):
    assert found.shape == want.shape and np.allclose(found, want, rtol=eps, atol=eps), (found, want)


def matmul():
    """plan @ b, plan.T @ b and vectors are SciPy's, of all forms, shapes, types and views; without a GPU on the CPU."""
    rng = np.random.RandomState(1)
    for rows, cols in SHAPES:
        for dtype, eps in TYPES:
            whole = matrix(rows, cols, dtype)
            for form in ("csr", "csc", "coo"):
                a = whole.asformat(form)
                for layout in ("row", "column"):
                    p = rowcast.plan(a, 3, layout=layout, device="cpu", threads=1, tune=2)
                    assert p.T.T is p and p.T.shape == a.shape[::-1] and p.T.dtype == dtype
                    for b, y in zip(views(rng, cols, 3, dtype), views(rng, rows, 3, dtype)):
                        near(p @ b, a @ b, eps)
                        near(p.T @ y, a.T @ y, eps)
                        near(p @ b[:, 1], a @ b[:, 1], eps)
                        near(p.T @ y[:, 1], a.T @ y[:, 1], eps)
    a = matrix(30, 20)
    p, b, y = rowcast.plan(a, [1, 4], threads=1), rng.rand(20, 4), rng.rand(30)
    assert p.on_cpu or _library.has_gpu()
    near(p @ b, a @ b, 1e-12)
    near(p @ b[:, :1], a @ b[:, :1], 1e-12)
    out, x = rng.rand(30), b[:, 2].copy()
    want = 2 * (a @ x) - out
    assert p.spmv(x, out, alpha=2, beta=-1) is out
    near(out, want, 1e-12)
    near(p(x), a @ x, 1e-12)
    near(p.T.spmv(y), a.T @ y, 1e-12)
    alone = rowcast.plan(a, op="spmv", device="cpu", threads=1)
    for _ in range(3):
        near(alone(x), a @ x, 1e-12)
        near(alone @ x, a @ x, 1e-12)
        near(alone(x.reshape(-1, 1)), (a @ x).reshape(-1, 1), 1e-12)
    near(alone.T @ y, a.T @ y, 1e-12)
    wide = rowcast.plan(a, [2, 9], k_range=True, device="cpu", threads=1)
    for k in range(2, 10):
        b = rng.rand(20, k)
        near(wide @ b, a @ b, 1e-12)
        near(wide.T @ rng.rand(30, k) * 0, np.zeros((20, k)), 0)


def updated():
    """New values reach the transposed and the vectors, made before or after them, also of a matrix that is gone."""
    rng = np.random.RandomState(2)
    a = matrix(40, 30)
    p = rowcast.plan(a, 4, device="cpu", threads=1)
    b, y = rng.rand(30, 4), rng.rand(40, 4)
    p @ b[:, 0], p.T @ y, p.T @ y[:, 0]
    for _ in range(2):
        a.data = rng.rand(a.nnz)
        p.update(a.data)
        near(p @ b, a @ b, 1e-12)
        near(p @ b[:, 0], a @ b[:, 0], 1e-12)
        near(p.T @ y, a.T @ y, 1e-12)
        near(p.T @ y[:, 0], a.T @ y[:, 0], 1e-12)
    p = rowcast.plan(a, 4, device="cpu", threads=1)
    p.T @ y
    p.update(2 * a.data)
    near(p.T @ y, 2 * (a.T @ y), 1e-12)
    near(p @ b[:, 0], 2 * (a @ b[:, 0]), 1e-12)
    gone = rowcast.plan(a.copy(), 4, device="cpu", threads=1)
    near(gone @ b, a @ b, 1e-12)
    near(gone.T @ y, a.T @ y, 1e-12)


def both():
    """A plan made for both has the products with A' itself, those with vectors in one more plan."""
    rng = np.random.RandomState(8)
    for layout, order in (("row", "C"), ("column", "F")):
        a = matrix(40, 30)
        p = rowcast.plan(a, 4, device="cpu", threads=1, layout=layout, transposed=True)
        v = rowcast.plan(a, op="spmv", device="cpu", threads=1, transposed=True)
        assert "\nTransposed: " in p.describe() and [r["transposed"] for r in p.answer().rows].count(True) > 0
        for _ in range(3):
            for _ in range(2):
                b, y = np.asarray(rng.rand(30, 4), order=order), np.asarray(rng.rand(40, 4), order=order)
                near(p @ b, a @ b, 1e-12)
                near(p.T @ y, a.T @ y, 1e-12)
                near(p(y, transposed=True, alpha=2), 2 * (a.T @ y), 1e-12)
                near(p.T @ y[:, 0], a.T @ y[:, 0], 1e-12)
                near(p @ b[:, 0], a @ b[:, 0], 1e-12)
                near(p.T.spmv(y[:, 1].copy(), alpha=-1), -(a.T @ y[:, 1]), 1e-12)
                near(v(b[:, 0].copy()), a @ b[:, 0], 1e-12)
                near(v.T @ y[:, 0], a.T @ y[:, 0], 1e-12)
                near(v(y[:, 0].copy(), transposed=True), a.T @ y[:, 0], 1e-12)
                first, second = rowcast.execute_many([(p, b), (p.T, y)])
                near(first, a @ b, 1e-12)
                near(second, a.T @ y, 1e-12)
            a.data = rng.rand(a.nnz)
            p.update(a.data)
            v.update(a.data)
        assert set(p._sides) == {("spmv", False)} and not v._sides


def kept():
    """A plan has the values of its creation, or of its last update, whatever is done to those arrays since."""
    rng = np.random.RandomState(6)
    b, y = rng.rand(30, 4), rng.rand(40, 4)
    for form in ("csr", "csc", "coo"):
        a = matrix(40, 30).asformat(form)
        for times in range(3):  # how often there are new values before the others are first asked for
            mine = a.copy()
            p = rowcast.plan(mine, 4, device="cpu", threads=1, dtype="float64")
            want = a.copy()
            for _ in range(times):
                new = rng.rand(a.nnz)
                want.data = new.copy()
                p.update(new)
                new[:] = 7
            mine.data[:] = 5
            for name in {"csr": ("indices", "indptr"), "csc": ("indices", "indptr"), "coo": ("row", "col")}[form]:
                getattr(mine, name)[:] = 0
            for _ in range(2):
                for found, right in ((p @ b, want @ b), (p.T @ y, want.T @ y), (p @ b[:, 0], want @ b[:, 0]), (p.T @ y[:, 0], want.T @ y[:, 0])):
                    near(found, right, 1e-12)
                new = rng.rand(a.nnz)
                want.data = new.copy()
                p.update(new)
                new[:] = 7


def wrong():
    """Each is one line that names what it is."""
    a = matrix(40, 30)
    p = rowcast.plan(a, 4, device="cpu", threads=1)
    v = rowcast.plan(a, op="spmv", device="cpu", threads=1)
    x, b = np.ones(30), np.ones((30, 4))
    for call in (lambda: p @ np.ones((29, 4)), lambda: p.T @ b, lambda: p @ np.ones(29), lambda: p.T @ x, lambda: p @ np.ones((30, 4, 1)),
                 lambda: v @ b, lambda: v(b), lambda: p @ b.astype("float32"), lambda: p @ x.astype(complex), lambda: p(x[::2]),
                 lambda: p @ np.array(1.0)):
        refused(ValueError, "B: ", call)
    refused(rowcast.Error, "K = 3", lambda: p @ b[:, :3])
    for w in (lambda: p(b[:, 0]), lambda: p.spmv(b[:, 0]), lambda: v(b[:, 0])):
        refused(ValueError, "B: expected values side by side, found them 4 apart", w)
    o = rowcast.linear_operator(a, threads=1)
    for w in ([(p.T, b)], [(o, x)], [(a, b)], [p, b], [b], [None], None, p, b, ((p, b), "pb"), {p: b}, [(b, p)]):
        refused(TypeError, "calls: ", rowcast.execute_many, w)
    for w in ("lil", "dok", "dia", "bsr"):
        refused(TypeError, "use .tocsr()", rowcast.plan, a.asformat(w), 4)
        refused(TypeError, "use .tocsr()", rowcast.linear_operator, a.asformat(w))
    for call in (lambda: p @ [1.0], lambda: p @ None, lambda: p @ a):
        refused(TypeError, "B: ", call)
    refused(TypeError, "@", lambda: b.T @ p)
    for w in (b, None, 5, [1.0]):
        refused(ValueError, "x: ", p.spmv, w)
    refused(ValueError, "out: ", p.spmv, x, np.ones((40, 1)))
    refused(ValueError, "out: ", p.spmv, x, np.ones(39))
    for how, named in ((dict(k=4, op="spmv"), "k: "), (dict(k=4, op="sddmm"), "op: "), (dict(k=4, op=None), "op: "), (dict(), "k: "),
                       (dict(k=4, k_range=True), "K: "), (dict(k=[9, 2], k_range=True), "K: "), (dict(k=[2, 9], k_range=3), "k_range: ")):
        refused((TypeError, ValueError, rowcast.Error), named, lambda: rowcast.plan(a, device="cpu", **how))
    for w in (None, 5, np.ones((3, 3)), [[1.0]], rowcast, a.astype(int), a.tolil(), a.tobsr()):
        refused(TypeError, "a", rowcast.linear_operator, w)
    for name, w in (("k", 3), ("device", "gpu"), ("layout", "row"), ("kernels", "rs"), ("nope", 1), ("tune", "x")):
        refused(TypeError, name, lambda: rowcast.linear_operator(a, **{name: w}))
    refused(ValueError, "dtype", lambda: rowcast.linear_operator(a, dtype="int8"))
    o = rowcast.linear_operator(a)
    for call in (lambda: o @ np.ones(29), lambda: o.matvec(np.ones((30, 2))), lambda: o.matmat(x), lambda: o.T @ np.ones((39, 2)),
                 lambda: o.update(np.ones(3)), lambda: o.update(5)):
        refused(ValueError, "", call)
    refused(TypeError, "values: ", o.update, a.data + 1j)
    for f in (copy.copy, copy.deepcopy, pickle.dumps):
        refused(TypeError, "linear_operator", f, o)


def operators():
    """Products, adjoint and transposed of an operator, sums and products of several; new values, also of later plans."""
    rng = np.random.RandomState(3)
    for rows, cols in SHAPES:
        for dtype, eps in TYPES:
            a = matrix(rows, cols, dtype)
            for form in ("csr", "csc", "coo"):
                o = rowcast.linear_operator(a.asformat(form), threads=1, tune=2)
                assert isinstance(o, linalg.LinearOperator) and o.shape == a.shape and o.dtype == dtype
                for k in (0, 1, 2, 3, 8, 9):
                    for b, y in zip(views(rng, cols, k, dtype), views(rng, rows, k, dtype)):
                        near(o.matmat(b), a @ b, eps)
                        near(o.rmatmat(y), a.T @ y, eps)
                        near(o.T.matmat(y), a.T @ y, eps)
                        near(o.H.H @ b, a @ b, eps)
                x, y = rng.rand(cols), rng.rand(rows)
                assert o.matvec(x).dtype == dtype and (o @ x.reshape(-1, 1)).shape == (rows, 1)
                near(o.matvec(x), a @ x, eps)
                near(o.rmatvec(y), a.T @ y, eps)
                near(o @ (x + 2j * x), a @ (x + 2j * x), eps)
                near((2 * o.T @ o) @ x, 2 * (a.T @ (a @ x)), 10 * eps)
                assert len(o.plans) <= 2 * 5, o.plans
    a = matrix(40, 30)
    original, o = a.copy(), rowcast.linear_operator(a, threads=1)
    b = rng.rand(30, 4)
    o @ b
    a.data[:] = 0  # which the operator is not told
    near(o @ b, original @ b, 1e-12)
    near(o.T @ np.ones(40), original.T @ np.ones(40), 1e-12)
    new = rng.rand(a.nnz)
    o.update(new)
    a.data[:] = new
    new[:] = 0
    near(o @ b, a @ b, 1e-12)
    near(o.T @ np.ones((40, 3)), a.T @ np.ones((40, 3)), 1e-12)
    near(rowcast.linear_operator(a, dtype="float32") @ b, a @ b, 1e-4)
    for narrow in ("float32", "float16", "float64"):
        h, wide = a.astype("float32"), a.copy()
        o = rowcast.linear_operator(h, dtype="float64", threads=1)
        o.matvec(b[:, 0])
        wide.data = rng.rand(a.nnz).astype(narrow).astype(float)
        o.update(wide.data.astype(narrow))
        near(o.matvec(b[:, 0]), wide @ b[:, 0], 1e-14)
        near(o.rmatvec(np.ones(40)), wide.T @ np.ones(40), 1e-14)
    for whole in (int, bool, "uint8", ">f8", "longdouble"):
        wide.data = np.arange(a.nnz).astype(whole)
        o.update(wide.data)
        near(o.matvec(b[:, 0]), wide.astype(float) @ b[:, 0], 1e-10)


def types_of_values():
    """By names and objects alike."""
    a, b = matrix(40, 30), np.ones((30, 2))
    alike = {"float32": ("float32", "f4", np.float32, np.dtype("f4"), "single"), "float64": (float, "d", np.float64, None, "<f8")}
    try:
        import torch
        alike["float32"] += (torch.float32,)
        assert rowcast.plan(a, 2, device="cpu", dtype=torch.bfloat16).dtype == "bfloat16"
    except ImportError:
        pass
    for name, several in alike.items():
        for dtype in several:
            p, o = rowcast.plan(a, 2, device="cpu", threads=1, dtype=dtype), rowcast.linear_operator(a, threads=1, dtype=dtype)
            assert p.dtype == name and o.dtype == name
            near(p @ b.astype(name), a @ b, 1e-4)
            near(o @ b, a @ b, 1e-4)
    for dtype in ("int8", np.clongdouble, 5, ">f4", "", "f4,f4", "nope", b"f4", np.ones(3), int, object(), object, a, [], {}, sys):
        refused(ValueError, "dtype: ", lambda: rowcast.plan(a, 2, device="cpu", dtype=dtype))
        refused(ValueError, "dtype: ", lambda: rowcast.linear_operator(a, dtype=dtype))
    refused(ValueError, "dtype: ", lambda: rowcast.linear_operator(a, dtype="bfloat16"))


def tensors_of_cpu():
    """Are refused by a line that says what takes them."""
    import torch
    a, b = matrix(40, 30), torch.ones(30, 4, dtype=torch.float64)
    p = rowcast.plan(a, 4, device="cpu", threads=1)
    for call in (lambda: p(b), lambda: p @ b, lambda: p.T @ b, lambda: p @ b[:, 0], lambda: p(b.numpy(), b), lambda: rowcast.plan(b.to_sparse(), 4),
                 lambda: rowcast.execute_many([(p, b)])):
        refused((TypeError, ValueError), "rowcast.torch.spmm", call)
    near(p @ b.numpy(), a @ b.numpy(), 1e-12)


def operator_in_child():
    """A child of a process in which another thread makes a plan of the operator makes its own."""
    a = matrix(40, 30)
    o, y = rowcast.linear_operator(a, threads=1), np.ones(40)
    with o._making:
        pid = os.fork()
        if pid == 0:
            signal.alarm(20)
            os._exit(int(not np.allclose(o.rmatvec(y), a.T @ y)))
    assert os.waitpid(pid, 0)[1] == 0


def steps(solver, a, b, **how):
    """The solution, and how often the callback was called."""
    count = []
    x, info = solver(a, b, callback=lambda *_: count.append(0), **how)
    assert info == 0
    return x, len(count)


def solvers():
    """The same answers after as many steps as with SciPy's matrix."""
    rng = np.random.RandomState(4)
    a = spd(500)
    o, b = rowcast.linear_operator(a, threads=1), rng.rand(500)
    for solver, how in ((linalg.cg, {}), (linalg.gmres, dict(callback_type="legacy")), (linalg.bicgstab, {}), (linalg.bicg, {})):
        for atol in (1e-6, 1e-10):
            (x, n), (y, m) = (steps(solver, s, b, atol=atol, **how) for s in (a, o))
            near(y, x, 1e-8)
            assert n == m > 1, (solver, n, m)
    tall = (matrix(400, 60, density=0.2) + sparse.eye(400, 60) * 9).tocsr()
    t, c = rowcast.linear_operator(tall, threads=1), rng.rand(400)
    want, found = linalg.lsmr(tall, c), linalg.lsmr(t, c)
    near(found[0], want[0], 1e-8)
    assert want[2] == found[2]
    start = np.ones(60)
    near(np.sort(linalg.svds(t, 3, v0=start)[1]), np.sort(linalg.svds(tall, 3, v0=start)[1]), 1e-8)
    start = np.ones(500)
    near(linalg.eigsh(o, 4, v0=start)[0], linalg.eigsh(a, 4, v0=start)[0], 1e-8)
    block = rng.rand(500, 6)
    near(*(linalg.lobpcg(s, block.copy(), tol=1e-9, maxiter=500)[0] for s in (o, a)), 1e-8)
    assert len(o.plans) <= 2 * 5


class CupyArray:
    """What of CuPy's arrays is asked for, over NumPy: no GPU is there."""

    def __init__(self, of):
        self.of, self.shape, self.strides, self.dtype = of, of.shape, of.strides, of.dtype
        self.ndim, self.itemsize = of.ndim, of.itemsize
        self.data, self.device = types.SimpleNamespace(ptr=of.ctypes.data), Device(0)

    def reshape(self, *shape):
        return CupyArray(self.of.reshape(*shape))

    def astype(self, dtype, copy=True):
        return CupyArray(self.of.astype(dtype, copy=copy))

    def copy(self):
        return CupyArray(self.of.copy())

    def __setitem__(self, where, values):
        self.of[where] = values.of


class Device(contextlib.nullcontext):
    id = 0

    def synchronize(self):
        pass


class CupyCsr:
    """In CSR, of those."""

    format, __module__ = "csr", "cupyx.scipy.sparse"

    def __init__(self, a):
        self.indptr, self.indices, self.data = (CupyArray(np.array(getattr(x, "of", x))) for x in (a.indptr, a.indices, a.data))
        self.shape = a.shape

    def copy(self):
        return CupyCsr(self)


class CupyOperator:
    """What of CuPy's LinearOperator ours has from there."""

    def __init__(self, dtype, shape):
        self.dtype, self.shape = np.dtype(dtype), shape

    def matvec(self, x):
        return self._matvec(x)

    def matmat(self, x):
        return self._matmat(x)

    def adjoint(self):
        return types.SimpleNamespace(matvec=self._rmatvec, matmat=self._rmatmat)

    H = property(adjoint)
    T = property(lambda self: self._transpose())


class FakeCuda:
    """librowcast_cuda by the plans of the CPU."""

    def __init__(self):
        self.of, self.made = _library.load("rowcast_plan"), 0

    def rc_plan_create(self, problem, matrix, options, stream, out, err):
        assert stream == 9 and matrix._obj.on_device == 1
        self.made, matrix._obj.on_device = self.made + 1, 0
        return self.of.rc_plan_create_host(problem, matrix, options, out, err)

    def rc_plan_execute(self, *arguments):
        return self.of.rc_plan_execute(*arguments[:-2], 0, arguments[-1])

    def rc_plan_execute_many(self, calls, count, stream, err):
        return self.of.rc_plan_execute_many(calls, count, 0, err)

    def rc_plan_update_values(self, handle, nnz, values, width, on_device, stream, err):
        assert on_device == 1
        return self.of.rc_plan_update_values(handle, nnz, values, width, 0, 0, err)

    def rc_plan_free(self, handle):
        self.of.rc_plan_free(handle)


def stand_in_of_cupy():
    cupy = types.ModuleType("cupy")
    stream = types.SimpleNamespace(ptr=9, synchronize=lambda: None)
    cupy.ndarray, cupy.empty = CupyArray, lambda shape, dtype, order: CupyArray(np.empty(shape, dtype, order))
    cupy.asarray = lambda x: x if isinstance(x, CupyArray) else CupyArray(np.asarray(x))
    cupy.cuda = types.SimpleNamespace(Device=Device, get_current_stream=lambda: stream,
                                      runtime=types.SimpleNamespace(getDevice=lambda: 0))
    sys.modules["cupy"] = cupy
    sys.modules["cupyx.scipy.sparse.linalg"] = types.SimpleNamespace(LinearOperator=CupyOperator)
    _library._loaded["rowcast_cuda"] = FakeCuda()
    return _library._loaded["rowcast_cuda"]


def operators_of_cupy():
    """A matrix of CuPy has its plans on the GPU, with a stand-in for both."""
    cuda, a, rng = stand_in_of_cupy(), matrix(40, 30), np.random.RandomState(5)
    kept = CupyCsr(a)
    o, p = rowcast.linear_operator(kept), rowcast.plan(kept, 3)
    assert cuda.made == 2 and not p.on_cpu and p.device == 0
    for scale in (1, 2):
        for k in (1, 2, 3):
            b, y = rng.rand(30, k), rng.rand(40, k)
            onto, back = CupyArray(b), CupyArray(y)
            x, z = CupyArray(b[:, 0]), CupyArray(y[:, 0])
            products = [(o.matmat(onto), a @ b), (o.T.matmat(back), a.T @ y), (o.matvec(x), a @ b[:, 0]),
                        (o.H.matvec(z), a.T @ y[:, 0]), (p @ x, a @ b[:, 0]), (p.T @ z, a.T @ y[:, 0])]
            products += [(p @ onto, a @ b), (p.T @ back, a.T @ y)] if k == 3 else []
            for found, want in products:
                assert isinstance(found, CupyArray)
                near(found.of, scale * want, 1e-12)
        new = CupyArray(2 * a.data)
        o.update(new)
        p.update(new)
    late, new = rowcast.plan(CupyCsr(a), 3), CupyArray(a.data.copy())
    late.update(new)
    new.of[:] = 5
    near((late.T @ CupyArray(y)).of, a.T @ y, 1e-12)
    cuda.made -= 2
    assert all(not made.on_cpu for made in o.plans.values()) and cuda.made == 2 + 5 + 3


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
