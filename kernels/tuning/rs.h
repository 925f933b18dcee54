/** \file kernels/tuning/rs.h RS-SpMM: the parameters, and what follows from them for a problem, on
 *  every device. Source: Hong et al. 2018, sections 3 and 4. */
#ifndef RC_KERNELS_TUNING_RS_H
#define RC_KERNELS_TUNING_RS_H

#include "format/problem.h"
#include "sparse/segments.h"

/** Numbers of the parameters. */
enum { RC_RS_TUNE, RC_RS_T, RC_RS_CFV, RC_RS_CFH, RC_RS_W, RC_RS_HBLOCKS, RC_RS_LIGHT };

enum { RC_RS_LIGHT_ADD, RC_RS_LIGHT_STORE };

enum {
    RC_RS_LANES = 32,    /**< columns that a slice has for each step */
    RC_RS_STEPS_MAX = 4, /**< of cfv and cfh */
    RC_RS_T_MAX = 1 << 20,
    RC_RS_W_MAX = 1 << 20,
    RC_RS_HBLOCKS_MAX = 64,
    RC_RS_USUAL_T = 4, /**< where no tuning says more */
    RC_RS_USUAL_CFV = 2,
    RC_RS_USUAL_CFH = 2 /**< the paper has 1 in fp64; 2 is most often best there too on an H200 */
};

extern const char *const rc_rs_light_choices[];

#define RC_RS_PARAMS                                                                               \
    {.name = "tune",                                                                               \
        .type = RC_PARAM_TEXT,                                                                     \
        .text = "auto",                                                                            \
        .help = "what t, cfv and cfh are where they are 0: a file of rowcast train --task "        \
                "parameters, or the name of one (without .json) in $ROWCAST_TUNING, by default "   \
                "the installed ones; auto: rs-h200 where it is there, else t = 4, cfv = 2 "        \
                "and cfh = 2"},                                                                    \
        {"t",                                                                                      \
            "entries of a row in a panel beyond which they go through shared memory; 0: by "       \
            "the tree of the tuning",                                                              \
            0, 0, RC_RS_T_MAX},                                                                    \
        {"cfv", "columns of B per lane, heavy part; 0: of least cost by the tuning", 0, 0,         \
            RC_RS_STEPS_MAX, 1},                                                                   \
        {"cfh", "columns of B per lane, light part; 0: of the tuning", 0, 0, RC_RS_STEPS_MAX, 1},  \
        {"w", "columns of a panel; 0: as many as half of the shared memory takes rows of B", 0, 0, \
            RC_RS_W_MAX, 1},                                                                       \
        {"hblocks", "CTAs that share a panel and slice; 0: as many as fill the GPU", 1, 0,         \
            RC_RS_HBLOCKS_MAX},                                                                    \
    {                                                                                              \
        .name = "light", .help = "light rows without heavy segments: added to C, or stored",       \
        .type = RC_PARAM_CHOICE, .choices = rc_rs_light_choices                                    \
    }

/** The parameters of a problem with nothing left open but hblocks. */
typedef struct rc_rs_shape {
    rc_segments_rule_t rule;
    int cfv;
    int cfh;
    int hblocks; /**< 0: the device decides */
    int stores;  /**< 1: light rows without heavy segments are stored */
} rc_rs_shape_t;

/** 1: t, cfv or cfh is left to the tuning.  \param[in] param  in the order of RC_RS_PARAMS */
int rc_rs_is_open(const int64_t *param);

/** Columns of a panel where nothing else is asked for: the largest power of two of rows of B that
 *  half of the shared memory of a multiprocessor takes. \param[in] cfv 1, 2 or 4 */
int64_t rc_rs_width(int cfv, rc_precision_t precision);

/** What an analysis chose and counted (rc_analysis_t.chosen). */
typedef struct rc_rs_chosen {
    int64_t heavy; /**< segments */
    int64_t nnz_heavy;
    int64_t heavy_panels;
    int64_t heavy_rows; /**< rows with a heavy segment */
    int64_t segments;
    int64_t t;
    int cfv;
    int cfh;
} rc_rs_chosen_t;

/** Choose what the parameters leave open, for the K of the problem, and count the split:
 *  rc_rs_chosen_t.  Pads and the order of rows change nothing of that.
 *  \return RC_OK; RC_ENOTSUP: more heavy segments or slots than 32 bits number; RC_ENOMEM; as
 *  rc_rs_tuning_read. Cost O(nnz + rows + panels), at most five times. */
rc_status_t rc_rs_count(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err);

/** The parameters, with what the analysis chose: the K of the problem is of no matter any more. */
rc_rs_shape_t rc_rs_shape(const rc_problem_t *p, const rc_analysis_t *analysis);

/** rc_kernel_t.identify of both kernels: what a tuning says, not its name, and nothing of it where
 *  nothing is open.
 *  \param[in] param  RC_RS_PARAMS of the descriptor */
rc_status_t rc_rs_identify(
    const rc_param_t *param, const rc_params_t *values, char *text, rc_err_t *err);

/** Bytes of a local column of the heavy part. */
int64_t rc_rs_col_bytes(const rc_rs_shape_t *s);

#endif
