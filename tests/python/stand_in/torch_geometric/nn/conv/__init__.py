"""A module for each layer that makes edges of edges, as rowcast.pyg knows them."""
from .message_passing import MessagePassing
from .appnp import APPNP
from .gat_conv import GATConv
from .gatv2_conv import GATv2Conv
from .gcn_conv import GCNConv
from .sage_conv import GINConv, SAGEConv
from . import appnp, gat_conv, gatv2_conv, gcn_conv

__all__ = ["APPNP", "GATConv", "GATv2Conv", "GCNConv", "GINConv", "MessagePassing", "SAGEConv", "appnp", "gat_conv",
           "gatv2_conv", "gcn_conv"]
