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
    n=$("${run[@]}" rowcast info 2>/dev/null | grep -Eom1 '[0-9]+ SMs' || true)
    echo "${n:-132 SMs}" | grep -Eo '[0-9]+'
}

part_tiles()
{
    local where='present && group != builtin && group != vector' ks=32,128,512,1024 sms orders kernels
    local library=cusparse-csr-row:alg=0..3,cusparse-csr-col:alg=0..3,cusparse-csr-row:alg=3:pre=1
    [[ $device == cuda ]] || die 2 "tiles: needs --device cuda"
    ((dry)) || tiles_set | make_group tiles
    sms=$(multiprocessors)
    # rounds by rule and forced; clusters of one panel; METIS with parts of a panel and with one for each multiprocessor
    orders=csr,jiang,lsh,lsh:size=128,jiang:col_min=8:tile_min=9,rcm,metis:part=128,metis:parts=$sms
    kernels=aspt:rest=0..2,aspt:col_min=8:tile_min=9:rest=0..2,growmajor
    sweep "tiles: A B" "$store" 1 --where "$where" --k "$ks" --policies "$orders" --kernels "$kernels"
    sweep "tiles: A B, the library" "$store" 1 --where "$where" --k "$ks" --policies csr --kernels "$library"
    sweep "tiles: sampled" "$store" 1 --where "$where" --op sddmm --k "$ks" --policies csr,jiang,lsh \
        --kernels aspt-sddmm:rest=0..2,row-sddmm
    sweep "tiles: sampled, the library" "$store" 1 --where "$where" --op sddmm --k "$ks" --policies csr \
        --kernels cusparse-sddmm-row:pre=0..1,cusparse-sddmm-col:pre=0
    sweep "tiles: fp64" "$store" 1 --where "$where" --k 512 --precision fp64 --policies csr,jiang,lsh \
        --kernels "aspt:rest=0..2,growmajor,$library"
}

# What the paper's tables and figures say, of a store of the part tiles; those that it has no cases of stay empty.
part_tiles-tables()
{
    local classes="op k precision set a b matrices slower to_10 to_50 to_100 over_100 max mean geomean median min paper"
    local paid="op k precision set plan matrices least mean median most products below_5 below_10 below_100 more faster_10 pays pays_1000 as_paper paper"
    local over='max(aspt-nr,cusparse)' needed='needs_reordering'
    [[ -f $store ]] || die 3 "$store: no such store"
    summary "On how many matrices the rules say reorder (sections 2 and 3)" \
        "col_min set matrices below_1 below_1_share round_1 only_round_2 needed needed_share paper" --summary tiles
    summary "NR and RR over the library (figure 8)" "$classes" --summary classes --side-a aspt-nr,aspt-rr --side-b cusparse
    summary "Both rounds forced, over NR (figure 9)" "$classes" --summary forced
    summary "METIS under the kernel, over the original order (section 5.2)" "$classes" --summary classes \
        --side-a 'aspt:*@metis*' --side-b 'aspt:*@csr'
    summary "RR, and the faster of NR and RR by trial, over the faster of NR and the library (table 1, figure 10)" "$classes" \
        --summary classes --side-a aspt-rr,aspt-tried --side-b "$over" --where "$needed"
    summary "The sampled product, RR over NR (table 2, figure 11)" "$classes" --summary classes --op sddmm \
        --side-a aspt-rr --side-b aspt-nr --where "$needed"
    summary "The sampled product, NR and RR over the library" "$classes" --summary classes --op sddmm \
        --side-a aspt-nr,aspt-rr --side-b cusparse
    summary "Preparation of RR (figure 12, tables 3 and 4), in s and in products" "$paid" --summary prepare --plan aspt-rr
}
