/* The selector as C99 source.  What it computes repeats rc_model_standardise and rc_model_decide of
 * model.c operation by operation; the part between them is written by the kind of predictor. */
#include "config.h"
#include "base/error.h"
#include "feature/feature.h"
#include "model/model.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <string.h>

enum { NAME_MOST = 48 }; /* with our suffixes an identifier stays within the 63 that C99 keeps */

static int is_identifier(const char *name)
{
    size_t n = strlen(name);
    if (n < 1 || n > NAME_MOST || isdigit((unsigned char)name[0]))
        return 0;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)name[i] >= 0x80 || (!isalnum((unsigned char)name[i]) && name[i] != '_'))
            return 0;
    return 1;
}

/* ------------------------------------------------------------------- texts */

/* A text as a literal: no quotes, trigraphs or bytes beyond ASCII survive. */
static void put_literal(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        if (*p == '"' || *p == '\\' || *p == '?')
            fprintf(out, "\\%c", *p);
        else if (*p < ' ' || *p >= 0x7f)
            fprintf(out, "\\%03o", *p); /* three digits: a digit that follows is not part of it */
        else
            fputc(*p, out);
    fputc('"', out);
}

/* A text inside a comment, which it cannot end. */
static void put_comment(FILE *out, const char *text)
{
    char before = ' ';
    for (const char *p = text; *p; p++) {
        char c = (unsigned char)*p < ' ' || (unsigned char)*p >= 0x7f || *p == '\\' ? '?' : *p;
        if ((before == '*' && c == '/') || (before == '/' && c == '*') ||
            (before == '?' && c == '?'))
            fputc(' ', out);
        fputc(c, out);
        before = c;
    }
}

static const char *note(const rc_model_t *m, const char *key)
{
    const char *text = json_string_value(json_object_get(m->training, key));
    return text ? text : "unknown";
}

static const char *unit_of(const rc_model_t *m, const char *name)
{
    const rc_feature_set_t *set = rc_feature_set_find(m->feature_set);
    const rc_feature_t *f = set ? rc_feature_find(set, name) : NULL;
    if (f)
        return f->unit;
    return strcmp(name, "k") == 0 ? "columns of B" : "bytes of a value";
}

/* ------------------------------------------------------------------- parts */

static void put_geometry(FILE *out, const char *precision, const rc_geometry_t *g)
{
    if (g->nw)
        fprintf(out, " *             %s: nw %d, nt %d, line %d\n", precision, (int)g->nw,
            (int)g->nt, (int)g->line);
}

/* A text of the model in a comment, between texts of ours. */
static void put_between(FILE *out, const char *before, const char *text, const char *after)
{
    fputs(before, out);
    put_comment(out, text);
    fputs(after, out);
}

static void put_head(const rc_model_t *m, const char *name, FILE *out)
{
    fprintf(out,
        "/* A selector of sparse matrix row orders, written by rowcast %s; do not edit.\n *\n",
        rc_version());
    put_between(out, " * model       ", m->kind, "");
    fprintf(out, "@%d, task %s, operation %s\n", (int)m->kind_version, rc_task_names[m->task],
        rc_model_operation(m));
    put_between(out, " * device      ", m->device, "\n");
    put_between(out, " * training    ", note(m, "data_digest"), " (digest of the data)\n");
    put_between(out, " * features    ", m->feature_set, "");
    fprintf(out, "@%d, in the original row order, for the geometry\n", (int)m->feature_version);
    for (int t = 0; t < RC_TYPES; t++)
        put_geometry(out, rc_type((rc_precision_t)t)->name, &m->geometry.of[t]);
    fprintf(out, " *\n * value[i] of %s_choose, with its unit:\n", name);
    for (int i = 0; i < m->inputs; i++) {
        fprintf(out, " *   %2d  ", i);
        put_between(out, "", m->input[i].name, " [");
        put_between(out, "", unit_of(m, m->input[i].name), "]\n");
    }
    fputs(" *\n * classes", out);
    if (m->task == RC_TASK_ORDER)
        put_between(out, " (row orders for the kernel ", m->cls[0].kernel, ")");
    fputs(":\n", out);
    for (int c = 0; c < m->classes; c++) {
        fprintf(out, " *   %2d  ", c);
        put_comment(out, m->cls[c].name);
        if (m->task == RC_TASK_FORMAT)
            put_between(out, " (kernel ", m->cls[c].kernel, ")");
        fprintf(out, "%s\n", c == m->baseline ? " (baseline)" : "");
    }
    fprintf(out,
        " *\n * %s_choose returns the index of the chosen class%s.\n"
        " * It equals rowcast's own choice bit by bit where double is IEEE binary64, is evaluated "
        "as\n"
        " * such (FLT_EVAL_METHOD 0), and log, log1p and exp are those of the same libm. */\n",
        name,
        m->output == RC_OUTPUT_SCORE ? " (time, when not NULL, is set to NaN: no times are known)"
                                     : " and sets time[class], when not NULL, to ns");
}

static void put_tables(const rc_model_t *m, const char *name, FILE *out)
{
    fprintf(out,
        "#include <math.h>\n"
        "\n"
        "/* a product and a sum are two roundings */\n"
        "#if defined(__clang__)\n"
        "#pragma STDC FP_CONTRACT OFF\n"
        "#elif defined(__GNUC__)\n"
        "#pragma GCC optimize(\"fp-contract=off\")\n"
        "#endif\n"
        "\n"
        "enum { %s_inputs = %d, %s_classes = %d, %s_baseline = %d };\n"
        "\n"
        "extern const char *const %s_input[%s_inputs];\n"
        "extern const char *const %s_class[%s_classes];\n"
        "int %s_choose(const double *value, double *time);\n"
        "\n",
        name, m->inputs, name, m->classes, name, m->baseline, name, name, name, name, name);
    fprintf(out, "const char *const %s_input[%s_inputs] = {\n", name, name);
    for (int i = 0; i < m->inputs; i++) {
        fputs("    ", out);
        put_literal(out, m->input[i].name);
        fputs(",\n", out);
    }
    fputs("};\n\n", out);
    fprintf(out, "const char *const %s_class[%s_classes] = {\n", name, name);
    for (int c = 0; c < m->classes; c++) {
        fputs("    ", out);
        put_literal(out, m->cls[c].name);
        fputs(",\n", out);
    }
    fprintf(out,
        "};\n"
        "\n"
        "/* transform (0: none, 1: log1p, 2: log), then (value - mean) / scale */\n"
        "static const struct {\n"
        "    int transform;\n"
        "    double mean;\n"
        "    double scale;\n"
        "} %s_scaling[%s_inputs] = {\n",
        name, name);
    for (int i = 0; i < m->inputs; i++)
        fprintf(out, "    {%d, %a, %a},\n", (int)m->input[i].transform, m->input[i].mean,
            m->input[i].scale);
    fputs("};\n\n", out);
}

static void put_choose(const rc_model_t *m, const char *name, FILE *out)
{
    fprintf(out,
        "\n"
        "static void %s_standardise(const double *value, double *x)\n"
        "{\n"
        "    int i;\n"
        "    for (i = 0; i < %s_inputs; i++) {\n"
        "        double v = value[i];\n"
        "        if (%s_scaling[i].transform == 1)\n"
        "            v = log1p(v > 0 ? v : 0);\n"
        "        else if (%s_scaling[i].transform == 2)\n"
        "            v = log(v > %a ? v : %a);\n"
        "        x[i] = (v - %s_scaling[i].mean) / %s_scaling[i].scale;\n"
        "    }\n"
        "}\n"
        "\n"
        "int %s_choose(const double *value, double *time)\n"
        "{\n"
        "    double x[%s_inputs];\n"
        "    double out[%s_classes];\n"
        "    double least = 0;\n"
        "    int chosen = -1;\n"
        "    int c;\n"
        "    %s_standardise(value, x);\n"
        "    %s_score(x, out);\n"
        "    for (c = 0; c < %s_classes; c++) {\n",
        name, name, name, name, 1e-300, 1e-300, name, name, name, name, name, name, name, name);
    if (m->output == RC_OUTPUT_SCORE)
        fputs("        double cost = -out[c];\n", out);
    else if (m->output == RC_OUTPUT_LOG_RATIO)
        fprintf(out,
            "        double cost = exp(c == %s_baseline ? out[c] : out[%s_baseline] + out[c]);\n",
            name, name);
    else
        fputs("        double cost = exp(out[c]);\n", out);
    fprintf(out,
        "        if (time)\n"
        "            time[c] = %s;\n"
        "        if (cost == cost && (chosen < 0 || cost < least)) {\n"
        "            chosen = c;\n"
        "            least = cost;\n"
        "        }\n"
        "    }\n"
        "    return chosen < 0 ? %s_baseline : chosen;\n"
        "}\n",
        m->output == RC_OUTPUT_SCORE ? "NAN" : "cost", name);
}

rc_status_t rc_model_export_c(const rc_model_t *m, const char *name, FILE *out, rc_err_t *err)
{
    if (!m || !name || !out)
        return rc_fail(err, RC_EINVAL, "export: no model, no name or no file");
    if (!is_identifier(name))
        return rc_fail(err, RC_EINVAL,
            "export: expected a C identifier of at most %d characters as name, found '%.80s'",
            (int)NAME_MOST, name);
    if (!m->predictor.kind->emit)
        return rc_fail(err, RC_ENOTSUP, "export: a predictor of kind %s cannot be written as C",
            m->predictor.kind->name);
    /* numbers have a point whatever the language of the caller */
    locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (c == (locale_t)0)
        return rc_fail(err, RC_ENOMEM, "no memory for the C locale");
    locale_t before = uselocale(c);
    put_head(m, name, out);
    put_tables(m, name, out);
    rc_status_t st = m->predictor.kind->emit(m->predictor.state, name, out, err);
    put_choose(m, name, out);
    if (st == RC_OK && (fflush(out) != 0 || ferror(out)))
        st = rc_fail_errno(err, RC_EIO, errno, "cannot write the C source of a model");
    uselocale(before);
    freelocale(c);
    return st;
}
