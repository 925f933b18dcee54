#!/bin/sh
# jobs/bundle.sh: what it packs runs elsewhere, on nothing but its own libraries.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
for tool in patchelf ompi_info bash strip; do
    command -v "$tool" >/dev/null || skip_all "no $tool"
done
# a program that libtool or a sanitizer left unfinished cannot be moved
case $(head -c 4 "$ROWCAST") in *ELF) ;; *) skip_all "the program is a script of libtool" ;; esac
ldd "$ROWCAST" | grep -E 'lib(asan|ubsan)' >/dev/null && skip_all "a build with sanitizers"
ompi_info --version | grep -E ' v4\.' >/dev/null || skip_all "not Open MPI 4"
bundle=$top_srcdir/jobs/bundle.sh
mkdir -p "$tmp/prefix/bin" "$tmp/moved here"
cp "$ROWCAST" "$tmp/prefix/bin/rowcast"
if ! ldd "$ROWCAST" | grep -q 'libmpi\.so'; then
    plan 2
    code "the program of another MPI than Open MPI is refused" 3 "$bundle" -p "$tmp/prefix" -o "$tmp/unpacked"
    ok "in one line that says why" grep -q 'not linked with Open MPI' "$tmp/err"
    exit 0
fi
plan 12

mkdir -p "$tmp/prefix/share/rowcast"
cp -R "$top_srcdir/analysis/page" "$top_srcdir/analysis/figures" "$tmp/prefix/share/rowcast"
# libraries as `make install` puts them
kernels=$(find "$top_builddir/.libs" -name 'librowcast_kernels-*.so')
if [ "$kernels" ]; then
    mkdir -p "$tmp/prefix/lib/rowcast"
    cp "$kernels" "$tmp/prefix/lib/rowcast"
fi
dropin=$top_builddir/rowcast_dropin.la
if [ -e "$dropin" ]; then
    mkdir -p "$tmp/prefix/lib/rowcast"
    cp "$top_builddir"/.libs/librowcast_cusparse.so.1 "$top_builddir"/.libs/librowcast_cuda.so.1 "$tmp/prefix/lib"
    undisturbed cp "$top_builddir/.libs/rowcast_dropin.so" "$tmp/prefix/lib/rowcast"
fi
mkdir -p "$tmp/prefix/lib/pkgconfig"
cp "$top_builddir"/src/rowcast.pc "$top_builddir"/src/rowcast_io.pc "$tmp/prefix/lib/pkgconfig"
printf '#!/bin/sh\necho extra\n' >"$tmp/extra"
chmod +x "$tmp/extra"
code "it packs into a folder" 0 "$bundle" -p "$tmp/prefix" -x "$tmp/extra" -o "$tmp/unpacked"
mv "$tmp/unpacked" "$tmp/moved here/bundle"
rm -rf "$tmp/prefix"
run=$tmp/moved\ here/bundle/run

# everything that ldd finds: in the bundle, or of glibc and the compiler
foreign=$(for file in "$tmp/moved here/bundle/bin"/rowcast "$tmp/moved here/bundle/bin"/or*; do
    env -i /usr/bin/ldd "$file"
done | awk '/=>/ && !/moved here\/bundle/ { print $1 }' \
    | grep -vE '^(linux-vdso|lib(c|m|dl|rt|pthread|resolv|util|mvec|stdc\+\+|gcc_s|cu[a-zA-Z]+|nv[a-zA-Z]+))\.so')
is "its programs load nothing else of the system" "$foreign" ""
if [ -e "$dropin" ]; then
    # which opens the other one with the first plan
    is "what the drop-in opens is there, and the library of plans above it" "$([ -e "$tmp/moved here/bundle/lib/rowcast/rowcast_dropin.so" ] \
        && env -i /usr/bin/ldd "$tmp/moved here/bundle/lib/rowcast/../librowcast_cuda.so.1" | grep -c 'librowcast_kernels.*moved here/bundle/lib')" 1
else
    skip "what the drop-in opens is there, and the library of plans above it" "a build without it"
fi
code "rowcast runs in an empty environment" 0 env -i "$run" rowcast info
code "so it does under its own mpirun" 0 env -i HOME="$tmp" "$run" mpirun -n 2 rowcast sweep \
    --store "$tmp/x.h5" --limit 1 --orders csr,lpt --share-device --timing shared --threads 1 \
    --case-time 0.0005 --max-reps 7 --device cpu --noisy-above 1e9
ok "and leaves a store" test -s "$tmp/x.h5"
code "a report of it finds its templates" 0 env -i "$run" rowcast report "$tmp/x.h5" -q -o "$tmp/report"
is "extra programs are found" "$(env -i "$run" extra)" "extra"
if command -v pkg-config >/dev/null; then
    is "compilers find it where nothing for development is installed" \
        "$(PKG_CONFIG_LIBDIR="$tmp/moved here/bundle/lib/pkgconfig" pkg-config --cflags --libs rowcast_io 2>&1 \
        | xargs -n 1 | grep -v '^-[LW]\|here' | xargs)" "-lrowcast_io -lrowcast"
else
    skip "compilers find it where nothing for development is installed" "no pkg-config"
fi
code "no command is a usage error" 2 "$run"

code "an unknown option is a usage error" 2 "$bundle" --nonsense
code "a prefix without rowcast is an error" 3 "$bundle" -p "$tmp" -o "$tmp/y.tar.gz"
