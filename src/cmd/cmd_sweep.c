#include "config.h"
#include "base/error.h"
#include "base/str.h"
#include "base/visible.h"
#include "cmd/cmd.h"
#include "cmd/rows.h"
#include "cmd/select.h"
#include "device/cpu/crowd.h"
#include "kernels/specs.h"
#include "table/print.h"
#include "store/comm.h"
#include "store/path.h"
#include "sweep/drain.h"
#include "sweep/placement.h"
#include "sweep/worklist.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

struct options {
    rc_sweep_config_t config; /* what needs no reading is there at once */
    const char *store;
    rc_matrix_places_t places;
    int64_t limit;
    const char *slice;
    const char *op;
    const char *policies;
    const char *kernels;
    const char *k;
    const char *precision;
    const char *c_order;
    const char *device;
    int64_t nw, nt, line;
    int64_t threads;
    int64_t ahead;
    const char *timing;
    const char *cache_mode;
    double case_time;
    double target;
    double noisy;
    int64_t max_reps;
    int64_t max_batch;
    int64_t seed;
    int once;
    int accept_failed, accept_noisy;
    const char *format;
    int quiet, verbose;
};

static const rc_opt_t table[] = {
    RC_OPT("store", 's', RC_OPT_TEXT, RC_AT(store), "FILE",
        "HDF5 store to add to; made when it is not there. Required."),
    RC_OPT("collection", 'C', RC_OPT_TEXT, RC_AT(places.collection), "DIR",
        "Matrices as DIR/Group/Name.mtx, also as .gz, .xz, .zst or .bz2, Name.tar.gz and its "
        "like, what that unpacks to, .npz, .mat, or a generator spec in .spec; twins: a generated "
        "one for each row of --catalog. Default: the operands, or the built-in set."),
    RC_OPT("catalog", 'c', RC_OPT_TEXT, RC_AT(places.catalog), "CSV",
        "Index of the collection (its own ssstats.csv). Rows without a file are recorded as "
        "absent."),
    RC_OPT("where", 'w', RC_OPT_TEXT, RC_AT(places.where), "EXPR",
        "Only matrices that match, e.g. 'square && rows <= 30000 && !duplicate'; 'rowcast catalog "
        "--fields' lists the fields."),
    RC_OPT("limit", 'l', RC_OPT_INT, RC_AT(limit), "N",
        "Only the first N matrices that match and are there: rows of the catalogue without a file "
        "do not count."),
    RC_OPT("slice", 0, RC_OPT_TEXT, RC_AT(slice), "I/N",
        "Only slice I of N of the matrices, by name: N sweeps into stores of their own, which "
        "'rowcast merge' puts together. A slice without a matrix makes an empty store: a store "
        "that is missing then is one that was lost."),
    RC_OPT("op", 0, RC_OPT_TEXT, RC_AT(op), "OPS",
        "Operations: spmm, spmv, spmm_t, sddmm ('rowcast info' says what each computes). Default: "
        "spmm."),
    RC_OPT("orders", 'p', RC_OPT_TEXT, RC_AT(policies), "ORDERS",
        "Row orders with parameters, e.g. csr,lpt,random:seed=1..5,rcm,file:rows.txt, or "
        "file:orders/%n.txt for a file a matrix (%n its name, %g its group); all is those of "
        "Mehrabi et al. 2021, the others are named. Default: all. Keep csr in: it is the "
        "baseline."),
    RC_OPT("kernels", 'x', RC_OPT_TEXT, RC_AT(kernels), "KERNELS",
        "Kernels with parameters, e.g. cstat:strip=4,rowsplit; strip=1..16 is a range (of powers "
        "of two where only those are taken), and 'cusparse-*-row:pre=0..1' every kernel of the "
        "device that fits. Default: all of the device and the operations."),
    RC_OPT("k", 'k', RC_OPT_TEXT, RC_AT(k), "LIST",
        "Dense columns, e.g. 8,32,n; n stands for n_col of each matrix. spmv has none. Default: "
        "32."),
    RC_OPT("precision", 0, RC_OPT_TEXT, RC_AT(precision), "PRECISIONS",
        "Value types, by commas. Default: fp32."),
    RC_OPT("c-order", 0, RC_OPT_TEXT, RC_AT(c_order), "original|schedule|both",
        "Row order that C comes out in: original, schedule (that of the row order, for kernels "
        "that can), or both. Default: original."),
    RC_OPT("device", 'd', RC_OPT_TEXT, RC_AT(device), "cpu|cuda|auto",
        "cpu, cuda or auto (the best that the build and the machine have). Default: auto."),
    {"nw", 0, RC_OPT_INT, RC_AT(nw), "N",
        "Workers per team (N_w) that orders and features are made for. Default: what the kernel "
        "declares for its device.",
        0, 65536},
    {"nt", 0, RC_OPT_INT, RC_AT(nt), "N", "Lanes per worker (N_t). Default: the kernel's.", 0,
        65536},
    {"line", 0, RC_OPT_INT, RC_AT(line), "N",
        "Columns of A per cache line of B. Default: the kernel's.", 0, 65536},
    {"threads", 't', RC_OPT_INT, RC_AT(threads), "N",
        "Threads per rank. Default: the CPUs that the rank has to itself. On a CPU they are part "
        "of the device class: with others all cases are new, which a line says before they are "
        "measured.",
        0, 65536},
    RC_OPT("memory", 0, RC_OPT_BYTES, RC_AT(config.memory_limit), "BYTES",
        "Host memory per rank; what needs more is skipped with the figures. Default: 90 % of what "
        "is free, divided by the ranks of the node."),
    RC_OPT("device-memory", 0, RC_OPT_BYTES, RC_AT(config.device_memory), "BYTES",
        "Memory per rank for B, C and the prepared matrices; K is tiled when B and C take more. "
        "Default: 90 % of what is free on the GPU, divided by the ranks that share it; on a CPU "
        "what --memory says."),
    {"ahead", 0, RC_OPT_INT, RC_AT(ahead), "N",
        "Matrices that a rank loads and orders while it measures another. Default: on a GPU twice "
        "as many as it has CPUs to prepare with; on CPUs 0, for there it disturbs the times.",
        0, 4096},
    RC_OPT("share-device", 0, RC_OPT_FLAG, RC_AT(config.share_device), NULL,
        "Let ranks share CPUs (or a GPU). Their times disturb each other: for tests."),
    RC_OPT("timing", 0, RC_OPT_TEXT, RC_AT(timing), "exclusive|shared",
        "exclusive: on CPUs one rank of a node times while the others wait; shared: they time at "
        "once, each on its own cores. Default: exclusive."),
    RC_OPT("cache", 0, RC_OPT_TEXT, RC_AT(config.cache), "DIR",
        "Keep matrices in binary form in DIR, and load those that are there from it while their "
        "files are the same: many times faster than text. Ranks, nodes and sweeps may share it; it "
        "may be deleted at any time. Default: none."),
    RC_OPT("cache-mode", 0, RC_OPT_TEXT, RC_AT(cache_mode), "warm|cold",
        "warm, or cold: flush the processor's caches before each product. Default: warm."),
    {"case-time", 0, RC_OPT_DOUBLE, RC_AT(case_time), "SECONDS",
        "Time budget of the repetitions of a case. Default: 0.03.", 1e-6, 1e6},
    {"target", 0, RC_OPT_DOUBLE, RC_AT(target), "X",
        "Stop when the relative standard error of the median is below X. Default: 0.01.", 0, 1},
    {"noisy-above", 0, RC_OPT_DOUBLE, RC_AT(noisy), "X",
        "A case that ends by time with an error above X, or lost more to others on its CPUs or "
        "cores, is timed again with the others of its matrix done. When so again it is noisy: "
        "in no table, and measured anew by the next sweep. Default: ROWCAST_NOISY_ABOVE, else ten "
        "times --target, at least 0.1.",
        0, 1e9},
    {"max-reps", 0, RC_OPT_INT, RC_AT(max_reps), "N", "Repetitions at most. Default: 1000.", 1,
        1e6},
    {"max-batch", 0, RC_OPT_INT, RC_AT(max_batch), "N",
        "Products that are timed at once at most: 1 for "
        "single launches. Default: as many as the clock needs.",
        1, 1e6},
    RC_OPT("seed", 0, RC_OPT_INT, RC_AT(seed), "N",
        "Seed of the dense matrix and of the verification sample. Default: 1."),
    {"time-budget", 'T', RC_OPT_DOUBLE, RC_AT(config.time_budget_s), "SECONDS",
        "Drain after this long and exit 75. Default: no limit.", 0, 1e9},
    {"hang-limit", 0, RC_OPT_DOUBLE, RC_AT(config.hang_limit_s), "SECONDS",
        "End a rank in which one phase of a matrix (load, order, verify, time, ...) takes longer: "
        "a kernel that hangs cannot be stopped otherwise. What hangs in two runs gets the status "
        "crashed. Default: 3600; 0: never.",
        0, 1e9},
    {"silence-limit", 0, RC_OPT_DOUBLE, RC_AT(config.silence_s), "SECONDS",
        "End the job when rank 0 and another rank hear nothing of each other for so long: a node "
        "or its link is lost. Default: 120; 0: never.",
        0, 1e9},
    {"take-over", 0, RC_OPT_DOUBLE, RC_AT(config.take_over_s), "SECONDS",
        "Go on from a run on another machine that has given no sign of life for so long: it gives "
        "one every 10 s. Default: 60.",
        0, 1e9},
    RC_OPT("redo", 0, RC_OPT_TEXT, RC_AT(config.redo), "EXPR",
        "Measure again the cases (and load again the matrices) that match, e.g. 'status == "
        "failed'. The old rows stay; queries take the newest."),
    RC_OPT("once", 0, RC_OPT_FLAG, RC_AT(once), NULL,
        "Measure nothing twice. Without it the baselines of what is added (csr, and csr of "
        "selected kernels of cuSPARSE) are timed again in the same run: their old rows stay."),
    RC_OPT("accept-failed", 0, RC_OPT_FLAG, RC_AT(accept_failed), NULL,
        "Take what failed in earlier runs as it is: the exit code tells of this run only. Without "
        "it a failure in the selection makes every run exit with 1 until it is done again."),
    RC_OPT("accept-noisy", 0, RC_OPT_FLAG, RC_AT(accept_noisy), NULL,
        "Noise is no failure: without it a case that is noisy makes the exit code 1."),
    RC_OPT("dry-run", 'n', RC_OPT_FLAG, RC_AT(config.dry_run), NULL,
        "Print what would be measured, with estimates of time and memory; touch nothing."),
    RC_OPT("format", 'f', RC_OPT_TEXT, RC_AT(format), "FORMAT",
        "Of the dry run and of the result: table, csv or json. Default: table."),
    RC_OPT("quiet", 'q', RC_OPT_FLAG, RC_AT(quiet), NULL, "Only warnings and errors on stderr."),
    RC_OPT("verbose", 'v', RC_OPT_FLAG, RC_AT(verbose), NULL, "More on stderr."),
    RC_OPT_END,
};

static int run(int argc, char **argv);

const rc_command_t rc_command_sweep = {
    .name = "sweep",
    .summary = "measure orders and kernels on many matrices into one store",
    .usage = "[FILE|DIR...] --store FILE",
    .description =
        "Takes files of matrices, or folders of them as --collection does; the name of a file is "
        "its folder's and its own.\n\n"
        "Loads each matrix, computes its features, builds its row orders, verifies every kernel "
        "against fp64 and times it, and adds the results to one HDF5 store. Runs on one rank as it "
        "is, or on many under mpirun or srun, one device a rank; the matrices are dealt out "
        "longest first.\n\n"
        "A second run measures only what is missing: a case is known by the matrix (its contents), "
        "the order, kernel and feature set with their versions, operation, K, precision and "
        "device class. Finished cases go to a journal beside "
        "the store at once; SIGTERM, SIGINT, SIGUSR1 or "
        "--time-budget drain the run (exit 75), and even kill -9 loses only what is in flight: run "
        "the same command again. When the store or a journal is removed or replaced meanwhile, "
        "the run stops, saves what it has as FILE.rescued-RUN and exits with 3.\n\n"
        "A matrix that cannot be read, or a case that fails, is wrong, or needs too much memory "
        "gets its status and a text, and the sweep goes on; the exit code is then 1, now and in "
        "every run over the same cases, until --redo has done them or --accept-failed takes them. "
        "A file whose size or time of change is another than before is read again by itself, and "
        "so is tried again what lacked memory that there is now.",
    .examples = "rowcast sweep my.mtx -k 64 --store my.h5|a matrix of yours\n"
                "mpirun -n 2 rowcast sweep --store quick.h5|the built-in matrices on two ranks\n"
                "rowcast sweep -C matrices -c ssstats.csv -w 'square && rows <= 30000' -k 8,32 -s "
                "real.h5|part of the collection\n"
                "rowcast sweep -s real.h5 -C matrices --dry-run|what is left to do\n"
                "rowcast sweep -s real.h5 -C matrices --redo 'status == failed'|try failures again",
    .options = table,
    .run = run,
};

/* Everything that the configuration borrows. */
typedef struct lists {
    char *store;
    rc_catalog_t catalog;
    rc_policy_spec_t *policy;
    rc_kernel_spec_t *kernel;
    int64_t *k;
    rc_precision_t *precision;
} lists_t;

static void free_lists(lists_t *l)
{
    free(l->store);
    rc_catalog_free(&l->catalog);
    free(l->policy);
    free(l->kernel);
    free(l->k);
    free(l->precision);
}

static rc_status_t select_c_orders(const char *text, rc_sweep_config_t *c, rc_err_t *err)
{
    static const rc_c_order_t orders[] = {RC_C_ORIGINAL, RC_C_SCHEDULE};
    int both = strcmp(text, "both") == 0;
    int schedule = strcmp(text, "schedule") == 0;
    if (!both && !schedule && strcmp(text, "original") != 0)
        return rc_fail(
            err, RC_EINVAL, "--c-order: expected original, schedule or both, found '%s'", text);
    c->c_order = orders + schedule;
    c->c_orders = both ? 2 : 1;
    return RC_OK;
}

/* What the environment says it says to rank 0, for all.  Collective.
 * \param[in] above  negative: not said */
static rc_status_t select_noisy(
    const rc_session_t *s, double above, rc_sweep_config_t *c, rc_err_t *err)
{
    static const char name[] = "ROWCAST_NOISY_ABOVE";
    const char *usual = s->rank == 0 && above < 0 ? getenv(name) : NULL;
    rc_status_t st = RC_OK;
    c->noisy_rel_err = above >= 0 ? above : fmax(10 * c->measure.target_rel_err, 0.1);
    if (usual && *usual)
        st = rc_parse_double(usual, name, &c->noisy_rel_err, err);
    if (st == RC_OK && !(c->noisy_rel_err >= 0))
        st = rc_fail(err, RC_EINVAL, "%s: expected a number from 0, found '%s'", name, usual);
    st = rc_session_agree(s, st, err);
    return st < 0 ? st : rc_comm_broadcast(s->comm, &c->noisy_rel_err, sizeof c->noisy_rel_err);
}

static rc_status_t configure(struct options *o, rc_device_kind_t device, lists_t *l, rc_err_t *err)
{
    rc_sweep_config_t *c = &o->config;
    if (!o->store)
        return rc_fail(err, RC_EINVAL, "--store FILE is missing");
    c->device = device;
    RC_PASS(rc_store_path(o->store, &l->store, err));
    c->store = l->store;
    rc_measure_defaults(&c->measure, c->device);
    RC_PASS(rc_select_one("timing", o->timing, "exclusive", "shared", &c->share_machine, err));
    RC_PASS(rc_select_one("cache-mode", o->cache_mode, "warm", "cold", &c->measure.cold, err));
    RC_PASS(rc_select_cache(c->cache, err));
    if (o->case_time > 0)
        c->measure.budget_ns = (int64_t)(o->case_time * 1e9);
    if (o->target >= 0)
        c->measure.target_rel_err = o->target;
    if (o->max_reps > 0)
        c->measure.max_reps = o->max_reps;
    c->measure.max_batch = o->max_batch;
    c->measure.seed = (uint64_t)o->seed;
    c->repeat = !o->once;
    RC_PASS(rc_select_policies(o->policies, &l->policy, &c->policies, err));
    if (c->repeat)
        RC_PASS(rc_select_csr(&l->policy, &c->policies, &c->added_csr, err));
    unsigned ops = 0;
    RC_PASS(rc_select_ops(o->op, &ops, err));
    if (rc_kernel_specs_parse(
            o->kernels, c->device, ops, RC_WORKLIST_KERNELS_MAX, &l->kernel, &c->kernels, err) < 0)
        return rc_err_context(err, "--kernels");
    RC_PASS(rc_select_ks(o->k, &l->k, &c->ks, err));
    RC_PASS(rc_select_precisions(RC_TYPES_ANY, o->precision, &l->precision, &c->precisions, err));
    RC_PASS(select_c_orders(o->c_order, c, err));
    if (o->places.catalog && !o->places.collection && o->places.operands == 0)
        RC_PASS(rc_fail(
            err, RC_EINVAL, "--catalog is an index: say with --collection where its matrices are"));
    RC_PASS(rc_select_matrices(&o->places, -1, &l->catalog, NULL, err));
    if (o->limit >= 0)
        rc_catalog_limit(&l->catalog, o->limit);
    int64_t slice;
    int64_t slices;
    RC_PASS(rc_select_slice(o->slice, &slice, &slices, err));
    rc_catalog_slice(&l->catalog, slice, slices);
    c->make_store = o->slice != NULL;
    c->catalog = &l->catalog;
    c->policy = l->policy;
    c->kernel = l->kernel;
    c->k = l->k;
    c->precision = l->precision;
    c->geometry = (rc_geometry_t){(int32_t)o->nw, (int32_t)o->nt, (int32_t)o->line};
    c->threads = (int)o->threads;
    c->ahead = (int)o->ahead;
    return RC_OK;
}

/* The items of a dry run on stdout, and their sums in words on stderr. */
static rc_status_t print_plan(
    const rc_sweep_config_t *c, const rc_sweep_result_t *r, rc_table_format_t format, rc_err_t *err)
{
    static const char columns[] =
        "name|rows|cols|nnz|pending:cases|time:s|memory:MB|device_memory:MB|known|part|parts";
    double seconds = 0;
    char again[64] = "";
    rc_table_t *t = rc_table_of(stdout, format, columns, 0, err);
    for (int64_t i = 0; i < r->items; i++) {
        const rc_entry_t *e = &c->catalog->entry[r->item[i].entry];
        RC_CELLS(t, RC_TEXT(e->name), RC_INT(e->rows), RC_INT(e->cols), RC_INT(e->nnz),
            RC_INT(r->item[i].cases), RC_REAL(r->item[i].cost_s, 3),
            RC_REAL((double)r->item[i].bytes * 1e-6, 3),
            RC_REAL((double)r->item[i].device_bytes * 1e-6, 3), RC_BOOL(r->item[i].known),
            RC_INT(r->item[i].part), RC_INT(r->item[i].parts));
        seconds += r->item[i].cost_s;
    }
    rc_status_t st = rc_table_end(t, err);
    if (r->plan.again)
        snprintf(again, sizeof again, " (%" PRId64 " baselines again)", r->plan.again);
    fprintf(stderr,
        "%" PRId64 " of %" PRId64 " %s work left: %" PRId64 " case%s pending%s, %" PRId64
        " done, %" PRId64 " without a file; about %s on one rank (a rough estimate)\n",
        r->plan.matrices, r->selected, r->selected == 1 ? "matrix has" : "matrices have",
        r->plan.cases, rc_plural(r->plan.cases), again, r->plan.done, r->absent,
        rc_text_seconds(seconds).text);
    return st;
}

/* A row of counts by status (NULL: none), followed by `missing` cells without a value. */
static void put_statuses(rc_table_t *t, const char *what, const int64_t *count, int missing)
{
    rc_table_text(t, what);
    for (int i = RC_CASE_OK; i < RC_CASE_STATUSES; i++)
        if (count)
            rc_table_int(t, count[i]);
        else
            rc_table_missing(t);
    for (int i = 0; i < missing; i++)
        rc_table_missing(t);
}

/* Waking a team adds the same to each product, which hides what orders differ by. */
static void tell_waking(const rc_sweep_config_t *c)
{
    int team = c->threads > 0 ? c->threads : omp_get_max_threads();
    if (c->device != RC_DEVICE_CPU || team == 1 || strcmp(rc_crowd_waits(), "asleep") != 0)
        return;
    fprintf(stderr,
        "%s: threads wait asleep; waking %d takes %s, and draws short products' speedups to 1\n",
        c->store, team, rc_text_seconds((double)rc_crowd_team_ns(team) * 1e-9).text);
}

/* What the times of the run suffered from; none where the store cannot be read. */
static void tell_noise(const rc_sweep_config_t *c, const rc_sweep_result_t *r)
{
    const rc_sweep_counts_t *n = &r->now;
    if (c->device == RC_DEVICE_CPU || n->missed + n->crowded + n->measured[RC_CASE_NOISY] > 0)
        (void)rc_rows_tell_noise_of_run(c->store, r->uuid, NULL);
    if (n->crowded > 0)
        tell_waking(c);
    if (n->shared > 0)
        fprintf(stderr, "%s: batches of %" PRId64 " case%s timed again: the host shares cores\n",
            c->store, n->shared, rc_plural(n->shared));
}

/* A summary on stdout: what the run did, by status; for programs also how its time was used. */
static rc_status_t print_result(const rc_sweep_config_t *c, const rc_sweep_result_t *r,
    rc_table_format_t format, int quiet, rc_err_t *err)
{
    static const char columns[] =
        "what|ok|wrong|skipped|failed|crashed|noisy|wall:s|commit:s|idle_tail:s|busy|executing|"
        "waiting|devices_lost|missed|missed_far|crowded|shared";
    int figures = format == RC_TABLE_TEXT ? 0 : 11;
    rc_table_t *t = rc_table_of(stdout, format, columns, 7 + figures, err);
    put_statuses(t, "matrices", r->matrices, figures);
    put_statuses(t, "cases", r->now.measured, figures);
    if (figures) {
        put_statuses(t, "run", NULL, 0);
        RC_CELLS(t, RC_REAL(r->wall_s, 6), RC_REAL(r->commit_s, 6), RC_REAL(r->idle_tail_s, 6),
            RC_REAL(r->busy_share, 6), RC_REAL(r->active_share, 6), RC_REAL(r->waiting_share, 6),
            RC_INT(r->now.devices_lost), RC_INT(r->now.missed), RC_INT(r->now.missed_far),
            RC_INT(r->now.crowded), RC_INT(r->now.shared));
    }
    rc_status_t st = rc_table_end(t, err);
    if (quiet)
        return st;
    fprintf(stderr,
        "%s: %s; device busy %.0f %% of the ranks' time (executing %.0f %%), idle tail %s",
        c->store, rc_text_seconds(r->wall_s).text, 100 * r->busy_share, 100 * r->active_share,
        rc_text_seconds(r->idle_tail_s).text);
    if (r->slowest[0])
        fprintf(stderr, ", slowest matrix %s (%s)", r->slowest, rc_text_seconds(r->slowest_s).text);
    fputc('\n', stderr);
    if (r->now.aliases)
        fprintf(stderr, "%s: %" PRId64 " matrices equal one of another name, and share its cases\n",
            c->store, r->now.aliases);
    tell_noise(c, r);
    return st;
}

/* What failed before and is not done again, in words. */
static void tell_failed(const char *store, const rc_sweep_result_t *r, int accepted)
{
    char csr[64] = "";
    char cases[128] = "";
    char files[64] = "";
    if (r->plan.failed + r->plan.given_up == 0)
        return;
    if (r->plan.failed_csr)
        snprintf(csr, sizeof csr, " (%" PRId64 " of them the baseline csr)", r->plan.failed_csr);
    if (r->plan.failed)
        snprintf(cases, sizeof cases, "%" PRId64 " case%s%s", r->plan.failed,
            r->plan.failed == 1 ? "" : "s", csr);
    if (r->plan.given_up)
        snprintf(files, sizeof files, "%s%" PRId64 " matri%s", r->plan.failed ? " and " : "",
            r->plan.given_up, r->plan.given_up == 1 ? "x" : "ces");
    fprintf(stderr, "%s: %s%s of this selection failed before%s\n", store, cases, files,
        accepted
            ? ": accepted"
            : ": --redo 'status != ok' does them again, --accept-failed takes them as they are");
}

static int exit_code(const rc_sweep_result_t *r, const struct options *o)
{
    const int fine = o->accept_noisy ? RC_CASE_NOISY : RC_CASE_OK;
    if (r->now.devices_lost > 0)
        return RC_EXIT_FAILED;
    if (r->now.drained)
        return RC_EXIT_AGAIN;
    for (int i = RC_CASE_OK; i < RC_CASE_STATUSES; i++)
        if (i != RC_CASE_OK && i != RC_CASE_SKIPPED && i != fine &&
            r->now.measured[i] + r->matrices[i] > 0)
            return RC_EXIT_FAILED;
    int before = !o->accept_failed && r->plan.failed + r->plan.given_up > 0;
    return before || r->now.too_large > 0 ? RC_EXIT_FAILED : RC_EXIT_OK;
}

/* What is dealt out, in words. */
static const char *items_of(const rc_sweep_result_t *r)
{
    return r->plan.divided ? "matrices or parts of them" : "matrices";
}

static int report(const rc_session_t *s, const rc_sweep_config_t *c, const rc_sweep_result_t *r,
    rc_table_format_t format, const struct options *o)
{
    rc_err_t err = {0};
    int64_t did = 0;
    if (s->rank != 0)
        return exit_code(r, o);
    for (int i = 0; i < RC_CASE_STATUSES; i++)
        did += r->now.measured[i] + r->matrices[i];
    if (r->now.devices_lost > 0)
        fprintf(stderr,
            "%s: %" PRId64 " of %d ranks stopped because their device became unusable, %" PRId64
            " %s were not begun; what is finished is safe, run the same command again\n",
            c->store, r->now.devices_lost, s->size, r->items_left, items_of(r));
    if (did == 0 && r->now.features == 0 && !r->now.drained && r->now.devices_lost == 0) {
        if (r->selected == 0)
            fprintf(stderr, "%s: nothing to do: no matrix matches\n", c->store);
        else if (r->plan.done == 0 && r->plan.given_up == 0)
            fprintf(stderr, "%s: nothing to do: no case can be made of these lists\n", c->store);
        else
            fprintf(stderr, "%s: nothing to do: %s%" PRId64 " case%s of %" PRId64 " %s %s done\n",
                c->store, r->plan.done == 1 ? "the " : "all ", r->plan.done,
                rc_plural(r->plan.done), r->selected, rc_matrices(r->selected),
                r->plan.done == 1 ? "is" : "are");
        tell_failed(c->store, r, o->accept_failed);
        return exit_code(r, o);
    }
    if (print_result(c, r, format, o->quiet, &err) < 0)
        return rc_command_fail(&rc_command_sweep, &err);
    if (r->now.drained)
        fprintf(stderr,
            "%s: stopped early, %" PRId64 " %s %s not begun; run the same command again\n",
            c->store, r->items_left,
            r->items_left == 1 && !r->plan.divided ? "matrix" : items_of(r),
            r->items_left == 1 ? "was" : "were");
    tell_failed(c->store, r, o->accept_failed);
    return exit_code(r, o);
}

/* Of the ranks that know why, the first one speaks; rank 0 when none does.  Who only knows that
 * another rank failed has that in its text, maybe behind the name of a file.  Collective. */
static int fail(const rc_session_t *s, rc_status_t st, const rc_log_t *log, const rc_err_t *err)
{
    int knows = err->status < 0 && !strstr(err->text, "another rank");
    int first = rc_session_first(s, knows);
    if (s->rank == 0 && (first == 0 || first == s->size)) {
        rc_err_t said = *err;
        if (said.status == RC_OK)
            rc_fail(&said, st, "another rank failed");
        return rc_command_fail(&rc_command_sweep, &said);
    }
    if (s->rank == first && strstr(err->text, s->host))
        rc_log(log, RC_LOG_ERROR, "sweep", "%s", err->text);
    else if (s->rank == first)
        rc_log(log, RC_LOG_ERROR, "sweep", "on %s: %s", s->host, err->text);
    return st == RC_EINVAL || st == RC_ENOTSUP ? RC_EXIT_USAGE : RC_EXIT_ERROR;
}

static int sweep(
    rc_session_t *s, struct options *o, int argc, char **argv, rc_log_t *log, rc_sweep_result_t *r)
{
    rc_err_t err = {0};
    lists_t l = {0};
    rc_sweep_config_t *c = &o->config;
    rc_table_format_t format = RC_TABLE_TEXT;
    int code = RC_EXIT_OK;
    rc_device_kind_t device = RC_DEVICE_CPU;
    rc_status_t st = rc_session_agree(s, rc_table_format_parse(o->format, &format, &err), &err);
    if (st == RC_OK)
        st = rc_session_agree(s, rc_placement_kind(s, o->device, log, &device, &err), &err);
    if (st == RC_OK)
        st = configure(o, device, &l, &err);
    st = rc_session_agree(s, st, &err);
    if (st == RC_OK)
        st = select_noisy(s, o->noisy, c, &err);
    if (st == RC_OK && s->rank == 0 && l.catalog.passed)
        rc_log(log, RC_LOG_INFO, "sweep", "left out: %s", l.catalog.passed);
    c->argc = argc;
    c->argv = argv;
    if (st == RC_OK)
        st = rc_sweep_run(s, c, log, r, &err);
    if (st < 0)
        code = fail(s, st, log, &err);
    else if (!c->dry_run)
        code = report(s, c, r, format, o);
    else if (s->rank == 0 && print_plan(c, r, format, &err) < 0)
        code = rc_command_fail(&rc_command_sweep, &err);
    else if (s->rank == 0)
        tell_failed(c->store, r, o->accept_failed);
    free(r->item);
    free_lists(&l);
    return code;
}

static int run(int argc, char **argv)
{
    struct options o = {.config = {.hang_limit_s = 3600, .silence_s = 120},
        .limit = -1,
        .op = "spmm",
        .policies = "all",
        .kernels = "all",
        .k = "32",
        .precision = "fp32",
        .c_order = "original",
        .device = "auto",
        .ahead = -1,
        .timing = "exclusive",
        .cache_mode = "warm",
        .target = -1,
        .noisy = -1,
        .seed = 1};
    char **operands = NULL;
    rc_err_t err = {0};
    rc_session_t s;
    rc_sweep_result_t r = {0};
    /* a job may be asked to end while its ranks start */
    if (rc_drain_listen(&err) < 0 || rc_session_open(&argc, &argv, &s, &err) < 0)
        return rc_command_fail(&rc_command_sweep, &err);
    int code = rc_command_parse(
        &rc_command_sweep, &o, argc, argv, 0, -1, &operands, s.rank == 0 ? stderr : NULL);
    o.places.operand = operands;
    o.places.operands = code == RC_EXIT_OK ? (int)(argv + argc - operands) : 0;
    rc_log_t log = {.stream = stderr,
        .level = o.quiet     ? RC_LOG_WARN
                 : o.verbose ? RC_LOG_DEBUG
                             : RC_LOG_INFO,
        .rank = s.size > 1 ? s.rank : -1};
    if (code == RC_EXIT_OK)
        code = sweep(&s, &o, argc, argv, &log, &r);
    rc_session_close(&s);
    if (rc_sweep_leave(o.store, &log, &r, &err) < 0)
        code = rc_command_fail(&rc_command_sweep, &err);
    return code;
}
