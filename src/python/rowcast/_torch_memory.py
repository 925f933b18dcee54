"""Tensors as plans see them: types, whether one is still what it was, and what plans are made
with."""
from __future__ import annotations

import functools
import itertools
import weakref
from dataclasses import dataclass
from typing import Dict, Optional

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from . import _library as lib
from ._again import _stream_torch
from ._arrays import _INTEGERS
from ._given import number_of

Tensor = torch.Tensor
clock = itertools.count()
stream_of = getattr(torch._C, "_cuda_getCurrentRawStream", _stream_torch)


@dataclass
class Settings:
    """What new plans are made with, and how many are kept.

    Attributes:
        plans: most plans that are kept; the one that was not used for longest goes
        bytes: most memory that they take, about; 0: any
        tune: candidates to time when a plan is made, as of rowcast.plan(); 0: none, by a rule
        kernels: names and globs with commas; None: any
        threads: of plans for the CPU; 0: torch.get_num_threads()
        graphs: plans of a GPU can take new values in a CUDA graph, for 4 bytes an entry
    """

    plans: int = 256
    bytes: int = 0
    tune: int = 0
    kernels: Optional[str] = None
    threads: int = 0
    graphs: bool = False


settings = Settings()


def types() -> Dict[str, int]:
    """Those of values, by PyTorch's names, as rc_precision_t has them."""
    return lib.real_dtypes()


@functools.lru_cache(maxsize=None)
def type_name(dtype: torch.dtype) -> str:
    """As types() names it."""
    return str(dtype)[6:]


@functools.lru_cache(maxsize=None)
def has_type(dtype: torch.dtype) -> bool:
    """Whether plans can be of it."""
    return type_name(dtype) in types()


def index_bytes(t: Tensor, name: str) -> int:
    """Of one index: 4 or 8."""
    return number_of(type_name(t.dtype), _INTEGERS, name)


def is_capturing(device: torch.device) -> bool:
    """The current stream of a GPU becomes part of a graph."""
    return device.type == "cuda" and torch.cuda.is_current_stream_capturing()


_is_cached = getattr(torch._C, "_is_cached_tensor", lambda t: False)


def version(t: Tensor) -> int:
    """How often it was changed; of one that does not count it another number each time: CUDA graphs
    of torch.compile write to the same tensors in each run."""
    return -1 - next(clock) if t.is_inference() or _is_cached(t) else t._version


def storage(t: Tensor) -> StorageWeakRef:
    """Tells whether the memory of a tensor is still there, and keeps nothing of it."""
    return StorageWeakRef(t.untyped_storage() if hasattr(t, "untyped_storage") else t.storage())


def is_same_memory(a: Tensor, b: Tensor) -> bool:
    """Whether they are of one storage, or do not tell."""
    try:
        return storage(a).cdata == storage(b).cdata
    except (NotImplementedError, RuntimeError):  # those of transforms have none
        return True


def _counts(t: Tensor) -> bool:
    """Its count of changes is its own: that of values of a sparse tensor misses some."""
    return not _is_cached(t) and (not t._is_view() or t._base.layout == torch.strided)


class Stamp:
    """Tells whether a tensor is the object that it was last, with what it had then.

    Another object may have the same memory with a count of its own, so that it is another one.  It
    keeps nothing of the tensor.
    """

    def __init__(self) -> None:
        self._id, self._of, self._version = 0, _nothing, None
        self._place, self._steps = 0, ()

    def has(self, t: Tensor) -> bool:
        """The same object, not changed since."""
        return (id(t) == self._id and self._of() is t and version(t) == self._version
                and t.data_ptr() == self._place and t.stride() == self._steps)

    def took(self, t: Tensor) -> None:
        """This is the last one."""
        if not _counts(t):
            self.forget()
            return
        self._id, self._of, self._version = id(t), weakref.ref(t), version(t)
        self._place, self._steps = t.data_ptr(), t.stride()

    def is_gone(self) -> bool:
        """There is no such tensor any more."""
        return self._of() is None

    def forget(self) -> None:
        """The next one is another."""
        self._of = _nothing


def _nothing() -> None:
    """A weak reference to no tensor."""
