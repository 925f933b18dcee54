#!/bin/sh
# The solver of jobs/solvers.py with the fakes of cuSPARSE and of the engine: alone and under the drop-in it takes the same steps
# to the same residuals, which it computes by products with x.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
# shellcheck source=tests/env.sh.in
. "${top_builddir:?}/tests/env.sh"
# shellcheck source=tests/dropin/fakes.sh
. "${top_srcdir:?}/tests/dropin/fakes.sh"
# shellcheck source=tests/python/python.sh
. "$top_srcdir/tests/python/python.sh"

for program in "$here/.libs/solve" "$here/solve"; do
    [ ! -x "$program" ] || break
done
python_that 'import scipy.sparse' "with SciPy"
plan 19
cd "$tmp" || exit 1
cat >files.py <<'PY'
import numpy as np, scipy.sparse as sp
def put(name, a, col=None):
    a = sp.csr_matrix(a)
    with open(name, "wb") as f:
        np.array([*a.shape, a.nnz], np.int64).tofile(f)
        a.indptr.astype(np.int32).tofile(f)
        (a.indices if col is None else col).astype(np.int32).tofile(f)
        a.data.astype(float).tofile(f)
line = sp.diags([-1, 2.0, -1], [-1, 0, 1], shape=(30, 30))
put("mesh", sp.kronsum(line, line) + 1e-4 * sp.identity(900))
put("minus", -sp.identity(5))
tall = sp.random(60, 150, density=.05, format="csr", random_state=1)
put("program", tall)
put("beyond", tall, tall.indices + 150)
PY
"$python" files.py || exit 1
head -c 4000 mesh >short

alone() { LD_LIBRARY_PATH="$here/.libs:$LD_LIBRARY_PATH" "$program" "$@"; }
under()
{
    env LD_LIBRARY_PATH="$here/.libs:$LD_LIBRARY_PATH" LD_PRELOAD="$preloaded${LD_PRELOAD:+:$LD_PRELOAD}" ROWCAST_ENGINE="$here/.libs/fake_engine.so" \
        ROWCAST_WAIT=1 ROWCAST_BUDGET=share=1000000 ROWCAST_LOG=summary "$program" "$@"
}
# field NAME FILE
field() { sed -n "s/.*\"$1\": \"\{0,1\}\([^,\"}]*\).*/\1/p" "$2"; }
# beyond FILE LIMIT: 1: the residual is larger
beyond() { awk -v r="$(field residual "$1")" -v limit="$2" 'BEGIN { print !(r >= 0 && r <= limit) }'; }
same() { diff "$1.steps" "$2.steps"; }

# both NAME WORD...: runs alone and under the drop-in
both()
{
    name=$1
    shift
    alone "$@" >"$name.alone" 2>err || return 1
    under "$@" >"$name.under" 2>"$name.said" || return 1
    for way in alone under; do
        echo "$(field iterations "$name.$way") $(field residual "$name.$way")" >"$name.$way.steps"
    done
}

ok "conjugate gradients run" both cg cg mesh 1000 1e-8 0 3
is "and converge" "$(beyond cg.alone 1.01e-8)" 0
ok "under the drop-in alike" same cg.alone cg.under
is "by its kernels" "$(grep -c '^rowcast: [1-9][0-9]* calls of cusparseSpMV, [1-9][0-9]* by kernels' cg.said)" 1
is "three right-hand sides" "$(field sides cg.alone)" 3
ok "a linear program is solved" both pdhg pdhg program 20000 1e-4
is "to its residual" "$(beyond pdhg.alone 1e-4)" 0
ok "and alike" same pdhg.alone pdhg.under
is "with A and A'" "$(grep -c 'spmv, 60 x 150, .* by a kernel\|spmv, 150 x 60, .* by a kernel' pdhg.said)" 2
ok "with the same bits promised" both promised pdhg program 200 1e-4 3
is "no kernel of rowcast's multiplies" "$(grep -c '^rowcast: [1-9][0-9]* calls of cusparseSpMV, 0 by kernels' promised.said)" 1
ok "steps run out" both few cg mesh 10 1e-8
is "and so it says" "$(field iterations few.alone) $(beyond few.alone 1e-8)" "10 1"
ok "what is not positive definite is left" both minus cg minus
code "a method that is none" 2 alone gauss mesh
code "a file that ends early" 1 alone cg short
code "columns beyond the matrix" 1 alone cg beyond
code "a matrix that is not square" 1 alone cg program
code "no number" 1 alone cg mesh ten
