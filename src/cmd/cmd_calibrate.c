#include "config.h"
#include "analysis/papers/hong/fit.h"
#include "base/error.h"
#include "base/replace.h"
#include "cmd/cmd.h"
#include "cmd/named.h"
#include "cmd/select.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_K = 1 << 20 };

struct options {
    const char *kernel;
    const char *k;
    const char *precision;
    const char *device;
    const char *output;
    int64_t n;
    int64_t threads;
    int limits;
    int quiet;
};

static const rc_opt_t options[] = {
    RC_OPT("kernel", 'x', RC_OPT_TEXT, RC_AT(kernel), "KERNEL",
        "What to calibrate: rs. Required without --limits."),
    RC_OPT("limits", 0, RC_OPT_FLAG, RC_AT(limits), NULL,
        "What the GPU can do at most, instead: what it reads from memory, L2, L1 and shared "
        "memory (GB/s), and multiply-adds (Gflop/s)."),
    RC_OPT("k", 'k', RC_OPT_TEXT, RC_AT(k), "LIST", "Columns of B, e.g. 8,32,128,512 (default)."),
    RC_OPT("precision", 0, RC_OPT_TEXT, RC_AT(precision), "LIST",
        "Value types, by commas (default fp32,fp64)."),
    RC_OPT("device", 'd', RC_OPT_TEXT, RC_AT(device), "DEVICE",
        "cpu, cuda or auto (default): a GPU where there is one."),
    {"n", 0, RC_OPT_INT, RC_AT(n), "N",
        "Rows and columns of the calibration matrices. Default 4096.", 64, 65536},
    {"threads", 't', RC_OPT_INT, RC_AT(threads), "N", "Threads to use. Default 0: all.", 0, 4096},
    RC_OPT("output", 'o', RC_OPT_TEXT, RC_AT(output), "FILE",
        "Where the parameters go, when all are measured. Default: the standard output."),
    RC_OPT("quiet", 'q', RC_OPT_FLAG, RC_AT(quiet), NULL, "No progress on stderr."),
    RC_OPT_END,
};

/* \param[in] c  NULL: limits  */
static rc_status_t measure(const struct options *o, const rc_calibration_t *c, rc_err_t *err)
{
    const char *name = o->output ? o->output : "standard output";
    rc_device_t *d = NULL;
    rc_replace_t file = {0};
    RC_PASS(o->output ? rc_replace_begin(o->output, &file, err) : RC_OK);
    /* limits of a CPU are not measured: a machine without a GPU is to say why it has none */
    int is_gpu = !c && (!o->device || strcmp(o->device, "auto") == 0);
    rc_status_t st = rc_command_open_device(is_gpu ? "cuda" : o->device, (int)o->threads, &d, err);
    FILE *to = o->output ? file.file : stdout;
    if (st == RC_OK)
        st = c ? rc_calibrate_rs(d, c, to, name, err) : rc_calibrate_limits(d, to, name, err);
    rc_status_t ended = rc_replace_end(&file, st == RC_OK, st == RC_OK ? err : NULL);
    if (d)
        rc_device_close(d);
    return st == RC_OK ? ended : st;
}

/* Whatever can be wrong with the command is found before minutes are spent. */
static rc_status_t calibrate(const struct options *o, rc_err_t *err)
{
    rc_calibration_t c = {.n = o->n > 0 ? o->n : 4096, .quiet = o->quiet};
    int64_t *k = NULL;
    rc_precision_t *precision = NULL;
    rc_status_t st;
    RC_TRY(rc_select_ks(o->k ? o->k : "8,32,128,512", &k, &c.ks, err));
    RC_TRY(rc_select_precisions(
        RC_TYPES_REAL, o->precision ? o->precision : "fp32,fp64", &precision, &c.precisions, err));
    for (int i = 0; i < c.ks; i++)
        if (k[i] < 1 || k[i] > MOST_K)
            RC_TRY(rc_fail(err, RC_EINVAL, "--k: expected numbers from 1 to %d", MOST_K));
    c.k = k;
    c.precision = precision;
    st = measure(o, &c, err);
done:
    free(k);
    free(precision);
    return st;
}

static rc_status_t run(rc_call_t *call, rc_err_t *err)
{
    const struct options *o = call->options;
    if (o->limits && (o->kernel || o->k || o->precision || o->n > 0))
        return rc_fail(err, RC_EINVAL, "--limits: goes without --kernel, --k, --precision and --n");
    if (o->limits)
        return measure(o, NULL, err);
    if (!o->kernel || strcmp(o->kernel, "rs") != 0)
        return rc_fail(
            err, RC_EINVAL, "--kernel: expected rs, found %s", o->kernel ? o->kernel : "none");
    return calibrate(o, err);
}

const rc_command_t rc_command_calibrate = {
    .name = "calibrate",
    .summary = "measure what the cost model of a kernel needs on this device",
    .usage = "--kernel rs|--limits [-o FILE]",
    .description =
        "rs: the costs of Hong et al. 2018, section 4.3, for each K and precision, in ns. "
        "heavy_segment and heavy_entry (C1 and C2, for cfv = 1, 2 and 4) come from products of a "
        "dense matrix of N x N and of one with exactly 8 entries in every row and panel, all of "
        "them heavy; light_row and light_entry (D1 and D2) from random matrices with 16 and 64 "
        "entries a row, all of them light. What comes out negative is 0.\n\n"
        "They are one JSON object with the class of the device, which 'rowcast train --task "
        "parameters --costs FILE' makes a tuning of.",
    .examples = "rowcast calibrate --kernel rs -o rs.json|on the GPU, K = 8, 32, 128, 512\n"
                "rowcast calibrate --kernel rs --device cpu --k 8 --n 256|a quick look\n"
                "rowcast calibrate --limits|the bounds of this GPU",
    .options = options,
    RC_COMMAND_DEFAULTS(struct options, 0),
    .operands = {0, 0},
    .work = run,
};
