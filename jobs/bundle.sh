#!/bin/bash
# Packs an installed rowcast, with the Open MPI, PMIx and every library that it needs, into one
# archive that runs where none of them is installed: on a GPU node of another distribution, say.
# Usage: jobs/bundle.sh [OPTION]...
#   -p, --prefix DIR   what to pack: an installed tree with bin/rowcast
#   -b, --build DIR    without --prefix: install from this build directory [$ROWCAST_BUILD or build]
#   -x, --extra FILE   also pack this program or script as bundle/bin/NAME; may be repeated.  A
#                      program of the build tree may be named as make knows it (tests/gpu/test_gpu)
#   -o, --output FILE  the archive, NAME.tar.gz [out/rowcast.tar.gz]; another name is that of a new
#                      folder, which gets the same files unpacked
#   -h, --help         this text
# On the other machine:
#   tar -xzf rowcast.tar.gz && bundle/run mpirun -n 2 rowcast sweep --store x.h5
# What is left to that machine: glibc (as new as here or newer), libstdc++, the driver and the
# CUDA libraries, which bundle/run looks for in the usual places and in $CUDA_HOME.
# Needs Open MPI 4 and patchelf here, and nothing but tar and gzip there.
set -euo pipefail
# shellcheck source=jobs/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

# fabrics: their plugins complain where there is no such hardware
fabric='lib(ucp|ucs|uct|fabric|ibverbs|rdmacm|psm_infinipath|psm2|portals|oshmem)\.so'

prefix=
output=$top/out/rowcast.tar.gz
extras=()

# value OPTION [VALUE]: the option has one
value()
{
    [[ ${2:-} ]] || die 2 "option '$1' needs a value; see --help"
}

while (($#)); do
    case $1 in
    -p | --prefix) value "${@:1:2}" && prefix=$2 && shift ;;
    -b | --build) value "${@:1:2}" && build=$2 && shift ;;
    -x | --extra) value "${@:1:2}" && extras+=("$2") && shift ;;
    -o | --output) value "${@:1:2}" && output=$2 && shift ;;
    -h | --help)
        sed -n '2,/^set /{/^# /s/^# //p}' "${BASH_SOURCE[0]}"
        exit 0
        ;;
    *) die 2 "unknown option '$1'; see --help" ;;
    esac
    shift
done

# extra NAME: where that program or script is
extra()
{
    if [[ -f $1 ]]; then
        printf '%s\n' "$1"
    else
        [[ -f $build/$1 ]] || die 3 "$1: no such file, nor in $build"
        printf '%s\n' "$build/$1"
    fi
}

is_elf()
{
    [[ $(head -c 4 "$1" | tr -d '\0') == $'\177ELF' ]]
}

# elf_files DIR: the programs and libraries below it
elf_files()
{
    local file
    find "$1" -type f | sort | while IFS= read -r file; do
        if is_elf "$file"; then printf '%s\n' "$file"; fi
    done
}

# real_program FILE: of an uninstalled program libtool leaves a script, and the program in .libs
real_program()
{
    local hidden
    hidden=$(dirname "$1")/.libs/$(basename "$1")
    if [[ -f $hidden ]] && ! is_elf "$1"; then
        printf '%s\n' "$hidden"
    else
        printf '%s\n' "$1"
    fi
}

# mpi_path NAME: a folder of Open MPI
mpi_path()
{
    ompi_info --path "$1" --parsable | sed 's/^path:[a-z]*://'
}

install_here()
{
    [[ -f $build/Makefile ]] || die 3 "$build: not a build directory; build first, or name --prefix"
    say "installing from $build"
    local alone=() # installing links the libraries once more, in the build
    ! command -v flock >/dev/null || alone=(flock "$build/installing.lock")
    run_logged "$work/install.log" "${alone[@]}" make -C "$build" install DESTDIR="$work/root"
    prefix=$(dirname "$(dirname "$(find "$work/root" -path '*/bin/rowcast' -print -quit)")")
}

copy_ours()
{
    local file
    [[ -x $prefix/bin/rowcast ]] || die 3 "$prefix: there is no bin/rowcast"
    # the launcher belongs to the library
    [[ $(ldd "$prefix/bin/rowcast") == *libmpi.so* ]] \
        || die 3 "$prefix/bin/rowcast is not linked with Open MPI, whose launcher a bundle has: build with it"
    cp "$prefix/bin/rowcast" "$tree/bin/"
    find "$prefix" -maxdepth 4 -name 'librowcast*.so*' -exec cp -P -t "$tree/lib" {} +
    # the drop-in opens it in this folder beside itself
    find "$prefix" -path '*/rowcast/rowcast_dropin.so' -exec cp -t "$tree/lib/rowcast" {} +
    for file in share/rowcast include/rowcast.h include/rowcast_io.h include/rowcast_plan.h include/rowcast_rows.h include/rowcast_cuda.h \
        include/rowcast_device.h include/rowcast.hpp; do
        [[ -e $prefix/$file ]] || continue
        mkdir -p "$tree/$(dirname "$file")"
        cp -R "$prefix/$file" "$tree/$file"
    done
    # for compilers, wherever the bundle lies; what its shared libraries need is in it, and needs no packages for development
    find "$prefix" -path '*/cmake/rowcast/*.cmake' -exec cp -t "$tree/lib/cmake/rowcast" {} +
    # shellcheck disable=SC2016  # variables of pkg-config
    find "$prefix" -path '*/pkgconfig/rowcast*.pc' | while IFS= read -r file; do
        sed -e 's|^prefix=.*|prefix=${pcfiledir}/../..|' -e 's|^exec_prefix=.*|exec_prefix=${prefix}|' \
            -e 's|^libdir=.*|libdir=${prefix}/lib|' -e 's|^includedir=.*|includedir=${prefix}/include|' \
            -e '/^Requires.private:/d' -e '/^Libs.private:/d' "$file" >"$tree/lib/pkgconfig/$(basename "$file")"
    done
    for file in ${extras[@]+"${extras[@]}"}; do
        cp -L "$(real_program "$(extra "$file")")" "$tree/bin/$(basename "$file")"
    done
}

copy_mpi()
{
    local file pmix
    for file in orterun orted ompi_info; do
        cp -L "$(mpi_path bindir)/$file" "$tree/bin/$file"
    done
    ln -s orterun "$tree/bin/mpirun"
    ln -s orterun "$tree/bin/mpiexec"
    for file in "$(mpi_path pkglibdir)"/mca_*.so; do
        if ! ldd "$file" | grep -E "$fabric" >/dev/null; then cp -L "$file" "$tree/lib/openmpi/"; fi
    done
    # beside its library, wherever that is
    pmix=$(ldd "$tree"/lib/openmpi/mca_pmix_*.so | awk '$1 ~ /^libpmix\.so/ && !n++ { print $3 }')
    if [[ $pmix ]]; then
        find -L "$(dirname "$(readlink -f "$pmix")")/.." -path '*/pmix*/pmix_mca_*.so' \
            -exec cp -L -n -t "$tree/lib/pmix" {} + 2>/dev/null || true
    fi
    cp -RL "$(mpi_path pkgdatadir)/." "$tree/share/openmpi/"
    rm -rf "$tree/share/openmpi/amca-param-sets" "$tree"/share/openmpi/*wrapper-data.txt
    printf 'localhost slots=256\n' >"$tree/etc/openmpi-default-hostfile"
    : >"$tree/etc/openmpi-mca-params.conf"
}

# The closure of what the programs and plugins load, as ldd sees it here.
copy_libraries()
{
    local file name
    elf_files "$tree" | xargs -d '\n' env LD_LIBRARY_PATH="$tree/lib" ldd \
        | awk '$2 == "=>" && $3 == "not" { print $1, "-" } $3 ~ /^\// { print $1, $3 }' \
        | sort -u | while read -r name file; do
        if [[ $name =~ $system_libraries || $name =~ $cuda_libraries || -e $tree/lib/$name ]]; then continue; fi
        [[ $file != - ]] || die 3 "$name: needed, and not found"
        cp -L "$file" "$tree/lib/$name"
    done
}

# ICU's tables, 12 MB packed, come in through libarchive's XML reader, for formats that are not read
# here.  ICU's own way to do without is a data library with an empty table of contents.
leave_out_icu_data()
{
    local file version
    for file in "$tree"/lib/libicudata.so.*; do
        version=${file##*.}
        if [[ ! -f $file ]] || ! command -v cc >/dev/null; then continue; fi
        cc -shared -nostdlib -Wl,-soname,"$(basename "$file")" -o "$file" -x c - <<STUB
#include <stdint.h>
#define BIG_ENDIAN_HERE (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
__attribute__((visibility("default"), aligned(16))) const struct {
    uint16_t header_size; uint8_t magic[2];
    uint16_t size, reserved; uint8_t big_endian, charset, unit, zero;
    uint8_t format[4], format_version[4], data_version[4], padding[8];
    uint32_t entries, end;
} icudt${version}_dat = {32, {0xda, 0x27}, 20, 0, BIG_ENDIAN_HERE, 0, 2, 0,
    {'T', 'o', 'C', 'P'}, {1}, {0}, {0}, 0, 0};
STUB
    done
}

# Programs find the libraries of the bundle first, and so does what they load (DT_RPATH is handed
# down, unlike DT_RUNPATH): no LD_LIBRARY_PATH, which would reach the programs of the system too.
relocate()
{
    local file
    elf_files "$tree" | while IFS= read -r file; do
        chmod u+w "$file"
        strip --strip-unneeded "$file"
        if [[ $file == "$tree"/bin/* ]]; then
            # shellcheck disable=SC2016  # the loader expands $ORIGIN
            patchelf --force-rpath --set-rpath '$ORIGIN/../lib' "$file"
        # a program of the system opens these: preloaded, or from Python
        elif [[ $file == "$tree"/lib/rowcast/* ]]; then
            # shellcheck disable=SC2016
            patchelf --force-rpath --set-rpath '$ORIGIN/..' "$file"
        elif [[ $(basename "$file") == librowcast* ]]; then
            # shellcheck disable=SC2016
            patchelf --force-rpath --set-rpath '$ORIGIN' "$file"
        elif [[ $(patchelf --print-rpath "$file") ]]; then
            patchelf --remove-rpath "$file"
        fi
    done
}

write_run()
{
    cat >"$tree/run" <<'RUN'
#!/bin/bash
# run COMMAND [ARGUMENT]...: in the environment of this bundle, e.g. run mpirun -n 2 rowcast info
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
export PATH="$here/bin:${PATH:-/usr/local/bin:/usr/bin:/bin}"
export ROWCAST="${ROWCAST:-$here/bin/rowcast}"
export ROWCAST_MODELS="${ROWCAST_MODELS:-$here/share/rowcast/models}"
export ROWCAST_TUNING="${ROWCAST_TUNING:-$here/share/rowcast/tuning}"
export ROWCAST_ASSETS="${ROWCAST_ASSETS:-$here/share/rowcast}"
# distributions configure Open MPI with absolute folders: its prefix alone does not move them
export OPAL_PREFIX="$here" OPAL_EXEC_PREFIX="$here" OPAL_BINDIR="$here/bin"
export OPAL_LIBDIR="$here/lib" OPAL_PKGLIBDIR="$here/lib/openmpi" OPAL_SYSCONFDIR="$here/etc"
export OPAL_DATAROOTDIR="$here/share" OPAL_DATADIR="$here/share"
export OPAL_PKGDATADIR="$here/share/openmpi"
export PMIX_PREFIX="$here" PMIX_LIBDIR="$here/lib" PMIX_PKGLIBDIR="$here/lib/pmix"
export PMIX_PKGDATADIR="$here/share/pmix" PMIX_SYSCONFDIR="$here/etc"
export HWLOC_PLUGINS_PATH="$here/lib/none"
# one host: shared memory, no fabrics, no remote shell
export OMPI_MCA_pml="${OMPI_MCA_pml:-ob1}" OMPI_MCA_btl="${OMPI_MCA_btl:-self,vader,tcp}"
export OMPI_MCA_btl_vader_single_copy_mechanism="${OMPI_MCA_btl_vader_single_copy_mechanism:-none}"
export OMPI_MCA_plm_rsh_agent="${OMPI_MCA_plm_rsh_agent-/bin/false}"
export OMPI_MCA_rmaps_base_oversubscribe="${OMPI_MCA_rmaps_base_oversubscribe:-1}"
if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
# the CUDA libraries of this machine, where the loader does not know them by itself
if ! ldconfig -p 2>/dev/null | grep -q 'libcusparse\.so\.'; then
    for folder in ${CUDA_HOME:+"$CUDA_HOME/lib64"} /usr/local/cuda/lib64 /usr/local/cuda-*/lib64 \
        /usr/local/cuda*/targets/x86_64-linux/lib; do
        if compgen -G "$folder/libcusparse.so.*" >/dev/null; then
            export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folder"
            break
        fi
    done
fi
if [ $# = 0 ]; then
    sed -n '2s/^# //p' "$here/run" >&2
    exit 2
fi
exec "$@"
RUN
    chmod 755 "$tree/run"
}

pack()
{
    mkdir -p "$(dirname "$output")"
    if [[ $output == *.tar.gz ]]; then
        tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner -cf - bundle \
            | gzip -9n >"$work/archive"
        mv "$work/archive" "$output"
    else
        cp -R "$tree" "$output"
    fi
    say "$output: $(du -sh "$output" | cut -f1), unpacked $(du -sh "$tree" | cut -f1)," \
        "$(find "$tree/lib" -maxdepth 1 -type f | wc -l) libraries," \
        "$(find "$tree/lib/openmpi" -name '*.so' | wc -l) plugins"
}

main()
{
    local tool
    for tool in patchelf ompi_info strip ldd gzip; do
        command -v "$tool" >/dev/null || die 3 "$tool is missing (Debian: patchelf, openmpi-bin, binutils, gzip)"
    done
    mkdir -p "$tree"/{bin,etc,lib/openmpi,lib/pmix,lib/rowcast,lib/pkgconfig,lib/cmake/rowcast,share/openmpi}
    [[ $output == *.tar.gz || ! -e $output ]] || die 3 "$output: is there already"
    for tool in ${extras[@]+"${extras[@]}"}; do extra "$tool" >/dev/null; done
    [[ $prefix ]] || install_here
    copy_ours
    copy_mpi
    copy_libraries
    leave_out_icu_data
    relocate
    write_run
    pack
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/bundle
main
