/* metis: rows part after part of a k-way partition (Karypis and Kumar 1998) by METIS, as Jiang et
 * al.  2020 compare with: METIS_PartGraphKway on A + A' without the diagonal, no weights, a fixed
 * seed, ceil(rows / part) parts; rows by (part, row) [chosen: the paper names no option].  It does
 * not say either whether a part is a panel (`part`) or the work of a processor of the GPU
 * (`parts`).  Rows only: renumbering the columns would change no tile of them.  Groups are the
 * parts that have rows.
 *
 * METIS draws from rand() of the C library and takes over SIGTERM and SIGABRT while it runs: one
 * partition at a time in a process, and the handlers are put back.  A SIGTERM that arrives
 * meanwhile waits when it is for this thread, and is METIS's otherwise.
 * What it says on stderr becomes part of the error, where the C library lets stderr be set; what
 * other threads write there meanwhile passes.
 * Another version of the library may give another order.  Cost: about linear in nnz. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "order/graph.h"
#include "order/policy.h"

#include <inttypes.h>
#include <metis.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PARAM_PART, PARAM_PARTS };

/* METIS has state of the whole process. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* The signals that METIS takes over. */
static const int taken[] = {SIGTERM, SIGABRT};
enum { TAKEN = sizeof taken / sizeof *taken };

/* ------------------------------------------------------------ what it says */

enum { HEARD = 200 };

#ifdef __GLIBC__
/* A stream in the place of stderr while METIS runs, and what came from its thread.  It is made once
 * and stays: another thread may have taken it up just before stderr was put back. */
static struct {
    FILE *stream;
    FILE *before;
    pthread_t thread;
    int listening;
    char text[HEARD];
    size_t length;
} ear;

static ssize_t hear(void *of, const char *text, size_t size)
{
    (void)of;
    if (!ear.listening || !pthread_equal(pthread_self(), ear.thread))
        return write(STDERR_FILENO, text, size);
    for (size_t i = 0; i < size && ear.length + 1 < sizeof ear.text; i++)
        ear.text[ear.length++] = text[i];
    return (ssize_t)size;
}

static void listen_to(void)
{
    const cookie_io_functions_t io = {.write = hear};
    if (!ear.stream) {
        ear.stream = fopencookie(NULL, "w", io);
        if (ear.stream)
            (void)setvbuf(ear.stream, NULL, _IONBF, 0);
    }
    ear.length = 0;
    ear.thread = pthread_self();
    ear.listening = ear.stream != NULL;
    ear.before = stderr;
    if (ear.stream)
        stderr = ear.stream;
}

/* \param[out] heard  one line; "" without a word */
static void stop_listening(char heard[HEARD])
{
    stderr = ear.before;
    ear.listening = 0;
    size_t n = 0;
    for (size_t i = 0; i < ear.length; i++) { /* line ends and runs of blanks: one blank */
        char c = ear.text[i];
        int blank = c == '\n' || c == ' ' || c == '\t';
        if (!blank || (n > 0 && heard[n - 1] != ' '))
            heard[n++] = blank ? ' ' : c;
    }
    heard[n > 0 && heard[n - 1] == ' ' ? n - 1 : n] = 0;
}
#else
static void listen_to(void)
{
}

static void stop_listening(char heard[HEARD])
{
    heard[0] = 0;
}
#endif

/* ------------------------------------------------------------------- parts */

/* \param[out] heard  what METIS said */
static int call_metis(idx_t n, idx_t parts, idx_t *ptr, idx_t *adj, idx_t *part, char heard[HEARD])
{
    struct sigaction before[TAKEN];
    sigset_t hold;
    sigset_t mask;
    idx_t constraints = 1;
    idx_t cut;
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_NUMBERING] = 0;
    sigemptyset(&hold);
    sigaddset(&hold, SIGTERM);
    pthread_mutex_lock(&one_at_a_time);
    pthread_sigmask(SIG_BLOCK, &hold, &mask);
    for (int i = 0; i < TAKEN; i++)
        (void)sigaction(taken[i], NULL, &before[i]);
    listen_to();
    int st = METIS_PartGraphKway(
        &n, &constraints, ptr, adj, NULL, NULL, NULL, &parts, NULL, NULL, options, &cut, part);
    stop_listening(heard);
    for (int i = 0; i < TAKEN; i++)
        (void)sigaction(taken[i], &before[i], NULL);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    pthread_mutex_unlock(&one_at_a_time);
    return st;
}

/* \param[out] part  [rows] */
static rc_status_t partition(const rc_graph_t *g, int64_t parts, int32_t *part, rc_err_t *err)
{
    if (g->ptr[g->n] > IDX_MAX)
        return rc_fail(err, RC_ENOTSUP,
            "METIS takes at most %" PRId64 " edges, the graph has %" PRId64, (int64_t)IDX_MAX,
            g->ptr[g->n]);
    rc_status_t st = RC_OK;
    size_t n = (size_t)g->n;
    size_t edges = (size_t)g->ptr[n];
    idx_t *ptr = rc_alloc(n + 1, sizeof *ptr, "a graph for METIS", err);
    idx_t *adj = rc_alloc(edges, sizeof *adj, "a graph for METIS", err);
    idx_t *found = rc_alloc(n, sizeof *found, "the parts", err);
    RC_TRY(ptr && adj && found ? RC_OK : RC_ENOMEM);
    for (size_t i = 0; i <= n; i++)
        ptr[i] = (idx_t)g->ptr[i];
    for (size_t e = 0; e < edges; e++)
        adj[e] = (idx_t)g->adj[e];
    char heard[HEARD];
    int code = call_metis((idx_t)n, (idx_t)parts, ptr, adj, found, heard);
    if (code != METIS_OK)
        RC_TRY(rc_fail(err, code == METIS_ERROR_MEMORY ? RC_ENOMEM : RC_EINVAL,
            "METIS failed with status %d%s%s", code, heard[0] ? ": " : "", heard));
    for (size_t i = 0; i < n; i++)
        part[i] = (int32_t)found[i];
done:
    free(ptr);
    free(adj);
    free(found);
    return st;
}

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    rc_graph_t g;
    int64_t n = in->a->rows;
    int64_t size = in->params->value[PARAM_PART];
    int64_t parts = in->params->value[PARAM_PARTS];
    if (parts == 0)
        parts = n / size + (n % size != 0);
    parts = parts < n ? parts : n;
    rc_status_t st = rc_graph_build(in->a, &g, err);
    if (st < 0)
        return st;
    int32_t *part = rc_alloc0((size_t)n, sizeof *part, "the parts", err);
    if (!part)
        st = RC_ENOMEM;
    if (st == RC_OK && parts > 1)
        st = partition(&g, parts, part, err);
    if (st == RC_OK)
        st = rc_schedule_of_groups(part, n, parts, "part_ptr", out, err);
    free(part);
    rc_graph_free(&g);
    return st;
}

extern const rc_policy_t rc_policy_metis;

/* The one of the two that counts: without `parts` the text is that of stores from before there was
 * one. */
static rc_status_t identify(const rc_params_t *p, char *text, rc_err_t *err)
{
    int i = p->value[PARAM_PARTS] ? PARAM_PARTS : PARAM_PART;
    const rc_param_t named[] = {rc_policy_metis.param[i], {.name = NULL}};
    const rc_params_t value = {.value = {p->value[i]}};
    return rc_params_text(named, &value, text, err);
}

const rc_policy_t rc_policy_metis = {
    .name = "metis",
    .summary = "rows part after part of a k-way partition",
    .source = "Karypis and Kumar 1998; Jiang et al. 2020, section 5.2",
    .version = 1,
    .on_request = 1,
    .param = {{"part", "rows of a part, about", 128, 1, INT32_MAX, 0},
        {"parts", "parts in all, whatever `part` is; 0: as `part` says", 0, 0, INT32_MAX, 0}},
    .identify = identify,
    .build = build,
};
