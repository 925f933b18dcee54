#include "config.h"
#include "base/error.h"
#include "base/str.h"
#include "store/journal.h"
#include "store/path.h"
#include "store/verify_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A journal while it is read. */
typedef struct reading {
    rc_verify_t *v;
    const char *name;
    int64_t folded; /* bytes that are in the store */
    int32_t run;    /* id in the store, -1 not known */
    int32_t rank;
} reading_t;

/* A result that is said to be in the store is. */
static void look_up(const reading_t *j, const rc_record_t *r)
{
    rc_verify_t *v = j->v;
    if (!v->options->deep || r->type != RC_REC_RESULT || r->end > j->folded || j->run < 0 ||
        !v->has_seen)
        return;
    const rc_verify_at_t at = {v, j->name, r->end};
    int is = rc_map_get(&v->seen, rc_verify_key(j->run, j->rank, r->seq, NULL), -1) >= 0;
    rc_verify_expect(&at, is,
        "that what is folded of it is in /results|the result of record %" PRId64 " is not", r->seq);
}

static void read_records(reading_t *j, rc_journal_view_t *view)
{
    rc_record_t r;
    rc_rec_t what;
    rc_row_run_t run;
    rc_verify_at_t at = {j->v, j->name, 0};
    while (rc_journal_next(view, &r)) {
        int understood = rc_rec_get(&r, &what) == RC_OK;
        if (understood && r.type == RC_REC_RUN) {
            memcpy(run.uuid, what.run.uuid, sizeof run.uuid);
            j->run = rc_dict_find(&j->v->dicts.d[RC_T_RUN], &run);
            j->rank = what.run.rank;
        }
        rc_verify_expect(&at, understood,
            "a record that can be understood|one of type %d that cannot", (int)r.type);
        look_up(j, &r);
        at.row = r.end;
    }
    int64_t damage = rc_journal_damage(view, &at.row);
    rc_verify_expect(&at, damage == 0, "records|%" PRId64 " damaged bytes from here on", damage);
    at.row = -1;
    rc_verify_expect(&at, rc_journal_size(view) >= j->folded,
        "at least the %" PRId64 " bytes that are folded|%" PRId64, j->folded,
        rc_journal_size(view));
}

static rc_status_t check_one(rc_verify_t *v, const char *dir, const char *name, rc_err_t *err)
{
    rc_journal_view_t *view = NULL;
    reading_t j = {
        .v = v, .name = name, .folded = rc_dict_journal_bytes(&v->dicts, name), .run = -1};
    char *path = rc_strf("a path", err, "%s/%s", dir, name);
    rc_status_t st = path ? rc_journal_open(path, 0, &view, err) : RC_ENOMEM;
    free(path);
    if (st == RC_ENOENT) /* folded and removed since it was listed */
        return RC_OK;
    if (st < 0)
        return rc_verify_unread(v, name, st, err);
    read_records(&j, view);
    st = rc_journal_read_status(view, err);
    rc_journal_view_close(view);
    if (st < 0)
        return rc_verify_unread(v, name, st, err);
    v->info.journals++;
    return RC_OK;
}

rc_status_t rc_verify_journals(rc_verify_t *v, rc_err_t *err)
{
    char *store = NULL;
    char *dir = NULL;
    char **names = NULL;
    int64_t count = 0;
    rc_status_t st;
    RC_TRY(rc_store_path(v->path, &store, err));
    dir = rc_journal_dir(store, err);
    RC_TRY(dir ? RC_OK : RC_ENOMEM);
    st = rc_journal_list(dir, &names, &count, err);
    if (st < 0)
        st = rc_verify_unread(v, dir, st, err);
    for (int64_t i = 0; i < count && st == RC_OK; i++)
        st = check_one(v, dir, names[i], err);
done:
    rc_journal_names_free(names, count);
    free(dir);
    free(store);
    return st;
}
