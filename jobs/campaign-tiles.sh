# shellcheck shell=bash
# shellcheck disable=SC2154 # the variables are those of campaign.sh
# The part tiles of jobs/campaign.sh, which sources this file: row reordering for dense tiles (Jiang et al. 2020).

# name spec: hidden clusters of rows, rows that are nearly equal, ratings, shuffled meshes and blocks, communities, a hub
tiles_set()
{
    cat <<'SET'
tiles-clusters-100k rowclusters:rows=100000,clusters=1333,own=24,share=0.875,shuffle=rows
tiles-clusters-300k rowclusters:rows=300000,clusters=4000,own=24,share=0.875,shuffle=rows
tiles-clusters-1m rowclusters:rows=1000000,clusters=13333,own=24,share=0.875,shuffle=rows
tiles-duplicates-100k rowclusters:rows=100000,clusters=12500,own=32,share=0.97,noise=0.3,shuffle=rows
tiles-ratings-50k bipartite:rows=50000,cols=20000,mean=20
tiles-ratings-2m bipartite:rows=2000000,cols=200000,mean=15
tiles-mesh3d-46-27 mesh3d:n=46,points=27,shuffle=both
tiles-mesh3d-100 mesh3d:n=100,shuffle=both
tiles-block-64k-32 block:n=65536,size=32,between=1,shuffle=both
tiles-sbm-100k sbm:n=100000,communities=1000
tiles-sbm-500k sbm:n=500000,communities=5000
tiles-hub-100k arrow:n=100000,width=1,band=2
SET
}

# multiprocessors: of the first GPU; those of an H200 where nobody can say
multiprocessors()
{
    local n
    n=$("${run[@]}" rowcast info -f csv 2>/dev/null | grep -Eom1 '[0-9]+ SMs' || true)
    echo "${n:-132 SMs}" | grep -Eo '[0-9]+'
}

# tiles_rounds PERCENT NAME KERNEL OPTION...: the second round by rule and both forced, which the host orders for each case
tiles_rounds()
{
    local percent=$1 name=$2 kernel=$3
    shift 3
    deal "$percent" "$name, rounds by rule" "$@" --orders csr,jiang --kernels "$kernel:rest=1"
    deal "$percent" "$name, rounds forced" "$@" --orders lsh --kernels "$kernel:rest=2"
}

tiles_sampled=cusparse-sddmm-row:pre=0..1,cusparse-sddmm-col:pre=0
tiles_real='present && group != builtin && group != vector && group != tiles'
tiles_within='rows >= 10000 && cols >= 10000 && nnz >= 100000'
# what no cluster straddles, and parts of one panel; METIS takes seconds for a matrix, so it has sweeps of its own
tiles_orders=csr,jiang,lsh,lsh:size=128,rcm

# The matrices within the paper's limits at its K.
tiles_paper()
{
    local where="$tiles_real && $tiles_within" metis=metis:part=128,metis:parts=$1 ks=512,1024
    deal 8 "A B" --where "$where" --k $ks --orders $tiles_orders --kernels aspt:rest=0,growmajor
    deal 6 "A B, the library" --where "$where" --k $ks --orders csr --kernels "$baseline"
    tiles_rounds 7 "A B" aspt --where "$where" --k $ks
    deal 6 "sampled" --where "$where" --op sddmm --k $ks --orders $tiles_orders --kernels aspt-sddmm:rest=0,row-sddmm
    deal 4 "sampled, the library" --where "$where" --op sddmm --k $ks --orders csr --kernels $tiles_sampled
    tiles_rounds 5 "sampled" aspt-sddmm --where "$where" --op sddmm --k $ks
    deal 12 "A B under METIS" --where "square && $where" --k $ks --orders "$metis" --kernels aspt:rest=0,growmajor
}

# Generated matrices, and those beyond the limits, at one K.
tiles_others()
{
    local where="$tiles_real && !($tiles_within)" generated='group == tiles && name != "tiles-clusters-1m" && name != "tiles-ratings-2m"'
    deal 8 "generated, A B" --where "$generated" --k 512 --orders csr,jiang --kernels "aspt:rest=0..1,growmajor,$baseline"
    deal 8 "generated of 10^6 rows, A B" --where "group == tiles && !($generated)" --k 128 --orders csr,jiang \
        --kernels "aspt:rest=0..1,growmajor,$baseline"
    deal 12 "other matrices, A B" --where "$where" --k 512 --orders csr,jiang,lsh,rcm --kernels aspt:rest=0,growmajor
    deal 5 "other matrices, A B, the library" --where "$where" --k 512 --orders csr --kernels "$baseline"
    tiles_rounds 5 "other matrices, A B" aspt --where "$where" --k 512
    deal 6 "other matrices, sampled" --where "$where" --op sddmm --k 512 --orders csr,jiang --kernels aspt-sddmm:rest=0..1
    deal 4 "other matrices, sampled, the library" --where "$where" --op sddmm --k 512 --orders csr \
        --kernels row-sddmm,cusparse-sddmm-row:pre=0
}

# What no table of the paper has: small K, clusters by panels, another count of dense columns, METIS with the sampled product, fp64.
tiles_beyond()
{
    local where="$tiles_real && $tiles_within" metis=metis:part=128,metis:parts=$1
    deal 8 "small K" --where "$where" --k 32,128 --orders $tiles_orders --kernels aspt:rest=0,growmajor
    deal 4 "small K, the library" --where "$where" --k 32,128 --orders csr --kernels "$baseline"
    tiles_rounds 6 "small K" aspt --where "$where" --k 32,128
    deal 5 "sampled, small K" --where "$where" --op sddmm --k 32,128 --orders csr,jiang \
        --kernels aspt-sddmm:rest=0..1,row-sddmm
    deal 3 "sampled, small K, the library" --where "$where" --op sddmm --k 32,128 --orders csr --kernels $tiles_sampled
    deal 6 "generated, sampled" --where 'group == tiles && name != "tiles-clusters-1m" && name != "tiles-ratings-2m"' --op sddmm \
        --k 128 --orders csr,jiang --kernels aspt-sddmm:rest=0..1,row-sddmm,cusparse-sddmm-row:pre=0
    deal 6 "sampled under METIS" --where "square && $where" --op sddmm --k 512 --orders metis:part=128 \
        --kernels aspt-sddmm:rest=0,row-sddmm
    deal 4 "packed clusters" --where "$where" --k 512,1024 --orders lsh-packed --kernels aspt:rest=0,growmajor
    deal 4 "columns of 8 entries" --where "$where" --k 512 --orders csr,jiang:col_min=8:tile_min=9,lsh \
        --kernels aspt:col_min=8:tile_min=9:rest=0
    deal 6 "fp64" --where "$where" --k 512 --precision fp64 --orders csr,jiang,rcm \
        --kernels "aspt:rest=0,growmajor,$baseline"
    tiles_rounds 5 "fp64" aspt --where "$where" --k 512 --precision fp64
    deal 8 "other matrices under METIS" --where "square && $tiles_real && !($tiles_within)" --k 512 --orders "$metis" \
        --kernels aspt:rest=0,growmajor
}

# Everything at every K, as far as time goes.
tiles_rest()
{
    local where="$tiles_real || group == tiles" ks=512,1024,128,32
    local orders=$tiles_orders,jiang:col_min=8:tile_min=9,metis:part=128,metis:parts=$1
    deal 100 "all, A B" --where "$where" --k $ks --orders "$orders" \
        --kernels aspt:rest=0..2,aspt:col_min=8:tile_min=9:rest=0..2,growmajor
    deal 100 "all, A B, the library" --where "$where" --k $ks --orders csr --kernels "$baseline"
    deal 100 "all, sampled" --where "$where" --op sddmm --k $ks --orders "$orders" --kernels aspt-sddmm:rest=0..2,row-sddmm
    deal 100 "all, sampled, the library" --where "$where" --op sddmm --k $ks --orders csr --kernels $tiles_sampled
    deal 100 "all, fp64" --where "$where" --k 512 --precision fp64 --orders csr,jiang,lsh \
        --kernels "aspt:rest=0..2,growmajor,$baseline"
}

part_tiles()
{
    local sms
    tiles_set | specs tiles
    sms=$(multiprocessors)
    tiles_paper "$sms"
    tiles_others
    tiles_beyond "$sms"
    deal_again
    tiles_rest "$sms"
}

# The kernels of two papers beside every algorithm of the library, of one card.
part_baseline()
{
    local where="$tiles_real && $tiles_within"
    sweep "baseline: rs" "$store" 1 --where "$tiles_real" --k 128 --precision fp32,fp64 --orders csr \
        --kernels "rs,rs:t=4:cfv=2:light=store,growmajor,$baseline"
    sweep "baseline: tiles" "$store" 1 --where "$where" --k 512,1024 --orders csr,jiang --kernels aspt:rest=0..1
    sweep "baseline: the library at wide K" "$store" 1 --where "$where" --k 512,1024 --orders csr --kernels "growmajor,$baseline"
    sweep "baseline: smaller matrices" "$store" 1 --where "$tiles_real" --k 512 --orders csr \
        --kernels "aspt:rest=0,growmajor,$baseline"
}

# What the paper's tables and figures say, of a store of the part tiles; those that it has no cases of stay empty.
part_tiles-tables()
{
    local classes="op k precision set a b matrices slower to_10 to_50 to_100 over_100 max mean geomean median min paper"
    local paid="op k precision set plan matrices least mean median most products below_5 below_10 below_100 more faster_10 pays pays_1000 as_paper paper"
    local over='max(aspt-nr,cusparse)' first='aspt:*col_min=16*rest=0*@jiang:siglen=128'
    # csr is the other side of symmetric orders, too: of plans without one the same again, on square matrices
    local plain='c_order == original' needed='needs_reordering && c_order == original'
    [[ -f $store ]] || die 3 "$store: no such store"
    published "On how many matrices the rules say reorder (sections 2 and 3)" \
        "col_min set matrices below_1 below_1_share round_1 only_round_2 needed needed_share paper" jiang tiles
    published "NR and RR over the library (figure 8)" "$classes" jiang classes --side-a aspt-nr,aspt-rr --side-b cusparse \
        --where "$plain"
    published "RR and its first round over NR" "$classes" jiang classes --op spmm --side-a "aspt-rr,$first" --side-b aspt-nr \
        --where "$needed"
    published "Both rounds forced, over NR (figure 9)" "$classes" jiang forced
    published "METIS under the kernel, over the original order (section 5.2)" "$classes" jiang classes \
        --side-a 'aspt:*@metis*' --side-b 'aspt:*@csr' --where "$plain"
    published "RR, and the faster of NR and RR by trial, over the faster of NR and the library (table 1, figure 10)" "$classes" jiang classes \
        --side-a aspt-rr,aspt-tried --side-b "$over" --where "$needed"
    published "The sampled product, RR over NR (table 2, figure 11)" "$classes" jiang classes --op sddmm \
        --side-a aspt-rr --side-b aspt-nr --where "$needed"
    published "The sampled product, NR and RR over the library" "$classes" jiang classes --op sddmm \
        --side-a aspt-nr,aspt-rr --side-b cusparse --where "$plain"
    published "Preparation of RR (figure 12, tables 3 and 4), in s and in products" "$paid" jiang prepare --plan aspt-rr
}

# bench_tiles NAME: what the goals of row reordering ask for, as ratios
bench_tiles()
{
    local within="$tiles_real && group != large && group != rs-others && $tiles_within"
    local generated='group == tiles && name != "tiles-clusters-1m" && name != "tiles-ratings-2m"'
    local -a columns=(a b k precision matrices share_a geomean mean min)
    store=$1-tiles.h5
    tiles_set | specs tiles
    sweep "bench: row reordering, A B" "$store" 1 --where "$within || ($generated)" --op spmm --k 512 --orders csr,jiang \
        --kernels "aspt:rest=0..1,growmajor,$baseline"
    sweep "bench: row reordering, sampled" "$store" 1 --where "$within || ($generated)" --op sddmm --k 128,512 --orders csr,jiang \
        --kernels "aspt-sddmm:rest=0..1,row-sddmm,$tiles_sampled"
    if ((dry)); then return; fi
    printf '### Row reordering, time of side B over time of side A\n\n'
    { versus 'aspt:*rest=1*@jiang*' 'aspt:*rest=0*@csr' 'name ~ "tiles-clusters*"' \
        && versus 'aspt:*rest=0*@csr' 'growmajor*@csr' 'dense_ratio > 0.5' \
        && versus 'aspt:*rest=0*@jiang*' 'growmajor*@jiang*' 'dense_ratio > 0.5' \
        && versus 'aspt-sddmm:*rest=0*@csr' 'cusparse-sddmm*@csr' 'nnz >= 1000000'
    } | awk 'NR == 1 || !/^a,b,/' | markdown "${columns[@]}"
    published "RR over the faster of NR and the library" "op k set a b matrices slower to_10 to_50 to_100 over_100 max geomean median" jiang classes \
        --side-a aspt-rr --side-b 'max(aspt-nr,cusparse)' --where 'needs_reordering && c_order == original'
    published "Preparation of RR, s, and products until it has paid" "op k set plan matrices median most faster_10 pays pays_1000" jiang prepare --plan aspt-rr
}
