"""Sparse products in JAX, with derivatives, by plans that its compiled functions call.

    import rowcast.jax
    m = rowcast.jax.Matrix.of(a)              # a: of SciPy, or BCOO or BCSR of JAX, not traced
    c = rowcast.jax.spmm(m, b)                # under jit, vmap, grad, jvp, or outside
    jax.grad(lambda val: rowcast.jax.spmm(m.with_values(val), b).sum())(m.val)

On the CPU and on GPUs of CUDA.  Where entries are is known when a function is compiled; values and
B are not.  A plan is made for each operation, type and K, when a function that has it is compiled.
It lives as long as that, or as the Matrix.
"""
from __future__ import annotations

import weakref
from typing import Any, Callable, Dict, Tuple, Union

import jax
import jax.numpy as jnp
import numpy as np

from . import _jax_ops as _ops
from . import _library as lib
from ._given import rows_and_columns
from ._jax_plans import Pattern, Settings, of_plan, settings
from .plan import Plan

__all__ = ["Matrix", "Settings", "sddmm", "settings", "spmm", "spmm_t", "spmv"]


@jax.tree_util.register_pytree_node_class
class Matrix:
    """A sparse matrix whose places are known; its values are the leaf of a tree.

    So it may be an argument of functions that are compiled or differentiated.

    Args:
        crow: [rows + 1] row pointers
        col: [nnz] columns, in any order; entries of one place add up
        val: [nnz] values in that order
        shape: rows and columns

    Attributes:
        shape, val

    Raises:
        TypeError, ValueError: what is no matrix
    """

    def __init__(self, crow: Any, col: Any, val: Any, shape: Tuple[int, int]):
        self._pattern = Pattern(crow, col, rows_and_columns(shape))
        self.val = jnp.asarray(val)
        self._check()

    @classmethod
    def of(cls, a: Any) -> "Matrix":
        """A matrix of SciPy, or of JAX's BCOO or BCSR without batches and with known places.

        Its values are those of `a`, in their order; of SciPy those of `a.tocsr()`.
        """
        if _is_sparse(a):
            return _with_values(_pattern_of(a), a.data)
        if not hasattr(a, "tocsr"):
            raise TypeError("a: expected a sparse matrix of SciPy or JAX, found "
                            f"{type(a).__name__}")
        a = a.tocsr()
        return cls(a.indptr, a.indices, a.data, a.shape)

    @property
    def shape(self) -> Tuple[int, int]:
        return self._pattern.shape

    def with_values(self, val: Any) -> "Matrix":
        """The same places, and its plans, with other values, which may be of another type."""
        other = _with_values(self._pattern, jnp.asarray(val))
        other._check()
        return other

    def _check(self) -> None:
        if self.val.shape != (self._pattern.entries,):
            raise ValueError(f"val: expected {self._pattern.entries}, found {_shown(self.val)}")
        if str(self.val.dtype) not in lib.dtypes():
            raise TypeError(f"val: expected {' or '.join(lib.dtypes())}, found {self.val.dtype}")

    def _values(self) -> Any:
        """Of each place: those of one place added up."""
        slot = self._pattern.slot
        if slot is None:
            return self.val
        return jnp.zeros(self._pattern.nnz, self.val.dtype).at[slot].add(self.val)

    def __matmul__(self, b: Any) -> Any:
        return _times(self, b, False)

    def __repr__(self) -> str:
        return (f"<rowcast.jax.Matrix {self.shape[0]} x {self.shape[1]}, "
                f"{self._pattern.entries} entries>")

    def tree_flatten(self) -> Tuple[Tuple[Any], Pattern]:
        """For JAX."""
        return (self.val,), self._pattern

    @classmethod
    def tree_unflatten(cls, pattern: Pattern, leaves: Any) -> "Matrix":
        """For JAX, which may have anything in the place of values."""
        return _with_values(pattern, *leaves)


def _with_values(pattern: Pattern, val: Any) -> Matrix:
    made = object.__new__(Matrix)
    made._pattern, made.val = pattern, val
    return made


def _shown(array: Any) -> str:
    return " x ".join(map(str, array.shape)) or "a number"


# ---------------------------------------------------------------- sparse arrays of JAX

#: Of sparse arrays by the identity of their indices and row pointers, which nobody changes.
_patterns: Dict[int, Tuple[Any, Any, Any, Tuple[int, int], Pattern]] = {}


def _pattern_of(a: Any) -> Pattern:
    if a.n_batch or a.n_dense or a.ndim != 2:
        raise TypeError(f"a: expected a matrix of numbers without batches, found {a.ndim} "
                        f"dimensions, {a.n_batch} of batches and {a.n_dense} dense")
    pointers = getattr(a, "indptr", a.indices)  # of BCOO there are none
    if isinstance(a.indices, jax.core.Tracer) or isinstance(pointers, jax.core.Tracer):
        raise TypeError("a: expected places that are known, found traced ones: make a "
                        "rowcast.jax.Matrix outside of the function")
    key = id(a.indices)
    seen = _patterns.get(key)
    if seen is not None and (seen[0]() is a.indices and seen[1]() is pointers
                             and seen[2:4] == (type(a), a.shape)):
        return seen[4]
    made = _READERS[type(a).__name__](a)
    gone = weakref.ref(a.indices, lambda _: _patterns.pop(key, None))
    _patterns[key] = gone, weakref.ref(pointers), type(a), a.shape, made
    return made


def _read_rows(a: Any) -> Pattern:
    return Pattern(a.indptr, a.indices, a.shape)


def _read_places(a: Any) -> Pattern:
    row, col = np.asarray(a.indices).T
    if len(row) and not 0 <= row.min() <= row.max() < a.shape[0]:
        raise ValueError(f"a: expected rows 0 to {a.shape[0] - 1}, found {row.min()} to "
                         f"{row.max()}: padding is to be removed")
    order = np.argsort(row, kind="stable")
    ptr = np.searchsorted(row[order], np.arange(a.shape[0] + 1))
    made = Pattern(ptr, col[order], a.shape)
    if np.any(order[1:] < order[:-1]):
        of_sorted = np.arange(len(row)) if made.slot is None else made.slot
        made.slot = np.empty_like(of_sorted)
        made.slot[order] = of_sorted
    return made


#: Sparse arrays of JAX by their names: it is not imported for them.
_READERS: Dict[str, Callable[[Any], Pattern]] = {"BCOO": _read_places, "BCSR": _read_rows}


def _is_sparse(a: Any) -> bool:
    return type(a).__name__ in _READERS and type(a).__module__.startswith("jax.")


# ---------------------------------------------------------------- products

def _array(b: Any, rows: int, dims: Tuple[int, ...], name: str) -> Any:
    b = jnp.asarray(b)
    if b.ndim not in dims or b.shape[0] != rows:
        raise ValueError(f"{name}: expected {rows}{' x K' if 2 in dims else ''}, found {_shown(b)}")
    return b


def _alike(found: Any, expected: Any, name: str) -> None:
    if found.dtype != expected.dtype:
        raise TypeError(f"{name}: expected {expected.dtype}, found {found.dtype}")


def _matrix(a: Any) -> Matrix:
    if _is_sparse(a):
        return Matrix.of(a)
    if not isinstance(a, Matrix):
        raise TypeError("a: expected a rowcast.jax.Matrix, a rowcast.Plan, or BCOO or BCSR of JAX, "
                        f"found {type(a).__name__}")
    return a


def _times(a: Any, b: Any, transposed: bool, dims: Tuple[int, ...] = (1, 2),
           name: str = "B") -> Any:
    of = a if isinstance(a, Plan) else _matrix(a)
    b = _array(b, of.shape[0 if transposed else 1], dims, name)
    if isinstance(of, Plan):
        return _ops.by_plan(b, of_plan(of), transposed)
    _alike(b, of.val, name)
    return _ops.spmm(of._values(), b, of._pattern, transposed)


def spmm(a: Union[Matrix, Plan, Any], b: Any) -> Any:
    """A B: [rows, K].

    Args:
        a: a Matrix; BCOO or BCSR, whose places are not traced; a rowcast.Plan by rows, with the
            values that it has when a function with it is compiled first
        b: [cols, K] of its type, or a vector

    Raises:
        TypeError, ValueError: what does not fit
        rowcast.Error: what the library says when a plan is made; of a call that fails JAX says it
    """
    return _times(a, b, False)


def spmm_t(a: Union[Matrix, Plan, Any], b: Any) -> Any:
    """A' B: [cols, K], as spmm()."""
    return _times(a, b, True)


def spmv(a: Union[Matrix, Plan, Any], x: Any) -> Any:
    """A x: [rows]; x: [cols]."""
    return _times(a, x, False, (1,), "x")


def sddmm(a: Union[Matrix, Any], y: Any, x: Any) -> Any:
    """A .* (Y X') at the entries of A, in the order of its values.

    Args:
        a: a Matrix, or BCOO or BCSR, as of spmm()
        y: [rows, K]
        x: [cols, K]
    """
    m = _matrix(a)
    y, x = _array(y, m.shape[0], (2,), "Y"), _array(x, m.shape[1], (2,), "X")
    if y.shape[1] != x.shape[1]:
        raise ValueError(f"X: expected {y.shape[1]} columns, as Y has, found {x.shape[1]}")
    for given, name in ((y, "Y"), (x, "X")):
        _alike(given, m.val, name)
    found = _ops.sampled(y, x, m._pattern)
    return m.val * (found if m._pattern.slot is None else found[m._pattern.slot])
