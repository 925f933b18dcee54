"""Layers of PyTorch Geometric with and without plans: torch_pyg.py TEST [cuda]."""
import copy
import inspect
import pickle

from torch_made import DEVICE, F64, near, random, run  # first: it says which warnings are others'

import torch
import torch_geometric.nn as nn

import rowcast.pyg as pyg
import rowcast.torch as rt
from rowcast import _pyg_known, _pyg_ops, _torch_memory, _torch_ops as ops, _torch_plans, _torch_softmax
from rowcast._pyg_edges import Edges

NODES, EDGES, WIDTH = 300, 2000, 12
MADE = {"GCN": lambda: nn.GCNConv(WIDTH, 5), "SAGE": lambda: nn.SAGEConv(WIDTH, 5),
        "sums": lambda: nn.SAGEConv(WIDTH, 5, aggr="sum"), "GIN": lambda: nn.GINConv(torch.nn.Linear(WIDTH, 5)),
        "GAT": lambda: nn.GATConv(WIDTH, 4, heads=3), "one head": lambda: nn.GATConv(WIDTH, 4),
        "GATv2": lambda: nn.GATv2Conv(WIDTH, 4, heads=3), "APPNP": lambda: nn.APPNP(3, 0.1)}
ATTENDING = {
    "heads": lambda: nn.GATConv(WIDTH, 4, heads=3, negative_slope=0.3), "one": lambda: nn.GATConv(WIDTH, 4, add_self_loops=False),
    "mean": lambda: nn.GATConv(WIDTH, 4, heads=2, concat=False, dropout=0.4),
    "edges": lambda: nn.GATConv(WIDTH, 4, heads=2, edge_dim=3), "an edge": lambda: nn.GATConv(WIDTH, 4, edge_dim=1, dropout=0.2),
    "edges, v2": lambda: nn.GATv2Conv(WIDTH, 4, heads=2, edge_dim=3),
    "v2": lambda: nn.GATv2Conv(WIDTH, 4, heads=3, negative_slope=0.3), "v2, one": lambda: nn.GATv2Conv(WIDTH, 4, dropout=0.3),
    "v2, mean": lambda: nn.GATv2Conv(WIDTH, 4, heads=2, concat=False, add_self_loops=False, share_weights=True)}


def edges(seed=3, to=NODES):
    torch.manual_seed(seed)
    return torch.stack([torch.randint(0, NODES, (EDGES,)), torch.randint(0, to, (EDGES,))]).to(DEVICE)


def pair(make):
    """A layer, and a copy of it by plans."""
    layer = make().to(DEVICE, F64)
    other = pyg.use(copy.deepcopy(layer))
    assert pyg.layers(other) == [""] and pyg.layers(layer) == []
    return layer, other


def as_csr(e):
    return torch.sparse_coo_tensor(e, random(e.shape[1]), (NODES, NODES)).coalesce().to_sparse_csr()


class Products:
    """How many products were asked of plans in its block, or softmaxes of the library."""

    def __init__(self, of=Edges, name="times"):
        self.of, self.name = of, name

    def __enter__(self):
        self.count, self.asked = 0, getattr(self.of, self.name)
        setattr(self.of, self.name, lambda *given, **named: (self._one(), self.asked(*given, **named))[1])
        return self

    def __exit__(self, *_):
        setattr(self.of, self.name, self.asked)

    def _one(self):
        self.count += 1


def softmaxes():
    return Products(_torch_softmax.Softmax, "__call__")


def step(layer, x, *given, call=None):
    """Output and gradients.

    Args:
        call: of the layer and what it is given; None: it is called
    """
    x = x.clone().requires_grad_()
    out = call(layer, x, *given) if call else layer(x, *given)
    out.square().sum().backward()
    return [out.detach(), x.grad, *(p.grad for p in layer.parameters())]


def layers():
    e, x = edges(), random(NODES, WIDTH)
    for name, make in MADE.items():
        for flow in ("source_to_target", "target_to_source"):
            both = pair(make)
            for layer in both:
                layer.flow = flow
            for n in range(6):
                with Products() as asked:
                    for wanted, found in zip(step(both[0], x, e), step(both[1], x, e)):
                        near(found, wanted, (name, flow, n))
                for layer in both:
                    layer.zero_grad()
            attends = name in ("GAT", "one head", "GATv2")  # with a pair: against the flow that of PyTorch Geometric
            assert asked.count > 0 or (attends and flow == "target_to_source"), name


def of_edges(name, e, to=NODES):
    """What layers of edge_dim are given: 3 numbers of an edge, or one."""
    if name in ("edges", "edges, v2"):
        return [random(e.shape[1], 3)]
    return [random(e.shape[1])] if name == "an edge" else []


def attention():
    """Scores, softmax and dropout, both ways of edges, trained and not; no softmax of PyTorch Geometric is left."""
    e, x = edges(), random(NODES, WIDTH) - 0.5
    for name, make in ATTENDING.items():
        for flow in ("source_to_target", "target_to_source"):
            both = pair(make)
            for layer in both:
                layer.flow = flow
            given = of_edges(name, e)
            for n in range(6):
                results = []
                for layer in both:
                    layer.zero_grad()
                    layer.train(n % 3 > 0)
                    torch.manual_seed(n)
                    with softmaxes() as asked:
                        results.append(step(layer, x, e, *given))
                expected = n > 3 and flow == "source_to_target"  # against it, a pair is not told apart
                assert asked.count == expected or n < 4 or flow == "target_to_source", (name, flow, n, asked.count)
                for wanted, found in zip(*results):
                    near(found, wanted, (name, flow, n))


def attention_shown():
    """The attention that a layer returns is that of edges as they came."""
    e, x = edges(), random(NODES, WIDTH)
    for name in ("heads", "mean", "v2", "v2, one"):
        both = pair(ATTENDING[name])
        for n in range(6):
            results = []
            for layer in both:
                torch.manual_seed(n)
                layer.zero_grad()
                out, (at, alpha) = layer(x, e, return_attention_weights=True)
                (out.square().sum() + alpha.square().sum()).backward()
                results.append([out, at, alpha, *(p.grad for p in layer.parameters())])
            for wanted, found in zip(*results):
                near(found, wanted, (name, n))


def attention_derived():
    """First and second derivatives against finite differences; edges that come twice, and vertices without any."""
    made = torch.tensor([[0, 1, 1, 2, 3, 3, 3], [1, 2, 2, 0, 1, 2, 0]], device=DEVICE)
    x = random(5, WIDTH) - 0.5
    for make in (lambda: nn.GATConv(WIDTH, 2, heads=2, add_self_loops=False, edge_dim=2), lambda: nn.GATConv(WIDTH, 3),
                 lambda: nn.GATv2Conv(WIDTH, 2, heads=2, add_self_loops=False, edge_dim=2), lambda: nn.GATv2Conv(WIDTH, 3)):
        layer = pair(make)[1]
        has = [random(made.shape[1], 2)] if layer.lin_edge is not None else []
        for _ in range(5):
            layer(x, made, *has)
        given = [t.clone().requires_grad_() for t in (x, *has)]
        with softmaxes() as asked:
            assert torch.autograd.gradcheck(lambda *g: layer(g[0], made, *g[1:]), given)
        assert asked.count > 0
        assert torch.autograd.gradgradcheck(lambda *g: layer(g[0], made, *g[1:]), given)


def attention_between():
    """From some vertices to others."""
    e = edges(to=70)
    x, y = random(NODES, WIDTH), random(70, WIDTH, seed=5)
    for make in (lambda: nn.GATConv(WIDTH, 4, heads=2, add_self_loops=False), lambda: nn.GATv2Conv(WIDTH, 4, heads=2)):
        one, other = pair(make)
        for n in range(6):
            near(other((x, y), e), one((x, y), e), n)
    one, other = pair(lambda: nn.GATConv(WIDTH, 4, add_self_loops=False))
    for n in range(6):  # no scores of the ends, and their number
        near(other((x, None), e, size=(NODES, 80)), one((x, None), e, size=(NODES, 80)), n)


def attention_of_nothing():
    """No edges; and scores that a program asks for itself."""
    e, x = edges()[:, :0], random(NODES, WIDTH)
    for make in (ATTENDING["one"], lambda: nn.GATv2Conv(WIDTH, 4, heads=2, add_self_loops=False)):
        both = pair(make)
        for n in range(6):
            for layer in both:
                layer.zero_grad()
            for wanted, found in zip(*(step(layer, x, e) for layer in both)):
                near(found, wanted, n)
    e, both = edges(), pair(ATTENDING["heads"])
    for _ in range(6):
        for layer in both:
            layer(x, e)
    ends = random(NODES, 3), random(NODES, 3, seed=5)
    one, other = (layer.edge_updater(e, alpha=ends, edge_attr=None, size=None) for layer in both)
    near(other, one, "by itself")


def attention_of_others():
    """Layers of other scores, or that are looked at, have PyTorch Geometric's softmax and right results."""
    class Scaled(nn.GATConv):
        def edge_update(self, *given, **named):
            return 2 * super().edge_update(*given, **named)

    class Doubled(nn.GATConv):
        def forward(self, x, edge_index):
            alpha = (x[:, :1].contiguous(), x[:, 1:2].contiguous())
            alpha = 2 * self.edge_updater(edge_index, alpha=alpha, edge_attr=None)
            return self.propagate(edge_index, x=(x[:, None], x[:, None]), alpha=alpha)

    Scaled.edge_update.__signature__ = inspect.signature(nn.GATConv.edge_update)
    e, x, seen = edges(), random(NODES, WIDTH), []
    hooked, watched = pair(ATTENDING["heads"])
    watched.register_edge_update_forward_hook(lambda *given: seen.append(1))
    for one, other in (pair(lambda: Scaled(WIDTH, 4)), pair(lambda: Doubled(WIDTH, 4)), (hooked, watched)):
        for n in range(6):
            with softmaxes() as asked:
                near(other(x, e), one(x, e), n)
            assert asked.count == 0
    assert len(seen) == 6
    for name in ("edges", "edges, v2"):  # with too many of what edges have
        one, other = (layer.eval() for layer in pair(ATTENDING[name]))
        one.add_self_loops = other.add_self_loops = False
        for _ in range(6):
            other(x, e, *of_edges(name, e))
        for layer in (one, other):
            try:
                layer(x, e, random(EDGES + 1, 3))
            except RuntimeError:
                continue
            raise AssertionError(name)


def attention_operations():
    """A step has fewer operations of PyTorch, and neither gathers nor scatters by edges but for GATv2's ends.  The plans of
    the sum and of its gradient take new values, and no other."""
    e, x = torch.unique(edges(), dim=1), random(NODES, WIDTH)  # what is there twice plans add up
    for name, ends in (("heads", 0), ("one", 0), ("v2", 2)):
        counts = []
        for layer in pair(ATTENDING[name]):
            for _ in range(5):
                step(layer, x, e)
            with Products(_torch_plans.Product, "_renew") as renewed:
                step(layer, x, e)
            with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
                step(layer, x, e)
            counts.append({event.key: event.count for event in profile.key_averages()})
        plain, ours = counts
        assert renewed.count == 2, (name, renewed.count)
        assert sum(ours.values()) < 0.8 * sum(plain.values()), (name, sum(ours.values()), sum(plain.values()))
        moves = {key: n for key, n in ours.items() if any(word in key for word in ("scatter", "gather", "index"))}
        assert sum(moves.values()) == ends + (2 if name == "v2" else 0), (name, moves)  # and to heads, and back


def along():
    """The operator of compiled layers against a dense matrix, edge by edge and by plans: sums, means, norms, both ways."""
    few = edges()[:, :400]
    few[1, :7] = few[0, :7]  # loops
    loops = torch.unique(few, dim=1)  # one loop of a vertex is kept; of several PyTorch Geometric says not which
    weight = random(loops.shape[1]) + 0.5
    for how, fill, w in (("sum", 0.0, None), ("sum", 0.0, weight), ("mean", 0.0, None), ("norm", 0.0, weight),
                         ("norm", 1.0, None), ("norm", 2.0, weight)):
        for end in (0, 1):
            dense = _dense_of(loops, w, how, fill, end)
            for transposed in (False, True):
                x, seen = random(NODES, WIDTH), []
                wanted = (dense.T if transposed else dense) @ x
                given = loops, w, x, NODES, NODES, end, how, fill, 0
                for n in range(6):
                    with Products(name="product") as asked:
                        _pyg_ops._along(*given, False)
                        near(_pyg_ops._along(*given, transposed), wanted, (how, fill, end, transposed, n))
                    seen.append(asked.count)
                assert seen[-1] == 2, seen
                near(_pyg_ops._by_edges(loops, w, x, (NODES, NODES), end, how, fill, transposed), wanted, (how, end))


def _dense_of(e, weight, how, fill, end):
    """What the layers' papers say of it."""
    a = torch.zeros(NODES, NODES, dtype=F64, device=DEVICE)
    a.index_put_((e[end], e[1 - end]), torch.ones(e.shape[1], dtype=F64, device=DEVICE) if weight is None else weight,
                 accumulate=True)
    if how == "mean":
        return a / a.sum(1, keepdim=True).clamp(min=1)
    if how == "sum":
        return a
    if fill:
        bare = a.diagonal() == 0
        a.diagonal()[bare] = fill
    scale = a.sum(1).pow(-0.5).nan_to_num(posinf=0)
    return scale[:, None] * a * scale


def traced_layers():
    """What a compiler sees of a layer is the operator, with what the layer would have made of the edges, or, of few edges,
    operations with gradients."""
    e, x = torch.unique(edges(), dim=1), random(NODES, WIDTH)
    w, few = random(e.shape[1]), pyg._WHOLE
    for name, given in (("GCN", ()), ("GCN", (w,)), ("SAGE", ()), ("sums", ()), ("GIN", ()), ("APPNP", ()), ("APPNP", (w,))):
        for flow in ("source_to_target", "target_to_source"):
            one, other = pair(MADE[name])
            one.flow = other.flow = flow
            for n in range(5):
                pyg._WHOLE = few if n == 2 else 0  # then by sums of the compiler
                with Products(_pyg_ops, "by_few") as sums:
                    found, calls = traced(other, x, e, *given)
                near(found, one(x, e, *given), (name, flow, n))
                products = 3 if name == "APPNP" else 1
                assert calls == (0 if pyg._WHOLE else products), (name, calls)
                assert sums.count == (products if pyg._WHOLE and name in ("GCN", "APPNP") else 0), (name, sums.count)
            pyg._WHOLE = few
            for layer in (one, other):
                layer.zero_grad()
            pairs = list(zip(step(one, x, e, *given), step(other, x, e, *given, call=lambda *g: traced(*g)[0])))
            assert len(pairs) == 2 + len(list(one.parameters()))
            for wanted, found in pairs:
                near(found, wanted, (name, flow))


def traced(layer, *given, is_there=True):
    """Its output as a compiler sees it, and how often it calls the operator."""
    calls, saved = [], (pyg._is_compiling, _pyg_ops.is_there, _pyg_ops.along)
    pyg._is_compiling, _pyg_ops.is_there = lambda: True, is_there
    _pyg_ops.along = lambda *asked: (calls.append(1), _pyg_ops._along(*asked))[1]
    try:
        return layer(*given), len(calls)
    finally:
        pyg._is_compiling, _pyg_ops.is_there, _pyg_ops.along = saved


def traced_others():
    """The same of several reductions, of a forward() of a program, of loops of which versions differ, given up halfway, and without the operator."""
    class Half(nn.GCNConv):
        def forward(self, x, edge_index):
            return super().forward(x, edge_index[:, ::2].contiguous())

    e, x, pyg._WHOLE = torch.unique(edges(), dim=1), random(NODES, WIDTH), 0
    several, half, improved = [pair(make) for make in (
        lambda: nn.SAGEConv(WIDTH, 5, aggr=["mean", "max"]), lambda: Half(WIDTH, 5), MADE["GCN"])]
    improved[0].improved = improved[1].improved = True
    for one, other in (several, half, improved):
        for n in range(5):
            near(traced(other, x, e)[0], one(x, e), (type(one).__name__, n))
    one, other = pair(MADE["GCN"])
    given_up = other.propagate(pyg._Plain(e, 1.0, NODES, F64), x=other.lin(x), edge_weight=None)  # of the rest of a forward()
    near(given_up + other.bias, one(x, e))
    with Products(pyg._Forward, "_alone") as asked:
        near(traced(other, x, e, is_there=False)[0], one(x, e))
    assert asked.count == 1
    one, other = pair(MADE["SAGE"])  # of few edges a compiler's own sums, without a break
    pyg._WHOLE = e.shape[1] + 1
    with Products(pyg._Propagate, "_alone") as asked:
        out, calls = traced(other, x, e)
    near(out, one(x, e))
    assert (asked.count, calls) == (0, 0)


def compiled_layers():
    """Whole, without a break, with gradients of x, weights and parameters; attention and CSR with one.  Of PyTorch that compiles."""
    if not (hasattr(torch, "compile") and _pyg_ops.is_there):
        return
    e, x = torch.unique(edges(), dim=1), random(NODES, WIDTH)  # of two loops of a vertex one counts, either
    few = pyg._WHOLE
    made = {**MADE, "weighed": MADE["GCN"], "graph": lambda: nn.GraphConv(WIDTH, 5)} if hasattr(nn, "GraphConv") else MADE
    for name, make in made.items():
        for flow in ("source_to_target", "target_to_source"):
            torch._dynamo.reset()
            one, other = pair(make)
            one.flow = other.flow = flow
            attends = name in ("GAT", "one head", "GATv2")
            fast = torch.compile(other, backend="aot_eager", fullgraph=not attends)
            weight = [random(e.shape[1])] if name in ("weighed", "graph") else []
            pyg._WHOLE = few if flow == "target_to_source" and name in ("SAGE", "GCN", "weighed") else 0
            for n in range(6):
                with Products(name="product") as asked:
                    for wanted, found in zip(step(one, x, e, *weight), step(fast, x, e, *weight)):
                        near(found, wanted, (name, flow, n))
                for layer in (one, other):
                    layer.zero_grad()
            assert asked.count > 1 or attends or pyg._WHOLE, (name, flow, asked.count)
    torch._dynamo.reset()
    one, other = pair(MADE["GCN"])  # weights that learn, which are normalised by PyTorch
    fast = torch.compile(other, backend="aot_eager")
    for n in range(3):
        given = [random(e.shape[1], seed=n).requires_grad_() for _ in range(2)]
        for layer, w in zip((one, fast), given):
            layer(x, e, w).square().sum().backward()
        near(given[1].grad, given[0].grad, n)
    a = as_csr(e)
    for name in ("SAGE", "GIN"):
        torch._dynamo.reset()
        one, other = pair(MADE[name])
        fast = torch.compile(lambda x, layer=other: torch.relu(layer(x, a)), backend="aot_eager")
        for n in range(3):
            with Products(pyg, "spmm") as asked:
                near(fast(x), torch.relu(one(x, a)), (name, n))
            assert asked.count == 1, name


def looked_into():
    """Where a compiler gave up on what calls a layer, it is not to look into the layer."""
    a, x = as_csr(torch.unique(edges(), dim=1)), random(NODES, WIDTH)
    one, other = pair(MADE["SAGE"])
    is_looked_into = pyg._is_looked_into
    for answer in (False, True):
        pyg._is_looked_into = lambda: answer
        try:
            for of in (pyg._Forward, pyg._Propagate):
                with Products(of, "_alone") as asked:
                    near(other(x, a), one(x, a))
                assert asked.count == answer, of
        finally:
            pyg._is_looked_into = is_looked_into


def weights():
    """Of edges, with gradients."""
    e, x = edges(), random(NODES, WIDTH)
    both = pair(MADE["GCN"])
    for n in range(6):
        given = [random(EDGES, seed=n).requires_grad_() for _ in both]
        for layer, w in zip(both, given):
            layer(x, e, w).square().sum().backward()
        near(given[1].grad, given[0].grad, n)


def rectangles():
    """Other nodes at the ends, and numbers of them that are told; and two of a pair in either flow."""
    e, x = edges(to=70), random(NODES, WIDTH)
    one, other = pair(MADE["SAGE"])
    for n in range(6):
        near(other((x, x[:70]), e), one((x, x[:70]), e), n)
        near(other((x, None), e, size=(NODES, 80)), one((x, None), e, size=(NODES, 80)), n)
    one.flow = other.flow = "target_to_source"
    for n in range(6):
        near(other((x, 2 * x), edges()), one((x, 2 * x), edges()), n)


def changed_edges():
    """In place, and another tensor each time."""
    e, x = edges(), random(NODES, WIDTH)
    one, other = pair(MADE["SAGE"])
    for n in range(10):
        e[0, n] = (e[0, n] + 1) % NODES
        near(other(x, e), one(x, e), n)
        with Products() as asked:
            near(other(x, e.clone()), one(x, e), n)
        assert asked.count == 0


def rewritten_edges():
    """What a CUDA graph returns is the same tensor each time, with other edges and no count of changes."""
    e, x, is_cached = edges(), random(NODES, WIDTH), _torch_memory._is_cached
    both = [pair(MADE[name]) for name in ("SAGE", "GCN")]
    _torch_memory._is_cached = lambda t: t is e
    for n in range(8):
        before = e._version
        e.data.copy_(edges(seed=n))
        assert e._version == before
        for one, other in both:
            near(other(x, e), one(x, e), (type(one).__name__, n))
    _torch_memory._is_cached = is_cached


def pyg_calls():
    """What is no product of ours is as before: other reductions, hooks, half of a model."""
    e, x = edges(), random(NODES, WIDTH)
    one, other = pair(lambda: nn.SAGEConv(WIDTH, 5, aggr="max"))
    hooked, watched = pair(MADE["GIN"])
    seen = []
    watched.register_message_forward_hook(lambda *given: seen.append(1))
    for n in range(6):
        with Products() as asked:
            near(other(x, e), one(x, e), n)
            near(watched(x, e), hooked(x, e), n)
        assert asked.count == 0
    assert len(seen) == 6


def sparse():
    """Edges as a matrix in CSR: a product of the library's, but where a layer makes something else of it."""
    e, x = edges(), random(NODES, WIDTH)
    a = as_csr(e)
    for name in ("GCN", "SAGE", "sums", "GIN"):
        both = pair(MADE[name])
        for n in range(3):
            with Products(pyg, "spmm") as asked:
                for wanted, found in zip(step(both[0], x, a), step(both[1], x, a)):
                    near(found, wanted, (name, n))
            assert asked.count == 1, (name, asked.count)
            for layer in both:
                layer.zero_grad()

    class Other(nn.SAGEConv):
        def message_and_aggregate(self, a, x):
            return 2 * super().message_and_aggregate(a, x)
    one, other = pair(lambda: Other(WIDTH, 5))
    with Products(pyg, "spmm") as asked:
        near(other(x, a), one(x, a), "another product")
        near(other((x, x[:NODES]), a), one((x, x[:NODES]), a), "another one")
        one, other = pair(MADE["GIN"])
        seen = []
        other.register_message_and_aggregate_forward_hook(lambda *given: seen.append(1))
        near(other(x, a), one(x, a), "with a hook")
    assert asked.count == 0 and len(seen) == 1


def validated():
    """Products in inference mode come first, and training follows."""
    e, x = edges(), random(NODES, WIDTH)
    for name in ("GCN", "SAGE", "GAT"):
        both = pair(MADE[name])
        for _ in range(5):
            with torch.inference_mode():
                near(both[1](x, e), both[0](x, e), name)
        for wanted, found in zip(step(both[0], x, e), step(both[1], x, e)):
            near(found, wanted, name)


def autocast():
    """Types of outputs stay what they were; attention is by the library there, too."""
    e, x = edges(), random(NODES, WIDTH).float()
    for name in ("GCN", "SAGE", "GAT", "GATv2"):
        one, other = (layer.float() for layer in pair(MADE[name]))
        for n in range(6):
            with torch.autocast(DEVICE, dtype=torch.bfloat16), softmaxes() as asked:
                wanted, found = one(x, e), other(x, e)
            assert wanted.dtype == found.dtype, (name, n)
            assert torch.allclose(found.float(), wanted.float(), rtol=0.05, atol=0.05), (name, n)
        assert asked.count == name.startswith("GAT"), name


def captured():
    """Edges become no matrix while a graph is captured, but after it."""
    e, x = edges(), random(NODES, WIDTH)
    one, other = pair(MADE["SAGE"])
    is_capturing = _pyg_known.is_capturing
    _pyg_known.is_capturing = lambda device: True
    with Products() as asked:
        for n in range(6):
            near(other(x, e), one(x, e), n)
        assert asked.count == 0
        _pyg_known.is_capturing = is_capturing
        near(other(x, e), one(x, e))
        assert asked.count == 1


def gone():
    """Matrices of edges go with them, soon also where others are used on, with loops and normalised, too."""
    x = random(NODES, WIDTH)
    for name in ("SAGE", "GCN", "GAT"):
        e, before = edges(), edges(seed=4)
        _, other = pair(MADE[name])
        for _ in range(5):
            other(x, before)
        one = rt.kept().plans
        for _ in range(5):
            other(x, e)
        assert rt.kept().plans == 2 * one > 0, name
        del before
        for _ in range(_pyg_known._SWEEP):
            other(x, e)
        assert rt.kept().plans == one, name
        del e
        pyg.restore(other)
        assert rt.kept().plans == 0, name


def deep():
    """Edges of a batch that is seen once become no matrix, however many layers a model has, compiled or not, and however
    often one multiplies in a pass."""
    x, pyg._WHOLE = random(NODES, WIDTH), 0
    gin, gcn, appnp = lambda: nn.GINConv(torch.nn.Linear(WIDTH, WIDTH)), lambda: nn.GCNConv(WIDTH, WIDTH), lambda: nn.APPNP(5, 0.1)
    eager, compiled = lambda layer, e: layer(x, e), lambda layer, e: traced(layer, x, e)[0]
    for run_one, kinds in ((eager, (gin, gcn, appnp)), (compiled, (gin, gcn))):
        for make in kinds:
            model = pyg.use(torch.nn.ModuleList([make() for _ in range(6)]).to(DEVICE, F64))
            batches = [edges(seed=n) for n in range(3)]
            made = lambda: sum(known.made is not None for known in _pyg_known._known)
            _pyg_known._known.clear()
            for e in [*batches, batches[0]]:
                for layer in model:
                    run_one(layer, e)
            assert made() == 0
            for layer in model:
                run_one(layer, batches[0])
            assert made() == 1


def copies():
    model = torch.nn.ModuleList([MADE["GCN"](), torch.nn.Linear(2, 2), MADE["GAT"]()]).to(DEVICE, F64)
    assert pyg.layers(pyg.use(pyg.use(model))) == ["0", "2"]
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert pyg.layers(other) == ["0", "2"] and other[0].propagate.layer is other[0]
        assert other[0].propagate.number != model[0].propagate.number
        assert pyg.layers(pyg.restore(other)) == [] and pyg.layers(model) == ["0", "2"]
        assert list(other.state_dict()) == list(model.state_dict())


if __name__ == "__main__":
    run(globals(), ops)
