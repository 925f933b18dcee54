"""Plans: the fastest product of a matrix, on arrays of CuPy and PyTorch."""
from __future__ import annotations

import ctypes as c
import os
import threading
from typing import Any, Dict, Optional, Sequence, Tuple, Union

from . import _library as lib
from ._arrays import _FLOATS, Dense, Sparse, _width, on_device
from ._given import Handle, file_name, flag, number, real, text_or_none
from .model import Model

_LAYOUTS = {"column": 0, "row": 1}


class Plan(Handle):
    """C = A B for one matrix, prepared on a GPU: call it with B.  Made by plan().

    Any thread may call it; products take turns.  Products on another stream than before get a clone with a workspace of
    its own, so that streams do not wait for one another.

    Attributes:
        shape: of A
        dtype: "float32" or "float64", of B and C
        layout: "row" or "column"
        device: index of the GPU; None: of a matrix of the host, the one that was current
    """

    def __init__(self, handle: c.c_void_p, a: Sparse, dtype: str, layout: str, stream: int, kept: Any,
                 device: Optional[int]):
        self.shape, self.dtype, self.layout, self.device = a.shape, dtype, layout, device
        self._nnz = a.nnz
        # by the number of a stream: the plan, and the object that keeps the stream, for which it waits when it goes
        self._of: Dict[int, Tuple[c.c_void_p, Any]] = {stream: (handle, kept)}
        self._lock = threading.Lock()
        self._process = os.getpid()

    def __del__(self) -> None:
        for handle, _ in getattr(self, "_of", {}).values():
            if os.getpid() == self._process:  # a child of fork has no GPU
                lib.load("rowcast_cuda").rc_plan_free(handle)
        self._of = {}

    def _any(self) -> c.c_void_p:
        return next(iter(self._of.values()))[0]

    def _on(self, stream: int, like: Dense) -> c.c_void_p:
        """The plan of a stream, cloned at its first product there."""
        if stream not in self._of:
            clone = c.c_void_p()
            with on_device(like.array, like.device):
                lib.call(lib.load("rowcast_cuda").rc_plan_clone, self._any(), stream, c.byref(clone))
            self._of[stream] = (clone, like.stream_kept if like.stream == stream else None)
        return self._of[stream][0]

    def __call__(self, b: Any, out: Any = None, *, alpha: float = 1.0, beta: float = 0.0,
                 transposed: bool = False, stream: Optional[int] = None) -> Any:
        """alpha A B + beta out, asked for on the stream and not waited for.

        Args:
            b: cols x K, on the plan's GPU, of PyTorch, CuPy, or by DLPack
            out: rows x K; None: a new array of b's library
            transposed: A' B from the same prepared matrix, of a plan of the kernel rs: b has rows, out cols
            stream: of CUDA, as a number, which must exist until the plan is gone; None: the current one of b's library,
                which the plan keeps

        Returns:
            out; of another library, by DLPack, the array of PyTorch or CuPy that has the memory of out

        Raises:
            ValueError: shape, layout, type or GPU is not that of the plan; a stream that means another in each thread
            Error: what the library says; a K that the plan is not for
        """
        dense = Dense(b, "B")
        column = self.layout == "column"
        rows, cols = reversed(self.shape) if transposed else self.shape
        self._fits(dense, cols, None, "B")
        k = dense.shape[1]
        result = Dense(out, "out") if out is not None else dense.empty(rows, k, column)
        self._fits(result, rows, k, "out")
        on = _one_stream(dense.stream if stream is None else stream)
        with self._lock:
            library = lib.load("rowcast_cuda")
            execute = library.rc_plan_execute_transposed if transposed else library.rc_plan_execute
            lib.call(execute, self._on(on, dense), k, real(alpha, "alpha"), dense.pointer, dense.leading(column, "B"),
                     real(beta, "beta"), result.pointer, result.leading(column, "out"), on)
        return result.array

    def _fits(self, m: Dense, rows: int, k: Optional[int], what: str) -> None:
        if len(m.shape) != 2 or m.shape[0] != rows or (k is not None and m.shape[1] != k):
            raise ValueError(f"{what}: expected {rows} x {'K' if k is None else k}, found {m.shape}")
        if m.dtype != self.dtype:
            raise ValueError(f"{what}: expected {self.dtype}, found {m.dtype}")
        self._here(m, what)

    def _here(self, m: Dense, what: str) -> None:
        if self.device is not None and m.device != self.device:
            raise ValueError(f"{what}: expected it on GPU {self.device}, found it on GPU {m.device}")

    def update(self, values: Any, *, stream: Optional[int] = None) -> None:
        """New values on the same pattern, in the order that A had them when the plan was made.

        Products that were asked for have the old ones, whatever their stream: plans of other streams go, which waits
        for them, and come back at their next product.

        Args:
            values: [nnz] on the plan's GPU, float32 or float64
            stream: as for a product
        """
        dense = Dense(values, "values")
        if dense.shape != (self._nnz,) or (self._nnz > 1 and dense.strides != (1,)):
            raise ValueError(f"values: expected {self._nnz} side by side, found {dense.shape}")
        self._here(dense, "values")
        width = _width(dense.dtype, _FLOATS, "values")
        on = _one_stream(dense.stream if stream is None else stream)
        library = lib.load("rowcast_cuda")
        with self._lock:
            mine = self._on(on, dense)
            for other in [s for s in self._of if s != on]:
                library.rc_plan_free(self._of.pop(other)[0])
            lib.call(library.rc_plan_update_values, mine, self._nnz, dense.pointer, width, 1, on)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Write choices and orders, for `rowcast plan` and rc_plan_load."""
        with self._lock:
            lib.call(lib.load("rowcast_cuda").rc_plan_save, self._any(), file_name(path, "path"))

    def describe(self) -> str:
        """What was chosen for each K, why, and what it takes."""
        library = lib.load("rowcast_cuda")
        handle = self._any()
        text = c.create_string_buffer(library.rc_plan_describe(handle, None, 0) + 1)
        library.rc_plan_describe(handle, text, len(text))
        return text.value.decode()

    def __repr__(self) -> str:
        return f"<rowcast.Plan {self.shape[0]} x {self.shape[1]}, {self.dtype}, {self.layout}-major>"


def _one_stream(stream: Any) -> int:
    stream = number(stream, "stream", 0, 2**64 - 1)
    if stream == 2:  # cudaStreamPerThread
        raise ValueError("stream: expected one that is the same in each thread, found the per-thread default (2)")
    return stream


def plan(a: Any, k: Union[int, Sequence[int]], *, layout: str = "row", dtype: Optional[str] = None, tune: int = 6,
         kernels: Optional[str] = None, orders: Optional[str] = None, reuse: float = 0, memory: int = 0,
         deterministic: bool = False, strict: bool = False, model: Any = None, stream: Optional[int] = None) -> Plan:
    """Make a plan; waits until it is made.

    Args:
        a: CSR of SciPy (goes to the current GPU), CuPy, or PyTorch; columns in any order, each once in a row
        k: columns of B that products will have; one or several
        layout: "row" or "column", of B and C
        dtype: of B and C; None: that of a
        tune: candidates to time on the matrix at most; 0: none
        kernels, orders: names and globs with commas; None: any
        reuse: products that are expected; 0: the fastest product whatever its setup
        memory: bytes of the GPU that the plan may take; 0: any
        deterministic: only kernels that give the same bits each time
        strict: only kernels by which NaN and infinity in B reach the values of C that IEEE arithmetic says, alone
        model: a rowcast.Model that predicts times
        stream: of CUDA, as a number, which must exist until the plan is gone; None: the current one of a's library,
            which the plan keeps

    Raises:
        Error: no GPU, no kernel that can, or no memory
        ValueError, TypeError: what cannot be a matrix, layout or type; values that are not float32 or float64
    """
    if layout not in _LAYOUTS:
        raise ValueError(f"layout: expected 'row' or 'column', found {layout!r}")
    sparse = Sparse(a)
    kind = str(dtype or sparse.dtype)
    if kind not in ("float32", "float64"):
        raise ValueError(f"dtype: expected float32 or float64, found {kind}")
    several = isinstance(k, (list, tuple, range)) or getattr(k, "ndim", 0) == 1
    ks = [number(x, "k", 1, 2**31 - 1) for x in (k if several else [k])]
    numbers = (c.c_int64 * max(len(ks), 1))(*ks)
    problem = lib.PlanProblem(op=0, precision=int(kind == "float64"), layout=_LAYOUTS[layout],
                              k=c.cast(numbers, lib.I64P), ks=len(ks))
    matrix = lib.PlanMatrix(sparse.shape[0], sparse.shape[1], sparse.nnz, sparse.row_ptr, sparse.row_ptr_bytes,
                            sparse.col_idx, sparse.val, sparse.value_bytes, int(sparse.on_device))
    if model is not None and not isinstance(model, Model):
        raise TypeError(f"model: expected a rowcast.Model, found {type(model).__name__}")
    options = lib.PlanOptions(kernels=text_or_none(kernels, "kernels"), orders=text_or_none(orders, "orders"),
                              tune=number(tune, "tune", 0, 2**31 - 1), reuse=real(reuse, "reuse"),
                              memory=number(memory, "memory"),
                              deterministic=flag(deterministic, "deterministic") | flag(strict, "strict") << 1,
                              model=model._model if model is not None else None)
    on = _one_stream(sparse.stream if stream is None else stream)
    handle = c.c_void_p()
    with on_device(sparse.like, sparse.device):
        lib.call(lib.load("rowcast_cuda").rc_plan_create, c.byref(problem), c.byref(matrix), c.byref(options), on,
                 c.byref(handle))
    return Plan(handle, sparse, kind, layout, on, sparse.stream_kept if stream is None else None, sparse.device)
