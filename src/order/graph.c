#include "config.h"
#include "order/graph.h"
#include "base/alloc.h"
#include "base/error.h"
#include "order/policy.h"
#include "order/rows.h"
#include "sparse/csr.h"

#include <inttypes.h>
#include <stdlib.h>

void rc_graph_free(rc_graph_t *g)
{
    free(g->ptr);
    free(g->adj);
    free(g->weight);
    *g = (rc_graph_t){0};
}

static int bytes_of(int32_t heaviest)
{
    return heaviest <= UINT8_MAX ? 1 : heaviest <= UINT16_MAX ? 2 : 4;
}

rc_status_t rc_graph_alloc_edges(rc_graph_t *g, int32_t heaviest, const char *what, rc_err_t *err)
{
    g->heaviest = heaviest;
    g->weight_bytes = bytes_of(heaviest);
    g->adj = rc_alloc((size_t)g->ptr[g->n], sizeof *g->adj, what, err);
    g->weight = rc_alloc((size_t)g->ptr[g->n], (size_t)g->weight_bytes, what, err);
    return g->adj && g->weight ? RC_OK : RC_ENOMEM;
}

void rc_graph_narrow(rc_graph_t *g)
{
    rc_graph_t to = *g;
    to.heaviest = 0;
    for (int64_t e = 0; e < g->ptr[g->n]; e++)
        to.heaviest = rc_graph_weight(g, e) > to.heaviest ? rc_graph_weight(g, e) : to.heaviest;
    to.weight_bytes = bytes_of(to.heaviest);
    if (to.weight_bytes < g->weight_bytes) {
        for (int64_t e = 0; e < g->ptr[g->n]; e++) /* in place: what is written has been read */
            rc_graph_set_weight(&to, e, rc_graph_weight(g, e));
        void *less = realloc(to.weight, (size_t)(to.weight_bytes * g->ptr[g->n]) + 1);
        to.weight = less ? less : to.weight;
    }
    *g = to;
}

rc_status_t rc_pattern_transpose(const rc_csr_t *a, rc_csr_t *out, rc_err_t *err)
{
    rc_csr_t pattern = *a;
    pattern.val = NULL;
    return rc_csr_transpose(&pattern, out, err);
}

/* Merge row r of A and of A' into g, if it has room for edges already.  Returns the neighbours. */
static int64_t merge_row(const rc_csr_t *a, const rc_csr_t *t, int64_t r, rc_graph_t *g)
{
    int64_t n = 0;
    int64_t i = a->row_ptr[r];
    int64_t j = t->row_ptr[r];
    while (i < a->row_ptr[r + 1] || j < t->row_ptr[r + 1]) {
        int32_t x = i < a->row_ptr[r + 1] ? a->col_idx[i] : INT32_MAX;
        int32_t y = j < t->row_ptr[r + 1] ? t->col_idx[j] : INT32_MAX;
        int32_t v = x < y ? x : y;
        i += x == v;
        j += y == v;
        if (v == r)
            continue;
        if (g->adj) {
            g->adj[g->ptr[r] + n] = v;
            rc_graph_set_weight(g, g->ptr[r] + n, 1 + (x == y));
        }
        n++;
    }
    return n;
}

rc_status_t rc_graph_build(const rc_csr_t *a, rc_graph_t *out, rc_err_t *err)
{
    if (a->rows != a->cols)
        return rc_fail(err, RC_ENOTSUP,
            "the graph of rows needs a square matrix, this one is %" PRId64 " x %" PRId64, a->rows,
            a->cols);
    rc_csr_t t;
    rc_graph_t g = {.n = a->rows};
    rc_status_t st;
    RC_PASS(rc_pattern_transpose(a, &t, err));
    RC_TRY(RC_NEW0(g.ptr, (size_t)g.n + 1, "a graph", err));
    for (int64_t r = 0; r < g.n; r++)
        g.ptr[r + 1] = g.ptr[r] + merge_row(a, &t, r, &g);
    RC_TRY(rc_graph_alloc_edges(&g, 2, "a graph", err));
    for (int64_t r = 0; r < g.n; r++)
        (void)merge_row(a, &t, r, &g);
    *out = g;
    g = (rc_graph_t){0};
done:
    rc_csr_free(&t);
    rc_graph_free(&g);
    return st;
}

rc_status_t rc_schedule_of_groups(const int32_t *group, int64_t rows, int64_t count,
    const char *name, rc_schedule_t *out, rc_err_t *err)
{
    int64_t used = 0;
    int64_t *ptr = rc_alloc((size_t)count + 2, sizeof *ptr, "groups of rows", err);
    rc_status_t st = ptr ? rc_schedule_alloc(rows, rows, out, err) : RC_ENOMEM;
    if (st < 0) {
        free(ptr);
        return st;
    }
    rc_list_groups(group, rows, count, ptr, out->row);
    for (int64_t k = 0; k < count; k++)
        if (ptr[k + 1] > ptr[used])
            ptr[++used] = ptr[k + 1];
    return rc_schedule_add_groups(out, name, used, ptr, err);
}
