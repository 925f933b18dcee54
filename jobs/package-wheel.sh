#!/bin/bash
# A wheel of the Python module with the libraries of rowcast in it: pip install FILE.whl, and nothing else.
# Usage: jobs/package-wheel.sh [-b BUILD] [-o DIR] [--test]
#   -b BUILD  a build with shared libraries, which is taken as it is; else one is made  [build/wheel]
#   -o DIR    where the wheel goes                                                      [.]
#   --test    install it with pip into an empty virtual environment, without network, use it, remove it; nothing may remain
# ROWCAST_CONFIGURE: more words for configure, such as --without-cuda or --without-metis.
# Libraries that not every Linux has are in it under names of their own, with their licences.  CUDA's are not: the module
# looks for them among Python's packages of NVIDIA, which PyTorch brings, then in CUDA_HOME and /usr/local/cuda.
# The platform in its name is what auditwheel would say: the newest symbols of glibc that any of the libraries takes.
set -euo pipefail
# shellcheck source=jobs/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

out=.
tree=
test=0
while (($#)); do
    case $1 in
    -b | -o)
        [[ ${2:-} ]] || die 2 "$1 wants a folder; see --help"
        if [[ $1 == -b ]]; then tree=$2; else out=$2; fi
        shift
        ;;
    --test) test=1 ;;
    -h | --help)
        sed -n '2,/^set/s/^# //p' "${BASH_SOURCE[0]}"
        exit 0
        ;;
    *) die 2 "unknown option '$1'; see --help" ;;
    esac
    shift
done
[[ ! -e $out || -d $out ]] || die 2 "$out: not a folder"
[[ ! $tree || -d $tree ]] || die 2 "$tree: no such folder"
for tool in patchelf strip objdump ldd; do
    command -v $tool >/dev/null || die 3 "no $tool (Debian: patchelf, binutils)"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
staged=$work/staged
place=$staged/rowcast/_lib

# the first Python that can do what COMMAND of it does
python_that()
{
    local word
    for word in /usr/bin/python3 python3; do
        "$word" -c "$1" >/dev/null 2>&1 && { command -v "$word"; return 0; }
    done
    return 1
}

# ours: the sonames that the module opens, as far as they were built
ours()
{
    local name
    grep -oE '"rowcast[a-z_]*": _[A-Z]+' "$top/src/python/rowcast/_library.py" | cut -d'"' -f2 | while IFS= read -r name; do
        [[ ! -e $tree/.libs/lib$name.so.1 ]] || echo "lib$name.so.1"
    done
}

# A library of others under a name that is its own, so that a process may have another version beside it.
# bundle SONAME FILE
declare -A renamed=()
bundle()
{
    local file hash
    file=$(readlink -f "$2")
    hash=$(sha256sum "$file" | cut -c1-8)
    renamed[$1]=${1%%.so*}-$hash.so${1#*.so}
    cp "$file" "$place/${renamed[$1]}"
    licence "${1%%.so*}" "$file"
}

# licence NAME FILE: that of the package which has the file
licence()
{
    local package text
    package=$(dpkg-query -S "*/$(basename "$2")" 2>/dev/null | sed -n '1s/:.*//p') || package=
    text=/usr/share/doc/$package/copyright
    if [[ $package && -e $text ]]; then
        cp -L "$text" "$staged/licenses/$1.txt"
    else
        die 3 "$1: its licence was not found; leave it out, see configure --help"
    fi
}

# Ours, and what they need and not every Linux has, whatever that needs.
gather()
{
    local file name path
    local -a open=() from=()
    mapfile -t open < <(ours)
    [[ " ${open[*]} " == *" librowcast.so.1 "* ]] || die 3 "$tree: no shared libraries there"
    for name in "${open[@]}"; do from+=("$tree/.libs/$name"); done
    while ((${#open[@]})); do
        name=${open[0]} file=${from[0]}
        open=("${open[@]:1}") from=("${from[@]:1}")
        if [[ -e $place/$name || ${renamed[$name]:-} ]]; then continue; fi
        if [[ $file == "$tree/.libs/"* ]]; then cp -L "$file" "$place/$name"; else bundle "$name" "$file"; fi
        while IFS= read -r path; do
            if [[ $path =~ $system_libraries || $path =~ $cuda_libraries ]]; then continue; fi
            open+=("$path")
            if [[ -e $tree/.libs/$path ]]; then
                from+=("$tree/.libs/$path")
            else
                from+=("$(ldd "$file" | awk -v name="$path" '$1 == name && $3 ~ "^/" { print $3; exit }')")
                [[ ${from[-1]} ]] || die 3 "$path, which $name needs, is not here"
            fi
        done < <(patchelf --print-needed "$file")
    done
}

# Without symbols and folders of this machine: each finds the others beside itself.
relocate()
{
    local file name
    for file in "$place"/*; do
        chmod 755 "$file"
        strip --strip-unneeded "$file"
        patchelf --remove-rpath "$file"
        # shellcheck disable=SC2016  # the loader expands $ORIGIN
        patchelf --force-rpath --set-rpath '$ORIGIN' "$file"
        for name in "${!renamed[@]}"; do
            [[ ${file##*/} != "${renamed[$name]}" ]] || patchelf --set-soname "${renamed[$name]}" "$file"
            ! patchelf --print-needed "$file" | grep -qxF "$name" || patchelf --replace-needed "$name" "${renamed[$name]}" "$file"
        done
    done
}

# newest PREFIX: of the versions of symbols that the libraries take, the newest; nothing: none
newest()
{
    objdump -T "$place"/* | awk '$4 == "*UND*" || $3 == "*UND*"' | grep -oE "\(?$1_[0-9.]+" | sed "s/.*$1_//" | sort -Vu | tail -n 1 || true
}

# no_newer A B
no_newer()
{
    [[ $(printf '%s\n' "$1" "$2" | sort -V | tail -n 1) == "$2" ]]
}

# platform: what auditwheel says of the libraries.  What it lets be taken of libstdc++ and libgcc, from manylinux_2_24 on,
# is here; with more, or another libc, the wheel is for machines like this one.
platform()
{
    local glibc arch
    arch=$(uname -m)
    glibc=$(newest GLIBC)
    if [[ ! $glibc ]] || ! no_newer "$(newest GLIBCXX)" 3.4.22 || ! no_newer "$(newest CXXABI)" 1.3.10 \
        || ! no_newer "$(newest GCC)" 4.8.0; then
        echo "linux_$arch"
        return
    fi
    no_newer 2.24 "$glibc" || glibc=2.24
    IFS=. read -r major minor _ <<<"$glibc"
    echo "manylinux_${major}_${minor}_$arch"
}

# In an empty virtual environment with NumPy, from a folder of its own.
try_wheel()
{
    local python with=$work/venv model
    python=$(python_that 'import ensurepip, numpy, sys, venv; sys.exit(sys.version_info < (3, 8))') \
        || die 3 "no Python 3.8 with NumPy, venv and ensurepip (Debian: python3-numpy, python3-venv)"
    model=$(find "$top/data/models" -name '*plan*.json' | sort | head -n 1)
    unset LD_LIBRARY_PATH LD_PRELOAD PYTHONPATH ROWCAST_LIBRARY_DIR
    export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
    run_logged "$work/venv.log" "$python" -m venv --system-site-packages "$with"
    find "$with" | sort >"$work/before"
    run_logged "$work/pip.log" "$with/bin/python" -m pip install --no-index --no-deps --no-cache-dir --ignore-installed "$1"
    (cd "$work" && "$with/bin/python" -W error - "$with" "$version" "$model") <<'PYTHON'
import sys
import numpy as np
import rowcast


class Csr:
    shape, format = (3, 2), "csr"
    indptr, indices, data = np.array([0, 1, 3, 4]), np.array([0, 0, 1, 1]), np.arange(1., 5.)


there, version, model = sys.argv[1:]
assert rowcast.__file__.startswith(there) and rowcast.version() == version, rowcast.__file__
a, b = np.array([[1., 0], [2, 3], [0, 4]]), np.arange(8.).reshape(2, 4)
plan = rowcast.plan(Csr, 4, device="cpu")
assert np.array_equal(plan(b), a @ b) and np.array_equal(plan.T @ (a @ b), a.T @ a @ b)
assert sorted(row for row in rowcast.order(Csr, "lpt").row if row >= 0) == [0, 1, 2]
for policy in ("metis", "amd"):  # where they are in, what they need came with them
    try:
        rowcast.order(Csr, policy)
    except rowcast.Error:
        pass
assert rowcast.predict(Csr, model, 32, extrapolate=True).kernel
with open("/proc/self/maps") as f:
    mapped = {line.split()[-1] for line in f if ".so" in line}
mine = [name for name in mapped if "rowcast" in name or "jansson" in name or "xxhash" in name]
assert len(mine) >= 3 and all(name.startswith(there) for name in mine), mine
PYTHON
    run_logged "$work/pip.log" "$with/bin/python" -m pip uninstall -y rowcast
    find "$with" | sort | diff "$work/before" - || die 1 "left behind"
    say "installed into a virtual environment, used, removed"
}

main()
{
    local python tag wheel
    local -a extra=()
    python=$(python_that 'import sys; sys.exit(sys.version_info < (3, 8))') || die 3 "no Python 3.8"
    [[ -z ${ROWCAST_CONFIGURE:-} ]] || read -ra extra <<<"$ROWCAST_CONFIGURE"
    if [[ ! $tree ]]; then
        tree=$build/wheel
        build_tree "$tree" "${extra[@]}"
    fi
    mkdir -p "$place" "$staged/licenses" "$out"
    out=$(cd "$out" && pwd)
    tree=$(cd "$tree" && pwd)
    version=$(sed -n 's/^PACKAGE_VERSION = //p' "$tree/Makefile")
    cp "$top"/src/python/rowcast/*.py "$top/src/python/rowcast/py.typed" "$staged/rowcast/"
    cp "$top/LICENSE" "$staged/licenses/LICENSE"
    gather
    relocate
    tag=$(platform)
    [[ $tag == manylinux* ]] || say "for machines like this one alone: its libraries take more of the system than manylinux has"
    wheel=$("$python" "$top/jobs/package/wheel.py" "$staged" "$version" "$tag" "$out")
    say "$wheel: $(du -h "$wheel" | cut -f1), unpacked $(du -sh "$staged" | cut -f1), with ${!renamed[*]}"
    ((!test)) || try_wheel "$wheel"
}
main; exit
