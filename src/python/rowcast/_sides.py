"""What a plan multiplies beside B by its own operation: vectors, and by the transposed matrix.

Each is another plan of the same matrix, made when it is first asked for, of the copy of that matrix
that the plan keeps.  A plan made for both, and such a one with vectors, multiplies by A' itself.
"""
from __future__ import annotations

from functools import partial
from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np

from ._arrays import laid


class Sides:
    """The products of a plan that are written as those of a matrix."""

    __array_ufunc__ = None  # NumPy does not take it for an array
    op = "spmm"
    _both = False  # it was made for A' too
    _derive: Optional[Callable[[str, bool], Any]] = None  # makes one of them, of the first values
    _values: Any = None  # of the last update, an array that nobody else has
    _sides: Dict[Tuple[str, bool], Any] = {}  # by operation, and whether of A'

    def __matmul__(self, b: Any) -> Any:
        """A b, for b of one dimension or two; one that is not in the plan's layout is copied."""
        return self._times(b, False)

    @property
    def T(self) -> "Transposed":
        """A' for products, `plan.T @ b`: the first makes a plan of the values that this one has,
        unless it was made for both."""
        return Transposed(self)

    def spmv(self, x: Any, out: Any = None, *, alpha: float = 1.0, beta: float = 0.0,
             stream: Optional[int] = None) -> Any:
        """alpha A x + beta out.

        Args:
            x: [cols], side by side; else as for a call of the plan
            out: [rows]; None: a new array

        Raises:
            ValueError: as a call of the plan
        """
        return self._vector(x, out, False, alpha=alpha, beta=beta, stream=stream)

    def _vector(self, x: Any, out: Any, transposed: bool, **how: Any) -> Any:
        _one_dimension(x, "x")
        if out is not None:
            _one_dimension(out, "out")
        if isinstance(x, np.ndarray) and not self.on_cpu:
            return self._for_numpy()._vector(x, out, transposed, **how)
        side = self._side("spmv", transposed)
        y = side(x.reshape(-1, 1), None if out is None else out.reshape(-1, 1), **how)
        return y.reshape(-1) if out is None else out

    def _times(self, b: Any, transposed: bool) -> Any:
        if isinstance(b, np.ndarray) and not self.on_cpu:
            return self._for_numpy()._times(b, transposed)
        dims = getattr(b, "ndim", None)
        near = "f_contiguous" if dims == 2 and self.layout == "column" else "c_contiguous"
        if not getattr(getattr(b, "flags", None), near, False):  # told without looking at all of b
            b = self._laid(b)
        if dims == 1:
            return self._vector(b, None, transposed)
        return self._side(self.op, transposed)(b)

    def _laid(self, b: Any) -> Any:
        """b, or where it is not in the plan's layout, or not side by side, a copy that is."""
        dense = self._seen(b, "B")
        if len(dense.shape) != 1:
            return laid(b, dense, self.layout == "column")
        column = dense.array.reshape(-1, 1)
        return laid(column, self._seen(column, "B"), True).reshape(-1)

    def _side(self, op: str, transposed: bool) -> Any:
        """This plan, or that of another operation or of A'."""
        if transposed and self._both:
            return partial(self._side(op, False), transposed=True)
        if op == self.op and not transposed:
            return self
        made = self._sides.get((op, transposed))
        if made is not None:
            return made
        with self._lock:
            if (op, transposed) not in self._sides:
                made = self._derive(op, transposed)
                if self._values is not None:
                    made._catch_up(self._values)
                self._sides = {**self._sides, (op, transposed): made}
            return self._sides[op, transposed]

    def _catch_up(self, values: Any) -> None:
        """Of a new plan, with values that nobody changes, whatever the stream that they came by."""
        dense = self._seen(values, "values")
        dense.wait()
        self._update(values, next(iter(self._of)), True)
        dense.wait()

    def _update_sides(self, values: Any, stream: int) -> None:
        """After an error there are none, rather than some with old values.

        Args:
            values: an array that nobody else has
        """
        self._values, sides, self._sides = values, self._sides, {}
        for side in sides.values():
            side._update(values, stream, True)
        self._sides = sides


def _one_dimension(array: Any, what: str) -> None:
    dims = getattr(array, "ndim", None)
    if dims != 1:
        found = type(array).__name__ if dims is None else f"{dims} dimensions"
        raise ValueError(f"{what}: expected an array of one dimension, found {found}")


class Transposed:
    """A' of a plan, for products.

    Attributes:
        T: the plan
        shape, dtype: of A'
    """

    __array_ufunc__ = None

    def __init__(self, plan: Any):
        self.T, self.shape, self.dtype = plan, plan.shape[::-1], plan.dtype

    def __matmul__(self, b: Any) -> Any:
        """A' b, as `plan @ b`."""
        return self.T._times(b, True)

    def spmv(self, x: Any, out: Any = None, *, alpha: float = 1.0, beta: float = 0.0,
             stream: Optional[int] = None) -> Any:
        """alpha A' x + beta out, as spmv() of the plan."""
        return self.T._vector(x, out, True, alpha=alpha, beta=beta, stream=stream)

    def __repr__(self) -> str:
        return f"<transposed {self.T!r}>"
