/** \file dropin/point.h  Numbers with a point, whatever language the program speaks. */
#ifndef RC_DROPIN_POINT_H
#define RC_DROPIN_POINT_H

#include <locale.h>

/** From here on this thread reads and writes numbers as C does.  \return for rc_point_end */
locale_t rc_point_begin(void);

/** As before.  \param[in] before  of rc_point_begin */
void rc_point_end(locale_t before);

#endif
