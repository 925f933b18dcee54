/* Feeds a fuzz target files, without libFuzzer.
 *   fuzz_<name>             the inputs of corpus/<name>, as TAP; and of each, changed at random,
 *                           ROWCAST_FUZZ_ROUNDS ones [100], from ROWCAST_SEED [1]
 *   fuzz_<name> FILE...     these inputs, as they are
 * Where it dies of an input, that is kept in the file fuzz_<name>.<process>.input. */
#include "config.h"
#include "fuzz.h"

#include "base/rng.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
static void feed(const uint8_t *data, size_t n)
{
    fed = data;
    fed_size = n;
    uint8_t *copy = malloc(n ? n : 1);
    FUZZ_CHECK(copy != NULL);
    if (n)
        memcpy(copy, data, n);
    LLVMFuzzerTestOneInput(copy, n);
    free(copy);
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

int main(int argc, char **argv)
{
    static uint8_t seed[LARGEST];
    static uint8_t data[LARGEST];
    signal(SIGABRT, keep);
    signal(SIGSEGV, keep);
    if (argc > 1) {
        for (int i = 1; i < argc; i++)
            feed(data, load(argv[i], data));
        return 0;
    }
    char dir[FUZZ_PATH];
    struct dirent **list;
    const char *source = getenv("top_srcdir");
    rc_rng_t r;
    uint64_t rounds = number("ROWCAST_FUZZ_ROUNDS", 100);
    rc_rng_seed(&r, number("ROWCAST_SEED", 1));
    snprintf(dir, sizeof dir, "%s/tests/fuzz/corpus/%s", source ? source : ".", fuzz_target);
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
        feed(seed, size);
        for (uint64_t k = 0; k < rounds; k++) {
            memcpy(data, seed, size);
            feed(data, change(&r, data, size));
        }
        printf("ok %d - %s, and %llu changes of it\n", i + 1, list[i]->d_name,
            (unsigned long long)rounds);
        free(list[i]);
    }
    free(list);
    return 0;
}
