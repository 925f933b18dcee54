"""What callers give: each is what C takes, or one exception that names the argument."""
from __future__ import annotations

import operator
import os
from typing import Any, Collection, Dict, List, Optional, Tuple

import numpy as np

from . import _library as lib


class Handle:
    """Something of C that an object owns: it is freed once, so it is neither copied nor pickled."""

    def __reduce__(self) -> Any:
        raise TypeError(f"a rowcast.{type(self).__name__} cannot be copied or pickled: share it, or make another one")


def number(value: Any, name: str, least: int = 0, most: int = 2**63 - 1) -> int:
    """An integer."""
    try:
        n = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: expected an integer, found {type(value).__name__}") from None
    if not least <= n <= most:
        raise ValueError(f"{name}: expected {least} to {most}, found {n}")
    return n


def rows_and_columns(shape: Any) -> Tuple[int, int]:
    """Rows and columns."""
    try:
        rows, cols = shape
    except (TypeError, ValueError):
        raise TypeError(f"shape: expected rows and columns, found {shape!r}") from None
    return number(rows, "shape", 0, 2**31 - 1), number(cols, "shape", 0, 2**31 - 1)


def threads_of(value: Any, name: str = "threads") -> int:
    """Threads; C has flags beyond."""
    return number(value, name, 0, 2**16)


def real(value: Any, name: str) -> float:
    """A number that is not complex."""
    wrong = TypeError(f"{name}: expected a real number, found {type(value).__name__}")
    if isinstance(value, (str, bytes, complex)) or "complex" in str(getattr(value, "dtype", "")):
        raise wrong
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name}: expected a number within fp64, found one beyond") from None
    except (TypeError, ValueError, RuntimeError):  # RuntimeError: a tensor of several
        raise wrong from None


def factor(value: Any, name: str) -> complex:
    """A number, complex or not."""
    if not isinstance(value, complex) and "complex" not in str(getattr(value, "dtype", "")):
        return complex(real(value, name))
    try:
        return complex(value)
    except (TypeError, ValueError, RuntimeError):  # of several
        raise TypeError(f"{name}: expected a number, found {type(value).__name__}") from None


def flag(value: Any, name: str) -> int:
    """A truth value, or 0 or 1."""
    if isinstance(value, (bool, np.bool_)) or (hasattr(value, "__index__") and operator.index(value) in (0, 1)):
        return int(value)
    raise TypeError(f"{name}: expected True or False, found {value!r}")


def text(value: Any, name: str) -> bytes:
    """A text for C."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a text, found {type(value).__name__}")
    try:
        return _whole(value.encode(), name)
    except UnicodeEncodeError as e:
        raise ValueError(f"{name}: {e}") from None


def text_or_none(value: Any, name: str) -> Optional[bytes]:
    """A text for C, or None."""
    return None if value is None else text(value, name)


def file_name(value: Any, name: str) -> bytes:
    """The name of a file for C."""
    try:
        return _whole(os.fsencode(value), name)
    except UnicodeEncodeError as e:
        raise ValueError(f"{name}: {e}") from None
    except TypeError:
        raise TypeError(f"{name}: expected a file name, found {type(value).__name__}") from None


def _whole(given: bytes, name: str) -> bytes:
    if b"\0" in given:
        raise ValueError(f"{name}: expected no NUL, found one after {given.split(bytes(1))[0][:80]!r}")
    return given


def shape_of(a: Any, name: str) -> Tuple[int, int]:
    """Rows and columns of a matrix."""
    if len(a.shape) != 2:
        raise TypeError(f"{name}: expected a matrix, found {len(a.shape)} dimensions")
    rows, cols = (number(n, f"{name}.shape", 0, 2**31 - 1) for n in a.shape)
    return rows, cols


def number_of(name: Any, known: Dict[str, int], argument: str, error: type = TypeError) -> int:
    """What a table has of a name.

    Raises:
        error: the table has not; names what it has
    """
    if not isinstance(name, str) or name not in known:
        *first, last = known
        raise error(f"{argument}: expected {', '.join(first)} or {last}, found {name}")
    return known[name]


def value_type(given: Any, known: Dict[str, int], name: str = "dtype") -> str:
    """The name of a value type, by that name or any of NumPy's, or its object of NumPy or PyTorch.

    Args:
        known: of lib.dtypes()

    Raises:
        ValueError: what is none of them
    """
    found = str(given)
    if isinstance(given, (str, type, np.dtype)) and given not in lib.dtypes():
        try:
            found = np.dtype(given).name if np.dtype(given).isnative else found
        except (TypeError, ValueError, SyntaxError):
            pass
    elif type(given).__module__ == "torch":
        found = found.replace("torch.", "")
    elif not isinstance(given, str):
        found = type(given).__name__
    number_of(found, known, name, ValueError)
    return found


def _array(array: Any, name: str, kinds: str, what: str, names: Collection[str] = ()) -> np.ndarray:
    """kinds: of NumPy; names: of types beside them."""
    try:
        found = np.asarray(array)
    except TypeError:
        raise TypeError(f"{name}: expected an array of NumPy, found {type(array).__name__}") from None
    if found.ndim != 1 or (found.dtype.kind not in kinds and found.dtype.name not in names):
        raise TypeError(f"{name}: expected a row of {what}, found {found.ndim} dimensions of {found.dtype}")
    return found


def coo_arrays(a: Any, name: str = "a") -> List[np.ndarray]:
    """Rows, columns and values of a COO matrix of the host; C looks at their bounds and types."""
    shape_of(a, name)
    row = _array(a.row, f"{name}.row", "iu", "integers")
    col = _array(a.col, f"{name}.col", "iu", "integers")
    val = _array(a.data, f"{name}.data", "biufc", "numbers", lib.dtypes())
    if not len(row) == len(col) == len(val):
        raise ValueError(f"{name}: expected as many rows and columns as values, found "
                         f"{len(row)}, {len(col)} and {len(val)}")
    return [np.ascontiguousarray(row, dtype=np.int64), np.ascontiguousarray(col, dtype=np.int64),
            np.ascontiguousarray(val)]


def csr_arrays(a: Any, name: str = "a", rows: bool = True,
               has_complex: bool = False) -> List[np.ndarray]:
    """Row pointers, columns and values of a CSR matrix of the host as C has them, in bounds.

    Columns are in any order.
    What SciPy says of the matrix is not looked at: it may have been edited since.

    Args:
        rows: False: of a CSC matrix column pointers, rows and values
        has_complex: True: values may be complex
    """
    shape = shape_of(a, name)
    majors, minors = shape if rows else reversed(shape)
    ptr = _array(a.indptr, f"{name}.indptr", "iu", "integers")
    idx = _array(a.indices, f"{name}.indices", "iu", "integers")
    val = (_array(a.data, f"{name}.data", "biufc", "numbers", lib.dtypes()) if has_complex else
           _array(a.data, f"{name}.data", "biuf", "real numbers", lib.real_dtypes()))
    if len(ptr) != majors + 1 or ptr[0] != 0 or (ptr[1:] < ptr[:-1]).any():
        raise ValueError(f"{name}.indptr: expected {majors + 1} numbers that do not fall, "
                         "from 0 on")
    nnz = int(ptr[-1])
    if nnz > min(len(idx), len(val)):
        raise ValueError(f"{name}.indptr: expected at most {min(len(idx), len(val))}, found {nnz} at its end")
    idx, val = idx[:nnz], val[:nnz]
    if nnz > 0 and not (idx.min() >= 0 and idx.max() < minors):
        at = int(np.flatnonzero((idx < 0) | (idx >= minors))[0])
        where = int(np.searchsorted(ptr, at, "right")) - 1
        raise ValueError(f"{name}.indices: expected 0 to {minors - 1}, found {idx[at]} in "
                         f"{'row' if rows else 'column'} {where}")
    return [np.ascontiguousarray(ptr, dtype=np.int64), np.ascontiguousarray(idx, dtype=np.int32),
            np.ascontiguousarray(val)]


def summed(ptr: np.ndarray, idx: np.ndarray, val: np.ndarray) -> List[np.ndarray]:
    """The same with the columns of each row ascending and once; values of a column are added up."""
    begins = np.zeros(len(idx) + 1, bool)
    begins[ptr] = True
    if begins[1:-1][idx[1:] <= idx[:-1]].all():  # columns fall between rows alone
        return [ptr, idx, val]
    row = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    there = np.lexsort((idx, row))
    row, idx = row[there], idx[there]
    first = np.flatnonzero(np.r_[True, (np.diff(idx) != 0) | (np.diff(row) != 0)])
    count = np.bincount(row[first], minlength=len(ptr) - 1)
    return [np.r_[0, np.cumsum(count)].astype(np.int64), idx[first], np.add.reduceat(val[there], first)]
