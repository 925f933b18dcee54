"""The installed C libraries by ctypes: structures and functions of their headers."""
from __future__ import annotations

import ctypes as c
import functools
import glob
import itertools
import os
import re
import sys
from typing import Any, Dict, List, Optional

I64P = c.POINTER(c.c_int64)
I32P = c.POINTER(c.c_int32)
F64P = c.POINTER(c.c_double)


class Error(RuntimeError):
    """A call of the library that failed; the text is its line.

    Attributes:
        status: the number of rc_status_t, negative
        name: "invalid", "device", "format", ...
    """

    def __init__(self, status: int, name: str, text: str):
        super().__init__(text or name)
        self.status = status
        self.name = name


def _structure(**members: Any) -> Any:
    """A structure of C with these members, in their order."""
    return type("Structure", (c.Structure,), {"_fields_": list(members.items())})


Err = _structure(status=c.c_int, text=c.c_char * 500)
Csr = _structure(rows=c.c_int64, cols=c.c_int64, nnz=c.c_int64, row_ptr=I64P, col_idx=I32P,
                 val=F64P)
Geometry = _structure(nw=c.c_int32, nt=c.c_int32, line=c.c_int32)
Groups = _structure(name=c.c_char_p, count=c.c_int64, ptr=I64P)
Schedule = _structure(slots=c.c_int64, rows=c.c_int64, row=I32P, cols=c.c_int64, col=I32P,
                      levels=c.c_int, group=Groups * 3)
Candidate = _structure(name=c.c_char_p, policy=c.c_char_p, kernel=c.c_char_p, is_baseline=c.c_int,
                       layout=c.c_int, deterministic=c.c_int)
Constraints = _structure(layouts=c.c_int, kernels=c.c_char_p, orders=c.c_char_p,
                         c_orders=c.c_char_p, memory=c.c_int64, deterministic=c.c_int)
Request = _structure(k=c.c_int64, precision=c.c_int, reuse=c.c_double, threads=c.c_int,
                     operation=c.c_char_p, device=c.c_char_p, extrapolate=c.c_int,
                     constraints=Constraints)
Choice = _structure(candidate=c.c_int, reference=c.c_int, candidates=c.c_int,
                    permitted=c.POINTER(c.c_ubyte), time_ns=F64P, setup_ns=F64P,
                    featurise_ns=c.c_double, predict_ns=c.c_double, order_ns=c.c_double,
                    overhead_ns=c.c_double, break_even=c.c_double, outside=c.c_int,
                    extrapolation=c.c_char * 256, schedule=Schedule, geometry=Geometry)
PlanMatrix = _structure(rows=c.c_int64, cols=c.c_int64, nnz=c.c_int64, row_ptr=c.c_void_p,
                        row_ptr_bytes=c.c_int, col_idx=c.c_void_p, val=c.c_void_p,
                        precision=c.c_int, on_device=c.c_int, col_idx_bytes=c.c_int, form=c.c_int)
PatternInfo = _structure(digest=c.c_uint64 * 2, ascending=c.c_int)
PlanProblem = _structure(op=c.c_int, precision=c.c_int, layout=c.c_int, k=I64P, ks=c.c_int,
                         k_range=c.c_int, ld_in=c.c_int64 * 2, ld_out=c.c_int64, out_fp32=c.c_int)
PlanOptions = _structure(kernels=c.c_char_p, orders=c.c_char_p, model=c.c_void_p,
                         extrapolate=c.c_int, tune=c.c_int, tune_ns=c.c_int64, memory=c.c_int64,
                         reuse=c.c_double, deterministic=c.c_int, threads=c.c_int,
                         allocator=c.c_void_p, tune_in_use=c.c_int, transposed=c.c_int)
PlanCall = _structure(plan=c.c_void_p, k=c.c_int64, alpha=c.c_double, b=c.c_void_p, ldb=c.c_int64,
                      beta=c.c_double, c=c.c_void_p, ldc=c.c_int64, transposed=c.c_int)
PlanProduct = _structure(k=c.c_int64, alpha=c.c_double * 2, beta=c.c_double * 2,
                         **{"in": c.c_void_p * 2}, ld_in=c.c_int64 * 2, out=c.c_void_p,
                         ld_out=c.c_int64, transposed=c.c_int, conjugated=c.c_int)
Extremes = _structure(kind=c.c_int, k=c.c_int64, b=c.c_void_p, ldb=c.c_int64, out=c.c_void_p,
                      entry=c.c_void_p)
Softmax = _structure(row=c.c_void_p, col=c.c_void_p, entry=c.c_void_p, slope=c.c_double,
                     out=c.c_void_p, gradient=c.c_void_p, of_entry=c.c_void_p, of_row=c.c_void_p)
PlanRow = _structure(candidate=c.c_int, kernel=c.c_char_p, order=c.c_char_p, time_ns=c.c_double,
                     error=c.c_double, speedup=c.c_double, order_ns=c.c_double, setup_ns=c.c_double,
                     pays_after=c.c_double, chosen=c.c_int, baseline=c.c_int, again=c.c_int,
                     note=c.c_char_p)
PlanAnswer = _structure(k=c.c_int64, rows=c.c_int, transposed=c.c_int, row=c.POINTER(PlanRow),
                        sentence=c.c_char * 400)
SystemOptions = _structure(order=c.c_char_p, k=c.c_int64, precision=c.c_int, threads=c.c_int,
                           allocator=c.c_void_p)
SystemInfo = _structure(order=c.c_char * 128, rows=c.c_int64, row=I32P, slot=I32P,
                        identity=c.c_int, order_ns=c.c_double, permute_ns=c.c_double,
                        gain=c.c_double, break_even=c.c_double)
SystemMatrix = _structure(nnz=c.c_int64, row_ptr=c.c_void_p, row_ptr_bytes=c.c_int,
                          col_idx=c.c_void_p, col_idx_bytes=c.c_int, val=c.c_void_p,
                          precision=c.c_int, place=c.c_void_p, place_bytes=c.c_int)
SystemBlock = _structure(**{"from": c.c_void_p}, ld_from=c.c_int64, to=c.c_void_p,
                         ld_to=c.c_int64, k=c.c_int64, layout=c.c_int, precision=c.c_int)
StoreTimed = _structure(matrix=c.c_int64, op=c.c_int64, k=c.c_int64, precision=c.c_int64,
                        cache=c.c_int64, device=c.c_int64, kernel=c.c_int64, layout=c.c_int64,
                        nw=c.c_int64, nt=c.c_int64, line=c.c_int64, run=c.c_int64, card=c.c_int64,
                        baseline=c.c_int64, newest=c.c_int64)

#: By the names that C has for them: their layout is tested against the headers'.
STRUCTURES = {"rc_err_t": Err, "rc_csr_t": Csr, "rc_geometry_t": Geometry, "rc_groups_t": Groups,
              "rc_schedule_t": Schedule, "rc_candidate_t": Candidate, "rc_constraints_t": Constraints,
              "rc_request_t": Request, "rc_choice_t": Choice, "rc_plan_matrix_t": PlanMatrix,
              "rc_pattern_info_t": PatternInfo,
              "rc_plan_problem_t": PlanProblem, "rc_plan_options_t": PlanOptions,
              "rc_plan_call_t": PlanCall, "rc_extremes_t": Extremes,
              "rc_softmax_t": Softmax,
              "rc_plan_product_t": PlanProduct,
              "rc_plan_row_t": PlanRow, "rc_plan_answer_t": PlanAnswer,
              "rc_system_options_t": SystemOptions, "rc_system_info_t": SystemInfo,
              "rc_system_matrix_t": SystemMatrix, "rc_system_block_t": SystemBlock,
              "rc_store_timed_t": StoreTimed}

P = c.POINTER
_ROWCAST = {
    "rc_status_name": (c.c_char_p, [c.c_int]),
    "rc_version": (c.c_char_p, []),
    "rc_precision_name": (c.c_char_p, [c.c_int]),
    "rc_order_build": (c.c_int, [c.c_char_p, P(Csr), P(Geometry), c.c_int, P(Schedule), P(Err)]),
    "rc_schedule_free": (None, [P(Schedule)]),
    "rc_features_compute": (c.c_int, [P(Csr), P(Geometry), c.c_int, F64P, P(Err)]),
    "rc_feature_name": (c.c_char_p, [c.c_int]),
    "rc_model_read": (c.c_int, [c.c_char_p, P(c.c_void_p), P(Err)]),
    "rc_model_free": (None, [c.c_void_p]),
    "rc_model_candidates": (c.c_int, [c.c_void_p]),
    "rc_model_candidate": (c.c_int, [c.c_void_p, c.c_int, P(Candidate), P(Err)]),
    "rc_model_device": (c.c_char_p, [c.c_void_p]),
    "rc_model_operation": (c.c_char_p, [c.c_void_p]),
    "rc_model_knows": (None, [c.c_void_p, c.c_char_p, c.c_size_t]),
    "rc_choose": (c.c_int, [c.c_void_p, P(Csr), P(Request), P(Choice), P(Err)]),
    "rc_choice_free": (None, [P(Choice)]),
    "rc_store_check": (c.c_int, [c.c_char_p, P(c.c_int), P(Err)]),
    "rc_store_partners": (c.c_int, [P(StoreTimed), c.c_int64, I64P, P(Err)]),
}
_PLAN = {
    "rc_pattern_read_host": (c.c_int, [P(PlanMatrix), c.c_int, P(PatternInfo), P(Err)]),
    "rc_plan_create_host": (c.c_int,
                            [P(PlanProblem), P(PlanMatrix), P(PlanOptions), P(c.c_void_p), P(Err)]),
    "rc_plan_clone": (c.c_int, [c.c_void_p, c.c_void_p, P(c.c_void_p), P(Err)]),
    "rc_plan_free": (None, [c.c_void_p]),
    "rc_plan_execute": (c.c_int, [c.c_void_p, c.c_int64, c.c_double, c.c_void_p, c.c_int64, c.c_double, c.c_void_p,
                                  c.c_int64, c.c_void_p, P(Err)]),
    "rc_plan_execute_transposed": (c.c_int, [c.c_void_p, c.c_int64, c.c_double, c.c_void_p, c.c_int64, c.c_double,
                                             c.c_void_p, c.c_int64, c.c_void_p, P(Err)]),
    "rc_plan_execute_sddmm": (c.c_int,
                              [c.c_void_p, c.c_int64, c.c_double, c.c_void_p, c.c_int64, c.c_void_p,
                               c.c_int64, c.c_double, c.c_void_p, c.c_void_p, P(Err)]),
    "rc_plan_execute_complex": (c.c_int, [c.c_void_p, P(PlanProduct), c.c_void_p, P(Err)]),
    "rc_plan_execute_many": (c.c_int, [P(PlanCall), c.c_int, c.c_void_p, P(Err)]),
    "rc_plan_update_values": (c.c_int, [c.c_void_p, c.c_int64, c.c_void_p, c.c_int, c.c_int, c.c_void_p, P(Err)]),
    "rc_plan_describe": (c.c_size_t, [c.c_void_p, c.c_char_p, c.c_size_t]),
    "rc_plan_save": (c.c_int, [c.c_void_p, c.c_char_p, P(Err)]),
    "rc_plan_parts": (c.c_int, [c.c_void_p]),
    "rc_plan_answer": (c.c_int, [c.c_void_p, c.c_int, P(PlanAnswer), P(Err)]),
    "rc_plan_answer_free": (None, [P(PlanAnswer)]),
    "rc_plan_company": (c.c_char_p, [c.c_void_p]),
    "rc_order_system": (c.c_int, [P(PlanMatrix), P(SystemOptions), P(c.c_void_p), P(Err)]),
    "rc_system_free": (None, [c.c_void_p]),
    "rc_system_info": (c.c_int, [c.c_void_p, P(SystemInfo), P(Err)]),
    "rc_system_permute": (c.c_int,
                          [c.c_void_p, P(PlanMatrix), P(SystemMatrix), c.c_void_p, P(Err)]),
    "rc_system_values": (c.c_int, [c.c_void_p, c.c_void_p, c.c_int, P(SystemMatrix), c.c_void_p,
                                   P(Err)]),
    "rc_system_to": (c.c_int, [c.c_void_p, P(SystemBlock), c.c_void_p, P(Err)]),
    "rc_system_back": (c.c_int, [c.c_void_p, P(SystemBlock), c.c_void_p, P(Err)]),
    "rc_extremes_host": (c.c_int, [P(PlanMatrix), P(Extremes), c.c_int, P(Err)]),
    "rc_softmax_host": (c.c_int, [P(PlanMatrix), P(Softmax), c.c_int, P(Err)]),
    "rc_xla_plan_new": (c.c_int, [c.c_void_p, P(c.c_void_p), P(Err)]),
    "rc_xla_plan_close": (None, [c.c_void_p]),
    "rc_xla_call": (c.c_void_p, [c.c_void_p]),
}
_CUDA = {
    **_PLAN,
    "rc_pattern_read": (c.c_int, [P(PlanMatrix), c.c_void_p, P(PatternInfo), P(Err)]),
    "rc_plan_create": (c.c_int, [P(PlanProblem), P(PlanMatrix), P(PlanOptions), c.c_void_p, P(c.c_void_p), P(Err)]),
    "rc_extremes": (c.c_int, [P(PlanMatrix), P(Extremes), c.c_void_p, P(Err)]),
    "rc_softmax": (c.c_int, [P(PlanMatrix), P(Softmax), c.c_void_p, P(Err)]),
    "rc_order_system_cuda": (c.c_int, [P(PlanMatrix), P(SystemOptions), c.c_void_p, P(c.c_void_p),
                                       P(Err)]),
    "rc_gpu_list": (c.c_int, [P(c.c_void_p), P(c.c_int), P(Err)]),
}
_FUNCTIONS = {"rowcast": _ROWCAST, "rowcast_plan": _PLAN, "rowcast_cuda": _CUDA}


def _places(name: str) -> List[str]:
    """File names to try: of ROWCAST_LIBRARY_DIR alone; else of the folder that a wheel has, of the
    prefix that this file is in, then the loader's own."""
    file = f"lib{name}.so.1"
    if os.environ.get("ROWCAST_LIBRARY_DIR"):
        return [os.path.join(os.environ["ROWCAST_LIBRARY_DIR"], file)]
    here = os.path.dirname(os.path.abspath(__file__))  # PREFIX/share/rowcast/python/rowcast
    prefix = os.path.normpath(os.path.join(here, *[os.pardir] * 4))
    multiarch = getattr(sys.implementation, "_multiarch", "")
    return [os.path.join(here, "_lib", file),
            os.path.join(prefix, "lib", file), os.path.join(prefix, "lib64", file),
            os.path.join(prefix, "lib", multiarch, file), file]


def _of_cuda(file: str) -> Optional[str]:
    """Where a library of CUDA is that the loader does not find: in NVIDIA's packages of Python, as
    PyTorch brings them, or in the toolkit."""
    folders = [os.path.join(glob.escape(p), "nvidia", "*", "lib") for p in sys.path if p]
    roots = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    folders += [os.path.join(glob.escape(root), "lib64") for root in roots if root]
    for folder in folders:
        for found in sorted(glob.glob(os.path.join(folder, glob.escape(file)))):
            return found
    return None


def _opened(place: str) -> Any:
    """A library, after those of CUDA that it needs and the loader does not find.

    Raises:
        OSError: what is not there
    """
    opened: List[str] = []
    while True:
        try:
            return c.CDLL(place)
        except OSError as e:
            missing = re.match(r"(lib(?:cu|nv)[^:/]*): cannot open", str(e))
            if missing is None:
                raise
            file = _of_cuda(missing.group(1))
            if file is None or file in opened:
                raise OSError(f"{missing.group(1)} of CUDA is neither where the loader looks nor "
                              "in nvidia/*/lib of Python's packages nor in CUDA_HOME: install "
                              "PyTorch, or NVIDIA's package of it") from None
            c.CDLL(file, c.RTLD_GLOBAL)
            opened.append(file)


_loaded: dict = {}
_free = c.CDLL(None).free
_free.restype, _free.argtypes = None, [c.c_void_p]


def load(name: str) -> Any:
    """librowcast, librowcast_plan or librowcast_cuda, opened once.

    Raises:
        ImportError: it is nowhere; names the places
    """
    if name in _loaded:
        return _loaded[name]
    reasons: List[str] = []
    broken: List[str] = []
    for place in _places(name):
        if os.sep in place and not os.path.exists(place) and "ROWCAST_LIBRARY_DIR" not in os.environ:
            continue
        try:
            library = _opened(place)
        except OSError as e:
            (broken if os.path.exists(place) else reasons).append(str(e))
            continue
        for function, (result, arguments) in _FUNCTIONS[name].items():
            f = getattr(library, function)
            f.restype, f.argtypes = result, arguments
        _loaded[name] = library
        return library
    if broken:
        raise ImportError(f"lib{name} does not load: {'; '.join(broken)}")
    raise ImportError(f"lib{name} is not installed, or not where it is looked for: set ROWCAST_LIBRARY_DIR ("
                      + "; ".join(reasons) + ")")


@functools.lru_cache(maxsize=None)
def types() -> Dict[str, int]:
    """The value types of the library by its names, "fp32" for one, as rc_precision_t has them."""
    names = (load("rowcast").rc_precision_name(number) for number in itertools.count())
    return {name.decode(): number for number, name in enumerate(itertools.takewhile(bool, names))}


@functools.lru_cache(maxsize=None)
def dtypes() -> Dict[str, int]:
    """The same by the names of NumPy, CuPy and PyTorch: "float32", "bfloat16", "complex64", ..."""
    words = {"fp": "float", "bf": "bfloat", "c": "complex"}
    found = ((re.match("[a-z]+", name)[0], name, number) for name, number in types().items())
    return {words[kind] + name[len(kind):]: number for kind, name, number in found}


@functools.lru_cache(maxsize=None)
def real_dtypes() -> Dict[str, int]:
    """Those of real numbers, which are the ones of GPUs."""
    return {name: number for name, number in dtypes().items() if not is_complex(name)}


def is_complex(dtype: str) -> bool:
    """Of a name of dtypes()."""
    return dtype.startswith("complex")


def has_gpu() -> bool:
    """1: librowcast_cuda is there and sees a GPU."""
    try:
        library = load("rowcast_cuda")
    except ImportError:
        return False
    listed, count = c.c_void_p(), c.c_int()
    if library.rc_gpu_list(c.byref(listed), c.byref(count), None) < 0:
        return False
    _free(listed)
    return count.value > 0


def check(status: int, err: Err) -> None:
    """Raise Error for a negative status."""
    if status < 0:
        raise Error(status, load("rowcast").rc_status_name(status).decode(), err.text.decode(errors="replace"))


def call(function: Any, *arguments: Any) -> None:
    """Call a function whose last argument is an rc_err_t, and raise what it says."""
    err = Err()
    check(function(*arguments, c.byref(err)), err)
