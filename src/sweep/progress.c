#include "config.h"
#include "sweep/progress.h"
#include "base/clock.h"
#include "base/str.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static const int64_t terminal_interval_ns = INT64_C(300000000);
static const int64_t file_interval_ns = INT64_C(5000000000);
static const int64_t file_interval_most_ns = INT64_C(60000000000);

void rc_effort_add(rc_effort_t *sum, const rc_effort_t *more, double way)
{
    for (int i = 0; i < RC_EFFORTS; i++)
        sum->s[i] += way * more->s[i];
}

double rc_effort_sum(const rc_effort_t *e, const double *rate)
{
    double s = 0;
    for (int i = 0; i < RC_EFFORTS; i++)
        s += e->s[i] * (rate ? rate[i] : 1);
    return s;
}

void rc_progress_add(rc_progress_t *sum, const rc_progress_t *more)
{
    for (int i = 0; i < RC_CASE_STATUSES; i++)
        sum->cases[i] += more->cases[i];
    sum->again += more->again;
    rc_effort_add(&sum->effort, &more->effort, 1);
    rc_effort_add(&sum->due, &more->due, 1);
    rc_effort_add(&sum->redone, &more->redone, 1);
    sum->last_s += more->last_s;
    sum->took_s += more->took_s;
}

int64_t rc_last_turn_ns(const int64_t *again_ns, int from, int n, int64_t left_ns)
{
    int64_t sum = 0;
    for (int i = from; i < n; i++)
        if (i == 0 || again_ns[i] <= left_ns - sum)
            sum += again_ns[i];
    return sum;
}

void rc_meter_start(
    rc_meter_t *m, const rc_log_t *log, int64_t matrices, int64_t cases, const rc_effort_t *planned)
{
    memset(m, 0, sizeof *m);
    m->log = log;
    m->terminal = log && log->stream && log->level >= RC_LOG_INFO && isatty(fileno(log->stream));
    m->started_ns = rc_clock_ns();
    m->matrices = matrices;
    m->cases = cases;
    m->planned = *planned;
    for (int i = 0; i < RC_EFFORTS; i++)
        m->rate[i] = 1;
}

static int64_t cases_done(const rc_meter_t *m)
{
    int64_t done = 0;
    for (int i = 0; i < RC_CASE_STATUSES; i++)
        done += m->done[i];
    return done;
}

/* Rates of least squares, none of them below a part of the guess, which stands in where the words
 * say nothing: the machine is as much faster or slower in all efforts, but not in what every case
 * takes, a matter of the clock and of the time that a case is given. */
static void fit(rc_meter_t *m)
{
    enum { rounds = 60 };
    const double pull = 5e-4; /* of the guess */
    const double overall =
        m->took_s / (rc_effort_sum(&m->spent, NULL) + rc_effort_sum(&m->redone, NULL));
    double trace = 0;
    for (int i = 0; i < RC_EFFORTS; i++)
        trace += m->normal[i][i] / RC_EFFORTS;
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < RC_EFFORTS; i++) {
            const double guess = i == RC_EFFORT_CASE ? 1 : overall;
            const double least = i == RC_EFFORT_CASE ? 0.5 : 0.1 * overall;
            double rest = m->right[i] + pull * trace * guess;
            for (int j = 0; j < RC_EFFORTS; j++)
                rest -= j == i ? 0 : m->normal[i][j] * m->rate[j];
            m->rate[i] = fmax(rest / (m->normal[i][i] + pull * trace), least);
        }
}

void rc_meter_add(rc_meter_t *m, const rc_progress_t *word, double elapsed_s)
{
    enum { known = 20 };       /* words from which the rates tell what is out of line */
    const double memory = 0.2; /* of the work, over which a word comes to count 1/e */
    const double before = (double)cases_done(m);
    rc_effort_t effort = word->effort;
    double took_s = word->took_s;
    for (int i = 0; i < RC_CASE_STATUSES; i++)
        m->done[i] += word->cases[i];
    rc_effort_add(&m->spent, &word->effort, 1);
    rc_effort_add(&m->due, &word->due, 1);
    rc_effort_add(&m->redone, &word->redone, 1);
    m->last_s += word->last_s;
    rc_effort_add(&effort, &word->redone, 1);
    const double expected = rc_effort_sum(&effort, m->rate);
    if (((double)cases_done(m) <= before && word->again <= 0) || !(expected > 0) || !(took_s > 0))
        return; /* nothing was measured: it says nothing of how long that takes */
    m->took_s += took_s;
    m->heard_s = elapsed_s;
    if (m->words++ >= known)
        took_s = fmin(took_s, 2 * expected + 1e-3);
    const double keep = exp(-expected / (memory * rc_effort_sum(&m->planned, m->rate)));
    for (int i = 0; i < RC_EFFORTS; i++) {
        for (int j = 0; j < RC_EFFORTS; j++)
            m->normal[i][j] = keep * m->normal[i][j] + effort.s[i] * effort.s[j] / expected;
        m->right[i] = keep * m->right[i] + effort.s[i] * took_s / expected;
    }
    fit(m);
}

/* a - b, nothing of it below 0, by the rates. */
static double rest_s(const rc_meter_t *m, const rc_effort_t *a, const rc_effort_t *b)
{
    rc_effort_t rest = *a;
    rc_effort_add(&rest, b, -1);
    for (int i = 0; i < RC_EFFORTS; i++)
        rest.s[i] = fmax(rest.s[i], 0);
    return rc_effort_sum(&rest, m->rate);
}

double rc_meter_left_s(const rc_meter_t *m, double elapsed_s)
{
    if (!m->words || rc_effort_sum(&m->spent, NULL) <= 0.01 * rc_effort_sum(&m->planned, NULL))
        return -1;
    const double spent = rc_effort_sum(&m->spent, m->rate);
    const double noisy = rc_effort_sum(&m->due, m->rate) / spent;
    const double first = rest_s(m, &m->planned, &m->spent) * (1 + noisy);
    const double rest = first + rest_s(m, &m->due, &m->redone);
    const double last = fmax(m->last_s, 0) * (1 + first / m->took_s);
    /* ranks share what is left as they shared what is done, and went on with it since the word */
    const double then = (rest + last) * m->heard_s / m->took_s;
    return fmax(then - (elapsed_s - m->heard_s), then / 2);
}

double rc_progress_percent(int64_t done, int64_t planned)
{
    return done < planned ? 100 * (double)done / (double)planned : 100;
}

static void line(const rc_meter_t *m, char *text, size_t size)
{
    double seconds = (double)(rc_clock_ns() - m->started_ns) * 1e-9;
    double rest = rc_meter_left_s(m, seconds);
    int64_t done = cases_done(m);
    int64_t bad = m->done[RC_CASE_WRONG] + m->done[RC_CASE_FAILED] + m->done[RC_CASE_CRASHED];
    const int over = done >= m->cases;
    const int more = rest > 1e-3; /* what efforts are rounded by is no work */
    int n = snprintf(text, size,
        "%3.0f %%  %" PRId64 "/%" PRId64 " matrices  %" PRId64 "/%" PRId64 " cases  %" PRId64
        " bad  %s",
        rc_progress_percent(done, m->cases), m->matrices_out, m->matrices, done, m->cases, bad,
        rc_text_seconds(seconds).text);
    if (n > 0 && (size_t)n < size && (!over || more))
        snprintf(text + n, size - (size_t)n, ", about %s left%s",
            rest >= 0 ? rc_text_seconds(rest).text : "?", over ? ": noisy cases once more" : "");
}

void rc_meter_show(rc_meter_t *m)
{
    char text[200];
    int64_t now = rc_clock_ns();
    /* a log of a day needs no line every few seconds */
    int64_t interval = (now - m->started_ns) / 100;
    if (interval < file_interval_ns)
        interval = file_interval_ns;
    if (interval > file_interval_most_ns)
        interval = file_interval_most_ns;
    if (m->terminal)
        interval = terminal_interval_ns;
    if (m->shown_ns && now - m->shown_ns < interval)
        return;
    m->shown_ns = now;
    line(m, text, sizeof text);
    if (!m->terminal) {
        rc_log(m->log, RC_LOG_INFO, "sweep", "%s", text);
        return;
    }
    fprintf(m->log->stream, "\r\033[K%s", text);
    fflush(m->log->stream);
}

void rc_meter_end(rc_meter_t *m)
{
    if (m->terminal) {
        fprintf(m->log->stream, "\r\033[K");
        fflush(m->log->stream);
    }
}
