"""Stores as frames of pandas.  Needs h5py and pandas."""
from __future__ import annotations

import os
from typing import Any, Union

#: What two results have in common when they are compared.
SETTING = ["matrix", "kernel", "op", "k", "precision", "device", "nw", "nt", "line", "cache"]


class Store:
    """A store of measurements, opened to be read."""

    def __init__(self, path: Union[str, "os.PathLike[str]"]):
        import h5py
        self._file = h5py.File(path, "r")

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; frames stay."""
        self._file.close()

    def frame(self, table: str) -> Any:
        """A table as it is: "results", "dict/matrix", "dict/policy", "dict/kernel", "dict/device", ...

        Raises:
            KeyError: there is none of that name
        """
        import pandas as pd
        rows = self._file[table][:]
        return pd.DataFrame({n: rows[n].astype(str) if rows.dtype[n].kind == "S" else rows[n]
                             for n in rows.dtype.names})

    def results(self, status: str = "ok") -> Any:
        """The newest result of each case of a status, with the names of matrix, policy, kernel and device.

        Columns of the dictionaries have the name of theirs behind them where the result has one of the same name:
        name_policy, id_policy; the matrix comes first: its are name, given as matrix_name, and id.
        """
        import h5py
        number = h5py.check_enum_dtype(self._file["results"].dtype["status"])[status]
        r = self.frame("results").drop_duplicates("case_id", keep="last")
        r = r[r.status == number]
        for name in ("matrix", "policy", "kernel", "device"):
            r = r.merge(self.frame("dict/" + name), left_on=name, right_on="id", suffixes=("", "_" + name))
        return r.rename(columns={"name": "matrix_name", "name_policy": "policy_name", "name_kernel": "kernel_name",
                                 "name_device": "device_name"})

    def speedups(self, baseline: str = "csr") -> Any:
        """results() with the speedup over a policy on the same matrix, kernel and setting; nan: not measured."""
        r = self.results()
        base = r[r.policy_name == baseline].drop_duplicates(SETTING).set_index(SETTING).median_ns
        r["speedup"] = base.reindex(r.set_index(SETTING).index).to_numpy() / r.median_ns.to_numpy()
        return r


def open_store(path: Union[str, "os.PathLike[str]"]) -> Store:
    """Open a store of `rowcast sweep`.  Close it, or use it in a with statement."""
    return Store(path)
