"""Files of matrices by SciPy, and whether what rowcast made of them is the same.
usage: readers_check.py write DIR      prints their names
       readers_check.py compare DIR    DIR/NAME.mtx against what SciPy reads of DIR/NAME"""
import os
import sys

import numpy as np
import scipy.io
import scipy.sparse as sp


def write(folder):
    os.makedirs(folder)
    a = sp.random(30, 40, 0.1, random_state=1, format="csr")
    a.data = np.round(a.data * 8) / 8 - 2
    ints = (a * 8).astype(np.int64)
    wide = a.copy()
    wide.indices, wide.indptr = a.indices.astype(np.int64), a.indptr.astype(np.int64)
    again = a.tocoo()
    again.row = np.append(again.row, again.row[:9])
    again.col = np.append(again.col, again.col[:9])
    again.data = np.append(again.data, np.zeros(9))
    npz = {f: a.asformat(f) for f in ("csr", "csc", "coo", "dia")}
    npz.update({np.dtype(t).name: (abs(ints) if np.dtype(t).kind == "u" else ints).astype(t) for t in
                (np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64, np.float32, np.bool_)})
    npz.update(bsr=a.tobsr((5, 8)), bsr_flat=a.tobsr((1, 1)), wide=wide, duplicates=again, empty=sp.csr_matrix((3, 0)),
               few=sp.coo_matrix(([1.0], ([2], [1])), shape=(9, 9)))
    for name, m in npz.items():
        sp.save_npz(f"{folder}/{name}.npz", m, compressed=name != "csr")
        print(f"{name}.npz")
    zeros = sp.csc_matrix((np.ones(2), ([0, 1], [0, 39])), shape=a.shape)
    problem = {"title": "a title", "name": "G/p", "A": a.tocsc(), "b": np.ones((30, 1)), "Zeros": zeros}
    for name, variables in {"sparse": {"M": a.tocsc()}, "logical": {"M": a.astype(bool).tocsc()},
                            "beside": {"before": np.eye(3), "M": a.tocsc(), "text": "after"},
                            "problem": {"Problem": problem}}.items():
        for packed in (False, True):
            scipy.io.savemat(f"{folder}/{name}{packed:d}.mat", variables, do_compression=packed)
            print(f"{name}{packed:d}.mat")
    sp.save_npz(f"{folder}/complex.npz", a * 1j)
    scipy.io.savemat(f"{folder}/complex_mat.mat", {"A": (a * 1j).tocsc()})


def expected(path):
    if path.endswith(".npz"):
        return sp.load_npz(path)
    variables = scipy.io.loadmat(path)
    return variables["M"] if "M" in variables else variables["Problem"]["A"][0, 0]


def compare(folder):
    files = sorted(f[:-4] for f in os.listdir(folder) if f.endswith(".mtx"))
    for name in files:
        made, wanted = scipy.io.mmread(f"{folder}/{name}.mtx").tocsr(), sp.csr_matrix(expected(f"{folder}/{name}"))
        wanted = wanted.astype(np.float64)
        wanted.sum_duplicates()
        assert made.shape == wanted.shape, name
        assert made.nnz == 0 or abs(made - wanted).max() == 0, name
        more = 2 if name.startswith("problem") else 0  # the entries of Zeros
        assert made.nnz == wanted.nnz + more, (name, made.nnz, wanted.nnz)
    assert len(files) == 26, files


{"write": write, "compare": compare}[sys.argv[1]](sys.argv[2])
