#!/bin/sh
# Sweeps with matrices prepared ahead, see ahead.t, of which a case crashes or loses the device: that is put down to
# the case, and nothing is lost or doubled.
# shellcheck source=tests/mpi/mpi.sh
. "${top_srcdir:?}/tests/mpi/mpi.sh"
# no core files
# shellcheck disable=SC3045
ulimit -c 0 2>/dev/null || true
export OMPI_MCA_odls_base_sigkill_timeout=0 # mpirun ends the others at once
plan 11

for i in 1 2 3 4 5 6 7 8; do
    matrix "m$i" uniform:n=$((60 + 20 * i))
done

# ---------------------------------------------------------------------- crashes
crash="--kernels fault:mode=2:rows=140,rowsplit -k 2 -p csr,lpt --ahead 4"
one=$tmp/one.h5
runs=0
while [ "$runs" -lt 8 ]; do
    runs=$((runs + 1))
    # shellcheck disable=SC2086
    sweep $((1 + runs % 2)) "$one" $crash >"$tmp/out" 2>"$tmp/err"
    code=$?
    [ "$code" -gt 3 ] || break
done
is "two crashing cases take four runs, the fifth completes" "$runs $code" "5 1"
is "exactly they are crashed" "$(alone query "$one" -f csv --columns fullname,policy -w 'status == crashed && kernel ~ fault*' \
    | tail -n +2 | sort | tr '\n' ' ')$(rows "$one" -w 'status == ok')" "G/m4,csr G/m4,lpt 30"
is "and no matrix is" "$(alone query "$one" -M -f csv --columns fullname -w 'status != ok' | tail -n +2)" ""
is "nothing is doubled" "$(twice "$one")" ""

# ------------------------------------------------------------------- a lost device
lost="--kernels fault:mode=9:rows=140 -k 2 -p csr,lpt --ahead 3"
store=$tmp/lost.h5
# shellcheck disable=SC2086
code "a device that is lost ends its rank, not the sweep" 1 sweep 2 "$store" $lost
ok "says so" grep -q '1 of 2 ranks stopped because their device became unusable' "$tmp/err"
is "the other rank does the rest" "$(rows "$store" -w 'status == ok') $(rows "$store")" "14 14"
runs=1
while [ "$runs" -lt 8 ]; do
    runs=$((runs + 1))
    # shellcheck disable=SC2086
    sweep 1 "$store" $lost >"$tmp/out" 2>"$tmp/err"
    code=$?
    grep -q 'became unusable' "$tmp/err" || break
done
is "what loses it twice is given up, one case after the other" "$runs $code" "5 1"
is "as crashed" "$(alone query "$store" -f csv --columns fullname,policy -w 'status == crashed' | tail -n +2 | sort | tr '\n' ' ')" \
    "G/m4,csr G/m4,lpt "
ok "and the text says of what" sh -c \
    "'$ROWCAST' query '$store' -f csv --columns message -w 'status == crashed' | grep -q 'lost their device'"
# shellcheck disable=SC2086
code "then there is nothing to do, and it exits so too" 1 sweep 1 "$store" $lost
