#include "config.h"
#include "analysis/report/report.h"
#include "analysis/report/spies.h"
#include "base/error.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/named.h"
#include "device/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct options {
    rc_report_options_t report;
    const char *model;
    const char *limits;
    int64_t spies;
    int unsealed;
};

static const rc_opt_t options[] = {
    RC_OPT("output", 'o', RC_OPT_TEXT, RC_AT(report.dir), "DIR",
        "Where the report goes; is made when it is not there. Required."),
    RC_OPT("model", 'm', RC_OPT_TEXT, RC_AT(model), "MODEL",
        "Also show what this selector chooses, and its evaluation."),
    RC_OPT("topologies", 0, RC_OPT_TEXT, RC_AT(report.topologies), "FILE",
        "Also show this, which 'rowcast evaluate STORE --topologies -f json' printed."),
    RC_OPT("where", 'w', RC_OPT_TEXT, RC_AT(report.where), "EXPR",
        "Only results that match, as of rowcast query, e.g. 'k == cols && precision == fp32'."),
    RC_OPT("op", 0, RC_OPT_TEXT, RC_AT(report.op), "OP",
        "The operation: spmm, spmv, spmm_t or sddmm. A report is of one, and says what it leaves "
        "out. Default: spmm, or the first that the store has."),
    RC_OPT("noisy", 0, RC_OPT_FLAG, RC_AT(report.noisy), NULL,
        "Take noisy results for ok: without it none is on the page."),
    RC_OPT("collection", 'C', RC_OPT_TEXT, RC_AT(report.collection), "DIR",
        "Where the matrices are, DIR/Group/Name.mtx and so on, for the spy plots and the figure "
        "'forced'. Default: where the store says that they were read from."),
    {"spies", 0, RC_OPT_INT, RC_AT(spies), "N",
        "At most N matrices get spy plots, those with the largest gain of reordering; 0: none. "
        "Default: 60, as far as they can be drawn in some seconds; what is too large for that is "
        "counted on the page.",
        0, 100000},
    RC_OPT("assets", 0, RC_OPT_TEXT, RC_AT(report.assets), "DIR",
        "Directory with page/ and figures/ to use in place of the installed ones. Default: "
        "$ROWCAST_ASSETS, else " RC_PKGDATADIR "."),
    RC_OPT("limits", 0, RC_OPT_TEXT, RC_AT(limits), "FILE",
        "What the device can do at most, of 'rowcast calibrate --limits', to be drawn. Default: "
        "limits-h200, the installed one, where the results are of that device."),
    RC_OPT("quiet", 'q', RC_OPT_FLAG, RC_AT(report.quiet), NULL, "No progress on stderr."),
    RC_UNSEALED_OPTION(RC_AT(unsealed)),
    RC_OPT_END,
};

/* \param[out] out  device NULL: there is no installed file, and none was asked for */
static rc_status_t read_limits(
    const char *word, char device[RC_LIMITS_DEVICE], rc_report_limits_t *out, rc_err_t *err)
{
    rc_limits_t l = {0};
    rc_err_t why = {0};
    *out = (rc_report_limits_t){.device = NULL};
    if (rc_limits_read(word ? word : RC_LIMITS_USUAL, &l, device, &why) < 0)
        return word ? rc_fail(err, why.status, "--limits: %s", why.text) : RC_OK;
    *out = (rc_report_limits_t){device, l.memory, l.l1, l.shared};
    return RC_OK;
}

static rc_status_t run(rc_call_t *call, rc_err_t *err)
{
    const struct options *o = call->options;
    rc_report_options_t r = o->report;
    const char *from_environment = getenv("ROWCAST_ASSETS");
    rc_report_made_t made = {0};
    char *model = NULL;
    char device[RC_LIMITS_DEVICE];
    rc_report_limits_t limits;
    if (!r.dir)
        return rc_fail(err, RC_EINVAL, "--output is missing");
    RC_PASS(rc_command_not_stdout(r.dir, "a folder", err));
    r.store = call->operand[0];
    r.spies = (int)o->spies;
    if (!r.assets)
        r.assets = from_environment && from_environment[0] ? from_environment : RC_PKGDATADIR;
    rc_status_t st = o->model ? rc_command_find_model(o->model, &model, err) : RC_OK;
    r.model = model;
    if (st == RC_OK)
        st = read_limits(o->limits, device, &limits, err);
    r.limits = st == RC_OK && limits.device ? &limits : NULL;
    if (st == RC_OK)
        st = rc_report_make(&r, &made, err);
    free(model);
    if (st < 0)
        return st;
    if (made.without_gnuplot)
        fprintf(stderr,
            "rowcast report: gnuplot was not found, so no figure is drawn: install it or name it "
            "in GNUPLOT; the numbers are in %s/figures\n",
            r.dir);
    printf("%s/index.html: %s, %" PRId64 " result%s of %" PRId64
           " %s, %d figure%s, %d left out, spy plots of %d %s\n",
        r.dir, rc_text_bytes((double)made.bytes).text, made.rows, made.rows == 1 ? "" : "s",
        made.matrices, made.matrices == 1 ? "matrix" : "matrices", made.figures,
        made.figures == 1 ? "" : "s", made.left_out, made.spies,
        made.spies == 1 ? "matrix" : "matrices");
    if (made.said[0])
        printf("%s\n", made.said);
    return RC_OK;
}

const rc_command_t rc_command_report = {
    .name = "report",
    .summary = "make a page with figures out of a store",
    .usage = "[OPTIONS] STORE -o DIR",
    .description =
        "Writes DIR/index.html, one page that opens from disk and needs no network: what the "
        "measurements say, what was run, the figures of the papers, and a table of the matrices "
        "that sorts and filters in the browser. The figures are also in DIR/figures as SVG and "
        "PDF, with the numbers behind each as CSV. A figure that the store has no data for is left "
        "out, and the page says why. DIR/report.json has the numbers of the page for other "
        "programs.\n\n"
        "Only verified results enter, the newest of each case, as in the summaries of rowcast "
        "query. Gains of a best kernel or order are held out: chosen on one half of what was "
        "measured and scored on the other, as in those summaries; the plain ones stand beside "
        "them. Wins within the error are shown as ties.\n\n"
        "Files of an earlier report in DIR are replaced, others are left "
        "alone.\n\n" RC_MODELS_HELP "\n\n"
        "In the table, the filter takes words that name, kind or plan contain, and conditions on "
        "columns: 'rows>10k density<0.01 name~web'. The address of the page keeps product, order, "
        "filter and the open row.",
    .examples = "rowcast report real.h5 -o report|then open report/index.html\n"
                "rowcast report real.h5 --model h200-plan -C matrices -o report|with the choices "
                "of a selector, and spy plots\n"
                "rowcast report real.h5 -w 'group == SNAP' -o snap|of some matrices",
    .options = options,
    RC_COMMAND_DEFAULTS(struct options, .spies = -1),
    .operands = {1, 1},
    .work = run,
};
