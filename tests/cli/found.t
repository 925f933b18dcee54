#!/bin/sh
# What configure finds: the MPI that was asked for, its launcher, and an HDF5 that was built for it.
# The macros run alone, over wrappers that answer as those of several MPIs do.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
# shellcheck source=/dev/null
. "${top_builddir:?}/tests/env.sh"
if ! command -v autoconf >/dev/null || ! command -v aclocal >/dev/null; then skip_all "no autoconf"; fi
plan 14

mkdir "$tmp/bin" "$tmp/include"
cd "$tmp" || exit 99
cat >configure.ac <<'END_OF_AC'
AC_INIT([found], [1])
RC_MPI_CC
AC_PROG_CC
PKG_PROG_PKG_CONFIG
RC_MPI
AS_ECHO(["CC=$CC"])
AS_ECHO(["MPI=$rc_mpi_summary"])
AS_ECHO(["KIN=$rc_mpi_kin"])
AS_ECHO(["LAUNCHER=$rc_launcher_summary"])
END_OF_AC
if ! { aclocal -I "$top_srcdir/src/build/m4" && autoconf; } >log 2>&1; then
    sed 's/^/# /' log
    skip_all "autoconf cannot make a configure here"
fi

# mpi NAME LINE...: an mpi.h with these lines, and a library that needs nothing
mpi()
{
    rm -rf include lib bin
    mkdir include lib bin
    {
        printf '#define MPI_VERSION 3\n#define MPI_SUBVERSION 1\n#define MPI_THREAD_MULTIPLE 3\n'
        printf 'static inline int MPI_Init_thread(int *a, char ***b, int c, int *d) { (void)a; (void)b; *d = c; return 0; }\n'
        printf '%s\n' "$@"
    } >include/mpi.h
}
# program NAME LINE...: a script
program()
{
    name=$1
    shift
    { echo '#!/bin/sh'; printf '%s\n' "$@"; } >"bin/$name"
    chmod +x "bin/$name"
}
# found VARIABLE...: what a run says, with these
found()
{
    env -u MPICC -u MPIRUN "$@" PATH="$tmp/bin:$PATH" sh ./configure -q >found 2>&1 || grep error: found
}
said()
{
    sed -n "s/^$1=//p" found
}
compiler=${CC%% *}
show="case \$1 in -show) echo $compiler -I$tmp/include -L$tmp/mpi -lm ;; *) exec $compiler \"\$@\" ;; esac"

mpi '#define MPICH_VERSION "4.0.2"'
program mpicc.mpich "$show"
program mpirun.mpich 'echo "HYDRA build details:"; echo "    Version:   4.0.2"'
found CC=mpicc.mpich
is "the compiler behind MPICH's wrapper" "$(said CC)" "$compiler"
is "MPICH" "$(said MPI)" "MPICH 4.0.2 (standard 3.1; flags from mpicc.mpich)"
is "and its kin" "$(said KIN)" mpich
is "its launcher" "$(said LAUNCHER)" "$tmp/bin/mpirun.mpich (Hydra 4.0.2)"
found CC="$compiler" MPICC=mpicc.mpich
is "a wrapper beside a compiler, by name" "$(said CC) $(said MPI)" "$compiler MPICH 4.0.2 (standard 3.1; flags from mpicc.mpich)"

mpi '#define MPICH_VERSION "3.4a2"' '#define I_MPI_VERSION "2021.9.0"'
program mpiicc "$show"
program mpirun 'echo "Intel(R) MPI Library for Linux* OS, Version 2021.9 Build 20230307"'
found CC=mpiicc
is "Intel MPI is no plain MPICH" "$(said MPI)" "Intel MPI 2021.9.0 (standard 3.1; flags from mpiicc)"
is "and has a launcher of its own" "$(said LAUNCHER)" "$tmp/bin/mpirun (Intel MPI 2021.9)"

mpi '#define OPEN_MPI 1' '#define OMPI_MAJOR_VERSION 5' '#define OMPI_MINOR_VERSION 0' '#define OMPI_RELEASE_VERSION 3'
program mpicc "case \$1 in --showme) echo $compiler -I$tmp/include -lm ;; --showme:compile) echo -I$tmp/include ;;" \
    "--showme:link) echo -lm ;; *) exec $compiler \"\$@\" ;; esac"
program mpirun 'echo "mpirun (Open MPI) 5.0.3"'
found CC=mpicc
is "Open MPI" "$(said MPI)" "Open MPI 5.0.3 (standard 3.1; flags from mpicc)"
is "and its kin" "$(said KIN)" openmpi
program mpiexec 'echo "HYDRA build details:"; echo "    Version:   4.1"'
found CC=mpicc MPIRUN=mpiexec
ok "the launcher of another MPI is warned of" grep -q 'mpiexec is of Hydra, but the library is Open MPI' found
found CC=mpicc MPIRUN=no-such-launcher
ok "one that is not there is an error" grep -q 'MPIRUN=no-such-launcher: no such program' found
found CC="$compiler" MPICC=no-such-wrapper
ok "and so is such a wrapper" grep -q 'MPICC=no-such-wrapper: no such program' found

mpi '#define MPICH_VERSION "3.4"' '#define CRAY_MPICH_VERSION 8.1.25'
program cc "exec $compiler -I$tmp/include \"\$@\""
program mpicc 'exit 1'
found CC=cc
is "a compiler that finds MPI by itself" "$(said MPI)" "Cray MPICH 8.1.25 (standard 3.1; flags from cc)"
is "stays what it is" "$(said CC)" cc
