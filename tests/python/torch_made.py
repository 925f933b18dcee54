"""Matrices for the tests of operators of PyTorch, and what these compare with."""
import sys
import warnings

import numpy as np
import torch

warnings.filterwarnings("ignore", message="Sparse")  # CSR is said to be young
warnings.filterwarnings("ignore", message=r"`torch\.jit\.\w+` is deprecated")  # PyTorch's own calls of it, too
warnings.filterwarnings("ignore", message="scatter_reduce")  # likewise
warnings.filterwarnings("ignore", message=r"The \.grad attribute of a Tensor that is not a leaf")  # its compiler's own
warnings.filterwarnings("ignore", message="Warning: Profiler clears events")
import rowcast.torch as rt  # noqa: E402

F64 = torch.float64
DEVICE = "cuda" if "cuda" in sys.argv[2:] else "cpu"
if DEVICE == "cuda":
    torch.set_default_device(DEVICE)


def dense(rows, cols, dtype=F64, seed=1):
    """With empty rows and columns."""
    made = np.random.RandomState(seed)
    d = made.rand(rows, cols) * (made.rand(rows, cols) < 0.4)
    d[rows // 2:rows // 2 + 2] = 0
    d[0, 0] = 1
    return torch.from_numpy(d).to(DEVICE, dtype)


def parts(d, index=torch.int64, by_columns=False):
    t = d.t() if by_columns else d
    row, col = t.nonzero(as_tuple=True)
    ptr = torch.zeros(t.shape[0] + 1, dtype=torch.int64, device=d.device)
    ptr[1:] = torch.bincount(row, minlength=t.shape[0]).cumsum(0)
    return ptr.to(index), col.to(index), t[row, col].clone()


def csr(d, index=torch.int64):
    return torch.sparse_csr_tensor(*parts(d, index), d.shape)


def laid(d, layout, index=torch.int64):
    if layout == "csr":
        return csr(d, index)
    if layout == "csc":
        return torch.sparse_csc_tensor(*parts(d, index, True), d.shape)
    if layout == "coo":
        return d.to_sparse()
    if layout == "bsr":
        high, wide = (n if n % 2 else 2 for n in d.shape)
        return blocks(d, high, wide)
    return rt.Matrix(*parts(d, index, "columns" in layout), d.shape, by_columns="columns" in layout)


def blocks(d, high, wide):
    """BSR, the places of zeros in the blocks too."""
    tiles = d.reshape(d.shape[0] // high, high, d.shape[1] // wide, wide).permute(0, 2, 1, 3)
    there = (tiles != 0).any(-1).any(-1)
    ptr, col, _ = parts(there.to(F64))
    return torch.sparse_bsr_tensor(ptr, col, tiles[there], d.shape)


def placed(a, values):
    """The dense matrix with these values at the places of a."""
    if isinstance(a, rt.Matrix):
        make = torch.sparse_csc_tensor if a.by_columns else torch.sparse_csr_tensor
        return make(a.crow, a.col, values, a.shape).to_dense()
    if a.layout == torch.sparse_coo:
        return torch.sparse_coo_tensor(a._indices(), values, a.shape).to_dense()
    if a.layout == torch.sparse_csc:
        return torch.sparse_csc_tensor(a.ccol_indices(), a.row_indices(), values, a.shape).to_dense()
    if a.layout == torch.sparse_bsr:
        return torch.sparse_bsr_tensor(a.crow_indices(), a.col_indices(), values, a.shape).to_dense()
    return torch.sparse_csr_tensor(a.crow_indices(), a.col_indices(), values, a.shape).to_dense()


def near(found, wanted, what=""):
    assert found.shape == wanted.shape and found.dtype == wanted.dtype, (what, found.shape, wanted.shape, found.dtype)
    most = 1e-12 if wanted.dtype == F64 else 1e-5
    assert torch.allclose(found, wanted, rtol=most, atol=most), (what, (found - wanted).abs().max())


def random(*shape, dtype=F64, seed=2):
    return torch.from_numpy(np.random.RandomState(seed).rand(*shape)).to(DEVICE, dtype)


def refused(error, words, f, *arguments):
    try:
        f(*arguments)
    except error as e:
        assert "\n" not in str(e) and all(w in str(e) for w in ("expected", "found", *words)), str(e)
        return
    raise AssertionError((f, arguments))


def run(tests, operators):
    """The test that the command line names."""
    if "direct" in sys.argv[2:]:
        operators._is_plain = lambda: not torch.jit.is_tracing()
    torch.manual_seed(1)
    tests[sys.argv[1]]()
