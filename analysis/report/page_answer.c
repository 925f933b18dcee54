/* The first thing on the page: what the measurements say. */
#include "config.h"
#include "analysis/report/page_text.h"

#include <math.h>
#include <string.h>

static const rc_row_result_t *result(const rc_page_t *p, int64_t row)
{
    return rc_view_result(p->in->survey->view, row);
}

/* "CODE in the original order", "CODE in the order CODE" */
static void plan(rc_str_t *s, const rc_page_t *p, int64_t row)
{
    const rc_view_t *v = p->in->survey->view;
    const char *policy = rc_view_policy(v, result(p, row)->policy);
    rc_page_code(s, rc_view_kernel(v, result(p, row)->kernel));
    if (strcmp(policy, "csr") == 0) {
        rc_str_add(s, " in the original row order");
    } else {
        rc_str_add(s, " in the row order ");
        rc_page_code(s, policy);
    }
}

/* "cuda:NVIDIA H200:132sm:cuda13.0" is for machines: the second part is the name */
static void device_name(rc_str_t *s, const char *device)
{
    const char *name = strchr(device, ':');
    if (!name) {
        rc_page_text(s, device);
        return;
    }
    name++;
    rc_str_t part = {0};
    rc_str_addn(&part, name, strcspn(name, ":"));
    if (part.text)
        rc_page_text(s, part.text);
    s->failed |= part.failed;
    rc_str_free(&part);
}

/* How much there is behind the answer. */
static void extent(rc_str_t *s, const rc_page_t *p)
{
    const rc_survey_t *sv = p->in->survey;
    rc_str_add(s, "<p class=\"extent\">");
    rc_page_counted(s, sv->results, "verified result", "verified results");
    rc_str_add(s, " of ");
    rc_page_counted(s, sv->matrices, "matrix", "matrices");
    if (p->where) {
        rc_str_add(s, ", filtered by ");
        rc_page_code(s, p->where);
    }
    rc_str_add(s, "</p>\n");
}

void rc_page_headline(rc_str_t *s, const rc_page_t *p)
{
    const rc_survey_t *sv = p->in->survey;
    int shown = 0;
    rc_str_add(s, "Sparse &times; dense");
    for (int i = 0; i < sv->settings; i++) {
        int seen = 0;
        for (int j = 0; j < i; j++)
            seen |= strcmp(sv->setting[i].device, sv->setting[j].device) == 0;
        if (seen)
            continue;
        rc_str_add(s, shown++ ? ", " : " on ");
        device_name(s, sv->setting[i].device);
    }
}

static void mean_beside(rc_str_t *s, const rc_gain_t *g)
{
    rc_str_add(s, "<strong>");
    rc_page_ratio(s, g->stats.geomean);
    rc_str_add(s, "</strong> in geomean (mean ");
    rc_page_ratio(s, g->stats.mean);
    rc_str_add(s, ")");
}

static void sentences(
    rc_str_t *s, const rc_page_t *p, const rc_survey_setting_t *a, const rc_headline_t *st)
{
    rc_str_add(s, "<p class=\"lead\">At ");
    rc_page_text(s, a->label);
    rc_str_add(s, ", ");
    if (st->leader >= 0) {
        plan(s, p, st->leader);
        if (st->matrices > 1) {
            rc_str_add(s, " is the fastest most often, on ");
            rc_page_count(s, st->wins);
            rc_str_add(s, " of ");
            rc_page_counted(s, st->matrices, "matrix", "matrices");
            rc_str_add(s, " (");
            rc_page_share(s, st->wins, st->matrices);
            rc_str_add(s, ")");
        } else {
            rc_str_add(s, " is the fastest on the only matrix");
        }
    }
    rc_str_add(s, ". ");
    if (st->order.stats.count > 0) {
        rc_str_add(s, "The best row order of each matrix makes ");
        rc_page_code(s, a->reference);
        rc_str_add(s, " ");
        mean_beside(s, &st->order);
        rc_str_add(s, " as fast as the original order, and gains more than 5&nbsp;% on ");
        rc_page_share(s, st->order.over5, st->order.stats.count);
        rc_str_add(s, " of them. ");
    } else {
        rc_str_add(
            s, a->reference[0]
                   ? "No row order can be compared here: the original one has no results. "
                   : "No kernel was measured here with row orders besides the original one. ");
    }
    if (st->plan.stats.count > 0 && st->reordered > 0) {
        rc_str_add(s, "Over all kernels, the best plan is ");
        mean_beside(s, &st->plan);
        rc_str_add(s, " as fast as the best kernel without reordering");
        if (st->vendor.stats.count > 0) {
            rc_str_add(s, " and ");
            mean_beside(s, &st->vendor);
            rc_str_add(s, " as fast as the best cuSPARSE algorithm");
        }
        if (isfinite(st->break_even_median)) {
            rc_str_add(
                s, "; where it is a reordered one, it has paid for its order after <strong>");
            rc_page_counted(s, (int64_t)ceil(st->break_even_median), "product", "products");
            rc_str_add(s, "</strong> in the median of ");
            rc_page_counted(s, st->pays, "matrix", "matrices");
        }
        rc_str_add(s, ".");
    } else if (st->vendor.stats.count > 0) {
        rc_str_add(s, "The best plan is ");
        mean_beside(s, &st->vendor);
        rc_str_add(s, " as fast as the best cuSPARSE algorithm.");
    }
    rc_str_add(s, "</p>\n");
    if (st->order.stats.count > 0 || st->reordered > 0)
        rc_str_add(s,
            "<p class=\"note\">The best is the smallest of several measured times, so a part of "
            "these "
            "gains is the error of the times, which the runs below were to bring down to a "
            "target.</p>\n");
}

static void tile(rc_str_t *s, const char *value, const char *label)
{
    rc_str_addf(s, "<div><dt>%s</dt><dd>%s</dd></div>\n", label, value);
}

static void gain_tile(rc_str_t *s, const rc_gain_t *g, const char *label, const char *kernel)
{
    rc_str_t value = {0};
    rc_str_t text = {0};
    if (g->stats.count == 0)
        return;
    rc_page_ratio(&value, g->stats.geomean);
    rc_str_add(&text, label);
    if (kernel)
        rc_page_code(&text, kernel);
    rc_str_add(&text, "<span>geomean; mean ");
    rc_page_ratio(&text, g->stats.mean);
    rc_str_add(&text, "</span>");
    if (value.text && text.text)
        tile(s, value.text, text.text);
    s->failed |= value.failed | text.failed;
    rc_str_free(&value);
    rc_str_free(&text);
}

static void tiles(rc_str_t *s, const rc_survey_setting_t *a, const rc_headline_t *st)
{
    rc_str_t value = {0};
    rc_str_add(s, "<dl class=\"tiles\">\n");
    gain_tile(s, &st->order, "best order over original order, ", a->reference);
    if (st->order.stats.count > 0) {
        rc_page_share(&value, st->order.over5, st->order.stats.count);
        tile(s, value.text ? value.text : "", "of matrices where that gains more than 5&nbsp;%");
    }
    gain_tile(s, &st->plan, "best plan over best kernel in original order", NULL);
    gain_tile(s, &st->vendor, "best plan over best cuSPARSE algorithm", NULL);
    if (isfinite(st->break_even_median)) {
        s->failed |= value.failed;
        rc_str_free(&value);
        rc_page_count(&value, (int64_t)ceil(st->break_even_median));
        tile(s, value.text ? value.text : "",
            "products until a reordered best plan has paid for itself<span>median</span>");
    }
    rc_str_add(s, "</dl>\n");
    s->failed |= value.failed;
    rc_str_free(&value);
}

void rc_page_answer(rc_str_t *s, const rc_page_t *p, const rc_headline_t *headline)
{
    const rc_survey_t *sv = p->in->survey;
    extent(s, p);
    if (sv->main_setting < 0) {
        rc_str_add(s, "<p class=\"lead\">There is no verified result to report");
        if (p->where)
            rc_str_add(s, " that the filter lets pass");
        rc_str_add(s, ".</p>\n");
        return;
    }
    const rc_survey_setting_t *a = &sv->setting[sv->main_setting];
    sentences(s, p, a, &headline[sv->main_setting]);
    tiles(s, a, &headline[sv->main_setting]);
}

static void ratio_cell(rc_str_t *s, const char *name, double x)
{
    rc_str_addf(s, "<td class=\"n\" data-of=\"%s\">", name);
    rc_page_ratio(s, x);
    rc_str_add(s, "</td>");
}

static void gain_heads(rc_str_t *s, int columns)
{
    static const char *const head[] = {"geomean", "mean", "gain &gt; 5&nbsp;%"};
    for (int i = 0; i < columns; i++)
        rc_str_addf(s, "<th scope=\"col\" class=\"n\">%s</th>", head[i]);
}

void rc_page_settings(rc_str_t *s, const rc_page_t *p, const rc_headline_t *headline)
{
    const rc_survey_t *sv = p->in->survey;
    int vendor = 0;
    if (sv->settings == 0)
        return;
    for (int i = 0; i < sv->settings; i++)
        vendor |= headline[i].vendor.stats.count > 0;
    rc_str_add(s,
        "<p class=\"note\">The same for every product that was measured; ratios of times over the "
        "matrices of a line.</p>\n"
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Every product\">\n"
        "<table class=\"arenas\">\n<thead>\n<tr><th scope=\"col\" rowspan=\"2\">product</th>"
        "<th scope=\"col\" rowspan=\"2\" class=\"n\">matrices</th>"
        "<th scope=\"colgroup\" colspan=\"3\">best order over original</th>"
        "<th scope=\"colgroup\" colspan=\"2\">best plan over best csr</th>");
    if (vendor)
        rc_str_add(s, "<th scope=\"colgroup\" colspan=\"2\">best plan over cuSPARSE</th>");
    rc_str_add(s, "<th scope=\"col\" class=\"n\">break-even</th>"
                  "<th scope=\"col\" rowspan=\"2\">fastest most often</th></tr>\n<tr>");
    gain_heads(s, 3);
    gain_heads(s, 2);
    gain_heads(s, vendor ? 2 : 0);
    rc_str_add(s, "<th scope=\"col\" class=\"n\">median, products</th></tr>\n</thead>\n<tbody>\n");
    for (int i = 0; i < sv->settings; i++) {
        const rc_headline_t *st = &headline[i];
        rc_str_add(s, "<tr data-arena=\"");
        rc_page_text(s, sv->setting[i].slug);
        rc_str_addf(s, "\"%s><th scope=\"row\">", i == sv->main_setting ? " class=\"main\"" : "");
        rc_page_text(s, sv->setting[i].label);
        if (sv->setting[i].reference[0]) {
            rc_str_add(s, "<small>orders of ");
            rc_page_kernel(s, sv->setting[i].reference);
            rc_str_add(s, "</small>");
        }
        rc_str_add(s, "</th><td class=\"n\" data-of=\"matrices\">");
        rc_page_count(s, st->matrices);
        rc_str_add(s, "</td>");
        ratio_cell(s, "order-geomean", st->order.stats.geomean);
        ratio_cell(s, "order-mean", st->order.stats.mean);
        rc_str_add(s, "<td class=\"n\" data-of=\"order-over5\">");
        rc_page_share(s, st->order.over5, st->order.stats.count);
        rc_str_add(s, "</td>");
        ratio_cell(s, "plan-geomean", st->plan.stats.geomean);
        ratio_cell(s, "plan-mean", st->plan.stats.mean);
        if (vendor) {
            ratio_cell(s, "vendor-geomean", st->vendor.stats.geomean);
            ratio_cell(s, "vendor-mean", st->vendor.stats.mean);
        }
        rc_str_add(s, "<td class=\"n\" data-of=\"break-even\">");
        if (isfinite(st->break_even_median))
            rc_page_count(s, (int64_t)ceil(st->break_even_median));
        else
            rc_str_add(s, "&ndash;");
        rc_str_add(s, "</td><td>");
        if (st->leader >= 0) {
            rc_page_kernel(s, rc_view_kernel(sv->view, result(p, st->leader)->kernel));
            rc_str_add(s, "<small>");
            rc_page_text(s, rc_view_policy(sv->view, result(p, st->leader)->policy));
            rc_str_add(s, ", on ");
            rc_page_share(s, st->wins, st->matrices);
            rc_str_add(s, "</small>");
        }
        rc_str_add(s, "</td></tr>\n");
    }
    rc_str_add(s, "</tbody></table></div>\n");
}
