/*
 * A trace, whatever file it comes from or goes to: texts, processes and tracks by number, and
 * events that pass one by one from a source to a sink.
 *
 * Sources: tch_recording_events(), the readers of the kit, the timelines of runs and flamegraphs.
 * Sinks: tch_chrome_add(), tch_perfetto_add(), the tools of the kit.
 */
#ifndef TCH_TRACE_MODEL_H
#define TCH_TRACE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/intern.h"

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
    TCH_EV_VALUES = 4,    /**< arguments are `values`, as many as args_len says */
    TCH_EV_ASIDE = 8,     /**< its time is not in the order of the events around it */
    TCH_EV_PUT = 16,   /**< ts and dur are whole microseconds, unsigned. id: where `phase` is 0, the
                          text of the one that the program chose */
    TCH_EV_LOCAL = 32, /**< of an async event: its id is one of its process, not of the trace */
    TCH_EV_MISMATCHED = 64, /**< of a span or its end: it ended by the end of a span around it */
};

/** The argument of such a span, in every format that has arguments. */
#define TCH_MISMATCH "tacho.mismatch"

struct tch_rec_arg;

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
    uint32_t lane; /**< 0, or that of the track's lanes in which the span nests */
    union {
        const char *args; /**< a JSON object, or NULL */
        const struct tch_rec_arg *values;
    };
};

struct tch_trace_process {
    uint64_t pid;
    uint32_t name;   /**< text, 0: none */
    uint32_t labels; /**< text, 0: none */
    int64_t sort;
    bool sorted; /**< sort is given */
};

struct tch_trace_track {
    uint32_t process;
    uint32_t name; /**< text, 0: none */
    uint64_t tid;
    int64_t sort;
    bool sorted;
    bool made_up; /**< no thread: a track by a name, or a tid that was no number */
    bool apart;   /**< shown beside the processes: its events name a process of their own */
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
struct tch_trace_places {
    uint64_t count;
    uint64_t first[TCH_PLACES];
};

static inline void tch_trace_places_add(struct tch_trace_places *p, uint64_t offset)
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
    struct tch_intern texts; /**< text 0 is empty, once there is any */
    struct tch_intern process_keys;
    struct tch_intern track_keys;
    struct tch_trace_process *processes;
    struct tch_trace_track *tracks;
    size_t process_room, track_room;

    /* What a reader found. */
    enum tch_trace_kind kind;
    bool compressed;
    uint64_t bytes;  /**< of the file, uncompressed */
    uint64_t events; /**< given to the sink */
    uint64_t by_kind[TCH_EV_KINDS];
    struct tch_trace_places ignored; /**< of phases or kinds that no viewer shows */
    struct tch_trace_places bad;     /**< events that lack what they must have: passed over */
    struct tch_trace_places big_ids; /**< pids or tids past 32 bits */
    uint64_t dropped;                /**< by the recorder, as far as the trace says */
    uint64_t invalid_json;           /**< arguments that should be JSON and are texts */
    uint64_t mismatched;             /**< spans with TCH_EV_MISMATCHED */
    uint64_t clock_faults;           /**< times that its clock stood still or went back */
    bool cut;                        /**< the file ends, or stops making sense, before its end */
    tacho_error why;                 /**< ... where and why */
    bool tail_only;                  /**< ... and only the end is missing: nothing follows */
    struct tch_trace_clock clock;
};

void tch_model_init(struct tch_model *m);
void tch_model_release(struct tch_model *m);

/** The pid of a track. */
static inline uint64_t tch_model_pid(const struct tch_model *m, uint32_t track)
{
    return m->processes[m->tracks[track].process].pid;
}

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

/** The number of a text, each byte that is not UTF-8 replaced; TCH_INTERN_NONE when memory ran out.
 */
uint32_t tch_model_text(struct tch_model *m, const char *text, size_t len);

/** What a person would call a track: its name, or its tid; and its process. Adds to b. */
void tch_model_add_track_name(const struct tch_model *m, uint32_t track, struct tch_buf *b);

/** Takes one event after the other. Nonzero stops the source of the events and becomes its result.
 */
typedef int tch_ev_sink(void *ctx, const struct tch_ev *ev);

#endif
