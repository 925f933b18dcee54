#!/bin/sh
# The examples of README.md and of the rooms' READMEs, run as they stand there.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
# shellcheck source=tests/env.sh.in
. "${top_builddir:?}/tests/env.sh"
# shellcheck source=tests/cli/model.sh
. "$top_srcdir/tests/cli/model.sh"

PATH=$(dirname "$ROWCAST"):$PATH
export PATH
cd "$tmp" || exit 1
plan 52

# blocks MARK FILE...: the fenced blocks behind "<!-- MARK -->" go to block-1.LANGUAGE, block-2.LANGUAGE, ...
blocks()
{
    mark="<!-- $1 -->"
    shift
    (cd "$top_srcdir" && cat "$@") | awk -v mark="$mark" '
        $0 == mark { armed = 1; next }
        armed && /^```/ { n++; file = "block-" n "." substr($0, 4); armed = 0; open = 1; next }
        open && /^```/ { open = 0; close(file); next }
        open { print > file }
    '
}

# least NAME: the version of it that configure asks for
least()
{
    sed -n "s/.*$1 >= \([0-9.]*\)[],\"].*/\1/p" "$top_srcdir/configure.ac" "$top_srcdir"/src/build/m4/rc_*.m4 | sort -u
}

for pair in libarchive:libarchive jansson:jansson xxHash:libxxhash cmocka:cmocka libcurl:libcurl HDF5:.rc_name; do
    grep -qF "${pair%:*} $(least "${pair#*:}")" "$top_srcdir/README.md" || echo "${pair%:*}: $(least "${pair#*:}")"
done >lacks
is "README.md has the versions that configure asks for" "$(cat lacks)" ""
is "README.md is short" "$(($(wc -l <"$top_srcdir/README.md") <= 150))" 1
rowcast sweep --store quick.h5 --where 'rows <= 2000' --limit 2 --k 8 --case-time 0.0005 \
    --share-device --timing shared >log 2>&1
is "a small store is made" "$?" 0
blocks run src/table/README.md
is "there are three examples of the store" "$(find . -name 'block-*' | wc -l)" 3

sh -eu block-1.sh >out 2>err
is "h5ls, h5dump and query" "$?:$(grep -vc '; load \| missed \|: load ' err)" 0:0
is "h5ls names the results" "$(grep -c '^/results ' out)" 1
is "query prints rows" "$(grep -c 'cstat:strip=4' out | awk '{ print ($1 > 0) }')" 1

for n in 2 3; do
    if ! /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
        skip "python example $n runs" "no h5py"
        skip "python example $n prints results" "no h5py"
    elif grep -q 'import pandas' block-$n.python && ! /usr/bin/python3 -c 'import pandas' 2>/dev/null; then
        skip "python example $n runs" "no pandas"
        skip "python example $n prints results" "no pandas"
    else
        /usr/bin/python3 -W ignore block-$n.python >out 2>err
        is "python example $n runs" "$?" 0
        sed 's/^/# /' err
        is "python example $n prints results" "$(grep -c csr out | awk '{ print ($1 > 0) }')" 1
    fi
done

# what the example reads is what the program says, and its times are those of the file
if /usr/bin/python3 -c 'import h5py, pandas' 2>/dev/null; then
    rowcast query quick.h5 -w 'status == ok' --columns case,fullname,policy,kernel,k,device,median_ns,speedup -f csv >rows.csv
    cat >>block-3.python <<'PY'

import h5py
ours = pd.read_csv("rows.csv")
theirs = r[r.status == "ok"][list(ours.columns)].reset_index(drop=True)
assert len(ours) > 20 and (theirs == ours).all().all()
with h5py.File("quick.h5") as f:
    assert sorted(r.median_ns) == sorted(f["results"]["median_ns"])
print("rows that are the same:", len(ours))
PY
    /usr/bin/python3 -W ignore block-3.python >out 2>err
    is "the example with pandas has the rows of rowcast query" "$(grep -c '^rows that are the same' out)" 1
    sed 's/^/# /' err
else
    skip "the example with pandas has the rows of rowcast query" "no h5py or no pandas"
fi

# the first five minutes, line by line
ROWCAST_ASSETS=$top_srcdir/analysis
export ROWCAST_ASSETS
rm -f block-*
blocks answer src/examples/answer.md
is "eight steps lead to an answer" "$(find . -name 'block-*' | wc -l)" 8
cat block-1.sh block-2.sh block-3.sh block-4.sh block-5.sh block-6.sh block-7.sh >lines
while read -r line; do
    ok "$line" sh -eu -c "$line" </dev/null
done <lines
if [ -e "$top_builddir/.libs/librowcast.so.1" ] && /usr/bin/python3 -c 'import h5py, pandas' 2>/dev/null; then
    PYTHONPATH=$top_srcdir/src/python ROWCAST_LIBRARY_DIR=$top_builddir/.libs PYTHONDONTWRITEBYTECODE=1 \
        LD_LIBRARY_PATH=$top_builddir/.libs:$LD_LIBRARY_PATH /usr/bin/python3 -W ignore block-8.python >out 2>err
    is "Python prints the orders" "$?$(grep -c auto out | awk '{ print ($1 > 0) }')" 01
    sed 's/^/# /' err
else
    skip "Python prints the orders" "no shared library, h5py or pandas"
fi

rm -f block-*
blocks compile src/README.md README.md
is "there are two examples of the library" "$(find . -name 'block-*' | wc -l)" 2
install_to "$tmp/root" >log 2>&1
is "make install" "$?" 0
prefix=$(find "$tmp/root" -name rowcast.pc | sed 's|/lib.*/pkgconfig/rowcast.pc$||')
library=$(find "$prefix" -name librowcast.so)
if [ -n "$library" ]; then
    folder=$(dirname "$library")
    flags=$(PKG_CONFIG_PATH=$folder/pkgconfig:$PKG_CONFIG_PATH \
        pkg-config --cflags --libs --define-variable=prefix="$prefix" rowcast_io)
    for n in 1 2; do
        # shellcheck disable=SC2086  # flags are words
        $CC $CFLAGS -Wall -Werror "block-$n.c" -o "example-$n" $flags >log 2>&1
        is "example $n compiles against the installed library" "$?" 0
        sed 's/^/# /' log
    done
    rowcast generate mesh2d:nx=30,ny=30 -o m.mtx >log 2>&1
    # as a user would: nothing says where the library is but what pkg-config gave
    env -u LD_LIBRARY_PATH ./example-1 m.mtx >out 2>&1
    is "example 1 runs" "$?:$(grep -c '^[0-9]* slots, first row [0-9]*, density 0.00' out)" 0:1
    sed 's/^/# /' out
    write_model log_ns >model.json
    env -u LD_LIBRARY_PATH ./example-2 m.mtx model.json 32 >out 2>&1
    is "example 2 runs" "$?:$(grep -c '^[> ] [a-z]*: [0-9]* ns a product, [0-9]* ns to set up$' out)" 0:3
    # longest row 5: csr 992 ns, lpt 1222 ns, dcsr 1808 ns
    is "and takes the order that the model says" "$(sed -n 's/^> //p' out)" \
        "csr: 992 ns a product, 100 ns to set up"
    is "with its schedule" "$(sed -n '$p' out)" "pays after 0 products; 900 slots, the first takes row 0"
    sed 's/^/# /' out
    is "no model, no choice" "$(LD_LIBRARY_PATH=$folder ./example-2 m.mtx none.json 32 2>&1)" \
        "none.json: cannot open: No such file or directory"
    others='(^|[[:space:]/])lib(mpi|open-rte|open-pal|hdf5|openblas|blas|cblas|lapack|xgboost|svm|cuda|cudart|cusparse)[-_.0-9a-z]*\.so'
    for what in "$library" example-2; do
        LD_LIBRARY_PATH=$folder ldd "$what" >needed 2>&1
        is "$(basename "$what") needs no MPI, HDF5, BLAS, XGBoost, LIBSVM or CUDA" \
            "$(grep -cE "$others" needed)" 0
        is "and all that $(basename "$what") needs is there" "$(grep -c 'not found' needed)" 0
        sed 's/^/# /' needed
    done
    # the program itself needs HDF5, so this would be seen
    is "what the program needs besides is told apart" \
        "$(LD_LIBRARY_PATH=$folder ldd "$prefix/bin/rowcast" | grep -cE "$others" | awk '{ print ($1 > 0) }')" 1
else
    for what in "example 1 compiles" "example 2 compiles" "example 1 runs" "example 2 runs" \
        "it takes the order that the model says" "with its schedule" "no model, no choice" \
        "the library needs no MPI" "it needs nothing else" "nor does a solver" "nothing at all" \
        "that is told apart"; do
        skip "$what" "no shared library in this build"
    done
fi
for f in bin/rowcast include/rowcast.h share/man/man1/rowcast.1 share/man/man1/rowcast-sweep.1 \
    share/bash-completion/completions/rowcast share/zsh/site-functions/_rowcast \
    share/fish/vendor_completions.d/rowcast.fish; do
    is "installed: $f" "$(find "$prefix/$f" -type f | wc -l)" 1
done
