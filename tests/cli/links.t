#!/bin/sh
# Links that somebody planted under the names that rowcast makes (the list in src/store/README.md): they are
# refused in a line, or replaced; what they lead to stays as it is, byte for byte.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 68
cd "$tmp" || exit 99
quick="--threads 1 --share-device --timing shared --case-time 0.0005 --max-reps 7 -q -C col -k 2,3 -p csr --kernels rowsplit"
mkdir -p col/G far
"$ROWCAST" generate uniform:n=60 -o col/G/a.mtx >/dev/null
# shellcheck disable=SC2086
"$ROWCAST" sweep -s whole.h5 $quick >/dev/null 2>&1 || exit 99
echo 'what is dear to its owner' >precious
cp precious kept
attacks=0

# safe NAME LINK COMMAND...: with the link planted, the command is refused in a line or does its work;
# the file that the link leads to is as it was, and nothing is made where it leads to nothing
safe()
{
    safe_name=$1
    safe_link=$2
    shift 2
    for safe_target in "$tmp/precious" "$tmp/far/nothing"; do
        rm -rf "$safe_link"
        ln -s "$safe_target" "$safe_link"
        "$@" >out 2>err
        safe_code=$?
        attacks=$((attacks + 1))
        if [ "$safe_code" -ne 0 ]; then
            [ "$(grep -c . err)" -le 2 ] && grep -q "link" err || echo "refused without a word: $(cat err)"
        fi
        cmp -s precious kept || echo "the target was changed"
        cp kept precious
        [ -z "$(ls far)" ] || echo "a file was made where the link led to"
        rm -rf far/* "$safe_link"
    done >said 2>&1
    is "$safe_name" "$(cat said)" ""
}

sweep()
{
    # shellcheck disable=SC2086
    "$ROWCAST" sweep -s s.h5 $quick
}
journal() # a store without a commit: a journal that a run left
{
    rm -rf s.h5 s.h5.journal
    mkdir s.h5.journal
}
rm -f s.h5
safe "STORE.commit-tmp" s.h5.commit-tmp sweep
rm -rf s.h5*
safe "STORE.journal" s.h5.journal sweep
for lock in sweep commit; do
    journal
    safe "STORE.journal/$lock.lock" "s.h5.journal/$lock.lock" sweep
done
journal
safe "STORE.journal/RUN.RANK.rcj" s.h5.journal/01a2017059df3ca46616c54245e40b12.00000.rcj "$ROWCAST" fold s.h5
rm -rf s.h5*
safe "STORE.merge-tmp" m.h5.merge-tmp "$ROWCAST" merge m.h5 whole.h5
cp whole.h5 w.h5
ln w.h5 w2.h5 # written in place
safe "STORE.whole" w.h5.whole "$ROWCAST" merge w.h5 whole.h5
safe "COPY.archive-tmp" a.h5.archive-tmp "$ROWCAST" archive whole.h5 a.h5

mkdir -p dump groups
host=$(uname -n)
safe "DUMP/ARRAY.txt" dump/col.txt "$ROWCAST" format col/G/a.mtx -x coo --dump dump
safe "the same, until it is renamed" "dump/col.txt.part-$host-0" "$ROWCAST" split col/G/a.mtx --dump dump
safe "GROUPS/LEVEL.txt" groups/block_ptr.txt "$ROWCAST" order col/G/a.mtx -p blk --groups groups

# outputs that the user names: a link of another user under the name is refused, whoever runs the program
foreign() # foreign NAME OPTION COMMAND...: it writes into ./named
{
    foreign_name=$1
    shift
    if [ "$(id -u)" -eq 0 ]; then
        rm -rf named*
        ln -s "$tmp/precious" named
        chown -h 12345 named
        attacks=$((attacks + 1))
        "$@" named >out 2>err
        is "$foreign_name" "$?, $(grep -c 'link of another user' err), $(cmp precious kept)" "3, 1, "
    else
        skip "$foreign_name" "only root makes links of others"
    fi
    cp kept precious
    safe "$foreign_name, until it is renamed" "named.part-$host-0" "$@" named
    rm -rf named*
}
for option in --rows --inverse -o; do foreign "order $option" "$ROWCAST" order col/G/a.mtx -p lpt $option; done
foreign "order --columns" "$ROWCAST" order col/G/a.mtx -p rcm --columns
foreign "spy -o" "$ROWCAST" spy col/G/a.mtx -o
foreign "generate -o" "$ROWCAST" generate uniform:n=9 -o
foreign "plan --save" "$ROWCAST" plan col/G/a.mtx --device cpu -k 4 --save
ln -s kept2 named
cp kept kept2
"$ROWCAST" order col/G/a.mtx -p lpt --rows named >/dev/null 2>err
is "one's own link to a file is followed" "$(readlink named), $(grep -c '^# order: lpt' kept2), $(cat err)" "kept2, 1, "
rm -f named kept2

# names that hold the number of the process: a shell plants the link and becomes the program
become() # become PATTERN ARGUMENT...: %P is the number
{
    become_link=$1
    shift
    # shellcheck disable=SC2016
    sh -c 'link=$(printf %s "$1" | sed "s/%P/$$/g"); target=$2; rm -f "$link"; ln -s "$target" "$link"; shift 2; exec "$@"' \
        sh "$become_link" "$(readlink "$tmp/at")" "$ROWCAST" "$@"
}
mkdir -p exported pages
safe "a table of export" exported/results.csv "$ROWCAST" export --force whole.h5 --csv exported
safe "the index of export" exported/tables.csv "$ROWCAST" export --force whole.h5 --csv exported
export ROWCAST_ASSETS="$top_srcdir/analysis"
safe "the page of a report" pages/index.html "$ROWCAST" report -q whole.h5 -o pages
safe "REPORT/figures" pages/figures "$ROWCAST" report -q whole.h5 -o pages
if command -v "${GNUPLOT:-gnuplot}" >/dev/null; then
    for kind in gp svg pdf; do
        safe "REPORT/FIGURE.$kind.tmpPROCESS" "$tmp/at" become "pages/figures/throughput.$kind.tmp%P" report -q whole.h5 -o pages
    done
    for kind in svg pdf; do
        safe "REPORT/FIGURE.$kind" "pages/figures/throughput.$kind" "$ROWCAST" report -q whole.h5 -o pages
    done
else
    for kind in gp svg pdf "svg itself" "pdf itself"; do skip "a figure: $kind" "no gnuplot"; done
fi
other=$(cd pages/figures && echo */)
safe "REPORT/figures/PRODUCT" "pages/figures/${other%/}" "$ROWCAST" report -q whole.h5 -o pages

# the cache: a name that the run before shows
cached()
{
    rm -rf s.h5*
    # shellcheck disable=SC2086
    "$ROWCAST" sweep -s s.h5 $quick --cache cache
}
cached >/dev/null 2>&1
file=$(find cache -name '*.csr')
safe "CACHE/GROUP/FILE" "$file" cached
safe "CACHE/GROUP" cache/G cached
mkdir -p cache/G
safe "CACHE/GROUP/FILE.part-HOST-N" "$file.part-$host-0" cached
rm -rf s.h5*

# locks of the node, in a /dev/shm and a /tmp of its own: sweeps elsewhere have theirs
lock() # lock NAME: the link is at $tmp/at
{
    rm -rf s.h5*
    # shellcheck disable=SC2016,SC2086
    unshare -m sh -c 'mount -t tmpfs none /dev/shm && ln -s "$1" "/dev/shm/rowcast-$(id -u).$2" && shift 2 && exec "$@"' \
        sh "$(readlink at)" "$1" "$ROWCAST" sweep -s s.h5 $quick
}
if unshare -m sh -c 'mount -t tmpfs none /dev/shm' 2>/dev/null; then
    for name in room gate; do
        safe "/dev/shm/rowcast-USER.$name" at lock "$name"
        is "and the sweep did its work" "$safe_code" 0
    done
else
    for name in room gate; do
        skip "/dev/shm/rowcast-USER.$name" "no mount of one's own"
        skip "and the sweep did its work" "the same"
    done
fi

# what is rescued: the name of the run stands in its journal, for all to read
sleepy="--threads 1 --share-device --timing shared --case-time 5 --max-reps 1000000 --target 0 -q -C $tmp/col -k 2,3,5,7 -p csr,lpt,dcsr --kernels rowsplit"
rescue() # rescue ENDING: a link to $tmp/at under STORE.rescued-RUN and the ending, then the store is gone; 0: saved elsewhere
{
    rm -rf hold spare
    mkdir hold spare
    cp whole.h5 hold/s.h5
    # shellcheck disable=SC2086
    (cd hold && TMPDIR=$tmp/spare exec "$ROWCAST" sweep -s s.h5 $sleepy) 2>hold.err &
    rescue_pid=$!
    comes "$rescue_pid" written hold/s.h5
    rescue_run=$(find hold/s.h5.journal -name '*.rcj')
    rescue_run=${rescue_run##*/}
    rescue_run=${rescue_run%%.*}
    ln -s "$(readlink at)" "hold/s.h5.rescued-$rescue_run$1"
    rm -f hold/s.h5
    kill -TERM "$rescue_pid"
    wait "$rescue_pid"
    rescue_code=$?
    if [ "$rescue_code" -ne 3 ] || ! grep -q "is saved: .*$tmp/spare/s.h5.rescued-$rescue_run" hold.err ||
        ! cmp -s whole.h5 "spare/s.h5.rescued-$rescue_run"; then
        cat hold.err >&2
        return 1
    fi
}
for ending in "" .journal; do
    safe "STORE.rescued-RUN$ending, and the rescue is elsewhere" at rescue "$ending"
done

fetch()
{
    rm -f got/A/*.gz
    "$ROWCAST" fetch -q --mirror site -i site/files/ssstats.csv -w 'name == one' --to got
}
python=/usr/bin/python3
[ -x "$python" ] || python=$(command -v python3)
if [ -x "$python" ] && "$python" "$top_srcdir/tests/cli/make_collection.py" site && mkdir -p got/A && fetch >/dev/null 2>&1; then
    for part in part part.from "part.from.part-$host-0"; do
        safe "COLLECTION/GROUP/.FILE.$part" "got/A/.one.tar.gz.$part" fetch
    done
    safe "COLLECTION/manifest.jsonl" got/manifest.jsonl fetch
else
    for part in part part.from part.from.part-HOST-N manifest; do skip "a download: $part" "no python3, or no libcurl"; done
fi

# ------------------------------------------------------- a second name is no better than a link
hard() # hard NAME LINK COMMAND...
{
    hard_link=$2
    hard_name=$1
    shift 2
    ln -f precious "$hard_link"
    attacks=$((attacks + 1))
    "$@" >out 2>err
    hard_code=$?
    is "$hard_name" "$hard_code, $(grep -c 'second name' err), $(cmp precious kept)" "3, 1, "
    cp kept precious
    rm -f "$hard_link"
}
journal
hard "a hard link to a lock is refused" s.h5.journal/sweep.lock sweep
rm -rf s.h5*

# --------------------------------------------------------------- a store that is a link is followed
mkdir real
cp whole.h5 real/x.h5
ln -s real/x.h5 x.h5
# shellcheck disable=SC2086
code "a store that the user names by a link is swept" 0 "$ROWCAST" sweep -s x.h5 $quick --redo 'status == ok'
ok "the link is still one" test -L x.h5
ok "and nothing is left beside it" test "$(echo x.h5*) $(echo real/*)" = "x.h5 real/x.h5"

# ------------------------------------------------------------ one list, and one function that opens
in_list() # in_list PATTERN: as src/store/README.md has it
{
    grep -qF "| \`$1" "$top_srcdir/src/store/README.md"
}
for name in /dev/shm/rowcast-USER.DEVICE.room /dev/shm/rowcast-USER.DEVICE.gate STORE.rescued-RUN \
    REPORT/FIGURE.gp.tmpPROCESS REPORT/FIGURE.svg.tmpPROCESS STORE.commit-tmp STORE.merge-tmp COPY.archive-tmp STORE.journal/ STORE.journal/sweep.lock \
    STORE.journal/commit.lock OUTPUT.part-HOST-N COLLECTION/manifest.jsonl; do
    ok "$name is in the list" in_list "$name"
done
makes()
{
    find "$top_srcdir/src" "$top_srcdir/kernels" "$top_srcdir/analysis" -name '*.[ch]' ! -path '*/base/open.c' \
        -exec grep -nE 'O_CREAT|H5F_ACC_TRUNC|fopen\([^)]*, "[wa]' {} + \
        | grep -v 'openat(folder, .*O_EXCL | O_NOFOLLOW' | sed "s|^$top_srcdir/||"
}
is "nothing else makes a file" "$(makes)" ""
# and nothing that could wait for ever opens one that is named: what is left reads what the system made
reads()
{
    find "$top_srcdir/src" "$top_srcdir/kernels" "$top_srcdir/analysis" -name '*.[ch]' ! -path '*/base/open.c' \
        -exec grep -nE '[^_]fopen\(|[^_]open\([^)]*O_RDONLY' {} + | grep -vE 'O_NONBLOCK|O_DIRECTORY|"/proc|"re"|addopen' | sed "s|^$top_srcdir/||"
}
is "and each is opened by one function" "$(reads | sed 's/:.*//' | sort | uniq -c | awk '{ print $2 }' | tr '\n' ' ')" \
    "src/base/alloc.c src/device/cpu/crowd.c src/device/cpu/device_cpu.c src/store/guard.c "
echo "# counted: $attacks planted links refused or replaced"
