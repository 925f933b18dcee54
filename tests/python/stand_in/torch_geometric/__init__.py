"""What tests need of PyTorch Geometric, where it is not installed: layers by their papers, with its calls and names."""
