"""Layers of PyTorch Geometric with and without plans: torch_pyg.py TEST [cuda]."""
import copy
import pickle

from torch_made import DEVICE, F64, near, random, run  # first: it says which warnings are others'

import torch
import torch_geometric.nn as nn

import rowcast.pyg as pyg
import rowcast.torch as rt
from rowcast import _torch_ops as ops

NODES, EDGES, WIDTH = 300, 2000, 12
MADE = {"GCN": lambda: nn.GCNConv(WIDTH, 5), "SAGE": lambda: nn.SAGEConv(WIDTH, 5),
        "sums": lambda: nn.SAGEConv(WIDTH, 5, aggr="sum"), "GIN": lambda: nn.GINConv(torch.nn.Linear(WIDTH, 5)),
        "GAT": lambda: nn.GATConv(WIDTH, 4, heads=3), "one head": lambda: nn.GATConv(WIDTH, 4),
        "APPNP": lambda: nn.APPNP(3, 0.1)}


def edges(seed=3, to=NODES):
    torch.manual_seed(seed)
    return torch.stack([torch.randint(0, NODES, (EDGES,)), torch.randint(0, to, (EDGES,))]).to(DEVICE)


def pair(make):
    """A layer, and a copy of it by plans."""
    layer = make().to(DEVICE, F64)
    other = pyg.use(copy.deepcopy(layer))
    assert pyg.layers(other) == [""] and pyg.layers(layer) == []
    return layer, other


class Products:
    """How many products were asked of plans in its block."""

    def __enter__(self):
        self.count, self.times = 0, pyg._Edges.times
        pyg._Edges.times = lambda *given: (self._one(), self.times(*given))[1]
        return self

    def __exit__(self, *_):
        pyg._Edges.times = self.times

    def _one(self):
        self.count += 1


def step(layer, x, *given):
    """Output and gradients."""
    x = x.clone().requires_grad_()
    out = layer(x, *given)
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
            assert asked.count > 0, name


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
    """Other nodes at the ends, and numbers of them that are told."""
    e, x = edges(to=70), random(NODES, WIDTH)
    one, other = pair(MADE["SAGE"])
    for n in range(6):
        near(other((x, x[:70]), e), one((x, x[:70]), e), n)
        near(other((x, None), e, size=(NODES, 80)), one((x, None), e, size=(NODES, 80)), n)


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
    """Edges as a matrix in CSR."""
    e, x = edges(), random(NODES, WIDTH)
    a = torch.sparse_coo_tensor(e, random(EDGES), (NODES, NODES)).coalesce().to_sparse_csr()
    for name in ("GCN", "SAGE", "sums", "GIN"):
        one, other = pair(MADE[name])
        for n in range(3):
            near(other(x, a), one(x, a), (name, n))


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
    """Types of outputs stay what they were."""
    e, x = edges(), random(NODES, WIDTH).float()
    for name in ("GCN", "SAGE", "GAT"):
        one, other = (layer.float() for layer in pair(MADE[name]))
        for n in range(6):
            with torch.autocast(DEVICE, dtype=torch.bfloat16):
                wanted, found = one(x, e), other(x, e)
            assert wanted.dtype == found.dtype, (name, n)
            assert torch.allclose(found.float(), wanted.float(), rtol=0.05, atol=0.05), (name, n)


def captured():
    """Edges become no matrix while a graph is captured, but after it."""
    e, x = edges(), random(NODES, WIDTH)
    one, other = pair(MADE["SAGE"])
    is_capturing = pyg.is_capturing
    pyg.is_capturing = lambda device: True
    with Products() as asked:
        for n in range(6):
            near(other(x, e), one(x, e), n)
        assert asked.count == 0
        pyg.is_capturing = is_capturing
        near(other(x, e), one(x, e))
        assert asked.count == 1


def gone():
    """Matrices of edges go with them."""
    e, x = edges(), random(NODES, WIDTH)
    _, other = pair(MADE["SAGE"])
    for _ in range(5):
        other(x, e)
    assert rt.kept().plans > 0
    del e
    pyg.restore(other)
    assert rt.kept().plans == 0


def copies():
    model = torch.nn.ModuleList([MADE["GCN"](), torch.nn.Linear(2, 2), MADE["GAT"]()]).to(DEVICE, F64)
    assert pyg.layers(pyg.use(pyg.use(model))) == ["0", "2"]
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert pyg.layers(other) == ["0", "2"] and other[0].propagate.layer is other[0]
        assert pyg.layers(pyg.restore(other)) == [] and pyg.layers(model) == ["0", "2"]
        assert list(other.state_dict()) == list(model.state_dict())


if __name__ == "__main__":
    run(globals(), ops)
