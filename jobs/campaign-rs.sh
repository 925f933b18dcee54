# shellcheck shell=bash
# shellcheck disable=SC2154 # the variables are those of campaign.sh
# The part rs of jobs/campaign.sh, which sources this file: RS-SpMM and its rivals, both products.

# name spec: of about 1 to 20 million entries, the kinds that the paper's collection has of that size
rs_set()
{
    cat <<'SET'
rs-mesh2d-1000 mesh2d:n=1000
rs-mesh2d-1000-9 mesh2d:n=1000,points=9
rs-mesh2d-2000-9 mesh2d:n=2000,points=9
rs-mesh2d-400-dof4 mesh2d:n=400,points=9,dof=4
rs-mesh3d-60 mesh3d:n=60
rs-mesh3d-110 mesh3d:n=110
rs-mesh3d-40-27 mesh3d:n=40,points=27
rs-mesh3d-80-27 mesh3d:n=80,points=27
rs-mesh3d-40-dof3 mesh3d:n=40,points=27,dof=3
rs-banded-100k-11 banded:n=100000
rs-banded-100k-41 banded:n=100000,lower=20,upper=20
rs-banded-50k-201 banded:n=50000,lower=100,upper=100
rs-banded-100k-sparse banded:n=100000,lower=100,upper=100,fill=0.1
rs-block-20k-32 block:n=20000,size=32,between=1
rs-block-64k-32 block:n=65536,size=32,between=1
rs-block-64k-128 block:n=65536,size=128,between=1
rs-rmat-16 rmat:scale=16,edges=16
rs-rmat-18 rmat:scale=18,edges=16
rs-rmat-20 rmat:scale=20,edges=12
rs-powerlaw-200k powerlaw:n=200000
rs-powerlaw-1m powerlaw:n=1000000
rs-lp-100k lp:rows=100000,cols=400000
rs-lp-400k lp:rows=400000,cols=100000
rs-arrow-300k arrow:n=300000,width=5,band=2
rs-bipartite-100k bipartite:rows=100000,cols=40000
rs-uniform-50k-20 uniform:n=50000,mean=20
rs-uniform-200k-100 uniform:n=200000,mean=100
rs-triangulation-500k triangulation:n=500000
rs-rowclusters-100k rowclusters:rows=100000
rs-sbm-500k sbm:n=500000,communities=1000
rs-circuit-500k circuit:n=500000
rs-segments-8k segments:n=8192,w=256,tau=8
SET
}

part_rs()
{
    local where='present && group != builtin && group != vector' ks=8,32,128,512
    local csr=cusparse-csr-row:alg=0..3,cusparse-csr-col:alg=0..3,cusparse-csr-bt-ccol:alg=0..3,cusparse-csr-bt-turned:alg=0..3,cusparse-csr-row:alg=3:pre=1
    local transposed='cusparse-spmm_t-csr-*:alg=0..3,cusparse-spmm_t-coo-*:alg=0..4'
    ((dry)) || rs_set | make_group rs
    sweep "rs: A B, the parameters" "$store" 1 --where "$where" --op spmm --k "$ks" --precision fp32,fp64 \
        --orders csr --kernels 'rs:t=1..16:cfv=1..4:cfh=1..4'
    sweep "rs: A B, the rivals" "$store" 1 --where "$where" --op spmm --k "$ks" --precision fp32,fp64 \
        --orders csr --kernels "growmajor,$csr,cusparse-coo-*:alg=0..4,rs:t=4:cfv=2:light=store"
    # RS_TUNING: a file of rowcast train --task parameters
    [[ -z ${RS_TUNING:-} ]] || sweep "rs: A B, the model" "$store" 1 --where "$where" --op spmm --k "$ks" \
        --precision fp32,fp64 --orders csr --kernels "rs:tune=$RS_TUNING"
    sweep "rs: loops" "$store" 1 --where "$where" --op spmm --k 8,32 --precision fp32,fp64 --orders csr \
        --kernels loop-spmv:kernel=cusparse-csr,loop-spmv:kernel=merge,loop-spmv:kernel=csr5
    sweep "rs: A x, for the roofline" "$store" 1 --where "$where" --op spmv --precision fp32,fp64 --orders csr \
        --kernels 'cusparse-spmv-*'
    sweep "rs: A' B" "$store" 1 --where "$where" --op spmm_t --k 128 --precision fp32,fp64 --orders csr \
        --kernels "rs-spmm_t:t=1..16:cfv=1..4,growmajor-spmm_t,cusparse-spmm_t-copy-*:alg=0..3,$transposed"
}

# name spec: of 0.1 to 2 million entries, for the tuning
rs_train_set()
{
    cat <<'SET'
rs-train-arrow-50k arrow:n=50000,width=5
rs-train-banded-30k banded:n=30000
rs-train-block-20k-32 block:n=20000,size=32,between=1
rs-train-block-16k-64 block:n=16384,size=64,between=1
rs-train-lp-80k lp:rows=20000,cols=80000
rs-train-mesh2d-300 mesh2d:n=300,points=9
rs-train-mesh3d-30-dof3 mesh3d:n=30,dof=3
rs-train-rmat-15 rmat:scale=15,edges=8
rs-train-rmat-16 rmat:scale=16,edges=16
rs-train-rowclusters-20k rowclusters:rows=20000
rs-train-segments-4k segments:n=4096,w=256,tau=2
rs-train-uniform-20k-20 uniform:n=20000,mean=20
SET
}

# name spec: of about a million entries; of most no generator trains
rs_others_set()
{
    cat <<'SET'
rs-others-bipartite-50k bipartite:rows=50000,cols=20000
rs-others-circuit-150k circuit:n=150000
rs-others-sbm-50k sbm:n=50000,communities=100
rs-others-triangulation-150k triangulation:n=150000
rs-others-powerlaw-100k powerlaw:n=100000
rs-others-banded-sparse banded:n=50000,lower=100,upper=100,fill=0.1
rs-others-mesh3d-40-27 mesh3d:n=40,points=27
rs-others-lp-50k lp:rows=50000,cols=20000
rs-others-block-8k-128 block:n=8192,size=128,between=1
rs-others-rmat-17 rmat:scale=17,edges=8
SET
}

# rs_every STEP FIRST: of the matrices of --collection with 10,000 entries, by their number, number FIRST and every STEP from there
rs_every()
{
    "${run[@]}" rowcast catalog --collection "$collection" --where 'present && nnz >= 10000' --columns nnz,fullname --format csv \
        | tr -d '"\r' | sed 1d | sort -t, -k1,1n -k2,2 | awk -F, -v step="$1" -v first="$2" 'NR % step == first % step { print $2 }'
}

# rs_some TO STEP FIRST GROUP: a folder of what rs_every names, and of the lines "name spec" on stdin
rs_some()
{
    local name data=$1
    specs "$4"
    for name in $(rs_every "$2" "$3"); do
        mkdir -p "$data/${name%/*}"
        find -L "$collection/${name%/*}" -maxdepth 1 -name "${name##*/}.*" -exec realpath -z {} + \
            | xargs -0 -r ln -sf -t "$data/${name%/*}"
    done
}

rs_fixed='rs:t=1..16:cfv=1..4:cfh=2'

# What the tuning of rs is made of, and the tuning, STORE.json.
part_rs-train()
{
    local data=$work/rs-train kinds=fp32,fp64 costs=${store%.h5}-costs.json ks=8,32,128,512
    ((dry)) || rs_train_set | rs_some "$data" 5 5 rs-train
    kinds=${RS_PRECISION:-$kinds}
    sweep "rs-train: parameters" "$store" 1 --op spmm --k "$ks" --precision "$kinds" --orders csr --kernels "$rs_fixed"
    ((!dry)) || return 0
    [[ -s $costs ]] || "${run[@]}" rowcast calibrate --kernel rs --device "$device" --k "$ks" --precision "$kinds" -o "$costs" >&2
    "${run[@]}" rowcast train "$store" --task parameters --kernel rs --costs "$costs" --training '*' --paths "$data" \
        ${RS_ONTO:+--onto "$RS_ONTO"} -o "${store%.h5}.json" || say "rs-train: no tuning"
}

# rs_loops KS: a product with each column
rs_loops()
{
    sweep "rs: loops, K = $1" "$store" 1 --where 'present && group != builtin' --op spmm --k "$1" --precision fp32,fp64 \
        --orders csr --kernels loop-spmv:kernel=cusparse-csr,loop-spmv:kernel=merge,loop-spmv:kernel=csr5
}

# Up to a thousand launches a product.
part_rs-loops()
{
    rs_loops 128
    rs_loops 512
}

# rs_figures WHERE: what the paper's figures take, without loops.  RS_TUNING: a tuning in place of the installed one
rs_figures()
{
    local where=$1 ks=8,32,128,512 both=fp32,fp64
    local model=${RS_TUNING:+:tune=$RS_TUNING} none=rs:t=5:cfv=1:cfh=1
    local turned=cusparse-csr-bt-ccol:alg=0,cusparse-csr-bt-turned:alg=0
    sweep "rs: A' B" "$store" 1 --where "$where" --op spmm_t --k 128 --precision "$both" --orders csr \
        --kernels "rs-spmm_t$model,growmajor-spmm_t,cusparse-spmm_t-csr-*:alg=0,cusparse-spmm_t-copy-row:alg=2..3"
    sweep "rs: A x" "$store" 1 --where "$where" --op spmv --precision "$both" --orders csr --kernels cusparse-spmv-csr
    sweep "rs: A B" "$store" 1 --where "$where" --op spmm --k "$ks" --precision "$both" --orders csr \
        --kernels "rs$model,$none,growmajor,$baseline,$turned"
}

# Of real matrices.
part_rs-figures()
{
    rs_figures 'present && group != builtin && group != rs'
    rs_loops 8,32
}

# Of the generated ones.
part_rs-generated()
{
    ((dry)) || rs_set | specs rs
    rs_figures 'group == rs'
}

# What a tuning keeps on matrices that did not train it.  RS_PUBLISHED: another tuning, whose choices are run beside
part_rs-others()
{
    local data=$work/rs-others model=${RS_TUNING:+:tune=$RS_TUNING}
    ((dry)) || rs_others_set | rs_some "$data" 10 3 rs-others
    sweep "rs-others: every parameter" "$store" 1 --op spmm --k 8,32,128,512 --precision "${RS_PRECISION:-fp32,fp64}" --orders csr \
        --kernels "rs$model,$rs_fixed${RS_PUBLISHED:+,rs:tune=$RS_PUBLISHED}"
}

# bench_rs NAME: what the goals of rs ask for, as ratios, of real matrices of 100,000 entries and generated ones of a million
bench_rs()
{
    local where='present && nnz >= 100000 && group != builtin && group != vector && group != large && group != tiles' both=fp32,fp64
    local rivals=growmajor,$baseline,cusparse-csr-bt-ccol:alg=0
    local -a columns=(a b k precision matrices share_a geomean mean min)
    store=$1-rs.h5
    ((dry)) || rs_others_set | specs rs-others
    sweep "bench: rs, A B" "$store" 1 --where "$where" --op spmm --k 128 --precision "$both" --orders csr \
        --kernels "rs,$rs_fixed,$rivals"
    sweep "bench: rs, A' B" "$store" 1 --where "$where" --op spmm_t --k 128 --precision "$both" --orders csr \
        --kernels "rs-spmm_t,growmajor-spmm_t,cusparse-spmm_t-csr-*:alg=0,cusparse-spmm_t-copy-row:alg=2..3"
    if ((dry)); then return; fi
    printf "### RS-SpMM, time of side B over time of side A\n\n"
    { versus 'rs:*t=0:*' 'cusparse-csr-col*' 'op == spmm' && versus 'rs:*t=0:*' 'cusparse-csr-bt*' 'op == spmm' \
        && versus 'rs:*t=0:*' 'cusparse*' 'op == spmm' && versus 'rs:*t=0:*' 'growmajor*' 'op == spmm'
    } | awk 'NR == 1 || !/^a,b,/' | markdown "${columns[@]}"
    versus 'rs-spmm_t*' 'cusparse-spmm_t-csr*' 'op == spmm_t' | markdown "${columns[@]}"
    published "The choice over the best parameters" "k precision set matrices model worst" hong modelling
    published "By the share of entries in segments, Gflop/s" "k precision set kernel from to matrices geomean" hong rate \
        --op spmm --kernels 'rs:*t=0:*,growmajor*,cusparse*'
    published "Both products over the fastest pair of the library, and the bytes of A" "k precision set contestant matrices over_library worst bytes" hong both
    published "Preparation, in products" "k precision set op kernel matrices median p90 most within_2" hong prepare --kernel rs
}
