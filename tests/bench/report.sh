#!/bin/sh
# Usage: report.sh SOURCE BUILD: the report of a large store, and how its page feels in a browser where
# there is one.
source=$(cd "$1" && pwd) || exit 2
build=$(cd "$2" && pwd) || exit 2
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export tmp
ROWCAST_ASSETS=$source/analysis "$build/tests/bench/bench_report" "$tmp" || exit
if command -v chromedriver >/dev/null && command -v chromium >/dev/null; then
    PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$source/tests/report/measure_page.py" "$tmp/report/index.html"
else
    echo "no chromium with chromedriver: the page was not opened"
fi
