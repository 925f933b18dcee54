"""Brody et al. (2022)."""
import torch
from torch.nn import functional

from .message_passing import MessagePassing, add_self_loops, remove_self_loops, softmax


class GATv2Conv(MessagePassing):
    """Attention by a network of both ends."""

    def __init__(self, in_channels, out_channels, heads=1, concat=True, negative_slope=0.2, dropout=0.0,
                 add_self_loops=True, edge_dim=None, share_weights=False):
        super().__init__("add")
        self.heads, self.out_channels, self.concat, self.add_self_loops = heads, out_channels, concat, add_self_loops
        self.negative_slope, self.dropout = negative_slope, dropout
        self.lin_l = torch.nn.Linear(in_channels, heads * out_channels)
        self.lin_r = self.lin_l if share_weights else torch.nn.Linear(in_channels, heads * out_channels)
        self.att = torch.nn.Parameter(torch.randn(1, heads, out_channels))
        self.lin_edge = None if edge_dim is None else torch.nn.Linear(edge_dim, heads * out_channels, bias=False)
        self.bias = torch.nn.Parameter(torch.zeros(heads * out_channels if concat else out_channels))

    def forward(self, x, edge_index, edge_attr=None, return_attention_weights=None):
        """As of GATConv"""
        left, right = x if isinstance(x, tuple) else (x, x)
        left = self.lin_l(left).view(-1, self.heads, self.out_channels)
        right = self.lin_r(right).view(-1, self.heads, self.out_channels)
        if self.add_self_loops:
            edge_index, edge_attr = remove_self_loops(edge_index, edge_attr)
            edge_index, edge_attr = add_self_loops(edge_index, edge_attr, fill_value="mean",
                                                   num_nodes=min(left.shape[0], right.shape[0]))
        alpha = self.edge_updater(edge_index, x=(left, right), edge_attr=edge_attr)
        out = self.propagate(edge_index, x=(left, right), alpha=alpha)
        out = (out.view(-1, self.heads * self.out_channels) if self.concat else out.mean(dim=1)) + self.bias
        return (out, (edge_index, alpha)) if isinstance(return_attention_weights, bool) else out

    def edge_update(self, x_j, x_i, edge_attr, index, dim_size):
        """[edges, heads]"""
        x = x_i + x_j
        if edge_attr is not None:
            edge_attr = edge_attr.view(-1, 1) if edge_attr.dim() == 1 else edge_attr
            x = x + self.lin_edge(edge_attr).view(-1, self.heads, self.out_channels)
        alpha = (functional.leaky_relu(x, self.negative_slope) * self.att).sum(dim=-1)
        return functional.dropout(softmax(alpha, index, dim_size), p=self.dropout, training=self.training)

    def message(self, x_j, alpha):
        """Of the begin, weighed."""
        return x_j * alpha.unsqueeze(-1)
