#!/bin/sh
# The drop-in for cuSPARSE without a GPU: a fake cuSPARSE, which counts its calls, and a fake engine, whose plans are wrong
# where the pattern is another one.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
# shellcheck source=tests/env.sh.in
. "${top_builddir:?}/tests/env.sh"
# shellcheck source=tests/dropin/fakes.sh
. "${top_srcdir:?}/tests/dropin/fakes.sh"

plan 109
cd "$tmp" || exit 1

# with VARIABLE=VALUE... COMMAND...: run it as a user would, on the fakes
with()
{
    env LD_LIBRARY_PATH="$here/.libs:$LD_LIBRARY_PATH" LD_PRELOAD="$preloaded" \
        ROWCAST_ENGINE="$here/.libs/fake_engine.so" "$@"
}

# failed: the lines of out that did not pass; "nothing" where no test ran
failed()
{
    grep -q '^ok' out || echo nothing
    grep -v '^ok' out | grep -v '^1\.\.'
}

program()
{
    for file in "$here/.libs/$1" "$here/$1"; do
        [ ! -x "$file" ] || { echo "$file"; return; }
    done
}
calls=$(program calls)
added=$(program added)
forms=$(program forms)
vectors=$(program vectors)
graphs=$(program graphs)
parts=$(program parts)
several=$(program several)
random=$(program random)
streams=$(program streams)

env LD_LIBRARY_PATH="$here/driver/.libs:$LD_LIBRARY_PATH" "$streams" >out 2>err
is "streams are those that the driver has" "$(failed)" ""
with ROWCAST_WAIT=always "$calls" passing >out 2>err
is "what is not understood is passed through as it was" "$(failed)" ""
is "that was $(grep -c '^ok' out) cases" "$(($(grep -c '^ok' out) >= 20))" 1
for what in plans siblings both twin decisions patience improved abandoned quicker unsupported; do
    with ROWCAST_WAIT=1 ROWCAST_BUDGET=share=1000000 "$calls" $what >out 2>err
    is "$what" "$(failed)" ""
done
for what in direct slices; do
    with ROWCAST_WAIT=1 ROWCAST_BUDGET=share=1000000 "$added" $what >out 2>err
    is "$what" "$(failed)" ""
done
for operand in matrix vector; do
    for what in plans added one algorithms; do
        with ROWCAST_WAIT=1 ROWCAST_BUDGET=share=1000000 "$forms" $what $operand >out 2>err
        is "A in any format, as it is and transposed, with a $operand: $what" "$(failed)$(cat err)" ""
    done
    with ROWCAST_WAIT=always ROWCAST_TRUST=preprocess "$forms" trust $operand >out 2>err
    is "trust of any format, with a $operand" "$(failed)" ""
    with ROWCAST_WAIT=always ROWCAST_BUDGET=share=1000000 "$forms" threads $operand >out 2>err
    is "threads with any format, with a $operand" "$(failed)" ""
done
with ROWCAST_WAIT=always ROWCAST_TRUST=preprocess "$forms" apart >out 2>err
is "trust of one function alone" "$(failed)" ""
with ROWCAST_WAIT=1 ROWCAST_BUDGET=share=1000000 ROWCAST_LOG=summary ROWCAST_CACHE="$tmp/forms" "$forms" plans vector >out 2>err
is "the summary counts kernels and plans" \
    "$(grep -c '^rowcast: [0-9]* calls of cusparseSpMV, [1-9][0-9]* by kernels of rowcast, [1-9][0-9]* by plans$' err)" 1
is "and names the operation" "$(sed -n 's/^rowcast:   \(spmv, . x ., 3 entries, [a-z]*, fp32\): .* by a \([a-z]*\).*/\1 \2/p' err \
    | sed 's/, . x ., 3 entries,//' | sort -u | tr '\n' '.')" "spmv coo, fp32 plan.spmv csc, fp32 plan.spmv csr, fp32 kernel."
is "so does a choice" "$(cat forms/*.choice | grep -o '^of [a-z]* of fp32' | sort -u)" "of spmv of fp32"
for what in held apart refused shared better reset many; do
    with ROWCAST_WAIT=1 ROWCAST_BUDGET=share=1000000 ROWCAST_LOG=summary "$graphs" $what >out 2>err
    is "plans in graphs: $what" "$(failed)" ""
done
is "the summary says how many" "$(grep -c '^rowcast: graphs hold 32 of the plans for good$' err)" 1
for of in float double; do
    for what in passing matrix adjoint kernels; do
        with ROWCAST_WAIT=1 ROWCAST_BUDGET=share=1000000 "$parts" $what $of >out 2>err
        is "complex numbers of $of: $what" "$(failed)$(cat err)" ""
    done
    with ROWCAST_WAIT=1 ROWCAST_BUDGET=share=1000000 ROWCAST_BITS=free "$parts" sampled $of >out 2>err
    is "complex numbers of $of: sampled" "$(failed)$(cat err)" ""
done
for what in passing kept scalars first second neither better unsuited blind slower rather ahead doubtful beside graphs once broken; do
    with ROWCAST_WAIT=1 ROWCAST_BUDGET=share=1000000 "$vectors" $what >out 2>err
    is "products with a vector: $what" "$(failed)$(cat err)" ""
done
with ROWCAST_WAIT=1 ROWCAST_BUDGET=share=1000000,memory=50 "$vectors" memory >out 2>err
is "products with a vector: memory" "$(failed)$(cat err)" ""
with ROWCAST_WAIT=1 ROWCAST_BUDGET=share=0 "$vectors" poor >out 2>err
is "products with a vector: poor" "$(failed)$(cat err)" ""
with ROWCAST_WAIT=1 ROWCAST_BUDGET=share=1000000,memory=1000 "$added" room >out 2>err
is "room for plans" "$(failed)" ""
with ROWCAST_WAIT=1 ROWCAST_BUDGET=share=1000000 ROWCAST_BITS=free "$vectors" bits >out 2>err
is "products with a vector: bits" "$(failed)$(cat err)" ""
with ROWCAST_WAIT=1 ROWCAST_BUDGET=share=1000000 ROWCAST_LOG=summary "$vectors" first >out 2>err
is "the summary counts them apart" "$(grep -c '^rowcast: 150 calls of cusparseSpMV, [1-9][0-9]* by kernels' err)" 1
with ROWCAST_WAIT=1 ROWCAST_BUDGET=share=1000000 ROWCAST_LOG=summary "$calls" refused >out 2>err
is "refused" "$(failed)" ""
is "the summary says so" "$(grep -c 'calls, 0 by a plan.*; the plan does not take the operands$' err)" 1
with ROWCAST_WAIT=1 ROWCAST_BUDGET=share=1000000 ROWCAST_LOG=summary ROWCAST_CACHE="$tmp/types" "$calls" types >out 2>err
is "types" "$(failed)" ""
is "the summary names them" "$(sed -n 's/.*, K = 4, \(.*\), row-major: .* (fake).*/\1/p' err | sort | tr '\n' ' ')" \
    "bf16 bf16 to fp32 fp16 fp16 to fp32 fp32 "
is "and what is mixed" "$(grep -c 'passed through 80 times: value types are mixed$' err)" 1
is "or not known" "$(grep -c 'passed through 40 times: a value type that plans do not have$' err)" 1
is "each has a choice of its own" "$(cat types/*.choice | grep -o '^of spmm of [^,]*' | sort | tr '\n' ' ')" \
    "of spmm of bf16 of spmm of bf16 to fp32 of spmm of fp16 of spmm of fp16 to fp32 of spmm of fp32 "
is "a plan is freed without the lock" "$(with ROWCAST_WAIT=1 ROWCAST_BUDGET=share=1000000 "$several" freeing >out 2>err
    failed)" ""
is "beside the program too" "$(with ROWCAST_BUDGET=share=1000000 "$several" freeing beside >out 2>err; failed)" ""
is "or made" "$(with ROWCAST_BUDGET=share=1000000 "$several" making >out 2>err; failed)" ""
is "idle" "$(with ROWCAST_BUDGET=share=1000000 "$several" idle >out 2>err; failed)" ""
for what in devices streams reset; do
    is "$what" "$(with ROWCAST_WAIT=1 ROWCAST_BUDGET=share=1000000 "$several" $what >out 2>err; failed)" ""
done
is "threads" "$(with ROWCAST_BUDGET=share=1000000 ROWCAST_WAIT=always "$several" threads >out 2>err; failed)" ""
is "a child of fork" "$(with ROWCAST_WAIT=always "$several" forked >out 2>err; failed)" ""
with ROWCAST_WAIT=always ROWCAST_TRUST=preprocess "$calls" trust >out 2>err
is "trust" "$(failed)" ""

with ROWCAST_WAIT=always ROWCAST_LOG=summary ROWCAST_BITS=free "$random" 10000 1 >out 2>err
is "random programs: no wrong result" "$(failed)" ""
is "plans made most of them" "$(sed -n 's/^rowcast: \([0-9]*\) calls of cusparseSpMM, \([0-9]*\) by plans.*/\1 \2/p' err \
    | awk '{ print ($2 > 0.3 * $1) }')" 1
is "and some where there is no plan" "$(grep -c '^rowcast: [0-9]* calls of cusparseSpMM, [1-9][0-9]* by kernels' err)" 1
for what in cusparseSpMV cusparseSDDMM; do
    is "kernels did many calls of $what" "$(sed -n "s/^rowcast: \([0-9]*\) calls of $what, \([0-9]*\) by kernels.*/\1 \2/p" err \
        | awk '{ print ($2 > 0.15 * $1) }')" 1
done
is "plans some of them with a vector" "$(sed -n 's/^rowcast: \([0-9]*\) calls of cusparseSpMV, .* \([0-9]*\) by plans$/\1 \2/p' err \
    | awk '{ print ($2 > 0.05 * $1) }')" 1
is "the summary says what was passed through, and of which function" \
    "$(sed -n 's/^rowcast:   \(.*\) passed through [1-9][0-9]* times: beta is not 0/\1/p' err | tr '\n' ' ')" "cusparseSpMM cusparseSpMV "
with ROWCAST_WAIT=always ROWCAST_BITS=free "$random" 4 30001 1000 12 1 2000 >out 2>err
is "nor with larger matrices" "$(failed)$(cat err)" ""
i=0
while [ $i -lt 40 ]; do # each with as many plans in graphs as there may be
    with ROWCAST_WAIT=always ROWCAST_BITS=free ROWCAST_LOG=summary "$random" 40 $((600001 + 100 * i)) >>graphs.out 2>>graphs.err
    i=$((i + 1))
done
is "nor with plans in graphs" "$(grep -v '^ok' graphs.out)$(grep -c '^ok' graphs.out)" 40
is "which many had" "$(awk '/^rowcast: graphs hold/ { n += $4 } END { print (n > 400) }' graphs.err)" 1
with ROWCAST_WAIT=always ROWCAST_TRUST=preprocess "$random" 400 5001 >out 2>err
is "neither with trust" "$(failed)" ""
with ROWCAST_WAIT=always ROWCAST_LOG=summary "$random" 400 7001 >out 2>err
is "nor with the same bits, which are promised of SDDMM" "$(failed)$(grep -c '^rowcast: .* cusparseSDDMM, 0 by kernels' err)$(
    grep -c 'cusparseSDDMM passed through [0-9]* times: the same bits' err)" 11
with ROWCAST_LOG=nothing ROWCAST_BUDGET=share=1000000 "$random" 100 9001 >out 2>err
is "nor with plans made beside the program" "$(failed)$(cat err)" ""
with ROWCAST_BUDGET=time=0 ROWCAST_WAIT=always ROWCAST_LOG=summary "$random" 20 1 >out 2>err
is "without a budget there are no plans" "$(failed)$(grep -c ', 0 by plans' err)" 1
with ROWCAST_WAIT=1 ROWCAST_BUDGET=share=0 "$calls" plans >out 2>err
is "nor without a share of the time" "$(grep -c '^not ok 1 ' out)" 1
with ROWCAST_DROPIN=off ROWCAST_LOG=summary "$random" 20 1 >out 2>err
is "switched off there are none" "$(failed)$(grep -c ', 0 by plans' err)" 1
with ROWCAST_ENGINE="$tmp/none.so" "$random" 20 1 >out 2>err
is "without an engine neither, and a line says so" "$(failed)$(grep -c '^rowcast: no plans: ' err)" 1
with ROWCAST_BUDGET=time=2,memory=90000000000G ROWCAST_TRUST=me ROWCAST_LOG=all "$random" 1 1 >out 2>err
is "settings that are none are named" "$(failed)$(grep -c '^rowcast: ROWCAST_' err)" 3
if localedef -i de_DE -f UTF-8 "$tmp/de_DE.UTF-8" 2>/dev/null; then
    with ROWCAST_BUDGET=time=0.5,share=0.5 LOCPATH="$tmp" LC_ALL=de_DE.UTF-8 "$calls" refused >out 2>err
    is "numbers have a point in any language" "$(cat err)" ""
else
    skip "numbers have a point in any language" "no localedef"
fi
with ROWCAST_BUDGET=time=2,memory=lots "$random" 1 1 >out 2>err
is "so is memory that is no number" "$(failed)$(grep -c '^rowcast: ROWCAST_' err)" 1
env LD_LIBRARY_PATH="$here/.libs:$LD_LIBRARY_PATH" "$random" 20 1 >out 2>err
is "the programs are right without it, too" "$(failed)$(cat err)" ""
