"""Layers of PyTorch Geometric by plans, without changes to the model.

    import rowcast.pyg
    rowcast.pyg.use(model)           # its layers that rowcast.pyg.layers(model) names
    rowcast.pyg.restore(model)       # as before

A layer that adds up, averages or weighs what comes along edges is a product with a sparse matrix.
Attention is a softmax over its rows.
Edges become that matrix when a layer has the same tensor again: those of a batch that is seen once
do not.
What a layer makes of the edges of before (self loops, normalisation) is kept with them.  A call
that is no such product is PyTorch Geometric's, with hooks, explanations and other reductions.

torch.compile takes layers without attention whole, of edges as a tensor.
"""
from __future__ import annotations

import functools
import itertools
import threading
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

import torch
import torch_geometric.nn as nn
from torch_geometric.nn.conv import MessagePassing

from . import _pyg_ops as _ops
from ._pyg_edges import Edges
from ._pyg_known import edges_of, forget_gone, norm_of
from ._torch_memory import Stamp, Tensor, has_type
from .torch import _eager, _is_compiling, _is_looked_into, autocast_type, replaced, spmm

__all__ = ["layers", "restore", "use"]

_KEPT = 16  # results of a function
_WHOLE = 1 << 21  # edges; of fewer a compiler's own sums are faster than the operator
_PRODUCTS = {"sum": "sum", "add": "sum", "mean": "mean"}
#: What a message is multiplied by; None: by nothing.
_WEIGHTS = {"SAGEConv": None, "GINConv": None, "GCNConv": "edge_weight", "APPNP": "edge_weight",
            "GraphConv": "edge_weight", "SGConv": "edge_weight", "TAGConv": "edge_weight",
            "LGConv": "edge_weight", "GATConv": "alpha", "GATv2Conv": "alpha"}
#: Those that normalise edges as GCNConv does.
_NORMED = ("GCNConv", "APPNP", "SGConv", "TAGConv", "LGConv")
#: Functions that make edges of edges, by the module of torch_geometric.nn.conv that calls them.
_MAKERS = {"gcn_conv": ("gcn_norm",), "appnp": ("gcn_norm",), "sg_conv": ("gcn_norm",),
           "tag_conv": ("gcn_norm",), "lg_conv": ("gcn_norm",),
           "gat_conv": ("remove_self_loops", "add_self_loops"),
           "gatv2_conv": ("remove_self_loops", "add_self_loops")}

#: What hooks of a layer are in.
_HOOKS = [f"_{name}_forward{kind}_hooks" for kind in ("_pre", "") for name in
          ("propagate", "message", "aggregate", "edge_update", "message_and_aggregate")]

#: Of this thread: .layer, which run of one that is used by plans; .shows, it returns its attention;
#: .attention, what its scores became.
_inside = threading.local()
_numbers = itertools.count()  # of layers: the operator cannot be given one itself
_runs = itertools.count(1)


# ---------------------------------------------------------------- what is kept of functions

class _Again:
    """A function of edges, whose results are kept while a layer by plans calls it."""

    def __init__(self, function: Callable[..., Any]):
        functools.update_wrapper(self, function)
        self.function = function
        #: tensors, names and the rest of what it was given, and what it gave
        self._kept: List[Tuple[List[Stamp], List[Any], Any]] = []

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _is_compiling() or not getattr(_inside, "layer", False):
            return self.function(*args, **kwargs)
        tensors, rest = [], [*kwargs]
        for a in (*args, *kwargs.values()):
            if isinstance(a, Tensor):
                tensors.append(a)
                a = Tensor
            rest.append(a)
        if not tensors or any(t.layout != torch.strided or t.requires_grad or t.is_inference()
                              for t in tensors):
            return self.function(*args, **kwargs)
        for kept in self._kept:
            stamps, others, result = kept
            if others == rest and all(s.has(t) for s, t in zip(stamps, tensors)):
                if len(self._kept) > 1:
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
        self.forget_gone()
        self._kept = [last, *(k for k in self._kept if k is not last)][:_KEPT]

    def forget_gone(self) -> None:
        """What has no tensors any more goes."""
        self._kept = [k for k in self._kept if not any(s.is_gone() for s in k[0])]


def _makers() -> Iterator[Tuple[Any, str, Any]]:
    """The functions: module, name, and what is there now."""
    for module, names in _MAKERS.items():
        place = getattr(nn.conv, module, None)
        for name in names:
            function = getattr(place, name, None)
            if function is not None:
                yield place, name, function


def _keep_results() -> None:
    """Put _Again before the functions, once."""
    for place, name, function in _makers():
        if not isinstance(function, _Again):
            setattr(place, name, _Again(function))


# ---------------------------------------------------------------- layers

def _kind_of(layer: MessagePassing) -> Optional[str]:
    """The name of the layer whose messages it has, if they are known."""
    of = type(layer)
    for name in _WEIGHTS:
        base = getattr(nn, name, None)
        if (base is not None and isinstance(layer, base) and of.message is base.message
                and of.update is MessagePassing.update
                and of.aggregate is MessagePassing.aggregate):
            return name
    return None


def _multiplies(of: type, kind: str) -> bool:
    """Layers of a type multiply a sparse matrix in the place of edges as those of that name do."""
    own = getattr(of, "message_and_aggregate", None)
    return own is not None and own is getattr(getattr(nn, kind), "message_and_aggregate", None)


def _attends(layer: MessagePassing, kind: str) -> bool:
    """Its scores are those of that layer, and meet nothing else on their way to the messages."""
    of, base = type(layer), getattr(nn, kind)
    return (kind in _SCORES and hasattr(base, "edge_update") and of.forward is base.forward
            and of.edge_update is base.edge_update)


def _is_watched(layer: MessagePassing) -> bool:
    """Hooks or an explanation look at its messages, or it takes them piece by piece."""
    if getattr(layer, "explain", False) or getattr(layer, "decomposed_layers", 1) > 1:
        return True
    for name in _HOOKS:
        if getattr(layer, name, None):
            return True
    return False


class _Asked(NamedTuple):
    """A call of propagate() that is a product."""

    x: Tensor
    shape: Tuple[int, int]
    end: int  # row of edge_index that says where edges end


def _are_edges(edge_index: Any) -> bool:
    """As tensors of two rows."""
    return (type(edge_index) is Tensor and edge_index.layout == torch.strided
            and edge_index.dim() == 2 and edge_index.dtype == torch.int64)


class _Propagate:
    """In the place of propagate() of a layer."""

    def __init__(self, layer: MessagePassing, kind: str):
        self.layer, self.kind, self.weight = layer, kind, _WEIGHTS[kind]
        self.number, self.multiplies = next(_numbers), _multiplies(type(layer), kind)

    def __setstate__(self, state: Dict[str, Any]) -> None:
        """A copy is of another layer."""
        _Propagate.__init__(self, state["layer"], state["kind"])

    def __call__(self, edge_index: Any, size: Any = None, **given: Any) -> Tensor:
        if _is_compiling():
            out = self._traced(edge_index, size, given)
            if out is not None:
                return out
        if isinstance(edge_index, _Plain):  # also where a compiler gave up in the layer
            edge_index, given[self.weight] = edge_index.normed(given, self.layer)
        alone = _is_compiling() or _is_looked_into()
        return (self._alone if alone else self._run)(edge_index, size, given)

    def _traced(self, given_edges: Any, size: Any, given: Dict[str, Any]) -> Optional[Tensor]:
        """Without a break: by the operator, which compilers take as it is, or, of few edges, by
        operations that they make their own; None: no product of ours."""
        edge_index, how, fill = given_edges, _product_of(self.layer), 0.0
        if isinstance(edge_index, _Plain):
            edge_index, how, fill = edge_index.edge_index, "norm", edge_index.fill
        asked = None if how is None else self._asked(edge_index, size, given, None)
        if asked is None or self.weight == "alpha" or not _ops.runs_on(asked.x):
            return None
        few = edge_index.shape[1] < _WHOLE
        if few and how != "norm":
            return type(self.layer).propagate(self.layer, edge_index, size=size, **given)
        x, weight = asked.x, given.get(self.weight) if self.weight else None
        dtype = x.dtype if weight is None else torch.promote_types(weight.dtype, x.dtype)
        if how == "norm":
            dtype = torch.promote_types(given_edges.dtype, dtype)
        elif weight is None and x.dtype != torch.float64:
            dtype = autocast_type(x.device.type) or x.dtype
        weight = weight if weight is None or weight.dim() == 1 else weight.view(-1)
        if few:
            return _ops.by_few(edge_index, weight, x.to(dtype), asked.shape, asked.end, fill)
        return _ops.along(edge_index, weight, x.to(dtype), *asked.shape, asked.end, how, fill,
                          self.number, False)

    def _run(self, edge_index: Any, size: Any, given: Dict[str, Any]) -> Tensor:
        attention = _attention_as(given.get("alpha"))
        asked = self._asked(edge_index, size, given, attention)
        edges = None if asked is None else edges_of(edge_index, asked.shape, asked.end,
                                                    self.number, getattr(_inside, "layer", None))
        if attention is not None and attention.edges is not edges:
            given["alpha"], attention = attention.of_edges(), None
        if asked is not None and edges is not None:
            values = given.get(self.weight)
            if attention is not None:
                values = attention.values
            elif values is not None:
                values = edges.in_order(values)
            return edges.times(values, asked.x, _PRODUCTS[self.layer.aggr] == "mean")
        propagate = functools.partial(type(self.layer).propagate, self.layer)
        if isinstance(edge_index, Tensor) and edge_index.layout == torch.sparse_csr:
            x = self._times(edge_index, size, given)
            if x is not None:
                return spmm(edge_index, x, reduce=_PRODUCTS[self.layer.aggr])
            with replaced():
                return propagate(edge_index, size=size, **given)
        return propagate(edge_index, size=size, **given)

    _alone = _eager(_run)

    def _times(self, a: Tensor, size: Any, given: Dict[str, Any]) -> Optional[Tensor]:
        """What a matrix in the place of edges is multiplied with; None: it is not all there is."""
        layer = self.layer
        x = given.get("x")
        x = x[0] if isinstance(x, (tuple, list)) else x
        if (not self.multiplies or "message_and_aggregate" in vars(layer)
                or not getattr(layer, "fuse", True) or _end_of(layer) != 1 or _is_watched(layer)
                or _product_of(layer) is None
                or not set(given) <= {"x", self.weight} or size not in (None, (None, None))
                or (self.weight is not None and given.get(self.weight) is not None)):
            return None
        fits = (isinstance(x, Tensor) and x.layout == torch.strided and x.dim() == 2
                and a.dim() == 2 and a.dense_dim() == 0 and a.shape[1] == x.shape[0]
                and a.dtype == x.dtype and has_type(a.dtype) and a.device == x.device
                and a.device.type in ("cpu", "cuda"))
        return x if fits else None

    def _asked(self, edge_index: Any, size: Any, given: Dict[str, Any],
               attention: Optional["_Attention"]) -> Optional[_Asked]:
        """None: no product of ours."""
        layer = self.layer
        if (not _are_edges(edge_index) or _product_of(layer) is None or _is_watched(layer)
                or not set(given) <= {"x", self.weight}):
            return None
        weight = given.get(self.weight) if self.weight else None
        pair = given["x"] if isinstance(given["x"], (tuple, list)) else (given["x"], given["x"])
        end = _end_of(layer)
        if not _has_ends(pair, end):
            return None
        x, other = pair[1 - end], pair[end]
        if not _fits(x, weight, self.weight == "alpha", edge_index, attention):
            return None
        rows = size[end] if size is not None else (other if other is not None else x).shape[0]
        if (weight is not None and _product_of(layer) == "mean") or rows is None:
            return None
        if size is not None and size[1 - end] not in (None, x.shape[0]):
            return None  # for PyTorch Geometric to refuse
        return _Asked(x, (rows, x.shape[0]), end)


def _product_of(layer: Any) -> Optional[str]:
    """What its sums are; None: no product, as of several reductions in a list."""
    return _PRODUCTS.get(layer.aggr) if isinstance(layer.aggr, str) else None


def _end_of(layer: Any) -> int:
    """The row of edges that says where they end."""
    return 1 if layer.flow == "source_to_target" else 0


def _has_ends(pair: Any, end: int) -> bool:
    """Whether it is certain which one of a pair is of the ends.  Against the usual flow versions
    of PyTorch Geometric differ: before 2.5 the first one is, since then the second."""
    return end == 1 or pair[0] is pair[1]


def _fits(x: Any, weight: Optional[Tensor], by_heads: bool, edge_index: Tensor,
          attention: Optional["_Attention"]) -> bool:
    """Whether features and weights are those of a product."""
    if (not isinstance(x, Tensor) or x.layout != torch.strided or not _is_real(x.dtype)
            or x.dim() != (3 if by_heads else 2) or x.device != edge_index.device):
        return False
    if attention is not None:
        return x.shape[1] == attention.heads
    if weight is None:
        return not by_heads
    shapes = ([(edge_index.shape[1], x.shape[1])] if by_heads
              else [(edge_index.shape[1],), (edge_index.shape[1], 1)])
    return (isinstance(weight, Tensor) and _is_real(weight.dtype)
            and tuple(weight.shape) in shapes)


def _is_real(dtype: torch.dtype) -> bool:
    """Of plans; the operator asks when it runs."""
    return dtype.is_floating_point if _is_compiling() else has_type(dtype)


# ---------------------------------------------------------------- attention

class _Attention(NamedTuple):
    """What scores became."""

    given: Tensor   # what the layer has of it
    values: Tensor  # of the matrix of the heads
    edges: Edges
    heads: int

    def of_edges(self) -> Tensor:
        """As PyTorch Geometric has it."""
        return self.edges.of_edges(self.values, self.heads)


def _attention_as(alpha: Any) -> Optional[_Attention]:
    """That which this is."""
    found = getattr(_inside, "attention", None)
    if found is None:
        return None
    _inside.attention = None
    if found.given is not alpha:
        raise RuntimeError("alpha: expected what edge_updater() returned, found another tensor: "
                           "call rowcast.pyg.restore() for this layer")
    return found


def _scores_of_gat(layer: Any, edges: Edges, pair: Tuple[Tensor, Tensor],
                   edge_attr: Optional[Tensor]) -> Optional[Tensor]:
    """What both ends have, and the edge."""
    more = None
    if edge_attr is not None and layer.lin_edge is not None:
        attr = edge_attr.view(-1, 1) if edge_attr.dim() == 1 else edge_attr
        attr = layer.lin_edge(attr).view(-1, layer.heads, layer.out_channels)
        more = (attr * layer.att_edge).sum(dim=-1)
    types = {t.dtype for t in (*pair, more) if t is not None}
    if len(types) > 1 or not _has_softmax(pair[0]):
        return None
    return edges.attention(*pair, more, layer.negative_slope)


def _scores_of_gatv2(layer: Any, edges: Edges, pair: Tuple[Tensor, Tensor],
                     edge_attr: Optional[Tensor]) -> Optional[Tensor]:
    """A weighted sum of a leaky ReLU of what both ends and the edge have, added up."""
    ends = edges.ends(*pair)
    if edge_attr is not None:
        attr = edge_attr.view(-1, 1) if edge_attr.dim() == 1 else edge_attr
        ends = ends + layer.lin_edge(edges.entries(attr)).view(-1, layer.heads, layer.out_channels)
    ends = torch.nn.functional.leaky_relu(ends, layer.negative_slope)
    score = (ends * layer.att).sum(dim=-1)
    return edges.attention_of(score) if _has_softmax(score) else None


def _has_softmax(score: Tensor) -> bool:
    """Of that type; those of 16 bits autocast has in 32."""
    return has_type(score.dtype) and (autocast_type(score.device.type) is None
                                      or score.dtype in (torch.float32, torch.float64))


#: Of layers with attention: the name of what edge_updater() is given of the ends, its dimensions,
#: and the softmax of the scores, None: not ours.
_SCORES: Dict[str, Tuple[str, int, Callable[..., Optional[Tensor]]]] = {
    "GATConv": ("alpha", 2, _scores_of_gat), "GATv2Conv": ("x", 3, _scores_of_gatv2)}


class _Update:
    """In the place of edge_updater() of a layer with attention."""

    def __init__(self, layer: MessagePassing, kind: str):
        self.layer, self.kind = layer, kind

    def __call__(self, edge_index: Any, *args: Any, **given: Any) -> Tensor:
        found = None if _is_compiling() else self._found(edge_index, *args, **given)
        if found is None:
            return type(self.layer).edge_updater(self.layer, edge_index, *args, **given)
        values, edges = found
        layer = self.layer
        if layer.training and layer.dropout > 0:
            values = edges.dropped(values, layer.heads, layer.dropout)
        shown = values
        if _inside.shows:
            shown = edges.of_edges(values, layer.heads)
        _inside.attention = _Attention(shown, values, edges, layer.heads)
        return shown

    def _found(self, edge_index: Any, *args: Any, **given: Any) -> Optional[Tuple[Tensor, Edges]]:
        """None, too, where a program itself calls, of compiled ones nobody else."""
        _inside.attention = None
        alone = args or not getattr(_inside, "layer", None)
        return None if alone else self._values(edge_index, **given)

    def _values(self, edge_index: Any, size: Any = None, edge_attr: Optional[Tensor] = None,
                **given: Any) -> Optional[Tuple[Tensor, Edges]]:
        """None: no softmax of ours, or not yet."""
        name, dims, scores = _SCORES[self.kind]
        pair = given.get(name)
        if (not _are_edges(edge_index) or _is_watched(self.layer) or set(given) != {name}
                or not _is_pair(pair, dims, edge_index)
                or (edge_attr is not None and edge_attr.shape[0] != edge_index.shape[1])):
            return None
        end = _end_of(self.layer)
        if not _has_ends(pair, end):
            return None
        row, col = pair[end], pair[1 - end]
        shape = row.shape[0], col.shape[0]
        if size is not None and any(told not in (None, n) for told, n in
                                    zip((size[end], size[1 - end]), shape)):
            return None
        edges = edges_of(edge_index, shape, end, None)
        values = None if edges is None else scores(self.layer, edges, (row, col), edge_attr)
        return None if values is None else (values, edges)


def _is_pair(pair: Any, dims: int, edge_index: Tensor) -> bool:
    """What both ends have, alike."""
    return (isinstance(pair, (tuple, list)) and len(pair) == 2
            and all(isinstance(t, Tensor) and t.layout == torch.strided and t.dim() == dims
                    and t.device == edge_index.device for t in pair)
            and pair[0].dtype == pair[1].dtype and pair[0].shape[1:] == pair[1].shape[1:]
            and has_type(pair[0].dtype))


class _Plain(NamedTuple):
    """In the place of edges that a layer would normalise: the operator does."""

    edge_index: Tensor
    fill: float  # what loops weigh that are added; 0: none are
    vertices: int
    dtype: torch.dtype  # of what they are made for

    def normed(self, given: Dict[str, Any], layer: Any) -> Tuple[Tensor, Tensor]:
        """What the layer would have made of them."""
        return norm_of(self.edge_index, given.get("edge_weight"), self.vertices, _end_of(layer),
                       self.fill, self.dtype)


class _Forward:
    """In the place of forward() of a layer: says that it runs."""

    def __init__(self, layer: MessagePassing, kind: str):
        self.layer, self.kind = layer, kind
        self.is_known = type(layer).forward is getattr(nn, kind).forward  # what it does to edges

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not _is_compiling():
            return (self._alone if _is_looked_into() else self._run)(*args, **kwargs)
        if _ops.is_there and self.kind not in _SCORES:
            if "edge_index" in kwargs:
                kwargs["edge_index"] = self._not_normed(kwargs["edge_index"], *args, **kwargs)
            elif len(args) > 1:
                args = (args[0], self._not_normed(args[1], *args, **kwargs), *args[2:])
            return type(self.layer).forward(self.layer, *args, **kwargs)
        return self._alone(*args, **kwargs)

    def _not_normed(self, edges: Any, *args: Any, **kwargs: Any) -> Any:
        """Edges that the operator can normalise, so that the layer leaves it; else as they are."""
        layer = self.layer
        x = args[0] if args else kwargs.get("x")
        weight = args[2] if len(args) > 2 else kwargs.get("edge_weight")
        if (self.kind not in _NORMED or not getattr(layer, "normalize", True)
                or getattr(layer, "cached", False) or getattr(layer, "dropout", 0)
                or not _are_edges(edges) or not isinstance(x, Tensor) or x.dim() != 2
                or x.layout != torch.strided or not x.is_floating_point()
                or x.device != edges.device or not _ops.runs_on(x) or _is_watched(layer)
                or _product_of(layer) != "sum" or not self.is_known):
            return edges
        if weight is not None and (weight.requires_grad or weight.dim() != 1
                                   or weight.shape[0] != edges.shape[1]
                                   or not weight.is_floating_point()):
            return edges
        loops = getattr(layer, "add_self_loops", False)
        improved = loops and getattr(layer, "improved", False)
        if improved and weight is None:  # versions of PyTorch Geometric differ: loops weigh 1 or 2
            return edges
        return _Plain(edges, 2.0 if improved else float(bool(loops)), x.shape[0], x.dtype)

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        before = {name: getattr(_inside, name, None) for name in ("layer", "shows", "attention")}
        _inside.layer, _inside.attention = next(_runs), None
        _inside.shows = any(isinstance(a, bool) for a in (*args, *kwargs.values()))
        try:
            return type(self.layer).forward(self.layer, *args, **kwargs)
        finally:
            vars(_inside).update(before)

    _alone = _eager(_run)


def use(model: torch.nn.Module) -> torch.nn.Module:
    """Let the layers of a model multiply by plans, as far as they can; copies of it do too.

    Returns:
        the model
    """
    _keep_results()
    for layer in model.modules():
        kind = _kind_of(layer) if isinstance(layer, MessagePassing) else None
        if kind is not None and "propagate" not in vars(layer) and "forward" not in vars(layer):
            layer.propagate = _Propagate(layer, kind)
            layer.forward = _Forward(layer, kind)
            if _attends(layer, kind) and "edge_updater" not in vars(layer):
                layer.edge_updater = _Update(layer, kind)
    return model


def restore(model: torch.nn.Module) -> torch.nn.Module:
    """Let them multiply as PyTorch Geometric does.

    Returns:
        the model
    """
    for layer in model.modules():
        if isinstance(vars(layer).get("propagate"), _Propagate):
            del layer.propagate, layer.forward
            if isinstance(vars(layer).get("edge_updater"), _Update):
                del layer.edge_updater
    for _, _, function in _makers():
        if isinstance(function, _Again):
            function.forget_gone()
    forget_gone()
    return model


def layers(model: torch.nn.Module) -> List[str]:
    """Names of those that multiply by plans; "": the model itself."""
    return [name for name, layer in model.named_modules()
            if isinstance(vars(layer).get("propagate"), _Propagate)]
