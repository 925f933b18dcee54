#include "config.h"
#include "analysis/report/gnuplot.h"
#include "analysis/report/plot_data.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/open.h"
#include "base/replace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RC_PLOT(name) extern const rc_plot_t rc_plot_##name;
#include "analysis/report/plots.def"
#undef RC_PLOT

const rc_plot_t *const rc_plots[] = {
#define RC_PLOT(name) &rc_plot_##name,
#include "analysis/report/plots.def"
#undef RC_PLOT
    NULL};

void rc_plot_text_free(rc_plot_text_t *t)
{
    rc_str_free(&t->caption);
    rc_str_free(&t->missing);
    rc_str_free(&t->define);
}

/* Files of a figure: what it leaves, what gnuplot writes, and what gnuplot reads. */
typedef enum file { CSV, SVG, PDF, NEW_SVG, NEW_PDF, SCRIPT, FILES } file_t;

/* What all figures of a report share while they are drawn. */
typedef struct drawer {
    rc_plot_input_t in;
    rc_str_t all;         /* folder of the figures */
    rc_str_t dir;         /* of those that are drawn: the same, or the folder of a setting in it */
    rc_str_t file[FILES]; /* of the figure that is drawn */
    rc_str_t common;
    rc_str_t program; /* of gnuplot; empty: there is none */
    rc_plot_colour_t colour[RC_PLOT_COLOURS_MAX];
    size_t bytes; /* of the drawings for the page */
    rc_err_t *err;
} drawer_t;

static rc_status_t check_text(const rc_str_t *s, rc_err_t *err)
{
    return s->failed ? rc_fail(err, RC_ENOMEM, "no memory for a figure") : RC_OK;
}

rc_status_t rc_report_read(const char *path, rc_str_t *out, rc_err_t *err)
{
    char buf[65536];
    size_t n;
    FILE *f;
    RC_PASS(rc_open_given(path, &f, err));
    while ((n = fread(buf, 1, sizeof buf, f)) > 0)
        rc_str_addn(out, buf, n);
    int failed = ferror(f);
    fclose(f);
    if (failed)
        return rc_fail(err, RC_EIO, "cannot read '%s'", path);
    if (out->len && memchr(out->text, '\0', out->len))
        return rc_fail(err, RC_EFORMAT, "'%s' is not text", path);
    return check_text(out, err);
}

rc_status_t rc_report_write(const char *path, const rc_str_t *text, rc_err_t *err)
{
    rc_replace_t r = {0};
    RC_PASS(rc_replace_begin_ours(path, &r, err));
    int whole = fwrite(text->text, 1, text->len, r.file) == text->len;
    rc_status_t st = rc_replace_end(&r, whole, err);
    return st == RC_OK && !whole ? rc_fail(err, RC_EIO, "cannot write '%s'", path) : st;
}

static rc_status_t remove_old(const drawer_t *d, file_t file)
{
    const char *path = d->file[file].text;
    return unlink(path) == 0 || errno == ENOENT
               ? RC_OK
               : rc_fail_errno(d->err, RC_EIO, errno, "cannot remove '%s'", path);
}

static rc_status_t write_csv(const drawer_t *d, rc_drawn_t *x)
{
    rc_replace_t r = {0};
    rc_status_t st;
    RC_TRY(rc_replace_begin_ours(d->file[CSV].text, &r, d->err));
    RC_TRY(
        (x->plot->draw ? rc_plot_write_orders : x->plot->write)(&d->in, r.file, &x->text, d->err));
    if (x->text.caption.failed || x->text.missing.failed || x->text.define.failed)
        RC_TRY(rc_fail(d->err, RC_ENOMEM, "no memory for a figure"));
    if (x->text.missing.len == 0) {
        RC_TRY(rc_replace_end(&r, 1, d->err));
        x->has_csv = 1;
    }
done:
    rc_replace_end(&r, 0, NULL);
    return st;
}

static int count_lines(const char *text)
{
    int n = 0;
    for (; text && *text; text++)
        n += *text == '\n';
    return n;
}

static const char *template_of(const rc_plot_t *p)
{
    return p->template ? p->template : p->name;
}

/* One drawing: state of the one before is forgotten, variables stay.  \return lines before it */
static int add_pass(rc_str_t *s, const drawer_t *d, const char *template, const char *format,
    const char *terminal, const char *output)
{
    rc_str_addf(s, "reset\nFORMAT = '%s'\n%s\n%s\nset output '%s'\n", format, d->common.text,
        terminal, output);
    int before = count_lines(s->text);
    rc_str_addf(s, "%s\nunset output\n", template);
    return before;
}

/* "line 1786: expecting comma" of the whole text as a line of the template, where it is of it. */
static rc_status_t name_line(
    const drawer_t *d, const char *name, int before, int lines, const rc_err_t *said)
{
    int line = 0;
    int n = 0;
    const char *at = strstr(said->text, "line ");
    if (!at || sscanf(at, "line %d:%n", &line, &n) != 1 || n == 0 || line <= before ||
        line > before + lines)
        return rc_fail(d->err, said->status, "figure '%s': %s", name, said->text);
    return rc_fail(d->err, said->status, "%s/figures/%s.gp:%d:%s", d->in.options->assets, name,
        line - before, at + n);
}

static rc_status_t write_text(const drawer_t *d, file_t file, const char *text)
{
    const char *path = d->file[file].text;
    FILE *f = rc_open_stream(path, RC_OPEN_FRESH, d->err);
    if (!f)
        return RC_EIO;
    int failed = fputs(text, f) < 0;
    failed |= fclose(f) != 0; /* what was not written stays an error of the stream */
    return failed ? rc_fail_errno(d->err, RC_EIO, errno, "cannot write '%s'", path) : RC_OK;
}

/* A file as gnuplot knows it, which runs in the folder. */
static const char *name_in_folder(const drawer_t *d, file_t file)
{
    return d->file[file].text + d->dir.len + 1;
}

/* Everything goes to gnuplot in one text that names files of its own folder only: no path and no
 * text of the store is a command. */
static rc_status_t run_gnuplot(const drawer_t *d, const rc_drawn_t *x, const char *template)
{
    rc_str_t s = {0};
    rc_err_t said = {0};
    int before = 0;
    rc_status_t st;
    rc_str_addf(&s,
        "CSV = '%s.csv'\nWIDTH = 520\nHEIGHT = 340\nTOP = 0\n%s\n"
        "if (exists('SUBTITLE')) { TOP = 22 + 14 * ((strlen(SUBTITLE) - 1) / 68); "
        "HEIGHT = HEIGHT + TOP }\n"
        "EXTRA = 0\n" /* titles of a row of three panels take more lines where they are long */
        "if (exists('ROWS') && exists('PANELS')) { do for [p = 1:PANELS] { "
        "n = strlen(PANEL[p]) > 19 ? 14 * ((strlen(PANEL[p]) - 1) / 24) : 0; "
        "EXTRA = n > EXTRA ? n : EXTRA }; HEIGHT = HEIGHT + ROWS * EXTRA }\n",
        x->plot->name, x->text.define.text ? x->text.define.text : "");
    RC_TRY(check_text(&s, d->err));
    before = add_pass(&s, d, template, "svg",
        "set terminal svg noenhanced dynamic size WIDTH, HEIGHT font 'inherit,14'",
        name_in_folder(d, NEW_SVG));
    /* 100 units are an inch, so text of 14 is 10 points; the terminal's own scale is 0.75 */
    add_pass(&s, d, template, "pdf",
        "set terminal pdfcairo noenhanced color size WIDTH / 100., HEIGHT / 100. font 'Sans,14' "
        "fontscale 0.54",
        name_in_folder(d, NEW_PDF));
    RC_TRY(check_text(&s, d->err));
    st = write_text(d, SCRIPT, s.text);
    if (st == RC_OK &&
        rc_plot_run(d->program.text, d->dir.text, name_in_folder(d, SCRIPT), &said) < 0)
        st = name_line(d, template_of(x->plot), before, count_lines(template) + 1, &said);
    unlink(d->file[SCRIPT].text);
done:
    rc_str_free(&s);
    return st;
}

/* From what gnuplot wrote to NAME.svg, NAME.pdf and the drawing for the page. */
static rc_status_t take_drawings(const drawer_t *d, rc_drawn_t *x)
{
    const rc_plot_t *p = x->plot;
    rc_str_t raw = {0};
    rc_str_t alone = {0};
    rc_str_t inlined = {0};
    rc_status_t st;
    RC_TRY(rc_report_read(d->file[NEW_SVG].text, &raw, d->err));
    if (!raw.text)
        RC_TRY(rc_fail(d->err, RC_EIO, "figure '%s': gnuplot wrote nothing", p->name));
    RC_TRY(rc_plot_svg(raw.text, p->name, p->title, NULL, &alone, d->err));
    RC_TRY(rc_plot_svg(raw.text, p->name, p->title, d->colour, &inlined, d->err));
    RC_TRY(rc_report_write(d->file[SVG].text, &alone, d->err));
    if (rename(d->file[NEW_PDF].text, d->file[PDF].text) != 0)
        RC_TRY(rc_fail_errno(d->err, RC_EIO, errno, "cannot rename '%s'", d->file[NEW_PDF].text));
    x->svg = inlined.text;
    x->has_svg = 1;
    inlined = (rc_str_t){0};
done:
    rc_str_free(&raw);
    rc_str_free(&alone);
    rc_str_free(&inlined);
    return st;
}

static rc_status_t draw_template(const drawer_t *d, rc_drawn_t *x)
{
    rc_str_t template = {0};
    rc_status_t st;
    char *path = rc_strf(
        "a file name", d->err, "%s/figures/%s.gp", d->in.options->assets, template_of(x->plot));
    RC_TRY(path ? rc_report_read(path, &template, d->err) : RC_ENOMEM);
    /* gnuplot would follow a link that has the name */
    RC_TRY(write_text(d, NEW_SVG, ""));
    RC_TRY(write_text(d, NEW_PDF, ""));
    RC_TRY(run_gnuplot(d, x, template.text ? template.text : ""));
    RC_TRY(take_drawings(d, x));
done:
    unlink(d->file[NEW_SVG].text);
    unlink(d->file[NEW_PDF].text);
    free(path);
    rc_str_free(&template);
    return st;
}

/* CSV and drawing, or why there is none. */
static rc_status_t make_figure(const drawer_t *d, rc_drawn_t *x)
{
    rc_status_t st = RC_OK;
    if (x->plot->needs_model && !d->in.model_file)
        rc_str_add(&x->text.missing, "no model was given (--model)");
    else if (x->plot->needs_results && d->in.shown < 0)
        rc_str_add(&x->text.missing, rc_plot_no_results);
    else
        st = write_csv(d, x);
    if (st < 0 || x->text.missing.len)
        return st;
    if (d->program.text)
        return draw_template(d, x);
    rc_str_add(&x->text.missing,
        "gnuplot was not found: install it or name it in GNUPLOT; the CSV is there");
    return RC_OK;
}

static rc_status_t draw(const drawer_t *d, rc_drawn_t *x)
{
    RC_PASS(make_figure(d, x));
    RC_PASS(check_text(&x->text.missing, d->err));
    if (x->svg)
        return RC_OK;
    /* what an earlier report left behind would be taken for a figure of this one */
    RC_PASS(remove_old(d, SVG));
    RC_PASS(remove_old(d, PDF));
    return x->has_csv ? RC_OK : remove_old(d, CSV);
}

static rc_status_t prepare(drawer_t *d)
{
    rc_err_t why = {0};
    rc_status_t st;
    char *common = rc_strf("a file name", d->err, "%s/figures/common.gp", d->in.options->assets);
    RC_TRY(common ? RC_OK : RC_ENOMEM);
    rc_str_addf(&d->all, "%s/figures", d->in.options->dir);
    RC_TRY(check_text(&d->all, d->err));
    RC_TRY(rc_open_folder(d->all.text, d->err));
    st = rc_report_read(common, &d->common, d->err);
    if (st < 0)
        RC_TRY(rc_err_context(d->err, "--assets (or ROWCAST_ASSETS)"));
    rc_str_add(&d->common, "\n");
    RC_TRY(check_text(&d->common, d->err));
    (void)rc_plot_colours(d->common.text, d->colour);
    st = rc_plot_program(&d->program, &why);
    if (st == RC_ENOENT)
        st = RC_OK;
    else if (st < 0 && d->err)
        *d->err = why;
done:
    free(common);
    return st;
}

static rc_status_t name_files(drawer_t *d, const char *plot)
{
    static const char *const ending[FILES] = {"csv", "svg", "pdf", "svg.tmp", "pdf.tmp", "gp.tmp"};
    for (int i = 0; i < FILES; i++) {
        d->file[i].len = 0;
        rc_str_addf(&d->file[i], "%s/%s.%s", d->dir.text, plot, ending[i]);
        if (i >= NEW_SVG)
            rc_str_addf(&d->file[i], "%ld", (long)getpid());
        RC_PASS(check_text(&d->file[i], d->err));
    }
    return RC_OK;
}

/* One figure of one setting. */
static rc_status_t draw_for(
    drawer_t *d, const rc_plot_t *plot, int setting, int is_home, rc_drawn_t *x)
{
    const rc_survey_t *s = d->in.survey;
    *x = (rc_drawn_t){.plot = plot, .setting = setting, .is_home = is_home};
    if (!is_home)
        snprintf(x->folder, sizeof x->folder, "%s/", s->setting[setting].slug);
    d->in.shown = setting;
    d->dir.len = 0;
    rc_str_addf(&d->dir, "%s%s%s", d->all.text, is_home ? "" : "/",
        is_home ? "" : s->setting[setting].slug);
    RC_PASS(check_text(&d->dir, d->err));
    RC_PASS(rc_open_folder(d->dir.text, d->err));
    RC_PASS(name_files(d, plot->name));
    RC_PASS(draw(d, x));
    if (!x->svg)
        return RC_OK;
    d->bytes += strlen(x->svg);
    if (!is_home && d->bytes > RC_PLOT_PAGE_BYTES) {
        d->bytes -= strlen(x->svg);
        free(x->svg);
        x->svg = NULL;
        rc_str_add(&x->text.missing, "the page would grow too large; its drawing is a file");
    }
    return check_text(&x->text.missing, d->err);
}

/* Whether a setting is of those with most matrices. */
static int is_drawn(const rc_survey_t *s, int setting)
{
    int before = 0;
    int64_t own = s->setting[setting].pairs;
    for (int a = 0; a < s->settings; a++)
        before += s->setting[a].pairs > own || (s->setting[a].pairs == own && a < setting);
    return before < RC_PLOT_SETTINGS;
}

/* What is no file of a figure stays, and its folder with it. */
static rc_status_t clear(int parent, const char *name, rc_err_t *err)
{
    static const char *const ending[] = {"csv", "svg", "pdf"};
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return RC_OK; /* no folder */
    int failed = 0;
    for (int i = 0; rc_plots[i]; i++)
        for (size_t k = 0; k < sizeof ending / sizeof *ending; k++) {
            char file[96];
            snprintf(file, sizeof file, "%s.%s", rc_plots[i]->name, ending[k]);
            if (unlinkat(folder, file, 0) != 0 && errno != ENOENT)
                failed = errno;
        }
    close(folder);
    if (failed)
        return rc_fail_errno(err, RC_EIO, failed, "cannot remove old figures from '%s'", name);
    unlinkat(parent, name, AT_REMOVEDIR); /* succeeds only when it is empty */
    return RC_OK;
}

/* Remove the files of figures from folders of products that this report has none of, and these
 * folders where nothing else is in them.  Links are not followed. */
static rc_status_t remove_others(const char *figures, const rc_drawn_t *drawn, int n, rc_err_t *err)
{
    DIR *d = opendir(figures);
    if (!d)
        return rc_fail_errno(err, RC_EIO, errno, "cannot read the folder '%s'", figures);
    rc_status_t st = RC_OK;
    for (const struct dirent *e = readdir(d); e && st == RC_OK; e = readdir(d)) {
        size_t length = strlen(e->d_name);
        int ours = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
        for (int i = 0; i < n; i++)
            ours |= strncmp(drawn[i].folder, e->d_name, length) == 0 &&
                    strcmp(drawn[i].folder + length, "/") == 0;
        st = ours ? RC_OK : clear(dirfd(d), e->d_name, err);
    }
    closedir(d);
    return st;
}

static int home_of(const rc_plot_input_t *in, const rc_plot_t *plot)
{
    if (plot->home)
        return plot->home(in);
    if (plot->draw)
        return rc_plot_home_orders(in);
    return plot->needs_results ? in->survey->main_setting : -1;
}

static rc_status_t draw_plot(drawer_t *d, const rc_plot_t *plot, rc_drawn_t *list, int *n)
{
    const rc_survey_t *s = d->in.survey;
    int home = home_of(&d->in, plot);
    void *kept = NULL;
    d->in.plot = plot;
    rc_status_t st = plot->keep ? plot->keep(&d->in, &kept, d->err) : RC_OK;
    d->in.kept = kept;
    if (st == RC_OK)
        st = draw_for(d, plot, home, 1, &list[(*n)++]);
    for (int a = 0; home >= 0 && st == RC_OK && a < s->settings; a++)
        if (a != home && is_drawn(s, a))
            st = draw_for(d, plot, a, 0, &list[(*n)++]);
    if (plot->drop)
        plot->drop(kept);
    d->in.kept = NULL;
    return st;
}

rc_status_t rc_plots_draw(const rc_plot_input_t *in, rc_drawn_t **out, int *count, rc_err_t *err)
{
    drawer_t d = {.in = *in, .err = err};
    rc_drawn_t *list = NULL;
    int plots = 0;
    int n = 0;
    rc_status_t st;
    while (rc_plots[plots])
        plots++;
    list = rc_alloc0((size_t)plots, (RC_PLOT_SETTINGS + 1) * sizeof *list, "figures", err);
    RC_TRY(list ? RC_OK : RC_ENOMEM);
    RC_TRY(prepare(&d));
    for (int i = 0; i < plots; i++)
        RC_TRY(draw_plot(&d, rc_plots[i], list, &n));
    RC_TRY(remove_others(d.all.text, list, n, err));
    *out = list;
    *count = n;
    list = NULL;
done:
    rc_drawn_free(list, n);
    rc_str_free(&d.all);
    rc_str_free(&d.dir);
    for (int i = 0; i < FILES; i++)
        rc_str_free(&d.file[i]);
    rc_str_free(&d.common);
    rc_str_free(&d.program);
    return st;
}

void rc_drawn_free(rc_drawn_t *d, int count)
{
    for (int i = 0; d && i < count; i++) {
        rc_plot_text_free(&d[i].text);
        free(d[i].svg);
    }
    free(d);
}
