/*
 * The words of a line of babeltrace2's text: times, and values, which become JSON. What a line
 * means is babeltrace_read.c's.
 *
 * Each function takes something from the start of the text, blanks before it passed over, and tells
 * whether it was there.
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

/** Of a clock without a date: the time before, and midnights since the first. */
struct tch_bt_day {
    int64_t before, days;
};

/** Where values go. */
struct tch_bt_out {
    struct tch_buf args;  /**< JSON */
    struct tch_buf value; /**< the string taken last */
};

bool tch_bt_char(struct tch_bt_text *t, char c);

/** Digits; no blanks before them. */
bool tch_bt_number(struct tch_bt_text *t, uint64_t *ret);

/** "2024-01-31 12:00:00.5", "12:00:00.5" or "1700000000.5" between brackets, in nanoseconds. */
bool tch_bt_time(struct tch_bt_day *day, struct tch_bt_text *t, int64_t *ret);

/** What is between quotes, its escapes undone, to o->value. The text begins with the quote. */
bool tch_bt_string(struct tch_bt_out *o, struct tch_bt_text *t);

/** Takes the value of a field that is no argument; false: it is one. */
typedef bool tch_bt_take(void *ctx, struct tch_bt_text *t, const char *key, size_t len);

/** Keys and values up to the closing brace, the opening one taken; to o->args, whose object has
   been begun. take may be NULL: all are arguments.
   depth: how many containers it is in. */
bool tch_bt_fields(struct tch_bt_out *o, struct tch_bt_text *t, unsigned depth, tch_bt_take *take,
                   void *ctx);

#endif
