/*
 * What the files of the Chrome JSON writer share: chrome_writer.c has the events,
 * chrome_writer_names.c who is who and what was dropped.
 */
#ifndef TCH_CHROME_WRITER_H
#define TCH_CHROME_WRITER_H

#include "base/json_write.h"
#include "trace_output.h"

enum {
    TCH_CHROME_TRACK_TID = 0x40000000u, /* the first tid of a track: no thread has one that high */
};

/* The constant start of a site's events, made when it is first used. */
struct tch_chrome_prefix {
    char *text;
    size_t len;
};

struct tch_chrome {
    struct tch_recording *r;
    struct tch_out out;
    struct tch_rows rows;
    struct tch_chrome_prefix *prefixes;
    struct tch_buf text; /* of the event that is being made */
    bool any;            /* events so far */
    uint64_t origin;     /* CLOCK_MONOTONIC nanoseconds that the file calls 0 */
    uint64_t put_pid;    /* of spans whose process nobody told */

    char ids[64]; /* ,"pid":1,"tid":2 of the thread */
    size_t ids_len;
    uint32_t tid;
    bool process_used, thread_used; /* has events of its own */
    char comm[17];
    uint32_t thread_text; /* its name, when it gave itself one */
    uint32_t process_text;
};

/** An event is made in c->text, from its name to its phase, which comes next; then goes out. */
void tch_chrome_begin(struct tch_chrome *c, const struct tch_rec_name *site);
void tch_chrome_end(struct tch_chrome *c);

/** A time, or a duration, in microseconds. */
void tch_chrome_add_time(struct tch_chrome *c, const char *key, uint64_t ns);

/** From the start of the trace. */
static inline uint64_t tch_chrome_from_start(const struct tch_chrome *c, uint64_t ns)
{
    return ns > c->origin ? ns - c->origin : 0;
}

/** The events that follow are of this thread; the one before gets its name. */
void tch_chrome_enter_thread(struct tch_chrome *c, const struct tch_seen_event *e);

/* What comes last. */

void tch_chrome_name_thread(struct tch_chrome *c);
void tch_chrome_name_rows(struct tch_chrome *c);
void tch_chrome_name_process(struct tch_chrome *c);
void tch_chrome_tell_losses(struct tch_chrome *c);

#endif
