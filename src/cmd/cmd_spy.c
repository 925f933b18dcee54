#include "config.h"
#include "analysis/report/png.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/replace.h"
#include "cmd/one_matrix.h"
#include "order/policy.h"
#include "sparse/spy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct options {
    rc_one_matrix_options_t matrix;
    const char *policy;
    const char *output;
    int64_t size;
};

#define MATRIX(member) offsetof(struct options, matrix.member)

static const rc_opt_t options[] = {
    {"output", 'o', RC_OPT_TEXT, offsetof(struct options, output), "FILE",
        "Write the image (PNG) there; - is stdout. Required.", 0, 0},
    {"policy", 'p', RC_OPT_TEXT, offsetof(struct options, policy), "POLICY",
        "Row order to draw, as for rowcast order. Default csr: the original one.", 0, 0},
    {"size", 0, RC_OPT_INT, offsetof(struct options, size), "N",
        "Pixels of the longer side. Default 256.", RC_SPY_SIZE_MIN, RC_SPY_SIZE_MAX},
    RC_ONE_MATRIX_OPTIONS(MATRIX),
    {"format", 'f', RC_OPT_TEXT, MATRIX(format), "FORMAT",
        "Of what is printed: table (default), csv or json.", 0, 0},
    {NULL, 0, RC_OPT_FLAG, 0, NULL, NULL, 0, 0},
};

static int run(int argc, char **argv);

const rc_command_t rc_command_spy = {
    .name = "spy",
    .summary = "draw where the entries of a matrix are",
    .usage = "FILE -o FILE.png [--policy POLICY] [--size N]",
    .description =
        RC_ONE_MATRIX_HELP "\n\n"
        "Each pixel stands for a block of slots and columns, and the more entries the block has, "
        "the stronger is the ink, over the logarithm of their number; one entry is always "
        "visible. A matrix smaller than the image is enlarged. The background is transparent, "
        "and the ink reads on white and on black. Pads of a schedule are empty rows; rows that a "
        "policy leaves out are not drawn.\n\n"
        "Prints a line: the shape in the order drawn, the image in pixels, pixels with an entry, "
        "and the entries of such a pixel, mean and largest (an enlarged entry counts in each of "
        "its pixels). With -o - that line goes to stderr.",
    .examples = "rowcast spy bcsstk17.mtx -o bcsstk17.png|the matrix as it is\n"
                "rowcast spy bcsstk17.mtx -p cta -o cta.png|with similar rows side by side\n"
                "rowcast spy rmat-14 --size 1024 -o - | display|to a viewer",
    .options = options,
    .run = run,
};

/* ----------------------------------------------------------------- the image */

typedef struct plot {
    int width;
    int height;
    double *count; /* [height * width] */
    int64_t filled;
    double sum;
    double max;
} plot_t;

static rc_status_t draw(
    const rc_csr_t *a, const rc_schedule_t *s, int size, plot_t *p, rc_err_t *err)
{
    rc_spy_size(s->slots, a->cols, size, &p->width, &p->height);
    size_t n = (size_t)p->width * (size_t)p->height;
    p->count = rc_alloc(n, sizeof *p->count, "a plot", err);
    if (!p->count)
        return RC_ENOMEM;
    rc_status_t st = rc_spy_ordered(a, s, p->width, p->height, p->count, err);
    if (st < 0)
        return st;
    for (size_t i = 0; i < n; i++) {
        p->filled += p->count[i] > 0;
        p->sum += p->count[i];
        p->max = p->count[i] > p->max ? p->count[i] : p->max;
    }
    return RC_OK;
}

static rc_status_t write_image(const char *path, const rc_str_t *image, rc_err_t *err)
{
    if (strcmp(path, "-") == 0) {
        if (fwrite(image->text, 1, image->len, stdout) != image->len || fflush(stdout) != 0)
            return rc_fail_errno(err, RC_EIO, errno, "cannot write to stdout");
        return RC_OK;
    }
    rc_replace_t file;
    rc_status_t st = rc_replace_begin(path, &file, err);
    if (st < 0)
        return st;
    fwrite(image->text, 1, image->len, file.file); /* a short write is seen at the end */
    return rc_replace_end(&file, 1, err);
}

static rc_status_t print(FILE *out, rc_table_format_t format, const char *policy, const rc_csr_t *a,
    const rc_schedule_t *s, const plot_t *p, rc_err_t *err)
{
    static const rc_column_t columns[] = {{"order", ""}, {"slots", ""}, {"cols", ""}, {"nnz", ""},
        {"width", "px"}, {"height", "px"}, {"filled", "px"}, {"entries_mean", "1/px"},
        {"entries_max", "1/px"}};
    rc_table_t *t = rc_table_begin(out, format, columns, sizeof columns / sizeof *columns, err);
    if (!t)
        return RC_ENOMEM;
    rc_table_text(t, policy);
    rc_table_int(t, s->slots);
    rc_table_int(t, a->cols);
    rc_table_int(t, a->nnz);
    rc_table_int(t, p->width);
    rc_table_int(t, p->height);
    rc_table_int(t, p->filled);
    if (p->filled)
        rc_table_real(t, p->sum / (double)p->filled, 4);
    else
        rc_table_missing(t);
    rc_table_real(t, p->max, 9);
    return rc_table_end(t, err);
}

static rc_status_t spy(const rc_one_matrix_t *m, const void *chosen, rc_err_t *err)
{
    const struct options *o = chosen;
    rc_schedule_t s = {0};
    plot_t plot = {0};
    rc_str_t image = {0};
    rc_status_t st;
    RC_TRY(rc_order_build(o->policy, &m->a, &m->geometry, m->threads, &s, err));
    RC_TRY(draw(&m->a, &s, (int)o->size, &plot, err));
    RC_TRY(rc_spy_png(plot.count, plot.width, plot.height, 0, &image, err));
    RC_TRY(write_image(o->output, &image, err));
    FILE *out = strcmp(o->output, "-") == 0 ? stderr : stdout;
    st = print(out, m->format, o->policy, &m->a, &s, &plot, err);
done:
    rc_str_free(&image);
    free(plot.count);
    rc_schedule_free(&s);
    return st;
}

static rc_status_t check(const void *chosen, rc_err_t *err)
{
    const struct options *o = chosen;
    if (!o->output)
        return rc_fail(err, RC_EINVAL, "--output is missing");
    rc_status_t st = rc_one_matrix_policy(o->policy, err);
    if (st == RC_OK && !rc_png_available())
        st = rc_png_palette(NULL, 0, 0, NULL, 0, NULL, err); /* says what is missing */
    return st;
}

static const char *policy_of(const void *chosen)
{
    const struct options *o = chosen;
    return o->policy;
}

static int run(int argc, char **argv)
{
    static const rc_one_matrix_work_t work = {check, spy, policy_of};
    struct options o = {.matrix = RC_ONE_MATRIX_DEFAULTS, .policy = "csr", .size = 256};
    return rc_one_matrix_run(&rc_command_spy, &o, &work, argc, argv);
}
