#include "config.h"
#include "format/vector/csr.h"

const char *const rc_csr_lanes_names[] = {"auto", NULL};

int64_t rc_csr_lanes(const rc_csr_view_t *e, int64_t lanes)
{
    if (lanes != RC_CSR_LANES_AUTO)
        return lanes;
    lanes = 1;
    while (lanes < RC_CSR_LANES_MAX && lanes * e->rows < e->nnz)
        lanes *= 2;
    return lanes;
}

static rc_status_t measure(
    const rc_csr_view_t *e, const int64_t *param, rc_format_size_t *out, rc_err_t *err)
{
    (void)err;
    rc_format_add_csr(out, e);
    rc_format_add_number(out, "lanes", "that take a row together", rc_csr_lanes(e, param[0]));
    return RC_OK;
}

static rc_status_t dump(const rc_csr_view_t *e, const int64_t *param, int threads,
    const rc_format_sink_t *sink, rc_err_t *err)
{
    (void)param;
    (void)threads;
    rc_status_t st = rc_format_put_int64(sink, "row_ptr", e->ptr, e->rows + 1, err);
    return st == RC_OK ? rc_format_put_int32(sink, "col", e->col, e->nnz, err) : st;
}

const rc_format_t rc_format_csr = {
    .name = "csr",
    .summary = "compressed rows; a group of lanes takes a row",
    .source = "Bell and Garland 2009",
    .param = {RC_CSR_LANES_PARAM},
    .measure = measure,
    .dump = dump,
};
