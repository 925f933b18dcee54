#!/bin/sh
# rowcast report: the files that it makes, what they hold, and what it does with bad input.  A browser
# looks at the page in tests/report.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
# shellcheck source=tests/cli/model.sh
. "$top_srcdir/tests/cli/model.sh"
# shellcheck source=tests/report/stores.sh
. "$top_srcdir/tests/report/stores.sh"
$python -c 'import h5py, numpy' 2>/dev/null || skip_all "no python3 with h5py"
PYTHONPATH=$top_srcdir/tests/report
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
plan 81

store=$tmp/x.h5
out=$tmp/report
make_store "$store" || exit 99

# page CODE [DIR]: Python that sees the page as p
page()
{
    $python -c '
import sys
import page_of
p = page_of.Page(sys.argv[1] + "/index.html")
exec(sys.argv[2])' "${2:-$out}" "$1"
}

code "no output directory" 2 "$ROWCAST" report "$store"
code "no store" 3 "$ROWCAST" report "$tmp/none.h5" -o "$out"
code "an unknown model" 3 "$ROWCAST" report "$store" -o "$out" --model nothing
code "a flawed filter" 2 "$ROWCAST" report "$store" -o "$out" -w 'matrixx == 3'
is "it names the option" "$(grep -c -e --where "$tmp/err")" 1
code "a filter that nothing matches" 2 "$ROWCAST" report "$store" -o "$out" -w 'rows < 0'
is "says so" "$(grep -c "no result matches 'rows < 0'" "$tmp/err")" 1
ok "nothing was made so far" test ! -e "$out"
code "an asset that is not there" 3 env ROWCAST_ASSETS="$tmp/none" "$ROWCAST" report "$store" -q -o "$tmp/o2"
not_ok "half a report has no page" test -e "$tmp/o2/index.html"
echo text >"$tmp/file"
code "a file in place of the directory" 3 "$ROWCAST" report "$store" -q -o "$tmp/file"
is "it is left alone" "$(cat "$tmp/file")" text

mkdir "$out"
echo mine >"$out/notes.txt"
echo old >"$out/index.html"
code "a report" 0 "$ROWCAST" report "$store" -o "$out"
is "one line says what was made" "$(wc -l <"$tmp/out"):$(grep -c "^$out/index.html: .*90 results of 5 matrices" "$tmp/out")" 2:1
ok "the next one what the page opens with, and its numbers" python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
s = d["settings"][d["main"]]
said = open(sys.argv[2]).read().splitlines()[1]
assert s["label"] + ": " + s["answer"]["sentence"] in said, said
assert "Over the original order: %.3f (" % s["headline"]["plan"]["geomean_held_out"] in said, said' "$out/report.json" "$tmp/out"
ok "progress is on stderr" test -s "$tmp/err"
is "a file of somebody else is left alone" "$(cat "$out/notes.txt")" mine
is "no file is left over" "$(find "$out" -name '*.tmp*')" ""
ok "the page is whole, with one script that runs and no request" page '
tags = [t for t, a in p.tags]
assert p.source.startswith("<!doctype html>") and p.source.rstrip().endswith("</html>")
assert tags.count("script") == 3 and not set(tags) & {"iframe", "object", "embed", "base", "form", "img"}, tags
links = [a.get("href") or a.get("src") for t, a in p.tags if "href" in a or "src" in a]
assert links and all(x.startswith(("#", "figures/", "report.json", "data:")) for x in links), links
policy = [a["content"] for t, a in p.tags if a.get("http-equiv") == "Content-Security-Policy"]
assert policy and policy[0].startswith("default-src \x27none\x27;"), policy
assert "{{" not in p.source.split("<script")[0]'
ok "every file that it links is there" page '
import os
drawn = [f["folder"] + f["name"] for f in p.data["figures"] if f["missing"] is None]
files = ["figures/" + f["folder"] + f["name"] + ".csv" for f in p.data["figures"] if f["csv"]]
files += ["figures/" + name + kind for name in drawn for kind in (".svg", ".pdf")]
missing = [f for f in files + ["report.json"] if not os.path.getsize(os.path.join(sys.argv[1], f))]
assert files and not missing, missing
assert set(p.pictures["figures"]) == set(drawn)'
ok "the document beside the page is that of the page" page 'assert p.report == p.data and p.data["format"] == "rowcast report"'
ok "the times and plans are those of query" page '
import os
import numbers_of
d = p.data
rows = numbers_of.read_rows(os.environ["ROWCAST"], "'"$store"'")
arenas = numbers_of.arenas(rows, {numbers_of.key_of(a["label"]): a["reference"] for a in d["settings"]})
assert len(arenas) == len(d["settings"]) == 4 # two K, two layouts
def plan(r):
    return [r["kernel"], r["policy"]]
for a in d["settings"]:
    own = arenas[numbers_of.key_of(a["label"])]
    assert sorted(d["matrix"]["name"][m] for m in a["matrix"]) == sorted(own.pair)
    for i, m in enumerate(a["matrix"]):
        e = own.pair[d["matrix"]["name"][m]]
        for key, which in (("best_ns", "best"), ("csr_ns", "csr"), ("reference_csr_ns", "ref_csr"), ("reference_best_ns", "ref"), ("vendor_ns", "vendor")):
            assert (a[key][i] is None) == (e[which] is None), (key, i)
            assert e[which] is None or abs(a[key][i] / e[which]["t"] - 1) < 1e-5, (key, i, a[key][i], e[which]["t"])
        assert d["plans"][a["best_plan"][i]] == plan(e["best"]) and d["plans"][a["csr_plan"][i]] == plan(e["csr"])
        assert a["break_even"][i] == e["breakeven"], (i, a["break_even"][i], e["breakeven"])'
ok "every matrix has pictures, of at most 256 pixels" page '
spies = p.data["spies"]
assert spies == {} or set(spies) == set("01234"), spies.keys()
assert set(spies) == set(p.pictures["spies"])
import base64
for m, s in spies.items():
    assert 0 < s["width"] <= 256 and 0 < s["height"] <= 256
    pictures = p.pictures["spies"][m]
    assert all(base64.b64decode(x).startswith(b"\x89PNG") for x in pictures) and len(pictures) == 1 + (s["plan"] is not None)
assert spies or "libpng" in p.data["spies_note"]'

cp "$out/index.html" "$tmp/first.html"
"$ROWCAST" report "$store" -q -o "$out" >"$tmp/out" 2>"$tmp/err"
is "quiet" "$(cat "$tmp/err")" ""
ok "the same store gives the same page" cmp "$out/index.html" "$tmp/first.html"

"$ROWCAST" generate "uniform:n=60,mean=4,seed=999" -o "$tmp/col/G/m60.mtx" >/dev/null
rm "$tmp/col/G/m70.mtx"
"$ROWCAST" report "$store" -q -o "$out" >/dev/null
ok "a file that holds another matrix, or is gone, gives no picture" page '
if p.data["spies"]:
    assert set(p.data["spies"]) == {p.data["matrix"]["name"].index("G/m" + n).__str__() for n in ("80", "90", "100")}
    assert "1 without a file" in p.data["spies_note"] and "1 whose file holds another" in p.data["spies_note"], p.data["spies_note"]'
"$ROWCAST" report "$store" -q --spies 1 -o "$out" >/dev/null
ok "--spies limits them" page 'assert len(p.data["spies"]) <= 1, p.data["spies"].keys()'

# assets of another version: their scripts would read numbers that are not there
cp -r "$ROWCAST_ASSETS" "$tmp/assets" && rm "$tmp/assets/page/version.txt"
for version in 1 99; do
    [ $version = 1 ] || echo $version >"$tmp/assets/page/version.txt"
    code "assets of version $version" 3 "$ROWCAST" report "$store" -q --spies 0 --assets "$tmp/assets" -o "$tmp/two"
    is "are named, in one line of the page too" "$(grep -c -e "^rowcast report: --assets (or ROWCAST_ASSETS): .* version $version, .* version 3" "$tmp/err"):$(
        grep -c "The assets of this page are of version $version, its data of version 3" "$tmp/two/index.html"):$(grep -c '<script' "$tmp/two/index.html")" 1:1:0
done
ok "the numbers are there" python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["version"] == 3' "$tmp/two/report.json"

code "a filter" 0 "$ROWCAST" report "$store" -q -w 'name == m80 && k == 8' -o "$out"
ok "it is on the page, and one matrix is left" page '
assert p.data["where"] == "name == m80 && k == 8"
assert p.data["matrix"]["name"] == ["G/m80"] and len(p.data["settings"]) == 2'
code "without orders" 0 "$ROWCAST" report "$store" -q -w 'policy == csr' -o "$out"
ok "no kernel can be the reference" page '
assert all(s["reference"] is None and s["headline"]["order"] == {"matrices": 0, "geomean": None, "mean": None,
        "geomean_held_out": None, "geomean_held_out_low": None, "geomean_held_out_high": None, "over_5_percent": 0, "over_5_percent_held_out": 0,
        "clear": 0, "clear_loss": 0, "two_cards": 0} for s in p.data["settings"])'
edit_store "$store" "$tmp/sure.h5" 'change("results", "rel_err", lambda i, r: 0)'
code "times without an error" 0 "$ROWCAST" report "$tmp/sure.h5" -q -o "$out"
ok "what is held out is the plain figure" page '
for h in (s["headline"] for s in p.data["settings"]):
    for g in (h["order"], h["plan"]):
        assert g["geomean"] and abs(g["geomean_held_out"] / g["geomean"] - 1) < 1e-5, g'
edit_store "$store" "$tmp/ops.h5" '
change("results", "op", lambda i, r: r["kernel"] % 2)
change("results", "k", lambda i, r: 0 if r["op"] == 1 else r["k"])'
all=$("$ROWCAST" query "$tmp/ops.h5" -w 'status == ok' -f csv --columns case | tail -n +2 | wc -l)
code "several operations" 0 "$ROWCAST" report "$tmp/ops.h5" -o "$out"
ok "the report is of one and counts the other" page '
spmv, spmm = p.data["left_out"]["spmv"], p.data["results"]
assert p.data["op"] == "spmm" and spmv > 0 and spmm > 0 and all(s["k"] is not None for s in p.data["settings"])
open("'"$tmp/sum"'", "w").write(str(spmm + spmv))'
is "which is all" "$(cat "$tmp/sum")" "$all"
code "the other operation" 0 "$ROWCAST" report "$tmp/ops.h5" -q --op spmv -o "$out"
ok "has no K" page '
assert p.data["op"] == "spmv" and p.data["settings"] and all(s["k"] is None and "K = " not in s["label"] for s in p.data["settings"])'
code "an unknown operation" 2 "$ROWCAST" report "$tmp/ops.h5" -q --op spm -o "$out"
edit_store "$store" "$tmp/failed.h5" 'change("results", "status", lambda i, r: 4)'
code "without a result that is ok" 0 "$ROWCAST" report "$tmp/failed.h5" -q -o "$out"
ok "the document says so, and how the cases ended" page '
assert p.data["results"] == 0 and p.data["main"] is None and p.data["settings"] == [] and p.data["run"]["cases"] == {"failed": 90}'
edit_store "$store" "$tmp/vendor.h5" '
change("dict/kernel", "name", lambda i, r: b"cusparse-csr-col" if b"strip=4" in r["params"] else r["name"])'
code "with a vendor" 0 "$ROWCAST" report "$tmp/vendor.h5" -q -o "$out"
ok "it is compared with, in its layout alone, and is no plan" page '
for s in p.data["settings"]:
    own = s["layout"] == "column-major"
    assert s["headline"]["vendor"]["matrices"] == (5 if own else 0) and (s["vendor_ns"][0] is not None) == own, s["label"]
    assert not any(p.data["plans"][i][0].startswith("cusparse") for i in s["best_plan"])
    assert [l["kernel"] for l in s["answer"]["lacks"]] == (["cusparse-csr-col:alg=3:pre=0", "cusparse-coo-col:alg=1:pre=0"] if own else []), s["answer"]["lacks"]'

ok "it has one name in the document" page '
assert [s["library"] for s in p.data["settings"]] == ["cuSPARSE" if s["layout"] == "column-major" else None for s in p.data["settings"]]'
code "in that layout" 0 "$ROWCAST" report "$tmp/vendor.h5" -q -w 'layout == col' -o "$out"
is "it has the same name in what is said and in the figure" "$(grep -c 'the best plan is in geomean [a-z ]* \(than\|as\) the best of cuSPARSE\(, though the interval is wide\)*\. Over the best of cuSPARSE: ' "$tmp/out"):$(
    cut -d, -f1 "$out/figures/gain.csv" | sort -u | grep -c 'the best of cuSPARSE'):$(cat "$tmp/out" "$out/figures/gain.csv" | grep -c 'the library')" 1:1:0

# where the library alone has times, ours were measured, too
edit_store "$tmp/vendor.h5" "$tmp/only.h5" '
name = {v: k for k, v in h5py.check_enum_dtype(f["results"].dtype["status"]).items()}
noisy = next(k for k in name if name[k] == "noisy")
library = [i for i, x in enumerate(f["dict/kernel"][:]) if x["name"] == b"cusparse-csr-col"]
change("results", "status", lambda i, r: r["status"] if r["kernel"] in library else noisy)'
code "with noisy kernels beside a library" 0 "$ROWCAST" report "$tmp/only.h5" -q -o "$out"
ok "its kernels are the plans" page '
assert p.data["settings"] and all(s["vendor_alone"] and s["headline"]["noisy_csr"] == 0 for s in p.data["settings"]), p.data["settings"]'

# the library is twice as fast on three matrices, half as fast on one, and on the last as fast within the errors
edit_store "$tmp/vendor.h5" "$tmp/lost.h5" '
library = [i for i, x in enumerate(f["dict/kernel"][:]) if x["name"] == b"cusparse-csr-col"]
change("results", "rel_err", lambda i, r: 0.01)
change("results", "median_ns", lambda i, r: 2000 if r["kernel"] not in library else [1000, 1000, 1000, 4000, 2010][r["matrix"]])'
code "a library that wins and loses" 0 "$ROWCAST" report "$tmp/lost.h5" -q -w 'layout == col' -o "$out"
# gains and losses beyond the errors are those of the curve of the first figure
ok "clear gains and clear losses are counted" page '
import csv
import os
gain = p.data["settings"][p.data["main"]]["headline"]["vendor"]
with open(os.path.join(sys.argv[1], "figures", "gain.csv"), encoding="utf-8") as f:
    own = [r for r in csv.DictReader(f) if r["over what"] == "over the best of cuSPARSE"]
assert len(own) == gain["matrices"] == 5 and gain["clear"] == 1 and gain["clear_loss"] == 3, gain
assert gain["clear"] == sum(float(r["low (x)"]) > 1 for r in own) and gain["clear_loss"] == sum(float(r["high (x)"]) < 1 for r in own), gain'
edit_store "$store" "$tmp/cards.h5" "$two_cards"
code "plans and a library that two cards timed" 0 "$ROWCAST" report "$tmp/cards.h5" -q -w 'layout == col' -o "$out"
ok "are said to be, where they are compared" page '
for s in p.data["settings"]:
    assert [s["headline"][x]["two_cards"] for x in ("order", "plan", "vendor")] == [0, 0, 5], s["headline"]
assert ", 5 of 5 ratios of two GPUs. Over the original order: " in open("'"$tmp/out"'").read()
assert p.data["pairs"]["two_cards"] == 10, p.data["pairs"]'

# every order 2 % faster than csr, each time known to 5 %
edit_store "$store" "$tmp/noise.h5" '
csr = [i for i, x in enumerate(f["dict/policy"][:]) if x["name"] == b"csr"]
change("results", "rel_err", lambda i, r: 0.05)
change("results", "median_ns", lambda i, r: 1000 * (1 if r["policy"] in csr else 0.98))'
code "orders that gain less than the error" 0 "$ROWCAST" report "$tmp/noise.h5" -q -o "$out"
ok "are told as no gain, of the sum and of no matrix, and have nothing to pay" page '
for s in p.data["settings"]:
    h, text = s["headline"], s["answer"]["sentence"]
    assert h["plan"]["geomean"] > 1.01 and h["plan"]["geomean_held_out_low"] < 1, h
    assert not text.startswith("Reorder"), text
    assert h["plan"]["clear"] == h["order"]["clear"] == h["reordered"] == h["pays"] == 0 and h["break_even_median"] is None, h
    assert s["answer"]["lead_low"] is None or not s["answer"]["lead_low"] > 1, s["answer"]
    assert " or " in text or "is the only " in text, text'
edit_store "$store" "$tmp/sure.h5" '
csr = [i for i, x in enumerate(f["dict/policy"][:]) if x["name"] == b"csr"]
change("results", "rel_err", lambda i, r: 0.001)
change("results", "median_ns", lambda i, r: 1000 * (1 if r["policy"] in csr else 0.9) * (1 + (r["kernel"] == 0)))'
code "orders that gain more than the error" 0 "$ROWCAST" report "$tmp/sure.h5" -q -o "$out"
ok "gain on all matrices" page '
import math
for s in p.data["settings"]:
    h, text = s["headline"], s["answer"]["sentence"]
    after = ", after {:,} products in the median".format(math.ceil(h["break_even_median"]))
    assert text.startswith(f"Reorder: it pays{after};") and h["plan"]["clear"] == h["plan"]["over_5_percent_held_out"] == h["reordered"] == 5, (text, h)
    assert " or " not in text, text'
# of two kernels of a layout one on two matrices alone
edit_store "$store" "$tmp/few.h5" '
kernel = {i for i, x in enumerate(f["dict/kernel"][:]) if b"strip=4" in x["params"]}
name = {i: b"rare" if i in kernel else x["name"] for i, x in enumerate(f["dict/kernel"][:])}
change("dict/kernel", "name", lambda i, r: name[i])
change("results", "status", lambda i, r: 4 if r["kernel"] in kernel and r["matrix"] > 1 else r["status"])'
code "a kernel that few matrices have" 0 "$ROWCAST" report "$tmp/few.h5" -q -o "$out"
ok "is none that the other is alone without" page '
said = {s["layout"]: s["answer"]["sentence"] for s in p.data["settings"]}
assert "; of 2 column-major kernels cstat alone ran on nearly all matrices;" in said["column-major"], said
assert "; rowsplit is the only row-major kernel that was measured, in 3 row orders;" in said["row-major"], said'

# orders on two of five matrices, all of them 10 % faster; one time of these is known without an error
edit_store "$tmp/sure.h5" "$tmp/two.h5" '
csr = [i for i, x in enumerate(f["dict/policy"][:]) if x["name"] == b"csr"]
change("results", "status", lambda i, r: 4 if r["policy"] not in csr and r["matrix"] > 1 else r["status"])
change("results", "median_ns", lambda i, r: 900 if r["policy"] in csr and r["matrix"] == 0 else r["median_ns"])'
code "orders of two matrices" 0 "$ROWCAST" report "$tmp/two.h5" -q -o "$out"
ok "are told of these alone" page '
import sentences
sentences.check(p.data)
for s in p.data["settings"]:
    h, text = s["headline"], s["answer"]["sentence"]
    assert ", on the 2 of 5 matrices with times of the original order and another; " in text, text
    assert [h[x]["matrices"] for x in ("order", "plan")] == [2, 2] and h["matrices"] == 5, h
    assert abs(h["plan"]["geomean"] - (1 / 0.9) ** 0.5) < 1e-4, h'
ok "and drawn of these alone, hollow where no interval is" page '
import csv
import os
with open(os.path.join(sys.argv[1], "figures", "gain.csv"), encoding="utf-8") as f:
    own = [r for r in csv.DictReader(f) if r["over what"] == "over the best kernel in the original order"]
assert [r["low (x)"] == r["high (x)"] for r in own] == [True, False], own
caption = [f["caption"] for f in p.data["figures"] if f["name"] == "gain" and f["home"]]
assert len(caption) == 1 and caption[0].endswith(" Hollow points have none: both times are one, or neither varied."), caption'

write_model log_ns >"$tmp/model.json"
code "a model of another device" 0 "$ROWCAST" report "$store" -q --model "$tmp/model.json" -o "$out"
ok "the document says why it has no choices" page 'assert p.data["model"]["no_choices"] and "choice" not in p.data["settings"][0]'

edit_store "$store" "$tmp/hostile.h5" "$hostile"
code "names that are markup" 0 "$ROWCAST" report "$tmp/hostile.h5" -q -o "$out"
ok "they are text" page '
tags = [t for t, a in p.tags]
assert tags.count("script") == 3 and "img" not in tags, tags
assert not [a for t, a in p.tags if any(k.startswith("on") for k in a)]
bad = "<script>alert(1)</script>\"\x27&"
assert bad in p.data["matrix"]["name"] and "G/a\u2028b\x01" in p.data["matrix"]["name"]
assert p.data["run"]["runs"][0]["git"] == bad[:63]
json_parts = [part.split("</script>")[0] for part in p.source.split("application/json")[1:]]
assert len(json_parts) == 2 and not [c for c in "<\u2028" if any(c in part for part in json_parts)]
assert p.source.count("alert(1)</script>") == 0'
"$ROWCAST" sweep --device cpu --threads 1 --share-device --timing shared --case-time 0.0005 --max-reps 7 -q \
    --store "$tmp/one.h5" --collection "$tmp/col" --where 'name == m80' --k 8 --orders csr --kernels rowsplit >"$tmp/sweep" 2>&1
code "one matrix, one kernel, one order, one K" 0 "$ROWCAST" report "$tmp/one.h5" -q -o "$out"
ok "the answer is about it" page '
h = p.data["settings"][0]["headline"]
assert h["matrices"] == 1 and p.data["plans"] == [["rowsplit", "csr"]], p.data["plans"]'

# an op and a precision that are none, as of a damaged file
edit_store "$store" "$tmp/damaged.h5" '
change("results", "precision", lambda i, r: 77)
change("results", "op", lambda i, r: 99)'
code "numbers that name nothing kill no report" 0 "$ROWCAST" report "$tmp/damaged.h5" -q -o "$out"

# symmetric orders have a setting of their own, without the matrices that none is of
mkdir -p "$tmp/sym/G"
"$ROWCAST" generate mesh2d:n=20 -o "$tmp/sym/G/mesh.mtx" >/dev/null
printf '%%%%MatrixMarket matrix coordinate real general\n4 3 3\n1 1 1\n2 2 1\n4 3 2\n' >"$tmp/sym/G/tall.mtx"
"$ROWCAST" sweep --device cpu --threads 1 --share-device --timing shared --case-time 0.0005 --max-reps 7 -q --op spmv \
    --store "$tmp/sym.h5" --collection "$tmp/sym" --orders csr,rcm --kernels merge >"$tmp/sweep" 2>&1
code "symmetric orders of some matrices" 0 "$ROWCAST" report "$tmp/sym.h5" -q -o "$out"
ok "are what the page opens with" grep -q 'x and y in symmetric order: ' "$tmp/out"
ok "and no setting denies them" page '
said = [s["answer"]["sentence"] for s in p.data["settings"]]
assert len(said) == 2 and not [x for x in said if "No other row order" in x], said
assert [x for x in said if "were measured at fp32, spmv, x and y in symmetric order;" in x], said'

published=$top_srcdir/data/results/h200.h5
if [ -f "$published" ]; then
    code "under a filter, with the model of that store" 0 "$ROWCAST" report "$published" -q --spies 0 \
        -w 'k == 128 && precision == fp32' --model "$top_srcdir/data/models/h200-plan.json" -o "$out"
    ok "choices on seen matrices are said to be such" page 'assert p.data["model"]["fitted_here"] == 1'
    ok "and of how many matrices the break-even is" page '
h = p.data["settings"][0]["headline"]
assert 0 < h["pays"] <= h["reordered"] and h["break_even_median"] > 0, h'
    code "a filter without the original order" 0 "$ROWCAST" report "$published" -q --spies 0 -w 'policy == lpt' -o "$out"
    ok "is not taken for orders that were not measured" page '
assert all(s["reference"] is not None and s["headline"]["order"]["matrices"] == 0 for s in p.data["settings"])'
else
    for i in 1 2 3 4 5; do skip "the published store ($i)" "no data/results/h200.h5"; done
fi
