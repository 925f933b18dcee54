/* What a program has of plans on a GPU from its first call on, beside what is aimed at: one table.
 *
 * Usage: bench_plans [KEY=VALUE]...
 *   parts=plans,products,...  of: first, host, plans, products, classes, pruned, large, columns, memory (default: all)
 *   precision=bf16  of all values, but for host and first: any type (default: fp32)
 *   scale=1/8     rows of the large matrices, as a share of the usual (to try it)
 *   real=DIR      products of real matrices of this folder too, of 300 entries to 30,000 rows
 *   every=4       one of so many of them
 *   csv=FILE      every figure, one line each
 *   check=1       exit 1 where a goal is missed
 * Matrices are made on the spot and are on the device when a plan is made, in 32 bits each.  "cuSPARSE" is the
 * fastest of its algorithms and layouts, preprocessed, by the same timer in the same process.  Pruned weights are held
 * against the dense product of cuBLAS too, where there is one.  Every product that is
 * timed was held against fp64 first.  A wrong one, and whatever was refused, is said, and ends in exit 1. */
#include "config.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/stats.h"
#include "base/str.h"
#include "base/type.h"
#include "matrices.h"
#include "plans_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum how { HOW_MEDIAN, HOW_GEOMEAN, HOW_LEAST, HOW_MOST } how_t;
static const char *const how_name[] = {"median", "geomean", "least", "most"};

typedef enum aim { AIM_NONE, AIM_AT_MOST, AIM_AT_LEAST } aim_t;

/* A line of the table: figures of a key, and of a K where it is not 0, as one. */
typedef struct line {
    const char *key; /* behind a slash what the label has: "class.pruned/90 % zeros" */
    int64_t k;
    how_t how;
    const char *unit;
    aim_t aim;
    double goal;
    const char *text;
} line_t;

static const line_t lines[] = {
    {"plan.large", 0, HOW_MOST, "ms", AIM_AT_MOST, 4, "plan, default, on the device, no order"},
    {"plan.large.ordered", 0, HOW_MOST, "ms", AIM_AT_MOST, 9, "the same with an order"},
    {"plan.large.products", 0, HOW_MOST, "products", AIM_AT_MOST, 12, "both, of cuSPARSE at K 32"},
    {"plan.tuned", 0, HOW_MOST, "ms", AIM_AT_MOST, 30, "plan, tuned"},
    {"plan.tuned.products", 0, HOW_MOST, "products", AIM_AT_MOST, 45, "the same"},
    {"plan.columns", 0, HOW_MOST, "ms", AIM_AT_MOST, 9, "plan, default, by columns"},
    {"plan.columns.tuned", 0, HOW_MOST, "ms", AIM_AT_MOST, 30, "plan, tuned, by columns"},
    {"plan.large.first", 0, HOW_MOST, "ms", AIM_NONE, 0, "first of a kind, default"},
    {"plan.tuned.first", 0, HOW_MOST, "ms", AIM_NONE, 0, "first of a kind, tuned"},
    {"plan.columns.first", 0, HOW_MOST, "ms", AIM_NONE, 0, "first of a kind, by columns"},
    {"plan.columns.tuned.first", 0, HOW_MOST, "ms", AIM_NONE, 0, "first of a kind, tuned, columns"},
    {"plan.small", 0, HOW_MEDIAN, "ms", AIM_AT_MOST, .25, "plan, default, up to 10^5 entries"},
    {"plan.tuned.small", 0, HOW_MEDIAN, "ms", AIM_AT_MOST, 3, "plan, tuned, up to 10^5 entries"},
    {"first.context", 0, HOW_MEDIAN, "ms", AIM_NONE, 0, "CUDA's own start"},
    {"first.plan", 0, HOW_MEDIAN, "ms", AIM_NONE, 0, "first plan of a process"},
    {"first", 0, HOW_MEDIAN, "ms", AIM_AT_MOST, 10, "first plan beyond the second"},
    {"product.real", 8, HOW_GEOMEAN, "x", AIM_AT_LEAST, 1.85, "real, default over cuSPARSE"},
    {"product.real", 32, HOW_GEOMEAN, "x", AIM_AT_LEAST, 1.95, "real, default over cuSPARSE"},
    {"product.real", 128, HOW_GEOMEAN, "x", AIM_AT_LEAST, 1.85, "real, default over cuSPARSE"},
    {"product.real", 512, HOW_GEOMEAN, "x", AIM_AT_LEAST, 1.90, "real, default over cuSPARSE"},
    {"product.real", 0, HOW_LEAST, "x", AIM_AT_LEAST, .95, "real, default over cuSPARSE"},
    {"product.real.tuned", 0, HOW_GEOMEAN, "x", AIM_NONE, 0, "real, tuned over cuSPARSE"},
    {"product.real.tuned", 0, HOW_LEAST, "x", AIM_NONE, 0, "real, tuned over cuSPARSE"},
    {"product.made", 8, HOW_GEOMEAN, "x", AIM_NONE, 0, "made, default over cuSPARSE"},
    {"product.made", 32, HOW_GEOMEAN, "x", AIM_NONE, 0, "made, default over cuSPARSE"},
    {"product.made", 128, HOW_GEOMEAN, "x", AIM_NONE, 0, "made, default over cuSPARSE"},
    {"product.made", 512, HOW_GEOMEAN, "x", AIM_NONE, 0, "made, default over cuSPARSE"},
    {"product.made", 0, HOW_LEAST, "x", AIM_AT_LEAST, .95, "made, default over cuSPARSE"},
    {"product.made.tuned", 0, HOW_GEOMEAN, "x", AIM_NONE, 0, "made, tuned over cuSPARSE"},
    {"product.made.tuned", 0, HOW_LEAST, "x", AIM_NONE, 0, "made, tuned over cuSPARSE"},
    {"class.shuffled", 8, HOW_GEOMEAN, "x", AIM_NONE, 0, "shuffled, default over cuSPARSE"},
    {"class.shuffled", 32, HOW_GEOMEAN, "x", AIM_NONE, 0, "shuffled, default over cuSPARSE"},
    {"class.shuffled", 128, HOW_GEOMEAN, "x", AIM_NONE, 0, "shuffled, default over cuSPARSE"},
    {"class.shuffled", 512, HOW_GEOMEAN, "x", AIM_NONE, 0, "shuffled, default over cuSPARSE"},
    {"class.shuffled", 0, HOW_LEAST, "x", AIM_NONE, 0, "shuffled, default over cuSPARSE"},
    {"class.natural", 8, HOW_GEOMEAN, "x", AIM_NONE, 0, "natural, default over cuSPARSE"},
    {"class.natural", 32, HOW_GEOMEAN, "x", AIM_NONE, 0, "natural, default over cuSPARSE"},
    {"class.natural", 128, HOW_GEOMEAN, "x", AIM_NONE, 0, "natural, default over cuSPARSE"},
    {"class.natural", 512, HOW_GEOMEAN, "x", AIM_NONE, 0, "natural, default over cuSPARSE"},
    {"class.natural", 0, HOW_LEAST, "x", AIM_NONE, 0, "natural, default over cuSPARSE"},
    {"class.random", 8, HOW_GEOMEAN, "x", AIM_NONE, 0, "random, default over cuSPARSE"},
    {"class.random", 32, HOW_GEOMEAN, "x", AIM_NONE, 0, "random, default over cuSPARSE"},
    {"class.random", 128, HOW_GEOMEAN, "x", AIM_NONE, 0, "random, default over cuSPARSE"},
    {"class.random", 512, HOW_GEOMEAN, "x", AIM_NONE, 0, "random, default over cuSPARSE"},
    {"class.random", 0, HOW_LEAST, "x", AIM_NONE, 0, "random, default over cuSPARSE"},
    {"class.us", 0, HOW_GEOMEAN, "us", AIM_NONE, 0, "the same, time of the default"},
    {"class.pruned/74 % zeros", 64, HOW_GEOMEAN, "x", AIM_NONE, 0, "74 % zeros, over the better of both"},
    {"class.pruned/74 % zeros", 512, HOW_GEOMEAN, "x", AIM_NONE, 0, "74 % zeros, over the better of both"},
    {"class.pruned/74 % zeros", 4096, HOW_GEOMEAN, "x", AIM_NONE, 0, "74 % zeros, over the better of both"},
    {"class.pruned/90 % zeros", 64, HOW_GEOMEAN, "x", AIM_AT_LEAST, 1, "90 % zeros, over the better of both"},
    {"class.pruned/90 % zeros", 512, HOW_GEOMEAN, "x", AIM_AT_LEAST, 1, "90 % zeros, over the better of both"},
    {"class.pruned/90 % zeros", 4096, HOW_GEOMEAN, "x", AIM_AT_LEAST, 1, "90 % zeros, over the better of both"},
    {"class.pruned/95 % zeros", 64, HOW_GEOMEAN, "x", AIM_AT_LEAST, 1.5, "95 % zeros, over the better of both"},
    {"class.pruned/95 % zeros", 512, HOW_GEOMEAN, "x", AIM_AT_LEAST, 1.5, "95 % zeros, over the better of both"},
    {"class.pruned/95 % zeros", 4096, HOW_GEOMEAN, "x", AIM_AT_LEAST, 1.5, "95 % zeros, over the better of both"},
    {"class.pruned", 0, HOW_LEAST, "x", AIM_NONE, 0, "pruned, over the better of both"},
    {"class.pruned.dense", 64, HOW_GEOMEAN, "x", AIM_NONE, 0, "pruned, default over cuBLAS"},
    {"class.pruned.dense", 512, HOW_GEOMEAN, "x", AIM_NONE, 0, "pruned, default over cuBLAS"},
    {"class.pruned.dense", 4096, HOW_GEOMEAN, "x", AIM_NONE, 0, "pruned, default over cuBLAS"},
    {"class.pruned.sparse", 64, HOW_GEOMEAN, "x", AIM_NONE, 0, "pruned, default over cuSPARSE"},
    {"class.pruned.sparse", 512, HOW_GEOMEAN, "x", AIM_NONE, 0, "pruned, default over cuSPARSE"},
    {"class.pruned.sparse", 4096, HOW_GEOMEAN, "x", AIM_NONE, 0, "pruned, default over cuSPARSE"},
    {"class.pruned.us", 0, HOW_GEOMEAN, "us", AIM_NONE, 0, "the same, time of the default"},
    {"us", 0, HOW_GEOMEAN, "us", AIM_NONE, 0, "real and made, time of the default"},
    {"us.tuned", 0, HOW_GEOMEAN, "us", AIM_NONE, 0, "real and made, time of the tuned"},
    {"share", 0, HOW_GEOMEAN, "x", AIM_AT_LEAST, .95, "large shuffled, share of the best"},
    {"share", 0, HOW_LEAST, "x", AIM_AT_LEAST, .85, "large shuffled, share of the best"},
    {"columns", 32, HOW_MEDIAN, "us", AIM_AT_MOST, 430, "mesh by columns, default"},
    {"columns", 128, HOW_MEDIAN, "us", AIM_AT_MOST, 1650, "mesh by columns, default"},
    {"columns.tuned", 32, HOW_MEDIAN, "us", AIM_AT_MOST, 430, "mesh by columns, tuned"},
    {"columns.tuned", 128, HOW_MEDIAN, "us", AIM_AT_MOST, 1650, "mesh by columns, tuned"},
    {"host", 0, HOW_MEDIAN, "us", AIM_AT_MOST, 1.2, "host time of an execute, default"},
    {"host.many", 0, HOW_MEDIAN, "us", AIM_AT_MOST, 1.2, "the same, each of 16 plans in one call"},
    {"host.named", 0, HOW_MOST, "us", AIM_NONE, 0, "host time of an execute, other kernels"},
    {"host.vendor", 0, HOW_MEDIAN, "us", AIM_NONE, 0, "host time of cusparseSpMM"},
    {"host.launch", 0, HOW_MEDIAN, "us", AIM_NONE, 0, "host time of a launch of CUDA alone"},
    {"host.launch.overlap", 0, HOW_MEDIAN, "us", AIM_NONE, 0, "one that may overlap, as of plans"},
    {"host.launch.driver", 0, HOW_MEDIAN, "us", AIM_NONE, 0, "one by the driver"},
    {"host.launch.driver.overlap", 0, HOW_MEDIAN, "us", AIM_NONE, 0, "one by it that may overlap"},
    {"memory", 0, HOW_MOST, "x A", AIM_AT_MOST, 1, "while a plan is made, over it and A"},
    {"memory.tuned", 0, HOW_MOST, "x A", AIM_NONE, 0, "while it is tuned, over it and A"},
    {"memory.plan", 0, HOW_MOST, "x A", AIM_NONE, 0, "what a plan keeps"},
};
enum { LINES = sizeof lines / sizeof lines[0] };

typedef struct figures {
    double *x;
    int64_t n;
} figures_t;

struct bench_notes {
    FILE *csv;
    figures_t of[LINES];
};

static void keep(figures_t *f, double x)
{
    double *more = realloc(f->x, (size_t)(f->n + 1) * sizeof *more);
    if (!more)
        return;
    f->x = more;
    f->x[f->n++] = x;
}

/* 1: a line of the table is of a figure with this key and label. */
static int is_of(const line_t *l, const char *key, const char *label)
{
    size_t n = strlen(key);
    const char *rest = strncmp(l->key, key, n) == 0 ? l->key + n : "?";
    return rest[0] == '\0' || (rest[0] == '/' && strstr(label, rest + 1) != NULL);
}

void bench_note(bench_notes_t *n, const char *key, const char *matrix, int64_t k, double value)
{
    const char *unit = NULL;
    for (int i = 0; i < LINES; i++) {
        if (!is_of(&lines[i], key, matrix))
            continue;
        unit = lines[i].unit;
        if (lines[i].k == 0 || lines[i].k == k)
            keep(&n->of[i], value);
    }
    printf("%-26s K %-4" PRId64 " %10.4g %-9s %s\n", key, k, value, unit ? unit : "?", matrix);
    fflush(stdout);
    if (n->csv)
        fprintf(
            n->csv, "%s,\"%s\",%" PRId64 ",%.6g,%s\n", key, matrix, k, value, unit ? unit : "?");
}

static double as_one(how_t how, figures_t *f)
{
    rc_stats_t s;
    rc_stats_compute(f->x, f->n, &s);
    switch (how) {
    case HOW_MEDIAN:
        return s.median;
    case HOW_GEOMEAN:
        return s.geomean;
    case HOW_LEAST:
        return s.min;
    case HOW_MOST:
        return s.max;
    }
    return NAN;
}

/* \return goals that are missed */
static int print_table(bench_notes_t *n)
{
    int missed = 0;
    printf("\n%-40s %5s %6s %-7s %10s %-8s  %s\n", "", "K", "of", "", "measured", "", "goal");
    for (int i = 0; i < LINES; i++) {
        const line_t *l = &lines[i];
        if (n->of[i].n == 0)
            continue;
        double x = as_one(l->how, &n->of[i]);
        int met = l->aim == AIM_NONE || (l->aim == AIM_AT_MOST ? x <= l->goal : x >= l->goal);
        printf("%-40s ", l->text);
        if (l->k > 0)
            printf("%5" PRId64, l->k);
        else
            printf("%5s", "");
        printf(" %6" PRId64 " %-7s %10.4g %-8s", n->of[i].n, how_name[l->how], x, l->unit);
        if (l->aim != AIM_NONE)
            printf("  %s %g%s", l->aim == AIM_AT_MOST ? "at most" : "at least", l->goal,
                met ? "" : "  missed");
        printf("\n");
        missed += !met;
    }
    return missed;
}

/* -------------------------------------------------------------------------- matrices */

/* Spec with the number that its size grows with: %d. */
typedef struct made {
    const char *spec;
    int64_t size;
    double power; /* rows are size to that */
    int kind;
} made_t;

static const made_t made[] = {
    {"mesh3d:n=%d,shuffle=both", 110, 3, BENCH_LARGE | BENCH_SHUFFLED | BENCH_MESH},
    {"mesh3d:n=%d,points=27,shuffle=both", 80, 3, BENCH_LARGE | BENCH_SHUFFLED},
    {"mesh3d:n=%d,points=27", 80, 3, BENCH_LARGE | BENCH_NATURAL},
    {"sbm:n=%d,communities=20000,shuffle=both", 1000000, 1, BENCH_LARGE | BENCH_SHUFFLED},
    {"rmat:edges=10,scale=%d", 20, 0, BENCH_LARGE | BENCH_RANDOM},
    {"geometric:n=%d,dim=3,mean=14,shuffle=both", 1000000, 1, BENCH_SHUFFLED},
    {"knn:n=%d,shuffle=both", 1000000, 1, BENCH_SHUFFLED},
    {"block:n=%d,size=16,between=0,shuffle=both", 1048576, 1, BENCH_SHUFFLED},
    {"mesh3d:n=%d,points=7", 110, 3, BENCH_NATURAL},
    {"banded:n=%d", 1000000, 1, BENCH_NATURAL},
    {"uniform:n=%d,mean=10", 1000000, 1, BENCH_RANDOM},
    {"powerlaw:n=%d", 1000000, 1, BENCH_RANDOM},
    {"citation:n=%d", 1000000, 1, BENCH_RANDOM},
    {"mesh2d:n=%d", 100, 2, BENCH_SMALL},
    {"mesh3d:n=%d", 20, 3, BENCH_SMALL},
    {"rmat:scale=%d", 13, 0, BENCH_SMALL},
    {"circuit:n=%d", 10000, 1, BENCH_SMALL},
    {"uniform:n=%d", 8000, 1, BENCH_SMALL},
    {"uniform:n=%d,mean=614", 2048, 1, BENCH_PRUNED},
    {"uniform:n=%d,mean=204", 2048, 1, BENCH_PRUNED},
    {"uniform:n=%d,mean=102", 2048, 1, BENCH_PRUNED},
    {"uniform:n=%d,mean=2457", 8192, 1, BENCH_PRUNED},
    {"uniform:n=%d,mean=819", 8192, 1, BENCH_PRUNED},
    {"uniform:n=%d,mean=409", 8192, 1, BENCH_PRUNED},
    {"uniform:n=%d,mean=819", 16384, 1, BENCH_PRUNED},
};

typedef struct bench {
    bench_notes_t notes;
    rc_device_t *d;
    const char *parts; /* NULL: all */
    double scale;
    const char *real;
    rc_precision_t precision;
    int64_t every;
    int64_t real_seen;
    int64_t check;
    int64_t child;
    int failed;
} bench_t;

static void fail(bench_t *b, const char *what, const char *of, const rc_err_t *err)
{
    b->failed = 1;
    fprintf(stderr, "bench_plans: %s, %s: %s\n", what, of, err->text);
}

static int wants(const bench_t *b, const char *part)
{
    rc_words_t words;
    rc_err_t err = {0};
    int found = b->parts == NULL;
    if (found || rc_words_split(b->parts, ',', &words, &err) < 0)
        return found;
    for (int i = 0; i < words.count; i++)
        found |= strcmp(words.word[i], part) == 0;
    rc_words_free(&words);
    return found;
}

/* 1: a part is asked for, and it is of this kind of matrix. */
static int takes(const bench_t *b, const bench_part_t *p, int kind)
{
    return (kind & p->kinds) == p->kinds && (kind & p->any) && wants(b, p->name);
}

static int is_wanted(const bench_t *b, int kind)
{
    for (const bench_part_t *p = bench_parts; p->name; p++)
        if (takes(b, p, kind))
            return 1;
    return 0;
}

/* All parts of a matrix. */
static void go_through(bench_t *b, const char *name, const rc_csr_t *a, int kind)
{
    rc_err_t err = {0};
    const bench_ks_t *ks = kind & BENCH_PRUNED ? &bench_ks_pruned : &bench_ks_usual;
    bench_subject_t s;
    int opened = 0;
    rc_status_t st = RC_OK;
    for (const bench_part_t *p = bench_parts; p->name && st == RC_OK; p++) {
        if (!takes(b, p, kind))
            continue;
        if (!opened) {
            st = bench_subject_open(b->d, name, a, b->precision, ks, &s, &err);
            opened = st == RC_OK;
            if (st == RC_OK)
                st = bench_vendor(&s, &err);
            for (int i = 0; i < ks->n && st == RC_OK; i++)
                printf("%-26s K %-4" PRId64 " %10.4g %-9s %s\n", "cuSPARSE", ks->k[i],
                    s.vendor_us[i], "us", name);
            if (st < 0) {
                fail(b, "cuSPARSE", name, &err);
                break;
            }
        }
        int64_t begin = rc_clock_ns();
        if (p->run(&b->notes, &s, kind, &err) < 0)
            fail(b, p->name, name, &err); /* and the next part */
        fprintf(stderr, "bench_plans: %s, %s: %.1f s\n", p->name, name,
            (double)(rc_clock_ns() - begin) * 1e-9);
    }
    if (opened)
        bench_subject_close(&s);
}

static void go_through_made(bench_t *b, const made_t *m)
{
    char spec[128];
    rc_csr_t a;
    double size = (double)m->size;
    if (!(m->kind & (BENCH_SMALL | BENCH_PRUNED)))
        size = m->power > 0 ? size * pow(b->scale, 1 / m->power) : size + log2(b->scale);
    size = size < 2 ? 2 : size;
    const char *at = strstr(m->spec, "%d");
    snprintf(spec, sizeof spec, "%.*s%" PRId64 "%s", (int)(at - m->spec), m->spec, (int64_t)size,
        at + 2);
    if (!bench_generated(spec, &a)) {
        b->failed = 1;
        return;
    }
    go_through(b, spec, &a, m->kind);
    rc_csr_free(&a);
}

static void real_one(void *of, const char *name, const rc_csr_t *a)
{
    bench_t *b = of;
    if (b->real_seen++ % b->every == 0)
        go_through(b, name, a, BENCH_REAL);
}

/* ------------------------------------------------------------------------ the program */

static rc_status_t read_scale(const char *text, double *out, rc_err_t *err)
{
    char *end = NULL;
    double x = strtod(text, &end);
    if (*end == '/')
        x /= strtod(end + 1, &end);
    *out = x;
    return *end == '\0' && x > 0 && x <= 8
               ? RC_OK
               : rc_fail(err, RC_EINVAL, "scale: expected above 0 and at most 8, found %s", text);
}

static int is_part(const char *word)
{
    int found = strcmp(word, "first") == 0 || strcmp(word, "host") == 0;
    for (const bench_part_t *p = bench_parts; p->name; p++)
        found |= strcmp(word, p->name) == 0;
    return found;
}

static rc_status_t read_parts(const char *text, bench_t *b, rc_err_t *err)
{
    rc_words_t words;
    rc_status_t st = RC_OK;
    RC_PASS(rc_words_split(text, ',', &words, err));
    for (int i = 0; i < words.count && st == RC_OK; i++)
        if (!is_part(words.word[i]))
            st = rc_fail(err, RC_EINVAL, "parts: unknown part '%s'", words.word[i]);
    rc_words_free(&words);
    b->parts = text;
    return st;
}

/* The text behind "key=" when the argument is that key, else NULL. */
static const char *value_of(const char *arg, const char *key)
{
    size_t n = strlen(key);
    return strncmp(arg, key, n) == 0 && arg[n] == '=' ? arg + n + 1 : NULL;
}

static rc_status_t read_argument(bench_t *b, const char *arg, rc_err_t *err)
{
    const char *v = NULL;
    if ((v = value_of(arg, "parts")) != NULL) {
        return read_parts(v, b, err);
    } else if ((v = value_of(arg, "real")) != NULL) {
        b->real = v;
    } else if ((v = value_of(arg, "scale")) != NULL) {
        return read_scale(v, &b->scale, err);
    } else if ((v = value_of(arg, "precision")) != NULL) {
        return rc_type_parse(RC_TYPES_ANY, v, &b->precision, err);
    } else if ((v = value_of(arg, "every")) != NULL) {
        return rc_parse_int(v, 1, 100000, "every", &b->every, err);
    } else if ((v = value_of(arg, "check")) != NULL) {
        return rc_parse_int(v, 0, 1, "check", &b->check, err);
    } else if ((v = value_of(arg, "child")) != NULL) {
        return rc_parse_int(v, 0, 1, "child", &b->child, err);
    } else if ((v = value_of(arg, "csv")) != NULL) {
        b->notes.csv = fopen(v, "w");
        return b->notes.csv ? RC_OK : rc_fail(err, RC_EIO, "cannot write %s", v);
    } else {
        return rc_fail(err, RC_EINVAL, "what is %s?", arg);
    }
    return RC_OK;
}

static void run(bench_t *b, const char *program)
{
    enum { LEAST = 300, ROWS = 30000 };
    rc_err_t err = {0};
    if (wants(b, "first") && bench_first(&b->notes, program, &err) < 0)
        fail(b, "first", "a process", &err);
    if (rc_device_open_gpu(0, 0, &b->d, &err) < 0) {
        fail(b, "device", "0", &err);
        return;
    }
    printf("%s\n", b->d->name);
    if (wants(b, "host") && bench_host(&b->notes, b->d, &err) < 0)
        fail(b, "host", "an execute", &err);
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        if (is_wanted(b, made[i].kind))
            go_through_made(b, &made[i]);
    if (b->real && bench_each_in(b->real, LEAST, ROWS, real_one, b) == 0) {
        fprintf(stderr, "bench_plans: no matrices in %s\n", b->real);
        b->failed = 1;
    }
    rc_device_close(b->d);
}

int main(int argc, char **argv)
{
    bench_t b = {.scale = 1, .every = 4, .precision = RC_FP32};
    rc_err_t err = {0};
    rc_status_t st = RC_OK;
    char program[4096] = "";
    for (int i = 1; i < argc && st == RC_OK; i++)
        st = read_argument(&b, argv[i], &err);
    if (st == RC_OK && readlink("/proc/self/exe", program, sizeof program - 1) < 0)
        st = rc_fail(&err, RC_EIO, "this program has no name");
    if (st == RC_OK && b.child)
        st = bench_first_child(&err);
    if (st < 0)
        fprintf(stderr, "bench_plans: %s\n", err.text);
    if (st < 0 || b.child)
        return st < 0;
    if (b.notes.csv)
        fprintf(b.notes.csv, "key,matrix,K,value,unit\n");
    run(&b, program);
    int missed = print_table(&b.notes);
    if (b.notes.csv && fclose(b.notes.csv) != 0)
        b.failed = 1;
    for (int i = 0; i < LINES; i++)
        free(b.notes.of[i].x);
    return b.failed || (b.check && missed > 0);
}
