/*
 * Writers of traces, from the model: one file a format, one table that lists them.
 *
 *     tch_trace_writer_open(&w, path, &model, &options, &err);
 *     tch_trace_writer_add(&w, &ev);  ...      in order of track and time
 *     tch_trace_writer_close(&w, &err);        the file is there, whole; or
 * tch_trace_writer_abort(&w)
 */
#ifndef TCH_TRACE_WRITE_H
#define TCH_TRACE_WRITE_H

#include "base/buf.h"
#include "base/file.h"
#include "base/gzip.h"
#include "base/sink.h"
#include "lib/trace/nesting_lanes.h"
#include "trace_read.h"

struct tch_trace_writer;

#define TCH_WRITE_ENDINGS "its name must end in .json, .json.gz, .pftrace, .tacho, .csv or .folded"

struct tch_write_format {
    const char *extension; /**< ".json" */
    const char *name;      /**< for people */
    bool labels;           /**< processes and tracks keep their labels and sort orders */
    bool spans_only;       /**< counters, flows and the like have no place in it */
    bool needs_lanes;      /**< spans that overlap partly must have tracks of their own */
    int (*begin)(struct tch_trace_writer *w);
    int (*add)(struct tch_trace_writer *w, const struct tch_ev *ev);
    /** The innermost span of the lane ends. May be NULL. */
    int (*end_span)(struct tch_trace_writer *w, uint32_t lane, int64_t ts);
    int (*finish)(struct tch_trace_writer *w); /**< may be NULL */
    /** Releases what `own` holds; the writer frees `own` itself. NULL: there is no `own`. */
    void (*release)(struct tch_trace_writer *w);
};

extern const struct tch_write_format tch_trace_as_chrome;
extern const struct tch_write_format tch_trace_as_chrome_gz;
extern const struct tch_write_format tch_trace_as_csv;
extern const struct tch_write_format tch_trace_as_folded;
extern const struct tch_write_format tch_trace_as_perfetto;
extern const struct tch_write_format tch_trace_as_recording;

/** NULL-ended. */
extern const struct tch_write_format *const tch_write_formats[];

/** By the ending of the path, or NULL. */
const struct tch_write_format *tch_write_format_of(const char *path);

struct tch_write_options {
    bool object;   /**< Chrome JSON as an object that has the array */
    bool fix;      /**< ids past 32 bits get smaller ones, large times begin at 0 */
    bool lanes;    /**< overlaps get tracks of their own, also where that is not a must */
    bool raw;      /**< CSV: names as they are, also those that look like formulas */
    int64_t shift; /**< is added to all times */
};

/** Read the fields; the formats write them. */
struct tch_trace_writer {
    const struct tch_write_format *format;
    struct tch_model *m; /**< names of tracks that are made come in here */
    struct tch_write_options options;
    struct tch_replace file;
    struct tch_sink out;
    struct tch_deflate *gzip;
    struct tch_buf text; /* of the event that is being written */
    bool open;
    uint64_t written;  /**< events */
    uint64_t left_out; /**< events that have no place in the format */
    uint64_t moved;    /**< spans that went to lanes of their own */
    uint64_t changed;  /**< texts cut, arguments left out */
    struct tch_nest nest;
    uint32_t track; /* 1 + that of the event before; 0: none */
    void *own;      /* the format's, on the heap; NULL until it is made */
};

/** @return 0 or a negative code, and then there is nothing to abort */
int tch_trace_writer_open(struct tch_trace_writer *w, const char *path, struct tch_model *m,
                          const struct tch_write_options *options, tacho_error *err);

/** @return 0 or a negative code: abort then */
int tch_trace_writer_add(struct tch_trace_writer *w, const struct tch_ev *ev);

/** @return 0 or a negative code; either way the writer is done */
int tch_trace_writer_close(struct tch_trace_writer *w);
void tch_trace_writer_abort(struct tch_trace_writer *w);

/** For formats: out of memory. */
int tch_trace_writer_no_memory(struct tch_trace_writer *w);

/** For formats: puts the text to the file, through gzip where that is asked for. */
int tch_trace_writer_put(struct tch_trace_writer *w, const void *data, size_t len);

#endif
