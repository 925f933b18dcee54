#!/bin/sh
# The page of a report in headless Chromium: that of the published store with a model, tried by mouse and
# keyboard, its numbers against rowcast query; its pictures are left in tests/report/shots of the build.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
# shellcheck source=tests/report/stores.sh
. "$top_srcdir/tests/report/stores.sh"
store=$top_srcdir/data/results/h200.h5
[ -f "$store" ] || skip_all "no data/results/h200.h5"
have_browser || skip_all "no chromium with chromedriver"
[ -x "$python" ] || skip_all "no $python"
collection=${ROWCAST_SHARED:-$top_srcdir/../shared}/matrices
PYTHONDONTWRITEBYTECODE=1
export tmp PYTHONDONTWRITEBYTECODE

set -- # the pictures of real matrices when they are there
[ ! -d "$collection" ] || set -- --collection "$collection"
"$ROWCAST" report "$store" --model "$top_srcdir/data/models/h200-plan.json" "$@" -q -o "$tmp/report" >"$tmp/log" 2>&1 \
    || { cat "$tmp/log"; exit 99; }
$python "$top_srcdir/tests/report/check_page.py" "$ROWCAST" "$store" "$tmp/report/index.html" "${top_builddir:?}/tests/report/shots"
