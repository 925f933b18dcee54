"""Plans of PyTorch's tensors: how long they are kept, and who has them.  Run by torch.t as torch_check.py is."""
import contextlib
import copy
import ctypes
import gc
import inspect
import io
import os
import pickle
import subprocess
import sys
import threading

import torch
from torch_made import DEVICE, F64, csr, dense, near, parts, random, refused, run

import rowcast
import rowcast.torch as rt
from rowcast import _torch_ops as ops, _torch_plans as plans


def kept():
    """Plans go with their tensors, patterns of one shape do not mix, and there are no more than the settings say."""
    rt.forget()
    gc.collect()
    assert rt.kept().plans == 0
    d, b = dense(20, 11), random(11, 4)
    a, twin = csr(d), csr(d)
    rt.spmm(a, b)
    rt.spmm(twin, b)
    assert rt.kept()[:2] == (1, 1), rt.kept()
    other = d.flip(0).contiguous()
    near(rt.spmm(csr(other), b), other @ b)
    near(rt.spmm(a, b), d @ b)
    del a
    rt.spmm(twin, b)
    assert rt.kept()[:2] == (1, 1), rt.kept()
    del twin
    assert rt.kept() == (0, 0, 0), rt.kept()
    m = rt.Matrix(*parts(d), d.shape)
    rt.spmm(m, b)
    assert rt.kept().plans == 1
    graph = rt.spmm(m, b.clone().requires_grad_())
    del m
    graph.sum().backward()
    del graph
    gc.collect()
    assert rt.kept().plans == 0, rt.kept()
    three = parts(d)
    near(torch.ops.rowcast.spmm(*three, b, 11, False), d @ b)
    near(torch.ops.rowcast.spmm(*three, b, 11, False), d @ b)
    assert rt.kept().plans == 1, "operators find it by the tensors"
    del three
    assert rt.kept() == (0, 0, 0), rt.kept()
    three, made = parts(d), []
    real, plans.Product.prepare = plans.Product.prepare, lambda *args: (made.append(1), real(*args))
    for factor in (1, 2, 3):
        near(rt.spmm(torch.sparse_csr_tensor(*three[:2], factor * three[2], d.shape), b), factor * (d @ b))
    plans.Product.prepare = real
    assert len(made) == 1, "one plan of many sparse tensors, while the pattern's lives"
    del three
    assert rt.kept() == (0, 0, 0), rt.kept()
    limits()


def limits():
    d = dense(20, 11)
    m, b = rt.Matrix(*parts(d), d.shape), random(11, 9)
    for name, most in (("plans", 3), ("bytes", 3 * 12 * m.val.shape[0])):
        was = getattr(rt.settings, name)
        setattr(rt.settings, name, most)
        for k in range(1, 10):
            near(rt.spmm(m, b[:, :k]), d @ b[:, :k])
            assert rt.kept().plans <= 3
        assert rt.kept().plans == 3
        rt.spmm(m, b[:, :7])
        rt.spmm(m, b[:, :1])
        assert {key[3] for key in m._pattern.plans} == {7, 9, 1}, "the one that was not used for longest goes"
        setattr(rt.settings, name, was)
    places = rt._kept._places
    for seed in range(20):
        rt.spmm(csr(dense(20, 11, seed=seed)), b)
    rt.kept()
    assert len(places) <= 2, len(places)


def replaced():
    """torch.sparse.mm and @ in a block, and as before behind it."""
    d, b = dense(20, 11), random(11, 4)
    a = csr(d)
    rt.forget()
    for nested in (False, True):
        with rt.replaced():
            for product in (lambda: a @ b, lambda: torch.sparse.mm(a, b), lambda: torch.mm(a, b), lambda: a.matmul(b),
                            lambda: torch.matmul(a, b), lambda: a.mm(b)):
                near(product(), d @ b)
            assert rt.kept().plans == 1
            near(a @ b[:, 0], d @ b[:, 0])
            near(d @ b, d.matmul(b))
            x = b.clone().requires_grad_()
            (a @ x).sum().backward()
            near(x.grad, d.t() @ torch.ones(20, 4, dtype=F64))
            if nested:
                with rt.replaced():
                    near(a @ b, d @ b)
            try:
                a @ random(4, 4)
            except RuntimeError:
                pass
            else:
                raise AssertionError("a shape that does not fit")
        rt.forget()
        a @ b
        assert rt.kept().plans == 0


def threads():
    """Several at once, of one matrix and of matrices of one pattern, in passes with gradients."""
    d = dense(40, 30)
    shared, wrong = csr(d), []

    def work(i):
        try:
            for j in range(30):
                k = 1 + (i + j) % 3
                b = random(30, k, seed=i).requires_grad_()
                near(rt.spmm(shared, b), d @ b)
                m = rt.Matrix(*parts((i + 1) * d), d.shape)
                rt.spmm(m, b).sum().backward()
                near(b.grad, (i + 1) * d.t() @ torch.ones(40, k, dtype=F64, device=DEVICE))
        except BaseException as e:
            wrong.append(e)

    all_of_them = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in all_of_them:
        t.start()
    for t in all_of_them:
        t.join()
    assert not wrong, wrong


def fork():
    """A child of a process that has plans makes its own, and the parent keeps its; of the CPU."""
    d, b = dense(40, 30), random(30, 4)
    a = csr(d)
    near(rt.spmm(a, b), d @ b)
    rt._kept.lock.acquire()  # as another thread may have it
    child = os.fork()
    if child == 0:
        code = 1
        try:
            torch.set_num_threads(1)
            m = rt.Matrix(*parts(d), d.shape)
            code = 0 if torch.allclose(rt.spmm(a, b), rt.spmm(m, b)) and rt.kept().plans == 1 else 2
        finally:
            os._exit(code)
    rt._kept.lock.release()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    near(rt.spmm(a, b), d @ b)


def captured():
    """Products in a CUDA graph read B and values anew at each replay; only on a GPU."""
    if DEVICE != "cuda":
        return
    rt.settings.graphs = True
    d, b = dense(40, 30, torch.float32), random(30, 8, dtype=torch.float32)
    m = rt.Matrix(*parts(d), d.shape)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        near(rt.spmm(m, b), d @ b)
        near(rt.spmv(m, b[:, 0]), d @ b[:, 0])
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out, vector = rt.spmm(m, b), rt.spmv(m, b[:, 0])
    for factor in (1, 2, 3):
        graph.replay()
        torch.cuda.synchronize()
        near(out, factor * (d @ b))
        near(vector, factor * (d @ b[:, 0]))
        m.val.mul_((factor + 1) / factor)
        b.mul_(1.5)
    near(rt.spmm(m, b), 4 * (d @ b))


class Recorded:
    """A library that notes what is asked of it, with the stream."""

    def __init__(self):
        self.calls, self.plans = [], 0

    def rc_plan_clone(self, plan, stream, out, err):
        self.plans += 1
        out._obj.value = 100 + self.plans
        self.calls.append(("clone", stream))
        return 0

    def rc_plan_update_values(self, plan, nnz, val, width, on_device, stream, err):
        self.calls.append(("update", stream))
        return 0

    def rc_plan_execute_many(self, call, calls, stream, err):
        self.calls.append(("run", call._obj.plan, stream))
        return 0

    def rc_plan_free(self, plan):
        self.calls.append(("free", plan.value))


class Gpu:
    """What a plan asks of torch.cuda."""

    stream, capturing = 7, False

    def current_stream(self, device):
        return type("Stream", (), {"cuda_stream": self.stream})

    def is_current_stream_capturing(self):
        return self.capturing

    def device(self, device):
        return contextlib.nullcontext()


def streams_and_graphs():
    """Which plan a stream and a capture get, and when values are read there, with a library that only notes it."""
    gpu, library = Gpu(), Recorded()
    real, plans.torch.cuda = torch.cuda, gpu
    plans.stream_of = lambda index: gpu.stream
    product = plans.Product("spmm", F64, 4, 3, torch.device("cpu"))
    product._device, product._on_cpu, product._library = torch.device("cuda", 0), False, library
    val, b, out = random(3).cpu(), random(5, 4).cpu(), random(6, 4).cpu()
    product._begin(ctypes.c_void_p(100), 7, None).values.took(val)

    def multiply():
        library.calls.clear()
        product.multiply(val, None, b, 4, out)
        return library.calls[:]

    assert multiply() == [("run", 100, 7)]
    val.mul_(2)
    assert multiply() == [("update", 7), ("run", 100, 7)] and multiply() == [("run", 100, 7)]
    gpu.stream = 8
    assert multiply() == [("clone", 8), ("update", 8), ("run", 101, 8)] and multiply() == [("run", 101, 8)]
    gpu.stream, gpu.capturing = 9, True
    assert multiply() == [("update", 9), ("run", 100, 9)], "the plan of stream 7 goes into the graph, and reads values"
    assert multiply() == [("update", 9), ("run", 100, 9)] and product.in_graph
    gpu.stream, gpu.capturing = 9, False
    assert multiply() == [("update", 9), ("run", 100, 9)], "replays may have changed them"
    gpu.stream = 7
    assert multiply() == [("clone", 7), ("update", 7), ("run", 102, 7)]
    gpu.capturing, gpu.stream = True, 10
    assert multiply() == [("update", 10), ("run", 101, 10)]
    product._runs = {7: plans._Run(ctypes.c_void_p(100), 4, 7, None)}
    refused(rowcast.Error, ("settings.graphs",), multiply)
    gpu.capturing, gpu.stream, rt.settings.graphs = False, 7, True
    product._runs = {7: plans._Run(ctypes.c_void_p(100), 4, 7, None)}
    product._runs[7].values.took(val)
    assert multiply() == [("update", 7), ("run", 100, 7)] and multiply() == [("run", 100, 7)]
    gpu.capturing, rt.settings.graphs = True, False
    assert multiply() == [("update", 7), ("run", 100, 7)]
    library.calls.clear()
    product.__del__()
    assert library.calls == [] and len(plans._late) == 1, "a capture is not waited in"
    gpu.capturing, product._runs = False, {}
    plans._late.clear()
    plans.torch.cuda = real


def copied():
    """Copies and pickles of a Matrix multiply as it does, also behind its first product."""
    d, b = dense(20, 11), random(11, 4)
    for by_columns in (False, True):
        m = rt.Matrix(*parts(d, by_columns=by_columns), d.shape, by_columns=by_columns)
        near(m @ b, d @ b)
        file = io.BytesIO()
        torch.save(m, file)
        file.seek(0)
        how = {"weights_only": False} if "weights_only" in inspect.signature(torch.load).parameters else {}
        for other in (copy.copy(m), copy.deepcopy(m), pickle.loads(pickle.dumps(m)), torch.load(file, **how)):
            near(other @ b, d @ b)
            assert (other.shape, other.by_columns) == (m.shape, m.by_columns)
        deep = copy.deepcopy(m)
        deep.val.mul_(2)
        near(deep @ b, 2 * (d @ b))
        near(m @ b, d @ b)
    trained = copy.deepcopy(m.with_values(m.val.clone().requires_grad_()))
    (trained @ b).sum().backward()
    assert trained.val.grad is not None


def lonely():
    """rowcast itself needs no PyTorch."""
    code = "import sys; sys.modules['torch'] = None; import rowcast; rowcast.version()"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


if __name__ == "__main__":
    run(globals(), ops)
