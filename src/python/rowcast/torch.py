"""Sparse products as operators of PyTorch, with gradients, by plans that are kept.

    import rowcast.torch
    c = rowcast.torch.spmm(a, b)              # a: of torch.sparse_csr, _csc, _coo, _bsr
    c = rowcast.torch.spmm(a, b, reduce="mean")  # of each row the mean of its terms, or amax, amin
    m = rowcast.torch.Matrix(crow, col, val, (rows, cols))   # or this; val may require gradients
    with rowcast.torch.replaced():            # torch.sparse.mm(a, b) and a @ b, a in CSR
        ...

Tensors of the CPU are multiplied there, those of a GPU on its current stream.  A plan is made for
each pattern, type, K and device, at the first product.
"""
from __future__ import annotations

import functools
import sys
import weakref
from typing import Any, Callable, Dict, Optional, Tuple, TypeVar, Union, cast

import torch
from torch.overrides import TorchFunctionMode

from . import _torch_ops as _ops
from ._given import rows_and_columns
from ._torch_memory import Settings, has_type, is_same_memory, settings
from ._torch_ops import shown
from ._torch_patterns import Kept, Pattern, kept as _kept, runs_in
from ._torch_reduce import REDUCTIONS

__all__ = ["Kept", "Matrix", "Settings", "changed", "forget", "kept", "replaced", "sddmm",
           "settings", "spmm", "spmm_t", "spmv"]

Tensor = torch.Tensor
Shape = Tuple[int, int]
_INTEGERS = (torch.int32, torch.int64)
_compiler = getattr(torch, "compiler", None)
_is_compiling = getattr(_compiler, "is_compiling", lambda: False)
#: Of a function, the same, which compilers do not look into; loads them.
_eager = getattr(_compiler, "disable", lambda f: f)


def _teller() -> Callable[[], Any]:
    """Of the compiler that looks into calls from here, None or False: there is none.  Versions that
    cannot tell, or give away a reference that they do not have, have one."""
    frames = getattr(getattr(torch._C, "_dynamo", None), "eval_frame", None)
    tells = getattr(frames, "get_eval_frame_callback", None)
    return tells if tells and torch.__version__ >= (2, 7) else lambda: _compiler


_looking = _teller()


def _is_looked_into() -> bool:
    """A compiler gave up on what called this, and looks at each call anew."""
    return "torch._dynamo" in sys.modules and _looking() not in (None, False)


_Product = TypeVar("_Product", bound=Callable[..., torch.Tensor])


def _unseen(product: _Product) -> _Product:
    """Of a sparse tensor no compiler sees more than the call: they fail at its values."""
    alone: Any = None

    @functools.wraps(product)
    def choose(a: Any, *args: Any, **kwargs: Any) -> Tensor:
        nonlocal alone
        if not isinstance(a, Tensor) or not _is_looked_into():
            return product(a, *args, **kwargs)
        alone = alone or _eager(product)
        return alone(a, *args, **kwargs)
    return cast(_Product, choose)


class Matrix:
    """A sparse matrix by its parts, for products without a sparse tensor.

    Its plans live as long as it, or another one of the same pattern, which is read once, here: not
    in a function that is compiled.

    Args:
        crow: [rows + 1] row pointers, of 32 or 64 bits
        col: [nnz] columns, in any order; entries of one place add up
        val: [nnz] values in that order, which may require gradients; read again when PyTorch counts
            a change of this object: see changed()
        shape: rows and columns
        by_columns: crow has [cols + 1] column pointers, and col rows

    Attributes:
        shape, by_columns, crow, col, val

    Raises:
        TypeError, ValueError: what is no matrix
    """

    def __init__(self, crow: Tensor, col: Tensor, val: Tensor, shape: Shape, *,
                 by_columns: bool = False):
        rows, cols = rows_and_columns(shape)
        for array, name in ((crow, "crow"), (col, "col"), (val, "val")):
            _dense(array, name)
        if val.dim() != 1:
            raise ValueError(f"val: expected a vector, found {shown(val)}")
        self.shape, self.by_columns = (rows, cols), bool(by_columns)
        majors, self._minors = (cols, rows) if by_columns else (rows, cols)
        for array, name, length in ((crow, "crow", majors + 1), (col, "col", val.numel())):
            if array.dim() != 1 or array.shape[0] != length or array.dtype not in _INTEGERS:
                raise ValueError(f"{name}: expected {length} integers of 32 or 64 bits, found "
                                 f"{shown(array)} of {array.dtype}")
            if array.device != val.device:
                raise ValueError(f"{name}: expected it on {val.device}, found it on {array.device}")
        self.crow, self.col, self.val = crow, col, val
        self._order: Optional[Tensor] = None  # of the values that it was made of
        self._as: Optional[torch.Size] = None  # the shape that those have
        self._is_alias = False  # val is to be read each time
        self._made_of = _changes(crow, col)
        self._pattern: Pattern = _kept.find(crow, col, self._minors)

    def with_values(self, val: Tensor) -> "Matrix":
        """The same pattern, and its plans, with other values, which may be of another type."""
        _dense(val, "val")
        if val.shape != self.val.shape or val.device != self.val.device:
            raise ValueError(f"val: expected {self.val.shape[0]} on {self.val.device}, found "
                             f"{shown(val)} on {val.device}")
        other = object.__new__(Matrix)  # member by member: compilers follow that
        other.shape, other.by_columns, other._minors = self.shape, self.by_columns, self._minors
        other.crow, other.col, other._pattern = self.crow, self.col, self._pattern
        other._order, other._as, other._made_of = self._order, self._as, self._made_of
        other.val = val
        # changes of the one may not be counted by the other
        other._is_alias = (self._is_alias if val is self.val
                           else not _is_compiling() and is_same_memory(val, self.val))
        return other

    def _inverse(self) -> Tensor:
        """Where each entry went when they were ordered."""
        return torch.argsort(self._order)

    def _refuse_changed(self) -> None:
        if _changes(self.crow, self.col) != self._made_of:
            raise ValueError("a: expected crow and col as the Matrix was made with, found them "
                             "changed in place: make another Matrix")

    def __reduce__(self) -> Any:
        """Copies and pickles have the tensors, and make plans of their own."""
        return (functools.partial(Matrix, by_columns=self.by_columns),
                (self.crow, self.col, self.val, self.shape))

    def __matmul__(self, b: Tensor) -> Tensor:
        return spmm(self, b)

    def __repr__(self) -> str:
        return (f"<rowcast.torch.Matrix {self.shape[0]} x {self.shape[1]}, "
                f"{self.val.shape[0]} entries, {self.val.dtype}>")


def _dense(b: Any, name: str) -> None:
    if not isinstance(b, Tensor) or b.layout != torch.strided:
        raise TypeError(f"{name}: expected a dense tensor, found "
                        f"{b.layout if isinstance(b, Tensor) else type(b).__name__}")


def _changes(crow: Tensor, col: Tensor) -> Tuple[int, int]:
    """How often each was changed, where PyTorch counts it."""
    return (0 if crow.is_inference() else crow._version, 0 if col.is_inference() else col._version)


# ---------------------------------------------------------------- sparse tensors

class _Values(torch.autograd.Function):
    """The values of a sparse tensor; their gradient is one with its pattern."""

    @staticmethod
    def forward(ctx: Any, a: Tensor) -> Tensor:
        ctx.like = a.detach()
        return _values(ctx.like)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        a = ctx.like
        if a.layout == torch.sparse_coo:
            return torch.sparse_coo_tensor(a._indices(), g, a.shape)._coalesced_(a.is_coalesced())
        return _compressed(a.layout)(*_places(a), g, a.shape)


def _compressed(layout: torch.layout) -> Any:
    return {torch.sparse_csr: torch.sparse_csr_tensor, torch.sparse_csc: torch.sparse_csc_tensor,
            torch.sparse_bsr: torch.sparse_bsr_tensor}[layout]


def _values(a: Tensor) -> Tensor:
    return a._values() if a.layout == torch.sparse_coo else a.values()


def _places(a: Tensor) -> Tuple[Tensor, Tensor]:
    if a.layout == torch.sparse_coo:
        indices = a._indices()
        return indices[0], indices[1]
    if a.layout == torch.sparse_csc:
        return a.ccol_indices(), a.row_indices()
    return a.crow_indices(), a.col_indices()


def _by_rows(row: Tensor, col: Tensor, rows: int) -> Tuple[Tensor, Tensor, Optional[Tensor]]:
    """Row pointers, columns, and the order of entries by rows; None: they are."""
    order = None
    if bool((row[1:] < row[:-1]).any()):
        row, order = torch.sort(row, stable=True)
        col = col[order]
    begins = torch.searchsorted(row.contiguous(), torch.arange(rows + 1, device=row.device))
    return begins, col.contiguous(), order


def _of_blocks(a: Tensor) -> Tuple[Tensor, Tensor]:
    """Row and column of each value of a matrix of blocks."""
    high, wide = a.values().shape[1:]
    ptr, col = a.crow_indices().long(), a.col_indices().long()
    row = torch.repeat_interleave(torch.arange(ptr.shape[0] - 1, device=ptr.device), ptr.diff())
    inner, across = torch.arange(high, device=ptr.device), torch.arange(wide, device=ptr.device)
    rows = (row * high)[:, None, None] + inner[None, :, None] + 0 * across
    columns = (col * wide)[:, None, None] + across[None, None, :] + 0 * inner[None, :, None]
    return rows.reshape(-1), columns.reshape(-1)


def _refuse_layout(a: Tensor) -> None:
    raise TypeError("a: expected a tensor of layout torch.sparse_csr, sparse_csc, sparse_coo or "
                    f"sparse_bsr, or a Matrix, found {a.layout}")


def _parts(a: Tensor) -> Matrix:
    """A sparse tensor as a matrix, with its values as they are now, without gradients."""
    if a.layout not in (torch.sparse_csr, torch.sparse_csc, torch.sparse_coo, torch.sparse_bsr):
        _refuse_layout(a)
    if a.dim() != 2 or a.dense_dim() != 0:
        raise TypeError(f"a: expected a matrix of numbers, found {a.dim()} dimensions")
    a = a.detach()
    values = _values(a)
    if a.layout in (torch.sparse_csr, torch.sparse_csc):
        made = Matrix(*_places(a), values, a.shape, by_columns=a.layout == torch.sparse_csc)
        _kept.find(made.crow, made.col, made._minors, is_raw=True)  # for the next one of these
        return made
    row, col = _places(a) if a.layout == torch.sparse_coo else _of_blocks(a)
    crow, col, order = _by_rows(row, col, a.shape[0])
    flat = values.reshape(-1)
    made = Matrix(crow, col, flat if order is None else flat[order], a.shape)
    made._order, made._as = order, values.shape
    return made


class _Seen:
    """A sparse tensor that was there before, as a matrix."""

    def __init__(self, a: Tensor, gone: Any):
        self.of, self.matrix = weakref.ref(a, gone), _parts(a)
        self._places = _places(a.detach())  # have the count of changes of those in the tensor
        self._state, self._arrays = self._now(a), _arrays(a)
        values, again = _values(a.detach()), _values(a.detach())
        self._values = values.data_ptr()
        #: each time that they are asked for
        self._are_new = values.dim() == 1 and values is not again

    def _now(self, a: Tensor) -> Any:
        first, second = self._places
        return a._version, first._version, second._version

    def is_of(self, a: Tensor, values: Tensor) -> bool:
        """The same tensor with the same pattern, which is looked at where values are elsewhere."""
        return (self.of() is a and self._state == self._now(a)
                and (values.data_ptr() == self._values or self._arrays == _arrays(a)))

    def values(self, a: Tensor, given: Tensor) -> Tensor:
        """Those of now in the order of the matrix, with gradients.

        Another object each time, so that plans read them: they may have the memory of a tensor
        whose changes PyTorch does not count here.
        """
        if a.requires_grad and torch.is_grad_enabled():
            given = _Values.apply(a)
        order = self.matrix._order
        if order is not None:
            return given.reshape(-1)[order]
        if self._are_new:
            return given
        flat = given.reshape(-1)
        return flat.view_as(flat)


#: By the identity of sparse tensors.
_seen: Dict[int, _Seen] = {}


def _arrays(a: Tensor) -> Any:
    """Where the arrays of the pattern of a tensor are, and its type."""
    return a.shape, a.dtype, a.device, [(t.data_ptr(), t.shape) for t in _places(a.detach())]


def _matrix(a: Union[Matrix, Tensor]) -> Tuple[Matrix, Tensor]:
    """A matrix, and its values with gradients."""
    if isinstance(a, Matrix):
        if not _is_compiling():
            a._refuse_changed()
        return a, a.val.view_as(a.val) if a._is_alias else a.val
    if not isinstance(a, Tensor):
        raise TypeError(f"a: expected a sparse tensor or a Matrix, found {type(a).__name__}")
    if a.requires_grad and a.layout == torch.sparse_coo:
        a = a.coalesce()
    if a.layout == torch.strided:
        _refuse_layout(a)
    key = id(a)
    seen = _seen.get(key)
    values = _values(a.detach() if a.requires_grad else a)
    if seen is None or not seen.is_of(a, values):
        seen = _seen[key] = _Seen(a, lambda gone: _gone(key, gone))
    return seen.matrix, seen.values(a, values)


def _gone(key: int, gone: Any) -> None:
    """A sparse tensor has gone, and its plans go; another one may have its identity by now."""
    seen = _seen.get(key)
    if seen is not None and seen.of is gone:
        del _seen[key]


# ---------------------------------------------------------------- products

def _autocast_of_2(kind: str) -> Optional[torch.dtype]:
    return torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else None


def _autocast_of_1(kind: str) -> Optional[torch.dtype]:
    if kind == "cpu":
        return torch.get_autocast_cpu_dtype() if torch.is_autocast_cpu_enabled() else None
    return torch.get_autocast_gpu_dtype() if torch.is_autocast_enabled() else None


#: The type of autocast on a kind of device; None: it is off.
autocast_type = _autocast_of_2 if hasattr(torch, "get_autocast_dtype") else _autocast_of_1


def _cast(dtype: torch.dtype, *tensors: Tensor) -> Tuple[Tensor, ...]:
    """To the type of autocast, if plans there have it; those of 64 bits stay."""
    if not runs_in(dtype, tensors[0].device):
        return tensors
    return tuple(t.to(dtype) if t.is_floating_point() and t.dtype != torch.float64 else t
                 for t in tensors)


def _times(a: Union[Matrix, Tensor], b: Tensor, transposed: bool) -> Tensor:
    _dense(b, "B")
    return _multiplied(*_matrix(a), b, transposed)


def _autocasted(val: Tensor, b: Tensor) -> Tuple[Tensor, ...]:
    dtype = autocast_type(b.device.type)
    return (val, b) if dtype is None else _cast(dtype, val, b)


def _multiplied(m: Matrix, val: Tensor, b: Tensor, transposed: bool) -> Tensor:
    val, b = _autocasted(val, b)
    return _ops.spmm(m._pattern, m.crow, m.col, val, b, m._minors, transposed is not m.by_columns)


@_unseen
def spmm(a: Union[Matrix, Tensor], b: Tensor, *, reduce: str = "sum") -> Tensor:
    """A B: [rows, K], row by row.

    Args:
        a: a sparse tensor, or a Matrix
        b: [cols, K] of its type and device; a copy is multiplied where it is not row by row
        reduce: what is made of the terms of a row, one for each entry that is stored: "sum",
            "mean", "amax" or "max", "amin" or "min"; of none 0.  The gradient of an extreme is
            that of its first term, whose number is kept for it, of 64 bits

    Raises:
        TypeError, ValueError: what does not fit
        rowcast.Error: what the library says; a product in a capture that was not asked for before
    """
    if reduce == "sum":
        return _times(a, b, False)
    if not isinstance(reduce, str) or reduce not in REDUCTIONS:
        raise ValueError(f"reduce: expected {' or '.join(map(repr, REDUCTIONS))}, found {reduce!r}")
    _dense(b, "B")
    if isinstance(a, Tensor) and a.layout == torch.sparse_coo:
        a = a.coalesce()  # what is there twice is one term
    m, val = _matrix(a)
    val, b = _autocasted(val, b)
    if not _is_compiling():
        _ops.check(m._pattern, val, b, not m.by_columns)
    return REDUCTIONS[reduce](m, val, b)


@_unseen
def spmm_t(a: Union[Matrix, Tensor], b: Tensor) -> Tensor:
    """A' B: [cols, K], as spmm()."""
    return _times(a, b, True)


@_unseen
def spmv(a: Union[Matrix, Tensor], x: Tensor) -> Tensor:
    """A x: [rows]; x: [cols]."""
    _dense(x, "x")
    if x.dim() != 1:
        raise ValueError(f"x: expected a vector, found {x.dim()} dimensions")
    m, val = _matrix(a)
    if x.shape[0] != m.shape[1]:
        raise ValueError(f"x: expected {m.shape[1]}, found {x.shape[0]}")
    return _multiplied(m, val, x, False)


@_unseen
def sddmm(a: Union[Matrix, Tensor], y: Tensor, x: Tensor) -> Tensor:
    """A .* (Y X') at the places of A, in the order and shape of its values.

    Args:
        a: as of spmm(); of COO a coalesced one, which has each place once
        y: [rows, K]
        x: [cols, K]
    """
    _dense(y, "Y")
    _dense(x, "X")
    if isinstance(a, Tensor) and a.layout == torch.sparse_coo and not a.is_coalesced():
        raise ValueError("a: expected a coalesced tensor, found one that is not: call coalesce()")
    m, val = _matrix(a)
    for given, name, rows in ((y, "Y", m.shape[0]), (x, "X", m.shape[1])):
        if given.dim() != 2 or given.shape[0] != rows:
            raise ValueError(f"{name}: expected {rows} x K, found {shown(given)}")
    dtype = autocast_type(val.device.type)
    if dtype is not None:
        val, y, x = _cast(dtype, val, y, x)
    if y.dtype != val.dtype:
        raise TypeError(f"Y: expected {val.dtype}, found {y.dtype}")
    out = val * _ops.sampled(m._pattern, m.crow, m.col, *((x, y) if m.by_columns else (y, x)))
    if m._order is not None:
        out = out[m._inverse()]
    return out if m._as is None else out.reshape(m._as)


# ---------------------------------------------------------------- what is kept

def kept() -> Kept:
    """Patterns, plans, and their memory, about."""
    return _kept.count()


def forget() -> None:
    """Free all plans; the next products make new ones."""
    _kept.forget()


def changed(a: Union[Matrix, Tensor]) -> None:
    """Values of a Matrix were changed where PyTorch does not count it.

    That is through .data or NumPy, or through another tensor that has their memory and a count of
    its own, as those of which .data or the values of a sparse tensor were taken.
    """
    _matrix(a)[0]._pattern.values_changed()


# ---------------------------------------------------------------- in the place of PyTorch's

_PRODUCTS = {torch.mm, torch.matmul, torch.mv, torch.sparse.mm, torch.Tensor.mm, torch.Tensor.mv,
             torch.Tensor.matmul, torch.Tensor.__matmul__}


def _is_ours(args: Tuple[Any, ...], kwargs: Any) -> bool:
    """A of CSR and a dense B that fits; anything else is for PyTorch to multiply or refuse."""
    if kwargs or len(args) != 2 or not all(isinstance(t, Tensor) for t in args):
        return False
    a, b = args
    if a.layout != torch.sparse_csr or b.layout != torch.strided:
        return False
    return (a.dim() == 2 and a.dense_dim() == 0 and b.dim() in (1, 2) and a.shape[1] == b.shape[0]
            and a.dtype == b.dtype and has_type(a.dtype)
            and a.device == b.device and a.device.type in ("cpu", "cuda"))


class replaced(TorchFunctionMode):
    """In its block torch.sparse.mm, mm, mv, matmul and A @ B of a sparse A in CSR are spmm()."""

    def __torch_function__(self, func: Any, types: Any, args: Tuple[Any, ...] = (),
                           kwargs: Any = None) -> Any:
        if func in _PRODUCTS and _is_ours(args, kwargs):
            return spmm(*args)
        return func(*args, **(kwargs or {}))
