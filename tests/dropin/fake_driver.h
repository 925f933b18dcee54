/** \file tests/dropin/fake_driver.h  A driver and a runtime of contexts and streams alone. */
#ifndef RC_TESTS_DROPIN_FAKE_DRIVER_H
#define RC_TESTS_DROPIN_FAKE_DRIVER_H

enum { DEVICES = 2, CONTEXTS = DEVICES + 1, STREAMS = 4 };

/** Of a device its primary one, then one more of device 0. */
typedef struct fake_context {
    unsigned long long id; /**< 0: it is not there */
} fake_context_t;

/** Its place is its address, which others may have later. */
typedef struct fake_stream {
    unsigned long long id;
    int context; /**< number */
    int captured;
} fake_stream_t;

typedef struct fake_driver {
    fake_context_t contexts[CONTEXTS];
    fake_stream_t streams[STREAMS];
    unsigned long long ids; /**< given out */
    int error;    /**< told: one of the program's is pending */
    int unknown;  /**< told: numbers are 0 */
    int retained; /**< how often primary contexts were */
    int held;     /**< of these, not released */
    int unsafe;   /**< captured streams that were asked for their number, and calls that were not relaxed */
} fake_driver_t;

fake_driver_t *fake_driver(void);

/** The number of the current context of a thread. */
int *fake_current(void);

#endif
