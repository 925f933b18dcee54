"""Square systems that a solver renumbers once: one order for rows, columns and vectors."""
from __future__ import annotations

import ctypes as c
import os
import threading
from typing import Any, Optional, Tuple

import numpy as np

from . import _library as lib
from ._arrays import (Dense, HostDense, Sparse, is_torch, new_row, on_device,
                      value_bytes)
from ._given import Handle, number, number_of, text_or_none, threads_of, value_type
from ._streams import stream_after, stream_of

_LAYOUT = {(True, True): 0, (False, False): 1, (False, True): 2, (True, False): 3}  # by columns
_DTYPE = {2: "float16", 4: "float32", 8: "float64"}  # one of so many bytes: bits are copied
_NARROW = 2**31 - 1


class System(Handle):
    """A x = b in an order in which products are fast: P A P' (P x) = P b.  Made by order_system().

    Any thread may call it; calls take turns.  On a GPU they are asked for on the stream and not
    waited for, but for permute().

    Attributes:
        shape: of A
        name: of the order, with parameters
        is_identity: the original order was kept
        device: index of the GPU; None: the host
        on_cpu: whether it is there
    """

    def __init__(self, handle: c.c_void_p, a: Sparse, kept: Any):
        self.shape, self.device, self.on_cpu = a.shape, a.device, not a.on_device
        self._library = lib.load("rowcast_plan" if self.on_cpu else "rowcast_cuda")
        self._handle, self._lock, self._process = handle, threading.Lock(), os.getpid()
        self._kept = kept  # keeps the stream of the last call
        self._like = a.kept[2] if self.on_cpu else a.like
        self._place: Any = None  # of the matrix that was permuted last
        info = self._info()
        self.name, self.is_identity = info.order.decode(), bool(info.identity)

    def __del__(self) -> None:
        if getattr(self, "_handle", None) and (self.on_cpu or os.getpid() == self._process):
            self._library.rc_system_free(self._handle)  # a child of fork has no GPU
        self._handle = None

    def _info(self) -> Any:
        info = lib.SystemInfo()
        lib.call(self._library.rc_system_info, self._handle, c.byref(info))
        return info

    @property
    def gain(self) -> float:
        """Predicted: time of a product in the original order over that in this one; nan: not
        known, as on the CPU and for vectors."""
        return self._info().gain

    @property
    def cost_s(self) -> float:
        """Seconds that the order took, and the last permute()."""
        info = self._info()
        return 1e-9 * (info.order_ns + info.permute_ns)

    @property
    def break_even(self) -> float:
        """Products after which that is won back; inf: never, nan: not known."""
        return self._info().break_even

    @property
    def order(self) -> Any:
        """Original row of each slot, an array where the system is."""
        return self.to(self._numbers())

    def _numbers(self) -> Any:
        rows = self.shape[0]
        if self.on_cpu:
            return np.arange(rows, dtype=np.int32)
        if is_torch(self._like):
            import torch
            return torch.arange(rows, dtype=torch.int32, device=self._like.device)
        import cupy
        with self._like.device:
            return cupy.arange(rows, dtype=np.int32)

    def _ask(self, function: Any, *arguments: Any, on: int, kept: Any, like: Any) -> None:
        """A call on a stream, which is kept until the next one."""
        if not self.on_cpu and os.getpid() != self._process:
            raise lib.Error(-6, "unsupported", "system: of a GPU, which a child of fork() has not")
        with self._lock, on_device(like, self.device):
            lib.call(function, self._handle, *arguments, on)
            self._kept = kept

    def _seen(self, array: Any, name: str) -> Dense:
        dense = HostDense(array, name) if self.on_cpu else Dense(array, name)
        if dense.device != self.device:
            raise ValueError(f"{name}: expected it on GPU {self.device}, found it on GPU "
                             f"{dense.device}")
        return dense

    # ---------------------------------------------------------------- matrices

    def permute(self, a: Any, *, stream: Optional[int] = None) -> Any:
        """P A P', in CSR with ascending columns, of the library that has a; waits for it.

        Args:
            a: the matrix of the system, or another of as many rows and columns: CSR, CSC or COO
                of SciPy, or on the system's GPU, of CuPy or PyTorch
            stream: of CUDA, as a number; None: the current one of a's library

        Raises:
            ValueError, TypeError: what is none, or elsewhere
            Error: another size, or no memory
        """
        sparse = Sparse(a)
        if sparse.device != self.device:
            raise ValueError(f"a: expected it on {self._where()}, where the system is")
        like = sparse.kept[2] if self.on_cpu else sparse.like
        index = self._index(sparse)
        ptr = new_row(like, index, self.shape[0] + 1)
        col = new_row(like, index, sparse.nnz)
        val = new_row(like, like.dtype, sparse.nnz)
        place = new_row(like, "int32" if sparse.nnz < _NARROW else "int64", sparse.nnz)
        to = self._matrix(ptr, col, val, place, sparse.precision)
        self._ask(self._library.rc_system_permute, c.byref(sparse.for_c()), c.byref(to),
                  on=stream_after(sparse, stream), kept=sparse.stream_kept, like=sparse.like)
        self._place = place
        return _csr(a, (val, col, ptr), self.shape)

    def _index(self, sparse: Sparse) -> str:
        """The type of pointers and columns: PyTorch has one for both, as the matrix has it."""
        if is_torch(sparse.like):
            wide = 8 in (sparse.row_ptr_bytes, sparse.col_idx_bytes)
            return "int64" if wide or sparse.nnz > _NARROW else "int32"
        return "int32" if sparse.nnz <= _NARROW else "int64"

    def _matrix(self, ptr: Any, col: Any, val: Any, place: Any, precision: int) -> Any:
        """Arrays of one dimension for C; None: not there."""
        at = [None if x is None else self._seen(x, "out").pointer for x in (ptr, col, val, place)]
        wide = [8 if x is None else value_bytes(x) for x in (ptr, col, place)]
        return lib.SystemMatrix(nnz=val.shape[0], row_ptr=at[0], row_ptr_bytes=wide[0],
                                col_idx=at[1], col_idx_bytes=wide[1], val=at[2],
                                precision=precision, place=at[3], place_bytes=wide[2])

    def values(self, values: Any, *, stream: Optional[int] = None) -> Any:
        """New values of the matrix that permute() had last, in the order of what it returned.

        Nothing is sorted again.

        Args:
            values: [nnz] where the system is, in the order of that matrix

        Raises:
            ValueError: nothing was permuted, or another number of values
        """
        if self._place is None:
            raise ValueError("values: expected a matrix that was permuted before")
        given = self._seen(values, "values")
        count = self._place.shape[0]
        if given.shape != (count,) or (count > 1 and given.strides != (1,)):
            raise ValueError(f"values: expected {count} side by side, found {given.shape}")
        precision = number_of(given.dtype, lib.dtypes(), "values")
        out = new_row(given.array, given.array.dtype, count)
        to = self._matrix(None, None, out, self._place, precision)
        self._ask(self._library.rc_system_values, given.pointer, precision, c.byref(to),
                  on=stream_of(given, stream, "values"), kept=given.stream_kept, like=given.array)
        return out

    # ----------------------------------------------------------------- vectors

    def to(self, x: Any, out: Any = None, *, stream: Optional[int] = None) -> Any:
        """P x: row p is row order[p] of x.

        Args:
            x: [rows] or [rows, k] of a value type or of 2, 4 or 8 bytes, where the system is
            out: a new array of x's library; None: one like x

        Raises:
            ValueError: shape, type or place is another one
        """
        return self._carry(self._library.rc_system_to, x, out, stream)

    def back(self, x: Any, out: Any = None, *, stream: Optional[int] = None) -> Any:
        """P' x, which is what to() was given, of what it gave.  Arguments as for to()."""
        return self._carry(self._library.rc_system_back, x, out, stream)

    def _carry(self, function: Any, x: Any, out: Any, stream: Optional[int]) -> Any:
        given, at = self._block(x, "x")
        if out is None:
            made = given.empty(*given.shape, at[1]).array
            out = made.reshape(-1) if len(self._seen(x, "x").shape) == 1 else made
        taken, to = self._block(out, "out")
        if taken.shape != given.shape or taken.dtype != given.dtype:
            raise ValueError(f"out: expected {given.shape} of {given.dtype}, found {taken.shape} "
                             f"of {taken.dtype}")
        known = lib.dtypes()
        kind = given.dtype if given.dtype in known else _DTYPE.get(value_bytes(given.array))
        if kind is None:
            raise ValueError(f"x: expected a value type, or 2, 4 or 8 bytes, found {given.dtype}")
        block = lib.SystemBlock(**{"from": given.pointer}, ld_from=at[0], to=taken.pointer,
                                ld_to=to[0], k=given.shape[1], layout=_LAYOUT[at[1], to[1]],
                                precision=known[kind])
        self._ask(function, c.byref(block), on=stream_of(given, stream, "x"),
                  kept=given.stream_kept, like=given.array)
        return out

    def _block(self, array: Any, name: str) -> Tuple[Dense, Tuple[int, bool]]:
        """As a matrix; its leading dimension, and whether it is by columns."""
        dense = self._seen(array, name)
        if len(dense.shape) == 1:
            dense = self._seen(dense.array.reshape(-1, 1), name)
        if len(dense.shape) != 2 or dense.shape[0] != self.shape[0]:
            raise ValueError(f"{name}: expected {self.shape[0]} rows, found {dense.shape}")
        try:
            return dense, (dense.leading(False, name), False)
        except ValueError:
            return dense, (dense.leading(True, name), True)

    def _where(self) -> str:
        return "the host" if self.on_cpu else f"GPU {self.device}"

    def __repr__(self) -> str:
        return f"<rowcast.System {self.shape[0]} x {self.shape[1]}, order {self.name}>"


def _csr(a: Any, parts: Tuple[Any, Any, Any], shape: Tuple[int, int]) -> Any:
    """A matrix of the library of a."""
    val, col, ptr = parts
    if is_torch(a):
        import torch
        return torch.sparse_csr_tensor(ptr, col, val, size=shape)
    if type(a).__module__.split(".")[0] == "cupyx":
        import cupyx.scipy.sparse as sparse
    else:
        import scipy.sparse as sparse
    is_array = type(a).__name__.endswith("_array")
    return (sparse.csr_array if is_array else sparse.csr_matrix)((val, col, ptr), shape=shape)


def order_system(a: Any, order: Optional[str] = None, *, k: int = 0, dtype: Any = None,
                 threads: int = 0, stream: Optional[int] = None) -> System:
    """One order for the rows, columns and vectors of a square matrix; waits until it is built.

    Args:
        a: CSR, CSC or COO of SciPy, or on a GPU, of CuPy or PyTorch
        order: "rcm", "multilevel", "bandk:srs=32", ...; None: "auto", which keeps the original
            order where no other brings rows together
        k: columns of the solver's products, by rows, for gain; 0: a vector, of which nothing is
            predicted
        dtype: of those products; None: that of a
        threads: of the host; 0: all
        stream: of CUDA, as a number; None: the current one of a's library

    Raises:
        Error: a matrix that is not square, or an order of rows alone
        ValueError, TypeError: what is no matrix or type
    """
    sparse = Sparse(a)
    kind = sparse.dtype if dtype is None else value_type(dtype, lib.dtypes())
    options = lib.SystemOptions(order=text_or_none(order, "order"),
                                k=number(k, "k", 0, 2**31 - 1), threads=threads_of(threads),
                                precision=number_of(kind, lib.dtypes(), "dtype", ValueError))
    handle, on = c.c_void_p(), stream_after(sparse, stream)
    if sparse.on_device:
        with on_device(sparse.like, sparse.device):
            lib.call(lib.load("rowcast_cuda").rc_order_system_cuda, c.byref(sparse.for_c()),
                     c.byref(options), on, c.byref(handle))
    else:
        lib.call(lib.load("rowcast_plan").rc_order_system, c.byref(sparse.for_c()),
                 c.byref(options), c.byref(handle))
    return System(handle, sparse, sparse.stream_kept if stream is None else None)
