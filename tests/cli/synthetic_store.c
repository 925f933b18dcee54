/* synthetic_store FILE: write a store whose times follow a known rule, see tests/unit/synthetic.h and
 * synthetic_formats.h */
#include "config.h"
#include "synthetic.h"
#include "synthetic_formats.h"

#include "analysis/dataset.h"
#include "base/opt.h"

#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

struct options {
    synthetic_t s;
    int64_t devices;
    int formats;
    int64_t without;
    int64_t draws;
    int64_t part;
    int64_t stores;
    const char *dataset;
};

#define AT(member) offsetof(struct options, member)

static const rc_opt_t table[] = {
    {"matrices", 0, RC_OPT_INT, AT(s.matrices), "N", "Matrices (default 300).", 1, 1e7},
    {"groups", 0, RC_OPT_INT, AT(s.groups), "N", "Groups (default 40).", 1, 1e7},
    {"seed", 0, RC_OPT_INT, AT(s.seed), "S", "Of features and noise (default 1).", 0, 1e15},
    {"noise", 0, RC_OPT_DOUBLE, AT(s.noise), "X", "Of log times (default 0.01).", 0, 1},
    {"k", 0, RC_OPT_TEXT, AT(s.k), "LIST", "Default 8,32,128; n may be among them.", 0, 0},
    {"op", 0, RC_OPT_TEXT, AT(s.op), "LIST", "Operations (default spmm).", 0, 0},
    {"devices", 0, RC_OPT_INT, AT(devices), "N", "Devices (default 1).", 1, 8},
    {"fp64", 0, RC_OPT_FLAG, AT(s.fp64), NULL, "Also fp64.", 0, 0},
    {"shorts", 0, RC_OPT_FLAG, AT(s.shorts), NULL, "Also bf16 and fp16.", 0, 0},
    {"complex", 0, RC_OPT_FLAG, AT(s.complexes), NULL, "Also c64 and c128.", 0, 0},
    {"shuffle", 0, RC_OPT_FLAG, AT(s.shuffle), NULL, "Rows in another order.", 0, 0},
    {"gaps", 0, RC_OPT_FLAG, AT(s.gaps), NULL, "Some cases fail, some features lack.", 0, 0},
    {"noisy", 0, RC_OPT_FLAG, AT(s.noisy), NULL, "Some cases are noisy.", 0, 0},
    {"stale", 0, RC_OPT_FLAG, AT(s.stale), NULL, "Also rows that are superseded.", 0, 0},
    {"run", 0, RC_OPT_INT, AT(s.run), "N", "Another run has other noise (default 0).", 0, 1e6},
    {"slow", 0, RC_OPT_DOUBLE, AT(s.slow), "X", "Factor of the times of syn-b.", 0, 100},
    {"bursts", 0, RC_OPT_DOUBLE, AT(s.bursts), "X", "Share of cases 1.5 times as long.", 0, 1},
    {"version", 0, RC_OPT_INT, AT(s.version), "N", "Of the kernels (default 2).", 0, 100},
    {"schedule", 0, RC_OPT_FLAG, AT(s.schedule), NULL, "Also C in schedule order.", 0, 0},
    {"params", 0, RC_OPT_FLAG, AT(s.params), NULL, "Also a policy with parameters.", 0, 0},
    {"formats", 0, RC_OPT_FLAG, AT(formats), NULL,
        "Another store: y = A x in the six formats, see tests/unit/synthetic_formats.h.", 0, 0},
    {"without", 0, RC_OPT_INT, AT(without), "BITS", "Formats that it lacks, bit 0 is coo.", 0, 63},
    {"draws", 0, RC_OPT_INT, AT(draws), "N",
        "N runs of cases that are drawn, some on a card of their own.", 1, 9},
    {"part", 0, RC_OPT_INT, AT(part), "I", "Of these those of even (0) or odd (1) numbers.", 0, 1},
    {"stores", 0, RC_OPT_INT, AT(stores), "N",
        "N stores, FILE.I.h5 of seed I, with 2 to 5 such runs; a third of them in two parts, "
        "FILE.I.a.h5 and FILE.I.b.h5.",
        1, 1000},
    {"dataset", 0, RC_OPT_TEXT, AT(dataset), "KERNEL",
        "Print the data set of trainers of a store that is there: digest, K, class, ns.", 0, 0},
    {NULL, 0, RC_OPT_FLAG, 0, NULL, NULL, 0, 0},
};

static rc_status_t draw(const char *file, const synthetic_t *of, int64_t stores, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (int i = 0; st == RC_OK && i < stores; i++) {
        synthetic_t s = *of;
        char name[1024];
        s.seed = i;
        s.draws = 2 + i % 4;
        s.schedule = i % 5 == 1;
        s.mixed = i % 2;
        for (s.part = i % 3 ? -1 : 0; st == RC_OK && s.part < (i % 3 ? 0 : 2); s.part++) {
            (void)snprintf(name, sizeof name, "%s.%d%s.h5", file, i,
                i % 3    ? ""
                : s.part ? ".b"
                         : ".a");
            st = synthetic_write(name, &s, err);
        }
    }
    return st;
}

static rc_status_t print_dataset(const char *file, const char *kernel, rc_err_t *err)
{
    rc_dataset_t d;
    const rc_dataset_options_t o = {.kernel = kernel, .classes = "all"};
    rc_status_t st = rc_dataset_read(file, &o, &d, err);
    for (int64_t i = 0; st == RC_OK && i < d.rows; i++)
        for (int c = 0; c < d.classes; c++)
            printf("%s,%lld,%s,%.17g\n", d.sample[i].digest, (long long)d.sample[i].k,
                d.cls[c].name, d.time[i * d.classes + c]);
    if (st == RC_OK)
        rc_dataset_free(&d);
    return st;
}

int main(int argc, char **argv)
{
    struct options o = {.s = synthetic_default, .devices = 1, .part = -1};
    rc_err_t err = {0};
    int first;
    rc_status_t st = rc_opt_parse(table, &o, argc, argv, &first, &err);
    if (st < 0 || first != argc - 1) {
        fprintf(stderr, "%s\nusage: synthetic_store [OPTIONS] FILE\n", err.text);
        rc_opt_help(table, stderr);
        return 2;
    }
    o.s.devices = (int)o.devices;
    o.s.draws = (int)o.draws;
    o.s.part = (int)o.part;
    MPI_Init(&argc, &argv);
    const synthetic_formats_t formats = {.matrices = o.s.matrices,
        .groups = o.s.groups,
        .seed = o.s.seed,
        .noise = o.s.noise,
        .fp64 = o.s.fp64,
        .shorts = o.s.shorts,
        .without = (int)o.without};
    st = o.dataset      ? print_dataset(argv[first], o.dataset, &err)
         : o.stores > 0 ? draw(argv[first], &o.s, o.stores, &err)
         : o.formats    ? synthetic_formats_write(argv[first], &formats, &err)
                        : synthetic_write(argv[first], &o.s, &err);
    MPI_Finalize();
    if (st < 0)
        fprintf(stderr, "synthetic_store: %s\n", err.text);
    return st < 0 ? 3 : 0;
}
