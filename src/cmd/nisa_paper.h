/** \file cmd/nisa_paper.h  What Nisa et al. 2018 print, to stand beside our figures: tables I, IV to XIV, figure 2 and
 *  what the prose says.  On a Tesla K40c ("K80c" there) and a Tesla P100. */
#ifndef RC_CMD_NISA_PAPER_H
#define RC_CMD_NISA_PAPER_H

#include <stdio.h>

enum {
    RC_PAPER_RANGES = 8,
    RC_PAPER_COLUMNS = 4,   /**< K80 fp32, K80 fp64, P100 fp32, P100 fp64 */
    RC_PAPER_ACCURACIES = 7, /**< tables IV to X */
    RC_PAPER_MODELS = 4     /**< tree, SVM, MLP, XGBoost */
};
extern const char *const rc_paper_machines[RC_PAPER_COLUMNS];

/** Table I. */
typedef struct rc_paper_range {
    int matrices;
    double rows;
    double cols;
    double density; /**< % */
    double nnz_mu;
    double nnz_sigma;
} rc_paper_range_t;
extern const rc_paper_range_t rc_paper_ranges[RC_PAPER_RANGES];

/** A table of accuracies in %. */
typedef struct rc_paper_accuracy {
    const char *table; /**< "IV" */
    int formats;       /**< 3 or 6 */
    const char *set;   /**< "1", "1-2", "1-3", "top7" */
    int percent[RC_PAPER_COLUMNS][RC_PAPER_MODELS];
} rc_paper_accuracy_t;
extern const rc_paper_accuracy_t rc_paper_accuracies[RC_PAPER_ACCURACIES];

/** Tables XI to XIII: cases on a P100, fp64, by no slowdown, > 1, >= 1.2, >= 1.5, >= 2. */
typedef struct rc_paper_slowdown {
    const char *table;
    const char *model; /**< name of our trainer */
    int count[4][5];   /**< by set: 1, 1-2, 1-3, top7 */
} rc_paper_slowdown_t;
extern const rc_paper_slowdown_t rc_paper_slowdowns[3];

/** Table XIV in %: XGBoost, ensemble, ensemble at a tolerance of 5 %. */
extern const int rc_paper_indirect[RC_PAPER_COLUMNS][3];

/** Figure 2: Gflop/s that the prose names; 0 where it does not name the matrix ("Group/Name" or a name) and format.
 *  \param[in] kernel  "csr5:sigma=auto" */
double rc_paper_rate(const char *matrix, const char *kernel);

/** Where the paper contradicts itself, as definitions of rowcast number it. */
enum { RC_PAPER_CONTRADICTIONS = 8 };

/** Write the contradictions of a set of numbers (bits 1u << (number - 1)), a line each. */
void rc_paper_notes(unsigned numbers, FILE *out);

#endif
