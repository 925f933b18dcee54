"""Messages along edges: gathered, made, and added up where edges end."""
import functools
import inspect
from collections import OrderedDict

import torch


def scatter(src, index, size, reduce):
    """Of the entries with each number: the sum, mean or largest; without any 0."""
    out = src.new_zeros(size, *src.shape[1:])
    wide = index.view(-1, *[1] * (src.dim() - 1)).expand_as(src)
    if reduce == "max":
        return out.scatter_reduce(0, wide, src, "amax", include_self=False)
    out = out.scatter_add(0, wide, src)
    if reduce == "mean":
        count = src.new_zeros(size).scatter_add(0, index, src.new_ones(src.shape[0])).clamp(min=1)
        out = out / count.view(-1, *[1] * (src.dim() - 1))
    return out


def softmax(src, index, size):
    """Over the entries with each number."""
    out = (src - scatter(src.detach(), index, size, "max").index_select(0, index)).exp()
    return out / (scatter(out, index, size, "sum") + 1e-16).index_select(0, index)


class MessagePassing(torch.nn.Module):
    """A layer says what a message is of: arguments that end in _i are of the ends of edges, in _j of their begins."""

    def __init__(self, aggr="add", flow="source_to_target"):
        super().__init__()
        self.aggr, self.flow, self.explain = aggr, flow, False
        for name in ("propagate", "message", "aggregate", "edge_update", "message_and_aggregate"):
            setattr(self, f"_{name}_forward_pre_hooks", OrderedDict())
            setattr(self, f"_{name}_forward_hooks", OrderedDict())

    def _hook(self, name, hook):
        hooks = getattr(self, f"_{name}_forward_hooks")
        hooks[len(hooks)] = hook

    def register_message_forward_hook(self, hook):
        """hook(layer, inputs, output)"""
        self._hook("message", hook)

    def register_message_and_aggregate_forward_hook(self, hook):
        """hook(layer, inputs, output)"""
        self._hook("message_and_aggregate", hook)

    def register_edge_update_forward_hook(self, hook):
        """hook(layer, inputs, output)"""
        self._hook("edge_update", hook)

    def _collected(self, function, edge_index, size, given):
        """The arguments of a function of edges, and how many ends there are."""
        i, j = (1, 0) if self.flow == "source_to_target" else (0, 1)
        size, found = list(size) if size else [None, None], {}
        for name in inspect.signature(function).parameters:
            at = {"_i": i, "_j": j}.get(name[-2:])
            if at is None:
                found[name] = given.get(name)
                continue
            of = given[name[:-2]]
            pair = of if isinstance(of, (tuple, list)) else None
            for end, one in [(at, of)] if pair is None else enumerate(pair):
                if one is not None:
                    size[end] = one.shape[0] if size[end] is None else size[end]
                    if size[end] != one.shape[0]:
                        raise ValueError(f"{one.shape[0]} vertices where {size[end]} are said")
            if pair is not None:  # as from 2.5 on: the first one is of the begins, in either flow
                of = pair[0 if at == j else 1]
            found[name] = None if of is None else of.index_select(0, edge_index[at])
        if size[i] is None:
            size[i] = size[j]
        if "index" in found:
            found.update(index=edge_index[i], dim_size=size[i])
        return found, size[i]

    def _called(self, name, function, arguments):
        out = function(**arguments)
        for hook in getattr(self, f"_{name}_forward_hooks").values():
            hook(self, arguments, out)
        return out

    def propagate(self, edge_index, size=None, **given):
        """Messages, and what becomes of them."""
        if edge_index.layout == torch.sparse_csr:
            return self._called("message_and_aggregate", functools.partial(self.message_and_aggregate, edge_index), given)
        given.setdefault("x", None)
        pair = given["x"] if isinstance(given["x"], (tuple, list)) else (given["x"], given["x"])
        arguments, ends = self._collected(self.message, edge_index, size, {**given, "x": pair})
        message = self._called("message", self.message, arguments)
        i = 1 if self.flow == "source_to_target" else 0
        return self.update(self.aggregate(message, edge_index[i], ends))

    def edge_updater(self, edge_index, size=None, **given):
        """What becomes of edges."""
        return self._called("edge_update", self.edge_update, self._collected(self.edge_update, edge_index, size, given)[0])

    def message(self, x_j):
        """Of the begin."""
        return x_j

    def aggregate(self, message, index, ends):
        """At the ends."""
        return scatter(message, index, ends, self.aggr if self.aggr != "add" else "sum")

    def update(self, out):
        """At last."""
        return out

    def message_and_aggregate(self, a, x, **given):
        """By a sparse matrix."""
        out = torch.sparse.mm(a, x[0] if isinstance(x, tuple) else x)
        return out / a.crow_indices().diff().clamp(min=1).view(-1, 1) if self.aggr == "mean" else out


def remove_self_loops(edge_index, edge_attr=None):
    """Edges whose ends are two."""
    other = edge_index[0] != edge_index[1]
    return edge_index[:, other], None if edge_attr is None else edge_attr[other]


def add_self_loops(edge_index, edge_attr=None, fill_value=1.0, num_nodes=None):
    """One for each vertex, at the end; what they have is that number, or the mean of the edges that end there."""
    loops = torch.arange(num_nodes, device=edge_index.device)
    if edge_attr is not None:
        own = (scatter(edge_attr, edge_index[1], num_nodes, fill_value) if isinstance(fill_value, str)
               else edge_attr.new_full((num_nodes, *edge_attr.shape[1:]), fill_value))
        edge_attr = torch.cat([edge_attr, own])
    return torch.cat([edge_index, torch.stack([loops, loops])], 1), edge_attr


def add_remaining_self_loops(edge_index, edge_attr, fill_value, num_nodes):
    """One for each vertex, at the end; that of a vertex which has one weighs what it weighed."""
    loop = edge_index[0] == edge_index[1]
    own = edge_attr.new_full((num_nodes,), fill_value)
    own[edge_index[0][loop]] = edge_attr[loop]
    loops = torch.arange(num_nodes, device=edge_index.device)
    return torch.cat([edge_index[:, ~loop], torch.stack([loops, loops])], 1), torch.cat([edge_attr[~loop], own])
