/* What a process takes, as several benchmarks need it. */
#ifndef RC_TESTS_BENCH_PROCESS_H
#define RC_TESTS_BENCH_PROCESS_H

/* Time that the process has had of its processors, s: what others do on them is not in it; NaN: not known. */
double bench_cpu_seconds(void);

/* Bytes of memory that are used now; 0: not known. */
double bench_memory(void);

/* The most that were used since bench_forget_peak; 0: not known. */
double bench_peak(void);

/* The peak begins anew; not so on a system without /proc/self/clear_refs. */
void bench_forget_peak(void);

#endif
