# shellcheck shell=sh
# Sourced by the tests of the Python module, after tests/env.sh.

# python_that CODE WHAT: sets python to the first one where CODE runs, and has it find the module and the
# libraries of this build; else all is skipped, for there is no Python with WHAT
python_that()
{
    python=
    for word in /usr/bin/python3 python3; do
        if "$word" -c "$1" 2>/dev/null; then
            python=$word
            break
        fi
    done
    [ "$python" ] || skip_all "no Python $2"
    [ -e "${top_builddir:?}/.libs/librowcast.so.1" ] || skip_all "no shared library in this build"
    PYTHONPATH=${top_srcdir:?}/src/python${PYTHONPATH:+:$PYTHONPATH}
    PYTHONDONTWRITEBYTECODE=1
    ROWCAST_LIBRARY_DIR=$top_builddir/.libs
    LD_LIBRARY_PATH=$top_builddir/.libs:$LD_LIBRARY_PATH
    export PYTHONPATH PYTHONDONTWRITEBYTECODE ROWCAST_LIBRARY_DIR LD_LIBRARY_PATH
}
