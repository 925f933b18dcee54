#!/bin/sh
# Pages of small and odd stores in headless Chromium: every column sorts, rows open, nothing overflows, the
# console is silent, no request leaves, and names that are markup stay text.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
# shellcheck source=tests/report/stores.sh
. "$top_srcdir/tests/report/stores.sh"
# shellcheck source=tests/cli/model.sh
. "$top_srcdir/tests/cli/model.sh"
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

# says NAME LINE...: what a reader must see on the page
says()
{
    page_name=$1
    shift
    printf '%s\n' "$@" >"$tmp/$page_name/expected"
}

make_page small "$store"
says small 'of 5 matrices' 'no library was measured' 'best plan (kernel and order) over the best kernel in the original order' \
    'No case was noisy or failed.' '(no result of rs at K = ' \
    'One kernel for all' 'best order over original' '90 cases: 90 ok' 'sweep --device cpu'
make_page csr "$store" -w 'policy == csr'
says csr 'No other row order was measured' 'only results with policy == csr' 'whatever the filter'
make_page one "$store" -w 'name == m80 && k == 8 && kernel == rowsplit'
says one 'rowsplit is the only row-major kernel that was measured, in 3 row orders' 'Left out: what the filter keeps back. No case' 'of 1 matrix' 'name == m80 && k == 8 && kernel == rowsplit'
make_page failed "$tmp/failed.h5"
says failed 'There is no verified result' '90 cases: 90 failed' 'Left out: 90 failed of 90 cases.'
edit_store "$store" "$tmp/noisy.h5" '
name = {v: k for k, v in h5py.check_enum_dtype(f["results"].dtype["status"]).items()}
code = {name[k]: k for k in name}
change("results", "status", lambda i, r: code["noisy"] if i % 9 == 0 else code["failed"] if i % 30 == 1 else r["status"])'
make_page noisy "$tmp/noisy.h5"
says noisy 'Left out: 3 failed and 10 noisy of 90 cases.'
make_page taken "$tmp/noisy.h5" --noisy
says taken 'Left out: 3 failed of 90 cases. 10 noisy cases are taken for ok.'
edit_store "$store" "$tmp/noise.h5" '
name = {v: k for k, v in h5py.check_enum_dtype(f["results"].dtype["status"]).items()}
code = {name[k]: k for k in name}
csr = [i for i, p in enumerate(f["dict/policy"][:]) if p["name"] == b"csr"]
change("results", "status", lambda i, r: code["noisy"] if (r["matrix"] == 1) == (r["policy"] in csr) and r["matrix"] in (1, 2) else r["status"])'
make_page noise "$tmp/noise.h5"
says noise ', on the 3 of 5 matrices with times of the original order and another (on 1 the original order was noisy, on 1 the other orders);'
edit_store "$store" "$tmp/dense.h5" 'change("dict/kernel", "name", lambda i, r: b"cublas-dense-col" if b"strip=4" in r["params"] else r["name"])'
make_page dense "$tmp/dense.h5" -w 'layout == col'
says dense 'no sparse library was measured' 'cuBLAS, A dense, on 5 matrices: in no ratio'
make_page hostile "$tmp/hostile.h5"
says hostile "<script>alert(1)</script>\"'&: failed" '</script><img src=x onerror=alert(1)>'
edit_store "$store" "$tmp/vendor.h5" '
change("dict/kernel", "name", lambda i, r: b"cusparse-csr-col" if b"strip=4" in r["params"] else r["name"])'
make_page vendor "$tmp/vendor.h5"
says vendor 'best plan over the best of cuSPARSE' 'baseline lacks cusparse-csr-col:alg=3:pre=0, cusparse-coo-col:alg=1:pre=0'
edit_store "$store" "$tmp/cards.h5" "$two_cards"
make_page cards "$tmp/cards.h5" -w 'layout == col'
says cards '; 5 of the ratios are of two GPUs' 'ratios of two GPUs: 5 of best plan over cuSPARSE' 'times of several GPUs are compared'
edit_store "$store" "$tmp/alone.h5" 'change("dict/kernel", "name", lambda i, r: b"cusparse-csr-row")'
make_page alone "$tmp/alone.h5"
says alone 'cuSPARSE alone has times'
# names of orders and kernels that are as long as they get, which no figure may cut
edit_store "$store" "$tmp/long.h5" '
change("dict/policy", "params", lambda i, r: b"siglen=128:bsize=2:size=128:seed=1:sim_min=auto:window=8:pair_max=256" if i else r["params"])
change("dict/kernel", "params", lambda i, r: b"strip=auto:panel=0:longest=auto:pairs=auto:%d" % i)'
make_page long "$tmp/long.h5"
write_model log_ns >"$tmp/model.json"
make_page model "$store" --model "$tmp/model.json"
says model 'has no choices here'
set --
published=$top_srcdir/data/results/h200.h5
if [ -f "$published" ]; then
    make_page k128 "$published" --spies 0 -w 'k == 128 && precision == fp32' --model "$top_srcdir/data/models/h200-plan.json"
    says k128 'its fit has seen' 'whatever the filter' 'products until an order has paid'
    make_page gpu "$top_srcdir/data/results/h200-plans.h5" --spies 0 -w 'name == 1138_bus && k == 128'
    says gpu 'gchunk is the best single kernel; the best plan is faster than the best of cuSPARSE' 'K = 128, fp32, row-major (1 matrix)' \
        'best plan (kernel and order) over the best of cuSPARSE'
    make_page lpt "$published" --spies 0 -w 'policy == lpt'
    says lpt 'no matrix has times of the original order and another'
    set -- "choices on matrices that a fit has seen=$tmp/k128/index.html" "no original order=$tmp/lpt/index.html" \
        "one matrix of a GPU=$tmp/gpu/index.html"
fi
$python "$top_srcdir/tests/report/check_small.py" "a small store of a CPU=$tmp/small/index.html" \
    "a store without orders=$tmp/csr/index.html" "one matrix=$tmp/one/index.html" \
    "no result that is ok=$tmp/failed/index.html" "noisy and failed cases=$tmp/noisy/index.html" "noisy cases that are taken=$tmp/taken/index.html" "a noisy original order=$tmp/noise/index.html" "a dense product of a library=$tmp/dense/index.html" "names that are markup=$tmp/hostile/index.html" \
    "a vendor=$tmp/vendor/index.html" "a vendor of another card=$tmp/cards/index.html" "a vendor alone=$tmp/alone/index.html" "long names=$tmp/long/index.html" "a model of another device=$tmp/model/index.html" "$@"
