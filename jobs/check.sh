#!/bin/bash
# Installs what is missing, builds, runs all tests; the last line is "N passed, N failed".
# Usage: jobs/check.sh [--full | --quick]
#   --quick  the test suite of the ordinary build only
#   --full   also: the suite with serial HDF5, the suite under the address and undefined-behaviour
#            sanitizers, cppcheck, shellcheck, make distcheck (each of the last three counts as one
#            test).  This is the default.
# The suite of the serial build gets the ordinary program as ROWCAST_OTHER, to compare their files.
set -euo pipefail
# shellcheck source=jobs/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

passed=0
failed=0
skipped=0
full=1
for word in "$@"; do
    case $word in
    --full) full=1 ;;
    --quick) full=0 ;;
    -h | --help)
        sed -n '2,8s/^# //p' "${BASH_SOURCE[0]}"
        exit 0
        ;;
    *) die 2 "unknown option '$word'; see --help" ;;
    esac
done

# one NAME CODE: count a stage that is one test
one()
{
    if (($2 == 0)); then
        passed=$((passed + 1))
        say "ok: $1"
    else
        failed=$((failed + 1))
        say "FAILED: $1"
    fi
}

# Show each test program as its first result arrives.
show_programs()
{
    local line last=
    while IFS= read -r line; do
        if [[ $line =~ ^(PASS|FAIL|SKIP|ERROR|XFAIL|XPASS):\ ([^ ]+) ]]; then
            if [[ ${BASH_REMATCH[2]} != "$last" ]]; then
                last=${BASH_REMATCH[2]}
                say "  $last"
            fi
            case ${BASH_REMATCH[1]} in FAIL | ERROR | XPASS) printf '    %s\n' "$line" ;; esac
        fi
    done
}

# count_results DIR: add up the .trs files of a build, show the logs of what failed
count_results()
{
    local p f s trs
    read -r p f s < <(find "$1" -path "$1/serial" -prune -o -path "$1/sanitize" -prune -o \
        -path "$1/rowcast-*" -prune -o -name '*.trs' -exec cat {} + | awk '
        $1 == ":test-result:" { n[$2]++ }
        END { print n["PASS"] + n["XFAIL"], n["FAIL"] + n["ERROR"] + n["XPASS"], n["SKIP"] + 0 }')
    passed=$((passed + p))
    failed=$((failed + f))
    skipped=$((skipped + s))
    say "${1#"$top"/}: $p passed, $f failed, $s skipped"
    ((f == 0)) || while IFS= read -r trs; do
        printf '%s\n' "---- end of ${trs%.trs}.log"
        tail -n 60 "${trs%.trs}.log" | sed 's/^/    /'
    done < <(find "$1" -path "$1/serial" -prune -o -path "$1/sanitize" -prune -o \
        -path "$1/rowcast-*" -prune -o -name '*.trs' -exec \
        grep -lE '^:test-result: (FAIL|ERROR|XPASS)' {} +)
    # a suite that ran nothing is a failure too
    ((p + f > 0)) || one "tests were run" 1
}

# suite DIR CONFIGURE-ARGUMENT...: build, run the tests, count
suite()
{
    local dir=$1
    if ! build_tree "$@"; then
        one "build in ${dir#"$top"/}" 1
        return 0
    fi
    find "$dir/tests" -name '*.trs' -delete 2>/dev/null || true
    say "testing ${dir#"$top"/}"
    local code=0
    make -C "$dir" -k -j "$jobs" check </dev/null 2>&1 | tee "$dir/log/check.log" | show_programs \
        || code=$?
    local before=$failed
    count_results "$dir"
    # make failed, and no test says why: a test program did not build
    if ((code != 0 && failed == before)); then
        tail -n 40 "$dir/log/check.log" | sed 's/^/    /'
        one "make check in ${dir#"$top"/}" 1
    fi
}

# shellcheck disable=SC2317  # called through stage
scripts()
{
    cd "$top" && git ls-files -z -- '*.sh' '*.t' '.ci/run' 2>/dev/null \
        | grep -zv '^src/build/aux/' | xargs -0 -r shellcheck -x
}

# shellcheck disable=SC2317  # called through stage
static_analysis()
{
    # arrayIndexThenCheck: the generated tables end with NULL, their length is not a limit
    cppcheck --quiet --std=c11 --language=c --enable=warning,performance,portability \
        --inline-suppr --error-exitcode=1 --suppress=missingIncludeSystem \
        --suppress=arrayIndexThenCheck -j "$jobs" \
        -I "$top/src" -I "$top" -I "$build/src" -D __linux__=1 \
        "$top/src" "$top/kernels" "$top/analysis"
}

# stage NAME LOG COMMAND...
stage()
{
    local name=$1 log=$2 code=0
    shift 2
    say "$name"
    run_logged "$log" "$@" || code=$?
    one "$name" "$code"
}

# Requests that no machine can meet must fail as they do without the sanitizer.
sanitized()
{
    export UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1
    suite "$build/sanitize" --disable-shared \
        CFLAGS="-g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined"
    unset UBSAN_OPTIONS ASAN_OPTIONS
}

# bash reads a script as it runs: a function is read whole, so an edit meanwhile does no harm
main()
{
    local -a packages
    packages=("${packages_build[@]}" "${packages_check[@]}")
    ((full)) && packages+=("${packages_full[@]}")
    install_packages "${packages[@]}"
    prepare_mpi 5
    suite "$build" --enable-werror
    if ((full)); then
        export ROWCAST_OTHER=$build/rowcast
        suite "$build/serial" --enable-werror --with-hdf5=serial
        unset ROWCAST_OTHER
        sanitized
        stage shellcheck "$build/log/shellcheck.log" scripts
        stage cppcheck "$build/log/cppcheck.log" static_analysis
        stage "make distcheck" "$build/log/distcheck.log" make -C "$build" -j "$jobs" distcheck
    fi
    say "$skipped skipped"
    echo "$passed passed, $failed failed"
    ((failed == 0))
}
main; exit
