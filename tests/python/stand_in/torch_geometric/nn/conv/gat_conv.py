"""Velickovic et al. (2018)."""
import torch
from torch.nn import functional

from .message_passing import MessagePassing, add_self_loops, remove_self_loops, softmax


class GATConv(MessagePassing):
    """Attention by scores of both ends, and of what edges have."""

    def __init__(self, in_channels, out_channels, heads=1, concat=True, negative_slope=0.2, dropout=0.0,
                 add_self_loops=True, edge_dim=None, fill_value="mean"):
        super().__init__("add")
        self.heads, self.out_channels, self.concat, self.add_self_loops = heads, out_channels, concat, add_self_loops
        self.negative_slope, self.dropout, self.fill_value = negative_slope, dropout, fill_value
        self.lin = torch.nn.Linear(in_channels, heads * out_channels, bias=False)
        self.att_src, self.att_dst = (torch.nn.Parameter(torch.randn(1, heads, out_channels)) for _ in range(2))
        self.lin_edge = self.att_edge = None
        if edge_dim is not None:
            self.lin_edge = torch.nn.Linear(edge_dim, heads * out_channels, bias=False)
            self.att_edge = torch.nn.Parameter(torch.randn(1, heads, out_channels))
        self.bias = torch.nn.Parameter(torch.zeros(heads * out_channels if concat else out_channels))

    def forward(self, x, edge_index, edge_attr=None, size=None, return_attention_weights=None):
        """[ends, heads out_channels], or their mean; with a truth value the edges and their attention, too"""
        if isinstance(x, torch.Tensor):
            begin = end = self.lin(x).view(-1, self.heads, self.out_channels)
        else:
            begin, end = (None if t is None else self.lin(t).view(-1, self.heads, self.out_channels) for t in x)
        scores = tuple(None if t is None else (t * att).sum(dim=-1) for t, att in ((begin, self.att_src), (end, self.att_dst)))
        if self.add_self_loops:
            vertices = min(t.shape[0] for t in (begin, end) if t is not None)
            vertices = min(size) if size is not None else vertices
            edge_index, edge_attr = remove_self_loops(edge_index, edge_attr)
            edge_index, edge_attr = add_self_loops(edge_index, edge_attr, fill_value=self.fill_value, num_nodes=vertices)
        alpha = self.edge_updater(edge_index, alpha=scores, edge_attr=edge_attr, size=size)
        out = self.propagate(edge_index, x=(begin, end), alpha=alpha, size=size)
        out = (out.view(-1, self.heads * self.out_channels) if self.concat else out.mean(dim=1)) + self.bias
        return (out, (edge_index, alpha)) if isinstance(return_attention_weights, bool) else out

    def edge_update(self, alpha_j, alpha_i, edge_attr, index, dim_size):
        """[edges, heads]"""
        alpha = alpha_j if alpha_i is None else alpha_j + alpha_i
        if edge_attr is not None and self.lin_edge is not None:
            edge_attr = edge_attr.view(-1, 1) if edge_attr.dim() == 1 else edge_attr
            edge_attr = self.lin_edge(edge_attr).view(-1, self.heads, self.out_channels)
            alpha = alpha + (edge_attr * self.att_edge).sum(dim=-1)
        alpha = softmax(functional.leaky_relu(alpha, self.negative_slope), index, dim_size)
        return functional.dropout(alpha, p=self.dropout, training=self.training)

    def message(self, x_j, alpha):
        """Of the begin, weighed."""
        return alpha.unsqueeze(-1) * x_j
