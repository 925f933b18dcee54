/* Time of every row-order policy: growth over 3D meshes, the ratio to the direct definition at a
 * small size, and the slowest real matrix.
 * BENCH_ORDER_N: edge of the largest mesh (default 100: 1,000,000 rows).
 * BENCH_ORDER_THREADS: default all.  ROWCAST_SHARED: folder with matrices/GROUP/NAME.mtx.xz. */
#include "config.h"

#include "order_reference.h"
#include "base/clock.h"
#include "base/str.h"
#include "order/policy.h"
#include "sparse/generate.h"
#include "io/mtx.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_policies = 32, name_size = 96 };

static const rc_geometry_t paper = {32, 32, 32};
static const rc_geometry_t cpu = {2, 16, 16};

/* Best time of several builds in seconds; negative on an error. */
static double build_time(const char *policy, const rc_csr_t *a, const rc_geometry_t *g, int threads)
{
    const int most = 5;
    const double enough = 1.0;
    double best = -1;
    double total = 0;
    for (int i = 0; i < most && total < enough; i++) {
        rc_err_t err = {0};
        rc_schedule_t s = {0};
        int64_t start = rc_clock_ns();
        rc_status_t st = rc_order_build(policy, a, g, threads, &s, &err);
        double t = 1e-9 * (double)(rc_clock_ns() - start);
        rc_schedule_free(&s);
        if (st < 0) {
            fprintf(stderr, "bench_order: %s\n", err.text);
            return -1;
        }
        if (best < 0 || t < best)
            best = t;
        total += t;
    }
    return best;
}

static int make_mesh(int64_t edge, rc_csr_t *a)
{
    char spec[64];
    rc_err_t err = {0};
    snprintf(spec, sizeof spec, "mesh3d:n=%" PRId64, edge);
    if (rc_generate(spec, a, NULL, &err) < 0) {
        fprintf(stderr, "bench_order: %s\n", err.text);
        return 0;
    }
    return 1;
}

static int growth(int64_t largest, int threads)
{
    static const double part[] = {0.3, 0.5, 0.7, 1.0};
    enum { sizes = sizeof part / sizeof *part };
    static double seconds[most_policies][sizes];
    double rows[sizes];
    for (int i = 0; i < sizes; i++) {
        rc_csr_t a;
        if (!make_mesh((int64_t)(part[i] * (double)largest + 0.5), &a))
            return 1;
        rows[i] = (double)a.rows;
        for (int k = 0; rc_policies[k] && !rc_policies[k]->on_request; k++)
            seconds[k][i] = build_time(rc_policies[k]->name, &a, &paper, threads);
        rc_csr_free(&a);
    }
    printf("3D meshes: seconds by rows, and the exponent of growth from first to last\n%-10s",
        "policy");
    for (int i = 0; i < sizes; i++)
        printf(" %10.0f", rows[i]);
    printf("  exponent\n");
    for (int k = 0; rc_policies[k] && !rc_policies[k]->on_request; k++) {
        printf("%-10s", rc_policies[k]->name);
        for (int i = 0; i < sizes; i++)
            printf(" %10.4f", seconds[k][i]);
        printf("  %.2f\n",
            log(seconds[k][sizes - 1] / seconds[k][0]) / log(rows[sizes - 1] / rows[0]));
    }
    return 0;
}

static int against_definition(int threads)
{
    const int64_t edge = 13;
    rc_csr_t a;
    if (!make_mesh(edge, &a))
        return 1;
    int32_t *slot = malloc((size_t)a.rows * sizeof *slot);
    int code = !slot;
    printf("\nAgainst trying every row for every slot, mesh of %" PRId64 " rows\n", a.rows);
    for (int k = 0; slot && rc_policies[k] && !rc_policies[k]->on_request; k++) {
        const char *name = rc_policies[k]->name;
        int64_t start = rc_clock_ns();
        if (!reference_order(name, &a, &paper, slot))
            continue; /* needs no distances */
        double slow = 1e-9 * (double)(rc_clock_ns() - start);
        double fast = build_time(name, &a, &paper, threads);
        printf("%-10s %.4f s, %.0f times faster\n", name, fast, slow / fast);
    }
    free(slot);
    rc_csr_free(&a);
    return code;
}

typedef struct slowest {
    double seconds[most_policies];
    char name[most_policies][name_size];
    int64_t matrices;
} slowest_t;

static void time_file(
    const char *path, const char *name, int threads, slowest_t *paper_s, slowest_t *cpu_s)
{
    const int64_t most_rows = 30000;
    int64_t rows;
    int64_t cols;
    int64_t entries;
    rc_csr_t a;
    if (rc_mtx_peek(path, &rows, &cols, &entries, NULL, NULL) < 0 || rows > most_rows ||
        rc_mtx_read(path, threads, &a, NULL, NULL) < 0)
        return;
    for (int which = 0; which < 2; which++) {
        slowest_t *s = which ? cpu_s : paper_s;
        s->matrices++;
        for (int k = 0; rc_policies[k] && !rc_policies[k]->on_request; k++) {
            double t = build_time(rc_policies[k]->name, &a, which ? &cpu : &paper, threads);
            if (t > s->seconds[k]) {
                s->seconds[k] = t;
                snprintf(s->name[k], name_size, "%s", name);
            }
        }
    }
    rc_csr_free(&a);
}

static void print_slowest(const char *title, const slowest_t *s)
{
    printf("\nSlowest of %" PRId64 " real matrices with at most 30,000 rows, %s\n", s->matrices,
        title);
    for (int k = 0; rc_policies[k] && !rc_policies[k]->on_request; k++)
        printf("%-10s %.4f s  %s\n", rc_policies[k]->name, s->seconds[k], s->name[k]);
}

static void real_matrices(const char *shared, int threads)
{
    static slowest_t on_paper;
    static slowest_t on_cpu;
    rc_str_t path = {0};
    rc_str_addf(&path, "%s/matrices", shared);
    DIR *groups = path.failed ? NULL : opendir(path.text);
    for (struct dirent *g; groups && (g = readdir(groups));) {
        rc_str_t folder = {0};
        rc_str_addf(&folder, "%s/%s", path.text, g->d_name);
        DIR *files = folder.failed || g->d_name[0] == '.' ? NULL : opendir(folder.text);
        for (struct dirent *f; files && (f = readdir(files));) {
            rc_str_t file = {0};
            rc_str_t name = {0};
            rc_str_addf(&file, "%s/%s", folder.text, f->d_name);
            rc_str_addf(&name, "%s/%s", g->d_name, f->d_name);
            if (!file.failed && !name.failed && strstr(f->d_name, ".mtx"))
                time_file(file.text, name.text, threads, &on_paper, &on_cpu);
            rc_str_free(&file);
            rc_str_free(&name);
        }
        if (files)
            closedir(files);
        rc_str_free(&folder);
    }
    if (groups)
        closedir(groups);
    rc_str_free(&path);
    if (on_paper.matrices == 0)
        return;
    print_slowest("geometry 32/32/32", &on_paper);
    print_slowest("geometry 2/16/16", &on_cpu);
}

static int64_t number_from(const char *name, int64_t otherwise)
{
    const char *text = getenv(name);
    int64_t value = otherwise;
    if (text && rc_parse_int(text, 0, 1000, name, &value, NULL) < 0)
        fprintf(stderr, "bench_order: %s is no number up to 1000; taking %" PRId64 "\n", name,
            otherwise);
    return value;
}

int main(void)
{
    int threads = (int)number_from("BENCH_ORDER_THREADS", 0);
    const char *shared = getenv("ROWCAST_SHARED");
    int code = growth(number_from("BENCH_ORDER_N", 100), threads) || against_definition(threads);
    if (code == 0 && shared)
        real_matrices(shared, threads);
    return code;
}
