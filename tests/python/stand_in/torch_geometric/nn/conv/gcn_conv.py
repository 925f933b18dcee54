"""Kipf and Welling (2017)."""
import torch

from .message_passing import MessagePassing, add_remaining_self_loops


def gcn_norm(edge_index, edge_weight=None, num_nodes=None, improved=False, add_self_loops=True,
             flow="source_to_target", dtype=None):
    """Edges with self loops, and the weights of a normalised adjacency matrix."""
    if edge_weight is None:
        edge_weight = torch.ones(edge_index.shape[1], dtype=dtype, device=edge_index.device)
    if add_self_loops:
        edge_index, edge_weight = add_remaining_self_loops(edge_index, edge_weight, 2.0 if improved else 1.0, num_nodes)
    end = edge_index[1 if flow == "source_to_target" else 0]
    degree = edge_weight.new_zeros(num_nodes).index_add(0, end, edge_weight)
    scale = degree.pow(-0.5).masked_fill(degree == 0, 0)
    return edge_index, scale[edge_index[0]] * edge_weight * scale[edge_index[1]]


class GCNConv(MessagePassing):
    """Of edges or a sparse matrix in CSR."""

    def __init__(self, in_channels, out_channels, normalize=True):
        super().__init__("add")
        self.add_self_loops = True
        self.normalize, self.lin = normalize, torch.nn.Linear(in_channels, out_channels, bias=False)
        self.bias = torch.nn.Parameter(torch.zeros(out_channels))

    def forward(self, x, edge_index, edge_weight=None):
        """[vertices, out_channels]"""
        if self.normalize and isinstance(edge_index, torch.Tensor) and edge_index.layout == torch.strided:
            edge_index, edge_weight = gcn_norm(edge_index, edge_weight, x.shape[0], False, True, self.flow, x.dtype)
        return self.propagate(edge_index, x=self.lin(x), edge_weight=edge_weight) + self.bias

    def message(self, x_j, edge_weight):
        """Of the begin, weighed."""
        return x_j if edge_weight is None else edge_weight.view(-1, 1) * x_j
