#include "config.h"
#include "dropin/type.h"

#define LINE(id, text, suffix, size, sums, of, ...)                                                \
    [id] = {.name = text, .bytes = size, .sum = sums, .part = of, .parts = of == id ? 1 : 2},
static const rc_dropin_type_t all[] = {RC_FOR_EACH_TYPE(LINE)};

const rc_dropin_type_t *rc_dropin_type(rc_precision_t t)
{
    return &all[t];
}
