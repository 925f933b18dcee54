/* The second round is that of Jiang et al. 2020, section 4: an order of rows, which this room
 * asks the library for by its name (rowcast.h), as an application would. */
#include "config.h"
#include "format/aspt.h"
#include "base/alloc.h"
#include "base/error.h"
#include "sparse/similarity.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const rc_aspt_rows_choices[] = {"auto", "1", "4", NULL};

rc_tile_rule_t rc_aspt_rule(const rc_problem_t *p)
{
    return (rc_tile_rule_t){.panel = (int32_t)p->param[RC_ASPT_PANEL],
        .col_min = (int32_t)p->param[RC_ASPT_COL_MIN],
        .tile_cols = (int32_t)p->param[RC_ASPT_TILE_COLS],
        .tile_min = (int32_t)p->param[RC_ASPT_TILE_MIN]};
}

int rc_aspt_steps(const rc_problem_t *p)
{
    enum { LOAD = 16 }; /* bytes of B */
    int most = LOAD / (int)rc_precision_bytes(p->precision);
    int usual = most < RC_ASPT_STEPS_MAX ? most : RC_ASPT_STEPS_MAX;
    return p->param[RC_ASPT_CF] ? (int)p->param[RC_ASPT_CF] : usual;
}

rc_status_t rc_aspt_identify(
    const rc_param_t *param, const rc_params_t *values, char *text, rc_err_t *err)
{
    if (values->value[RC_ASPT_SIGLEN] % values->value[RC_ASPT_BSIZE] != 0)
        return rc_fail(err, RC_EINVAL,
            "siglen: expected a multiple of bsize = %" PRId64 ", found %" PRId64,
            values->value[RC_ASPT_BSIZE], values->value[RC_ASPT_SIGLEN]);
    return rc_params_text_older(param, RC_ASPT_SIGLEN, values, text, err);
}

static rc_status_t check_shared(const rc_problem_t *p, rc_err_t *err)
{
    int64_t bytes =
        p->param[RC_ASPT_TILE_COLS] * RC_ASPT_LANES * (int64_t)rc_precision_bytes(p->precision);
    if (bytes > RC_ASPT_SHARED)
        return rc_fail(err, RC_ENOTSUP,
            "shape: tile_cols = %" PRId64 " rows of B take %" PRId64
            " bytes of shared memory, at most %d",
            p->param[RC_ASPT_TILE_COLS], bytes, RC_ASPT_SHARED);
    return RC_OK;
}

/* ------------------------------------------------------------------ pieces */

static int64_t pieces_of(int64_t entries)
{
    return entries > RC_ASPT_PIECE ? (entries + RC_ASPT_PIECE - 1) / RC_ASPT_PIECE : 0;
}

static int has_long_row(const rc_csr_t *a)
{
    for (int64_t r = 0; r < a->rows; r++)
        if (a->row_ptr[r + 1] - a->row_ptr[r] > RC_ASPT_PIECE)
            return 1;
    return 0;
}

/* Rows of a group.  Four share loads where at least half of the values of their columns are
 * entries: then they take fewer loads, and at most two bytes an entry more than CSR. */
static rc_status_t count_groups(
    const rc_problem_t *p, const rc_tiles_t *t, rc_tile_group_size_t *n, rc_err_t *err)
{
    enum { is_auto, one, half = 2 };
    const rc_tile_group_size_t single = *n;
    int64_t asked = p->param[RC_ASPT_ROWS];
    if (asked == one || single.columns == 0)
        return RC_OK;
    rc_status_t st = rc_tile_groups_measure(p->a, p->schedule, t, RC_TILE_GROUP_MAX, n, err);
    if (asked == is_auto && half * single.columns < RC_TILE_GROUP_MAX * n->columns)
        *n = single;
    return st;
}

/* Entries of a slot that are not taken in pieces. */
static int64_t entries_of(const rc_problem_t *p, int64_t slot)
{
    int64_t r = p->schedule->row[slot];
    int64_t n = r < 0 ? 0 : p->a->row_ptr[r + 1] - p->a->row_ptr[r];
    return n > RC_ASPT_PIECE ? 0 : n;
}

/* A CTA takes the rows of a panel one after the other, and a pass of its own has a warp for
 * each; but then rows of C are stored twice. */
static int is_apart(const rc_problem_t *p, const rc_tiles_t *t)
{
    int64_t slots = 0;
    int64_t beside = 0;
    for (int64_t i = 0; i < t->panels; i++) {
        int64_t first = i * t->rule.panel;
        int64_t last =
            first + t->rule.panel < p->schedule->slots ? first + t->rule.panel : p->schedule->slots;
        if (t->col_ptr[i] == t->col_ptr[i + 1])
            continue;
        for (int64_t s = first; s < last; s++)
            beside += entries_of(p, s);
        beside -= t->dense_ptr[i + 1] - t->dense_ptr[i];
        slots += last - first;
    }
    return beside > RC_ASPT_BESIDE * slots;
}

int32_t rc_aspt_shares(int64_t ctas, int64_t wanted, int64_t groups, int64_t at_once)
{
    int64_t most = (groups + at_once - 1) / at_once;
    int64_t shares = (wanted + ctas - 1) / ctas;
    if (shares > most)
        shares = most;
    return (int32_t)(shares > 1 ? shares : 1);
}

rc_status_t rc_aspt_measure(
    const rc_problem_t *p, int grouped, int64_t segment, rc_aspt_size_t *out, rc_err_t *err)
{
    const rc_tile_rule_t rule = rc_aspt_rule(p);
    rc_aspt_size_t n = {.longs = 0};
    rc_tiles_t t = {.panels = 0};
    rc_csr_t rest = {.rows = 0};
    rc_status_t st;
    RC_TRY(check_shared(p, err));
    RC_TRY(rc_tiles_find(p->a, p->schedule, &rule, 1, &t, err));
    RC_TRY(rc_tile_measure(&t, p->schedule->slots, p->a->nnz, &n.tiles, err));
    n.groups = (rc_tile_group_size_t){1, n.tiles.ptrs, n.tiles.nnz_dense};
    n.apart = is_apart(p, &t);
    if (grouped)
        RC_TRY(count_groups(p, &t, &n.groups, err));
    if (segment > 0 || has_long_row(p->a)) /* else the sparse part has none */
        RC_TRY(rc_tiles_rest(p->a, p->schedule, &t, 1, &rest, err));
    for (int64_t s = 0; s < rest.rows; s++) {
        int64_t entries = rest.row_ptr[s + 1] - rest.row_ptr[s];
        int64_t pieces = pieces_of(entries);
        n.longs += pieces > 0;
        n.pieces += pieces;
        n.segments += segment > 0 ? (entries + segment - 1) / segment : 0;
    }
    *out = n;
done:
    rc_tiles_free(&t);
    rc_csr_free(&rest);
    return st;
}

rc_status_t rc_aspt_pieces(const rc_tile_parts_t *p, rc_aspt_pieces_t *out, rc_err_t *err)
{
    rc_aspt_pieces_t n = {.longs = 0};
    for (int64_t s = 0; s < p->slots; s++) {
        int64_t pieces = pieces_of(p->rest_ptr[s + 1] - p->rest_ptr[s]);
        n.longs += pieces > 0;
        n.pieces += pieces;
    }
    size_t places = (size_t)(n.pieces + n.longs);
    n.long_row = rc_alloc((size_t)n.longs, sizeof *n.long_row, "long rows", err);
    n.ptr = rc_alloc0(places + 1, sizeof *n.ptr, "pieces of long rows", err);
    n.piece = rc_alloc(places, sizeof *n.piece, "pieces of long rows", err);
    if (!n.long_row || !n.ptr || !n.piece) {
        rc_aspt_pieces_free(&n);
        return RC_ENOMEM;
    }
    int64_t at = 0;
    int32_t piece = 0;
    int32_t row = 0;
    for (int64_t s = 0; s < p->slots; s++) {
        int64_t end = p->rest_ptr[s + 1];
        int64_t pieces = pieces_of(end - p->rest_ptr[s]);
        if (pieces == 0)
            continue;
        n.long_row[row++] = (rc_long_row_t){(int32_t)s, piece, (int32_t)pieces};
        for (int64_t i = 0; i < pieces; i++) {
            n.ptr[at] = p->rest_ptr[s] + i * RC_ASPT_PIECE;
            n.piece[at++] = piece++;
        }
        n.ptr[at] = end;
        n.piece[at++] = -1;
        n.ptr[at] = end;
    }
    *out = n;
    return RC_OK;
}

void rc_aspt_pieces_free(rc_aspt_pieces_t *p)
{
    free(p->long_row);
    free(p->ptr);
    free(p->piece);
    *p = (rc_aspt_pieces_t){.longs = 0};
}

/* --------------------------------------------------------------------- cut */

/* 1: the rows of the sparse part are to be put in another order. */
static rc_status_t is_second_round(
    const rc_problem_t *p, const rc_csr_t *rest, int threads, int *out, rc_err_t *err)
{
    const double enough = 0.10;
    double mean = 0;
    *out = p->param[RC_ASPT_REST] == RC_ASPT_ALWAYS && rest->nnz > 0;
    if (p->param[RC_ASPT_REST] != RC_ASPT_BY_RULE || rest->nnz == 0)
        return RC_OK;
    rc_status_t st = rc_mean_similarity(rest, NULL, threads, &mean, err);
    *out = mean <= enough;
    return st;
}

static rc_status_t second_round(const rc_problem_t *p, int threads, rc_aspt_cut_t *c, rc_err_t *err)
{
    rc_csr_t rest = {.rows = c->parts.slots, /* borrows all; an order looks at no values */
        .cols = p->a->cols,
        .nnz = c->parts.size.nnz_rest,
        .row_ptr = c->parts.rest_ptr,
        .col_idx = c->parts.rest_col};
    rc_schedule_t s = {.slots = 0};
    char policy[160];
    int is_asked = 0;
    rc_status_t st = is_second_round(p, &rest, threads, &is_asked, err);
    if (st < 0 || !is_asked)
        return st;
    snprintf(policy, sizeof policy,
        "lsh:siglen=%" PRId64 ":bsize=%" PRId64 ":size=%" PRId64 ":seed=%" PRId64
        ":window=%" PRId64,
        p->param[RC_ASPT_SIGLEN], p->param[RC_ASPT_BSIZE], p->param[RC_ASPT_SIZE],
        p->param[RC_ASPT_SEED], p->param[RC_ASPT_WINDOW]);
    RC_TRY(rc_order_build(policy, &rest, NULL, threads | RC_CHECKED, &s, err));
    RC_TRY(rc_tile_parts_reorder(&c->parts, s.row, err));
    RC_TRY(RC_NEW(c->rest_row, s.slots, "the sparse part", err));
    if (s.slots > 0)
        memcpy(c->rest_row, s.row, (size_t)s.slots * sizeof *s.row);
done:
    rc_schedule_free(&s);
    return st;
}

rc_status_t rc_aspt_cut(const rc_problem_t *p, const rc_segments_source_t *a, int threads,
    rc_aspt_cut_t *out, rc_err_t *err)
{
    rc_aspt_cut_t c = {.rule = rc_aspt_rule(p)};
    rc_tiles_t t = {.panels = 0};
    rc_status_t st;
    RC_TRY(rc_tiles_find(p->a, p->schedule, &c.rule, threads, &t, err));
    RC_TRY(rc_tile_parts_cut(a, &t, threads, &c.parts, err));
    c.tile_col = t.col; /* moves over */
    t.col = NULL;
    RC_TRY(second_round(p, threads, &c, err));
    *out = c;
    c = (rc_aspt_cut_t){.tile_col = NULL};
done:
    rc_tiles_free(&t);
    rc_aspt_cut_free(&c);
    return st;
}

rc_status_t rc_aspt_cut_entries(
    const rc_problem_t *p, int threads, rc_aspt_cut_t *out, rc_err_t *err)
{
    const rc_csr_t *a = p->a;
    int64_t slots = p->schedule->slots;
    int64_t at = 0;
    int64_t *ptr = rc_alloc((size_t)slots + 1, sizeof *ptr, "slot pointers", err);
    int32_t *col = rc_alloc((size_t)a->nnz, sizeof *col, "columns in slot order", err);
    int64_t *entry = rc_alloc((size_t)a->nnz, sizeof *entry, "entries in slot order", err);
    rc_status_t st = ptr && col && entry ? RC_OK : RC_ENOMEM;
    for (int64_t s = 0; st == RC_OK && s < slots; s++) {
        int64_t r = p->schedule->row[s];
        ptr[s] = at;
        for (int64_t e = r < 0 ? 0 : a->row_ptr[r]; r >= 0 && e < a->row_ptr[r + 1]; e++) {
            col[at] = a->col_idx[e];
            entry[at++] = e;
        }
    }
    if (st == RC_OK) {
        ptr[slots] = at;
        const rc_segments_source_t source = {.rows = slots,
            .cols = a->cols,
            .ptr = ptr,
            .col = col,
            .val = entry,
            .value_bytes = (int)sizeof *entry};
        st = rc_aspt_cut(p, &source, threads, out, err);
    }
    free(ptr);
    free(col);
    free(entry);
    return st;
}

void rc_aspt_cut_free(rc_aspt_cut_t *c)
{
    free(c->tile_col);
    free(c->rest_row);
    rc_tile_parts_free(&c->parts);
    rc_tile_groups_free(&c->groups);
    *c = (rc_aspt_cut_t){.tile_col = NULL};
}
