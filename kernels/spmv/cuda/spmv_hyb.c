/* y = A x on a GPU: the first entries of every row in ELLPACK, which stores y; coordinates add
 * the others. */
#include "config.h"
#include "base/error.h"
#include "format/vector/hyb.h"
#include "kernels/spmv/cuda/spmv.h"

enum { PARAM_WIDTH };

static rc_status_t count_beyond(void *user, int64_t entries, int64_t *rows, rc_err_t *err)
{
    rc_spmv_counts_t n;
    RC_PASS(rc_spmv_count(user, entries, 0, &n, err));
    *rows = n.beyond;
    return RC_OK;
}

/* The rule `bell` where the matrix is.  Rows of A have entries, other slots have none. */
static rc_status_t bell_width(const rc_problem_t *p, int64_t *out, rc_err_t *err)
{
    rc_problem_t of = *p;
    rc_spmv_counts_t n;
    RC_PASS(rc_spmv_count(p, 0, 0, &n, err));
    return rc_hyb_bell_by(p->schedule->slots, n.longest, count_beyond, &of, out, err);
}

static rc_status_t choose_width(const rc_problem_t *p, int64_t *out, rc_err_t *err)
{
    const rc_csr_view_t slots = {.rows = p->schedule->slots, .nnz = p->a->nnz};
    return p->param[PARAM_WIDTH] == RC_HYB_BELL
               ? bell_width(p, out, err)
               : rc_hyb_width(&slots, p->param[PARAM_WIDTH], out, err);
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    const rc_csr_view_t slots = {
        .rows = p->schedule->slots, .nnz = p->a->nnz, .precision = p->precision};
    int64_t value = (int64_t)rc_precision_bytes(p->precision);
    rc_format_size_t size = {0};
    rc_analysis_t csr = {0};
    int64_t width = 0;
    rc_spmv_counts_t n;
    RC_PASS(rc_cuda_slots_analyse(p, &csr, err));
    RC_PASS(choose_width(p, &width, err));
    RC_PASS(rc_spmv_count(p, width + RC_SPMV_LOOK, width, &n, err));
    int64_t over = n.over;
    RC_PASS(rc_spmv_limits(p, rc_spmv_coo_shares(over), err));
    rc_ell_add(&size, &slots, width, "col", "val");
    int64_t bytes = rc_format_bytes(&size);
    rc_coo_add(&size, &slots, over, "coo_row", "coo_col", "coo_val");
    bytes = rc_sat_add(bytes, rc_spmv_coo_bytes(over, n.beyond, p->precision));
    bytes = rc_sat_add(bytes, rc_sat_mul(over, value));
    out->bytes = rc_sat_add(bytes, rc_cuda_rows_bytes(p));
    out->traffic = rc_format_bytes(&size);
    out->stored_rows = csr.stored_rows;
    out->fill = rc_format_fill(&size, &slots);
    RC_CHOSE(out, n);
    return RC_OK;
}

/* Values of both parts are one array, those of ELLPACK first. */
static void build(rc_spmv_t *s, rc_spmv_form_t *f, const rc_analysis_t *analysis)
{
    const rc_csr_view_t slots = {.rows = f->k.p->schedule->slots};
    rc_spmv_counts_t n;
    RC_CHOSEN(analysis, n);
    const rc_spmv_coo_size_t size = {.skip = n.width,
        .entries = n.over,
        .beyond = n.beyond,
        .first = n.width * rc_ell_pitch(&slots)};
    rc_spmv_keep_rows(f);
    (void)rc_keep_values(&f->k, NULL, size.first + size.entries);
    rc_spmv_take_ell(f, n.width, &s->launch[0]);
    rc_spmv_take_coo(f, &size, &s->launch[1]);
}

static const rc_spmv_kind_t kind = {build};

/* No types of 16 bits: the first launch would round what the second one adds to. */
const rc_kernel_t rc_kernel_cuda_hyb = {
    .name = "hyb",
    .summary = "y = A x on a GPU: the first `width` entries of every row in ELLPACK, the others as "
               "coordinates",
    .source = "Bell and Garland 2009, doi:10.1145/1654059.1654078",
    /* 1: rows of several shares in a third launch; built on the host; 2: a fence in every CTA of
     * such rows. 3: in the last one */
    .version = 4,
    .param = {RC_HYB_WIDTH_PARAM},
    .builds = RC_BUILDS_ALONE,
    .kind = &kind,
    .format = "hyb",
    .rank = {{1, 2, 2}},
    RC_SPMV_MEMBERS,
};
