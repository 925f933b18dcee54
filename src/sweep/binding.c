#include "config.h"
#include "sweep/binding.h"
#include "base/visible.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

extern char **environ;

/* When the library of OpenMP is loaded it binds the first thread to the first place, and the
 * process seems to have one CPU.  Later it binds the other threads to places among all CPUs of
 * then, which ranks have since divided.  Nothing that was bound can tell what it had before, so
 * these get another name, oMP_PLACES, before any library sees them. */
static const char *const names[] = {
    "OMP_PLACES", "OMP_PROC_BIND", "OMP_DYNAMIC", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"};

enum { name_count = sizeof names / sizeof *names, lower = 'a' - 'A' };

/* The value of a word of the environment that has one of these names, its first letter moved; NULL:
 * another word. */
static const char *value_of(const char *word, int moved)
{
    for (size_t i = 0; i < name_count; i++) {
        size_t n = strlen(names[i]);
        if (word[0] == names[i][0] + moved && strncmp(word + 1, names[i] + 1, n - 1) == 0 &&
            word[n] == '=')
            return word + n + 1;
    }
    return NULL;
}

static void keep_from_openmp(int argc, char **argv, char **words)
{
    (void)argc;
    (void)argv;
    for (; *words; words++)
        if (value_of(*words, 0))
            (*words)[0] = (char)((*words)[0] + lower);
}

/* the loader runs these of a program before the constructors of its libraries */
__attribute__((section(".preinit_array"), used)) static void (*const before_libraries)(
    int, char **, char **) = keep_from_openmp;

void rc_binding_left_out(rc_str_t *out)
{
    for (char **e = environ; e && *e; e++) {
        char text[80];
        const char *value = value_of(*e, lower);
        if (!value || strcasecmp(value, "false") == 0)
            continue;
        rc_visible(*e, text, sizeof text);
        rc_str_addf(out, "%s%c%s", out->len ? ", " : "", text[0] - lower, text + 1);
    }
}
