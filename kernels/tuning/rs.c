#include "config.h"
#include "kernels/tuning/rs.h"
#include "base/digest.h"
#include "base/error.h"
#include "format/problem.h"
#include "kernels/tuning/rs_tuning.h"

#include <inttypes.h>
#include <string.h>

/* A panel of B may take half of the shared memory of a multiprocessor of compute capability 9.0,
 * less the 1 KiB that the runtime keeps of it per CTA: two CTAs fit. A CPU and other GPUs split
 * alike, so that times of the same parameters are those of the same split. */
enum { PANEL_BYTES = 113 * 1024, SPARE = 1 << 20 };

const char *const rc_rs_light_choices[] = {"add", "store", NULL};

int64_t rc_rs_width(int cfv, rc_precision_t precision)
{
    int64_t row = (int64_t)RC_RS_LANES * cfv * (int64_t)rc_precision_bytes(precision);
    int64_t w = 1;
    while (2 * w * row <= PANEL_BYTES)
        w *= 2;
    return w;
}

int rc_rs_is_open(const int64_t *param)
{
    return param[RC_RS_T] == 0 || param[RC_RS_CFV] == 0 || param[RC_RS_CFH] == 0;
}

/* ----------------------------------------------------------------- choosing */

/* A digest of everything that choosing reads; padding and addresses are no part of it. */
static rc_status_t hex_of(const rc_rs_tuning_t *t, char hex[RC_PARAM_VALUE], rc_err_t *err)
{
    rc_hasher_t *h = rc_hasher_new(err);
    RC_PASS(h ? RC_OK : RC_ENOMEM);
    rc_hasher_add(h, t->device, strlen(t->device));
    rc_hasher_add(h, &t->kernel_version, sizeof t->kernel_version);
    for (int i = 0; i < t->settings; i++) {
        const rc_rs_setting_t *s = &t->setting[i];
        const int64_t numbers[] = {s->k, s->precision, s->t, s->cfv, s->cfh, s->nodes};
        rc_hasher_add(h, numbers, sizeof numbers);
        rc_hasher_add(h, &s->cost, sizeof s->cost);
        rc_hasher_add(h, s->node, (size_t)s->nodes * sizeof *s->node);
        if (s->has_paths) /* files without keep the name that they had */
            rc_hasher_add(h, s->paths, sizeof s->paths);
    }
    memcpy(hex, rc_digest_hex(rc_hasher_digest(h)).text, RC_DIGEST_HEX + 1);
    rc_hasher_free(h);
    return RC_OK;
}

/* A file that was replaced since the kernel was named would be measured under the name of what it
 * was.
 * \param[in] t  what is there now; NULL: nothing */
static rc_status_t check_named(
    const rc_problem_t *p, const char *word, const rc_rs_tuning_t *t, rc_err_t *err)
{
    char now[RC_PARAM_VALUE] = "auto";
    rc_status_t st = p->named && t ? hex_of(t, now, err) : RC_OK;
    if (st < 0 || !p->named || strstr(p->named, now))
        return st;
    return rc_fail(
        err, RC_EFORMAT, "tuning %s: the file is another one than when the kernel was named", word);
}

/* By the tuning of the problem, or the usual values where that is none or has none of the
 * precision. */
static rc_status_t choose_open(const rc_problem_t *p, rc_rs_choice_t *c, int *cfh, rc_err_t *err)
{
    const char *word = p->text && p->text[0] ? p->text : "auto";
    rc_rs_tuning_t tuning = {.settings = 0};
    const rc_rs_setting_t *s = NULL;
    rc_status_t st;
    const int none = rc_rs_tuning_is_none(word);
    if (!none) {
        RC_TRY(rc_rs_tuning_read(word, &tuning, err));
        s = rc_rs_tuning_setting(&tuning, p->k, p->precision);
    }
    RC_TRY(check_named(p, word, none ? NULL : &tuning, err));
    *cfh = *cfh ? *cfh : s ? s->cfh : RC_RS_USUAL_CFH;
    if (s)
        RC_TRY(rc_rs_tuning_choose(s, p->a, p->precision, c, err));
    c->t = c->t ? c->t : RC_RS_USUAL_T;
    c->cfv = c->cfv ? c->cfv : RC_RS_USUAL_CFV;
done:
    rc_rs_tuning_free(&tuning);
    return st;
}

/* All parameters, and the size of the split.  \param[out] cfh  as c->cfv */
static rc_status_t choose(const rc_problem_t *p, rc_rs_choice_t *c, int *cfh, rc_err_t *err)
{
    const rc_segments_source_t source = rc_segments_source_of(p->a);
    *c = (rc_rs_choice_t){
        .t = p->param[RC_RS_T], .w = p->param[RC_RS_W], .cfv = (int)p->param[RC_RS_CFV]};
    *cfh = (int)p->param[RC_RS_CFH];
    if (rc_rs_is_open(p->param))
        RC_PASS(choose_open(p, c, cfh, err));
    const rc_segments_rule_t rule = {
        .w = c->w ? c->w : rc_rs_width(c->cfv, p->precision), .t = c->t};
    if (c->size.rule.w == rule.w && c->size.rule.t == rule.t)
        return RC_OK; /* choosing counted it */
    return rc_segments_measure(&source, &rule, 1, &c->size, err);
}

rc_rs_shape_t rc_rs_shape(const rc_problem_t *p, const rc_analysis_t *analysis)
{
    rc_rs_chosen_t n;
    RC_CHOSEN(analysis, n);
    rc_rs_shape_t s = {.cfh = n.cfh,
        .cfv = n.cfv,
        .hblocks = (int)p->param[RC_RS_HBLOCKS],
        .stores = p->param[RC_RS_LIGHT] == RC_RS_LIGHT_STORE};
    s.rule.t = n.t;
    s.rule.w = p->param[RC_RS_W] ? p->param[RC_RS_W] : rc_rs_width(s.cfv, p->precision);
    return s;
}

int64_t rc_rs_col_bytes(const rc_rs_shape_t *s)
{
    return s->rule.w <= RC_SEGMENTS_NARROW ? (int64_t)sizeof(uint16_t) : (int64_t)sizeof(int32_t);
}

rc_status_t rc_rs_count(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_rs_choice_t c;
    int cfh = 0;
    if (p->schedule->slots > INT32_MAX - SPARE)
        return rc_fail(err, RC_ENOTSUP, "shape: %" PRId64 " slots, at most %d are implemented",
            p->schedule->slots, INT32_MAX - SPARE);
    RC_PASS(choose(p, &c, &cfh, err));
    const rc_segments_size_t *n = &c.size;
    if (n->heavy > INT32_MAX - SPARE)
        return rc_fail(err, RC_ENOTSUP,
            "shape: %" PRId64 " heavy segments, at most %d are implemented", n->heavy,
            INT32_MAX - SPARE);
    const rc_rs_chosen_t counts = {.heavy = n->heavy,
        .nnz_heavy = n->nnz_heavy,
        .heavy_panels = n->heavy_panels,
        .heavy_rows = n->heavy_rows,
        .segments = n->segments,
        .t = c.t,
        .cfv = c.cfv,
        .cfh = cfh};
    RC_CHOSE(out, counts);
    return RC_OK;
}

/* ---------------------------------------------------------------- identity */

rc_status_t rc_rs_identify(
    const rc_param_t *param, const rc_params_t *values, char *text, rc_err_t *err)
{
    rc_params_t as = *values;
    rc_rs_tuning_t t;
    if (!rc_rs_is_open(values->value) || rc_rs_tuning_is_none(values->text)) {
        memcpy(as.text, "auto", sizeof "auto");
        return rc_params_text(param, &as, text, err);
    }
    RC_PASS(rc_rs_tuning_read(values->text, &t, err));
    rc_status_t st = hex_of(&t, as.text, err);
    rc_rs_tuning_free(&t);
    return st < 0 ? st : rc_params_text(param, &as, text, err);
}
