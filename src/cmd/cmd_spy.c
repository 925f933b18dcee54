#include "config.h"
#include "analysis/report/png.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/replace.h"
#include "cmd/cmd.h"
#include "cmd/load.h"
#include "cmd/table.h"
#include "order/policy.h"
#include "sparse/spy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *policy;
    const char *output;
    const char *format;
    int64_t size;
    int64_t nw;
    int64_t nt;
    int64_t line;
    int64_t threads;
};

static const rc_opt_t options[] = {
    {"output", 'o', RC_OPT_TEXT, offsetof(struct options, output), "FILE",
        "Write the image (PNG) there; - is stdout. Required.", 0, 0},
    {"policy", 'p', RC_OPT_TEXT, offsetof(struct options, policy), "NAME",
        "Row order to draw, as for rowcast order. Default csr: the original one.", 0, 0},
    {"size", 0, RC_OPT_INT, offsetof(struct options, size), "N",
        "Pixels of the longer side. Default 256.", RC_SPY_SIZE_MIN, RC_SPY_SIZE_MAX},
    {"nw", 0, RC_OPT_INT, offsetof(struct options, nw), "N",
        "Warps of a CTA, or threads of a team; slot p belongs to warp p mod N. Default 32.", 1,
        65536},
    {"nt", 0, RC_OPT_INT, offsetof(struct options, nt), "N",
        "Entries of a row that a warp takes at a time. Default 32.", 1, 65536},
    {"line", 0, RC_OPT_INT, offsetof(struct options, line), "N",
        "Columns per cache line of a column of B: line bytes / value bytes. Default 32.", 1, 65536},
    {"threads", 0, RC_OPT_INT, offsetof(struct options, threads), "N",
        "Threads to use; the result does not depend on it. Default 0: all.", 0, 4096},
    {"format", 'f', RC_OPT_TEXT, offsetof(struct options, format), "FORMAT",
        "Of what is printed: table (default), csv or json.", 0, 0},
    {NULL, 0, RC_OPT_FLAG, 0, NULL, NULL, 0, 0},
};

static int run(int argc, char **argv);

const rc_command_t rc_command_spy = {
    .name = "spy",
    .summary = "draw where the entries of a matrix are",
    .usage = "FILE -o FILE.png [--policy NAME] [--size N]",
    .description =
        "FILE is a Matrix Market file (plain, .gz, .xz, .zst, or a .tar.gz of the SuiteSparse "
        "collection), or, when there is no such file, the name of a built-in matrix or a "
        "generator spec (see rowcast generate).\n\n"
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
    rc_status_t st = rc_spy_counts(a, s->row, s->slots, p->width, p->height, p->count, err);
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

static rc_status_t spy(const char *word, const struct options *o, rc_err_t *err)
{
    const rc_geometry_t g = {.nw = (int32_t)o->nw, .nt = (int32_t)o->nt, .line = (int32_t)o->line};
    int threads = (int)o->threads;
    rc_csr_t a = {0};
    rc_mtx_info_t info;
    rc_schedule_t s = {0};
    plot_t plot = {0};
    rc_str_t image = {0};
    rc_table_format_t format;
    rc_status_t st;
    RC_TRY(rc_table_format_parse(o->format, &format, err));
    RC_TRY(rc_command_load(word, threads, &a, &info, err));
    RC_TRY(rc_order_build(o->policy, &a, &g, threads, &s, err));
    RC_TRY(draw(&a, &s, (int)o->size, &plot, err));
    RC_TRY(rc_spy_png(plot.count, plot.width, plot.height, 0, &image, err));
    RC_TRY(write_image(o->output, &image, err));
    FILE *out = strcmp(o->output, "-") == 0 ? stderr : stdout;
    st = print(out, format, o->policy, &a, &s, &plot, err);
done:
    rc_str_free(&image);
    free(plot.count);
    rc_schedule_free(&s);
    rc_csr_free(&a);
    return st;
}

/* What can be refused before a matrix is read, which may take long. */
static rc_status_t check(const struct options *o, rc_err_t *err)
{
    rc_table_format_t format;
    rc_csr_t none = {.row_ptr = (int64_t[]){0}};
    rc_schedule_t s = {0};
    if (!o->output)
        return rc_fail(err, RC_EINVAL, "--output is missing");
    rc_status_t st = rc_table_format_parse(o->format, &format, err);
    if (st < 0)
        return st;
    st = rc_order_build(o->policy, &none, NULL, 1, &s, err);
    rc_schedule_free(&s);
    if (st == RC_ENOENT)
        return err->status = RC_EINVAL; /* a wrong word on the command line */
    if (st == RC_OK && !rc_png_available())
        return rc_png_palette(NULL, 0, 0, NULL, 0, NULL, err); /* says what is missing */
    return st;
}

static int run(int argc, char **argv)
{
    struct options o = {.policy = "csr", .size = 256, .nw = 32, .nt = 32, .line = 32};
    char **operands;
    int code = rc_command_parse(&rc_command_spy, &o, argc, argv, 1, 1, &operands);
    if (code != RC_EXIT_OK)
        return code;
    rc_err_t err = {0};
    rc_status_t st = check(&o, &err);
    if (st == RC_OK)
        st = spy(operands[0], &o, &err);
    if (st == RC_ENOTSUP) {
        /* the words on the command line are right: what is missing is a part of the program */
        fprintf(stderr, "rowcast spy: %s\n", err.text);
        return RC_EXIT_ERROR;
    }
    return st < 0 ? rc_command_fail(&rc_command_spy, &err) : RC_EXIT_OK;
}
