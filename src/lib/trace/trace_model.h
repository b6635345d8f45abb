/*
 * The model of a trace, independent of file formats: numbered texts, processes and tracks, and
 * events that pass one by one from a source to a sink.
 *
 * Sources are tch_recording_events(), the readers of src/kit, and the timelines of runs and
 * flamegraphs. Sinks are tch_chrome_add(), tch_perfetto_add() and the tools of src/kit.
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
    TCH_EV_SPAN, /**< has a start and a duration */
    TCH_EV_BEGIN,
    TCH_EV_END,
    TCH_EV_INSTANT,
    TCH_EV_COUNTER, /**< args: one number per series */
    TCH_EV_FLOW,    /**< phase s, t or f */
    TCH_EV_ASYNC,   /**< phase b, n or e */
    TCH_EV_KINDS,
};

enum tch_ev_flag {
    TCH_EV_ENCLOSING = 1, /**< a flow's end binds to the span around it */
    TCH_EV_LONE = 2,      /**< a begin or end whose other half is not in the trace */
    TCH_EV_VALUES = 4,    /**< arguments are args_len `values` */
    TCH_EV_ASIDE = 8,     /**< its time may be earlier than that of the event before */
    TCH_EV_PUT = 16,   /**< ts and dur are unsigned whole microseconds; when `phase` is 0, id is the
                          text of the phase that the program chose */
    TCH_EV_LOCAL = 32, /**< an async event whose id is valid in its process only */
    TCH_EV_MISMATCHED =
        64,              /**< a span, or its end, that was ended by the end of a span around it */
    TCH_EV_PAIRED = 128, /**< a span that was made from a begin and an end */
};

/** Name of the argument that marks a mismatched span, in every format that has arguments. */
#define TCH_MISMATCH "tacho.mismatch"

/** Name of the metadata of a track of Chrome JSON that says: of two spans with the same times, the
    outer one comes first in the file. */
#define TCH_EQUAL_SPANS "tacho_equal_spans_outer_first"

struct tch_rec_arg;

/** One event. Its pointers are valid until the sink returns. */
struct tch_ev {
    int64_t ts;  /**< nanoseconds */
    int64_t dur; /**< duration of a span, never negative */
    union {
        uint64_t id;     /**< links the events of a flow or of an asynchronous span */
        uint64_t closed; /**< for a TCH_EV_SPAN: where its end is, counted as `offset` counts its
                            begin, if the file has both; 0: not known */
    };
    uint64_t offset; /**< where the event, or the begin of a span, is: the byte offset in the file
                        for text formats, otherwise a count */
    uint32_t name;
    uint32_t category;
    uint32_t track;
    uint8_t kind;
    char phase; /**< letter of the Chrome format */
    char scope; /**< for an instant: t (thread), p (process) or g (global) */
    uint8_t flags;
    uint32_t args_len;
    uint32_t lane; /**< 0, or the lane of the track in which the span nests */
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
    bool sorted; /**< `sort` is set */
};

struct tch_trace_track {
    uint32_t process;
    uint32_t name; /**< text, 0: none */
    uint32_t nth;  /**< from 1, among tracks that are shown by the same names; 0: not numbered */
    uint64_t tid;
    int64_t sort;
    bool sorted;
    bool outer_first; /**< the file says TCH_EQUAL_SPANS */
    bool made_up;     /**< not a thread: a track with a name, or with a tid that was not a number */
    bool apart; /**< shown beside the processes, because its events name a process of their own */
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

/** Returns whether events of this kind of file have a byte offset. Otherwise they are numbered
    in the order of the file. */
static inline bool tch_kind_has_offsets(enum tch_trace_kind kind)
{
    return kind != TCH_KIND_PERFETTO && kind != TCH_KIND_RECORDING && kind != TCH_KIND_FOLDED;
}

enum { TCH_PLACES = 10 };

/** Counts how often something occurred, and keeps the byte offsets of the first occurrences. */
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

/** The clock of the events. It is known for a recording and for a trace that tacho made from
    one. */
struct tch_trace_clock {
    bool known;
    bool tsc; /**< its ticks are of the time stamp counter, which is the same for all programs of
                 one boot */
    char boot_id[40];
    struct tch_clock_pair first; /**< pair at time 0 of the events */
    struct tch_clock_pair last;
    uint64_t wall_ns;    /**< CLOCK_REALTIME at `first` */
    uint64_t wall_error; /**< error of wall_ns by tch_wall_error_ns() */
};

/** A trace. Callers may read the fields. */
struct tch_model {
    struct tch_intern texts; /**< text 0 is empty, if there are any texts */
    struct tch_intern process_keys;
    struct tch_intern track_keys;
    struct tch_trace_process *processes;
    struct tch_trace_track *tracks;
    size_t process_room, track_room;

    /* Results of reading a file. */
    enum tch_trace_kind kind;
    bool compressed;
    uint64_t bytes;  /**< size of the file, uncompressed */
    uint64_t events; /**< number of events passed to the sink */
    uint64_t by_kind[TCH_EV_KINDS];
    struct tch_trace_places ignored; /**< events of phases or kinds that no viewer shows */
    /** Events that were skipped because a required member is missing or wrong. */
    struct tch_trace_places bad;
    struct tch_trace_places big_ids; /**< pids or tids that do not fit 32 bits */
    uint64_t dropped;      /**< events that the recorder dropped, according to the trace */
    uint64_t invalid_json; /**< arguments that are marked as JSON but are not valid */
    uint64_t mismatched;   /**< spans with TCH_EV_MISMATCHED */
    uint64_t clock_faults; /**< how often the recording's clock stood still or went back */
    bool cut;              /**< the file is truncated or damaged, and was not read to its end */
    tacho_error why;       /**< position and reason of the damage */
    bool tail_only;        /**< no data follows the damage: only the end is missing */
    struct tch_trace_clock clock;
};

void tch_model_init(struct tch_model *m);
void tch_model_release(struct tch_model *m);

/** Returns the pid of a track. */
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

/** Return the number of a process or a track, which is added when it is new, or TCH_INTERN_NONE
    without memory. */
uint32_t tch_model_process(struct tch_model *m, uint64_t pid);
uint32_t tch_model_track(struct tch_model *m, uint64_t pid, uint64_t tid);

/** Returns the number of a text, or TCH_INTERN_NONE without memory. Each byte that is not UTF-8
    is replaced. */
uint32_t tch_model_text(struct tch_model *m, const char *text, size_t len);

/** Adds the name of a track as shown to users: its name or tid, and its process; and its number
   among tracks of these names, if tch_trace_number_tracks() gave it one. */
void tch_model_add_track_name(const struct tch_model *m, uint32_t track, struct tch_buf *b);

/** Receives one event after the other. A nonzero result stops the source of the events and
    becomes its result. */
typedef int tch_ev_sink(void *ctx, const struct tch_ev *ev);

#endif
