#include "config.h"
#include "analysis/papers/nisa/nisa.h"

void rc_nisa_notes(unsigned numbers, FILE *out)
{
    for (int i = 1; numbers; i++, numbers >>= 1) {
        char number[16];
        const char *const key[] = {number};
        (void)snprintf(number, sizeof number, "%d", i);
        const char *text = rc_paper_line(rc_nisa_contradictions, key, 1);
        if (numbers & 1u && text)
            fprintf(out, "Contradiction %d of the paper: %s.\n", i, text);
    }
}

static const rc_summary_t *const tables[] = {&rc_nisa_by_range, &rc_nisa_formats, &rc_nisa_coo,
    &rc_summary_nisa_rates, &rc_nisa_accuracy_table, &rc_nisa_slowdown_table, &rc_nisa_rme_table,
    &rc_nisa_indirect_table, &rc_nisa_importance_table, NULL};

const rc_paper_t rc_paper_nisa = {
    .name = "nisa", .cite = "Nisa et al. 2018, format selection for y = A x", .tables = tables};
