"""The operator of layers that torch.compile traces: rowcast::along.

along(edge_index, weight, x, rows, cols, end, how, fill, layer, transposed) is, for each vertex, the
sum of what comes along its edges: of x at the other ends, times weights.  It is A x, or A' x.  A
compiler takes it as it is.  When it runs it asks whether the edges came back to that layer, and
multiplies by a plan, or else, as in a capture of edges that it does not know, edge by edge.
"""
from __future__ import annotations

from typing import Any, Optional, Tuple

import torch

from . import _library as lib
from ._pyg_known import edges_of, normed_of
from ._torch_memory import Tensor, has_type
from ._torch_ops import _LIBRARY, _TAGS

#: PyTorch registers gradients of operators by name.
is_there = hasattr(torch.library, "register_autograd")
#: A CUDA graph would have copies of edges, which are not known again: it is made of the rest.
_UNSAFE = getattr(getattr(torch, "Tag", None), "cudagraph_unsafe", None)
_ALONE = () if _UNSAFE is None else (_UNSAFE,)
_Loops = Tuple[Tensor, Optional[Tensor]]


def runs_on(x: Tensor) -> bool:
    """Whether the operator is there for a tensor."""
    return is_there and x.device.type in ("cpu", "cuda")


# ---------------------------------------------------------------- by plans

def _by_plan(edge_index: Tensor, weight: Optional[Tensor], x: Tensor, shape: Tuple[int, int],
             end: int, how: str, fill: float, layer: int, transposed: bool) -> Optional[Tensor]:
    """None: edges that did not come back, or no plan that could run here."""
    user = None if transposed else layer  # gradients are of the same pass
    if not has_type(x.dtype):
        return None
    if how == "norm":
        normed = normed_of(edge_index, weight, shape, end, fill, x.dtype, user)
        if normed is None:
            return None
        edges, values = normed
    else:
        found = edges_of(edge_index, shape, end, user)
        if found is None:
            return None
        edges, values = found, None if weight is None else found.in_order(weight.to(x.dtype))
    try:
        return edges.product(values, x, how == "mean", transposed)
    except lib.Error as e:
        if e.name != "unsupported":  # a capture began before that plan was there, or its type
            raise
        return None


# ---------------------------------------------------------------- edge by edge

def _norm(edge_index: Tensor, weight: Optional[Tensor], x: Tensor, end: int,
          fill: float) -> _Loops:
    """Weights as GCNConv normalises them, and those of the loops that every vertex has then.

    Of fixed shapes, so that a graph of CUDA can hold it: a loop that is there stays among the
    edges, with weight 0.
    """
    n = x.shape[0]
    each = x.new_ones(edge_index.shape[1]) if weight is None else weight.to(x.dtype)
    own = None
    if fill > 0:
        loop = edge_index[0] == edge_index[1]
        place = torch.where(loop, edge_index[0], n)
        own = x.new_full((n + 1,), fill).scatter_(0, place, each)[:n]
        each = each.masked_fill(loop, 0)
    degree = x.new_zeros(n).index_add_(0, edge_index[end], each)
    degree = degree if own is None else degree + own
    scale = degree.pow(-0.5).masked_fill(degree == 0, 0)
    each = scale[edge_index[0]] * each * scale[edge_index[1]]
    return each, None if own is None else own * scale * scale


def _by_edges(edge_index: Tensor, weight: Optional[Tensor], x: Tensor, shape: Tuple[int, int],
              end: int, how: str, fill: float, transposed: bool) -> Tensor:
    ends = edge_index[end]
    if how == "norm":
        return _sums(edge_index, _norm(edge_index, weight, x, end, fill), x, shape, end, transposed)
    if how == "sum":
        return _sums(edge_index, (weight, None), x, shape, end, transposed)
    degree = x.new_zeros(shape[0]).index_add_(0, ends, x.new_ones(ends.shape[0])).clamp(min=1)
    if transposed:
        return _sums(edge_index, (None, None), x / degree.view(-1, 1), shape, end, True)
    return _sums(edge_index, (None, None), x, shape, end, False) / degree.view(-1, 1)


def _sums(edge_index: Tensor, loops: _Loops, x: Tensor, shape: Tuple[int, int], end: int,
          transposed: bool) -> Tensor:
    """Of what comes along edges, and loops, times weights."""
    weight, own = loops
    to, of = edge_index[1 - end if transposed else end], edge_index[end if transposed else 1 - end]
    terms = x.index_select(0, of)
    if weight is not None:
        terms = terms * weight.to(x.dtype).view(-1, 1)
    out = x.new_zeros(shape[1 if transposed else 0], x.shape[1]).index_add_(0, to, terms)
    return out if own is None else out.addcmul_(own.view(-1, 1), x)


def by_few(edge_index: Tensor, weight: Optional[Tensor], x: Tensor, shape: Tuple[int, int],
           end: int, fill: float) -> Tensor:
    """The normalised sum by operations of fixed shapes, with a gradient of x: compilers make it
    part of what is around it."""
    return _sums(edge_index, _norm(edge_index, weight, x, end, fill), x, shape, end, False)


# ---------------------------------------------------------------- the operator

def _along(edge_index: Tensor, weight: Optional[Tensor], x: Tensor, rows: int, cols: int, end: int,
           how: str, fill: float, layer: int, transposed: bool) -> Tensor:
    given = edge_index, weight, x, (rows, cols), end, how, fill
    with torch.no_grad():
        out = _by_plan(*given, layer, transposed)
        return _by_edges(*given, transposed) if out is None else out


def _along_shape(edge_index: Tensor, weight: Optional[Tensor], x: Tensor, rows: int, cols: int,
                 end: int, how: str, fill: float, layer: int, transposed: bool) -> Tensor:
    return x.new_empty((cols if transposed else rows, x.shape[1]))


def _save(ctx: Any, inputs: Tuple[Any, ...], output: Tensor) -> None:
    edge_index, weight, x, *ctx.rest = inputs
    ctx.save_for_backward(edge_index, weight, x if ctx.needs_input_grad[1] else None)


def _gradients(ctx: Any, g: Tensor) -> Any:
    """Of x the product with the transposed matrix, of weights at each edge what both ends have."""
    edge_index, weight, x = ctx.saved_tensors
    *rest, transposed = ctx.rest
    of_weight = of_x = None
    if ctx.needs_input_grad[1]:
        end = rest[2]
        ends, others = (x, g) if transposed else (g, x)
        at_ends = ends.index_select(0, edge_index[end])
        of_weight = (at_ends * others.index_select(0, edge_index[1 - end])).sum(-1)
        of_weight = of_weight.to(weight.dtype).view(weight.shape)
    if ctx.needs_input_grad[2]:
        of_x = along(edge_index, weight, g, *rest, not transposed)
    return None, of_weight, of_x, None, None, None, None, None, None, None


def along(*given: Any) -> Tensor:
    """The operator.

    Args:
        edge_index: [2, edges]
        weight: [edges], with gradients unless they are normalised; None: 1
        x: [cols, K], or [rows, K] of the transposed product
        rows, cols: of the matrix
        end: row of edge_index that says where edges end
        how: "sum", "mean", or "norm", as GCNConv normalises edges
        fill: what loops weigh that "norm" adds; 0: none are
        layer: a number of the layer that asks
        transposed: A' x
    """
    return torch.ops.rowcast.along(*given)


if is_there:
    _LIBRARY.define("along(Tensor edge_index, Tensor? weight, Tensor x, SymInt rows, SymInt cols, "
                    "int end, str how, float fill, SymInt layer, bool transposed) -> Tensor",
                    tags=(*_TAGS.get("tags", ()), *_ALONE))
    for _key in ("CPU", "CUDA"):
        _LIBRARY.impl("along", _along, _key)
    torch.library.register_fake("rowcast::along", _along_shape, lib=_LIBRARY)
    torch.library.register_autograd("rowcast::along", _gradients, setup_context=_save,
                                    lib=_LIBRARY)
