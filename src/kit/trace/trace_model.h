/*
 * A trace, whatever file it came from: texts, processes and tracks by number, and events that pass
 * one by one from a reader to whoever asked for them.
 *
 *     tch_model_init(&m);
 *     tch_model_read(&m, path, &options, sink, ctx, &err);    sink() gets one event after the other
 *     tch_model_release(&m);
 */
#ifndef TCH_TRACE_MODEL_H
#define TCH_TRACE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/clock.h"
#include "base/intern.h"
#include "lib/trace/recording_format.h"

enum tch_ev_kind {
    TCH_EV_SPAN, /**< with a beginning and a length */
    TCH_EV_BEGIN,
    TCH_EV_END,
    TCH_EV_INSTANT,
    TCH_EV_COUNTER, /**< args: one number a series */
    TCH_EV_FLOW,    /**< phase s, t or f */
    TCH_EV_ASYNC,   /**< phase b, n or e */
    TCH_EV_KINDS,
};

enum tch_ev_flag {
    TCH_EV_ENCLOSING = 1, /**< a flow's end binds to the span around it */
    TCH_EV_LONE = 2,      /**< of a begin or end: its other half is not in the trace */
};

/** One event. What it points to is good until the sink returns. */
struct tch_ev {
    int64_t ts;      /**< nanoseconds */
    int64_t dur;     /**< of a span, never negative */
    uint64_t id;     /**< of flows and async events: what belongs together */
    uint64_t offset; /**< byte in the file, of text formats */
    uint32_t name;
    uint32_t category;
    uint32_t track;
    uint8_t kind;
    char phase; /**< as in the Chrome format */
    char scope; /**< of an instant: t, p or g */
    uint8_t flags;
    uint32_t args_len;
    const char *args; /**< a JSON object, or NULL */
};

struct tch_process {
    uint64_t pid;
    uint32_t name;   /**< text, 0: none */
    uint32_t labels; /**< text, 0: none */
    int64_t sort;
    bool sorted; /**< sort is given */
};

struct tch_track {
    uint32_t process;
    uint32_t name; /**< text, 0: none */
    uint64_t tid;
    int64_t sort;
    bool sorted;
    bool made_up; /**< no thread: a track by a name, or a tid that was no number */
};

enum tch_trace_kind {
    TCH_KIND_CHROME_ARRAY,
    TCH_KIND_CHROME_OBJECT,
    TCH_KIND_JSON_LINES,
    TCH_KIND_PERFETTO,
    TCH_KIND_RECORDING,
    TCH_KIND_CSV,
    TCH_KIND_FOLDED,
    TCH_KIND_BABELTRACE,
};

/** Do its events have a place in bytes? Else they count in the order they come. */
static inline bool tch_kind_has_offsets(enum tch_trace_kind kind)
{
    return kind != TCH_KIND_PERFETTO && kind != TCH_KIND_RECORDING && kind != TCH_KIND_FOLDED;
}

enum { TCH_PLACES = 10 };

/** How often something was met, and where first: bytes in the file. */
struct tch_places {
    uint64_t count;
    uint64_t first[TCH_PLACES];
};

static inline void tch_places_add(struct tch_places *p, uint64_t offset)
{
    if (p->count < TCH_PLACES)
        p->first[p->count] = offset;
    p->count++;
}

/** What the clock of the events is; of a recording, and of what tacho made from one. */
struct tch_trace_clock {
    bool known;
    bool tsc; /**< its ticks are the time stamp counter's, which one boot has one of */
    char boot_id[40];
    struct tch_clock_pair first; /**< at time 0 of the events */
    struct tch_clock_pair last;
    uint64_t wall_ns;    /**< CLOCK_REALTIME at the first */
    uint64_t wall_error; /**< of that, as tch_wall_error_ns() has it */
};

/** Read the fields. */
struct tch_model {
    struct tch_intern texts; /**< text 0 is empty */
    struct tch_intern process_keys;
    struct tch_intern track_keys;
    struct tch_process *processes;
    struct tch_track *tracks;
    size_t process_room, track_room;

    /* What the reader found. */
    enum tch_trace_kind kind;
    bool compressed;
    uint64_t bytes;  /**< of the file, uncompressed */
    uint64_t events; /**< given to the sink */
    uint64_t by_kind[TCH_EV_KINDS];
    struct tch_places ignored; /**< of phases or kinds that no viewer shows */
    struct tch_places bad;     /**< events that lack what they must have: passed over */
    struct tch_places big_ids; /**< pids or tids past 32 bits */
    uint64_t dropped;          /**< by the recorder, as far as the trace tells */
    bool cut;                  /**< the file ends, or stops making sense, before its end */
    tacho_error why;           /**< ... where and why */
    bool tail_only;            /**< ... and only the end is missing: nothing follows */
    struct tch_trace_clock clock;
};

void tch_model_init(struct tch_model *m);
void tch_model_release(struct tch_model *m);

static inline uint32_t tch_model_process_count(const struct tch_model *m)
{
    return m->process_keys.count;
}

static inline uint32_t tch_model_track_count(const struct tch_model *m)
{
    return m->track_keys.count;
}

/** The number of a process or a track, made when it is new; TCH_INTERN_NONE when memory ran out. */
uint32_t tch_model_process(struct tch_model *m, uint64_t pid);
uint32_t tch_model_track(struct tch_model *m, uint64_t pid, uint64_t tid);

/** What a person would call a track: its name, or its tid; and its process. Adds to b. */
struct tch_buf;
void tch_model_add_track_name(const struct tch_model *m, uint32_t track, struct tch_buf *b);

/** Nonzero stops the reading and becomes its result. */
typedef int tch_ev_sink(void *ctx, const struct tch_ev *ev);

struct tch_read_options {
    bool args; /**< the sink wants arguments */
    /** Told from time to time how much of the file has been read; may be NULL. */
    void (*progress)(void *ctx, uint64_t bytes);
    void *progress_ctx;
};

/**
 * Reads a trace: a recording, Chrome JSON, Perfetto, CSV of spans, folded stacks, the text of
 * babeltrace2; all but recordings plain or gzip; "-" is the standard input. What kind it is, its
 * content tells. A file that is damaged is read up to where it is sound: m->cut tells.
 *
 * @return 0, a negative code, or what the sink returned
 */
int tch_model_read(struct tch_model *m, const char *path, const struct tch_read_options *options,
                   tch_ev_sink *sink, void *ctx, tacho_error *err);

/** After a failure to read one of several traces: its messages say "it", so err gets the path in
    front, unless it is there. Returns status. */
int tch_name_trace(tacho_error *err, int status, const char *path);

#endif
