# shellcheck shell=sh
# Sourced by the tests under a launcher: skips them where there is none.  Whatever is started here
# ends within a limit, and nothing is left running.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
# shellcheck source=tests/process.sh
. "$top_srcdir/tests/process.sh"
# shellcheck source=/dev/null
. "${top_builddir:?}/tests/env.sh"
: "${MPIRUN:=}" "${ROWCAST:?}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_base_warn_component_unused=0
case $MPIRUN in '' | no) skip_all "no mpirun" ;; esac
timeout -k 5 60 "$MPIRUN" -n 2 true >/dev/null 2>&1 || skip_all "mpirun cannot start two processes here"
limit=${ROWCAST_COMMAND_LIMIT:-120} # seconds for one command; a hang is a failure
patience=10                         # seconds for a launcher to end after its ranks

mark=$tmp/
ROWCAST_BOUND="${ROWCAST_BOUND:-} $mark" # what is started from here on, see tests/process.sh
ROWCAST_REPORT=$tmp/report               # shown at the end: the output of a command may be a result
PIDS=$tmp/pids
export ROWCAST ROWCAST_BOUND ROWCAST_REPORT PIDS
: >"$tmp/stuck"
: >"$tmp/hung"

# What dies of a signal of its own says where, see tests/fault/shim_stack.c, and leaves a core where that is allowed.
dies= # 1 in a test of programs that die
if [ -n "${ROWCAST_STACKS:-}" ]; then
    # shellcheck disable=SC3045  # dash and bash have it
    ulimit -c unlimited 2>/dev/null
    cd "$tmp" || exit 99 # where a core goes
    STACK_LOG=$tmp/stacks
    LD_PRELOAD=$ROWCAST_STACKS
    export STACK_LOG LD_PRELOAD
fi

show_deaths()
{
    [ -s "$tmp/stacks" ] && [ -z "$dies" ] || return 0
    sed 's/^/# /' "$tmp/stacks"
    command -v gdb >/dev/null || return 0
    for core in "$tmp"/core*; do
        [ ! -f "$core" ] || timeout -k 5 60 gdb -nx -batch -ex 'thread apply all backtrace 20' "$ROWCAST" "$core" </dev/null 2>/dev/null \
            | grep -E '^(Thread|#)' | cut -c 1-150 | sed 's/^/# /'
    done
}

leave()
{
    show_deaths
    [ ! -e "$tmp/report" ] || cat "$tmp/report"
    [ ! -s "$tmp/hung" ] || echo "# launchers that hung after their ranks had ended: $(wc -l <"$tmp/hung")"
    [ ! -s "$tmp/stuck" ] || echo "Bail out! stuck: $(sort -u "$tmp/stuck" | tr '\n' ';')"
    end_started "$mark"
    rm -rf "$tmp"
}
trap leave EXIT

# A rank says who it is before it becomes rowcast.
cat >"$tmp/rank" <<'END_OF_RANK'
#!/bin/sh
echo "$$" >>"$PIDS"
exec "$ROWCAST" "$@"
END_OF_RANK
chmod +x "$tmp/rank"

# ranks: the ids of those that live
ranks()
{
    for rank in $(started_by "$mark"); do
        { read -r rank_name <"/proc/$rank/comm"; } 2>/dev/null || continue
        case $rank_name in rank | *rowcast*) echo "$rank" ;; esac
    done
}

# gone: wait until no rank lives; those that stay are shown and killed, and it returns 1
gone()
{
    gone_rounds=0
    while [ -n "$(ranks)" ]; do
        gone_rounds=$((gone_rounds + 1))
        if [ "$gone_rounds" -gt 200 ]; then
            echo "a rank that lost its launcher" >>"$tmp/stuck"
            show_started "$mark" >>"$tmp/report"
            end_started "$mark"
            return 1
        fi
        sleep 0.1
    done
}

# await ID WHAT: wait for a launcher in the background; its exit code, but
#   137  it was killed as it did not end after its ranks.  That is no fault of the ranks: when one of them
#        is killed, mpirun of Open MPI 4.1 with PMIx 4.2 sometimes waits in PMIx_server_finalize() for
#        ever, for a mutex in memory that it has given back.
#   124  it took longer than the limit; everything has been shown and killed
await()
{
    await_start=$(date +%s)
    await_ranks=$await_start # when one was seen
    await_rounds=0
    while running "$1"; do
        sleep 0.05
        await_rounds=$(((await_rounds + 1) % 20))
        [ "$await_rounds" -eq 0 ] || continue
        await_now=$(date +%s)
        if [ -n "$(ranks)" ]; then
            await_ranks=$await_now
        elif [ $((await_now - await_ranks)) -ge "$patience" ]; then
            {
                echo "# the launcher hangs, its ranks have ended: $2"
                show_started "$mark"
            } >>"$tmp/report"
            echo "$2" >>"$tmp/hung"
            kill -9 "$1"
            wait "$1" 2>/dev/null
            return 137
        fi
        if [ $((await_now - await_start)) -ge "$limit" ]; then
            {
                echo "# over the limit of $limit s: $2"
                show_started "$mark"
            } >>"$tmp/report"
            echo "$2" >>"$tmp/stuck"
            end_started "$mark"
            wait "$1" 2>/dev/null
            return 124
        fi
    done
    wait "$1" 2>/dev/null
}

# launch RANKS ARGUMENT...: rowcast under the launcher, or the program $launched that becomes it
launch()
{
    launch_ranks=$1
    shift
    "$MPIRUN" -n "$launch_ranks" "${launched:-$ROWCAST}" "$@" &
    await "$!" "rowcast $1 on $launch_ranks ranks"
}

# start RANKS ARGUMENT...: the same in the background; the launcher is $job, $PIDS has the ids of the
# ranks in the order in which they began, the output is in $tmp/job.out and $tmp/job.err
start()
{
    start_ranks=$1
    shift
    : >"$PIDS"
    "$MPIRUN" -n "$start_ranks" "$tmp/rank" "$@" >"$tmp/job.out" 2>"$tmp/job.err" &
    job=$!
}

# finish: wait for $job; its exit code is in $job_code, see await
finish()
{
    await "$job" "a sweep in the background"
    # shellcheck disable=SC2034  # for the test
    job_code=$?
}

# alone ARGUMENT...: rowcast without a launcher
alone()
{
    sh "$top_srcdir/tests/bound.sh" "$limit" "$ROWCAST" "$@"
    alone_code=$?
    [ "$alone_code" -ne 124 ] || echo "rowcast $1" >>"$tmp/stuck"
    return "$alone_code"
}

# matrix NAME SPEC: a matrix of the collection $tmp/col, group G
matrix()
{
    mkdir -p "$tmp/col/G"
    alone generate "$2" -o "$tmp/col/G/$1.mtx" >/dev/null
}

# These tests are about the harness: on a machine with a GPU they measure on the CPU too.
export CUDA_VISIBLE_DEVICES=''
# What makes sweeps short, and their device class the same on any number of ranks.
quick="--once --threads 1 --share-device --timing shared --case-time 0.0005 --max-reps 7 -q"
# Behind it: what makes a run of kernels that sleep last so long that what comes in the middle of it does so on a loaded
# machine, too.  The cases are the same, so the run that completes them is short again.
# shellcheck disable=SC2034  # for the tests
long="--case-time 0.1 --max-reps 1000 --target 0"

# sweep RANKS STORE ARGUMENT...: over $tmp/col
sweep()
{
    sweep_ranks=$1
    sweep_store=$2
    shift 2
    # shellcheck disable=SC2086  # a list of options
    launch "$sweep_ranks" sweep -C "$tmp/col" -s "$sweep_store" $quick "$@"
}

# cases STORE: each case with its status, sorted
cases()
{
    alone query "$1" -f csv --columns name,kernel,policy,k,precision,status | tail -n +2 | sort
}

# rows STORE [OPTION...]: number of newest (or with -a all) result rows
rows()
{
    alone query "$@" -f csv --columns case | tail -n +2 | wc -l | tr -d ' '
}

# twice STORE: cases with more than one row, and rows with the same place in a journal
twice()
{
    alone query "$1" -a -f csv --columns case | tail -n +2 | sort | uniq -d
    alone query "$1" -a -f csv --columns run,rank,seq,status -w 'status != crashed' | tail -n +2 | sort | uniq -d
}

# random N: 0 .. N-1, in $random; a test sets $seed
seed=${ROWCAST_SEED:-$$}
random()
{
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    # shellcheck disable=SC2034  # for the tests
    random=$((seed / 65536 % $1))
}

# seconds MILLISECONDS
seconds()
{
    printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000))
}

# fault TEXT: something does not hold; $at says where
at=
fault()
{
    echo "# $at: $1" >&2
    echo "$at: $1" >>"$tmp/faults"
}
: >"$tmp/faults"

# snapshot STORE: a copy of store and journals as they are, $tmp/copy.h5
snapshot()
{
    rm -rf "$tmp/copy.h5" "$tmp/copy.h5.journal"
    [ ! -e "$1" ] || cp "$1" "$tmp/copy.h5"
    [ ! -d "$1.journal" ] || cp -r "$1.journal" "$tmp/copy.h5.journal" 2>/dev/null # it may end just now
}

# finished: cases that are ok in the last snapshot, which is folded
finished()
{
    [ -e "$tmp/copy.h5" ] || [ -e "$tmp/copy.h5.journal" ] || return 0 # killed before anything
    alone fold -q --take-over "${take_over:-60}" "$tmp/copy.h5" >"$tmp/fold.out" 2>&1 || fault "fold: $(cat "$tmp/fold.out")"
    [ -e "$tmp/copy.h5" ] || return 0
    twice "$tmp/copy.h5" >"$tmp/twice"
    [ ! -s "$tmp/twice" ] || fault "doubled: $(tr '\n' ' ' <"$tmp/twice")"
    alone query "$tmp/copy.h5" -f csv --columns case -w 'status == ok' | tail -n +2 | sort
}

# counted NUMBER WHAT: a line that `make check-fault` adds up
counted()
{
    echo "# counted: $1 $2"
}

# count WHAT: the numbers of a line of the last result table, but for the noisy ones, which are last
count()
{
    grep "^$1" "${tmp:?}/out" | tr -s ' ' | sed "s/^$1 //" | cut -d' ' -f1-5
}
