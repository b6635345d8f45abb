/* Reads recordings into the model. */
#include <string.h>

#include "base/fail.h"
#include "lib/trace/recording_events.h"
#include "trace_readers.h"
#include "trace_source.h"

static void note_facts(struct tch_model *m, const struct tch_recording *r)
{
    /* A complete file has a header of one page and then whole chunks. */
    bool in_header = r->size < r->head.header_size;
    bool cut =
        in_header ? r->size != TCH_REC_PAGE : (r->size - r->head.header_size) % TCH_REC_CHUNK != 0;

    m->bytes = r->size;
    m->dropped = r->head.dropped;
    m->clock_faults = r->head.clock_faults;
    m->invalid_json = r->invalid_json;
    m->bad.count = r->damaged;
    if (cut) {
        m->cut = m->tail_only = true;
        tch_fail(&m->why, TACHO_EPARSE, 0, "the recording ends inside %s",
                 in_header ? "its header" : "a chunk");
        m->why.offset = r->size;
    }
}

static int emit_event(void *ctx, const struct tch_ev *ev)
{
    return tch_trace_reading_give(ctx, ev);
}

int tch_read_recording(struct tch_trace_reading *r, struct tch_trace_source *s)
{
    struct tch_model *m = r->m;
    struct tch_recording rec;
    struct tch_recording_source source = {.r = &rec, .m = m, .form = TCH_REC_FOR_TOOLS};
    int status;

    if (s->compressed || strcmp(s->path, "-") == 0)
        return tch_fail(r->err, TACHO_EINVAL, 0,
                        "a recording must be a plain file, neither compressed nor a pipe");
    status = tch_recording_open(&rec, s->path, r->err);
    if (status < 0)
        return status;
    m->kind = TCH_KIND_RECORDING;
    /* A recording converted from a trace without a clock does not have a clock either. */
    m->clock = (struct tch_trace_clock){.known = rec.head.wall_ns != 0,
                                        .tsc = rec.head.clock == TCH_REC_CLOCK_TSC,
                                        .first = rec.clock.first,
                                        .last = rec.clock.last,
                                        .wall_ns = rec.head.wall_ns,
                                        .wall_error = rec.head.wall_error};
    memcpy(m->clock.boot_id, rec.head.boot_id, sizeof m->clock.boot_id);
    m->clock.boot_id[sizeof m->clock.boot_id - 1] = '\0';
    source.no_args = !r->options.args;
    source.origin = rec.clock.first.ns;
    status = tch_recording_events(&source, emit_event, r, r->err);
    note_facts(m, &rec);
    tch_recording_close(&rec);
    return status;
}
