/** \file tests/dropin/fake_engine.h  What the fake engine counts, and what a test tells it. */
#ifndef RC_TESTS_DROPIN_FAKE_ENGINE_H
#define RC_TESTS_DROPIN_FAKE_ENGINE_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct fake_engine {
    atomic_int copies; /**< not freed yet */
    atomic_int plans;  /**< not freed yet; fewer than copies while one is made */
    atomic_int made;   /**< in all */
    int runs;    /**< by plans */
    int checked; /**< of them, with a check */
    int repaired; /**< of them, whose pattern differed */
    int device;  /**< told: the current one */
    int context; /**< told: which one that device has; another one after a reset */
    atomic_int prepared; /**< calls of that */
    int strays;  /**< runs of a plan while another device was the current one, sums that nothing was prepared for, uses of what a reset took */
    int deaf;     /**< told: the host does not hear of checks */
    int refuses;  /**< told: no plan is made */
    int timed;    /**< how often the clock was asked */
    int streams;  /**< how often a stream was asked for */
    int marked;   /**< marks that were asked for */
    atomic_int lost; /**< contexts that were said to be */
    int summed;   /**< sums that were */
    int copied;   /**< copies that were */
    int changed;  /**< plans that were not made because the pattern had changed */
    int named;    /**< plans made of a kernel that was named */
    atomic_int tuned; /**< plans made by timing */
    int calls;    /**< told: products that the program has asked for; only where there is a lag */
    int lag;      /**< told: those that the host is ahead of the stream */
    _Atomic double clock; /**< told: seconds since the process began; 0: the system's clock.  What takes time puts it on */
    double make_s[2]; /**< told: what making takes on that clock, a first and a tuned plan */
    double load_s[2]; /**< told: what the first run of a kernel on the program's arrays takes of the host, on that clock, and that of another one */
    double tuned_ns;  /**< told: what a tuned plan takes; 0: as any */
    double last_ns;   /**< what the last run by a plan took, repairs included */
    double extra_ns;  /**< told: what a sum or a comparison takes on that clock */
    double may_ns;    /**< what timing for the last plan might take */
    int run_refuses; /**< told: a plan runs nothing */
    void (*in_run)(void);  /**< told: called by each run; NULL: nothing */
    void (*in_make)(void); /**< told: called before a plan is made; NULL: nothing */
    void (*in_free)(void); /**< told: called before a plan is freed; NULL: nothing */
    int idle;       /**< told: 1: the stream is, whenever it is asked */
    double plan_ns; /**< told: what a plan takes */
    double direct_ns[2]; /**< told: what each kernel on the program's arrays takes; 0: as a plan */
    double direct_s; /**< told: seconds of the host that the second is said to take before it runs */
    int unsuited; /**< told: number, from 1, of the one that does not suit; 0: none */
    int breaks;   /**< told: number, from 1, of the one that fails when it has stored a part; 0: none */
    int blind;    /**< told: 1: no matrix can be */
    int looked;   /**< matrices that were looked at */
    long longest; /**< row, as the last of them was told */
    int directs;  /**< runs by these, which are among the runs */
    int in_graph; /**< of them, into a capture */
    int recorded; /**< products by plans that were */
    int unended;  /**< told: 1: what plans were asked for has not ended */
    uint64_t capture; /**< told: which one a stream that is captured is in; 0: not known */
    int way;      /**< which one ran last, from 0 */
    int ways;     /**< of these, not freed yet */
    double other_ns; /**< told: what cuSPARSE takes */
} fake_engine_t;

typedef fake_engine_t *fake_engine_fn(void);

/** Looked up by its name. */
__attribute__((visibility("default"))) fake_engine_t *fake_engine(void);

#endif
