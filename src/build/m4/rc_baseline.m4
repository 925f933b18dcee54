# RC_BASELINE: libraries that kernels on CPUs are compared with, each one optional: librsb, and where a site has it, oneMKL.  librowcast_cuda, which has all
# kernels, links them where they are there.  Sets RSB_*, MKL_* and the conditionals HAVE_RSB, HAVE_MKL;
# rc_baseline_summary says what is missing and what goes with it.
AC_DEFUN([RC_BASELINE], [
rc_baseline_off=
RC_OPTIONAL([rc_baseline_off], [librsb], [RSB], [librsb], [rsb], [rsb.h], [rsb_lib_init],
  [kernel librsb], [librsb-dev, 10 MB])
RC_OPTIONAL([rc_baseline_off], [MKL], [MKL], [mkl-sdl], [mkl_rt], [mkl_spblas.h], [mkl_sparse_optimize],
  [kernel mkl], [a site's own])
AS_IF([test -z "$rc_baseline_off"], [rc_baseline_summary="all (librsb, MKL)"],
  [rc_baseline_summary="without$rc_baseline_off"])
])
