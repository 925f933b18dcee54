/** \file cmd/unsealed.h  Commands that read a store: what they do with one without a seal. */
#ifndef RC_CMD_UNSEALED_H
#define RC_CMD_UNSEALED_H

#include "cmd/cmd.h"

/** The row of an option table. */
#define RC_UNSEALED_OPTION(offset)                                                                 \
    RC_OPT("unsealed", 0, RC_OPT_FLAG, (offset), NULL,                                             \
        "Also read a store without digests of its bytes (one that rowcast wrote before it "        \
        "wrote any, that was cut short, or that another program changed), in a process of "        \
        "its own, for damage can make the reader crash or hang: it is ended when it gets no "      \
        "further for 60 s (environment: ROWCAST_UNSEALED_SECONDS; 0: never).")

/** Look at the stores of a command before HDF5 sees a byte of them.  When one has no seal it is
 *  refused, or with `allowed` the rest of the command runs in a child process (store/guard.h): so
 *  this comes right behind rc_command_parse.
 *  \param[in]  stores  n names, or fewer and NULL
 *  \param[out] code    when it is over: the exit code of the command
 *  \return 1 when the command is over, as something was printed or a child did it; 0: go on */
int rc_command_unsealed(const rc_command_t *c, int allowed, char *const *stores, int n, int *code);

#endif
