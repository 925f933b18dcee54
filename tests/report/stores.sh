# shellcheck shell=sh
# Sourced by the tests of the report, after tap.sh: small stores of a CPU.

ROWCAST_ASSETS=${top_srcdir:?}/analysis
export ROWCAST_ASSETS
python=/usr/bin/python3 # of the distribution: the one that has h5py

# have_browser: chromium, and what drives it
have_browser()
{
    command -v chromedriver >/dev/null && command -v chromium >/dev/null
}

# make_store FILE: five matrices, two K, three orders, three kernels; times that a seed decides
make_store()
{
    mkdir -p "${tmp:?}/col/G"
    for n in 60 70 80 90 100; do
        "$ROWCAST" generate "uniform:n=$n,mean=4,seed=$n" -o "$tmp/col/G/m$n.mtx" >/dev/null || return
    done
    "$ROWCAST" sweep --device cpu --threads 1 --share-device --timing shared --case-time 0.0005 --max-reps 7 -q \
        --store "$1" --collection "$tmp/col" --k 8,n --orders csr,lpt,dcsr \
        --kernels cstat:strip=1,cstat:strip=4,rowsplit >"$tmp/sweep" 2>&1 || { cat "$tmp/sweep"; return 1; }
    $python - "$1" <<'PY'
import random
import sys
import h5py
random.seed(7)
with h5py.File(sys.argv[1], "r+") as f:
    r = f["results"][:]
    for i in range(len(r)):
        r["median_ns"][i] = random.uniform(1000, 9000)
        r["order_ns"][i] = random.randrange(10**5)
    f["results"][:] = r
PY
    seal "$1"
}

# edit_store FROM TO CODE: a copy, changed by Python code that sees it as f
edit_store()
{
    cp "$1" "$2" && $python -c '
import sys
import h5py
import numpy as np

def change(path, field, f_of):
    "rows of a table with one field as f_of(row number, row) says"
    t = f[path][:]
    for i in range(len(t)):
        t[field][i] = f_of(i, t[i])
    f[path][:] = t

with h5py.File(sys.argv[1], "r+") as f:
    exec(sys.argv[2])
' "$2" "$3" && seal "$2"
}

# A store whose columns of kernels "strip=4" become cuSPARSE's, of a second rank on another GPU than the rest.
# shellcheck disable=SC2034  # for those who source this
two_cards='
change("dict/kernel", "name", lambda i, r: b"cusparse-csr-col" if b"strip=4" in r["params"] else r["name"])
library = [i for i, r in enumerate(f["dict/kernel"][:]) if b"strip=4" in r["params"]]
change("results", "rank", lambda i, r: r["kernel"] in library)
first, second = [i for i, r in enumerate(f["provenance"][:]) if r["key"] in (b"device.uuid", b"machine") and r["part"] == 0]
change("provenance", "key", lambda i, r: b"device.uuid" if i in (first, second) else r["key"])
change("provenance", "rank", lambda i, r: i == second)
change("provenance", "value", lambda i, r: {first: b"GPU-a", second: b"GPU-b"}.get(i, r["value"]))
'

# Names, kinds, places and words of a run that are markup; a line separator of Unicode among them.
# shellcheck disable=SC2034  # for those who source this
hostile='
bad = "<script>alert(1)</script>\"\x27&"
name = {0: bad, 1: "G/</script><img src=x onerror=alert(1)>", 2: "G/a\u2028b\x01", 3: "javascript:alert(1)//x", 4: "G/{{data}}-->"}
change("dict/matrix", "name", lambda i, r: name[i].encode())
change("dict/matrix", "kind", lambda i, r: (name[i] + " kind").encode())
change("dict/matrix", "ssid", lambda i, r: 1)
change("sources", "name", lambda i, r: name[r["matrix"]].encode())
change("sources", "status", lambda i, r: 4 if i == 0 else r["status"])
change("dict/device", "class_name", lambda i, r: (b"cpu:" + bad.encode() + b":x"))
change("dict/run", "git", lambda i, r: bad.encode())
change("provenance", "value", lambda i, r: bad.encode())
change("dict/kernel", "params", lambda i, r: (bad + str(i)).encode())
'
