"""Edges of graphs as matrices, for layers of rowcast.pyg: entry (i, j) is an edge from j to i.

With several heads every vertex is one row for each head, and so is every edge: the matrix of heads
multiplies [rows, heads, K] as it is.  Its entries stand row by row, in a row by heads.
"""
from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional, Tuple

import torch

from . import _torch_ops as _ops
from ._torch_memory import Tensor
from ._torch_softmax import Softmax, Sums
from .torch import Matrix, _multiplied


class _Moved(torch.autograd.Function):
    """Entries in another order, and their gradients in that of before."""

    @staticmethod
    def forward(ctx: Any, t: Tensor, order: Tensor, back: Tensor) -> Tensor:
        ctx.save_for_backward(order, back)
        return t.index_select(0, order)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tuple[Tensor, None, None]:
        order, back = ctx.saved_tensors
        return _Moved.apply(g, back, order), None, None


class _Ends(torch.autograd.Function):
    """What the ends of edges have, added up, in the order of the entries; sums are products."""

    @staticmethod
    def forward(ctx: Any, edges: "Edges", row: Tensor, col: Tensor) -> Tensor:
        ctx.edges = edges
        return row.index_select(0, edges.rows).add_(col.index_select(0, edges.cols))

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tuple[None, Optional[Tensor], Optional[Tensor]]:
        _, *needs = ctx.needs_input_grad
        return (None, *(ctx.edges.summed(g, by) if needed else None
                        for by, needed in zip(("rows", "cols"), needs)))


class _Heads(NamedTuple):
    """A matrix of heads."""

    matrix: Matrix
    order: Tensor  # of its entries among [edges, heads] of the graph
    back: Tensor
    inside: Optional[Tensor]  # the same among those of the matrix of one head; None: as they are
    outside: Optional[Tensor]
    softmax: Softmax


class Edges:
    """Edges that came back.

    Attributes:
        rows, cols: of entries in their order
    """

    def __init__(self, ends: Tensor, begins: Tensor, shape: Tuple[int, int]):
        self._order = torch.argsort(ends * shape[1] + begins)
        self.rows, self.cols = ends[self._order].contiguous(), begins[self._order].contiguous()
        crow = torch.searchsorted(self.rows, torch.arange(shape[0] + 1, device=ends.device))
        self._degree = crow.diff()
        ones = torch.ones(ends.shape[0], device=ends.device)
        self._matrix = Matrix(crow.int(), self.cols.int(), ones, shape)
        self._fixed: Dict[Tuple[torch.dtype, bool], Matrix] = {}
        self._heads: Dict[int, _Heads] = {}
        self._sums: Dict[str, Sums] = {}

    def _plain(self, dtype: torch.dtype, mean: bool) -> Matrix:
        """That adds up, or averages."""
        key = dtype, mean
        if key not in self._fixed:
            with torch.inference_mode(False), torch.no_grad():
                each = self._degree.clamp(min=1).double().reciprocal() if mean else \
                    self._degree.sign()
                entries = torch.repeat_interleave(each.to(dtype), self._degree)
            self._fixed[key] = self._matrix.with_values(entries)
        return self._fixed[key]

    def _of_heads(self, heads: int) -> _Heads:
        if heads not in self._heads:
            with torch.inference_mode(False), torch.no_grad():
                self._heads[heads] = self._made(heads)
        return self._heads[heads]

    def _made(self, heads: int) -> _Heads:
        if heads == 1:
            return _Heads(self._matrix, self._order, torch.argsort(self._order), None, None,
                          Softmax(self._matrix))
        rows, cols = self._matrix.shape
        head = torch.arange(heads, device=self.rows.device)
        places = torch.argsort((self.rows[:, None] * heads + head).reshape(-1), stable=True)
        order = (self._order[:, None] * heads + head).reshape(-1)[places]
        col = (self.cols[:, None] * heads + head).reshape(-1)[places]
        lengths = torch.repeat_interleave(self._degree, heads)
        crow = torch.nn.functional.pad(lengths.cumsum(0), (1, 0))
        kind = torch.int32 if col.shape[0] < 2**31 else torch.int64
        matrix = Matrix(crow.to(kind), col.int(), torch.ones(col.shape[0], device=col.device),
                        (rows * heads, cols * heads))
        return _Heads(matrix, order, torch.argsort(order), places, torch.argsort(places),
                      Softmax(matrix))

    def summed(self, g: Tensor, by: str) -> Tensor:
        """Of [entries, ...] the sums over rows or columns."""
        if by not in self._sums:
            rows, cols = self._matrix.shape
            ends = {"rows": (self.rows, rows), "cols": (self.cols, cols)}
            self._sums[by] = Sums(*ends[by])
        return self._sums[by](g)

    def in_order(self, weight: Tensor) -> Tensor:
        """[edges], or [edges, heads], as values of the matrix of the heads."""
        heads = self._of_heads(1 if weight.dim() == 1 else weight.shape[1])
        return _Moved.apply(weight.reshape(-1), heads.order, heads.back)

    def entries(self, edge: Tensor) -> Tensor:
        """[edges, ...] in the order of the entries of one head."""
        heads = self._of_heads(1)
        return _Moved.apply(edge, heads.order, heads.back)

    def of_edges(self, values: Tensor, heads: int) -> Tensor:
        """Back: [edges, heads]."""
        of = self._of_heads(heads)
        return _Moved.apply(values, of.back, of.order).view(-1, heads)

    def times(self, values: Optional[Tensor], x: Tensor, mean: bool) -> Tensor:
        """[rows, K], or [rows, heads, K] with values for each head.

        Args:
            values: of in_order(), or attention(); None: all are 1
        """
        if values is None:
            m = self._plain(x.dtype, mean)
            return _multiplied(m, m.val, x, False)
        m = self._of_heads(1 if x.dim() == 2 else x.shape[1]).matrix
        dtype = torch.promote_types(values.dtype, x.dtype)
        out = _ops.spmm(m._pattern, m.crow, m.col, values.to(dtype),
                        x.reshape(-1, x.shape[-1]).to(dtype), m.shape[1], False)
        return out.view(self._matrix.shape[0], *x.shape[1:])

    def product(self, values: Optional[Tensor], x: Tensor, mean: bool, transposed: bool) -> Tensor:
        """times() of one head in the type of x, without gradients.

        Args:
            transposed: [cols, K], of x [rows, K]
        """
        m = self._plain(x.dtype, mean) if values is None else self._of_heads(1).matrix
        return _ops.multiply(m._pattern, m.crow, m.col, m.val if values is None else values, x,
                             m.shape[1], transposed)

    # ------------------------------------------------------------ attention

    def attention(self, row: Tensor, col: Tensor, edge: Optional[Tensor], slope: float) -> Tensor:
        """The softmax over each row of leaky scores, as values of the matrix of heads.

        Args:
            row, col: [rows, heads] and [cols, heads]
            edge: [edges, heads]
        """
        more = None if edge is None else self.in_order(edge)
        softmax = self._of_heads(row.shape[1]).softmax
        return softmax(row, col, more, slope)

    def attention_of(self, score: Tensor) -> Tensor:
        """The same of [entries, heads]."""
        heads = self._of_heads(score.shape[1])
        flat = score.reshape(-1)
        if heads.inside is not None:
            flat = _Moved.apply(flat, heads.inside, heads.outside)
        return heads.softmax(None, None, flat, 1)

    def ends(self, row: Tensor, col: Tensor) -> Tensor:
        """[entries, ...]: what both ends of each have, added up."""
        return _Ends.apply(self, row, col)

    def dropped(self, values: Tensor, heads: int, p: float) -> Tensor:
        """Dropout that draws for [edges, heads] as they came."""
        with torch.no_grad():
            drawn = torch.nn.functional.dropout(
                torch.ones(self._order.shape[0], heads, dtype=values.dtype, device=values.device),
                p, True)
        return values * drawn.view(-1).index_select(0, self._of_heads(heads).order)
