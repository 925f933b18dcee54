# shellcheck shell=sh
# Sourced by the tests under a launcher: skips them where there is none.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
# shellcheck source=/dev/null
. "${top_builddir:?}/tests/env.sh"
: "${MPIRUN:=}" "${ROWCAST:?}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_base_warn_component_unused=0
case $MPIRUN in '' | no) skip_all "no mpirun" ;; esac
timeout 60 "$MPIRUN" -n 2 true >/dev/null 2>&1 || skip_all "mpirun cannot start two processes here"
limit=120 # seconds for one command; a hang is a failure

# launch RANKS ARGUMENT...: rowcast under the launcher
launch()
{
    launch_ranks=$1
    shift
    timeout "$limit" "$MPIRUN" -n "$launch_ranks" "$ROWCAST" "$@"
}

# alone ARGUMENT...: rowcast without a launcher
alone()
{
    timeout "$limit" "$ROWCAST" "$@"
}

# matrix NAME SPEC: a matrix of the collection $tmp/col, group G
matrix()
{
    mkdir -p "$tmp/col/G"
    alone generate "$2" -o "$tmp/col/G/$1.mtx" >/dev/null
}

# What makes sweeps short, and their device class the same on any number of ranks.
quick="--threads 1 --share-device --timing shared --case-time 0.0005 --max-reps 7 -q"

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
    alone query "$1" -f csv -o name,kernel,policy,k,precision,status | tail -n +2 | sort
}

# rows STORE [OPTION...]: number of newest (or with -a all) result rows
rows()
{
    alone query "$@" -f csv -o case | tail -n +2 | wc -l | tr -d ' '
}

# twice STORE: cases with more than one row, and rows with the same place in a journal
twice()
{
    alone query "$1" -a -f csv -o case | tail -n +2 | sort | uniq -d
    alone query "$1" -a -f csv -o run,rank,seq,status -w 'status != crashed' | tail -n +2 | sort | uniq -d
}
