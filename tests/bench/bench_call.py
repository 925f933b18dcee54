"""The host's time of one call of a plan from Python, in us, beside that of the library of the arrays.

Of a matrix that takes next to nothing.
On a GPU with PyTorch or CuPy, whichever is there; without a GPU on the CPU, with the product in it.  Batches that the
queue of the GPU has room for; the median of them.
"""
import sys
import time

import numpy as np
import rowcast
import scipy.sparse as sparse

GOAL_US, BATCH, K = 8, 100, 8


def median_us(call, wait):
    found = []
    for _ in range(40):
        wait()
        begin = time.perf_counter()
        for _ in range(BATCH):
            call()
        found.append((time.perf_counter() - begin) / BATCH * 1e6)
    wait()
    return sorted(found)[len(found) // 2]


def torch_ways(a):
    import torch
    at = torch.sparse_csr_tensor(torch.tensor(a.indptr), torch.tensor(a.indices), torch.tensor(a.data), a.shape).cuda()
    b = torch.ones(a.shape[1], K, device="cuda")
    return at, b, torch.empty(a.shape[0], K, device="cuda"), torch.cuda.synchronize, lambda: torch.sparse.mm(at, b)


def cupy_ways(a):
    import cupy
    import cupyx.scipy.sparse as on_gpu
    at, b = on_gpu.csr_matrix(a), cupy.ones((a.shape[1], K), dtype=np.float32)
    return at, b, cupy.empty((a.shape[0], K), np.float32), cupy.cuda.runtime.deviceSynchronize, lambda: at @ b


def numpy_ways(a):
    b = np.ones((a.shape[1], K), np.float32)
    return a, b, np.empty((a.shape[0], K), np.float32), lambda: None, lambda: a @ b


def main():
    a = sparse.random(900, 900, density=0.005, format="csr", random_state=1, dtype=np.float32)
    for name, ways in (("PyTorch", torch_ways), ("CuPy", cupy_ways), ("NumPy", numpy_ways)):
        try:
            at, b, out, wait, other = ways(a)
            plan = rowcast.plan(at, K, tune=0, device="cpu", threads=1) if name == "NumPy" else rowcast.plan(at, K, tune=0)
        except Exception as e:  # no such library, or no GPU
            print(f"{name}: {type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}")
            continue
        for label, call in (("plan(b, out)", lambda: plan(b, out)), ("plan(b)", lambda: plan(b)), ("its own", other)):
            print(f"{name:8} {label:13} {median_us(call, wait):8.2f} us  (goal on a GPU: {GOAL_US})")
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
