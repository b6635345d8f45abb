/*
 * Reads one event of the Chrome format into the model. chrome_read_event.c has events,
 * chrome_read_member.c their members.
 */
#ifndef TCH_CHROME_READ_EVENT_H
#define TCH_CHROME_READ_EVENT_H

#include "base/json_read.h"
#include "trace_readers.h"

enum { TCH_CHROME_KNOWN_BITS = 8 };

/** A text of at most 16 bytes, padded with zeros, and its number in the model. Most names and
    categories are that short and are found without a loop. */
struct tch_chrome_text {
    uint64_t head, tail;
    uint32_t len;
    uint32_t number;
};

struct tch_chrome_reader {
    struct tch_trace_reading *r;
    struct tch_json_reader json;
    tacho_error why;     /* error of json */
    bool between;        /* every event that was begun is complete */
    unsigned depth;      /* nesting depth between events */
    struct tch_buf text; /* the last string, without escapes */
    /* All zeros: the empty text, number 0. */
    struct tch_chrome_text known[1 << TCH_CHROME_KNOWN_BITS];
    uint64_t track_pid, track_tid; /* ids of the previous track */
    uint32_t track;                /* 1 + number of the previous track; 0: none yet */

    /* The event being read. */
    struct tch_ev ev;
    uint64_t pid, tid;
    uint32_t pid_text, tid_text; /* text numbers of ids that are texts; 0: the id is a number */
    char phase;
    bool has_ts, has_dur, has_name, has_args, has_id, flow_in, flow_out;
    uint64_t bind_id;
    uint64_t id_scope; /* hash of the scope of an async id; 0: none */
    const char *args;  /* points into the bytes of the file */
    size_t args_len;
};

/** Reads the next element and passes it to the sink. Returns 0, or the status that stops
    reading. */
int tch_chrome_read_event(struct tch_chrome_reader *c);

static inline bool tch_chrome_key_is(const struct tch_json_value *key, const char *text, size_t len)
{
    return key->len == len && memcmp(key->text, text, len) == 0;
}
#define KEY_IS(key, text) tch_chrome_key_is(key, text, sizeof(text) - 1)

#endif
