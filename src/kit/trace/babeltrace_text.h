/*
 * Parses the words of a line of babeltrace2's text: times, and values, which become JSON.
 * babeltrace_read.c knows what a line means.
 *
 * Each function skips blanks, consumes one item at the start of the text, and returns whether it
 * was there.
 */
#ifndef TCH_BABELTRACE_TEXT_H
#define TCH_BABELTRACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct tch_bt_text {
    const char *at, *end;
};

/** State of a clock without a date: the previous time, and the midnights since the first. */
struct tch_bt_day {
    int64_t before, days;
};

/** The destination of parsed values. */
struct tch_bt_out {
    struct tch_buf args;  /**< JSON */
    struct tch_buf value; /**< the last string parsed */
};

bool tch_bt_char(struct tch_bt_text *t, char c);

/** Parses digits. Does not skip blanks. */
bool tch_bt_number(struct tch_bt_text *t, uint64_t *ret);

/** Parses "2024-01-31 12:00:00.5", "12:00:00.5" or "1700000000.5" in brackets, into nanoseconds. */
bool tch_bt_time(struct tch_bt_day *day, struct tch_bt_text *t, int64_t *ret);

/** Parses a quoted string, without its escapes, into o->value. The text must begin with the
    quote. */
bool tch_bt_string(struct tch_bt_out *o, struct tch_bt_text *t);

/** Consumes the value of a field that is not an argument. Returns false if the field is an
    argument. */
typedef bool tch_bt_take(void *ctx, struct tch_bt_text *t, const char *key, size_t len);

/** Parses keys and values up to the closing brace into o->args, in which the caller has begun an
    object. The opening brace must have been consumed. take may be NULL: then all fields are
    arguments. depth is the number of enclosing containers. */
bool tch_bt_fields(struct tch_bt_out *o, struct tch_bt_text *t, unsigned depth, tch_bt_take *take,
                   void *ctx);

#endif
