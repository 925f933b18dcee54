"""Primitives of JAX: a product of values and a matrix or vector, a sampled one, one by a Plan.

They are linear in each operand, so that their derivatives are made of themselves.
"""
from __future__ import annotations

import functools
from typing import Any, Sequence, Tuple

import jax
import jax.ffi
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from ._jax_plans import OfPlan, Pattern, target

_spmm_p, _sampled_p, _plan_p = (Primitive(f"rowcast_{name}")
                                for name in ("spmm", "sampled", "plan"))


def _rows(source: Any, transposed: bool) -> int:
    return source.shape[1 if transposed else 0]


# ---------------------------------------------------------------- products

def spmm(val: Any, b: Any, pattern: Pattern, transposed: bool) -> Any:
    """A b, or A' b, for the values of the places of a pattern; b: [cols, K] or [cols]."""
    shape = _rows(pattern, transposed), *b.shape[1:]
    if 0 in shape or pattern.nnz == 0:
        return jnp.zeros(shape, b.dtype)
    return _spmm_p.bind(val, b, source=pattern, transposed=transposed)


def sampled(y: Any, x: Any, pattern: Pattern) -> Any:
    """y x' at the places of a pattern; of one dimension or two."""
    if y.ndim == 1:
        y, x = y[:, None], x[:, None]
    if y.shape[1] == 0 or pattern.nnz == 0:
        return jnp.zeros((pattern.nnz,), y.dtype)
    return _sampled_p.bind(y, x, source=pattern)


def by_plan(b: Any, plan: OfPlan, transposed: bool) -> Any:
    """A b, or A' b, for the matrix of a plan."""
    shape = _rows(plan, transposed), *b.shape[1:]
    return jnp.zeros(shape, b.dtype) if 0 in shape else _plan_p.bind(b, source=plan,
                                                                     transposed=transposed)


# ---------------------------------------------------------------- shapes and calls

def _product_shape(*operands: Any, source: Any, transposed: bool) -> Any:
    b = operands[-1]  # its type is that of abstract arrays
    return type(b)((_rows(source, transposed), *b.shape[1:]), b.dtype)


def _sampled_shape(y: Any, x: Any, *, source: Pattern) -> Any:
    return type(y)((source.nnz,), y.dtype)


def _lowered(ctx: Any, *operands: Any, source: Any, op: str, transposed: bool = False) -> Any:
    """A call of the handler, and the plan lives as long as what is compiled."""
    platforms, b = ctx.module_context.platforms, ctx.avals_in[-1]
    if len(platforms) != 1:
        raise NotImplementedError(f"platform: expected one, found {', '.join(platforms)}")
    k = b.shape[1] if b.ndim == 2 else 1
    product = source.product(platforms[0], op, transposed, b.dtype, k)
    ctx.module_context.add_keepalive(product)
    rule = jax.ffi.ffi_lowering(target(platforms[0]))
    return rule(ctx, *operands, plan=np.int64(product.address))


def _product_lowered(ctx: Any, *operands: Any, source: Any, transposed: bool) -> Any:
    op = "spmv" if ctx.avals_in[-1].ndim == 1 else "spmm"
    return _lowered(ctx, *operands, source=source, op=op, transposed=transposed)


def _outside(primitive: Primitive, *operands: Any, source: Any, **how: Any) -> Any:
    """Outside of a function that is compiled: one that is kept with the matrix."""
    key = primitive, *sorted(how.items())
    if key not in source.eager:
        source.eager[key] = jax.jit(functools.partial(primitive.bind, source=source, **how))
    with jax.disable_jit(False):  # only what is compiled calls a plan
        return source.eager[key](*operands)


# ---------------------------------------------------------------- batches

def _product_batched(args: Sequence[Any], dims: Sequence[Any], *, source: Any,
                     transposed: bool) -> Tuple[Any, int]:
    """Batches of b side by side; of values one after the other."""
    *val, b = args
    primitive = _spmm_p if val else _plan_p
    if any(dim is not None for dim in dims[:-1]):
        return _each(primitive, args, dims, source=source, transposed=transposed)
    wide = jnp.moveaxis(b, dims[-1], -1)
    out = primitive.bind(*val, wide.reshape(wide.shape[0], -1), source=source,
                         transposed=transposed)
    return out.reshape(out.shape[0], *wide.shape[1:]), wide.ndim - 1


def _each(primitive: Primitive, args: Sequence[Any], dims: Sequence[Any],
          **how: Any) -> Tuple[Any, int]:
    """One after the other."""
    mapped = [jnp.moveaxis(a, dim, 0) for a, dim in zip(args, dims) if dim is not None]

    def one(given: Any) -> Any:
        each = iter(given)
        return primitive.bind(*(a if dim is None else next(each) for a, dim in zip(args, dims)),
                              **how)

    return jax.lax.map(one, mapped), 0


# ---------------------------------------------------------------- derivatives

def _of_values(g: Any, val: Any, b: Any, *, source: Pattern, transposed: bool) -> Any:
    return sampled(*((b, g) if transposed else (g, b)), source)


def _of_b(g: Any, val: Any, b: Any, *, source: Pattern, transposed: bool) -> Any:
    return spmm(val, g, source, not transposed)


def _of_y(g: Any, y: Any, x: Any, *, source: Pattern) -> Any:
    return spmm(g, x, source, False)


def _of_x(g: Any, y: Any, x: Any, *, source: Pattern) -> Any:
    return spmm(g, y, source, True)


def _of_plan(g: Any, b: Any, *, source: OfPlan, transposed: bool) -> Any:
    return [by_plan(g, source, not transposed)]


ad.defbilinear(_spmm_p, _of_values, _of_b)
ad.defbilinear(_sampled_p, _of_y, _of_x)
ad.deflinear2(_plan_p, _of_plan)
for _primitive in (_spmm_p, _plan_p):
    _primitive.def_abstract_eval(_product_shape)
    mlir.register_lowering(_primitive, _product_lowered)
    batching.primitive_batchers[_primitive] = _product_batched
_sampled_p.def_abstract_eval(_sampled_shape)
mlir.register_lowering(_sampled_p, functools.partial(_lowered, op="sddmm"))
batching.primitive_batchers[_sampled_p] = functools.partial(_each, _sampled_p)
for _primitive in (_spmm_p, _sampled_p, _plan_p):
    _primitive.def_impl(functools.partial(_outside, _primitive))
