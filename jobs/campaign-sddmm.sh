# shellcheck shell=bash
# shellcheck disable=SC2154 # the variables are those of campaign.sh
# The part sddmm of jobs/campaign.sh, which sources this file: the sampled product.

# name spec: of about 1 to 30 million entries
sddmm_set()
{
    cat <<'SET'
sddmm-mesh3d-60 mesh3d:n=60
sddmm-mesh3d-110 mesh3d:n=110
sddmm-mesh3d-40-27 mesh3d:n=40,points=27
sddmm-banded-100k-41 banded:n=100000,lower=20,upper=20
sddmm-rmat-17 rmat:scale=17,edges=16
sddmm-rmat-20 rmat:scale=20,edges=12
sddmm-powerlaw-200k powerlaw:n=200000
sddmm-powerlaw-1m powerlaw:n=1000000
sddmm-bipartite-100k bipartite:rows=100000,cols=40000
sddmm-uniform-50k-20 uniform:n=50000,mean=20
sddmm-uniform-300k-100 uniform:n=300000,mean=100
sddmm-rowclusters-100k rowclusters:rows=100000
sddmm-sbm-500k sbm:n=500000,communities=1000
sddmm-arrow-300k arrow:n=300000,width=5,band=2
SET
}

part_sddmm()
{
    local where='present && group != builtin && group != vector' ks=32,128,512,1024
    local library=cusparse-sddmm-row:pre=0..1,cusparse-sddmm-col:pre=0
    ((dry)) || sddmm_set | make_group sddmm
    sweep "sddmm: in original order" "$store" 1 --where "$where" --op sddmm --k "$ks" --precision fp32,fp64 \
        --orders csr --kernels "row-sddmm,row-sddmm:entries=0,row-sddmm:entries=128,gplain-sddmm,$library"
    sweep "sddmm: row orders" "$store" 1 --where "$where" --op sddmm --k "$ks" --orders csr,lpt,rcm,multilevel \
        --kernels row-sddmm
}
