/*
 * What `tacho events compare` found, and the two ways to print it.
 */
#ifndef CLI_CMD_EVENTS_COMPARE_H
#define CLI_CMD_EVENTS_COMPARE_H

#include "cli/core/term.h"
#include "kit/event/event_compare.h"

enum { EVENTS_COMPARE_MAX = 64 << 20 }; /* bytes of what is printed */

struct events_comparison {
    const char *paths[2];
    struct tch_side sides[2]; /**< A and B */
    struct tch_comparison result;
};

/** Both: 0 or TACHO_ENOMEM. */
int cli_events_compare_json(struct tch_buf *b, const struct events_comparison *c, tacho_error *err);
int cli_events_compare_text(struct tch_buf *b, const struct events_comparison *c,
                            const struct term *term, tacho_error *err);

#endif
