#include "config.h"
#include "base/error.h"
#include "base/threads.h"
#include "cmd/cmd.h"
#include "cmd/named.h"
#include "cmd/one_matrix.h"
#include "table/print.h"
#include "analysis/papers/lane/fit.h"
#include "kernels/tuning/csrk.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct options {
    rc_one_matrix_options_t matrix;
    double rdensity; /* NaN: not given */
    const char *device;
    const char *reading;
    rc_tune_fit_t fit;
};

#define MATRIX(member) RC_AT(matrix.member)

static const rc_opt_t options[] = {
    RC_OPT("device", 'd', RC_OPT_TEXT, RC_AT(device), "DEVICE",
        "Whose formulas: volta or ampere, as published, or a file of a tuning. Required; with "
        "--fit the name that the tuning gets (default: of the device that was measured)."),
    {"rdensity", 0, RC_OPT_DOUBLE, RC_AT(rdensity), "X",
        "Mean entries of a row, instead of a matrix; 0 counts as 1.", 0, 1e18},
    RC_OPT("reading", 0, RC_OPT_TEXT, RC_AT(reading), "READING",
        "Which number the published formulas of SRS mean by SSRS in cases 3 and 4: new (default): "
        "that of the case; original: that of the formula; srs: a slip for SRS."),
    RC_OPT("fit", 0, RC_OPT_TEXT, RC_AT(fit.store), "STORE",
        "Fit the formulas to the times of a store instead: csr3 and csr35 with all 64 pairs of "
        "srs and ssrs of 4, 6, 8, 12, 16, 24, 32, 48 on some matrices, one order and precision. "
        "Of a CPU: csr2 with the 18 srs of 8, 12, 16, 24, .. 2048, 3072."),
    RC_OPT("output", 'o', RC_OPT_TEXT, RC_AT(fit.output), "FILE",
        "With --fit: write the tuning there."),
    RC_OPT("round", 0, RC_OPT_FLAG, RC_AT(fit.round), NULL,
        "With --fit: the tuning rounds both sizes to the next of the eight that were measured."),
    {"fill", 0, RC_OPT_INT, RC_AT(fit.multiprocessors), "N",
        "With --fit: instead of lines a pair of sizes for each case, each changed by at most 4/3 "
        "so that the blocks fill the N multiprocessors of the device to the end.",
        1, 1 << 20},
    RC_OPT("report", 0, RC_OPT_FLAG, RC_AT(fit.report), NULL,
        "With --fit: print the best pairs over rdensity, too; csv and json: them instead of the "
        "tunings."),
    RC_OPT("where", 'w', RC_OPT_TEXT, RC_AT(fit.where), "EXPR",
        "With --fit: rows of the store to fit on, e.g. 'group == csrk'. Default: all."),
    RC_OPT("test", 0, RC_OPT_TEXT, RC_AT(fit.test), "EXPR",
        "With --fit: rows of the test set, on which nothing is fitted: one that --where has too "
        "is an error. Default: the matrices of Lane and Booth 2022 by their sizes, and twins."),
    RC_ONE_MATRIX_READING(MATRIX),
    RC_OPT("format", 'f', RC_OPT_TEXT, MATRIX(format), "FORMAT", "table (default), csv or json."),
    RC_OPT_END,
};

typedef struct question {
    rc_csrk_tuning_t tuning;
    rc_csrk_reading_t reading;
    rc_table_format_t format;
    double rdensity;
    int64_t rows; /* -1: no matrix */
} question_t;

static rc_status_t print(const question_t *q, rc_err_t *err)
{
    enum { always = 9 };
    static const char columns[] =
        "device|reading|rdensity:entries|case|kernel|block:threads|ssrs:super-rows|srs:rows|"
        "overhead|super_rows|super_super_rows|pointer_bytes:bytes";
    rc_csrk_sizes_t s = rc_csrk_sizes(&q->tuning, q->reading, q->rdensity);
    rc_csrk_fill(&q->tuning, q->rows, &s);
    char block[48];
    int all = q->rows >= 0 ? 0 : always;
    rc_table_t *t = rc_table_of(stdout, q->format, columns, all, err);
    (void)snprintf(block, sizeof block, "%" PRId32 ",%" PRId32 ",%" PRId32, s.block[0], s.block[1],
        s.block[2]);
    RC_CELLS(t, RC_TEXT(q->tuning.device), RC_TEXT(rc_csrk_reading_names[q->reading]),
        RC_REAL(q->rdensity, 6), RC_INT(s.number),
        RC_TEXT(s.number == 1 ? "GPUSpMV-3" : "GPUSpMV-3.5"), RC_TEXT(block), RC_INT(s.ssrs),
        RC_INT(s.srs), RC_REAL(rc_csrk_overhead(q->rdensity, s.srs, s.ssrs), 3));
    if (q->rows >= 0) {
        int64_t super_rows = q->rows / s.srs + (q->rows % s.srs != 0);
        RC_CELLS(t, RC_INT(super_rows), RC_INT(super_rows / s.ssrs + (super_rows % s.ssrs != 0)),
            RC_INT(rc_csrk_pointer_bytes(q->rows, s.srs, s.ssrs)));
    }
    return rc_table_end(t, err);
}

static rc_status_t read_words(
    const struct options *o, char *const *word, int words, question_t *q, rc_err_t *err)
{
    RC_PASS(rc_command_not_stdout(o->fit.output, "a file for the tuning", err));
    if (strcmp(word[0], "csrk") != 0)
        return rc_fail(err, RC_EINVAL, "expected csrk, found '%s'", word[0]);
    if (o->fit.round && o->fit.multiprocessors)
        return rc_fail(err, RC_EINVAL, "--round and --fill are two ways: expected one");
    if (o->fit.store)
        return words == 1 && isnan(o->rdensity)
                   ? RC_OK
                   : rc_fail(err, RC_EINVAL, "--fit takes neither a FILE nor --rdensity");
    if (o->fit.output || o->fit.round || o->fit.multiprocessors || o->fit.report || o->fit.where ||
        o->fit.test)
        return rc_fail(err, RC_EINVAL,
            "--output, --round, --fill, --report, --where and --test are for --fit, which is "
            "missing");
    if ((words == 2) == !isnan(o->rdensity))
        return rc_fail(err, RC_EINVAL, "expected a FILE or --rdensity, found %s",
            words == 2 ? "both" : "neither");
    if (!o->device)
        return rc_fail(err, RC_EINVAL, "--device is missing");
    while (o->reading && strcmp(rc_csrk_reading_names[q->reading], o->reading) != 0)
        if (!rc_csrk_reading_names[++q->reading])
            return rc_fail(
                err, RC_EINVAL, "--reading: expected new, original or srs, found '%s'", o->reading);
    rc_status_t st = rc_csrk_tuning_open(o->device, &q->tuning, err);
    return st < 0 ? rc_err_context(err, "--device") : RC_OK;
}

static rc_status_t look_at(const struct options *o, const char *word, question_t *q, rc_err_t *err)
{
    rc_csr_t a = {0};
    rc_mtx_info_t info;
    int threads = rc_thread_count((int)o->matrix.threads);
    rc_status_t st = rc_command_load(word, threads, o->matrix.memory, 0, &a, &info, err);
    if (st == RC_OK) {
        q->rdensity = rc_csrk_rdensity(a.rows, a.nnz);
        q->rows = a.rows;
    }
    rc_csr_free(&a);
    return st;
}

static rc_status_t run(rc_call_t *call, rc_err_t *err)
{
    struct options *o = call->options;
    question_t q = {
        .rows = -1, .format = call->format, .rdensity = o->rdensity > 0 ? o->rdensity : 1};
    RC_PASS(read_words(o, call->operand, call->operands, &q, err));
    o->fit.device = o->device;
    if (o->fit.store)
        return rc_tune_fit(&o->fit, call->format, err);
    if (call->operands == 2)
        RC_PASS(look_at(o, call->operand[1], &q, err));
    return print(&q, err);
}

const rc_command_t rc_command_tune = {
    .name = "tune",
    .summary = "print the sizes that suit a matrix and a device",
    .usage = "csrk (FILE | --rdensity X) --device DEVICE [--reading READING] [OPTIONS]\n"
             "csrk --fit STORE [--device NAME] [-o FILE] [--round | --fill N] [--report] [--where "
             "EXPR] [--test EXPR] [OPTIONS]",
    .description =
        "csrk: rows of a super-row (SRS) and super-rows of a super-super-row (SSRS) of CSR-k, by "
        "the formulas of Lane and Booth 2022, in constant time from the mean entries of a row "
        "(rdensity): SSRS = round(c - s ln rdensity), SRS likewise, then by the case of rdensity. "
        "The case also gives the block of threads (x, y, z) of the GPU kernel: GPUSpMV-3 up to "
        "rdensity 8, GPUSpMV-3.5 up to 16, up to 32 and above.\n\n"
        "overhead is the bytes of the pointers over those of CSR in fp32, all groups full. For a "
        "matrix super_rows, super_super_rows and pointer_bytes are those of its natural order cut "
        "to size; rowcast order FILE --order bandk writes those of Band-k.\n\n"
        "A tuning file is JSON: {\"device\": \"h200\", \"ssrs\": {\"constant\": 8.9, \"slope\": "
        "1.25}, \"srs\": {...}, \"cases\": {\"2\": {\"ssrs\": 1.5, \"srs\": 2}, \"3\": {...}, "
        "\"4\": {...}}}: in cases 2 to 4 both sizes are multiplied and rounded. \"sizes\": [4, 8, "
        "16] may be added: then each size becomes that one of the list which is nearest by ratio. "
        "With \"multiprocessors\": 132 beside it both become, for a matrix, those of the list "
        "within a ratio of 4/3 for which the last round of blocks is fullest.\n\n"
        "--fit makes one: lines by least squares of the best sizes of csr3 on ln rdensity; the "
        "slopes are lowered to the share of them, 0 to 1 by 0.05, that loses least; for cases 2 "
        "to 4 the factors, .5 to 5, that lose least with csr35. What is lost is the geometric "
        "mean of time over that of the best of the 64 pairs; sizes in between count as the pair "
        "next to them. Printed: the lines as regressed, the tuning, and the published ones in "
        "their readings, with their losses on what was fitted on and on the test set.\n\n"
        "Of a CPU --fit searches SRS of csr2: the best of the 18 sizes of each matrix, and the "
        "constant next to their geometric mean. Printed: what the best sizes (tuned), the "
        "constant and the paper's 96 lose over the best, and what they gain over "
        "plain-spmv-static where it was measured.\n\n" RC_FILE_HELP,
    .examples =
        "rowcast tune csrk --rdensity 20 --device volta|of a mean row of 20 entries\n"
        "rowcast tune csrk bcsstk17.mtx --device ampere -f json|of a matrix, for a program\n"
        "rowcast tune csrk --fit csrk.h5 -w 'group == csrk' -o h200.json --report|re-tune for a "
        "device\n"
        "rowcast tune csrk --fit cpu.h5 -w 'order == csr' --report|the constant SRS of a CPU",
    .options = options,
    RC_COMMAND_DEFAULTS(struct options, .matrix = RC_ONE_MATRIX_DEFAULTS, .rdensity = NAN),
    .operands = {1, 2},
    .work = run,
};
