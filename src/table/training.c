#include "config.h"
#include "table/training.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    int64_t nnz;
    int64_t step;
    int64_t least; /* chosen ones with which it will do */
} rules[] = {{100000, 20, 40}, {10000, 5, 0}};

static int by_entries(const void *a, const void *b)
{
    const rc_training_matrix_t *x = a;
    const rc_training_matrix_t *y = b;
    if (x->nnz != y->nnz)
        return x->nnz < y->nnz ? -1 : 1;
    return strcmp(x->name, y->name);
}

int64_t rc_training_choose(rc_training_matrix_t *list, int64_t n)
{
    int64_t chosen = 0;
    if (n > 0)
        qsort(list, (size_t)n, sizeof *list, by_entries);
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        int64_t first = 0;
        while (first < n && list[first].nnz < rules[r].nnz)
            first++;
        chosen = (n - first) / rules[r].step;
        for (int64_t i = 0; i < n; i++)
            list[i].chosen = i >= first && (i - first) % rules[r].step == rules[r].step - 1;
        if (chosen >= rules[r].least)
            break;
    }
    return chosen;
}

rc_status_t rc_training_of(const rc_view_t *v, unsigned char **marks, rc_err_t *err)
{
    int32_t n = rc_view_matrices(v);
    RC_PASS(RC_NEW0(*marks, n, "matrices", err));
    if (rc_view_training(v)) {
        memcpy(*marks, rc_view_training(v), (size_t)n);
        return RC_OK;
    }
    rc_training_matrix_t *list = rc_alloc((size_t)n, sizeof *list, "matrices", err);
    if (!list) {
        free(*marks);
        *marks = NULL;
        return RC_ENOMEM;
    }
    for (int32_t i = 0; i < n; i++) {
        const rc_row_matrix_t *m = rc_view_matrix(v, i);
        list[i] = (rc_training_matrix_t){.nnz = m->nnz, .name = m->name, .id = i};
    }
    (void)rc_training_choose(list, n);
    for (int32_t i = 0; i < n; i++)
        (*marks)[list[i].id] = (unsigned char)list[i].chosen;
    free(list);
    return RC_OK;
}
