/*
 * One line to one event. What a value must be to be allowed in an event is said here once, for
 * the parser and for the writer.
 */
#ifndef TCH_EVENT_PARSE_H
#define TCH_EVENT_PARSE_H

#include <tacho/event.h>

#include "base/json_read.h"
#include "base/lines.h"

/** Below this a line is an event; nothing longer is written or read. */
enum { TCH_EVENT_MAX = 16 * 1024 * 1024 };

enum { TCH_ENV_HASH_PREFIX = 7 };
#define TCH_ENV_HASH_START "sha256:"

/* The messages, which the reader of a log may look for. */
#define TCH_BAD_EVENT       "event must be non-empty"
#define TCH_BAD_COMMIT_SHA  "commit_sha must be non-empty when present"
#define TCH_BAD_ENV_HASH    "env_hash must start with sha256:"
#define TCH_BAD_MODEL       "model must be non-empty"
#define TCH_BAD_CONCURRENCY "concurrency must be > 0"
#define TCH_BAD_FLAGS       "runtime_flags must be an object"

/** The string in raw, ready to be unescaped; an empty one for what is no string. */
struct tch_json_value tch_raw_string(tacho_raw raw);

/**
 * tacho_event_parse(), and also for a line that a kill or a full disk has cut.
 *
 * @param ret   ret->torn is set when a whole event was found behind a fragment
 * @param torn  set on failure only: the line is, or ends with, the start of an event
 */
int tch_event_salvage(const char *text, size_t len, tacho_event *ret, bool *torn, tacho_error *err);

/** The same for a line of a file, with its number in ret and in err; TACHO_ELIMIT for one that was
    too long to be read. */
int tch_event_line(const struct tch_line *line, tacho_event *ret, bool *torn, tacho_error *err);

#endif
