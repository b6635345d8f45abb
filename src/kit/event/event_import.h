/*
 * Makes events of lines that programs log: "[unified-prof] iter#1 items=32 total=28000us ...".
 */
#ifndef TCH_EVENT_IMPORT_H
#define TCH_EVENT_IMPORT_H

#include <tacho/event.h>

#include "base/buf.h"

/** The members of an event that are not in the log. */
struct tch_import {
    tacho_event_config config; /**< the path is ignored */
    bool graph_enabled;
};

/**
 * Adds the event of a line to b, with a line feed.
 *
 * The tag becomes the event's name; numbers with a unit of time, or in a part that ends with "(us)"
 * or the like, become stage_us in microseconds. Everything else of the form key=value or key#number
 * becomes shape. The source is "server_log", the line is source_line.
 *
 * @param why  set on 0 only: why there is no event in it
 * @return 1, 0, TACHO_ENOMEM, or TACHO_EINVAL when the configuration is not allowed
 */
int tch_import_line(const struct tch_import *import, const char *line, size_t len,
                    struct tch_buf *b, const char **why, tacho_error *err);

#endif
