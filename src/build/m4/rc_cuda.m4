# RC_CUDA: NVCC, NVCC_GENCODE, CUDA_CFLAGS, CUDA_LIBS, CUDA_RPATH; the conditional and the macro
# HAVE_CUDA; rc_cuda_summary says what was taken, or why there is nothing.
# nvcc is looked for in PATH, CUDA_HOME, CUDA_PATH, /usr/local/cuda, /opt/cuda; headers and libraries
# are those that this nvcc names as its own, unless CUDA_CFLAGS and CUDA_LIBS say otherwise.

# _RC_CUDA_NVCC: find nvcc; sets NVCC and rc_cuda_root, or rc_cuda_why.
AC_DEFUN([_RC_CUDA_NVCC], [
AS_CASE([$with_cuda],
  [yes|auto],
    [rc_cuda_path=$PATH
     for rc_dir in "$CUDA_HOME" "$CUDA_PATH" /usr/local/cuda /opt/cuda; do
       AS_IF([test -n "$rc_dir"], [rc_cuda_path="$rc_cuda_path$PATH_SEPARATOR$rc_dir/bin"])
     done
     rc_cuda_where="PATH, CUDA_HOME, CUDA_PATH, /usr/local/cuda, /opt/cuda"],
  [rc_cuda_path=$with_cuda/bin; rc_cuda_where=$with_cuda/bin])
AC_PATH_PROG([NVCC], [nvcc], [], [$rc_cuda_path])
AS_IF([test -z "$NVCC"], [rc_cuda_why="nvcc not found ($rc_cuda_where)"],
  [rc_cuda_version=`$NVCC --version 2>/dev/null | $SED -n 's/.*release.* V\(@<:@0-9.@:>@*\).*/\1/p'`
   AS_IF([test -z "$rc_cuda_version"],
     [rc_cuda_why="$NVCC does not say its version (nvcc --version)"],
     [printf '__global__ void rc_probe(void) {}\n' >conftest.cu
      rc_cuda_root=`$NVCC -dryrun -c conftest.cu 2>&1 | $SED -n 's/^#\$ TOP=//p'`
      rm -f conftest.cu
      AS_IF([test -d "$rc_cuda_root"], [rc_cuda_root=`cd "$rc_cuda_root" && pwd`],
        [rc_cuda_root=`dirname "$NVCC"`; rc_cuda_root=`cd "$rc_cuda_root/.." && pwd`])])])
])

# _RC_CUDA_FLAGS: CUDA_CFLAGS, CUDA_LIBS and CUDA_RPATH from rc_cuda_root.  The headers count as
# system headers, so that the project's warnings do not apply to them.
AC_DEFUN([_RC_CUDA_FLAGS], [
CUDA_RPATH=
AS_IF([test -z "$CUDA_CFLAGS"],
  [for rc_dir in include targets/$host_cpu-linux/include targets/sbsa-linux/include; do
     AS_IF([test -z "$CUDA_CFLAGS" && test -e "$rc_cuda_root/$rc_dir/cuda_runtime_api.h"],
       [AS_IF([test "x$rc_cuda_root" = x/usr], [break])
        CUDA_CFLAGS="-isystem $rc_cuda_root/$rc_dir"])
   done])
AS_IF([test -z "$CUDA_LIBS"],
  [CUDA_LIBS="-lcusparse -lcudart"
   for rc_dir in lib64 lib targets/$host_cpu-linux/lib targets/sbsa-linux/lib; do
     AS_IF([test -e "$rc_cuda_root/$rc_dir/libcudart.so"],
       [AS_IF([test "x$rc_cuda_root" = x/usr], [break])
        CUDA_LIBS="-L$rc_cuda_root/$rc_dir $CUDA_LIBS"
        CUDA_RPATH="-R $rc_cuda_root/$rc_dir" # libtool's
        break])
   done])
])

# _RC_CUDA_LINK: do headers and libraries work?  Sets rc_cuda_why when they do not.
AC_DEFUN([_RC_CUDA_LINK], [
rc_save_CPPFLAGS=$CPPFLAGS; rc_save_LIBS=$LIBS
CPPFLAGS="$CPPFLAGS $CUDA_CFLAGS"; LIBS="$CUDA_LIBS $LIBS"
AC_MSG_CHECKING([for the CUDA runtime, 12.0 or later])
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <cuda_runtime_api.h>]], [[]])],
  [AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <cuda_runtime_api.h>
#if CUDART_VERSION < 12000
#error too old
#endif]], [[]])],
     [AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <cuda_runtime_api.h>]],
          [[int n; return cudaGetDeviceCount(&n) != cudaSuccess;]])],
        [], [rc_cuda_why="libcudart does not link ($CUDA_LIBS); see config.log"])],
     [rc_cuda_why="CUDA 12.0 or later is needed, found $rc_cuda_version ($NVCC)"])],
  [rc_cuda_why="cuda_runtime_api.h not found ($CUDA_CFLAGS)"])
AS_IF([test -z "$rc_cuda_why"], [AC_MSG_RESULT([yes])], [AC_MSG_RESULT([no])])
AS_IF([test -z "$rc_cuda_why"],
  [AC_MSG_CHECKING([for cuSPARSE])
   AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <cusparse.h>]], [[]])],
     [AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <cusparse.h>]],
          [[cusparseHandle_t h; return cusparseCreate(&h) != CUSPARSE_STATUS_SUCCESS;]])],
        [], [rc_cuda_why="libcusparse does not link ($CUDA_LIBS); see config.log"])],
     [rc_cuda_why="cusparse.h not found ($CUDA_CFLAGS)"])
   AS_IF([test -z "$rc_cuda_why"], [AC_MSG_RESULT([yes])], [AC_MSG_RESULT([no])])])
CPPFLAGS=$rc_save_CPPFLAGS; LIBS=$rc_save_LIBS
])

# _RC_CUDA_PROBE(FLAGS, [IF-OK], [IF-NOT]): does nvcc make an object of a kernel?
AC_DEFUN([_RC_CUDA_PROBE], [
printf '__global__ void rc_probe(float *x) { x@<:@threadIdx.x@:>@ = 1.0f; }\n' >conftest.cu
AS_ECHO(["$as_me:${as_lineno-$LINENO}: $NVCC $NVCCFLAGS $1 -c conftest.cu"]) >&AS_MESSAGE_LOG_FD
AS_IF([$NVCC $NVCCFLAGS $1 -c -o conftest.$OBJEXT conftest.cu >&AS_MESSAGE_LOG_FD 2>&1], [$2], [$3])
rm -f conftest.cu conftest.$OBJEXT
])

# _RC_CUDA_ARCH: NVCC_GENCODE, NVCC_GENCODE_EACH and rc_cuda_arch (text).  What is asked for must be
# accepted; the default is what is accepted of a list.  To make PTX takes longest: from compute
# capability 9.0 on, where device code asks for nothing that is newer, all architectures share that of
# the first, which is for GPUs that come later too.  In NVCC_GENCODE_EACH every one has its own.
AC_DEFUN([_RC_CUDA_ARCH], [
AC_MSG_CHECKING([which GPU architectures $NVCC makes code for])
AS_CASE([$with_cuda_arch],
  [default|yes|no],
    [rc_archs="80 90 100 120" # of 86 and 89 the code of 80
     # a generation that is newer than this list
     rc_newest=`$NVCC --list-gpu-code 2>/dev/null | $SED -n 's/^sm_\(@<:@0-9@:>@*\)$/\1/p' | sort -n | tail -n 1`
     AS_IF([test -n "$rc_newest" && test "$rc_newest" -ge 130], [rc_archs="$rc_archs $rc_newest"])],
  [rc_archs=`AS_ECHO(["$with_cuda_arch"]) | tr ', ' '\n\n' | sort -n`])
rc_taken=; rc_refused=; rc_flags=; rc_each=; rc_ptx=
for rc_arch in $rc_archs; do
  # 90a and its like have their own
  AS_CASE([$rc_ptx:$rc_arch],
    [*:*@<:@!0-9@:>@*], [rc_next=$rc_arch],
    [9@<:@0-9@:>@:*|@<:@0-9@:>@@<:@0-9@:>@@<:@0-9@:>@:*], [rc_next=$rc_ptx],
    [rc_next=$rc_arch])
  _RC_CUDA_PROBE([-gencode arch=compute_$rc_next,code=sm_$rc_arch],
    [rc_ptx=$rc_next
     rc_taken="${rc_taken:+$rc_taken }sm_$rc_arch"
     rc_flags="$rc_flags -gencode arch=compute_$rc_ptx,code=sm_$rc_arch"
     rc_each="$rc_each -gencode arch=compute_$rc_arch,code=sm_$rc_arch"],
    [rc_refused="$rc_refused sm_$rc_arch"])
done
AS_IF([test -n "$rc_ptx"],
  [rc_more="-gencode arch=compute_$rc_ptx,code=compute_$rc_ptx"
   rc_cuda_arch="$rc_taken + PTX compute_$rc_ptx"
   AC_MSG_RESULT([$rc_cuda_arch])
   # a third of the bytes; drivers older than those of CUDA 13 may not read it
   AS_CASE([$rc_cuda_version], [12.*], [],
     [_RC_CUDA_PROBE([--compress-mode=size], [rc_more="$rc_more --compress-mode=size"], [])])
   rc_flags="$rc_flags $rc_more"; rc_each="$rc_each $rc_more"],
  [AC_MSG_RESULT([none])
   rc_cuda_why="$NVCC makes no code for $rc_archs; see config.log (a C++ compiler that it accepts?)"])
AS_IF([test "x$with_cuda_arch" != xdefault && test -n "$rc_refused"],
  [rc_listed=`$NVCC --list-gpu-code 2>/dev/null | tr '\n' ' '`
   AC_MSG_ERROR([--with-cuda-arch: $NVCC makes no code for$rc_refused; it lists $rc_listed])])
NVCC_GENCODE=$rc_flags
NVCC_GENCODE_EACH=$rc_each
])

# RC_DEVICE_CODE: how the library of device code is linked (kernels/kernels.am), in a build with CUDA and shared libraries;
# reads rc_bindir and rc_libdir.
#   DEVICE_CODE         its name.  It is for the linker: libtool would leave scripts in place of the programs, and link them
#                       once more to install them.  The loader finds it by one of these, also in a tree that was moved
#   DEVICE_CODE_HERE    for a test: tests/ROOM/NAME of the build, or elsewhere
#   DEVICE_CODE_BESIDE  for one in the build or installed
#   DEVICE_CODE_BELOW   for a library, the same
#   DEVICE_CODE_STATIC  what a program names that links static libraries
AC_DEFUN([RC_DEVICE_CODE], [
DEVICE_CODE=; DEVICE_CODE_STATIC=; DEVICE_CODE_HERE=; DEVICE_CODE_BESIDE=; DEVICE_CODE_BELOW=
AS_IF([test $rc_have_cuda = yes && test "x$enable_shared" = xyes],
  [rc_from_bin=`realpath -m -s --relative-to="$rc_bindir" "$rc_libdir"`
   DEVICE_CODE='-Wl,--push-state,--no-as-needed,$(abs_top_builddir)/.libs/librowcast_kernels.so,--pop-state'
   DEVICE_CODE_HERE="-Wl,-rpath,'\$\$ORIGIN/../../.libs:\$(abs_top_builddir)/.libs'"
   DEVICE_CODE_BESIDE="-Wl,-rpath,'\$\$ORIGIN/.libs:\$\$ORIGIN/$rc_from_bin/rowcast'"
   DEVICE_CODE_BELOW="-Wl,-rpath,'\$\$ORIGIN:\$\$ORIGIN/rowcast'"
   DEVICE_CODE_STATIC='${libdir}/rowcast/librowcast_kernels.a -lrowcast_cuda'])
AC_SUBST([DEVICE_CODE])
AC_SUBST([DEVICE_CODE_STATIC])
AC_SUBST([DEVICE_CODE_HERE])
AC_SUBST([DEVICE_CODE_BESIDE])
AC_SUBST([DEVICE_CODE_BELOW])
])

AC_DEFUN([RC_CUDA], [
AC_REQUIRE([AC_CANONICAL_HOST])
AC_ARG_WITH([cuda],
  [AS_HELP_STRING([--with-cuda@<:@=DIR@:>@], [CUDA kernels, with the toolkit in DIR [auto: when one is found]])],
  [], [with_cuda=auto])
AC_ARG_WITH([cuda-arch],
  [AS_HELP_STRING([--with-cuda-arch=LIST], [GPU architectures, e.g. 80,90, and PTX for those that come later [80 90 100 120, what nvcc accepts of them]])],
  [], [with_cuda_arch=default])
AC_ARG_VAR([NVCC], [CUDA compiler])
AC_ARG_VAR([NVCCFLAGS], [more flags for nvcc])
AC_ARG_VAR([NVCC_GENCODE], [-gencode flags for nvcc (default: from --with-cuda-arch)])
AC_ARG_VAR([CUDA_CFLAGS], [C preprocessor flags for CUDA (default: what nvcc uses)])
AC_ARG_VAR([CUDA_LIBS], [linker flags for CUDA (default: cuSPARSE and the runtime beside nvcc)])
rc_cuda_why=; rc_cuda_version=; rc_cuda_root=; rc_cuda_arch=$NVCC_GENCODE
rc_cuda_asked=no
AS_IF([test "x$with_cuda" = xno], [rc_cuda_why="--without-cuda"],
  [AS_IF([test "x$with_cuda" != xauto], [rc_cuda_asked=yes])
   _RC_CUDA_NVCC
   AS_IF([test -z "$rc_cuda_why"], [
     _RC_CUDA_FLAGS
     _RC_CUDA_LINK])
   AS_IF([test -z "$rc_cuda_why" && test -z "$NVCC_GENCODE"], [_RC_CUDA_ARCH],
     [test -z "$rc_cuda_why"],
       [NVCC_GENCODE_EACH=$NVCC_GENCODE
        _RC_CUDA_PROBE([$NVCC_GENCODE], [], [rc_cuda_why="$NVCC does not compile with $NVCC_GENCODE; see config.log"])])])
AS_IF([test -z "$rc_cuda_why"],
  [# the management library of the driver is opened at run time
   rc_save_LIBS=$LIBS
   AC_SEARCH_LIBS([dlopen], [dl])
   LIBS=$rc_save_LIBS
   AS_IF([test "x$ac_cv_search_dlopen" != xno && test "x$ac_cv_search_dlopen" != "xnone required"],
     [CUDA_LIBS="$CUDA_LIBS $ac_cv_search_dlopen"])
   AC_DEFINE([HAVE_CUDA], [1], [Define to 1 to build the CUDA kernels])
   rc_cuda_summary="nvcc $rc_cuda_version in $rc_cuda_root, $rc_cuda_arch"],
  [test $rc_cuda_asked = yes],
    [AC_MSG_ERROR([--with-cuda=$with_cuda: $rc_cuda_why])],
  [rc_cuda_summary="no: $rc_cuda_why"; CUDA_CFLAGS=; CUDA_LIBS=; CUDA_RPATH=; rc_cuda_version=; rc_cuda_arch=])
AS_IF([test -z "$rc_cuda_why"], [rc_have_cuda=yes], [rc_have_cuda=no])
AC_SUBST([rc_have_cuda])
AC_SUBST([NVCC_GENCODE_EACH])
AC_SUBST([CUDA_RPATH])
AM_CONDITIONAL([HAVE_CUDA], [test -z "$rc_cuda_why"])
])
