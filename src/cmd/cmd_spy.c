#include "config.h"
#include "analysis/report/png.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/replace.h"
#include "cmd/numbers.h"
#include "cmd/one_matrix.h"
#include "order/policy.h"
#include "sparse/spy.h"

#include <stdlib.h>
#include <string.h>

struct options {
    rc_one_matrix_options_t matrix;
    const char *policy;
    const char *output;
    int64_t size;
    int stages;
};

#define MATRIX(member) RC_AT(matrix.member)

static const rc_opt_t options[] = {
    RC_OPT("output", 'o', RC_OPT_TEXT, RC_AT(output), "FILE",
        "Write the image (PNG) there; - is stdout. With --stages a folder, made when it is not "
        "there. Required."),
    RC_OPT("order", 'p', RC_OPT_TEXT, RC_AT(policy), "ORDER",
        "Row order to draw, as for rowcast order. Default csr: the original one."),
    {"size", 0, RC_OPT_INT, RC_AT(size), "N", "Pixels of the longer side. Default 256.",
        RC_SPY_SIZE_MIN, RC_SPY_SIZE_MAX},
    RC_OPT("stages", 0, RC_OPT_FLAG, RC_AT(stages), NULL,
        "Draw four images of an order that is made by levels (bandk) into the folder of -o: "
        "before.png, coarse.png (the matrix of groups), coarse_ordered.png, ordered.png."),
    RC_ONE_MATRIX_OPTIONS(MATRIX),
    RC_OPT("format", 'f', RC_OPT_TEXT, MATRIX(format), "FORMAT",
        "Of what is printed: table (default), csv or json."),
    RC_OPT_END,
};

/* ----------------------------------------------------------------- the image */

/* What is said of an image. */
typedef struct drawn {
    const char *what;
    int64_t slots;
    int64_t cols;
    int64_t nnz;
    int width;
    int height;
    int64_t filled;
    double sum;
    double max;
} drawn_t;

enum { IMAGES = 4 };

static rc_status_t write_image(const char *path, const rc_str_t *image, rc_err_t *err)
{
    rc_replace_t file;
    RC_PASS(rc_replace_begin(path, &file, err));
    fwrite(image->text, 1, image->len, file.file); /* a short write is seen at the end */
    return rc_replace_end(&file, 1, err);
}

static rc_status_t print(
    FILE *out, rc_table_format_t format, const drawn_t *d, int count, rc_err_t *err)
{
    static const char columns[] =
        "order|slots|cols|nnz|width:px|height:px|filled:px|entries_mean:1/px|entries_max:1/px";
    rc_table_t *t = rc_table_of(out, format, columns, 0, err);
    for (; count > 0; count--, d++) {
        RC_CELLS(t, RC_TEXT(d->what), RC_INT(d->slots), RC_INT(d->cols), RC_INT(d->nnz),
            RC_INT(d->width), RC_INT(d->height), RC_INT(d->filled),
            d->filled ? RC_REAL(d->sum / (double)d->filled, 4) : RC_MISSING, RC_REAL(d->max, 9));
    }
    return rc_table_end(t, err);
}

/* Draw and write. */
static rc_status_t plot(const rc_csr_t *a, const rc_schedule_t *s, const char *path,
    const char *what, int size, drawn_t *out, rc_err_t *err)
{
    drawn_t d = {.what = what, .slots = s->slots, .cols = a->cols, .nnz = a->nnz};
    rc_str_t image = {0};
    rc_status_t st;
    rc_spy_size(s->slots, a->cols, size, &d.width, &d.height);
    size_t n = (size_t)d.width * (size_t)d.height;
    double *count = rc_alloc(n, sizeof *count, "a plot", err);
    RC_TRY(count ? RC_OK : RC_ENOMEM);
    RC_TRY(rc_spy_ordered(a, s, d.width, d.height, count, err));
    for (size_t i = 0; i < n; i++) {
        d.filled += count[i] > 0;
        d.sum += count[i];
        d.max = count[i] > d.max ? count[i] : d.max;
    }
    RC_TRY(rc_spy_png(count, d.width, d.height, 0, &image, err));
    st = write_image(path, &image, err);
    *out = d;
done:
    rc_str_free(&image);
    free(count);
    return st;
}

/* ---------------------------------------------------------------- the stages */

static rc_status_t plot_stages(
    const rc_one_matrix_t *m, const struct options *o, drawn_t *out, rc_err_t *err)
{
    rc_policy_spec_t spec;
    rc_order_stages_t stages = {.coarse = {0}};
    rc_schedule_t before[2] = {{0}, {0}};
    rc_schedule_t ordered = {0};
    rc_status_t st;
    RC_TRY(rc_policy_spec_parse(o->policy, &spec, err));
    RC_TRY(rc_policy_stages(&spec, &m->a, &m->geometry, m->threads, &stages, err));
    RC_TRY(rc_policy_build(&spec, &m->a, &m->geometry, m->threads, NULL, &ordered, err));
    RC_TRY(rc_order_build("csr", &m->a, NULL, 1 | RC_CHECKED, &before[0], err));
    RC_TRY(rc_order_build("csr", &stages.coarse, NULL, 1 | RC_CHECKED, &before[1], err));
    RC_TRY(rc_numbers_folder(o->output, NULL, err));
    const struct {
        const char *name;
        const rc_csr_t *a;
        const rc_schedule_t *s;
    } image[IMAGES] = {{"before", &m->a, &before[0]}, {"coarse", &stages.coarse, &before[1]},
        {"coarse_ordered", &stages.coarse, &stages.order}, {"ordered", &m->a, &ordered}};
    for (int i = 0; i < IMAGES; i++) {
        char *path = rc_strf("a path", err, "%s/%s.png", o->output, image[i].name);
        RC_TRY(path ? RC_OK : RC_ENOMEM);
        st = plot(image[i].a, image[i].s, path, image[i].name, (int)o->size, &out[i], err);
        free(path);
        RC_TRY(st);
    }
done:
    rc_order_stages_free(&stages);
    rc_schedule_free(&before[0]);
    rc_schedule_free(&before[1]);
    rc_schedule_free(&ordered);
    return st;
}

static rc_status_t plot_order(
    const rc_one_matrix_t *m, const struct options *o, drawn_t *out, rc_err_t *err)
{
    rc_schedule_t s = {0};
    rc_status_t st =
        rc_order_build(o->policy, &m->a, &m->geometry, m->threads | RC_CHECKED, &s, err);
    if (st == RC_OK)
        st = plot(&m->a, &s, o->output, o->policy, (int)o->size, out, err);
    rc_schedule_free(&s);
    return st;
}

static rc_status_t spy(const rc_one_matrix_t *m, const void *chosen, rc_err_t *err)
{
    const struct options *o = chosen;
    drawn_t d[IMAGES];
    RC_PASS(o->stages ? plot_stages(m, o, d, err) : plot_order(m, o, d, err));
    FILE *out = rc_replace_is_stdout(o->output) ? stderr : stdout;
    return print(out, m->format, d, o->stages ? IMAGES : 1, err);
}

static rc_status_t check(const void *chosen, int *orders, rc_err_t *err)
{
    const struct options *o = chosen;
    if (!o->output)
        return rc_fail(err, RC_EINVAL, "--output is missing");
    if (o->stages && rc_replace_is_stdout(o->output))
        return rc_fail(err, RC_EINVAL, "--output: --stages needs a folder, found -");
    rc_status_t st = rc_one_matrix_policy(o->policy, orders, err);
    return st < 0 ? st : rc_png_check(err);
}

const rc_command_t rc_command_spy = {
    .name = "spy",
    .summary = "draw where the entries of a matrix are",
    .usage = "FILE -o FILE.png [--order ORDER] [--size N] [--stages]",
    .description = RC_FILE_HELP
    "\n\n"
    "Each pixel stands for a block of slots and columns, and the more entries the block has, "
    "the stronger is the ink, over the logarithm of their number; one entry is always "
    "visible. A matrix smaller than the image is enlarged. The background is transparent, "
    "and the ink reads on white and on black. Pads of an order are empty rows; rows that an "
    "order leaves out are not drawn.\n\n"
    "Prints a line: the shape in the order drawn, the image in pixels, pixels with an entry, "
    "and the entries of such a pixel, mean and largest (an enlarged entry counts in each of "
    "its pixels). With -o - that line goes to stderr; with --stages there is a line an image.",
    .examples = "rowcast spy bcsstk17.mtx -o bcsstk17.png|the matrix as it is\n"
                "rowcast spy bcsstk17.mtx -p cta -o cta.png|with similar rows side by side\n"
                "rowcast spy circuit204.mtx -p bandk --stages -o stages|how Band-k came about\n"
                "rowcast spy rmat-14 --size 1024 -o - | display|to a viewer",
    .options = options,
    RC_COMMAND_DEFAULTS(
        struct options, .matrix = RC_ONE_MATRIX_DEFAULTS, .policy = "csr", .size = 256),
    .operands = {1, 1},
    .one_matrix = &(const rc_one_matrix_work_t){check, spy},
};
