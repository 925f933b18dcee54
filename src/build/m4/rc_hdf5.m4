# RC_HDF5: HDF5_CFLAGS, HDF5_LIBS; rank 0 writes a store, so either kind of library will do.
# Order: the variables, then pkg-config names, then h5pcc/h5cc -show.  A parallel HDF5 is built for one MPI: those of
# another are not looked at ($rc_mpi_kin, from RC_MPI; the name hdf5-mpi may lead to any of them).
AC_DEFUN([RC_HDF5], [
AC_ARG_WITH([hdf5],
  [AS_HELP_STRING([--with-hdf5=KIND], [parallel, serial or auto: parallel when there [auto]])],
  [], [with_hdf5=auto])
AC_ARG_VAR([HDF5_CFLAGS], [compiler flags for HDF5 (default: pkg-config, then h5pcc -show)])
AC_ARG_VAR([HDF5_LIBS], [linker flags for HDF5])
AS_CASE([$rc_mpi_kin], [openmpi], [rc_h5_other=mpich], [mpich], [rc_h5_other=openmpi], [rc_h5_other=none])
AS_CASE([$with_hdf5],
  [parallel], [rc_h5_names="${rc_mpi_kin:+hdf5-$rc_mpi_kin }hdf5-mpi hdf5"],
  [serial],   [rc_h5_names="hdf5-serial hdf5"],
  [auto|yes], [rc_h5_names="${rc_mpi_kin:+hdf5-$rc_mpi_kin }hdf5-mpi hdf5 hdf5-serial"],
  [AC_MSG_ERROR([--with-hdf5=$with_hdf5: expected parallel, serial or auto])])
rc_h5_from=HDF5_LIBS
AS_IF([test -z "$HDF5_LIBS"], [
  rc_h5_from=
  for rc_name in $rc_h5_names; do
    AS_IF([test -z "$rc_h5_from" && $PKG_CONFIG --exists "$rc_name >= 1.10"],
      [HDF5_CFLAGS=`$PKG_CONFIG --cflags $rc_name`; HDF5_LIBS=`$PKG_CONFIG --libs $rc_name`
       AS_CASE([" $HDF5_CFLAGS $HDF5_LIBS "], [*[[!a-z]]$rc_h5_other[[!a-z]]*], [HDF5_CFLAGS= HDF5_LIBS=],
         [rc_h5_from="pkg-config $rc_name"])])
  done
  AS_IF([test -z "$rc_h5_from"],
    [AS_CASE([$with_hdf5], [serial], [rc_h5_tools=h5cc], [rc_h5_tools="h5pcc h5cc"])
     AC_PATH_PROGS([H5CC], [$rc_h5_tools])
     AS_IF([test -n "$H5CC"],
       [rc_show=`$H5CC -show`
        for rc_word in $rc_show; do
          AS_CASE([$rc_word],
            [-I*|-D*], [HDF5_CFLAGS="$HDF5_CFLAGS $rc_word"],
            [-L*|-l*|-Wl,*|*.a|*.so], [HDF5_LIBS="$HDF5_LIBS $rc_word"])
        done
        AS_CASE(["$HDF5_LIBS"], [*hdf5*], [], [HDF5_LIBS="$HDF5_LIBS -lhdf5"])
        rc_h5_from="$H5CC -show"])])])
AS_IF([test -z "$rc_h5_from"],
  [AC_MSG_ERROR([no HDF5 ($with_hdf5) found: set HDF5_CFLAGS and HDF5_LIBS (Debian: libhdf5-${rc_mpi_kin:-openmpi}-dev, or libhdf5-dev for serial)])])
rc_save_CPPFLAGS=$CPPFLAGS; rc_save_LIBS=$LIBS
CPPFLAGS="$CPPFLAGS $HDF5_CFLAGS $MPI_CFLAGS"; LIBS="$HDF5_LIBS $MPI_LIBS $LIBS"
AC_MSG_CHECKING([whether HDF5 links])
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <hdf5.h>]], [[return H5open() < 0;]])],
  [AC_MSG_RESULT([yes])],
  [AC_MSG_RESULT([no]); AC_MSG_ERROR([HDF5 ($rc_h5_from) does not link; see config.log])])
AC_MSG_CHECKING([whether HDF5 writes through MPI-IO])
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#include <hdf5.h>
#ifndef H5_HAVE_PARALLEL
#error serial
#endif]], [[return H5Pset_fapl_mpio(0, MPI_COMM_WORLD, MPI_INFO_NULL) < 0;]])],
  [rc_h5_parallel=yes], [rc_h5_parallel=no])
AC_MSG_RESULT([$rc_h5_parallel])
AC_SUBST([rc_h5_parallel])
AS_ECHO(["#include <hdf5.h>
rc_is H5_VERS_MAJOR.H5_VERS_MINOR.H5_VERS_RELEASE"]) >conftest.c
rc_h5_version=`$CC -E $CPPFLAGS conftest.c 2>/dev/null | $SED -n 's/^rc_is //; t found; d; :found; s/ //g; p'`
rm -f conftest.c
CPPFLAGS=$rc_save_CPPFLAGS; LIBS=$rc_save_LIBS
AS_IF([test $with_hdf5 = parallel && test $rc_h5_parallel = no],
  [AC_MSG_ERROR([--with-hdf5=parallel, but $rc_h5_from is serial (Debian: libhdf5-${rc_mpi_kin:-openmpi}-dev)])])
AS_IF([test $rc_h5_parallel = yes && test $with_hdf5 != serial],
  [rc_hdf5_summary="$rc_h5_version, parallel ($rc_h5_from)"],
  [rc_hdf5_summary="$rc_h5_version, serial, rank 0 writes for all ($rc_h5_from)"])
])
