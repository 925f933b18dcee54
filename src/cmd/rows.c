#include "config.h"
#include "cmd/rows.h"
#include "analysis/papers/nisa/nisa.h"
#include "analysis/summary/lines.h"
#include "analysis/summary/noise.h"
#include "base/error.h"
#include "base/glob.h"
#include "base/str.h"
#include "operation/operation.h"

#include <string.h>

/* One word of an option as an expression over a field. */
static rc_status_t add_word(const char *field, const char *word, rc_str_t *text, rc_err_t *err)
{
    rc_op_t op;
    rc_precision_t precision;
    int64_t k;
    rc_status_t st = RC_OK;
    if (strcmp(field, "op") == 0) {
        st = rc_op_parse(word, &op, err);
        rc_str_addf(text, "op == %s", st == RC_OK ? rc_op_name(op) : "");
    } else if (strcmp(field, "k") == 0 && strcmp(word, "n") == 0)
        rc_str_add(text, "k == cols");
    else if (strcmp(field, "k") == 0) {
        st = rc_parse_int(word, 1, INT32_MAX, "n or a K", &k, err);
        rc_str_addf(text, "k == %s", word);
    } else if (strcmp(field, "precision") == 0) {
        st = rc_type_parse(RC_TYPES_ANY, word, &precision, err);
        rc_str_addf(text, "precision == %s", st == RC_OK ? rc_precision_name(precision) : "");
    } else if (!word[0] || rc_glob_flaw(word) >= 0 || strpbrk(word, "'\"\\"))
        st = rc_fail(err, RC_EINVAL, "not a pattern: '%s'", word);
    else
        rc_str_addf(text, "%s ~ '%s' || %s ~ '%s:*'", field, word, field, word);
    return st;
}

rc_status_t rc_rows_add_list(const char *option, const char *field, const char *list, int both,
    rc_str_t *text, rc_err_t *err)
{
    rc_words_t words = {0};
    rc_status_t st = rc_words_split(list, ',', &words, err);
    for (int i = 0; st == RC_OK && i < words.count; i++) {
        rc_str_add(text, i ? " || " : " && (");
        if (both && strcmp(words.word[i], "both") == 0)
            rc_str_add(text, "op == spmm || op == spmm_t");
        else
            st = add_word(field, words.word[i], text, err);
    }
    rc_str_add(text, ")");
    rc_words_free(&words);
    if (st < 0)
        err->status = st = RC_EINVAL;
    return st < 0 ? rc_err_context(err, "%s", option) : st;
}

rc_status_t rc_rows_compile(
    const rc_rows_options_t *o, const rc_fields_t *fields, int both, rc_expr_t **out, rc_err_t *err)
{
    const struct {
        const char *option;
        const char *field;
        const char *list;
        int both;
    } lists[] = {{"--op", "op", o->op, both}, {"--kernels", "kernel", o->kernels, 0},
        {"--k", "k", o->k, 0}, {"--precision", "precision", o->precision, 0},
        {"--device", "device", o->device, 0}};
    rc_str_t text = {0};
    rc_status_t st = RC_OK;
    *out = NULL;
    if (o->where && rc_expr_compile(o->where, fields->field, fields->count, out, err) < 0)
        return rc_err_context(err, "--where");
    for (size_t i = 0; i < sizeof lists / sizeof *lists && st == RC_OK; i++)
        if (lists[i].list)
            st = rc_rows_add_list(
                lists[i].option, lists[i].field, lists[i].list, lists[i].both, &text, err);
    if (st == RC_OK && text.len > 0 && o->where)
        rc_str_addf(&text, " && (%s)", o->where);
    if (st == RC_OK && text.failed)
        st = rc_fail(err, RC_ENOMEM, "no memory for a filter");
    if (st == RC_OK && text.len > 0) {
        rc_expr_free(*out);
        *out = NULL;
        st = rc_expr_compile(text.text + strlen(" && "), fields->field, fields->count, out, err);
    }
    rc_str_free(&text);
    return st;
}

rc_status_t rc_rows_mark_generated(rc_view_t *v, const char *which, rc_err_t *err)
{
    rc_expr_t *expr = NULL;
    RC_PASS(rc_view_compile(which, "--generated", &expr, err));
    rc_status_t st = rc_view_check(v, expr, err);
    if (st == RC_OK)
        rc_view_mark_generated(v, expr);
    rc_expr_free(expr);
    return st < 0 ? rc_err_context(err, "--generated") : RC_OK;
}

void rc_rows_warn_of_none(const char *command, const rc_view_t *v, const rc_expr_t *where, int all)
{
    rc_err_t why = {0};
    for (int64_t i = 0; i < rc_view_count(v); i++)
        if ((all || rc_view_is_newest(v, i)) && rc_view_matches(v, i, where))
            return;
    const int is_slip = rc_view_explain_none(v, where, &why) == RC_EINVAL;
    fprintf(stderr, "rowcast %s: no result matches%s%s\n", command, is_slip ? "; " : "",
        is_slip ? strstr(why.text, "no ") : ""); /* without the position */
}

rc_status_t rc_rows_tell_noise(
    const char *who, const rc_view_t *v, const rc_expr_t *where, const char *run, rc_err_t *err)
{
    rc_str_t line = {0};
    rc_status_t st = rc_noise_line(v, where, run, &line, err);
    if (st == RC_OK && line.len > 0)
        fprintf(stderr, "%s: %s\n", who, line.text);
    rc_str_free(&line);
    return st;
}

rc_status_t rc_rows_tell_noise_of_run(const char *store, const char *run, rc_err_t *err)
{
    rc_view_t *v = NULL;
    rc_status_t st = rc_view_read(store, &v, err);
    if (st == RC_OK)
        st = rc_rows_tell_noise(store, v, NULL, run, err);
    rc_view_free(v);
    return st;
}

rc_status_t rc_rows_summary(const char *command, const rc_summary_t *s,
    const rc_rows_options_t *rows, const rc_summary_options_t *o, rc_table_format_t format,
    rc_err_t *err)
{
    rc_summary_options_t own = *o;
    rc_expr_t *where = NULL;
    rc_view_t *v = NULL;
    rc_status_t st;
    RC_TRY(rc_rows_compile(
        rows, &rc_view_fields, (s->takes & RC_TAKES_CONTESTANTS) != 0, &where, err));
    own.format = format;
    if (s->fits) {
        st = rc_study_print(s->fits, &own, err);
        goto done;
    }
    RC_TRY(rc_view_read_samples(o->store, &v, err));
    RC_TRY(rows->noisy ? rc_view_take_noisy(v, err) : RC_OK);
    RC_TRY(rc_view_check(v, where, err));
    if (where)
        rc_rows_warn_of_none(command, v, where, 0);
    RC_TRY(rc_summary_mark_training(v, s, o, err));
    if (rows->generated)
        RC_TRY(rc_rows_mark_generated(v, rows->generated, err));
    own.view = v;
    own.where = where;
    RC_TRY(s->lines ? rc_lines_print(s->lines, NULL, &own, err) : s->print(&own, err));
    RC_TRY(rc_summary_tell_pairs(command, v, where, err));
    st = rc_rows_tell_noise(o->store, v, where, NULL, err);
done:
    rc_expr_free(where);
    rc_view_free(v);
    return st;
}
