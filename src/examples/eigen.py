#!/usr/bin/env python3
"""The smallest eigenvalues of a mesh's Laplacian by a filtered subspace, K vectors at once.

Usage: eigen.py [N [K]]

The products with K vectors are first CuPy's, then those of a plan.  Needs CuPy and rowcast; prints
seconds of both, and how far the eigenvalues are from the known ones.
"""
import sys
import time

import cupy as cp
import numpy as np
import scipy.sparse as sparse

import rowcast


def laplacian(n):
    """7 points on n x n x n, and all of its eigenvalues in ascending order."""
    side = -np.ones(n - 1)
    line = sparse.diags([side, 2 * np.ones(n), side], [-1, 0, 1], format="csr")
    one = sparse.identity(n, format="csr")
    a = sum(sparse.kron(sparse.kron(x, y), z)
            for x, y, z in ((line, one, one), (one, line, one), (one, one, line)))
    of_line = 2 - 2 * np.cos(np.pi * np.arange(1, n + 1) / (n + 1))
    few = np.sort(of_line)[:min(n, 40)]  # the smallest sums have small terms
    return a.tocsr(), np.sort(np.add.outer(np.add.outer(few, few), few).ravel())


def filtered(product, x, degree, low, high, lowest):
    """A Chebyshev polynomial of A times x that is small on low .. high; `degree` products."""
    e, c = (high - low) / 2, (high + low) / 2
    sigma = e / (lowest - c)
    tau = 2 / sigma
    y = (product(x) - c * x) * (sigma / e)
    for _ in range(degree - 1):
        after = 1 / (tau - sigma)
        x, y = y, (product(y) - c * y) * (2 * after / e) - (sigma * after) * x
        sigma = after
    return y


def smallest(product, rows, k, wanted, degree=40, rounds=30):
    """Eigenvalues until the first `wanted` have residuals below 1e-6; rounds that it took."""
    x = cp.linalg.qr(cp.random.default_rng(1).standard_normal((rows, k)))[0]
    for done in range(1, rounds + 1):
        ax = product(x)
        values, u = cp.linalg.eigh(x.T @ ax)
        x, ax = x @ u, ax @ u
        if float(cp.linalg.norm(ax - x * values, axis=0)[:wanted].max()) < 1e-6:
            break
        x = cp.linalg.qr(filtered(product, x, degree, float(values[-1]), 12.0, float(values[0])))[0]
    return values.get()[:wanted], done


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    k = int(sys.argv[2]) if len(sys.argv) > 2 else 32
    a, known = laplacian(n)
    from cupyx.scipy.sparse import csr_matrix
    on_gpu = csr_matrix(a)
    start = time.time()
    plan = rowcast.plan(on_gpu, k=k)
    made = time.time() - start
    print(plan.describe().strip())
    for name, product in (("CuPy", lambda x: cp.ascontiguousarray(on_gpu @ x)),
                          ("plan", lambda x: plan(cp.ascontiguousarray(x)))):
        for wanted in (1, k // 2):  # once to warm up
            cp.cuda.Device().synchronize()
            start = time.time()
            most = 1 if wanted == 1 else 30
            values, rounds = smallest(product, a.shape[0], k, wanted, rounds=most)
            cp.cuda.Device().synchronize()
        seconds = time.time() - start
        b = cp.ones((a.shape[0], k))
        marks = [cp.cuda.Event() for _ in range(2)]
        marks[0].record()
        for _ in range(100):
            product(b)
        marks[1].record()
        marks[1].synchronize()
        each = 10 * cp.cuda.get_elapsed_time(*marks)
        print(f"{name}: {seconds:.3f} s in {rounds} rounds, a product {each:.1f} us, "
              f"largest error {np.abs(values - known[:k // 2]).max():.1e}")
    print(f"the plan was made in {made:.3f} s")


if __name__ == "__main__":
    main()
