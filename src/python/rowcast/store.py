"""Stores as frames of pandas.  Needs h5py and pandas."""
from __future__ import annotations

import ctypes as c
import os
import stat
from typing import Any, Union

import numpy as np

from . import _library as lib
from ._given import Handle, file_name, flag


class Store(Handle):
    """A store of measurements, opened to be read.

    Its bytes are compared with its seal before HDF5 sees them.

    Args:
        path: of `rowcast sweep`
        unsealed: also a store without a seal; damage can crash its reader

    Raises:
        Error: no store, damaged, without a seal, or not closed by the program that wrote it
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"], unsealed: bool = False):
        path = file_name(path, "path")
        allowed = flag(unsealed, "unsealed")
        for _ in range(20):  # until it is not replaced between the two
            name = _readable(path)
            before = os.stat(name) if os.path.exists(name) else None
            _check(name, allowed)
            self._file = _opened(name)
            if before and os.path.samestat(before, os.fstat(self._file.id.get_vfd_handle())):
                return
            self._file.close()
        raise _error(path, "is replaced again and again")

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; frames stay."""
        self._file.close()

    def frame(self, table: str) -> Any:
        """A table as it is: "results", "dict/matrix", "dict/policy", "dict/kernel", ...

        Raises:
            KeyError: there is none of that name
        """
        import pandas as pd
        rows = self._file[table][:]
        return pd.DataFrame({n: rows[n].astype(str) if rows.dtype[n].kind == "S" else rows[n]
                             for n in rows.dtype.names})

    def results(self, status: str = "ok") -> Any:
        """The newest result of each case of a status, with the names of what it is of.

        Columns of the dictionaries have the name of theirs behind them where the result has one of
        the same name: name_policy, id_policy; the matrix comes first: its are name, given as
        matrix_name, and id.
        """
        r = self._of_status(status)
        return self._named(r[r.newest])

    def speedups(self, baseline: str = "csr") -> Any:
        """results() with the speedup over an order, all else equal; nan: not measured.

        As `rowcast query` and the report have it: over the result of the same run and GPU, whose
        products were timed in turns, where that run measured the baseline; else over the newest
        one of the same GPU.
        """
        r = self._of_status("ok")
        r = r[r.median_ns > 0].reset_index(drop=True)
        policy = self.frame("dict/policy")
        r["card"] = self._cards(r)
        r["baseline"] = r.policy.isin(policy.id[policy.name == baseline]) & (r.c_order == 0)
        rows = np.ascontiguousarray(r[[name for name, _ in lib.StoreTimed._fields_]], np.int64)
        partner = np.empty(len(r), np.int64)
        lib.call(lib.load("rowcast").rc_store_partners, rows.ctypes.data_as(lib.P(lib.StoreTimed)),
                 len(r), partner.ctypes.data_as(lib.I64P))
        r["speedup"] = r.median_ns.reindex(partner).to_numpy() / r.median_ns  # of none: nan
        return self._named(r[r.newest].drop(columns=["card", "baseline"]))

    def _cards(self, r: Any) -> Any:
        """The number of the GPU that each result was timed on; -1: none, or not known."""
        import pandas as pd
        p = self.frame("provenance")
        p = p[(p.key == "device.uuid") & (p.part == 0) & ~p.value.str.match("cpu|$")]
        card = p.drop_duplicates(["run", "rank"], keep="last").set_index(["run", "rank"]).value
        return pd.factorize(card.reindex(pd.MultiIndex.from_frame(r[["run", "rank"]])))[0]

    def _of_status(self, status: str) -> Any:
        """All results of a status; column newest: no later one of its case; a noisy one
        takes the place of no ok one."""
        import h5py
        numbers = h5py.check_enum_dtype(self._file["results"].dtype["status"])
        if status not in numbers:
            raise ValueError(
                f"status: expected one of {', '.join(numbers)}, found {status!r}")
        r = self.frame("results")
        was_ok = (r.status == numbers["ok"]).groupby(r.case_id).cummax()
        counted = r[~(was_ok & (r.status == numbers.get("noisy", -1)))]
        r["newest"] = r.index.isin(counted.drop_duplicates("case_id", keep="last").index)
        return r[r.status == numbers[status]]

    def _named(self, r: Any) -> Any:
        r = r.drop(columns="newest")
        for name in ("matrix", "policy", "kernel", "device"):
            r = r.merge(self.frame("dict/" + name), left_on=name, right_on="id",
                        suffixes=("", "_" + name))
        return r.rename(columns={"name": "matrix_name", "name_policy": "policy_name",
                                 "name_kernel": "kernel_name", "name_device": "device_name"})


def _error(name: bytes, text: str) -> lib.Error:
    return lib.Error(-11, "store", f"{os.fsdecode(name)}: {text}")


def _readable(path: bytes) -> bytes:
    """The file that holds a store now: PATH.whole while PATH is written in place (src/store/replace.h)."""
    whole = os.path.realpath(path) + b".whole"
    try:
        found = os.lstat(whole)
        owners = (0, os.geteuid(), os.stat(path).st_uid)
    except OSError:
        return path
    ours = stat.S_ISREG(found.st_mode) and found.st_uid in owners and int(found.st_mtime) == 1 << 30
    return whole if ours and not _is_sealed(path) else path


def _is_sealed(path: bytes) -> bool:
    sealed = c.c_int()
    try:
        lib.call(lib.load("rowcast").rc_store_check, path, c.byref(sealed))
    except lib.Error:
        return False
    return bool(sealed.value)


def _check(name: bytes, unsealed: int) -> None:
    sealed = c.c_int()
    lib.call(lib.load("rowcast").rc_store_check, name, c.byref(sealed))
    if not sealed.value and not unsealed:
        raise _error(name, "has no seal: an older rowcast wrote it, it was cut short, or another program changed it, "
                     "and damage can crash its reader; unsealed=True reads it all the same, 'rowcast archive "
                     "--unsealed' makes a sealed copy")


def _unlocked(name: str) -> Any:
    """A file of h5py without a lock: file systems have none, or refuse it, and a store is replaced as a whole."""
    import h5py
    try:
        return h5py.File(name, "r", locking=False)
    except (TypeError, ValueError):  # an older one, which reads the environment whenever it opens a file
        before = os.environ.get("HDF5_USE_FILE_LOCKING")
    os.environ["HDF5_USE_FILE_LOCKING"] = "FALSE"
    try:
        return h5py.File(name, "r")
    finally:
        del os.environ["HDF5_USE_FILE_LOCKING"]
        if before is not None:
            os.environ["HDF5_USE_FILE_LOCKING"] = before


def _opened(name: bytes) -> Any:
    try:
        return _unlocked(os.fsdecode(name))
    except OSError as e:
        if "consistency flags" in str(e):
            raise _error(name, "the program that wrote it died, or is still writing; when nothing writes it, 'h5clear "
                         "--status' with its name makes it readable") from None
        raise _error(name, f"cannot be opened: {e}") from None


def open_store(path: Union[str, "os.PathLike[str]"], unsealed: bool = False) -> Store:
    """Open a store of `rowcast sweep`, as Store.  Close it, or use it in a with statement."""
    return Store(path, unsealed)
