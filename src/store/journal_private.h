/** \file store/journal_private.h  What the writer and the reader of a journal share: its bytes. */
#ifndef RC_STORE_JOURNAL_PRIVATE_H
#define RC_STORE_JOURNAL_PRIVATE_H

#include "store/journal.h"

typedef struct rc_journal_header {
    char magic[8];  /**< the last byte is the version */
    uint64_t order; /**< reads back differently on a machine of the other byte order */
} rc_journal_header_t;

typedef struct rc_record_header {
    uint32_t mark;
    uint32_t type;
    uint32_t length;
    uint32_t seq;
    uint64_t checksum;
} rc_record_header_t;

enum {
    RC_RECORD_MARK = 0x44524352, /* "RCRD" */
    RC_RECORD_LONGEST = 1 << 28, /**< bytes of a payload */
};

/** The header of a journal of this version and machine. */
rc_journal_header_t rc_journal_header(void);

/** Bytes that a payload of n takes in the file. */
size_t rc_record_padded(size_t n);

/** Checksum of a record; header and payload lie apart when it is written, together when it is
 *  read. */
uint64_t rc_record_checksum(const rc_record_header_t *h, const unsigned char *payload);

#endif
