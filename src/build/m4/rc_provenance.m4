# RC_PROVENANCE: what was built, from what, with what; stored with every run.
AC_DEFUN([RC_PROVENANCE], [
rc_git=unknown
AS_IF([test -e "$srcdir/.git"],
  [rc_git=`cd "$srcdir" && git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown`])
AC_DEFINE_UNQUOTED([RC_BUILD_GIT], ["$rc_git"], [commit that configure saw])
rc_ccver=`$CC --version 2>/dev/null | $SED 1q | tr -d '\042\134'`
AC_DEFINE_UNQUOTED([RC_BUILD_CC], ["$rc_ccver"], [first line of the compiler's --version])
AC_DEFINE_UNQUOTED([RC_BUILD_CFLAGS], ["`echo "$CFLAGS $OPENMP_CFLAGS" | tr -d '\042\134'`"], [compiler flags])
AC_DEFINE_UNQUOTED([RC_BUILD_HDF5], ["$rc_hdf5_summary"], [which HDF5 configure took])
AC_DEFINE_UNQUOTED([RC_BUILD_CUDA], ["$rc_cuda_summary"], [CUDA, or why not])
AC_DEFINE_UNQUOTED([RC_BUILD_NVCC], ["$rc_cuda_version"], [version of nvcc; empty without CUDA])
AC_DEFINE_UNQUOTED([RC_BUILD_CUDA_ARCH], ["$rc_cuda_arch"], [GPU architectures compiled for; empty without CUDA])
])
