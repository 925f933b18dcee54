#include "config.h"
#include "analysis/report/gnuplot.h"
#include "base/error.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --------------------------------------------------------------- the program */

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

static rc_status_t spawn(
    const char *program, const char *dir, const char *script, FILE *said, int *how, rc_err_t *err)
{
    posix_spawn_file_actions_t a;
    pid_t pid;
    char name[] = "gnuplot";
    char bare[] = "-d"; /* without initialisation files */
    char *file = rc_strdup(script, err);
    char *argv[] = {name, bare, file, NULL};
    int e = file ? posix_spawn_file_actions_init(&a) : ENOMEM;
    if (e == 0) {
        e = posix_spawn_file_actions_addopen(&a, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        e = e ? e : posix_spawn_file_actions_addopen(&a, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        e = e ? e : posix_spawn_file_actions_adddup2(&a, fileno(said), STDERR_FILENO);
        e = e ? e : posix_spawn_file_actions_addchdir_np(&a, dir);
        e = e ? e : posix_spawn(&pid, program, &a, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&a);
    }
    free(file);
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
    char buf[256];
    int how = 0;
    rc_status_t st = said ? spawn(program, dir, script, said, &how, err)
                          : rc_fail_errno(err, RC_EIO, errno, "cannot make a temporary file");
    if (st == RC_OK && how != 0) {
        snprintf(line, sizeof line, "it did not say why");
        rewind(said);
        while (fgets(buf, sizeof buf, said)) { /* it repeats the command and points at it before */
            const char *text = buf + strspn(buf, " \t\r\n^");
            buf[strcspn(buf, "\r\n")] = '\0';
            if (*text && !strstr(text, "warning:"))
                snprintf(line, sizeof line, "%s", text); /* the error itself is the last one */
        }
        st = WIFSIGNALED(how)
                 ? rc_fail(err, RC_EIO, "gnuplot was ended by signal %d", WTERMSIG(how))
                 : rc_fail(err, RC_EIO, "gnuplot: %s", line);
    }
    if (said)
        fclose(said);
    return st;
}

/* --------------------------------------------------------------- its drawings */

int rc_plot_colours(const char *common, rc_plot_colour_t *out)
{
    static const char word[] = "#colour ";
    int n = 0;
    for (const char *line = common; line && *line && n + 1 < RC_PLOT_COLOURS_MAX;) {
        char name[40];
        unsigned rgb;
        if (strncmp(line, word, sizeof word - 1) == 0 &&
            sscanf(line + sizeof word - 1, "%6x %39[-A-Za-z0-9]", &rgb, name) == 2) {
            out[n].rgb = rgb;
            snprintf(out[n].name, sizeof out[n].name, "%s", name);
            n++;
        }
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    out[n].name[0] = '\0';
    return n;
}

/* A drawing in the making. */
typedef struct svg {
    rc_str_t *out;
    const char *name;
    const rc_plot_colour_t *colour; /* NULL: the drawing stands alone */
    size_t group;    /* where the last group was opened if nothing came since, else 0 */
    char point[160]; /* what the points of the open path have in common, "" none is open */
    rc_str_t points; /* data of that path */
    rc_str_t line;   /* the line in hand: sscanf looks for the end of what it reads */
} svg_t;

static void put_colour(svg_t *s, unsigned rgb)
{
    for (const rc_plot_colour_t *c = s->colour; c && c->name[0]; c++) {
        if (c->rgb != rgb)
            continue;
        if (strncmp(c->name, "--", 2) == 0)
            rc_str_addf(s->out, "var(%s, #%06x)", c->name, rgb);
        else
            rc_str_add(s->out, c->name);
        return;
    }
    rc_str_addf(s->out, "#%06x", rgb);
}

/* "rgb( 1, 2, 3)" at text: its length and value; 0: none. */
static size_t read_rgb(const char *text, unsigned *rgb)
{
    unsigned r;
    unsigned g;
    unsigned b;
    int n = 0;
    if (strncmp(text, "rgb(", 4) != 0 || sscanf(text, "rgb(%3u,%3u,%3u)%n", &r, &g, &b, &n) != 3 ||
        n == 0 || r > 255 || g > 255 || b > 255)
        return 0;
    *rgb = r << 16 | g << 8 | b;
    return (size_t)n;
}

/* What stands for a word of gnuplot's: copied from text, length returned; 0: nothing does. */
static size_t put_replaced(svg_t *s, const char *text)
{
    static const char font[] = " font-family=\"inherit\"";
    static const char *const id[] = {" id='", " id=\"", "href='#", "href=\"#", "url(#"};
    static const char *const black[] = {" color=\"black\"", "=\"black\"", "='black'"};
    unsigned rgb;
    size_t n = read_rgb(text, &rgb);
    if (n) {
        put_colour(s, rgb);
        return n;
    }
    if (strncmp(text, font, sizeof font - 1) == 0) {
        rc_str_add(s->out, s->colour ? "" : " font-family=\"sans-serif\"");
        return sizeof font - 1;
    }
    for (size_t i = 0; i < sizeof id / sizeof *id; i++)
        if (strncmp(text, id[i], strlen(id[i])) == 0) {
            rc_str_addf(s->out, "%s%s-", id[i], s->name);
            return strlen(id[i]);
        }
    for (size_t i = 0; i < sizeof black / sizeof *black && s->colour; i++)
        if (strncmp(text, black[i], strlen(black[i])) == 0) {
            rc_str_add(s->out, i == 0 ? "" : "=\"currentColor\"");
            return strlen(black[i]);
        }
    return 0;
}

static void put_text(svg_t *s, const char *text, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t used = put_replaced(s, text + i);
        if (!used) {
            rc_str_addn(s->out, text + i, 1);
            used = 1;
        }
        i += used;
    }
}

static void close_points(svg_t *s)
{
    double size = 0;
    char colour[64] = "";
    if (!s->point[0])
        return;
    sscanf(s->point, "%lf %63[^\n]", &size, colour);
    /* lines of no length with round ends are discs */
    rc_str_addf(s->out,
        "<path fill=\"none\" stroke-linecap=\"round\" stroke-width=\"%.2f\" stroke=\"", 2 * size);
    put_text(s, colour, strlen(colour));
    rc_str_addf(s->out, "\" d=\"%s\"/>\n", s->points.text ? s->points.text : "");
    rc_str_free(&s->points);
    s->point[0] = '\0';
    s->group = 0;
}

/* A disc: taken into the path of those before it that look like it.  0: the line is none. */
static int take_point(svg_t *s, const char *line)
{
    double x;
    double y;
    double size;
    char colour[64];
    char look[160];
    if (sscanf(line,
            "<use xlink:href='#gpPt6' transform='translate(%lf,%lf) scale(%lf)' color='%63[^']'",
            &x, &y, &size, colour) != 4) {
        if (sscanf(line, "<use xlink:href='#gpDot' x='%lf' y='%lf' color='%63[^']'", &x, &y,
                colour) != 3)
            return 0;
        size = 0.5;
    }
    snprintf(look, sizeof look, "%.3f %s", size, colour);
    if (strcmp(look, s->point) != 0) {
        close_points(s);
        snprintf(s->point, sizeof s->point, "%s", look);
    }
    rc_str_addf(&s->points, "M%.1f,%.1fh0", x, y);
    return 1;
}

static int begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

static void take_line(svg_t *s, const char *line, size_t n)
{
    if (begins(line, "<title>") || begins(line, "<desc>") || take_point(s, line))
        return;
    close_points(s);
    if (begins(line, "</g>") && s->group) { /* nothing in it */
        s->out->len = s->group - 1;
        s->out->text[s->out->len] = '\0';
        s->group = 0;
        return;
    }
    s->group = begins(line, "<g ") && line[n - 1] == '>' && !memchr(line + 1, '<', n - 1)
                   ? s->out->len + 1
                   : 0;
    put_text(s, line, n);
    rc_str_add(s->out, "\n");
}

/* Lines of raw from `from` to `to`. */
static void take_lines(svg_t *s, const char *from, const char *to)
{
    while (from < to && !s->out->failed) {
        const char *end = memchr(from, '\n', (size_t)(to - from));
        end = end ? end : to;
        const char *a = from;
        const char *b = end;
        while (a < b && isspace((unsigned char)*a))
            a++;
        while (b > a && isspace((unsigned char)b[-1]))
            b--;
        s->line.len = 0;
        rc_str_addn(&s->line, a, (size_t)(b - a));
        if (s->line.len)
            take_line(s, s->line.text, s->line.len);
        from = end + 1;
    }
    close_points(s);
}

rc_status_t rc_plot_svg(const char *raw, const char *name, const char *title,
    const rc_plot_colour_t *colour, rc_str_t *out, rc_err_t *err)
{
    rc_str_t body = {0};
    svg_t s = {.out = &body, .name = name, .colour = colour};
    double box[4];
    const char *view = strstr(raw, "viewBox=\"");
    const char *canvas = strstr(raw, "<g id=\"gnuplot_canvas\"");
    const char *defs = canvas ? strstr(canvas, "<defs>") : NULL;
    const char *defs_end = defs ? strstr(defs, "</defs>") : NULL;
    const char *end = defs_end ? strstr(defs_end, "</svg>") : NULL;
    if (!end || !view || view > canvas ||
        sscanf(view, "viewBox=\"%lf %lf %lf %lf\"", &box[0], &box[1], &box[2], &box[3]) != 4)
        return rc_fail(err, RC_EFORMAT, "figure '%s': gnuplot wrote no whole drawing", name);
    rc_str_addf(out,
        "<svg class=\"figure\" role=\"img\" width=\"100%%\" viewBox=\"%g %g %g %g\" "
        "xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
        "aria-label=\"%s\">\n<g>\n",
        box[0], box[1], box[2], box[3], title);
    take_lines(&s, defs_end + strlen("</defs>"), end);
    if (body.text && (strstr(body.text, "href=") || strstr(body.text, "url("))) {
        s.out = out;
        take_lines(&s, defs, defs_end + strlen("</defs>"));
    }
    rc_str_add(out, body.text ? body.text : "");
    rc_str_add(out, "</svg>\n");
    int failed = out->failed || body.failed || s.points.failed || s.line.failed;
    rc_str_free(&body);
    rc_str_free(&s.line);
    rc_str_free(&s.points);
    return failed ? rc_fail(err, RC_ENOMEM, "no memory for figure '%s'", name) : RC_OK;
}
