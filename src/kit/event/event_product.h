/*
 * Reads ferrum's product events: lines with schema_version, event_id, phase, event_kind and, beside
 * a duration, what memory and other resources were used. docs/events.md describes them.
 *
 * A valid line is translated into an event of the other schema, so that all commands work with
 * both.
 */
#ifndef TCH_EVENT_PRODUCT_H
#define TCH_EVENT_PRODUCT_H

#include "base/buf.h"
#include "base/lines.h"
#include "lib/event/event_parse.h"

enum {
    TCH_PRODUCT_VERSION = 1,                     /**< of the schema */
    TCH_PRODUCT_ROOM = TCH_EVENT_MAX + (1 << 16) /**< limit of a translated event, in bytes */
};

/**
 * Translates a product event:
 *
 *     {"event":PHASE,...,"shape":{...,"backend":B,"entrypoint":E,"event_kind":K,"status":S},
 *      "stage_us":{"total_us":N,"memory":{SCOPE:{"high_water_bytes":N,...}},
 *                  "resource":{KIND:{ACTION:{"amount_count":N,...}}}},...}
 *
 * @return 1; 0 if the text is not an object with a schema_version; TACHO_EPARSE with the rule that
 * the event breaks; TACHO_ENOMEM
 */
int tch_product_translate(const char *text, size_t len, struct tch_buf *out, tacho_error *err);

/** Reads a line of either schema, like tch_event_line(). The view of a product event points into
    `room`, whose content is replaced. */
int tch_product_line(const struct tch_line *line, struct tch_buf *room, tacho_event_view *ret,
                     bool *torn, tacho_error *err);

#endif
