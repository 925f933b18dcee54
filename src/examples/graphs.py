#!/usr/bin/env python3
"""Iterations as CUDA graphs: conjugate gradients, and PDHG with A and A' from one plan.

    graphs.py [SIDE]     a mesh of SIDE^3 points, and a linear program of as many columns [22]

Needs PyTorch; on a machine without a GPU iterations run one by one.  CuPy's solver stands beside it
where there is CuPy.
"""
import importlib.util
import inspect
import math
import sys
import time
import warnings

import numpy as np
import scipy.sparse as sp
import torch

import rowcast

warnings.filterwarnings("ignore", message="Sparse")  # CSR is said to be young
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
STEPS = 20  # of a graph: the host looks at the residual once for so many


def on_device(a):
    """CSR of PyTorch."""
    a = sp.csr_matrix(a)
    parts = (torch.from_numpy(v) for v in (a.indptr, a.indices, a.data))
    return torch.sparse_csr_tensor(*parts, a.shape).to(DEVICE)


def product(plan, **how):
    """out = A x by a plan, of which those on the CPU take arrays of NumPy."""
    if DEVICE == "cpu":
        return lambda x, out: plan(x.numpy(), out.numpy(), **how)
    return lambda x, out: plan(x, out, **how)


def plain(a):
    """The same by PyTorch, or by SciPy."""
    if DEVICE == "cpu":
        return lambda x, out: out.copy_(torch.from_numpy(a @ x.numpy()))
    there = on_device(a)
    return lambda x, out: torch.addmv(out, there, x, beta=0, out=out)


def fused(work):
    """The same in few kernels, where PyTorch can compile some; the first call for a size does.

    Where that fails it runs as it stands.
    """
    if DEVICE == "cpu" or not importlib.util.find_spec("triton"):
        return work
    try:
        compiled = torch.compile(work, dynamic=False)
        importlib.import_module("torch._dynamo").config.suppress_errors = True  # no compiler of C
        return compiled
    except (AttributeError, ImportError, RuntimeError):  # an old PyTorch, or a new Python
        return work


def as_graph(steps):
    """A function that runs these steps: one launch on a GPU."""
    if DEVICE == "cpu":
        return steps
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):  # a plan has what it needs on a stream after a call there
        steps()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=side):
        steps()
    return graph.replay


def seconds(work):
    """What it takes, and what it returns."""
    if DEVICE == "cuda":
        torch.cuda.synchronize()
    begin = time.perf_counter()
    result = work()
    if DEVICE == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - begin, result


def gained(plain, by_plan, made):
    """What a plan has brought: seconds of a step without and with it, and what making it took."""
    if by_plan >= plain:
        return f"plan in {made * 1e3:.1f} ms gained nothing"
    return (f"plan in {made * 1e3:.1f} ms gained {plain / by_plan:.2f}, "
            f"won back after {math.ceil(made / (plain - by_plan))} steps")


@fused
def cg_update(x, r, p, q, w, rr, alpha):
    """A step but for its product w = A r; rr is the square of the residual's norm before it."""
    now, rw = (r * r).sum(), (r * w).sum()
    beta = torch.where(rr != 0, now / rr, now)  # a graph goes on where r has become 0
    curve = rw - beta * now / alpha
    alpha.copy_(torch.where(curve != 0, now / curve, alpha))
    rr.copy_(now)
    p.mul_(beta).add_(r)
    q.mul_(beta).add_(w)
    x.add_(alpha * p)
    r.sub_(alpha * q)


class Cg:
    """Conjugate gradients for A x = b; `multiply(r, w)` puts A r into w.

    Both dot products of a step are taken at once (Chronopoulos and Gear, J. Comput. Appl. Math. 25,
    1989), so that it is few kernels.
    """

    def __init__(self, multiply, b):
        self.multiply, self.b = multiply, b
        self.x, self.r, self.p, self.q, self.w = (torch.zeros_like(b) for _ in range(5))
        self.rr, self.alpha = (torch.zeros((), dtype=b.dtype, device=b.device) for _ in range(2))
        self.begin()

    def begin(self):
        for v in (self.x, self.p, self.q):
            v.zero_()
        self.r.copy_(self.b)
        self.rr.fill_(math.inf)  # of no step before
        self.alpha.fill_(1)

    def step(self):
        self.multiply(self.r, self.w)
        cg_update(self.x, self.r, self.p, self.q, self.w, self.rr, self.alpha)

    def solve(self, run, tolerance, most):
        """Steps until the residual is small; `run` makes STEPS of them."""
        done, bound = 0, (tolerance * torch.linalg.norm(self.b)) ** 2
        while done < most and self.rr > bound:
            run()
            done += STEPS
        return done


def conjugate_gradients(side):
    line = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(side, side))
    eye = sp.identity(side)
    a = sp.csr_matrix(sp.kron(sp.kron(line, eye), eye) + sp.kron(sp.kron(eye, line), eye)
                      + sp.kron(sp.kron(eye, eye), line))
    b = torch.from_numpy(np.random.RandomState(1).rand(a.shape[0])).to(DEVICE)
    there = a if DEVICE == "cpu" else on_device(a)
    made, plan = seconds(lambda: rowcast.plan(there, op="spmv", tune=0))
    figures = []
    for multiply in (plain(a), product(plan)):
        solver = Cg(multiply, b)
        run = as_graph(lambda s=solver: [s.step() for _ in range(STEPS)])
        solver.solve(run, 1e-8, STEPS)  # what loads kernels
        solver.begin()
        took, steps = seconds(lambda s=solver, r=run: s.solve(r, 1e-8, 5000))
        figures.append(took / max(steps, 1))
    x, rhs = solver.x.cpu().numpy(), b.cpu().numpy()
    left = np.linalg.norm(a @ x - rhs) / np.linalg.norm(rhs)
    print(f"cg, {a.shape[0]} rows: {steps} steps of {figures[1] * 1e6:.1f} us, by plain products "
          f"{figures[0] * 1e6:.1f} us, residual {left:.1e}; {gained(*figures, made)}")
    assert left < 1e-7
    beside_cupy(a, b)


def beside_cupy(a, b):
    """The same by CuPy's cg."""
    try:
        import cupy
        import cupyx.scipy.sparse as csp
        from cupyx.scipy.sparse.linalg import cg
    except ImportError:
        return
    count = [0]
    m, rhs = csp.csr_matrix(a), cupy.asarray(b)

    def one(_):
        count[0] += 1
    cg(m, rhs, maxiter=10)
    until = {"rtol" if "rtol" in inspect.signature(cg).parameters else "tol": 1e-8}
    took, (x, _) = seconds(lambda: cg(m, rhs, maxiter=5000, callback=one, **until))
    left = float(cupy.linalg.norm(m @ x - rhs) / cupy.linalg.norm(rhs))
    print(f"cg of CuPy: {count[0]} steps of {took / max(count[0], 1) * 1e6:.1f} us, "
          f"residual {left:.1e}")


@fused
def pdhg_down(x, bar, wide, c, size):
    """x by its gradient, which is wide = A' y less c, and bar, which is beyond it."""
    bar.copy_(x)
    x.add_((wide - c) * size).relu_()
    bar.mul_(-1).add_(x * 2)


@fused
def pdhg_up(y, tall, b, size):
    """y by its gradient, where tall = A bar."""
    y.add_((b - tall) * size)


class Pdhg:
    """min c'x with A x = b, x >= 0; `forward(x, out)` is A x, `backward(y, out)` A' y."""

    def __init__(self, forward, backward, b, c, step):
        self.forward, self.backward, self.b, self.c, self.size = forward, backward, b, c, step
        self.x, self.wide, self.bar = (torch.zeros_like(c) for _ in range(3))
        self.y, self.tall = torch.zeros_like(b), torch.zeros_like(b)

    def step(self):
        self.backward(self.y, self.wide)
        pdhg_down(self.x, self.bar, self.wide, self.c, self.size)
        self.forward(self.bar, self.tall)
        pdhg_up(self.y, self.tall, self.b, self.size)


def primal_dual(cols):
    made = np.random.RandomState(2)
    a = sp.random(cols // 2, cols, density=8 / cols, format="csr", random_state=made)
    a = sp.csr_matrix(a + sp.eye(cols // 2, cols))
    b = torch.from_numpy(a @ made.rand(cols)).to(DEVICE)
    c = torch.from_numpy(made.rand(cols)).to(DEVICE)
    size = 0.9 / np.sqrt(abs(a).sum(0).max() * abs(a).sum(1).max())
    there = a if DEVICE == "cpu" else on_device(a)
    made, plan = seconds(lambda: rowcast.plan(there, op="spmv", tune=0, transposed=True))
    with_plan = Pdhg(product(plan), product(plan, transposed=True), b, c, size)
    alone = Pdhg(plain(a), plain(sp.csr_matrix(a.T)), b, c, size)
    figures = []
    for solver in (alone, with_plan):
        run = as_graph(lambda s=solver: [s.step() for _ in range(STEPS)])
        run()
        took, _ = seconds(lambda: [run() for _ in range(50)])
        figures.append(took / 50 / STEPS)
    apart = float((with_plan.x - alone.x).abs().max() / alone.x.abs().max())
    print(f"pdhg, {a.shape[0]} x {cols}: {figures[1] * 1e6:.1f} us a step, by plain products "
          f"{figures[0] * 1e6:.1f} us, iterates differ by {apart:.1e}; {gained(*figures, made)}")
    assert apart < 1e-9 and float(alone.x.max()) > 0


def main():
    side = int(sys.argv[1]) if len(sys.argv) > 1 else 22
    conjugate_gradients(side)
    primal_dual(side ** 3)


if __name__ == "__main__":
    main()
