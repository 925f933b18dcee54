# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # the variables are those of campaign.sh
# Sourced by campaign.sh: the parts of the comparison of orders and kernels, plans, bench and scale.

# published: the kernel of the paper.  ours: what else is measured under all orders.  tuning: further
# parameters, in the original order.  vendor: all of the library, in the original order.  vendor_best:
# its usually fastest ones, under all orders.  vendor_few: without those that hardly ever win.
case $device in
cuda)
    published=gstat:strip=8
    ours=gsub:lanes=8:strip=8,growmajor
    tuning=gstat:strip=1..16,gsub:lanes=2..16:strip=8,gsub:lanes=4..8:strip=16
    vendor="cusparse-csr-row:alg=0..3:pre=0..1,cusparse-csr-col:alg=0..3:pre=0..1,cusparse-coo-*:alg=0..4,cusparse-bsr-*:alg=0..1"
    vendor_best=cusparse-csr-row:alg=3:pre=1,cusparse-coo-row:alg=4
    vendor_few="cusparse-csr-row:alg=0..3,cusparse-csr-col:alg=0..3,cusparse-csr-row:alg=3:pre=1,cusparse-csr-col:alg=3:pre=1,cusparse-coo-*:alg=1,cusparse-coo-*:alg=4"
    ;;
cpu)
    published=cstat:strip=4
    ours=cstat:strip=8
    tuning=cstat:strip=1..8
    vendor=rowsplit
    vendor_best=rowsplit
    vendor_few=rowsplit
    ;;
*) die 2 "--device: expected cuda or cpu, found '$device'" ;;
esac
# cuSPARSE's algorithms of CSR and COO in both layouts, with preprocessing
baseline=cusparse-csr-row:alg=1..3:pre=0,cusparse-csr-col:alg=1..3:pre=0,cusparse-csr-row:alg=3:pre=1,cusparse-csr-col:alg=3:pre=1
baseline+=',cusparse-coo-*:alg=1..4'
[[ $device == cuda ]] || baseline=rowsplit
library='cusparse*'
library_col='cusparse-*-col*'
[[ $device == cuda ]] || library=rowsplit library_col=rowsplit
# orders that take milliseconds for millions of rows
fast_orders=csr,dcsr,plain,flipped,lpt

# not_ok STORE: how many cases have which status, and why
not_ok()
{
    query "$1" --format csv --columns status,kernel,phase,message --where 'status != ok' \
        | sed 1d | sort | uniq -c | sort -rn | sed -n '1,30p'
}

part_smoke()
{
    local to=${store%.h5}-smoke.h5
    "${run[@]}" rowcast info -f csv | grep -E '^(build|library|device|gpu)' || true
    sweep "smoke: every kernel and order" "$to" 1 --orders all --k 8,n --limit 8 \
        --where 'present && square && rows <= 5000 && nnz > 1000' \
        --kernels "$published,$ours,$tuning,$vendor"
    if ((dry)); then return; fi
    query "$to" --summary best --top 5
    say "not ok:"
    not_ok "$to"
}

# the matrices of the paper, and those of the built-in set that are as large
small='present && square && rows <= 30000 && group != wide'

part_paper()
{
    sweep "paper: the published kernel" "$store" 1 --where "$small" --k n --orders all \
        --kernels "$published"
    sweep "paper: other kernels" "$store" 1 --where "$small" --k n --orders all --kernels "$ours"
    sweep "paper: the library under all orders" "$store" 1 --where "$small" --k n --orders all \
        --kernels "$vendor_best"
    # after the orders: an order is best compared with a csr of its own run
    sweep "paper: the library" "$store" 1 --where "$small" --k n --orders csr --kernels "$vendor"
    sweep "paper: parameters" "$store" 1 --where "$small" --k n --orders csr --kernels "$tuning"
}

part_modern()
{
    local ks where='present && group != wide && (square && rows <= 30000 || group == builtin)'
    for ks in 32,512 128,8; do
        sweep "modern: K = $ks, all orders" "$store" 1 --where "$where" --k "$ks" --orders all \
            --kernels "$published,$ours"
        sweep "modern: K = $ks, the library" "$store" 1 --where "$where" --k "$ks" --orders csr \
            --kernels "$vendor"
    done
}

part_double()
{
    sweep "double: our kernels" "$store" 1 --where "$small" --k 128 --precision fp64 \
        --orders "$fast_orders" --kernels "$published,$ours"
    sweep "double: the library" "$store" 1 --where "$small" --k 128 --precision fp64 \
        --orders csr --kernels "$vendor_few"
}

part_wide()
{
    wide_set | specs wide
    sweep "wide: our kernels" "$store" 1 --where 'group == wide' --k 32,512 \
        --orders "$fast_orders" --kernels "$published,$ours"
    sweep "wide: the library" "$store" 1 --where 'group == wide' --k 32,512 --orders csr \
        --kernels "$vendor"
}

part_schedule()
{
    sweep "schedule: C in schedule order" "$store" 1 --where "$small" --k 128 --orders "$fast_orders,warp,hybrid2.2" \
        --c-order schedule --kernels "$published,${ours%,growmajor}"
}

# By rows and by columns: what a greedy portfolio takes of the parameters of our kernels.
plan_row=growmajor,gchunk,gchunk:entries=4,gchunk:entries=8,gchunk:entries=16,gchunk:entries=32,gchunk:vectors=1,gchunk:vectors=2
plan_row+=,gpanel,gpanel:strip=16x2,gpanel:strip=32x1,gpanel:strip=32x2,gpanel:pairs=yes,gpanel:longest=64,gpanel:longest=256,gpanel:panel=32,gstage,gstage:ctas=4
plan_col=gchunk-col,gchunk-col:b=rows,gchunk-col:b=columns,gchunk-col:entries=8:b=columns:tile=2,gchunk-col:entries=16:b=columns:tile=2
plan_col+=,gslice,gslice:b=columns,gslice:strip=2:split=1,gslice:strip=8:split=1

part_plans()
{
    local ks real='present && square && rows >= 300 && rows <= 30000 && group != large && group != builtin'
    for ks in 128 8,32 512 n; do
        sweep "plans: K = $ks" "$store" 1 --where "$real" --k "$ks" --orders csr \
            --kernels "$plan_row,$plan_col,$baseline"
    done
    large_set | specs large
    sweep "plans: large matrices" "$store" 1 --where 'group == large' --k 32,128 --orders csr \
        --kernels "$plan_row,$plan_col,$baseline"
    sweep "plans: fp64" "$store" 1 --where "$real" --k 128 --precision fp64 --orders csr \
        --kernels "$plan_row,$plan_col,$baseline"
    sweep "plans: blocks of few columns" "$store" 1 --where "$real" --k 512,n --orders blk \
        --kernels gpanel,gpanel:pairs=yes
}

# Twins of 100 million entries, in a store of their own: the tables of the part are not of them.
large_100m()
{
    local data=twins kernels=growmajor,gchunk,cusparse-csr-row:alg=2 to=${store%.h5}-100m.h5
    # most of the time goes into making the matrices: --verbose, in the options, tells
    sweep "large: K tiled" "$to" 1 --where 'name == Flan_1565 || name == Bump_2911' --k 32,512 --orders csr,auto \
        --kernels "$kernels" --device-memory 6G --case-time 1
    if ((dry)) || [[ ! -s $to ]]; then return; fi
    query "$to" --format csv --columns fullname,nnz,kernel,order,k,k_tile,median_us,prepare_us,device_bytes,status \
        | markdown fullname nnz kernel order k k_tile median_us prepare_us device_bytes status
}

part_large()
{
    local few=csr,mincol,minlabel,labels,cells:rounds=0,cells,multilevel,auto ours=growmajor,gchunk,gpanel,gstage,gstage:ctas=4
    local near=cta-near,warp-near,hybrid1-near,hybrid2.1-near,hybrid2.2-near,hybrid2.3-near
    { kinds && random_kinds; } | sed 's/$/,shuffle=both/' | specs shuffled
    kinds | sed 's/$/,shuffle=cols/' | specs ideal
    { kinds && random_kinds; } | specs natural
    sizes | sed 's/$/,shuffle=both/' | specs sizes
    sweep "large: shuffled" "$store" 1 --where 'group == shuffled' --k 128,32,8 --orders "$few" --kernels "$ours"
    sweep "large: the library" "$store" 1 --where 'group == shuffled' --k 128,32,8 --orders csr \
        --kernels "$baseline"
    sweep "large: rows in natural order" "$store" 1 --where 'group == ideal' --k 128,32,8 --orders csr \
        --kernels "$ours"
    sweep "large: natural" "$store" 1 --where 'group == natural' --k 128,32,8 --orders csr,auto \
        --kernels "$ours"
    sweep "large: sizes" "$store" 1 --where 'group == sizes' --k 128,32,8 --orders csr,lpt,rcm,labels,cells,multilevel,auto \
        --kernels "$ours,gsub:lanes=8:strip=8"
    # the orders of the paper, approximate where they compare rows: up to a minute of one CPU for a matrix of a million
    sweep "large: the paper's, beyond 30,000 rows" "$store" 1 --where 'group == sizes || group == shuffled &&
        name != "mesh3d-4.9m" && name != "road-4m" && name != "geometric2d-2m" && name != "mesh2d-2m"' --k 128,32,8 \
        --orders "csr,auto,dcsr,plain,flipped,lpt,$near" --kernels "$published,growmajor,gchunk,gstage"
    if [[ $catalog ]]; then large_100m; fi
}

part_twins()
{
    local few=csr,lpt,rcm,cells ours=growmajor,gchunk,gpanel,gstage,gchunk-col,gslice
    local names=$work/twins.csv real='present && id > 0 && square && rows <= 30000' data=$data catalog=$catalog
    [[ $device == cuda ]] || ours=cstat,rowsplit
    sweep "twins: real matrices" "$store" 1 --where "$real" --k 32,128 --orders "$few" --kernels "$ours"
    sweep "twins: real matrices, the library" "$store" 1 --where "$real" --k 32,128 --orders csr \
        --kernels "$baseline"
    # the rows of the catalogue that are here, and how many there are in the first line
    "${run[@]}" rowcast catalog --collection "$collection" --catalog "$catalog" --where "$real" --columns fullname \
        --format csv | tr -d '"\r' | awk -F, 'FNR == NR { here[$1]; next }
            FNR == 2 { date = $0 }
            FNR > 2 && ($1 "/" $2) in here { row[++n] = $0 }
            END { print n; print date; for (i = 1; i <= n; i++) print row[i] }' - <(tr -d '\r' <"$catalog") >"$names"
    data=twins catalog=$names
    sweep "twins: twins" "$store" 1 --k 32,128 --orders "$few" --kernels "$ours"
    sweep "twins: twins, the library" "$store" 1 --k 32,128 --orders csr --kernels "$baseline"
}

part_bench()
{
    local others='group != large && group != rs-others && group != tiles'
    local real="present && square && rows >= 300 && rows <= 30000 && $others && group != builtin"
    local kernels="growmajor,gchunk,gpanel,gstage,gchunk-col,gslice,$baseline" warm=$store
    [[ $collection ]] || real="present && square && rows <= 30000 && $others"
    sweep "bench: fp32" "$warm" 1 --where "$real" --k 8,32,128,512,n --orders csr --kernels "$kernels"
    sweep "bench: fp64" "$warm" 1 --where "$real" --k 8,32,128,512,n --orders csr --kernels "$kernels" \
        --precision fp64
    large_set | specs large
    sweep "bench: large matrices" "$warm" 1 --where 'group == large' --k 32,128 --orders csr \
        --kernels "$kernels"
    sweep "bench: single launches" "${warm%.h5}-single.h5" 1 --where "$real" --k 8,32,128,512,n --orders csr \
        --kernels "$kernels" --max-batch 1
    if ((dry)); then
        bench_rs "${warm%.h5}"
        bench_tiles "${warm%.h5}"
        return
    fi
    printf '### Time of side B over time of side A, batches\n\n' && bench_ratios 'group != large'
    printf '### The same of generated matrices of 0.5 to 5 million rows\n\n' && bench_ratios 'group == large'
    store=${warm%.h5}-single.h5
    printf '### Single launches between events\n\n' && bench_ratios 'rows > 0'
    store=$warm
    printf '### Fraction of the bound, the fastest of our kernels, batches\n\n' && bench_bounds
    printf '### Preparation, in products at K = 128 (gchunk, gchunk-col, gpanel: on the GPU, without the upload)\n\n' && bench_prepare
    summary "Compulsory traffic, GB/s" "k precision kernel matrices geomean_bytes mean_bytes max_bytes" \
        --summary rate
    bench_spmv "${warm%.h5}"
    bench_rs "${warm%.h5}"
    bench_tiles "${warm%.h5}"
}

# scale_to N: the same work on 1, 2, 4, ... N devices
scale_to()
{
    local ranks to times=${store%.h5}-scale.csv start seconds_used cases
    ((dry)) || printf 'ranks,seconds,cases,cases_per_second\n' >"$times"
    for ((ranks = 1; ranks <= $1; ranks *= 2)); do
        to=${store%.h5}-scale$ranks.h5
        ((dry)) || rm -rf "$to" "$to.journal"
        start=$(date +%s%N)
        sweep "scale: $ranks devices" "$to" "$ranks" --k 32,128 --orders all \
            --where 'present && square && rows >= 2000 && rows <= 30000 && group != wide' \
            --kernels "$published,$ours"
        # no store: there was no time left
        if ((dry)) || [[ ! -f $to ]]; then continue; fi
        seconds_used=$((($(date +%s%N) - start) / 1000000))
        cases=$(query "$to" --format csv --columns case | sed 1d | wc -l)
        printf '%d,%d.%03d,%d\n' "$ranks" $((seconds_used / 1000)) $((seconds_used % 1000)) "$cases" \
            | awk -F, '{ printf "%s,%.1f\n", $0, $3 / $2 }' >>"$times"
    done
    if ((!dry)); then markdown ranks seconds cases cases_per_second <"$times"; fi
}
