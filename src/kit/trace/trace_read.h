/*
 * Reads traces of any format.
 *
 *     tch_model_init(&m);
 *     tch_model_read(&m, path, &options, sink, ctx, &err);    calls sink() for every event
 *     tch_model_release(&m);
 */
#ifndef TCH_TRACE_READ_H
#define TCH_TRACE_READ_H

#include "lib/trace/trace_model.h"

struct tch_trace_read_options {
    bool args; /**< the sink wants arguments */
    /** Called from time to time with the number of bytes read so far; may be NULL. */
    void (*progress)(void *ctx, uint64_t bytes);
    void *progress_ctx;
};

/**
 * Reads a trace: a recording, Chrome JSON, Perfetto, CSV of spans, folded stacks or the text of
 * babeltrace2. All except recordings may be compressed by gzip. "-" is the standard input. The
 * content decides the format. A damaged file is read up to the damage, and m->cut is set.
 *
 * @return 0, a negative code, or the result of the sink
 */
int tch_model_read(struct tch_model *m, const char *path,
                   const struct tch_trace_read_options *options, tch_ev_sink *sink, void *ctx,
                   tacho_error *err);

/** Prefixes an error with the path of its trace, unless the message has it already. Messages of
   readers call the file "it", which is unclear when there are several traces. Returns status. */
int tch_name_trace(tacho_error *err, int status, const char *path);

#endif
