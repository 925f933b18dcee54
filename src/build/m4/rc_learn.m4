# RC_LEARN: what the trainers stand on, each one optional: OpenBLAS (mlp, softmax, ensemble, regret),
# XGBoost, LIBSVM.  Sets CBLAS_*, XGBOOST_*, LIBSVM_* and the conditionals HAVE_CBLAS,
# HAVE_XGBOOST, HAVE_LIBSVM; rc_learn_summary says what is missing and what goes with it.
AC_DEFUN([RC_LEARN], [
rc_learn_off=
RC_LEARN_ONE([OpenBLAS], [CBLAS], [openblas], [openblas], [cblas.h], [cblas_dgemm],
  [mlp, softmax, ensemble, regret], [libopenblas-dev])
RC_LEARN_ONE([XGBoost], [XGBOOST], [xgboost], [xgboost], [xgboost/c_api.h], [XGBoosterUpdateOneIter],
  [xgboost, xgboost-class, xgboost-loss, tree], [libxgboost-dev])
RC_LEARN_ONE([LIBSVM], [LIBSVM], [libsvm], [svm], [libsvm/svm.h], [svm_train],
  [svm], [libsvm-dev])
AS_IF([test -z "$rc_learn_off"], [rc_learn_summary="all (OpenBLAS, XGBoost, LIBSVM)"],
  [rc_learn_summary="without$rc_learn_off"])
])

# RC_LEARN_ONE(NAME, PREFIX, PKG-CONFIG NAME, LIBRARY, HEADER, FUNCTION, TRAINERS, DEBIAN PACKAGE)
AC_DEFUN([RC_LEARN_ONE], [
AC_ARG_WITH([$3], [AS_HELP_STRING([--without-$3], [leave out the trainers $7])],
  [], [with_$3=check])
AC_ARG_VAR([$2_CFLAGS], [C compiler flags for $1])
AC_ARG_VAR([$2_LIBS], [linker flags for $1])
rc_have_$2=no
AS_IF([test "x$with_$3" = xno],
  [rc_learn_off="$rc_learn_off $1 (--without-$3): no $7;"],
  [rc_save_CPPFLAGS=$CPPFLAGS; rc_save_LIBS=$LIBS
   AS_IF([test "x$$2_LIBS" = x],
     [AS_IF([$PKG_CONFIG --exists $3 2>/dev/null],
       [$2_CFLAGS=`$PKG_CONFIG --cflags $3`; $2_LIBS=`$PKG_CONFIG --libs $3`],
       [$2_LIBS="-l$4"])])
   CPPFLAGS="$CPPFLAGS $$2_CFLAGS"; LIBS="$$2_LIBS $LIBS"
   AC_MSG_CHECKING([for $1])
   AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <$5>]], [[return (void *)&$6 == 0;]])],
     [rc_have_$2=yes])
   AC_MSG_RESULT([$rc_have_$2])
   CPPFLAGS=$rc_save_CPPFLAGS; LIBS=$rc_save_LIBS
   AS_IF([test $rc_have_$2 = no],
     [$2_CFLAGS=; $2_LIBS=
      AS_IF([test "x$with_$3" = xyes], [AC_MSG_ERROR([$1 was asked for and does not link (Debian: $8)])])
      rc_learn_off="$rc_learn_off $1 (Debian: $8): no $7;"])])
AM_CONDITIONAL([HAVE_$2], [test $rc_have_$2 = yes])
AS_IF([test $rc_have_$2 = yes], [AC_DEFINE([HAVE_$2], [1], [Define to 1 when $1 is there.])])
])
