"""Gasteiger et al. (2019)."""
import torch

from .gcn_conv import gcn_norm
from .message_passing import MessagePassing


class APPNP(MessagePassing):
    """Steps of personalised PageRank."""

    def __init__(self, K, alpha):
        super().__init__("add")
        self.K, self.alpha, self.add_self_loops = K, alpha, True

    def forward(self, x, edge_index, edge_weight=None):
        """[vertices, channels]"""
        if isinstance(edge_index, torch.Tensor):
            edge_index, edge_weight = gcn_norm(edge_index, edge_weight, x.shape[0], False, True, self.flow, x.dtype)
        out = x
        for _ in range(self.K):
            out = self.propagate(edge_index, x=out, edge_weight=edge_weight) * (1 - self.alpha) + self.alpha * x
        return out

    def message(self, x_j, edge_weight):
        """Of the begin, weighed."""
        return edge_weight.view(-1, 1) * x_j
