/*
 * What `tacho events compare` found, as text.
 */
#ifndef CLI_CMD_EVENTS_COMPARE_H
#define CLI_CMD_EVENTS_COMPARE_H

#include "cli/core/term.h"
#include "kit/event/event_json.h"

enum { EVENTS_COMPARE_MAX = 64 << 20 }; /* bytes of what is printed */

/** Adds the text. 0 or TACHO_ENOMEM. */
int cli_events_compare_text(struct tch_buf *b, const struct tch_events_comparison *c,
                            const struct term *term, tacho_error *err);

#endif
