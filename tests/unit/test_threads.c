/* Threads and fork(): a child of a process that has used OpenMP ends its calls, with the same results. */
#include "config.h"
#include "unit.h"

#include "base/digest.h"
#include "base/threads.h"
#include "feature/feature.h"
#include "order/policy.h"
#include "rowcast_io.h"
#include "scratch.h"
#include "sparse/csr.h"
#include "sparse/generate.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEAM = 4, SECONDS = 300, SEEN_MAX = 80 };

/* What calls gave, one digest each. */
typedef struct seen {
    int count;
    rc_digest_t of[SEEN_MAX];
} seen_t;

static void see(seen_t *s, const void *data, size_t bytes)
{
    assert_true(s->count < SEEN_MAX);
    s->of[s->count++] = rc_digest(data, bytes);
}

static int is_ok(rc_status_t st, const char *what, const rc_err_t *err)
{
    if (st < 0)
        printf("# %s: %s\n", what, err->text);
    return st == RC_OK;
}

/* Every kind of call that starts a team.  \return 1: all went well */
static int call_all(const char *path, int threads, seen_t *seen)
{
    rc_err_t err = {0};
    rc_csr_t a = {0};
    double feature[RC_FEATURES_MEHRABI];
    int ok = is_ok(rc_mtx_read(path, threads, &a, NULL, &err), "read", &err);
    if (!ok)
        return 0;
    see(seen, a.col_idx, (size_t)a.nnz * sizeof *a.col_idx);
    ok = is_ok(rc_features_compute(&a, NULL, threads, feature, &err), "features", &err);
    see(seen, feature, sizeof feature);
    for (int i = 0; ok && rc_policies[i]; i++) {
        rc_schedule_t s = {0};
        if (strcmp(rc_policies[i]->name, "file") == 0)
            continue;
        ok = is_ok(rc_order_build(rc_policies[i]->name, &a, NULL, threads, &s, &err), rc_policies[i]->name, &err);
        see(seen, s.row, (size_t)s.slots * sizeof *s.row);
        rc_schedule_free(&s);
    }
    rc_csr_free(&a);
    ok = ok && is_ok(rc_generate_within("rmat:scale=14,edges=8", threads, &a, NULL, &err), "generate", &err);
    see(seen, a.col_idx, ok ? (size_t)a.nnz * sizeof *a.col_idx : 0);
    rc_csr_free(&a);
    return ok;
}

/* Exit code of a function in a child process; -1: it was ended. */
static int in_child(int (*function)(const void *with), const void *with)
{
    int status = 0;
    (void)fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(SECONDS);
        int code = function(with);
        (void)fflush(NULL);
        _exit(code);
    }
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int count_of(const void *threads)
{
    return rc_thread_count(*(const int *)threads);
}

static int count_of_fresh(const void *threads)
{
    rc_thread_fresh();
    return count_of(threads);
}

static int threads_here(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/task");
    for (const struct dirent *e; d && (e = readdir(d)) != NULL;)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

/* First of all, while there is no thread but those of libraries. */
static void a_child_of_one_thread_may_have_all(void **state)
{
    const int some = TEAM;
    const int many = 1 << 29;
    (void)state;
    assert_int_equal(in_child(count_of, &some), threads_here() == 1 ? TEAM : 1);
    assert_int_equal(in_child(count_of_fresh, &some), TEAM);
    assert_int_equal(rc_thread_count(some), TEAM);
    assert_in_range(rc_thread_count(many), 64, 1 << 16);
    assert_true(rc_thread_count(0) >= 1);
}

typedef struct again {
    const char *path;
    const seen_t *seen;
} again_t;

static int call_again(const void *with)
{
    const again_t *w = with;
    seen_t now = {0};
    const int threads[] = {0, TEAM};
    for (int i = 0; i < 2; i++) {
        now.count = 0;
        if (rc_thread_count(threads[i]) != 1 || !call_all(w->path, threads[i], &now) || now.count != w->seen->count
            || memcmp(now.of, w->seen->of, (size_t)now.count * sizeof *now.of) != 0)
            return 1;
    }
    return 0;
}

static int child_again(const void *with)
{
    return in_child(call_again, with);
}

static void a_child_of_several_threads_ends_its_calls(void **state)
{
    char path[SCRATCH_PATH];
    rc_csr_t a;
    rc_err_t err = {0};
    seen_t seen = {0};
    scratch_path(state, "a.mtx", path);
    assert_int_equal(rc_generate("mesh2d:n=245", &a, NULL, &err), RC_OK);
    assert_int_equal(rc_mtx_write(path, &a, NULL, &err), RC_OK);
    rc_csr_free(&a);
    assert_true(call_all(path, TEAM, &seen));
    const again_t with = {path, &seen};
    assert_int_equal(in_child(call_again, &with), 0);
    assert_int_equal(in_child(child_again, &with), 0); /* nor does its child wait */
    seen_t after = {0};
    assert_true(call_all(path, TEAM, &after));
    assert_memory_equal(after.of, seen.of, sizeof *seen.of * (size_t)seen.count);
    assert_int_equal(rc_thread_count(TEAM), TEAM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_of_one_thread_may_have_all),
        cmocka_unit_test(a_child_of_several_threads_ends_its_calls),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
