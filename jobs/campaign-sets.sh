# shellcheck shell=bash
# Sourced by campaign.sh: what it generates.  Each function prints lines "name spec", as rowcast generate takes them.

# name spec: of 3 to 20 million entries, as varied as the built-in set
wide_set()
{
    cat <<'SET'
mesh2d-1m mesh2d:n=1000,points=9
mesh3d-60-27pt mesh3d:n=60,points=27
mesh3d-32-dof3 mesh3d:n=32,points=27,dof=3
rmat-18 rmat:scale=18,edges=16
rmat-20 rmat:scale=20,edges=10
powerlaw-500k powerlaw:n=500000
uniform-200k-100 uniform:n=200000,mean=100
banded-100k-41 banded:n=100000,lower=20,upper=20
manyempty-1m manyempty:n=1000000
circuit-500k circuit:n=500000
block-64k-32 block:n=65536,size=32,between=1
arrow-300k arrow:n=300000,width=5,band=2
SET
}

# Natural numbering, and what has none.
large_set()
{
    cat <<'SET'
mesh2d-1m mesh2d:n=1000,points=5
mesh3d-1m mesh3d:n=100,points=7
mesh3d-5m mesh3d:n=170,points=7
mesh3d-27pt-500k mesh3d:n=80,points=27
rmat-20 rmat:scale=20,edges=10
powerlaw-1m powerlaw:n=1000000
SET
}

# kind spec: where B is far beyond the L2 of a GPU
kinds()
{
    cat <<'SET'
mesh3d-1.3m mesh3d:n=110,points=7
mesh3d-27pt-500k mesh3d:n=80,points=27
mesh3d-4.9m mesh3d:n=170,points=7
mesh2d-2m mesh2d:n=1414,points=5
geometric2d-2m geometric:n=2000000,dim=2,mean=12
geometric3d-1m geometric:n=1000000,dim=3,mean=14
triangulation-1m triangulation:n=1000000
road-4m road:n=4000000
knn-1m knn:n=1000000
block-1m block:n=1048576,size=16,between=0
sbm-1m sbm:n=1000000,communities=4000,outside=0.1
lfr-1m lfr:n=1000000
citation-1m citation:n=1000000
SET
}

# at random: little for an order to find
random_kinds()
{
    cat <<'SET'
uniform-1m uniform:n=1000000,mean=10
rmat-20 rmat:scale=20,edges=10
powerlaw-1m powerlaw:n=1000000
SET
}

sizes()
{
    local n
    for n in 20 32 50 64 100; do echo "mesh3d-27pt-$n mesh3d:n=$n,points=27"; done
    for n in 8000 32000 128000 512000; do
        echo "geometric3d-$n geometric:n=$n,dim=3,mean=14"
        echo "sbm-$n sbm:n=$n,communities=$((n / 250)),outside=0.1"
        echo "mesh2d-$n mesh2d:nx=$((n / 100)),ny=100"
    done
}

# Of 1 to 40 million entries, largest first: meshes, bands, blocks, graphs, circuits, linear programs, rows without
# entries, rows that are dense.
vector_set()
{
    cat <<'SET'
mesh3d-5m mesh3d:n=170,points=7
mesh2d-4m mesh2d:n=2000,points=5
mesh3d-27pt-729k mesh3d:n=90,points=27
rmat-20-16 rmat:scale=20,edges=16
circuit-3m circuit:n=3000000
banded-1m banded:n=1000000
tridiagonal-4m banded:n=4000000,lower=1,upper=1
uniform-100k-100 uniform:n=100000,mean=100
rmat-20 rmat:scale=20,edges=10
road-3m road:n=3000000
lp-500k lp:rows=500000,cols=1000000,mean=8
banded-200k-41 banded:n=200000,lower=20,upper=20
banded-fill-400k banded:n=400000,lower=30,upper=30,fill=0.3
block-131k-32 block:n=131072,size=32,between=1
manyempty-2m manyempty:n=2000000
mesh3d-1m mesh3d:n=100,points=7
mesh3d-dof4-40 mesh3d:n=40,points=7,dof=4
uniform-1m-5 uniform:n=1000000,mean=5
uniform-20k-300 uniform:n=20000,mean=300
powerlaw-500k powerlaw:n=500000
mesh3d-27pt-216k mesh3d:n=60,points=27
arrow-1m arrow:n=1000000,width=2,band=1
mesh2d-1m mesh2d:n=1000,points=5
mesh2d-9pt-500k mesh2d:n=700,points=9
circuit-1m circuit:n=1000000
kkt-300k kkt:n=300000
block-65k-64 block:n=65536,size=64
block-16k-256 block:n=16384,size=256
rmat-18-16 rmat:scale=18,edges=16
manyempty-runs-10m manyempty:n=10000000,empty=0.97,run=1000,mean=10
geometric3d-200k geometric:n=200000,dim=3,mean=20
geometric-300k geometric:n=300000
triangulation-500k triangulation:n=500000
sbm-200k sbm:n=200000,communities=800,outside=0.1
citation-200k citation:n=200000
lfr-200k lfr:n=200000
knn-300k knn:n=300000
honeycomb-600k honeycomb:n=600000
mesh3d-27pt-dof3 mesh3d:n=22,points=27,dof=3
powerlaw-200k powerlaw:n=200000,tail=0.6
lp-100k-wide lp:rows=100000,cols=600000,mean=4
lp-tall lp:rows=1000000,cols=400000,mean=6
block-250k block:n=250000
rmat-17 rmat:scale=17
rmat-15-64 rmat:scale=15,edges=64
arrow-400k arrow:n=400000,width=1,band=1
circuit-250k circuit:n=250000
mesh3d-27pt-36 mesh3d:n=36,points=27
road-500k road:n=500000
banded-100k banded:n=100000
uniform-100k uniform:n=100000,mean=11
manyempty-300k manyempty:n=300000
rowclusters-100k rowclusters:rows=100000
bipartite-100k bipartite:rows=100000,cols=40000
SET
}

# What the sizes of CSR-k are fitted on, as the rows of an index whose twins are measured: four matrices a case of
# rdensity, one of each in turn, below 10^6 rows and so none of the study.
csrk_train_index()
{
    cat <<'SET'
train,mesh-7,900000,900000,6300000,1,0,1,0,1,1,thermal problem,6300000
train,mesh-9,900000,900000,8100000,1,0,1,0,1,1,structural problem,8100000
train,mesh-20,450000,450000,9000000,1,0,1,0,1,1,structural problem,9000000
train,mesh-40,240000,240000,9600000,1,0,1,0,1,1,structural problem,9600000
train,road-3,950000,950000,2600000,1,0,1,0,1,1,undirected graph,2600000
train,rgg_n_12,700000,700000,8400000,1,0,1,0,1,1,undirected graph,8400000
train,mesh-26,380000,380000,9880000,1,0,1,0,1,1,structural problem,9880000
train,mesh-80,120000,120000,9600000,1,0,1,0,1,1,structural problem,9600000
train,huge-3,950000,950000,2850000,1,0,1,0,1,1,undirected graph,2850000
train,mesh-14,650000,650000,9100000,1,0,1,0,1,1,structural problem,9100000
train,mesh-17,550000,550000,9350000,1,0,1,0,1,1,structural problem,9350000
train,mesh-55,180000,180000,9900000,1,0,1,0,1,1,structural problem,9900000
train,delaunay_6,950000,950000,5700000,1,0,1,0,1,1,undirected graph,5700000
train,mesh-11,800000,800000,8800000,1,0,1,0,1,1,structural problem,8800000
train,mesh-30,330000,330000,9900000,1,0,1,0,1,1,structural problem,9900000
train,mesh-34,280000,280000,9520000,1,0,1,0,1,1,structural problem,9520000
SET
}
