/* Which kernels ask whether they may store. */
#include "config.h"
#include "kernels/cuda/condition.h"

extern const rc_kernel_t rc_kernel_gchunk, rc_kernel_gchunk_col, rc_kernel_gchunk_col_row, rc_kernel_gchunk_row_col;
extern const rc_kernel_t rc_kernel_gpanel, rc_kernel_gstage, rc_kernel_gslice, rc_kernel_growmajor;

int rc_cuda_can_be_closed(const rc_kernel_t *kernel)
{
    const rc_kernel_t *const can[] = {&rc_kernel_gchunk, &rc_kernel_gchunk_col, &rc_kernel_gchunk_col_row,
        &rc_kernel_gchunk_row_col, &rc_kernel_gpanel, &rc_kernel_gstage, &rc_kernel_gslice, &rc_kernel_growmajor};
    for (size_t i = 0; i < sizeof can / sizeof *can; i++)
        if (kernel == can[i])
            return 1;
    return 0;
}
