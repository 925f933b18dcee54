"""Operators of PyTorch over compressed matrices: rowcast::spmm and rowcast::sampled, whose
gradients are made of themselves, and rowcast::extreme, which has none.

spmm(ptr, idx, val, b, minors, transposed) is M b, or M' b, for M of ptr.shape[0] - 1 lists of
numbers below minors; b of one dimension is a vector.  sampled(ptr, idx, y, x) is y x' at the places
of M.  extreme(ptr, idx, val, b, kind) is for each row of M and column of b the first entry with the
largest term, or with kind 1 the least; as many as there are entries: the row has none.
"""
from __future__ import annotations

from typing import Any, Callable, NamedTuple, Optional, Tuple

import torch
from torch.autograd import forward_ad

from . import _library as lib
from ._torch_memory import Tensor, has_type, type_name, types
from ._torch_patterns import Pattern, csr, kept, on_rows
from ._torch_plans import Product

_AGAIN = 64  # ways to ask for a product that are remembered, of a pattern
_Dims = Tuple[Optional[int], ...]
_DENSE = (torch.Tensor, torch.nn.Parameter)
_LIBRARY = torch.library.Library("rowcast", "DEF")
_TAG = getattr(getattr(torch, "Tag", None), "pt2_compliant_tag", None)
_TAGS = {} if _TAG is None else {"tags": (_TAG,)}
_LIBRARY.define("spmm(Tensor ptr, Tensor idx, Tensor val, Tensor b, int minors, bool transposed)"
                " -> Tensor", **_TAGS)
_LIBRARY.define("sampled(Tensor ptr, Tensor idx, Tensor y, Tensor x) -> Tensor", **_TAGS)
_LIBRARY.define("extreme(Tensor ptr, Tensor idx, Tensor val, Tensor b, int kind) -> Tensor",
                **_TAGS)


#: This PyTorch says whether more than autograd looks at what is called.
_TELLS = (hasattr(getattr(torch, "compiler", None), "is_compiling")
          and hasattr(getattr(torch._C, "_functorch", None), "peek_interpreter_stack")
          and hasattr(torch._C, "_len_torch_dispatch_stack"))


# ---------------------------------------------------------------- what there is to check

def _refuse(values: Tensor, other: Tensor, name: str) -> None:
    if not has_type(values.dtype):
        raise TypeError(f"values: expected {' or '.join(types())}, found "
                        f"{type_name(values.dtype)}")
    if other.dtype != values.dtype:
        raise TypeError(f"{name}: expected {type_name(values.dtype)}, found "
                        f"{type_name(other.dtype)}")
    if other.device != values.device:
        raise ValueError(f"{name}: expected it on {values.device}, found it on {other.device}")
    if values.device.type not in ("cpu", "cuda"):
        raise ValueError("values: expected them on the CPU or a GPU, found them on "
                         f"{values.device}")


def check(pattern: Pattern, val: Tensor, b: Tensor, by_majors: bool) -> int:
    """That B fits the values, and the matrix with lists that are its rows, or else its columns.

    Returns:
        the rows of the product
    """
    rows, cols = pattern.majors, pattern.minors
    if not by_majors:
        rows, cols = cols, rows
    _refuse(val, b, "B")
    _rows_of(b, cols, (1, 2), "B")
    return rows


def shown(t: Tensor) -> str:
    """Its shape, for people."""
    return " x ".join(map(str, t.shape)) or "a number"


def _rows_of(b: Tensor, rows: int, dims: Tuple[int, ...], name: str) -> None:
    if b.dim() not in dims or b.shape[0] != rows:
        raise ValueError(f"{name}: expected {rows}{' x K' if 2 in dims else ''}, found {shown(b)}")


def _laid(b: Tensor) -> Tuple[Tensor, int]:
    """Row-major, itself where it is, and its leading dimension."""
    if b.is_neg():
        b = b.resolve_neg()
    rows, cols = b.shape
    ld, near = b.stride()
    if (near != 1 and cols > 1) or (ld < cols and rows > 1):
        b, ld = b.contiguous(), cols
    return b, max(ld if rows > 1 else cols, cols, 1)


# ---------------------------------------------------------------- products

def multiply(pattern: Optional[Pattern], ptr: Tensor, idx: Tensor, val: Tensor, b: Tensor,
             minors: int, transposed: bool) -> Tensor:
    """By a plan, without gradients.

    Args:
        pattern: of ptr and idx; None: to be found
    """
    unknown = pattern is None
    if unknown:
        pattern = kept.find(ptr, idx, minors, is_raw=True)
    asked = (b.shape, b.stride(), b.dtype, b.device, val.dtype, val.device, val.shape, transposed,
             torch.are_deterministic_algorithms_enabled())
    again = pattern.again.get(asked)
    if again is None or b.is_neg() or val.is_neg():
        if unknown:
            pattern.values_changed()
        return _spmm_first(pattern, ptr, idx, val, b, transposed, asked)
    product, slot, ld, shape = again
    if unknown and _TELLS:  # compiled code writes to memory again without a count of changes
        product.values_changed()
    out = torch.empty(shape, dtype=b.dtype, device=b.device)
    product.multiply(val, slot, b, ld, out)
    return out


def _spmm_first(pattern: Pattern, ptr: Tensor, idx: Tensor, val: Tensor, b: Tensor,
                transposed: bool, asked: Tuple[Any, ...]) -> Tensor:
    """One that was not asked for like this before: what is found right is kept."""
    rows = check(pattern, val, b, not transposed)
    if val.shape != idx.shape:
        raise ValueError(f"values: expected {idx.shape[0]}, found {shown(val)}")
    shape = (rows, *b.shape[1:])
    out = torch.empty(shape, dtype=b.dtype, device=b.device)
    if out.numel() == 0 or idx.shape[0] == 0:
        return out.zero_()
    val = val.resolve_neg()
    if b.dim() == 1:
        op, k, dense, ld = "spmv", 1, b.resolve_neg().contiguous(), 1
    else:
        op, k, (dense, ld) = "spmm", b.shape[1], _laid(b)
    product = pattern.product(op, ptr, idx, val, transposed, k)
    slot = pattern.arrays(op, ptr, idx)[2]
    product.multiply(val, slot, dense, ld, out)
    if dense is b:
        _remember(pattern, asked, product, slot, ld, shape)
    return out


def _remember(pattern: Pattern, asked: Tuple[Any, ...], product: Product, *found: Any) -> None:
    """What was found right for a product that is asked for like this; nothing, where its plan was
    dropped meanwhile."""
    with kept.lock:
        if len(pattern.again) >= _AGAIN:
            pattern.again.clear()
        if pattern.has(product):
            pattern.again[asked] = product, *found


def _sampled(pattern: Optional[Pattern], ptr: Tensor, idx: Tensor, y: Tensor, x: Tensor) -> Tensor:
    """By a plan, without gradients."""
    asked = ("sddmm", y.shape, y.stride(), y.dtype, y.device, x.shape, x.stride(), x.dtype,
             x.device, torch.are_deterministic_algorithms_enabled())
    again = None if pattern is None else pattern.again.get(asked)
    if again is None or y.is_neg() or x.is_neg():
        return _sampled_first(pattern, ptr, idx, y, x, asked)
    product, slot, ldy, ldx, shape = again
    out = torch.empty(shape, dtype=y.dtype, device=y.device)
    product.sample(y, ldy, x, ldx, out)
    return out if slot is None else out[slot]


def _sampled_first(pattern: Optional[Pattern], ptr: Tensor, idx: Tensor, y: Tensor, x: Tensor,
                   asked: Tuple[Any, ...]) -> Tensor:
    """As _spmm_first()."""
    _refuse(y, x, "X")
    _rows_of(y, ptr.shape[0] - 1, (2,), "Y")
    _rows_of(x, x.shape[0], (2,), "X")
    if y.shape[1] != x.shape[1]:
        raise ValueError(f"X: expected {y.shape[1]} columns, as Y has, found {x.shape[1]}")
    if pattern is not None:
        _rows_of(x, pattern.minors, (2,), "X")
    if y.shape[1] == 0 or idx.shape[0] == 0:
        return y.new_zeros(idx.shape)
    if pattern is None:
        pattern = kept.find(ptr, idx, x.shape[0], is_raw=True)
    (left, ldy), (right, ldx) = _laid(y), _laid(x)
    _, places, slot = pattern.arrays("sddmm", ptr, idx)
    out = torch.empty(places.shape, dtype=y.dtype, device=y.device)
    product = pattern.product("sddmm", ptr, idx, y, False, y.shape[1])
    product.sample(left, ldy, right, ldx, out)
    if left is y and right is x:
        _remember(pattern, asked, product, slot, ldy, ldx, places.shape)
    return out if slot is None else out[slot]


def _extreme(ptr: Tensor, idx: Tensor, val: Tensor, b: Tensor, kind: int) -> Tensor:
    _rows_of(b, b.shape[0], (2,), "B")
    check(kept.find(ptr, idx, b.shape[0], is_raw=True), val, b, True)
    if val.shape != idx.shape:
        raise ValueError(f"values: expected {idx.shape[0]}, found {shown(val)}")
    out = _extreme_shape(ptr, idx, val, b, kind)
    if out.numel() == 0 or idx.shape[0] == 0:
        return out.zero_()
    ptr, idx, val = ptr.contiguous(), idx.contiguous(), val.resolve_neg().contiguous()
    b, ld = _laid(b)
    matrix = lib.PlanMatrix(**csr(ptr, idx, b.shape[0]), val=val.data_ptr(),
                            precision=types()[type_name(val.dtype)])
    asked = lib.Extremes(kind=kind, k=b.shape[1], b=b.data_ptr(), ldb=ld, entry=out.data_ptr())
    on_rows("rc_extremes", matrix, asked, b.device)
    return out


# ---------------------------------------------------------------- gradients

def _columns(b: Tensor) -> Tensor:
    return b if b.dim() == 2 else b.unsqueeze(1)


class _Spmm(torch.autograd.Function):
    """Its gradients are a product with the transposed matrix, and a sampled one."""

    @staticmethod
    def forward(ctx: Any, pattern: Any, ptr: Tensor, idx: Tensor, val: Tensor, b: Tensor,
                minors: int, transposed: bool) -> Tensor:
        _save_spmm(ctx, (ptr, idx, val, b, minors, transposed), ctx.needs_input_grad[3:5])
        ctx.pattern = pattern
        if pattern is None:
            return _below(_OPERATORS["spmm"], ptr, idx, val, b, minors, transposed)
        return multiply(pattern, ptr, idx, val, b, minors, transposed)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        _, *gradients = _spmm_gradients(ctx, g, ctx.needs_input_grad[1:])
        return (None, None, *gradients)


def _save_spmm(ctx: Any, inputs: Tuple[Any, ...], needs: Tuple[bool, ...]) -> None:
    ptr, idx, val, b, ctx.minors, ctx.transposed = inputs
    ctx.save_for_backward(ptr, idx, val if needs[1] else None, b if needs[0] else None)


def _spmm_gradients(ctx: Any, g: Tensor, needs: Tuple[bool, ...]) -> Any:
    """Of ptr, idx, val, b, minors and transposed."""
    ptr, idx, val, b = ctx.saved_tensors
    of_val = of_b = None
    if needs[2]:
        y, x = (b, g) if ctx.transposed else (g, b)
        of_val = sampled(ctx.pattern, ptr, idx, _columns(y), _columns(x))
    if needs[3]:
        of_b = spmm(ctx.pattern, ptr, idx, val, g, ctx.minors, not ctx.transposed)
    return None, None, of_val, of_b, None, None


class _Sampled(torch.autograd.Function):
    """Its gradients are products with the matrix that has the gradient as its values."""

    @staticmethod
    def forward(ctx: Any, pattern: Any, ptr: Tensor, idx: Tensor, y: Tensor, x: Tensor) -> Tensor:
        _save_sampled(ctx, (ptr, idx, y, x), ctx.needs_input_grad[3:5])
        ctx.pattern = pattern
        if pattern is None:
            return _below(_OPERATORS["sampled"], ptr, idx, y, x)
        return _sampled(pattern, ptr, idx, y, x)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return (None, *_sampled_gradients(ctx, g, ctx.needs_input_grad[1:]))


def _save_sampled(ctx: Any, inputs: Tuple[Any, ...], needs: Tuple[bool, ...]) -> None:
    ptr, idx, y, x = inputs
    ctx.minors = x.shape[0]
    ctx.save_for_backward(ptr, idx, y if needs[1] else None, x if needs[0] else None)


def _sampled_gradients(ctx: Any, g: Tensor, needs: Tuple[bool, ...]) -> Any:
    """Of ptr, idx, y and x."""
    ptr, idx, y, x = ctx.saved_tensors
    of_y = spmm(ctx.pattern, ptr, idx, g, x, ctx.minors, False) if needs[2] else None
    of_x = spmm(ctx.pattern, ptr, idx, g, y, ctx.minors, True) if needs[3] else None
    return None, None, of_y, of_x


# ---------------------------------------------------------------- registration

def _below(operator: Any, *arguments: Any) -> Tensor:
    guard = torch._C._AutoDispatchBelowAutograd()  # in force while it is there
    try:
        return operator(*arguments)
    finally:
        del guard


def _spmm_operator(ptr: Tensor, idx: Tensor, val: Tensor, b: Tensor, minors: int,
                   transposed: bool) -> Tensor:
    return multiply(None, ptr, idx, val, b, minors, transposed)


def _sampled_operator(ptr: Tensor, idx: Tensor, y: Tensor, x: Tensor) -> Tensor:
    return _sampled(None, ptr, idx, y, x)


def _spmm_shape(ptr: Tensor, idx: Tensor, val: Tensor, b: Tensor, minors: int,
                transposed: bool) -> Tensor:
    return b.new_empty((minors if transposed else ptr.shape[0] - 1, *b.shape[1:]))


def _sampled_shape(ptr: Tensor, idx: Tensor, y: Tensor, x: Tensor) -> Tensor:
    return y.new_empty(idx.shape)


def _extreme_shape(ptr: Tensor, idx: Tensor, val: Tensor, b: Tensor, kind: int) -> Tensor:
    return b.new_empty((ptr.shape[0] - 1, b.shape[1]), dtype=torch.int64)


def _spmm_batched(info: Any, in_dims: _Dims, *arguments: Any) -> Tuple[Tensor, int]:
    """Batches of b side by side; of anything else one after the other."""
    if in_dims[3] is None or any(dim is not None for dim in in_dims[:3]):
        return _each(torch.ops.rowcast.spmm, info.batch_size, in_dims, arguments)
    ptr, idx, val, b, minors, transposed = arguments
    wide = b.movedim(in_dims[3], -1)
    out = torch.ops.rowcast.spmm(ptr, idx, val, wide.reshape(wide.shape[0], -1), minors, transposed)
    return out.reshape(out.shape[0], *wide.shape[1:]), wide.dim() - 1


def _sampled_batched(info: Any, in_dims: _Dims, *arguments: Any) -> Tuple[Tensor, int]:
    return _each(torch.ops.rowcast.sampled, info.batch_size, in_dims, arguments)


def _extreme_batched(info: Any, in_dims: _Dims, *arguments: Any) -> Tuple[Tensor, int]:
    return _each(torch.ops.rowcast.extreme, info.batch_size, in_dims, arguments)


def _each(operator: Any, batch: int, in_dims: _Dims,
          arguments: Tuple[Any, ...]) -> Tuple[Tensor, int]:
    done = [operator(*(a if dim is None else a.select(dim, i)
                       for a, dim in zip(arguments, in_dims))) for i in range(batch)]
    return torch.stack(done), 0


_OPERATORS = {name: getattr(torch.ops.rowcast, name).default for name in ("spmm", "sampled")}


class _Operator(NamedTuple):
    """What is registered under a name: as the functions above have it."""

    name: str
    run: Any
    shape: Any
    batched: Any
    function: Any
    save: Any
    gradients: Any
    differentiable: slice  # of its arguments


def _register_run(name: str, run: Callable[..., Tensor], shape: Callable[..., Tensor],
                  batched: Callable[..., Any]) -> None:
    """What runs and says shapes, by what this PyTorch has: by name, else by dispatch keys."""
    for key in ("CPU", "CUDA"):
        _LIBRARY.impl(name, run, key)
    having, full = torch.library, f"rowcast::{name}"
    if hasattr(having, "register_fake"):
        having.register_fake(full, shape, lib=_LIBRARY)
    else:
        _LIBRARY.impl(name, shape, "Meta")
    if hasattr(having, "register_vmap"):
        having.register_vmap(full, batched, lib=_LIBRARY)


def _register(op: _Operator) -> None:
    """One with gradients, likewise."""
    _register_run(op.name, op.run, op.shape, op.batched)
    having, full = torch.library, f"rowcast::{op.name}"
    if hasattr(having, "register_autograd"):
        setup, backward = _differentiated_by_name(op)
        having.register_autograd(full, backward, setup_context=setup, lib=_LIBRARY)
    else:
        _LIBRARY.impl(op.name, _differentiated_by_key(op), "Autograd")


def _differentiated_by_name(op: _Operator) -> Tuple[Any, Any]:
    def setup(ctx: Any, inputs: Tuple[Any, ...], output: Tensor) -> None:
        op.save(ctx, inputs, ctx.needs_input_grad[op.differentiable])
        ctx.pattern = None

    def backward(ctx: Any, g: Tensor) -> Any:
        return op.gradients(ctx, g, ctx.needs_input_grad)

    return setup, backward


def _differentiated_by_key(op: _Operator) -> Any:
    def differentiated(*arguments: Any) -> Tensor:
        wanted = any(a.requires_grad for a in arguments[op.differentiable])
        if wanted and torch.is_grad_enabled():
            return op.function.apply(None, *arguments)
        return _below(_OPERATORS[op.name], *arguments)

    return differentiated


_DEFINED = (_Operator("spmm", _spmm_operator, _spmm_shape, _spmm_batched, _Spmm, _save_spmm,
                      _spmm_gradients, slice(2, 4)),
            _Operator("sampled", _sampled_operator, _sampled_shape, _sampled_batched, _Sampled,
                      _save_sampled, _sampled_gradients, slice(2, 4)))
for _op in _DEFINED:
    _register(_op)
_register_run("extreme", _extreme, _extreme_shape, _extreme_batched)


# ---------------------------------------------------------------- calls

if _TELLS:
    def _is_plain() -> bool:
        """Nothing but autograd looks at what is called: no compiler, transform, mode or trace."""
        return (not torch.compiler.is_compiling() and torch._C._len_torch_dispatch_stack() == 0
                and torch._C._functorch.peek_interpreter_stack() is None
                and not torch.jit.is_tracing())
else:
    def _is_plain() -> bool:
        """This PyTorch does not tell: operators are called by its dispatcher."""
        return False


def _dual(product: Any, x: Tensor, y: Tensor) -> Tensor:
    """A product that is linear in x and y, with the derivative forward that they have."""
    (x, of_x), (y, of_y) = forward_ad.unpack_dual(x), forward_ad.unpack_dual(y)
    tangents = [product(*pair) for pair, of in (((of_x, y), of_x), ((x, of_y), of_y))
                if of is not None]
    out = product(x, y)
    return forward_ad.make_dual(out, sum(tangents[1:], tangents[0])) if tangents else out


def spmm(pattern: Optional[Pattern], ptr: Tensor, idx: Tensor, val: Tensor, b: Tensor,
         minors: int, transposed: bool) -> Tensor:
    """The operator, without the dispatcher where nothing asks for that.

    Args:
        pattern: of ptr and idx; None: to be found
    """
    if forward_ad._current_level >= 0:
        return _dual(lambda v, x: _spmm_called(pattern, ptr, idx, v, x, minors, transposed), val, b)
    return _spmm_called(pattern, ptr, idx, val, b, minors, transposed)


def _spmm_called(pattern: Optional[Pattern], ptr: Tensor, idx: Tensor, val: Tensor, b: Tensor,
                 minors: int, transposed: bool) -> Tensor:
    if pattern is None or not (_is_plain() and type(val) in _DENSE and type(b) in _DENSE):
        return _OPERATORS["spmm"](ptr, idx, val, b, minors, transposed)
    if torch.is_grad_enabled() and (val.requires_grad or b.requires_grad):
        return _Spmm.apply(pattern, ptr, idx, val, b, minors, transposed)
    return multiply(pattern, ptr, idx, val, b, minors, transposed)


def sampled(pattern: Optional[Pattern], ptr: Tensor, idx: Tensor, y: Tensor, x: Tensor) -> Tensor:
    """As spmm()."""
    if forward_ad._current_level >= 0:
        return _dual(lambda v, w: _sampled_called(pattern, ptr, idx, v, w), y, x)
    return _sampled_called(pattern, ptr, idx, y, x)


def _sampled_called(pattern: Optional[Pattern], ptr: Tensor, idx: Tensor, y: Tensor,
                    x: Tensor) -> Tensor:
    if pattern is None or not (_is_plain() and type(y) in _DENSE and type(x) in _DENSE):
        return _OPERATORS["sampled"](ptr, idx, y, x)
    if torch.is_grad_enabled() and (y.requires_grad or x.requires_grad):
        return _Sampled.apply(pattern, ptr, idx, y, x)
    return _sampled(pattern, ptr, idx, y, x)
