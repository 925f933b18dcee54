#include "config.h"
#include "analysis/report/plot_run.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int may_run(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

/* Absolute, because it runs in another folder. */
static rc_status_t take_path(const char *path, rc_str_t *out, rc_err_t *err)
{
    char *whole = realpath(path, NULL);
    if (!whole)
        return rc_fail_errno(err, RC_ENOENT, errno, "cannot run '%s'", path);
    rc_str_add(out, whole);
    free(whole);
    return out->failed ? rc_fail(err, RC_ENOMEM, "no memory for a path") : RC_OK;
}

rc_status_t rc_plot_program(rc_str_t *out, rc_err_t *err)
{
    const char *name = getenv("GNUPLOT");
    const char *path = getenv("PATH");
    name = name && *name ? name : "gnuplot";
    if (strchr(name, '/'))
        return may_run(name) ? take_path(name, out, err)
                             : rc_fail(err, RC_ENOENT, "no program '%s'", name);
    for (const char *at = path ? path : ""; *at;) {
        size_t n = strcspn(at, ":");
        rc_str_t file = {0};
        rc_str_addn(&file, at, n);
        rc_str_addf(&file, "%s%s", n ? "/" : "", name);
        if (file.failed)
            return rc_fail(err, RC_ENOMEM, "no memory for a path");
        if (may_run(file.text)) {
            rc_status_t st = take_path(file.text, out, err);
            rc_str_free(&file);
            return st;
        }
        rc_str_free(&file);
        at += n + (at[n] == ':');
    }
    return rc_fail(err, RC_ENOENT, "no program '%s' in PATH", name);
}

/* The first line of an error: gnuplot repeats the command and points at it before. */
static void read_complaint(FILE *said, char *line, size_t size)
{
    snprintf(line, size, "it did not say why");
    rewind(said);
    char buf[256];
    while (fgets(buf, sizeof buf, said)) {
        char *text = buf + strspn(buf, " \t\r\n^");
        text[strcspn(text, "\r\n")] = '\0';
        if (*text && !strstr(text, "warning:"))
            snprintf(line, size, "%s", text); /* the error itself is the last one */
    }
}

static rc_status_t spawn(
    const char *program, const char *dir, const char *script, FILE *said, int *how, rc_err_t *err)
{
    posix_spawn_file_actions_t a;
    pid_t pid;
    rc_err_t none = {0};
    /* without initialisation files */
    char *argv[] = {
        rc_strdup("gnuplot", &none), rc_strdup("-d", &none), rc_strdup(script, &none), NULL};
    int e = argv[0] && argv[1] && argv[2] ? posix_spawn_file_actions_init(&a) : ENOMEM;
    if (e == 0) {
        e = posix_spawn_file_actions_addopen(&a, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        e = e ? e : posix_spawn_file_actions_addopen(&a, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        e = e ? e : posix_spawn_file_actions_adddup2(&a, fileno(said), STDERR_FILENO);
        e = e ? e : posix_spawn_file_actions_addchdir_np(&a, dir);
        e = e ? e : posix_spawn(&pid, program, &a, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&a);
    }
    for (int i = 0; i < 3; i++)
        free(argv[i]);
    if (e)
        return rc_fail_errno(
            err, e == ENOMEM ? RC_ENOMEM : RC_EIO, e, "cannot run '%s' in '%s'", program, dir);
    while (waitpid(pid, how, 0) < 0)
        if (errno != EINTR)
            return rc_fail_errno(err, RC_EIO, errno, "cannot wait for '%s'", program);
    return RC_OK;
}

rc_status_t rc_plot_run(const char *program, const char *dir, const char *script, rc_err_t *err)
{
    FILE *said = tmpfile();
    char line[256];
    int how = 0;
    rc_status_t st = said ? spawn(program, dir, script, said, &how, err)
                          : rc_fail_errno(err, RC_EIO, errno, "cannot make a temporary file");
    if (st == RC_OK && how != 0) {
        read_complaint(said, line, sizeof line);
        st = WIFSIGNALED(how)
                 ? rc_fail(err, RC_EIO, "gnuplot was ended by signal %d", WTERMSIG(how))
                 : rc_fail(err, RC_EIO, "gnuplot: %s", line);
    }
    if (said)
        fclose(said);
    return st;
}
