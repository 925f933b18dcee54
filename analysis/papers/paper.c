#include "config.h"
#include "analysis/papers/paper.h"
#include "base/glob.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const rc_paper_t *const rc_papers[] = {
    &rc_paper_mehrabi, &rc_paper_hong, &rc_paper_nisa, &rc_paper_jiang, &rc_paper_lane, NULL};

const rc_paper_t *rc_paper_find(const char *name)
{
    for (int i = 0; rc_papers[i]; i++)
        if (strcmp(rc_papers[i]->name, name) == 0)
            return rc_papers[i];
    return NULL;
}

const rc_summary_t *rc_paper_table(const rc_paper_t *p, const char *word)
{
    const size_t n = strlen(word);
    const rc_summary_t *s = rc_summary_find(p->tables, word);
    for (int i = 0; p->tables[i] && !s; i++)
        for (const char *at = p->tables[i]->shows; at && *at && !s;
             at += strcspn(at, " "), at += *at == ' ')
            if (strcspn(at, " ") == n && strncmp(at, word, n) == 0)
                s = p->tables[i];
    return s;
}

const rc_paper_t *rc_paper_of_table(const char *table)
{
    for (int i = 0; rc_papers[i]; i++)
        if (rc_summary_find(rc_papers[i]->tables, table))
            return rc_papers[i];
    return NULL;
}

#include "analysis/papers/data.inc"

/* 1: one of the globs of a cell matches. */
static int fits(const char *cell, size_t n, const char *key)
{
    const char *end = cell + n;
    for (size_t one; cell <= end; cell += one + 1) {
        char glob[128];
        const char *bar = memchr(cell, '|', (size_t)(end - cell));
        one = (size_t)((bar ? bar : end) - cell);
        (void)snprintf(glob, sizeof glob, "%.*s", (int)one, cell);
        if (rc_glob_match_spec(glob, key))
            return 1;
    }
    return 0;
}

const char *rc_paper_line(const char *const *data, const char *const *key, int keys)
{
    for (data++; *data; data++) { /* behind the names of columns */
        const char *cell = *data;
        int i = 0;
        for (size_t n; i < keys && (n = strcspn(cell, "\t"), fits(cell, n, key[i])); i++)
            cell += n + (cell[n] == '\t');
        if (i == keys)
            return cell;
    }
    return NULL;
}

static const char *cell_of(const char *cells, int i)
{
    for (; cells && i > 0; i--) {
        cells = strchr(cells, '\t');
        cells += cells != NULL;
    }
    return cells;
}

double rc_paper_number(const char *cells, int i)
{
    const char *at = cell_of(cells, i);
    char *end = NULL;
    double x = at ? strtod(at, &end) : NAN;
    return end == at ? NAN : x;
}

const char *rc_paper_text(const char *cells, int n)
{
    const char *at = cell_of(cells, n);
    return at && strcmp(at, "-") != 0 ? at : "";
}

const char *rc_paper_says(const char *const *words, const char *table, const rc_setting_t *s,
    const char *a, const char *b)
{
    char k[24] = "";
    if (s && s->is_n)
        (void)snprintf(k, sizeof k, "n");
    else if (s)
        (void)snprintf(k, sizeof k, "%" PRId64, s->k);
    const char *key[] = {table, s ? rc_view_name(rc_op_names, s->op) : "",
        s ? rc_view_name(rc_precision_names, s->precision) : "", k, a, b};
    const char *line = rc_paper_line(words, key, (int)(sizeof key / sizeof *key));
    return line ? rc_paper_text(line, 0) : NULL;
}

void rc_paper_put_text(rc_table_t *t, const char *text)
{
    rc_table_text(t, text ? text : "");
}
