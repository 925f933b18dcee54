# RC_PNG: libpng, for the images of matrices (rowcast spy, rowcast report); optional.  Sets PNG_CFLAGS,
# PNG_LIBS and the conditional HAVE_PNG; rc_png_summary says what was taken, or why there is nothing.
AC_DEFUN([RC_PNG], [
AC_ARG_WITH([png],
  [AS_HELP_STRING([--without-png], [leave out images of matrices (rowcast spy, rowcast report)])],
  [], [with_png=check])
rc_have_png=no
AS_IF([test "x$with_png" = xno], [rc_png_summary="no: --without-png; images of matrices are left out"],
  [PKG_CHECK_MODULES([PNG], [libpng >= 1.6],
     [rc_have_png=yes
      rc_png_summary="yes (libpng `$PKG_CONFIG --modversion libpng`)"],
     [PNG_CFLAGS=; PNG_LIBS=
      AS_IF([test "x$with_png" = xyes],
        [AC_MSG_ERROR([libpng 1.6 was asked for and is not there (Debian: libpng-dev)])])
      rc_png_summary="no: libpng 1.6 not found (Debian: libpng-dev); images of matrices are left out"])])
AM_CONDITIONAL([HAVE_PNG], [test "x$rc_have_png" = xyes])
])
