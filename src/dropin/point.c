#include "config.h"
#include "dropin/point.h"

locale_t rc_point_begin(void)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return c ? uselocale(c) : (locale_t)0;
}

void rc_point_end(locale_t before)
{
    if (before)
        freelocale(uselocale(before));
}
