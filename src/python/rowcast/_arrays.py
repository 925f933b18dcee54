"""Arrays of NumPy, PyTorch and CuPy, and what speaks DLPack, seen alike.

No library of GPUs is imported unless it made the array.
"""
from __future__ import annotations

import contextlib
import copy
import sys
from typing import Any, Iterator, Optional, Tuple

import numpy as np

from . import _library as lib
from ._given import coo_arrays, csr_arrays, number_of, shape_of


class Dense:
    """A matrix on a GPU.

    Attributes:
        array: of the library that made it; keeps the memory
        pointer, shape, strides: strides in values
        dtype: "float32", "bfloat16", "int32", ...
        device: index of the GPU
        stream: the current stream of its library on that GPU, as a number
        stream_kept: the object of that library, which keeps the stream
        is_resolved: array is a copy, made on that stream, of a lazy view
    """

    is_resolved = False

    def __init__(self, array: Any, name: str = "a"):
        if not (is_torch(array) or is_cupy(array)):
            array = _imported(array, name)
        elif is_torch(array) and (array.is_neg() or array.is_conj()):
            if name == "out":
                raise ValueError("out: expected values as they are stored, found a lazy view: "
                                 "use .resolve_neg()")
            array, self.is_resolved = array.resolve_conj().resolve_neg(), True
        self.array = array
        self.shape: Tuple[int, ...] = tuple(int(n) for n in array.shape)
        if is_torch(array):
            import torch
            if array.device.type != "cuda":
                raise ValueError(f"{name}: expected an array on a GPU, found one on "
                                 f"{array.device}: there use .numpy(), or rowcast.torch.spmm")
            self.pointer = array.data_ptr()
            self.strides = tuple(array.stride())
            self.dtype = str(array.dtype).replace("torch.", "")
            self.device = array.device.index
            self.stream_kept = torch.cuda.current_stream(array.device)
            self.stream = self.stream_kept.cuda_stream
        else:
            import cupy
            self.pointer = array.data.ptr
            self.strides = tuple(s // array.itemsize for s in array.strides)
            self.dtype = str(array.dtype)
            self.device = array.device.id
            with cupy.cuda.Device(self.device):
                self.stream_kept = cupy.cuda.get_current_stream()
            self.stream = self.stream_kept.ptr

    def empty(self, rows: int, cols: int, column_major: bool,
              dtype: Optional[str] = None) -> "Dense":
        """A new matrix of the same library and GPU, of a type or the same."""
        new = new_torch if is_torch(self.array) else new_cupy
        return Dense(new(self._typed(dtype), self.array.device, (rows, cols), column_major))

    def _typed(self, dtype: Optional[str]) -> Any:
        """A type as the library of the array has it; None: that of the array."""
        if dtype in (None, self.dtype):
            return self.array.dtype
        of_torch = is_torch(self.array)
        return getattr(sys.modules["torch"], str(dtype)) if of_torch else np.dtype(dtype)

    def copied(self, stream: int) -> "Dense":
        """A copy with the values that the array has on a stream."""
        if stream != self.stream:
            self.wait()
        is_of_torch = is_torch(self.array)
        with on_device(self.array, self.device):
            made = Dense(self.array.detach().clone() if is_of_torch else self.array.copy())
        if stream != self.stream:
            self.wait()
        return made

    def wait(self) -> None:
        """For all that its GPU was asked for."""
        if is_torch(self.array):
            import torch
            torch.cuda.synchronize(self.device)
        else:
            import cupy
            cupy.cuda.Device(self.device).synchronize()

    def leading(self, column_major: bool, what: str) -> int:
        """The leading dimension in values.

        Raises:
            ValueError: the matrix is not in that layout
        """
        if len(self.shape) != 2:
            raise ValueError(f"{what}: expected a matrix, found {len(self.shape)} dimensions")
        rows, cols = self.shape
        if rows == 0 or cols == 0:
            return max(rows if column_major else cols, 1)
        near, far = (self.strides[0], self.strides[1]) if column_major else (self.strides[1], self.strides[0])
        inner, outer = (rows, cols) if column_major else (cols, rows)
        if inner > 1 and near != 1 and outer == 1:
            raise ValueError(f"{what}: expected values side by side, found them {near} apart; "
                             "make it contiguous")
        if inner > 1 and near != 1:
            raise ValueError(f"{what}: expected {'column' if column_major else 'row'}-major, found strides "
                             f"{self.strides}; make it contiguous, or the plan with another layout")
        if outer > 1 and far < inner:
            raise ValueError(f"{what}: expected {'columns' if column_major else 'rows'} apart, found strides "
                             f"{self.strides}; make it contiguous")
        return max(far if outer > 1 else inner, inner, 1)


class HostDense(Dense):
    """A matrix of NumPy, with the attributes of one on a GPU."""

    def __init__(self, array: Any, name: str = "a"):
        if not isinstance(array, np.ndarray):
            hint = ": use .numpy(), or rowcast.torch.spmm" if is_torch(array) else ""
            raise TypeError(f"{name}: expected an array of NumPy for a plan of the CPU, "
                            f"found {type(array).__name__}{hint}")
        if name == "out" and not array.flags.writeable:
            raise ValueError("out: expected an array that can be written to")
        if not array.dtype.isnative or any(s % array.itemsize for s in array.strides):
            raise ValueError(f"{name}: expected values of the machine's byte order, whole values apart")
        self.array, self.shape, self.dtype = array, array.shape, str(array.dtype)
        self.pointer = array.ctypes.data
        self.strides = tuple(s // array.itemsize for s in array.strides)
        self.device, self.stream, self.stream_kept = None, 0, None

    def empty(self, rows: int, cols: int, column_major: bool,
              dtype: Optional[str] = None) -> "Dense":
        return HostDense(new_numpy(self._typed(dtype), None, (rows, cols), column_major))

    def copied(self, stream: int) -> "Dense":
        return HostDense(self.array.copy())

    def wait(self) -> None:
        """Nothing is under way."""


def laid(array: Any, dense: Dense, column_major: bool) -> Any:
    """A matrix that dense sees: itself where it has that layout, else a copy that has."""
    if len(dense.shape) != 2:
        return array
    try:
        dense.leading(column_major, "B")
        return array
    except ValueError:
        made = dense.empty(*dense.shape, column_major).array
        made[...] = dense.array
        return made


def new_numpy(dtype: Any, device: Any, shape: Tuple[int, int], column_major: bool) -> Any:
    """A new array; device: of an array of that library."""
    return np.empty(shape, dtype, "F" if column_major else "C")


def new_torch(dtype: Any, device: Any, shape: Tuple[int, int], column_major: bool) -> Any:
    """A new tensor on a GPU."""
    import torch
    out = torch.empty(shape[::-1] if column_major else shape, dtype=dtype, device=device)
    return out.t() if column_major else out


def new_cupy(dtype: Any, device: Any, shape: Tuple[int, int], column_major: bool) -> Any:
    """A new array on a GPU."""
    import cupy
    with device:
        return cupy.empty(shape, dtype=dtype, order="F" if column_major else "C")


def value_bytes(array: Any) -> int:
    """Bytes of one value."""
    return array.element_size() if is_torch(array) else array.itemsize


def new_row(like: Any, dtype: Any, count: int) -> Any:
    """A new array of one dimension, of the library and where an array of it is.

    Args:
        dtype: a name, or as that library has it
    """
    if is_torch(like):
        import torch
        kind = getattr(torch, dtype) if isinstance(dtype, str) else dtype
        return torch.empty(count, dtype=kind, device=like.device)
    if is_cupy(like):
        import cupy
        with like.device:
            return cupy.empty(count, dtype=dtype)
    return np.empty(count, dtype)


@contextlib.contextmanager
def on_device(like: Any, device: Optional[int]) -> Iterator[None]:
    """A GPU is the current one of the library of an array; None: it stays as it is."""
    if device is None:
        yield
    elif is_torch(like):
        import torch
        with torch.cuda.device(device):
            yield
    else:
        import cupy
        with cupy.cuda.Device(device):
            yield


def is_torch(array: Any) -> bool:
    """A tensor of PyTorch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def is_cupy(array: Any) -> bool:
    """An array of CuPy."""
    cupy = sys.modules.get("cupy")
    return cupy is not None and isinstance(array, cupy.ndarray)


def _imported(array: Any, name: str) -> Any:
    """Another library's array by DLPack, without a copy, as one of PyTorch or CuPy: whichever is loaded or there."""
    if not hasattr(array, "__dlpack__") and not hasattr(array, "__cuda_array_interface__"):
        raise TypeError(f"{name}: expected an array of PyTorch, CuPy or DLPack, found {type(array).__name__}")
    makers = [n for n in ("torch", "cupy") if n in sys.modules] or ["cupy", "torch"]
    for maker in makers:
        try:
            library = __import__(maker)
        except ImportError:
            continue
        if hasattr(array, "__dlpack__"):
            return library.from_dlpack(array)
        return library.asarray(array, device="cuda") if maker == "torch" else library.asarray(array)
    raise TypeError(f"{name}: DLPack needs PyTorch or CuPy here")


class Sparse:
    """A matrix of SciPy (host), CuPy or PyTorch (GPU), in CSR, CSC or COO.

    Attributes:
        shape, nnz
        form: of rc_plan_form_t
        on_device: whether the three are memory of a GPU
        row_ptr, col_idx, val: pointers
        row_ptr_bytes, col_idx_bytes: 4 or 8
        dtype: of the values
        precision: the same, of rc_precision_t
        device: index of the GPU; None: the host
        like: an array of the library that has it there; None: the host
        stream, stream_kept: 0 and None for a matrix of the host
        kept: what owns the memory
        conjugates: whether a plan is of the conjugated values

    Raises:
        TypeError: another form, or values of a type that the library does not have
        ValueError: a column twice in a row
    """

    conjugates = False

    def __init__(self, a: Any):
        if is_torch(a):
            form, parts = self._torch(a)
        elif type(a).__module__.split(".")[0] == "cupyx":
            if a.format not in _FORMS:
                a = a.tocsr()
            form, parts = a.format, tuple(Dense(x) for x in _parts(a))
        else:
            self._scipy(a)
            return
        self.like: Any = parts[2].array
        ptr, idx, val = parts
        self.shape, self.nnz, self.on_device = shape_of(a, "a"), val.shape[0], True
        self.form = _FORMS[form]
        pointers = {"csr": self.shape[0] + 1, "csc": self.shape[1] + 1, "coo": self.nnz}[form]
        if ptr.shape != (pointers,) or idx.shape != val.shape or len(val.shape) != 1:
            raise ValueError(f"a: expected {pointers} {'rows' if form == 'coo' else 'pointers'}, and "
                             "as many indices as values, found "
                             f"{ptr.shape}, {idx.shape} and {val.shape}")
        self.row_ptr, self.col_idx, self.val = ptr.pointer, idx.pointer, val.pointer
        self.row_ptr_bytes = number_of(ptr.dtype, _INTEGERS, "row pointers of a")
        self.col_idx_bytes = number_of(idx.dtype, _INTEGERS, "columns of a")
        self.precision = number_of(val.dtype, lib.dtypes(), "a")
        self.dtype, self.kept = val.dtype, parts
        self.stream, self.stream_kept = val.stream, val.stream_kept
        self.device: Optional[int] = val.device
        if {ptr.device, idx.device} != {val.device}:
            raise ValueError("a: expected the three arrays on one GPU")

    def for_c(self) -> Any:
        """As an rc_plan_matrix_t, which lives no longer than this."""
        return lib.PlanMatrix(*self.shape, self.nnz, self.row_ptr, self.row_ptr_bytes, self.col_idx,
                              self.val, self.precision, int(self.on_device), self.col_idx_bytes,
                              self.form)

    def copied(self, stream: int) -> "Sparse":
        """The same matrix in arrays of its own, with what the others have on a stream."""
        other = copy.copy(self)
        if self.on_device:
            other.kept = parts = tuple(x.copied(stream) for x in self.kept)
            other.like = parts[2].array
            pointers = [x.pointer for x in parts]
        else:
            other.kept = parts = tuple(x.copy() for x in self.kept)
            pointers = [x.ctypes.data for x in parts]
        other.row_ptr, other.col_idx, other.val = pointers
        return other

    def transposed(self) -> "Sparse":
        """The transposed matrix, of the same arrays."""
        other = copy.copy(self)
        other.shape, other.form = self.shape[::-1], _TRANSPOSED[self.form]
        if self.form == _FORMS["coo"]:
            other.row_ptr, other.col_idx = self.col_idx, self.row_ptr
            other.row_ptr_bytes, other.col_idx_bytes = self.col_idx_bytes, self.row_ptr_bytes
        return other

    def conjugated(self) -> "Sparse":
        """The same arrays, whose values a plan conjugates as it reads them."""
        other = copy.copy(self)
        other.conjugates = not self.conjugates
        return other

    @staticmethod
    def _torch(a: Any) -> Tuple[str, Tuple[Dense, Dense, Dense]]:
        import torch
        shape_of(a, "a")
        if a.layout == torch.sparse_coo:  # coalesced or not: a place that is there twice is refused
            if a.sparse_dim() != 2:
                raise TypeError(f"a: expected two sparse dimensions, found {a.sparse_dim()}")
            rows, columns = a._indices()
            form, three = "coo", (rows, columns, a._values())
        elif a.layout == torch.sparse_csc:
            form, three = "csc", (a.ccol_indices(), a.row_indices(), a.values())
        elif a.layout == torch.sparse_csr:
            form, three = "csr", (a.crow_indices(), a.col_indices(), a.values())
        else:
            raise TypeError("a: expected a tensor of layout torch.sparse_csr, sparse_csc or "
                            f"sparse_coo, found {a.layout}")
        return form, tuple(Dense(x.contiguous()) for x in three)

    def _scipy(self, a: Any) -> None:
        """The arrays as they are, so that values given later are in the same order; C takes any."""
        form = getattr(a, "format", "csr")
        names = ("row", "col") if form == "coo" else ("indptr", "indices")
        if form not in _FORMS and hasattr(a, "tocsr"):
            raise TypeError(f"a: expected a matrix in CSR, CSC or COO, found {form}: use .tocsr()")
        if any(not hasattr(a, name) for name in (*names, "data", "shape")) or len(a.shape) != 2:
            raise TypeError("a: expected a sparse matrix in CSR, CSC or COO of SciPy, CuPy or "
                            f"PyTorch, found {type(a).__name__}")
        if form not in _FORMS:
            raise TypeError(f"a: expected a matrix in CSR, CSC or COO, found {form}")
        ptr, idx, val = (coo_arrays(a) if form == "coo" else
                         csr_arrays(a, rows=form == "csr", has_complex=True))
        self.precision = number_of(str(val.dtype), lib.dtypes(), "a.data")
        if form == "csr":
            _refuse_twice(ptr, idx)
        self.shape, self.nnz, self.on_device = shape_of(a, "a"), len(val), False
        self.form = _FORMS[form]
        self.row_ptr, self.col_idx, self.val = (x.ctypes.data for x in (ptr, idx, val))
        self.row_ptr_bytes, self.col_idx_bytes = ptr.itemsize, idx.itemsize
        self.dtype, self.kept = str(val.dtype), (ptr, idx, val)
        self.device, self.like, self.stream, self.stream_kept = None, None, 0, None


def _parts(a: Any) -> Tuple[Any, Any, Any]:
    return (a.row, a.col, a.data) if a.format == "coo" else (a.indptr, a.indices, a.data)


def _refuse_twice(ptr: np.ndarray, idx: np.ndarray) -> None:
    """A column twice in a row: how values would be added up is not for a plan to say."""
    row = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    there = np.lexsort((idx[:len(row)], row))
    twice = (np.diff(idx[there]) == 0) & (np.diff(row[there]) == 0)
    if twice.any():
        raise ValueError(f"a: expected each column once in a row, found one twice in row {row[there][:-1][twice][0]}: "
                         "use .sum_duplicates()")


_FORMS = {"csr": 0, "csc": 1, "coo": 2}
_TRANSPOSED = {0: 1, 1: 0, 2: 2}  # what the same arrays are of A'
_INTEGERS = {"int32": 4, "int64": 8}
