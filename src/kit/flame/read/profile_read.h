/*
 * Reads profiles: converts a profiler's text to distinct stacks.
 *
 *     tch_read_init(&r, &stacks, &options);
 *     status = tch_read_fd(&r, fd, path, &err);
 *     ... r.notes ...
 *     tch_read_release(&r);
 *
 * Each kind of text is one row of a table (profile_read.c) and one file (read_*.c). Lines that are
 * not understood are skipped and counted, so that one odd line does not spoil a profile of an hour.
 *
 * This is the face of src/kit/flame/read/.
 */
#ifndef TCH_PROFILE_READ_H
#define TCH_PROFILE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/text_span.h"
#include "kit/flame/stack/stacks.h"

/** Kinds of text, in the order of tch_read_kinds. */
enum tch_read_kind {
    TCH_READ_AUTO,
    TCH_READ_FOLDED,
    TCH_READ_PERF,
    TCH_READ_DTRACE,
    TCH_READ_BPFTRACE
};

/** The names of the kinds, "auto" first, NULL-terminated. */
extern const char *const tch_read_kinds[];

struct tch_flame_read_options {
    enum tch_read_kind kind; /**< TCH_READ_AUTO: detect the kind from the first line */

    /* Changes of frame names. */
    bool pid;          /**< the first frame is "comm-PID" */
    bool tid;          /**< the first frame is "comm-PID/TID" */
    bool addrs;        /**< add the address to the object of an unknown symbol */
    bool mark_kernel;  /**< add "_[k]" to kernel functions */
    bool mark_jit;     /**< add "_[j]" to functions compiled at run time */
    bool mark_inlined; /**< add "_[i]" to inlined functions */
    bool source;       /**< add ":file:line" if the text has it */
    bool strip_hex;    /**< replace addresses in names, "0x7f12", by "0x..." */
    const char *event; /**< event to count; NULL: the first one seen */

    /* Changes of whole stacks. */
    bool reverse;            /**< order the frames leaf first */
    bool collapse_recursion; /**< merge consecutive frames of a function that calls itself */
    bool merge_threads;      /**< remove "-PID/TID" from the first frame */
};

/** One sample in time. */
struct tch_sample {
    uint64_t time_ns;
    uint32_t stack;
    uint32_t thread; /**< number in tch_timeline.threads */
    uint64_t weight;
};

struct tch_timeline {
    struct tch_intern threads; /**< "comm-PID/TID" */
    struct tch_sample *list;
    size_t count;
    size_t cap;
    bool timed; /**< the times are from the text; otherwise they only give the order */
};

void tch_timeline_release(struct tch_timeline *timeline);

/** Facts about the input that the caller should report. */
struct tch_read_notes {
    uint64_t samples;       /**< samples counted in the stacks */
    uint64_t ignored;       /**< lines not understood */
    uint64_t first_ignored; /**< line number of the first of them */
    bool both;              /**< the input is a differential, with two counts per line */
    bool fractional;        /**< counts with a fraction were truncated to whole numbers */
    /** The event counted, empty if the text has no events; valid until the release. */
    struct tch_span event;
    struct tch_intern events; /**< events seen but not counted */
    uint64_t *event_counts;   /**< number of samples of each of them */
    size_t event_cap;
};

/** A reader. Set timeline before reading to get the samples in the order of time, too. */
struct tch_flame_reader {
    struct tch_stacks *stacks;
    struct tch_flame_read_options options;
    struct tch_read_notes notes;
    struct tch_timeline *timeline;

    const struct tch_read_ops *ops; /* NULL until the kind is known */
    void *state;                    /* state of the kind's reader */
    uint64_t line;                  /* number of the current line */
    struct tch_buf scratch;         /* buffer for a name that is changed */
    uint32_t *frames;               /* frames of the current sample, root first */
    size_t frame_count;
    size_t frame_cap;
};

/** The reader of one kind of text. Each function returns 0 or a negative code. */
struct tch_read_ops {
    int (*open)(struct tch_flame_reader *r, tacho_error *err); /**< sets r->state */
    int (*line)(struct tch_flame_reader *r, struct tch_span line, tacho_error *err);
    int (*end)(struct tch_flame_reader *r, tacho_error *err);
    void (*close)(void *state); /**< accepts NULL */
};

extern const struct tch_read_ops tch_read_folded;
extern const struct tch_read_ops tch_read_perf;
extern const struct tch_read_ops tch_read_dtrace;
extern const struct tch_read_ops tch_read_bpftrace;

/** Initialises a reader. stacks and options->event must stay valid until the release. */
void tch_read_init(struct tch_flame_reader *r, struct tch_stacks *stacks,
                   const struct tch_flame_read_options *options);
void tch_read_release(struct tch_flame_reader *r);

/** Read to the end of the input, which may be compressed by gzip or zstd if it is a file. Call one
    of them once per reader. @return 0, TACHO_EIO, TACHO_ENOMEM, TACHO_ELIMIT, TACHO_EINVAL for a
   file of another profiler that tacho does not read, TACHO_EPARSE for damaged compressed data */
int tch_read_fd(struct tch_flame_reader *r, int fd, const char *name, tacho_error *err);
int tch_read_mem(struct tch_flame_reader *r, const char *data, size_t len, tacho_error *err);

/** Returns the number of samples read. perf's text has one entry per sample, with a weight; other
    texts have counts. */
uint64_t tch_read_samples(const struct tch_flame_reader *r);

/** Writes the unit of the counts read: "samples", "nanoseconds" for the periods of a clock, or the
    event whose periods perf printed. */
void tch_read_unit(const struct tch_flame_reader *r, char *ret, size_t size);

/* For the readers of the kinds. */

/** Makes room for `more` frames of the current sample. @return 0 or TACHO_ENOMEM */
int tch_read_reserve(struct tch_flame_reader *r, size_t more, tacho_error *err);

/** Appends a frame to the current sample. @return 0 or TACHO_ENOMEM */
static inline int tch_read_push(struct tch_flame_reader *r, uint32_t name, tacho_error *err)
{
    if (r->frame_count == r->frame_cap && tch_read_reserve(r, 1, err) < 0)
        return TACHO_ENOMEM;
    r->frames[r->frame_count++] = name;
    return 0;
}

/** Fails with TACHO_ENOMEM at the current line. */
int tch_read_no_memory(const struct tch_flame_reader *r, tacho_error *err);

/* Used by tch_read_name() only. */
struct tch_span tch_read_strip_hex(struct tch_flame_reader *r, struct tch_span name);

/** Returns the number of a frame's name, or TACHO_ENOMEM. Inline, because readers call it for every
    frame of every stack. */
static inline int64_t tch_read_name(struct tch_flame_reader *r, struct tch_span name,
                                    tacho_error *err)
{
    uint32_t id = TCH_INTERN_NONE;

    if (r->options.strip_hex)
        name = tch_read_strip_hex(r, name);
    if (!r->scratch.failed)
        id = tch_intern_add(&r->stacks->names, name.p, name.len);
    return id != TCH_INTERN_NONE ? (int64_t)id : tch_read_no_memory(r, err);
}

/** Completes the current sample: applies the options and counts it. @return the number of its stack
    or a negative code */
int64_t tch_read_sample(struct tch_flame_reader *r, uint64_t count, tacho_error *err);

/** Adds a sample to the timeline, if there is one. */
int tch_read_in_time(struct tch_flame_reader *r, uint64_t time_ns, int64_t stack,
                     struct tch_span thread, uint64_t weight, tacho_error *err);

/** Counts the current line as not understood. */
void tch_read_ignore(struct tch_flame_reader *r);

/** Counts a sample of an event that is not wanted. @return 0 or TACHO_ENOMEM */
int tch_read_drop(struct tch_flame_reader *r, struct tch_span event, tacho_error *err);

/** The parts of a line "main;f 12" or, in a differential, "main;f 11 12". Detection uses it,
    too. */
struct tch_folded_line {
    struct tch_span frames;
    double before;
    uint64_t count;
    bool both; /**< the line has a count before */
    bool fractional;
};
bool tch_folded_split(struct tch_span line, bool may_both, struct tch_folded_line *ret);

/** Returns the length of "@NAME[", with which an entry of a map of bpftrace starts, or 0. Detection
    uses it, too. */
size_t tch_bpftrace_keys(struct tch_span line);

#endif
