#include "config.h"
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
    int named = p->type == RC_PARAM_CHOICE || value < p->min;
    if (named)
        return (size_t)snprintf(text, size, ":%s=%s", p->name,
            p->choices[p->type == RC_PARAM_CHOICE ? value : -1 - value]);
    return (size_t)snprintf(text, size, ":%s=%" PRId64, p->name, value);
}

void for_each_variant(const rc_kernel_t *k, const char *fixed, variant_fn *fn, void *user)
{
    choice_t choice[RC_KERNEL_PARAMS_MAX];
    int at[RC_KERNEL_PARAMS_MAX] = {0};
    int n = 0;
    for (; n < RC_KERNEL_PARAMS_MAX && k->param[n].name; n++)
        choice[n] = choose(&k->param[n], fixed);
    for (int done = 0; !done;) {
        char text[256];
        size_t len = (size_t)snprintf(text, sizeof text, "%s", k->name);
        for (int i = 0; i < n; i++)
            len += write_value(
                &k->param[i], choice[i].value[at[i]], text + len, sizeof text - len);
        rc_kernel_spec_t spec;
        if (rc_kernel_spec_parse(text, RC_DEVICE_CUDA, &spec, NULL) == RC_OK)
            fn(&spec, user);
        done = 1;
        for (int i = n - 1; i >= 0 && done; i--) {
            at[i] = (at[i] + 1) % choice[i].count;
            done = at[i] == 0;
        }
    }
}
