#include "config.h"
#include "unit.h"
#include "scratch.h"

#include "sparse/csr.h"
#include "sparse/generate.h"
#include "io/mtx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <omp.h>

static void builtin_set_is_as_tabled(void **state)
{
    (void)state;
    rc_err_t err;
    int64_t total = 0;
    assert_true(rc_builtin_count >= 30);
    for (int i = 0; i < rc_builtin_count; i++) {
        const rc_builtin_t *b = &rc_builtins[i];
        rc_csr_t a;
        int version = 0;
        assert_int_equal(rc_generate(b->spec, &a, &version, &err), RC_OK);
        assert_int_equal(rc_csr_check(&a, &err), RC_OK);
        if (a.rows != b->rows || a.cols != b->cols || a.nnz != b->nnz)
            fail_msg("%s: the table says %ld x %ld, %ld entries; it is %ld x %ld, %ld", b->name,
                (long)b->rows, (long)b->cols, (long)b->nnz, (long)a.rows, (long)a.cols,
                (long)a.nnz);
        assert_true(a.rows >= 1000 && a.rows <= 100000 && a.nnz <= 1500000 && version >= 1);
        total += a.nnz;
        rc_csr_free(&a);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(b->name, rc_builtins[k].name);
    }
    assert_true(total <= 10000000);
}

static void descriptors_are_complete(void **state)
{
    (void)state;
    for (int i = 0; rc_generators[i]; i++) {
        const rc_generator_t *g = rc_generators[i];
        assert_true(g->name && g->summary && g->source && g->version >= 1);
        assert_true(g->generate || g->fill);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(g->name, rc_generators[k]->name);
        for (int k = 0; k < RC_GEN_PARAMS_MAX && g->param[k].name; k++) {
            const rc_gen_param_t *p = &g->param[k];
            assert_true(p->help && p->min <= p->value && p->value <= p->max);
        }
    }
}

/* Every generator: seeded, whatever the threads, and the same through a file. */
static void seeds_and_files_keep_the_matrix(void **state)
{
    char path[SCRATCH_PATH];
    scratch_path(state, "round.mtx", path);
    for (int i = 0; rc_generators[i]; i++) {
        rc_csr_t a;
        rc_csr_t b;
        rc_err_t err;
        rc_digest_t d;
        rc_digest_t e;
        char spec[64];
        const char *small = strcmp(rc_generators[i]->name, "rmat") == 0       ? "scale=9,"
                            : strncmp(rc_generators[i]->name, "mesh", 4) == 0 ? "n=9,dof=2,"
                            : strcmp(rc_generators[i]->param[0].name, "n") == 0
                                ? "n=600,"
                                : "rows=300,cols=700,";
        snprintf(spec, sizeof spec, "%s:%sseed=3", rc_generators[i]->name, small);
        assert_int_equal(rc_generate(spec, &a, NULL, &err), RC_OK);
        assert_int_equal(rc_csr_digest(&a, &d, NULL), RC_OK);
        int before = omp_get_max_threads();
        omp_set_num_threads(3);
        assert_int_equal(rc_generate(spec, &b, NULL, &err), RC_OK);
        omp_set_num_threads(before);
        rc_csr_digest(&b, &e, NULL);
        rc_csr_free(&b);
        assert_int_equal(rc_digest_compare(&d, &e), 0);

        assert_int_equal(rc_mtx_write(path, &a, "two\nlines", &err), RC_OK);
        rc_mtx_info_t info;
        assert_int_equal(rc_mtx_read(path, 2, &b, &info, &err), RC_OK);
        assert_true(info.duplicates == 0 && info.file_entries == a.nnz);
        rc_csr_digest(&b, &e, NULL);
        assert_int_equal(rc_digest_compare(&d, &e), 0);
        rc_csr_free(&b);
        rc_csr_free(&a);

        spec[strlen(spec) - 1] = '4';
        assert_int_equal(rc_generate(spec, &a, NULL, &err), RC_OK);
        rc_csr_digest(&a, &e, NULL);
        assert_true(rc_digest_compare(&d, &e) != 0);
        rc_csr_free(&a);
    }
}

static int64_t nnz_of(const char *spec)
{
    rc_csr_t a;
    assert_int_equal(rc_generate(spec, &a, NULL, NULL), RC_OK);
    int64_t nnz = a.nnz;
    rc_csr_free(&a);
    return nnz;
}

/* Closed forms for the patterns that have one. */
static void patterns_have_the_known_counts(void **state)
{
    (void)state;
    assert_true(nnz_of("mesh2d:nx=7,ny=5") == 7 * 5 + 2 * (6 * 5 + 7 * 4));
    assert_true(nnz_of("mesh2d:nx=7,ny=5,points=9,dof=3") == 9 * (3 * 7 - 2) * (3 * 5 - 2));
    assert_true(
        nnz_of("mesh3d:nx=4,ny=5,nz=6,points=27") == (3 * 4 - 2) * (3 * 5 - 2) * (3 * 6 - 2));
    assert_true(
        nnz_of("mesh3d:nx=4,ny=5,nz=6,dof=2") == 4 * (120 + 2 * (3 * 30 + 4 * 24 + 5 * 20)));
    assert_true(nnz_of("banded:n=50,lower=2,upper=3") == 6 * 50 - 3 - 6);
    assert_true(nnz_of("banded:n=50,fill=0") == 50);
    assert_true(nnz_of("segments:n=50,cols=70,w=16,tau=3") == 50 * 15);
    assert_true(nnz_of("segments:n=50,w=16,tau=16") == 50 * 50);
    assert_true(nnz_of("block:n=50,size=8") == 6 * 64 + 4);
    assert_true(nnz_of("arrow:n=50,width=2,band=0") == 2 * 50 + 48 * 3);
    assert_true(nnz_of("manyempty:n=100,empty=1") == 0);
    assert_true(nnz_of("uniform:n=1,mean=3") == 1);
    assert_true(nnz_of("lp:rows=30,cols=40,mean=0,linking=0") == 30);
}

static void wrong_specs_are_explained(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        rc_status_t status;
        const char *words;
    } bad[] = {
        {"mesh3", RC_ENOENT, "mesh3d"},
        {"nothing", RC_ENOENT, "banded"},
        {"", RC_ENOENT, "known: "},
        {"rmat:", RC_EINVAL, "rmat"},
        {"rmat:scal=3", RC_EINVAL, "did you mean 'scale'"},
        {"rmat:scale", RC_EINVAL, "key=value"},
        {"rmat:scale=x", RC_EINVAL, "expected a number"},
        {"rmat:scale=31", RC_EINVAL, "1 to 30"},
        {"rmat:scale=2.5", RC_EINVAL, "whole"},
        {"rmat:a=0.9", RC_EINVAL, "at most 1"},
        {"rmat:seed=-1", RC_EINVAL, "seed"},
        {"rmat:scale=3,scale=4", RC_EINVAL, "twice"},
        {"rmat:scale=3,,seed=4", RC_EINVAL, "empty"},
        {"mesh2d:points=7", RC_EINVAL, "5 or 9"},
        {"mesh3d:points=8", RC_EINVAL, "7 or 27"},
        {"mesh3d:n=1290,dof=6", RC_ERANGE, "unknowns"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rc_csr_t a;
        rc_err_t err = {0};
        assert_int_equal(rc_generate(bad[i].spec, &a, NULL, &err), bad[i].status);
        if (!strstr(err.text, bad[i].words))
            fail_msg("'%s': expected '%s' in '%s'", bad[i].spec, bad[i].words, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builtin_set_is_as_tabled),
        cmocka_unit_test(descriptors_are_complete),
        cmocka_unit_test(seeds_and_files_keep_the_matrix),
        cmocka_unit_test(patterns_have_the_known_counts),
        cmocka_unit_test(wrong_specs_are_explained),
    };
    return cmocka_run_group_tests_name("generate", tests, scratch_setup, scratch_teardown);
}
