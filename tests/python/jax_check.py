"""Products in JAX, against dense ones: run by jax.t as jax_check.py TEST, on the platform of JAX_PLATFORMS."""
import gc
import sys
import threading

import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse
from jax.experimental import sparse
from jax.test_util import check_grads

import rowcast
import rowcast.jax as rj

jax.config.update("jax_enable_x64", True)
ON_CPU = jax.default_backend() == "cpu"
SHAPES = ((7, 5), (1, 9), (20, 20), (40, 3))


def random(*shape, seed=1, dtype=np.float64):
    made = np.random.RandomState(seed)
    values = made.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * made.standard_normal(shape)
    return values.astype(dtype)


def dense(rows, cols, seed=2, dtype=np.float64):
    there = np.random.RandomState(seed).random_sample((rows, cols)) < 0.4
    there[0, 0] = True
    return np.where(there, random(rows, cols, seed=seed, dtype=dtype), np.zeros((), dtype))


def matrix(d):
    """By its places and values, whatever SciPy has of its type."""
    found = scipy.sparse.csr_matrix((d != 0).astype(np.float32))
    return rj.Matrix(found.indptr, found.indices, d[d != 0], d.shape)


def near(found, expected, what="", tolerance=1e-9):
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape and found.dtype == expected.dtype, (what, found.shape, expected.shape, found.dtype)
    wide = np.complex128 if found.dtype.kind == "c" else np.float64
    np.testing.assert_allclose(found.astype(wide), expected.astype(wide), rtol=tolerance, atol=tolerance, err_msg=str(what))


def refused(kind, text, f, *args):
    try:
        jax.block_until_ready(f(*args))
    except kind as e:
        assert text in str(e), (text, e)
        return
    raise AssertionError(f"nothing refused {text}")


def products():
    """All operations, in all shapes, outside of functions that are compiled."""
    for shape in SHAPES:
        d, k = dense(*shape), 4
        m, b, y = matrix(d), random(shape[1], k), random(shape[0], k, seed=3)
        near(rj.spmm(m, b), d @ b, shape)
        near(m @ b[:, 0], d @ b[:, 0], shape)
        near(rj.spmv(m, b[:, 1]), d @ b[:, 1], shape)
        near(rj.spmm_t(m, y), d.T @ y, shape)
        near(rj.spmm_t(m, y[:, 0]), d.T @ y[:, 0], shape)
        near(rj.sddmm(m, y, b), (d * (y @ b.T))[d != 0], shape)
        near(rj.spmm(m, jnp.asarray(b.T.copy()).T), d @ b, shape)


def types():
    """Each that plans have there."""
    names = ["float32", "float16", jnp.bfloat16] + (["complex64", "complex128"] if ON_CPU else [])
    for name in names:
        d, b = dense(20, 11, dtype=name), random(11, 4, dtype=name)
        wide = np.complex128 if np.dtype(name).kind == "c" else np.float64
        expected = (d.astype(wide) @ b.astype(wide)).astype(name)
        near(rj.spmm(matrix(d), b), expected, name, {2: 5e-2, 4: 1e-4, 8: 1e-4, 16: 1e-9}[np.dtype(name).itemsize])


def compiled():
    """Within functions that are compiled, of a matrix that is an argument or is not, several in one, and in a loop."""
    d = dense(20, 20)
    m, b = matrix(d), random(20, 4)
    near(jax.jit(lambda x: rj.spmm(m, x))(b), d @ b)
    near(jax.jit(rj.spmm)(m, b), d @ b)
    near(jax.jit(lambda a, x: rj.spmm_t(a, jnp.tanh(rj.spmm(a, x))) + x)(m, b), d.T @ np.tanh(d @ b) + b)
    near(jax.jit(lambda a, x: rj.sddmm(a, a @ x, x))(m, b), (d * ((d @ b) @ b.T))[d != 0])
    near(jax.jit(lambda x: jax.lax.fori_loop(0, 3, lambda _, c: rj.spmm(m, c), x))(b), d @ (d @ (d @ b)))
    with jax.disable_jit():
        near(jax.jit(rj.spmm)(m, b), d @ b)
    step = jax.jit(lambda a, x: a @ x)
    for factor in (1, 2, 3):
        near(step(m.with_values(factor * m.val), b), factor * (d @ b))


def batches():
    """Of B, of values, of both, and of vectors; within and without a function that is compiled."""
    d = dense(12, 9)
    m, many = matrix(d), random(5, 9, 4)
    for wrap in (jax.jit, lambda f: f):
        near(wrap(jax.vmap(lambda x: rj.spmm(m, x)))(many), d @ many)
        near(wrap(jax.vmap(lambda x: rj.spmm(m, x), in_axes=1, out_axes=1))(many[0]), d @ many[0])
        near(wrap(jax.vmap(jax.vmap(lambda x: rj.spmv(m, x), in_axes=1, out_axes=1)))(many), d @ many)
        values = jnp.stack([m.val, 2 * m.val, -m.val])
        near(wrap(jax.vmap(lambda v: m.with_values(v) @ many[0]))(values), np.stack([d, 2 * d, -d]) @ many[0])
        near(wrap(jax.vmap(lambda v, x: m.with_values(v) @ x))(values, many[:3]), np.stack([d, 2 * d, -d]) @ many[:3])
        y = random(5, 12, 4, seed=4)
        near(wrap(jax.vmap(lambda u, x: rj.sddmm(m, u, x)))(y, many), np.stack([(d * (u @ x.T))[d != 0] for u, x in zip(y, many)]))


def derivatives():
    """Of both orders, forward and backward, against finite differences; of a Matrix as a tree."""
    d = dense(6, 5)
    m, b, y = matrix(d), random(5, 3), random(6, 3, seed=3)
    for wrap in (jax.jit, lambda f: f):
        for f, args in ((lambda v, x: rj.spmm(m.with_values(v), x), (m.val, b)), (lambda v, x: rj.spmm_t(m.with_values(v), x), (m.val, y)),
                        (lambda v, x: rj.spmv(m.with_values(v), x), (m.val, b[:, 0])), (lambda v, u, x: rj.sddmm(m.with_values(v), u, x), (m.val, y, b))):
            check_grads(wrap(f), args, order=2, modes=("fwd", "rev"))
    weight = random(6, 3, seed=5)
    of_m, of_b = jax.grad(lambda a, x: (rj.spmm(a, x) * weight).sum(), (0, 1))(m, b)
    near(of_m.val, (weight @ b.T)[d != 0])
    near(of_b, d.T @ weight)
    near(jax.jit(jax.grad(lambda x: (rj.spmm(m, x) ** 2).sum()))(b), 2 * d.T @ (d @ b))
    many = random(4, 5, 3)
    near(jax.vmap(jax.grad(lambda x: (rj.spmm(m, x) ** 2).sum()))(many), 2 * d.T @ (d @ many))
    near(jax.jacfwd(lambda x: rj.spmv(m, x))(b[:, 0]), d)
    near(jax.jacrev(lambda x: rj.spmv(m, x))(b[:, 0]), d)


def values():
    """Columns in any order and more than once, which add up."""
    d = dense(9, 6)
    row, col = np.nonzero(d)
    for times in (1, 3):
        mixed = np.random.RandomState(5).permutation(times * len(row))
        r, c = np.tile(row, times)[mixed], np.tile(col, times)[mixed]
        order = np.argsort(r, kind="stable")
        ptr = np.searchsorted(r[order], np.arange(10))
        v = random(len(r), seed=6)
        m = rj.Matrix(ptr, c[order], v, d.shape)
        whole = scipy.sparse.coo_matrix((v, (r[order], c[order])), d.shape).toarray()
        b, y = random(6, 3), random(9, 3, seed=3)
        near(m @ b, whole @ b)
        near(rj.spmm_t(m, y), whole.T @ y)
        near(rj.sddmm(m, y, b), v * (y @ b.T)[r[order], c[order]])
        near(jax.grad(lambda x: (m.with_values(x) @ b).sum())(m.val), (np.ones((9, 3)) @ b.T)[r[order], c[order]])


def sparse_arrays():
    """BCOO and BCSR of JAX, with gradients of their values."""
    d, b = dense(9, 6), random(6, 3)
    weight = random(9, 3, seed=4)
    for a in (sparse.BCOO.fromdense(jnp.asarray(d)), sparse.BCSR.fromdense(jnp.asarray(d)), sparse.BCOO.fromdense(jnp.asarray(d.T)).T):
        near(rj.spmm(a, b), d @ b)
        near(rj.spmm_t(a, weight), d.T @ weight)
        there = (np.asarray(a.indices).T if isinstance(a, sparse.BCOO)
                 else (np.repeat(np.arange(9), np.diff(a.indptr)), np.asarray(a.indices)))
        near(rj.sddmm(a, weight, b), (d * (weight @ b.T))[tuple(there)])
        near(jax.jit(lambda x, a=a: rj.spmm(a, x))(b), d @ b)
    a = sparse.BCOO.fromdense(jnp.asarray(d))
    of = jax.grad(lambda v: (rj.spmm(sparse.BCOO((v, a.indices), shape=a.shape), b) * weight).sum())(a.data)
    near(of, (weight @ b.T)[tuple(np.asarray(a.indices).T)])
    refused(TypeError, "traced", jax.jit(rj.spmm), a, b)
    columns = jnp.asarray([1, 0, 2])  # one array of two matrices
    for rows in ([0, 1, 3], [0, 2, 3]):
        a = sparse.BCSR((jnp.ones(3), columns, jnp.asarray(rows)), shape=(2, 3))
        near(rj.spmm(a, b[:3]), np.asarray(a.todense()) @ b[:3])
    m = rj.Matrix.of(scipy.sparse.coo_matrix(d))
    near(m @ b, d @ b)


def plans():
    """A rowcast.Plan, with derivatives of B."""
    d, b, y = dense(20, 11), random(11, 4), random(20, 4, seed=3)
    for both in (False, True):
        plan = rowcast.plan(scipy.sparse.csr_matrix(d), k=4, device="cpu" if ON_CPU else "gpu", transposed=both)
        for wrap in (jax.jit, lambda f: f):
            near(wrap(lambda x, p=plan: rj.spmm(p, x))(b), d @ b)
            near(wrap(lambda x, p=plan: rj.spmm_t(p, x))(y), d.T @ y)
            near(wrap(lambda x, p=plan: rj.spmv(p, x))(b[:, 0]), d @ b[:, 0])
            near(wrap(jax.grad(lambda x, p=plan: (rj.spmm(p, x) ** 2).sum()))(b), 2 * d.T @ (d @ b))
        refused(TypeError, "B: expected float64", rj.spmm, plan, b.astype(np.float32))
        refused(Exception, "K", rj.spmm, plan, random(11, 5))


def empty():
    """K of 0, no entries, no rows, no columns."""
    for rows, cols, k in ((6, 5, 0), (0, 5, 3), (6, 0, 3), (4, 4, 2)):
        d = np.zeros((rows, cols))
        m, b, y = rj.Matrix.of(scipy.sparse.csr_matrix((rows, cols))), random(cols, k), random(rows, k)
        for wrap in (jax.jit, lambda f: f):
            near(wrap(lambda x, m=m: rj.spmm(m, x))(b), d @ b)
            near(wrap(lambda x, m=m: rj.spmm_t(m, x))(y), d.T @ y)
            near(wrap(jax.grad(lambda x, m=m: rj.spmm(m, x).sum()))(b), d.T @ np.ones((rows, k)))
        near(rj.sddmm(m, y, b), np.zeros(0))


def errors():
    """Each is one exception that names the argument."""
    d, b = dense(20, 11), random(11, 4)
    m = matrix(d)
    refused(TypeError, "B: expected float64", rj.spmm, m, b.astype(np.float32))
    refused(ValueError, "B: expected 11 x K, found 20 x 4", rj.spmm, m, random(20, 4))
    refused(ValueError, "x: expected 11", rj.spmv, m, b)
    refused(ValueError, "X: expected 4 columns", rj.sddmm, m, random(20, 4), random(11, 3))
    refused(TypeError, "a: expected a rowcast.jax.Matrix", rj.spmm, d, b)
    refused(TypeError, "a: expected a sparse matrix", rj.Matrix.of, d)
    refused(ValueError, "crow: expected 3 pointers", rj.Matrix, [0, 1], [0], [1.0], (2, 2))
    refused(ValueError, "val: expected 1, found 2", rj.Matrix, [0, 1, 1], [0], [1.0, 2.0], (2, 2))
    refused(ValueError, "5", rj.Matrix, [0, 1, 1], [5], [1.0], (2, 2))
    refused(TypeError, "val: expected", rj.Matrix, [0, 1, 1], [0], np.array([1]), (2, 2))
    refused(TypeError, "crow: expected numbers that are known", jax.jit(lambda p: rj.Matrix(p, [0], [1.0], (2, 2)) @ b), np.array([0, 1, 1]))
    rj.settings.kernels = "no-such-kernel"
    refused(rowcast.Error, "no-such-kernel", rj.spmm, m, random(11, 7))
    rj.settings.kernels = None
    near(rj.spmm(m, b), d @ b)


def gone():
    """Plans go with the matrix and what was compiled; results that are under way are right."""
    d, b = dense(400, 300), random(300, 8)
    for _ in range(20):
        m = matrix(d)
        found = [rj.spmm(m, b), jax.jit(lambda x, m=m: rj.spmm_t(m, rj.spmm(m, x)))(b)]
        del m
        gc.collect()
        rj.spmm(matrix(d[:7]), b)  # makes a plan, before which others are freed
        near(found[0], d @ b)
        near(found[1], d.T @ (d @ b), tolerance=1e-7)
    m = matrix(d)
    f = jax.jit(lambda x: rj.spmm(m, x)).lower(b).compile()
    del m
    gc.collect()
    rj.spmm(matrix(d[:7]), b)
    near(f(b), d @ b)


def threads():
    """Several call one matrix, each with values of its own."""
    d, b = dense(200, 150), random(150, 8)
    m, found = matrix(d), {}
    step = jax.jit(rj.spmm)

    def run(i):
        found[i] = [np.asarray(step(m.with_values(i * m.val), b)) for _ in range(10)]

    each = [threading.Thread(target=run, args=(i,)) for i in range(1, 5)]
    for t in each:
        t.start()
    for t in each:
        t.join()
    for i in range(1, 5):
        for c in found[i]:
            near(c, i * (d @ b))


if __name__ == "__main__":
    globals()[sys.argv[1]]()
