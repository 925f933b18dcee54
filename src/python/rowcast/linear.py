"""Plans as operators for the solvers of SciPy and CuPy."""
from __future__ import annotations

import functools
import importlib
import os
import threading
import weakref
from typing import Any, Dict, Tuple

import numpy as np

from . import _library as lib
from ._arrays import Sparse
from ._given import value_type
from .plan import Plan, plan

#: By the package that a matrix is of: its arrays, its operators, and where its plans are.
_KINDS = {"scipy": ("numpy", "scipy.sparse.linalg", "cpu"),
          "cupyx": ("cupy", "cupyx.scipy.sparse.linalg", "gpu")}
_VECTOR = 0  # in the place of a K


class Products:
    """What a LinearOperator is asked for, by plans that are made when they are first needed.

    Attributes:
        plans: those that were made, by (whether of A', most columns; 0: a vector)
    """

    def __init__(self, a: Any, dtype: Any, options: Dict[str, Any]):
        module, _, self._device = _KINDS[_kind_of(a)]
        self._xp = importlib.import_module(module)
        # of a copy: what is done to a does not reach plans that are made later
        self._sparse = Sparse(a.copy())  # a matrix that none is has its line here
        self._values: Any = None  # of the last update, which are never written to
        known = lib.dtypes()
        kind = _numpy_type(self._sparse.dtype if dtype is None else dtype, known)
        self._options = {"device": self._device, "dtype": str(kind), **options}
        self.plans: Dict[Tuple[bool, int], Plan] = {}
        self._making = threading.Lock()
        super().__init__(kind, a.shape)
        _products.add(self)
        self._plan(False, _VECTOR)  # options that are wrong, and no GPU, are told here

    def update(self, values: Any) -> None:
        """New values on the same pattern, in the order that A had them.

        Args:
            values: [nnz] of NumPy for SciPy's matrices, of CuPy for CuPy's; complex ones where the
                products are
        """
        new = self._xp.asarray(values)
        if new.dtype.kind not in ("biufc" if self.dtype.kind == "c" else "biuf"):
            raise TypeError(f"values: expected real numbers, found {new.dtype}")
        if new.shape != (self._sparse.nnz,):
            raise ValueError(f"values: expected {(self._sparse.nnz,)}, found {new.shape}")
        known = new.dtype.name in lib.dtypes() and new.dtype.isnative
        wide = "complex128" if new.dtype.kind == "c" else "float64"
        new = new.astype(new.dtype if known else wide, copy=True)
        with self._making:
            self._values = new
            for made in self.plans.values():
                made._update(new, None, True)

    def _plan(self, transposed: bool, k: int) -> Plan:
        """That for k columns: one serves those from the power of two below on."""
        most = 1 << (k - 1).bit_length() if k > 1 else _VECTOR
        with self._making:
            if (transposed, most) not in self.plans:
                sparse = self._sparse.transposed() if transposed else self._sparse
                how = (dict(k=[most // 2 + 1, most], k_range=True) if most != _VECTOR
                       else dict(op="spmv"))
                made = plan(sparse, **how, **self._options)
                if self._values is not None:
                    made._catch_up(self._values)
                self.plans[transposed, most] = made
            return self.plans[transposed, most]

    def _product(self, transposed: bool, x: Any) -> Any:
        x = self._xp.asarray(x)
        if x.dtype.kind == "c" and self.dtype.kind != "c":
            return self._product(transposed, x.real) + 1j * self._product(transposed, x.imag)
        x = x.astype(self.dtype, copy=False)
        if x.ndim == 2 and x.shape[1] == 0:
            return self._xp.zeros((self.shape[int(transposed)], 0), self.dtype)
        if x.ndim == 1 or x.shape[1] == 1:
            y = self._plan(transposed, 1) @ x.reshape(-1)
            return y.reshape(-1, *x.shape[1:])
        return self._plan(transposed, x.shape[1]) @ x

    def _matvec(self, x: Any) -> Any:
        return self._product(False, x)

    def _rmatvec(self, x: Any) -> Any:
        if self.dtype.kind != "c":
            return self._product(True, x)
        return self._product(True, self._xp.conj(x)).conj()

    _matmat, _rmatmat = _matvec, _rmatvec

    def _transpose(self) -> Any:
        return super()._transpose() if self.dtype.kind == "c" else self.adjoint()

    def __reduce__(self) -> Any:
        raise TypeError("a rowcast.linear_operator cannot be copied or pickled: share it, or make "
                        "another one")


_products: "weakref.WeakSet[Products]" = weakref.WeakSet()


def _in_child() -> None:
    """Another thread may have been making a plan: it is not there to be done."""
    for made in list(_products):
        made._making = threading.Lock()


os.register_at_fork(after_in_child=_in_child)


def _numpy_type(dtype: Any, known: Dict[str, int]) -> np.dtype:
    name = value_type(dtype, known)
    try:
        return np.dtype(name)
    except TypeError:
        raise ValueError(f"dtype: expected a type of NumPy, found {name}") from None


def _kind_of(a: Any) -> str:
    """A key of _KINDS."""
    found = type(a).__module__.split(".")[0]
    if found not in _KINDS or not hasattr(a, "format"):
        raise TypeError(f"a: expected a matrix of SciPy or CuPy, found {type(a).__name__}")
    return found


@functools.lru_cache(maxsize=None)
def _operator_class(module: str) -> Any:
    """Products as a LinearOperator of that module."""
    return type("LinearOperator", (Products, importlib.import_module(module).LinearOperator), {})


def linear_operator(a: Any, *, dtype: Any = None, **options: Any) -> Any:
    """A as a LinearOperator, for cg, gmres, lsmr, svds, eigsh, lobpcg and the like.

    Its products are plans: on the CPU, of a matrix of SciPy, or on the GPU of a matrix of CuPy.
    One for vectors is made here, one for each power of two of columns and those of A' when they
    are first asked for.  Operands of other types are converted, complex ones take two products
    where the matrix is real.
    It keeps a copy of A: `.update(values)` changes the values, also of plans that are made later.

    Args:
        a: CSR, CSC or COO, each place once, of SciPy or CuPy; others by .tocsr()
        dtype: "float32", "float64", "complex64" or "complex128", or as plan() takes
            it, of the products; None: that of a
        options: of plan(): tune, reuse, deterministic, strict, threads, memory, budget

    Returns:
        scipy.sparse.linalg.LinearOperator or cupyx.scipy.sparse.linalg.LinearOperator

    Raises:
        TypeError, ValueError, Error: as plan(), and for an option that is of one operation or place
    """
    allowed = {"tune", "reuse", "deterministic", "strict", "threads", "memory", "budget"}
    for name in set(options) - allowed:
        raise TypeError(f"{name}: expected one of {', '.join(sorted(allowed))}")
    return _operator_class(_KINDS[_kind_of(a)][1])(a, dtype, options)
