#include "config.h"
#include "cmd/select.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "sweep/worklist.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

rc_status_t rc_select_policies(const char *text, rc_policy_spec_t **out, int *count, rc_err_t *err)
{
    rc_policy_spec_t *list = NULL;
    int n = 0;
    rc_status_t st = rc_policy_specs_parse(text, RC_WORKLIST_POLICIES_MAX, &list, &n, err);
    if (st < 0)
        return rc_err_context(err, "--orders");
    for (int i = 1; i < n; i++)
        if (strcmp(list[i].policy->name, "csr") == 0) {
            rc_policy_spec_t csr = list[i];
            list[i] = list[0];
            list[0] = csr;
        }
    *out = list;
    *count = n;
    return RC_OK;
}

rc_status_t rc_select_csr(rc_policy_spec_t **list, int *count, int *added, rc_err_t *err)
{
    *added = 0;
    if (strcmp((*list)[0].policy->name, "csr") == 0 || *count == RC_WORKLIST_POLICIES_MAX)
        return RC_OK;
    size_t room = (size_t)*count;
    RC_PASS(RC_GROW(*list, room, room + 1, "orders", err));
    RC_PASS(rc_policy_spec_parse("csr", &(*list)[*count], err));
    *added = 1;
    ++*count;
    return RC_OK;
}

rc_status_t rc_select_ops(const char *text, unsigned *out, rc_err_t *err)
{
    rc_words_t words;
    rc_status_t st = rc_words_split(text, ',', &words, err);
    if (st < 0)
        return rc_err_context(err, "--op");
    *out = 0;
    for (int i = 0; i < words.count && st == RC_OK; i++) {
        rc_op_t op = RC_OP_SPMM;
        st = rc_op_parse(words.word[i], &op, err);
        *out |= 1u << op;
    }
    rc_words_free(&words);
    if (st == RC_ENOENT && err)
        err->status = RC_EINVAL; /* a wrong word on the command line */
    return st < 0 ? rc_err_context(err, "--op") : RC_OK;
}

rc_status_t rc_select_ks(const char *text, int64_t **out, int *count, rc_err_t *err)
{
    rc_words_t words;
    rc_status_t st = rc_words_split(text, ',', &words, err);
    if (st < 0)
        return rc_err_context(err, "--k");
    st = RC_NEW0(*out, words.count, "K", err);
    for (int i = 0; st == RC_OK && i < words.count; i++) {
        if (strcmp(words.word[i], "n") == 0)
            continue;
        st = rc_parse_int(words.word[i], 1, INT32_MAX, "--k", &(*out)[i], err);
        if (st < 0)
            st = rc_fail(err, RC_EINVAL,
                "--k: expected numbers from 1 to %d, or n for n_col; found '%s'", INT32_MAX,
                words.word[i]);
    }
    *count = words.count;
    rc_words_free(&words);
    return st;
}

rc_status_t rc_select_precisions(
    unsigned types, const char *text, rc_precision_t **out, int *count, rc_err_t *err)
{
    rc_words_t words;
    rc_status_t st = rc_words_split(text, ',', &words, err);
    if (st < 0)
        return rc_err_context(err, "--precision");
    st = RC_NEW(*out, words.count, "precisions", err);
    for (int i = 0; st == RC_OK && i < words.count; i++) {
        st = rc_type_parse(types, words.word[i], &(*out)[i], err);
        for (int k = 0; st == RC_OK && k < i; k++)
            if ((*out)[k] == (*out)[i])
                st = rc_fail(err, RC_EINVAL, "--precision: %s is named twice", words.word[i]);
    }
    *count = words.count;
    rc_words_free(&words);
    return st;
}

/* The files of the places, or the index alone. */
static rc_status_t find_matrices(
    const rc_matrix_places_t *p, rc_catalog_t *index, rc_catalog_t *out, rc_err_t *err)
{
    const rc_catalog_t *listed = p->catalog ? index : NULL;
    if (p->operands > 0)
        return rc_catalog_scan_all((const char *const *)p->operand, p->operands, listed, out, err);
    if (p->collection)
        return rc_catalog_scan(p->collection, listed, out, err);
    if (!listed)
        return rc_catalog_builtin(out, err);
    *out = *index;
    memset(index, 0, sizeof *index);
    return RC_OK;
}

rc_status_t rc_select_matrices(
    const rc_matrix_places_t *p, int64_t limit, rc_catalog_t *out, int64_t *all, rc_err_t *err)
{
    rc_catalog_t index = {0};
    rc_catalog_t c = {0};
    rc_expr_t *expr = NULL;
    rc_status_t st = RC_OK;
    const char *first = p->operands > 0 ? p->operand[0] : p->collection;
    if (p->operands > 0 && p->collection)
        return rc_fail(err, RC_EINVAL,
            "expected --collection or files and folders as operands, found both ('%s')", first);
    if (p->where && rc_expr_compile(p->where, rc_entry_fields, RC_ENTRY_FIELDS, &expr, err) < 0)
        return rc_err_context(err, "--where");
    int twins = p->collection && strcmp(p->collection, "twins") == 0;
    if (twins && !p->catalog)
        RC_TRY(rc_fail(err, RC_EINVAL,
            "--collection twins: expected --catalog CSV, the index whose matrices have twins"));
    if (p->catalog)
        RC_TRY(rc_catalog_read(p->catalog, &index, err));
    RC_TRY(twins ? rc_catalog_twins(&index, &c, err) : find_matrices(p, &index, &c, err));
    int64_t present = 0;
    for (int64_t i = 0; i < c.count; i++)
        present += c.entry[i].where != RC_WHERE_ABSENT;
    if (first && !twins && present == 0)
        RC_TRY(rc_fail(err, RC_ENOENT,
            "%s: no matrices; expected %s/Group/Name.mtx, Name.mtx.gz, Name.tar.gz, Name.npz or "
            "their like%s%s",
            first, first, c.passed ? "; left out: " : "", c.passed ? c.passed : ""));
    if (all)
        *all = c.count;
    rc_catalog_select(&c, expr, limit);
    *out = c;
    memset(&c, 0, sizeof c);
done:
    rc_expr_free(expr);
    rc_catalog_free(&index);
    rc_catalog_free(&c);
    return st;
}

rc_status_t rc_select_slice(const char *text, int64_t *index, int64_t *count, rc_err_t *err)
{
    enum { most = 1000000, digits = 8 };
    char first[digits];
    *index = *count = 1;
    if (!text)
        return RC_OK;
    const char *slash = strchr(text, '/');
    size_t n = slash ? (size_t)(slash - text) : 0;
    if (!slash || n >= sizeof first)
        return rc_fail(err, RC_EINVAL, "--slice: expected I/N as 2/8, found '%s'", text);
    memcpy(first, text, n);
    first[n] = '\0';
    if (rc_parse_int(slash + 1, 1, most, "N", count, NULL) < 0 ||
        rc_parse_int(first, 1, *count, "I", index, NULL) < 0)
        return rc_fail(
            err, RC_EINVAL, "--slice: expected I/N with I from 1 to N, found '%s'", text);
    return RC_OK;
}

rc_status_t rc_select_one(const char *what, const char *text, const char *first, const char *second,
    int *is_second, rc_err_t *err)
{
    *is_second = strcmp(text, second) == 0;
    if (*is_second || strcmp(text, first) == 0)
        return RC_OK;
    return rc_fail(
        err, RC_EINVAL, "--%s: expected %s or %s, found '%s'", what, first, second, text);
}

rc_status_t rc_select_cache(const char *dir, rc_err_t *err)
{
    struct stat s;
    if (!dir)
        return RC_OK;
    if (strcmp(dir, "warm") == 0 || strcmp(dir, "cold") == 0)
        return rc_fail(err, RC_EINVAL,
            "--cache is a folder of matrices; the processor's caches are --cache-mode %s (a folder "
            "of this name is ./%s)",
            dir, dir);
    if (!*dir || (stat(dir, &s) == 0 && !S_ISDIR(s.st_mode)))
        return rc_fail(err, RC_EINVAL, "--cache: '%s' is not a folder", dir);
    return RC_OK;
}
