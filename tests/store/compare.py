"""The first rows of a grown store are those of the store that it was, bit by bit; what a row of before
has in a column that is new is the default.

usage: compare.py BEFORE AFTER

Prints the number of new rows of /results.
"""
import sys

import h5py
import numpy as np

DEFAULT = {("dict/policy", "params"): b"", ("results", "device_bytes"): -1, ("results", "fill"): np.nan,
           ("results", "permute_ns"): -1, ("results", "pointer_bytes"): -1,
           ("results", "load"): np.nan, ("results", "cpus"): -1, ("results", "hop_ns"): np.nan}
GROWS = {"dict/run": {"ended_ns", "state"}}  # of a run that a journal was left of


def check(name, old, new):
    assert len(new) >= len(old), name
    new = new[:len(old)]
    if old.dtype.names is None:
        assert old.tobytes() == new.tobytes(), name
        return
    for field in new.dtype.names:
        if field in old.dtype.names:
            same = old[field].tobytes() == new[field].tobytes()
            assert same or field in GROWS.get(name, ()), (name, field)
        else:
            value = DEFAULT[name, field]
            assert np.array_equal(new[field], np.full(len(new), value, new[field].dtype),
                                  equal_nan=new[field].dtype.kind == "f"), (name, field)
    for field in old.dtype.names:
        a, b = (h5py.check_enum_dtype(x.dtype[field]) for x in (old, new))
        assert a is None or a.items() <= b.items(), (name, field)


with h5py.File(sys.argv[1], "r") as before, h5py.File(sys.argv[2], "r") as after:
    names = []
    before.visititems(lambda name, o: names.append(name) if isinstance(o, h5py.Dataset) else None)
    assert "results" in names and "samples" in names and "dict/matrix" in names
    for name in names:
        if name != "journals":  # how far a journal is folded
            check(name, before[name][:], after[name][:])
    assert (before.attrs["schema_major"], before.attrs["schema_minor"]) == (1, 0)
    assert (after.attrs["schema_major"], after.attrs["schema_minor"]) > (1, 0)
    assert before.attrs["created_utc"] == after.attrs["created_utc"]
    print(len(after["results"]) - len(before["results"]))
