#include "config.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "cmd/one_matrix.h"
#include "io/mtx.h"
#include "order/mask.h"
#include "order/policy.h"
#include "sparse/csr.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct options {
    rc_one_matrix_options_t matrix;
    const char *policy;
    const char *output;
    const char *rows;
};

#define MATRIX(member) offsetof(struct options, matrix.member)

static const rc_opt_t options[] = {
    {"policy", 'p', RC_OPT_TEXT, offsetof(struct options, policy), "NAME",
        "Row order: csr, dcsr, plain, flipped, lpt, warp, cta, hybrid1, hybrid2.1, hybrid2.2 or "
        "hybrid2.3. Required.",
        0, 0},
    {"output", 'o', RC_OPT_TEXT, offsetof(struct options, output), "FILE",
        "Write the matrix with its rows in slot order (Matrix Market). Pads and rows that the "
        "policy leaves out are not in it; columns stay as they are.",
        0, 0},
    {"rows", 0, RC_OPT_TEXT, offsetof(struct options, rows), "FILE",
        "Write the schedule: lines starting with '#', then line p (from 0) holds the 0-based "
        "original row that slot p takes, or -1 for a pad. It maps new position to original row.",
        0, 0},
    RC_ONE_MATRIX_OPTIONS(MATRIX),
    {"format", 0, RC_OPT_TEXT, MATRIX(format), "FORMAT",
        "Of the summary: table (default), csv or json.", 0, 0},
    {NULL, 0, RC_OPT_FLAG, 0, NULL, NULL, 0, 0},
};

static int run(int argc, char **argv);

const rc_command_t rc_command_order = {
    .name = "order",
    .summary = "put the rows of a matrix in the order of a policy",
    .usage = "FILE --policy NAME [-o FILE] [--rows FILE]",
    .description =
        RC_ONE_MATRIX_HELP "\n\n"
        "Prints two lines, for the original order and for the policy: slots, pads and rows left "
        "out, the mean distance of rows in adjacent slots (cache lines that only one of the two "
        "needs, pads skipped), the largest and mean load of a warp (iterations of nt entries), "
        "their ratio, and the time to build the schedule.\n\n"
        "The schedule maps from slot to original row: if line p of the rows file, counted from 0 "
        "after the '#' lines, holds r >= 0, then slot p takes row r of FILE, and row number of "
        "-o's matrix is the number of slots before p that are not pads.",
    .examples = "rowcast order bcsstk17.mtx --policy lpt|what balancing the load would do\n"
                "rowcast order a.mtx -p cta -o b.mtx --rows rows.txt|reorder, and keep the map\n"
                "rowcast order mesh3d:n=20 -p warp --nw 8 --nt 16 --line 16|a CPU, in fp32",
    .options = options,
    .run = run,
};

/* ---------------------------------------------------------------- the matrix */

/* The rows in slot order, pads left out. */
static rc_status_t permute(const rc_csr_t *a, const rc_schedule_t *s, rc_csr_t *out, rc_err_t *err)
{
    int64_t rows = 0;
    for (int64_t p = 0; p < s->slots; p++)
        rows += s->row[p] >= 0;
    rc_status_t st = rc_csr_alloc(rows, a->cols, a->nnz, out, err);
    if (st < 0)
        return st;
    int64_t r = 0;
    for (int64_t p = 0; p < s->slots; p++) {
        if (s->row[p] < 0)
            continue;
        int64_t from = a->row_ptr[s->row[p]];
        int64_t n = a->row_ptr[s->row[p] + 1] - from;
        int64_t to = out->row_ptr[r];
        memcpy(out->col_idx + to, a->col_idx + from, (size_t)n * sizeof *a->col_idx);
        memcpy(out->val + to, a->val + from, (size_t)n * sizeof *a->val);
        out->row_ptr[++r] = to + n;
    }
    return RC_OK;
}

/* --------------------------------------------------------------- the summary */

typedef struct summary {
    int64_t slots;
    int64_t pads;
    int64_t left_out;
    double distance; /* mean over adjacent rows; NaN for fewer than two */
    double load_max;
    double load_mean;
    double seconds;
} summary_t;

static rc_status_t summarise(const rc_csr_t *a, const rc_geometry_t *g, const rc_masks_t *masks,
    const rc_schedule_t *s, summary_t *out, rc_err_t *err)
{
    int64_t *load = rc_alloc0((size_t)g->nw, sizeof *load, "warp loads", err);
    if (!load)
        return RC_ENOMEM;
    int64_t rows = 0;
    double distance = 0;
    int32_t before = -1;
    int64_t sum = 0;
    int64_t most = 0;
    for (int64_t p = 0; p < s->slots; p++) {
        int32_t r = s->row[p];
        if (r < 0)
            continue;
        int64_t w = p % g->nw;
        int64_t l = (a->row_ptr[r + 1] - a->row_ptr[r] + g->nt - 1) / g->nt;
        load[w] += l;
        sum += l;
        if (load[w] > most)
            most = load[w];
        if (rows++)
            distance += (double)rc_mask_distance(masks, before, r);
        before = r;
    }
    free(load);
    out->slots = s->slots;
    out->pads = s->slots - rows;
    out->left_out = s->rows - rows;
    out->distance = rows > 1 ? distance / (double)(rows - 1) : NAN;
    out->load_max = (double)most;
    out->load_mean = (double)sum / (double)g->nw;
    return RC_OK;
}

/* Build an order and take the time. */
static rc_status_t build(const char *policy, const rc_one_matrix_t *m, rc_schedule_t *out,
    double *seconds, rc_err_t *err)
{
    int64_t start = rc_clock_ns();
    rc_status_t st = rc_order_build(policy, &m->a, &m->geometry, m->threads, out, err);
    *seconds = 1e-9 * (double)(rc_clock_ns() - start);
    return st;
}

static void print_summary(rc_table_t *t, const rc_policy_t *p, const summary_t *s)
{
    rc_table_text(t, p->name);
    rc_table_int(t, p->version);
    rc_table_int(t, s->slots);
    rc_table_int(t, s->pads);
    rc_table_int(t, s->left_out);
    rc_table_real(t, s->distance, 5);
    rc_table_real(t, s->load_max, 9);
    rc_table_real(t, s->load_mean, 5);
    rc_table_real(t, s->load_mean > 0 ? s->load_max / s->load_mean : NAN, 4);
    rc_table_real(t, s->seconds, 3);
}

static rc_status_t print_both(rc_table_format_t format, const rc_policy_t *policy,
    const summary_t *before, const summary_t *after, rc_err_t *err)
{
    static const rc_column_t columns[] = {{"order", ""}, {"version", ""}, {"slots", ""},
        {"pads", ""}, {"left_out", "rows"}, {"distance_mean", "lines"}, {"load_max", "iterations"},
        {"load_mean", "iterations"}, {"imbalance", "max/mean"}, {"time", "s"}};
    rc_table_t *t = rc_table_begin(stdout, format, columns, sizeof columns / sizeof *columns, err);
    if (!t)
        return RC_ENOMEM;
    print_summary(t, rc_policy_find("csr"), before);
    print_summary(t, policy, after);
    return rc_table_end(t, err);
}

/* ----------------------------------------------------------------- the files */

static rc_status_t write_rows(const char *path, const rc_one_matrix_t *m, const rc_policy_t *policy,
    const rc_schedule_t *s, const summary_t *sum, rc_err_t *err)
{
    const rc_geometry_t *g = &m->geometry;
    FILE *f = fopen(path, "w");
    if (!f)
        return rc_fail_errno(err, RC_EIO, errno, "cannot write '%s'", path);
    fprintf(f,
        "# rowcast row schedule: line p below (from 0) is slot p and holds the 0-based original\n"
        "# row that it takes, or -1 for a pad; it maps slot (new position) -> original row\n"
        "# matrix: %s\n# policy: %s@%d\n# nw: %" PRId32 "  nt: %" PRId32 "  line: %" PRId32 "\n"
        "# rows: %" PRId64 "  slots: %" PRId64 "  pads: %" PRId64 "  left out (empty): %" PRId64
        "\n",
        m->word, policy->name, policy->version, g->nw, g->nt, g->line, s->rows, s->slots, sum->pads,
        sum->left_out);
    for (int64_t p = 0; p < s->slots; p++)
        fprintf(f, "%" PRId32 "\n", s->row[p]);
    int failed = ferror(f);
    if (fclose(f) != 0 || failed)
        return rc_fail_errno(err, RC_EIO, errno, "cannot write '%s'", path);
    return RC_OK;
}

static rc_status_t write_matrix(const char *path, const rc_one_matrix_t *m,
    const rc_policy_t *policy, const rc_schedule_t *s, const summary_t *sum, rc_err_t *err)
{
    const rc_geometry_t *g = &m->geometry;
    rc_csr_t b = {0};
    rc_str_t comment = {0};
    rc_status_t st;
    RC_TRY(permute(&m->a, s, &b, err));
    rc_str_addf(&comment,
        "rows of %s in the order of policy %s@%d, nw %" PRId32 ", nt %" PRId32 ", line %" PRId32
        "\n%" PRId64 " pads and %" PRId64 " empty rows are left out",
        m->word, policy->name, policy->version, g->nw, g->nt, g->line, sum->pads, sum->left_out);
    if (m->info.values_are_seeded)
        rc_str_addf(&comment, "\nthe values are seeded ones: the file is %s", m->info.field);
    st = comment.failed ? rc_fail(err, RC_ENOMEM, "no memory for a comment")
                        : rc_mtx_write(path, &b, comment.text, err);
done:
    rc_str_free(&comment);
    rc_csr_free(&b);
    return st;
}

static rc_status_t order(const rc_one_matrix_t *m, const void *chosen, rc_err_t *err)
{
    const struct options *o = chosen;
    const rc_csr_t *a = &m->a;
    const rc_geometry_t *g = &m->geometry;
    const rc_policy_t *policy = rc_policy_find(o->policy);
    rc_schedule_t original = {0};
    rc_schedule_t s = {0};
    rc_masks_t masks = {0};
    summary_t before = {0};
    summary_t after = {0};
    rc_status_t st;
    RC_TRY(build("csr", m, &original, &before.seconds, err));
    RC_TRY(build(o->policy, m, &s, &after.seconds, err));
    RC_TRY(rc_masks_build(a, g->line, 1, &masks, err));
    RC_TRY(summarise(a, g, &masks, &original, &before, err));
    RC_TRY(summarise(a, g, &masks, &s, &after, err));
    if (o->rows)
        RC_TRY(write_rows(o->rows, m, policy, &s, &after, err));
    if (o->output)
        RC_TRY(write_matrix(o->output, m, policy, &s, &after, err));
    st = print_both(m->format, policy, &before, &after, err);
done:
    rc_masks_free(&masks);
    rc_schedule_free(&original);
    rc_schedule_free(&s);
    return st;
}

static rc_status_t check(const void *chosen, rc_err_t *err)
{
    const struct options *o = chosen;
    return o->policy ? rc_one_matrix_policy(o->policy, err)
                     : rc_fail(err, RC_EINVAL, "--policy is missing");
}

static int run(int argc, char **argv)
{
    static const rc_one_matrix_work_t work = {check, order};
    struct options o = {.matrix = RC_ONE_MATRIX_DEFAULTS};
    return rc_one_matrix_run(&rc_command_order, &o, &work, argc, argv);
}
