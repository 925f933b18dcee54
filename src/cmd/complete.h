/** \file cmd/complete.h  What a shell may offer for the word under the cursor.  The scripts of the
 *  shells (rowcast docs completion) ask for it, so that they know no option themselves. */
#ifndef RC_CMD_COMPLETE_H
#define RC_CMD_COMPLETE_H

#include "rowcast.h"
#include <stdio.h>

/** Print the candidates, one a line; ":files" and ":dirs" stand for those of the shell.
 *  \param[in] word  [words] what follows "rowcast", up to the word under the cursor, which may be
 *                   "".  "--name=value" is one word, or three as bash cuts it
 *  \return RC_OK or RC_ENOMEM */
rc_status_t rc_complete(char *const *word, int words, FILE *out, rc_err_t *err);

/** Print the script of a shell: bash, zsh or fish.
 *  \return RC_OK, RC_EINVAL for another one */
rc_status_t rc_complete_script(const char *shell, FILE *out, rc_err_t *err);

#endif
