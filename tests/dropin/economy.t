#!/bin/sh
# Programs on a clock of their own, with the drop-in and without: a plan is there when it pays, and none is slower than 0.98.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
# shellcheck source=tests/env.sh.in
. "${top_builddir:?}/tests/env.sh"
# shellcheck source=tests/dropin/fakes.sh
. "${top_srcdir:?}/tests/dropin/fakes.sh"

plan 17
cd "$tmp" || exit 1

# economy WHAT...: its lines that did not pass; "nothing" where no test ran
economy()
{
    env LD_LIBRARY_PATH="$here/.libs:$LD_LIBRARY_PATH" LD_PRELOAD="$preloaded" ROWCAST_WAIT="${wait:-1}" \
        ROWCAST_ENGINE="$here/.libs/fake_engine.so" "$here/economy" "$@" >out 2>err
    grep -q '^ok' out || echo nothing
    grep -v '^ok' out | grep -v '^1\.\.' | grep -v '^#'
}
for what in epochs fleeting changing crowd better cold host vectors solvers turned; do
    is "$what" "$(economy $what)" ""
done
is "random programs: none is slower than 0.98" "$(economy random 2000 1; cat err)" ""
wait=0
is "nor of products with a vector" "$(economy random-vectors 1000 1; cat err)" ""
is "nor with plans made by a thread" "$(economy random 1000 3001; cat err)" ""
wait=1
ROWCAST_LOG=summary
export ROWCAST_LOG
# saved WHAT PART: whether the summary says what was saved, to that part
saved()
{
    economy "$1"
    cat out err | sed -n 's/.* \([0-9.]*\) ms saved;.*/\1/p; s/^# saved \(.*\) ms$/\1/p' | sort -n |
        awk -v part="$2" '{ x[NR] = $1 }
            END { print (NR >= 2 && x[NR - 1] > part * x[NR] ? "as it was" : x[NR - 1] " and " x[NR]) }'
}
is "the summary says what was saved" "$(saved saved 0.98)" "as it was"
is "and what a kernel lost that became slow" "$(saved slowed 0.7)" "as it was"
is "or that was tried" "$(saved tried 0.9)" "as it was"
is "loading each kernel is counted" "$(economy loading; sed -n 's/.* saved; \([0-9.]*\) s .*/\1/p' err)" "0.05"
