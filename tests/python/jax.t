#!/bin/sh
# Products in JAX, over the libraries of this build.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
# shellcheck source=tests/env.sh.in
. "${top_builddir:?}/tests/env.sh"
# shellcheck source=tests/python/python.sh
. "$top_srcdir/tests/python/python.sh"

python_that 'import jax.ffi, numpy, scipy' "with JAX and SciPy"
XLA_PYTHON_CLIENT_PREALLOCATE=false
export XLA_PYTHON_CLIENT_PREALLOCATE
tests="products types compiled batches derivatives values sparse_arrays plans empty errors gone threads"
plan 25
cd "$tmp" || exit 1

include=$("$python" -c 'import jax.ffi; print(jax.ffi.include_dir())')
if [ -e "$include/xla/ffi/api/c_api.h" ]; then
    # shellcheck disable=SC2086  # a compiler with options
    ok "frames are as XLA's header has them" $CC -std=c11 -fsyntax-only -I"$include" -I"$top_srcdir/src" "$top_srcdir/tests/python/jax_frame.c"
else
    skip "frames are as XLA's header has them" "this JAX has no header"
fi
gpu=no
if [ "$HAVE_CUDA" = yes ] && JAX_PLATFORMS=cuda "$python" -c 'import jax; jax.devices()' 2>err; then
    gpu=yes
fi
for place in cpu cuda; do
    for test in $tests; do
        if [ $place = cpu ] || [ $gpu = yes ]; then
            ok "$test, $place" env JAX_PLATFORMS=$place "$python" "$top_srcdir/tests/python/jax_check.py" "$test"
        else
            skip "$test, $place" "no GPU, or none that JAX sees"
        fi
    done
done
