#include "config.h"
#include "sweep/progress.h"
#include "base/clock.h"
#include "base/str.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static const int64_t terminal_interval_ns = INT64_C(300000000);
static const int64_t file_interval_ns = INT64_C(20000000000);

void rc_meter_start(
    rc_meter_t *m, const rc_log_t *log, int64_t matrices, int64_t cases, double cost_s)
{
    memset(m, 0, sizeof *m);
    m->log = log;
    m->terminal = log && log->stream && log->level >= RC_LOG_INFO && isatty(fileno(log->stream));
    m->started_ns = m->shown_ns = rc_clock_ns();
    m->matrices = matrices;
    m->cases = cases;
    m->cost_s = cost_s;
}

double rc_meter_left_s(const rc_meter_t *m, double elapsed_s)
{
    /* before a hundredth is done the rate says little */
    if (m->done_cost_s <= 0.01 * m->cost_s)
        return -1;
    double left = m->cost_s - m->done_cost_s;
    return left > 0 ? elapsed_s * left / m->done_cost_s : 0;
}

static void line(const rc_meter_t *m, char *text, size_t size)
{
    char elapsed[32];
    char left[48] = "?";
    double seconds = (double)(rc_clock_ns() - m->started_ns) * 1e-9;
    double rest = rc_meter_left_s(m, seconds);
    int64_t done = 0;
    for (int i = 0; i < RC_CASE_STATUSES; i++)
        done += m->done[i];
    int64_t bad = m->done[RC_CASE_WRONG] + m->done[RC_CASE_FAILED] + m->done[RC_CASE_CRASHED];
    rc_text_seconds(seconds, elapsed, sizeof elapsed);
    if (rest >= 0)
        rc_text_seconds(rest, left, sizeof left);
    snprintf(text, size,
        "%3.0f %%  %" PRId64 "/%" PRId64 " matrices  %" PRId64 "/%" PRId64 " cases  %" PRId64
        " bad  %s, about %s left",
        m->cost_s > 0 ? 100 * (m->done_cost_s < m->cost_s ? m->done_cost_s / m->cost_s : 1) : 100,
        m->matrices_out, m->matrices, done, m->cases, bad, elapsed, left);
}

void rc_meter_show(rc_meter_t *m)
{
    char text[200];
    int64_t now = rc_clock_ns();
    if (now - m->shown_ns < (m->terminal ? terminal_interval_ns : file_interval_ns))
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
