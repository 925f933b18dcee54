#!/bin/bash
# Installs what is missing, builds, runs all tests; the last line is "N passed, N failed".
# Usage: jobs/check.sh [--full | --quick | --stacks]
#   --quick  the test suite of the ordinary build only
#   --full   also: the job scripts under a private Slurm, the tests of stores with serial HDF5, the suite under the
#            address and undefined-behaviour sanitizers, a short run of the fuzz targets,
#            mutations, cppcheck, shellcheck, make distcheck, Debian packages and a Python wheel made and
#            tried (each of the last seven counts as one test).  This is the default.  CUDA is in the ordinary build only, where there is a compiler.
#   --stacks only: the suite with MPICH and its HDF5, with clang, and with -O3 -march=native, each in a build of its
#            own (an hour on 2 cores); MPICH is installed for it
# The suite of the serial build gets the ordinary program as ROWCAST_OTHER, to compare their files.
# What takes too long is killed and counts as one failure (0: no limit):
#   ROWCAST_STAGE_LIMIT  seconds for one suite or other stage  [2400]
#   ROWCAST_TEST_LIMIT   seconds for one test program          [600]
set -euo pipefail
# shellcheck source=jobs/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

stage_limit=${ROWCAST_STAGE_LIMIT:-2400}
# shellcheck disable=SC2034  # for run_logged
bound=(sh "$top/tests/bound.sh" --stage "$stage_limit")
passed=0
failed=0
skipped=0
said=() # what failed, and its first words: the end of a long output is what people see
full=1
stacks=0
for word in "$@"; do
    case $word in
    --full) full=1 ;;
    --quick) full=0 ;;
    --stacks) full=0 stacks=1 ;;
    -h | --help)
        sed -n '2,/^set/s/^# //p' "${BASH_SOURCE[0]}"
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
        said+=("$1")
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

# slowest DIR: what its test programs took, and which of them most, see tests/bound.sh
slowest()
{
    find "$1/tests" -name '*.log' -exec grep -H '^# took ' {} + | sed "s|^$1/||; s|[.]log:# took | |" | sort -k 2,2nr \
        | awk '{ wall += $2; cpu += $4; if (NR <= 12) line[NR] = sprintf("    %4d s, %6.1f s of the CPU: %s", $2, $4, $1) }
            END { if (NR) printf "    all: %d s, %d s of the CPU; the slowest:\n", wall, cpu
                for (i = 1; i <= NR && i <= 12; i++) print line[i] }'
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
    slowest "$1" || true
    ((f == 0)) || while IFS= read -r trs; do
        printf '%s\n' "---- end of ${trs%.trs}.log"
        grep -vE '^(ok|PASS:) ' "${trs%.trs}.log" | tail -n 100 | sed 's/^/    /'
        said+=("${trs%.trs}:" "$(awk '/^ok /{n = 0} /^not ok /{n = 8} /^ERROR:/{n = 1} n-- > 0{print "    " $0}' "${trs%.trs}.log" | head -n 24)")
    done < <(find "$1" -path "$1/serial" -prune -o -path "$1/sanitize" -prune -o \
        -path "$1/rowcast-*" -prune -o -name '*.trs' -exec \
        grep -lE '^:test-result: (FAIL|ERROR|XPASS)' {} +)
    # a suite that ran nothing is a failure too
    ((p + f > 0)) || one "tests were run" 1
}

# unfinished DIR: name the test programs that began and did not end, show what they said
unfinished()
{
    local name log
    while IFS= read -r name; do
        say "did not finish: $name"
        log=$1/${name%.t}.log
        [[ ! -e $log ]] || tail -n 20 "$log" | sed 's/^/    /'
    done < <(sed -n '/^# over the limit/,$s/.* --test-name \([^ ]*\).*/\1/p' "$1/log/check.log" | sort -u)
}

# all_but DIR TEST...: sets $only to the tests of a build without these
all_but()
{
    local dir=$1 test
    local -a kept=()
    shift
    for test in $(make -s -C "$dir" list-tests); do
        [[ " $* " == *" $test "* ]] || kept+=("$test")
    done
    only=(TESTS="${kept[*]}")
}

# suite DIR CONFIGURE-ARGUMENT...: build, run the tests (those of $only, a word TESTS=..., or all but
# those of $spared), count
only=()
spared=()
suite()
{
    local dir=$1
    if ! build_tree "$@"; then
        one "build in ${dir#"$top"/}" 1
        return 0
    fi
    ((${#spared[@]} == 0)) || all_but "$dir" "${spared[@]}"
    find "$dir/tests" \( -name '*.trs' -o -name '*.log' \) -delete 2>/dev/null || true
    say "testing ${dir#"$top"/}"
    local code=0
    "${bound[@]}" make -C "$dir" -k -j "$jobs" check "${only[@]}" </dev/null 2>&1 \
        | tee "$dir/log/check.log" | show_programs || code=$?
    local before=$failed
    count_results "$dir"
    if ((code == 124)); then
        sed -n '/^# over the limit/,$p' "$dir/log/check.log" | tail -n 100 | sed 's/^/    /'
        unfinished "$dir"
        one "make check in ${dir#"$top"/} within $stage_limit s" 1
    # make failed, and no test says why: a test program did not build
    elif ((code != 0 && failed == before)); then
        tail -n 40 "$dir/log/check.log" | sed 's/^/    /'
        one "make check in ${dir#"$top"/}" 1
    fi
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

# A stage that runs beside the suites, which wait a lot; collect NAME [TITLE] waits for it.
declare -A beside=()
aside()
{
    local name=$1
    shift
    mkdir -p "$build/log"
    nice "${bound[@]}" "$@" </dev/null >"$build/log/$name.log" 2>&1 &
    beside[$name]=$!
}
collect()
{
    local name=$1 title=${2:-$1} code=0
    say "$title"
    wait "${beside[$name]}" || code=$?
    ((code == 0)) || sed '/^ok /d' "$build/log/$name.log" | tail -n 40 | sed 's/^/    /'
    one "$title" "$code"
}

# The builds of later suites.  Nothing of these suites needs shared libraries.  librsb and Kokkos
# Kernels, of which the ordinary build knows nothing, are kernels of the serial one.
serial=(--enable-werror --without-cuda --with-hdf5=serial --disable-shared --with-librsb --with-kokkos)
sanitize=(--without-cuda --disable-shared
    CFLAGS="-g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined")

# They are made beside the ordinary suite, which waits for a third of its time.  What goes wrong is told by the suite
# that needs it: that makes what is missing.
make_later()
{
    renice -n 19 -p "$BASHPID" >/dev/null || true
    ! build_tree "$build/serial" "${serial[@]}" || "${bound[@]}" make -C "$build/serial" -k -j "$jobs" check TESTS= \
        check_PROGRAMS="${stored_programs[*]}" || true
    ! build_tree "$build/sanitize" "${sanitize[@]}" || "${bound[@]}" make -C "$build/sanitize" -k -j "$jobs" check TESTS= || true
    ! command -v clang >/dev/null || "${bound[@]}" make -s -C "$build" -k -j "$jobs" fuzz-build || true
}

# Requests that no machine can meet must fail as they do without the sanitizer.
sanitized()
{
    export UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1
    export ROWCAST_KILLS=4 ROWCAST_REMOVALS=4
    spared=("${elsewhere[@]}")
    suite "$build/sanitize" "${sanitize[@]}"
    unset UBSAN_OPTIONS ASAN_OPTIONS ROWCAST_KILLS ROWCAST_REMOVALS
    spared=()
    only=()
}

# A short run of the fuzz targets, each one test; none where clang has no libFuzzer.
fuzzed()
{
    local code=0
    say "fuzzing, ${ROWCAST_FUZZ_SECONDS:-5} s for each target"
    ROWCAST_FUZZ_SECONDS=${ROWCAST_FUZZ_SECONDS:-5} "${bound[@]}" make -s -C "$build" -j "$jobs" fuzz \
        >"$build/log/fuzz.log" 2>&1 </dev/null || code=$?
    grep '^fuzz: ' "$build/log/fuzz.log" || true
    if grep -q '^fuzz: skipped' "$build/log/fuzz.log"; then
        skipped=$((skipped + 1))
    else
        ((code == 0)) || tail -n 100 "$build/log/fuzz.log" | sed 's/^/    /'
        one fuzzing "$code"
    fi
}

# What depends on which HDF5 it is, and the kernels, which have librsb here.  Queries read alone, by the same calls
# with both: of these grow.t, archive.t and verify.t do enough.
stored=(tests/unit/test_store tests/unit/test_inflight tests/unit/test_merge tests/unit/test_store_verify
    tests/unit/test_store_flaws tests/unit/test_schema tests/unit/test_worklist tests/unit/test_dataset
    tests/cli/archive.t tests/cli/merge.t tests/cli/verify.t tests/cli/grow.t
    tests/mpi/sweep.t tests/mpi/kill.t tests/mpi/fold.t tests/mpi/grow.t tests/fault/disk.t tests/unit/test_kernels)
# The programs that those are or need.
stored_programs=(tests/cli/synthetic_store)
for test in "${stored[@]}"; do [[ $test == *.t ]] || stored_programs+=("$test"); done
# What the sanitizers would see again, or not at all: scripts, programs of others, the same calls many times over.
elsewhere=(tests/cli/bound.t tests/cli/scripts.t tests/cli/submit.t tests/cli/bundle.t tests/cli/device.t tests/cli/docs.t tests/cli/readme.t
    tests/cli/results.t tests/cli/counted.t tests/cli/install.t tests/cli/models.t tests/cli/trainers.t
    tests/lint/source.t tests/slurm/slurm.t tests/nodes/local.t tests/nodes/nodes.t tests/nodes/gpu.t tests/nodes/faults.t
    tests/nodes/network.t
    tests/mpi/lost.t tests/fault/locks.t tests/sim/test_sim tests/cli/found.t tests/cli/pairs.t
    tests/gpu/memcheck.t tests/gpu/test_gpu_kernels tests/gpu/test_gpu_device tests/gpu/test_gpu_dense
    tests/mpi/placement.t tests/mpi/crash.t tests/mpi/hang.t tests/fault/full.t
    tests/sim/messages.t tests/report/report.t tests/report/small.t tests/cli/figures.t tests/mpi/archive.t
    tests/slurm/requeue.t tests/cli/deal.t tests/cli/package.t tests/cli/solvers.t tests/cli/cmake.t tests/cli/html.t
    tests/lint/pages.t)
# What the tests of a distribution are: those that read its files; clock.t sources what all under a launcher do.  The
# others have run before.
distributed=(tests/cli/readme.t tests/cli/results.t tests/cli/models.t tests/cli/docs.t tests/cli/bundle.t
    tests/cli/predict.t tests/cli/fetch.t tests/cli/report.t tests/fault/clock.t tests/lint/source.t)

# The last words: what failed, then the counts.
conclude()
{
    say "$skipped skipped"
    ((failed == 0)) || printf '%s\n' "failed:" "${said[@]}"
    echo "$passed passed, $failed failed"
    ((failed == 0))
}

# Other compilers and another MPI; what the tests of stores, ranks and numbers rest on.
check_stacks()
{
    install_packages "${packages_build[@]}" "${packages_report[@]}" "${packages_check[@]}" "${packages_stacks[@]}"
    prepare_mpi 5
    suite "$build/mpich" --enable-werror --without-cuda CC=mpicc.mpich
    suite "$build/clang" --enable-werror --without-cuda CC=clang
    suite "$build/native" --enable-werror --without-cuda CFLAGS="-g -O3 -march=native"
    conclude
}

# What the build of the Debian packages is packed into, too.  That takes seconds.
wheel()
{
    if command -v patchelf >/dev/null && /usr/bin/python3 -c 'import ensurepip, numpy, venv' 2>/dev/null \
        && [[ -e $build/deb/.libs/librowcast.so.1 ]]; then
        stage "Python wheel" "$build/log/wheel.log" "$top/jobs/package-wheel.sh" -b "$build/deb" -o "$build/deb/packages" --test
    else
        skipped=$((skipped + 1))
    fi
}

# How the ordinary build is configured: for Hopper alone.  What the kernels have for other architectures are a few lines,
# and each architecture takes the time of the first.
ordinary=(--enable-werror)
[[ -n ${NVCC_GENCODE:-} ]] || ordinary+=("--with-cuda-arch=90")

# bash reads a script as it runs: a function is read whole, so an edit meanwhile does no harm
main()
{
    local -a packages
    local later
    if ((stacks)); then
        check_stacks
        return
    fi
    packages=("${packages_build[@]}" "${packages_report[@]}" "${packages_check[@]}")
    ((full)) && packages+=("${packages_full[@]}")
    install_packages "${packages[@]}"
    prepare_mpi 5
    if ((full)); then
        export ROWCAST_SLURM=1
        # shellcheck disable=SC2016  # for that shell
        aside shellcheck bash -c 'set -o pipefail
            cd "$1" && git ls-files -z -- "*.sh" "*.t" "*.sbatch" .ci/run \
                | grep -zv "^src/build/aux/" | xargs -0 -r shellcheck -x' - "$top"
        # cppcheck reads what the build generates; when that fails the suite tells.
        # arrayIndexThenCheck: the generated tables end with NULL, their length is not a limit
        ! build_tree "$build" "${ordinary[@]}" || aside cppcheck cppcheck --quiet --std=c11 --language=c \
            --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
            --suppress=missingIncludeSystem --suppress=arrayIndexThenCheck -i "$top/kernels/vendor/kokkos_spmv.cpp" \
            -I "$top/src" -I "$top" -I "$build/src" -D __linux__=1 \
            "$top/src" "$top/kernels" "$top/analysis"
        mkdir -p "$build/log"
        make_later </dev/null >"$build/log/later.log" 2>&1 &
        later=$!
    fi
    suite "$build" "${ordinary[@]}"
    unset ROWCAST_SLURM
    if ((full)); then
        [[ ! -f $build/Makefile ]] || aside mutation make -C "$build" check-mutation
        # the long forms have run once
        export ROWCAST_OTHER=$build/rowcast ROWCAST_FAULT_POINTS=1 ROWCAST_KILLS=4
        only=(TESTS="${stored[*]}" check_PROGRAMS="${stored_programs[*]}")
        say "builds that were begun beside that suite"
        wait "$later" || true
        suite "$build/serial" "${serial[@]}"
        only=()
        unset ROWCAST_OTHER
        ! command -v dpkg-deb >/dev/null || aside deb env ROWCAST_CONFIGURE=--without-cuda "$top/jobs/package-deb.sh" \
            -o "$build/deb/packages" --test
        sanitized
        fuzzed
        [[ -z ${beside[mutation]:-} ]] || collect mutation "make check-mutation"
        collect shellcheck
        [[ -z ${beside[cppcheck]:-} ]] || collect cppcheck
        stage "make distcheck" "$build/log/distcheck.log" make -C "$build" -j "$jobs" distcheck \
            DISTCHECK_CONFIGURE_FLAGS="--without-cuda CFLAGS=-O0" TESTS="${distributed[*]}"
        if [[ ${beside[deb]:-} ]]; then
            collect deb "Debian packages"
        else
            skipped=$((skipped + 1))
        fi
        wheel
    fi
    conclude
}
main; exit
