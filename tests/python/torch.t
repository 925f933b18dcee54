#!/bin/sh
# Products as operators of PyTorch, over the libraries of this build.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
# shellcheck source=tests/env.sh.in
. "${top_builddir:?}/tests/env.sh"
# shellcheck source=tests/python/python.sh
. "$top_srcdir/tests/python/python.sh"

python_that 'import torch, numpy' "with PyTorch"
plan 112
cd "$tmp" || exit 1

# check NAME FILE TEST ARGUMENT...
check()
{
    name=$1
    file=$2
    shift 2
    ok "$name" "$python" -W error "$top_srcdir/tests/python/torch_$file.py" "$@"
}

check "products of all layouts, types and indices" check products
check "B in any order" check orders_of_b
check "patterns that are unsorted, or have places twice" check unsorted_and_twice
check "first and second derivatives" check gradients
check "gradients of sparse tensors" check gradients_of_tensors
check "empty products" check empty
check "values that change" check values_changed
check "values that share their memory" check values_shared
check "patterns that change" check patterns_changed
check "values that are trusted" check values_trusted
check "operators: shapes and batches" check operators
check "gradients that are registered by name" check by_name
check "functions that are compiled" check compiled
check "and what is called there" check looked_into
check "who says so" check tellers
check "autocast, deterministic and inference modes" check modes
check "errors are a line" check errors
check "plans are kept while the tensors live" kept kept
check "in the place of PyTorch's products" kept replaced
for test in reductions gradients ties twice short others; do
    check "other reductions: $test" reduce "$test"
done
if "$python" -c 'import scipy' 2>err; then
    ok "iterations as graphs" "$python" "$top_srcdir/src/examples/graphs.py" 8
else
    skip "iterations as graphs" "no SciPy"
fi
check "threads" kept threads
check "copies and pickles" kept copied
check "children of fork" kept fork
check "streams and graphs" kept streams_and_graphs
check "rowcast needs no PyTorch" kept lonely
for test in products unsorted_and_twice gradients values_changed values_shared values_trusted patterns_changed; do
    check "$test past the dispatcher" check "$test" direct
done
for test in kept replaced threads; do
    check "$test past the dispatcher" kept "$test" direct
done
if [ "$HAVE_CUDA" = yes ] && "$python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>err; then
    gpu=yes
else
    gpu=no
fi
for test in "check products" "check orders_of_b" "check unsorted_and_twice" "check gradients" "check empty" \
    "check values_changed" "reduce reductions" "check operators" "check compiled" "kept kept" "kept replaced" "kept threads" "kept captured"; do
    if [ $gpu = yes ]; then
        # shellcheck disable=SC2086  # file and test
        check "${test#* } on a GPU" $test cuda
    else
        skip "${test#* } on a GPU" "no GPU, or none that PyTorch sees"
    fi
done
if ! "$python" -c 'import torch_geometric' 2>err; then
    PYTHONPATH=$PYTHONPATH:$top_srcdir/tests/python/stand_in
    echo "# without PyTorch Geometric: layers of a stand-in"
fi
for place in cpu cuda; do
    for test in layers attention attention_shown attention_derived attention_between attention_of_nothing attention_of_others \
        attention_operations \
        weights rectangles changed_edges rewritten_edges pyg_calls along traced_layers traced_others compiled_layers looked_into sparse validated autocast captured gone deep copies; do
        if [ $place = cpu ] || [ $gpu = yes ]; then
            check "PyTorch Geometric: $test, $place" pyg $test $place
        else
            skip "PyTorch Geometric: $test, $place" "no GPU that PyTorch sees"
        fi
    done
done
ok "PyTorch Geometric: clients" "$python" "$top_srcdir/tests/python/torch_clients.py" "$top_srcdir/jobs/clients.py"
code "a client that fails ends with an error" 1 "$python" "$top_srcdir/jobs/clients.py" --module --device cpu --sizes 100 --features 4 \
    --graphs communities --epochs 12 --rounds 2 gcn gcn-csr
ok "in one line" grep -q '^clients: 1 of 2 cases failed: see the table$' err
ok "beside the others" grep -q '^| gcn-csr | communities | 100 | [0-9,]* | 4 | [0-9]' out
mkdir "$tmp/without" && echo 'raise ImportError("no PyTorch")' >"$tmp/without/torch.py"
code "without PyTorch" 1 env PYTHONPATH="$tmp/without" "$python" "$top_srcdir/jobs/clients.py" --module --device cpu --sizes 100 --features 4 gcn
is "clients are refused in a line" "$(cat err)" "clients: no PyTorch"
code "a drop-in that is not there" 1 "$python" "$top_srcdir/jobs/clients.py" --device cpu --library ./nowhere.so --sizes 100 --features 4 \
    --graphs communities --epochs 12 gcn
ok "is not taken for one" grep -q '^clients: no drop-in: ' err
