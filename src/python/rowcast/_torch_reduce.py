"""What the rows of a product with a sparse matrix are made of its terms: sums, means, extremes.

Terms of a row are its entries, as they are stored, times what they meet in B; a row without any is
0.  Sums are products by plans.  Which terms are extremes the library finds; they are taken again by
operations of PyTorch, which have derivatives.
"""
from __future__ import annotations

import functools
from typing import Any, Callable, Dict, Optional, Tuple

import torch

from . import _torch_ops as _ops
from ._torch_memory import Tensor, is_capturing

_EXTREMES = {"amax": 0, "amin": 1}  # of rc_extreme_t
_is_compiling = getattr(getattr(torch, "compiler", None), "is_compiling", lambda: False)


def kept_of(m: Any, name: str, make: Callable[[], Tensor]) -> Tensor:
    """What a pattern has, made where it has not; compiled and captured functions make it."""
    if _is_compiling():
        return make()
    more = m._pattern.more
    if name not in more:
        if is_capturing(m.col.device):  # it has no values before the graph runs
            return make()
        with torch.inference_mode(False), torch.no_grad():
            more[name] = make()
    return more[name]


def majors(m: Any) -> Tensor:
    """The row of each entry, of a matrix by columns the column."""
    return torch.repeat_interleave(torch.arange(m.crow.shape[0] - 1, device=m.crow.device),
                                   m.crow.diff().long(), output_size=m.col.shape[0])


def _by_rows(m: Any) -> Tuple[Tensor, Tensor, Optional[Tensor]]:
    """Row pointers, columns, and where the entries by rows are among all; None: at their places."""
    if not m.by_columns:
        return m.crow, m.col, None
    order = kept_of(m, "by rows", lambda: torch.sort(m.col, stable=True)[1])
    crow = kept_of(m, "crow", lambda: torch.nn.functional.pad(
        _lengths_of(m).cumsum(0), (1, 0)))
    return crow, kept_of(m, "col", lambda: majors(m)[order]), order


def _lengths_of(m: Any) -> Tensor:
    """Entries of each row."""
    if not m.by_columns:
        return m.crow.diff()
    return torch.zeros(m.shape[0], dtype=torch.int64, device=m.col.device).index_add_(
        0, m.col, torch.ones_like(m.col, dtype=torch.int64))


def _lengths(m: Any) -> Tensor:
    """The same, at least 1."""
    return kept_of(m, f"lengths {m.by_columns}", lambda: _lengths_of(m).clamp(min=1))


# ---------------------------------------------------------------- reductions

def _sum(m: Any, val: Tensor, b: Tensor) -> Tensor:
    return _ops.spmm(m._pattern, m.crow, m.col, val, b, m._minors, m.by_columns)


def _mean(m: Any, val: Tensor, b: Tensor) -> Tensor:
    lengths = _lengths(m).to(b.dtype)
    return _sum(m, val, b) / (lengths if b.dim() == 1 else lengths.unsqueeze(1))


def _extreme(kind: str, m: Any, val: Tensor, b: Tensor) -> Tensor:
    if b.dim() == 1:
        return _extreme(kind, m, val, b.unsqueeze(1)).squeeze(1)
    crow, col, order = _by_rows(m)
    val = val if order is None else val[order]
    nnz = val.shape[0]
    if nnz == 0 or b.shape[1] == 0:
        return _sum(m, val, b)  # zeros, or none
    which = torch.ops.rowcast.extreme(crow, col, val.detach(), b.detach(), _EXTREMES[kind])
    # a row without entries takes one of 0 behind them
    val, col = torch.cat((val, val.new_zeros(1))), torch.cat((col.long(), col.new_zeros(1)))
    taken = val[which] * b.gather(0, col[which])
    return torch.where(which < nnz, taken, torch.zeros((), dtype=b.dtype, device=b.device))


#: By their names, which are PyTorch's.
REDUCTIONS: Dict[str, Callable[[Any, Tensor, Tensor], Tensor]] = {
    "sum": _sum, "mean": _mean,
    "amax": functools.partial(_extreme, "amax"), "max": functools.partial(_extreme, "amax"),
    "amin": functools.partial(_extreme, "amin"), "min": functools.partial(_extreme, "amin")}
