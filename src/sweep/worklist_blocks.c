/* The cases that a configuration asks for, block by block, and how a matrix is divided over
 * ranks by its blocks.  Shared with the simulation of a sweep. */
#include "config.h"
#include "sweep/worklist.h"
#include "kernels/vendor/vendor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int asks_for(const rc_sweep_config_t *c, rc_c_order_t order)
{
    int found = c->c_orders == 0 && order == RC_C_ORIGINAL;
    for (int i = 0; i < c->c_orders; i++)
        found = found || c->c_order[i] == order;
    return found;
}

void rc_profile_make(const rc_sweep_config_t *c, const rc_device_t *d, rc_profile_t *out)
{
    memset(out, 0, sizeof *out);
    memcpy(out->class_name, d->class_name, sizeof out->class_name);
    out->kind = d->executor.kind;
    /* a few cores out of their caches; a GPU out of its L2, and its host prepares meanwhile */
    int gpu = d->executor.kind != RC_DEVICE_CPU;
    out->entry_s = gpu ? 2e-12 : 5e-10;
    out->prepare_s = gpu ? 0.1 : 1;
    /* many reach the target early, and a GPU nearly at once */
    out->case_s = gpu ? 2e-3 : 1e-3 + (double)c->measure.budget_ns * 1e-9 / 2;
    for (int i = 0; i < c->kernels && i < RC_WORKLIST_KERNELS_MAX; i++)
        for (int p = 0; p < RC_TYPES; p++) {
            rc_geometry_t g =
                c->kernel[i].kernel->geometry(&d->executor, c->kernel[i].param, (rc_precision_t)p);
            g.nw = c->geometry.nw > 0 ? c->geometry.nw : g.nw;
            g.nt = c->geometry.nt > 0 ? c->geometry.nt : g.nt;
            g.line = c->geometry.line > 0 ? c->geometry.line : g.line;
            out->geometry[i][p] = g;
        }
}

static int c_orders(const rc_sweep_config_t *c)
{
    return c->c_orders > 0 ? c->c_orders : 1;
}

int rc_worklist_blocks(const rc_sweep_config_t *c)
{
    return c->kernels * c->precisions * c->ks * c_orders(c);
}

static int64_t resolve_k(const rc_sweep_config_t *c, int i, int64_t cols)
{
    int64_t k = c->k[i] > 0 ? c->k[i] : cols;
    for (int j = 0; j < i; j++)
        if ((c->k[j] > 0 ? c->k[j] : cols) == k)
            return 0;
    return k;
}

void rc_worklist_block(
    const rc_sweep_config_t *c, const rc_profile_t *p, int i, int64_t cols, rc_block_t *out)
{
    int orders = c_orders(c);
    int order = i % orders;
    int k = i / orders % c->ks;
    int precision = i / orders / c->ks % c->precisions;
    out->kernel = i / orders / c->ks / c->precisions;
    out->precision = c->precision[precision];
    out->c_order = c->c_orders > 0 ? c->c_order[order] : RC_C_ORIGINAL;
    const rc_kernel_t *kernel = c->kernel[out->kernel].kernel;
    int has_k = rc_operation_of(kernel->op)->has_k;
    out->k = has_k ? resolve_k(c, k, cols) : 0;
    out->empty = (has_k ? out->k == 0 : k > 0) || !rc_kernel_stores(kernel, out->c_order);
    out->geometry = p->geometry[out->kernel][out->precision];
}

int rc_worklist_case(const rc_sweep_config_t *c, const rc_profile_t *p, const rc_block_t *b,
    int policy, rc_digest_t matrix, rc_case_t *out)
{
    const rc_policy_spec_t *order = &c->policy[policy];
    int is_csr = strcmp(order->policy->name, "csr") == 0;
    const rc_kernel_spec_t *spec = &c->kernel[b->kernel];
    memset(out, 0, sizeof *out);
    out->matrix = matrix;
    /* names are checked against the widths of the store by a test of the registries */
    memcpy(out->policy, order->policy->name, strnlen(order->policy->name, 32));
    memcpy(
        out->policy_params, order->params, strnlen(order->params, sizeof out->policy_params - 1));
    memcpy(out->kernel, spec->kernel->name, strnlen(spec->kernel->name, 32));
    memcpy(out->params, spec->params, strnlen(spec->params, sizeof out->params - 1));
    memcpy(out->device, p->class_name, strnlen(p->class_name, sizeof p->class_name));
    out->policy_version = order->policy->version;
    out->kernel_version = spec->kernel->version;
    out->op = (int32_t)spec->kernel->op;
    out->precision = (int32_t)b->precision;
    out->layout = (int32_t)spec->kernel->layout;
    out->c_order = is_csr                   ? RC_C_ORIGINAL
                   : order->policy->columns ? RC_C_SYMMETRIC
                                            : (int32_t)b->c_order;
    out->cache = c->measure.cold;
    out->nw = b->geometry.nw;
    out->nt = b->geometry.nt;
    out->line = b->geometry.line;
    out->k = b->k;
    int alike = is_csr || order->policy->columns; /* whatever order of C is asked for */
    return !(alike && b->c_order == RC_C_SCHEDULE && asks_for(c, RC_C_ORIGINAL));
}

void rc_worklist_own(const rc_sweep_config_t *c, const rc_entry_t *e, rc_policy_spec_t *policy,
    rc_sweep_config_t *own)
{
    *own = *c;
    own->policy = policy;
    for (int p = 0; p < c->policies; p++)
        rc_policy_spec_for(&c->policy[p], e->name, &policy[p]);
}

int rc_worklist_unfit(const rc_entry_t *e, char *why)
{
    size_t name = strlen(e->name);
    size_t location = strlen(e->location);
    if (name <= RC_NAME_MAX && location <= RC_LOCATION_MAX)
        return 0;
    int is_name = name > RC_NAME_MAX;
    snprintf(why, RC_MESSAGE_MAX + 1,
        "expected a %s of at most %d bytes, found %zu: it is not measured",
        is_name                          ? "name"
        : e->where == RC_WHERE_GENERATED ? "spec"
                                         : "path",
        is_name ? RC_NAME_MAX : RC_LOCATION_MAX, is_name ? name : location);
    return 1;
}

rc_worklist_state_t rc_worklist_state(const rc_map_t *known, rc_digest_t id)
{
    return (rc_worklist_state_t)rc_map_get(known, id, RC_WORKLIST_PENDING);
}

int rc_worklist_is_done(const rc_map_t *k, rc_digest_t id)
{
    return rc_worklist_state(k, id) >= RC_WORKLIST_DONE;
}

int rc_worklist_is_left(const rc_sweep_config_t *c, int policy, rc_worklist_state_t state)
{
    return c->added_csr && policy == c->policies - 1 ? state == RC_WORKLIST_AGAIN
                                                     : state < RC_WORKLIST_DONE;
}

/* ---------------------------------------------------------------- baselines */

/* The csr of a block: its identity, and its state; DONE: it has none. */
static void find_csr(const rc_known_matrix_t *a, int at, rc_known_block_t *out)
{
    out->csr_state = RC_WORKLIST_DONE;
    rc_worklist_block(a->c, a->profile, at, a->cols, &out->block);
    for (int p = 0; !out->block.empty && p < a->c->policies; p++) {
        rc_case_t one;
        if (strcmp(a->c->policy[p].policy->name, "csr") != 0 ||
            !rc_worklist_case(a->c, a->profile, &out->block, p, a->digest, &one))
            continue;
        out->csr = rc_case_id(&one);
        out->csr_state = rc_worklist_state(a->known, out->csr);
    }
}

/* 1: some of a block was not measured before. */
static int is_pending(const rc_known_matrix_t *a, const rc_block_t *b)
{
    for (int p = 0; !b->empty && p < a->c->policies; p++) {
        rc_case_t one;
        if (!rc_worklist_case(a->c, a->profile, b, p, a->digest, &one))
            continue;
        const rc_worklist_state_t state = rc_worklist_state(a->known, rc_case_id(&one));
        if (state != RC_WORKLIST_AGAIN && rc_worklist_is_left(a->c, p, state))
            return 1;
    }
    return 0;
}

/* Baselines that are timed again beside block number `at`, which has pending cases: its own csr and
 * the vendor's; with `any` the first that there is.  \return how many */
static int repeat_beside(const rc_known_matrix_t *a, int at, int any)
{
    int found = 0;
    const rc_block_t *own = &a->block[at].block;
    const rc_kernel_t *kernel = a->c->kernel[own->kernel].kernel;
    for (int i = 0; i < rc_worklist_blocks(a->c) && !(any && found); i++) {
        rc_known_block_t *x = &a->block[i];
        const rc_kernel_t *other = a->c->kernel[x->block.kernel].kernel;
        if (x->csr_state != RC_WORKLIST_AGAIN && x->csr_state != RC_WORKLIST_TIMED)
            continue;
        if (other->op != kernel->op || x->block.k != own->k ||
            x->block.precision != own->precision || !(any || i == at || rc_vendor_is(other->name)))
            continue;
        found++;
        x->csr_state = RC_WORKLIST_AGAIN;
        (void)rc_map_set(a->known, x->csr, RC_WORKLIST_AGAIN, NULL); /* it is in the map */
    }
    return found;
}

void rc_worklist_repeat(const rc_known_matrix_t *a, int *few)
{
    enum { FEW = 8 };
    const int blocks = a->c->repeat ? rc_worklist_blocks(a->c) : 0;
    int lonely = 0;
    int timed = 0;
    for (int i = 0; i < blocks; i++) {
        find_csr(a, i, &a->block[i]);
        timed |= a->block[i].csr_state == RC_WORKLIST_TIMED;
    }
    for (int i = 0; timed && i < blocks; i++)
        if (is_pending(a, &a->block[i].block) && !repeat_beside(a, i, 0))
            lonely |= *few < FEW && repeat_beside(a, i, 1);
    *few += lonely;
}

/* ------------------------------------------------------------- parts of a matrix */

int64_t rc_worklist_parts(double cost_s, double lead_s, double share_s, int64_t blocks)
{
    /* the last items to be dealt out are the idle tail, so a part is small beside a rank's share;
     * but what takes less than its own beginnings is not worth a part */
    static const double of_share = 1.0 / 16;
    static const double least_s = 0.25;
    double most = fmax(fmax(share_s * of_share, least_s), lead_s);
    double parts = ceil(cost_s / most);
    if (!(parts > 1) || blocks < 2)
        return 1;
    return parts < (double)blocks ? (int64_t)parts : blocks;
}

int64_t rc_worklist_cut(const double *cost_s, int64_t blocks, int64_t parts, int64_t *first)
{
    double all = 0;
    double before = 0;
    int64_t last = -1;
    int64_t n = 1;
    for (int64_t i = 0; i < blocks; i++)
        all += cost_s[i];
    first[0] = 0;
    for (int64_t i = 0; i < blocks; i++) {
        if (!(cost_s[i] > 0))
            continue;
        /* a block belongs to the part that its middle lies in */
        int64_t part = (int64_t)((before + cost_s[i] / 2) / all * (double)parts);
        if (last >= 0 && part > last)
            first[n++] = i;
        last = part;
        before += cost_s[i];
    }
    first[n] = blocks;
    return n;
}
