"""Row orders and features of a CSR matrix of SciPy."""
from __future__ import annotations

import ctypes as c
from dataclasses import dataclass, field
from typing import Any, Dict, Optional, Tuple

import numpy as np

from . import _library as lib
from ._given import csr_arrays, number, summed, text, threads_of


def version() -> str:
    """Version of librowcast, "major.minor.patch"."""
    return lib.load("rowcast").rc_version().decode()


def _converted(a: Any) -> Any:
    """Another format of SciPy, which converts without looking at what it was given."""
    try:
        a.check_format(full_check=True)
    except ValueError as e:
        raise ValueError(f"a: {e}") from None
    return a.tocsr()


class Borrowed:
    """An rc_csr_t over arrays of NumPy, which live as long as this does."""

    def __init__(self, a: Any):
        for name in ("indptr", "indices", "data", "shape"):
            if not hasattr(a, name):
                raise TypeError(f"a: expected a sparse matrix of SciPy, found {type(a).__name__}")
        if getattr(a, "format", "csr") != "csr":
            a = _converted(a)
        # the library wants each column once, in ascending order
        ptr, idx, val = csr_arrays(a)
        self.row_ptr, self.col_idx, self.val = summed(ptr, idx, val.astype(np.float64))
        self.csr = lib.Csr(a.shape[0], a.shape[1], len(self.col_idx), self.row_ptr.ctypes.data_as(lib.I64P),
                           self.col_idx.ctypes.data_as(lib.I32P), self.val.ctypes.data_as(lib.F64P))


def geometry_of(geometry: Optional[Tuple[int, int, int]]) -> Any:
    """(nw, nt, line) as a pointer; None: the library's own."""
    if geometry is None:
        return None
    if not isinstance(geometry, (tuple, list)) or len(geometry) != 3:
        raise TypeError(f"geometry: expected (workers, entries, columns), found {geometry!r}")
    return c.byref(lib.Geometry(*(number(n, "geometry", 1, 65536) for n in geometry)))


def copied(pointer: Any, count: int) -> np.ndarray:
    """An array of its own of what a pointer of C shows."""
    return np.ctypeslib.as_array(pointer, shape=(count,)).copy() if count > 0 else np.empty(0, pointer._type_)


@dataclass
class Schedule:
    """A row order.

    Attributes:
        row: original row of each slot, -1 for a pad
        col: original column of each new position; None: columns stay
        groups: pointers of the groups of slots by name, from the slots upwards
    """

    row: np.ndarray
    col: Optional[np.ndarray] = None
    groups: Dict[str, np.ndarray] = field(default_factory=dict)

    @classmethod
    def of(cls, s: lib.Schedule) -> "Schedule":
        """A copy of an rc_schedule_t."""
        groups = {s.group[i].name.decode(): copied(s.group[i].ptr, s.group[i].count + 1) for i in range(s.levels)}
        return cls(copied(s.row, s.slots), copied(s.col, s.cols) if s.cols else None, groups)


def order(a: Any, policy: str = "lpt", *, geometry: Optional[Tuple[int, int, int]] = None,
          threads: int = 0) -> Schedule:
    """The rows of a matrix in an order.

    Args:
        a: CSR of SciPy; columns need not be sorted
        policy: "lpt", "rcm", "random:seed=7", ...; `rowcast info` lists them
        geometry: (workers, entries a step, columns a line) that the order is for; None: (32, 32, 32)
        threads: 0: all

    Raises:
        Error: no such order, or the matrix is not for it
        TypeError, ValueError: an argument that is none, which the text names
    """
    borrowed = Borrowed(a)
    library = lib.load("rowcast")
    s = lib.Schedule()
    lib.call(library.rc_order_build, text(policy, "policy"), c.byref(borrowed.csr), geometry_of(geometry),
             threads_of(threads), c.byref(s))
    try:
        return Schedule.of(s)
    finally:
        library.rc_schedule_free(c.byref(s))


def features(a: Any, *, geometry: Optional[Tuple[int, int, int]] = None, threads: int = 0) -> Dict[str, float]:
    """The 24 features of Mehrabi et al. (2021) by name, of the matrix in its own order.  Arguments as for order."""
    borrowed = Borrowed(a)
    library = lib.load("rowcast")
    values = (c.c_double * 24)()
    lib.call(library.rc_features_compute, c.byref(borrowed.csr), geometry_of(geometry), threads_of(threads),
             values)
    return {library.rc_feature_name(i).decode(): values[i] for i in range(24)}
