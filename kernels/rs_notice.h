/** \file kernels/rs_notice.h  What a tuning of rs does not fit, said in a line. */
#ifndef RC_KERNELS_RS_NOTICE_H
#define RC_KERNELS_RS_NOTICE_H

#include "base/str.h"
#include "kernels/kernel.h"

/** Where the tuning of a kernel does not fit what it is used for (another device class, K or
 *  version of the kernel, no such precision, no file at all), a line about that, without newline;
 *  it names the tuning of that class, if there is one.
 *  \param[in] spec    of any kernel: others than rs, and those with nothing left open, have none; a
 *          file that cannot be read neither, for the kernel says that
 *  \param[in] device  class
 *  \param[out] out    appended to; check `failed` */
void rc_rs_tuning_notice(const rc_kernel_spec_t *spec, const char *device, int64_t k,
    rc_precision_t precision, rc_str_t *out);

#endif
