/*
 * Reads the kind of a frame from its name: marks at its end, such as "_[k]", and the thread that
 * the first frame of a stack names.
 */
#ifndef TCH_FRAME_KIND_H
#define TCH_FRAME_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text_span.h"

/** Returns 'k', 'i', 'j', 'w' of "_[k]" at the end of a name, or 0. */
char tch_frame_mark(struct tch_span name);

/** Returns the name without such a mark. */
struct tch_span tch_frame_unmarked(struct tch_span name);

/** Returns the length of comm in "comm-PID/TID" or "comm-?/TID"; the whole length if the name has
    another form. */
size_t tch_thread_comm_len(struct tch_span name);

/** Returns whether a first frame names a thread: "comm-PID/TID". */
bool tch_is_thread_name(struct tch_span name);

#endif
