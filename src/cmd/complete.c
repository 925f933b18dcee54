#include "config.h"
#include "cmd/complete.h"
#include "analysis/papers/paper.h"
#include "analysis/trainer.h"
#include "base/error.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/models.h"
#include "feature/feature.h"
#include "format/format.h"
#include "kernels/kernel.h"
#include "operation/operation.h"
#include "order/policy.h"
#include "table/view.h"

#include <string.h>

/* The word under the cursor. */
typedef struct completion {
    FILE *out;
    const char *head; /* of the word, printed before each candidate: "--op=spmm," */
    size_t head_size;
    const char *rest; /* what a candidate must begin with */
} completion_t;

static void offer(const completion_t *c, const char *candidate)
{
    if (strncmp(candidate, c->rest, strlen(c->rest)) == 0)
        fprintf(c->out, "%.*s%s\n", (int)c->head_size, c->head, candidate);
}

static void offer_words(const completion_t *c, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        offer(c, words[i]);
}

/* ------------------------------------------------------ kinds of values */

/* The names of a registry: descriptors by pointer, the last one NULL. */
#define NAMES_OF(kind, registry)                                                                   \
    static void kind(const completion_t *c)                                                        \
    {                                                                                              \
        for (int i = 0; (registry)[i]; i++)                                                        \
            offer(c, (registry)[i]->name);                                                         \
    }
NAMES_OF(policies, rc_policies)
NAMES_OF(storage_formats, rc_formats)
NAMES_OF(operations, rc_operations)
NAMES_OF(trainers, rc_trainers)
NAMES_OF(feature_sets, rc_feature_sets)
NAMES_OF(summaries, rc_summaries)
NAMES_OF(commands, rc_commands)

static void policies_and_all(const completion_t *c)
{
    policies(c);
    offer(c, "all");
}

static void kernels(const completion_t *c)
{
    for (int i = 0; rc_kernels[i]; i++)
        if (rc_kernel_find(rc_kernels[i]->name, RC_DEVICE_CPU) == rc_kernels[i]) /* a name once */
            offer(c, rc_kernels[i]->name);
}

static void kernels_and_all(const completion_t *c)
{
    kernels(c);
    offer(c, "all");
}

static void precisions(const completion_t *c)
{
    offer_words(c, rc_precision_names);
}

static void formats(const completion_t *c)
{
    offer_words(c, (const char *const[]){"table", "csv", "json", NULL});
}

static void fields(const completion_t *c)
{
    for (int i = 0; i < rc_view_fields.count; i++)
        offer(c, rc_view_fields.field[i].name);
}

static void files(const completion_t *c)
{
    fputs(":files\n", c->out);
}

static void folders(const completion_t *c)
{
    fputs(":dirs\n", c->out);
}

static void models(const completion_t *c)
{
    rc_str_t names = {0};
    rc_words_t word = {0};
    rc_command_model_names(&names);
    if (!names.failed && names.len > 0 && rc_words_split(names.text, '\n', &word, NULL) == RC_OK)
        for (int i = 0; i < word.count; i++)
            offer(c, word.word[i]);
    rc_words_free(&word);
    rc_str_free(&names);
    files(c);
}

/* By the placeholder of an option. */
static const struct {
    const char *placeholder;
    void (*offer)(const completion_t *c);
    int is_list; /* separated by commas */
} kinds[] = {{"POLICY", policies, 0}, {"POLICIES", policies_and_all, 1}, {"KERNEL", kernels, 0},
    {"KERNELS", kernels_and_all, 1}, {"SPEC", storage_formats, 0}, {"OP", operations, 0},
    {"OPS", operations, 1}, {"PRECISION", precisions, 0}, {"PRECISIONS", precisions, 1},
    {"FORMAT", formats, 0}, {"TRAINER", trainers, 0}, {"SET", feature_sets, 0},
    {"SUMMARY", summaries, 0}, {"FIELDS", fields, 1}, {"MODEL", models, 0}, {"FILE", files, 0},
    {"CSV", files, 0}, {"DIR", folders, 0}};

/* One part of a placeholder: a kind, or a word that is meant as it stands. */
static void offer_part(const completion_t *c, const char *part)
{
    completion_t last = *c; /* of a list */
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].placeholder, part) != 0)
            continue;
        const char *comma = kinds[i].is_list ? strrchr(c->rest, ',') : NULL;
        if (comma) {
            last.rest = comma + 1;
            last.head_size = (size_t)(last.rest - c->head);
        }
        kinds[i].offer(&last);
        return;
    }
    if (part[0] >= 'a' && part[0] <= 'z')
        offer(c, part);
}

/* "exclusive|shared", "FILE|URL" */
static rc_status_t offer_values(const completion_t *c, const char *placeholder, rc_err_t *err)
{
    rc_words_t part;
    RC_PASS(rc_words_split(placeholder, '|', &part, err));
    for (int i = 0; i < part.count; i++)
        offer_part(c, part.word[i]);
    rc_words_free(&part);
    return RC_OK;
}

/* -------------------------------------------------------------- the words */

static void offer_options(const completion_t *c, const rc_opt_t *o)
{
    for (; o->name; o++) {
        char text[64];
        snprintf(text, sizeof text, "--%s", o->name);
        offer(c, text);
        snprintf(text, sizeof text, "-%c", o->letter);
        if (o->letter)
            offer(c, text);
    }
    offer(c, "--help");
    offer(c, "-h");
}

/* The option with a value that a word names: "-k", "--k" or "--k=..."; NULL: none. */
static const rc_opt_t *option_of(const rc_opt_t *o, const char *word)
{
    size_t n = strcspn(word, "=");
    for (; o->name; o++)
        if (o->kind != RC_OPT_FLAG &&
            ((n == 2 && word[0] == '-' && word[1] == o->letter) ||
                (n > 2 && strncmp(word, "--", 2) == 0 && strlen(o->name) == n - 2 &&
                    memcmp(word + 2, o->name, n - 2) == 0)))
            return o;
    return NULL;
}

/* The operands of paper: a paper, one of its tables, a store. */
static void offer_papers(const completion_t *c, char *const *word, int words)
{
    const rc_paper_t *p = words > 1 ? rc_paper_find(word[0]) : NULL;
    for (int i = 0; words == 1 && rc_papers[i]; i++)
        offer(c, rc_papers[i]->name);
    for (int i = 0; words == 2 && p && p->tables[i]; i++)
        offer(c, p->tables[i]->name);
    if (words > 2)
        files(c);
}

static rc_status_t complete_command(
    const rc_command_t *command, char *const *word, int words, completion_t *c, rc_err_t *err)
{
    const char *now = word[words - 1];
    const char *before = words > 1 ? word[words - 2] : "";
    const char *equals = strncmp(now, "--", 2) == 0 ? strchr(now, '=') : NULL;
    if (equals) {
        before = now;
        c->rest = equals + 1;
        c->head_size = (size_t)(c->rest - now);
    } else if (strcmp(now, "=") == 0) /* bash cuts there */
        c->rest = c->head = "";
    else if (strcmp(before, "=") == 0 && words > 2)
        before = word[words - 3];
    const rc_opt_t *option = option_of(command->options, before);
    if (option)
        return offer_values(c, option->arg ? option->arg : "", err);
    if (now[0] == '-')
        offer_options(c, command->options);
    else if (strcmp(command->name, "paper") == 0)
        offer_papers(c, word, words);
    else if (strstr(command->usage, "FILE") || strstr(command->usage, "STORE"))
        files(c);
    return RC_OK;
}

rc_status_t rc_complete(char *const *word, int words, FILE *out, rc_err_t *err)
{
    static const char *const others[] = {"help", "--help", "--version", NULL};
    if (words < 1)
        return RC_OK;
    completion_t c = {.out = out, .head = word[words - 1], .rest = word[words - 1]};
    const rc_command_t *command = rc_command_find(word[0]);
    if (words == 1) {
        commands(&c);
        offer_words(&c, others);
    } else if (command)
        return complete_command(command, word + 1, words - 1, &c, err);
    else if (strcmp(word[0], "help") == 0)
        commands(&c);
    return RC_OK;
}

/* ------------------------------------------------------------ the scripts */

static const struct {
    const char *shell;
    const char *script;
} scripts[] = {
    {"bash",
        "# bash completion of rowcast, printed by 'rowcast docs completion bash'\n"
        "_rowcast()\n"
        "{\n"
        "    local line cur=${COMP_WORDS[COMP_CWORD]}\n"
        "    [[ $cur == = ]] && cur=''\n"
        "    COMPREPLY=()\n"
        "    while IFS= read -r line; do\n"
        "        case $line in\n"
        "        :files | :dirs)\n"
        "            compopt -o filenames 2>/dev/null\n"
        "            mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen \"-${line:1:1}\" -- "
        "\"$cur\")\n"
        "            ;;\n"
        "        *) COMPREPLY+=(\"$line\") ;;\n"
        "        esac\n"
        "    done < <(\"${COMP_WORDS[0]}\" docs -- complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" "
        "2>/dev/null)\n"
        "}\n"
        "complete -F _rowcast rowcast\n"},
    {"zsh", "#compdef rowcast\n"
            "# zsh completion of rowcast, printed by 'rowcast docs completion zsh'\n"
            "_rowcast()\n"
            "{\n"
            "    local line\n"
            "    local -a offered\n"
            "    for line in \"${(@f)$(\"${words[1]}\" docs -- complete \"${(@)words[2,CURRENT]}\" "
            "2>/dev/null)}\"; do\n"
            "        case $line in\n"
            "        (:files) compset -P '--*='; _files ;;\n"
            "        (:dirs) compset -P '--*='; _files -/ ;;\n"
            "        (?*) offered+=(\"$line\") ;;\n"
            "        esac\n"
            "    done\n"
            "    (( $#offered )) && compadd -- \"${offered[@]}\"\n"
            "}\n"
            "if [ \"$funcstack[1]\" = _rowcast ]; then\n"
            "    _rowcast \"$@\"\n"
            "else\n"
            "    compdef _rowcast rowcast\n"
            "fi\n"},
    {"fish", "# fish completion of rowcast, printed by 'rowcast docs completion fish'\n"
             "function __rowcast_complete\n"
             "    set -l words (commandline -opc) (commandline -ct)\n"
             "    for line in (command $words[1] docs -- complete $words[2..-1] 2>/dev/null)\n"
             "        switch $line\n"
             "            case :files\n"
             "                __fish_complete_path (commandline -ct)\n"
             "            case :dirs\n"
             "                __fish_complete_directories (commandline -ct) ''\n"
             "            case '*'\n"
             "                echo $line\n"
             "        end\n"
             "    end\n"
             "end\n"
             "complete -c rowcast -f -a '(__rowcast_complete)'\n"},
};

rc_status_t rc_complete_script(const char *shell, FILE *out, rc_err_t *err)
{
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        if (strcmp(scripts[i].shell, shell) == 0) {
            fputs(scripts[i].script, out);
            return RC_OK;
        }
    return rc_fail(err, RC_EINVAL, "completion: expected bash, zsh or fish, found '%s'", shell);
}
