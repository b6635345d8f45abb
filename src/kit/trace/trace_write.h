/*
 * Writers of traces from the model. Each format has its own file, and one table lists them.
 *
 *     tch_trace_writer_open(&w, path, &model, &options, &err);
 *     tch_trace_writer_add(&w, &ev);  ...      in order of track and time
 *     tch_trace_writer_close(&w, &err);        the file is complete; or tch_trace_writer_abort(&w)
 */
#ifndef TCH_TRACE_WRITE_H
#define TCH_TRACE_WRITE_H

#include "base/buf.h"
#include "base/file.h"
#include "base/sink.h"
#include "kit/file/gzip.h"
#include "lib/trace/nesting_lanes.h"
#include "trace_read.h"

struct tch_trace_writer;

#define TCH_WRITE_ENDINGS "its name must end in .json, .json.gz, .pftrace, .tacho, .csv or .folded"

struct tch_write_format {
    const char *extension; /**< ".json" */
    const char *name;      /**< shown to the user */
    bool labels;           /**< can hold labels and sort orders of processes and tracks */
    bool spans_only;       /**< cannot hold counters, flows and other events */
    bool needs_lanes;      /**< spans that partly overlap need extra tracks */
    int (*begin)(struct tch_trace_writer *w);
    int (*add)(struct tch_trace_writer *w, const struct tch_ev *ev);
    /** Closes the innermost span of the lane. May be NULL. */
    int (*end_span)(struct tch_trace_writer *w, uint32_t lane, int64_t ts);
    int (*finish)(struct tch_trace_writer *w); /**< may be NULL */
    /** Releases the resources of `own`; the writer frees `own` itself. NULL: there is no `own`. */
    void (*release)(struct tch_trace_writer *w);
};

extern const struct tch_write_format tch_trace_as_chrome;
extern const struct tch_write_format tch_trace_as_chrome_gz;
extern const struct tch_write_format tch_trace_as_csv;
extern const struct tch_write_format tch_trace_as_folded;
extern const struct tch_write_format tch_trace_as_perfetto;
extern const struct tch_write_format tch_trace_as_recording;

/** All formats, terminated by NULL. */
extern const struct tch_write_format *const tch_write_formats[];

/** Finds the format by the extension of the path, or returns NULL. */
const struct tch_write_format *tch_write_format_of(const char *path);

struct tch_write_options {
    bool object; /**< write Chrome JSON as an object that contains the array */
    bool fix;    /**< replace ids above 32 bits by smaller ones, and start large times at 0 */
    bool lanes;  /**< move overlapping spans to extra tracks even if the format does not need it */
    bool raw;    /**< CSV: write names unchanged, even those that look like formulas */
    int64_t shift; /**< added to all times */
};

/** State of a writer. The caller may read the documented fields, which the formats write. */
struct tch_trace_writer {
    const struct tch_write_format *format;
    struct tch_model *m; /**< gets the names of extra tracks */
    struct tch_write_options options;
    struct tch_replace file;
    struct tch_sink out;
    struct tch_deflate *gzip;
    struct tch_buf text; /* text of the event being written */
    bool open;
    uint64_t written;  /**< number of events written */
    uint64_t left_out; /**< events that the format cannot hold */
    uint64_t moved;    /**< spans that moved to extra lanes */
    uint64_t changed;  /**< texts truncated, arguments left out */
    struct tch_nest nest;
    uint32_t track; /* 1 + track of the previous event; 0: none */
    void *own;      /* state of the format, on the heap; NULL until it is made */
};

/** Opens a writer. @return 0 or a negative code; after an error there is nothing to abort */
int tch_trace_writer_open(struct tch_trace_writer *w, const char *path, struct tch_model *m,
                          const struct tch_write_options *options, tacho_error *err);

/** Adds an event. @return 0 or a negative code; after an error, abort the writer */
int tch_trace_writer_add(struct tch_trace_writer *w, const struct tch_ev *ev);

/** Completes the file and releases the writer, even after an error. @return 0 or a negative code */
int tch_trace_writer_close(struct tch_trace_writer *w);
void tch_trace_writer_abort(struct tch_trace_writer *w);

/** Returns a span, or a begin without an end, for the functions of struct tch_nest. */
struct tch_nest_span tch_nest_span_of(const struct tch_ev *ev);

/** Fails with TACHO_ENOMEM; for formats. */
int tch_trace_writer_no_memory(struct tch_trace_writer *w);

/** Writes data to the file, through gzip if requested; for formats. */
int tch_trace_writer_put(struct tch_trace_writer *w, const void *data, size_t len);

#endif
