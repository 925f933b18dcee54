/* What turns gnuplot's drawings and a figure's numbers into what a page shows; gnuplot itself is
 * not needed. */
#include "config.h"
#include "unit.h"

#include "analysis/report/gnuplot.h"
#include "analysis/report/plot_data.h"
#include "base/rng.h"
#include "base/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As gnuplot 5.4 writes it. */
static const char head[] = "<?xml version=\"1.0\" encoding=\"utf-8\"  standalone=\"no\"?>\n<svg \n "
                           "viewBox=\"0 0 520 340\"\n"
                           " xmlns=\"http://www.w3.org/2000/svg\"\n>\n\n<title>Gnuplot</title>\n"
                           "<g id=\"gnuplot_canvas\">\n<defs>\n\t<circle id='gpPt5' r='1'/>\n"
                           "\t<use xlink:href='#gpPt5' id='gpPt6' fill='currentColor'/>\n</defs>\n";
static const char tail[] = "</g>\n</svg>\n";

static const rc_plot_colour_t colours[] = {
    {0x010101, "currentColor"}, {0x0072b2, "--figure-1"}, {0, ""}};

static rc_str_t rewrite(const char *body, int inlined)
{
    rc_str_t raw = {0};
    rc_str_t out = {0};
    rc_err_t err = {0};
    rc_str_addf(&raw, "%s%s%s", head, body, tail);
    assert_int_equal(
        rc_plot_svg(raw.text, "fig", "A, B", inlined ? colours : NULL, &out, &err), RC_OK);
    rc_str_free(&raw);
    return out;
}

static int count(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        n++;
    return n;
}

static void points_of_one_look_become_one_path(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 3);
    for (int round = 0; round < 20; round++) {
        rc_str_t body = {0};
        rc_str_t expected = {0};
        int paths = 0;
        int look = -1;
        for (int i = 0; i < 40; i++) {
            int next = (int)rc_rng_below(&r, 3);
            double x = (double)rc_rng_below(&r, 5200) / 10;
            double y = (double)rc_rng_below(&r, 3400) / 10;
            char at[64];
            rc_str_addf(&body,
                "\t<use xlink:href='#gpPt6' transform='translate(%.2f,%.2f) scale(%d.50)' "
                "color='rgb(  0, 114, 178)'/>\n",
                x, y, next + 1);
            paths += next != look;
            look = next;
            snprintf(at, sizeof at, "M%.1f,%.1fh0", x, y);
            rc_str_add(&expected, at);
        }
        rc_str_t out = rewrite(body.text, 1);
        assert_int_equal(count(out.text, "<path "), paths);
        assert_int_equal(count(out.text, "h0"), 40);
        assert_int_equal(count(out.text, "stroke=\"var(--figure-1, #0072b2)\""), paths);
        assert_null(strstr(out.text, "<defs>")); /* nothing refers to them any more */
        /* the points in their order */
        rc_str_t found = {0};
        for (const char *d = strstr(out.text, " d=\""); d; d = strstr(d + 4, " d=\""))
            rc_str_addn(&found, d + 4, strcspn(d + 4, "\""));
        assert_string_equal(found.text, expected.text);
        rc_str_free(&found);
        rc_str_free(&expected);
        rc_str_free(&body);
        rc_str_free(&out);
    }
}

static void drawings_are_of_the_page_or_stand_alone(void **state)
{
    (void)state;
    static const char body[] =
        "<g fill=\"none\" color=\"black\" stroke=\"currentColor\">\n</g>\n"
        "<g fill=\"none\" color=\"black\" stroke=\"currentColor\">\n"
        "\t<path stroke='rgb(  1,   1,   1)' d='M1,2 L3,4'/>\t<g fill=\"rgb(0,114,178)\" "
        "font-family=\"inherit\" font-size=\"14.00\">\n"
        "\t\t<text><tspan font-family=\"inherit\" >a_b</tspan></text>\n\t</g>\n</g>\n"
        "\t<g id=\"gnuplot_plot_1\" ><title>gnuplot_plot_1</title>\n"
        "\t<use xlink:href='#gpPt5' transform='translate(1.00,2.00) scale(1.00)' "
        "color='rgb(1,2,3)'/>\n</g>\n";
    rc_str_t page = rewrite(body, 1);
    rc_str_t alone = rewrite(body, 0);
    const rc_str_t *const both[] = {&page, &alone};
    for (int i = 0; i < 2; i++) {
        const char *text = both[i]->text;
        assert_int_equal(strncmp(text, "<svg ", 5), 0);
        assert_non_null(strstr(text, "viewBox=\"0 0 520 340\""));
        assert_non_null(strstr(text, "aria-label=\"A, B\""));
        assert_null(strstr(text, "Gnuplot"));
        assert_null(strstr(text, "inherit"));
        assert_int_equal(count(text, " id="), count(text, " id='fig-") + count(text, " id=\"fig-"));
        assert_int_equal(count(text, "href='#"), count(text, "href='#fig-"));
        assert_non_null(strstr(text, "id='fig-gpPt5'"));
        assert_int_equal(count(text, "<g"), count(text, "</g>"));
        assert_int_equal(count(text, "rgb("), 0);
        assert_non_null(strstr(text, "#010203")); /* no colour of the page */
        assert_non_null(strstr(text, ">a_b<"));
    }
    assert_non_null(strstr(page.text, "stroke='currentColor' d='M1,2"));
    assert_non_null(strstr(page.text, "fill=\"var(--figure-1, #0072b2)\""));
    assert_null(strstr(page.text, "black"));
    assert_null(strstr(page.text, "font-family"));
    assert_non_null(strstr(alone.text, "stroke='#010101' d='M1,2"));
    assert_non_null(strstr(alone.text, "fill=\"#0072b2\" font-family=\"sans-serif\" font-size"));
    assert_null(strstr(alone.text, "var("));
    rc_str_free(&page);
    rc_str_free(&alone);
}

static void what_is_no_drawing_is_refused(void **state)
{
    (void)state;
    rc_str_t out = {0};
    rc_err_t err = {0};
    assert_int_equal(rc_plot_svg("", "fig", "", colours, &out, &err), RC_EFORMAT);
    rc_str_t half = {0};
    rc_str_add(&half, head); /* gnuplot was killed */
    assert_int_equal(rc_plot_svg(half.text, "fig", "", colours, &out, &err), RC_EFORMAT);
    rc_str_free(&half);
    rc_str_free(&out);
}

static void colours_are_read_from_the_template(void **state)
{
    (void)state;
    rc_plot_colour_t c[RC_PLOT_COLOURS_MAX];
    assert_int_equal(rc_plot_colours("# text\n#colour 0072b2 --figure-1\nset x\n#colour nothing\n"
                                     " #colour 111111 --no\n#colour 010101 currentColor",
                         c),
        2);
    assert_int_equal(c[0].rgb, 0x0072b2);
    assert_string_equal(c[0].name, "--figure-1");
    assert_string_equal(c[1].name, "currentColor");
}

/* A text of a store must stay one string of gnuplot. */
static void definitions_cannot_be_left(void **state)
{
    (void)state;
    rc_plot_text_t t = {0};
    rc_plot_define_text(&t, "X", "it's `a`\n\"b\"\\'");
    assert_string_equal(t.define.text, "X = 'it''s `a` \"b\"\\'''\n");
    rc_plot_text_free(&t);
    rc_plot_block_text(&t, "x\"\nEND_OF_BLOCK\n!touch a\r\x7f");
    assert_string_equal(t.define.text, "\"x  END_OF_BLOCK !touch a  \"");
    rc_plot_text_free(&t);
}

/* Lines of a block, "x,y,...": how many, and the numbers of the first two columns. */
static int read_block(const char *text, double *x, double *y, int most)
{
    int n = 0;
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL)
        if (n < most && sscanf(line, "%lf,%lf", &x[n], &y[n]) == 2)
            n++;
    return n;
}

static void samples_are_some_of_the_points_and_trends_all(void **state)
{
    (void)state;
    enum { N = 5000 };
    static double x[N];
    static double y[N];
    static double px[N];
    static double py[N];
    rc_rng_t r;
    rc_rng_seed(&r, 9);
    int there = 0;
    for (int i = 0; i < N; i++) {
        x[i] = i + 1;
        y[i] = rc_rng_below(&r, 10) == 0 ? NAN : 3.0 * (i + 1);
        there += !isnan(y[i]);
    }
    for (int64_t most = 100; most <= 2 * N; most *= 10) {
        rc_plot_text_t t = {0};
        int64_t hidden = rc_plot_block_points(&t, x, y, N, most);
        int n = read_block(t.define.text, px, py, N);
        assert_int_equal(n + hidden, there);
        if (most >= there)
            assert_int_equal(hidden, 0);
        else
            assert_in_range(n, most * 7 / 10, most * 13 / 10);
        for (int i = 0; i < n; i++) {
            assert_true(py[i] == 3 * px[i]);
            assert_true(i == 0 || px[i] > px[i - 1]);
        }
        rc_plot_text_free(&t);
    }
    rc_plot_text_t t = {0};
    assert_int_equal(rc_plot_block_trend(&t, x, y, N, NULL), RC_OK);
    int n = read_block(t.define.text, px, py, N);
    assert_in_range(n, 10, 16);
    for (int i = 0; i < n; i++) /* y is linear in x, so is its median; texts have 5 digits */
        assert_true(fabs(py[i] / px[i] - 3) < 1e-3);
    rc_plot_text_free(&t);
    /* a series without points keeps its place */
    t = (rc_plot_text_t){0};
    assert_int_equal(rc_plot_block_points(&t, x, y, 0, 10), 0);
    assert_non_null(strstr(t.define.text, "NaN,NaN\n\n\n"));
    rc_plot_text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_of_one_look_become_one_path),
        cmocka_unit_test(drawings_are_of_the_page_or_stand_alone),
        cmocka_unit_test(what_is_no_drawing_is_refused),
        cmocka_unit_test(colours_are_read_from_the_template),
        cmocka_unit_test(definitions_cannot_be_left),
        cmocka_unit_test(samples_are_some_of_the_points_and_trends_all),
    };
    return cmocka_run_group_tests_name("plots", tests, NULL, NULL);
}
