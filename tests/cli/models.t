#!/bin/sh
# The pretrained models: each can be read by its name from where it is installed, was fitted on the
# published store as it is now, and has the evaluation that its README gives.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
models=$top_srcdir/data/models
store=$top_srcdir/data/results/h200.h5
[ -f "$models/h200-plan.json" ] || skip_all "no data/models"
command -v python3 >/dev/null || skip_all "no python3"
plan 37
ROWCAST_MODELS=$models
export ROWCAST_MODELS

# get FILE EXPRESSION: of the JSON object x
get()
{
    python3 -c 'import json, sys
x = json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$1" "$2"
}

for name in paper order plan plan-row plan-col; do
    case $name in plan-*) store=$top_srcdir/data/results/h200-plans.h5 ;; esac
    [ "$name" = paper ] && k=n || k=128
    code "$name: a choice for a built-in matrix" 0 "$ROWCAST" predict rmat-14 --model "h200-$name" --k "$k" -f json
    ok "$name: it names the device, and a class for which a time was predicted" python3 -c '
import json, sys
x = json.load(open(sys.argv[1]))
text = json.dumps(x)
assert "H200" in text and "csr" in text, text' "$tmp/out"
    # --seen: all rows were seen in the end, but here only the digest of the data counts
    code "$name: the store has the rows that it was fitted on" 0 \
        "$ROWCAST" evaluate "$store" --model "h200-$name" --seen -q -f json
    is "$name: all of them" "$(get "$tmp/out" 'x["all"]["rows"]')" "$(get "$models/h200-$name.json" 'x["training"]["rows"]')"
    # shellcheck disable=SC2016  # the quotes are markdown's
    is "$name: README has its gain and its share of the oracle" \
        "$(get "$models/h200-$name.json" '"| `h200-%s` | %.1f | %.1f |" % ("'$name'", 100 * x["evaluation"]["all"]["gain_recovered"]["value"], 100 * x["evaluation"]["all"]["geomean_speedup_of_oracle_share"]["value"])')" \
        "$(grep -oE "^\| .h200-$name. \| [0-9.]+ \| [0-9.]+ \|" "$models/README.md")"
done
for layout in row col; do
    is "plan-$layout: README has the least speedup over cuSPARSE, which every row has" \
        "$(get "$models/h200-plan-$layout.json" '"%.2f of %d" % (x["evaluation"]["all"]["speedup_over_library"]["min"], x["training"]["rows"])')" \
        "$(sed -n "s/^| .h200-plan-$layout., chosen .*, \([0-9.]*\) | 0.90 |\$/\1/p" "$models/README.md") of $(get "$models/h200-plan-$layout.json" 'x["evaluation"]["all"]["speedup_over_library"]["rows"]')"
done
code "an unknown model is refused, and those there are named" 3 "$ROWCAST" predict rmat-14 --model nothing --k 8

# of those that fit, the one for the layouts that are asked for, whatever was fitted for orders alone
for layouts in row col row,col; do
    case $layouts in row,col) name=h200-plan ;; *) name=h200-plan-$layouts ;; esac
    "$ROWCAST" predict rmat-14 --k 32 --layouts "$layouts" --device 'cuda:NVIDIA H200:*' -f json >"$tmp/named" 2>"$tmp/err"
    is "$layouts: $name" "$(basename "$(get "$tmp/named" 'x["rows"][0]["model"]')" .json)" "$name"
done
code "without layouts that of rows" 0 "$ROWCAST" predict rmat-14 --k 32 --device 'cuda:NVIDIA H200:*'
ok "is taken" grep -q '^model   h200-plan-row.json: ' "$tmp/out"
code "without a word there is one" 0 "$ROWCAST" predict rmat-14
is "for four K" "$(grep -cE '^K = (8|32|128|512): (Keep|Reorder)' "$tmp/out")" 4
code "and for vectors" 0 "$ROWCAST" predict rmat-14 --op spmv
ok "one" grep -q '^Keep the order: ' "$tmp/out"
