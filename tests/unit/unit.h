/* What cmocka needs before its header, in the order it needs it. */
#ifndef RC_TESTS_UNIT_H
#define RC_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
