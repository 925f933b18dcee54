# shellcheck shell=bash
# Sourced by jobs/quickstart.sh and jobs/check.sh: packages, building, running.  Reads
#   ROWCAST_BUILD   build directory, absolute or relative to the checkout  [build]
#   ROWCAST_JOBS    parallel jobs of make                                  [number of cores]
# Exit code 3 means that something is missing which cannot be installed from here.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${ROWCAST_BUILD:-build}
case $build in /*) ;; *) build=$top/$build ;; esac
cores=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
jobs=${ROWCAST_JOBS:-$cores}
if ! [[ $jobs =~ ^[1-9][0-9]{0,3}$ ]]; then
    echo "ROWCAST_JOBS: expected a number of jobs, found '$jobs'" >&2
    exit 2
fi

# shellcheck disable=SC2034  # the lists are for the scripts that source this
{
    packages_build=(build-essential autoconf automake libtool pkg-config libopenmpi-dev openmpi-bin
        libhdf5-openmpi-dev libarchive-dev libjansson-dev libxxhash-dev zlib1g-dev libcurl4-openssl-dev
        libopenblas-dev libxgboost-dev libsvm-dev libpng-dev libmetis-dev libsuitesparse-dev)
    packages_report=(gnuplot-nox)
    packages_check=(libcmocka-dev librsb-dev libtrilinos-kokkos-kernels-dev libtrilinos-kokkos-dev hdf5-tools patchelf python3 python3-h5py python3-pandas xz-utils zstd groff-base doxygen)
    packages_full=(cmake abigail-tools debootstrap python3-scipy python3-venv slurm-wlm munge libhdf5-dev shellcheck cppcheck clang chromium chromium-driver sshfs openssh-sftp-server)
    packages_stacks=(mpich libmpich-dev libhdf5-mpich-dev clang libomp-dev) # beside Open MPI, which stays the default
}

# shellcheck disable=SC2034  # for what packs libraries
{
    # of glibc and the compiler: as old as here or newer everywhere
    system_libraries='^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|mvec|anl|nss_[a-z]*|stdc\+\+|gcc_s))\.so'
    # of the driver, and of CUDA: large, and they belong to the driver
    cuda_libraries='^lib(cuda|nvidia-.*|cudart|cusparse|nvJitLink|cublas|cublasLt|cusolver|curand|nvrtc.*)\.so'
}

# say TEXT: a progress line with the time since the start
say()
{
    printf '[%2d:%02d] %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*"
}

# die CODE TEXT
die()
{
    local code=$1
    shift
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit "$code"
}

# A command that bounds the time of another, see tests/bound.sh; none: no limit.
bound=()

# run_logged LOG COMMAND...: quiet; the end of the log is shown when it fails
run_logged()
{
    local log=$1 code=0
    shift
    mkdir -p "$(dirname "$log")"
    "${bound[@]}" "$@" >"$log" 2>&1 </dev/null || code=$?
    if ((code != 0)); then
        printf 'failed with exit code %d: %s\nend of %s:\n' "$code" "$*" "$log" >&2
        tail -n 100 "$log" | sed 's/^/    /' >&2
    fi
    return "$code"
}

# Whether everything that the build needs is there, however it came.
can_build()
{
    local tool
    for tool in cc make autoreconf libtoolize pkg-config mpicc mpirun; do
        command -v "$tool" >/dev/null || return 1
    done
    pkg-config --exists libarchive jansson libxxhash zlib || return 1
    pkg-config --exists hdf5-mpi || pkg-config --exists hdf5-openmpi || pkg-config --exists hdf5 \
        || pkg-config --exists hdf5-serial || command -v h5pcc >/dev/null \
        || command -v h5cc >/dev/null
}

# install_packages NAME...: install those that are missing
install_packages()
{
    local -a missing=() root=()
    local name
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        can_build && return 0
        die 3 "not a Debian or Ubuntu machine; install what these packages hold: $*"
    fi
    for name in "$@"; do
        # shellcheck disable=SC2016  # the format is dpkg-query's own
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null) == installed ]] \
            || missing+=("$name")
    done
    ((${#missing[@]})) || return 0
    if ((EUID != 0)); then
        if ! { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }; then
            die 3 "packages are missing, and there is no root or sudo to install them: ${missing[*]}"
        fi
        root=(sudo -n)
    fi
    say "installing ${#missing[@]} packages: ${missing[*]}"
    root+=(env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 -qq)
    run_logged "$build/log/apt-update.log" "${root[@]}" update \
        || say "the package lists could not be refreshed; going on with those that are there"
    run_logged "$build/log/apt-install.log" "${root[@]}" install -y --no-install-recommends \
        "${missing[@]}" || die 3 "packages could not be installed: ${missing[*]}"
}

# Run autoreconf when a file that it reads is newer than what it wrote.
prepare_source()
{
    if [[ -x $top/configure && -f $top/Makefile.in ]] \
        && [[ -z $(find "$top" -path "$build" -prune -o \( -name '*.am' -o -name 'configure.ac' \
            -o -path "$top/src/build/m4/rc_*.m4" \) -newer "$top/Makefile.in" -print -quit) ]]; then
        return 0
    fi
    say "generating configure"
    run_logged "$build/log/autoreconf.log" autoreconf -fi "$top"
}

# The nvcc that configure finds; fails without one.
find_nvcc()
{
    local place
    command -v nvcc && return 0
    for place in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda /opt/cuda; do
        [[ ! $place || ! -x $place/bin/nvcc ]] || { printf '%s\n' "$place/bin/nvcc"; return 0; }
    done
    return 1
}

# The architectures of the GPUs at hand, "80,90"; nothing without a GPU, or with one that this nvcc makes no code for.
gpu_architectures()
{
    local nvcc all one
    nvcc=$(find_nvcc) && command -v nvidia-smi >/dev/null || return 0
    all=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | sed -n 's/^ *\([0-9]*\)[.]\([0-9]\) *$/\1\2/p' | sort -nu) || return 0
    for one in $all; do "$nvcc" --list-gpu-code 2>/dev/null | grep -qx "sm_$one" || return 0; done
    printf '%s' "$all" | paste -sd, -
}

# count_objects TARGETS: of a log of make, how many things were compiled or linked, and their work: a file of kernels takes as
# long as five, and ten more for each target of nvcc
count_objects()
{
    awk -v each=$((5 + 10 * $1)) '$1 == "NVCC" { n++; work += each } $1 ~ /^(CC|CXX|CCLD|CXXLD)$/ { n++; work++ } END { print n + 0, work + 0 }'
}

# show_progress LOG OBJECTS WORK TARGETS: four times a minute, how far make is; until it is killed
show_progress()
{
    local log=$1 start=$SECONDS n work left
    while sleep 15 >/dev/null 2>&1; do
        [[ -f $log ]] || continue
        read -r n work < <(count_objects "$4" <"$log")
        ((n > 0 && work <= $3)) || continue
        left=$(((SECONDS - start) * ($3 - work) / work))
        say "  $n of $2 objects, about $((left / 60)):$(printf '%02d' $((left % 60))) to go"
    done
}

# build_tree DIR CONFIGURE-ARGUMENT...: configure (when the arguments changed) and make
build_tree()
{
    local dir=$1
    shift
    mkdir -p "$dir" || return
    prepare_source || return
    if [[ ! -f $dir/Makefile || $top/configure -nt $dir/config.status ]] \
        || [[ $(cat "$dir/configured" 2>/dev/null) != "$*" ]]; then
        say "configuring ${dir#"$top"/} $*"
        rm -f "$dir/configured"
        (cd "$dir" && run_logged "$dir/log/configure.log" "$top/configure" "$@") || return
        printf '%s' "$*" >"$dir/configured"
    fi
    local objects weight watch targets code=0
    targets=$(awk '/^NVCC_GENCODE = / { n = gsub(/code=sm/, "") } END { print n + 0 }' "$dir/Makefile")
    read -r objects weight < <(make -C "$dir" -n V=0 2>/dev/null | sed -n 's/.*echo "\(  [A-Z]* \).*/\1/p' | count_objects "$targets")
    say "building ${dir#"$top"/} with $jobs jobs, $objects objects"
    show_progress "$dir/log/make.log" "$objects" "$weight" "$targets" &
    watch=$!
    run_logged "$dir/log/make.log" make -C "$dir" -j "$jobs" V=0 || code=$?
    kill "$watch" 2>/dev/null || true
    wait "$watch" 2>/dev/null || true
    return "$code"
}

# Let Open MPI start here: as root (containers), and with more ranks than cores.
# \param 1  ranks
prepare_mpi()
{
    if ((EUID == 0)); then
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
    if (($1 > cores)); then
        export OMPI_MCA_rmaps_base_oversubscribe=1
        export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
    fi
    # containers often forbid reading another process, and then every message says so
    export OMPI_MCA_btl_vader_single_copy_mechanism=none
}
