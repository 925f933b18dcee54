#include "config.h"
#include "unit.h"
#include "failing_alloc.h"
#include "scratch.h"

#include "base/rng.h"
#include "sparse/csr.h"
#include "sparse/generate.h"
#include "io/mtx.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { container_most = 1 << 20 };

typedef struct container {
    const char *name; /* of the file */
    int (*filter)(struct archive *);
    int is_tar;
} container_t;

static const container_t containers[] = {
    {"m.mtx", NULL, 0},
    {"m.mtx.gz", archive_write_add_filter_gzip, 0},
    {"m.mtx.xz", archive_write_add_filter_xz, 0},
    {"m.mtx.zst", archive_write_add_filter_zstd, 0},
    {"m.tar", NULL, 1},
    {"m.tar.gz", archive_write_add_filter_gzip, 1},
    {"m.tgz", archive_write_add_filter_gzip, 1},
    {"m.tar.xz", archive_write_add_filter_xz, 1},
    {"m.tar.zst", archive_write_add_filter_zstd, 1},
    {"m.mtx.bz2", archive_write_add_filter_bzip2, 0},
    {"m.tar.bz2", archive_write_add_filter_bzip2, 1},
    {"m.tbz2", archive_write_add_filter_bzip2, 1},
    {"m.txz", archive_write_add_filter_xz, 1},
    {"m.tzst", archive_write_add_filter_zstd, 1},
};
enum { container_count = sizeof containers / sizeof *containers };

static const char text[] = "%%MatrixMarket matrix coordinate real symmetric\n"
                           "% a comment\n5 5 6\n1 1 1.5\n3 1 -2\n2 2 1e-3\n5 4 7\n4 4 .25\n5 5 9\n";
static const char decoy[] = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n";

static void add_member(struct archive *a, const char *name, const char *data, size_t bytes)
{
    struct archive_entry *e = archive_entry_new();
    assert_non_null(e);
    archive_entry_set_pathname(e, name);
    archive_entry_set_size(e, (la_int64_t)bytes);
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_perm(e, 0644);
    assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
    assert_int_equal(archive_write_data(a, data, bytes), bytes);
    archive_entry_free(e);
}

/* Put data into a container; `wanted` 0 leaves the matrix itself out of a tar file. */
static size_t pack(
    const container_t *c, const char *data, size_t bytes, int wanted, char out[container_most])
{
    size_t used = 0;
    if (!c->filter && !c->is_tar) {
        memcpy(out, data, bytes);
        return bytes;
    }
    struct archive *a = archive_write_new();
    assert_non_null(a);
    if (c->filter)
        assert_int_equal(c->filter(a), ARCHIVE_OK);
    assert_int_equal(
        c->is_tar ? archive_write_set_format_ustar(a) : archive_write_set_format_raw(a),
        ARCHIVE_OK);
    assert_int_equal(archive_write_open_memory(a, out, container_most, &used), ARCHIVE_OK);
    if (c->is_tar) {
        add_member(a, "m/m_b.mtx", decoy, strlen(decoy));
        add_member(a, "m.mtx", decoy, strlen(decoy));
        add_member(a, "m/sub/m.mtx", decoy, strlen(decoy));
    }
    if (wanted)
        add_member(a, "m/m.mtx", data, bytes);
    if (c->is_tar)
        add_member(a, "m/m_coord.mtx", decoy, strlen(decoy));
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
    return used;
}

static char *buffer(void)
{
    char *p = malloc(container_most);
    assert_non_null(p);
    return p;
}

static rc_digest_t digest_of(const rc_csr_t *a)
{
    rc_digest_t d;
    assert_int_equal(rc_csr_digest(a, &d, NULL), RC_OK);
    return d;
}

/* A file of some size, so that blocks and slices are crossed. */
static size_t sample_text(void **state, char out[container_most], rc_digest_t *digest)
{
    char path[SCRATCH_PATH];
    rc_csr_t a;
    scratch_path(state, "sample", path);
    assert_int_equal(rc_generate("circuit:n=300,mean=5,dense=1", &a, NULL, NULL), RC_OK);
    assert_int_equal(rc_mtx_write(path, &a, NULL, NULL), RC_OK);
    *digest = digest_of(&a);
    rc_csr_free(&a);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(out, 1, container_most, f);
    fclose(f);
    assert_in_range(n, 1000, container_most - 1);
    return n;
}

static void every_container_gives_the_matrix(void **state)
{
    char path[SCRATCH_PATH];
    char *plain = buffer();
    char *packed = buffer();
    rc_digest_t want;
    size_t n = sample_text(state, plain, &want);
    for (int i = 0; i < container_count; i++) {
        scratch_path(state, containers[i].name, path);
        scratch_write(path, packed, pack(&containers[i], plain, n, 1, packed));
        static const size_t block[] = {37, 400, 5000, 8 << 20};
        for (int b = 0; b < 4; b++) {
            rc_csr_t a;
            rc_err_t err;
            if (rc_mtx_read_blocks(path, 1 + b, block[b], block[b] / 3 + 1, &a, NULL, &err) !=
                RC_OK)
                fail_msg("%s", err.text);
            rc_digest_t d = digest_of(&a);
            assert_int_equal(rc_digest_compare(&want, &d), 0);
            rc_csr_free(&a);
        }
        int64_t rows;
        int64_t cols;
        int64_t entries;
        assert_int_equal(rc_mtx_peek(path, &rows, &cols, &entries, NULL, NULL), RC_OK);
        assert_true(rows == 300 && cols == 300 && entries > 300);
    }
    free(plain);
    free(packed);
}

static void content_decides_not_the_name(void **state)
{
    char path[SCRATCH_PATH];
    char *packed = buffer();
    rc_csr_t a;
    rc_err_t err;
    scratch_path(state, "plain.mtx.gz", path);
    scratch_write(path, text, strlen(text));
    assert_int_equal(rc_mtx_read(path, 1, &a, NULL, &err), RC_OK);
    assert_int_equal(a.nnz, 8);
    rc_csr_free(&a);
    scratch_path(state, "packed.mtx", path);
    scratch_write(path, packed, pack(&containers[1], text, strlen(text), 1, packed));
    assert_int_equal(rc_mtx_read(path, 1, &a, NULL, &err), RC_OK);
    rc_csr_free(&a);
    free(packed);
}

static void missing_member_is_named(void **state)
{
    char path[SCRATCH_PATH];
    char *packed = buffer();
    rc_csr_t a;
    rc_err_t err;
    scratch_path(state, "m.tar.gz", path);
    scratch_write(path, packed, pack(&containers[5], text, strlen(text), 0, packed));
    assert_int_equal(rc_mtx_read(path, 1, &a, NULL, &err), RC_EFORMAT);
    assert_non_null(strstr(err.text, "'m/m.mtx'"));
    assert_non_null(strstr(err.text, "m/m_b.mtx"));
    scratch_path(state, "other.tar.gz", path);
    scratch_write(path, packed, pack(&containers[5], text, strlen(text), 1, packed));
    assert_int_equal(rc_mtx_read(path, 1, &a, NULL, &err), RC_EFORMAT);
    assert_non_null(strstr(err.text, "'other/other.mtx'"));
    free(packed);
}

static void errors_inside_have_their_line(void **state)
{
    static const char wrong[] =
        "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n2 9 1\n";
    char *packed = buffer();
    for (int i = 0; i < container_count; i++) {
        char path[SCRATCH_PATH];
        char place[64];
        rc_csr_t a;
        rc_err_t err;
        scratch_path(state, containers[i].name, path);
        scratch_write(path, packed, pack(&containers[i], wrong, strlen(wrong), 1, packed));
        assert_int_equal(rc_mtx_read_blocks(path, 2, 5, 3, &a, NULL, &err), RC_EFORMAT);
        snprintf(place, sizeof place, "%s:4: expected a column", containers[i].name);
        if (!strstr(err.text, place))
            fail_msg("expected '%s' in '%s'", place, err.text);
    }
    free(packed);
}

static void read_damaged(const char *path, const char *data, size_t n, int must_fail)
{
    rc_csr_t a;
    rc_err_t err = {0};
    scratch_write(path, data, n);
    rc_status_t st = rc_mtx_read_blocks(path, 2, 64, 40, &a, NULL, &err);
    if (st == RC_OK) {
        assert_int_equal(rc_csr_check(&a, NULL), RC_OK);
        rc_csr_free(&a);
        if (must_fail)
            fail_msg("%s: %zu bytes were read as if they were whole", path, n);
    } else {
        assert_true(err.status == st && strlen(err.text) > 10);
        assert_non_null(strstr(err.text, "/m."));
    }
}

/* Every truncation is an error, except where only the end of a container is lost. */
static void truncated_files_are_refused(void **state)
{
    char path[SCRATCH_PATH];
    char *packed = buffer();
    for (int i = 0; i < container_count; i++) {
        scratch_path(state, containers[i].name, path);
        size_t n = pack(&containers[i], text, strlen(text), 1, packed);
        /* plain: the last newline; tar: members and zero blocks behind the matrix */
        size_t optional = containers[i].is_tar ? n : containers[i].filter ? 0 : 1;
        for (size_t cut = 0; cut < n; cut += containers[i].is_tar && !containers[i].filter ? 37 : 1)
            read_damaged(path, packed, cut, cut + optional < n || cut < 10);
    }
    free(packed);
}

static void flipped_bytes_do_no_harm(void **state)
{
    char path[SCRATCH_PATH];
    char *packed = buffer();
    rc_rng_t r;
    rc_rng_seed(&r, 21);
    for (int i = 0; i < container_count; i++) {
        scratch_path(state, containers[i].name, path);
        size_t n = pack(&containers[i], text, strlen(text), 1, packed);
        for (int round = 0; round < 100; round++) {
            char *copy = malloc(n);
            assert_non_null(copy);
            memcpy(copy, packed, n);
            for (uint64_t k = 0; k <= rc_rng_below(&r, 3); k++)
                copy[rc_rng_below(&r, n)] = (char)rc_rng_below(&r, 256);
            read_damaged(path, copy, n, 0);
            free(copy);
        }
    }
    free(packed);
}

/* Damage to compressed data must not pass as other numbers: the check sum finds it. */
static void damaged_data_is_noticed(void **state)
{
    char path[SCRATCH_PATH];
    char *packed = buffer();
    char *plain = buffer();
    rc_digest_t unused;
    size_t bytes = sample_text(state, plain, &unused);
    static const int checked[] = {1, 2, 5, 7, 9, 10}; /* libarchive writes zstd without a check sum */
    for (size_t c = 0; c < sizeof checked / sizeof *checked; c++) {
        int i = checked[c];
        scratch_path(state, containers[i].name, path);
        size_t n = pack(&containers[i], plain, bytes, 1, packed);
        for (size_t at = n / 8; at < n - n / 8; at += n / 60) {
            rc_csr_t a;
            packed[at] = (char)(packed[at] ^ 0x10);
            scratch_write(path, packed, n);
            packed[at] = (char)(packed[at] ^ 0x10);
            if (rc_mtx_read(path, 2, &a, NULL, NULL) == RC_OK)
                fail_msg("%s: byte %zu was damaged and nobody noticed", path, at);
        }
    }
    free(packed);
    free(plain);
}

/* What is behind the last member of a gzip file is no damage, as gzip has it, and is told; what may be one is
 * not passed over. */
static void garbage_behind_gzip_is_ignored_and_told(void **state)
{
    enum { gz = 1, tar_gz = 5 };
    static const char *const behind[] = {"x", "garbage\n", "1 1 1\n", "\r\n", "PK\x03\x04", "\x1e\x8b"};
    static const char *const damaged[] = {"\x1f", "\x1f\x8b", "\x1f\x8b\x08 and more", "\x1fgarbage"};
    enum { forms = 3, many = sizeof behind / sizeof *behind, wrong = sizeof damaged / sizeof *damaged };
    char path[SCRATCH_PATH];
    char *packed = buffer();
    for (int form = 0; form < forms; form++) {
        int i = form == 2 ? tar_gz : gz;
        scratch_path(state, containers[i].name, path);
        size_t n = pack(&containers[i], text, strlen(text), 1, packed);
        if (form == 1) /* padded */
            for (int k = 0; k < 700; k++)
                packed[n++] = 0;
        for (int k = 0; k < many + wrong; k++) {
            char *said = NULL;
            size_t length = 0;
            rc_csr_t a;
            rc_err_t err = {0};
            const char *more = k < many ? behind[k] : damaged[k - many];
            memcpy(packed + n, more, strlen(more));
            scratch_write(path, packed, n + strlen(more));
            rc_log_t log = {.stream = open_memstream(&said, &length), .level = RC_LOG_WARN, .rank = -1};
            assert_non_null(log.stream);
            rc_mtx_bound_t bound = {.bytes = INT64_MAX, .log = &log};
            rc_status_t st = rc_mtx_read_within(path, 1, &bound, &a, NULL, &err);
            fclose(log.stream);
            if ((st == RC_OK) != (k < many) || !said || !strstr(said, "ignored") != (k >= many))
                fail_msg("form %d, '%s': %d, '%s', '%s'", form, more, (int)st, err.text, said);
            if (st == RC_OK) {
                assert_int_equal(a.nnz, 8);
                rc_csr_free(&a);
            }
            free(said);
            /* an archive that was downloaded ends where it ends */
            rc_mtx_limits_t limits = {.label = "m", .source = {"m", 1 << 20}};
            rc_mtx_counts_t counts;
            if (i == tar_gz) {
                assert_int_equal(rc_mtx_count(path, 1, &limits, &counts, &err), RC_EFORMAT);
                assert_non_null(strstr(err.text, k < many ? "behind the gzip stream" : "m: "));
            }
        }
    }
    free(packed);
}

/* pzstd writes a frame without data before each frame with some; so may others, of any size and anywhere. */
static void frames_without_data_are_passed_over(void **state)
{
    enum { zst = 3, tar_zst = 8, head = 8, most = 300000, pieces = 3 };
    static const size_t size[] = {4, 0, 1, 1000, most};
    char path[SCRATCH_PATH];
    char *packed = malloc((size_t)3 * container_most);
    char *piece = buffer();
    char *plain = buffer();
    rc_digest_t want;
    assert_non_null(packed);
    size_t bytes = sample_text(state, plain, &want);
    for (size_t s = 0; s < sizeof size / sizeof *size; s++)
        for (int tail = 0; tail < 2; tail++) {
            size_t n = 0;
            for (int k = 0; k < pieces + tail; k++) {
                for (int b = 0; b < head; b++)
                    packed[n++] = (char)(b == 0   ? 0x50 + (int)s
                                         : b < 4 ? "\x2a\x4d\x18"[b - 1]
                                                 : (int)(size[s] >> (8 * (b - 4)) & 255));
                memset(packed + n, 0x28, size[s]);
                n += size[s];
                if (k == pieces)
                    break;
                size_t from = bytes * (size_t)k / pieces;
                size_t got = pack(&containers[zst], plain + from,
                    bytes * (size_t)(k + 1) / pieces - from, 1, piece);
                memcpy(packed + n, piece, got);
                n += got;
            }
            scratch_path(state, containers[zst].name, path);
            scratch_write(path, packed, n);
            rc_csr_t a;
            rc_err_t err;
            if (rc_mtx_read_blocks(path, 2, 3000, 1000, &a, NULL, &err) != RC_OK)
                fail_msg("frames of %zu, tail %d: %s", size[s], tail, err.text);
            rc_digest_t d = digest_of(&a);
            assert_int_equal(rc_digest_compare(&want, &d), 0);
            rc_csr_free(&a);
            for (size_t cut = 1; tail == 0 && cut < n; cut += n / 40) {
                scratch_write(path, packed, n - cut);
                assert_int_equal(rc_mtx_read(path, 1, &a, NULL, &err), RC_EFORMAT);
            }
        }
    free(packed);
    free(piece);
    free(plain);
}

/* The first page of a file says that it is no matrix: nobody reads all of it to find the end of a line. */
static void a_large_file_of_nothing_is_refused_at_once(void **state)
{
    static const char *const front[] = {"", "\n", "  ", "hello", "%%MatrixMarket matrix coordinate real general\n",
        "%%MatrixMarket matrix coordinate real general\n% c\n3 3 1", "%%MatrixMarket matrix", "% c"};
    char path[SCRATCH_PATH];
    scratch_path(state, "hole.mtx", path);
    for (size_t i = 0; i < sizeof front / sizeof *front; i++) {
        struct rusage before;
        struct rusage after;
        int64_t rows;
        int64_t cols;
        int64_t entries;
        rc_err_t err;
        enum { pages_most = 100000 }; /* 400 MB of 8 GB: a sanitizer has pages of its own */
        scratch_write(path, front[i], strlen(front[i]));
        if (truncate(path, (off_t)8 << 30) != 0)
            skip();
        getrusage(RUSAGE_SELF, &before);
        assert_int_equal(rc_mtx_peek(path, &rows, &cols, &entries, NULL, &err), RC_EFORMAT);
        getrusage(RUSAGE_SELF, &after);
        assert_non_null(strstr(err.text, "hole.mtx:"));
        if (after.ru_minflt - before.ru_minflt > pages_most)
            fail_msg("'%s': %ld pages", front[i], after.ru_minflt - before.ru_minflt);
    }
    remove(path);
}

/* What a shell gives for <(...): it ends with its writer. */
static void a_pipe_without_a_name_can_be_read(void **state)
{
    (void)state;
    int ends[2];
    char path[64];
    rc_csr_t a;
    rc_err_t err;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        size_t n = strlen(text);
        _exit(write(ends[1], text, n / 2) < 0 || usleep(20000) != 0 || write(ends[1], text + n / 2, n - n / 2) < 0);
    }
    close(ends[1]);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    if (rc_mtx_read(path, 1, &a, NULL, &err) != RC_OK)
        fail_msg("%s", err.text);
    assert_int_equal(a.nnz, 8);
    rc_csr_free(&a);
    close(ends[0]);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

/* A text that is being cut off and written anew: read as a whole, or refused with the file's name. */
static void is_whole_or_explained(const char *path, rc_status_t st, rc_csr_t *a, const rc_err_t *err)
{
    if (st == RC_OK)
        rc_csr_free(a);
    else if (st != RC_EFORMAT || strncmp(err->text, path, strlen(path)) != 0)
        fail_msg("%d: %s", st, err->text);
}

static void a_file_may_shrink_while_it_is_read(void **state)
{
    enum { entries = 60000, rounds = 100 };
    char path[SCRATCH_PATH];
    char *big = malloc(64 + 16 * (size_t)entries);
    assert_non_null(big);
    size_t n = (size_t)sprintf(big, "%%%%MatrixMarket matrix coordinate real general\n%d 1 %d\n", entries, entries);
    for (int i = 1; i <= entries; i++)
        n += (size_t)sprintf(big + n, "%d 1 1.5\n", i);
    scratch_path(state, "shrinks.mtx", path);
    scratch_write(path, big, n);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (unsigned i = 0; child == 0; i++) { /* until it is killed; one page is left, or none */
        int fd = open(path, O_WRONLY);
        if (fd < 0 || ftruncate(fd, i % 2 ? 4096 : 0) != 0 || pwrite(fd, big, n, 0) != (ssize_t)n || close(fd) != 0 ||
            usleep(10000) != 0)
            _exit(1);
    }
    int short_ones = 0;
    for (int i = 0; i < rounds; i++) {
        rc_csr_t a;
        rc_err_t err = {0};
        rc_status_t st = rc_mtx_read_blocks(path, 1 + i % 2, i % 3 ? 1 << 16 : 1 << 20, 1 << 12, &a, NULL, &err);
        short_ones += st < 0;
        is_whole_or_explained(path, st, &a, &err);
    }
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    printf("# %d of %d ended early\n", short_ones, (int)rounds);
    free(big);
}

static void failed_allocations_are_survived(void **state)
{
    char path[SCRATCH_PATH];
    char *packed = buffer();
    for (int i = 0; i < container_count; i++) {
        scratch_path(state, containers[i].name, path);
        scratch_write(path, packed, pack(&containers[i], text, strlen(text), 1, packed));
        int done = 0;
        for (long n = 0; !done; n++) {
            rc_csr_t a;
            rc_err_t err = {0};
            failing_alloc_set(n);
            rc_status_t st = rc_mtx_read_blocks(path, 2, 32, 16, &a, NULL, &err);
            done = !failing_alloc_happened();
            failing_alloc_set(-1);
            if (st == RC_OK) {
                assert_int_equal(a.nnz, 8);
                rc_csr_free(&a);
            } else if (st != RC_ENOMEM || err.status != st) {
                fail_msg("%s, allocation %ld: %s", path, n, err.text);
            }
            assert_true(n < 10000);
            assert_true(!done || st == RC_OK);
        }
    }
    free(packed);
}

static void failed_allocations_of_the_writer(void **state)
{
    char path[SCRATCH_PATH];
    scratch_path(state, "out.mtx", path);
    int done = 0;
    for (long n = 0; !done; n++) {
        rc_csr_t a;
        rc_err_t err = {0};
        failing_alloc_set(n);
        rc_status_t st = rc_generate("block:n=200,size=5,between=1", &a, NULL, &err);
        if (st == RC_OK) {
            st = rc_mtx_write(path, &a, "x", &err);
            failing_alloc_set(failing_alloc_happened() ? -1 : 1000000);
            rc_csr_free(&a);
        }
        done = st == RC_OK;
        failing_alloc_set(-1);
        if (st < 0)
            assert_int_equal(st, RC_ENOMEM);
        assert_true(n < 10000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_container_gives_the_matrix),
        cmocka_unit_test(content_decides_not_the_name),
        cmocka_unit_test(missing_member_is_named),
        cmocka_unit_test(errors_inside_have_their_line),
        cmocka_unit_test(truncated_files_are_refused),
        cmocka_unit_test(flipped_bytes_do_no_harm),
        cmocka_unit_test(damaged_data_is_noticed),
        cmocka_unit_test(a_pipe_without_a_name_can_be_read),
        cmocka_unit_test(garbage_behind_gzip_is_ignored_and_told),
        cmocka_unit_test(frames_without_data_are_passed_over),
        cmocka_unit_test(a_large_file_of_nothing_is_refused_at_once),
        cmocka_unit_test(a_file_may_shrink_while_it_is_read),
        cmocka_unit_test(failed_allocations_are_survived),
        cmocka_unit_test(failed_allocations_of_the_writer),
    };
    return cmocka_run_group_tests_name("container", tests, scratch_setup, scratch_teardown);
}
