/** \file dropin/known.h  Patterns that a program multiplies by again and again, and what is known
 *  of them. */
#ifndef RC_DROPIN_KNOWN_H
#define RC_DROPIN_KNOWN_H

#include "dropin/choices.h"
#include "dropin/product.h"

/** Read once, at the first call. */
typedef struct rc_settings {
    int off;        /**< ROWCAST_DROPIN=off: everything is passed through */
    int trust;      /**< ROWCAST_TRUST=preprocess */
    int bits;       /**< ROWCAST_BITS=free: other bits may take the place of those that cuSPARSE
                         promises to be the same in each run */
    int summary;    /**< ROWCAST_LOG=summary */
    int wait;       /**< ROWCAST_WAIT=1: a plan is made during a call, not beside the program */
    int always;     /**< ROWCAST_WAIT=always: likewise, and kept whatever the times say: for
                          tests */
    double seconds; /**< ROWCAST_BUDGET=time=S,share=PART,memory=BYTES: of making plans, in the
                          whole process */
    double share;   /**< of the program's time, that making plans may take */
    int64_t memory; /**< bytes of device memory for plans, in the whole process */
    char *cache;    /**< ROWCAST_CACHE=FOLDER,bytes=BYTES: NULL: none */
    int64_t cache_most;
    const char *engine; /**< ROWCAST_ENGINE: file name; NULL: the one beside this library */
} rc_settings_t;

/** What the variables say; what they say wrongly is printed once and left at its default. */
rc_settings_t rc_settings_read(void);

/** What makes two products one: arrays, sizes and stream.  Row pointers may move (some programs
 *  make them anew for each product): the check compares what they hold. */
typedef struct rc_key {
    const void *col_idx;
    void *stream;
    int64_t rows;
    int64_t cols;
    int64_t nnz;
    int64_t k;
    int device;
    int op;     /**< of rc_op_t */
    int form;   /**< of rc_plan_form_t */
    int direct; /**< as of rc_asked_t */
    int algorithm;
    int layout;
    int row_ptr_bytes;
    int col_idx_bytes;
    int precision;
    int wide;   /**< 1: lines of operands begin at multiples of 16 bytes, which kernels on the
                     program's arrays are faster with; 0 where nothing depends on it */
    int c_sums; /**< as of rc_asked_t; keys are compared as bytes */
} rc_key_t;

enum { RC_KEY_TYPES = 16 };

/** That of a product on a device. */
rc_key_t rc_key_of(const rc_asked_t *p, int device);

/** Its value types, "fp16" or "fp16 to fp32".  \param[out] text  [RC_KEY_TYPES] */
void rc_key_types(const rc_key_t *key, char *text);

/** That of its arrays: "csr", "csc" or "coo". */
const char *rc_key_form(const rc_key_t *key);

/** In this order; back to WATCHING when the pattern changes. */
typedef enum rc_stage {
    RC_STAGE_WATCHING, /**< cuSPARSE multiplies and is timed */
    RC_STAGE_MAKING,   /**< cuSPARSE multiplies, a plan is made */
    RC_STAGE_TRYING,   /**< the plan and cuSPARSE multiply in turns and are timed */
    RC_STAGE_ON,       /**< the plan multiplies */
    RC_STAGE_OFF       /**< cuSPARSE does, for good */
} rc_stage_t;

/** Times that decide; those that are enough to begin with; changes in place until a pattern is left
 *  alone; patterns that are remembered; calls after which a plan may go. */
enum { RC_TIMES = 5, RC_ENOUGH = 2, RC_CHANGES = 3, RC_KNOWN_MOST = 128, RC_IDLE = 1000 };

/** Calls after which a kernel on the program's arrays is timed again, as the pattern may have
 *  changed to one that it is slow for: odd, because patterns may take turns at an address.  And how
 *  much longer it takes then, by several times or by one; or by several times it takes longer than
 *  cuSPARSE did. */
enum { RC_AGAIN = 31 };
#define RC_SLOWER 1.5
#define RC_FAR 4

/** Times of products in the program's stream. */
typedef struct rc_times {
    double ns[RC_TIMES];
    int count;            /**< of them */
    void *mark[RC_TIMES]; /**< of the engine; NULL: not there yet */
    int marked;           /**< marks that both ends have; the stream may not have got there */
} rc_times_t;

/** How fast a program asks for a pattern. */
enum { RC_PACES = 5 };
typedef struct rc_pace {
    double seconds[RC_PACES]; /**< from one call to the next, the latest ones */
    int calls;                /**< of them in all, in this stage */
    int idle;                 /**< calls that found the stream idle */
    double last;              /**< when the last one was; 0: there was none */
    double before;            /**< median without a plan; 0: not known */
    int with;                 /**< 1: they are with a plan */
    int judged;               /**< 1: it is known whether the plan stays */
} rc_pace_t;

/** A plan, for one pattern at one or more addresses, or a kernel that needs none. */
typedef struct rc_held {
    void *plan;
    int users;
    int direct;    /**< 1: a kernel on the program's arrays */
    int tuned;     /**< 1: alternatives were timed, or will not be */
    uint64_t runs; /**< of all users */
    rc_made_t made;
    struct rc_held *next; /**< of the dead */
} rc_held_t;

/** A plan that a graph holds. */
typedef struct rc_captured {
    rc_key_t key;
    uint64_t capture; /**< of the engine: what is captured on one stream runs in its order */
    rc_held_t *held;
    int refuses; /**< 1: it did not take operands */
    struct rc_captured *next;
} rc_captured_t;

/** The most plans that graphs may hold, as these stay for good. */
enum { RC_GRAPHS_MOST = 32 };

/** One pattern, K and stream. */
typedef struct rc_known {
    rc_key_t key;
    rc_stage_t stage;
    rc_why_t off;  /**< why the stage is OFF */
    int64_t turns; /**< calls in this stage */
    rc_times_t reference;
    double product_ns; /**< median of earlier ones; 0: there were none */
    rc_times_t ours;
    rc_times_t better; /**< of `next` */
    rc_pace_t pace;
    int busy;                  /**< 1: a call is between its marks */
    uint64_t tag;              /**< low bits of the numbers of its checks */
    rc_held_t *held;           /**< NULL: no plan */
    rc_held_t *next;           /**< a better one that is being tried; NULL: none */
    int64_t next_turns;        /**< calls since then */
    int ways;                  /**< kernels on the program's arrays that were tried */
    double kept_ns;            /**< that the kernel took which is timed again; 0: none is.  `ours`
                                    has no times then but those that are looked at */
    int looked;                /**< 1: the longest row is known */
    int64_t longest;           /**< row */
    rc_held_t *sibling;        /**< whose pattern it is compared with; NULL: none */
    uint64_t compared;         /**< number of that; 0: not yet */
    void *sum;                 /**< of the engine, that is awaited; NULL: none */
    rc_pattern_sums_t sums;    /**< of the pattern, zeros: not known */
    int looked_up;             /**< 1: in the folder of choices */
    rc_past_t *choice;         /**< of an earlier run; NULL: none */
    int unsaved;               /**< 1: what is chosen now is to be kept for a later one */
    char text[RC_ENGINE_TEXT]; /**< of the newest plan, or why there was none */
    int changes;
    uint64_t first_check; /**< number of the first of this plan, 0: none yet; older ones are of
                               another */
    uint64_t calls;
    uint64_t since; /**< calls before the pattern that it has now */
    uint64_t by_plan;
    uint64_t settled;  /**< of them, whose gain is in the account, or will be as those of `next` */
    double won;        /**< seconds of that */
    uint64_t begun_at; /**< call in which the first plan was begun; 0: none was */
    uint64_t last;     /**< call of the process that it was in last */
    double make_seconds;
} rc_known_t;

/** Who multiplies by its stage, and why not a plan. */
rc_why_t rc_known_why(const rc_known_t *known);

/** How the times decide: TRYING ends in ON when the plan takes at most this part of cuSPARSE's
 *  time, and a better plan takes its place when it takes at most this part of its time. */
#define RC_KEEP 0.97

#endif
