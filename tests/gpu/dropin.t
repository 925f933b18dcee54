#!/bin/sh
# The drop-in with cuSPARSE on a GPU: random programs, and some under compute-sanitizer.
#   ROWCAST_DROPIN_SECONDS    a process begins no program after this many [20]
#   ROWCAST_DROPIN_PROGRAMS   in all, each of which must be run [no number: what the seconds allow]
#   ROWCAST_DROPIN_STEPS      of a program [12]
#   ROWCAST_DROPIN_PROCESSES  side by side [1: an H200 took turns between 4 or 16 so slowly that they did less than one]
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
# shellcheck source=tests/env.sh.in
. "${top_builddir:?}/tests/env.sh"

[ "$HAVE_CUDA" = yes ] || skip_all "a build without CUDA"
program=$top_builddir/tests/dropin/random_gpu
preloaded=$top_builddir/.libs/librowcast_cusparse.so
[ -e "$preloaded" ] || skip_all "no shared library in this build"
[ -x "$program" ] || skip_all "the program was not built"
case $("$program" 1 1 2>&1) in
*"SKIP no GPU"*)
    [ -z "${ROWCAST_GPU:-}" ] || { echo "Bail out! no GPU"; exit 1; }
    skip_all "no GPU"
    ;;
esac
plan 9
processes=${ROWCAST_DROPIN_PROCESSES:-1}
steps=${ROWCAST_DROPIN_STEPS:-12}
wanted=${ROWCAST_DROPIN_PROGRAMS:-0}
seconds=${ROWCAST_DROPIN_SECONDS:-$([ "$wanted" -gt 0 ] && echo 3600 || echo 20)}

# with VARIABLE=VALUE... COMMAND...: preloaded, every product by a plan or a kernel
with()
{
    env LD_PRELOAD="$preloaded" ROWCAST_ENGINE="$top_builddir/.libs/rowcast_dropin.so" ROWCAST_WAIT=always ROWCAST_BITS=free \
        ROWCAST_BUDGET=time=1000 "$@"
}

# many SEED COMMAND...: in processes of their own, each from a seed of its own; says how many there were
many()
{
    seed=$1
    shift
    each=$(((wanted + processes - 1) / processes))
    [ "$each" -gt 0 ] || each=100000
    i=0
    while [ $i -lt "$processes" ]; do
        "$@" "$program" $each $((seed + i * each)) "$seconds" "$steps" >"$tmp/many.$i" 2>&1 &
        i=$((i + 1))
    done
    wait
    # a process that died has no such line
    awk -v processes="$processes" -v wanted="$wanted" '
        /^(not )?ok - / { sub(/.*ok - /, ""); programs += $1; products += $4; wrong += $6; failed += $8; ended++ }
        /^#|^not ok/ && !/^# over/ { print }
        END {
            printf "# %d programs, %d products, %d wrong, %d calls failed, %d of %d processes ended\n", programs, products,
                wrong, failed, ended, processes
            exit !(ended == processes && wrong == 0 && failed == 0 && products > 0 && programs >= wanted)
        }' "$tmp"/many.* >>"$tmp/counted"
    code=$?
    rm -f "$tmp"/many.*
    tail -n 1 "$tmp/counted"
    return $code
}

ok "random programs are right without the drop-in" "$program" 50 1
ok "and with it" many 1 with
ok "and with trust" many 100000001 with ROWCAST_TRUST=preprocess
ok "and with rows and columns by the thousand" with "$program" 100000 300000001 "$seconds" "$steps" 1 4000
cat "$tmp/counted"
with ROWCAST_LOG=summary "$program" 200 400000001 "$seconds" "$steps" >"$tmp/out" 2>"$tmp/said"
is "products with a vector are right" "$(grep -v '^ok' "$tmp/out")" ""
is "by kernels and by plans" \
    "$(grep -c '^rowcast: [0-9]* calls of cusparseSpMV, [1-9][0-9]* by kernels of rowcast, [1-9][0-9]* by plans$' "$tmp/said")" 1
is "some of which graphs hold" "$(grep -c '^rowcast: graphs hold [1-9][0-9]* of the plans for good$' "$tmp/said")" 1
case $("$program" 1 1 9 1 2) in
*SKIP*) skip "on two devices in turn" "one device" ;;
*) ok "on two devices in turn" with "$program" 200 200000001 "$seconds" "$steps" 2 ;;
esac
if command -v compute-sanitizer >/dev/null; then
    ok "none touches memory that it should not" with DROPIN_MEMORY=exact compute-sanitizer --error-exitcode 1 "$program" 3 5
else
    skip "none touches memory that it should not" "no compute-sanitizer"
fi
