/* Feeds a fuzz target files, without libFuzzer.
 *   fuzz_<name>             the inputs of corpus/<name>, as TAP; and of each, changed at random,
 *                           ROWCAST_FUZZ_ROUNDS ones [100], from ROWCAST_SEED [1]
 *   fuzz_<name> FILE...     these inputs, as they are
 *   fuzz_<name> -n COUNT [-s SEED] [-j PROCESSES]
 *                           COUNT changed inputs, each from its number and SEED [1]; one that crashes or
 *                           takes 20 s is kept and counted, and the rest goes on.  The last line is
 *                           "<name>: N inputs, N crashes, N hangs, N caught"; exit 1 when there are crashes
 *                           or hangs; caught are those for which the target returned not 0
 * Where it dies of an input, that is kept in the file fuzz_<name>.<process>.input. */
#include "config.h"
#include "fuzz.h"

#include "base/rng.h"

#include <dirent.h>
#include <fcntl.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGEST = 1 << 20 };

static size_t load(const char *path, uint8_t *data)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(99);
    }
    size_t n = fread(data, 1, LARGEST, f);
    FUZZ_CHECK(!ferror(f));
    fclose(f);
    return n;
}

/* What is being fed, for the handler. */
static const uint8_t *fed;
static size_t fed_size;

/* Keep the input that the program dies of: in a file beside it, which it can be fed again. */
static void keep(int signal_number)
{
    char path[FUZZ_PATH];
    snprintf(path, sizeof path, "fuzz_%s.%d.input", fuzz_target, (int)getpid());
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd >= 0 && write(fd, fed, fed_size) == (ssize_t)fed_size)
        printf("# the input is in %s\n", path);
    fflush(stdout);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Each input in an allocation of its own size, so that the address sanitizer sees its end. */
static int feed(const uint8_t *data, size_t n)
{
    fed = data;
    fed_size = n;
    uint8_t *copy = malloc(n ? n : 1);
    FUZZ_CHECK(copy != NULL);
    if (n)
        memcpy(copy, data, n);
    int result = LLVMFuzzerTestOneInput(copy, n);
    free(copy);
    return result;
}

static size_t below(rc_rng_t *r, size_t n)
{
    return n ? (size_t)(rc_rng_next(r) % n) : 0;
}

/* Some bytes changed, doubled, left out, or swapped with numbers that are often special. */
static size_t change(rc_rng_t *r, uint8_t *data, size_t n)
{
    static const uint8_t special[] = {0, 1, 0x7f, 0x80, 0xff, '0', '9', '-', ' ', '\n', ',', '"'};
    for (size_t i = below(r, 4) + 1; i > 0 && n > 0; i--) {
        size_t at = below(r, n);
        size_t some = below(r, n - at < 32 ? n - at : 32) + 1;
        switch (below(r, 5)) {
        case 0:
            data[at] ^= (uint8_t)(1u << below(r, 8));
            break;
        case 1:
            data[at] = special[below(r, sizeof special)];
            break;
        case 2:
            memmove(data + at, data + at + some, n - at - some);
            n -= some;
            break;
        case 3:
            if (n + some > LARGEST)
                break;
            memmove(data + at + some, data + at, n - at);
            n += some;
            break;
        default:
            n = at;
        }
    }
    return n;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int visible(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static uint64_t number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

/* ------------------------------------------------------------ many inputs, counted */

enum { SEEDS = 4096, HANG_S = 20, WORKERS = 1024 };

/* What a worker has taken in hand, where its parent can see it. */
typedef struct tally {
    uint64_t next;
    uint64_t crashes;
    uint64_t hangs;
    uint64_t caught;
} tally_t;

typedef struct campaign {
    uint64_t count;
    uint64_t seed;
    int workers;
    int seeds;
    char *path[SEEDS];
} campaign_t;

/* Feed inputs first, first + workers, ...; never returns. */
static _Noreturn void work(const campaign_t *c, int worker, tally_t *t, uint8_t *data)
{
    while (t->next < c->count / (uint64_t)c->workers +
                         ((uint64_t)worker < c->count % (uint64_t)c->workers)) {
        uint64_t number = t->next++ * (uint64_t)c->workers + (uint64_t)worker;
        rc_rng_t r;
        rc_rng_seed(&r, c->seed * UINT64_C(0x9e3779b97f4a7c15) + number);
        size_t n = load(c->path[below(&r, (size_t)c->seeds)], data);
        n = change(&r, data, n);
        alarm(HANG_S);
        t->caught += feed(data, n) != 0;
        alarm(0);
    }
    fflush(stdout);
    exit(0);
}

static pid_t start(const campaign_t *c, int worker, tally_t *t, uint8_t *data)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        work(c, worker, t, data);
    FUZZ_CHECK(pid > 0);
    return pid;
}

static int run_campaign(const campaign_t *c, uint8_t *data)
{
    static pid_t pid[WORKERS];
    int left = c->workers;
    uint64_t inputs = 0;
    uint64_t crashes = 0;
    uint64_t hangs = 0;
    uint64_t caught = 0;
    tally_t *t = mmap(NULL, sizeof *t * (size_t)c->workers, PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    FUZZ_CHECK(t != MAP_FAILED);
    for (int i = 0; i < c->workers; i++)
        pid[i] = start(c, i, &t[i], data);
    while (left > 0) {
        int status;
        pid_t dead = wait(&status);
        FUZZ_CHECK(dead > 0 || errno == EINTR);
        for (int i = 0; i < c->workers; i++) {
            if (pid[i] != dead || dead <= 0)
                continue;
            if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
                pid[i] = 0;
                left--;
                continue;
            }
            int hang = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
            t[i].hangs += (uint64_t)hang;
            t[i].crashes += (uint64_t)!hang;
            pid[i] = start(c, i, &t[i], data); /* behind the input that it died of */
        }
    }
    for (int i = 0; i < c->workers; i++) {
        inputs += t[i].next;
        crashes += t[i].crashes;
        hangs += t[i].hangs;
        caught += t[i].caught;
    }
    printf("%s: %llu inputs, %llu crashes, %llu hangs, %llu caught\n", fuzz_target,
        (unsigned long long)inputs, (unsigned long long)crashes, (unsigned long long)hangs,
        (unsigned long long)caught);
    return crashes + hangs > 0;
}

/* The arguments and the corpus. */
static int campaign(int argc, char **argv, const char *dir, uint8_t *data)
{
    static campaign_t c = {.seed = 1, .workers = 1};
    struct dirent **list;
    for (int option; (option = getopt(argc, argv, "n:s:j:")) != -1;) {
        uint64_t value = option == '?' ? 0 : strtoull(optarg, NULL, 10);
        if (option == 'n')
            c.count = value;
        else if (option == 's')
            c.seed = value;
        else if (option == 'j' && value > 0 && value <= WORKERS)
            c.workers = (int)value;
        else
            return 99;
    }
    c.seeds = scandir(dir, &list, visible, by_name);
    if (c.seeds <= 0 || c.seeds > SEEDS) {
        printf("Bail out! no inputs in %s\n", dir);
        return 99;
    }
    for (int i = 0; i < c.seeds; i++) {
        c.path[i] = malloc(FUZZ_PATH * 2);
        FUZZ_CHECK(c.path[i] != NULL);
        snprintf(c.path[i], FUZZ_PATH * 2, "%s/%s", dir, list[i]->d_name);
        free(list[i]);
    }
    free(list);
    signal(SIGALRM, keep);
    int code = run_campaign(&c, data);
    for (int i = 0; i < c.seeds; i++)
        free(c.path[i]);
    return code;
}

int main(int argc, char **argv)
{
    static uint8_t seed[LARGEST];
    static uint8_t data[LARGEST];
    signal(SIGABRT, keep);
    signal(SIGSEGV, keep);
    char dir[FUZZ_PATH];
    const char *source = getenv("top_srcdir");
    snprintf(dir, sizeof dir, "%s/tests/fuzz/corpus/%s", source ? source : ".", fuzz_target);
    if (argc > 1 && argv[1][0] == '-')
        return campaign(argc, argv, dir, data);
    if (argc > 1) {
        for (int i = 1; i < argc; i++)
            (void)feed(data, load(argv[i], data));
        return 0;
    }
    struct dirent **list;
    rc_rng_t r;
    uint64_t rounds = number("ROWCAST_FUZZ_ROUNDS", 100);
    rc_rng_seed(&r, number("ROWCAST_SEED", 1));
    int n = scandir(dir, &list, visible, by_name);
    if (n <= 0) {
        printf("Bail out! no inputs in %s\n", dir);
        return 99;
    }
    printf("1..%d\n", n);
    for (int i = 0; i < n; i++) {
        char path[FUZZ_PATH * 2];
        snprintf(path, sizeof path, "%s/%s", dir, list[i]->d_name);
        size_t size = load(path, seed);
        printf("# %s\n", list[i]->d_name); /* what it was when it died here */
        fflush(stdout);
        (void)feed(seed, size);
        for (uint64_t k = 0; k < rounds; k++) {
            memcpy(data, seed, size);
            (void)feed(data, change(&r, data, size));
        }
        printf("ok %d - %s, and %llu changes of it\n", i + 1, list[i]->d_name,
            (unsigned long long)rounds);
        free(list[i]);
    }
    free(list);
    return 0;
}
