"""Systems that are renumbered, in Python: run by python.t as systems.py TEST."""
import gc
import math
import os
import sys
import types

import numpy as np

import rowcast
from rowcast import _library


def refused(error, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except error as e:
        return str(e)
    raise AssertionError((function, arguments))


def mesh(n, seed=3):
    """The Laplacian of n x n points, numbered at random."""
    import scipy.sparse as sparse
    line = sparse.diags([-np.ones(n - 1), 2.1 * np.ones(n), -np.ones(n - 1)], [-1, 0, 1])
    a = sparse.kronsum(line, line).tocsr()
    p = np.random.RandomState(seed).permutation(n * n)
    return a[p][:, p].tocsr()


def permutes():
    """P A P' is what SciPy makes by the order, of any form, type and order; new values go the same way."""
    import scipy.sparse as sparse
    rng = np.random.RandomState(1)
    for form in ("csr", "csc", "coo"):
        for dtype in ("float32", "float64", "float16", "complex64", "complex128"):
            a = mesh(9).asformat(form).astype("float64")
            a.data = rng.randint(-9, 9, a.nnz).astype("float64")
            a = type(a)(a, dtype="float64") if dtype == "float16" else a.astype(dtype)
            turn = 1 + 2j if "complex" in dtype else 1
            a.data = (a.data * turn).astype(a.dtype)
            for order in (None, "rcm", "multilevel", "bandk", "random:seed=4", "csr"):
                s = rowcast.order_system(a, order, threads=2)
                p = s.order
                assert p.dtype == np.int32 and sorted(p) == list(range(81)), order
                b = s.permute(a)
                assert b.format == "csr" and b.dtype == a.dtype and b.has_sorted_indices
                assert (b != a.tocsr()[p][:, p]).nnz == 0
                assert b.indices.dtype == np.int32 and b.has_canonical_format
                values = (turn * rng.rand(a.nnz)).astype(dtype)
                other = a.copy()
                other.data = values.astype(a.dtype)
                assert (s.values(values) == s.permute(other).data.astype(dtype)).all()
    a = sparse.csr_array(mesh(5))
    assert isinstance(rowcast.order_system(a).permute(a), sparse.csr_array)
    empty = sparse.csr_matrix((0, 0))
    assert rowcast.order_system(empty).permute(empty).shape == (0, 0)


def vectors():
    """There and back, of each size of a value, one dimension or two, by rows and by columns, and parts of arrays."""
    s = rowcast.order_system(mesh(7), "random:seed=2")
    p = s.order
    for dtype in ("float16", "float32", "float64", "int32", "int64", "int16", "complex64", "complex128"):
        for shape in ((49,), (49, 1), (49, 5)):
            for layout in "CF":
                x = np.asarray(np.arange(np.prod(shape)).reshape(shape), dtype=dtype, order=layout)
                y = s.to(x)
                assert y.dtype == x.dtype and y.shape == x.shape and (y == x[p]).all()
                assert (s.back(y) == x).all()
                out = np.zeros(shape, dtype, order="C" if layout == "F" else "F")
                assert s.to(x, out) is out and (out == x[p]).all()
    wide = np.random.RandomState(6).rand(49, 8)
    assert (s.to(wide[:, 2:5]) == wide[p, 2:5]).all() and (s.to(wide[:, 3]) == wide[p, 3]).all()
    assert s.to(np.zeros((49, 0))).shape == (49, 0)
    turned = np.frombuffer(bytearray(49 * 8 + 4), "float32")[1:].view("complex64")
    turned.real[:], turned.imag[:] = np.arange(49), -np.arange(49)
    assert (s.to(turned) == turned[p]).all()


def solves():
    """A solver in the order has the solution of the original system."""
    from scipy.sparse.linalg import spsolve
    a = mesh(12)
    b = np.random.RandomState(2).rand(144)
    s = rowcast.order_system(a, "rcm")
    x = s.back(spsolve(s.permute(a), s.to(b)))
    assert np.allclose(a @ x, b)
    z = b * (3 - 1j)
    turned = rowcast.order_system(1j * a, "rcm")
    assert np.allclose(1j * (a @ turned.back(spsolve(turned.permute(1j * a), turned.to(z)))), z)
    assert s.cost_s > 0 and math.isnan(s.gain) and math.isnan(s.break_even)
    assert s.name == "rcm" and s.on_cpu and s.device is None and not s.is_identity and s.shape == a.shape
    s = rowcast.order_system(a, "csr")
    assert s.is_identity and s.gain == 1 and s.break_even == 0
    plan = rowcast.plan(rowcast.order_system(a).permute(a), op="spmv", device="cpu", tune=0)
    assert plan(b).shape == b.shape


def errors():
    """What is none is said in a line."""
    import pickle
    a = mesh(5)
    s = rowcast.order_system(a, threads=1)
    assert "of rows alone" in refused(rowcast.Error, rowcast.order_system, a, "lpt")
    assert "square" in refused(rowcast.Error, rowcast.order_system, a[:-1])
    refused(rowcast.Error, rowcast.order_system, a, "no-such")
    refused(TypeError, rowcast.order_system, a, 7)
    refused(TypeError, rowcast.order_system, [[1.0]])
    refused(ValueError, rowcast.order_system, a, k=-1)
    refused(ValueError, rowcast.order_system, a, dtype="int8")
    refused(rowcast.Error, s.permute, mesh(4))
    refused(ValueError, s.values, a.data)
    s.permute(a)
    refused(ValueError, s.values, a.data[:-1])
    refused(TypeError, s.values, [1.0])
    refused(TypeError, s.values, a.data.astype("int32"))
    refused(ValueError, s.to, np.zeros(24))
    refused(ValueError, s.to, np.zeros((25, 2, 2)))
    refused(ValueError, s.to, np.zeros(25, "int8"))
    refused(ValueError, s.to, np.zeros(25), np.zeros(25, "float32"))
    refused(rowcast.Error, s.to, *[np.zeros(25)] * 2)
    refused(TypeError, s.back, [0.0] * 25)
    refused(TypeError, pickle.dumps, s)
    child = os.fork()
    if child == 0:
        ok = (s.back(s.to(np.arange(25.0))) == np.arange(25.0)).all()
        del s
        gc.collect()
        os._exit(not ok)
    assert os.waitpid(child, 0)[1] == 0


class FakeCuda:
    """librowcast_cuda by the systems of the CPU."""

    def __init__(self):
        self.of = _library.load("rowcast_plan")

    def on_the_host(self, matrix):
        assert matrix._obj.on_device == 1
        matrix._obj.on_device = 0
        return matrix

    def rc_order_system_cuda(self, matrix, options, stream, out, err):
        assert stream == 9
        return self.of.rc_order_system(self.on_the_host(matrix), options, out, err)

    def rc_system_permute(self, handle, matrix, to, stream, err):
        return self.of.rc_system_permute(handle, self.on_the_host(matrix), to, 0, err)

    def __getattr__(self, name):
        """Those whose last arguments are a stream and an error."""
        function = getattr(self.of, name)
        if name in ("rc_system_free", "rc_system_info"):
            return function
        return lambda *given: function(*given[:-2], 0, given[-1])


def of_cupy():
    """A matrix of CuPy is renumbered on its GPU, with a stand-in for both."""
    import scipy.sparse as sparse
    import solvers
    solvers.stand_in_of_cupy()
    array, cupy = solvers.CupyArray, sys.modules["cupy"]
    cupy.empty = lambda shape, dtype, order="C": array(np.empty(shape, dtype, order))
    cupy.arange = lambda n, dtype: array(np.arange(n, dtype=dtype))
    made = types.SimpleNamespace(csr_matrix=sparse_of)
    for name in ("cupyx.scipy.sparse", "cupyx.scipy", "cupyx"):
        sys.modules[name] = made
        made = types.SimpleNamespace(**{name.split(".")[-1]: made})
    _library._loaded["rowcast_cuda"] = FakeCuda()
    a, x = mesh(6), np.random.RandomState(5).rand(36, 3)
    s = rowcast.order_system(solvers.CupyCsr(a), "rcm")
    p = s.order
    assert isinstance(p, array) and not s.on_cpu and s.device == 0
    p = p.of
    b = s.permute(solvers.CupyCsr(a))
    assert (b != a[p][:, p]).nnz == 0
    assert (s.values(array(2 * a.data)).of == 2 * b.data).all()
    for given in (x, np.asfortranarray(x), x[:, 0].copy()):
        y = s.to(array(given))
        assert isinstance(y, array) and (y.of == given[p]).all() and (s.back(y).of == given).all()
    refused(TypeError, s.to, x.tolist())
    refused(ValueError, s.permute, a)
    assert sparse.issparse(b)


def sparse_of(parts, shape):
    """What CuPy would make, of SciPy."""
    import scipy.sparse as sparse
    val, col, ptr = parts
    return sparse.csr_matrix((val.of, col.of, ptr.of), shape=shape)


globals()[sys.argv[1]](*sys.argv[2:])
