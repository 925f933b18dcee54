/** \file kernels/rs.h  RS-SpMM: the parameters, and what follows from them for a problem, on every device.
 *  Source: Hong et al. 2018, sections 3 and 4. */
#ifndef RC_KERNELS_RS_H
#define RC_KERNELS_RS_H

#include "kernels/kernel.h"
#include "sparse/segments.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Numbers of the parameters. */
enum { RC_RS_T, RC_RS_CFV, RC_RS_CFH, RC_RS_W, RC_RS_HBLOCKS, RC_RS_LIGHT };

enum { RC_RS_LIGHT_ADD, RC_RS_LIGHT_STORE };

enum {
    RC_RS_LANES = 32,       /**< columns that a slice has for each step */
    RC_RS_STEPS_MAX = 4,    /**< of cfv and cfh */
    RC_RS_T_MAX = 1 << 20,
    RC_RS_W_MAX = 1 << 20,
    RC_RS_HBLOCKS_MAX = 64
};

extern const char *const rc_rs_light_choices[];

#define RC_RS_PARAMS                                                                               \
    {"t", "entries of a row in a panel beyond which they go through shared memory; 0: 4", 0, 0,    \
        RC_RS_T_MAX},                                                                              \
        {"cfv", "columns of B per lane, heavy part; 0: 2", 0, 0, RC_RS_STEPS_MAX, 1},              \
        {"cfh", "columns of B per lane, light part; 0: 2 in fp32, 1 in fp64", 0, 0,                \
            RC_RS_STEPS_MAX, 1},                                                                   \
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

/** Never depends on K: an analysis is of all K. */
rc_rs_shape_t rc_rs_shape(const rc_problem_t *p);

/** Where analyse leaves what the split counts (rc_analysis_t.chosen). */
enum { RC_RS_HEAVY, RC_RS_NNZ_HEAVY, RC_RS_HEAVY_PANELS, RC_RS_HEAVY_ROWS, RC_RS_SEGMENTS };

/** Count the split of the problem into out->chosen; pads and the order of rows change nothing of that.
 *  \return RC_OK; RC_ENOTSUP: more heavy segments or slots than 32 bits number; RC_ENOMEM.
 *  Cost O(nnz + rows + panels). */
rc_status_t rc_rs_count(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err);

/** Bytes of a local column of the heavy part. */
int64_t rc_rs_col_bytes(const rc_rs_shape_t *s);

#ifdef __cplusplus
}
#endif
#endif
