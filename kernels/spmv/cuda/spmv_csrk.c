/* y = A x of CSR-k on a GPU (Lane and Booth 2022, Listings 3 and 4):
 *
 * csr2   a CTA takes as many super-rows as its block has places for [chosen]; the case of the mean
 *        row gives the block.  They tried it and give no details.
 * csr3   GPUSpMV-3 whatever the rows are like: a CTA takes a super-super-row, a thread a row.
 * csr35  as published: the mean row gives the case.  Up to 8 entries it is GPUSpMV-3, beyond
 *        GPUSpMV-3.5, where 4, 8 or 16 lanes take a row and add up their sums. */
#include "config.h"
#include "base/error.h"
#include "format/super_rows.h"
#include "kernels/spmv/cuda/spmv.h"
#include "kernels/tuning/csrk.h"

/* Parameters: `tune`, a size for each level, and behind them what csr3 has not: 0 there. */
enum { PARAM_SIZE = 1, BEHIND_REDUCE = 1, BEHIND_READING = 2 };

/* Which of them a kernel is. */
typedef struct csrk_kind {
    rc_spmv_kind_t kind;
    int levels; /* 1: CSR-2, 2: CSR-3 */
    int serial; /* 1: GPUSpMV-3 whatever the rows are like */
} csrk_kind_t;

static const csrk_kind_t *kind_of(const rc_problem_t *p)
{
    return p->kernel->kind;
}

/* Sizes and the block for a problem.  \param[out] tuned  [2] SRS and SSRS */
static rc_status_t size(const rc_problem_t *p, rc_csrk_sizes_t *out, int64_t *tuned, rc_err_t *err)
{
    const csrk_kind_t *kind = kind_of(p);
    rc_csrk_tuning_t tuning;
    rc_csrk_reading_t reading = (rc_csrk_reading_t)p->param[kind->levels + BEHIND_READING];
    double rdensity = rc_csrk_rdensity(p->a->rows, p->a->nnz);
    RC_PASS(rc_csrk_tuning_open(p->text ? p->text : "auto", &tuning, err));
    *out = kind->serial ? rc_csrk_sizes_of_case(&tuning, reading, rdensity, 1)
                        : rc_csrk_sizes(&tuning, reading, rdensity);
    rc_csrk_fill(&tuning, p->a->rows, out);
    tuned[0] = out->srs;
    tuned[1] = out->ssrs;
    return RC_OK;
}

/* CSR and the pointers. */
static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_csrk_sizes_t sizes;
    int64_t tuned[2];
    rc_super_rows_t super;
    RC_PASS(rc_cuda_slots_analyse(p, out, err));
    RC_PASS(rc_spmv_limits(p, 0, err));
    RC_PASS(size(p, &sizes, tuned, err));
    RC_PASS(rc_super_rows_count(p, kind_of(p)->levels, &p->param[PARAM_SIZE], tuned, &super, err));
    out->pointers = rc_super_rows_bytes(&super);
    out->traffic = rc_sat_add(out->traffic, rc_super_rows_bytes(&super));
    out->bytes = rc_sat_add(out->bytes, rc_super_rows_bytes(&super));
    return RC_OK;
}

static void build(rc_spmv_t *s, rc_spmv_form_t *form, const rc_analysis_t *analysis)
{
    (void)analysis;
    rc_spmv_launch_t *l = s->launch;
    const rc_problem_t *p = form->k.p;
    const csrk_kind_t *kind = kind_of(p);
    rc_super_rows_t super;
    rc_csrk_sizes_t f;
    int64_t tuned[2];
    form->k.st = size(p, &f, tuned, form->k.err);
    if (form->k.st < 0)
        return;
    rc_spmv_keep_rows(form);
    rc_spmv_keep_super_rows(form, kind->levels, &p->param[PARAM_SIZE], tuned, &super);
    rc_spmv_keep_csr(form);
    /* as published: case 1 has a thread a row, the others several lanes */
    const int32_t each = f.number == 1 ? f.block[1] : f.block[2]; /* super-rows of a block */
    l->args.csrk = (rc_spmv_csrk_args_t){.ptr = form->slots.ptr,
        .col = form->slots.col,
        .val = form->slots.val,
        .sr_ptr = super.ptr[0],
        .ssr_ptr = super.ptr[1],
        .super_rows = (int32_t)super.count[0],
        .each = each};
    l->what = "launch of CSR-k";
    l->of = (rc_cuda_launch_t){
        .entry = rc_spmv_csrk_entry(p->precision, form->slots.wide, f.number == 1 ? 1 : f.block[0],
            (int)p->param[kind->levels + BEHIND_REDUCE]),
        .ctas = (unsigned)(super.levels == 2 ? super.count[1] : (super.count[0] + each - 1) / each),
        .rows = 1,
        .threads = (unsigned)f.block[0],
        .threads_y = (unsigned)f.block[1],
        .threads_z = (unsigned)f.block[2]};
}

/* A kernel of so many levels. */
#define KERNEL(id, levels, serial, about, where, ...)                                              \
    static const csrk_kind_t id = {{build}, levels, serial};                                       \
    const rc_kernel_t rc_kernel_cuda_##id = {.name = #id,                                          \
        .summary = "y = A x on a GPU: " about,                                                     \
        .source = "Lane and Booth 2022, " where,                                                   \
        .format = "super_rows",                                                                    \
        .version = 1,                                                                              \
        .builds = RC_BUILDS_THERE,                                                                 \
        .identify = rc_csrk_tuning_identify,                                                       \
        .kind = &id,                                                                               \
        .param = {TUNE, SIZE("srs", "slots of a super-row"), __VA_ARGS__},                         \
        .types = RC_TYPES_REAL,                                                                    \
        .out_sums = 1,                                                                             \
        RC_SPMV_MEMBERS}

static const char *const reduce_names[] = {"shared", "shuffle", NULL};

#define TUNE                                                                                       \
    {                                                                                              \
        .name = "tune",                                                                            \
        .help = "sizes where neither a number nor the order says them: volta or ampere, as "       \
                "published, or a file of rowcast tune csrk",                                       \
        .type = RC_PARAM_TEXT, .text = "auto"                                                      \
    }
#define SIZE(level, of)                                                                            \
    {                                                                                              \
        .name = level, .help = of "; auto: the groups of the order, else the tuning",              \
        .value = RC_SUPER_ROWS_AUTO, .min = 1, .max = INT32_MAX, .choices = rc_super_rows_choices  \
    }
#define SSRS SIZE("ssrs", "super-rows of a super-super-row")
#define REDUCE_READING                                                                             \
    {.name = "reduce",                                                                             \
        .help = "sums of a row in shared memory, as published, or by shuffles",                    \
        .type = RC_PARAM_CHOICE,                                                                   \
        .choices = reduce_names},                                                                  \
    {                                                                                              \
        .name = "reading", .help = "what the formulas of srs mean by SSRS in cases 3 and 4",       \
        .type = RC_PARAM_CHOICE, .choices = rc_csrk_reading_names                                  \
    }

KERNEL(csr2, 1, 0, "blocks of threads take super-rows (CSR-2)", "section 6.2", REDUCE_READING);
KERNEL(csr3, 2, 1, "a CTA takes a super-super-row, a thread a row (GPUSpMV-3)", "Listing 3", SSRS);
KERNEL(csr35, 2, 0, "a CTA takes a super-super-row, lanes by the mean row (GPUSpMV-3 and 3.5)",
    "Listings 3 and 4", SSRS, REDUCE_READING);
