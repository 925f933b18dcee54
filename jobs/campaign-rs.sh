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
    [[ $device == cuda ]] || die 2 "rs: needs --device cuda"
    ((dry)) || rs_set | make_group rs
    sweep "rs: A B, the parameters" "$store" 1 --where "$where" --op spmm --k "$ks" --precision fp32,fp64 \
        --policies csr --kernels 'rs:t=1..16:cfv=1..4:cfh=1..4'
    sweep "rs: A B, the rivals" "$store" 1 --where "$where" --op spmm --k "$ks" --precision fp32,fp64 \
        --policies csr --kernels "growmajor,$csr,cusparse-coo-*:alg=0..4,rs:t=4:cfv=2:light=store"
    # RS_TUNING: a file of rowcast train --task parameters
    [[ -z ${RS_TUNING:-} ]] || sweep "rs: A B, the model" "$store" 1 --where "$where" --op spmm --k "$ks" \
        --precision fp32,fp64 --policies csr --kernels "rs:tune=$RS_TUNING"
    sweep "rs: loops" "$store" 1 --where "$where" --op spmm --k 8,32 --precision fp32,fp64 --policies csr \
        --kernels loop-spmv:kernel=cusparse-csr,loop-spmv:kernel=merge,loop-spmv:kernel=csr5
    sweep "rs: A x, for the roofline" "$store" 1 --where "$where" --op spmv --precision fp32,fp64 --policies csr \
        --kernels 'cusparse-spmv-*'
    sweep "rs: A' B" "$store" 1 --where "$where" --op spmm_t --k 128 --precision fp32,fp64 --policies csr \
        --kernels "rs-spmm_t:t=1..16:cfv=1..4,growmajor-spmm_t,cusparse-spmm_t-copy-*:alg=0..3,$transposed"
}
