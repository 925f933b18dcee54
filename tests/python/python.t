#!/bin/sh
# The Python module over the libraries of this build.  What needs SciPy, h5py or pandas is left out where Python has none.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
# shellcheck source=tests/env.sh.in
. "${top_builddir:?}/tests/env.sh"
# shellcheck source=tests/python/python.sh
. "$top_srcdir/tests/python/python.sh"

python_that 'import sys, numpy; sys.exit(sys.version_info < (3, 8))' "3.8 with NumPy"
plan 49
cd "$tmp" || exit 1

script=check.py
# check NAME MODULES TEST ARGUMENT...
check()
{
    name=$1
    for module in $2; do
        "$python" -c "import $module" 2>/dev/null || { skip "$name" "no $module"; return; }
    done
    shift 2
    ok "$name" "$python" -W error "$top_srcdir/tests/python/$script" "$@"
}

is "it is as old as the library" "$("$python" -c 'import rowcast; print(rowcast.version())')" \
    "$("$ROWCAST" --version | sed -n '1s/^rowcast //p')"
check "structures are those of C" "" structures "$top_srcdir/tests/abi/structs"
check "orders" scipy.sparse orders
check "features" scipy.sparse features
check "errors" scipy.sparse errors
check "a model chooses" scipy.sparse predict "$(find "$top_srcdir/data/models" -name '*plan*.json' | sort | head -n 1)"
check "arrays" scipy.sparse arrays
check "plans on the host" scipy.sparse host_plans
check "products that are asked for again" scipy.sparse again
check "the same of tensors" scipy.sparse again_of_torch
check "several products by one call" scipy.sparse several
check "lazy views" scipy.sparse lazy
check "a plan of a GPU in a child" scipy.sparse child_of_gpu
check "empty products" scipy.sparse empty
check "a plan beside that of a GPU" scipy.sparse beside
if [ "$HAVE_CUDA" = yes ]; then
    check "plans" scipy.sparse plans
else
    skip "plans" "a build without CUDA"
fi
"$ROWCAST" sweep --store quick.h5 --where 'rows <= 2000' --limit 2 --k 8 --case-time 0.0005 --share-device \
    --timing shared >log 2>&1
"$ROWCAST" query quick.h5 --format csv --where 'status == ok' --columns fullname,policy,median_ns >rows.csv 2>err
is "a store is printed" "$(grep -v ' CPUs$\| missed ' err)" ""
sed 1d rows.csv >rows
check "the same rows come as a frame" "h5py pandas" store quick.h5 <rows
"$ROWCAST" sweep --store quick.h5 --where 'rows <= 2000' --limit 2 --k 8 --orders csr,lpt --redo 'policy == csr' \
    --case-time 0.0005 --share-device --timing shared >log 2>&1
"$ROWCAST" sweep --store quick.h5 --where 'rows <= 2000' --limit 1 --k 8 --orders csr,random:seed=7 --c-order both \
    --case-time 0.0005 --share-device --timing shared >log 2>&1
"$ROWCAST" query quick.h5 --format csv --where 'status == ok' --columns case,speedup >rows.csv 2>err
is "a store of three runs is printed" "$(grep -v ' CPUs$\| missed ' err)" ""
check "speedups are those of query" "h5py pandas" speedups quick.h5 <rows.csv
script=solvers.py
check "plans as matrices" scipy.sparse matmul
check "new values of those" scipy.sparse updated
check "a plan of A and of its transpose" scipy.sparse both
check "values that plans keep" scipy.sparse kept
check "wrong operands of those" scipy.sparse wrong
check "operators" scipy.sparse operators
check "types of values" scipy.sparse types_of_values
check "tensors of the CPU" "scipy.sparse torch" tensors_of_cpu
check "an operator in a child" scipy.sparse operator_in_child
check "solvers of SciPy" scipy.sparse solvers
check "operators of CuPy" scipy.sparse operators_of_cupy
script=value_types.py
check "arrays of every value type" scipy.sparse arrays
check "plans of every value type" scipy.sparse plans
check "sums of 16 bits in fp32" scipy.sparse sums
check "plans of complex numbers" scipy.sparse complex_plans
script=answers.py
check "answers" scipy.sparse search
check "an answer beside other programs" scipy.sparse beside
script=systems.py
check "systems in another order" scipy.sparse permutes
check "vectors of those" scipy.sparse vectors
check "what is solved there" scipy.sparse solves
check "wrong arguments of systems" scipy.sparse errors
check "systems of CuPy" scipy.sparse of_cupy
script=wrong.py
check "wrong arguments" scipy.sparse calls "$(find "$top_srcdir/data/models" -name '*plan*.json' | sort | head -n 1)"
check "wrong arguments of plans" scipy.sparse plans
check "a child of a process with threads" scipy.sparse forked "$(find "$top_srcdir/data/models" -name '*plan*.json' | sort | head -n 1)"
check "seals of stores" "h5py pandas" stores quick.h5
# shellcheck disable=SC2086  # flags are words
if $CC $CFLAGS -shared -fPIC -o lock.so "$top_srcdir/tests/fault/shim_lock.c" -ldl 2>err; then
    before=${LD_PRELOAD:-}
    LD_PRELOAD=$tmp/lock.so${LD_PRELOAD:+:$LD_PRELOAD}
    LOCK_HOW=fail
    export LD_PRELOAD LOCK_HOW
    check "a store where there are no locks" "h5py pandas" locked quick.h5
    LD_PRELOAD=$before
    unset LOCK_HOW
else
    skip "a store where there are no locks" "$(head -n 1 err)"
fi
ROWCAST_LIBRARY_DIR=$tmp
mkdir -p site/nvidia/any/lib toolkit/lib64
echo 'int needed(void) { return 7; }' >needed.c
echo 'int needed(void); int needy(void) { return needed(); }' >needy.c
script=check.py
# shellcheck disable=SC2086  # flags are words
if $CC $CFLAGS -shared -fPIC -Wl,-soname,libcuneeded.so.7 -o site/nvidia/any/lib/libcuneeded.so.7 needed.c 2>err \
    && cp site/nvidia/any/lib/libcuneeded.so.7 toolkit/lib64/ \
    && $CC $CFLAGS -shared -fPIC -o libneedy.so.1 needy.c toolkit/lib64/libcuneeded.so.7 2>err; then
    check "libraries of CUDA are found among Python's packages" "" of_cuda
else
    skip "libraries of CUDA are found among Python's packages" "$(head -n 1 err)"
fi
is "libraries that are not there are named" "$("$python" -c 'import rowcast; rowcast.version()' 2>&1 \
    | grep -c '^ImportError: librowcast is not installed.*ROWCAST_LIBRARY_DIR')" 1
