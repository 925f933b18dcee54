#include "config.h"
#include "kernels/tuning/csrk.h"

#include <math.h>
#include <string.h>

const char *const rc_csrk_reading_names[] = {"new", "original", "srs", NULL};

/* Lane and Booth 2022, section 4. */
static const rc_csrk_tuning_t published[] = {
    {.device = "volta",
        .ssrs = {8.900, 1.25},
        .srs = {10.146, 1.50},
        .factors = {{1, 1, 0, 0}, {1.5, 2, 0, 0}, {4, 0.5, 1, 1}, {5, 0.5, 1, 1}}},
    {.device = "ampere",
        .ssrs = {9.175, 1.32},
        .srs = {20.500, 3.50},
        .factors = {{1, 1, 0, 0}, {1, 4, 0, 0}, {2.5, 3, 1, 0}, {2, 2, 1, 0}}},
};

const rc_csrk_tuning_t *rc_csrk_tuning_find(const char *name)
{
    if (strcmp(name, "auto") == 0)
        name = "ampere";
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        if (strcmp(published[i].device, name) == 0)
            return &published[i];
    return NULL;
}

rc_status_t rc_csrk_tuning_open(const char *name, rc_csrk_tuning_t *out, rc_err_t *err)
{
    const rc_csrk_tuning_t *known = rc_csrk_tuning_find(name);
    if (!known)
        return rc_csrk_tuning_read(name, out, err);
    *out = *known;
    return RC_OK;
}

double rc_csrk_rdensity(int64_t rows, int64_t nnz)
{
    return rows > 0 && nnz > 0 ? (double)nnz / (double)rows : 1;
}

static double to_nearest(double x)
{
    return floor(x + 0.5);
}

static double on_line(rc_csrk_line_t l, double rdensity)
{
    return to_nearest(l.constant - l.slope * log(rdensity));
}

/* A file may have any numbers. */
static int64_t in_range(double size)
{
    return size >= INT32_MAX ? INT32_MAX : size >= 1 ? (int64_t)size : 1;
}

int rc_csrk_nearest(const int32_t *list, int count, int64_t size)
{
    int best = 0;
    double x = log(size >= 1 ? (double)size : 1);
    for (int i = 1; i < count; i++)
        if (fabs(x - log(list[i])) < fabs(x - log(list[best])))
            best = i;
    return best;
}

static int64_t rounded(const rc_csrk_tuning_t *t, int64_t size)
{
    return t->sizes > 0 ? t->size[rc_csrk_nearest(t->size, t->sizes, size)] : size;
}

rc_csrk_sizes_t rc_csrk_sizes(const rc_csrk_tuning_t *t, rc_csrk_reading_t reading, double rdensity)
{
    static const double most[RC_CSRK_CASES] = {8, 16, 32, INFINITY};
    int number = 1;
    while (rdensity > most[number - 1])
        number++;
    return rc_csrk_sizes_of_case(t, reading, rdensity, number);
}

rc_csrk_sizes_t rc_csrk_sizes_of_case(
    const rc_csrk_tuning_t *t, rc_csrk_reading_t reading, double rdensity, int number)
{
    static const int32_t block[RC_CSRK_CASES][3] = {{8, 12, 1}, {4, 8, 12}, {8, 8, 8}, {16, 8, 4}};
    rc_csrk_sizes_t s = {.number = number};
    if (!(rdensity > 0))
        rdensity = 1;
    memcpy(s.block, block[s.number - 1], sizeof s.block);
    const rc_csrk_factors_t *f = &t->factors[s.number - 1];
    double original = on_line(t->ssrs, rdensity);
    double srs = on_line(t->srs, rdensity);
    double ssrs = to_nearest(f->ssrs * original);
    if (f->of_ssrs && reading != RC_CSRK_SRS)
        srs = reading == RC_CSRK_NEW ? ssrs : original;
    srs = f->down ? floor(f->srs * srs) : to_nearest(f->srs * srs);
    s.ssrs = rounded(t, in_range(ssrs));
    s.srs = rounded(t, in_range(srs));
    return s;
}

static int64_t groups_of(int64_t n, int64_t size)
{
    return n / size + (n % size != 0);
}

/* Rounds of CTAs, all full but the last, over what they would be in parts: 1 where the last is
 * full. */
static double waste_of(
    const rc_csrk_tuning_t *t, int64_t rows, const rc_csrk_sizes_t *s, int64_t ssrs, int64_t srs)
{
    enum { threads = 2048 };
    int64_t held = t->multiprocessors * (threads / (s->block[0] * s->block[1] * s->block[2]));
    int64_t ctas = groups_of(groups_of(rows, srs), ssrs);
    return (double)(groups_of(ctas, held) * held) / (double)ctas;
}

static int is_near(int64_t size, int64_t other)
{
    return 3 * size <= 4 * other && 3 * other <= 4 * size;
}

void rc_csrk_fill(const rc_csrk_tuning_t *t, int64_t rows, rc_csrk_sizes_t *s)
{
    const double tie = 1e-9;
    const rc_csrk_sizes_t from = *s;
    if (t->multiprocessors < 1 || rows < 1)
        return;
    double least = waste_of(t, rows, &from, from.ssrs, from.srs);
    double way = 0; /* logarithms of what both were changed by */
    for (int a = 0; a < t->sizes; a++)
        for (int b = 0; b < t->sizes; b++) {
            if (!is_near(t->size[a], from.ssrs) || !is_near(t->size[b], from.srs))
                continue;
            double waste = waste_of(t, rows, &from, t->size[a], t->size[b]);
            double far = fabs(log((double)t->size[a] / (double)from.ssrs)) +
                         fabs(log((double)t->size[b] / (double)from.srs));
            if (waste > least + tie || (waste > least - tie && far >= way))
                continue;
            least = waste;
            way = far;
            s->ssrs = t->size[a];
            s->srs = t->size[b];
        }
}

int64_t rc_csrk_pointer_bytes(int64_t rows, int64_t srs, int64_t ssrs)
{
    enum { pointer = 4 };
    int64_t super_rows = groups_of(rows, srs);
    return pointer * (super_rows + 1) +
           (ssrs > 0 ? pointer * (groups_of(super_rows, ssrs) + 1) : 0);
}

double rc_csrk_overhead(double rdensity, int64_t srs, int64_t ssrs)
{
    const double number = 4;
    double a_row = number / (double)srs;
    if (ssrs > 0)
        a_row += a_row / (double)ssrs;
    return a_row / (rdensity * 2 * number + number);
}
