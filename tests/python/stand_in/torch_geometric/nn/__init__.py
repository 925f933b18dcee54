"""Layers."""
from . import conv
from .conv import APPNP, GATConv, GATv2Conv, GCNConv, GINConv, MessagePassing, SAGEConv

__all__ = ["APPNP", "GATConv", "GATv2Conv", "GCNConv", "GINConv", "MessagePassing", "SAGEConv", "conv"]
