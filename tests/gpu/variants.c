#include "config.h"
#include "base/rng.h"
#include "variants.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { VALUES_MAX = 24 };

typedef struct choice {
    int64_t value[VALUES_MAX];
    int count;
} choice_t;

static void add(choice_t *c, const rc_param_t *p, int64_t v)
{
    for (int i = 0; i < c->count; i++)
        if (c->value[i] == v)
            return;
    if (v >= p->min && v <= p->max && c->count < VALUES_MAX)
        c->value[c->count++] = v;
}

static choice_t choose(const rc_param_t *p, const char *fixed)
{
    choice_t c = {.count = 0};
    if (p->type == RC_PARAM_TEXT) {
        c.count = 1; /* its default, which is not written */
        return c;
    }
    if (p->type == RC_PARAM_CHOICE || p->value < p->min)
        c.value[c.count++] = p->value;
    else
        add(&c, p, p->value);
    if (fixed && strcmp(p->name, fixed) == 0)
        return c;
    for (int64_t i = 0; p->type == RC_PARAM_INT && p->choices && p->choices[i]; i++)
        if (-1 - i != p->value)
            c.value[c.count++] = -1 - i;
    if (p->type == RC_PARAM_CHOICE) {
        c.count = 0;
        while (p->choices[c.count] && c.count < VALUES_MAX) {
            c.value[c.count] = c.count;
            c.count++;
        }
    } else if (p->pow2) {
        add(&c, p, 0);
        for (int64_t v = 1; v <= p->max && v < INT64_MAX / 2; v *= 2)
            add(&c, p, v);
    } else if (p->max - p->min < 8) {
        for (int64_t v = p->min; v <= p->max; v++)
            add(&c, p, v);
    } else {
        add(&c, p, 1);
        add(&c, p, 2);
        add(&c, p, 7);
        add(&c, p, 40);
        add(&c, p, 3000);
    }
    return c;
}

static size_t write_value(const rc_param_t *p, int64_t value, char *text, size_t size)
{
    if (p->type == RC_PARAM_TEXT)
        return 0;
    int named = p->type == RC_PARAM_CHOICE || value < p->min;
    if (named)
        return (size_t)snprintf(text, size, ":%s=%s", p->name,
            p->choices[p->type == RC_PARAM_CHOICE ? value : -1 - value]);
    return (size_t)snprintf(text, size, ":%s=%" PRId64, p->name, value);
}

typedef struct choices {
    const rc_kernel_t *kernel;
    choice_t of[RC_KERNEL_PARAMS_MAX];
    int n;
    int64_t all; /* combinations */
} choices_t;

static void choose_all(const rc_kernel_t *k, const char *fixed, choices_t *out)
{
    *out = (choices_t){.kernel = k, .all = 1};
    for (; out->n < RC_KERNEL_PARAMS_MAX && k->param[out->n].name; out->n++) {
        out->of[out->n] = choose(&k->param[out->n], fixed);
        out->all *= out->of[out->n].count;
    }
}

/* Combination number i; the last parameter changes fastest. */
static void visit(const choices_t *c, int64_t i, variant_fn *fn, void *user)
{
    int64_t value[RC_KERNEL_PARAMS_MAX] = {0};
    char text[256];
    rc_kernel_spec_t spec;
    for (int p = c->n - 1; p >= 0; p--) {
        value[p] = c->of[p].value[i % c->of[p].count];
        i /= c->of[p].count;
    }
    size_t len = (size_t)snprintf(text, sizeof text, "%s", c->kernel->name);
    for (int p = 0; p < c->n; p++)
        len += write_value(&c->kernel->param[p], value[p], text + len, sizeof text - len);
    if (rc_kernel_spec_parse(text, c->kernel->device, &spec, NULL) == RC_OK)
        fn(&spec, user);
}

void for_each_variant(const rc_kernel_t *k, const char *fixed, variant_fn *fn, void *user)
{
    choices_t c;
    choose_all(k, fixed, &c);
    for (int64_t i = 0; i < c.all; i++)
        visit(&c, i, fn, user);
}

void for_some_variants(
    const rc_kernel_t *k, int64_t most, uint64_t seed, variant_fn *fn, void *user)
{
    enum { drawn = 64 };
    choices_t c;
    choose_all(k, NULL, &c);
    for (int64_t i = 0; i < (c.all > most ? drawn : c.all); i++)
        visit(&c,
            c.all > most ? (int64_t)(rc_rng_hash(seed, (uint64_t)i) % (uint64_t)c.all) : i, fn,
            user);
}
