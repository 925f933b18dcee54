#!/bin/sh
# rowcast generate: lists, files, and errors.
dir=$(mktemp -d) || { echo 'Bail out! no scratch folder'; exit 1; }
trap 'rm -rf "$dir"' EXIT
n=0
check() { # check RESULT DESCRIPTION
    n=$((n + 1))
    if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}
echo 1..13

"$ROWCAST" generate --list >"$dir/list"
check $? 'lists'
grep -q '^mesh3d .*unknowns per node' "$dir/list" && grep -q '^mesh3d-20 ' "$dir/list"
check $? 'the list has parameters and the built-in set'
[ "$("$ROWCAST" generate --list-set --format csv | wc -l)" -ge 31 ]
check $? 'the built-in set has at least 30 matrices'
"$ROWCAST" generate mesh2d:n=9 -o "$dir/a.mtx" >"$dir/out" && grep -q '81 *81 *369' "$dir/out"
check $? 'prints the size'
"$ROWCAST" generate mesh2d:n=9,seed=1 -o "$dir/b.mtx" >/dev/null \
    && [ "$(sed 1,2d "$dir/a.mtx" | cksum)" = "$(sed 1,2d "$dir/b.mtx" | cksum)" ]
check $? 'the default seed is 1'
"$ROWCAST" generate mesh2d-100 -o "$dir/c.mtx" >/dev/null && sed -n 4p "$dir/c.mtx" | grep -q '^10000 10000 49600$'
check $? 'makes a matrix of the built-in set'
"$ROWCAST" generate mesh2dd 2>"$dir/err" >"$dir/out"
[ $? -eq 2 ] && grep -q "did you mean 'mesh2d'" "$dir/err" && [ ! -s "$dir/out" ]
check $? 'a wrong name is a usage error with a suggestion'
"$ROWCAST" generate mesh2d -o "$dir/no/such/x.mtx" >/dev/null 2>"$dir/err"
[ $? -eq 3 ] && grep -q 'no/such/x.mtx' "$dir/err"
check $? 'a file that cannot be written is an error that names it'
"$ROWCAST" generate --list --format json >/dev/null 2>&1
[ $? -eq 2 ]
check $? 'two tables are not one JSON document'
"$ROWCAST" generate --list-generators | grep -q '^all .*shuffle .*none, rows, cols, both'
check $? 'the list ends in the keys of all generators'
"$ROWCAST" generate road:n=500,shuffle=both,entries=1100 -o "$dir/d.mtx" >"$dir/out" \
    && grep -q '500 *500 *1100' "$dir/out" && sed -n 4p "$dir/d.mtx" | grep -q '^500 500 1100$'
check $? 'entries are exact'
"$ROWCAST" generate mesh2d:n=9 -o - >"$dir/stdout.mtx" 2>"$dir/err" && cmp -s "$dir/a.mtx" "$dir/stdout.mtx" \
    && grep -q '81 *81 *369' "$dir/err"
check $? 'to stdout it is the same file, and the size is on stderr'
(cd "$dir" && "$ROWCAST" order a.mtx -p lpt --rows - >rows 2>err && grep -c '^[0-9]' rows | grep -q '^81$' && [ ! -e ./- ])
check $? 'so is an order'
