# RC_WARN_FLAGS: WARN_CFLAGS = those of the project's warning flags that the compiler takes.
AC_DEFUN([RC_WARN_FLAGS], [
AC_LANG_PUSH([C])
WARN_CFLAGS=
rc_save_CFLAGS=$CFLAGS
for rc_flag in -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla; do
  AC_MSG_CHECKING([whether $CC takes $rc_flag])
  CFLAGS="$rc_save_CFLAGS -Werror $rc_flag"
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[]], [[]])],
    [AC_MSG_RESULT([yes]); WARN_CFLAGS="$WARN_CFLAGS $rc_flag"], [AC_MSG_RESULT([no])])
done
CFLAGS=$rc_save_CFLAGS
# of these names clang means more than gcc does
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#ifndef __clang__
#error another compiler
#endif]], [[]])],
  [WARN_CFLAGS="$WARN_CFLAGS -Wno-sign-conversion -Wno-missing-field-initializers -Wno-string-plus-int"])
AC_SUBST([WARN_CFLAGS])
AC_LANG_POP([C])
])
