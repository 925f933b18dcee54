#!/bin/sh
# The rule that is compiled into plans has the speed that it had when it was fitted, on the published
# stores: the share of the best candidate, in geometric mean for each K and value type.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
results=$top_srcdir/data/results
says=${top_builddir:?}/tests/cli/guess_says
[ -f "$results/h200-plans.h5" ] || skip_all "no data/results/h200-plans.h5"
[ -x "$says" ] || skip_all "no $says"
python=
for p in python3 /usr/bin/python3; do
    "$p" -c 'import h5py, numpy' 2>/dev/null && python=$p
done
[ -n "$python" ] || skip_all "no Python with NumPy and h5py"
plan 4

ok "the rule answers" "$python" "$top_srcdir/jobs/guess.py" "$ROWCAST" --results "$results" --of "$says"
cp "$tmp/tap.out" "$tmp/table"
is "it knows rows, values of 2 bytes, columns and vectors" \
    "$(awk -F '[| ]+' 'NR > 1 { n[$2]++ } END { print n["rows"], n["shorts"], n["columns"], n["vector"] }' "$tmp/table")" "10 9 6 2"
is "each kind of problem has .97 of the best, where there are some" \
    "$(awk -F ' *[|] *' 'NR > 1 && $4 >= 10 && !($5 >= .97)' "$tmp/table")" ""
is "a folder without the stores is refused in a line" \
    "$("$python" "$top_srcdir/jobs/guess.py" "$ROWCAST" --results "$tmp" --check 2>&1; echo $?)" \
    "guess.py: --results: expected h200-plans.h5 in $tmp, found none
1"
