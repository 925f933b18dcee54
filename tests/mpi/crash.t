#!/bin/sh
# A kernel that crashes on one matrix: its cases end as crashed after two runs each, the others of
# the matrix and of the collection are spared.
# shellcheck source=tests/mpi/mpi.sh
. "${top_srcdir:?}/tests/mpi/mpi.sh"
# shellcheck disable=SC2034  # for mpi.sh
dies=1
# no core files
# shellcheck disable=SC3045
ulimit -c 0 2>/dev/null || true
export OMPI_MCA_odls_base_sigkill_timeout=0 # mpirun ends the others at once
plan 19

died() # died CODE: as a launcher tells that a rank died
{
    [ "$1" -gt 3 ] && [ "$1" -ne 124 ]
}

matrix a uniform:n=100
matrix b uniform:n=140
matrix c uniform:n=180

# one case of b crashes: runs 1 and 2 die, run 3 completes
crash="--kernels fault:mode=2:rows=140,rowsplit -k 2"
one="$tmp/one.h5"
for ranks in 1 2; do
    # shellcheck disable=SC2086
    sweep "$ranks" "$one" $crash -p csr >"$tmp/out" 2>"$tmp/err"
    code=$?
    ok "run $ranks dies" died "$code"
    ok "and the store and its journals can be looked at" alone status "$one"
done
# shellcheck disable=SC2086
code "the third run completes, and its code tells" 1 sweep 2 "$one" $crash -p csr
ok "the table counts the crashed case" grep -q '^cases .* 1 *0$' "$tmp/out"
is "one case is crashed" "$(alone query "$one" -f csv --columns fullname,kernel,policy -w 'status == crashed' | tail -n +2)" \
    "G/b,$(alone query "$one" -f csv --columns kernel -w 'status == crashed' | tail -n +2),csr"
ok "its text names the signal" sh -c "'$ROWCAST' query '$one' --columns message -w 'status == crashed' | grep -q 'in flight in 2 runs that died, last by signal 11, last in phase verify'"
is "all others are ok" "$(alone query "$one" -f csv --columns fullname,kernel -w 'status == ok' | tail -n +2 | wc -l)" 5
is "all matrices are ok" "$(alone query "$one" -M -f csv --columns fullname,status | tail -n +2 | tr '\n' ' ')" \
    "G/a,ok G/b,ok G/c,ok "
is "nothing is doubled" "$(twice "$one")" ""
# shellcheck disable=SC2086
code "a further run has nothing to do, and exits so too" 1 sweep 2 "$one" $crash -p csr
ok "and says so" grep -q 'nothing to do' "$tmp/err"

# a redo counts afresh: two more runs die before the case is crashed again
for run in 1 2; do
    # shellcheck disable=SC2086
    sweep 1 "$one" $crash -p csr --redo 'status == crashed' >"$tmp/out" 2>"$tmp/err"
    code=$?
    ok "redo $run dies again" died "$code"
done
# shellcheck disable=SC2086
code "then the redone case is given up" 1 sweep 1 "$one" $crash -p csr
is "with a second row" "$(alone query "$one" -a -f csv --columns case -w 'status == crashed' | tail -n +2 | wc -l)" 2

# three cases of b crash: each takes two runs, and none beside them is lost
three="$tmp/three.h5"
runs=0
while [ "$runs" -lt 12 ]; do
    runs=$((runs + 1))
    # shellcheck disable=SC2086
    sweep 2 "$three" $crash -p csr,lpt,warp >"$tmp/out" 2>"$tmp/err"
    code=$?
    died "$code" || break
done
is "three crashing cases take six runs, the seventh completes" "$runs $code" "7 1"
is "exactly they are crashed" "$(alone query "$three" -f csv --columns fullname,policy -w 'status == crashed && kernel ~ fault*' \
    | tail -n +2 | tr '\n' ' ')$(rows "$three" -w 'status == ok')" "G/b,csr G/b,lpt G/b,warp 15"
counted "$((2 + 2 + runs - 1))" "crashes of a kernel survived"
