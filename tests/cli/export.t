#!/bin/sh
# rowcast export: the tables against 'rowcast query' and against the file itself, read with h5py; which
# folders it writes into.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
python=/usr/bin/python3 # of the distribution: the one that has h5py
$python -c 'import h5py' 2>/dev/null || skip_all "no python3 with h5py"
plan 34

store=$tmp/x.h5
mkdir -p "$tmp/col/G"
"$ROWCAST" generate 'uniform:n=60,mean=4' -o "$tmp/col/G/a.mtx" >/dev/null
"$ROWCAST" generate 'uniform:n=70,mean=4' -o "$tmp/col/G/b,\"c\".mtx" >/dev/null
echo nonsense >"$tmp/col/G/bad.mtx"
sweep()
{
    "$ROWCAST" sweep --device cpu --threads 1 --share-device --timing shared --case-time 0.0005 --max-reps 7 -q \
        --store "$store" --collection "$tmp/col" --k 8,16 --orders csr,lpt --kernels cstat:strip=1,rowsplit "$@"
}
sweep >"$tmp/log" 2>&1
sweep --redo 'k == 8' >>"$tmp/log" 2>&1

export_to() # export_to DIR OPTION...
{
    export_dir=$1
    shift
    "$ROWCAST" export "$store" --csv "$export_dir" "$@"
}

ok "a store is exported" export_to "$tmp/t"
"$ROWCAST" query "$store" --columns all -f csv >"$tmp/rows"
is "results are those of rowcast query" "$(cmp "$tmp/t/results.csv" "$tmp/rows" && wc -l <"$tmp/rows")" 17
"$ROWCAST" query "$store" --matrices --columns all -f csv >"$tmp/rows"
ok "sources are those of rowcast query --matrices" cmp "$tmp/t/sources.csv" "$tmp/rows"
is "the tables" "$(cd "$tmp/t" && printf '%s ' *.csv)" "columns.csv devices.csv features_cuts.csv features_heavy.csv features_hong.csv features_jiang.csv features_lane.csv \
features_mehrabi.csv features_nisa.csv features_regime.csv features_segments.csv features_shares.csv features_storage.csv kernels.csv matrices.csv orders.csv policies.csv provenance.csv results.csv runs.csv sources.csv "

ok "with --all and --samples" export_to "$tmp/all" --all --samples -q
"$ROWCAST" query "$store" --all --columns all -f csv >"$tmp/rows"
ok "older rows are there too" cmp "$tmp/all/results.csv" "$tmp/rows"
cat >"$tmp/check.py" <<'PY'
import csv
import os
import sys
import h5py

def plain(cell): # without the mark that keeps a spreadsheet from taking text for a formula
    return cell[1:] if cell[:1] == "'" and cell[1:2] in tuple("=+-@") else cell

store, folder, all_rows = sys.argv[1:]
tables = {}
for name in sorted(os.listdir(folder)):
    with open(os.path.join(folder, name), newline="") as f:
        tables[name[:-4]] = [{k: plain(v) for k, v in row.items()} for row in csv.DictReader(f, strict=True)]

def check(what, found, expected):
    print(f"{what}: {'same' if found == expected else f'{found!r} is not {expected!r}'}")

with h5py.File(store) as f:
    def text(row, name):
        return row[name].decode()
    def enum(rows, name):
        return {v: k for k, v in h5py.check_enum_dtype(rows.dtype[name]).items()}
    d = {n: f["dict/" + n][:] for n in ("matrix", "policy", "kernel", "device", "run", "message")}
    check("matrices", [(r["digest"], r["fullname"], int(r["rows"]), int(r["nnz"])) for r in tables["matrices"]],
        [(text(m, "digest"), text(m, "name"), m["rows"], m["nnz"]) for m in d["matrix"]])
    check("policies", [(r["policy"], int(r["policy_version"])) for r in tables["policies"]],
        [(text(p, "name"), p["version"]) for p in d["policy"]])
    check("kernels", [(r["kernel"], int(r["kernel_version"])) for r in tables["kernels"]],
        [(text(k, "name") + (":" + text(k, "params") if text(k, "params") else ""), k["version"]) for k in d["kernel"]])
    check("devices", [r["device"] for r in tables["devices"]], [text(x, "class_name") for x in d["device"]])
    states = enum(d["run"], "state")
    check("runs", [(r["run"], r["state"], int(r["started_ns"])) for r in tables["runs"]],
        [(text(x, "uuid"), states[x["state"]], x["started_ns"]) for x in d["run"]])
    values = {}
    for p in f["provenance"][:]:
        key = (text(d["run"][p["run"]], "uuid"), int(p["rank"]), text(p, "key"))
        values[key] = values.get(key, "") + text(p, "value")
    check("provenance", {(r["run"], int(r["rank"]), r["key"]): r["value"] for r in tables["provenance"]}, values)
    check("provenance has no key twice", len(tables["provenance"]), len(values))
    check("orders", [(r["digest"], r["policy"], r["run"], int(r["slots"]), int(r["order_ns"])) for r in tables["orders"]],
        [(text(d["matrix"][o["matrix"]], "digest"), text(d["policy"][o["policy"]], "name"),
            text(d["run"][o["run"]], "uuid"), o["slots"], o["order_ns"]) for o in f["orders"][:]])
    names = f["features/mehrabi/values"].attrs["names"]
    names = (names.decode() if isinstance(names, bytes) else names).split(",")
    expected = [(text(d["matrix"][r["matrix"]], "digest"), r["line"], *v)
        for r, v in zip(f["features/mehrabi/rows"][:], f["features/mehrabi/values"][:])]
    check("features", [(r["digest"], int(r["line"]), *(float(r[n]) for n in names)) for r in tables["features_mehrabi"]],
        expected)
    if all_rows == "1":
        samples = {}
        for r in tables["samples"]:
            samples.setdefault((r["run"], int(r["rank"]), int(r["seq"])), []).append(int(r["ns"]))
            assert int(r["sample"]) == len(samples[(r["run"], int(r["rank"]), int(r["seq"]))]) - 1
        check("samples", samples, {(text(d["run"][r["run"]], "uuid"), r["rank"], r["seq"]):
            list(f["samples"][r["sample_offset"]:r["sample_offset"] + r["reps"]]) for r in f["results"][:]})
        rows = {(r["run"], int(r["rank"]), int(r["seq"])): r for r in tables["results"]}
        check("a median of raw times", all(sorted(v)[len(v) // 2] / int(rows[k]["batch"]) == float(rows[k]["median_ns"])
            for k, v in samples.items() if len(v) % 2), True)
for name, rows in tables.items():
    if name == "columns":
        continue
    listed = [r["column"] for r in tables["columns"] if r["table"] == name]
    with open(os.path.join(folder, name + ".csv"), newline="") as f:
        check("columns of " + name, next(csv.reader(f)), listed)
check("no column without a meaning", [r for r in tables["columns"] if not r["meaning"]], [])
check("no table that is not there", set(r["table"] for r in tables["columns"]) - set(tables), set())
unit = {(r["table"], r["column"]): (r["type"], r["unit"]) for r in tables["columns"]}
check("types and units", (unit["results", "median_ns"], unit["results", "fullname"], unit["orders", "order_ns"],
    unit["features_mehrabi", "density"]), (("real", "ns"), ("text", ""), ("integer", "ns"), ("real", "1")))
PY
is "every table has what the file has" "$($python -W ignore "$tmp/check.py" "$store" "$tmp/t" 0 2>&1 | grep -v ': same$')" ""
is "with older rows and raw times too" \
    "$($python -W ignore "$tmp/check.py" "$store" "$tmp/all" 1 2>&1 | grep -v ': same$')" ""
is "that was looked at" "$($python -W ignore "$tmp/check.py" "$store" "$tmp/all" 1 | grep -c ': same$')" 35

ok "--where" export_to "$tmp/part" -q --samples -w 'k == 8 && policy == lpt'
"$ROWCAST" query "$store" -w 'k == 8 && policy == lpt' --columns all -f csv >"$tmp/rows"
ok "chooses results" cmp "$tmp/part/results.csv" "$tmp/rows"
is "and their raw times" "$(sed 1d "$tmp/part/samples.csv" | cut -d, -f1 | sort -u)" \
    "$("$ROWCAST" query "$store" -w 'k == 8 && policy == lpt' --columns case -f csv | sed 1d | sort)"
ok "and leaves other tables whole" cmp "$tmp/part/matrices.csv" "$tmp/t/matrices.csv"

# folders
ok "an earlier export is replaced" export_to "$tmp/all" -q
not_ok "and has no table of before" test -e "$tmp/all/samples.csv"
ok "but the others" cmp "$tmp/all/results.csv" "$tmp/t/results.csv"
mkdir "$tmp/empty" "$tmp/other"
ok "an empty folder is taken" export_to "$tmp/empty" -q
echo mine >"$tmp/other/results.csv"
echo mine >"$tmp/other/notes"
code "a folder with other files is refused" 2 "$ROWCAST" export "$store" --csv "$tmp/other"
is "and left as it was" "$(cat "$tmp/other/results.csv"; find "$tmp/other" -type f | wc -l)" "mine
2"
ok "--force takes it" export_to "$tmp/other" --force -q
is "and keeps what is not a table" "$(cat "$tmp/other/notes")" mine
printf 'table,column,type,unit,meaning\n../notes,a,text,,b\nnotes,a,text,,b\n' >"$tmp/other/columns.csv"
echo keep >"$tmp/notes.csv"
ok "an index that was tampered with" export_to "$tmp/other" -q
is "leads to no file outside of the folder" "$(cat "$tmp/notes.csv")" keep
is "temporary files are gone" "$(find "$tmp/t" "$tmp/all" "$tmp/other" -name '*tmp*' | wc -l)" 0
code "a missing --csv is a usage error" 2 "$ROWCAST" export "$store"
code "so is an expression that is none" 2 "$ROWCAST" export "$store" --csv "$tmp/n" -w 'k =='
code "a missing store is an input error" 3 "$ROWCAST" export "$tmp/no.h5" --csv "$tmp/n"
not_ok "and makes no folder" test -e "$tmp/n"
code "a folder that cannot be made is an error" 3 "$ROWCAST" export "$store" --csv "$tmp/no/n"
code "a file in its place too" 3 "$ROWCAST" export "$store" --csv "$store"
code "talk is on stderr" 0 "$ROWCAST" export "$store" --csv "$tmp/t"
is "one line a table" "$(grep -c 'rows$' "$tmp/err"):$(wc -c <"$tmp/out")" 20:0
code "and none with --quiet" 0 "$ROWCAST" export "$store" --csv "$tmp/t" -q
is "at all" "$(wc -c <"$tmp/err")" 0
