/** \file format/aspt.h  Adaptive sparse tiling: the parameters, and a matrix cut by them, on
 *  every device. Source: Hong et al. 2019 (ASpT) as Jiang et al. 2020 use it, sections 2.3 and
 *  4. */
#ifndef RC_FORMAT_ASPT_H
#define RC_FORMAT_ASPT_H

#include "format/parts.h"
#include "format/problem.h"
#include "sparse/tile_groups.h"

/** Numbers of the parameters. */
enum {
    RC_ASPT_PANEL,
    RC_ASPT_COL_MIN,
    RC_ASPT_TILE_COLS,
    RC_ASPT_TILE_MIN,
    RC_ASPT_REST,
    RC_ASPT_CF,
    RC_ASPT_ROWS,
    RC_ASPT_SIGLEN,
    RC_ASPT_BSIZE,
    RC_ASPT_SIZE,
    RC_ASPT_SEED,
    RC_ASPT_WINDOW
};

/** What happens to the rows of the sparse part. */
enum { RC_ASPT_KEEP, RC_ASPT_BY_RULE, RC_ASPT_ALWAYS };

enum {
    RC_ASPT_LANES = 32,    /**< columns of B that a tile has for each step */
    RC_ASPT_STEPS_MAX = 4, /**< of cf */
    /** entries of a row of the sparse part beyond which it is computed in pieces */
    RC_ASPT_PIECE = 512,
    /** entries of a row of the sparse part up to which a CTA of the tiles takes them too */
    RC_ASPT_BESIDE = 4,
    /** bytes that a tile may take: the shared memory of a CTA of compute capability 9.0. Devices
     *  refuse alike */
    RC_ASPT_SHARED = 227 * 1024
};

/** "auto", "1", "4". */
enum { RC_ASPT_ROWS_ONE = 1 };
extern const char *const rc_aspt_rows_choices[];

#define RC_ASPT_PARAMS                                                                             \
    {"panel", "rows of a panel", 128, 1, 1 << 20, 0},                                              \
        {"col_min", "entries of a panel in a column from which on it is dense there", 16, 1,       \
            1 << 20, 0},                                                                           \
        {"tile_cols", "columns of a tile", 128, 1, 1 << 20, 0},                                    \
        {"tile_min", "dense columns of a panel below which it has no tile", 17, 1, 1 << 20, 0},    \
        {"rest",                                                                                   \
            "rows of the sparse part: 0 keep their order; 1 are put in the order lsh where their " \
            "average similarity is at most 0.1; 2 always",                                         \
            0, 0, 2, 0},                                                                           \
        {"cf", "columns of B per lane; 0: 4 in fp32, 2 in fp64", 0, 0, RC_ASPT_STEPS_MAX, 1},      \
        {.name = "rows",                                                                           \
            .help = "rows of a panel that share loads of B, on a GPU; auto: 4 where they share "   \
                    "columns",                                                                     \
            .type = RC_PARAM_CHOICE,                                                               \
            .choices = rc_aspt_rows_choices},                                                      \
        {"siglen", "of that order lsh", 128, 1, 4096, 0},                                          \
        {"bsize", "of that order", 2, 1, 4096, 0},                                                 \
        {"size", "of that order", 256, 1, INT32_MAX, 0},                                           \
        {"seed", "of that order", 1, 0, INT32_MAX, 0},                                             \
    {                                                                                              \
        "window", "of that order", 8, 0, INT32_MAX, 0                                              \
    }

/** The tiles that a problem asks for. */
rc_tile_rule_t rc_aspt_rule(const rc_problem_t *p);

/** Columns of B per lane. */
int rc_aspt_steps(const rc_problem_t *p);

/** What identifies the parameters leaves out those of the second round at their defaults: a
 *  store keeps 96 bytes of them (rc_kernel_t.identify). */
rc_status_t rc_aspt_identify(
    const rc_param_t *param, const rc_params_t *values, char *text, rc_err_t *err);

/** What a cut counts. */
typedef struct rc_aspt_size {
    rc_tile_size_t tiles;
    rc_tile_group_size_t groups; /**< of one row where nobody asks */
    int64_t longs;    /**< rows of the sparse part with more than RC_ASPT_PIECE entries */
    int64_t pieces;   /**< of them */
    int64_t segments; /**< of all rows of the sparse part, where they are asked for */
    /** 1: where a device multiplies the sparse part beside tiles, it does that apart from the
     *  tiles: rows of panels with tiles have more than RC_ASPT_BESIDE entries beside them in the
     *  mean, where a row of more than RC_ASPT_PIECE entries in all counts none */
    int apart;
} rc_aspt_size_t;

/** Count the cut of a problem under its schedule.
 *  \param[in] grouped  1: count groups of as many rows as the parameters say
 *  \param[in] segment  entries of a segment at most; 0: nobody asks
 *  \return RC_OK; RC_ENOTSUP: a tile takes more bytes than RC_ASPT_SHARED, or 32 bits do not
 *          number the parts; RC_ENOMEM.  Cost O(nnz + slots). */
rc_status_t rc_aspt_measure(
    const rc_problem_t *p, int grouped, int64_t segment, rc_aspt_size_t *out, rc_err_t *err);

/** CTAs among which the rows of a panel are divided: enough for a device to have `wanted`, but none
 *  without a group.
 *  \param[in] ctas     of all panels, undivided: >= 1
 *  \param[in] groups   of rows of a panel
 *  \param[in] at_once  that a CTA takes at a time */
int32_t rc_aspt_shares(int64_t ctas, int64_t wanted, int64_t groups, int64_t at_once);

/** A matrix cut. */
typedef struct rc_aspt_cut {
    rc_tile_rule_t rule;
    int32_t *tile_col; /**< [parts.size.cols] dense columns, see rc_tiles_t.col */
    rc_tile_parts_t parts;
    rc_tile_groups_t groups; /**< of more than one row; else nothing */
    int32_t *rest_row; /**< [slots] slot of each row of the sparse part; NULL: row s is slot s */
} rc_aspt_cut_t;

/** Cut the matrix of a problem and reorder the sparse part as asked.
 *  \param[in]  a    its rows in slot order, with values
 *  \param[out] out  free with rc_aspt_cut_free
 *  \return RC_OK, RC_ENOTSUP, RC_ENOMEM.  Cost O(nnz + slots), and of the order lsh. */
rc_status_t rc_aspt_cut(const rc_problem_t *p, const rc_segments_source_t *a, int threads,
    rc_aspt_cut_t *out, rc_err_t *err);

/** The same of the matrix of the problem, with the numbers of its entries, int64_t, in place of
 *  values. */
rc_status_t rc_aspt_cut_entries(
    const rc_problem_t *p, int threads, rc_aspt_cut_t *out, rc_err_t *err);

void rc_aspt_cut_free(rc_aspt_cut_t *c);

/** The rows of the sparse part that are computed in pieces.  Row i of them has pieces
 *  long_row[i].first up to first + parts; piece j is the entries from ptr[j + i] to ptr[j + i +
 *  1]: behind the pieces of a row is a gap. */
typedef struct rc_aspt_pieces {
    rc_long_row_t *long_row; /**< [longs] `row` is a row of the sparse part */
    int64_t *ptr;            /**< [pieces + longs + 1] */
    int32_t *piece;          /**< [pieces + longs] number of the piece, -1 for a gap */
    int64_t longs;
    int64_t pieces;
} rc_aspt_pieces_t;

/** \param[out] out  free with rc_aspt_pieces_free  \return RC_OK, RC_ENOMEM.  Cost O(slots +
 *          pieces). */
rc_status_t rc_aspt_pieces(const rc_tile_parts_t *p, rc_aspt_pieces_t *out, rc_err_t *err);

void rc_aspt_pieces_free(rc_aspt_pieces_t *p);

#endif
