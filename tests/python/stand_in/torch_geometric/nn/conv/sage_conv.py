"""Hamilton et al. (2017), and Xu et al. (2019)."""
import torch

from .message_passing import MessagePassing


class SAGEConv(MessagePassing):
    """Means, sums or largest of what neighbours have."""

    def __init__(self, in_channels, out_channels, aggr="mean"):
        super().__init__(aggr)
        self.lin_l = torch.nn.Linear(in_channels, out_channels)
        self.lin_r = torch.nn.Linear(in_channels, out_channels, bias=False)

    def forward(self, x, edge_index, size=None):
        """[ends, out_channels]"""
        x = (x, x) if isinstance(x, torch.Tensor) else x
        out = self.lin_l(self.propagate(edge_index, x=x, size=size))
        return out if x[1] is None else out + self.lin_r(x[1])

    def message(self, x_j):
        """Of the begin."""
        return x_j


class GINConv(MessagePassing):
    """A network of sums."""

    def __init__(self, nn, eps=0.0):
        super().__init__("add")
        self.nn, self.eps = nn, eps

    def forward(self, x, edge_index, size=None):
        """[ends, out_channels]"""
        x = (x, x) if isinstance(x, torch.Tensor) else x
        return self.nn(self.propagate(edge_index, x=x, size=size) + (1 + self.eps) * x[1])

    def message(self, x_j):
        """Of the begin."""
        return x_j
