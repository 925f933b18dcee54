# RC_MPI: MPI_CFLAGS, MPI_LIBS, MPIRUN.  The wrapper is only asked, never used as the compiler:
# Open MPI answers --showme:*, MPICH -compile_info/-link_info; pkg-config is the last resort.
AC_DEFUN([RC_MPI], [
AC_ARG_VAR([MPICC], [MPI compiler wrapper that is asked for its flags])
AC_ARG_VAR([MPIRUN], [MPI launcher used by the tests])
AC_ARG_VAR([MPI_CFLAGS], [compiler flags for MPI (default: what MPICC says)])
AC_ARG_VAR([MPI_LIBS], [linker flags for MPI (default: what MPICC says)])
AC_PATH_PROGS([MPICC], [mpicc mpicc.openmpi mpicc.mpich])
AC_PATH_PROGS([MPIRUN], [mpirun mpiexec mpirun.openmpi srun])
rc_mpi_from="MPI_CFLAGS and MPI_LIBS"
AS_IF([test -z "$MPI_LIBS" && test -n "$MPICC"], [
  AS_IF([MPI_LIBS=`$MPICC --showme:link 2>/dev/null` && test -n "$MPI_LIBS"],
    [MPI_CFLAGS=`$MPICC --showme:compile 2>/dev/null`],
    [MPI_LIBS=`$MPICC -link_info 2>/dev/null | $SED 's/^[[^ ]]* *//'`
     MPI_CFLAGS=`$MPICC -compile_info 2>/dev/null | $SED 's/^[[^ ]]* *//'`])
  rc_mpi_from=$MPICC])
AS_IF([test -z "$MPI_LIBS"],
  [PKG_CHECK_MODULES([MPI], [ompi-c], [rc_mpi_from=pkg-config],
    [PKG_CHECK_MODULES([MPI], [mpich], [rc_mpi_from=pkg-config],
      [AC_MSG_ERROR([no MPI found: set MPICC, or MPI_CFLAGS and MPI_LIBS (Debian: libopenmpi-dev openmpi-bin)])])])])
rc_save_CPPFLAGS=$CPPFLAGS; rc_save_LIBS=$LIBS
CPPFLAGS="$CPPFLAGS $MPI_CFLAGS"; LIBS="$MPI_LIBS $LIBS"
AC_MSG_CHECKING([whether a program with MPI_Init_thread links])
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]],
  [[int p; return MPI_Init_thread(0, 0, MPI_THREAD_MULTIPLE, &p);]])],
  [AC_MSG_RESULT([yes])],
  [AC_MSG_RESULT([no]); AC_MSG_ERROR([MPI does not link with MPI_CFLAGS=$MPI_CFLAGS MPI_LIBS=$MPI_LIBS; see config.log])])
CPPFLAGS=$rc_save_CPPFLAGS; LIBS=$rc_save_LIBS
rc_mpi_summary="yes (flags from $rc_mpi_from)"
])
