/* A commit round in figures, as src/store/commit.c goes through it. */
#ifndef RC_TESTS_SIM_ROUND_H
#define RC_TESTS_SIM_ROUND_H

#include <stdint.h>

/* What tests/sim/probe measures on one machine, with one process. */
typedef struct sim_disk {
    double create_s; /* of a journal: file, lock, first record, three syncs */
    double open_s;   /* of a journal in a scan: open, lock, close, remove */
    double scan_s;   /* of a result that is read into a row, with what the journal says beside it */
    double write_s;  /* ... when it is written to the store */
    double copy_s;   /* of a byte of the store: read, copied, written, sealed, synced */
    double journal_bytes; /* of a result */
    double store_bytes;
} sim_disk_t;

typedef struct sim_round {
    double create_s; /* of all journals, if the folder takes one at a time */
    double scan_s;   /* rank 0 does all */
    double write_s;
    double copy_s;        /* of the old store */
    double total_s;       /* of the round at the end; without create_s */
    double journal_bytes; /* all journals together */
    double store_bytes;
} sim_round_t;

/* The round at the end of a sweep of `ranks` that brought `rows` to a store that has `old` rows. */
static inline sim_round_t sim_round(const sim_disk_t *d, int ranks, double rows, double old)
{
    sim_round_t r = {.create_s = d->create_s * ranks,
        .scan_s = d->open_s * ranks + d->scan_s * rows,
        .write_s = d->write_s * rows,
        .copy_s = d->copy_s * d->store_bytes * old,
        .journal_bytes = d->journal_bytes * rows,
        .store_bytes = d->store_bytes * (rows + old)};
    r.total_s = r.scan_s + r.write_s + r.copy_s;
    return r;
}

#endif
