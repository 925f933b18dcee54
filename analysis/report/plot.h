/** \file analysis/report/plot.h  The figures of a report: each is one constant descriptor in a file
 *  here, which writes the numbers as CSV, and one template in analysis/figures, from which gnuplot
 *  draws them; registered by one line in report.am.  Figures that are alike share both. */
#ifndef RC_ANALYSIS_PLOT_H
#define RC_ANALYSIS_PLOT_H

#include "analysis/report/report.h"
#include "analysis/report/survey.h"
#include "base/str.h"
#include "model/model.h"

#include <jansson.h>
#include <stdio.h>

/** What figures are drawn from. */
typedef struct rc_plot_input {
    const struct rc_plot *plot; /**< the figure that is drawn */
    const rc_survey_t *survey;
    int shown; /**< setting that a figure of a single setting shows; -1: none */
    const rc_report_options_t *options;
    const rc_model_t *model;  /**< NULL: none was given */
    const char *model_name;   /**< NULL: none */
    const json_t *model_file; /**< the model file as it is, with its evaluation on unseen rows;
                                 NULL: no model */
    const json_t *topologies; /**< what `rowcast evaluate --topologies -f json` printed; NULL: it
                                 was not given */
    const void *kept;         /**< what that figure keeps; NULL: nothing */
} rc_plot_input_t;

/** What a figure says of itself; zero-initialised by the caller, freed with rc_plot_text_free. */
typedef struct rc_plot_text {
    rc_str_t caption; /**< one or two sentences: what is shown, of which setting, over how many
                           matrices, geomean or mean */
    rc_str_t missing; /**< not empty: the figure is left out, and why ("the store has one K") */
    int of_shown;     /**< 1: that is so of the shown setting, whose name goes behind it */
    rc_str_t define;  /**< lines of gnuplot that go before the template: counts, titles, ranges */
} rc_plot_text_t;
void rc_plot_text_free(rc_plot_text_t *t);

struct rc_plot_orders;

/** A figure. */
typedef struct rc_plot {
    const char *name;     /**< "speedup-density": names of the files and of the template */
    const char *template; /**< NULL: the one of its name */
    const char *title;    /**< "Speedup of each policy over density" */
    const char *source;   /**< "Mehrabi et al., figure 5" */
    const char *section;  /**< heading of the page that it belongs under: "Orders", "Kernels",
                              "Cost", "Model" */
    int needs_model;
    int needs_results; /**< 1: is of a single setting, and there must be one */
    /** The setting that it shows, or brings out among all, where nobody asks for another; -1 none,
     *  and it is drawn once.  NULL: with `draw` rc_plot_home_orders, with `needs_results` the main
     *  one, else none. */
    int (*home)(const rc_plot_input_t *in);
    /** What it reads of the store for all settings, made once and kept in `in`; both NULL: nothing.
     *  \param[out] out  for `drop`, also after an error; NULL until it is set */
    rc_status_t (*keep)(const rc_plot_input_t *in, void **out, rc_err_t *err);
    void (*drop)(void *kept); /**< NULL is nothing */
    const void *how;          /**< for `write`, which several figures may share; NULL: nothing */
    /** Of a figure of row orders, in the place of `write`: its part where there is something to
     *  compare (rc_plot_write_orders). */
    rc_status_t (*draw)(const rc_plot_input_t *in, const struct rc_plot_orders *o, FILE *csv,
        rc_plot_text_t *text, rc_err_t *err);
    /** Write the CSV, header line with units first, or say in text->missing why there is none.
     *  \return RC_OK, RC_EIO, RC_ENOMEM */
    rc_status_t (*write)(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err);
} rc_plot_t;

extern const rc_plot_t *const rc_plots[]; /**< in the order of the page; NULL-terminated */

/** A figure that was drawn or left out. */
typedef struct rc_drawn {
    const rc_plot_t *plot;
    int setting;     /**< that it shows; -1: it is of no single one, or there is none */
    int is_home;     /**< 1: the one that is shown where nobody asks for another; the first of its
                          plot */
    char folder[72]; /**< of its files below figures/: "" at home, "k8-fp32/" */
    rc_plot_text_t text;
    int has_csv; /**< 1: the numbers were written, also where the drawing is left out */
    char *svg;   /**< the drawing, for inlining: no XML declaration, no scripts, ids unique by the
                  name of the figure, colours through CSS variables of the page where that is
                  possible; NULL when it was left out */
    int has_svg; /**< 1: there are files of the drawing, also where `svg` is left out of the page */
} rc_drawn_t;

/** Settings that a figure is drawn for, at most: those with most matrices. */
enum { RC_PLOT_SETTINGS = 12 };

/** Bytes of drawings for a page: those of other settings than the one at home are files only when
 *  there are more. */
enum { RC_PLOT_PAGE_BYTES = 16 << 20 };

/** Draw all figures from the templates in ASSETS/figures, NAME.gp and common.gp:
 *  DIR/figures/NAME.csv, NAME.svg, NAME.pdf; those of a single setting for the others too, as
 *  DIR/figures/SLUG/NAME.csv and so on.
 *  \param[in]  in   `plot`, `shown` and `kept` are not read
 *  \param[out] out  [*count] in the order of rc_plots; free with rc_drawn_free
 *  \return RC_OK, also when gnuplot is not there (every figure is then left out with that note, its
 *          CSV is written all the same); RC_ENOENT (no template), RC_EIO, RC_ENOMEM; RC_EIO with
 *          the first line that gnuplot said when it fails */
rc_status_t rc_plots_draw(const rc_plot_input_t *in, rc_drawn_t **out, int *count, rc_err_t *err);
void rc_drawn_free(rc_drawn_t *d, int count);

/** A text file of the user's, such as a template, at the end of what is in `out`.
 *  \return RC_OK, RC_ENOENT, RC_EIO, RC_EFORMAT (no text), RC_ENOMEM */
rc_status_t rc_report_read(const char *path, rc_str_t *out, rc_err_t *err);

/** Write a file of a report, whole or not at all.  \return RC_OK, RC_EIO, RC_ENOMEM */
rc_status_t rc_report_write(const char *path, const rc_str_t *text, rc_err_t *err);

#endif
