"""Plans that XLA calls, by the patterns of their matrices."""
from __future__ import annotations

import ctypes as c
import functools
import threading
import uuid
import weakref
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple

import jax
import jax.ffi
import numpy as np

from . import _library as lib
from ._given import Handle, number, number_of, text_or_none, threads_of
from ._sides import _OF_A, _OF_T
from .plan import Plan

_OPS = {"spmm": 0, "spmv": 1, "sddmm": 3}  # of rc_op_t
_ROW_MAJOR, _CSR, _CSC = 1, 0, 1
#: Our library, and the name of the platform for XLA, by its name in lowering.
_PLATFORMS = {"cpu": ("rowcast_plan", "cpu"), "cuda": ("rowcast_cuda", "CUDA")}
#: Of this process alone: an executable of a cache on disk, which has addresses, finds no handler.
_TARGET = f"rowcast_{uuid.uuid4().hex}"


@dataclass
class Settings:
    """What new plans are made with.

    Attributes:
        tune: candidates to time when a plan is made, as of rowcast.plan(); 0: none, by a rule
        kernels: names and globs with commas; None: any
        threads: of plans for the CPU; 0: all
    """

    tune: int = 0
    kernels: Optional[str] = None
    threads: int = 0


settings = Settings()


def _library(platform: str) -> Any:
    if platform not in _PLATFORMS:
        raise NotImplementedError(f"platform: expected {' or '.join(_PLATFORMS)}, found {platform}")
    return lib.load(_PLATFORMS[platform][0])


@functools.lru_cache(maxsize=None)
def target(platform: str) -> str:
    """The name that the handler has, registered where it was not."""
    handler = jax.ffi.pycapsule(_library(platform).rc_xla_call)
    jax.ffi.register_ffi_target(_TARGET, handler, platform=_PLATFORMS[platform][1])
    return _TARGET


# ---------------------------------------------------------------- plans

#: Plans that nobody has any more, with their platform.
_late: List[Tuple[str, int]] = []


def _free_late() -> None:
    """Free what no call needs: those under way end first.

    A few bytes stay for each, by which a call finds that its plan is gone.
    """
    taken = []
    while True:
        try:
            taken.append(_late.pop())  # other threads take some, too
        except IndexError:
            break
    for platform in {platform for platform, _ in taken}:
        for array in jax.live_arrays(platform):
            try:
                array.block_until_ready()
            except RuntimeError:  # its computation failed, or it was donated
                continue
    for platform, address in taken:
        _library(platform).rc_xla_plan_close(address)


class Product(Handle):
    """A plan of one operation, type and K, for calls of XLA on a platform.

    Attributes:
        address: for the handler
    """

    def __init__(self, platform: str, handle: c.c_void_p):
        library, made = _library(platform), c.c_void_p()
        try:
            lib.call(library.rc_xla_plan_new, handle, c.byref(made))
        except lib.Error:
            library.rc_plan_free(handle)
            raise
        self._platform, self.address = platform, made.value

    def __del__(self) -> None:
        if getattr(self, "address", None):
            _late.append((self._platform, self.address))


class _Source:
    """What makes the plans of a matrix, each once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._products: Dict[Tuple[Any, ...], Product] = {}
        #: functions that are compiled for calls outside of others
        self.eager: Dict[Any, Callable[..., Any]] = {}

    def product(self, platform: str, op: str, transposed: bool, dtype: Any, k: int) -> Product:
        """The plan, made where there is none."""
        key = platform, op, transposed, str(dtype), k
        with self._lock:
            if key not in self._products:
                _free_late()
                self._products[key] = self._made(*key)
            return self._products[key]

    def _made(self, platform: str, op: str, transposed: bool, dtype: str, k: int) -> Product:
        raise NotImplementedError


class Pattern(_Source):
    """Where the entries of a matrix are, by rows, each place once.

    Attributes:
        shape, nnz
        slot: the place of each entry that was given; None: each its own
        entries: that were given
    """

    def __init__(self, ptr: Any, idx: Any, shape: Tuple[int, int]):
        super().__init__()
        self.shape, self.slot = shape, None
        self._ptr, self._idx = _integers(ptr, "crow"), _integers(idx, "col")
        self.entries = self.nnz = len(self._idx)
        if self._ptr.shape != (shape[0] + 1,):
            raise ValueError(f"crow: expected {shape[0] + 1} pointers, found {len(self._ptr)}")
        if not self._is_ascending():
            row = np.repeat(np.arange(shape[0]), np.diff(self._ptr))
            places, self.slot = np.unique(row * shape[1] + self._idx, return_inverse=True)
            self._ptr = np.searchsorted(places, np.arange(shape[0] + 1) * shape[1])
            self._idx = places % shape[1]
            self.nnz = len(places)

    def _is_ascending(self) -> bool:
        """Columns of each row ascend.

        Raises:
            ValueError: pointers that fall, or columns outside
        """
        found, matrix = lib.PatternInfo(), self._matrix(_CSR)
        try:
            lib.call(lib.load("rowcast_plan").rc_pattern_read_host, c.byref(matrix), 0,
                     c.byref(found))
        except lib.Error as e:
            raise ValueError(str(e)) if e.name == "format" else e
        return bool(found.ascending)

    def _matrix(self, form: int) -> Any:
        """For C, without values; in the other form A'."""
        rows, cols = self.shape if form == _CSR else self.shape[::-1]
        return lib.PlanMatrix(rows=rows, cols=cols, nnz=len(self._idx), form=form,
                              row_ptr=self._ptr.ctypes.data, row_ptr_bytes=self._ptr.itemsize,
                              col_idx=self._idx.ctypes.data, col_idx_bytes=self._idx.itemsize)

    def _made(self, platform: str, op: str, transposed: bool, dtype: str, k: int) -> Product:
        precision = number_of(dtype, lib.dtypes(), "values")
        matrix, handle = self._matrix(_CSC if transposed else _CSR), c.c_void_p()
        ones = np.ones(self.nnz, np.float32)  # calls have others, but those of sddmm
        matrix.val, matrix.precision = ones.ctypes.data, lib.dtypes()["float32"]
        ks = [] if op == "spmv" else [k]
        problem = lib.PlanProblem(op=_OPS[op], precision=precision, layout=_ROW_MAJOR,
                                  k=c.cast((c.c_int64 * 1)(*ks), lib.I64P), ks=len(ks))
        options = lib.PlanOptions(kernels=text_or_none(settings.kernels, "settings.kernels"),
                                  tune=number(settings.tune, "settings.tune", 0, 2**31 - 1),
                                  threads=threads_of(settings.threads, "settings.threads"))
        given, library = (c.byref(problem), c.byref(matrix), c.byref(options)), _library(platform)
        if platform == "cpu":
            lib.call(library.rc_plan_create_host, *given, c.byref(handle))
        else:
            lib.call(library.rc_plan_create, *given, None, c.byref(handle))
        return Product(platform, handle)

    def __repr__(self) -> str:
        return f"<pattern {self.shape[0]} x {self.shape[1]}, {self.nnz} places>"


def _integers(array: Any, name: str) -> np.ndarray:
    """On the host, of 4 or 8 bytes, side by side."""
    if isinstance(array, jax.core.Tracer):
        raise TypeError(f"{name}: expected numbers that are known, found traced ones: make a "
                        "rowcast.jax.Matrix outside of the function")
    found = np.asarray(array)
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise ValueError(f"{name}: expected integers in a row, found {found.ndim} dimensions of "
                         f"{found.dtype}")
    return np.array(found, found.dtype if found.dtype in (np.int32, np.int64) else np.int64)


class OfPlan(_Source):
    """A rowcast.Plan, with the values that it has when it is first called.

    Attributes:
        shape
    """

    def __init__(self, plan: Plan):
        super().__init__()
        self._plan, self.shape = weakref.ref(plan), plan.shape
        self._dtype = plan.dtype

    def _made(self, platform: str, op: str, transposed: bool, dtype: str, k: int) -> Product:
        plan, clone = self._plan(), c.c_void_p()
        if plan is None:
            raise ReferenceError("plan: expected it to be kept until it is compiled, found it gone")
        if dtype != self._dtype or plan.out_dtype != self._dtype:
            raise TypeError(f"B: expected {self._dtype}, and that in C, found {dtype}")
        if platform == "cpu" and not plan.on_cpu:
            plan = plan._for_numpy()
        if plan.on_cpu != (platform == "cpu"):
            raise ValueError(f"plan: expected one for {platform}, found one for the CPU")
        side = _side(plan, op, transposed)
        with side._lock:
            lib.call(_library(platform).rc_plan_clone, side._any(), None, c.byref(clone))
        return Product(platform, clone)


def _side(plan: Plan, op: str, transposed: bool) -> Plan:
    """A plan of that operation, of A or A' alone."""
    if not (transposed and plan._both):
        return plan._side(op, _OF_T if transposed else _OF_A)
    made = plan._derive(op, _OF_T)
    if plan._values is not None:
        made._catch_up(plan._values)
    return made


_of_plans: "weakref.WeakKeyDictionary[Plan, OfPlan]" = weakref.WeakKeyDictionary()


def of_plan(plan: Plan) -> OfPlan:
    """The same one each time."""
    return _of_plans.setdefault(plan, OfPlan(plan))
