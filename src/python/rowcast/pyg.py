"""Layers of PyTorch Geometric by plans, without changes to the model.

    import rowcast.pyg
    rowcast.pyg.use(model)           # its layers that rowcast.pyg.layers(model) names
    rowcast.pyg.restore(model)       # as before

A layer that adds up, averages or weighs what comes along edges is a product with a sparse matrix.
Edges become that matrix when the same tensor comes back: those of a batch that is seen once do not.
What a layer makes of the edges of before (self loops, normalisation) is kept with them.  A call
that is no such product is PyTorch Geometric's, with hooks, explanations and other reductions.
"""
from __future__ import annotations

import functools
import threading
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import torch
import torch_geometric.nn as nn
from torch_geometric.nn.conv import MessagePassing

from ._torch_memory import Stamp, Tensor, has_type, is_capturing
from .torch import Matrix, replaced, spmm

__all__ = ["layers", "restore", "use"]

_USES = 3   # of edges until they become a matrix
_KEPT = 16  # sets of edges, and results of a function
_PRODUCTS = {"sum": False, "add": False, "mean": True}
#: What a message is multiplied by; None: by nothing.
_WEIGHTS = {"SAGEConv": None, "GINConv": None, "GCNConv": "edge_weight", "APPNP": "edge_weight",
            "GraphConv": "edge_weight", "SGConv": "edge_weight", "TAGConv": "edge_weight",
            "LGConv": "edge_weight", "GATConv": "alpha", "GATv2Conv": "alpha"}
#: Functions that make edges of edges, by the module of torch_geometric.nn.conv that calls them.
_MAKERS = {"gcn_conv": ("gcn_norm",), "appnp": ("gcn_norm",), "sg_conv": ("gcn_norm",),
           "tag_conv": ("gcn_norm",), "lg_conv": ("gcn_norm",),
           "gat_conv": ("remove_self_loops", "add_self_loops"),
           "gatv2_conv": ("remove_self_loops", "add_self_loops")}

_eager = getattr(getattr(torch, "compiler", None), "disable", lambda f: f)
_inside = threading.local()  # .layer: one that is used by plans runs in this thread


# ---------------------------------------------------------------- edges

class _Moved(torch.autograd.Function):
    """Entries in another order, and their gradients in that of before."""

    @staticmethod
    def forward(ctx: Any, t: Tensor, order: Tensor, back: Tensor) -> Tensor:
        ctx.save_for_backward(order, back)
        return t[order]

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tuple[Tensor, None, None]:
        order, back = ctx.saved_tensors
        return _Moved.apply(g, back, order), None, None


class _Edges:
    """Edges as a matrix: its entry (i, j) is an edge from j to i."""

    def __init__(self, ends: Tensor, begins: Tensor, shape: Tuple[int, int]):
        self._order = torch.argsort(ends * shape[1] + begins)
        self._back = torch.argsort(self._order)
        crow = torch.searchsorted(ends[self._order].contiguous(),
                                  torch.arange(shape[0] + 1, device=ends.device))
        self._degree = crow.diff().clamp(min=1)
        ones = torch.ones(ends.shape[0], device=ends.device)
        self._matrix = Matrix(crow.int(), begins[self._order].int(), ones, shape)
        self._fixed: Dict[Tuple[torch.dtype, bool], Matrix] = {}

    def _plain(self, dtype: torch.dtype, mean: bool) -> Matrix:
        """That adds up, or averages."""
        key = dtype, mean
        if key not in self._fixed:
            with torch.inference_mode(False), torch.no_grad():
                each = self._degree.double().reciprocal() if mean else self._degree.sign()
                entries = torch.repeat_interleave(each.to(dtype), self._matrix.crow.diff().long())
            self._fixed[key] = self._matrix.with_values(entries)
        return self._fixed[key]

    def times(self, weight: Optional[Tensor], x: Tensor, mean: bool) -> Tensor:
        """[rows, K], or [rows, heads, K] with a weight for each head."""
        if weight is None:
            return spmm(self._plain(x.dtype, mean), x)
        moved = _Moved.apply(weight, self._order, self._back)
        if x.dim() == 2:
            return spmm(self._matrix.with_values(moved.view(-1)), x)
        heads = zip(moved.t().contiguous().unbind(0), x.unbind(1))
        return torch.stack([spmm(self._matrix.with_values(w), b) for w, b in heads], 1)


class _Known:
    """A tensor of edges that was seen, and its matrix once it is worth one."""

    def __init__(self, edge_index: Tensor, key: Any):
        self.stamp, self.key, self.uses = Stamp(), key, 0
        self.edges: Optional[_Edges] = None
        self.stamp.took(edge_index)


_known: List[_Known] = []
_lock = threading.Lock()


def _alive() -> List[_Known]:
    """Those whose tensors are there."""
    return [k for k in _known if not k.stamp.is_gone()]


def _edges(edge_index: Tensor, shape: Tuple[int, int], end: int) -> Optional[_Edges]:
    """Of a tensor that came back; None: not yet."""
    key = shape, end
    with _lock:
        known = next((k for k in _known if k.key == key and k.stamp.has(edge_index)), None)
        if known is None:
            known = _Known(edge_index, key)
        else:
            _known.remove(known)
        _known[:] = [known, *_alive()][:_KEPT]
        known.uses += 1
        if known.edges is None and known.uses > _USES and not is_capturing(edge_index.device):
            with torch.inference_mode(False), torch.no_grad():  # training may need it, too
                known.edges = _Edges(edge_index[end], edge_index[1 - end], shape)
        return known.edges


# ---------------------------------------------------------------- what is kept of functions

class _Again:
    """A function of edges, whose results are kept while a layer by plans calls it."""

    def __init__(self, function: Callable[..., Any]):
        functools.update_wrapper(self, function)
        self.function = function
        self._kept: List[Tuple[List[Stamp], Any, Any]] = []

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given = (*args, *(kwargs[name] for name in sorted(kwargs)))
        tensors = [a for a in given if isinstance(a, Tensor)]
        plain = not any(t.layout != torch.strided or t.requires_grad or t.is_inference()
                        for t in tensors)
        if not getattr(_inside, "layer", False) or not tensors or not plain:
            return self.function(*args, **kwargs)
        rest = (len(args), *sorted(kwargs),
                *(None if isinstance(a, Tensor) else a for a in given))
        for kept in self._kept:
            stamps, others, result = kept
            if (others == rest and len(stamps) == len(tensors)
                    and all(s.has(t) for s, t in zip(stamps, tensors))):
                self._keep(kept)
                return result
        stamps = [Stamp() for _ in tensors]
        for stamp, tensor in zip(stamps, tensors):
            stamp.took(tensor)
        with torch.inference_mode(False):  # training may need it, too
            result = self.function(*args, **kwargs)
        self._keep((stamps, rest, result))
        return result

    def _keep(self, last: Any) -> None:
        """The last one first, and none whose tensors are gone."""
        others = [k for k in self._kept if k is not last and not any(s.is_gone() for s in k[0])]
        self._kept = [last, *others][:_KEPT]


def _keep_results() -> None:
    """Put _Again before the functions, once."""
    for module, names in _MAKERS.items():
        place = getattr(nn.conv, module, None)
        for name in names:
            function = getattr(place, name, None)
            if function is not None and not isinstance(function, _Again):
                setattr(place, name, _Again(function))


# ---------------------------------------------------------------- layers

def _weight_of(layer: MessagePassing) -> Tuple[bool, Optional[str]]:
    """Whether its messages are known, and the name of their weights."""
    of = type(layer)
    for name, weight in _WEIGHTS.items():
        base = getattr(nn, name, None)
        if (base is not None and isinstance(layer, base) and of.message is base.message
                and of.update is MessagePassing.update
                and of.aggregate is MessagePassing.aggregate):
            return True, weight
    return False, None


def _is_watched(layer: MessagePassing) -> bool:
    """Hooks or an explanation look at its messages, or it takes them piece by piece."""
    hooks = ("_propagate_forward", "_message_forward", "_aggregate_forward")
    return (bool(getattr(layer, "explain", False)) or getattr(layer, "decomposed_layers", 1) > 1
            or any(vars(layer).get(f"{name}{kind}_hooks") for name in hooks
                   for kind in ("_pre", "")))


class _Asked(NamedTuple):
    """A call of propagate() that is a product."""

    x: Tensor
    weight: Optional[Tensor]
    shape: Tuple[int, int]
    end: int  # row of edge_index that says where edges end


class _Propagate:
    """In the place of propagate() of a layer."""

    def __init__(self, layer: MessagePassing, weight: Optional[str]):
        self.layer, self.weight = layer, weight

    @_eager
    def __call__(self, edge_index: Any, size: Any = None, **given: Any) -> Tensor:
        asked = self._asked(edge_index, size, given)
        if asked is not None:
            edges = _edges(edge_index, asked.shape, asked.end)
            if edges is not None:
                return edges.times(asked.weight, asked.x, _PRODUCTS[self.layer.aggr])
        propagate = functools.partial(type(self.layer).propagate, self.layer)
        if isinstance(edge_index, Tensor) and edge_index.layout == torch.sparse_csr:
            with replaced():
                return propagate(edge_index, size=size, **given)
        return propagate(edge_index, size=size, **given)

    def _asked(self, edge_index: Any, size: Any, given: Dict[str, Any]) -> Optional[_Asked]:
        """None: no product of ours."""
        layer = self.layer
        if (type(edge_index) is not Tensor or edge_index.layout != torch.strided
                or edge_index.dim() != 2 or edge_index.dtype != torch.int64
                or not isinstance(layer.aggr, str) or layer.aggr not in _PRODUCTS
                or _is_watched(layer)
                or not set(given) <= {"x", self.weight}):
            return None
        weight = given.get(self.weight) if self.weight else None
        pair = given["x"] if isinstance(given["x"], (tuple, list)) else (given["x"], given["x"])
        end = 1 if layer.flow == "source_to_target" else 0
        x, other = pair[1 - end], pair[end]
        if not _fits(x, weight, self.weight == "alpha", edge_index):
            return None
        rows = size[end] if size is not None else (other if other is not None else x).shape[0]
        if (weight is not None and _PRODUCTS[layer.aggr]) or rows is None:
            return None
        if size is not None and size[1 - end] not in (None, x.shape[0]):
            return None  # for PyTorch Geometric to refuse
        return _Asked(x, weight, (int(rows), x.shape[0]), end)


def _fits(x: Any, weight: Optional[Tensor], by_heads: bool, edge_index: Tensor) -> bool:
    """Whether features and weights are those of a product."""
    if (not isinstance(x, Tensor) or x.layout != torch.strided or not has_type(x.dtype)
            or x.dim() != (3 if by_heads else 2) or x.device != edge_index.device):
        return False
    if weight is None:
        return not by_heads
    shapes = ([(edge_index.shape[1], x.shape[1])] if by_heads
              else [(edge_index.shape[1],), (edge_index.shape[1], 1)])
    return (isinstance(weight, Tensor) and weight.dtype == x.dtype
            and tuple(weight.shape) in shapes)


class _Forward:
    """In the place of forward() of a layer: says that it runs."""

    def __init__(self, layer: MessagePassing):
        self.layer = layer

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        before = getattr(_inside, "layer", False)
        _inside.layer = True
        try:
            return type(self.layer).forward(self.layer, *args, **kwargs)
        finally:
            _inside.layer = before


def use(model: torch.nn.Module) -> torch.nn.Module:
    """Let the layers of a model multiply by plans, as far as they can; copies of it do too.

    Returns:
        the model
    """
    _keep_results()
    for layer in model.modules():
        known, weight = _weight_of(layer) if isinstance(layer, MessagePassing) else (False, None)
        if known and "propagate" not in vars(layer) and "forward" not in vars(layer):
            layer.propagate, layer.forward = _Propagate(layer, weight), _Forward(layer)
    return model


def restore(model: torch.nn.Module) -> torch.nn.Module:
    """Let them multiply as PyTorch Geometric does.

    Returns:
        the model
    """
    for layer in model.modules():
        if isinstance(vars(layer).get("propagate"), _Propagate):
            del layer.propagate, layer.forward
    with _lock:
        _known[:] = _alive()
    return model


def layers(model: torch.nn.Module) -> List[str]:
    """Names of those that multiply by plans; "": the model itself."""
    return [name for name, layer in model.named_modules()
            if isinstance(vars(layer).get("propagate"), _Propagate)]
