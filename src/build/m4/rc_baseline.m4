# RC_BASELINE: libraries that kernels on CPUs are compared with: librsb, and where a site has it, oneMKL.  Only where they are asked
# for (--with-librsb, --with-mkl-sdl), because librowcast_cuda has all kernels and links them too.  Sets RSB_*, MKL_* and the
# conditionals HAVE_RSB, HAVE_MKL; rc_baseline_summary says what is missing and what goes with it.
AC_DEFUN([RC_BASELINE], [
rc_baseline_off=
: ${with_librsb=no}
: ${with_mkl_sdl=no}
RC_OPTIONAL([rc_baseline_off], [librsb], [RSB], [librsb], [rsb], [rsb.h], [rsb_lib_init],
  [kernel librsb], [librsb-dev])
RC_OPTIONAL([rc_baseline_off], [MKL], [MKL], [mkl-sdl], [mkl_rt], [mkl_spblas.h], [mkl_sparse_optimize],
  [kernel mkl], [intel-mkl, or a site's own])
AS_CASE([$rc_have_RSB,$rc_have_MKL], [yes,yes], [rc_baseline_summary="plain loops, librsb, MKL"],
  [yes,no], [rc_baseline_summary="plain loops, librsb; --with-mkl-sdl adds MKL"],
  [no,yes], [rc_baseline_summary="plain loops, MKL; --with-librsb adds librsb"],
  [rc_baseline_summary="plain loops; --with-librsb and --with-mkl-sdl add kernels of these libraries"])
])
