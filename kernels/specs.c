#include "config.h"
#include "kernels/specs.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "kernels/kernel.h"

#include <stdlib.h>
#include <string.h>

static const char *device_name(rc_device_kind_t device)
{
    return device == RC_DEVICE_CPU ? "cpu" : "cuda";
}

/* What a list is for. */
typedef struct purpose {
    rc_device_kind_t device;
    unsigned ops;
} purpose_t;

static int in_all(int member, const void *user)
{
    const purpose_t *u = user;
    const rc_kernel_t *k = rc_kernel_at(u->device, member);
    return k->device == u->device && (u->ops >> k->op & 1u) && k->computes && !k->for_testing;
}

static rc_status_t allowed(int member, const void *user, rc_err_t *err)
{
    const purpose_t *u = user;
    const rc_kernel_t *k = rc_kernel_at(u->device, member);
    if (k->device != u->device)
        return rc_fail(err, RC_EINVAL, "kernel %s is for --device %s, expected one for %s", k->name,
            device_name(k->device), device_name(u->device));
    if (!(u->ops >> k->op & 1u))
        return rc_fail(err, RC_EINVAL, "kernel %s is for --op %s, which is not asked for", k->name,
            rc_op_name(k->op));
    return RC_OK;
}

/* ------------------------------------------------------------------ ranked */

/* Of a kernel that is not strict by its defaults the first choice that makes it so.
 * \param[in,out] out  NULL: it is only looked for
 * \return 0: it says when it is strict, and never is */
static int add_strict_choice(const rc_kernel_t *k, rc_str_t *out)
{
    int64_t value[RC_KERNEL_PARAMS_MAX] = {0};
    int count = rc_params_count(k->param);
    for (int i = 0; i < count; i++)
        value[i] = k->param[i].value;
    if (!k->strict || k->strict(value))
        return 1;
    for (int i = 0; i < count; i++) {
        const rc_param_t *p = &k->param[i];
        for (int c = 0; p->type == RC_PARAM_CHOICE && p->choices[c]; c++) {
            value[i] = c;
            if (k->strict(value)) {
                if (out)
                    rc_str_addf(out, ":%s=%s", p->name, p->choices[c]);
                return 1;
            }
        }
        value[i] = p->value;
    }
    return 0;
}

/* The kernels of one rank.  \return how many there are */
static int add_rank(const purpose_t *u, int rank, rc_str_t *out)
{
    const rc_kernel_t *k;
    int found = 0;
    for (int i = 0; (k = rc_kernel_at(u->device, i)); i++) {
        if (!in_all(i, u) || rc_kernel_rank(k, 1, 0) != rank || !add_strict_choice(k, NULL))
            continue;
        found++;
        if (!out)
            continue;
        rc_str_addf(out, "%s%s", out->len ? "," : "", k->name);
        (void)add_strict_choice(k, out);
    }
    return found;
}

/* "ranked" or "ranked:first=N" as a list of kernels.
 * \param[out] out  empty: the text is neither */
static rc_status_t spell_ranked(const char *text, const purpose_t *u, rc_str_t *out, rc_err_t *err)
{
    static const char word[] = "ranked";
    static const char key[] = ":first=";
    const char *rest = text + sizeof word - 1;
    int rank[RC_KERNEL_UNRANKED];
    int ranks = 0;
    int64_t first = 0;
    if (strncmp(text, word, sizeof word - 1) != 0 || (*rest && *rest != ':'))
        return RC_OK;
    if (*rest && (strncmp(rest, key, sizeof key - 1) != 0 ||
                     rc_parse_int(rest + sizeof key - 1, 0, INT64_MAX, "first", &first, NULL) < 0))
        return rc_fail(
            err, RC_EINVAL, "kernels: expected ranked or ranked:first=N, found '%s'", text);
    for (int r = 1; r < RC_KERNEL_UNRANKED; r++)
        if (add_rank(u, r, NULL))
            rank[ranks++] = r;
    for (int i = 0; i < ranks; i++)
        (void)add_rank(u, rank[(first % ranks + i) % ranks], out);
    if (ranks == 0)
        return rc_fail(err, RC_EINVAL,
            "kernels: no kernel for --device %s and these operations has a rank",
            device_name(u->device));
    return out->failed ? rc_fail(err, RC_ENOMEM, "no memory for a list") : RC_OK;
}

rc_status_t rc_kernel_specs_parse(const char *text, rc_device_kind_t device, unsigned ops, int most,
    rc_kernel_spec_t **out, int *count, rc_err_t *err)
{
    const purpose_t purpose = {device, ops};
    rc_str_t ranked = {0};
    const rc_specs_rule_t rule = {.user = &purpose,
        .in_all = in_all,
        .allowed = allowed,
        .where = device == RC_DEVICE_CPU ? " for --device cpu" : " for --device cuda",
        .most = most};
    rc_spec_t *spec = NULL;
    int n = 0;
    rc_status_t st = spell_ranked(text, &purpose, &ranked, err);
    if (st == RC_OK)
        st = rc_specs_parse(
            &rc_kernel_family[device], &rule, ranked.len ? ranked.text : text, &spec, &n, err);
    rc_str_free(&ranked);
    if (st < 0)
        return st;
    rc_kernel_spec_t *list = rc_alloc((size_t)n, sizeof *list, "kernels", err);
    for (int i = 0; list && i < n; i++)
        rc_kernel_spec_set(&spec[i], device, &list[i]);
    free(spec);
    RC_PASS(list ? RC_OK : RC_ENOMEM);
    *out = list;
    *count = n;
    return RC_OK;
}
