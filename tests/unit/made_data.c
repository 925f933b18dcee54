#include "config.h"
#include "made_data.h"

#include "base/rng.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct made_matrix {
    char digest[33];
    int number;
} made_matrix_t;

static int by_digest(const void *a, const void *b)
{
    const made_matrix_t *x = a;
    const made_matrix_t *y = b;
    return strcmp(x->digest, y->digest);
}

/* Normal numbers, by the sum of twelve uniform ones. */
static double normal(rc_rng_t *r)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += rc_rng_unit(r);
    return sum;
}

static void make_row(
    const made_spec_t *s, rc_dataset_t *d, int64_t row, const made_matrix_t *m, int k, rc_rng_t *r)
{
    rc_sample_t *x = &d->sample[row];
    double *value = d->value + row * d->inputs;
    double *time = d->time + row * d->classes;
    rc_rng_t own; /* features are of the matrix, the same for every K */
    double sum = 0;
    memset(x, 0, sizeof *x);
    x->matrix = m->number;
    x->group = m->number % s->groups;
    snprintf(x->name, sizeof x->name, "%s/m%d", d->group[x->group], m->number);
    snprintf(x->digest, sizeof x->digest, "%s", m->digest);
    if (m->number % s->kinds)
        snprintf(x->kind, sizeof x->kind, "kind %d", m->number % s->kinds);
    /* sorted by K: n is a large number that no other matrix has */
    x->k_is_n = k == s->ks - 1;
    x->k = x->k_is_n ? 100000 + m->number : (int64_t)8 << k;
    x->precision = RC_FP32;
    x->feature_ns = NAN;
    rc_rng_seed(&own, s->seed + 1000 + (uint64_t)m->number);
    for (int i = 0; i < d->inputs - 1; i++) {
        double z = 2 * rc_rng_unit(&own) - 1;
        value[i] = exp(3 * z);
        sum += z;
    }
    value[d->inputs - 1] = (double)x->k;
    double base = log(1000 * (double)x->k) + sum;
    for (int c = 0; c < d->classes; c++) {
        double z = c > 0 ? log(value[(c - 1) % (d->inputs - 1)]) / 3 : 0;
        time[c] = exp(base + 0.5 * tanh(3 * z) + s->noise * normal(r));
        d->setup[row * d->classes + c] = c > 0 ? 100 * time[c] : 0;
    }
}

static int names(const made_spec_t *s, rc_dataset_t *d)
{
    for (int g = 0; g < s->groups; g++) {
        char name[32];
        snprintf(name, sizeof name, "group%04d", g);
        d->group[g] = strdup(name);
        if (!d->group[g])
            return 0;
        d->groups++;
    }
    for (int i = 0; i < d->inputs; i++) {
        if (i < d->inputs - 1)
            snprintf(d->input[i].name, sizeof d->input[i].name, "f%d", i);
        else
            snprintf(d->input[i].name, sizeof d->input[i].name, "k");
        d->input[i].transform = RC_TRANSFORM_LOG;
        d->input[i].scale = 1;
    }
    for (int c = 0; c < d->classes; c++) {
        snprintf(d->cls[c].name, sizeof d->cls[c].name, "c%d", c);
        snprintf(d->cls[c].policy, sizeof d->cls[c].policy, "c%d", c);
        snprintf(d->cls[c].kernel, sizeof d->cls[c].kernel, "made");
    }
    return 1;
}

rc_dataset_t *made_data(const made_spec_t *s)
{
    size_t rows = (size_t)s->matrices * (size_t)s->ks;
    rc_rng_t r;
    rc_dataset_t *d = calloc(1, sizeof *d);
    made_matrix_t *m = calloc((size_t)s->matrices, sizeof *m);
    if (!d || !m)
        goto failed;
    d->inputs = s->inputs;
    d->classes = s->classes;
    d->rows = (int64_t)rows;
    d->feature_version = 1;
    snprintf(d->device, sizeof d->device, "made");
    snprintf(d->feature_set, sizeof d->feature_set, "mehrabi");
    d->geometry.of[RC_FP32] = (rc_geometry_t){32, 32, 32};
    d->input = calloc((size_t)s->inputs, sizeof *d->input);
    d->cls = calloc((size_t)s->classes, sizeof *d->cls);
    d->group = calloc((size_t)s->groups, sizeof *d->group);
    d->sample = calloc(rows, sizeof *d->sample);
    d->value = calloc(rows * (size_t)s->inputs, sizeof *d->value);
    d->time = calloc(rows * (size_t)s->classes, sizeof *d->time);
    d->setup = calloc(rows * (size_t)s->classes, sizeof *d->setup);
    if (!d->input || !d->cls || !d->group || !d->sample || !d->value || !d->time || !d->setup ||
        !names(s, d))
        goto failed;
    for (int i = 0; i < s->matrices; i++) {
        const uint64_t key[] = {s->seed, (uint64_t)i};
        m[i].number = i;
        memcpy(m[i].digest, rc_digest_hex(rc_digest(key, sizeof key)).text, RC_DIGEST_HEX + 1);
    }
    qsort(m, (size_t)s->matrices, sizeof *m, by_digest);
    rc_rng_seed(&r, s->seed);
    for (int i = 0; i < s->matrices; i++)
        for (int k = 0; k < s->ks; k++)
            make_row(s, d, (int64_t)i * s->ks + k, &m[i], k, &r);
    d->digest = rc_digest(d->time, rows * (size_t)s->classes * sizeof *d->time);
    free(m);
    return d;
failed:
    free(m);
    rc_dataset_free(d);
    free(d);
    return NULL;
}
