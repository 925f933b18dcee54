#include "config.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "device/cpu/crowd.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static void overall_help(FILE *out)
{
    fputs("rowcast: in which row order, and with which kernel, is sparse x dense fastest?\n\n"
          "Usage: rowcast COMMAND [OPTIONS]\n\nCommands:\n",
        out);
    for (int i = 0; rc_commands[i]; i++) {
        if (rc_command_group(i))
            fprintf(out, "%s:\n", rc_command_group(i));
        fprintf(out, "  %-12s  %s\n", rc_commands[i]->name, rc_commands[i]->summary);
    }
    fputs("\n'rowcast COMMAND --help' explains a command; 'rowcast --version' prints the version.\n"
          "Exit codes: 0 done; 1 ran, and something failed; 2 usage; 3 input, store or machine;\n"
          "4 unclear (compare); 75 stopped early with work left: run it again.\n",
        out);
}

static int asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return 1;
    return 0;
}

static int unknown_command(const char *name)
{
    enum { most = 64 };
    const char *names[most];
    rc_err_t err = {0};
    int n = 0;
    for (; rc_commands[n] && n < most; n++)
        names[n] = rc_commands[n]->name;
    (void)rc_fail_unknown(&err, RC_EINVAL, "command", name, names, n);
    fprintf(stderr, "rowcast: %s\ntry 'rowcast --help'\n", err.text);
    return RC_EXIT_USAGE;
}

/* What was printed and did not arrive is an error, also a single line. */
static int finish(int code)
{
    if ((fflush(stdout) == 0 && !ferror(stdout)) || code != RC_EXIT_OK)
        return code;
    fputs("rowcast: cannot write to standard output\n", stderr);
    return RC_EXIT_ERROR;
}

int main(int argc, char **argv)
{
    rc_crowd_choose("");
    /* a file that may not grow is an error of the write that hits the limit, not a silent death */
    signal(SIGXFSZ, SIG_IGN);
    if (argc < 2) {
        overall_help(stderr);
        return RC_EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("rowcast %s\n", rc_version());
        return finish(RC_EXIT_OK);
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
        (strcmp(word, "help") == 0 && argc == 2)) {
        overall_help(stdout);
        return finish(RC_EXIT_OK);
    }
    int help = 0;
    if (strcmp(word, "help") == 0) {
        help = 1;
        word = argv[2];
    }
    const rc_command_t *c = rc_command_find(word);
    if (!c)
        return unknown_command(word);
    if (help || asks_for_help(argc - 1, argv + 1)) {
        rc_command_help(c, stdout);
        return finish(RC_EXIT_OK);
    }
    return finish(rc_command_run(c, argc - 1, argv + 1));
}
