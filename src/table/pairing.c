/* How results are compared within their cell: partners (partners.c) and scales. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/stats.h"
#include "table/view_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What results of a cell, and of a group, whose orders are timed in turns, have in common: of the
 * first members of an rc_store_timed_t. */
enum { CELL_KEYS = 6, GROUP_KEYS = 11 };
_Static_assert(offsetof(rc_store_timed_t, kernel) == CELL_KEYS * sizeof(int64_t) &&
                   offsetof(rc_store_timed_t, run) == GROUP_KEYS * sizeof(int64_t),
    "keys come first");

typedef struct maker {
    rc_view_t *v;
    rc_store_timed_t *result;   /* [results] */
    const rc_store_timed_t **e; /* [n] those that are ok, by key, of equals by row */
    int64_t n;
    int64_t *count;   /* [sessions] results that are the newest of their case */
    int64_t *base;    /* [sessions] last csr row of the group; -1: none */
    rc_sums_t *drift; /* [sessions] the main session's csr over this one's */
} maker_t;

static int compare(const rc_store_timed_t *x, const rc_store_timed_t *y, int keys)
{
    return rc_compare_lists((const int64_t *)x, (const int64_t *)y, keys);
}

static int by_key(const void *a, const void *b)
{
    const rc_store_timed_t *x = *(rc_store_timed_t *const *)a;
    const rc_store_timed_t *y = *(rc_store_timed_t *const *)b;
    const int sign = compare(x, y, GROUP_KEYS);
    return sign ? sign : (x > y) - (x < y);
}

static int64_t row_of(const maker_t *m, int64_t i)
{
    return m->e[i] - m->result;
}

static int32_t session_of(const maker_t *m, int64_t i)
{
    return m->v->session_of[row_of(m, i)];
}

/* Behind the last of [i, end) that is like the first in so many keys. */
static int64_t end_of(const maker_t *m, int64_t i, int64_t end, int keys)
{
    int64_t at = i;
    while (at < end && compare(m->e[i], m->e[at], keys) == 0)
        at++;
    return at;
}

/* ------------------------------------------------------------------- sessions */

/* The GPUs of the ranks: (run, rank) -> the first row of /provenance with that identity.  What a
 * CPU has there are its numbers, which say nothing. */
static rc_status_t find_cards(const rc_view_t *v, rc_map_t *card, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    rc_map_t first = {0};
    for (int64_t i = 0; st == RC_OK && i < rc_view_provenances(v); i++) {
        const rc_row_provenance_t *p = rc_view_provenance(v, i);
        char value[RC_VALUE_MAX + 1];
        if (strncmp(p->key, "device.uuid", sizeof p->key) != 0 || p->part != 0 ||
            strncmp(p->value, "cpu", 3) == 0 || !p->value[0])
            continue;
        rc_digest_t text = rc_map_text(rc_field_text(p->value, sizeof p->value, value));
        int64_t id = rc_map_get(&first, text, i);
        st = rc_map_set(&first, text, id, err);
        if (st == RC_OK)
            st = rc_map_set(card, (rc_digest_t){(uint64_t)p->run, (uint64_t)p->rank}, id, err);
    }
    rc_map_free(&first);
    return st;
}

/* What was timed at one time by one device: a run, on one card. */
static rc_status_t number_sessions(rc_view_t *v, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    rc_map_t card = {0};
    rc_map_t number = {0};
    size_t capacity = 0;
    RC_TRY(RC_NEW(v->session_of, v->results, "runs", err));
    RC_TRY(find_cards(v, &card, err));
    for (int64_t i = 0; i < v->results; i++) {
        const rc_row_result_t *r = &v->result[i];
        const rc_digest_t rank = {(uint64_t)r->run, (uint64_t)r->rank};
        const int64_t own = rc_map_get(&card, rank, -1);
        const rc_digest_t key = {(uint64_t)r->run, (uint64_t)own};
        v->session_of[i] = (int32_t)rc_map_get(&number, key, v->sessions);
        if (v->session_of[i] < v->sessions)
            continue;
        RC_TRY(RC_GROW(v->session, capacity, (size_t)v->sessions + 1, "runs", err));
        rc_view_session_t *s = &v->session[v->sessions];
        *s = (rc_view_session_t){.run = r->run, .card = (int32_t)own};
        if (own >= 0)
            memcpy(s->uuid, rc_view_provenance(v, own)->value, sizeof s->uuid - 1);
        RC_TRY(rc_map_set(&number, key, v->sessions++, err));
    }
done:
    rc_map_free(&card);
    rc_map_free(&number);
    return st;
}

/* --------------------------------------------------------------------- scales */

/* The session with most of the results of [from, to) that are the newest of their case, of equals
 * the later one.  \param[in] with_csr  1: among those that timed csr of the group; -1: none did */
static int32_t most_timed(maker_t *m, int64_t from, int64_t to, int with_csr)
{
    int32_t best = -1;
    for (int64_t i = from; i < to; i++)
        m->count[session_of(m, i)] = 0;
    for (int64_t i = from; i < to; i++)
        m->count[session_of(m, i)] += m->e[i]->newest;
    for (int64_t i = from; i < to; i++) {
        const int32_t s = session_of(m, i);
        if ((!with_csr || m->base[s] >= 0) && (best < 0 || m->count[s] > m->count[best] ||
                                                  (m->count[s] == m->count[best] && s > best)))
            best = s;
    }
    return best;
}

/* One group: the time of each result as if the session of the frame had measured it: by how much
 * csr differs between the two. */
static void scale_group(maker_t *m, int64_t from, int64_t to, int32_t main)
{
    rc_view_t *v = m->v;
    for (int64_t i = from; i < to; i++)
        m->base[session_of(m, i)] = -1;
    m->base[main] = -1;
    for (int64_t i = from; i < to; i++)
        if (m->e[i]->baseline)
            m->base[session_of(m, i)] = row_of(m, i);
    const int32_t frame = m->base[main] >= 0 ? main : most_timed(m, from, to, 1);
    for (int64_t i = from; i < to; i++) {
        const int64_t row = row_of(m, i);
        const int32_t s = session_of(m, i);
        if (v->csr[row] >= 0) {
            v->frame[row] = frame;
            v->scale[row] = v->result[m->base[frame]].median_ns / rc_view_csr_ns(v, row);
        }
        if (m->base[main] >= 0 && m->base[s] == row)
            rc_sums_add(
                &m->drift[s], v->result[m->base[main]].median_ns / v->result[row].median_ns);
    }
}

/* One cell.  Groups that the main session did not time are brought to its times by what it and
 * theirs both timed. */
static void scale_cell(maker_t *m, int64_t from, int64_t to)
{
    rc_view_t *v = m->v;
    const int32_t main = most_timed(m, from, to, 0);
    for (int64_t i = from; i < to; i++)
        m->drift[session_of(m, i)] = (rc_sums_t){0};
    for (int64_t i = from, end; i < to; i = end) {
        end = end_of(m, i, to, GROUP_KEYS);
        scale_group(m, i, end, main);
    }
    for (int64_t i = from; i < to; i++) {
        const int64_t row = row_of(m, i);
        const rc_sums_t *drift = &m->drift[v->frame[row]];
        if (v->frame[row] != main && drift->n > 0) {
            v->scale[row] *= rc_sums_geomean(drift);
            v->frame[row] = main;
        }
    }
}

static rc_status_t pair(maker_t *m, rc_err_t *err)
{
    rc_view_t *v = m->v;
    for (int64_t i = 0; i < v->results; i++) {
        const rc_row_result_t *r = &v->result[i];
        const int ok = rc_view_is_ok(r);
        m->result[i] = (rc_store_timed_t){r->matrix, r->op, r->k, r->precision, r->cache, r->device,
            r->kernel, r->layout, r->nw, r->nt, r->line, r->run, v->session[v->session_of[i]].card,
            ok && rc_view_is_csr(v, r), v->newest[i]};
        v->scale[i] = 1;
        v->frame[i] = v->session_of[i];
        if (ok)
            m->e[m->n++] = &m->result[i];
    }
    RC_PASS(rc_store_partners(m->result, v->results, v->csr, err));
    for (int64_t i = 0; i < v->results; i++)
        v->csr[i] = rc_view_is_ok(&v->result[i]) ? v->csr[i] : RC_PARTNER_NONE;
    if (m->n)
        qsort(m->e, (size_t)m->n, sizeof *m->e, by_key);
    return RC_OK;
}

void rc_view_unpair(rc_view_t *v)
{
    free(v->session);
    free(v->session_of);
    free(v->csr);
    free(v->scale);
    free(v->frame);
    v->session = NULL;
    v->session_of = v->frame = NULL;
    v->csr = NULL;
    v->scale = NULL;
    v->sessions = 0;
}

rc_status_t rc_view_pair(rc_view_t *v, rc_err_t *err)
{
    maker_t m = {.v = v};
    const size_t n = (size_t)v->results;
    rc_status_t st;
    rc_pool_t pool = {0};
    rc_view_unpair(v);
    RC_TRY(number_sessions(v, err));
    RC_TRY(RC_NEW(v->csr, n, "speedups", err));
    RC_TRY(RC_NEW(v->scale, n, "speedups", err));
    RC_TRY(RC_NEW(v->frame, n, "speedups", err));
    m.result = rc_pool_get(&pool, n, sizeof *m.result);
    m.e = rc_pool_get(&pool, n, sizeof *m.e);
    m.count = rc_pool_get(&pool, (size_t)v->sessions, sizeof *m.count);
    m.base = rc_pool_get(&pool, (size_t)v->sessions, sizeof *m.base);
    m.drift = rc_pool_get(&pool, (size_t)v->sessions, sizeof *m.drift);
    RC_TRY(rc_pool_check(&pool, "speedups", err));
    RC_TRY(pair(&m, err));
    for (int64_t i = 0, end; i < m.n; i = end) {
        end = end_of(&m, i, m.n, CELL_KEYS);
        scale_cell(&m, i, end);
    }
done:
    rc_pool_free(&pool);
    return st;
}

/* --------------------------------------------------------------------- answers */

int64_t rc_view_csr_row(const rc_view_t *v, int64_t i)
{
    return v->csr[i] < 0 ? -1 : v->csr[i];
}

double rc_view_csr_ns(const rc_view_t *v, int64_t i)
{
    return v->csr[i] < 0 ? NAN : v->result[v->csr[i]].median_ns;
}

double rc_view_scale(const rc_view_t *v, int64_t i)
{
    return v->scale[i];
}

double rc_view_ns(const rc_view_t *v, int64_t i)
{
    return v->result[i].median_ns * v->scale[i];
}

int32_t rc_view_card(const rc_view_t *v, int64_t i)
{
    return v->session[v->frame[i]].card;
}

rc_pairing_t rc_view_pairing(const rc_view_t *v, int64_t i)
{
    if (v->csr[i] >= 0)
        return v->session_of[v->csr[i]] == v->session_of[i] ? RC_PAIRED : RC_PAIRED_ANOTHER_RUN;
    return v->csr[i] == RC_PARTNER_APART ? RC_PAIRED_ANOTHER_CARD : RC_PAIRED_NOTHING;
}

const char *rc_view_uuid(const rc_view_t *v, int64_t i)
{
    return v->session[v->session_of[i]].uuid;
}
