/* Writes the model in Perfetto's native format. */
#include <stdlib.h>

#include "lib/trace/perfetto_writer.h"
#include "trace_write.h"

static int begin(struct tch_trace_writer *w)
{
    struct tch_perfetto *p = malloc(sizeof *p);

    w->own = p;
    if (!p)
        return tch_trace_writer_no_memory(w);
    tch_perfetto_init(p, w->m, &w->out);
    return tch_perfetto_names(p);
}

static int add(struct tch_trace_writer *w, const struct tch_ev *ev)
{
    return tch_perfetto_add(w->own, ev);
}

static int end_span(struct tch_trace_writer *w, uint32_t lane, int64_t ts)
{
    return tch_perfetto_end_span(w->own, lane, ts);
}

static void release(struct tch_trace_writer *w)
{
    tch_perfetto_release(w->own);
}

const struct tch_write_format tch_trace_as_perfetto = {.extension = ".pftrace",
                                                       .name = "Perfetto",
                                                       .labels = true,
                                                       .needs_lanes = true,
                                                       .begin = begin,
                                                       .add = add,
                                                       .end_span = end_span,
                                                       .release = release};
