/*
 * One event of the Chrome format, from JSON to the model: chrome_read_event.c has events,
 * chrome_read_member.c their members.
 */
#ifndef TCH_CHROME_READ_EVENT_H
#define TCH_CHROME_READ_EVENT_H

#include "base/json_read.h"
#include "trace_readers.h"

enum { TCH_CHROME_KNOWN_BITS = 8 };

/** A text of at most 16 bytes, zeros after it, and its number in the model: what names and
    categories mostly are, found without a loop. */
struct tch_chrome_text {
    uint64_t head, tail;
    uint32_t len;
    uint32_t number;
};

struct tch_chrome_reader {
    struct tch_trace_reading *r;
    struct tch_json_reader json;
    tacho_error why;     /* of json */
    bool between;        /* no event has been begun that is not whole */
    unsigned depth;      /* of nesting between events */
    struct tch_buf text; /* unescaped */
    struct tch_chrome_text known[1 << TCH_CHROME_KNOWN_BITS]; /* zeros: the empty text, number 0 */
    uint64_t track_pid, track_tid;                            /* of the track before */
    uint32_t track;                                           /* 1 + its number; 0: none yet */

    /* The event that is being read. */
    struct tch_ev ev;
    uint64_t pid, tid;
    uint32_t pid_text, tid_text; /* where an id was a text; 0: it was a number */
    char phase;
    bool has_ts, has_dur, has_name, has_args, has_id, flow_in, flow_out;
    uint64_t bind_id;
    const char *args; /* the bytes of the file */
    size_t args_len;
};

/** Reads the next element and gives it to the sink. 0, or what stops the reading. */
int tch_chrome_read_event(struct tch_chrome_reader *c);

/* What chrome_read_member.c gives chrome_read_event.c. */

/** Reads the next value, which should be an object, with all its members; *event is its type and
    where it begins. 0, no memory, or the reader's failure. */
int tch_chrome_read_members(struct tch_chrome_reader *c, struct tch_json_value *event);

/** The next key of an object and its value; NULL after the last. p is after what came before, at
    first after the bracket. The JSON must be sound. */
const char *tch_chrome_next_member(const char *p, struct tch_json_value *key,
                                   struct tch_json_value *v);

/** The number of the text that a string is. 0, or no memory. */
int tch_chrome_intern(struct tch_chrome_reader *c, const struct tch_json_value *v, uint32_t *ret);

static inline bool tch_chrome_key_is(const struct tch_json_value *key, const char *text, size_t len)
{
    return key->len == len && memcmp(key->text, text, len) == 0;
}
#define KEY_IS(key, text) tch_chrome_key_is(key, text, sizeof(text) - 1)

#endif
