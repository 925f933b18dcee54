"""Models: which kernel and row order for a matrix, with predicted times."""
from __future__ import annotations

import ctypes as c
import os
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Union

from . import _library as lib
from ._given import Handle, file_name, flag, number, number_of, real, text_or_none, threads_of
from .matrix import Borrowed, Schedule


@dataclass
class Choice:
    """What a model chose.  Times in ns; nan: not known.

    Attributes:
        name, policy, kernel: of the chosen class
        reference: name of the class that changes nothing
        time_ns, setup_ns: predicted, by the name of every class that is permitted
        break_even: products after which the choice has paid for itself
        extrapolation: what is outside of what the model knows; "": nothing
        schedule: the chosen row order
    """

    name: str
    policy: str
    kernel: str
    reference: str
    time_ns: Dict[str, float]
    setup_ns: Dict[str, float]
    break_even: float
    extrapolation: str
    schedule: Schedule


class Model(Handle):
    """A model file, read once.

    Args:
        path: written by `rowcast train`, or one of the shipped models

    Raises:
        Error: it cannot be read, or is of another version
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]):
        self._model = c.c_void_p()
        lib.call(lib.load("rowcast").rc_model_read, file_name(path, "path"), c.byref(self._model))

    def __del__(self) -> None:
        if getattr(self, "_model", None):
            lib.load("rowcast").rc_model_free(self._model)
            self._model = None

    @property
    def device(self) -> str:
        """Class of the device whose times it learnt."""
        return lib.load("rowcast").rc_model_device(self._model).decode()

    @property
    def operation(self) -> str:
        """"spmm", "spmv", ..."""
        return lib.load("rowcast").rc_model_operation(self._model).decode()

    @property
    def knows(self) -> str:
        """What it answers for, in one line."""
        text = c.create_string_buffer(2000)
        lib.load("rowcast").rc_model_knows(self._model, text, len(text))
        return text.value.decode()

    def _candidates(self) -> List[lib.Candidate]:
        library = lib.load("rowcast")
        out = []
        for i in range(library.rc_model_candidates(self._model)):
            out.append(lib.Candidate())
            lib.call(library.rc_model_candidate, self._model, i, c.byref(out[-1]))
        return out

    def choose(self, a: Any, k: int = 0, *, precision: str = "fp32", reuse: float = 0, extrapolate: bool = False,
               threads: int = 0, layouts: int = 0, kernels: Optional[str] = None, orders: Optional[str] = None,
               c_orders: Optional[str] = None, memory: int = 0, deterministic: bool = False) -> Choice:
        """Choose for a matrix.

        Args:
            a: CSR of SciPy
            k: columns of B; 0 for operations without
            precision: of the values, as the commands say it: "fp32", "bf16", ...
            reuse: products that the choice is to pay within; 0: the fastest product
            extrapolate: answer also outside of what the model knows
            layouts, kernels, orders, c_orders, memory, deterministic: what the caller can take, as in rc_constraints_t

        Raises:
            Error: a request that the model does not know, or that no class permits
            TypeError, ValueError: an argument that is none, which the text names
        """
        library = lib.load("rowcast")
        borrowed = Borrowed(a)
        constraints = lib.Constraints(
            layouts=number(layouts, "layouts", 0, 3), kernels=text_or_none(kernels, "kernels"),
            orders=text_or_none(orders, "orders"), c_orders=text_or_none(c_orders, "c_orders"),
            memory=number(memory, "memory"), deterministic=flag(deterministic, "deterministic"))
        request = lib.Request(k=number(k, "k"), precision=number_of(precision, lib.types(), "precision", ValueError),
                              reuse=real(reuse, "reuse"), threads=threads_of(threads),
                              operation=self.operation.encode(), extrapolate=flag(extrapolate, "extrapolate"),
                              constraints=constraints)
        choice = lib.Choice()
        lib.call(library.rc_choose, self._model, c.byref(borrowed.csr), c.byref(request), c.byref(choice))
        try:
            classes = self._candidates()
            chosen = classes[choice.candidate]
            allowed = [i for i in range(choice.candidates) if choice.permitted[i]]
            times, setups = ({classes[i].name.decode(): values[i] for i in allowed} if values else {}
                             for values in (choice.time_ns, choice.setup_ns))
            return Choice(chosen.name.decode(), chosen.policy.decode(), chosen.kernel.decode(),
                          classes[choice.reference].name.decode(), times, setups, choice.break_even,
                          choice.extrapolation.decode(), Schedule.of(choice.schedule))
        finally:
            library.rc_choice_free(c.byref(choice))


def predict(a: Any, model: Union[Model, str, "os.PathLike[str]"], k: int = 0, **how: Any) -> Choice:
    """Model.choose with a model or the name of its file."""
    return (model if isinstance(model, Model) else Model(model)).choose(a, k, **how)
