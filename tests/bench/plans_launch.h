/* One launch of CUDA, by each of the ways that there are: for bench_plans. */
#ifndef RC_TESTS_BENCH_PLANS_LAUNCH_H
#define RC_TESTS_BENCH_PLANS_LAUNCH_H

struct CUstream_st;

/* Of the runtime or the driver; with the attribute by which kernels overlap, as those of plans have. */
typedef enum bench_launch_way {
    BENCH_LAUNCH,
    BENCH_LAUNCH_OVERLAP,
    BENCH_LAUNCH_DRIVER,
    BENCH_LAUNCH_DRIVER_OVERLAP
} bench_launch_way_t;
enum { BENCH_LAUNCH_WAYS = BENCH_LAUNCH_DRIVER_OVERLAP + 1 };

typedef struct bench_launch bench_launch_t;

const char *bench_launch_key(bench_launch_way_t way);

/* \param[out] out  one at a time, nothing to free  \return 0: there is no such way here */
int bench_launch_new(struct CUstream_st *stream, bench_launch_way_t way, bench_launch_t **out);

/* \param[in] user  bench_launch_t  \return 0: it failed */
int bench_launch_once(void *user);

#endif
