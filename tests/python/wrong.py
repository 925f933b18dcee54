"""Wrong arguments of the Python module, each in a child process: one exception that names the argument, never a signal,
never taken silently.  Run by python.t as wrong.py TEST ARGUMENT..."""
import copy
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import threading
from types import SimpleNamespace

import numpy as np

import rowcast


def in_child(function):
    """Exit code of a child process that runs a function, negative for a signal."""
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)
        code = 1
        try:
            code = function()
        finally:
            os._exit(code)
    status = os.waitpid(pid, 0)[1]
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def refusal(name, call):
    """0: refused by an exception that has the name in its text; 3: taken; 4: the text does not have it."""
    try:
        call()
    except (TypeError, ValueError, rowcast.Error) as e:
        named = re.match("a[.:]|matrix:", str(e)) if name == "a" else name in str(e)
        return 0 if named else print(f"# {name} is not in: {e}") or 4
    return 3


def all_refused(calls):
    codes = [(name, in_child(lambda: refusal(name, call))) for name, call in calls]
    bad = [(i, name, code) for i, (name, code) in enumerate(codes) if code != 0]
    print(f"# {len(codes)} calls, {sum(c < 0 for *_, c in bad)} by a signal, {sum(c == 3 for *_, c in bad)} taken")
    assert codes and not bad, bad


def matrix(**parts):
    """A CSR matrix of 4 x 5 as plain arrays, with some of them replaced."""
    usual = dict(indptr=np.array([0, 2, 3, 3, 6]), indices=np.array([0, 4, 2, 0, 1, 3], np.int32),
                 data=np.arange(1., 7.), shape=(4, 5))
    return SimpleNamespace(**{**usual, **parts})


def edited(part, at, to, wide=False):
    """A matrix of SciPy that was asked what it is, and edited since."""
    import scipy.sparse as sparse
    m = matrix()
    a = sparse.csr_matrix((m.data, m.indices, m.indptr), shape=m.shape)
    assert a.has_canonical_format and a.has_sorted_indices
    if wide:
        a.indices = a.indices.astype(np.int64)
    getattr(a, part)[at] = to
    return a


def matrices():
    """Matrices that are none, with the argument that is named."""
    for at, to in ((0, 1), (0, -1), (1, 7), (2, -4), (4, 5), (4, 7), (4, 2**30), (2, 2**31 - 1)):
        ptr = matrix().indptr.copy()
        ptr[at] = to
        if (at, to) != (4, 5):  # an entry too many is room that nobody uses
            yield matrix(indptr=ptr)
            yield edited("indptr", at, to)
    for at, to in ((0, -1), (1, 5), (5, 5), (3, 2**31 - 1), (2, -2**31)):
        yield edited("indices", at, to)
    for to in (2**32, 2**32 + 3, -2**32, 2**63 - 1):
        yield edited("indices", 1, to, wide=True)
    wide = matrix().indices.astype(np.uint64)
    wide[2] = 2**64 - 1
    yield matrix(indices=wide)
    for part in ("indptr", "indices", "data"):
        for wrong in (None, 5, np.zeros((2, 2)), np.array(["x"] * 6), np.zeros(6, np.clongdouble), np.zeros(0, int), [None] * 6):
            yield matrix(**{part: wrong})
    yield matrix(indptr=np.array([0., 2, 3, 3, 6]))
    yield matrix(indices=matrix().indices.astype(float))
    yield matrix(data=np.ones(5))
    for shape in ((4,), (4, 5, 1), (-4, 5), (4, 2**31), (2**64 + 4, 5), (4.5, 5), (5, 5), (3, 5), (4, 4), (4, 0)):
        yield matrix(shape=shape)
    for wrong in (None, 5, "a", [[1]], np.ones((4, 5)), object()):
        yield wrong


def forms():
    """The same in COO and CSC, which plans take."""
    coo = dict(format="coo", row=np.array([0, 0, 1, 3, 3, 3]), col=np.array([0, 4, 2, 0, 1, 3]),
               data=np.arange(1., 7.), shape=(4, 5))
    csc = dict(format="csc", indptr=np.array([0, 2, 3, 4, 5, 6]), indices=np.array([0, 3, 3, 1, 3, 0]),
               data=np.arange(1., 7.), shape=(4, 5))
    for usual, part, most in ((coo, "row", 4), (coo, "col", 5), (csc, "indices", 4)):
        for to in (-1, most, 2**31 - 1, -2**31, 2**32, 2**32 + 1, 2**63 - 1, -2**63):
            numbers = usual[part].copy()
            numbers[2] = to
            yield SimpleNamespace(**{**usual, part: numbers})
    for at, to in ((0, 1), (0, -1), (1, 7), (2, -4), (5, 7), (5, 2**40), (2, 2**63 - 1)):
        numbers = csc["indptr"].copy()
        numbers[at] = to
        yield SimpleNamespace(**{**csc, "indptr": numbers})
    for usual in (coo, csc):
        for part in set(usual) - {"format", "shape"}:
            for wrong in (None, 5, np.zeros((6, 3)), np.array(["x"] * 6), np.zeros(6, np.clongdouble), np.zeros(2, int)):
                yield SimpleNamespace(**{**usual, part: wrong})
        for shape in ((4,), (2, 4, 5), (-4, 5), (4, 2**31), (2**64 + 4, 5), (3, 5), (4, 3)):
            yield SimpleNamespace(**{**usual, "shape": shape})


def numbers(least, most):
    """What is no integer of a range."""
    return [least - 1, -2**63, most + 1, 2**64 + 32, -2**64, 1.5, "8", None, 1j, b"8", [8], np.float64(8), object()]


TEXTS = (None, 5, b"lpt", 1.5, ["lpt"], "lpt\0x", "\0", object())
NO_REAL = (1j, np.complex64(1), np.array(1 + 0j), "1", b"1", None, [1], np.ones(2), object(), 10**400)
NO_AMOUNT = NO_REAL + (-1, float("nan"), float("inf"), -float("inf"))
NO_FLAG = (2, -1, "no", None, 1.5, 1j, [], object())


def of_matrices(model):
    a = matrix()
    m = rowcast.Model(model)
    for wrong in matrices():
        yield "a", lambda a=wrong: rowcast.features(a)
        yield "a", lambda a=wrong: rowcast.order(a)
        yield "a", lambda a=wrong: rowcast.predict(a, m, 32, extrapolate=True)
    for f in (rowcast.features, rowcast.order):
        yield "a", lambda f=f: f(matrix(data=np.ones(6, complex)))
    for policy in TEXTS:
        yield "policy", lambda p=policy: rowcast.order(a, p)
    yield "policy", lambda: rowcast.order(a, "\ud800")
    for g in ((32, 32), (32, 32, 32, 32), "abc", 5, (0, 32, 32), (32, -1, 32), (32, 32, 2**32 + 1), (1.5, 1, 1)):
        yield "geometry", lambda g=g: rowcast.order(a, geometry=g)
        yield "geometry", lambda g=g: rowcast.features(a, geometry=g)
    for t in numbers(0, 2**16) + [2**30, 2**32]:
        yield "threads", lambda t=t: rowcast.order(a, threads=t)
        yield "threads", lambda t=t: rowcast.features(a, threads=t)
        yield "threads", lambda t=t: rowcast.predict(a, m, 32, threads=t)


def of_models(model):
    a = matrix()
    m = rowcast.Model(model)
    for name, wrongs in (("k", numbers(0, 2**63 - 1)), ("precision", TEXTS + ("fp12", "float32", "", 4)), ("reuse", NO_AMOUNT),
                         ("extrapolate", NO_FLAG), ("deterministic", NO_FLAG), ("memory", numbers(0, 2**63 - 1)),
                         ("layouts", numbers(0, 3)), ("kernels", TEXTS[1:]), ("orders", TEXTS[1:]), ("c_orders", TEXTS[1:])):
        for wrong in wrongs:
            yield name, lambda n=name, w=wrong: rowcast.predict(a, m, **{"k": 32, "extrapolate": True, n: w})
    for nope in ("nope", "constraints", "operation", "K"):
        yield nope, lambda n=nope: rowcast.predict(a, m, 32, **{n: 1})
        yield nope, lambda n=nope: m.choose(a, 32, **{n: 1})
    for path in (None, 5, 1.5, [], "a\0b", b"a\0b", object()):
        yield "path", lambda p=path: rowcast.Model(p)
    for f in (copy.copy, copy.deepcopy, pickle.dumps):
        yield "Model", lambda f=f: f(m)


def calls(model):
    all_refused(list(of_matrices(model)) + list(of_models(model)))
    good = rowcast.features(matrix())
    assert good["nnz_per_row_max"] == 3 and rowcast.features(edited("data", 0, 9)) == good
    twice = matrix(indices=np.array([4, 0, 2, 1, 0, 1]), data=np.ones(6, bool))
    assert rowcast.features(twice)["nnz_per_row_max"] == 2
    room = matrix(indices=np.r_[matrix().indices, 99], data=np.ones(8))  # behind the last row nobody looks
    assert rowcast.features(room) == good


def plans():
    """Without a GPU too: what is wrong is found before one is looked for."""
    a = matrix()
    wrong = [("a", lambda m=m: rowcast.plan(m, 8)) for m in [*matrices(), *forms()]]
    for name, wrongs in (("k", numbers(1, 2**31 - 1)[:7] + [None, [8, 2**64 + 8], [8.5]]), ("tune", numbers(0, 2**31 - 1)),
                         ("memory", numbers(0, 2**63 - 1)), ("deterministic", NO_FLAG), ("reuse", NO_AMOUNT),
                         ("threads", numbers(0, 2**16)), ("budget", NO_AMOUNT[:5] + NO_AMOUNT[6:] + (1e10, 2**64 + 32)),
                         ("stream", numbers(0, 2**64 - 1)[:7]),
                         ("kernels", TEXTS[1:]), ("orders", TEXTS[1:]), ("model", (5, "m", object())),
                         ("layout", ("diagonal", None, 5)), ("dtype", ("int8", np.clongdouble, 5))):
        for w in wrongs:
            wrong.append((name, lambda n=name, w=w: rowcast.plan(a, **{"k": 8, n: w})))
    wrong.append(("nope", lambda: rowcast.plan(a, 8, nope=1)))
    whole = rowcast.plan(a, 8, device="cpu", threads=1)
    b = np.ones((5, 8))
    for n in ("alpha", "beta"):
        wrong += [(n, lambda n=n, w=w: whole(b, **{n: w})) for w in NO_REAL]
    wrong += [("B", lambda w=w: whole(w)) for w in (b + 1j, b[:, :0] + 1j, b.astype("float16"), b.astype(int))]
    wrong += [("out", lambda: whole(b, np.ones((4, 8), complex)))]
    wrong += [("values", lambda w=w: whole.update(w)) for w in (np.ones(6) + 1j, np.ones((6, 3)), np.ones(6, int))]
    wrong += [("path", lambda t=t: whole.save(t)) for t in ("a\0b", b"a\0b", "\0", 5, None)]
    wrong += [("Plan", lambda f=f: f(whole)) for f in (copy.copy, copy.deepcopy, pickle.dumps)]
    wrong += [("Plan", lambda f=f: f(whole.answer())) for f in (copy.deepcopy, pickle.dumps)]
    made = object.__new__(rowcast.Plan)
    made.shape, made.dtype, made.layout, made.device, made._lock = (4, 5), "float64", "row", None, threading.Lock()
    wrong += [("B", lambda b=b: made(b)) for b in (None, 5, np.ones((5, 8)), "B", [[1.]])]
    wrong += [("values", lambda v=v: made.update(v)) for v in (None, 5, np.ones(6), [1.])]
    wrong += [("Plan", lambda f=f: f(made)) for f in (copy.copy, copy.deepcopy, pickle.dumps)]
    all_refused(wrong)


def forked(model):
    """A child of a process that has used several threads makes the same calls."""
    import scipy.sparse as sparse
    at = np.random.RandomState(1).randint(0, 60000, (2, 360000))
    a = sparse.coo_matrix((np.ones(360000), at), shape=(60000, 60000)).tocsr()

    def all_of():
        return (rowcast.features(a, threads=4), rowcast.predict(a, m, 32, extrapolate=True, threads=4).name,
                [rowcast.order(a, p, threads=4).row.tobytes() for p in ("lpt", "lsh", "blk")])
    m, b = rowcast.Model(model), np.ones((60000, 8))
    here, want = all_of(), a @ b
    assert in_child(lambda: int(all_of() != here)) == 0
    one, two = (rowcast.plan(a, 8, device="cpu", threads=n) for n in (1, 2))
    assert np.allclose(one(b), want) and np.allclose(two(b), want)
    assert in_child(lambda: int(not np.allclose(rowcast.plan(a, 8, device="cpu")(b), want))) == 0
    assert in_child(lambda: int(len(rowcast.answer(a, 8, budget=0.2, device="cpu").rows) == 0)) == 0
    inside, over = threading.Event(), threading.Event()

    def product():
        """One that is not over when the process forks."""
        with one._lock, two._lock:
            inside.set()
            over.wait()
    thread = threading.Thread(target=product)
    thread.start()
    inside.wait()
    assert in_child(lambda: int(not np.allclose(one(b), want))) == 0
    all_refused([("fork", lambda: two(b)), ("fork", lambda: two.update(a.data))])
    over.set()
    thread.join()


def cut(sealed, to):
    """Without its seal: one digest of 16 bytes for each MiB and a footer of 64 behind the body."""
    size = os.path.getsize(sealed)
    body = next(n for n in range(size - 80, 0, -1) if n + 16 * ((n - 1) // 2**20 + 1) + 64 == size)
    with open(sealed, "rb") as f, open(to, "wb") as g:
        g.write(f.read(body))


def stores(sealed):
    """A seal that does not hold, none, no file, and a writer that died; the same files are refused by the programs."""
    cut(sealed, "bare.h5")
    shutil.copy(sealed, "bad.h5")
    with open("bad.h5", "r+b") as f:
        f.seek(5000)
        byte = f.read(1)
        f.seek(5000)
        f.write(bytes([byte[0] ^ 1]))
    os.mkfifo("pipe")
    with open("empty", "w"):
        pass
    wrong = [(said, lambda n=name: rowcast.open_store(n)) for name, said in
             (("bad.h5", "not what was written"), ("bare.h5", "has no seal"), ("pipe", "no regular file"),
              (".", "no regular file"), ("nowhere.h5", "nowhere.h5"), ("empty", "has no seal"), (None, "path"), (5.5, "path"), ("a\0b", "path"))]
    wrong += [("unsealed", lambda w=w: rowcast.open_store(sealed, w)) for w in NO_FLAG]
    wrong.append(("empty", lambda: rowcast.open_store("empty", unsealed=True)))
    died = ("import h5py, os\na = h5py.File('bare.h5', 'r')\nb = h5py.File('died.h5', 'w', libver='latest')\n"
            "for k in a: a.copy(k, b)\nb.flush()\nos.kill(os.getpid(), 9)")
    subprocess.run([sys.executable, "-c", died])
    wrong.append(("h5clear", lambda: rowcast.open_store("died.h5", unsealed=True)))
    all_refused(wrong)
    for name in ("bad.h5", "bare.h5", "died.h5"):
        assert subprocess.run([os.environ["ROWCAST"], "query", name], capture_output=True).returncode == 3, name
    said = subprocess.run([os.environ["ROWCAST"], "query", "--unsealed", "died.h5"], capture_output=True)
    assert said.returncode == 3 and b"h5clear" in said.stderr, said
    shutil.copy("bad.h5", "half.h5")  # written in place just now: beside it is what it becomes
    shutil.copy(sealed, "half.h5.whole")
    all_refused([("not what was written", lambda: rowcast.open_store("half.h5"))])  # somebody's file
    os.utime("half.h5.whole", (1 << 30, 1 << 30))
    with rowcast.open_store("half.h5") as half, rowcast.open_store(sealed) as whole:
        assert half.results().equals(whole.results())
    with rowcast.open_store("bare.h5", unsealed=True) as bare, rowcast.open_store(sealed) as s:
        assert s.frame("results").equals(bare.frame("results"))
        all_refused([("status", lambda: s.results("nope")), ("Store", lambda: copy.copy(s)),
                     ("Store", lambda: pickle.dumps(s))])


def locked(sealed):
    """Where the file system has no locks; run with tests/fault/shim_lock.c."""
    import h5py
    try:
        h5py.File(sealed, "r", locking=True).close()
    except OSError as e:
        assert "lock" in str(e), e
    else:
        raise AssertionError("there are locks")
    with rowcast.open_store(sealed) as s:
        assert len(s.frame("results")) > 0


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
