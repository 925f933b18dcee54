"""A product that is asked for again: what was found right the last time is not looked for again."""
from __future__ import annotations

import ctypes as c
import sys
from typing import Any, Callable, Optional, Tuple

import numpy as np

from . import _library as lib
from ._arrays import Dense, is_cupy, is_torch, new_cupy, new_numpy, new_torch
from ._given import real

#: What an array is (type of values, shape, strides, device of its library, ...), and where it is.
Look = Callable[[Any], Tuple[Tuple[Any, ...], int]]


def _look_numpy(a: np.ndarray) -> Tuple[Tuple[Any, ...], int]:
    return (a.dtype, a.shape, a.strides, None, a.flags.writeable), a.ctypes.data


def _look_torch(a: Any) -> Tuple[Tuple[Any, ...], int]:
    return (a.dtype, a.shape, a.stride(), a.device, a.is_neg(), a.is_conj()), a.data_ptr()


def _look_cupy(a: Any) -> Tuple[Tuple[Any, ...], int]:
    return (a.dtype, a.shape, a.strides, a.device), a.data.ptr


def _stream_host(device: Any) -> int:
    return 0


def _stream_torch(device: int) -> int:
    import torch
    return torch.cuda.current_stream(device).cuda_stream


def _stream_cupy(device: int) -> Optional[int]:
    """None: another GPU is the current one, whose stream this would be."""
    import cupy
    here = cupy.cuda.runtime.getDevice() == device
    return cupy.cuda.get_current_stream().ptr if here else None


def _ways(array: Any) -> Tuple[Look, Callable[[Any], Optional[int]], Callable[..., Any]]:
    """How an array is looked at, the current stream of its library, and how that makes another."""
    if is_torch(array):
        # the number alone, where PyTorch tells it
        raw = getattr(sys.modules["torch"]._C, "_cuda_getCurrentRawStream", _stream_torch)
        return _look_torch, raw, new_torch
    if is_cupy(array):
        return _look_cupy, _stream_cupy, new_cupy
    return _look_numpy, _stream_host, new_numpy


class Again:
    """The last product of a plan.  A call with it is a product, or None where anything but places
    of memory, alpha and beta is other than it was: then the caller looks at all of it.
    """

    def __init__(self, plan: Any, handle: c.c_void_p, asked: "Asked", stream: int):
        b, out = asked.b, asked.out
        self._look, self._current, self._new = _ways(b.array)
        self._kind, self._device, self._stream = type(b.array), b.device, stream
        self._b = self._look(b.array)[0]
        self._out = None if asked.is_new else self._look(out.array)[0]
        self._out_kind, self._out_type = type(out.array), out.array.dtype
        self._transposed, self._shape = asked.transposed, out.shape
        self._column = plan.layout == "column"
        self._call = asked.call(handle, 1.0, 0.0)
        self._is_complex = lib.is_complex(plan.dtype)
        self._err = lib.Err()
        self._arguments = c.byref(self._call), 1, stream, c.byref(self._err)
        self._execute, self._lock = plan._library.rc_plan_execute_many, plan._lock
        self._plans, self._handle = plan._of, handle

    def __call__(self, b: Any, out: Any, alpha: Any, beta: Any, transposed: Any,
                 stream: Any) -> Any:
        if type(b) is not self._kind or transposed is not self._transposed:
            return None
        if (out is None) is not (self._out is None):
            return None
        is_b, b_at = self._look(b)
        on = self._current(self._device) if stream is None else stream
        if is_b != self._b or on != self._stream:
            return None
        if out is None:
            out = self._new(self._out_type, self._b[3], self._shape, self._column)
        elif type(out) is not self._out_kind:
            return None
        is_out, out_at = self._look(out)
        if self._out is not None and is_out != self._out:
            return None
        if self._is_complex and not type(alpha) is type(beta) is float:
            return None  # which that call has not
        alpha = alpha if type(alpha) is float else real(alpha, "alpha")
        beta = beta if type(beta) is float else real(beta, "beta")
        call = self._call
        with self._lock:
            if self._plans.get(self._stream, (None,))[0] is not self._handle:
                return None  # that plan is not there any more
            call.b, call.c, call.alpha, call.beta = b_at, out_at, alpha, beta
            return out if self._execute(*self._arguments) >= 0 else None


class Asked:
    """A product as it was asked for, found to be one of the plan.

    Attributes:
        b, out: seen alike
        ldb, ldc: leading dimensions
        is_new: out was made for it
        as_given: b and out are the caller's own objects, and not views of them
    """

    def __init__(self, b: Dense, out: Dense, column: bool, *, transposed: bool, is_new: bool,
                 as_given: bool):
        self.b, self.out = b, out
        self.ldb, self.ldc = b.leading(column, "B"), out.leading(column, "out")
        self.transposed, self.is_new, self.as_given = transposed, is_new, as_given

    def product(self, alpha: complex, beta: complex) -> Any:
        """For rc_plan_execute_complex."""
        return lib.PlanProduct(k=self.b.shape[1], alpha=(alpha.real, alpha.imag),
                               beta=(beta.real, beta.imag), **{"in": (self.b.pointer,)},
                               ld_in=(self.ldb,), out=self.out.pointer, ld_out=self.ldc,
                               transposed=int(self.transposed))

    def call(self, plan: c.c_void_p, alpha: float, beta: float) -> Any:
        """For rc_plan_execute_many."""
        return lib.PlanCall(plan=plan, k=self.b.shape[1], alpha=alpha, b=self.b.pointer,
                            ldb=self.ldb, beta=beta, c=self.out.pointer, ldc=self.ldc,
                            transposed=int(self.transposed))
