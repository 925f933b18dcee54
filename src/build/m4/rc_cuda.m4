# RC_CUDA: the CUDA kernels are not part of this version; the summary says so, and an explicit request fails.
AC_DEFUN([RC_CUDA], [
AC_ARG_WITH([cuda],
  [AS_HELP_STRING([--with-cuda=no], [accepted for scripts; this version has CPU kernels only])],
  [], [with_cuda=no])
AS_IF([test "x$with_cuda" != xno && test "x$with_cuda" != xcheck],
  [AC_MSG_ERROR([--with-cuda=$with_cuda: this version has no CUDA kernels yet])])
rc_cuda_summary="no: this version has CPU kernels only"
])
