/** \file base/family.h  Members of a family (kernels, policies) with parameters, by text:
 *  "name:key=value:key=value", and lists of them with globs and ranges. */
#ifndef RC_BASE_FAMILY_H
#define RC_BASE_FAMILY_H

#include "base/param.h"

/** What a text must know of a member. */
typedef struct rc_member {
    const char *name;
    const rc_param_t *param; /**< its parameters; NULL: none */
    const char *absent;      /**< NULL, or why this build does not have it */
} rc_member_t;

typedef struct rc_family {
    const char *noun;   /**< "kernel", in messages */
    const char *plural; /**< "kernels" */
    /** Member i, from 0; returns 0 past the last.  Of members with one name the first is meant. */
    int (*member)(int i, rc_member_t *out);
    /** NULL, or replaces the canonical text of a member's parameters by one that identifies what
     *  they stand for (the content of a file).  \param[in,out] text  [RC_PARAMS_TEXT] */
    rc_status_t (*identify)(int i, const rc_params_t *values, char *text, rc_err_t *err);
} rc_family_t;

/** A member with its parameters. */
typedef struct rc_spec {
    int member;
    rc_params_t value;
    char params[RC_PARAMS_TEXT]; /**< canonical: rc_params_text, or of `identify` */
} rc_spec_t;

/** Parse "name" or "name:key=value:key=value".
 *  \return RC_OK; RC_ENOENT (no such member; the text has the valid names), RC_ENOTSUP (this build
 *          does not have it), RC_EINVAL, RC_ERANGE, RC_ENOMEM, RC_EIO (also for a file that is not
 *          there), or of identify */
rc_status_t rc_spec_parse(const rc_family_t *f, const char *text, rc_spec_t *out, rc_err_t *err);

/** Stored texts "name:key=value:...", whether or not this build has their members.  1: two are of
 *  one member, whatever the parameters of either. */
int rc_spec_is(const char *text, const char *name);

/** What identifies parameters, of a canonical text: all, less the "name=FILE:" that one may begin
 *  with, which only says what a file was called. */
const char *rc_spec_identity(const char *params);

/** The integer of a parameter; -1: it is no integer, or not there. */
int64_t rc_spec_number(const char *text, const char *key);

/** 1: the value of a parameter begins so. */
int rc_spec_begins(const char *text, const char *key, const char *value);

/** What a list may hold. */
typedef struct rc_specs_rule {
    const void *user;
    /** 1: the member is part of "all" and of globs. */
    int (*in_all)(int member, const void *user);
    /** NULL, or RC_OK when the member may be named at all. */
    rc_status_t (*allowed)(int member, const void *user, rc_err_t *err);
    const char *where; /**< behind "no kernel" in a message: " for --device cpu"; or "" */
    int most;          /**< members at most */
} rc_specs_rule_t;

/** The members that a list names, in its order:
 *
 *  - "cstat:strip=4,rowsplit": members with parameters, as rc_spec_parse takes them;
 *  - "cstat:strip=1..16": a range, both ends included, is every integer in it, or every power of
 *    two (and 0) when the parameter takes only those; several ranges give all combinations, the
 *    last one running fastest;
 *  - "cusparse-*-row:pre=0..1": a glob, where * is any text, is every member that fits and that
 *    "all" has; each must have the parameters that are given, with such values;
 *  - "all": every member that the rule says.
 *
 *  A member that two globs or ranges give is taken once; one that is written twice is an error.
 *  \param[out] out  [*count]; free with free()
 *  \return RC_OK, RC_EINVAL (the text says what and what there is), RC_ENOTSUP, RC_ENOMEM, or of
 *          identify */
rc_status_t rc_specs_parse(const rc_family_t *f, const rc_specs_rule_t *rule, const char *text,
    rc_spec_t **out, int *count, rc_err_t *err);

#endif
