#!/bin/sh
# The simulated sweep sends the messages of the real one: those to the server thread of rank 0, by kind.
# What a rank 0 that works takes for itself needs no message; how much that is depends on the moment.
# SIM_RANKS: numbers of ranks; SIM_MATRICES: how many matrices.
# shellcheck source=tests/mpi/mpi.sh
. "${top_srcdir:?}/tests/mpi/mpi.sh"
sizes=${SIM_RANKS:-2 4}
matrices=${SIM_MATRICES:-24}
limit=${ROWCAST_COMMAND_LIMIT:-240}
shim=$top_builddir/tests/sim/shim_messages.so
[ -e "$shim" ] || skip_all "no $shim"
# shellcheck disable=SC2086  # a list
set -- $sizes
plan $((6 * $#))

i=0
while [ "$i" -lt "$matrices" ]; do
    i=$((i + 1))
    matrix "m$i" "uniform:n=$((50 + i))"
done
cat >"$tmp/counted" <<'END_OF_PROGRAM'
#!/bin/sh
LD_PRELOAD=$SHIM exec "$ROWCAST" "$@"
END_OF_PROGRAM
chmod +x "$tmp/counted"
SHIM=$shim
MESSAGES_LOG=$tmp/messages
export SHIM MESSAGES_LOG

# of KIND FILE: the number behind a word
of()
{
    tr ' ' '\n' <"$2" | grep -A 1 "^$1\$" | sed -n 2p
}

# words FILE: what must agree
words()
{
    echo "next $(of next "$1") claim $(of claim "$1") leave $(of leave "$1")"
}

for ranks in $sizes; do
    rm -f "$tmp/messages"
    begun=$(date +%s)
    launched=$tmp/counted
    ok "a sweep on $ranks ranks" sweep "$ranks" "$tmp/r$ranks.h5" --orders csr,lpt --kernels cstat,rowsplit --k 8,16
    launched=
    [ -e "$tmp/messages" ] || : >"$tmp/messages"
    own=$(alone query "$tmp/r$ranks.h5" -f csv --columns fullname -w 'rank == 0' | tail -n +2 | sort -u | wc -l | tr -d ' ')
    real=$(head -n 1 "$tmp/messages")
    # rank 0 asks itself for each of its matrices twice, and once more
    is "$ranks ranks: $((matrices - own)) matrices not of rank 0, each asked for and claimed" "$(words "$tmp/messages")" \
        "next $((matrices - own + ranks - 1)) claim $((matrices - own)) leave $((ranks - 1))"
    "$top_builddir/tests/sim/simulate" --messages -n "$ranks" -m "$matrices" --blocks 4 --preparers 0 --tell 1000 \
        "$tmp/r$ranks.h5" >"$tmp/simulated"
    simulated_own=$((($(of own "$tmp/simulated") - 1) / 2))
    is "simulated, $((matrices - simulated_own)) not of rank 0: the same" "$(words "$tmp/simulated")" \
        "next $((matrices - simulated_own + ranks - 1)) claim $((matrices - simulated_own)) leave $((ranks - 1))"
    # at most one a second of each rank, and one at its end
    most=$(((ranks - 1) * ($(date +%s) - begun + 2)))
    ok "progress is told seldom" test "$(of tell "$tmp/messages")" -le "$most"
    is "with those of rank 0 as many questions" $(($(of next "$tmp/messages") + $(of claim "$tmp/messages") + 2 * own + 1)) \
        $(($(of next "$tmp/simulated") + $(of claim "$tmp/simulated") + $(of own "$tmp/simulated")))
    ok "the server was timed" grep -q '^served' "$tmp/messages"
    echo "# $ranks ranks, real:      $real"
    echo "# $ranks ranks, simulated: $(cat "$tmp/simulated")"
    sed -n 's/^served/# the real server/p' "$tmp/messages"
done
