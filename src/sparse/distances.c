#include "config.h"
#include "sparse/distances.h"

/* By the number of binary digits: 1 is bin 0, 2 is bin 1, 3 and 4 are bin 2, 5 and 6 bin 3, ... */
static inline int bin_of(uint32_t distance)
{
    int digits = 32 - __builtin_clz(distance);
    int bin = digits == 1 ? 0 : (digits + 1) / 2;
    return bin < RC_DISTANCES ? bin : RC_DISTANCES - 1;
}

void rc_distances_count(const rc_csr_t *a, int threads, int64_t *out)
{
    int64_t bins[RC_DISTANCES] = {0};
#pragma omp parallel for num_threads(threads) schedule(dynamic, 256) reduction(+ : bins)
    for (int64_t row = 0; row < a->rows; row++)
        for (int64_t e = a->row_ptr[row] + 1; e < a->row_ptr[row + 1]; e++)
            bins[bin_of((uint32_t)(a->col_idx[e] - a->col_idx[e - 1]))]++;
    for (int i = 0; i < RC_DISTANCES; i++)
        out[i] = bins[i];
}
