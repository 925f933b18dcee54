#include "config.h"
#include "sweep/provenance.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "device/cpu/crowd.h"
#include "sweep/binding.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>

rc_status_t rc_provenance_uuid(int64_t utc_ns, char uuid[33], rc_err_t *err)
{
    unsigned char random[10];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return rc_fail_errno(err, RC_EIO, errno, "no random bytes for the identity of the run");
    uint64_t ms = (uint64_t)utc_ns / 1000000;
    int n = snprintf(uuid, 33, "%012" PRIx64, ms & UINT64_C(0xffffffffffff));
    for (size_t i = 0; i < sizeof random; i++)
        n += snprintf(uuid + n, 33 - (size_t)n, "%02x", random[i]);
    return RC_OK;
}

typedef struct writer {
    rc_journal_t *journal;
    int rank;
    rc_status_t st;
    rc_err_t *err;
} writer_t;

/* After a failure the rest does nothing. */
static void note(writer_t *w, const char *key, const char *value)
{
    rc_rec_kv_t kv = {.rank = w->rank, .value = value};
    char *cut = w->st == RC_OK && strlen(value) > UINT16_MAX
                    ? rc_alloc(UINT16_MAX + 1, 1, "a word", w->err)
                    : NULL;
    if (w->st == RC_OK && strlen(value) > UINT16_MAX && !cut)
        w->st = RC_ENOMEM;
    if (w->st < 0)
        return;
    if (cut) {
        rc_digest_shorten(value, cut, UINT16_MAX + 1);
        kv.value = cut;
    }
    snprintf(kv.key, sizeof kv.key, "%s", key);
    w->st = rc_journal_put(w->journal, RC_REC_KV, &kv, w->err);
    free(cut);
}

static void note_int(writer_t *w, const char *key, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    note(w, key, text);
}

static void note_real(writer_t *w, const char *key, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    note(w, key, text);
}

static void note_shared(writer_t *w, const rc_sweep_config_t *c)
{
    /* Slurm's own names of what identifies a job and its place */
    static const char *const variables[] = {"SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID",
        "SLURM_ARRAY_TASK_ID", "SLURM_STEP_ID", "SLURM_RESTART_COUNT", "SLURM_CLUSTER_NAME",
        "SLURM_JOB_PARTITION", "SLURM_JOB_NODELIST", "OMP_NUM_THREADS", "OMP_WAIT_POLICY",
        "GOMP_SPINCOUNT"};
    char key[64];
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int n = 0;
    for (int i = 0; i < c->argc; i++) {
        snprintf(key, sizeof key, "argv[%d]", i);
        note(w, key, c->argv[i]);
    }
    note(w, "compiler", RC_BUILD_CC);
    note(w, "cflags", RC_BUILD_CFLAGS);
    note(w, "hdf5", RC_BUILD_HDF5);
    note(w, "cuda", RC_BUILD_CUDA);
    if (RC_BUILD_NVCC[0]) {
        note(w, "cuda.nvcc", RC_BUILD_NVCC);
        note(w, "cuda.arch", RC_BUILD_CUDA_ARCH);
    }
    if (MPI_Get_library_version(text, &n) == MPI_SUCCESS) {
        /* of MPICH a table, with all that its configure was given */
        text[strcspn(text, "\n")] = '\0';
        for (char *tab = text; (tab = strchr(tab, '\t')) != NULL;)
            *tab = ' ';
        note(w, "mpi", text);
    }
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i]))
            note(w, variables[i], getenv(variables[i]));
    note(w, "catalog.revision", c->catalog->revision);
    note_int(w, "catalog.selected", c->catalog->count);
    note_real(w, "measure.target_rel_err", c->measure.target_rel_err);
    note_int(w, "measure.budget_ns", c->measure.budget_ns);
    note_int(w, "measure.warmup_ns", c->measure.warmup_ns);
    note_int(w, "measure.warmup_runs", c->measure.warmup_runs);
    note_int(w, "measure.min_reps", c->measure.min_reps);
    note_int(w, "measure.max_reps", c->measure.max_reps);
    note_int(w, "measure.max_batch", c->measure.max_batch);
    note_int(w, "measure.min_batch_ns", c->measure.min_batch_ns);
    note_int(w, "measure.seed", (int64_t)c->measure.seed);
    note(w, "timing", c->share_machine ? "shared" : "exclusive");
}

static void note_version(writer_t *w, const char *key, int version, int per_minor)
{
    enum { per_major = 1000 };
    char text[32];
    snprintf(text, sizeof text, "%d.%d", version / per_major, version % per_major / per_minor);
    if (version % per_minor)
        snprintf(text, sizeof text, "%d.%d.%d", version / per_major,
            version % per_major / per_minor, version % per_minor);
    note(w, key, text);
}

/* The libraries that a GPU rank found, which need not be those of the build. */
static void note_gpu(writer_t *w)
{
    enum { runtime_minor = 10, library_minor = 100 };
    rc_gpu_versions_t v;
    if (rc_gpu_versions(&v, NULL) < 0)
        return;
    note_version(w, "cuda.runtime", v.runtime, runtime_minor);
    note_version(w, "cuda.driver", v.driver, runtime_minor);
    if (v.driver_name[0])
        note(w, "cuda.driver_name", v.driver_name);
    note_version(w, "cuda.cusparse", v.cusparse, library_minor);
}

/* How teams wait as the run begins; what binds threads to single CPUs is never used. */
static void note_threads(writer_t *w)
{
    rc_str_t left_out = {0};
    rc_binding_left_out(&left_out);
    note(w, "threads.wait", rc_crowd_waits());
    note(w, "threads.bound", "each to all CPUs of the rank");
    if (left_out.len)
        note(w, "threads.unused", left_out.text);
    rc_str_free(&left_out);
}

rc_status_t rc_provenance_write(rc_journal_t *j, const rc_session_t *s, const rc_sweep_config_t *c,
    const rc_device_t *d, rc_err_t *err)
{
    struct utsname u;
    writer_t w = {.journal = j, .rank = -1, .st = RC_OK, .err = err};
    if (s->rank == 0)
        note_shared(&w, c);
    w.rank = s->rank;
    note(&w, "host", s->host);
    if (uname(&u) == 0) {
        note(&w, "system", u.sysname);
        note(&w, "kernel", u.release);
        note(&w, "machine", u.machine);
    }
    note(&w, "device.name", d->name);
    note(&w, "device.uuid", d->uuid);
    note(&w, "device.class", d->class_name);
    note_int(&w, "device.threads", d->executor.threads);
    note_threads(&w);
    note_int(&w, "device.cache_bytes", d->cache_bytes);
    note_int(&w, "device.memory_bytes", d->memory_bytes);
    if (d->executor.kind == RC_DEVICE_CUDA)
        note_gpu(&w);
    note_int(&w, "node.ranks", s->node_size);
    return w.st;
}
