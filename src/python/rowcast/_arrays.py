"""Arrays of PyTorch and CuPy, and what speaks DLPack, seen alike.  Neither library is imported unless it made the array."""
from __future__ import annotations

import sys
from typing import Any, Tuple


class Dense:
    """A matrix on a GPU.

    Attributes:
        array: of the library that made it; keeps the memory
        pointer, shape, strides: strides in values
        dtype: "float32", "float64", "int32", ...
        device: index of the GPU
        stream: the current stream of its library on that GPU, as a number
    """

    def __init__(self, array: Any):
        if not (_is_torch(array) or _is_cupy(array)):
            array = _imported(array)
        self.array = array
        self.shape: Tuple[int, ...] = tuple(int(n) for n in array.shape)
        if _is_torch(array):
            import torch
            if array.device.type != "cuda":
                raise ValueError(f"expected an array on a GPU, found one on {array.device}")
            self.pointer = array.data_ptr()
            self.strides = tuple(array.stride())
            self.dtype = str(array.dtype).replace("torch.", "")
            self.device = array.device.index
            self.stream = torch.cuda.current_stream(array.device).cuda_stream
        else:
            import cupy
            self.pointer = array.data.ptr
            self.strides = tuple(s // array.itemsize for s in array.strides)
            self.dtype = str(array.dtype)
            self.device = array.device.id
            with cupy.cuda.Device(self.device):
                self.stream = cupy.cuda.get_current_stream().ptr

    def empty(self, rows: int, cols: int, column_major: bool) -> "Dense":
        """A new matrix of the same library, type and GPU."""
        if _is_torch(self.array):
            import torch
            shape = (cols, rows) if column_major else (rows, cols)
            out = torch.empty(shape, dtype=self.array.dtype, device=self.array.device)
            return Dense(out.t() if column_major else out)
        import cupy
        with cupy.cuda.Device(self.device):
            return Dense(cupy.empty((rows, cols), dtype=self.array.dtype, order="F" if column_major else "C"))

    def leading(self, column_major: bool, what: str) -> int:
        """The leading dimension in values.

        Raises:
            ValueError: the matrix is not in that layout
        """
        if len(self.shape) != 2:
            raise ValueError(f"{what}: expected a matrix, found {len(self.shape)} dimensions")
        rows, cols = self.shape
        near, far = (self.strides[0], self.strides[1]) if column_major else (self.strides[1], self.strides[0])
        inner, outer = (rows, cols) if column_major else (cols, rows)
        if inner > 1 and near != 1:
            raise ValueError(f"{what}: expected {'column' if column_major else 'row'}-major, found strides "
                             f"{self.strides}; make it contiguous, or the plan with another layout")
        return max(far if outer > 1 else inner, inner, 1)


def _is_torch(array: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def _is_cupy(array: Any) -> bool:
    cupy = sys.modules.get("cupy")
    return cupy is not None and isinstance(array, cupy.ndarray)


def _imported(array: Any) -> Any:
    """Another library's array by DLPack, without a copy, as one of PyTorch or CuPy: whichever is loaded or there."""
    if not hasattr(array, "__dlpack__") and not hasattr(array, "__cuda_array_interface__"):
        raise TypeError(f"expected an array of PyTorch, CuPy or DLPack, found {type(array).__name__}")
    names = [n for n in ("torch", "cupy") if n in sys.modules] or ["cupy", "torch"]
    for name in names:
        try:
            library = __import__(name)
        except ImportError:
            continue
        if hasattr(array, "__dlpack__"):
            return library.from_dlpack(array)
        return library.asarray(array, device="cuda") if name == "torch" else library.asarray(array)
    raise TypeError("DLPack needs PyTorch or CuPy here")


class Sparse:
    """A CSR matrix of SciPy (host), CuPy or PyTorch (GPU).

    Attributes:
        shape, nnz
        on_device: whether the three are memory of a GPU
        row_ptr, col_idx, val: pointers
        row_ptr_bytes, value_bytes: 4 or 8
        dtype: of the values
        stream: 0 for a matrix of the host
        kept: what owns the memory
    """

    def __init__(self, a: Any):
        if _is_torch(a):
            parts = self._torch(a)
        elif type(a).__module__.split(".")[0] == "cupyx":
            parts = tuple(Dense(x) for x in (a.indptr, a.indices, a.data))
        else:
            self._scipy(a)
            return
        ptr, idx, val = parts
        self.shape, self.nnz, self.on_device = tuple(a.shape), val.shape[0], True
        self.row_ptr, self.col_idx, self.val = ptr.pointer, idx.pointer, val.pointer
        self.row_ptr_bytes, self.value_bytes = _width(ptr.dtype), _width(val.dtype)
        self.dtype, self.stream, self.kept = val.dtype, val.stream, parts

    @staticmethod
    def _torch(a: Any) -> Tuple[Dense, Dense, Dense]:
        import torch
        if a.layout != torch.sparse_csr:
            raise TypeError(f"expected a tensor of layout torch.sparse_csr, found {a.layout}")
        idx = a.col_indices()
        if idx.dtype != torch.int32:
            if a.shape[1] > 2**31 - 1:
                raise OverflowError(f"expected at most 2^31 - 1 columns, found {a.shape[1]}")
            idx = idx.to(torch.int32)
        return Dense(a.crow_indices().contiguous()), Dense(idx.contiguous()), Dense(a.values().contiguous())

    def _scipy(self, a: Any) -> None:
        from .matrix import Borrowed
        b = Borrowed(a)
        self.shape, self.nnz, self.on_device = (b.csr.rows, b.csr.cols), b.csr.nnz, False
        self.row_ptr, self.col_idx, self.val = (x.ctypes.data for x in (b.row_ptr, b.col_idx, b.val))
        self.row_ptr_bytes, self.value_bytes, self.stream, self.kept = 8, 8, 0, b
        self.dtype = "float64" if str(getattr(a, "dtype", "float64")) == "float64" else "float32"


def _width(dtype: str) -> int:
    widths = {"int32": 4, "int64": 8, "float32": 4, "float64": 8}
    if dtype not in widths:
        raise TypeError(f"expected integers or floats of 32 or 64 bits, found {dtype}")
    return widths[dtype]
