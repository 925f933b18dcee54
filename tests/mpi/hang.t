#!/bin/sh
# A kernel that hangs on one matrix: the rank ends itself, the next run tries once more, the one after
# that gives the case up, and everything else is measured.
# shellcheck source=tests/mpi/mpi.sh
. "${top_srcdir:?}/tests/mpi/mpi.sh"
# shellcheck disable=SC2034  # for mpi.sh
dies=1
export OMPI_MCA_odls_base_sigkill_timeout=0 # mpirun ends the others at once
plan 15

matrix a uniform:n=100
matrix b uniform:n=140
matrix c uniform:n=180
hang="--kernels fault:mode=3:rows=140,rowsplit -k 2 -p csr"

for ranks in 1 2; do
    store=$tmp/s$ranks.h5
    for run in 1 2; do
        # shellcheck disable=SC2086
        sweep "$ranks" "$store" $hang --hang-limit 3 >"$tmp/out" 2>"$tmp/err"
        code=$?
        ok "$ranks ranks, run $run ends, and not by the test's own limit" test "$code" -gt 3 -a "$code" -ne 124
        ok "it says what hung" grep -q "G/b: no end of the phase 'verify' within 3" "$tmp/err"
    done
    # shellcheck disable=SC2086
    code "$ranks ranks, the third run completes" 1 sweep "$ranks" "$store" $hang --hang-limit 3
    is "the case is crashed, and its text says why; the others are ok" \
        "$(alone query "$store" -f csv --columns fullname,kernel,status,message | tail -n +2 | sed 's/:[^,]*//' | sort)" \
        'G/a,fault,ok,
G/a,rowsplit,ok,
G/b,fault,crashed,"in flight in 2 runs that died, last because it hung (--hang-limit), last in phase verify"
G/b,rowsplit,ok,
G/c,fault,ok,
G/c,rowsplit,ok,'
    is "nothing is doubled" "$(twice "$store")" ""
done

# many phases may together take longer than one may
code "what is slow in all but not in a phase is left alone" 0 sweep 1 "$tmp/slow.h5" -k 2 -p csr,lpt,warp,cta \
    --kernels fault:mode=0:delay_us=120000 --hang-limit 3
counted 4 "hangs of a kernel survived"
