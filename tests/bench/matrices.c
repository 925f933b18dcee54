#include "config.h"
#include "matrices.h"
#include "catalog/catalog.h"
#include "sparse/csr.h"
#include "sparse/generate.h"

#include <stdio.h>
#include <stdlib.h>

int bench_generated(const char *spec, rc_csr_t *a)
{
    rc_err_t err = {0};
    if (rc_generate(spec, a, NULL, &err) == RC_OK)
        return 1;
    fprintf(stderr, "bench: %s: %s\n", spec, err.text);
    return 0;
}

int64_t bench_each_in(const char *folder, int64_t entries, int64_t rows, bench_use_t *use, void *of)
{
    rc_catalog_t all = {0};
    rc_err_t err = {0};
    int64_t n = 0;
    if (rc_catalog_scan(folder, NULL, &all, &err) < 0)
        return 0;
    for (int64_t i = 0; i < all.count; i++) {
        const rc_entry_t *e = &all.entry[i];
        rc_csr_t a;
        if (e->nnz < entries / 2 || e->rows > rows) /* of a symmetric file about half may be counted */
            continue;
        if (rc_entry_load(e, NULL, 1, NULL, &a, NULL, &err) < 0) {
            fprintf(stderr, "bench: %s\n", err.text);
            continue;
        }
        if (a.nnz >= entries) {
            use(of, e->name, &a);
            n++;
        }
        rc_csr_free(&a);
    }
    rc_catalog_free(&all);
    return n;
}

int64_t bench_each_real(int64_t entries, int64_t rows, bench_use_t *use, void *of)
{
    char folder[4096];
    const char *shared = getenv("ROWCAST_SHARED");
    snprintf(folder, sizeof folder, "%s/matrices", shared ? shared : "");
    return shared ? bench_each_in(folder, entries, rows, use, of) : 0;
}
