"""Reductions of products as operators of PyTorch, by their definition: run by torch.t as torch_reduce.py TEST [cuda]."""
import numpy as np
import torch
from torch_made import DEVICE, F64, csr, dense, laid, near, parts, random, refused, run

import rowcast.torch as rt
from rowcast import _torch_ops as ops, _torch_patterns as patterns

NAMES = {"mean": lambda t: t.mean(0), "amax": lambda t: t.max(0)[0], "max": lambda t: t.max(0)[0], "amin": lambda t: t.min(0)[0],
         "min": lambda t: t.min(0)[0], "sum": lambda t: t.sum(0)}
LAYOUTS = ("csr", "csc", "coo", "matrix", "matrix by columns")


def defined(name, d, b):
    """Of the terms of each row at the places that d has; of none 0."""
    rows = []
    for r in range(d.shape[0]):
        at = d[r] != 0
        terms = d[r, at].reshape(-1, *[1] * (b.dim() - 1)) * b[at]
        rows.append(NAMES[name](terms) if at.any() else torch.zeros_like(b[:1].sum(0)))
    return torch.stack(rows)


def signed(*shape, dtype=F64, seed=2):
    return random(*shape, dtype=dtype, seed=seed) - 0.5


def reductions():
    """All, of all layouts and types, of a matrix and of a vector, of one by rows and one that is not."""
    for dtype in (F64, torch.float32):
        for k in (4, 150):
            d, b = dense(20, 11, dtype), signed(11, k, dtype=dtype)
            d = torch.where(d > 0.5, -d, d)
            for layout in LAYOUTS:
                for index in (torch.int64, torch.int32):
                    a = laid(d, layout, index)
                    for name in NAMES:
                        near(rt.spmm(a, b, reduce=name), defined(name, d, b), (name, layout))
                        near(rt.spmm(a, b[:, 1], reduce=name), defined(name, d, b[:, 1]), (name, layout))
                        near(rt.spmm(a, b.t().contiguous().t(), reduce=name), defined(name, d, b), (name, layout))
                        near(rt.spmm(a, b[:, 1:3], reduce=name), defined(name, d, b[:, 1:3]), (name, layout))


def gradients():
    """First and second derivatives, also forward, against finite differences; of values, of B, and of sparse tensors."""
    d, b = dense(6, 5), signed(5, 3)
    for by_columns in (False, True):
        m = rt.Matrix(*parts(d, by_columns=by_columns), d.shape, by_columns=by_columns)
        for name in NAMES:
            for needs in ((True, True), (True, False), (False, True)):
                val, of = m.val.clone().requires_grad_(needs[0]), b.clone().requires_grad_(needs[1])

                def f(val, of, m=m, name=name):
                    return rt.spmm(m.with_values(val), of, reduce=name)

                assert torch.autograd.gradcheck(f, (val, of), check_forward_ad=True), (name, needs)
                assert torch.autograd.gradgradcheck(f, (val, of)), (name, needs)
    for name in ("mean", "amax"):
        a = csr(d).requires_grad_()
        rt.spmm(a, b, reduce=name).sum().backward()
        whole = d.clone().requires_grad_()
        defined(name, whole, b).sum().backward()
        near(a.grad.to_dense(), whole.grad * (d != 0), name)


def ties():
    """The first of equal terms has the gradient; one that is not a number is the extreme."""
    crow, col = torch.tensor([0, 3, 3, 5]), torch.tensor([0, 1, 2, 0, 2])
    for index in (torch.int64, torch.int32):
        val, b = torch.tensor([1.0, 2, 1, -1, -1]).requires_grad_(), torch.tensor([[2.0], [1], [2]]).requires_grad_()
        for name in ("amax", "amin"):
            c = rt.spmm(rt.Matrix(crow.to(index), col.to(index), val, (3, 3)), b, reduce=name)
            near(c, torch.tensor([[2.0], [0], [-2]]))
            of_val, of_b = torch.autograd.grad(c.sum(), (val, b))
            near(of_val, torch.tensor([2.0, 0, 0, 2, 0]))
            near(of_b, torch.tensor([[0.0], [0], [0]]))
    b = torch.tensor([[1.0], [float("nan")], [3]])
    m = rt.Matrix(crow, col, torch.ones(5), (3, 3))
    for name in ("amax", "amin", "mean"):
        c = rt.spmm(m, b, reduce=name)
        assert c[0].isnan() and c[1] == 0 and not c[2].isnan(), (name, c)
    b = torch.tensor([[float("inf")], [2], [-float("inf")]])
    near(rt.spmm(m, b, reduce="amax"), torch.tensor([[float("inf")], [0], [float("inf")]]))
    v = torch.ones(5).requires_grad_()
    rt.spmm(m.with_values(v), torch.tensor([[float("inf")], [2], [1]]), reduce="amin").sum().backward()
    assert not v.grad.isnan().any(), v.grad


def twice():
    """Places that COO has twice are one term, with gradients and without."""
    at, val = torch.tensor([[0, 0, 1, 0], [1, 1, 0, 2]], device=DEVICE), torch.tensor([1.0, 3, -2, 5], dtype=F64, device=DEVICE)
    for name in NAMES:
        for needs in (False, True):
            a = torch.sparse_coo_tensor(at, val, (2, 3)).requires_grad_(needs)
            b = signed(3, 4)
            near(rt.spmm(a, b, reduce=name), defined(name, torch.sparse_coo_tensor(at, val, (2, 3)).to_dense(), b), (name, needs))


def short():
    """16 bits: terms are compared in 32."""
    d, b = dense(20, 11), signed(11, 4)
    for dtype in (torch.float16, torch.bfloat16):
        if not patterns.runs_in(dtype, b.device):
            continue
        short_d, short_b = d.to(dtype), b.to(dtype)
        a = rt.Matrix(*parts(short_d), d.shape)
        for name in NAMES:
            found = rt.spmm(a, short_b, reduce=name)
            assert found.dtype == dtype
            assert torch.allclose(found.double(), defined(name, short_d.double(), short_b.double()), rtol=2e-2, atol=2e-2), name
    a = rt.Matrix(*parts(d.float()), d.shape)
    with torch.autocast(DEVICE, dtype=torch.bfloat16):
        for name in NAMES:
            found = rt.spmm(a, b.float(), reduce=name)
            assert torch.allclose(found.double(), defined(name, d, b), rtol=3e-2, atol=3e-2), name


def others():
    """No entries, no rows, no columns; in modes, compiled, and as PyTorch has it."""
    for rows, cols, k in ((6, 5, 0), (0, 5, 3), (6, 0, 3), (4, 4, 2)):
        e = torch.zeros(rows, cols, dtype=F64)
        a, b = rt.Matrix(*parts(e), e.shape), signed(cols, k).requires_grad_()
        for name in NAMES:
            c = rt.spmm(a, b, reduce=name)
            near(c, torch.zeros(rows, k, dtype=F64), name)
            if c.requires_grad:
                c.sum().backward()
    d, b = dense(20, 11), signed(11, 4)
    m = rt.Matrix(*parts(d), d.shape)
    with torch.inference_mode():
        near(rt.spmm(m, b, reduce="amax"), defined("amax", d, b))
        near(rt.spmm(m, b, reduce="mean"), defined("mean", d, b))
    x = b.clone().requires_grad_()
    for name in NAMES:
        rt.spmm(m, x, reduce=name).sum().backward()
    refused(ValueError, ("reduce", "'mean'", "'prod'"), lambda: rt.spmm(m, b, reduce="prod"))
    refused(ValueError, ("reduce",), lambda: rt.spmm(m, b, reduce=["sum"]))
    refused(ValueError, ("B", "11 x K"), lambda: rt.spmm(m, signed(20, 4), reduce="amax"))
    refused(ValueError, ("0 to 9", "10"), lambda: torch.ops.rowcast.extreme(m.crow, m.col, m.val, b[:10], 0))
    refused(ValueError, ("values",), lambda: torch.ops.rowcast.extreme(m.crow, m.col, m.val[1:], b, 0))
    refused(ValueError, ("B",), lambda: torch.ops.rowcast.extreme(m.crow, m.col, m.val, b[:, 0], 0))
    refused(TypeError, ("B", "float64", "float32"), lambda: rt.spmm(m, b.float(), reduce="amax"))
    if hasattr(torch, "compile"):
        for name in ("mean", "amax"):
            found = torch.compile(lambda y, name=name: rt.spmm(m, y, reduce=name) * 2, backend="aot_eager")(b)
            near(found, 2 * defined(name, d, b), name)
    if DEVICE == "cpu" and int(torch.__version__.split(".")[0]) >= 2:
        for name in ("sum", "mean", "amax", "amin"):
            near(rt.spmm(csr(d), b, reduce=name), torch.sparse.mm(csr(d), b, name), name)
    assert np.isfinite(rt.spmm(m, b, reduce="mean").cpu().numpy()).all()


if __name__ == "__main__":
    run(globals(), ops)
