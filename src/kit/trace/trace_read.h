/*
 * Reading traces of any format.
 *
 *     tch_model_init(&m);
 *     tch_model_read(&m, path, &options, sink, ctx, &err);    sink() gets one event after the other
 *     tch_model_release(&m);
 */
#ifndef TCH_TRACE_READ_H
#define TCH_TRACE_READ_H

#include "lib/trace/trace_model.h"

struct tch_trace_read_options {
    bool args; /**< the sink wants arguments */
    /** Told from time to time how much of the file has been read; may be NULL. */
    void (*progress)(void *ctx, uint64_t bytes);
    void *progress_ctx;
};

/**
 * Reads a trace: a recording, Chrome JSON, Perfetto, CSV of spans, folded stacks, the text of
 * babeltrace2; all but recordings plain or gzip; "-" is the standard input. What kind it is, its
 * content tells. A file that is damaged is read up to where it is sound, and m->cut is set.
 *
 * @return 0, a negative code, or what the sink returned
 */
int tch_model_read(struct tch_model *m, const char *path,
                   const struct tch_trace_read_options *options, tch_ev_sink *sink, void *ctx,
                   tacho_error *err);

/** After a failure to read one of several traces: its messages say "it", so err gets the path in
    front, unless it is there. Returns status. */
int tch_name_trace(tacho_error *err, int status, const char *path);

#endif
