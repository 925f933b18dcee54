#!/bin/sh
# What is named where a file belongs and is none: a FIFO is refused in a line, at once, whoever opens it; and
# what is written is whole or is not there.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 61
cd "$tmp" || exit 99
quick="--threads 1 --share-device --timing shared --case-time 0.0005 --max-reps 7 -q -C col -k 2 -p csr --kernels rowsplit"
mkdir -p col/G spare
"${ROWCAST:?}" generate uniform:n=60 -o col/G/a.mtx >/dev/null || exit 99
# shellcheck disable=SC2086
"$ROWCAST" sweep -s whole.h5 $quick >/dev/null 2>&1 || exit 99
cp whole.h5 kept.h5
mkfifo fifo || exit 99

# refused NAME COMMAND...: ends soon, with an error that calls the FIFO one in at most two lines, and leaves it alone
refused()
{
    refused_name=$1
    shift
    timeout 60 "$@" >out 2>err </dev/null
    refused_code=$?
    [ -p fifo ] || refused_code="no FIFO any more, $refused_code"
    [ "$(grep -c . err)" -le 2 ] || refused_code="$(grep -c . err) lines, $refused_code"
    case $refused_code in 1 | 2 | 3) refused_code="refused" ;; esac
    is "$refused_name" "$refused_code, $(grep -o 'found a FIFO' err)" "refused, found a FIFO"
}

# ------------------------------------------------------------------------- stores
# shellcheck disable=SC2086
refused "a sweep into it" "$ROWCAST" sweep -s fifo $quick
# shellcheck disable=SC2086
refused "one that is planned" "$ROWCAST" sweep --dry-run -s fifo $quick
for command in query verify status fold; do
    refused "$command" "$ROWCAST" $command fifo
done
refused "merge into it" "$ROWCAST" merge fifo whole.h5
refused "merge of it" "$ROWCAST" merge m.h5 whole.h5 fifo
refused "archive of it" "$ROWCAST" archive fifo a.h5
code "archive to it" 3 timeout 60 "$ROWCAST" archive whole.h5 fifo
ok "replaces no FIFO" test -p fifo
refused "export" "$ROWCAST" export fifo --csv exported
refused "a report" "$ROWCAST" report -q fifo -o pages
refused "a comparison" "$ROWCAST" compare whole.h5 fifo
refused "a model of it" "$ROWCAST" train fifo -o model.json

# -------------------------------------------------------- matrices, models, orders and lists
for command in features "order -p lpt" split "spy -o spy.png" "format -x csr" tiles "plan --device cpu -k 4"; do
    # shellcheck disable=SC2046,SC2086 # words
    refused "a matrix for $command" "$ROWCAST" ${command%% *} fifo $(echo "$command " | cut -d' ' -f2-)
done
refused "an order" "$ROWCAST" order col/G/a.mtx -p file:fifo
refused "a model" "$ROWCAST" predict col/G/a.mtx -m fifo -k 4
refused "a catalogue" "$ROWCAST" catalog -c fifo
# shellcheck disable=SC2086
refused "a catalogue of a sweep" "$ROWCAST" sweep -s s.h5 $quick -c fifo

# in a collection it is no matrix
cp -r col other
mkfifo other/G/b.mtx other/G/c.spec
code "a collection that has some is swept" 0 timeout 60 "$ROWCAST" sweep -s s.h5 --threads 1 --share-device --timing shared \
    --case-time 0.0005 --max-reps 7 -q -C other -k 2 -p csr --kernels rowsplit
is "without them" "$("$ROWCAST" query s.h5 --matrices -f csv --columns name 2>err | sed 1d)" "a"
rm -rf s.h5
mkdir s.h5.journal
mkfifo s.h5.journal/01a2017059df3ca46616c54245e40b12.00000.rcj
refused_by=$(timeout 60 "$ROWCAST" fold s.h5 2>&1 >/dev/null)
is "a journal that is one" "$?, $(echo "$refused_by" | grep -o 'found a FIFO')" "3, found a FIFO"
rm -rf s.h5.journal

# ------------------------------------------------------------------------ outputs
for option in --rows --inverse -o; do
    refused "order $option" "$ROWCAST" order col/G/a.mtx -p lpt $option fifo
done
refused "order --columns" "$ROWCAST" order col/G/a.mtx -p rcm --columns fifo
refused "generate" "$ROWCAST" generate uniform:n=60 -o fifo
refused "spy" "$ROWCAST" spy col/G/a.mtx -o fifo
refused "plan --save" "$ROWCAST" plan col/G/a.mtx --device cpu -k 4 --save fifo
code "standard output is none" 0 "$ROWCAST" order col/G/a.mtx -p lpt --rows /dev/stdout
# shellcheck disable=SC2016 # for that shell
ok "and a pipe neither" sh -c '"$0" spy col/G/a.mtx -o /dev/stdout | head -c 4 | grep -q PNG' "$ROWCAST"
code "a device is written to" 0 "$ROWCAST" order col/G/a.mtx -p lpt --rows /dev/null
ok "and stays one" test -c /dev/null
code "a full one is an error" 3 "$ROWCAST" order col/G/a.mtx -p lpt --rows /dev/full
# shellcheck disable=SC2016 # for that shell
ok "a matrix comes out of a pipe without a name" sh -c 'cat col/G/a.mtx | "$0" features /dev/stdin' "$ROWCAST"

# ------------------------------------- a FIFO in the place of the store, while a sweep runs
cp whole.h5 s.h5
timeout 120 "$ROWCAST" sweep -s s.h5 --threads 1 --share-device --timing shared -q -C col -p csr --kernels rowsplit \
    -k 3,4,5,6,7,8,9 --case-time 5 --max-reps 1000000 --target 0 2>err &
sweeper=$!
comes $sweeper written s.h5
mv s.h5 away.h5
mkfifo s.h5
kill -TERM $sweeper
wait $sweeper
is "is seen" "$?, $(grep -o 'found a FIFO' err | sort -u)" "3, found a FIFO"
ok "and the store is saved" sh -c 'cmp -s whole.h5 s.h5.rescued-*[0-9a-f]'
rm -rf s.h5*

# --------------------------------------------------------- whole, or not there
# small COMMAND...: no file may grow beyond a few kilobytes
small()
{
    (
        trap '' XFSZ
        ulimit -f 8
        exec "$@"
    )
}
# left NAME COMMAND...: the command fails in small, leaves no folder `new`, and of the folder `old` what was in it
left()
{
    left_name=$1
    shift
    rm -rf new old
    mkdir old
    for file in col row seg_ptr panel_ptr row_ptr light_val group_ptr; do echo "# rowcast groups of $file" >old/$file.txt; done
    cp -r old spare/old
    left_found=
    for folder in new old; do
        small "$@" $folder >out 2>err && left_found="$left_found success"
        grep -q "File too large" err || left_found="$left_found $(cat err)"
    done
    [ ! -e new ] || left_found="$left_found $(ls new)"
    is "$left_name" "$left_found$(diff -r old spare/old 2>&1)" ""
    rm -rf spare/old
}
left "split --dump" "$ROWCAST" split uniform:n=2000 --dump
left "format --dump" "$ROWCAST" format uniform:n=2000 -x csr --dump
left "order --groups" "$ROWCAST" order uniform:n=9000 -p bandk:srs=2:ssrs=2 --groups
for option in --rows --inverse -o; do
    echo before >out.txt
    not_ok "order $option fails" small "$ROWCAST" order uniform:n=9000 -p lpt $option out.txt
    is "with what was there" "$(cat out.txt) $(echo out.txt*)" "before out.txt"
done

some_of_it()
{
    [ -n "$(find . -name 'big.mtx*' -size +0)" ]
}

# killed COMMAND...: with the output big.mtx, as soon as something is there of it
killed()
{
    "$@" >/dev/null 2>&1 &
    killed_pid=$!
    comes $killed_pid some_of_it
    kill -KILL $killed_pid
    wait $killed_pid
} 2>/dev/null
"$ROWCAST" generate uniform:n=200000 -o source.mtx >/dev/null
for command in "generate uniform:n=200000" "order source.mtx -p lpt"; do
    rm -f big.mtx*
    # shellcheck disable=SC2034,SC2086 # a counter; words
    for i in 1 2 3; do killed "$ROWCAST" $command -o big.mtx; done
    is "${command%% *}: what was killed is not there" "$(ls big.mtx 2>/dev/null)" ""
    ok "but left something" test -n "$(echo big.mtx*)"
    # shellcheck disable=SC2086
    code "and done at last" 0 "$ROWCAST" $command -o big.mtx
    is "nothing is left beside it" "$(echo big.mtx*)" "big.mtx"
done
