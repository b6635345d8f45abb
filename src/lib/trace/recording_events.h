/*
 * A recording as events of a model.
 */
#ifndef TCH_RECORDING_EVENTS_H
#define TCH_RECORDING_EVENTS_H

#include "recording_file.h"
#include "trace_model.h"

/** What the events are for, and so which form they have. */
enum tch_rec_form {
    TCH_REC_FOR_TOOLS,   /**< whole spans; arguments are JSON; thread names come first */
    TCH_REC_FOR_CHROME,  /**< whole spans; arguments are values; what was put keeps its form
                              (TCH_EV_PUT); only what has events gets a track and a name */
    TCH_REC_FOR_PERFETTO /**< begins and ends; arguments are values; events with explicit times are
                              on rows in which they nest */
};

struct tch_recording_source {
    struct tch_recording *r;
    struct tch_model *m; /**< gets the names; may have those of other recordings */
    enum tch_rec_form form;
    bool no_args;     /**< leave out arguments */
    uint64_t origin;  /**< CLOCK_MONOTONIC nanoseconds, time 0 of the events */
    uint64_t put_pid; /**< in Chrome's form: of spans that were put without a process */
};

/** Walks the recording and gives its events to the sink. Spans come when they end.
    @return 0, a negative code, or what the sink returned */
int tch_recording_events(const struct tch_recording_source *source, tch_ev_sink *sink, void *ctx,
                         tacho_error *err);

/** Adds the reasons why records were dropped, such as "limit, disk". */
void tch_add_reasons(struct tch_buf *b, uint64_t reasons);

#endif
