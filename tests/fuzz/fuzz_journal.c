/* Journals: whatever is in them, they are looked into and folded, or refused with a text; what was
 * folded can be read into rows, and folding again finds nothing new.
 *   byte 0: 0: the rest is one journal; else records follow, which are written with their
 * checksums: a byte of type, two of length, the payload; type 255: the next journal begins */
#include "config.h"
#include "fuzz.h"

#include "base/error.h"
#include "store/fold.h"
#include "store/journal.h"
#include "store/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char fuzz_target[] = "journal";

enum { JOURNALS = 4, NEXT_JOURNAL = 255, RECORD = 3 };

static void journal_name(int i, char name[64])
{
    snprintf(name, 64, "run%d.%05d.rcj", i / 2, i % 2);
}

static void path_of(const char *dir, int i, char path[FUZZ_PATH * 2])
{
    char name[64];
    journal_name(i, name);
    snprintf(path, FUZZ_PATH * 2, "%s/%s", dir, name);
}

static rc_journal_t *begin(const char *dir, int i)
{
    rc_err_t err = {0};
    rc_journal_t *j = NULL;
    rc_rec_run_t run = {
        .version = "0", .git = "0", .started_ns = 1 + i / 2, .ranks = 2, .rank = i % 2};
    snprintf(run.uuid, sizeof run.uuid, "run%d", i / 2);
    FUZZ_CHECK(rc_journal_create(dir, &run, &j, &err) == RC_OK);
    return j;
}

static void write_records(const char *dir, const uint8_t *p, size_t left)
{
    int i = 0;
    rc_journal_t *j = begin(dir, i);
    while (left >= RECORD) {
        unsigned type = p[0];
        size_t n = (size_t)p[1] | (size_t)p[2] << 8;
        p += RECORD;
        left -= RECORD;
        if (type == NEXT_JOURNAL) {
            if (++i == JOURNALS)
                break;
            rc_journal_close(j);
            j = begin(dir, i);
            continue;
        }
        n = n < left ? n : left;
        rc_str_t b = {.text = (char *)(uintptr_t)p, .len = n};
        FUZZ_CHECK(rc_journal_append(j, (rc_rec_type_t)type, &b, NULL) == RC_OK);
        p += n;
        left -= n;
    }
    rc_journal_close(j);
}

/* Records follow each other within the file, and what is between them is damage. */
static void records_are_within(const char *path)
{
    int64_t end = 0;
    int64_t where;
    rc_record_t r;
    rc_journal_view_t *v = NULL;
    if (rc_journal_open(path, 0, &v, NULL) < 0)
        return;
    while (rc_journal_next(v, &r)) {
        FUZZ_CHECK(r.end > end && r.end <= rc_journal_size(v));
        FUZZ_CHECK((int64_t)r.len < r.end - end);
        end = r.end;
    }
    int64_t damage = rc_journal_damage(v, &where);
    FUZZ_CHECK(damage == 0 ? where == -1 : where >= 0 && where + damage <= rc_journal_size(v));
    rc_journal_view_close(v);
}

static void folds(const char *dir)
{
    rc_err_t err = {0};
    rc_dicts_t dicts;
    const rc_fold_writers_t none = {0};
    rc_fold_t fold = {0};
    rc_dicts_init(&dicts);
    rc_status_t st = rc_fold_read(dir, NULL, &dicts, &none, NULL, &fold, &err);
    FUZZ_CHECK(st == RC_OK || (err.status == st && err.text[0] && !strchr(err.text, '\n')));
    if (st == RC_OK) {
        for (size_t i = 0; i < fold.result.count; i++) {
            const rc_row_result_t *w = (const rc_row_result_t *)fold.result.rows + i;
            FUZZ_CHECK(w->sample_offset < 0 ||
                       (w->reps >= 0 && w->sample_offset + w->reps <= (int64_t)fold.samples));
        }
        size_t rows[RC_DICTS];
        for (int i = 0; i < RC_DICTS; i++)
            rows[i] = dicts.d[i].count;
        rc_fold_free(&fold);
        FUZZ_CHECK(rc_fold_read(dir, NULL, &dicts, &none, NULL, &fold, &err) == RC_OK);
        FUZZ_CHECK(fold.crashed.count + fold.result.count + fold.samples + fold.order.count == 0);
        for (int i = 0; i < RC_DICTS; i++)
            FUZZ_CHECK(rows[i] == dicts.d[i].count);
        rc_fold_free(&fold);
    }
    rc_dicts_free(&dicts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char store[FUZZ_PATH];
    char dir[FUZZ_PATH];
    char path[FUZZ_PATH * 2];
    rc_err_t err = {0};
    rc_scan_t scan = {0};
    if (size < 1)
        return 0;
    fuzz_path("s.h5", store);
    fuzz_path("s.h5.journal", dir);
    (void)mkdir(dir, 0700);
    for (int i = 0; i < JOURNALS; i++) {
        path_of(dir, i, path);
        unlink(path);
    }
    if (data[0])
        write_records(dir, data + 1, size - 1);
    else {
        path_of(dir, 0, path);
        fuzz_write(path, data + 1, size - 1);
    }
    path_of(dir, 0, path);
    records_are_within(path);
    rc_status_t st = rc_scan_journals(store, NULL, NULL, &scan, &err);
    FUZZ_CHECK(st == RC_OK || (err.status == st && err.text[0] && !strchr(err.text, '\n')));
    rc_scan_free(&scan);
    folds(dir);
    return 0;
}
