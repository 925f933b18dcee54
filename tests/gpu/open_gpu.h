/* The GPU that tests run on. */
#ifndef RC_TESTS_GPU_OPEN_GPU_H
#define RC_TESTS_GPU_OPEN_GPU_H

/* The first GPU as a device; NULL: there is none, and that is all right. */
struct rc_device *open_gpu(void);

#endif
