#!/usr/bin/env python3
"""Programs that call cuSPARSE, with and without the drop-in: losses, times, where it passed through.

    jobs/clients.py                              all, each twice; a table on stdout
    jobs/clients.py --defaults                   networks of 1 s to 11 s as a user starts them, without settings
    jobs/clients.py --sizes 100000 --features 64 gcn cupy
    jobs/clients.py --module --rounds 3          not the drop-in, but plans of the Python module; three processes each
    jobs/clients.py --module --autocast gat-edges  layers of PyTorch Geometric by rowcast.pyg, in bf16 both times
    jobs/clients.py --module --device cpu --sizes 1000 gat-edges  on the CPUs, to see whether it is right
    jobs/clients.py --run out.json gcn           in this process, as it is; for profilers

Needs PyTorch, on a GPU with CUDA; PyTorch Geometric and CuPy for the clients of their names.  The drop-in is
librowcast_cusparse.so of --library, else the one that the loader finds; for --module PYTHONPATH names the module.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

LAYERS = ("gcn-edges", "gcn-csr", "sage-edges", "sage-csr", "gin-edges", "gin-csr", "gat-edges", "gatv2-edges")  # a kind, and what of the graph it is given
CLIENTS = ("spmm", "gradient", "gcn", "pyg", "cupy", *LAYERS)
GRAPHS = ("communities", "powerlaw")
MEAN = 16  # entries in a row, before self loops
NAME = "clients: "  # before what it says of itself
COLD = 3  # epochs that load kernels, which are not counted
# With --defaults: client, vertices, features, epochs
PROGRAMS = (("gcn", 1000000, 64, 50), ("gcn", 1000000, 64, 200), ("gcn", 1000000, 64, 600), ("gcn", 100000, 64, 500))
said = []  # of plans of the Python module


def graph(kind, n, device, seed=1):
    """A symmetric graph with self loops and weights 1/sqrt(d_i d_j), as sparse CSR of fp32 there."""
    import torch
    g = torch.Generator(device=device).manual_seed(seed)
    m = n * MEAN // 2
    draw = lambda: torch.rand(m, generator=g, device=device, dtype=torch.float64)
    if kind == "communities":
        size = 250
        u = (draw() * n).long()
        inside = torch.clamp(u // size * size + (draw() * size).long(), max=n - 1)
        v = torch.where(draw() < 0.8, inside, (draw() * n).long())
    else:  # vertex i of weight (i + 1)^-0.6, numbered at random
        name = torch.randperm(n, generator=g, device=device)
        u, v = (name[torch.clamp((draw() ** 2.5 * n).long(), max=n - 1)] for _ in range(2))
    loops = torch.arange(n, device=device)
    key = torch.unique(torch.cat([u * n + v, v * n + u, loops * n + loops]))
    row, col = key // n, key % n
    degree = torch.bincount(row, minlength=n)
    crow = torch.zeros(n + 1, dtype=torch.int64, device=device)
    crow[1:] = torch.cumsum(degree, 0)
    scale = degree.double().rsqrt()
    return torch.sparse_csr_tensor(crow, col, (scale[row] * scale[col]).float(), size=(n, n))


def timed(count, work, device):
    """ms of each call of work: by events of the stream, on the CPUs by the clock."""
    import torch
    if device.type == "cpu":
        marks = [time.perf_counter() * 1e3]
        for _ in range(count):
            work()
            marks.append(time.perf_counter() * 1e3)
        return [b - a for a, b in zip(marks, marks[1:])]
    marks = [torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]
    marks[0].record()
    for mark in marks[1:]:
        work()
        mark.record()
    torch.cuda.synchronize()
    return [a.elapsed_time(b) for a, b in zip(marks, marks[1:])]


def product_of(a, widths, module):
    """x -> A x with a gradient: of PyTorch, or by a plan.  A is symmetric, so the plan is that of the gradient too."""
    import torch
    if not module:
        return lambda x: torch.sparse.mm(a, x)
    import rowcast
    start = time.time()
    plan = rowcast.plan(a, k=sorted(set(widths)))
    said.append(f"{plan.describe().strip()}\nmade in {time.time() - start:.2f} s")

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            return plan(x.contiguous())

        @staticmethod
        def backward(context, gradient):
            return plan(gradient.contiguous())

    return Product.apply


def spmm(a, features, epochs, module):
    """torch.sparse.mm of one matrix."""
    import torch
    multiply = product_of(a, [features], module)
    b = torch.randn(a.shape[1], features, device=a.device, generator=torch.Generator(device=a.device).manual_seed(2))
    out = {}

    def work():
        out["c"] = multiply(b)

    ms = timed(epochs, work, a.device)
    return ms, [float(out["c"].double().square().mean())]


def gradient(a, features, epochs, module):
    """torch.sparse.mm and the gradient of its dense operand, or rowcast.torch.spmm's."""
    import torch
    multiply = torch.sparse.mm
    if module:
        import rowcast.torch
        multiply = rowcast.torch.spmm
    g = torch.Generator(device=a.device).manual_seed(2)
    b = torch.randn(a.shape[1], features, device=a.device, generator=g, requires_grad=True)
    upstream = torch.randn(a.shape[0], features, device=a.device, generator=g)
    out = {}

    def work():
        b.grad = None
        out["c"] = multiply(a, b)
        out["c"].backward(upstream)

    ms = timed(epochs, work, a.device)
    return ms, [float(t.detach().double().square().mean()) for t in (out["c"], b.grad)]


def train(model, parameters, x, labels, epochs, autocast=False):
    import torch
    optimiser = torch.optim.Adam(parameters, lr=0.01)
    losses = []

    def work():
        optimiser.zero_grad(set_to_none=True)
        with torch.autocast(x.device.type, dtype=torch.bfloat16, enabled=autocast):
            loss = torch.nn.functional.cross_entropy(model(x), labels)
        loss.backward()
        optimiser.step()
        losses.append(loss.detach())

    ms = timed(epochs, work, x.device)
    return ms, [float(v) for v in losses]


def data(a, features):
    import torch
    g = torch.Generator(device=a.device).manual_seed(3)
    x = torch.randn(a.shape[0], features, device=a.device, generator=g)
    labels = torch.randint(0, 16, (a.shape[0],), device=a.device, generator=g)
    torch.manual_seed(4)
    return x, labels


def gcn(a, features, epochs, module):
    """Two layers by torch.sparse.mm: A relu(A X W) V."""
    import torch
    multiply = product_of(a, [features, 16], module)
    x, labels = data(a, features)
    first = torch.nn.Linear(features, features).to(a.device)
    second = torch.nn.Linear(features, 16).to(a.device)
    model = lambda x: multiply(second(torch.relu(multiply(first(x)))))
    return train(model, [*first.parameters(), *second.parameters()], x, labels, epochs)


def pyg(a, features, epochs, module):
    """The same as layers of PyTorch Geometric."""
    import torch
    from torch_geometric.nn import GCNConv
    multiply = product_of(a, [features, 16], module)

    class Planned(GCNConv):
        def message_and_aggregate(self, edge_index, x):
            return multiply(x)

    layer = Planned if module else GCNConv
    x, labels = data(a, features)
    first = layer(features, features, normalize=False).to(a.device)
    second = layer(features, 16, normalize=False).to(a.device)
    model = lambda x: second(torch.relu(first(x, a)), a)
    return train(model, [*first.parameters(), *second.parameters()], x, labels, epochs)


def layers(client, a, features, args):
    """Two layers of PyTorch Geometric as its users write them, from edges without loops or from a sparse tensor."""
    import torch
    import torch_geometric.nn as nn
    kind, form = client.split("-")
    make = {"gcn": lambda n, m: nn.GCNConv(n, m, normalize=form == "edges"), "sage": nn.SAGEConv, "gat": nn.GATConv,
            "gatv2": nn.GATv2Conv, "gin": lambda n, m: nn.GINConv(torch.nn.Linear(n, m))}[kind]
    given = a
    if form == "edges":
        row = torch.repeat_interleave(torch.arange(a.shape[0], device=a.device), a.crow_indices().diff())
        given = torch.stack([row, a.col_indices()])[:, row != a.col_indices()]
    x, labels = data(a, features)

    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = make(features, features), make(features, 16)

        def forward(self, x):
            return self.second(torch.relu(self.first(x, given)), given)

    model = Network().to(a.device)
    if args.module:
        import rowcast.pyg
        model = rowcast.pyg.use(model)
        said.append(f"{client}: layers {', '.join(rowcast.pyg.layers(model))}")
    model = torch.compile(model, mode=args.compile) if args.compile else model
    return train(model, model.parameters(), x, labels, args.epochs, args.autocast)


def cupy(a, features, epochs, module):
    """csr @ dense of CuPy."""
    import cupy as cp
    import cupyx.scipy.sparse as sparse
    import torch
    csr = sparse.csr_matrix(tuple(cp.from_dlpack(t.contiguous()) for t in (
        a.values(), a.col_indices().int(), a.crow_indices().int())), shape=tuple(a.shape))
    b = cp.asarray(torch.randn(a.shape[1], features, device="cuda",
                               generator=torch.Generator(device="cuda").manual_seed(2)))
    multiply = lambda b: csr @ b
    if module:
        import rowcast
        multiply = rowcast.plan(csr, k=features)
        said.append(multiply.describe().strip())
    stream = cp.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)
    out = {}

    def work():
        out["c"] = multiply(b)

    with stream:
        ms = timed(epochs, work, b.device)
    return ms, [float((out["c"].astype(cp.float64) ** 2).mean())]


def run(args):
    """Every case in this process; results as JSON."""
    import torch
    on_gpu, results = args.device == "cuda", []
    for n in args.sizes:
        for kind in args.graphs:
            a = graph(kind, n, args.device)
            for features in args.features:
                for client in args.clients:
                    case = {"client": client, "graph": kind, "vertices": n, "entries": a._nnz(), "features": features}
                    try:
                        if on_gpu:
                            torch.cuda.synchronize()
                        start = time.time()
                        ms, losses = (layers(client, a, features, args) if client in LAYERS
                                      else globals()[client](a, features, args.epochs, args.module))
                        case.update(seconds=time.time() - start, ms=ms, losses=losses)
                    except Exception as e:  # the next client is of another library
                        case["error"] = f"{type(e).__name__}: {e}"[:300]
                    results.append(case)
                    torch.cuda.empty_cache()
            del a
    with open(args.run, "w") as f:
        json.dump({"device": torch.cuda.get_device_name() if on_gpu else "CPUs", "torch": torch.__version__, "cuda": torch.version.cuda,
                   "results": results, "said": said}, f)


def preloaded(library, environment):
    """The environment of a program under the drop-in."""
    before = ":".join(filter(None, [library, environment.get("LD_PRELOAD")]))
    return {**environment, "LD_PRELOAD": before, "ROWCAST_LOG": "summary"}


def said_by(stderr):
    """What the drop-in said at exit; RuntimeError when it was not there or makes no plans."""
    said = [line for line in stderr.splitlines() if line.startswith("rowcast")]
    none = [line for line in said if line.startswith("rowcast: no plans")]
    if none or not said:
        raise RuntimeError(f"no drop-in: {(none or stderr.splitlines() or ['it says nothing'])[0]}")
    return said


def child(args, ours):
    """A process of its own, as a user would start it."""
    environment = {k: v for k, v in os.environ.items() if not (args.defaults and k.startswith("ROWCAST_"))}
    if ours and not args.module:
        environment = preloaded(args.library, environment)
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        words = [sys.executable, os.path.abspath(__file__), "--run", out, "--epochs", str(args.epochs), "--device", args.device]
        for name in ("sizes", "features", "graphs"):
            words += ["--" + name, ",".join(map(str, getattr(args, name)))]
        words += ["--module"] if ours and args.module else []
        words += ["--autocast"] if args.autocast else []
        words += ["--compile", args.compile] if args.compile else []
        done = subprocess.run(words + list(args.clients), env=environment, stderr=subprocess.PIPE, text=True)
        if not os.path.exists(out):
            lines = [line[len(NAME):] for line in done.stderr.splitlines() if line.startswith(NAME)]
            raise RuntimeError(lines[0] if lines else done.stderr.strip()[-2000:])
        with open(out) as f:
            out = json.load(f)
    return out, out["said"] + (said_by(done.stderr) if ours and not args.module else [])


def difference(a, b):
    """The largest relative difference of two lists of losses."""
    return max((abs(x - y) / max(abs(x), 1e-30) for x, y in zip(a, b)), default=float("nan"))


def times(a, b):
    """Of two runs the medians of the second half, when plans are there, and the sums."""
    half = len(a["ms"]) // 2
    return (statistics.median(a["ms"][half:]), statistics.median(b["ms"][half:]), sum(a["ms"][COLD:]),
            sum(b["ms"][COLD:]))


def in_turns(args):
    """So many processes of each way, in turns.  Returns the runs, pairs, and what the last one said."""
    rounds, lines = [], []
    for _ in range(args.rounds):
        plain, _ = child(args, False)
        ours, lines = child(args, True)
        rounds.append((plain, ours))
    return rounds, lines


def columns(pairs):
    """Of all rounds the medians: times(), the slowest step, and how far losses are apart.  RuntimeError: what failed."""
    error = next((run["error"] for pair in pairs for run in pair if "error" in run), None)
    if error:
        raise RuntimeError(error)
    each = [(*times(a, b), max(b["ms"][COLD:])) for a, b in pairs]
    apart = max(difference(a["losses"], b["losses"]) for a, b in pairs)
    return (*(statistics.median(column) for column in zip(*each)), apart)


def row(pairs):
    """The columns of a case as text, or what failed."""
    try:
        x, y, u, v, slowest, apart = columns(pairs)
    except RuntimeError as e:
        return str(e)
    return f"{x:.3f} | {y:.3f} | {x / y:.2f} | {u:.1f} | {v:.1f} | {u / v:.2f} | {slowest / x:.1f} | {apart:.1e}"


def of_rounds(args):
    """How the heads of tables say that there are several."""
    return f", medians of {args.rounds} processes" if args.rounds > 1 else ""


def table(args):
    rounds, lines = in_turns(args)
    first = rounds[0][0]
    print(f"{first['device']}, PyTorch {first['torch']}, CUDA {first['cuda']}, {args.epochs} epochs, ms an epoch{of_rounds(args)}\n")
    print("| client | graph | vertices | entries | features | alone, median | with, median | speedup | alone, all | with, all "
          "| speedup | slowest with, steps | losses differ by |")
    print("| --- " * 13 + "|")
    for i, case in enumerate(first["results"]):
        print(f"| {case['client']} | {case['graph']} | {case['vertices']:,} | {case['entries']:,} | {case['features']} | "
              + row([tuple(run["results"][i] for run in pair) for pair in rounds]) + " |")
    print("\n" + "\n".join(lines))
    failed = sum(any("error" in run["results"][i] for pair in rounds for run in pair) for i in range(len(first["results"])))
    if failed:
        raise RuntimeError(f"{failed} of {len(first['results'])} cases failed: see the table")


def defaults(args):
    """Programs of PROGRAMS, each in processes of its own for each graph, in the form of data/results/clients.md."""
    said, card = [], None
    for client, args.sizes, args.features, args.epochs in ((c, [n], [k], e) for c, n, k, e in PROGRAMS):
        for kind in args.graphs:
            rounds, lines = in_turns(argparse.Namespace(**{**vars(args), "clients": [client], "graphs": [kind]}))
            plain = rounds[0][0]
            if card is None:
                card = plain["device"]
                print(f"{card}, PyTorch {plain['torch']}, CUDA {plain['cuda']}, default settings, ms an epoch{of_rounds(args)}\n")
                print("| client | card | vertices | graph | features | epochs | alone, median | with, median | speedup "
                      "| alone, all | with, all | speedup | losses differ by |")
                print("| --- " * 13 + "|")
            x, y, u, v, _, apart = columns([tuple(run["results"][0] for run in pair) for pair in rounds])
            case = plain["results"][0]
            print(f"| `{client}` | {card} | {case['vertices']:,} | {kind} | {case['features']} | {args.epochs:,} | {x:.3f} | {y:.3f} "
                  f"| {x / y:.2f} | {u:,.0f} | {v:,.0f} | {u / v:.2f} | {apart:.1e} |", flush=True)
            said += [f"{client}, {case['vertices']:,} vertices, {kind}, {args.epochs} epochs:"] + lines
    print("\n" + "\n".join(said))


def main():
    numbers = lambda text: [int(v) for v in text.split(",")]
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("clients", nargs="*", help="of " + ", ".join(CLIENTS) + "; none: all")
    p.add_argument("--sizes", type=numbers, default=[100000, 1000000], help="vertices [100000,1000000]")
    p.add_argument("--features", type=numbers, default=[64, 256], help="[64,256]")
    p.add_argument("--graphs", type=lambda t: t.split(","), default=list(GRAPHS), help="[communities,powerlaw]")
    p.add_argument("--device", choices=("cuda", "cpu"), default="cuda", help="cpu: those that need no CuPy [cuda]")
    p.add_argument("--epochs", type=int, default=100)
    p.add_argument("--rounds", type=int, default=1, help="processes of each way, in turns, of which medians are taken [1]")
    p.add_argument("--library", default="librowcast_cusparse.so", help="the drop-in")
    p.add_argument("--module", action="store_true", help="plans of the Python module instead of the drop-in")
    p.add_argument("--autocast", action="store_true", help="layers in bf16 where PyTorch has it so")
    p.add_argument("--compile", metavar="MODE", help="layers by torch.compile both times: default, reduce-overhead (CUDA graphs) ...")
    p.add_argument("--defaults", action="store_true", help="programs of fixed sizes, without any setting")
    p.add_argument("--run", metavar="FILE", help="run in this process, write results there")
    args = p.parse_args()
    args.clients = args.clients or list(CLIENTS)
    for what, names, known in (("client", args.clients, CLIENTS), ("graph", args.graphs, GRAPHS)):
        for name in names:
            if name not in known:
                p.error(f"{what} '{name}': expected one of {', '.join(known)}")
    if min(args.sizes + args.features) < 1 or args.epochs <= COLD or args.rounds < 1 or "" in (args.library, args.run):
        p.error(f"expected sizes, features and rounds from 1 on, more than {COLD} epochs and names that are not empty")
    try:
        (run if args.run else defaults if args.defaults else table)(args)
    except (ImportError, RuntimeError) as e:
        sys.exit(f"{NAME}{e}")


if __name__ == "__main__":
    main()
