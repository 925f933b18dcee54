# RC_BASELINE: libraries that kernels on CPUs are compared with: librsb, Kokkos Kernels, and where a site has it, oneMKL.  Only where
# they are asked for (--with-librsb, --with-kokkos, --with-mkl), because librowcast_plan has all kernels of CPUs and links them too.
# Sets RSB_*, KOKKOS_*, MKL_* and the conditionals HAVE_RSB, HAVE_KOKKOS, HAVE_MKL; rc_baseline_summary says what is there.
AC_DEFUN([RC_BASELINE], [
rc_baseline_off=
: ${with_librsb=no}
: ${with_mkl=no}
AS_CASE([$with_mkl], [/*],
  [: ${MKL_CFLAGS="-isystem $with_mkl/include"}
   : ${MKL_LIBS="-L$with_mkl/lib -lmkl_rt"}
   with_mkl=yes])
RC_OPTIONAL([rc_baseline_off], [librsb], [RSB], [librsb], [rsb], [rsb.h], [rsb_lib_init],
  [kernel librsb], [librsb-dev])
RC_OPTIONAL([rc_baseline_off], [MKL], [MKL], [mkl], [mkl_rt], [mkl_spblas.h], [mkl_sparse_optimize],
  [kernels mkl], [intel-mkl; --with-mkl=DIR names another])
RC_KOKKOS
rc_baseline_summary="plain loops"
AS_IF([test $rc_have_RSB = yes], [rc_baseline_summary="$rc_baseline_summary, librsb"])
AS_IF([test $rc_have_KOKKOS = yes], [rc_baseline_summary="$rc_baseline_summary, Kokkos Kernels"])
AS_IF([test $rc_have_MKL = yes], [rc_baseline_summary="$rc_baseline_summary, MKL"])
AS_IF([test "$rc_have_RSB$rc_have_KOKKOS$rc_have_MKL" != yesyesyes],
  [rc_baseline_summary="$rc_baseline_summary; --with-librsb, --with-kokkos and --with-mkl add kernels of these libraries"])
])

# RC_KOKKOS: Kokkos Kernels is C++, of which one file here is compiled, by KOKKOS_CXX.  Debian's is that of Trilinos.
AC_DEFUN([RC_KOKKOS], [
AC_ARG_WITH([kokkos], [AS_HELP_STRING([--with-kokkos], [the kernel kokkos, by Kokkos Kernels])],
  [], [with_kokkos=no])
AC_ARG_VAR([KOKKOS_CXX], [C++ compiler of the kernel kokkos])
AC_ARG_VAR([KOKKOS_CFLAGS], [C++ compiler flags for Kokkos Kernels])
AC_ARG_VAR([KOKKOS_LIBS], [linker flags for Kokkos Kernels])
rc_have_KOKKOS=no
AS_IF([test "x$with_kokkos" != xno],
  [AC_CHECK_PROGS([KOKKOS_CXX], [g++ c++ clang++])
   AC_MSG_CHECKING([for Kokkos Kernels])
   AS_ECHO(["#include <Kokkos_Core.hpp>"]) >conftest.cpp
   AS_ECHO(["#include <KokkosSparse_spmv.hpp>"]) >>conftest.cpp
   AS_ECHO(["int main() { return Kokkos::is_initialized(); }"]) >>conftest.cpp
   for rc_name in kokkos trilinos_kokkos
   do
     rc_flags=$KOKKOS_CFLAGS
     rc_libs=${KOKKOS_LIBS-"-l${rc_name}kernels -l${rc_name}core"}
     AS_IF([test "x$rc_flags" = x && test $rc_name = trilinos_kokkos], [rc_flags="-isystem /usr/include/trilinos"])
     AS_IF([test $rc_have_KOKKOS = no &&
            $KOKKOS_CXX -std=c++17 $rc_flags conftest.cpp -o conftest.kokkos $rc_libs -ldl -lpthread >&AS_MESSAGE_LOG_FD 2>&1],
       [rc_have_KOKKOS=yes; KOKKOS_CFLAGS=$rc_flags; KOKKOS_LIBS="$rc_libs -ldl -lpthread -lstdc++"])
   done
   rm -f conftest.cpp conftest.kokkos
   AC_MSG_RESULT([$rc_have_KOKKOS])
   AS_IF([test $rc_have_KOKKOS = no],
     [AC_MSG_ERROR([Kokkos Kernels was asked for and does not link (Debian: libtrilinos-kokkos-kernels-dev libtrilinos-kokkos-dev)])])])
AM_CONDITIONAL([HAVE_KOKKOS], [test $rc_have_KOKKOS = yes])
])
