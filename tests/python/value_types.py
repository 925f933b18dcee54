"""Value types of the Python module: run by python.t as value_types.py TEST."""
import sys
from types import SimpleNamespace

import numpy as np

import rowcast
from rowcast import _library


def known_types():
    """The numbers of the library's types of real numbers that NumPy has here, by its names."""
    try:
        import ml_dtypes  # noqa: F401: which has "bfloat16"
    except ImportError:
        pass
    found = {}
    for dtype, number in _library.real_dtypes().items():
        try:
            found[str(np.dtype(dtype))] = number
        except TypeError:
            continue
    return found


def refused(error, function, *arguments):
    try:
        function(*arguments)
    except error:
        return
    raise AssertionError((function, arguments))


def arrays():
    """What is read of matrices of each type."""
    import scipy.sparse as sparse
    from rowcast._arrays import Sparse
    a = sparse.random(20, 15, density=0.2, format="csr", random_state=6)
    for dtype, number in known_types().items():
        short = SimpleNamespace(format="csr", shape=a.shape, indptr=a.indptr, indices=a.indices, data=a.data.astype(dtype))
        s = Sparse(short)
        assert s.precision == number and s.dtype == dtype and s.kept[2].dtype == dtype
        assert rowcast.features(short) == rowcast.features(a)


def plans():
    """Matrices, operands and new values of every type that NumPy has; what kernels have no instance for is said."""
    names = list(_library.types())
    assert names[:4] == ["fp32", "fp64", "bf16", "fp16"] and "bfloat16" in _library.dtypes()
    assert list(_library.dtypes().values()) == list(_library.types().values()) == list(range(len(names)))
    assert {"float32", "float64", "float16"} <= set(known_types())
    assert set(_library.dtypes()) - set(_library.real_dtypes()) == {"complex64", "complex128"}
    import scipy.sparse as sparse
    rng = np.random.RandomState(8)
    csr = sparse.random(90, 70, density=0.1, format="csr", random_state=5)
    value = (rng.randint(-128, 129, csr.nnz) / 128, rng.randint(-128, 129, csr.nnz) / 128)  # which every type has
    b = rng.randint(-128, 129, (70, 5)) / 128
    unit = {"float32": 2**-24, "float64": 2**-53, "bfloat16": 2**-8, "float16": 2**-11}
    ran = set()
    for of in known_types():  # the type of the matrix
        a = SimpleNamespace(format="csr", shape=csr.shape, indptr=csr.indptr, indices=csr.indices, data=value[0].astype(of))
        for dtype in known_types():
            try:
                p = rowcast.plan(a, 5, dtype=dtype, device="cpu", threads=1)
            except rowcast.Error as e:
                short = next(n for n, i in _library.types().items() if i == known_types()[dtype])
                assert e.name == "unsupported" and f" in {short} " in str(e), e
                continue
            ran.add(dtype)
            assert p.dtype == dtype and f", {dtype}, " in repr(p)
            for new in value:
                csr.data = new
                want, size = csr @ b, abs(csr) @ abs(b)
                for _ in range(2):  # the second time nothing is looked at anew
                    c = p(b.astype(dtype))
                    assert c.dtype == dtype and (abs(c.astype("float64") - want) <= unit[dtype] * (abs(want) + 90 * size)).all()
                    out = np.zeros((90, 5), dtype)
                    assert p(b.astype(dtype), out) is out and (out == c).all()
                other = next(x for x in known_types() if x != dtype)
                refused(ValueError, p, b.astype(other))
                refused(ValueError, p, b.astype(dtype), np.zeros((90, 5), other))
                refused(TypeError, p.update, new.astype("int32"))
                p.update(value[1].astype(other))
    assert {"float32", "float64"} <= ran
    for wrong in ("int8", "float8", "fp32"):
        try:
            rowcast.plan(csr, 5, dtype=wrong, device="cpu")
        except ValueError as e:
            assert str(e).startswith("dtype: expected float32, float64, bfloat16") and str(e).endswith(f"found {wrong}"), e
        else:
            raise AssertionError(wrong)


def sums():
    """C in float32 beside B of 16 bits has the sums as they are, whatever the product."""
    import scipy.sparse as sparse
    rng = np.random.RandomState(9)
    csr = sparse.random(90, 70, density=0.3, format="csr", random_state=7)
    csr.data = rng.randint(-128, 129, csr.nnz) / 128  # sums of such products are exact in fp32
    b, y = rng.randint(-128, 129, (70, 5)) / 128, rng.randint(-128, 129, (90, 5)) / 128
    for dtype in set(known_types()) - {"float32", "float64"}:
        for layout in ("row", "column"):
            order = "F" if layout == "column" else "C"
            p = rowcast.plan(csr, 5, dtype=dtype, out_dtype=np.float32, layout=layout, device="cpu", threads=2)
            assert (p.dtype, p.out_dtype) == (dtype, "float32") and f", {dtype} to float32, " in repr(p)
            short = np.asarray(b.astype(dtype), order=order)
            for values in (csr.data, csr.data[::-1].copy()):
                csr.data = values
                want = csr @ b
                assert (want.astype(dtype) != want).any()
                for _ in range(2):
                    c = p(short)
                    assert c.dtype == "float32" and (c == want).all()
                    assert (p(short, c, alpha=-0.5, beta=2.0) == 1.5 * want).all()
                assert (p @ short == want).all() and (p @ short[:, 0] == want[:, 0]).all()
                assert (rowcast.execute_many([(p, short)])[0] == want).all() and (p.T.spmv(y[:, 0].astype(dtype)) == csr.T @ y[:, 0]).all()
                p.update(values[::-1].copy())
            refused(ValueError, p, short, np.zeros((90, 5), dtype, order))
            refused(ValueError, p, np.asarray(b.astype("float32"), order=order))
    assert rowcast.plan(csr, 5, out_dtype="float64", device="cpu").out_dtype == "float64"
    for dtype, out in (("float64", "float32"), ("float32", "float64"), ("float16", "float64"), ("float16", "int8")):
        refused((ValueError, rowcast.Error), lambda: rowcast.plan(csr, 5, dtype=dtype, out_dtype=out, device="cpu"))


def random_of(rng, shape, dtype):
    """Numbers whose products are exact in fp32, of a type."""
    x = rng.randint(-16, 17, shape) / 16
    return (x + 1j * rng.randint(-16, 17, shape) / 16 if np.dtype(dtype).kind == "c" else x).astype(dtype)


def complex_operators(pattern, rng):
    """Products with A, A' and that conjugated, of vectors and several."""
    import scipy.sparse as sparse
    import scipy.sparse.linalg as linalg
    a = sparse.csr_matrix((random_of(rng, pattern.nnz, "complex128"), pattern.indices, pattern.indptr), pattern.shape)
    for dtype in (None, "complex64"):
        o = rowcast.linear_operator(a, dtype=dtype, threads=1)
        assert o.dtype == (dtype or a.dtype)
        for new in (a.data, random_of(rng, a.nnz, "complex64"), random_of(rng, a.nnz, "float32")):
            o.update(new)
            dense = sparse.csr_matrix((new, a.indices, a.indptr), a.shape).toarray()
            for kind in ("complex128", "float64"):
                x, y = random_of(rng, (50, 3), kind), random_of(rng, (60, 3), kind)
                assert (o @ x == dense @ x).all() and (o @ x[:, 0] == dense @ x[:, 0]).all()
                assert (o.H @ y == dense.conj().T @ y).all() and (o.rmatvec(y[:, 1]) == dense.conj().T @ y[:, 1]).all()
                assert (o.T @ y == dense.T @ y).all() and (o.T @ y[:, 2] == dense.T @ y[:, 2]).all()
    square = (a @ a.conj().T + 60 * sparse.eye(60)).tocsr()
    found, failed = linalg.gmres(rowcast.linear_operator(square, threads=1), np.ones(60), atol=1e-8)
    assert failed == 0 and abs(square @ found - 1).max() < 1e-3
    refused(TypeError, rowcast.linear_operator(pattern, threads=1).update, a.data)


def complex_plans():
    """Products of complex numbers on the CPU, of matrices of real ones too, as NumPy has them."""
    import scipy.sparse as sparse
    rng = np.random.RandomState(9)
    pattern = sparse.random(60, 50, density=0.1, format="csr", random_state=5)
    for of in ("complex64", "complex128", "float32", "float64"):
        for dtype in ("complex64", "complex128"):
            for form in ("csr", "csc", "coo"):
                data = random_of(rng, pattern.nnz, of)
                a = sparse.csr_matrix((data, pattern.indices, pattern.indptr), pattern.shape).asformat(form)
                layout = "column" if form == "csc" else "row"
                p = rowcast.plan(a, 7, dtype=dtype, layout=layout, device="cpu", threads=1)
                assert p.on_cpu and p.dtype == dtype and f", {dtype}, " in repr(p)
                b = np.asarray(random_of(rng, (50, 7), dtype), order="F" if form == "csc" else "C")
                dense = a.toarray().astype("complex128")
                for alpha, beta in ((1.0, 0.0), (2.0, 1.0), (2, 0.5 - 1j), (1j, 0), (np.complex64(1 + 1j), np.float32(2))):
                    for _ in range(2):  # asked for again
                        before = np.asarray(random_of(rng, (60, 7), dtype), order=b.flags.f_contiguous and "F" or "C")
                        out = before.copy(order="K")
                        assert p(b, out, alpha=alpha, beta=beta) is out
                        assert (out == alpha * (dense @ b) + beta * before).all(), (of, dtype, form, alpha, beta)
                assert (p @ b == dense @ b).all() and (p @ b[:, 2] == dense @ b[:, 2]).all()
                assert (p.T @ before == dense.T @ before).all() and (p.spmv(b[:, 0].copy(), alpha=1j) == 1j * (dense @ b[:, 0])).all()
                assert (p.H @ before == dense.conj().T @ before).all() and (p.H @ before[:, 1] == dense.conj().T @ before[:, 1]).all()
                assert p.H.H is p and p.H.shape == (50, 60) and p.T.T is p
                for turned, want in ((p.T.H, dense.conj()), (p.H.T, dense.conj()), (p.T.H.H, dense.T), (p.H.T.T, dense.conj().T)):
                    x = b if turned.shape == p.shape else before
                    assert (turned @ x == want @ x).all() and (turned @ x[:, 1] == want @ x[:, 1]).all()
                a.data = random_of(rng, len(a.data), "complex64")
                p.update(a.data)
                assert (p @ b == a.toarray() @ b).all() and (p.T @ before == a.toarray().T @ before).all()
                assert (p.H @ before == a.toarray().conj().T @ before).all() and (p.T.H @ b == a.toarray().conj() @ b).all()
                assert (rowcast.execute_many([(p, b, None, 2.0)])[0] == 2 * (a.toarray() @ b)).all()
                refused(ValueError, p, b.real.copy())
                for wrong in ("1", None, [1], np.ones(2) + 1j):
                    refused(TypeError, lambda: p(b, alpha=wrong))
    a = pattern.astype("complex128")
    assert rowcast.answer(a, 3, budget=0.2, threads=1).plan.dtype == "complex128"
    refused(rowcast.Error, lambda: rowcast.plan(a, 3, dtype="float64", device="cpu"))
    refused(TypeError, rowcast.features, a)
    refused(TypeError, rowcast.order, a)
    complex_operators(pattern, rng)
    real = rowcast.plan(pattern, 3, device="cpu", threads=1)
    assert (real.H @ np.ones((60, 3)) == real.T @ np.ones((60, 3))).all() and real.T.H is real and real.H.T is real
    refused(TypeError, real.update, a.data)
    refused(TypeError, lambda: real(np.ones((50, 3)), alpha=1j))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
