"""Plans of products of tensors, each of one pattern, operation, type and K."""
from __future__ import annotations

import ctypes as c
import os
import threading
from typing import Any, Dict, List, Optional, Tuple

import torch

from . import _library as lib
from ._given import Handle
from ._torch_memory import (Stamp, Tensor, clock, is_capturing, settings, stream_of, type_name,
                            types)

_OPS = {"spmm": 0, "spmv": 1, "sddmm": 3}  # of rc_op_t
_ROW_MAJOR = 1


def unsupported(text: str) -> lib.Error:
    """What cannot be done now, as the library says it."""
    return lib.Error(-6, "unsupported", text)


def summed(val: Tensor, slot: Optional[Tensor], places: int) -> Tensor:
    """Values of one place added up; slot: the place of each; None: each its own."""
    return val if slot is None else val.new_zeros(places).index_add_(0, slot, val)


class _Run:
    """A plan for one stream, with the values that it had last."""

    def __init__(self, handle: c.c_void_p, k: int, stream: int, kept: Any):
        self.handle, self.values = handle, Stamp()
        self.renewed = False  # took other values than those that it was made with
        self.in_graph = False  # whose replays give it other values
        self.err = lib.Err()
        self.call = lib.PlanCall(plan=handle, k=k, alpha=1.0, ldc=k)
        self.on(stream, kept)

    def on(self, stream: int, kept: Any) -> None:
        """The stream of its next products, and the object that keeps it."""
        self.stream, self.kept = stream, kept
        self.arguments = c.byref(self.call), 1, stream, c.byref(self.err)


#: Plans that went while a graph was captured, with their library.
_late: List[Tuple[Any, List[_Run]]] = []


def free_late() -> None:
    """Free what could not be freed in a capture."""
    while _late:
        library, runs = _late.pop()
        for run in runs:
            library.rc_plan_free(run.handle)


class Product(Handle):
    """A plan of one pattern, operation, type and K.

    Any thread may call it; products take turns.  Each stream has a clone, with values of its own.

    Attributes:
        used: when, among all products
        bytes: of memory that it takes, about
        in_graph: a CUDA graph holds a product, so that it stays
    """

    in_graph = False

    def __init__(self, op: str, dtype: torch.dtype, k: int, nnz: int, device: torch.device):
        self.op, self.k, self.nnz = op, k, nnz
        self._precision = types()[type_name(dtype)]
        self.bytes = nnz * (4 + torch.empty(0, dtype=dtype).element_size())
        self.used, self._device, self._on_cpu = next(clock), device, device.type == "cpu"
        self._library = lib.load("rowcast_plan" if self._on_cpu else "rowcast_cuda")
        self._runs: Dict[int, _Run] = {}
        self._lock, self._process = threading.Lock(), os.getpid()

    def __del__(self) -> None:
        runs = list(getattr(self, "_runs", {}).values())
        if not runs or not (self._on_cpu or os.getpid() == self._process):
            return  # a child of fork has no GPU
        if is_capturing(self._device):  # a wait would end the capture
            _late.append((self._library, runs))
            return
        for run in runs:
            self._library.rc_plan_free(run.handle)

    def prepare(self, matrix: Any, options: Any, val: Tensor) -> None:
        """Make the plan, with these values, for the current stream."""
        ks = [] if self.op == "spmv" else [self.k]
        problem = lib.PlanProblem(op=_OPS[self.op], precision=self._precision, layout=_ROW_MAJOR,
                                  k=c.cast((c.c_int64 * 1)(*ks), lib.I64P), ks=len(ks))
        handle, given = c.c_void_p(), (c.byref(problem), c.byref(matrix), c.byref(options))
        if self._on_cpu:
            lib.call(self._library.rc_plan_create_host, *given, c.byref(handle))
            self._begin(handle, 0, None).values.took(val)
            return
        with torch.cuda.device(self._device):
            stream = torch.cuda.current_stream(self._device)
            number = stream.cuda_stream
            lib.call(self._library.rc_plan_create, *given, number, c.byref(handle))
        self._begin(handle, number, stream).values.took(val)

    def _begin(self, handle: c.c_void_p, stream: int, kept: Any) -> _Run:
        run = self._runs[stream] = _Run(handle, self.k, stream, kept)
        return run

    def _here(self) -> _Run:
        """Of the current stream of the GPU."""
        number = stream_of(self._device.index)
        run = self._runs.get(number)
        capturing = torch.cuda.is_current_stream_capturing()
        if run is None:
            stream = torch.cuda.current_stream(self._device)
            run = self._moved(number, stream) if capturing else self._clone(number, stream)
        if capturing:
            run.in_graph = self.in_graph = True
        return run

    def _moved(self, number: int, stream: Any) -> _Run:
        """A graph gets the plan of another stream: its last product was before the capture."""
        free = [s for s, run in self._runs.items() if not run.in_graph]
        if not free:
            raise unsupported("plan: expected one that no other graph holds, found none: multiply "
                              "once before the capture begins")
        run = self._runs[number] = self._runs.pop(free[0])
        run.on(number, stream)
        return run

    def _clone(self, number: int, stream: Any) -> _Run:
        """For a stream that has none."""
        handle, first = c.c_void_p(), next(iter(self._runs.values()))
        with torch.cuda.device(self._device):
            lib.call(self._library.rc_plan_clone, first.handle, number, c.byref(handle))
        return self._begin(handle, number, stream)

    def _renew(self, run: _Run, val: Tensor, slot: Optional[Tensor]) -> None:
        """Give it these values."""
        if not run.renewed and is_capturing(self._device):
            raise unsupported("values: expected a plan that can take new ones in a graph, found "
                              "one that has not yet: set rowcast.torch.settings.graphs before the "
                              "product before the capture")
        new = summed(val, slot, self.nnz).contiguous()
        status = self._library.rc_plan_update_values(
            run.handle, self.nnz, new.data_ptr(), self._precision, not self._on_cpu, run.stream,
            run.arguments[-1])
        if status < 0:
            lib.check(status, run.err)
        run.renewed = True
        if val.requires_grad:
            run.values.forget()  # are read each time
        else:
            run.values.took(val)

    def values_changed(self) -> None:
        """Those of the next product are to be read."""
        for run in list(self._runs.values()):
            run.values.forget()

    def multiply(self, val: Tensor, slot: Optional[Tensor], b: Tensor, ldb: int,
                 out: Tensor) -> None:
        """out = A b.

        Values that require gradients are read each time: who trains them may change them through
        .data, which PyTorch does not count.
        """
        with self._lock:
            run = self._runs[0] if self._on_cpu else self._here()
            if (val.requires_grad or run.in_graph or not run.values.has(val)
                    or (settings.graphs and not run.renewed)):
                self._renew(run, val, slot)
            call = run.call
            call.b, call.ldb, call.c = b.data_ptr(), ldb, out.data_ptr()
            status = self._library.rc_plan_execute_many(*run.arguments)
            if status < 0:
                lib.check(status, run.err)
        self.used = next(clock)

    def sample(self, y: Tensor, ldy: int, x: Tensor, ldx: int, out: Tensor) -> None:
        """out = y x' at the places of the pattern."""
        with self._lock:
            run = self._runs[0] if self._on_cpu else self._here()
            status = self._library.rc_plan_execute_sddmm(
                run.handle, self.k, 1.0, y.data_ptr(), ldy, x.data_ptr(), ldx, 0.0, out.data_ptr(),
                *run.arguments[2:])
            if status < 0:
                lib.check(status, run.err)
        self.used = next(clock)
