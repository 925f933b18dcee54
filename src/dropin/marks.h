/** \file dropin/marks.h  Marks in a stream of the program, as the engine has them. */
#ifndef RC_DROPIN_MARKS_H
#define RC_DROPIN_MARKS_H

/** As the engine's `marks`. */
void *rc_marks_new(void);
/** As the engine's `mark`. */
int rc_mark(void *marks, int end, void *stream);
/** As the engine's `between`. */
double rc_marks_between(void *marks);
/** As the engine's `marks_free`. */
void rc_marks_free(void *marks);
/** As the engine's `idle`. */
int rc_marks_idle(void *stream);

#endif
