#!/bin/sh
# rowcast sweep --cache: matrices in binary form, shared by the ranks of a sweep and by sweeps.
# shellcheck source=tests/mpi/mpi.sh
. "${top_srcdir:?}/tests/mpi/mpi.sh"
plan 25

matrix a uniform:n=300,mean=5
matrix b banded:n=400
matrix c rmat:scale=8
matrix d mesh2d:nx=20,ny=20
gzip -c "$tmp/col/G/d.mtx" >"$tmp/col/G/d.mtx.gz"
rm "$tmp/col/G/d.mtx"
cache=$tmp/cache

# with_cache RANKS STORE ARGUMENT...: a sweep that tells what it took
with_cache()
{
    cache_ranks=$1
    cache_store=$2
    shift 2
    # shellcheck disable=SC2046,SC2086  # lists of options
    launch "$cache_ranks" sweep -C "$tmp/col" -s "$cache_store" --cache "$cache" ${quick%-q} "$@"
}

# said: matrices taken and written, of all ranks
said()
{
    sed -n 's/.* cache .*: \([0-9]*\) matrices taken, \([0-9]*\) written.*/\1 \2/p' "$tmp/err" \
        | awk '{ taken += $1; written += $2 } END { print taken + 0, written + 0 }'
}

# files: the cache, without the digests of the names
files()
{
    (cd "$cache" && find . -type f | sed 's/-[0-9a-f]*\.csr$/-DIGEST.csr/' | sort)
}

# matrices STORE: names and digests
matrices()
{
    alone query "$1" --matrices -f csv --columns name,rows,cols,nnz,digest | sort
}

sweep 2 "$tmp/plain.h5" --orders csr >/dev/null 2>&1
code "a sweep with an empty cache" 0 with_cache 2 "$tmp/x.h5" --orders csr
is "writes each matrix" "$(said)" "0 4"
is "under its name" "$(files)" "./G/a-DIGEST.csr
./G/b-DIGEST.csr
./G/c-DIGEST.csr
./G/d-DIGEST.csr"
code "more cases" 0 with_cache 3 "$tmp/x.h5" --orders csr,lpt
is "take them from there" "$(said)" "4 0"
is "and measure each" "$(rows "$tmp/x.h5")" "$(($(rows "$tmp/plain.h5") * 2))"
is "they are the matrices of the files" "$(matrices "$tmp/x.h5")" "$(matrices "$tmp/plain.h5")"
code "another store" 0 with_cache 1 "$tmp/y.h5" --orders csr
is "shares the cache" "$(said)" "4 0"
is "and has the same matrices" "$(matrices "$tmp/y.h5")" "$(matrices "$tmp/plain.h5")"

# two sweeps at once, into an empty cache
rm -rf "$cache"
start 2 sweep -C "$tmp/col" -s "$tmp/z.h5" --cache "$cache" --orders csr --threads 1 --share-device \
    --timing shared --case-time 0.0005 --max-reps 7
code "two sweeps at once" 0 with_cache 2 "$tmp/w.h5" --orders csr
finish
is "do not disturb each other" "$job_code" 0
is "and leave no pieces" "$(find "$cache" -name '.*' -type f | wc -l)" 0
is "nor other matrices" "$(matrices "$tmp/w.h5") $(matrices "$tmp/z.h5")" \
    "$(matrices "$tmp/plain.h5") $(matrices "$tmp/plain.h5")"

# a damaged file, one that is cut, and a matrix that has changed
for file in "$cache"/G/a-*.csr; do
    printf '\377\377\377\377' | dd of="$file" bs=1 seek=6000 conv=notrunc 2>/dev/null
done
for file in "$cache"/G/b-*.csr; do
    head -c 4000 "$file" >"$tmp/cut"
    cp "$tmp/cut" "$file"
done
matrix c rmat:scale=8,seed=9
code "what is damaged or stale" 0 with_cache 2 "$tmp/v.h5" --orders csr
is "is read from its text and written anew" "$(said)" "1 3"
ok "and named" grep -q 'G/a-.*damaged: read from its text instead' "$tmp/err"
sweep 1 "$tmp/u.h5" --orders csr >/dev/null 2>&1
is "and is what the text says" "$(matrices "$tmp/v.h5")" "$(matrices "$tmp/u.h5")"

# a cache that cannot be written
rm -rf "$cache"
mkdir "$cache"
: >"$cache/G"
code "a cache that cannot be written" 0 with_cache 1 "$tmp/t.h5" --orders csr
is "is one warning" "$(grep -c ' warn cache: .*not written from here on' "$tmp/err")" 1
is "the sweep goes on" "$(matrices "$tmp/t.h5")" "$(matrices "$tmp/u.h5")"
code "a file is no cache" 2 alone sweep -C "$tmp/col" -s "$tmp/s.h5" --cache "$cache/G"
code "nor is a mode of the processor's caches" 2 alone sweep -C "$tmp/col" -s "$tmp/s.h5" --cache cold
ok "which has an option of its own" grep -q -- '--cache-mode cold' "$tmp/err"
code "that works" 0 sweep 1 "$tmp/s.h5" --orders csr --cache-mode cold --limit 1
