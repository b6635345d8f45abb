/*
 * The fields of an event, and their values as they are in the text. Reading them checks the JSON of
 * the whole text; event_parse.c checks the values.
 */
#ifndef TCH_EVENT_VALUES_H
#define TCH_EVENT_VALUES_H

#include "base/json_read.h"

/** The fields in the order of the schema, which is the order in which they are written. */
enum tch_event_field {
    TCH_EVENT_EVENT,
    TCH_EVENT_COMMIT_SHA,
    TCH_EVENT_ENV_HASH,
    TCH_EVENT_MODEL,
    TCH_EVENT_CONCURRENCY,
    TCH_EVENT_SHAPE,
    TCH_EVENT_STAGE_US,
    TCH_EVENT_GRAPH_ENABLED,
    TCH_EVENT_RUNTIME_FLAGS,
    TCH_EVENT_REQUIRED,
    TCH_EVENT_SOURCE = TCH_EVENT_REQUIRED,
    TCH_EVENT_SOURCE_LINE,
    TCH_EVENT_FIELDS,
};

/** Returns the name of a field. */
const char *tch_event_field_name(enum tch_event_field f);

/** Returns whether the field must be an object. Its value is then read whole, including quotes. */
static inline bool tch_event_is_raw(enum tch_event_field f)
{
    return f == TCH_EVENT_SHAPE || f == TCH_EVENT_STAGE_US || f == TCH_EVENT_RUNTIME_FLAGS;
}

/**
 * Reads the whole text of an open reader and sets the last value of each field. The text of a
 * missing field stays NULL.
 *
 * @param plain      false: read every member by the JSON reader, as tests do to compare
 * @param values     all zero
 * @param is_object  set when the text is an object
 * @return 0 or the reader's status
 */
int tch_event_read_values(struct tch_json_reader *r, bool plain,
                          struct tch_json_value values[TCH_EVENT_FIELDS], bool *is_object);

#endif
