/*
 * Parses a line into an event. The messages of the rules are defined here, for the parser and for
 * the writer.
 */
#ifndef TCH_EVENT_PARSE_H
#define TCH_EVENT_PARSE_H

#include <tacho/event.h>

#include "base/buf.h"
#include "base/json_read.h"
#include "base/lines.h"

/** Limit of a line that is written or read, in bytes. */
enum { TCH_EVENT_MAX = 16 * 1024 * 1024 };

enum { TCH_ENV_HASH_PREFIX = 7 };
#define TCH_ENV_HASH_START "sha256:"

/* Messages. Programs that read logs may search for them. */
#define TCH_BAD_EVENT       "event must be non-empty"
#define TCH_BAD_COMMIT_SHA  "commit_sha must be non-empty when present"
#define TCH_BAD_ENV_HASH    "env_hash must start with sha256:"
#define TCH_BAD_MODEL       "model must be non-empty"
#define TCH_BAD_CONCURRENCY "concurrency must be > 0"
#define TCH_BAD_FLAGS       "runtime_flags must be an object"

/** Returns the string in raw, ready for tch_json_unescape(), or an empty one for any other
    value. */
struct tch_json_value tch_raw_string(tacho_raw raw);

/**
 * Parses like tacho_event_parse(), and also accepts a whole event after the fragment that a kill or
 * a full disk has left in the same line.
 *
 * @param ret   ret->torn is set when a whole event was found after a fragment
 * @param torn  set on failure only: the line is, or ends with, the start of an event
 */
int tch_event_salvage(const char *text, size_t len, tacho_event_view *ret, bool *torn,
                      tacho_error *err);

/** Parses a line of a file like tch_event_salvage() and sets the line number in ret and err.
    Returns TACHO_ELIMIT for a line that was too long to read. */
int tch_event_line(const struct tch_line *line, tacho_event_view *ret, bool *torn,
                   tacho_error *err);

/** Fails with TACHO_ELIMIT for a line that was too long to read. */
int tch_event_check_length(const struct tch_line *line, tacho_error *err);

/** Checks an event and adds it as JSON, without a line feed.
    @return 0, TACHO_EINVAL, TACHO_ENOMEM; b may fail as well */
int tch_event_put(struct tch_buf *b, const tacho_event *event, tacho_error *err);

/** Marks the groups of `to` that `from` has seen. Both must have been made from the same names. */
void tch_event_groups_merge(tacho_event_groups *to, const tacho_event_groups *from);

#endif
