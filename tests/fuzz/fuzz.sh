#!/bin/sh
# Usage: fuzz.sh MAKE CLANG SOURCE TARGET...     (make fuzz)
# Builds the fuzz targets and runs each for ROWCAST_FUZZ_SECONDS [600].  What is found is kept in
# fuzz/<target>/ in the build folder, with the command that shows it again; exit code 1 when there is
# something.  New inputs are kept in fuzz/<target>/corpus and used the next time.
# Exit code 77 when there is no clang with libFuzzer.
make=$1
clang=$2
source=$3
shift 3
seconds=${ROWCAST_FUZZ_SECONDS:-600}

mkdir -p fuzz || exit 99
printf 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n) { return n && *p == 1; }\n' >fuzz/try.c
if ! "$clang" -fsanitize=fuzzer,address,undefined -o fuzz/try fuzz/try.c >fuzz/try.log 2>&1; then
    echo "fuzz: skipped: $clang cannot link libFuzzer (Debian: clang)"
    exit 77
fi
"$make" fuzz-build || exit 99

# A leak is shown where it can be: the leak sanitizer needs ptrace().
if ! printf x >fuzz/try.in || ! ASAN_OPTIONS=detect_leaks=1 fuzz/try fuzz/try.in >/dev/null 2>&1; then
    export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
    echo "fuzz: leaks are not looked for, the leak sanitizer does not run here"
fi
# requests that no machine can meet fail, as they do without the sanitizer; large blocks of text are given back soon
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}allocator_may_return_null=1:quarantine_size_mb=16"
export UBSAN_OPTIONS="print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"

# fuzz TARGET: what it says is in fuzz/TARGET/said; fuzz/TARGET/found is there when something was found
fuzz()
{
    target=$1
    kept=fuzz/$target
    mkdir -p "$kept/corpus"
    rm -f "$kept/found"
    program=tests/fuzz/clang/fuzz_$target
    "$program" -max_total_time="$seconds" -max_len=8192 -timeout=20 -rss_limit_mb=3000 -malloc_limit_mb=100000 \
        -print_final_stats=1 -verbosity=1 -artifact_prefix="$kept/" \
        "$kept/corpus" "$source/tests/fuzz/corpus/$target" >"$kept/log" 2>&1
    code=$?
    awk -v target="$target" '
        /^stat::number_of_executed_units/ { n = $2 }
        /^stat::average_exec_per_sec/ { rate = $2 }
        / cov: / { for (i = 1; i < NF; i++) if ($i == "cov:") cov = $(i + 1) }
        END { printf "fuzz: %s: %d inputs, %d a second, %d edges\n", target, n, rate, cov }' "$kept/log"
    [ "$code" -ne 0 ] || return 0
    : >"$kept/found"
    tail -n 60 "$kept/log" | sed 's/^/    /'
    for input in "$kept"/crash-* "$kept"/leak-* "$kept"/timeout-* "$kept"/oom-*; do
        [ ! -e "$input" ] || echo "fuzz: $target: found; to see it again: (cd $(pwd) && $program $input)"
    done
}

# show TARGET...: wait for them, and what they say
code=0
show()
{
    wait
    for target in "$@"; do
        cat "fuzz/$target/said"
        [ ! -e "fuzz/$target/found" ] || code=1
    done
}

# Each takes one processor: as many at once as there are.
at_once=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
begun=0
together=
for target in "$@"; do
    mkdir -p "fuzz/$target" || exit 99
    : >"fuzz/$target/found" # until it has run
    fuzz "$target" >"fuzz/$target/said" 2>&1 &
    together="$together $target"
    begun=$((begun + 1))
    [ $((begun % at_once)) -ne 0 ] || {
        # shellcheck disable=SC2086  # a list
        show $together
        together=
    }
done
# shellcheck disable=SC2086
show $together
exit "$code"
