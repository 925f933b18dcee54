/* The number of an MPI rank, as its launcher tells it: a shim is there before MPI is. */
#ifndef RC_TESTS_FAULT_RANK_H
#define RC_TESTS_FAULT_RANK_H

#include <stddef.h>
#include <stdlib.h>

/* NULL: of no job. */
static inline const char *rank_of_job(void)
{
    static const char *const name[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    const char *rank = NULL;
    for (size_t i = 0; !rank && i < sizeof name / sizeof *name; i++)
        rank = getenv(name[i]);
    return rank;
}

#endif
