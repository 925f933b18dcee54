#!/bin/sh
# A store and a journal of schema 1.0 on 1, 2, 3 and 5 ranks: each fold converts the store into the same
# file, and each sweep extends it.  With ROWCAST_OTHER, a program built with the other HDF5, its file is
# the same too.
# shellcheck source=tests/mpi/mpi.sh
. "${top_srcdir:?}/tests/mpi/mpi.sh"
plan 27

dir=$top_srcdir/tests/store
first=$tmp/first.h5
cp "$dir/v1.h5" "$first"
mkdir "$first.journal"
cp "$dir"/*.rcj "$first.journal/"

# fold NAME COMMAND...: fold a copy, its file is $tmp/NAME.h5
fold()
{
    copy=$tmp/$1.h5
    shift
    cp "$first" "$copy"
    cp -r "$first.journal" "$copy.journal"
    "$@" fold "$copy" -q
}

ok "a fold without a launcher" fold n0 alone
for ranks in 1 2 3 5; do
    code "a fold on $ranks ranks" 0 fold "n$ranks" launch "$ranks"
    ok "is the same file on $ranks" cmp "$tmp/n0.h5" "$tmp/n$ranks.h5"
done
if [ -n "${ROWCAST_OTHER:-}" ]; then
    launched=$ROWCAST_OTHER
    for ranks in 2 3; do
        code "a fold with the other HDF5 on $ranks ranks" 0 fold "other$ranks" launch "$ranks"
        ok "is the same file with the other HDF5 on $ranks" cmp "$tmp/n0.h5" "$tmp/other$ranks.h5"
    done
    unset launched
else
    for name in 1 2 3 4; do
        skip "other HDF5 ($name)" "no ROWCAST_OTHER"
    done
fi
is "the rows of before and those of the journal" "$(rows "$tmp/n0.h5" -a)" 75

matrix a uniform:n=100
matrix b uniform:n=150
for ranks in 2 3; do
    store=$tmp/s$ranks.h5
    cp "$dir/v1.h5" "$store"
    code "a sweep on $ranks ranks into a store of schema 1.0" 0 sweep "$ranks" "$store" -k 3 -p csr,lpt --kernels null
    is "adds its rows on $ranks" "$(rows "$store" -a)" 76
    ok "to a sound store on $ranks" alone verify --deep "$store"
done

# ------------------------------------------------- ranks have fewer CPUs than one alone
one() # one RANKS THREADS: a dry run of what one rank measured with two threads
{
    launch "$1" sweep -C "$tmp/col" -s "$tmp/threads.h5" --share-device --timing shared --case-time 0.0005 \
        --max-reps 7 -k 3 -p csr,lpt --kernels null --threads "$2" --dry-run 2>&1
}
# shellcheck disable=SC2086 # a list of options
alone sweep -C "$tmp/col" -s "$tmp/threads.h5" $quick --threads 2 -k 3 -p csr,lpt --kernels null >/dev/null 2>&1
is "two ranks with a thread each would measure all anew, and one says so" \
    "$(one 2 1 | grep -c 'all 4 cases are new: .*--threads 2 matches it, with as many CPUs for each rank$')" 1
is "with as many threads as before they would not" \
    "$(one 2 2 | grep -c -e '0 cases pending, 4 done' -e 'cases are new')" 1
# ranks that OpenMP was told to bind divide the CPUs, and have the class that they have without it
if [ $(($(nproc) % 2)) -eq 0 ]; then # both parts are as large
    classes() # classes WORD: of two ranks, who measured on which CPUs; $tmp/err has what was said
    {
        rm -f "$tmp/bound.h5"
        OMPI_MCA_hwloc_base_binding_policy=none launched=env launch 2 "$1" "$ROWCAST" sweep -C "$tmp/col" -s "$tmp/bound.h5" --timing shared \
            --case-time 0.0005 --max-reps 7 -k 3 -p csr --kernels null >/dev/null 2>"$tmp/err"
        alone query "$tmp/bound.h5" -f csv --columns device,nw | tail -n +2 | sort -u
    }
    own=$(classes OMP_WAIT_POLICY=passive)
    ok "two ranks divide the CPUs" test -n "$own"
    for word in OMP_PLACES=threads OMP_PROC_BIND=close; do
        is "$word changes no class" "$(classes $word)" "$own"
        is "which is said, once for the node" "$(grep -c "$word: not used.* rank 0 on .* has " "$tmp/err")" 1
    done
else
    for n in 1 2 3 4 5; do skip "bound by OpenMP $n" "an odd number of CPUs"; done
fi
