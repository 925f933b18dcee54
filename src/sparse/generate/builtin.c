#include "config.h"
#include "sparse/generate.h"

#include <string.h>

/* Small enough for a first run of minutes, varied enough that the orders differ on it. */
const rc_builtin_t rc_builtins[] = {
    {"mesh2d-100", "2D/3D problem", "mesh2d:n=100", 10000, 10000, 49600},
    {"mesh2d-300x100", "2D/3D problem", "mesh2d:nx=300,ny=100,points=9", 30000, 30000, 267604},
    {"mesh2d-60-dof3", "structural problem", "mesh2d:n=60,points=9,dof=3", 10800, 10800, 285156},
    {"mesh2d-250", "2D/3D problem", "mesh2d:n=250", 62500, 62500, 311500},
    {"mesh2d-40-dof6", "structural problem", "mesh2d:n=40,points=9,dof=6", 9600, 9600, 501264},
    {"mesh3d-20", "2D/3D problem", "mesh3d:n=20", 8000, 8000, 53600},
    {"mesh3d-40", "2D/3D problem", "mesh3d:n=40", 64000, 64000, 438400},
    {"mesh3d-16-27pt", "2D/3D problem", "mesh3d:n=16,points=27", 4096, 4096, 97336},
    {"mesh3d-12-dof3", "structural problem", "mesh3d:n=12,points=27,dof=3", 5184, 5184, 353736},
    {"mesh3d-100x10x10-dof2", "computational fluid dynamics problem",
        "mesh3d:nx=100,ny=10,nz=10,dof=2", 20000, 20000, 263200},
    {"mesh3d-14-dof4", "computational fluid dynamics problem", "mesh3d:n=14,dof=4", 10976, 10976,
        288512},
    {"banded-10k", "materials problem", "banded:n=10000", 10000, 10000, 109970},
    {"banded-50k-thin", "materials problem", "banded:n=50000,lower=1,upper=1", 50000, 50000,
        149998},
    {"banded-5k-wide", "electromagnetics problem", "banded:n=5000,lower=60,upper=60,fill=0.3", 5000,
        5000, 184161},
    {"banded-100k-sparse", "materials problem", "banded:n=100000,lower=40,upper=40,fill=0.04",
        100000, 100000, 420098},
    {"block-8k-8", "model reduction problem", "block:n=8000,size=8", 8000, 8000, 64000},
    {"block-4k-32", "model reduction problem", "block:n=4096,size=32,between=1", 4096, 4096,
        259072},
    {"block-20k-4", "chemical process simulation problem", "block:n=20000,size=4,between=2", 20000,
        20000, 239904},
    {"block-3k-100", "optimal control problem", "block:n=3000,size=100", 3000, 3000, 300000},
    {"arrow-10k", "optimization problem", "arrow:n=10000,width=2,band=1", 10000, 10000, 69988},
    {"arrow-30k", "optimization problem", "arrow:n=30000,width=5,band=2", 30000, 30000, 449944},
    {"circuit-20k", "circuit simulation problem", "circuit:n=20000", 20000, 20000, 130460},
    {"circuit-5k-dense", "circuit simulation problem", "circuit:n=5000,mean=3,dense=12,share=0.5",
        5000, 5000, 79515},
    {"circuit-80k", "circuit simulation problem",
        "circuit:n=80000,mean=3,reach=200,dense=3,share=0.05", 80000, 80000, 342891},
    {"rmat-12", "directed weighted graph", "rmat:scale=12,edges=16", 4096, 4096, 53354},
    {"rmat-14", "directed weighted graph", "rmat:scale=14", 16384, 16384, 120116},
    {"rmat-16", "directed weighted graph", "rmat:scale=16,edges=6", 65536, 65536, 374967},
    {"rmat-13-mild", "directed weighted graph", "rmat:scale=13,edges=12,a=0.45,b=0.22,c=0.22", 8192,
        8192, 97147},
    {"powerlaw-20k", "undirected graph", "powerlaw:n=20000", 20000, 20000, 174355},
    {"powerlaw-5k-heavy", "undirected graph", "powerlaw:n=5000,shortest=4,tail=0.5,longest=4000",
        5000, 5000, 147400},
    {"powerlaw-60k", "undirected graph", "powerlaw:n=60000,tail=0.3", 60000, 60000, 279916},
    {"uniform-10k", "random graph", "uniform:n=10000", 10000, 10000, 99959},
    {"uniform-1k-dense", "random graph", "uniform:n=1000,mean=200", 1000, 1000, 181371},
    {"uniform-30k", "random graph", "uniform:n=30000,mean=4", 30000, 30000, 119997},
    {"uniform-20kx2k", "least squares problem", "uniform:n=20000,cols=2000,mean=12", 20000, 2000,
        239352},
    {"manyempty-20k", "directed graph", "manyempty:n=20000", 20000, 20000, 78093},
    {"manyempty-60k-runs", "directed graph", "manyempty:n=60000,empty=0.95,run=50,mean=60", 60000,
        60000, 200901},
    {"manyempty-5k-half", "directed graph", "manyempty:n=5000,empty=0.5,mean=40", 5000, 5000,
        98256},
    {"lp-5k", "linear programming problem", "lp", 5000, 20000, 72127},
    {"lp-2k-wide", "linear programming problem", "lp:rows=2000,cols=40000,mean=6,linking=20", 2000,
        42000, 315317},
    {"lp-12k-tall", "linear programming problem", "lp:rows=12000,cols=6000,mean=8,slack=0", 12000,
        6000, 50669},
};

const int rc_builtin_count = (int)(sizeof rc_builtins / sizeof *rc_builtins);

const char *rc_builtin_spec(const char *word)
{
    static const char group[] = "builtin/";
    const char *name = strncmp(word, group, strlen(group)) == 0 ? word + strlen(group) : word;
    for (int i = 0; i < rc_builtin_count; i++)
        if (strcmp(rc_builtins[i].name, name) == 0)
            return rc_builtins[i].spec;
    return NULL;
}
