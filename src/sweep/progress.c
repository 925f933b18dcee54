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

void rc_meter_start(
    rc_meter_t *m, const rc_log_t *log, int64_t matrices, int64_t cases, double cost_s)
{
    memset(m, 0, sizeof *m);
    m->log = log;
    m->terminal = log && log->stream && log->level >= RC_LOG_INFO && isatty(fileno(log->stream));
    m->started_ns = rc_clock_ns();
    m->matrices = matrices;
    m->cases = cases;
    m->cost_s = cost_s;
}

static int64_t cases_done(const rc_meter_t *m)
{
    int64_t done = 0;
    for (int i = 0; i < RC_CASE_STATUSES; i++)
        done += m->done[i];
    return done;
}

void rc_meter_add(rc_meter_t *m, const int64_t *done, double cost_s, double elapsed_s)
{
    for (int i = 0; i < RC_CASE_STATUSES; i++)
        m->done[i] += done[i];
    m->done_cost_s += cost_s;
    double c = m->done_cost_s;
    double n = (double)cases_done(m);
    double sums[] = {c * c, c * n, n * n, c * elapsed_s, n * elapsed_s};
    for (int i = 0; i < 5; i++)
        m->moment[i] += sums[i];
}

/* Seconds left when the time is by_cost * cost + by_case * cases: what is done took as long as it
 * did, whatever the fit says.  Negative: the fit says nothing. */
static double left_by(const rc_meter_t *m, double by_cost, double by_case, double elapsed_s)
{
    double cases = (double)cases_done(m);
    double cost_left = fmax(m->cost_s - m->done_cost_s, 0);
    double cases_left = fmax((double)m->cases - cases, 0);
    double fitted = by_cost * m->done_cost_s + by_case * cases;
    return fitted > 0 ? elapsed_s * (by_cost * cost_left + by_case * cases_left) / fitted : -1;
}

double rc_meter_left_s(const rc_meter_t *m, double elapsed_s)
{
    const double most = 1.43; /* that a fit with a negative part may move the estimate */
    const double *s = m->moment;
    /* before a hundredth is done the rate says little */
    if (m->done_cost_s <= 0.01 * m->cost_s || !(s[0] > 0))
        return -1;
    double det = s[0] * s[2] - s[1] * s[1];
    if (!(det > 1e-9 * s[0] * s[2]))
        return left_by(m, s[3] / s[0], 0, elapsed_s);
    double by_cost = (s[3] * s[2] - s[4] * s[1]) / det;
    double by_case = (s[4] * s[0] - s[3] * s[1]) / det;
    double left = left_by(m, by_cost, by_case, elapsed_s);
    if (by_cost >= 0 && by_case >= 0)
        return left;
    double plain =
        by_case < 0 ? left_by(m, s[3] / s[0], 0, elapsed_s) : left_by(m, 0, s[4] / s[2], elapsed_s);
    return fmin(fmax(left, plain / most), plain * most);
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
    snprintf(text, size,
        "%3.0f %%  %" PRId64 "/%" PRId64 " matrices  %" PRId64 "/%" PRId64 " cases  %" PRId64
        " bad  %s, about %s left",
        rc_progress_percent(done, m->cases), m->matrices_out, m->matrices, done, m->cases, bad,
        rc_text_seconds(seconds).text, rest >= 0 ? rc_text_seconds(rest).text : "?");
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
