/* Choices in a folder that others may write to, too.  Each file is opened without following a link
 * and read only where it is a regular one of this user with one name; it is written under another
 * name and renamed.  What goes wrong is counted and otherwise as if there were no file. */
#include "config.h"
#include "dropin/choices.h"
#include "dropin/point.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "rowcast-"
#define SUFFIX ".choice"
#define PART ".part-"

enum { TEXT = 2048, NAME = 128, BLOCK = 4096, STALE = 3600 };

/* FNV-1a, for the sum and for names. */
static uint64_t hash(const char *text, size_t n, uint64_t seed)
{
    uint64_t h = 0xcbf29ce484222325u ^ seed;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
    return h;
}

/* Of the file of a key.  Each user has one, so that none stands in another's way. */
static void name_of(const char *key, char *name)
{
    size_t n = strlen(key);
    (void)snprintf(name, NAME, PREFIX "%lu-%016" PRIx64 "%016" PRIx64 SUFFIX,
        (unsigned long)geteuid(), hash(key, n, 0), hash(key, n, 0x9e3779b97f4a7c15u));
}

/* The folder is opened for each use: a program may close descriptors that it did not open. */
static int open_folder(const rc_choice_folder_t *c)
{
    return c->path ? open(c->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

void rc_choices_begin(rc_choice_folder_t *c, const char *path, int64_t most)
{
    char here[PATH_MAX] = "";
    *c = (rc_choice_folder_t){.most = most};
    if (!path || !*path || (*path != '/' && !getcwd(here, sizeof here)))
        return;
    size_t bytes = strlen(here) + strlen(path) + 2;
    c->path = malloc(bytes);
    if (!c->path)
        return;
    /* the program may go elsewhere */
    (void)snprintf(c->path, bytes, "%s%s%s", here, *path == '/' ? "" : "/", path);
    (void)mkdir(c->path, 0700);
    int folder = open_folder(c);
    if (folder >= 0) {
        (void)close(folder);
        return;
    }
    fprintf(stderr, "rowcast: ROWCAST_CACHE=%s: %s; no choices are kept\n", path, strerror(errno));
    c->ignored++;
    free(c->path);
    c->path = NULL;
}

/* ------------------------------------------------------------------- reading */

/* 1: a file of ours to rely on.  One that another process replaced meanwhile has no name. */
static int is_ours(const struct stat *s)
{
    return S_ISREG(s->st_mode) && s->st_uid == geteuid() && s->st_nlink <= 1 &&
           (s->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* \param[out] text  [TEXT]  \return bytes; 0: there is none; negative: one that is not used */
static ssize_t read_text(int folder, const char *name, char *text)
{
    struct stat s;
    ssize_t n = 0;
    ssize_t got = 1;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 0 : -1;
    if (fstat(fd, &s) != 0 || !is_ours(&s) || s.st_size <= 0 || s.st_size >= TEXT)
        n = -1;
    while (n >= 0 && got > 0 && n < TEXT - 1) {
        got = read(fd, text + n, (size_t)(TEXT - 1 - n));
        n = got < 0 ? -1 : n + got;
    }
    (void)close(fd);
    if (n >= 0)
        text[n] = '\0';
    return n > 0 ? n : -1;
}

/* The rest of a line that begins so.  \return where the next one begins; NULL: it does not */
static const char *line(const char *at, const char *begins, char *out, size_t size)
{
    size_t n = strlen(begins);
    const char *end = at && strncmp(at, begins, n) == 0 ? strchr(at + n, '\n') : NULL;
    if (!end || (size_t)(end - at) - n >= size)
        return NULL;
    memcpy(out, at + n, (size_t)(end - at) - n);
    out[(size_t)(end - at) - n] = '\0';
    return end + 1;
}

/* The lines before the sum, of which `head` says which file this is. */
static int print_head(const char *key, char *text)
{
    int n = snprintf(text, TEXT, "rowcast choice 1, library %s\nof %s\n", PACKAGE_VERSION, key);
    return n > 0 && n < TEXT ? n : -1;
}

static int parse(const char *text, const char *key, rc_past_t *out)
{
    char head[TEXT];
    char numbers[160];
    char sum[20];
    char expected[20];
    int n = print_head(key, head);
    if (n < 0 || strncmp(text, head, (size_t)n) != 0)
        return 0;
    const char *at = line(text + n, "kernel ", out->kernel, sizeof out->kernel);
    at = line(at, "order ", out->order, sizeof out->order);
    at = line(at, "numbers ", numbers, sizeof numbers);
    if (!at)
        return 0;
    (void)snprintf(expected, sizeof expected, "%016" PRIx64, hash(text, (size_t)(at - text), 0));
    at = line(at, "sum ", sum, sizeof sum);
    return at && *at == '\0' && strcmp(sum, expected) == 0 && out->kernel[0] != '\0' &&
           sscanf(numbers, "%d %lf %lf %" SCNu64, &out->tuned, &out->plan_ns, &out->reference_ns,
               &out->calls) == 4 &&
           out->plan_ns > 0 && out->reference_ns > 0;
}

int rc_choices_load(rc_choice_folder_t *c, const char *key, rc_past_t *out)
{
    char name[NAME];
    char text[TEXT];
    int folder = open_folder(c);
    if (folder < 0)
        return 0;
    name_of(key, name);
    ssize_t n = read_text(folder, name, text);
    (void)close(folder);
    locale_t before = rc_point_begin();
    int found = n > 0 && parse(text, key, out);
    rc_point_end(before);
    c->ignored += n != 0 && !found;
    c->loaded += (uint64_t)found;
    return found;
}

/* ------------------------------------------------------------------- writing */

/* A file of this user. */
typedef struct entry {
    char name[NAME];
    struct timespec when;
    int64_t bytes;
} entry_t;

typedef struct entries {
    entry_t *at;
    size_t count;
    size_t room;
    int64_t bytes; /* of all */
} entries_t;

static int ends_with(const char *name, const char *end)
{
    size_t n = strlen(name);
    size_t m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0;
}

static int by_age(const void *a, const void *b)
{
    const struct timespec *x = &((const entry_t *)a)->when;
    const struct timespec *y = &((const entry_t *)b)->when;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* A choice of this user's, or what a process left that was killed: that goes. */
static void look_at(int folder, const char *name, entries_t *list)
{
    struct stat s;
    if (strncmp(name, PREFIX, sizeof PREFIX - 1) != 0 || strlen(name) >= NAME ||
        fstatat(folder, name, &s, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(s.st_mode) ||
        s.st_uid != geteuid())
        return;
    if (strstr(name, PART) && time(NULL) - s.st_mtim.tv_sec > STALE)
        (void)unlinkat(folder, name, 0);
    if (!ends_with(name, SUFFIX))
        return;
    if (list->count == list->room) {
        size_t room = list->room > 0 ? 2 * list->room : 64;
        entry_t *more = realloc(list->at, room * sizeof *more);
        if (!more)
            return;
        list->at = more;
        list->room = room;
    }
    entry_t *e = &list->at[list->count++];
    (void)snprintf(e->name, sizeof e->name, "%s", name);
    e->when = s.st_mtim;
    e->bytes = (s.st_size + BLOCK - 1) / BLOCK * BLOCK;
    list->bytes += e->bytes;
}

static entries_t look(int folder)
{
    entries_t list = {NULL, 0, 0, 0};
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *names = again >= 0 ? fdopendir(again) : NULL;
    if (!names && again >= 0)
        (void)close(again);
    for (const struct dirent *e = names ? readdir(names) : NULL; e; e = readdir(names))
        look_at(folder, e->d_name, &list);
    if (names)
        (void)closedir(names);
    return list;
}

/* Room for one more file.  The folder is looked through once, and again where it may be full: then
 * an eighth of it goes, so that this is rare.  1: there is. */
static int make_room(int folder, rc_choice_folder_t *c)
{
    if (c->looked && c->bytes + BLOCK <= c->most)
        return 1;
    entries_t list = look(folder);
    c->looked = 1;
    c->bytes = list.bytes;
    if (c->bytes + BLOCK > c->most)
        qsort(list.at, list.count, sizeof *list.at, by_age);
    for (size_t i = 0; c->bytes + BLOCK > c->most || (i > 0 && c->bytes > c->most / 8 * 7); i++) {
        if (i == list.count)
            break;
        /* another process may have removed it */
        if (unlinkat(folder, list.at[i].name, 0) == 0 || errno == ENOENT)
            c->bytes -= list.at[i].bytes;
    }
    free(list.at);
    return c->bytes + BLOCK <= c->most;
}

/* \return 0, or negative: nothing is left of it */
static int write_text(int folder, const char *name, const char *text, size_t n)
{
    char part[NAME + 64];
    size_t done = 0;
    (void)snprintf(
        part, sizeof part, "%.*s" PART "%ld-%p", NAME, name, (long)getpid(), (const void *)text);
    (void)unlinkat(folder, part, 0); /* of a process that had this number */
    int fd = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    while (done < n) {
        ssize_t m = write(fd, text + done, n - done);
        if (m <= 0)
            break;
        done += (size_t)m;
    }
    int bad = close(fd) != 0 || done < n || renameat(folder, part, folder, name) != 0;
    if (bad)
        (void)unlinkat(folder, part, 0);
    return bad ? -1 : 0;
}

/* The bytes of a file.  \param[out] text  [TEXT]  \return as snprintf */
static int print(const char *key, const rc_past_t *choice, char *text)
{
    int n = print_head(key, text);
    if (n > 0)
        n += snprintf(text + n, (size_t)(TEXT - n),
            "kernel %s\norder %s\nnumbers %d %.9g %.9g %" PRIu64 "\n", choice->kernel,
            choice->order, choice->tuned, choice->plan_ns, choice->reference_ns, choice->calls);
    if (n > 0 && n < TEXT)
        n += snprintf(
            text + n, (size_t)(TEXT - n), "sum %016" PRIx64 "\n", hash(text, (size_t)n, 0));
    return n;
}

void rc_choices_save(rc_choice_folder_t *c, const char *key, const rc_past_t *choice)
{
    char name[NAME];
    char text[TEXT];
    int folder = open_folder(c);
    if (folder < 0) {
        c->ignored += c->path != NULL;
        return;
    }
    locale_t before = rc_point_begin();
    int n = print(key, choice, text);
    rc_point_end(before);
    name_of(key, name);
    int kept =
        n > 0 && n < TEXT && make_room(folder, c) && write_text(folder, name, text, (size_t)n) == 0;
    (void)close(folder);
    c->bytes += kept ? BLOCK : 0;
    c->saved += (uint64_t)kept;
    c->ignored += !kept;
}
