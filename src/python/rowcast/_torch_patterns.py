"""Patterns of tensors and their plans: found again while the tensors live, bounded in number and
memory.

A pattern is a compressed matrix without its values: of CSR the row pointers and columns, of CSC the
column pointers and rows.  Both are seen alike: `majors` lists of numbers below `minors`.
"""
from __future__ import annotations

import ctypes as c
import functools
import os
import threading
import weakref
from collections import OrderedDict
from typing import Any, Dict, NamedTuple, Optional, Tuple

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from . import _library as lib
from ._given import number, text_or_none, threads_of
from ._torch_memory import (Tensor, has_type, index_bytes, is_capturing, settings, storage,
                            stream_of, type_name, types, version)
from ._torch_plans import Product, free_late, summed, unsupported

_Key = Tuple[Any, ...]
_RAW = 64  # patterns of operators and sparse tensors


class Kept(NamedTuple):
    """What is kept: patterns, plans of them, and bytes that these take, about."""

    patterns: int
    plans: int
    bytes: int


class Pattern:
    """Where the entries of a compressed matrix are, and the plans of it.

    Attributes:
        majors, minors, nnz
        plans: by operation, whether transposed, type, K, and whether deterministic
        again: what was found right for a product, by what it is asked with
        more: tensors that reductions make of it, by their names
    """

    def __init__(self, ptr: Tensor, idx: Tensor, minors: int, ascending: bool):
        self.majors, self.minors, self.nnz = ptr.shape[0] - 1, minors, idx.shape[0]
        self.plans: Dict[_Key, Product] = {}
        self.again: Dict[_Key, _Key] = {}
        self.more: Dict[str, Tensor] = {}
        #: pointers, numbers, and the place of each entry among them
        self._sorted: Optional[Tuple[Tensor, Tensor, Tensor]] = None
        self._twice = False
        if not ascending:
            lists = torch.arange(self.majors + 1, device=ptr.device)
            major = torch.repeat_interleave(lists[:-1], ptr.diff().long())
            places, slot = torch.unique(major * minors + idx, sorted=True, return_inverse=True)
            self._sorted = torch.searchsorted(places, lists * minors), places % minors, slot
            self._twice = places.shape[0] < self.nnz

    def arrays(self, op: str, ptr: Tensor, idx: Tensor) -> Tuple[Tensor, Tensor, Optional[Tensor]]:
        """Those for the plans of an operation, and the place of each entry; None: as they are."""
        if self._sorted is not None and (self._twice or op == "sddmm"):
            return self._sorted
        return ptr, idx, None

    def product(self, op: str, ptr: Tensor, idx: Tensor, val: Tensor, transposed: bool,
                k: int) -> Product:
        """The plan, made where there is none."""
        key = op, transposed, val.dtype, k, torch.are_deterministic_algorithms_enabled()
        found = self.plans.get(key)
        if found is not None:
            return found
        if is_capturing(val.device):
            raise unsupported(f"plan: expected one of {op} with K {k} before a capture begins, "
                              "found none: multiply once, then capture")
        with kept.lock:
            if key not in self.plans:
                made = self._made(op, ptr, idx, val, transposed, k)
                kept.add(self, key, made)
                self.plans[key] = made
            return self.plans[key]

    def has(self, product: Product) -> bool:
        """It was not dropped."""
        return any(p is product for p in self.plans.values())

    def drop(self, key: Optional[_Key] = None) -> None:
        """One plan goes, or all that no graph holds."""
        self.again.clear()
        if key is None:
            self.more.clear()
        free = [k for k, made in list(self.plans.items()) if not made.in_graph]
        for gone in free if key is None else [key]:
            self.plans.pop(gone, None)

    def values_changed(self) -> None:
        """All plans are to read values again."""
        for product in list(self.plans.values()):
            product.values_changed()

    def _made(self, op: str, ptr: Tensor, idx: Tensor, val: Tensor, transposed: bool,
              k: int) -> Product:
        ptr, idx, slot = self.arrays(op, ptr, idx)
        ptr, idx, nnz = ptr.contiguous(), idx.contiguous(), idx.shape[0]
        values = val.new_ones(nnz) if op == "sddmm" else summed(val, slot, nnz).contiguous()
        given = csr(ptr, idx, self.minors)
        if transposed:
            given.update(rows=self.minors, cols=self.majors)
        matrix = lib.PlanMatrix(**given, val=values.data_ptr(),
                                precision=types()[type_name(val.dtype)], form=int(transposed))
        made = Product(op, val.dtype, k, nnz, val.device)
        made.prepare(matrix, _options(), val)
        return made


def _options() -> Any:
    """As the settings say."""
    return lib.PlanOptions(kernels=text_or_none(settings.kernels, "settings.kernels"),
                           tune=number(settings.tune, "settings.tune", 0, 2**31 - 1),
                           deterministic=int(torch.are_deterministic_algorithms_enabled()),
                           threads=threads())


def threads() -> int:
    """As the settings say; a child of fork has one, whatever PyTorch's number is."""
    asked = 0 if kept.in_child else settings.threads or torch.get_num_threads()
    return threads_of(asked, "settings.threads")


def _read(ptr: Tensor, idx: Tensor, minors: int) -> Any:
    """The digest of a pattern, and whether numbers of each list ascend, each once.

    Raises:
        ValueError: pointers that fall, or numbers outside
    """
    if ptr.shape[0] < 1:
        raise ValueError("pointers: expected one more than rows, found none")
    found = lib.PatternInfo()
    matrix = lib.PlanMatrix(**csr(ptr, idx, minors))
    try:
        if ptr.device.type == "cpu":
            lib.call(lib.load("rowcast_plan").rc_pattern_read_host, c.byref(matrix), threads(),
                     c.byref(found))
        else:
            with torch.cuda.device(ptr.device):
                lib.call(lib.load("rowcast_cuda").rc_pattern_read, c.byref(matrix),
                         stream_of(ptr.device.index), c.byref(found))
    except lib.Error as e:
        raise ValueError(str(e)) if e.name == "format" else e
    return found


def csr(ptr: Tensor, idx: Tensor, minors: int) -> Dict[str, Any]:
    """Of a matrix by rows, without values."""
    return {"rows": ptr.shape[0] - 1, "cols": minors, "nnz": idx.shape[0],
            "row_ptr": ptr.data_ptr(), "row_ptr_bytes": index_bytes(ptr, "pointers"),
            "col_idx": idx.data_ptr(), "col_idx_bytes": index_bytes(idx, "numbers"),
            "on_device": int(ptr.device.type != "cpu")}


def on_rows(name: str, matrix: Any, asked: Any, device: torch.device) -> None:
    """Call a function of the rows of a matrix, of both libraries, where it is."""
    given = c.byref(matrix), c.byref(asked)
    if device.type == "cpu":
        lib.call(getattr(lib.load("rowcast_plan"), f"{name}_host"), *given, threads())
        return
    with torch.cuda.device(device):  # that of a default stream is the current one
        lib.call(getattr(lib.load("rowcast_cuda"), name), *given, stream_of(device.index))


#: With the memory that it lives as long as.
_Lasting = Tuple[Pattern, StorageWeakRef, StorageWeakRef]


class Registry:
    """Patterns by their tensors, and plans by their last use.

    A pattern lives as long as a matrix has it.  Those of operators and of sparse tensors live as
    long as the memory of their tensors, and there are few.  Tensors are known again by their
    identity: another one of the same memory may count its changes elsewhere.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()  # a plan that goes may do so while another is made
        self.in_child = False
        self._places: Dict[_Key, Tuple[Any, Any, Any, _Key]] = {}
        self._digests: "weakref.WeakValueDictionary[_Key, Pattern]" = weakref.WeakValueDictionary()
        self._raw: "OrderedDict[_Key, _Lasting]" = OrderedDict()
        self._products: "weakref.WeakKeyDictionary[Product, _Key]" = weakref.WeakKeyDictionary()

    def find(self, ptr: Tensor, idx: Tensor, minors: int, is_raw: bool = False) -> Pattern:
        """By which the tensors are, else by what is in them, else a new one.

        Args:
            is_raw: nothing but the tensors will keep it
        """
        place = (id(ptr), id(idx), version(ptr), version(idx), ptr.data_ptr(), idx.data_ptr(),
                 ptr.shape, idx.shape, ptr.stride(), idx.stride(), minors)
        seen = self._places.get(place)
        pattern = None
        if seen is not None and seen[1]() is ptr and seen[2]() is idx:
            pattern = seen[0]()
        if pattern is None:
            pattern, key = self._read(place, ptr, idx, minors)
        else:
            key = seen[3]
        if is_raw and key not in self._raw:
            with self.lock:
                self._raw[key] = pattern, storage(ptr), storage(idx)
                while len(self._raw) > _RAW:
                    self._raw.popitem(last=False)
        return pattern

    def _read(self, place: _Key, ptr: Tensor, idx: Tensor, minors: int) -> Tuple[Pattern, _Key]:
        if is_capturing(ptr.device):
            raise unsupported("plan: expected a matrix that was multiplied before a capture "
                              "begins, found another: multiply once, then capture")
        with self.lock, torch.no_grad():
            self.sweep()
            found = _read(ptr.contiguous(), idx.contiguous(), minors)
            key = (*found.digest, ptr.shape, idx.shape, minors, ptr.dtype, idx.dtype,
                   ptr.device)
            pattern = self._digests.get(key)
            if pattern is None:
                pattern = Pattern(ptr, idx, minors, bool(found.ascending))
                self._digests[key] = pattern
            self._places[place] = weakref.ref(pattern), weakref.ref(ptr), weakref.ref(idx), key
            if key in self._raw:
                self._raw.move_to_end(key)
            return pattern, key

    def add(self, pattern: Pattern, key: _Key, made: Product) -> None:
        """Count a plan, and let those go that were not used for longest."""
        free_late()
        self._products[made] = weakref.ref(pattern), key
        by_use = sorted((p for p in self._products if not p.in_graph), key=lambda p: p.used)
        held = sum(p.bytes for p in by_use)
        most = number(settings.plans, "settings.plans", 1)
        most_bytes = number(settings.bytes, "settings.bytes")
        while len(by_use) > 1 and (len(by_use) > most or 0 < most_bytes < held):
            old = by_use.pop(0)
            held -= old.bytes
            of, its_key = self._products.pop(old)
            owner = of()
            if owner is not None:
                owner.drop(its_key)

    def sweep(self) -> None:
        """What has no tensors any more goes."""
        with self.lock:
            for key in [key for key, (_, *memory) in self._raw.items()
                        if any(m.expired() for m in memory)]:
                del self._raw[key]
            for place in [place for place, (*of, _) in self._places.items()
                          if any(o() is None for o in of)]:
                del self._places[place]

    def count(self) -> Kept:
        """What there is."""
        with self.lock:
            self.sweep()
            products = list(self._products)
            return Kept(len(list(self._digests.values())), len(products),
                        sum(p.bytes for p in products))

    def forget(self) -> None:
        """All plans go but those in graphs; the next products make new ones."""
        with self.lock:
            for pattern in list(self._digests.values()):
                pattern.drop()

    def after_fork(self) -> None:
        """In a child: another thread may have had the locks, and plans of several threads cannot
        run."""
        self.lock, self.in_child = threading.RLock(), True
        self.forget()


kept = Registry()
os.register_at_fork(after_in_child=kept.after_fork)


@functools.lru_cache(maxsize=None)
def runs_in(dtype: torch.dtype, device: torch.device) -> bool:
    """Whether plans on a device have a type: one of a matrix with one entry is tried."""
    if not has_type(dtype):
        return False
    ptr, idx = (torch.tensor(n, device=device) for n in ([0, 1], [0]))
    one = torch.ones(1, dtype=dtype, device=device)
    try:
        Pattern(ptr, idx, 1, True).product("spmm", ptr, idx, one, False, 1)
    except lib.Error:
        return False
    return True
