# shellcheck shell=sh
# Sourced by the tests of the drop-in with fakes, after tests/env.sh: where their programs and the library are.

# shellcheck disable=SC2034  # for who sources this
here=${top_builddir:?}/tests/dropin
preloaded=$top_builddir/.libs/librowcast_cusparse.so
[ "$HAVE_CUDA" = yes ] || skip_all "a build without CUDA"
[ -e "$preloaded" ] || skip_all "no shared library in this build"
