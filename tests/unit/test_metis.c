/* What METIS says when it fails: a METIS_PartGraphKway of this program stands in the place of the library's. */
#include "config.h"
#include "unit.h"

#include "order/policy.h"
#include "rowcast.h"
#include "scratch.h"
#include "sparse/generate.h"

#include <fcntl.h>
#include <metis.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int answer = METIS_ERROR_MEMORY;

static void *other_thread(void *of)
{
    (void)of;
    fprintf(stderr, "another thread\n");
    return NULL;
}

int METIS_PartGraphKway(idx_t *n, idx_t *ncon, idx_t *ptr, idx_t *adj, idx_t *weight, idx_t *size, idx_t *edge,
    idx_t *parts, real_t *target, real_t *slack, idx_t *options, idx_t *cut, idx_t *part)
{
    (void)ncon, (void)ptr, (void)adj, (void)weight, (void)size, (void)edge, (void)parts, (void)target;
    (void)slack, (void)options;
    pthread_t t;
    if (pthread_create(&t, NULL, other_thread, NULL) == 0)
        (void)pthread_join(t, NULL);
    if (answer != METIS_OK)
        fprintf(stderr, "   Current memory used:  %10d bytes\n***Memory allocation failed for a graph.\n", 12);
    *cut = 0;
    for (idx_t i = 0; i < *n; i++)
        part[i] = 0;
    return answer;
}

/* What came to stderr while metis was built. */
static rc_status_t build(void **state, rc_err_t *err, char *said, size_t size)
{
    char path[SCRATCH_PATH];
    rc_csr_t a;
    rc_schedule_t s = {0};
    scratch_path(state, "stderr", path);
    assert_int_equal(rc_generate("mesh2d:n=20", &a, NULL, NULL), RC_OK);
    int before = dup(STDERR_FILENO);
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(before >= 0 && file >= 0);
    assert_true(dup2(file, STDERR_FILENO) >= 0);
    rc_status_t st = rc_order_build("metis:part=100", &a, NULL, 1, &s, err);
    fprintf(stderr, "after\n");
    assert_true(dup2(before, STDERR_FILENO) >= 0);
    ssize_t n = pread(file, said, size - 1, 0);
    said[n > 0 ? n : 0] = 0;
    close(before);
    close(file);
    rc_schedule_free(&s);
    rc_csr_free(&a);
    return st;
}

static void its_words_are_in_the_error(void **state)
{
    for (int again = 0; again < 2; again++) {
        rc_err_t err = {0};
        char said[400];
        answer = METIS_ERROR_MEMORY;
        assert_int_equal(build(state, &err, said, sizeof said), RC_ENOMEM);
#ifdef __GLIBC__
        assert_non_null(strstr(err.text, "METIS failed with status"));
        assert_non_null(
            strstr(err.text, ": Current memory used: 12 bytes ***Memory allocation failed for a graph."));
        assert_null(strchr(err.text, '\n'));
        assert_string_equal(said, "another thread\nafter\n");
#endif
        answer = METIS_OK;
        assert_int_equal(build(state, &err, said, sizeof said), RC_OK);
        assert_string_equal(said, "another thread\nafter\n");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(its_words_are_in_the_error)};
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
