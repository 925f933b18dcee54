#include "config.h"
#include "analysis/papers/paper.h"

static const rc_summary_t *const tables[] = {
    &rc_summary_speedup, &rc_summary_versus, &rc_summary_share, &rc_summary_portfolio, NULL};

const rc_paper_t rc_paper_mehrabi = {
    .name = "mehrabi", .cite = "Mehrabi et al., row orders for sparse x dense", .tables = tables};
