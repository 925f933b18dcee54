"""Products as operators of PyTorch, against dense ones: run by torch.t as torch_check.py TEST [direct] [cuda].

direct: past the dispatcher, as a PyTorch does it that tells when nothing asks for it; cuda: on a GPU.
"""
import types
import warnings

import numpy as np
import torch
from torch_made import DEVICE, F64, csr, dense, laid, near, parts, placed, random, refused, run

import rowcast.torch as rt
from rowcast import _torch_memory as memory, _torch_ops as ops, _torch_patterns as patterns, _torch_plans as plans

SHAPES = ((7, 5), (1, 9), (20, 20), (40, 3))
LAYOUTS = ("csr", "csc", "coo", "bsr", "matrix", "matrix by columns")


def products():
    """All operations, layouts, types and indices; B in any order."""
    for dtype in (F64, torch.float32):
        for shape in SHAPES:
            d, k = dense(*shape, dtype), 4
            b, y = random(shape[1], k, dtype=dtype), random(shape[0], k, dtype=dtype, seed=3)
            for layout in LAYOUTS:
                for index in (torch.int64, torch.int32):
                    a = laid(d, layout, index)
                    what = (dtype, shape, layout, index)
                    near(rt.spmm(a, b), d @ b, what)
                    near(rt.spmm_t(a, y), d.t() @ y, what)
                    near(rt.spmv(a, b[:, 1]), d @ b[:, 1], what)
                    near(placed(a, rt.sddmm(a, y, b)), d * (y @ b.t()), what)


def orders_of_b():
    """By columns, a part of a wider one, every other column, turned, one row for all, and a lazy view."""
    d, k = dense(20, 11), 4
    a = csr(d)
    for b in (random(k, 11).t(), random(11, 9)[:, 2:6], random(11, 8)[:, ::2], random(22, k)[::2], random(11, k).flip(0),
              random(1, k).expand(11, k), random(11, 1).expand(11, k), random(11, k).conj(),
              torch.imag(torch.complex(random(11, k), random(11, k)).conj())):
        near(rt.spmm(a, b), d @ b, b.stride())
        near(rt.spmm_t(csr(d.t().contiguous()), b), d @ b, b.stride())
        near(placed(a, rt.sddmm(a, random(20, k), b)), d * (random(20, k) @ b.t()), b.stride())
    assert rt.spmm(a, random(k, 11).t()).is_contiguous()
    near(rt.spmv(a, random(22)[::2]), d @ random(22)[::2])


def unsorted_and_twice():
    """Columns in any order, and more than once: they add up."""
    made = np.random.RandomState(5)
    for index in (torch.int64, torch.int32):
        for times in (1, 3):
            d, b, y = dense(9, 6), random(6, 3), random(9, 3, seed=3)
            ptr, col, val = parts(d)
            row = torch.repeat_interleave(torch.arange(9), ptr.diff())
            row, col, val = row.repeat(times), col.repeat(times), torch.cat([val * (i + 1) for i in range(times)])
            mixed = torch.from_numpy(made.permutation(len(row))).to(DEVICE)
            row, col, val = row[mixed], col[mixed], val[mixed]
            whole = d * sum(range(1, times + 1))
            coo = torch.sparse_coo_tensor(torch.stack((row, col)), val, d.shape)
            by_row = torch.argsort(row, stable=True)
            m = rt.Matrix((ptr * times).to(index), col[by_row].to(index), val[by_row], d.shape)
            for a in (coo, m):
                near(rt.spmm(a, b), whole @ b, times)
                near(rt.spmm_t(a, y), whole.t() @ y, times)
                near(rt.spmv(a, b[:, 0]), whole @ b[:, 0], times)
            near(rt.sddmm(m, y, b), val[by_row] * (y @ b.t())[row[by_row], col[by_row]], times)
            for needs in (False, True):
                coo = coo.detach().requires_grad_(needs)
                refused(ValueError, ("a", "coalesce()"), rt.sddmm, coo, y, b)
                once = coo.coalesce()
                near(rt.sddmm(once, y, b), once.values() * (y @ b.t())[tuple(once.indices())], times)
            checked(m, b, y)


def checked(m, b, y):
    """First and second derivatives of every operation."""
    v = m.val.detach().clone().requires_grad_()
    for needs in ((True, True), (True, False), (False, True)):
        val, of = v.detach().requires_grad_(needs[0]), b.detach().requires_grad_(needs[1])
        of_y = y.detach().requires_grad_(needs[1])
        for f, given in ((lambda val, of: rt.spmm(m.with_values(val), of), (val, of)),
                         (lambda val, of: rt.spmm_t(m.with_values(val), of), (val, of_y)),
                         (lambda val, of: rt.spmv(m.with_values(val), of), (val, of[:, 0].detach().requires_grad_(needs[1]))),
                         (lambda val, y, x: rt.sddmm(m.with_values(val), y, x), (val, of_y, of))):
            # on a GPU PyTorch adds up what is there twice in any order
            assert torch.autograd.gradcheck(f, given, check_forward_ad=True, nondet_tol=1e-12), needs
            assert torch.autograd.gradgradcheck(f, given, nondet_tol=1e-12), needs


def gradients():
    """Against finite differences, with sorted patterns by rows and by columns."""
    d = dense(6, 5)
    for by_columns in (False, True):
        m = rt.Matrix(*parts(d, by_columns=by_columns), d.shape, by_columns=by_columns)
        checked(m, random(5, 3), random(6, 3, seed=3))


def gradients_of_tensors():
    """Sparse tensors that require gradients get one of their layout; nothing asks for more than it needs."""
    d, b = dense(6, 5), random(5, 3)
    weight = random(6, 3, seed=4)
    for layout in ("csr", "csc", "coo", "bsr"):
        a, x = laid(d, layout).requires_grad_(), b.clone().requires_grad_()
        of_a, of_x = torch.autograd.grad((rt.spmm(a, x) * weight).sum(), (a, x))
        assert of_a.layout == a.layout
        near(of_x, d.t() @ weight, layout)
        there = placed(a.detach(), torch.ones_like(rt._values(a.detach())))
        near(of_a.to_dense(), (weight @ b.t()) * there, layout)
    a = csr(d).requires_grad_()
    (rt.spmm(a, b) * weight).sum().backward()
    near(a.grad.to_dense(), (weight @ b.t()) * (d != 0))
    val = parts(d)[2].requires_grad_()
    a = torch.sparse_csr_tensor(*parts(d)[:2], val, d.shape)
    if a.requires_grad:  # by a constructor that has a gradient
        (rt.spmm(a, b) * weight).sum().backward()
        near(val.grad, (weight @ b.t())[d != 0])
    for needs in (False, True):
        assert rt.spmm(csr(d), b.clone().requires_grad_(needs)).requires_grad is needs
    with torch.no_grad():
        assert not rt.spmm(csr(d), b.clone().requires_grad_()).requires_grad


def empty():
    """K of 0, no entries, no rows, no columns."""
    d = dense(6, 5)
    for rows, cols, k in ((6, 5, 0), (0, 5, 3), (6, 0, 3), (0, 0, 0), (4, 4, 2)):
        e = d[:rows, :cols] if (rows, cols) != (4, 4) else torch.zeros(4, 4, dtype=F64)
        a = rt.Matrix(*parts(e), e.shape)
        b, y = random(cols, k).requires_grad_(), random(rows, k).requires_grad_()
        near(rt.spmm(a, b), e @ b)
        near(rt.spmm_t(a, y), e.t() @ y)
        near(rt.sddmm(a, y, b), e[e != 0] * (y @ b.t())[e != 0])
        near(rt.spmv(a, random(cols)), e @ random(cols))
        rt.spmm(a, b).sum().backward()
        near(b.grad, (e.t() @ torch.ones(rows, k, dtype=F64)))


def values_changed():
    """In place, by another tensor, past PyTorch's count, and of two matrices of one pattern in turns."""
    d, b = dense(20, 11), random(11, 4)
    for layout in LAYOUTS:
        a = laid(d, layout)
        values = a.val if isinstance(a, rt.Matrix) else rt._values(a)
        for factor in (1, 2, 3):
            near(rt.spmm(a, b), factor * (d @ b), layout)
            near(rt.spmm_t(a, random(20, 4)), factor * (d.t() @ random(20, 4)), layout)
            values.mul_((factor + 1) / factor)
        values.data.mul_(2)
        rt.changed(a)
        near(rt.spmm(a, b), 8 * (d @ b), layout)
    one, two = csr(d), csr(2 * d)
    before = rt.kept().plans
    for _ in range(3):
        near(rt.spmm(one, b), d @ b)
        near(rt.spmm(two, b), 2 * (d @ b))
    assert rt.kept().plans == before + 1, "one pattern, one plan"
    m = rt.Matrix(*parts(d), d.shape)
    for factor in (2, 3):  # the memory of the first may be that of the second
        near(rt.spmm(m.with_values(m.val * factor), b), factor * (d @ b))
    both = torch.stack((m.val, 3 * m.val), 1)
    half = torch.cat((m.val, m.val))
    for values in (both[:, 0], both[:, 1], half[:len(m.val)], half.reshape(-1, 2).t().reshape(-1)[:len(m.val)], m.val[:1].expand(len(m.val))):
        wanted = torch.sparse_csr_tensor(m.crow, m.col, values.contiguous(), m.shape).to_dense() @ b
        near(rt.spmm(m.with_values(values), b), wanted)
    every = torch.arange(1.0, 2 * len(m.val) + 1, dtype=F64)
    for values in (every[:len(m.val)], every[::2]):  # both begin at one place
        near(rt.spmm(m.with_values(values), b), torch.sparse_csr_tensor(m.crow, m.col, values.clone(), m.shape).to_dense() @ b)
    told, ops._TELLS = ops._TELLS, True
    three = parts(d)
    for factor in (1, 2, 4):  # as compiled code writes, whose memory is used again
        near(torch.ops.rowcast.spmm(*three, b, 11, False), factor * (d @ b))
        three[2].data.mul_(2)
    ops._TELLS = told
    trained = m.val.clone().requires_grad_()
    for factor in (1, 2):
        near(rt.spmm(m.with_values(trained), b), factor * (d @ b))
        trained.data.mul_(2)


def values_shared():
    """Values of a sparse tensor and of a Matrix that have the memory of another one, which is trained."""
    d, b = dense(20, 11), random(11, 4)
    crow, col, val = parts(d)
    row = torch.repeat_interleave(torch.arange(20), crow.diff())
    places = torch.stack((row, col))
    turned = torch.arange(len(row)).flip(0)

    def made(name, w):
        return {"csr": lambda: torch.sparse_csr_tensor(crow, col, w, d.shape),
                "coo": lambda: torch.sparse_coo_tensor(places, w, d.shape)}[name]()

    for name in ("csr", "coo"):
        for of in (lambda w: w, lambda w: w.detach(), lambda w: w.data):
            for is_kept in (False, True):
                w = val.clone().requires_grad_()
                with torch.no_grad():
                    a = made(name, of(w))
                    for factor in (1, 2, 4):
                        if not is_kept:
                            a = made(name, of(w))
                        near(rt.spmm(a, b), factor * (d @ b), (name, is_kept))
                        near(rt.spmm_t(a, random(20, 4)), factor * (d.t() @ random(20, 4)), (name, is_kept))
                        if name == "csr":
                            with rt.replaced():
                                near(a @ b, factor * (d @ b), is_kept)
                        w.mul_(2)
    w = val[turned].clone()
    a = torch.sparse_coo_tensor(places[:, turned], w, d.shape)
    m = rt.Matrix(crow, col, val.clone(), d.shape)
    same, values = m.with_values(m.val.data), csr(d).values()
    of_values = rt.Matrix(crow, col, values, d.shape)
    for factor in (1, 2, 4):
        near(rt.spmm(a, b), factor * (d @ b))
        near(m @ b, factor * (d @ b))
        near(m.with_values(m.val.data) @ b, factor * (d @ b))
        near(same @ b, factor * (d @ b))
        near(same.with_values(same.val) @ b, factor * (d @ b))
        near(of_values @ b, factor * (d @ b))
        w.mul_(2)
        m.val.mul_(2)
        values.detach().data.mul_(2)


def patterns_changed():
    """Numbers that change in place: a Matrix says it, new sparse tensors and operators see them."""
    d, b, wider = dense(20, 11), random(11, 4), random(11, 8)
    d[:, 8:] = 0
    crow, col, val = parts(d)
    m = rt.Matrix(crow, col, val, d.shape)
    near(m @ wider, d @ wider)
    for _ in range(3):
        a = torch.sparse_csr_tensor(crow, col, val, d.shape)
        near(rt.spmm(a, b), a.to_dense() @ b)
        near(torch.ops.rowcast.spmm(crow.data, col.data, val, b, 11, False), a.to_dense() @ b)
        near(rt.Matrix(crow.data, col.data, val, d.shape) @ b, a.to_dense() @ b)
        col.add_(1)
        refused(ValueError, ("crow and col",), rt.spmm, m, b)
        refused(ValueError, ("crow and col",), rt.spmm, m.with_values(val), wider)
        refused(ValueError, ("crow and col",), rt.sddmm, m, random(20, 4), b)
    d[:, 8:] = 0
    crow, col, val = parts(d)
    is_cached, memory._is_cached = memory._is_cached, lambda t: t is col  # CUDA graphs write without a count
    for _ in range(3):
        near(torch.ops.rowcast.spmm(crow, col, val, b, 11, False), torch.sparse_csr_tensor(crow, col, val, d.shape).to_dense() @ b)
        col.data.add_(1)
    memory._is_cached = is_cached


def values_trusted():
    """The values that a Matrix was given are not read again where nothing changed them."""
    d, b, reads = dense(20, 11), random(11, 4), []
    m, renew = rt.Matrix(*parts(d), d.shape), plans.Product._renew
    plans.Product._renew = lambda *args: (reads.append(1), renew(*args))
    for _ in range(4):
        near(m @ b, d @ b)
    assert not reads, len(reads)
    m.val.mul_(2)
    for _ in range(4):
        near(m @ b, 2 * (d @ b))
    assert len(reads) == 1, len(reads)
    plans.Product._renew = renew


def operators():
    """Shapes without a product, batches, and what PyTorch has to check operators with."""
    d, b = dense(20, 11), random(11, 4)
    three = parts(d)
    spmm, sampled = torch.ops.rowcast.spmm, torch.ops.rowcast.sampled
    there = [t.to("meta") for t in three]
    assert spmm(*there, b.to("meta"), 11, False).shape == (20, 4)
    assert spmm(*there, torch.empty(20, device="meta"), 11, True).shape == (11,)
    assert sampled(*there[:2], torch.empty(20, 4, device="meta"), b.to("meta")).shape == three[2].shape
    many = random(3, 11, 4)
    vmap = getattr(getattr(torch, "func", None), "vmap", None)
    if vmap is None:
        import functorch
        vmap = functorch.vmap
    m = rt.Matrix(*three, d.shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one after the other
        near(vmap(lambda x: rt.spmm(m, x))(many), d @ many)
        near(vmap(lambda x: rt.spmv(m, x))(many[:, :, 0]), (d @ many[:, :, :1])[:, :, 0])
        near(vmap(lambda x: rt.spmm(m, x), in_dims=2, out_dims=2)(many.permute(1, 2, 0)), (d @ many).permute(1, 2, 0))
        near(vmap(lambda v: rt.spmm(m.with_values(v), b))(torch.stack((m.val, 2 * m.val))), torch.stack((d @ b, 2 * (d @ b))))
        near(vmap(lambda x: torch.ops.rowcast.sampled(*three[:2], random(20, 4), x))(many),
             torch.stack([(random(20, 4) @ x.t())[d != 0] for x in many]))
    if hasattr(torch.library, "opcheck"):
        torch.library.opcheck(spmm.default, (*three[:2], three[2].clone().requires_grad_(), b.clone().requires_grad_(), 11, False))
        torch.library.opcheck(sampled.default, (*three[:2], random(20, 4).requires_grad_(), b.clone().requires_grad_()))
    batched_by_rules(three, d, many)


class Info:
    batch_size = 3


def batched_by_rules(three, d, many):
    """The rules that a PyTorch with register_vmap is given."""
    out, at = ops._spmm_batched(Info, (None, None, None, 0, None, None), *three, many, 11, False)
    near(out.movedim(at, 0), d @ many)
    out, at = ops._spmm_batched(Info, (None, None, None, 1, None, None), *three, many[:, :, 0].t(), 11, False)
    near(out.movedim(at, 0), (d @ many[:, :, :1])[:, :, 0])
    values = torch.stack([three[2] * i for i in range(3)])
    out, at = ops._spmm_batched(Info, (None, None, 0, 0, None, None), *three[:2], values, many, 11, False)
    near(out.movedim(at, 0), torch.stack([i * (d @ many[i]) for i in range(3)]))
    out, at = ops._sampled_batched(Info, (None, None, None, 0), *three[:2], random(20, 4), many)
    near(out.movedim(at, 0), torch.stack([(random(20, 4) @ x.t())[d != 0] for x in many]))


def by_name():
    """Gradients as a PyTorch with register_autograd calls them."""
    d = dense(6, 5)
    ptr, idx, val = parts(d)
    given = {"spmm": (ptr, idx, val, random(5, 3), 5, False), "sampled": (ptr, idx, random(6, 3), random(5, 3))}
    for op in ops._DEFINED:
        setup, backward = ops._differentiated_by_name(op)

        def forward(ctx, *args):
            result = ops._below(ops._OPERATORS[op.name], *args)
            setup(ctx=ctx, inputs=args, output=result)
            return result

        made = type("Generated", (torch.autograd.Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})
        x, y, *rest = given[op.name][2:]
        for needs in ((True, True), (True, False), (False, True)):
            operands = [t.clone().requires_grad_(need) for t, need in zip((x, y), needs)]
            assert torch.autograd.gradcheck(lambda x, y: made.apply(ptr, idx, x, y, *rest), operands)
            assert torch.autograd.gradgradcheck(lambda x, y: made.apply(ptr, idx, x, y, *rest), operands)


def compiled():
    """A function that a compiler sees gives the same; only where PyTorch has one."""
    if not hasattr(torch, "compile"):
        return
    d, b = dense(20, 11), random(11, 4).requires_grad_()
    m = rt.Matrix(*parts(d), d.shape)

    def f(x):
        return torch.relu(rt.spmm(m, x) * 2).sum()

    torch.compile(f, backend="aot_eager", fullgraph=True)(b).backward()
    found, b.grad = b.grad, None
    f(b).backward()
    near(found, b.grad)
    a = csr(d).requires_grad_()  # a sparse tensor breaks the graph, and the compiler looks at what is called there
    for n in range(3):
        fast = torch.compile(lambda x: torch.relu(rt.spmm(a, x) * 2), backend="aot_eager")
        near(fast(b), torch.relu(d @ b * 2))
        fast(b).sum().backward()
        near(b.grad, (2 + n) * found)
        with rt.replaced():
            near(torch.compile(lambda x: torch.relu(csr(d) @ x), backend="aot_eager")(b), torch.relu(d @ b))


def looked_into():
    """Where a compiler looks at each call, it does not see into products of sparse tensors."""
    d, b, y = dense(20, 11), random(11, 4), random(20, 4)
    hidden, eager, is_looked_into = [], rt._eager, rt._is_looked_into
    for looked, wanted in ((False, 0), (True, 4)):
        rt._eager = lambda f: lambda *given: (hidden.append(f), f(*given))[1]
        rt._is_looked_into = lambda: looked
        try:
            for n in range(2):
                a, x = csr(d).requires_grad_(), b.clone().requires_grad_()
                near(rt.spmm_t(a, y), d.t() @ y)
                near(rt.spmv(a, b[:, 0]), d @ b[:, 0])
                near(placed(a.detach(), rt.sddmm(a, y, b)), d * (y @ b.t()))
                rt.spmm(a, x).sum().backward()
                near(x.grad, d.t() @ torch.ones_like(y))
                assert len(hidden) == (n + 1) * wanted, hidden
        finally:
            rt._eager, rt._is_looked_into = eager, is_looked_into


def tellers():
    """Who says whether a compiler looks: a function of PyTorch, from the version on that gives away only what it has."""
    tells, is_there = lambda: None, object()
    saved = torch.__version__, getattr(torch._C, "_dynamo", is_there), rt._compiler
    try:
        rt._compiler = is_there
        for version, wanted in (("2.6.0", is_there), ("2.7.0a0+git1", is_there), ("2.7.0", None), ("2.11.0+cu130", None)):
            torch.__version__ = torch.torch_version.TorchVersion(version)
            torch._C._dynamo = types.SimpleNamespace(eval_frame=types.SimpleNamespace(get_eval_frame_callback=tells))
            assert rt._teller()() is wanted, version
        torch._C._dynamo = None
        assert rt._teller()() is is_there
        rt._compiler = None
        assert rt._teller()() is None
    finally:
        torch.__version__, torch._C._dynamo, rt._compiler = saved
        if saved[1] is is_there:
            del torch._C._dynamo


def modes():
    """Autocast to a type that plans have or have not, deterministic plans, and traces."""
    d, b = dense(20, 11, torch.float32), random(11, 4, dtype=torch.float32)
    a, m = csr(d), rt.Matrix(*parts(d), d.shape)
    with torch.autocast(DEVICE, dtype=torch.bfloat16):
        found = rt.spmm(a, b)
        near(rt.spmm(csr(d.double()), b.double()), d.double() @ b.double())
    assert found.dtype == (torch.bfloat16 if patterns.runs_in(torch.bfloat16, b.device) else torch.float32)
    assert patterns.runs_in(torch.float32, b.device) and not patterns.runs_in(torch.complex64, b.device)
    assert torch.allclose(found.float(), d @ b, rtol=2e-2, atol=2e-2)
    traced = torch.jit.trace(lambda b: rt.spmm(m, b), (b,))
    near(traced(2 * b), 2 * (d @ b))
    rt.forget()
    torch.use_deterministic_algorithms(True)
    near(rt.spmm(a, b), d @ b)
    torch.use_deterministic_algorithms(False)
    near(rt.spmm(a, b), d @ b)
    assert rt.kept().plans == 2
    with torch.inference_mode():
        values = parts(d)[2]
        m = rt.Matrix(*parts(d), d.shape).with_values(values)
        near(rt.spmm(m, b), d @ b)
        values.mul_(2)
        near(rt.spmm(m, b), 2 * (d @ b))


def errors():
    """One line, with what was expected and what was found."""
    d, b = dense(6, 5), random(5, 3)
    a, (ptr, col, val) = csr(d), parts(d)
    refused(ValueError, ("B", "5 x K", "6 x 3"), rt.spmm, a, random(6, 3))
    refused(ValueError, ("B", "6 x K", "5 x 3"), rt.spmm_t, a, b)
    refused(ValueError, ("B", "5", "1 x 5 x 3"), rt.spmm, a, b[None])
    refused(ValueError, ("x", "vector"), rt.spmv, a, b)
    refused(ValueError, ("X", "5 x K"), rt.sddmm, a, random(6, 3), random(6, 3))
    refused(ValueError, ("X", "3 columns"), rt.sddmm, a, random(6, 3), random(5, 4))
    refused(TypeError, ("float64", "float32"), rt.spmm, a, b.float())
    refused(TypeError, ("float64", "float32"), rt.sddmm, a, random(6, 3).float(), b.float())
    refused(TypeError, ("int64",), rt.spmm, rt.Matrix(ptr, col, val.long(), d.shape), b.long())
    refused(TypeError, ("complex128",), rt.spmm,
            rt.Matrix(ptr, col, val + 0j, d.shape), b + 0j)
    refused(TypeError, ("strided",), rt.spmm, d, b)
    refused(TypeError, ("ndarray",), rt.spmm, np.ones((6, 5)), b)
    refused(TypeError, ("dense", "ndarray"), rt.spmm, a, np.ones((5, 3)))
    refused(TypeError, ("dense", "sparse"), rt.spmm, a, a)
    refused(ValueError, ("crow", "7 integers"), rt.Matrix, ptr[:-1], col, val, d.shape)
    refused(ValueError, ("crow", "float64"), rt.Matrix, ptr.double(), col, val, d.shape)
    refused(ValueError, ("col",), rt.Matrix, ptr, col[1:], val, d.shape)
    refused(ValueError, ("0 to 4", "5"), rt.Matrix, ptr, torch.where(col == 4, 5, col), val, d.shape)
    refused(ValueError, ("0 to 4", "-1"), rt.Matrix, ptr, torch.where(col == 4, -1, col), val, d.shape)
    refused(ValueError, ("pointer 0",), rt.Matrix, ptr.flip(0), col, val, d.shape)
    refused(ValueError, ("shape",), rt.Matrix, ptr, col, val, (6, -5))
    refused(ValueError, ("val",), rt.Matrix(ptr, col, val, d.shape).with_values, val[1:])
    for wrong in (None, np.ones(6), [1, 2], a):
        refused(TypeError, ("val:", "dense"), rt.Matrix(ptr, col, val, d.shape).with_values, wrong)
        for i, name in enumerate(("crow", "col", "val")):
            given = [ptr, col, val]
            given[i] = wrong
            refused(TypeError, (f"{name}:", "dense"), rt.Matrix, *given, d.shape)
    refused(ValueError, ("val:", "vector"), rt.Matrix, ptr, col, val[:, None], d.shape)
    for wrong in ((60,), (6, 5, 1), 6, None, "65", (6, 5.0)):
        refused(TypeError, ("shape:",), rt.Matrix, ptr, col, val, wrong)
    refused(ValueError, ("x: expected 5, found 6",), rt.spmv, a, random(6))
    refused(TypeError, ("3 dimensions",), rt.spmm, torch.ones(2, 2, 2).to_sparse(), b)
    refused(TypeError, ("numbers",), rt.spmm, torch.ones(2, 2, 2).to_sparse(2), b)
    for name in ("tune", "threads"):
        for wrong in (-1, 2**31, 2**32 + 1):
            setattr(rt.settings, name, wrong)
            refused(ValueError, (f"settings.{name}",), rt.spmm, a, b)
        setattr(rt.settings, name, 0)
    near(rt.spmm(a, b), d @ b)


if __name__ == "__main__":
    run(globals(), ops)
