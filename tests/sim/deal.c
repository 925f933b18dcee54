#include "config.h"
#include "deal.h"
#include "events.h"
#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { at_server, at_rank, served, loaded, prepared, block_done }; /* kinds of events */
enum { none_left = -1 };
static const double node_tells_s = 1; /* a node's server passes progress on so often */

typedef struct message {
    int kind;
    int who; /* rank; node of a sim_chunk */
    int64_t item;
    double arrived_s;
} message_t;

/* A list of what came first; `what` and `who` as it is used. */
typedef struct fifo {
    message_t *m;
    size_t capacity; /* of m */
    size_t first;
    size_t count;
} fifo_t;

typedef struct server {
    fifo_t inbox;
    int busy;
    double idle_s; /* since when it naps */
    fifo_t item;   /* of a node: to be dealt */
    fifo_t hungry; /* ... ranks that wait for some */
    int asking;    /* ... the root for a chunk */
    int dry;       /* ... the root has no more */
    int gone;      /* ... ranks that have left */
    double told_s; /* ... when it passed progress on */
} server_t;

typedef struct rank {
    fifo_t question; /* the first one is on its way */
    fifo_t ready;
    double asked_s;
    double told_s;
    int64_t measures;    /* the item, -1 none */
    int64_t blocks_left; /* of it */
    int64_t share;       /* as the last answer said: items left for each rank, ... */
    double share_s;      /* ... and their time */
    double in_hand_s;    /* time of what is prepared, or being prepared */
    int64_t limit;
    int asking; /* for an item */
    int preparing;
    int dry;
    int left;
    int untold; /* blocks */
} rank_t;

typedef struct deal {
    const sim_deal_params_t *p;
    const sim_cost_t *item;
    int64_t items;
    int64_t next;
    double left_s; /* time of the items from there on */
    int nodes;
    rank_t *rank;
    server_t *server; /* [0] the root, [1 + n] that of node n */
    sim_events_t events;
    double now_s;
    double first_out_s;
    int64_t questions; /* answered at the root */
    double waited_s;
    sim_deal_t *out;
    rc_status_t st; /* no memory */
    rc_err_t *err;
} deal_t;

/* ------------------------------------------------------------------- pieces */

static void put(deal_t *d, double at_s, int kind, int who, int64_t what)
{
    if (d->st == RC_OK)
        d->st = sim_events_put(&d->events, at_s, kind, who, what, d->err);
}

static void append(deal_t *d, fifo_t *f, message_t m)
{
    if (f->first > 64 && f->first > f->count) {
        memmove(f->m, f->m + f->first, f->count * sizeof *f->m);
        f->first = 0;
    }
    void *p = f->m;
    rc_status_t st = rc_grow(&p, &f->capacity, f->first + f->count + 1, sizeof m, "a list", d->err);
    f->m = p;
    if (st < 0)
        d->st = st;
    else
        f->m[f->first + f->count++] = m;
}

static message_t take(fifo_t *f)
{
    f->count--;
    return f->m[f->first++];
}

/* When who looks every step_s since from_s sees what is there at at_s. */
static double seen(double from_s, double at_s, double step_s)
{
    if (!(step_s > 0) || at_s <= from_s)
        return at_s;
    return from_s + ceil((at_s - from_s) / step_s) * step_s;
}

static int node_of(const deal_t *d, int rank)
{
    return d->nodes ? 1 + rank / d->p->node : 0;
}

static void arrive(deal_t *d, int at, message_t m)
{
    server_t *s = &d->server[at];
    m.arrived_s = d->now_s;
    append(d, &s->inbox, m);
    if (at == 0 && (int64_t)s->inbox.count > d->out->queue_most)
        d->out->queue_most = (int64_t)s->inbox.count;
    if (s->busy)
        return;
    s->busy = 1;
    put(d, seen(s->idle_s, d->now_s, d->p->nap_s) + d->p->serve_s, served, at, 0);
}

/* A message on its way: `what` of the event packs kind and item. */
static void post(deal_t *d, int server, int kind, int who, int64_t item)
{
    /* the event has one place for whom it is from: a node's number says by itself which server it is for */
    int64_t packed = ((item + 1) * SIM_MESSAGES + kind) * 2 + (server > 0);
    put(d, d->now_s + d->p->latency_s, at_server, who, packed);
}

static void unpack(deal_t *d, const sim_event_t *e)
{
    int to_node = (int)(e->what & 1);
    int64_t rest = e->what / 2;
    message_t m = {(int)(rest % SIM_MESSAGES), e->who, rest / SIM_MESSAGES - 1, 0};
    arrive(d, to_node ? (m.kind == sim_chunk ? m.who : node_of(d, m.who)) : 0, m);
}

/* -------------------------------------------------------------------- ranks */

static void reply(deal_t *d, int rank, int64_t value, int at_once)
{
    rank_t *r = &d->rank[rank];
    double at = at_once ? d->now_s : seen(r->asked_s, d->now_s + d->p->latency_s, d->p->poll_s);
    put(d, at, at_rank, rank, value);
}

static int64_t hand_out(deal_t *d, int rank)
{
    int64_t i = d->next < d->items ? d->next++ : none_left;
    d->left_s -= i < 0 ? 0 : d->item[i].measure_s;
    d->rank[rank].share_s = d->left_s / d->p->ranks;
    d->rank[rank].share = d->p->ranks > 1 ? (d->items - d->next) / d->p->ranks : INT64_MAX;
    return i;
}

static void send_question(deal_t *d, int rank)
{
    const message_t *q = &d->rank[rank].question.m[d->rank[rank].question.first];
    int server = q->kind == sim_next ? node_of(d, rank) : 0;
    d->rank[rank].asked_s = d->now_s;
    if (server == 0 && rank == 0) {
        d->out->own++;
        reply(d, rank, q->kind == sim_next ? hand_out(d, rank) : 1, 1);
    } else
        post(d, server, q->kind, rank, q->item);
}

static void question(deal_t *d, int rank, int kind, int64_t item)
{
    append(d, &d->rank[rank].question, (message_t){kind, rank, item, 0});
    if (d->rank[rank].question.count == 1 && d->st == RC_OK)
        send_question(d, rank);
}

static void tell(deal_t *d, int rank, int now)
{
    rank_t *r = &d->rank[rank];
    if (r->untold == 0 || (!now && d->p->tell_s > 0 && d->now_s - r->told_s < d->p->tell_s))
        return;
    r->untold = 0;
    r->told_s = d->now_s;
    if (rank > 0 || d->nodes)
        post(d, node_of(d, rank), sim_tell, rank, 0);
}

static void leave(deal_t *d, int rank)
{
    d->rank[rank].left = 1;
    tell(d, rank, 1);
    if (rank > 0 || d->nodes)
        post(d, node_of(d, rank), sim_leave, rank, 0);
    if (d->first_out_s < 0)
        d->first_out_s = d->now_s;
    d->out->wall_s = d->now_s;
    d->out->out_s += d->now_s;
    d->out->tail_s = d->now_s - d->first_out_s;
}

/* Whatever a rank can do now. */
static void pump(deal_t *d, int rank)
{
    rank_t *r = &d->rank[rank];
    int64_t in_hand = r->preparing + (int64_t)r->ready.count;
    int room = d->p->preparers ? r->preparing < d->p->preparers && in_hand < r->limit
                               : in_hand == 0 && r->measures < 0;
    if (d->p->by_cost && in_hand > 0 && r->in_hand_s > r->share_s / 2)
        room = 0;
    if (!r->dry && !r->asking && room) {
        r->asking = 1;
        question(d, rank, sim_next, 0);
    }
    if (r->measures < 0 && r->ready.count > 0) {
        r->measures = take(&r->ready).item;
        const sim_cost_t *c = &d->item[r->measures];
        r->blocks_left = c->blocks;
        r->in_hand_s -= c->measure_s;
        put(d, d->now_s + c->measure_s / (double)c->blocks, block_done, rank, 0);
        pump(d, rank); /* there is room for another */
    }
    if (r->dry && !r->asking && !r->left && r->measures < 0 && in_hand == 0)
        leave(d, rank);
}

static void answered(deal_t *d, int rank, int64_t value)
{
    rank_t *r = &d->rank[rank];
    message_t q = take(&r->question);
    if (q.kind == sim_claim)
        put(d, d->now_s + d->item[q.item].prepare_s, prepared, rank, q.item);
    else {
        int64_t most = r->share / 2;
        r->asking = 0;
        r->limit = most < 1 ? 1 : most < d->p->ahead ? most : d->p->ahead;
        r->dry = value == none_left;
        r->preparing += !r->dry;
        if (!r->dry) {
            r->in_hand_s += d->item[value].measure_s;
            put(d, d->now_s + d->item[value].load_s, loaded, rank, value);
        }
    }
    if (r->question.count > 0)
        send_question(d, rank);
    pump(d, rank);
}

static void end_block(deal_t *d, int rank)
{
    rank_t *r = &d->rank[rank];
    const sim_cost_t *c = &d->item[r->measures];
    d->out->told++;
    r->untold++;
    r->blocks_left--;
    tell(d, rank, 0);
    if (r->blocks_left > 0) {
        put(d, d->now_s + c->measure_s / (double)c->blocks, block_done, rank, 0);
        return;
    }
    d->out->told++; /* the rest of the estimate, when the matrix is put away */
    r->untold++;
    tell(d, rank, 0);
    d->out->dealt++;
    d->out->work_s += c->measure_s;
    r->measures = -1;
    pump(d, rank);
}

/* ------------------------------------------------------------------ servers */

static void refill(deal_t *d, int node)
{
    server_t *s = &d->server[node];
    if (s->asking || s->dry || (int64_t)s->item.count > d->p->node / 2)
        return;
    s->asking = 1;
    post(d, 0, sim_chunk, node, 0);
}

static void feed(deal_t *d, int node)
{
    server_t *s = &d->server[node];
    while (s->hungry.count > 0 && (s->item.count > 0 || s->dry)) {
        int rank = take(&s->hungry).who;
        d->rank[rank].share = (d->items - d->next) / d->p->ranks + (int64_t)s->item.count / d->p->node;
        d->rank[rank].share_s = d->left_s / d->p->ranks;
        reply(d, rank, s->item.count > 0 ? take(&s->item).item : none_left, 0);
    }
    refill(d, node);
}

/* The root gives a node what its ranks would take next, and less towards the end. */
static void give_chunk(deal_t *d, int node)
{
    int64_t left = d->items - d->next;
    int64_t n = left / (2 * d->nodes);
    n = n < 1 ? 1 : n > d->p->node ? d->p->node : n;
    n = n > left ? left : n;
    /* the range of the answer: its first item and how many */
    post(d, node, sim_chunk, node, n > 0 ? d->next * (d->p->node + 1) + n : -1);
    for (int64_t i = 0; i < n; i++)
        d->left_s -= d->item[d->next++].measure_s;
}

static void take_chunk(deal_t *d, int node, int64_t range)
{
    server_t *s = &d->server[node];
    s->asking = 0;
    s->dry = range < 0;
    for (int64_t i = 0; range >= 0 && i < range % (d->p->node + 1); i++)
        append(d, &s->item, (message_t){0, 0, range / (d->p->node + 1) + i, 0});
    feed(d, node);
}

static void at_root(deal_t *d, const message_t *m)
{
    double waited = d->now_s - m->arrived_s;
    d->out->messages[m->kind]++;
    if (m->kind == sim_next || m->kind == sim_claim || m->kind == sim_chunk) {
        d->questions++;
        d->waited_s += waited;
        d->out->wait_most_s = waited > d->out->wait_most_s ? waited : d->out->wait_most_s;
    }
    if (m->kind == sim_next)
        reply(d, m->who, hand_out(d, m->who), 0);
    else if (m->kind == sim_claim)
        reply(d, m->who, 1, 0);
    else if (m->kind == sim_chunk)
        give_chunk(d, m->who);
}

static void at_node(deal_t *d, int node, const message_t *m)
{
    server_t *s = &d->server[node];
    int first = (node - 1) * d->p->node;
    int ranks = d->p->ranks - first < d->p->node ? d->p->ranks - first : d->p->node;
    d->out->at_nodes++;
    if (m->kind == sim_next) {
        append(d, &s->hungry, *m);
        feed(d, node);
    } else if (m->kind == sim_chunk)
        take_chunk(d, node, m->item);
    else if (m->kind == sim_tell && d->now_s - s->told_s >= node_tells_s) {
        s->told_s = d->now_s;
        post(d, 0, sim_tell, first, 0);
    } else if (m->kind == sim_leave && ++s->gone == ranks)
        post(d, 0, sim_leave, first, 0);
}

static void serve(deal_t *d, int at)
{
    server_t *s = &d->server[at];
    message_t m = take(&s->inbox);
    if (at == 0) {
        d->out->busy_s += d->p->serve_s;
        at_root(d, &m);
    } else
        at_node(d, at, &m);
    if (s->inbox.count > 0)
        put(d, d->now_s + d->p->serve_s, served, at, 0);
    else {
        s->busy = 0;
        s->idle_s = d->now_s;
    }
}

/* --------------------------------------------------------------------- all */

static void happen(deal_t *d, const sim_event_t *e)
{
    d->now_s = e->at_s;
    switch (e->kind) {
    case at_server:
        unpack(d, e);
        break;
    case at_rank:
        answered(d, e->who, e->what);
        break;
    case served:
        serve(d, e->who);
        break;
    case loaded:
        question(d, e->who, sim_claim, e->what);
        break;
    case prepared:
        d->rank[e->who].preparing--;
        append(d, &d->rank[e->who].ready, (message_t){0, 0, e->what, 0});
        pump(d, e->who);
        break;
    case block_done:
        end_block(d, e->who);
        break;
    }
}

rc_status_t sim_deal_run(const sim_deal_params_t *p, const sim_cost_t *item, int64_t items,
    sim_deal_t *out, rc_err_t *err)
{
    deal_t d = {.p = p, .item = item, .items = items, .first_out_s = -1, .out = out, .err = err};
    sim_event_t e;
    memset(out, 0, sizeof *out);
    for (int64_t i = 0; i < items; i++)
        d.left_s += item[i].measure_s;
    d.nodes = p->node > 0 ? (p->ranks + p->node - 1) / p->node : 0;
    d.rank = rc_alloc0((size_t)p->ranks, sizeof *d.rank, "ranks", err);
    d.server = rc_alloc0((size_t)d.nodes + 1, sizeof *d.server, "servers", err);
    d.st = d.rank && d.server ? RC_OK : RC_ENOMEM;
    for (int r = 0; d.st == RC_OK && r < p->ranks; r++) {
        d.rank[r].measures = -1;
        d.rank[r].limit = 1;
        pump(&d, r);
    }
    while (d.st == RC_OK && sim_events_take(&d.events, &e))
        happen(&d, &e);
    out->wait_mean_s = d.questions ? d.waited_s / (double)d.questions : 0;
    for (int r = 0; d.rank && r < p->ranks; r++) {
        free(d.rank[r].question.m);
        free(d.rank[r].ready.m);
    }
    for (int s = 0; d.server && s <= d.nodes; s++) {
        free(d.server[s].inbox.m);
        free(d.server[s].item.m);
        free(d.server[s].hungry.m);
    }
    free(d.rank);
    free(d.server);
    sim_events_free(&d.events);
    return d.st;
}
