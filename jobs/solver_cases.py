"""What jobs/solvers.py runs: a list of cases, and those of Python, each solved in this process.

A case is solved in two ways, which share the system and the method: alone, and with rowcast.  Times are those of a clock
on the wall, of the whole solve: what is made for it is in them.
"""
import collections
import inspect
import json
import os
import sys
import time

PRELOADED, WRITTEN = "Under the drop-in", "Written with rowcast"
SIDES, MANY = 10, 200  # right-hand sides of conjugate gradients, as the steps of a program in time have
STEPS = 5000  # of a right-hand side, at most
PAIRS = 6  # of eigenvalues, and of singular values
SMALL = 1000  # rows of the system that warms up

# name, group in the page, what it is, what a system must be, modules of Python, tolerance, how, environment of rowcast's
# runs.  How: words of the program of cuSPARSE, or a function of this file and whether the drop-in is preloaded for rowcast's.
Case = collections.namedtuple("Case", "name group text needs modules tolerance how environment")


def program(name, text, needs, tolerance, *words, **environment):
    return Case(name, PRELOADED, text, needs, (), tolerance, [str(word) for word in words], environment)


def of_cupy(name, text, needs, tolerance):
    return Case("cupy-" + name, PRELOADED, text, needs, ("cupy",), tolerance, (by_cupy, True), {})


def with_plans(name, text, needs, tolerance, function):
    return Case(name, WRITTEN, text, needs, ("torch", "rowcast"), tolerance, (function, False), {})


def load(path):
    """Shape, row pointers, columns and values of a file that solvers.py wrote."""
    import numpy as np
    with open(path, "rb") as f:
        rows, cols, entries = (int(v) for v in np.fromfile(f, np.int64, 3))
        return ((rows, cols), np.fromfile(f, np.int32, rows + 1), np.fromfile(f, np.int32, entries),
                np.fromfile(f, np.float64, entries))


def right_side(rows, side=0):
    import numpy as np
    return np.random.RandomState(side + 1).rand(rows) * 2 - 1


# ---------------------------------------------------------------- CuPy's solvers, as its users call them

def tolerance_of(solver, value):
    return {"rtol" if "rtol" in inspect.signature(solver).parameters else "tol": value}


def left(a, x, b):
    import cupy as cp
    return float(cp.linalg.norm(a @ x - b) / cp.linalg.norm(b))


def cupy_cg(linalg, a, sides, tolerance):
    count, found = [0], []

    def one(_):
        count[0] += 1
    for b in sides:
        found.append(linalg.cg(a, b, maxiter=STEPS, callback=one, **tolerance_of(linalg.cg, tolerance))[0])
    return count[0], lambda: max(left(a, x, b) for x, b in zip(found, sides))


def cupy_gmres(linalg, a, sides, tolerance):
    count, restart = [0], min(20, a.shape[0])

    def one(_):
        count[0] += restart
    x = linalg.gmres(a, sides[0], restart=restart, maxiter=2000, callback=one, callback_type="pr_norm",
                     **tolerance_of(linalg.gmres, tolerance))[0]
    return count[0], lambda: left(a, x, sides[0])


def cupy_lsmr(linalg, a, sides, tolerance):
    x, _, count = linalg.lsmr(a, sides[0], atol=tolerance, btol=tolerance, maxiter=1000)[:3]
    return int(count), lambda: left(a, x, sides[0])


def cupy_svds(linalg, a, sides, tolerance):
    import cupy as cp
    u, s, v = linalg.svds(a, k=PAIRS, maxiter=1000, tol=tolerance)
    return None, lambda: float(cp.linalg.norm(a @ v.T - u * s, axis=0).max() / s.max())


def cupy_eigsh(linalg, a, sides, tolerance):
    import cupy as cp
    w, v = linalg.eigsh(a, k=PAIRS, maxiter=1000, tol=tolerance)
    return None, lambda: float(cp.linalg.norm(a @ v - v * w, axis=0).max() / abs(w).max())


def by_cupy(path, case, ours):
    """Whether the drop-in is there is the process's; once with a small system before, which loads kernels."""
    import cupy as cp
    import cupyx.scipy.sparse as sparse
    import scipy.sparse
    from cupyx.scipy.sparse import linalg
    shape, *parts = load(path)
    ptr, col, val = (cp.asarray(part) for part in parts)
    a = sparse.csr_matrix((val, col, ptr), shape=shape)
    small = sparse.csr_matrix(scipy.sparse.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(SMALL, SMALL)).tocsr())
    solver = globals()[case.name.replace("-", "_")]
    solver(linalg, small, [cp.asarray(right_side(SMALL))], case.tolerance)
    sides = [cp.asarray(right_side(shape[0], side)) for side in range(SIDES if case.name == "cupy-cg" else 1)]
    cp.random.seed(1)
    cp.cuda.Device().synchronize()
    start = time.perf_counter()
    count, residual = solver(linalg, a, sides, case.tolerance)
    cp.cuda.Device().synchronize()
    seconds = time.perf_counter() - start
    return {"iterations": count, "residual": residual(), "seconds": seconds, **versions_of_cupy()}


def versions_of_cupy():
    """As far as this CuPy says."""
    import cupy as cp
    found = {"device": cp.cuda.runtime.getDeviceProperties(0)["name"].decode(),
             "cuda": cp.cuda.runtime.runtimeGetVersion()}
    try:
        from cupy_backends.cuda.libs import cusparse
        found["cusparse"] = cusparse.getVersion(cp.cuda.device.get_cusparse_handle())
    except (ImportError, AttributeError):
        pass  # it has no such name
    return found


# ------------------------------------------------------- written with plans, by the classes of src/examples/graphs.py

def graphs():
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src", "examples"))
    import graphs
    return graphs


def cg_by(example, multiply, as_graph, sides, tolerance):
    """Conjugate gradients for each side.  Returns solutions, steps, and what the graph took."""
    solver = example.Cg(multiply, sides[0])
    steps = lambda: [solver.step() for _ in range(example.STEPS)]
    took, run = example.seconds(lambda: as_graph(steps))
    found, count = [], 0
    for b in sides:
        solver.b = b
        solver.begin()
        count += solver.solve(run, tolerance, STEPS)
        found.append(solver.x.clone())
    return found, count, took


def planned(example, a, **how):
    import rowcast
    took, plan = example.seconds(lambda: rowcast.plan(a, op="spmv", tune=0, **how))  # by a rule: solves are short
    return plan, took


def given(path):
    """SciPy's matrix, the same where the products are, and right-hand sides there."""
    import scipy.sparse as sp
    import torch
    example = graphs()
    shape, ptr, col, val = load(path)
    a = sp.csr_matrix((val, col, ptr), shape=shape)
    sides = [torch.from_numpy(right_side(shape[0], side)).to(example.DEVICE) for side in range(SIDES)]
    return example, a, a if example.DEVICE == "cpu" else example.on_device(a), sides


def told(example, seconds, count, made, residual, product):
    import torch
    on_gpu = example.DEVICE == "cuda"
    return {"iterations": count, "residual": residual, "seconds": seconds, "made_s": made, "step_s": (seconds - made) / count,
            "product_s": product, "device": torch.cuda.get_device_name() if on_gpu else "host"}


def of_product(example, multiply, x, out):
    """Seconds of one in a graph of many: the median of some.  It overwrites `out`."""
    run = example.as_graph(lambda: [multiply(x, out) for _ in range(example.STEPS)])
    run()
    return sorted(example.seconds(run)[0] for _ in range(9))[4] / example.STEPS


def of_square(example, multiply, x):
    """The same of a square matrix."""
    import torch
    return of_product(example, multiply, x, torch.empty_like(x))


def worst(a, found, sides):
    import numpy as np
    return max(float(np.linalg.norm(a @ x.cpu().numpy() - b.cpu().numpy()) / np.linalg.norm(b.cpu().numpy()))
               for x, b in zip(found, sides))


def warm(example, rows):
    """Kernels and libraries that any program loads, and what is compiled for vectors of so many rows."""
    import scipy.sparse as sp
    import torch
    small = sp.csr_matrix(sp.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(SMALL, SMALL)))
    ones = lambda n: torch.ones(n, dtype=torch.float64, device=example.DEVICE)
    cg_by(example, example.plain(small), example.as_graph, [ones(SMALL)], 1e-2)
    example.Cg(lambda r, w: w.copy_(r), ones(rows)).step()


def graph_cg(path, case, ours):
    """Products of PyTorch: steps one by one, and as a graph."""
    example, a, _, sides = given(path)
    warm(example, a.shape[0])
    multiply = example.plain(a)
    took, (found, count, made) = example.seconds(
        lambda: cg_by(example, multiply, example.as_graph if ours else lambda steps: steps, sides, case.tolerance))
    return told(example, took, count, made, worst(a, found, sides), of_square(example, multiply, sides[0]))


def plan_cg(path, case, ours):
    """As a graph: products of PyTorch, and of a plan."""
    example, a, there, sides = given(path)
    warm(example, a.shape[0])
    plain = example.plain(a)

    def whole():
        plan, planning = planned(example, there) if ours else (None, 0)
        multiply = example.product(plan) if ours else plain
        found, count, made = cg_by(example, multiply, example.as_graph, sides, case.tolerance)
        return multiply, found, count, made + planning
    took, (multiply, found, count, made) = example.seconds(whole)
    return told(example, took, count, made, worst(a, found, sides), of_square(example, multiply, sides[0]))


def order_cg(path, case, ours, always_planned=True):
    """As a graph with a plan: in the numbering of the system, and renumbered there and back."""
    import rowcast
    example, a, there, sides = given(path)
    warm(example, a.shape[0])
    plain = None if ours or always_planned else example.plain(a)

    def renumbered():
        system = rowcast.order_system(there)
        return system, system.permute(there), [system.to(b if example.DEVICE == "cuda" else b.numpy()) for b in sides]

    def whole():
        import torch
        ordering, (system, matrix, rhs) = example.seconds(renumbered) if ours else (0, (None, there, sides))
        plan, planning = (None, 0) if plain else planned(example, matrix)
        rhs = [torch.as_tensor(b) for b in rhs]
        multiply = plain or example.product(plan)
        found, count, made = cg_by(example, multiply, example.as_graph, rhs, case.tolerance)
        if ours:
            found = [torch.as_tensor(system.back(x if example.DEVICE == "cuda" else x.numpy())) for x in found]
        return multiply, found, count, made + ordering + planning
    took, (multiply, found, count, made) = example.seconds(whole)
    return told(example, took, count, made, worst(a, found, sides), of_square(example, multiply, sides[0]))


def both_cg(path, case, ours):
    """The same beside products of PyTorch in the numbering of the system."""
    return order_cg(path, case, ours, always_planned=False)


def plan_pdhg(path, case, ours):
    """As a graph: products with A and A' of PyTorch, and of one plan."""
    import numpy as np
    import torch
    example, a, there, _ = given(path)
    warm(example, a.shape[0])
    made_of = np.random.RandomState(2)
    x = made_of.rand(a.shape[1])
    b = torch.from_numpy(a @ x).to(example.DEVICE)
    c = torch.from_numpy(abs(a.T @ made_of.rand(a.shape[0])) + made_of.rand(a.shape[1])).to(example.DEVICE)
    size = float(0.9 / np.sqrt(abs(a).sum(0).max() * abs(a).sum(1).max()))
    example.Pdhg(*(lambda x, out: out.zero_() for _ in range(2)), b, c, size).step()  # what is compiled
    plain = None if ours else (example.plain(a), example.plain(a.T.tocsr()))

    def whole():
        plan, planning = planned(example, there, transposed=True) if ours else (None, 0)
        products = (example.product(plan), example.product(plan, transposed=True)) if ours else plain
        solver = example.Pdhg(*products, b, c, size)
        took, run = example.seconds(lambda: example.as_graph(lambda: [solver.step() for _ in range(example.STEPS)]))
        for _ in range(2000 // example.STEPS):
            run()
        return solver, planning + took
    took, (solver, made) = example.seconds(whole)
    return told(example, took, 2000, made, worst(a, [solver.x], [b]), of_product(example, solver.forward, solver.x, solver.tall)
                + of_product(example, solver.backward, solver.y, solver.wide))


def run(name, path, ours):
    """Solve a case of Python in this process; the result as a line of JSON."""
    case = next(c for c in CASES if c.name == name)
    result = case.how[0](path, case, ours)
    for module in (sys.modules[name] for name in case.modules):
        result[module.__name__] = module.__version__ if hasattr(module, "__version__") else module.version()
    if "torch" in case.modules:
        result["cuda"] = sys.modules["torch"].version.cuda
    print(json.dumps(result))


CASES = [  # what matters most first: time may run out
    program("cg", f"Conjugate gradients by `cusparseSpMV` in C, diagonal as preconditioner, {SIDES} right-hand sides.",
            "definite", 1e-8, "cg", STEPS, 1e-8, 0, SIDES),
    program("cg-many", f"The same with {MANY} right-hand sides.", "definite", 1e-8, "cg", STEPS, 1e-8, 0, MANY),
    program("pdhg", "PDHG by `cusparseSpMV` with A and A' in C, at most 2,000 steps.", "any", 1e-4, "pdhg", 2000, 1e-4),
    program("pdhg-alg2", "The same with `CUSPARSE_SPMV_CSR_ALG2`, which codes of linear programs ask for, and "
            "`ROWCAST_BITS=free`.", "any", 1e-4, "pdhg", 2000, 1e-4, 3, ROWCAST_BITS="free"),
    with_plans("order-cg", f"Conjugate gradients with a plan in a CUDA graph, {SIDES} right-hand sides: as numbered, and "
               "renumbered by `rc_order_system`.", "definite", 1e-8, order_cg),
    with_plans("both-cg", f"Conjugate gradients in a CUDA graph, {SIDES} right-hand sides: PyTorch's products as numbered, and "
               "renumbered with a plan.", "definite", 1e-8, both_cg),
    with_plans("plan-cg", f"Conjugate gradients in a CUDA graph, {SIDES} right-hand sides: PyTorch's products, and a plan.",
               "definite", 1e-8, plan_cg),
    with_plans("plan-pdhg", "PDHG in a CUDA graph, 2,000 steps: PyTorch's products with A and A', and one plan; a "
               "product is both.", "any", 1e-4, plan_pdhg),
    of_cupy("cg", f"CuPy's `cg`, {SIDES} right-hand sides.", "definite", 1e-8),
    of_cupy("eigsh", f"CuPy's `eigsh`: the {PAIRS} largest eigenvalues.", "symmetric", 1e-6),
    of_cupy("gmres", "CuPy's `gmres`, at most 2,000 steps.", "square", 1e-6),
    of_cupy("lsmr", "CuPy's `lsmr`, at most 1,000 steps.", "any", 1e-6),
    of_cupy("svds", f"CuPy's `svds`: the {PAIRS} largest singular values.", "any", 1e-6),
    with_plans("graph-cg", f"Conjugate gradients with PyTorch's products, {SIDES} right-hand sides: step by step, and in a "
               "CUDA graph; no rowcast.", "definite", 1e-8, graph_cg),
]
