#!/bin/sh
# Pages of small and odd stores in headless Chromium: every column sorts, rows open, nothing overflows, the
# console is silent, no request leaves, and names that are markup stay text.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
# shellcheck source=tests/report/stores.sh
. "$top_srcdir/tests/report/stores.sh"
have_browser || skip_all "no chromium with chromedriver"
$python -c 'import h5py, numpy' 2>/dev/null || skip_all "no python3 with h5py"
PYTHONDONTWRITEBYTECODE=1
export tmp PYTHONDONTWRITEBYTECODE

store=$tmp/x.h5
make_store "$store" || exit 99
edit_store "$store" "$tmp/failed.h5" 'change("results", "status", lambda i, r: 4)'
edit_store "$store" "$tmp/hostile.h5" "$hostile"

# make_page NAME STORE OPTION...
make_page()
{
    page_name=$1
    shift
    "$ROWCAST" report "$@" -q -o "$tmp/$page_name" >"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 99; }
}

make_page small "$store"
make_page csr "$store" -w 'policy == csr'
make_page one "$store" -w 'name == m80 && k == 8 && kernel == rowsplit'
make_page failed "$tmp/failed.h5"
make_page hostile "$tmp/hostile.h5"
$python "$top_srcdir/tests/report/check_small.py" "a small store of a CPU=$tmp/small/index.html" \
    "a store without orders=$tmp/csr/index.html" "one matrix=$tmp/one/index.html" \
    "no result that is ok=$tmp/failed/index.html" "names that are markup=$tmp/hostile/index.html"
