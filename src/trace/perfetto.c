/*
 * Perfetto's native format: protobuf packets, one sequence a thread. On a sequence names are
 * interned, and times are differences to the packet before.
 */
#include "base/error.h"
#include "base/protobuf.h"
#include "convert.h"
#include "out.h"

enum {
    PACKET_LIMIT = 1 << 20,
    SMALL_PACKET = 64, /* bytes that the packet of a plain begin or end needs at most */
    CLOCK_BOOT = 6,
    CLOCK_STEPS = 64,
    SEQUENCE_FIRST = 2, /* sequence 1 is for what is of no thread */
};

/* Field numbers of the messages of perfetto/trace. */
enum {
    TRACE_PACKET = 1,

    PACKET_CLOCKS = 6,
    PACKET_TIME = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_CLOCK = 58,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK = 60,

    EVENT_CATEGORY_IID = 3,
    EVENT_ARG = 4,
    EVENT_LEGACY = 6,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_CATEGORY = 22,
    EVENT_NAME = 23,
    EVENT_COUNTER = 30,
    EVENT_COUNTER_DOUBLE = 44,

    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
};

enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };

/* Uuids of tracks, apart by their upper bits. */
#define UUID_PROCESS UINT64_C(1)
#define UUID_GLOBAL  UINT64_C(2)
#define UUID_THREAD  (UINT64_C(1) << 32)
#define UUID_ROW     (UINT64_C(2) << 32)
#define UUID_COUNTER (UINT64_C(3) << 32)
#define UUID_ASYNC   (UINT64_C(1) << 63)

struct perfetto {
    struct tch_recording *r;
    struct tch_out out;
    struct tch_rows rows;
    struct tch_buf packet; /* its content */
    uint32_t *named;       /* by site: 1 + the thread on whose sequence it was interned last */
    uint8_t *counters;     /* by site: its counter's track is there */

    uint64_t sequence;
    uint64_t track;   /* of the thread */
    uint64_t last_ns; /* of the packet before, on this sequence */
    uint32_t thread;
    uint32_t tid;
    bool started, process_told, global_told;
};

/* Packets. */

static void begin_packet(struct perfetto *p)
{
    tch_buf_clear(&p->packet);
}

static void end_packet(struct perfetto *p)
{
    uint8_t head[1 + TCH_PB_VARINT_MAX] = {TRACE_PACKET << 3 | TCH_PB_BYTES};

    if (p->packet.failed && p->out.status == 0)
        p->out.status = tch_fail(p->out.err, TACHO_ENOMEM, 0, "out of memory for a packet");
    tch_out_add(&p->out, head, 1 + tch_pb_put_varint(head + 1, p->packet.len));
    tch_out_add(&p->out, p->packet.data, p->packet.len);
}

/* The packet's time: a step from the one before, or whole where that would be backwards. */
static void add_step(struct perfetto *p, uint64_t ns)
{
    if (ns >= p->last_ns) {
        tch_pb_varint(&p->packet, PACKET_TIME, ns - p->last_ns);
        p->last_ns = ns;
    } else {
        tch_pb_varint(&p->packet, PACKET_TIME, ns);
        tch_pb_varint(&p->packet, PACKET_CLOCK, CLOCK_BOOT);
    }
    tch_pb_varint(&p->packet, PACKET_SEQUENCE, p->sequence);
    tch_pb_varint(&p->packet, PACKET_FLAGS, FLAG_NEEDS_STATE);
}

/* A time of its own, not in the order of the sequence. */
static void add_time(struct perfetto *p, uint64_t ns)
{
    tch_pb_varint(&p->packet, PACKET_TIME, ns);
    tch_pb_varint(&p->packet, PACKET_CLOCK, CLOCK_BOOT);
    tch_pb_varint(&p->packet, PACKET_SEQUENCE, p->sequence);
}

static void add_utf8(struct perfetto *p, uint32_t field, const char *text, size_t len)
{
    size_t begun = tch_pb_begin(&p->packet, field);

    tch_add_utf8(&p->packet, text, len);
    tch_pb_end(&p->packet, begun);
}

static void add_name(struct perfetto *p, uint32_t field, const struct tch_rec_name *name)
{
    add_utf8(p, field, name->name, name->name_len);
}

static void add_arg(struct perfetto *p, const struct tch_rec_arg *arg)
{
    enum { NAME = 10, BOOL = 2, UINT = 3, INT = 4, DOUBLE = 5, STRING = 6 };
    size_t begun = tch_pb_begin(&p->packet, EVENT_ARG);

    add_name(p, NAME, arg->key);
    switch (arg->type) {
    case TACHO_ARG_I64:
        tch_pb_varint(&p->packet, INT, arg->bits);
        break;
    case TACHO_ARG_F64:
        tch_pb_fixed64(&p->packet, DOUBLE, arg->bits);
        break;
    case TACHO_ARG_BOOL:
        tch_pb_varint(&p->packet, BOOL, arg->bits != 0);
        break;
    case TACHO_ARG_TEXT:
    case TCH_REC_ARG_JSON:
        add_utf8(p, STRING, arg->text, arg->len);
        break;
    default:
        tch_pb_varint(&p->packet, UINT, arg->bits);
    }
    tch_pb_end(&p->packet, begun);
}

static void add_args(struct perfetto *p, struct tch_rec_args args, struct tch_rec_args more)
{
    struct tch_arg_list list;

    tch_args_gather(&list, p->r, &(struct tch_seen_event){.args = args, .end_args = more});
    for (size_t i = 0; i < list.count; i++)
        add_arg(p, &list.list[i]);
}

/* Tracks. */

static size_t begin_track(struct perfetto *p, uint64_t uuid, uint64_t parent, size_t *ret)
{
    begin_packet(p);
    tch_pb_varint(&p->packet, PACKET_SEQUENCE, p->sequence);
    *ret = tch_pb_begin(&p->packet, PACKET_TRACK);
    tch_pb_varint(&p->packet, TRACK_UUID, uuid);
    if (parent != 0)
        tch_pb_varint(&p->packet, TRACK_PARENT, parent);
    return *ret;
}

static void end_track(struct perfetto *p, size_t begun)
{
    tch_pb_end(&p->packet, begun);
    end_packet(p);
}

static void tell_process(struct perfetto *p, const char *name, size_t len)
{
    enum { PID = 1, NAME = 6 };
    size_t track, process;

    p->process_told = true;
    begin_track(p, UUID_PROCESS, 0, &track);
    process = tch_pb_begin(&p->packet, TRACK_PROCESS);
    tch_pb_varint(&p->packet, PID, p->r->head.pid);
    add_utf8(p, NAME, name, len);
    tch_pb_end(&p->packet, process);
    end_track(p, track);
}

static void tell_thread(struct perfetto *p, const char *name, size_t len)
{
    enum { PID = 1, TID = 2, NAME = 5 };
    size_t track, thread;

    begin_track(p, p->track, UUID_PROCESS, &track);
    thread = tch_pb_begin(&p->packet, TRACK_THREAD);
    tch_pb_varint(&p->packet, PID, p->r->head.pid);
    tch_pb_varint(&p->packet, TID, p->tid);
    if (len > 0)
        add_utf8(p, NAME, name, len);
    tch_pb_end(&p->packet, thread);
    end_track(p, track);
}

static void tell_named_track(struct perfetto *p, uint64_t uuid, uint64_t parent, const char *name,
                             size_t len, bool counter)
{
    size_t track;

    begin_track(p, uuid, parent, &track);
    add_utf8(p, TRACK_NAME, name, len);
    if (counter)
        tch_pb_bytes(&p->packet, TRACK_COUNTER, NULL, 0);
    end_track(p, track);
}

static void tell_row(struct perfetto *p, uint32_t number)
{
    const struct tch_row *row = &p->rows.rows[number];
    const struct tch_rec_name *text;
    char name[64];
    int len;

    if (row->kind == TCH_ROW_TRACK) {
        text = tch_rec_text(p->r, (uint32_t)row->a);
        tell_named_track(p, UUID_ROW + number, UUID_PROCESS, text->name, text->name_len, false);
        return;
    }
    if (row->kind == TCH_ROW_PUSH)
        len = snprintf(name, sizeof name, "track %llu", (unsigned long long)row->a);
    else
        len = snprintf(name, sizeof name, "process %llu, thread %llu", (unsigned long long)row->a,
                       (unsigned long long)row->b);
    tell_named_track(p, UUID_ROW + number, 0, name, (size_t)len, false);
}

/* Sequences. */

static void add_clock(struct perfetto *p, uint32_t id, uint64_t ns, bool steps)
{
    enum { CLOCK = 1, ID = 1, TIME = 2, STEPS = 3 };
    size_t begun = tch_pb_begin(&p->packet, CLOCK);

    tch_pb_varint(&p->packet, ID, id);
    tch_pb_varint(&p->packet, TIME, ns);
    if (steps)
        tch_pb_varint(&p->packet, STEPS, 1);
    tch_pb_end(&p->packet, begun);
}

/* From here on the sequence has its clock of steps, and its events the thread's track. */
static void start_sequence(struct perfetto *p, uint64_t ns)
{
    size_t clocks, defaults, event;

    p->started = true;
    p->last_ns = ns;
    begin_packet(p);
    tch_pb_varint(&p->packet, PACKET_SEQUENCE, p->sequence);
    tch_pb_varint(&p->packet, PACKET_FLAGS, FLAG_CLEARED);
    clocks = tch_pb_begin(&p->packet, PACKET_CLOCKS);
    add_clock(p, CLOCK_BOOT, ns, false);
    add_clock(p, CLOCK_STEPS, ns, true);
    tch_pb_end(&p->packet, clocks);
    defaults = tch_pb_begin(&p->packet, PACKET_DEFAULTS);
    tch_pb_varint(&p->packet, PACKET_CLOCK, CLOCK_STEPS);
    event = tch_pb_begin(&p->packet, PACKET_EVENT);
    tch_pb_varint(&p->packet, EVENT_TRACK, p->track);
    tch_pb_end(&p->packet, event);
    tch_pb_end(&p->packet, defaults);
    end_packet(p);
}

static void enter_thread(struct perfetto *p, const struct tch_seen_event *e)
{
    char comm[17] = "";
    const char *program = tch_base_name(p->r->head.program);

    p->thread = e->thread;
    p->tid = e->tid;
    p->sequence = (uint64_t)SEQUENCE_FIRST + e->thread;
    p->track = UUID_THREAD + e->thread;
    p->started = false;
    if (!p->process_told)
        tell_process(p, program, strlen(program));
    memcpy(comm, e->fixed + 1, sizeof comm - 1);
    tell_thread(p, comm, strlen(comm));
    start_sequence(p, e->ns);
}

/* Interns a site's name and category on this sequence, under the site's number. */
static void intern(struct perfetto *p, uint32_t site)
{
    enum { CATEGORIES = 1, NAMES = 2, IID = 1, NAME = 2 };
    const struct tch_rec_name *name = tch_rec_site(p->r, site);
    size_t interned, entry;

    p->named[site] = p->thread + 1;
    begin_packet(p);
    tch_pb_varint(&p->packet, PACKET_SEQUENCE, p->sequence);
    tch_pb_varint(&p->packet, PACKET_FLAGS, FLAG_NEEDS_STATE);
    interned = tch_pb_begin(&p->packet, PACKET_INTERNED);
    entry = tch_pb_begin(&p->packet, NAMES);
    tch_pb_varint(&p->packet, IID, site);
    add_utf8(p, NAME, name->name, name->name_len);
    tch_pb_end(&p->packet, entry);
    if (name->category_len > 0) {
        entry = tch_pb_begin(&p->packet, CATEGORIES);
        tch_pb_varint(&p->packet, IID, site);
        add_utf8(p, NAME, name->category, name->category_len);
        tch_pb_end(&p->packet, entry);
    }
    tch_pb_end(&p->packet, interned);
    end_packet(p);
}

static void know_site(struct perfetto *p, uint32_t site)
{
    if (p->named[site] != p->thread + 1)
        intern(p, site);
}

/* Spans of threads: nearly all there is, so without detours. */

static uint8_t *put_field(uint8_t *at, uint32_t field, uint64_t value)
{
    *at++ = (uint8_t)(field << 3 | TCH_PB_VARINT); /* fields up to 15 */
    return at + tch_pb_put_varint(at, value);
}

static void plain_event(struct perfetto *p, unsigned type, uint32_t site, uint64_t ns)
{
    uint8_t *start, *at, *event;

    start = (uint8_t *)tch_out_room(&p->out, SMALL_PACKET);
    *start = TRACE_PACKET << 3 | TCH_PB_BYTES;
    at = put_field(start + 2, PACKET_TIME, ns - p->last_ns);
    p->last_ns = ns;
    at = put_field(at, PACKET_SEQUENCE, p->sequence);
    at = put_field(at, PACKET_FLAGS, FLAG_NEEDS_STATE);
    *at = PACKET_EVENT << 3 | TCH_PB_BYTES;
    event = at + 2;
    at = put_field(event, EVENT_TYPE, type);
    if (type == TYPE_BEGIN) {
        at = put_field(at, EVENT_NAME_IID, site);
        if (tch_rec_site(p->r, site)->category_len > 0)
            at = put_field(at, EVENT_CATEGORY_IID, site);
    }
    event[-1] = (uint8_t)(at - event);
    start[1] = (uint8_t)(at - start - 2);
    p->out.len += (size_t)(at - start);
}

static void begin_event(struct perfetto *p, unsigned type, size_t *ret)
{
    *ret = tch_pb_begin(&p->packet, PACKET_EVENT);
    tch_pb_varint(&p->packet, EVENT_TYPE, type);
}

static void add_site(struct perfetto *p, uint32_t site)
{
    tch_pb_varint(&p->packet, EVENT_NAME_IID, site);
    if (tch_rec_site(p->r, site)->category_len > 0)
        tch_pb_varint(&p->packet, EVENT_CATEGORY_IID, site);
}

static void end_event(struct perfetto *p, size_t event)
{
    tch_pb_end(&p->packet, event);
    end_packet(p);
}

static void span_edge(struct perfetto *p, unsigned type, const struct tch_seen_event *e,
                      struct tch_rec_args args)
{
    static const struct tch_rec_args none;
    size_t event;

    know_site(p, e->id);
    if (args.count == 0 && e->ns >= p->last_ns) {
        plain_event(p, type, e->id, e->ns);
        return;
    }
    begin_packet(p);
    add_step(p, e->ns);
    begin_event(p, type, &event);
    if (type == TYPE_BEGIN)
        add_site(p, e->id);
    add_args(p, args, none);
    end_event(p, event);
}

/* Others. */

/* An event on a track of its own; name by text, because it may be on no thread's sequence. */
static void event_on(struct perfetto *p, unsigned type, const struct tch_seen_event *e,
                     uint64_t track, uint64_t ns)
{
    const struct tch_rec_name *site = tch_rec_site(p->r, e->id);
    size_t event;

    begin_packet(p);
    add_time(p, ns);
    begin_event(p, type, &event);
    tch_pb_varint(&p->packet, EVENT_TRACK, track);
    if (type != TYPE_END) {
        add_name(p, EVENT_NAME, site);
        if (site->category_len > 0)
            add_utf8(p, EVENT_CATEGORY, site->category, site->category_len);
        add_args(p, e->args, e->end_args);
    }
    end_event(p, event);
}

static void instant(struct perfetto *p, const struct tch_seen_event *e)
{
    static const char name[] = "global";
    uint64_t track = p->track;

    if (e->fixed[0] == TACHO_SCOPE_PROCESS)
        track = UUID_PROCESS;
    if (e->fixed[0] == TACHO_SCOPE_GLOBAL) {
        track = UUID_GLOBAL;
        if (!p->global_told)
            tell_named_track(p, track, 0, name, sizeof name - 1, false);
        p->global_told = true;
    }
    event_on(p, TYPE_INSTANT, e, track, e->ns);
}

static void counter(struct perfetto *p, uint32_t site, uint64_t ns, bool is_double, uint64_t bits)
{
    const struct tch_rec_name *name = tch_rec_site(p->r, site);
    size_t event;

    if (!p->counters[site])
        tell_named_track(p, UUID_COUNTER + site, UUID_PROCESS, name->name, name->name_len, true);
    p->counters[site] = 1;
    begin_packet(p);
    add_time(p, ns);
    begin_event(p, TYPE_COUNTER, &event);
    tch_pb_varint(&p->packet, EVENT_TRACK, UUID_COUNTER + site);
    if (is_double)
        tch_pb_fixed64(&p->packet, EVENT_COUNTER_DOUBLE, bits);
    else
        tch_pb_varint(&p->packet, EVENT_COUNTER, bits);
    end_event(p, event);
}

/* Numbers that belong together get one id: FNV-1a over name, category and id. */
static uint64_t hash_id(const struct tch_rec_name *site, uint64_t id)
{
    uint64_t hash = UINT64_C(14695981039346656037) ^ site->name_len;

    for (size_t i = 0; i < (size_t)site->name_len + site->category_len; i++)
        hash = (hash ^ (unsigned char)site->name[i]) * UINT64_C(1099511628211);
    for (int i = 0; i < 8; i++)
        hash = (hash ^ (id >> 8 * i & 0xFF)) * UINT64_C(1099511628211);
    return hash;
}

/* The old form of a flow step: it binds to the span around it, as in the JSON format. */
static void flow(struct perfetto *p, const struct tch_seen_event *e)
{
    enum { NAME_IID = 1, PHASE = 2, ID = 6, BIND_TO_ENCLOSING = 12 };
    size_t event, legacy;

    know_site(p, e->id);
    begin_packet(p);
    add_step(p, e->ns);
    event = tch_pb_begin(&p->packet, PACKET_EVENT);
    add_site(p, e->id);
    legacy = tch_pb_begin(&p->packet, EVENT_LEGACY);
    tch_pb_varint(&p->packet, PHASE, (uint64_t) "stf"[e->fixed[0] < 3 ? e->fixed[0] : 0]);
    tch_pb_varint(&p->packet, ID, hash_id(tch_rec_site(p->r, e->id), e->fixed[1]));
    tch_pb_varint(&p->packet, BIND_TO_ENCLOSING, 1);
    tch_pb_end(&p->packet, legacy);
    end_event(p, event);
}

static void async(struct perfetto *p, const struct tch_seen_event *e)
{
    const struct tch_rec_name *site = tch_rec_site(p->r, e->id);
    uint64_t track = UUID_ASYNC | hash_id(site, e->fixed[1]);

    if (e->fixed[0] == TACHO_PHASE_BEGIN)
        tell_named_track(p, track, UUID_PROCESS, site->name, site->name_len, false);
    event_on(p,
             e->fixed[0] == TACHO_PHASE_BEGIN ? TYPE_BEGIN
             : e->fixed[0] == TACHO_PHASE_END ? TYPE_END
                                              : TYPE_INSTANT,
             e, track, e->ns);
}

/* Is it a span? Of what a program put in another phase, only the moment is shown. */
static bool is_span(const struct perfetto *p, const struct tch_seen_event *e)
{
    const struct tch_rec_name *phase;

    if (e->kind != TCH_REC_PUT)
        return e->kind != TCH_REC_TRACK_INSTANT;
    phase = tch_rec_text(p->r, (uint32_t)e->fixed[4]);
    return phase->name_len == 1 && phase->name[0] == 'X';
}

static void on_row(struct perfetto *p, const struct tch_seen_event *e)
{
    uint64_t track = UUID_ROW + tch_rows_next(&p->rows), start, end;

    tch_rows_times(p->r, e, &start, &end);
    if (!is_span(p, e)) {
        event_on(p, TYPE_INSTANT, e, track, start);
        return;
    }
    event_on(p, TYPE_BEGIN, e, track, start);
    event_on(p, TYPE_END, e, track, end);
}

static void other(struct perfetto *p, const struct tch_seen_event *e)
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
        enter_thread(p, e);
        break;
    case TCH_REC_THREAD_NAME:
        text = tch_rec_text(p->r, e->id);
        tell_thread(p, text->name, text->name_len);
        break;
    case TCH_REC_PROCESS_NAME:
        text = tch_rec_text(p->r, e->id);
        tell_process(p, text->name, text->name_len);
        break;
    default:
        break;
    }
}

static int see(void *ctx, const struct tch_seen_event *e)
{
    struct perfetto *p = ctx;

    switch (e->seen) {
    case TCH_SEEN_BEGIN:
        span_edge(p, TYPE_BEGIN, e, e->args);
        break;
    case TCH_SEEN_END:
        span_edge(p, TYPE_END, e, e->end_args);
        break;
    case TCH_SEEN_UNFINISHED:
        break; /* its begin stands there without an end */
    case TCH_SEEN_OTHER:
        other(p, e);
        break;
    }
    return p->out.status;
}

/* What is not in here. */
static void tell_losses(struct perfetto *p)
{
    enum { NAME = 10, UINT = 3, STRING = 6 };
    static const char track_name[] = "tacho", event_name[] = "records dropped";
    const struct tch_rec_header *head = &p->r->head;
    size_t event, arg, text;

    if (head->dropped == 0)
        return;
    tell_named_track(p, UUID_GLOBAL + 1, 0, track_name, sizeof track_name - 1, false);
    begin_packet(p);
    add_time(p, p->r->clock.last.ns);
    begin_event(p, TYPE_INSTANT, &event);
    tch_pb_varint(&p->packet, EVENT_TRACK, UUID_GLOBAL + 1);
    tch_pb_text(&p->packet, EVENT_NAME, event_name);
    tch_pb_text(&p->packet, EVENT_CATEGORY, "tacho");
    arg = tch_pb_begin(&p->packet, EVENT_ARG);
    tch_pb_text(&p->packet, NAME, "dropped");
    tch_pb_varint(&p->packet, UINT, head->dropped);
    tch_pb_end(&p->packet, arg);
    arg = tch_pb_begin(&p->packet, EVENT_ARG);
    tch_pb_text(&p->packet, NAME, "why");
    text = tch_pb_begin(&p->packet, STRING);
    tch_add_reasons(&p->packet, head->reasons);
    tch_pb_end(&p->packet, text);
    tch_pb_end(&p->packet, arg);
    end_event(p, event);
}

static int write_all(struct perfetto *p, tacho_error *err)
{
    int status = tch_rows_lay_out(&p->rows, p->r, err);

    if (status < 0)
        return status;
    p->sequence = 1;
    begin_packet(p);
    tch_pb_varint(&p->packet, PACKET_SEQUENCE, p->sequence);
    tch_pb_varint(&p->packet, PACKET_FLAGS, FLAG_CLEARED);
    end_packet(p);
    for (uint32_t i = 0; i < p->rows.count; i++)
        tell_row(p, i);
    status = tch_recording_walk(p->r, see, p, err);
    if (status < 0)
        return status;
    tell_losses(p);
    return tch_out_flush(&p->out);
}

static int write_perfetto(struct tch_recording *r, struct tch_replace *file, tacho_error *err)
{
    struct perfetto p = {.r = r};
    int status;

    tch_buf_init(&p.packet, PACKET_LIMIT);
    status = tch_out_init(&p.out, file, err);
    p.named = calloc((size_t)r->sites.count + 1, sizeof *p.named);
    p.counters = calloc((size_t)r->sites.count + 1, 1);
    if (!p.named || !p.counters)
        status = tch_fail(err, TACHO_ENOMEM, 0, "out of memory to write a trace");
    if (status == 0)
        status = write_all(&p, err);
    free(p.named);
    free(p.counters);
    tch_rows_release(&p.rows);
    tch_buf_release(&p.packet);
    tch_out_release(&p.out);
    return status;
}

const struct tch_trace_format tch_trace_perfetto = {".pftrace", "Perfetto", write_perfetto};
