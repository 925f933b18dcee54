/** \file table/view_private.h  What the files that look into a view share. */
#ifndef RC_TABLE_VIEW_PRIVATE_H
#define RC_TABLE_VIEW_PRIVATE_H

#include "store/dict.h"
#include "store/h5.h"
#include "table/view.h"

/* C strings of one text field of a dictionary. */
typedef struct texts {
    char *bytes;
    size_t stride;
} texts_t;

/* Texts of dictionaries; of a policy and a kernel "name:params". */
enum {
    RC_TEXT_FULLNAME, /* of a matrix, as the next three */
    RC_TEXT_GROUP,
    RC_TEXT_KIND,
    RC_TEXT_DIGEST,
    RC_TEXT_POLICY,
    RC_TEXT_KERNEL,
    RC_TEXT_DEVICE,
    RC_TEXT_MESSAGE,
    RC_TEXT_RUN,
    RC_TEXT_SOURCE,
    RC_TEXT_LOCATION, /* of a source */
    RC_TEXTS
};

/* What features of the store say of a matrix. */
enum {
    RC_TRAIT_VARIANCE,        /* of the row length */
    RC_TRAIT_SYMMETRY,        /* of the pattern, 0 .. 1 */
    RC_TRAIT_DENSE_RATIO,     /* share of entries in dense tiles (feature set jiang) */
    RC_TRAIT_REST_SIMILARITY, /* of neighbouring rows outside of them */
    RC_TRAITS
};

/* A run on one card. */
typedef struct rc_view_session {
    int32_t run;
    int32_t card;  /* the same number for the same card; -1: not known, or none */
    char uuid[64]; /* of it */
} rc_view_session_t;

struct rc_view {
    rc_dicts_t dicts;
    rc_row_result_t *result;
    int64_t results;
    int64_t *sample; /* [samples] /samples as it is in the store; NULL: not read */
    int64_t samples;
    unsigned char *newest;         /* [results] */
    unsigned char *policy_current; /* [policies] 1: no newer version of that name */
    unsigned char *policy_csr;     /* [policies] 1: the original order */
    unsigned char *kernel_current; /* [results] 1: no newer version of that name on that kind of
                                      device */
    rc_view_session_t *session;
    int32_t sessions;
    int32_t *session_of; /* [results] that timed it */
    int64_t *csr;   /* [results] row of the original order to compare with, or RC_PARTNER_... */
    double *scale;  /* [results] its median times this is comparable within its cell ... */
    int32_t *frame; /* [results] ... with what this run timed on one card */
    texts_t text[RC_TEXTS];
    int64_t *source; /* newest source rows in order of name */
    int64_t sources;
    int64_t (*cases)[RC_CASE_STATUSES]; /* [matrices] newest result rows by status */
    unsigned char *generated;           /* [matrices] 1: a generator made it: no file holds it, or
                                           one that says so */
    unsigned char *training;            /* [matrices] 1: named for training; NULL: none was named */
    rc_digest_t *feature;               /* identities of the feature rows */
    size_t features;
    size_t feature_capacity;
    double *trait[RC_TRAITS]; /* [matrices] NaN: not known */
};

/** Fill the traits from the features of the store.
 *  \return RC_OK, RC_ENOMEM, RC_ESTORE */
rc_status_t rc_view_read_traits(rc_view_t *v, const rc_h5_t *h, rc_err_t *err);

/** rc_view_read of a store that is open already, and stays so. */
rc_status_t rc_view_load(const rc_h5_t *h, rc_view_t **out, rc_err_t *err);

/** Say of each result what it is compared with (table/pairing.c), in a view that knows the newest.
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_view_pair(rc_view_t *v, rc_err_t *err);
/** Forget it. */
void rc_view_unpair(rc_view_t *v);

/** The newest catalogue rows of a view that has its dictionaries.  \return RC_OK, RC_ENOMEM */
rc_status_t rc_view_load_sources(rc_view_t *v, rc_err_t *err);

/** Give policies of one identity one id in the results, the last one's: orders of one file under
 *  two names, and those of file:dir/%n.txt, whose digests differ by matrix.  After the texts.
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_view_unite_policies(rc_view_t *v, rc_err_t *err);

/** 1: the text is of a policy that is another order of a file for each matrix. */
int rc_view_is_of_matrix(const char *policy);

/** 1: a result is ok and has a time. */
static inline int rc_view_is_ok(const rc_row_result_t *r)
{
    return r->status == RC_CASE_OK && r->median_ns > 0;
}

/** Text RC_TEXT_... of row i of its dictionary, "" for -1. */
static inline const char *rc_view_text(const rc_view_t *v, size_t text, int64_t i)
{
    return i < 0 ? "" : v->text[text].bytes + (size_t)i * v->text[text].stride;
}

#endif
