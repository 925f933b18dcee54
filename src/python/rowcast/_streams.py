"""Streams of CUDA that calls go on."""
from __future__ import annotations

from typing import Any

from ._arrays import Dense, Sparse
from ._given import number


def _one_stream(stream: Any) -> int:
    stream = number(stream, "stream", 0, 2**64 - 1)
    if stream == 2:  # cudaStreamPerThread
        raise ValueError("stream: expected one that is the same in each thread, found the "
                         "per-thread default (2)")
    return stream


def stream_of(dense: Dense, stream: Any, what: str) -> int:
    """None: the current one.  Values that were made there are not seen by another stream."""
    on = _one_stream(dense.stream if stream is None else stream)
    if dense.is_resolved and on != dense.stream:
        raise ValueError(f"{what}: expected no lazy view beside a stream: use .resolve_neg() there")
    return on


def stream_after(sparse: Sparse, stream: Any) -> int:
    """None: the current one, on which arrays of the matrix may have been converted."""
    on = _one_stream(sparse.stream if stream is None else stream)
    if sparse.stream_kept is not None and on != sparse.stream:
        sparse.stream_kept.synchronize()
    return on
