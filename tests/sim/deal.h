/* Dealing out as a discrete-event simulation: the server thread of src/sweep/queue.c, its messages and
 * its naps; ranks that prepare ahead and measure, as src/sweep/prepare.c and worker.c.  Deterministic. */
#ifndef RC_TESTS_SIM_DEAL_H
#define RC_TESTS_SIM_DEAL_H

#include "cost.h"

/* What is told and asked, as in queue.c; sim_chunk is a node's server asking the root for items. */
typedef enum sim_message { sim_next, sim_claim, sim_tell, sim_leave, sim_chunk, SIM_MESSAGES } sim_message_t;

typedef struct sim_deal_params {
    int ranks;
    int preparers;    /* threads of a rank that prepare ahead; 0: a rank does one thing at a time */
    int ahead;        /* matrices in hand that are not measured yet, at most */
    double nap_s;     /* of the server, when it finds no message */
    double poll_s;    /* of who waits for an answer */
    double latency_s; /* of a message */
    double serve_s;   /* the server's work for one message */
    double tell_s;    /* progress is told at most so often; 0: after each block */
    int by_cost;      /* 1: what a rank has in hand is bounded by its estimated time too */
    int node;         /* ranks with a server of their own, which takes chunks from the root; 0: none */
} sim_deal_params_t;

typedef struct sim_deal {
    int64_t messages[SIM_MESSAGES]; /* at the root */
    int64_t at_nodes;    /* messages at the servers of nodes, all together */
    int64_t own;         /* questions of rank 0 to itself: no messages */
    int64_t told;        /* blocks that progress was told of */
    int64_t dealt;       /* items that were measured */
    double wall_s;       /* until the last rank has left */
    double tail_s;       /* between the first and the last rank running out of work */
    double out_s;        /* when a rank has run out of work, of all ranks together */
    double work_s;       /* measuring, of all ranks together */
    double busy_s;       /* the root's server at work */
    double wait_mean_s;  /* of a question at the root, from its arrival to its answer */
    double wait_most_s;
    int64_t queue_most;  /* messages waiting at the root */
} sim_deal_t;

rc_status_t sim_deal_run(const sim_deal_params_t *p, const sim_cost_t *item, int64_t items,
    sim_deal_t *out, rc_err_t *err);

#endif
