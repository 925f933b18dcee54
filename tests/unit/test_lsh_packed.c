/* The order lsh-packed: against a slow implementation, and by hand. */
#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "order/policy.h"
#include "order_matrix.h"
#include "rowcast.h"
#include "sparse/csr.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The first piece that is left of most rows, of at most `room`; room 0: the first one. */
static int64_t next_piece(const int64_t *from, int64_t pieces, const unsigned char *placed, int64_t room)
{
    int64_t best = -1;
    for (int64_t i = 0; i < pieces; i++) {
        int64_t n = from[i + 1] - from[i];
        if (placed[i] || (room > 0 && n > room))
            continue;
        if (room == 0)
            return i;
        if (best < 0 || n > from[best + 1] - from[best])
            best = i;
    }
    return best;
}

/* \return how many pieces straddle */
static int64_t packed_reference(const rc_schedule_t *lsh, int64_t panel, int32_t *row)
{
    const rc_groups_t *g = &lsh->group[0];
    int64_t *from = calloc((size_t)lsh->slots + 1, sizeof *from);
    unsigned char *placed = calloc((size_t)lsh->slots + 1, 1);
    int64_t pieces = 0;
    int64_t room = 0;
    int64_t straddling = 0;
    assert_true(from && placed);
    for (int64_t i = 0; i < g->count; i++)
        for (int64_t p = g->ptr[i]; p < g->ptr[i + 1]; p += panel)
            from[pieces++] = p;
    from[pieces] = lsh->slots;
    for (int64_t k = 0; k < pieces; k++) {
        int64_t i = next_piece(from, pieces, placed, room);
        if (i < 0) {
            i = next_piece(from, pieces, placed, 0);
            straddling++;
        }
        placed[i] = 1;
        for (int64_t p = from[i]; p < from[i + 1]; p++) {
            *row++ = lsh->row[p];
            room = (room == 0 ? panel : room) - 1;
        }
    }
    free(from);
    free(placed);
    return straddling;
}

static void check_packed(const rc_csr_t *a, int64_t panel, int64_t *straddling)
{
    char text[64];
    rc_policy_spec_t spec;
    rc_facts_t facts = {0};
    rc_err_t err = {0};
    rc_schedule_t packed = {0};
    rc_schedule_t lsh = order_of("lsh:size=6", a, 1);
    int32_t *row = calloc((size_t)a->rows + 1, sizeof *row);
    assert_non_null(row);
    (void)snprintf(text, sizeof text, "lsh-packed:size=6:panel=%" PRId64, panel);
    assert_int_equal(rc_policy_spec_parse(text, &spec, NULL), RC_OK);
    const rc_order_watch_t watch = {.facts = &facts};
    if (rc_policy_build(&spec, a, NULL, 2, &watch, &packed, &err) < 0)
        fail_msg("%s", err.text);
    *straddling = packed_reference(&lsh, panel, row);
    assert_string_equal(facts.fact[facts.count - 1].name, "straddling");
    assert_int_equal(facts.fact[facts.count - 1].value, *straddling);
    assert_int_equal(packed.slots, a->rows);
    assert_memory_equal(packed.row, row, (size_t)a->rows * sizeof *row);
    for (int64_t i = 0; i < packed.group[0].count; i++)
        assert_in_range(packed.group[0].ptr[i + 1] - packed.group[0].ptr[i], 1, panel);
    free(row);
    rc_schedule_free(&lsh);
    rc_schedule_free(&packed);
}

static void clusters_are_packed(void **state)
{
    (void)state;
    static const int64_t panels[] = {1, 2, 3, 5, 8, 1000};
    rc_rng_t r;
    int64_t straddling;
    int64_t all = 0;
    rc_rng_seed(&r, 31);
    for (int round = 0; round < 200; round++) {
        rc_csr_t a;
        random_matrix(&r, 45, &a);
        for (size_t i = 0; i < sizeof panels / sizeof *panels; i++) {
            check_packed(&a, panels[i], &straddling);
            all += straddling;
        }
        free_matrix(&a);
    }
    assert_true(all > 0); /* both cases */
}

/* Blocks of five equal rows and rows alone that fill the panels: none straddles, and a diagonal stays. */
static void gaps_are_filled(void **state)
{
    (void)state;
    enum { blocks = 20, of = 5, alone = 60, rows = blocks * of + alone };
    rc_csr_t a;
    int64_t straddling;
    assert_int_equal(rc_csr_alloc(rows, rows, rows, &a, NULL), RC_OK);
    for (int32_t i = 0; i < rows; i++) {
        a.col_idx[i] = i < blocks * of ? i / of : i;
        a.row_ptr[i + 1] = i + 1;
    }
    check_packed(&a, 8, &straddling);
    assert_int_equal(straddling, 0);
    for (int32_t i = 0; i < rows; i++)
        a.col_idx[i] = i;
    rc_schedule_t s = order_of("lsh-packed", &a, 1);
    for (int64_t p = 0; p < s.slots; p++)
        assert_int_equal(s.row[p], p);
    rc_schedule_free(&s);
    rc_csr_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_are_packed),
        cmocka_unit_test(gaps_are_filled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
