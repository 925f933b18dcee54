#include "config.h"
#include "kernels/vendor/vendor.h"

#include <stddef.h>
#include <string.h>

/* In the order of what is lost without it, layout by layout. */
const char *const rc_vendor_timed[] = {"cusparse-csr-row:alg=3:pre=1",
    "cusparse-csr-row:alg=3:pre=0", "cusparse-coo-row:alg=4:pre=0", "cusparse-csr-col:alg=3:pre=0",
    "cusparse-coo-col:alg=1:pre=0", "cusparse-spmv-coo:alg=1:pre=0",
    "cusparse-spmv-sell:slice=32:pre=0", "cusparse-spmv-csr:alg=1:pre=1", NULL};

/* The default ones are candidates by their names alone. */
const char *const rc_vendor_all[] = {"cusparse-csr-row:alg=0:pre=1", "cusparse-csr-row:alg=1:pre=0",
    "cusparse-csr-row:alg=1:pre=1", "cusparse-csr-row:alg=2:pre=0", "cusparse-csr-row:alg=2:pre=1",
    "cusparse-csr-row:alg=3:pre=0", "cusparse-csr-row:alg=3:pre=1", "cusparse-coo-row:alg=1:pre=0",
    "cusparse-coo-row:alg=2:pre=0", "cusparse-coo-row:alg=3:pre=0", "cusparse-coo-row:alg=4:pre=0",
    "cusparse-csr-col:alg=0:pre=1", "cusparse-csr-col:alg=1:pre=0", "cusparse-csr-col:alg=1:pre=1",
    "cusparse-csr-col:alg=2:pre=0", "cusparse-csr-col:alg=2:pre=1", "cusparse-csr-col:alg=3:pre=0",
    "cusparse-csr-col:alg=3:pre=1", "cusparse-coo-col:alg=1:pre=0", "cusparse-coo-col:alg=2:pre=0",
    "cusparse-coo-col:alg=3:pre=0", "cusparse-coo-col:alg=4:pre=0", "cusparse-spmv-csr:alg=0:pre=1",
    "cusparse-spmv-csr:alg=1:pre=0", "cusparse-spmv-csr:alg=1:pre=1",
    "cusparse-spmv-csr:alg=2:pre=0", "cusparse-spmv-csr:alg=2:pre=1",
    "cusparse-spmv-coo:alg=1:pre=0", "cusparse-spmv-coo:alg=2:pre=0",
    "cusparse-spmv-sell:slice=32:pre=1", NULL};

const char *rc_vendor_name(const char *kernel)
{
    static const struct {
        const char *prefix;
        const char *name;
    } library[] = {{"cusparse", "cuSPARSE"}, {"cublas", "cuBLAS"}, {"mkl", "oneMKL"}};
    for (size_t i = 0; i < sizeof library / sizeof *library; i++)
        if (strncmp(kernel, library[i].prefix, strlen(library[i].prefix)) == 0)
            return library[i].name;
    return NULL;
}

int rc_vendor_is(const char *kernel)
{
    return rc_vendor_name(kernel) != NULL;
}

double rc_vendor_setup_ns(const char *kernel, int64_t nnz)
{
    static const char slow[] = "cusparse-csr-"; /* by rows and by columns, the third algorithm */
    const double entry_ns = 1.6; /* an H200, 10 million (data/results/notebook/plans.md) */
    return strncmp(kernel, slow, sizeof slow - 1) == 0 && strstr(kernel, "alg=3:pre=1")
               ? entry_ns * (double)nnz
               : 0;
}

int rc_vendor_is_dense(const char *kernel)
{
    static const char name[] = "cublas-dense";
    return strncmp(kernel, name, sizeof name - 1) == 0;
}

int rc_vendor_is_baseline(const char *kernel)
{
    return rc_vendor_is(kernel) && !rc_vendor_is_dense(kernel);
}

int rc_vendor_is_for(const char *entry, const char *op, const char *layout)
{
    static const char vector[] = "cusparse-spmv-";
    const size_t name = strcspn(entry, ":");
    const size_t end = strlen(layout);
    if (strncmp(entry, vector, sizeof vector - 1) == 0)
        return strcmp(op, "spmv") == 0;
    return strcmp(op, "spmm") == 0 && name > end && entry[name - end - 1] == '-' &&
           strncmp(entry + name - end, layout, end) == 0;
}

int rc_vendor_is_loop(const char *kernel)
{
    return strncmp(kernel, "serial-", strlen("serial-")) == 0;
}

/* Parameters that an entry does not name come after those that it does. */
int rc_vendor_is_entry(const char *entry, const char *kernel)
{
    size_t n = strlen(entry);
    return strncmp(kernel, entry, n) == 0 && (kernel[n] == '\0' || kernel[n] == ':');
}

int rc_vendor_is_timed(const char *kernel)
{
    for (int i = 0; rc_vendor_timed[i]; i++)
        if (rc_vendor_is_entry(rc_vendor_timed[i], kernel))
            return 1;
    return 0;
}
