"""Patterns of tensors and their plans: found again while the tensors live, bounded in number and
memory.

A pattern is a compressed matrix without its values: of CSR the row pointers and columns, of CSC the
column pointers and rows.  Both are seen alike: `majors` lists of numbers below `minors`.
"""
from __future__ import annotations

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
                            type_name, types, version)
from ._torch_plans import Product, free_late, summed, unsupported

_Key = Tuple[Any, ...]
_RAW = 64  # patterns of operators and sparse tensors
#: Odd numbers and steps of a digest.
_MIX = ((-7046029254386353131, 2862933555777941757), (-4417276706812531889, 3202034522624059733))


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

    Raises:
        ValueError: pointers that fall, or numbers outside
    """

    def __init__(self, ptr: Tensor, idx: Tensor, minors: int):
        self.majors, self.minors, self.nnz = ptr.shape[0] - 1, minors, idx.shape[0]
        self.plans: Dict[_Key, Product] = {}
        self.again: Dict[_Key, _Key] = {}
        #: pointers, numbers, and the place of each entry among them
        self._sorted: Optional[Tuple[Tensor, Tensor, Tensor]] = None
        self._twice = False
        _refuse_outside(ptr, idx, minors)
        if not _is_ascending(ptr, idx):
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
        rows, cols = self.majors, self.minors
        if transposed:
            rows, cols = cols, rows
        matrix = lib.PlanMatrix(
            rows=rows, cols=cols, nnz=nnz, row_ptr=ptr.data_ptr(), col_idx=idx.data_ptr(),
            row_ptr_bytes=index_bytes(ptr, "pointers"), col_idx_bytes=index_bytes(idx, "numbers"),
            val=values.data_ptr(), precision=types()[type_name(val.dtype)],
            on_device=int(val.device.type != "cpu"), form=int(transposed))
        made = Product(op, val.dtype, k, nnz, val.device)
        made.prepare(matrix, _options(), val)
        return made


def _options() -> Any:
    """As the settings say."""
    # a child of fork has one thread, whatever PyTorch's number is
    threads = 0 if kept.in_child else settings.threads or torch.get_num_threads()
    return lib.PlanOptions(kernels=text_or_none(settings.kernels, "settings.kernels"),
                           tune=number(settings.tune, "settings.tune", 0, 2**31 - 1),
                           deterministic=int(torch.are_deterministic_algorithms_enabled()),
                           threads=threads_of(threads, "settings.threads"))


def _refuse_outside(ptr: Tensor, idx: Tensor, minors: int) -> None:
    """What is no pattern: the rest reads by these numbers."""
    nnz = idx.shape[0]
    if (ptr.shape[0] < 1 or int(ptr[0]) != 0 or int(ptr[-1]) != nnz
            or bool((ptr.diff() < 0).any())):
        raise ValueError(f"pointers: expected numbers that do not fall, from 0 to {nnz}, found "
                         "others")
    if nnz > 0 and not (int(idx.min()) >= 0 and int(idx.max()) < minors):
        raise ValueError(f"numbers: expected 0 to {minors - 1}, found {int(idx.min())} to "
                         f"{int(idx.max())}")


def _is_ascending(ptr: Tensor, idx: Tensor) -> bool:
    """Numbers of each list ascend, each once."""
    up = idx[1:] > idx[:-1]
    begins = ptr[1:-1]
    up[begins[(begins > 0) & (begins < idx.shape[0])].long() - 1] = True
    return bool(up.all())


def _digest(ptr: Tensor, idx: Tensor) -> Tuple[int, ...]:
    """128 bits of each of two arrays, by sums on their device that wrap around."""
    sums = []
    for array in (ptr, idx):
        numbers, where = array.long(), torch.arange(array.shape[0], device=array.device)
        for odd, step in _MIX:
            mixed = numbers * odd + where * step + odd
            mixed = (mixed ^ (mixed >> 31)) * step
            mixed = (mixed ^ (mixed >> 29)) * odd
            sums.append((mixed ^ (mixed >> 32)).sum())
    return tuple(torch.stack(sums).tolist())


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
            key = (*_digest(ptr, idx), ptr.shape, idx.shape, minors, ptr.dtype, idx.dtype,
                   ptr.device)
            pattern = self._digests.get(key)
            if pattern is None:
                pattern = self._digests[key] = Pattern(ptr, idx, minors)
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
    try:
        Pattern(ptr, idx, 1).product("spmm", ptr, idx, torch.ones(1, dtype=dtype, device=device),
                                     False, 1)
    except lib.Error:
        return False
    return True
