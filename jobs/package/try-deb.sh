#!/bin/bash
# Installs packages with apt in a minimal Debian of its own, uses them there, removes them; nothing may remain.
# Usage: jobs/package/try-deb.sh BASE VERSION EXAMPLE.c MATRIX PACKAGE.deb...
#   EXAMPLE.c  a program of rowcast_io that reads MATRIX and prints a line with " slots, first row "
#   BASE  a folder for CODENAME.tar, the Debian that debootstrap made, and archives-CODENAME/, what apt fetched; both are kept
#         for the next time, and one process at a time has them
# For root, in a mount namespace that ends with it: unshare -m jobs/package/try-deb.sh ...  Needs debootstrap, and the mirror
# that this machine's apt has.  Exit code 4: no such root could be made here, and nothing was tried.
set -Eeuo pipefail
if [[ ${1:-} == -h || ${1:-} == --help ]]; then
    sed -n '2,/^set/s/^# //p' "$0"
    exit 0
fi
if (($# < 5)) || [[ $* == *" --"* || $1 == -* || -z $1 || -z $2 || ! -f $3 || ! -f $4 || ! -f $5 ]]; then
    echo "usage: jobs/package/try-deb.sh BASE VERSION EXAMPLE.c MATRIX PACKAGE.deb..." >&2
    exit 2
fi
trap 'printf "%s: line %d failed\n" "$0" "$LINENO" >&2' ERR

codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
archives=archives-$codename
base=$(mkdir -p "$1/$archives" && cd "$1" && pwd)
archives=$base/$archives
version=$2
example=$3
matrix=$4
shift 4
root=$(mktemp -d)
log=$base/log
# without SciPy, which is only recommended: the module takes what has its three arrays
python='
import numpy as np, rowcast
class Csr:
    shape, format = (2, 2), "csr"
    indptr, indices, data = np.array([0, 1, 3]), np.array([0, 0, 1]), np.ones(3)
print(sorted(int(row) for row in rowcast.order(Csr(), "lpt").row if row >= 0))'
trap 'umount -l "$root/proc" 2>/dev/null || :; rm -rf --one-file-system "$root"' EXIT

none()
{
    printf 'no root could be made: %s\n' "$1" >&2
    exit 4
}

make_base()
{
    local mirror
    # shellcheck disable=SC2016  # fields of apt's
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' \
        | awk -v c="$codename" '$2 == c && !n++ { print $1 }')
    [[ $mirror ]] || none "apt knows no mirror of $codename"
    debootstrap --variant=minbase --include=gcc,libc6-dev,pkg-config "$codename" "$root" "$mirror" >"$log" 2>&1 \
        || none "debootstrap: $(tail -n 1 "$log")"
    umount -l "$root/proc" 2>/dev/null || :
    rm -f "$root"/var/cache/apt/archives/*.deb
    tar -C "$root" --one-file-system -cf "$base/$codename.tar.new" .
    mv "$base/$codename.tar.new" "$base/$codename.tar"
}

# inside COMMAND...: in that root
inside()
{
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$@"
}

enter()
{
    if [[ -e $base/$codename.tar ]]; then tar -C "$root" -xf "$base/$codename.tar"; else make_base; fi
    [[ ! -e /etc/resolv.conf ]] || cp -L /etc/resolv.conf "$root/etc/resolv.conf"
    mount -t proc proc "$root/proc" || none "proc cannot be mounted"
    mkdir -p "$root/packages"
    cp "$@" "$root/packages"
    find "$archives" -name '*.deb' -exec cp -t "$root/var/cache/apt/archives" {} +
    inside apt-get -qq -o APT::Update::Error-Mode=any update >"$log" 2>&1 || none "apt-get update: $(tail -n 1 "$log")"
}

# What apt does is of packages that were made here: a failure is a failure.
installed()
{
    local -a names
    mapfile -t names < <(inside find /packages -name '*.deb')
    inside apt-get -qq install -y --no-install-recommends -o APT::Keep-Downloaded-Packages=true \
        "${names[@]}" >"$log" 2>&1 \
        || { tail -n 20 "$log" >&2; return 1; }
    find "$root/var/cache/apt/archives" -name '*.deb' -exec cp -n -t "$archives" {} +
}

used()
{
    cp "$example" "$root/tmp/example.c"
    cp "$matrix" "$root/tmp/a.mtx"
    [[ $(inside rowcast --version) == *"rowcast $version"* ]]
    inside rowcast order --help >/dev/null
    # shellcheck disable=SC2016  # for the shell inside
    inside sh -c 'cc -o /tmp/example /tmp/example.c $(pkg-config --cflags --libs rowcast_io)'
    [[ $(inside /tmp/example /tmp/a.mtx) == *" slots, first row "* ]]
    [[ $(inside python3 -c 'import rowcast; print(rowcast.version())') == "$version" ]]
    [[ $(inside python3 -c "$python") == "[0, 1]" ]]
}

removed()
{
    local -a names=(rowcast python3-rowcast librowcast-dev librowcast1)
    local left
    inside dpkg -L "${names[@]}" | sort -u >"$root/tmp/files"
    inside apt-get -qq purge -y "${names[@]}" >"$log" 2>&1 || { tail -n 20 "$log" >&2; return 1; }
    # folders that other packages have too stay
    left=$(while IFS= read -r file; do
        [[ (-d $root$file && ! -L $root$file) || ! (-e $root$file || -L $root$file) ]] || printf '%s\n' "$file"
    done <"$root/tmp/files"
    find "$root/usr" "$root/etc" "$root/var/lib/dpkg/info" -iname '*rowcast*')
    [[ -z $left ]] || { printf 'left behind:\n%s\n' "$left" >&2; return 1; }
}

[[ $codename ]] || none "/etc/os-release names no release"
# held until this ends: another one would write the same files
exec 9>"$base/lock"
flock -w 1800 9 || none "another process has $base"
enter "$@"
installed
used
removed
