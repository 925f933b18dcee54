"""Plans: the fastest product of a matrix, on arrays of NumPy, CuPy and PyTorch."""
from __future__ import annotations

import contextlib
import ctypes as c
import os
import threading
import weakref
from functools import partial
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _library as lib
from ._again import Again, Asked
from ._arrays import Dense, HostDense, Sparse, on_device
from ._given import (Handle, factor, file_name, flag, number, number_of, real, text_or_none,
                     threads_of, value_type)
from ._sides import _OF_A, _OF_C, _OF_H, _OF_T, Sides, Transposed
from ._streams import stream_after, stream_of
from .model import Model

_LAYOUTS = {"column": 0, "row": 1}
_OPS = {"spmm": 0, "spmv": 1}  # of rc_op_t
_WITHOUT_K = {"spmv"}
_FLAGS = ("chosen", "baseline", "again")
_SEARCH = -1  # RC_PLAN_SEARCH
_SECONDS = 9 * 10**9  # whose ns fit 64 bits


class Plan(Sides, Handle):
    """C = A B for one matrix, prepared on a GPU or for the CPU: call it with B.  Made by plan().

    Any thread may call it; products take turns.  Products on another stream than before get a clone with a workspace of
    its own, so that streams do not wait for one another.  A plan that a GPU has of a matrix of
    SciPy makes one for the CPU too, when it is called with an array of NumPy.

    It keeps a copy of A where A is, and one of new values, for those plans, .T and products with
    vectors: what is done to A does not reach them.

    Attributes:
        shape: of A
        op: "spmm" or "spmv"
        dtype: of B: "float32", "float64", "bfloat16", "float16", "complex64" or "complex128"
        out_dtype: of C
        layout: "row" or "column"
        device: index of the GPU; None: of a matrix of the host, the one that was current
        on_cpu: whether it multiplies on the CPU
    """

    on_cpu = False
    _again: Optional[Again] = None  # the last product
    _cpu: Optional["Plan"] = None  # what _beside has made
    _beside: Optional[Callable[[], "Plan"]] = None  # makes the same plan for the CPU

    def __init__(self, handle: c.c_void_p, a: Sparse, dtype: str, layout: str, stream: int, kept: Any,
                 device: Optional[int], on_cpu: bool = False, op: str = "spmm",
                 out_dtype: Optional[str] = None, both: bool = False):
        self.op, self.out_dtype, self._both = op, out_dtype or dtype, both
        self.shape, self.dtype, self.layout, self.device = a.shape, dtype, layout, device
        self._nnz, self.on_cpu = a.nnz, on_cpu
        self._library = lib.load("rowcast_plan" if on_cpu else "rowcast_cuda")
        # by the number of a stream: the plan, and the object that keeps the stream, for which it waits when it goes
        self._of: Dict[int, Tuple[c.c_void_p, Any]] = {stream: (handle, kept)}
        self._lock = threading.Lock()
        self._process = os.getpid()
        _plans.add(self)

    def __del__(self) -> None:
        plans = getattr(self, "_of", {})
        for handle, _ in plans.values():
            if os.getpid() == self._process or self.on_cpu:  # a child of fork has no GPU
                self._library.rc_plan_free(handle)
        plans.clear()

    def _any(self) -> c.c_void_p:
        return next(iter(self._of.values()))[0]

    def _on(self, stream: int, like: Dense) -> c.c_void_p:
        """The plan of a stream, cloned at its first product there."""
        if not self.on_cpu and os.getpid() != self._process:
            raise lib.Error(-6, "unsupported", "plan: of a GPU, which a child of fork() has not")
        if stream not in self._of:
            clone = c.c_void_p()
            with on_device(like.array, like.device):
                lib.call(self._library.rc_plan_clone, self._any(), stream, c.byref(clone))
            self._of[stream] = (clone, like.stream_kept if like.stream == stream else None)
        return self._of[stream][0]

    def __call__(self, b: Any, out: Any = None, *, alpha: complex = 1.0, beta: complex = 0.0,
                 transposed: bool = False, stream: Optional[int] = None) -> Any:
        """alpha A B + beta out, on a GPU asked for on the stream and not waited for.

        Args:
            b: cols x K, of NumPy, or on the plan's GPU, of PyTorch, CuPy, or by DLPack; of one
                dimension as spmv() takes it
            out: rows x K; None: a new array of b's library
            alpha, beta: complex ones are of plans of complex numbers
            transposed: A' B, of a plan made with `transposed` or of kernel rs: b has rows, out cols
            stream: of CUDA, as a number, which must exist until the plan is gone; None: the current one of b's library,
                which the plan keeps

        Returns:
            out; of another library, by DLPack, the array of PyTorch or CuPy that has the memory of out

        Raises:
            ValueError: shape, layout, type or GPU is not that of the plan; a stream that means another in each thread
            Error: what the library says; a K that the plan is not for
        """
        again = self._again
        done = None if again is None else again(b, out, alpha, beta, transposed, stream)
        if done is not None:
            return done
        if getattr(b, "ndim", 2) == 1:
            return self._vector(b, out, bool(transposed), alpha=alpha, beta=beta, stream=stream)
        if isinstance(b, np.ndarray) and not self.on_cpu:
            return self._for_numpy()(b, out, alpha=alpha, beta=beta, transposed=transposed)
        asked = self._asked(b, out, bool(transposed))
        on = stream_of(asked.b, stream, "B")
        is_complex = lib.is_complex(self.dtype)
        factors = [(factor if is_complex else real)(*x) for x in ((alpha, "alpha"), (beta, "beta"))]
        if asked.b.shape[1] == 0:
            return asked.out.array
        with self._lock:
            library, handle = self._library, self._on(on, asked.b)
            if is_complex:
                lib.call(library.rc_plan_execute_complex, handle, asked.product(*factors), on)
            else:
                execute = (library.rc_plan_execute_transposed if transposed else
                           library.rc_plan_execute)
                lib.call(execute, handle, asked.b.shape[1], factors[0], asked.b.pointer, asked.ldb,
                         factors[1], asked.out.pointer, asked.ldc, on)
            self._again = Again(self, handle, asked, on) if asked.as_given else None
        return asked.out.array

    def _asked(self, b: Any, out: Any, transposed: bool) -> Asked:
        """A product that is one of this plan, with an array of its own where out is None."""
        dense = self._seen(b, "B")
        column = self.layout == "column"
        rows, cols = reversed(self.shape) if transposed else self.shape
        self._fits(dense, cols, 1 if self.op in _WITHOUT_K else None, "B", self.dtype)
        k = dense.shape[1]
        result = (self._seen(out, "out") if out is not None
                  else dense.empty(rows, k, column, self.out_dtype))
        self._fits(result, rows, k, "out", self.out_dtype)
        alike = out is None or (result.array is out and type(out) is type(b))
        return Asked(dense, result, column, transposed=transposed, is_new=out is None,
                     as_given=dense.array is b and alike)

    def _seen(self, array: Any, what: str) -> Dense:
        return HostDense(array, what) if self.on_cpu else Dense(array, what)

    def _for_numpy(self) -> "Plan":
        """The plan for the CPU, made at the first product there."""
        with self._lock:
            if self._beside is None:
                raise ValueError("B: expected an array on a GPU, found one of NumPy: the plan has "
                                 "the matrix, or its new values, there alone")
            if self._cpu is None:
                self._cpu = self._beside()
            return self._cpu

    def _fits(self, m: Dense, rows: int, k: Optional[int], what: str, dtype: str) -> None:
        if len(m.shape) != 2 or m.shape[0] != rows or (k is not None and m.shape[1] != k):
            raise ValueError(f"{what}: expected {rows} x {'K' if k is None else k}, found {m.shape}")
        if m.dtype != dtype:
            raise ValueError(f"{what}: expected {dtype}, found {m.dtype}")
        self._here(m, what)

    def _here(self, m: Dense, what: str) -> None:
        if self.device is not None and m.device != self.device:
            raise ValueError(f"{what}: expected it on GPU {self.device}, found it on GPU {m.device}")

    def update(self, values: Any, *, stream: Optional[int] = None) -> None:
        """New values on the same pattern, in the order that A had them when the plan was made.

        Those of .T and with vectors have them too.  Products that were asked for have the old ones,
        whatever their stream: plans of other streams go, which waits for them, and come back at
        their next product.

        Args:
            values: [nnz] where the plan is, of any value type: on its GPU, or of NumPy
            stream: as for a product
        """
        self._update(values, stream, False)

    def _update(self, values: Any, stream: Optional[int], is_own: bool) -> None:
        """is_own: nobody changes the array any more, which need not be copied."""
        dense = self._seen(values, "values")
        if dense.shape != (self._nnz,) or (self._nnz > 1 and dense.strides != (1,)):
            raise ValueError(f"values: expected {self._nnz} side by side, found {dense.shape}")
        self._here(dense, "values")
        known = lib.dtypes() if lib.is_complex(self.dtype) else lib.real_dtypes()
        precision = number_of(dense.dtype, known, "values")
        on = stream_of(dense, stream, "values")
        with self._lock:
            own = values if is_own or self._derive is None else dense.copied(on).array
            mine = self._on(on, dense)
            for other in [s for s in self._of if s != on]:
                self._library.rc_plan_free(self._of.pop(other)[0])
            self._again = self._beside = self._cpu = None  # which have the old values
            lib.call(self._library.rc_plan_update_values, mine, self._nnz, dense.pointer, precision,
                     int(not self.on_cpu), on)
            self._update_sides(own, on)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Write choices and orders, for `rowcast plan` and rc_plan_load."""
        with self._lock:
            lib.call(self._library.rc_plan_save, self._any(), file_name(path, "path"))

    def describe(self) -> str:
        """What was chosen for each K, why, and what it takes."""
        handle = self._any()
        text = c.create_string_buffer(self._library.rc_plan_describe(handle, None, 0) + 1)
        self._library.rc_plan_describe(handle, text, len(text))
        return text.value.decode()

    def answer(self) -> "Answer":
        """What was found, as a sentence and rows."""
        sentences, rows = [], []
        for i in range(self._library.rc_plan_parts(self._any())):
            found = lib.PlanAnswer()
            lib.call(self._library.rc_plan_answer, self._any(), i, c.byref(found))
            sentences.append(found.sentence.decode())
            for row in found.row[:found.rows]:
                fields = {name: _of_c(getattr(row, name), name) for name, _ in row._fields_}
                rows.append({"k": found.k, "transposed": bool(found.transposed), **fields})
            self._library.rc_plan_answer_free(c.byref(found))
        company = self._library.rc_plan_company(self._any()).decode()
        return Answer("\n".join(sentences), rows, self, company)

    def __repr__(self) -> str:
        types = " to ".join(dict.fromkeys([self.dtype, self.out_dtype]))
        return f"<rowcast.Plan {self.shape[0]} x {self.shape[1]}, {types}, {self.layout}-major>"


def execute_many(calls: Sequence[Sequence[Any]], *, stream: Optional[int] = None) -> List[Any]:
    """Several products by one call, in their order, all looked at before the first is asked for.

    Args:
        calls: each (plan, b), (plan, b, out) or (plan, b, out, alpha, beta) with real factors; a
            plan may be there more than once, as .T where it was made with transposed=True
        stream: of all; None: the current one of the libraries of all b

    Returns:
        out of each

    Raises:
        ValueError, Error: as a call of a plan, with the index from 0, of the products with a
            column, where the library says it; plans of a GPU and of the CPU together; more than one
            stream
    """
    asked, plans, factors = [], [], []
    if not hasattr(calls, "__iter__"):
        raise TypeError(f"calls: expected several, found {type(calls).__name__}")
    for call in calls:
        if not isinstance(call, (list, tuple)):
            raise TypeError(f"calls: expected (plan, b) or more each, found {type(call).__name__}")
        if not 2 <= len(call) <= 5:
            raise ValueError(f"calls: expected plan, b, out, alpha and beta, found {len(call)}")
        made, b, out, alpha, beta = (*call, *(None, 1.0, 0.0)[len(call) - 2:])
        turned = isinstance(made, Transposed) and made._of == _OF_T and made._plan._both
        made = made._plan if turned else made
        if not isinstance(made, Plan):
            raise TypeError("calls: expected a rowcast.Plan first, or .T of one made with "
                            f"transposed=True, found {type(made).__name__}")
        made = made._for_numpy() if isinstance(b, np.ndarray) and not made.on_cpu else made
        plans.append(made)
        asked.append(made._asked(b, out, turned))
        factors.append((real(alpha, "alpha"), real(beta, "beta")))
    streams = {a.b.stream for a in asked} if stream is None else {stream}
    if len(streams) > 1 or len({p.on_cpu for p in plans}) > 1:
        raise ValueError("calls: expected all on one stream of a GPU, or all on the CPU")
    if asked:
        on = [stream_of(a.b, stream, "B") for a in asked][0]
        with contextlib.ExitStack() as held:
            for lock in sorted({p._lock for p in plans}, key=id):  # no two calls wait in turns
                held.enter_context(lock)
            each = [a.call(p._on(on, a.b), *f) for a, p, f in zip(asked, plans, factors)
                    if a.b.shape[1] > 0]
            listed = (lib.PlanCall * len(each))(*each)
            lib.call(plans[0]._library.rc_plan_execute_many, listed, len(each), on)
    return [a.out.array for a in asked]


_plans: "weakref.WeakSet[Plan]" = weakref.WeakSet()


def _in_child() -> None:
    """Another thread may have been in a product: it is not there to leave it."""
    for made in list(_plans):
        made._lock, made._again = threading.Lock(), None


os.register_at_fork(after_in_child=_in_child)


def _goes_to_cpu(device: Optional[str], sparse: Sparse, stream: Optional[int]) -> bool:
    """Where it is said to, else where the matrix is; of the host to a GPU if there is one."""
    if device not in (None, "cpu", "gpu"):
        raise ValueError(f"device: expected 'cpu' or 'gpu', found {device!r}")
    if device == "cpu" and (sparse.on_device or stream is not None):
        raise ValueError("device: expected 'gpu' for a matrix there or with a stream, found 'cpu'")
    free = device is None and not sparse.on_device and stream is None
    return device == "cpu" or (free and not lib.has_gpu())


def _numbers(k: Any) -> List[int]:
    several = isinstance(k, (list, tuple, range)) or getattr(k, "ndim", 0) == 1
    return [number(x, "k", 1, 2**31 - 1) for x in (k if several else [k])]


def _of_model(model: Any) -> Any:
    if not isinstance(model, (Model, type(None))):
        raise TypeError(f"model: expected a rowcast.Model, found {type(model).__name__}")
    return None if model is None else model._model


class Answer:
    """Which order and kernel multiply fastest, and whether reordering pays.  Made by answer().

    Attributes:
        sentence: a line for each K
        rows: a dict for each order and kernel, the chosen one first, with the fields of
            rc_plan_row_t (times in ns): pandas.DataFrame(rows) is a table
        plan: the product that was chosen, ready to run
        company: a line where other programs shared the CPUs meanwhile, with the load; else, and of
            a GPU, ""

    Printed it is the sentence, and the line where there is one.
    """

    def __init__(self, sentence: str, rows: List[Dict[str, Any]], plan: Plan, company: str = ""):
        self.sentence, self.rows, self.plan, self.company = sentence, rows, plan, company

    def __repr__(self) -> str:
        return "\n".join(filter(None, [self.sentence, self.company]))


def _of_c(value: Any, name: str) -> Any:
    return value.decode() if isinstance(value, bytes) else bool(value) if name in _FLAGS else value


def answer(a: Any, k: Union[int, Sequence[int]], *, budget: float = 5, **options: Any) -> Answer:
    """Search for the fastest product: kernels first, then row orders, from the cheapest on.

    Beside other programs on its CPUs, threads of this process wait for each other asleep while it
    searches, and afterwards as before.  By default they spin, and products take many times what
    the answer says there: OMP_WAIT_POLICY=passive, set before the process starts, keeps them
    asleep, at 50 to 100 us a product where the CPUs are free.

    Args:
        a, k, options: as for plan()
        budget: seconds for all K, about
    """
    return plan(a, k, budget=budget, **options).answer()


def _tuning(tune: int, budget: Optional[float], in_use: int) -> Dict[str, int]:
    if number(in_use, "tune_in_use", 0, 2**31 - 1) > 0 and budget is None:
        return {"tune_in_use": in_use}
    if budget is None:
        return {"tune": number(tune, "tune", 0, 2**31 - 1)}
    seconds = real(budget, "budget")
    if not 0 <= seconds <= _SECONDS:
        raise ValueError(f"budget: expected 0 to {_SECONDS} seconds, found {seconds}")
    return {"tune": _SEARCH, "tune_ns": max(int(1e9 * seconds), 1)}


def _owned(a: Any, sparse: Sparse, stream: Any) -> Tuple[Sparse, int]:
    """The matrix in arrays that nobody changes, and the stream that they are there on.

    Args:
        a: as it was given: a Sparse is of such arrays
    """
    on = stream_after(sparse, stream)
    return sparse if sparse is a else sparse.copied(on), on


def _problem(op: str, k: Any, k_range: Any, layout: str, dtype: str, out_dtype: str) -> Any:
    """What is to be computed, for C."""
    if layout not in _LAYOUTS:
        raise ValueError(f"layout: expected 'row' or 'column', found {layout!r}")
    if op not in _OPS:
        raise ValueError(f"op: expected {' or '.join(map(repr, _OPS))}, found {op!r}")
    precision = number_of(dtype, lib.dtypes(), "dtype", ValueError)
    if op in _WITHOUT_K and k is not None:
        raise ValueError(f"k: expected None, which {op} has not, found {k!r}")
    ks = [] if op in _WITHOUT_K else _numbers(k)
    return lib.PlanProblem(op=_OPS[op], precision=precision, layout=_LAYOUTS[layout],
                           k=c.cast((c.c_int64 * max(len(ks), 1))(*ks), lib.I64P), ks=len(ks),
                           k_range=flag(k_range, "k_range"), out_fp32=int(out_dtype != dtype))


def _out_type(given: Any, dtype: str) -> str:
    """Of C: that of B, or float32, which the library takes beside 16 bits alone."""
    out = dtype if given is None else value_type(given, lib.dtypes(), "out_dtype")
    if out not in (dtype, "float32"):
        raise ValueError(f"out_dtype: expected {dtype}, or float32 beside 16 bits, found {out}")
    return out


def _turned(sparse: Sparse, transposed: Any) -> int:
    """Bits of the library: of both products, and of conjugated values."""
    return flag(transposed, "transposed") | sparse.conjugates << 2


def _derived(sparse: Sparse, k: Any, how: Dict[str, Any], names: Dict[str, Any],
             op: str, of: int) -> Plan:
    """A plan of the same matrix for another operation, or of A', as that of `how` was made.

    Args:
        names: options that are of the operation of that plan
    """
    if sparse.on_device:
        sparse.kept[2].wait()  # for the copies, whatever their stream
    if op in _WITHOUT_K:
        k, names = None, {}
    if of in (_OF_T, _OF_H):
        sparse = sparse.transposed()
    if of in (_OF_H, _OF_C):
        sparse, how = sparse.conjugated(), {**how, "transposed": False}
    return plan(sparse, k, op=op, **how, **names)


def plan(a: Any, k: Union[int, Sequence[int], None] = None, *, op: str = "spmm",
         layout: str = "row", dtype: Any = None, tune: int = 6, k_range: bool = False,
         kernels: Optional[str] = None, orders: Optional[str] = None, reuse: float = 0, memory: int = 0,
         deterministic: bool = False, strict: bool = False, model: Any = None,
         stream: Optional[int] = None, device: Optional[str] = None, threads: int = 0,
         budget: Optional[float] = None, tune_in_use: int = 0, out_dtype: Any = None,
         transposed: bool = False) -> Plan:
    """Make a plan; waits until it is made.

    Args:
        a: CSR, CSC or COO, each place once, of SciPy (goes to a GPU if it can), CuPy or PyTorch
        k: columns of B that products will have; one or several; of op "spmv" None
        op: "spmm", or "spmv": y = A x, by plan(x)
        k_range: k has two, the least and the most, and products may have any between
        layout: "row" or "column", of B and C
        dtype: of B and C, "bfloat16", np.float32 or torch.float32; None: that of a
        tune, tune_in_use: candidates to time at most, at once or in the program's products; 0: none
        kernels, orders: names and globs with commas; None: any
        reuse: products that are expected; 0: the fastest product whatever its setup
        memory: bytes of the GPU, or for the CPU, that the plan may take beside its copy; 0: any
        deterministic, strict: only kernels of the same bits each time; of IEEE arithmetic's NaN and infinity
        model: a rowcast.Model that predicts times
        stream: of CUDA, as a number, which must outlive the plan; None: that of a's library, which it keeps
        device, threads: "cpu" or "gpu", None: where the matrix is; of a CPU, 0: all
        budget: seconds of a search in the place of `tune`, as answer() makes
        transposed: A' is prepared, too, for .T and plan(b, transposed=True): memory is for both
        out_dtype: of C, "float32" beside a dtype of 16 bits: sums as they are; None: that of B

    Raises:
        Error: no GPU, no kernel that can, or no memory
        ValueError, TypeError: what is no matrix, layout or type, of values too
    """
    sparse = a if isinstance(a, Sparse) else Sparse(a)
    kind = sparse.dtype if dtype is None else value_type(dtype, lib.dtypes())
    layout, out = "column" if op in _WITHOUT_K else layout, _out_type(out_dtype, kind)
    problem, handle = _problem(op, k, k_range, layout, kind, out), c.c_void_p()
    options = lib.PlanOptions(kernels=text_or_none(kernels, "kernels"), orders=text_or_none(orders, "orders"),
                              **_tuning(tune, budget, tune_in_use), reuse=real(reuse, "reuse"),
                              memory=number(memory, "memory"), threads=threads_of(threads),
                              deterministic=flag(deterministic, "deterministic") | flag(strict, "strict") << 1,
                              model=_of_model(model), transposed=_turned(sparse, transposed))
    sparse, on = _owned(a, sparse, stream)
    how = dict(dtype=kind, out_dtype=out, tune=tune, reuse=reuse, strict=strict,
               deterministic=deterministic, device="cpu", threads=threads, transposed=transposed)
    names = dict(layout=layout, k_range=k_range)
    of = partial(Plan, handle, sparse, kind, layout, op=op, out_dtype=out, both=transposed)
    if _goes_to_cpu(device, sparse, stream):
        lib.call(lib.load("rowcast_plan").rc_plan_create_host, c.byref(problem),
                 c.byref(sparse.for_c()), c.byref(options), c.byref(handle))
        made = of(0, None, None, on_cpu=True)
    else:
        with on_device(sparse.like, sparse.device):
            lib.call(lib.load("rowcast_cuda").rc_plan_create, c.byref(problem),
                     c.byref(sparse.for_c()), c.byref(options), on, c.byref(handle))
        made = of(on, sparse.stream_kept if stream is None else None, sparse.device)
        made._beside = None if sparse.on_device else partial(plan, sparse, k, op=op, **how, **names)
    how.update(memory=memory, budget=budget, tune_in_use=tune_in_use, stream=stream,
               device="cpu" if made.on_cpu else "gpu")
    names.update(kernels=kernels, orders=orders, model=model)
    made._derive = partial(_derived, sparse, k, how, names)
    return made
