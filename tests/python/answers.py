"""What a search says, against its plan: run by python.t as answers.py TEST."""
import os
import subprocess
import sys

import numpy as np
import scipy.sparse as sparse

import rowcast


def matrix():
    return sparse.random(400, 300, density=0.02, format="csr", random_state=3, dtype="float32")


def search():
    """A sentence for each K, rows that compare, and a plan of what was chosen."""
    a = matrix()
    found = rowcast.answer(a, [4, 16], budget=0.2, device="cpu", threads=1)
    assert found.sentence.count("\n") == 1 and found.sentence.startswith("K = 4: ")
    for k in (4, 16):
        rows = [r for r in found.rows if r["k"] == k]
        chosen, = (r for r in rows if r["chosen"])
        baseline, = (r for r in rows if r["baseline"])
        assert rows[0] is chosen and chosen["kernel"] in found.sentence and chosen["time_ns"] > 0
        assert abs(chosen["speedup"] - baseline["time_ns"] / chosen["time_ns"]) < 1e-9 and baseline["order"] == "csr"
    b = np.ones((300, 4), dtype="float32")
    assert np.allclose(found.plan(b), a @ b, rtol=1e-4)
    few = rowcast.answer(a, 8, budget=0, device="cpu")
    wide = rowcast.answer(a.astype("float64"), 8, budget=0, device="cpu")  # a matrix of SciPy has its own type
    assert " in fp32" in few.sentence and " in fp64" in wide.sentence, (few.sentence, wide.sentence)
    assert sum(r["time_ns"] == r["time_ns"] for r in few.rows) >= 1 and "K = " not in few.sentence
    try:
        rowcast.answer(a.toarray(), 8)
    except TypeError as error:
        assert all(word in str(error) for word in ("CSR, CSC or COO", "SciPy, CuPy or PyTorch", "ndarray")), error
    else:
        raise AssertionError("a dense matrix")
    try:
        rowcast.plan(a, 8, budget=float("nan"))
    except ValueError:
        return
    raise AssertionError("a budget that is no number")


def beside():
    """Other programs on the CPUs are named in what is printed, where the machine tells of them; without times nobody is."""
    loop = "import signal; signal.alarm(120)\nwhile True: pass"  # nobody may be left to end it
    busy = [subprocess.Popen([sys.executable, "-c", loop]) for _ in range(2 * os.cpu_count())]
    try:
        with open("/proc/loadavg") as f:
            shared = int(f.read().split()[3].split("/")[0]) > os.cpu_count()
        found = rowcast.answer(matrix(), 8, budget=0.2, device="cpu")
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert found.company.startswith("load ") or not shared
    assert str(found) == found.sentence + ("\n" + found.company if found.company else "")
    untimed = rowcast.plan(matrix(), 8, tune=0, device="cpu").answer()
    assert untimed.company == "" and str(untimed) == untimed.sentence


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
