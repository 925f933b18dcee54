#include "config.h"
#include "base/error.h"
#include "base/replace.h"
#include "cmd/cmd.h"
#include "cmd/named.h"

#include <string.h>

struct options {
    const char *c;
    const char *name;
};

static const rc_opt_t options[] = {
    RC_OPT("c", 0, RC_OPT_TEXT, RC_AT(c), "FILE",
        "C99 source to write; - is standard output. Required."),
    RC_OPT("name", 0, RC_OPT_TEXT, RC_AT(name), "PREFIX",
        "Prefix of the names in it: PREFIX_choose and so on (default selector)."),
    RC_OPT_END,
};

static rc_status_t export_to(const rc_model_t *m, const char *name, const char *path, rc_err_t *err)
{
    rc_replace_t r = {0};
    RC_PASS(rc_replace_begin(path, &r, err));
    rc_status_t st = rc_model_export_c(m, name, r.file, err);
    rc_status_t end = rc_replace_end(&r, st == RC_OK, st == RC_OK ? err : NULL);
    return st < 0 ? st : end;
}

static rc_status_t run(rc_call_t *call, rc_err_t *err)
{
    const struct options *o = call->options;
    rc_model_t *m = NULL;
    if (!o->c)
        return rc_fail(err, RC_EINVAL, "--c is missing: the file to write");
    RC_PASS(rc_command_model(call->operand[0], &m, err));
    rc_status_t st = export_to(m, o->name, o->c, err);
    rc_model_free(m);
    return st;
}

const rc_command_t rc_command_export_model = {
    .name = "export-model",
    .summary = "write a model as C source",
    .usage = "MODEL --c FILE [--name PREFIX]",
    .description = RC_MODELS_HELP
    "\n\nThe source is C99, needs nothing but the math library, and holds the function "
    "int PREFIX_choose(const double *value, double *time): the index of the class to take for "
    "the input values that its first comment lists with their units, and the predicted time of "
    "every class in ns (time may be NULL). The tables PREFIX_input and PREFIX_class name both.\n\n"
    "Choices and times are those of rowcast, bit by bit, with the same math library.",
    .examples = "rowcast export-model model.json --c selector.c|for a solver without rowcast\n"
                "rowcast export-model model.json --c - --name order | cc -c -o order.o -x c -|"
                "compile it at once",
    .options = options,
    RC_COMMAND_DEFAULTS(struct options, .name = "selector"),
    .operands = {1, 1},
    .work = run,
};
