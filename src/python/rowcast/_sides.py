"""What a plan multiplies beside B by its own operation: vectors, and by the transposed matrix.

Each is another plan of the same matrix, made when it is first asked for, of the copy of that matrix
that the plan keeps.  A plan made for both, and such a one with vectors, multiplies by A' itself.
"""
from __future__ import annotations

from functools import partial
from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np

from . import _library as lib
from ._arrays import laid


# products with A, with A', with that conjugated, and with A conjugated
_OF_A, _OF_T, _OF_H, _OF_C = 0, 1, 2, 3


class Sides:
    """The products of a plan that are written as those of a matrix."""

    __array_ufunc__ = None  # NumPy does not take it for an array
    op = "spmm"
    _both = False  # it was made for A' too
    _derive: Optional[Callable[[str, int], Any]] = None  # makes one of them, of the first values
    _values: Any = None  # of the last update, an array that nobody else has
    _sides: Dict[Tuple[str, int], Any] = {}  # by operation, and of what

    def __matmul__(self, b: Any) -> Any:
        """A b, for b of one dimension or two; one that is not in the plan's layout is copied."""
        return self._times(b, _OF_A)

    @property
    def T(self) -> "Transposed":
        """A' for products, `plan.T @ b`: the first makes a plan of the values that this one has,
        unless it was made for both."""
        return Transposed(self, _OF_T)

    @property
    def H(self) -> "Transposed":
        """A' conjugated for products, `plan.H @ b`, likewise; of real numbers A'."""
        return Adjoint(self, _OF_H if lib.is_complex(self.dtype) else _OF_T)

    def spmv(self, x: Any, out: Any = None, *, alpha: complex = 1.0, beta: complex = 0.0,
             stream: Optional[int] = None) -> Any:
        """alpha A x + beta out.

        Args:
            x: [cols], side by side; else as for a call of the plan
            out: [rows]; None: a new array

        Raises:
            ValueError: as a call of the plan
        """
        return self._vector(x, out, _OF_A, alpha=alpha, beta=beta, stream=stream)

    def _vector(self, x: Any, out: Any, of: int, **how: Any) -> Any:
        _one_dimension(x, "x")
        if out is not None:
            _one_dimension(out, "out")
        if isinstance(x, np.ndarray) and not self.on_cpu:
            return self._for_numpy()._vector(x, out, of, **how)
        side = self._side("spmv", of)
        y = side(x.reshape(-1, 1), None if out is None else out.reshape(-1, 1), **how)
        return y.reshape(-1) if out is None else out

    def _times(self, b: Any, of: int) -> Any:
        if isinstance(b, np.ndarray) and not self.on_cpu:
            return self._for_numpy()._times(b, of)
        dims = getattr(b, "ndim", None)
        near = "f_contiguous" if dims == 2 and self.layout == "column" else "c_contiguous"
        if not getattr(getattr(b, "flags", None), near, False):  # told without looking at all of b
            b = self._laid(b)
        if dims == 1:
            return self._vector(b, None, of)
        return self._side(self.op, of)(b)

    def _laid(self, b: Any) -> Any:
        """b, or where it is not in the plan's layout, or not side by side, a copy that is."""
        dense = self._seen(b, "B")
        if len(dense.shape) != 1:
            return laid(b, dense, self.layout == "column")
        column = dense.array.reshape(-1, 1)
        return laid(column, self._seen(column, "B"), True).reshape(-1)

    def _side(self, op: str, of: int) -> Any:
        """This plan, or that of another operation or of A'."""
        if of == _OF_T and self._both:
            return partial(self._side(op, _OF_A), transposed=True)
        if op == self.op and of == _OF_A:
            return self
        made = self._sides.get((op, of))
        if made is not None:
            return made
        with self._lock:
            if (op, of) not in self._sides:
                made = self._derive(op, of)
                if self._values is not None:
                    made._catch_up(self._values)
                self._sides = {**self._sides, (op, of): made}
            return self._sides[op, of]

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
        H: A conjugated; of real numbers the plan
        shape, dtype: of A'
    """

    __array_ufunc__ = None

    def __init__(self, plan: Any, of: int):
        self.T = self._plan = plan
        self._of, self.shape, self.dtype = of, plan.shape[::-1], plan.dtype
        self.H = Conjugated(plan) if lib.is_complex(plan.dtype) else plan

    def __matmul__(self, b: Any) -> Any:
        """A' b, as `plan @ b`."""
        return self._plan._times(b, self._of)

    def spmv(self, x: Any, out: Any = None, *, alpha: complex = 1.0, beta: complex = 0.0,
             stream: Optional[int] = None) -> Any:
        """alpha A' x + beta out, as spmv() of the plan."""
        return self._plan._vector(x, out, self._of, alpha=alpha, beta=beta, stream=stream)

    def __repr__(self) -> str:
        return f"<transposed {self._plan!r}>"


class Adjoint(Transposed):
    """A' of a plan, conjugated, for products.

    Attributes:
        H: the plan
        T: A conjugated; of real numbers the plan
        shape, dtype: of A'
    """

    def __init__(self, plan: Any, of: int):
        super().__init__(plan, of)
        self.T, self.H = self.H, plan

    def __repr__(self) -> str:
        return f"<adjoint {self._plan!r}>"


class Conjugated(Transposed):
    """A of a plan, conjugated, for products.

    Attributes:
        T, H: A' of the plan, conjugated or not
        shape, dtype: of A
    """

    def __init__(self, plan: Any):
        self._plan, self._of, self.shape, self.dtype = plan, _OF_C, plan.shape, plan.dtype

    @property
    def T(self) -> Transposed:  # type: ignore[override]
        return Adjoint(self._plan, _OF_H)

    @property
    def H(self) -> Transposed:  # type: ignore[override]
        return Transposed(self._plan, _OF_T)

    def __repr__(self) -> str:
        return f"<conjugated {self._plan!r}>"
