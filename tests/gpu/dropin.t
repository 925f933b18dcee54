#!/bin/sh
# The drop-in with cuSPARSE on a GPU: random programs for ROWCAST_DROPIN_SECONDS each (20), and one under compute-sanitizer.
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
plan 4
seconds=${ROWCAST_DROPIN_SECONDS:-20}

# with VARIABLE=VALUE... COMMAND...: preloaded, every pattern with a plan
with()
{
    env LD_PRELOAD="$preloaded" ROWCAST_ENGINE="$top_builddir/.libs/rowcast_dropin.so" ROWCAST_WAIT=always \
        ROWCAST_BUDGET=time=1000 "$@"
}

ok "random programs are right without the drop-in" "$program" 50 1
ok "and with it" with "$program" 10000 1 "$seconds"
ok "and with trust" with ROWCAST_TRUST=preprocess "$program" 10000 900001 "$seconds"
if command -v compute-sanitizer >/dev/null; then
    ok "none touches memory that it should not" with compute-sanitizer --error-exitcode 1 "$program" 3 5
else
    skip "none touches memory that it should not" "no compute-sanitizer"
fi
