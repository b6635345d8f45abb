/*
 * Names of the tracks of a trace that was read.
 */
#ifndef TCH_TRACE_TRACKS_H
#define TCH_TRACE_TRACKS_H

#include "lib/trace/trace_model.h"

/** Numbers tracks that would be shown by the same names, such as the threads "sp / sp" of a program
    that does not name them. Returns 0 or TACHO_ENOMEM. */
int tch_trace_number_tracks(struct tch_model *m, tacho_error *err);

#endif
