/** \file dropin/choices.h  A folder of choices (ROWCAST_CACHE): a second run begins with what the
 *  first one found.
 *
 *  There is a file for each key and user, of a few hundred bytes.  It is there whole or not at
 *  all, carries a sum, and is the user's own; every other one is as good as none.  Nothing in it
 *  is run: a choice names a kernel and an order, which the library knows or does not. */
#ifndef RC_DROPIN_CHOICES_H
#define RC_DROPIN_CHOICES_H

#include <stdint.h>

enum { RC_CHOICES_KEY = 512, RC_CHOICE_KERNEL = 160, RC_CHOICE_ORDER = 128 };

/** The folder, and what became of it. */
typedef struct rc_choice_folder {
    char *path;       /**< from the root; NULL: there is none */
    int64_t most;     /**< bytes of files in it, of this user, in blocks of 4096 */
    int64_t bytes;    /**< that they take, as far as is known */
    int looked;       /**< 1: the folder was looked through */
    uint64_t loaded;  /**< choices */
    uint64_t saved;   /**< files */
    uint64_t ignored; /**< files that were no choice, and writes that failed */
} rc_choice_folder_t;

/** What an earlier run chose. */
typedef struct rc_past {
    char kernel[RC_CHOICE_KERNEL];
    char order[RC_CHOICE_ORDER];
    int tuned;           /**< 1: alternatives were timed */
    double plan_ns;      /**< medians, in that program's stream */
    double reference_ns; /**< of cuSPARSE */
    uint64_t calls;      /**< of that run */
} rc_past_t;

/** Name the folder; it is made where it is missing.  One that cannot be opened is none, and a line
 *  says so.  \param[in] path  as the user says it; NULL or "": none */
void rc_choices_begin(rc_choice_folder_t *c, const char *path, int64_t most);

/** \param[in] key  one line: pattern, sizes, types, device  \return 1: there is one */
int rc_choices_load(rc_choice_folder_t *c, const char *key, rc_past_t *out);

/** Keep a choice in place of an earlier one; where the folder is full the oldest go. */
void rc_choices_save(rc_choice_folder_t *c, const char *key, const rc_past_t *choice);

#endif
