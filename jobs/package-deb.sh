#!/bin/bash
# Debian packages of this checkout: librowcast1, librowcast-dev, rowcast, python3-rowcast.
# Usage: jobs/package-deb.sh [-b BUILD] [-o DIR] [--test]
#   -b BUILD  a build that was configured as this script would do it; else it is made  [build/deb]
#   -o DIR    where the packages go                                                  [.]
#   --test    install them, use them, remove them; nothing may remain.  As root, with debootstrap and a mirror: by apt in a
#             minimal Debian, which BUILD/root keeps; elsewhere by dpkg in an empty root, with this machine's libraries
# ROWCAST_CONFIGURE: more words for configure, such as --without-cuda.
# Made with dpkg-deb; what they depend on comes from dpkg-shlibdeps.  A package for Debian itself would want debian/rules.
# librowcast1 holds librowcast, librowcast_io, librowcast_plan, and with CUDA librowcast_cuda and the drop-in.  CUDA's own libraries are no package of Debian: they are
# suggested, by NVIDIA's names.
set -euo pipefail
# shellcheck source=jobs/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

out=.
tree=$build/deb
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
for tool in dpkg-deb dpkg-shlibdeps dpkg-architecture; do
    command -v $tool >/dev/null || die 3 "no $tool (Debian: dpkg-dev)"
done
multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
arch=$(dpkg-architecture -qDEB_HOST_ARCH)
libdir=/usr/lib/$multiarch
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What goes where, by globs below the installed root.
files_of()
{
    case $1 in
    librowcast1) echo "usr/lib/$multiarch/lib*.so.* usr/lib/$multiarch/rowcast" ;;
    librowcast-dev) echo "usr/include usr/lib/$multiarch/*.so usr/lib/$multiarch/*.a usr/lib/$multiarch/pkgconfig \
        usr/lib/$multiarch/cmake usr/share/doc/rowcast/examples" ;;
    python3-rowcast) echo "usr/lib/python3" ;;
    rowcast) echo "usr/bin usr/share" ;;
    esac
}

control_of()
{
    case $1 in
    librowcast1)
        echo "Section: libs"
        [[ -z $suggests ]] || echo "Suggests: $suggests"
        cat <<'CONTROL'
Description: row orders, features, models and plans for sparse x dense products
 Shared libraries of rowcast: for a sparse matrix, which row order and which kernel multiply fastest, and
 plans that do it on CPUs, and on a GPU where rowcast was built with CUDA.
CONTROL
        ;;
    librowcast-dev) cat <<CONTROL
Section: libdevel
Depends: librowcast1 (= $version)$(required)
Description: headers, pkg-config and CMake files of rowcast
 What programs are compiled with: rowcast.h, rowcast_io.h, rowcast_plan.h, rowcast_rows.h, rowcast.hpp, and with CUDA rowcast_cuda.h and
 rowcast_device.h.
CONTROL
        ;;
    rowcast) cat <<'CONTROL'
Section: science
Recommends: gnuplot-nox
Description: measures and predicts row orders and kernels of sparse x dense products
 Sweeps over collections of matrices with MPI, tables and reports, selectors trained on them.
CONTROL
        ;;
    python3-rowcast) cat <<CONTROL
Section: python
Depends: python3, python3-numpy, librowcast1 (= $version)
Recommends: python3-scipy, python3-h5py, python3-pandas
Description: Python module of rowcast
 Row orders and features of SciPy's matrices, models, stores as frames, plans on arrays of NumPy, CuPy and PyTorch.
CONTROL
        ;;
    esac
}

# suggested: NVIDIA's packages of the CUDA that the build was made with, "13.0" in its headers; nothing without CUDA
suggested()
{
    local header cuda
    header=$(sed -n 's/^CUDA_CFLAGS = .*-\(I\|isystem\) *\([^ ]*\).*/\2/p' "$tree/Makefile")/cuda.h
    [[ -e $header ]] || return 0
    cuda=$(awk '$2 == "CUDA_VERSION" { printf "%d-%d", $3 / 1000, $3 % 1000 / 10; exit }' "$header")
    [[ -z $cuda ]] || echo "cuda-cudart-$cuda, libcusparse-$cuda"
}

# required: ", PACKAGE..." of the .pc files that ours name, without which pkg-config finds none of ours
required()
{
    local name file
    sed -n 's/^Requires[.a-z]*: *//p' "$tree"/src/*.pc | tr -s ' ,' '\n' | sort -u | while IFS= read -r name; do
        file=$(pkg-config --variable=pcfiledir "$name" 2>/dev/null)/$name.pc
        [[ ! -e $file ]] || dpkg-query -S "$file" | sed 's/:.*//'
    done | sort -u | sed 's/^/, /' | tr -d '\n'
}

# shlibs DIR: the packages whose libraries the files there need
shlibs()
{
    local -a objects
    mkdir -p "$work/shlibs/debian"
    printf 'Source: rowcast\n\nPackage: rowcast\nArchitecture: any\n' >"$work/shlibs/debian/control"
    mapfile -t objects < <(find "$1" -type f \( -name '*.so*' -o -path '*/bin/*' \))
    ((${#objects[@]})) || return 0
    (
        cd "$work/shlibs"
        dpkg-shlibdeps --ignore-missing-info -l"$1$libdir" -l"$work/librowcast1$libdir/rowcast" -xlibrowcast1 -O "${objects[@]/#/-e}" 2>"$work/shlibs.log" \
            || { tail -n 5 "$work/shlibs.log" >&2; exit 1; }
    ) | sed -n 's/^shlibs:Depends=//p'
}

# What Python compiled where it was installed, when root ran it, is no file of the package.
write_prerm()
{
    cat <<'PRERM'
#!/bin/sh
set -e
here=${DPKG_ROOT:-}/usr/lib/python3/dist-packages/rowcast
if [ -d "$here" ]; then
    find "$here" -name __pycache__ -prune -exec rm -r {} +
fi
PRERM
}

# make_package NAME: its files move from the root into a package of their own
make_package()
{
    local name=$1 dir=$work/$1 installed=$work/root word file depends
    mkdir -p "$dir/DEBIAN"
    for word in $(files_of "$name"); do
        for file in "$installed/"$word; do
            [[ -e $file || -L $file ]] || continue
            mkdir -p "$dir/$(dirname "${file#"$installed/"}")"
            cp -a "$file" "$dir/$(dirname "${file#"$installed/"}")/"
            [[ $name == librowcast1 ]] || rm -rf "$file"
        done
    done
    [[ $name != librowcast1 ]] || rm -f "$dir$libdir"/rowcast/*.la
    depends=$(shlibs "$dir")
    [[ $name != rowcast ]] || depends="$depends, librowcast1 (= $version)"
    {
        printf 'Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: %s\nPriority: optional\n' "$name" "$version" \
            "$([[ $name == python3-rowcast ]] && echo all || echo "$arch")" "${DEBFULLNAME:-rowcast} <${DEBEMAIL:-rowcast@localhost}>"
        printf 'Installed-Size: %d\n' "$(du -sk --exclude=DEBIAN "$dir" | cut -f1)"
        control_of "$name" | if [[ $depends ]]; then
            awk -v d="$depends" '/^Depends: / { $0 = $0 ", " d; seen = 1 }
                /^Description: / && !seen { print "Depends: " d } { print }'
        else
            cat
        fi
    } >"$dir/DEBIAN/control"
    [[ $name != librowcast1 ]] || printf 'activate-noawait ldconfig\n' >"$dir/DEBIAN/triggers"
    [[ $name != python3-rowcast ]] || write_prerm >"$dir/DEBIAN/prerm"
    [[ ! -e $dir/DEBIAN/prerm ]] || chmod 755 "$dir/DEBIAN/prerm"
    dpkg-deb --build --root-owner-group "$dir" "$out" >/dev/null
}

# What they are used for: a matrix, and the first C program of src/README.md.
write_inputs()
{
    printf '%%%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 1 2\n2 2 3\n' >"$work/a.mtx"
    # shellcheck disable=SC2016  # the fence of a block, of which the first is taken
    awk '/^```c$/ { open = 1; next } open && /^```/ { exit } open' "$top/src/README.md" >"$work/example.c"
}

# In a Debian of its own.  Code 4: none could be made here.
try_in_debian()
{
    ((EUID == 0)) && command -v debootstrap >/dev/null && unshare --mount true 2>/dev/null || return 4
    unshare --mount "$top/jobs/package/try-deb.sh" "$tree/root" "$version" "$work/example.c" "$work/a.mtx" "$@"
}

# In an empty root, as dpkg of another machine: what the packages depend on is this machine's.
try_in_empty_root()
{
    local there=$work/try left
    local -a with=(dpkg --root="$there" --force-depends --force-not-root --force-script-chrootless --log=/dev/null)
    mkdir -p "$there/var/lib/dpkg/info" "$there/var/lib/dpkg/updates" "$there/var/lib/dpkg/triggers"
    : >"$there/var/lib/dpkg/status"
    "${with[@]}" -i "$@" >"$work/dpkg.log" 2>&1 || { cat "$work/dpkg.log" >&2; return 1; }
    export LD_LIBRARY_PATH=$there$libdir
    # no pipe ends before its program does: that would be a failure here
    [[ $("$there/usr/bin/rowcast" --version) == *"rowcast $version"* ]]
    "$there/usr/bin/rowcast" order --help >/dev/null
    # shellcheck disable=SC2046  # flags are words
    cc "$work/example.c" -o "$work/example" $(PKG_CONFIG_SYSROOT_DIR=$there PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 \
        PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 PKG_CONFIG_PATH=$there$libdir/pkgconfig pkg-config --cflags --libs rowcast_io)
    [[ $("$work/example" "$work/a.mtx") == *" slots, first row "* ]]
    if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
        ROWCAST_LIBRARY_DIR=$there$libdir PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$there/usr/lib/python3/dist-packages \
            /usr/bin/python3 -c 'import sys, rowcast; sys.exit(rowcast.version() != sys.argv[1])' "$version"
    fi
    unset LD_LIBRARY_PATH
    "${with[@]}" -r rowcast python3-rowcast librowcast-dev librowcast1 >"$work/dpkg.log" 2>&1 \
        || { cat "$work/dpkg.log" >&2; return 1; }
    left=$(find "$there" -path "$there/var" -prune -o \( -type f -o -type l \) -print)
    [[ -z $left ]] || { printf 'left behind:\n%s\n' "$left" >&2; return 1; }
    say "installed into an empty root, used, removed"
}

try_packages()
{
    local code=0
    local -a files=("$out"/{librowcast1,librowcast-dev,rowcast,python3-rowcast}_"$version"_*.deb)
    write_inputs
    try_in_debian "${files[@]}" || code=$?
    case $code in
    0) say "installed into a minimal Debian, used, removed" ;;
    4)
        say "no minimal Debian here (that takes root, debootstrap and a mirror)"
        try_in_empty_root "${files[@]}"
        ;;
    *) return "$code" ;;
    esac
}

main()
{
    local name
    local -a extra=()
    [[ -z ${ROWCAST_CONFIGURE:-} ]] || read -ra extra <<<"$ROWCAST_CONFIGURE"
    build_tree "$tree" --prefix=/usr --libdir="$libdir" --mandir=/usr/share/man \
        --with-python-dir=/usr/lib/python3/dist-packages "${extra[@]}"
    version=$("$tree/rowcast" --version | sed -n '1s/^rowcast //p')
    suggests=$(suggested)
    mkdir -p "$out"
    out=$(cd "$out" && pwd)
    run_logged "$build/log/deb-install.log" make -C "$tree" install-strip DESTDIR="$work/root"
    find "$work/root" -name '*.la' -delete
    for name in librowcast1 librowcast-dev python3-rowcast rowcast; do
        if [[ $name == python3-rowcast ]]; then rm -rf "$work/root$libdir"/lib*.so.* "$work/root$libdir/rowcast"; fi
        make_package $name
        say "$out/${name}_${version}_*.deb"
    done
    ((!test)) || try_packages
}
main; exit
