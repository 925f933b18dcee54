#include "config.h"
#include "dropin/direct/direct.h"
#include "dropin/stream.h"

#include <stdio.h>

rc_direct_list_t rc_directs(const rc_asked_t *p)
{
    static rc_direct_list_t (*const lists[RC_OPS])(const rc_asked_t *) = {
        [RC_OP_SPMM] = rc_direct_spmm,
        [RC_OP_SPMV] = rc_direct_spmv,
        [RC_OP_SDDMM] = rc_direct_sddmm};
    static const rc_direct_list_t none;
    return lists[p->op] ? lists[p->op](p) : none;
}

cudaError_t rc_direct_new(rc_direct_run_t *out, const rc_asked_t *p, int way, rc_made_t *made)
{
    const rc_direct_list_t all = rc_directs(p);
    const rc_direct_t *w = all.way + way;
    *out = (rc_direct_run_t){.way = w};
    made->captures = w->scratch == NULL;
    (void)snprintf(made->text, sizeof made->text, "%s", w->name);
    if (!w->scratch)
        return cudaSuccess;
    made->bytes = w->scratch(p);
    cudaError_t e = cudaStreamGetId(p->stream, &out->stream_id);
    return e != cudaSuccess ? e : cudaMallocAsync(&out->scratch, (size_t)made->bytes, p->stream);
}

int rc_direct_run(rc_direct_run_t *run, const rc_asked_t *p, cudaEvent_t last, int overlaps)
{
    int bad = run->scratch && failed(rc_stream_follow(&run->stream_id, p->stream, last));
    return bad ? -1 : run->way->launch(p, run->scratch, overlaps);
}
