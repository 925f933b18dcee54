"""Edges of graphs that came back, and what they became."""
from __future__ import annotations

import threading
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import torch
import torch_geometric.nn as nn

from ._pyg_edges import Edges
from ._torch_memory import Stamp, Tensor, is_capturing

_PASSES = 2  # of edges through one layer until they become a matrix
_KEPT = 16   # sets of edges
_SWEEP = 64  # uses after which what is gone is looked for


class Normed(NamedTuple):
    """Edges as matrix of GCNConv's normalisation.

    Attributes:
        values: as of Edges.in_order()
    """

    edges: Edges
    values: Tensor


class _Known:
    """Tensors of edges that were seen, and what they became once they are worth it."""

    def __init__(self, tensors: Tuple[Tensor, ...], key: Any):
        self.stamps, self.key = [Stamp() for _ in tensors], key
        self.uses = 0  # since when what is gone is looked for
        self.by: Dict[int, Tuple[int, Any]] = {}  # passes of each layer, and its last one
        self.made: Any = None
        for stamp, tensor in zip(self.stamps, tensors):
            stamp.took(tensor)

    def is_of(self, tensors: Tuple[Tensor, ...], key: Any) -> bool:
        """The same objects, asked for alike."""
        return (len(self.stamps) == len(tensors)
                and all(s.has(t) for s, t in zip(self.stamps, tensors)) and self.key == key)

    def came_back(self, layer: int, run: Any) -> bool:
        """To a layer, in another run of it, often enough to become a matrix."""
        self.uses += 1
        passes, last = self.by.get(layer, (0, None))
        if run is None or run != last:
            passes += 1
        self.by[layer] = passes, run
        return passes > _PASSES

    def is_gone(self) -> bool:
        """There are no such tensors any more."""
        return any(s.is_gone() for s in self.stamps)


_known: List[_Known] = []
_lock = threading.Lock()


def _alive() -> List[_Known]:
    """Those whose tensors are there."""
    return [k for k in _known if not k.is_gone()]


def _find(tensors: Tuple[Tensor, ...], key: Any, layer: Optional[int], run: Any,
          make: Callable[[], Any]) -> Any:
    """What tensors that came back became; None: not yet."""
    with _lock:
        for known in _known:
            if known.is_of(tensors, key):
                break
        else:
            known = _Known(tensors, key)
            _known[:] = [known, *_alive()][:_KEPT]
        if known is not _known[0]:
            _known.remove(known)
            _known.insert(0, known)
        came_back = layer is not None and known.came_back(layer, run)
        if known.uses % _SWEEP == 0:
            _known[:] = _alive()
        if known.made is None and came_back and not is_capturing(tensors[0].device):
            with torch.inference_mode(False), torch.no_grad():  # training may need it, too
                known.made = make()
        return known.made


def edges_of(edge_index: Tensor, shape: Tuple[int, int], end: int,
             layer: Optional[int], run: Any = None) -> Optional[Edges]:
    """Of a tensor that came back; None: not yet.

    Args:
        end: row of edge_index that says where edges end
        layer: the number of the one that has them now, since a model of many has those of a batch
            as often; None: they only are to be found
        run: of that layer, which may multiply several times; None: each time is one
    """
    shape = int(shape[0]), int(shape[1])
    return _find((edge_index,), (shape, end), layer, run,
                 lambda: Edges(edge_index[end], edge_index[1 - end], shape))


def norm_of(edge_index: Tensor, weight: Optional[Tensor], vertices: int, end: int, fill: float,
            dtype: torch.dtype) -> Tuple[Tensor, Tensor]:
    """Edges and weights, as GCNConv normalises them.

    Args:
        fill: what loops weigh that are added; 0: none are
        dtype: of the weights
    """
    return nn.conv.gcn_conv.gcn_norm(
        edge_index, weight, num_nodes=vertices, improved=fill > 1, add_self_loops=fill > 0,
        flow="source_to_target" if end == 1 else "target_to_source", dtype=dtype)


def normed_of(edge_index: Tensor, weight: Optional[Tensor], shape: Tuple[int, int], end: int,
              fill: float, dtype: torch.dtype, layer: Optional[int]) -> Optional[Normed]:
    """The same, normalised: see edges_of() and norm_of()."""
    def made() -> Normed:
        index, values = norm_of(edge_index, weight, shape[0], end, fill, dtype)
        edges = Edges(index[end], index[1 - end], shape)
        return Normed(edges, edges.in_order(values.to(dtype)))

    tensors = (edge_index,) if weight is None else (edge_index, weight)
    return _find(tensors, (shape, end, fill, dtype), layer, None, made)


def forget_gone() -> None:
    """What has no tensors any more goes."""
    with _lock:
        _known[:] = _alive()
