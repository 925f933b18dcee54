#include "config.h"
#include "device/cpu/core.h"
#include "base/clock.h"
#include "device/cpu/crowd.h"
#include "device/cpu/simd.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

#if RC_SIMD_X86
#include <cpuid.h>

static int is_virtual(void)
{
    const unsigned hypervisor = 1U << 31;
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & hypervisor) != 0;
}

/* Eight chains: as many as a core can take at once, and more. */
static void add(int64_t n)
{
    uint64_t x[8] = {0};
    for (int64_t i = 0; i < n; i++)
        __asm__ volatile("add $1, %0\n\tadd $1, %1\n\tadd $1, %2\n\tadd $1, %3\n\t"
                         "add $1, %4\n\tadd $1, %5\n\tadd $1, %6\n\tadd $1, %7"
                         : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3]), "+r"(x[4]), "+r"(x[5]),
                         "+r"(x[6]), "+r"(x[7]));
}

/* One chain. */
static void multiply(int64_t n)
{
    uint64_t x = 1;
    for (int64_t i = 0; i < n; i++)
        __asm__ volatile("imul $3, %0, %0\n\timul $3, %0, %0" : "+r"(x));
}

/* Of the calling thread; each about 2.5 us at 3 GHz, the shortest of two. */
static double ratio_now(void)
{
    enum { additions = 4000, products = 1500, tries = 2 };
    int64_t added = INT64_MAX;
    int64_t multiplied = INT64_MAX;
    for (int i = 0; i < tries; i++) {
        const int64_t begin = rc_clock_ns();
        add(additions);
        const int64_t between = rc_clock_ns();
        multiply(products);
        added = least(added, between - begin);
        multiplied = least(multiplied, rc_clock_ns() - between);
    }
    return multiplied > 0 ? (double)added / (double)multiplied : 1;
}
#else
static int is_virtual(void)
{
    return 0;
}

static double ratio_now(void)
{
    return 1;
}
#endif

int rc_core_hidden(const char *root, int cpu)
{
    char name[96];
    char line[64];
    (void)snprintf(
        name, sizeof name, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    rc_crowd_line(root, name, line, sizeof line);
    return is_virtual() && line[0] != '\0' && !strpbrk(line, ",-");
}

double rc_core_note(rc_core_t *c, double ratio)
{
    enum { surely = 3 };
    const double less = 0.98;
    if (c->alone == 0)
        c->alone = ratio;
    c->most = c->lower == 0 || ratio > c->most ? ratio : c->most;
    c->lower = ratio < less * c->alone ? c->lower + 1 : 0;
    if (c->lower == surely) {
        c->alone = c->most;
        c->lower = 0;
    }
    c->lost = ratio > c->alone ? 1 - c->alone / ratio : 0;
    return c->lost;
}

static double worst_ratio(int team)
{
    double worst = 0;
#pragma omp parallel num_threads(team) reduction(max : worst)
    worst = ratio_now();
    return worst;
}

double rc_core_lost(rc_core_t *c, int team, int anew)
{
    enum { looks = 32, fresh_ns = 50000, rests = 4 };
    const int64_t now = rc_clock_ns();
    const int64_t age = now - c->at_ns;
    if (c->at_ns > 0 && (age < rests * c->took_ns || (!anew && age < fresh_ns)))
        return c->lost;
    int left = c->at_ns == 0 ? looks : 1;
    while (left-- > 0)
        (void)rc_core_note(c, worst_ratio(team));
    c->at_ns = rc_clock_ns();
    c->took_ns = c->took_ns == 0 ? 1 : c->at_ns - now; /* the first ones are many */
    return c->lost;
}

/* ---------------------------------------------------------------- distance */

enum { LINE = 128, PAIRS_MOST = 64, TURNS = 64, PART = 16 };

/* What two neighbours throw to each other, alone on its lines. */
typedef struct ball {
    _Alignas(LINE) atomic_int turn;
} ball_t;

/* 0: who has it is not running. */
static int get(ball_t *b, int turn)
{
    enum { patience_ns = 200000, spins = 1000 };
    const int64_t begin = rc_clock_ns();
    for (int i = 0; atomic_load_explicit(&b->turn, memory_order_acquire) != turn; i++)
        if (i % spins == spins - 1 && rc_clock_ns() - begin > patience_ns)
            return 0;
    return 1;
}

/* The shortest of three parts: in the first the other one may be late, and in any a host may have
 * taken a CPU.
 * \param[in] second  0: begins  \return NaN: the other one did not play */
static double play(ball_t *b, int second)
{
    int64_t shortest = INT64_MAX;
    int64_t begin = 0;
    for (int turn = second; turn < TURNS; turn += 2) {
        if (!get(b, turn))
            return NAN;
        if (turn % PART == second) {
            const int64_t now = rc_clock_ns();
            shortest = turn > second ? least(shortest, now - begin) : shortest;
            begin = now;
        }
        atomic_store_explicit(&b->turn, turn + 1, memory_order_release);
    }
    return (double)shortest / PART;
}

/* Of one thread with the neighbour below it, and above; every second one begins with the former. */
static double play_both(ball_t *balls, int me, int players)
{
    double worst = 0;
    for (int i = 0; i < 2; i++) {
        const int pair = (me + i) % 2 ? me - 1 : me;
        if (pair < 0 || pair + 1 >= players)
            continue;
        const double ns = play(&balls[pair], me > pair);
        worst = ns > worst || isnan(ns) ? ns : worst;
        if (isnan(worst))
            break;
    }
    return worst;
}

double rc_core_hop_ns(int team)
{
    ball_t balls[PAIRS_MOST];
    const int players = team < PAIRS_MOST ? team : PAIRS_MOST;
    double worst = 0;
    int absent = 0;
    for (int i = 0; i < PAIRS_MOST; i++)
        atomic_init(&balls[i].turn, 0);
#pragma omp parallel num_threads(team) reduction(max : worst) reduction(+ : absent)
    if (omp_get_thread_num() < players) {
        const double ns = play_both(balls, omp_get_thread_num(), players);
        absent += isnan(ns);
        worst = isnan(ns) ? 0 : ns;
    }
    return absent || worst == 0 ? NAN : worst;
}
