"""What the rows of a product with a sparse matrix are made of its terms: sums, means, extremes.

Terms of a row are its entries, as they are stored, times what they meet in B; a row without any is
0.  Sums are products by plans.  Extremes are found by PyTorch's own operations, which gather the
terms of some columns at a time, and are taken again by what has derivatives.
"""
from __future__ import annotations

import functools
from typing import Any, Callable, Dict, Tuple

import torch

from . import _torch_ops as _ops
from ._torch_memory import Tensor
from ._torch_patterns import Pattern

_TERMS = 2**25  # that are gathered at once
_SHORT = (torch.float16, torch.bfloat16)
_is_compiling = getattr(getattr(torch, "compiler", None), "is_compiling", lambda: False)


def _kept(pattern: Pattern, name: str, make: Callable[[], Tensor]) -> Tensor:
    """What a pattern has, made where it has not; a function that is compiled makes it."""
    if _is_compiling():
        return make()
    if name not in pattern.more:
        with torch.inference_mode(False), torch.no_grad():
            pattern.more[name] = make()
    return pattern.more[name]


def _majors(m: Any) -> Tensor:
    """The list of each entry: its row, or its column in a matrix by columns."""
    lists = m.crow.shape[0] - 1
    return _kept(m._pattern, "majors", lambda: torch.repeat_interleave(
        torch.arange(lists, device=m.crow.device), m.crow.diff().long(),
        output_size=m.col.shape[0]))


def _places(m: Any) -> Tuple[Tensor, Tensor]:
    """Row and column of each entry."""
    majors, minors = _majors(m), _kept(m._pattern, "minors", lambda: m.col.long())
    return (minors, majors) if m.by_columns else (majors, minors)


def _lengths(m: Any) -> Tensor:
    """Entries of each row, at least 1."""
    if not m.by_columns:
        return _kept(m._pattern, "lengths", lambda: m.crow.diff().clamp(min=1))
    return _kept(m._pattern, "lengths of minors", lambda: torch.zeros(
        m.shape[0], dtype=torch.int64, device=m.col.device).index_add_(
            0, m.col, torch.ones_like(m.col, dtype=torch.int64)).clamp(min=1))


# ---------------------------------------------------------------- reductions

def _sum(m: Any, val: Tensor, b: Tensor) -> Tensor:
    return _ops.spmm(m._pattern, m.crow, m.col, val, b, m._minors, m.by_columns)


def _mean(m: Any, val: Tensor, b: Tensor) -> Tensor:
    lengths = _lengths(m).to(b.dtype)
    return _sum(m, val, b) / (lengths if b.dim() == 1 else lengths.unsqueeze(1))


def _which(row: Tensor, terms: Tensor, rows: int, kind: str) -> Tensor:
    """[rows, K] the first entry that has the extreme of its row; as many as there are: none."""
    nnz, k = terms.shape
    index = row.unsqueeze(1).expand(nnz, k)
    best = terms.new_zeros(rows, k).scatter_reduce(0, index, terms, kind, include_self=False)
    is_best = (terms == best[row]) | terms.isnan()
    entry = torch.arange(nnz, device=row.device).unsqueeze(1).expand(nnz, k)
    return torch.full((rows, k), nnz, device=row.device).scatter_reduce(
        0, index, entry.masked_fill(~is_best, nnz), "amin")


def _extreme(kind: str, m: Any, val: Tensor, b: Tensor) -> Tensor:
    if b.dim() == 1:
        return _extreme(kind, m, val, b.unsqueeze(1)).squeeze(1)
    (row, col), (nnz, k) = _places(m), (val.shape[0], b.shape[1])
    if nnz == 0 or k == 0:
        return _sum(m, val, b)  # zeros, or none
    with torch.no_grad():
        wide = torch.float32 if b.dtype in _SHORT else b.dtype
        each, step = val.to(wide).unsqueeze(1), max(_TERMS // nnz, 1)
        which = torch.cat([_which(row, each * b[:, i:i + step].to(wide)[col], m.shape[0], kind)
                           for i in range(0, k, step)], 1)
    # a row without entries takes one of 0 behind them
    val, col = torch.cat((val, val.new_zeros(1))), torch.cat((col, col.new_zeros(1)))
    taken = val[which] * b.gather(0, col[which])
    return torch.where(which < nnz, taken, torch.zeros((), dtype=b.dtype, device=b.device))


#: By their names, which are PyTorch's.
REDUCTIONS: Dict[str, Callable[[Any, Tensor, Tensor], Tensor]] = {
    "sum": _sum, "mean": _mean,
    "amax": functools.partial(_extreme, "amax"), "max": functools.partial(_extreme, "amax"),
    "amin": functools.partial(_extreme, "amin"), "min": functools.partial(_extreme, "amin")}
