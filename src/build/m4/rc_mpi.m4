# Which MPI: any library whose wrapper, or whose pkg-config file, says how to compile and link.  The
# wrapper is only asked, never used as the compiler, so that what links without MPI stays without it:
# Open MPI answers --showme:*, MPICH and its kin (Intel MPI, MVAPICH2) -show.

AC_DEFUN([RC_MPI_FUNCTIONS], [
AC_REQUIRE([AC_PROG_SED])
# rc_mpi_words WRAPPER: the command line that it stands for, nothing when it is no MPI wrapper
rc_mpi_words ()
{
  $[]1 --showme 2>/dev/null || $[]1 -show 2>/dev/null | $SED -n '/mpi/p'
}
# rc_mpi_macro NAME...: what the macros of mpi.h that are defined stand for
rc_mpi_macro ()
{
  for rc_macro
  do
    AS_ECHO(["#include <mpi.h>
rc_is $rc_macro"]) >conftest.c
    $CC -E $CPPFLAGS $MPI_CFLAGS conftest.c 2>/dev/null \
      | $SED -n "s/^rc_is //; t found; d; :found; /^$rc_macro\$/d; s/\"//g; p"
  done
  rm -f conftest.c
}
])

# RC_MPI_CC: with CC=mpicc (of any MPI) CC becomes the compiler that it calls, and MPICC what CC was.
# To be called before AC_PROG_CC.
AC_DEFUN([RC_MPI_CC], [
AC_REQUIRE([AC_PROG_SED])
AC_REQUIRE([RC_MPI_FUNCTIONS])
AC_ARG_VAR([MPICC], [MPI compiler wrapper that is asked for its flags (default: CC when it is one, then mpicc)])
rc_words=
AS_IF([test -n "$CC"], [rc_words=`rc_mpi_words "$CC"`])
AS_IF([test -n "$rc_words"], [
  AS_IF([test -z "$MPICC"], [MPICC=$CC])
  CC=
  for rc_word in $rc_words; do
    AS_CASE([$rc_word], [-*], [break])
    CC="${CC:+$CC }$rc_word"
  done])
])

# RC_MPI_FIND(NAMES): $rc_found, the path of the first that there is
AC_DEFUN([RC_MPI_FIND], [
rc_found=
for rc_word in $1; do
  AS_IF([test -z "$rc_found"], [rc_found=`command -v $rc_word 2>/dev/null`])
done])

# RC_MPI: MPI_CFLAGS, MPI_LIBS, MPIRUN; $rc_mpi_name (as "MPICH 4.0.2"), $rc_mpi_kin (openmpi, mpich or
# nothing: which builds of HDF5 belong to it), summaries.
AC_DEFUN([RC_MPI], [
AC_REQUIRE([RC_MPI_FUNCTIONS])
AC_ARG_VAR([MPIRUN], [MPI launcher used by the tests (default: the one beside MPICC)])
AC_ARG_VAR([MPI_CFLAGS], [compiler flags for MPI (default: what MPICC says)])
AC_ARG_VAR([MPI_LIBS], [linker flags for MPI (default: what MPICC says)])
RC_MPI_FIND([${MPICC:-mpicc mpicc.openmpi mpicc.mpich}])
AS_IF([test -n "$MPICC" && test -z "$rc_found"], [AC_MSG_ERROR([MPICC=$MPICC: no such program])])
AS_IF([test -z "$MPICC"], [MPICC=$rc_found])
rc_mpicc_path=$rc_found
rc_mpi_from="MPI_CFLAGS and MPI_LIBS"
AS_IF([test -z "$MPI_LIBS" && test -n "$MPICC"], [
  rc_mpi_from=$MPICC
  AS_IF([MPI_LIBS=`$MPICC --showme:link 2>/dev/null` && test -n "$MPI_LIBS"],
    [MPI_CFLAGS=`$MPICC --showme:compile 2>/dev/null`],
    [MPI_LIBS=
     for rc_word in `rc_mpi_words "$MPICC"`; do
       AS_CASE([$rc_word],
         [-I*|-D*], [MPI_CFLAGS="$MPI_CFLAGS $rc_word"],
         [-L*|-l*|-Wl,*|-Xlinker|*.a|*.so], [MPI_LIBS="$MPI_LIBS $rc_word"])
     done])])
AS_IF([test -z "$MPI_LIBS"], [
  AC_MSG_CHECKING([whether $CC finds MPI by itself])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]],
    [[int p; return MPI_Init_thread(0, 0, MPI_THREAD_MULTIPLE, &p);]])],
    [rc_mpi_from=$CC; AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     PKG_CHECK_MODULES([MPI], [ompi-c], [rc_mpi_from=pkg-config],
      [PKG_CHECK_MODULES([MPI], [mpich], [rc_mpi_from=pkg-config],
        [AC_MSG_ERROR([no MPI found: set MPICC, or MPI_CFLAGS and MPI_LIBS (Debian: libopenmpi-dev openmpi-bin)])])])])])
rc_save_CPPFLAGS=$CPPFLAGS; rc_save_LIBS=$LIBS
CPPFLAGS="$CPPFLAGS $MPI_CFLAGS"; LIBS="$MPI_LIBS $LIBS"
AC_MSG_CHECKING([whether a program with MPI_Init_thread links])
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]],
  [[int p; return MPI_Init_thread(0, 0, MPI_THREAD_MULTIPLE, &p);]])],
  [AC_MSG_RESULT([yes])],
  [AC_MSG_RESULT([no]); AC_MSG_ERROR([MPI does not link with MPI_CFLAGS=$MPI_CFLAGS MPI_LIBS=$MPI_LIBS; see config.log])])
CPPFLAGS=$rc_save_CPPFLAGS; LIBS=$rc_save_LIBS

AC_MSG_CHECKING([which MPI it is])
rc_mpi_name= rc_mpi_kin=
rc_version=`rc_mpi_macro OMPI_MAJOR_VERSION OMPI_MINOR_VERSION OMPI_RELEASE_VERSION | tr '\n' .`
AS_IF([test -n "$rc_version"], [rc_mpi_name="Open MPI ${rc_version%.}"; rc_mpi_kin=openmpi])
for rc_pair in I_MPI_VERSION:Intel_MPI CRAY_MPICH_VERSION:Cray_MPICH MVAPICH2_VERSION:MVAPICH2 MVAPICH_VERSION:MVAPICH MPICH_VERSION:MPICH; do
  AS_IF([test -z "$rc_mpi_name"], [
    rc_version=`rc_mpi_macro ${rc_pair%:*}`
    AS_IF([test -n "$rc_version"],
      [rc_mpi_name="`AS_ECHO(["$rc_pair"]) | $SED 's/.*://; s/_/ /'` $rc_version"; rc_mpi_kin=mpich])])
done
rc_version=`rc_mpi_macro MPI_VERSION MPI_SUBVERSION | tr '\n' .`
AS_IF([test -z "$rc_mpi_name"], [rc_mpi_name="an unknown MPI"])
AC_MSG_RESULT([$rc_mpi_name])
rc_mpi_summary="$rc_mpi_name (standard ${rc_version%.}; flags from $rc_mpi_from)"

# the launcher beside the wrapper, of the same name: mpirun.mpich for mpicc.mpich
rc_names=
AS_IF([test -n "$rc_mpicc_path"], [
  rc_dir=`AS_DIRNAME(["$rc_mpicc_path"])`
  AS_CASE([$rc_mpicc_path], [*.openmpi], [rc_ending=.openmpi], [*.mpich], [rc_ending=.mpich], [rc_ending=])
  rc_names="$rc_dir/mpirun$rc_ending $rc_dir/mpiexec$rc_ending"])
RC_MPI_FIND([${MPIRUN:-$rc_names mpirun mpiexec mpirun.openmpi mpirun.mpich srun}])
AS_IF([test -n "$MPIRUN" && test "$MPIRUN" != no && test -z "$rc_found"],
  [AC_MSG_ERROR([MPIRUN=$MPIRUN: no such program (MPIRUN=no: none)])])
MPIRUN=$rc_found
rc_launcher= rc_launcher_kin=
AS_IF([test -n "$MPIRUN"], [
  rc_said=`$MPIRUN --version 2>/dev/null </dev/null`
  AS_CASE([$rc_said],
    [*"Open MPI"*|*OpenRTE*|*prterun*|*PRRTE*], [rc_launcher="Open MPI"; rc_launcher_kin=openmpi],
    [*Intel*], [rc_launcher="Intel MPI"; rc_launcher_kin=mpich],
    [*HYDRA*], [rc_launcher=Hydra; rc_launcher_kin=mpich],
    [*slurm*], [rc_launcher=Slurm])
  rc_version=`AS_ECHO(["$rc_said"]) | $SED -n 's/^[[^0-9]]*\([[0-9]][[0-9.]]*\).*/\1/p' | $SED 1q`
  rc_launcher_summary="$MPIRUN${rc_launcher:+ ($rc_launcher $rc_version)}"
  AS_IF([test -n "$rc_launcher_kin" && test -n "$rc_mpi_kin" && test $rc_launcher_kin != $rc_mpi_kin],
    [AC_MSG_WARN([$MPIRUN is of $rc_launcher, but the library is $rc_mpi_name: every rank would be alone; set MPIRUN])])],
  [rc_launcher_summary="none found: tests that need several ranks are skipped"])
AC_SUBST([rc_launcher])
])
