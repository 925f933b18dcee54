/* The folder of choices, without a drop-in.
 *   choices save FOLDER BYTES KEY [COUNT [EACH]]   COUNT keys that begin so, each EACH times
 *   choices load FOLDER KEY     prints the choice, or "none", and how many files were ignored
 * Kernel and numbers follow from the key, so that a choice of another one is seen. */
#include "dropin/choices.h"

#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rc_past_t choice_of(const char *key, uint64_t calls)
{
    rc_past_t c = {.order = "csr", .tuned = 1, .plan_ns = 1234.5, .reference_ns = 2345.25, .calls = calls};
    (void)snprintf(c.kernel, sizeof c.kernel, "gchunk:entries=16,of=%s", key);
    return c;
}

static int save(int argc, char **argv)
{
    rc_choice_folder_t cache;
    char key[RC_CHOICES_KEY];
    long count = argc > 5 ? strtol(argv[5], NULL, 10) : 1;
    long each = argc > 6 ? strtol(argv[6], NULL, 10) : 1;
    rc_choices_begin(&cache, argv[2], strtoll(argv[3], NULL, 10));
    for (long n = 0; n < each; n++)
        for (long i = 0; i < count; i++) {
            (void)snprintf(key, sizeof key, count > 1 ? "%s-%ld" : "%s", argv[4], i);
            rc_past_t c = choice_of(key, (uint64_t)n);
            rc_choices_save(&cache, key, &c);
        }
    printf("%" PRIu64 " saved, %" PRIu64 " ignored\n", cache.saved, cache.ignored);
    free(cache.path);
    return 0;
}

static int load(char **argv)
{
    rc_choice_folder_t cache;
    rc_past_t c = {.tuned = 0};
    rc_choices_begin(&cache, argv[2], 0);
    if (rc_choices_load(&cache, argv[3], &c)) {
        rc_past_t expected = choice_of(argv[3], c.calls);
        int same = strcmp(c.kernel, expected.kernel) == 0 && strcmp(c.order, expected.order) == 0
            && c.tuned == 1 && c.plan_ns == 1234.5 && c.reference_ns == 2345.25;
        printf("%s, %" PRIu64 " ignored\n", same ? "there" : "another", cache.ignored);
    } else
        printf("none, %" PRIu64 " ignored\n", cache.ignored);
    free(cache.path);
    return 0;
}

int main(int argc, char **argv)
{
    (void)setlocale(LC_ALL, "");
    if (argc >= 5 && strcmp(argv[1], "save") == 0)
        return save(argc, argv);
    return argc == 4 && strcmp(argv[1], "load") == 0 ? load(argv) : 2;
}
