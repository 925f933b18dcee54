# RC_OPTIONAL(OFF, NAME, PREFIX, PKG-CONFIG NAME, LIBRARY, HEADER, FUNCTION, WHAT, DEBIAN PACKAGE): a
# library that a part of the program stands on.  Sets PREFIX_CFLAGS, PREFIX_LIBS and the conditional
# HAVE_PREFIX; the variable OFF collects what is missing, why, and WHAT goes with it.
AC_DEFUN([RC_OPTIONAL], [
AC_ARG_WITH([$4], [AS_HELP_STRING([--without-$4], [leave out the $8])],
  [], [with_$4=check])
AC_ARG_VAR([$3_CFLAGS], [C compiler flags for $2])
AC_ARG_VAR([$3_LIBS], [linker flags for $2])
rc_have_$3=no
AS_IF([test "x$with_$4" = xno],
  [$1="$$1 $2 (--without-$4): no $8;"],
  [rc_save_CPPFLAGS=$CPPFLAGS; rc_save_LIBS=$LIBS
   AS_IF([test "x$$3_LIBS" = x],
     [AS_IF([$PKG_CONFIG --exists $4 2>/dev/null],
       [$3_CFLAGS=`$PKG_CONFIG --cflags $4`; $3_LIBS=`$PKG_CONFIG --libs $4`],
       [$3_LIBS="-l$5"])])
   CPPFLAGS="$CPPFLAGS $$3_CFLAGS"; LIBS="$$3_LIBS $LIBS"
   AC_MSG_CHECKING([for $2])
   AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <$6>]], [[return (void *)&$7 == 0;]])],
     [rc_have_$3=yes])
   AC_MSG_RESULT([$rc_have_$3])
   CPPFLAGS=$rc_save_CPPFLAGS; LIBS=$rc_save_LIBS
   AS_IF([test $rc_have_$3 = no],
     [$3_CFLAGS=; $3_LIBS=
      AS_IF([test "x$with_$4" = xyes], [AC_MSG_ERROR([$2 was asked for and does not link (Debian: $9)])])
      $1="$$1 $2 (Debian: $9): no $8;"])])
AM_CONDITIONAL([HAVE_$3], [test $rc_have_$3 = yes])
AS_IF([test $rc_have_$3 = yes], [AC_DEFINE([HAVE_$3], [1], [Define to 1 when $2 is there.])])
])
