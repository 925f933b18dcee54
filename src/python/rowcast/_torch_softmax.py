"""The softmax of scores over the entries of each row of a matrix, as attention has it.

The score of entry (i, j) is row[i] + col[j] + entry, times a slope where that is not above 0.  The
library computes it and its gradient in one pass each; sums over columns are products by plans.
"""
from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import torch

from . import _library as lib, _torch_ops as _ops
from ._torch_memory import Tensor, type_name, types
from ._torch_patterns import csr, on_rows
from ._torch_reduce import kept_of, majors
from .torch import Matrix

_Scores = Tuple[Optional[Tensor], Optional[Tensor], Optional[Tensor]]  # row, col, entry


class Sums:
    """Sums of what entries have over the lines that they are in, by a plan of each type."""

    def __init__(self, places: Tensor, lines: int):
        with torch.inference_mode(False), torch.no_grad():
            order = torch.argsort(places, stable=True)
            ends = torch.searchsorted(places[order], torch.arange(lines + 1, device=places.device))
            kind = torch.int32 if places.shape[0] < 2**31 else torch.int64
            self._matrix = Matrix(ends.to(kind), order.to(kind), self._ones(places, torch.float32),
                                  (lines, places.shape[0]))
        self._of: Dict[torch.dtype, Matrix] = {}

    @staticmethod
    def _ones(like: Tensor, dtype: torch.dtype) -> Tensor:
        """As many, in the memory of one."""
        return torch.ones(1, dtype=dtype, device=like.device).expand(like.shape[0])

    def __call__(self, each: Tensor) -> Tensor:
        """[lines, ...] of [entries, ...]."""
        m = self._of.get(each.dtype)
        if m is None:
            with torch.inference_mode(False), torch.no_grad():
                m = self._of[each.dtype] = self._matrix.with_values(self._ones(each, each.dtype))
        wide = each if each.dim() == 1 else each.flatten(1)
        out = _ops.spmm(m._pattern, m.crow, m.col, m.val, wide, m.shape[1], False)
        return out.view(m.shape[0], *each.shape[1:])


class Softmax:
    """That of a Matrix by rows, in the order of its values, with gradients of first and second
    order."""

    def __init__(self, m: Matrix):
        self.m = m
        self._rows: Dict[torch.dtype, Any] = {}
        self._columns: Optional[Sums] = None

    def __call__(self, row: Optional[Tensor], col: Optional[Tensor], entry: Optional[Tensor],
                 slope: float) -> Tensor:
        """Of scores by rows, columns and entries, each in their order, of any shape and of one type
        that plans have; None: zeros, but of one of them."""
        given = (None if t is None else t.resolve_neg().contiguous() for t in (row, col, entry))
        return _Softmax.apply(self, slope, *given)

    def run(self, slope: float, scores: _Scores, out: Tensor, **gradients: Tensor) -> None:
        """Into out, or into the arrays of the gradients."""
        matrix = self._rows.get(out.dtype)
        if matrix is None:
            matrix = self._rows[out.dtype] = lib.PlanMatrix(
                **csr(self.m.crow, self.m.col, self.m.shape[1]),
                precision=types()[type_name(out.dtype)])
        row, col, entry = (None if t is None else t.data_ptr() for t in scores)
        asked = lib.Softmax(row=row, col=col, entry=entry, slope=slope, out=out.data_ptr(),
                            **{name: t.data_ptr() for name, t in gradients.items()})
        on_rows("rc_softmax", matrix, asked, out.device)

    def by_columns(self, each: Tensor) -> Tensor:
        """Sums of entries over columns."""
        if self._columns is None:
            self._columns = Sums(self.m.col, self.m.shape[1])
        return self._columns(each)


class _Softmax(torch.autograd.Function):
    """By the library; its gradient, where that is to have one, by operations of PyTorch."""

    @staticmethod
    def forward(ctx: Any, of: Softmax, slope: float, *scores: Any) -> Tensor:
        like = next(t for t in scores if t is not None)
        out = like.new_empty(of.m.col.shape)
        of.run(slope, scores, out)
        ctx.of, ctx.slope = of, slope
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
    needs = ctx.needs_input_grad[2:]
    if out.shape[0] == 0:  # an empty gradient has no address, which asks for the softmax
        return tuple(torch.zeros_like(t) if n else None for t, n in zip(scores, needs))
    of_entry, of_row = torch.empty_like(out), out.new_empty(ctx.of.m.shape[0])
    ctx.of.run(ctx.slope, scores, out, gradient=g, of_entry=of_entry, of_row=of_row)
    of_col = ctx.of.by_columns(of_entry) if needs[1] else None
    return _as_given(scores, [of_row if needs[0] else None, of_col, of_entry if needs[2] else None])


def _as_given(scores: Any, gradients: Any) -> _Scores:
    """In the shapes of the scores."""
    return tuple(None if g is None else g.view_as(t) for t, g in zip(scores, gradients))


def _differentiable(ctx: Any, scores: Any, out: Tensor, g: Tensor) -> _Scores:
    """The same, for second derivatives."""
    m, (row, col, entry) = ctx.of.m, (None if t is None else t.reshape(-1) for t in scores)
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
    return _as_given(scores, [of_row, of_col, of_entry if ctx.needs_input_grad[4] else None])
