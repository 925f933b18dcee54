/* Which results are compared with which: the one rule of all tables (src/table/README.md). */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/stats.h"
#include "table/view_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a result was measured of; the first of these make a cell, more of them a group, whose orders
 * are timed in turns, and with the session what one session timed of it. */
enum { CELL_KEYS = 6, GROUP_KEYS = 11, SESSION_KEYS = 12, KEYS = 13 };
typedef struct timed {
    int64_t key[KEYS]; /* the last: row */
    int64_t base;      /* place of the csr row that it is compared with; -1: none */
    int64_t from;      /* session whose times its time is one of */
    double scale;      /* its median times this is one of those */
} timed_t;

typedef struct maker {
    rc_view_t *v;
    timed_t *e;          /* [n] by key */
    int64_t n;           /* ok results */
    int64_t *count;      /* [sessions] results that are the newest of their case */
    int64_t *group_base; /* [sessions] place of the last csr row of the group; -1: none */
    rc_sums_t *drift;    /* [sessions] the main session's csr over this one's */
} maker_t;

static int by_key(const void *a, const void *b)
{
    return rc_compare_lists(((const timed_t *)a)->key, ((const timed_t *)b)->key, KEYS);
}

static int64_t session_of(const timed_t *e)
{
    return e->key[SESSION_KEYS - 1];
}

static int64_t row_of(const timed_t *e)
{
    return e->key[KEYS - 1];
}

static double ns_of(const maker_t *m, int64_t at)
{
    return m->v->result[row_of(&m->e[at])].median_ns;
}

/* Behind the last of [i, end) that is like the first in so many keys. */
static int64_t end_of(const maker_t *m, int64_t i, int64_t end, int keys)
{
    int64_t at = i;
    while (at < end && rc_compare_lists(m->e[i].key, m->e[at].key, keys) == 0)
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

/* ---------------------------------------------------------------------- pairs */

static int is_csr(const maker_t *m, int64_t at)
{
    return rc_view_is_csr(m->v, &m->v->result[row_of(&m->e[at])]);
}

/* The csr row of a group that a result of a session without one is compared with: the newest of the
 * same card. */
static int64_t other_base(const maker_t *m, int64_t from, int64_t to, int64_t at)
{
    const int32_t own = m->v->session[session_of(&m->e[at])].card;
    int64_t base = -1;
    for (int64_t i = from; i < to; i++) {
        const int32_t card = m->v->session[session_of(&m->e[i])].card;
        if (is_csr(m, i) && (card == own || card < 0 || own < 0) &&
            (base < 0 || row_of(&m->e[i]) > row_of(&m->e[base])))
            base = i;
    }
    return base;
}

/* The session with most of the results of [from, to) that are the newest of their case, of equals
 * the later one.  \param[in] with_csr  1: among those that timed csr of the group; -1: none did */
static int64_t most_timed(maker_t *m, int64_t from, int64_t to, int with_csr)
{
    int64_t best = -1;
    for (int64_t i = from; i < to; i++)
        m->count[session_of(&m->e[i])] = 0;
    for (int64_t i = from; i < to; i++)
        m->count[session_of(&m->e[i])] += m->v->newest[row_of(&m->e[i])];
    for (int64_t i = from; i < to; i++) {
        const int64_t s = session_of(&m->e[i]);
        if ((!with_csr || m->group_base[s] >= 0) &&
            (best < 0 || m->count[s] > m->count[best] ||
                (m->count[s] == m->count[best] && s > best)))
            best = s;
    }
    return best;
}

/* One group: what each result is compared with, and its time as if the session of the frame had
 * measured it: by how much csr differs between the two. */
static void pair_group(maker_t *m, int64_t from, int64_t to, int64_t main)
{
    for (int64_t i = from; i < to; i++)
        m->group_base[session_of(&m->e[i])] = -1;
    m->group_base[main] = -1;
    int valid = 0; /* the newest csr is ok */
    for (int64_t i = from; i < to; i++)
        if (is_csr(m, i)) {
            m->group_base[session_of(&m->e[i])] = i;
            valid |= m->v->newest[row_of(&m->e[i])];
        }
    const int64_t frame = m->group_base[main] >= 0 ? main : most_timed(m, from, to, 1);
    for (int64_t i = from; i < to; i++) {
        timed_t *e = &m->e[i];
        e->base = m->group_base[session_of(e)];
        e->base = e->base < 0 && valid ? other_base(m, from, to, i) : e->base;
        m->v->apart[row_of(e)] = e->base < 0 && valid;
        m->v->csr[row_of(e)] = e->base < 0 ? -1 : row_of(&m->e[e->base]);
        e->from = e->base < 0 ? session_of(e) : frame;
        e->scale = e->base < 0 ? 1 : ns_of(m, m->group_base[frame]) / ns_of(m, e->base);
    }
    for (int64_t i = from; m->group_base[main] >= 0 && i < to; i++) {
        const int64_t s = session_of(&m->e[i]);
        if (i == m->group_base[s])
            rc_sums_add(&m->drift[s], ns_of(m, m->group_base[main]) / ns_of(m, i));
    }
}

/* One cell.  Groups that the main session did not time are brought to its times by what it and
 * theirs both timed. */
static void pair_cell(maker_t *m, int64_t from, int64_t to)
{
    const int64_t main = most_timed(m, from, to, 0);
    for (int64_t i = from; i < to; i++)
        m->drift[session_of(&m->e[i])] = (rc_sums_t){0};
    for (int64_t i = from, end; i < to; i = end) {
        end = end_of(m, i, to, GROUP_KEYS);
        pair_group(m, i, end, main);
    }
    for (int64_t i = from; i < to; i++) {
        timed_t *e = &m->e[i];
        if (e->from != main && m->drift[e->from].n > 0) {
            e->scale *= rc_sums_geomean(&m->drift[e->from]);
            e->from = main;
        }
        m->v->scale[row_of(e)] = e->scale;
        m->v->frame[row_of(e)] = (int32_t)e->from;
    }
}

static void collect(maker_t *m)
{
    rc_view_t *v = m->v;
    for (int64_t i = 0; i < v->results; i++) {
        const rc_row_result_t *r = &v->result[i];
        v->csr[i] = -1;
        v->scale[i] = 1;
        v->frame[i] = v->session_of[i];
        v->apart[i] = 0;
        if (r->status == RC_CASE_OK && r->median_ns > 0)
            m->e[m->n++] =
                (timed_t){.key = {r->matrix, r->op, r->k, r->precision, r->cache, r->device,
                              r->kernel, r->layout, r->nw, r->nt, r->line, v->session_of[i], i}};
    }
    if (m->n)
        qsort(m->e, (size_t)m->n, sizeof *m->e, by_key);
}

void rc_view_unpair(rc_view_t *v)
{
    free(v->session);
    free(v->session_of);
    free(v->csr);
    free(v->scale);
    free(v->frame);
    free(v->apart);
    v->session = NULL;
    v->session_of = v->frame = NULL;
    v->csr = NULL;
    v->scale = NULL;
    v->apart = NULL;
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
    RC_TRY(RC_NEW(v->apart, n, "speedups", err));
    m.e = rc_pool_get(&pool, n, sizeof *m.e);
    m.count = rc_pool_get(&pool, (size_t)v->sessions, sizeof *m.count);
    m.group_base = rc_pool_get(&pool, (size_t)v->sessions, sizeof *m.group_base);
    m.drift = rc_pool_get(&pool, (size_t)v->sessions, sizeof *m.drift);
    RC_TRY(rc_pool_check(&pool, "speedups", err));
    collect(&m);
    for (int64_t i = 0, end; i < m.n; i = end) {
        end = end_of(&m, i, m.n, CELL_KEYS);
        pair_cell(&m, i, end);
    }
done:
    rc_pool_free(&pool);
    return st;
}

/* --------------------------------------------------------------------- answers */

int64_t rc_view_csr_row(const rc_view_t *v, int64_t i)
{
    return v->csr[i];
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
    return v->apart[i] ? RC_PAIRED_ANOTHER_CARD : RC_PAIRED_NOTHING;
}

const char *rc_view_uuid(const rc_view_t *v, int64_t i)
{
    return v->session[v->session_of[i]].uuid;
}
