/*
 * The result of a capture. Its struct is filled by the back ends.
 */
#ifndef TCH_CAPTURE_RESULT_H
#define TCH_CAPTURE_RESULT_H

#include "kit/flame/backend/backend.h"

/** Frees what the struct points to. */
void tch_flame_release(struct tacho_flame *flame);

#endif
