/*
 * Perfetto's native format: protobuf packets, one sequence a thread. On a sequence names are
 * interned, and times are differences to the packet before.
 */
#include "perfetto_writer.h"

#include "base/fail.h"
#include "base/hash.h"
#include "recording_convert.h"

enum {
    PACKET_LIMIT = 1 << 20,
    SMALL_PACKET = 64, /* bytes that the packet of a plain begin or end needs at most */
};

/* The packet's time: a step from the one before, or whole where that would be backwards. */
static void add_step(struct tch_perfetto *p, uint64_t ns)
{
    if (ns >= p->last_ns) {
        tch_pb_varint(&p->packet, TCH_PF_PACKET_TIME, ns - p->last_ns);
        p->last_ns = ns;
    } else {
        tch_pb_varint(&p->packet, TCH_PF_PACKET_TIME, ns);
        tch_pb_varint(&p->packet, TCH_PF_PACKET_CLOCK, TCH_PF_CLOCK_BOOT);
    }
    tch_pb_varint(&p->packet, TCH_PF_PACKET_SEQUENCE, p->sequence);
    tch_pb_varint(&p->packet, TCH_PF_PACKET_FLAGS, TCH_PF_NEEDS_STATE);
}

/* A time of its own, not in the order of the sequence. */
static void add_time(struct tch_perfetto *p, uint64_t ns)
{
    tch_pb_varint(&p->packet, TCH_PF_PACKET_TIME, ns);
    tch_pb_varint(&p->packet, TCH_PF_PACKET_CLOCK, TCH_PF_CLOCK_BOOT);
    tch_pb_varint(&p->packet, TCH_PF_PACKET_SEQUENCE, p->sequence);
}

static void add_name(struct tch_perfetto *p, uint32_t field, const struct tch_rec_name *name)
{
    tch_pf_add_utf8(p, field, name->name, name->name_len);
}

static void add_arg(struct tch_perfetto *p, const struct tch_rec_arg *arg)
{
    size_t begun = tch_pb_begin(&p->packet, TCH_PF_EVENT_ARG);

    add_name(p, TCH_PF_ARG_NAME, arg->key);
    switch (arg->type) {
    case TACHO_ARG_I64:
        tch_pb_varint(&p->packet, TCH_PF_ARG_INT, arg->bits);
        break;
    case TACHO_ARG_F64:
        tch_pb_fixed64(&p->packet, TCH_PF_ARG_DOUBLE, arg->bits);
        break;
    case TACHO_ARG_BOOL:
        tch_pb_varint(&p->packet, TCH_PF_ARG_BOOL, arg->bits != 0);
        break;
    case TACHO_ARG_TEXT:
    case TCH_REC_ARG_JSON:
        tch_pf_add_utf8(p, TCH_PF_ARG_STRING, arg->text, arg->len);
        break;
    default:
        tch_pb_varint(&p->packet, TCH_PF_ARG_UINT, arg->bits);
    }
    tch_pb_end(&p->packet, begun);
}

static void add_args(struct tch_perfetto *p, struct tch_rec_args args, struct tch_rec_args more)
{
    struct tch_arg_list list;

    tch_args_gather(&list, p->r, &(struct tch_seen_event){.args = args, .end_args = more});
    for (size_t i = 0; i < list.count; i++)
        add_arg(p, &list.list[i]);
}

static void know_site(struct tch_perfetto *p, uint32_t site)
{
    if (p->sites[site].thread != p->thread + 1)
        tch_pf_intern(p, site);
}

/* Spans of threads: nearly all there is, so without detours. */

static void plain_event(struct tch_perfetto *p, const struct tch_pf_tail *tail, uint64_t ns)
{
    uint8_t *start = (uint8_t *)tch_out_room(&p->out, SMALL_PACKET), *at = start + 3;

    start[0] = TCH_PF_TRACE_PACKET << 3 | TCH_PB_BYTES;
    start[2] = TCH_PF_PACKET_TIME << 3 | TCH_PB_VARINT;
    at += tch_pb_put_varint(at, ns - p->last_ns);
    p->last_ns = ns;
    memcpy(at, tail->bytes, sizeof tail->bytes); /* what is too much is overwritten */
    at += tail->len;
    start[1] = (uint8_t)(at - start - 2);
    p->out.len += (size_t)(at - start);
}

static void begin_event(struct tch_perfetto *p, unsigned type, size_t *ret)
{
    *ret = tch_pb_begin(&p->packet, TCH_PF_PACKET_EVENT);
    tch_pb_varint(&p->packet, TCH_PF_EVENT_TYPE, type);
}

static void add_site(struct tch_perfetto *p, uint32_t site)
{
    tch_pb_varint(&p->packet, TCH_PF_EVENT_NAME_IID, site);
    if (tch_rec_site(p->r, site)->category_len > 0)
        tch_pb_varint(&p->packet, TCH_PF_EVENT_CATEGORY_IID, site);
}

static void end_event(struct tch_perfetto *p, size_t event)
{
    tch_pb_end(&p->packet, event);
    tch_pf_end_packet(p);
}

static void span_edge(struct tch_perfetto *p, unsigned type, const struct tch_seen_event *e,
                      struct tch_rec_args args)
{
    static const struct tch_rec_args none;
    size_t event;

    know_site(p, e->id);
    if (args.count == 0 && e->ns >= p->last_ns) {
        plain_event(p, type == TCH_PF_BEGIN ? &p->sites[e->id].begin : &p->end, e->ns);
        return;
    }
    tch_pf_begin_packet(p);
    add_step(p, e->ns);
    begin_event(p, type, &event);
    if (type == TCH_PF_BEGIN)
        add_site(p, e->id);
    add_args(p, args, none);
    end_event(p, event);
}

/* Others. */

/* An event on a track of its own; name by text, because it may be on no thread's sequence. */
static void event_on(struct tch_perfetto *p, unsigned type, const struct tch_seen_event *e,
                     uint64_t track, uint64_t ns)
{
    const struct tch_rec_name *site = tch_rec_site(p->r, e->id);
    size_t event;

    tch_pf_begin_packet(p);
    add_time(p, ns);
    begin_event(p, type, &event);
    tch_pb_varint(&p->packet, TCH_PF_EVENT_TRACK, track);
    if (type != TCH_PF_END) {
        add_name(p, TCH_PF_EVENT_NAME, site);
        if (site->category_len > 0)
            tch_pf_add_utf8(p, TCH_PF_EVENT_CATEGORY, site->category, site->category_len);
        add_args(p, e->args, e->end_args);
    }
    end_event(p, event);
}

static void instant(struct tch_perfetto *p, const struct tch_seen_event *e)
{
    static const char name[] = "global";
    uint64_t track = p->track;

    if (e->fixed[0] == TACHO_SCOPE_PROCESS)
        track = UUID_PROCESS;
    if (e->fixed[0] == TACHO_SCOPE_GLOBAL) {
        track = UUID_GLOBAL;
        if (!p->global_told)
            tch_pf_tell_track(p, track, 0, name, sizeof name - 1, false);
        p->global_told = true;
    }
    event_on(p, TCH_PF_INSTANT, e, track, e->ns);
}

static void counter(struct tch_perfetto *p, uint32_t site, uint64_t ns, bool is_double,
                    uint64_t bits)
{
    const struct tch_rec_name *name = tch_rec_site(p->r, site);
    size_t event;

    if (!p->counters[site])
        tch_pf_tell_track(p, UUID_COUNTER + site, UUID_PROCESS, name->name, name->name_len, true);
    p->counters[site] = 1;
    tch_pf_begin_packet(p);
    add_time(p, ns);
    begin_event(p, TCH_PF_COUNTER, &event);
    tch_pb_varint(&p->packet, TCH_PF_EVENT_TRACK, UUID_COUNTER + site);
    if (is_double)
        tch_pb_fixed64(&p->packet, TCH_PF_EVENT_COUNTER_DOUBLE, bits);
    else
        tch_pb_varint(&p->packet, TCH_PF_EVENT_COUNTER, bits);
    end_event(p, event);
}

/* Numbers that belong together get one id, by the hash of name, category and id. */
static uint64_t hash_id(const struct tch_rec_name *site, uint64_t id)
{
    uint64_t parts[] = {tch_hash(site->name, site->name_len),
                        tch_hash(site->category, site->category_len), id};

    return tch_hash(parts, sizeof parts);
}

/* The old form of a flow step: it binds to the span around it, as in the JSON format. */
static void flow(struct tch_perfetto *p, const struct tch_seen_event *e)
{
    size_t event, legacy;

    know_site(p, e->id);
    tch_pf_begin_packet(p);
    add_step(p, e->ns);
    event = tch_pb_begin(&p->packet, TCH_PF_PACKET_EVENT);
    add_site(p, e->id);
    legacy = tch_pb_begin(&p->packet, TCH_PF_EVENT_LEGACY);
    tch_pb_varint(&p->packet, TCH_PF_LEGACY_PHASE,
                  (uint64_t) "stf"[e->fixed[0] < 3 ? e->fixed[0] : 0]);
    tch_pb_varint(&p->packet, TCH_PF_LEGACY_ID, hash_id(tch_rec_site(p->r, e->id), e->fixed[1]));
    tch_pb_varint(&p->packet, TCH_PF_LEGACY_BIND, 1);
    tch_pb_end(&p->packet, legacy);
    end_event(p, event);
}

static void async(struct tch_perfetto *p, const struct tch_seen_event *e)
{
    const struct tch_rec_name *site = tch_rec_site(p->r, e->id);
    uint64_t track = UUID_ASYNC | hash_id(site, e->fixed[1]);

    if (e->fixed[0] == TACHO_PHASE_BEGIN)
        tch_pf_tell_track(p, track, UUID_PROCESS, site->name, site->name_len, false);
    event_on(p,
             e->fixed[0] == TACHO_PHASE_BEGIN ? TCH_PF_BEGIN
             : e->fixed[0] == TACHO_PHASE_END ? TCH_PF_END
                                              : TCH_PF_INSTANT,
             e, track, e->ns);
}

/* Is it a span? Of what a program put in another phase, only the moment is shown. */
static bool is_span(const struct tch_perfetto *p, const struct tch_seen_event *e)
{
    const struct tch_rec_name *phase;

    if (e->kind != TCH_REC_PUT)
        return e->kind != TCH_REC_TRACK_INSTANT;
    phase = tch_rec_text(p->r, (uint32_t)e->fixed[4]);
    return phase->name_len == 1 && phase->name[0] == 'X';
}

static void on_row(struct tch_perfetto *p, const struct tch_seen_event *e)
{
    uint32_t row = tch_rows_next(&p->rows, p->r, e);
    uint64_t track = UUID_ROW + row, start, end;

    if (row == TCH_NO_ROW) {
        p->r->damaged++;
        return;
    }
    tch_rows_times(p->r, e, &start, &end);
    if (!is_span(p, e)) {
        event_on(p, TCH_PF_INSTANT, e, track, start);
        return;
    }
    event_on(p, TCH_PF_BEGIN, e, track, start);
    event_on(p, TCH_PF_END, e, track, end);
}

static void other(struct tch_perfetto *p, const struct tch_seen_event *e)
{
    const struct tch_rec_name *text;

    if (tch_rows_has(p->r, e)) {
        on_row(p, e);
        return;
    }
    switch (e->kind) {
    case TCH_REC_INSTANT:
        instant(p, e);
        break;
    case TCH_REC_COUNTER:
        counter(p, e->id, e->ns, e->fixed[0] == TACHO_ARG_F64, e->fixed[1]);
        break;
    case TCH_REC_FLOW:
        flow(p, e);
        break;
    case TCH_REC_ASYNC:
        async(p, e);
        break;
    case TCH_REC_TRACK_COUNTER:
        counter(p, e->id, e->fixed[1], true, e->fixed[2]);
        break;
    case TCH_REC_THREAD:
        tch_pf_enter_thread(p, e);
        break;
    case TCH_REC_THREAD_NAME:
        text = tch_rec_text(p->r, e->id);
        tch_pf_tell_thread(p, text->name, text->name_len);
        break;
    case TCH_REC_PROCESS_NAME:
        text = tch_rec_text(p->r, e->id);
        tch_pf_tell_process(p, text->name, text->name_len);
        break;
    default:
        break;
    }
}

static int see(void *ctx, const struct tch_seen_event *e)
{
    struct tch_perfetto *p = ctx;

    switch (e->seen) {
    case TCH_SEEN_BEGIN:
        span_edge(p, TCH_PF_BEGIN, e, e->args);
        break;
    case TCH_SEEN_END:
        span_edge(p, TCH_PF_END, e, e->end_args);
        break;
    case TCH_SEEN_UNFINISHED:
        break; /* its begin stands there without an end */
    case TCH_SEEN_OTHER:
        other(p, e);
        break;
    }
    return p->out.status;
}

static void add_count(struct tch_perfetto *p, const char *name, uint64_t value)
{
    size_t arg = tch_pb_begin(&p->packet, TCH_PF_EVENT_ARG);

    tch_pb_text(&p->packet, TCH_PF_ARG_NAME, name);
    tch_pb_varint(&p->packet, TCH_PF_ARG_UINT, value);
    tch_pb_end(&p->packet, arg);
}

/* What is not in here. */
static void tell_losses(struct tch_perfetto *p)
{
    static const char track_name[] = "tacho", event_name[] = "records dropped";
    const struct tch_rec_header *head = &p->r->head;
    size_t event, arg, text;

    if (head->dropped == 0 && head->cut == 0)
        return;
    tch_pf_tell_track(p, UUID_GLOBAL + 1, 0, track_name, sizeof track_name - 1, false);
    tch_pf_begin_packet(p);
    add_time(p, p->r->clock.last.ns);
    begin_event(p, TCH_PF_INSTANT, &event);
    tch_pb_varint(&p->packet, TCH_PF_EVENT_TRACK, UUID_GLOBAL + 1);
    tch_pb_text(&p->packet, TCH_PF_EVENT_NAME, event_name);
    tch_pb_text(&p->packet, TCH_PF_EVENT_CATEGORY, "tacho");
    add_count(p, "dropped", head->dropped);
    add_count(p, "texts_cut", head->cut);
    arg = tch_pb_begin(&p->packet, TCH_PF_EVENT_ARG);
    tch_pb_text(&p->packet, TCH_PF_ARG_NAME, "why");
    text = tch_pb_begin(&p->packet, TCH_PF_ARG_STRING);
    tch_add_reasons(&p->packet, head->reasons);
    tch_pb_end(&p->packet, text);
    tch_pb_end(&p->packet, arg);
    end_event(p, event);
}

static int write_all(struct tch_perfetto *p, tacho_error *err)
{
    int status = tch_rows_lay_out(&p->rows, p->r, err);

    if (status < 0)
        return status;
    p->sequence = 1;
    tch_pf_begin_packet(p);
    tch_pb_varint(&p->packet, TCH_PF_PACKET_SEQUENCE, p->sequence);
    tch_pb_varint(&p->packet, TCH_PF_PACKET_FLAGS, TCH_PF_CLEARED);
    tch_pf_end_packet(p);
    for (uint32_t i = 0; i < p->rows.count; i++)
        tch_pf_tell_row(p, i);
    status = tch_recording_walk(p->r, see, p, err);
    if (status < 0)
        return status;
    tell_losses(p);
    return tch_out_flush(&p->out);
}

static int write_perfetto(struct tch_recording *r, struct tch_replace *file, tacho_error *err)
{
    struct tch_perfetto p = {.r = r};
    int status;

    tch_buf_init(&p.packet, PACKET_LIMIT);
    status = tch_out_init(&p.out, file, err);
    p.sites = calloc((size_t)r->sites.count + 1, sizeof *p.sites);
    p.counters = calloc((size_t)r->sites.count + 1, 1);
    if (!p.sites || !p.counters)
        status = tch_fail(err, TACHO_ENOMEM, 0, "out of memory to write a trace");
    if (status == 0)
        status = write_all(&p, err);
    free(p.sites);
    free(p.counters);
    tch_rows_release(&p.rows);
    tch_buf_release(&p.packet);
    tch_out_release(&p.out);
    return status;
}

const struct tch_trace_format tch_trace_perfetto = {".pftrace", "Perfetto", write_perfetto};
