# RC_CURL: libcurl, for rowcast fetch; optional.  Sets CURL_CFLAGS, CURL_LIBS and the conditional
# HAVE_CURL; rc_curl_summary says what was taken, or why there is nothing.
AC_DEFUN([RC_CURL], [
AC_ARG_WITH([curl],
  [AS_HELP_STRING([--without-curl], [leave out the download of matrices (rowcast fetch)])],
  [], [with_curl=check])
rc_have_curl=no
AS_IF([test "x$with_curl" = xno], [rc_curl_summary="no: --without-curl; rowcast fetch is left out"],
  [PKG_CHECK_MODULES([CURL], [libcurl >= 7.61],
     [rc_have_curl=yes
      rc_curl_summary="yes (libcurl `$PKG_CONFIG --modversion libcurl`)"],
     [CURL_CFLAGS=; CURL_LIBS=
      AS_IF([test "x$with_curl" = xyes],
        [AC_MSG_ERROR([libcurl 7.61 was asked for and is not there (Debian: libcurl4-openssl-dev)])])
      rc_curl_summary="no: libcurl 7.61 not found (Debian: libcurl4-openssl-dev); rowcast fetch is left out"])])
AM_CONDITIONAL([HAVE_CURL], [test $rc_have_curl = yes])
AC_SUBST([rc_have_curl])
])
