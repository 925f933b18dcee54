#!/usr/bin/env python3
"""Solvers with and without rowcast: whole solves by a clock on the wall, in turns, and the page that says what came of it.

    jobs/solvers.py --budget 540 matrices mesh3d:n=100 mesh3d:n=100,shuffle=both    # again, to go on
    jobs/solvers.py --page > data/results/solvers.md                                # of the lines that it wrote

SYSTEM is a folder with .mtx files (.gz, .xz), such a file, or a spec of `rowcast generate`; without one, meshes of a million
and of five million points, natural and shuffled.  Symmetric patterns without values, and generated ones, get those of a
Laplacian plus 1e-4.

Each case is a solver and a system: so many processes alone and with rowcast in turns, one line of JSON.  A program of
cuSPARSE (tests/dropin/solve_gpu) and CuPy's solvers run with and without the drop-in; programs with plans beside the same
ones without (jobs/solver_cases.py).  Needs NumPy and SciPy; CuPy and PyTorch for their cases.  With an installed rowcast:

    PYTHONPATH=PREFIX/share/rowcast/python LD_LIBRARY_PATH=PREFIX/lib jobs/solvers.py --rowcast PREFIX/bin/rowcast

Ends with 0 when all is done, 1 when a case failed, 75 when time ran out: run it again.
"""
import argparse
import concurrent.futures
import glob
import gzip
import hashlib
import importlib.util
import json
import lzma
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

import clients
import solver_cases

SPECS = ("mesh3d:n=100", "mesh3d:n=100,shuffle=both", "mesh3d:n=171", "mesh3d:n=171,shuffle=both")
SHIFT = 1e-4  # of a Laplacian, which is singular
WAYS = ("alone", "with")
TIMES = ("seconds", "process_s", "made_s", "step_s")
APART = .01  # of iterations and residuals, beyond which two runs are not the same


class OutOfTime(Exception):
    pass


# -------------------------------------------------------------------------------------------------- systems

def is_file(name):
    return re.search(r"\.mtx(\.gz|\.xz)?$", name) is not None


def opened(name):
    """A file of text, packed or not."""
    ways = {".gz": gzip.open, ".xz": lzma.open}
    return ways.get(os.path.splitext(name)[1], open)(name, "rb")


def entries_of(name):
    """As the head of a file says."""
    with opened(name) as f:
        return next(int(line.split()[-1]) for line in f if not line.startswith(b"%"))


def listed(words, least):
    """Systems by name: a spec, or a file; of folders those with at least so many entries."""
    names = {}
    for word in words or SPECS:
        if os.path.isdir(word):
            found = [name for name in sorted(glob.glob(os.path.join(word, "**", "*.mtx*"), recursive=True))
                     if is_file(name) and entries_of(name) >= least]
        else:
            found = [word]
        for name in found:
            name = os.path.abspath(name) if is_file(name) else name
            other = names.setdefault(title(name), name)
            if other != name:
                raise SystemExit(f"solvers: {name} and {other} would have the same name, {title(name)}")
    return list(names.values())


def digest(name):
    """What a kept system is known by: of a file its place and state."""
    state = os.stat(name) if is_file(name) else None
    return hashlib.sha1(f"{name} {state and (state.st_size, state.st_mtime_ns)}".encode()).hexdigest()[:8]


def title(name):
    """What a system is called in lines and in the page."""
    return "/".join(name[:name.rindex(".mtx")].split(os.sep)[-2:]) if is_file(name) else name


def is_symmetric(a, of_values):
    """Whether the pattern is, and the values where they count."""
    import numpy as np
    if a.shape[0] != a.shape[1]:
        return False
    t = a.T.tocsr()
    t.sort_indices()
    return (np.array_equal(a.indptr, t.indptr) and np.array_equal(a.indices, t.indices)
            and (not of_values or np.allclose(a.data, t.data, rtol=1e-14, atol=0)))


def laplacian(a):
    """The same pattern: -1 for each neighbour, and their number plus SHIFT on the diagonal."""
    import numpy as np
    import scipy.sparse as sp
    a = sp.csr_matrix((np.full(a.nnz, -1.0), a.indices, a.indptr), shape=a.shape)
    a = a - sp.diags(a.diagonal())
    a = sp.csr_matrix(a + sp.diags(SHIFT - np.asarray(a.sum(1)).ravel()))
    a.sort_indices()
    return a


def generated(args, spec, path):
    words = [args.rowcast, "generate", spec, "-o", path]
    try:
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, timeout=max(args.ends - time.monotonic(), .01))
    except subprocess.TimeoutExpired:
        raise OutOfTime from None


def read(args, name, folder):
    """The matrix of a system, in CSR of fp64."""
    import scipy.io
    import scipy.sparse as sp
    path = name
    if not is_file(name):
        path = os.path.join(folder, "generated.mtx")
        generated(args, name, path)
    with opened(path) as f:
        no_values = path != name or b"pattern" in f.readline()
    with opened(path) as f:
        a = scipy.io.mmread(f)
    if a.dtype.kind == "c":
        raise ValueError("complex values")
    a = sp.csr_matrix(a, dtype=float)
    a.sum_duplicates()
    a.sort_indices()
    return laplacian(a) if no_values and is_symmetric(a, False) else a


def kinds(a):
    """What a system is, as a case needs it."""
    found = ["any"] + (["square"] if a.shape[0] == a.shape[1] else [])
    if is_symmetric(a, True):
        found += ["symmetric"] + (["definite"] if a.diagonal().min() > 0 else [])
    return found


def prepared(args, name):
    """The system as a file of arrays, which is kept in the folder of work, and what it is."""
    import numpy as np
    part = re.sub(r"[^A-Za-z0-9]+", "_", title(name)) + "-" + digest(name)
    path = os.path.join(args.work, part)
    if not os.path.exists(path + ".json"):
        with tempfile.TemporaryDirectory(dir=args.work) as folder:
            a = read(args, name, folder)
        with open(path + ".csr", "wb") as f:
            np.array([*a.shape, a.nnz], np.int64).tofile(f)
            for values, kind in ((a.indptr, np.int32), (a.indices, np.int32), (a.data, np.float64)):
                values.astype(kind).tofile(f)
        about = {"system": title(name), "rows": a.shape[0], "cols": a.shape[1], "entries": int(a.nnz), "kinds": kinds(a)}
        with open(path + ".new", "w") as f:
            json.dump(about, f)
        os.replace(path + ".new", path + ".json")
    with open(path + ".json") as f:
        return path + ".csr", json.load(f)


# ------------------------------------------------------------------------------------------------------ runs

def once(args, case, path, way):
    """One process; what it says in its last line, with the seconds that it took in all."""
    environment = dict(os.environ)
    if isinstance(case.how, list):
        words, drops = [args.program, case.how[0], path, *case.how[1:]], True
    else:
        words, drops = [sys.executable, os.path.abspath(__file__), "--run", case.name, way, path], case.how[1]
    if way == "with":
        environment.update(case.environment)
        environment = clients.preloaded(args.library, environment) if drops else environment
    start = time.monotonic()
    limit = min(max(args.ends - start, .01), args.limit)
    try:
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        if limit < args.limit:
            raise OutOfTime from None
        raise RuntimeError(f"more than {args.limit:g} s") from None
    lines = done.stdout.splitlines()
    if done.returncode != 0 or not lines:
        raise RuntimeError(f"exit {done.returncode}: {(done.stderr.splitlines() or ['nothing was said'])[-1]}")
    said = clients.said_by(done.stderr) if way == "with" and drops else []
    return {**json.loads(lines[-1]), "process_s": round(time.monotonic() - start, 3), "said": said}


def middle(runs):
    """Of the runs of one way the medians of what is measured, and the rest as the last one has it."""
    found = dict(runs[-1])
    found.update({name: statistics.median(run[name] for run in runs) for name in TIMES if name in found})
    for name in ("iterations", "residual"):  # those of a run
        found[name] = runs[0][name] if None in [run[name] for run in runs] else max(run[name] for run in runs)
    found["runs"] = [run["seconds"] for run in runs]
    return found


def is_same(case, alone, ours):
    """Whether both took as many iterations, and rowcast's residual is no worse, or as small as was asked for."""
    steps = [alone["iterations"], ours["iterations"]]
    near = None in steps or abs(steps[0] - steps[1]) <= APART * max(steps)
    residuals = (alone["residual"], ours["residual"])
    small = [0 <= r <= (1 + APART) * case.tolerance for r in residuals]
    return near and min(residuals) >= 0 and (all(small) or abs(residuals[0] - residuals[1]) <= APART * abs(residuals[0]))


def measured(args, case, path, about):
    """The line of a case."""
    line = {"case": case.name, **about, "date": time.strftime("%Y-%m-%d")}
    runs = {way: [] for way in WAYS}
    try:
        for _ in range(args.rounds):
            for way in WAYS:
                runs[way].append(once(args, case, path, way))
        alone, ours = (middle(runs[way]) for way in WAYS)
        line.update(alone=alone, gain=alone["seconds"] / ours["seconds"], same=is_same(case, alone, ours))
        line["with"] = ours
    except (RuntimeError, ValueError, KeyError, OSError, ZeroDivisionError) as e:
        line["error"] = f"{type(e).__name__}: {e}"[:400]
    return line


def lines_of(path):
    """What was written; a line that a killed process left unfinished is none."""
    found = []
    if os.path.exists(path):
        with open(path) as f:
            for text in f:
                try:
                    found.append(json.loads(text))
                except ValueError:
                    print(f"solvers: {path}: a line is left out that is no JSON", file=sys.stderr)
    return found


def written(path, line):
    """Append a line, which begins anew after one that was not ended."""
    with open(path, "a+b") as f:
        if f.tell() > 0:
            f.seek(-1, os.SEEK_END)
            if f.read(1) != b"\n":
                f.write(b"\n")
        f.write((json.dumps(line) + "\n").encode())
        f.flush()
        os.fsync(f.fileno())


def there(args, names):
    """The cases that can run here; of the others a line each."""
    found = []
    for case in solver_cases.CASES:
        if names and case.name not in names:
            continue
        lacks = [module for module in case.modules if importlib.util.find_spec(module) is None]
        if isinstance(case.how, list) and not os.access(args.program, os.X_OK):
            lacks = [args.program]
        if lacks:
            print(f"solvers: {case.name} is left out: there is no {', '.join(lacks)}", file=sys.stderr)
        else:
            found.append(case)
    return found


def systems(args):
    """Files and what they are, made side by side before anything is timed."""
    def one(name):
        if time.monotonic() > args.ends:
            raise OutOfTime
        try:
            return prepared(args, name)
        except (OSError, ValueError, lzma.LZMAError, subprocess.CalledProcessError) as e:
            print(f"solvers: {name}: {e}", file=sys.stderr)
            return None
    os.makedirs(args.work, exist_ok=True)
    names = listed(args.systems, args.least)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = list(pool.map(one, names))
    return [system for system in found if system], None in found


def drive(args):
    """Every case that has no line yet, until time is up.  Returns the exit code."""
    finished = {(line["case"], line["system"]) for line in lines_of(args.output)}
    cases = there(args, args.cases)
    try:
        found, failed = systems(args)
        for case in cases:
            for path, about in found:
                if case.needs not in about["kinds"] or (case.name, about["system"]) in finished:
                    continue
                if time.monotonic() > args.ends:
                    raise OutOfTime
                line = measured(args, case, path, about)
                written(args.output, line)
                print(f"{case.name}, {about['system']}: " + (line.get("error") or f"{line['gain']:.2f}"), flush=True)
    except OutOfTime:
        print("solvers: time is up; run it again to go on", file=sys.stderr)
        return 75
    return int(failed or any("error" in line for line in lines_of(args.output)))


# ------------------------------------------------------------------------------------------------------ main

def arguments():
    build = os.environ.get("ROWCAST_BUILD", "build")
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("systems", nargs="*", metavar="SYSTEM")
    p.add_argument("--budget", type=float, default=540, help="seconds in all, systems included [540]")
    p.add_argument("--limit", type=float, default=120, help="seconds of a process [120]")
    p.add_argument("--rounds", type=int, default=2, help="processes of each way [2]")
    p.add_argument("--least", type=int, default=100000, help="entries of a file in a folder, as its head says [100000]")
    p.add_argument("--cases", type=lambda text: text.split(","), default=[], help="some only, by commas")
    p.add_argument("-o", "--output", default="solvers.jsonl", help="lines, which are kept [solvers.jsonl]")
    p.add_argument("--work", default=os.path.join(tempfile.gettempdir(), "rowcast-solvers"), help="folder of systems")
    p.add_argument("--program", default=os.path.join(build, "tests/dropin/solve_gpu"), help="that calls cuSPARSE")
    p.add_argument("--rowcast", default=os.path.join(build, "rowcast"), help="the command")
    p.add_argument("--library", default="librowcast_cusparse.so.1", help="the drop-in")
    p.add_argument("--page", action="store_true", help="print the page of the lines")
    p.add_argument("--run", nargs=3, metavar=("CASE", "WAY", "FILE"), help="solve in this process, print a line")
    args = p.parse_args()
    known = [case.name for case in solver_cases.CASES]
    for name in args.cases:
        if name not in known:
            p.error(f"case '{name}': expected one of {', '.join(known)}")
    names = (args.output, args.work, args.program, args.rowcast, args.library)
    if not (args.budget > 0 and args.limit > 0) or args.rounds < 1 or "" in names:
        p.error("expected a budget, a limit, a round or more, and names that are not empty")
    for name in args.systems:
        if not (os.path.exists(name) or (not is_file(name) and re.match(r"[a-z0-9]", name))):
            p.error(f"'{name}': no such folder or file, and no spec")
    args.ends = time.monotonic() + args.budget
    return args


def main():
    args = arguments()
    if args.run:
        solver_cases.run(args.run[0], args.run[2], args.run[1] == "with")
    elif args.page:
        import solver_page
        sys.stdout.write(solver_page.page(lines_of(args.output)))
    else:
        sys.exit(drive(args))


if __name__ == "__main__":
    main()
