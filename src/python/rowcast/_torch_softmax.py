"""The softmax of scores over the entries of each row of a matrix, as attention has it.

The score of entry (i, j) is row[i] + col[j] + entry, times a slope where that is not above 0.  The
library computes it and its gradient in one pass each; sums over columns are products by plans.
"""
from __future__ import annotations

from typing import Any, Optional, Tuple

import torch

from . import _library as lib, _torch_ops as _ops
from ._torch_memory import Tensor, type_name, types
from ._torch_patterns import csr, on_rows
from ._torch_reduce import kept_of, majors

_Scores = Tuple[Optional[Tensor], Optional[Tensor], Optional[Tensor]]  # row, col, entry


def softmax(m: Any, row: Optional[Tensor], col: Optional[Tensor], entry: Optional[Tensor],
            slope: float) -> Tensor:
    """In the order of the values of a Matrix by rows, with gradients of first and second order.

    Args:
        row, col, entry: vectors of one type that plans have; None: zeros, but of one of them
    """
    given = (None if t is None else t.resolve_neg().contiguous() for t in (row, col, entry))
    return _Softmax.apply(m, slope, *given)


def _call(m: Any, slope: float, scores: _Scores, out: Tensor, **gradients: Tensor) -> None:
    """Into out, or into the arrays of the gradients."""
    row, col, entry = (None if t is None else t.data_ptr() for t in scores)
    matrix = lib.PlanMatrix(**csr(m.crow, m.col, m.shape[1]),
                            precision=types()[type_name(out.dtype)])
    asked = lib.Softmax(row=row, col=col, entry=entry, slope=slope, out=out.data_ptr(),
                        **{name: t.data_ptr() for name, t in gradients.items()})
    on_rows("rc_softmax", matrix, asked, out.device)


class _Softmax(torch.autograd.Function):
    """By the library; its gradient, where that is to have one, by operations of PyTorch."""

    @staticmethod
    def forward(ctx: Any, m: Any, slope: float, *scores: Any) -> Tensor:
        like = next(t for t in scores if t is not None)
        out = like.new_empty(m.col.shape)
        _call(m, slope, scores, out)
        ctx.m, ctx.slope = m, slope
        ctx.save_for_backward(*scores, out)
        return out

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        *scores, out = ctx.saved_tensors
        if torch.is_grad_enabled():
            return (None, None, *_differentiable(ctx, scores, out, g))
        return (None, None, *_gradients(ctx, scores, out, g.contiguous()))


def _gradients(ctx: Any, scores: Any, out: Tensor, g: Tensor) -> _Scores:
    """Of row, col and entry."""
    m, of_col = ctx.m, None
    of_entry, of_row = torch.empty_like(out), out.new_zeros(m.shape[0])
    if out.shape[0] > 0:  # an empty gradient has no address, which asks for the softmax
        _call(m, ctx.slope, scores, out, gradient=g, of_entry=of_entry, of_row=of_row)
    if ctx.needs_input_grad[3]:
        ones = kept_of(m, f"ones {out.dtype}", lambda: out.new_ones(m.shape[0]))
        of_col = _ops.spmm(m._pattern, m.crow, m.col, of_entry, ones, m.shape[1], True)
    return (of_row if ctx.needs_input_grad[2] else None, of_col,
            of_entry if ctx.needs_input_grad[4] else None)


def _differentiable(ctx: Any, scores: Any, out: Tensor, g: Tensor) -> _Scores:
    """The same, for second derivatives."""
    m, (row, col, entry) = ctx.m, scores
    places = kept_of(m, "rows", lambda: majors(m)), m.col.long()
    with torch.no_grad():
        score = torch.zeros_like(out) if entry is None else entry
        for t, at in zip((row, col), places):
            score = score if t is None else score + t[at]
        slopes = torch.where(score > 0, out.new_ones(()), out.new_full((), ctx.slope))
    weighed = out * g
    mean = weighed.new_zeros(m.shape[0]).index_add(0, places[0], weighed)
    of_entry = (weighed - out * mean[places[0]]) * slopes
    of_row, of_col = (of_entry.new_zeros(n).index_add(0, at, of_entry) if needed else None
                      for n, at, needed in zip(m.shape, places, ctx.needs_input_grad[2:4]))
    return of_row, of_col, of_entry if ctx.needs_input_grad[4] else None
