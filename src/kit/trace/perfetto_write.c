/*
 * Perfetto's native format from the model: one sequence a track, names interned on it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/protobuf.h"
#include "lib/trace/perfetto_fields.h"
#include "perfetto_write_args.h"
#include "trace_write.h"

/* Uuids of tracks, apart by their upper bits. */
#define UUID_GLOBAL  UINT64_C(1)
#define UUID_PROCESS (UINT64_C(1) << 32)
#define UUID_TRACK   (UINT64_C(2) << 32)
#define UUID_LANE    (UINT64_C(3) << 32)
#define UUID_COUNTER (UINT64_C(4) << 32)
#define UUID_ASYNC   (UINT64_C(1) << 63)

struct perfetto {
    uint32_t *named; /* by text: 1 + the track on whose sequence it is known */
    size_t named_room;
    struct tch_intern counters; /* process, name and series of each that has a track */
    struct tch_intern asyncs;   /* uuids that were told */
    struct tch_intern lanes;    /* ... of lanes */
    struct tch_buf text;        /* unescaped */
    uint32_t track;             /* 1 + that of the sequence; 0: none */
    bool global;
};

static uint64_t sequence_of(uint32_t track)
{
    return (uint64_t)track + 2;
}

static int end_packet(struct tch_writer *w)
{
    uint8_t head[1 + TCH_PB_VARINT_MAX] = {TCH_PF_TRACE_PACKET << 3 | TCH_PB_BYTES};

    if (w->text.failed)
        return tch_writer_no_memory(w);
    tch_writer_put(w, head, 1 + tch_pb_put_varint(head + 1, w->text.len));
    return tch_writer_put(w, w->text.data, w->text.len);
}

static void begin_packet(struct tch_writer *w)
{
    const struct perfetto *p = w->own;

    tch_buf_clear(&w->text);
    tch_pb_varint(&w->text, TCH_PF_PACKET_SEQUENCE, p->track > 0 ? sequence_of(p->track - 1) : 1);
}

static void put_text(struct tch_writer *w, uint32_t field, uint32_t text)
{
    tch_pb_bytes(&w->text, field, tch_intern_text(&w->m->texts, text),
                 tch_intern_len(&w->m->texts, text));
}

/* Tracks. */

static size_t begin_track(struct tch_writer *w, uint64_t uuid, uint64_t parent)
{
    size_t begun;

    begin_packet(w);
    begun = tch_pb_begin(&w->text, TCH_PF_PACKET_TRACK);
    tch_pb_varint(&w->text, TCH_PF_TRACK_UUID, uuid);
    if (parent != 0)
        tch_pb_varint(&w->text, TCH_PF_TRACK_PARENT, parent);
    return begun;
}

static int end_track(struct tch_writer *w, size_t begun)
{
    tch_pb_end(&w->text, begun);
    return end_packet(w);
}

static int tell_named(struct tch_writer *w, uint64_t uuid, uint64_t parent, const char *name)
{
    size_t begun = begin_track(w, uuid, parent);

    tch_pb_text(&w->text, TCH_PF_TRACK_NAME, name);
    return end_track(w, begun);
}

/* 32 bits, as the field has. */
static void put_sort(struct tch_writer *w, uint32_t field, bool sorted, int64_t sort)
{
    if (sorted)
        tch_pb_varint(&w->text, field,
                      (uint64_t)(sort > INT32_MAX   ? INT32_MAX
                                 : sort < INT32_MIN ? INT32_MIN
                                                    : sort));
}

static void tell_process(struct tch_writer *w, uint32_t number)
{
    const struct tch_process *p = &w->m->processes[number];
    size_t track = begin_track(w, UUID_PROCESS + number, 0);
    size_t process = tch_pb_begin(&w->text, TCH_PF_TRACK_PROCESS);

    tch_pb_varint(&w->text, TCH_PF_PROCESS_PID, p->pid & INT32_MAX);
    put_sort(w, TCH_PF_PROCESS_SORT, p->sorted, p->sort);
    if (p->name)
        put_text(w, TCH_PF_PROCESS_NAME, p->name);
    if (p->labels)
        put_text(w, TCH_PF_PROCESS_LABELS, p->labels);
    tch_pb_end(&w->text, process);
    end_track(w, track);
}

static void tell_thread(struct tch_writer *w, uint32_t number)
{
    const struct tch_track *t = &w->m->tracks[number];
    size_t track = begin_track(w, UUID_TRACK + number, UUID_PROCESS + t->process), thread;

    if (t->made_up && t->name) {
        put_text(w, TCH_PF_TRACK_NAME, t->name);
        put_sort(w, TCH_PF_TRACK_SORT, t->sorted, t->sort);
        end_track(w, track);
        return;
    }
    thread = tch_pb_begin(&w->text, TCH_PF_TRACK_THREAD);
    tch_pb_varint(&w->text, TCH_PF_THREAD_PID, w->m->processes[t->process].pid & INT32_MAX);
    tch_pb_varint(&w->text, TCH_PF_THREAD_TID, t->tid & INT32_MAX);
    put_sort(w, TCH_PF_THREAD_SORT, t->sorted, t->sort);
    if (t->name)
        put_text(w, TCH_PF_THREAD_NAME, t->name);
    tch_pb_end(&w->text, thread);
    end_track(w, track);
}

static int begin(struct tch_writer *w)
{
    struct perfetto *p = calloc(1, sizeof *p);

    w->own = p;
    if (!p)
        return tch_writer_no_memory(w);
    tch_buf_init(&p->text, 64 << 20);
    begin_packet(w);
    tch_pb_varint(&w->text, TCH_PF_PACKET_FLAGS, TCH_PF_CLEARED);
    end_packet(w);
    for (uint32_t i = 0; i < tch_model_process_count(w->m); i++)
        tell_process(w, i);
    for (uint32_t i = 0; i < tch_model_track_count(w->m); i++)
        tell_thread(w, i);
    return w->out.status;
}

/* Sequences. */

static int enter(struct tch_writer *w, uint32_t track)
{
    struct perfetto *p = w->own;

    if (p->track == track + 1)
        return 0;
    p->track = track + 1;
    begin_packet(w);
    tch_pb_varint(&w->text, TCH_PF_PACKET_FLAGS, TCH_PF_CLEARED);
    return end_packet(w);
}

/* Has the text an entry on this sequence? It has one from now on. */
static int is_known(struct tch_writer *w, uint32_t text)
{
    struct perfetto *p = w->own;

    if (text >= p->named_room) {
        size_t room = p->named_room > 0 ? p->named_room : 1024;
        uint32_t *named;

        while (room <= text)
            room *= 2;
        named = realloc(p->named, room * sizeof *named);
        if (!named)
            return -1;
        memset(named + p->named_room, 0, (room - p->named_room) * sizeof *named);
        p->named = named;
        p->named_room = room;
    }
    if (p->named[text] == p->track)
        return 1;
    p->named[text] = p->track;
    return 0;
}

static void put_entry(struct tch_writer *w, uint32_t field, uint32_t text)
{
    size_t entry = tch_pb_begin(&w->text, field);

    tch_pb_varint(&w->text, TCH_PF_INTERNED_IID, (uint64_t)text + 1);
    put_text(w, TCH_PF_INTERNED_TEXT, text);
    tch_pb_end(&w->text, entry);
}

/* Both as name and as category: a text may be either. */
static int know(struct tch_writer *w, uint32_t text)
{
    int known = is_known(w, text);
    size_t interned;

    if (known != 0)
        return known < 0 ? tch_writer_no_memory(w) : 0;
    begin_packet(w);
    tch_pb_varint(&w->text, TCH_PF_PACKET_FLAGS, TCH_PF_NEEDS_STATE);
    interned = tch_pb_begin(&w->text, TCH_PF_PACKET_INTERNED);
    put_entry(w, TCH_PF_INTERNED_NAMES, text);
    put_entry(w, TCH_PF_INTERNED_CATEGORIES, text);
    tch_pb_end(&w->text, interned);
    return end_packet(w);
}

static void put_args(struct tch_writer *w, const struct tch_ev *ev)
{
    struct perfetto *p = w->own;

    if (ev->args_len > 0)
        tch_pf_put_args(&w->text, &p->text, ev->args, ev->args_len);
}

/* Events. */

static size_t begin_event(struct tch_writer *w, unsigned type, int64_t ts, uint64_t track)
{
    size_t event;

    begin_packet(w);
    tch_pb_varint(&w->text, TCH_PF_PACKET_TIME, (uint64_t)ts);
    tch_pb_varint(&w->text, TCH_PF_PACKET_FLAGS, TCH_PF_NEEDS_STATE);
    event = tch_pb_begin(&w->text, TCH_PF_PACKET_EVENT);
    if (type > 0)
        tch_pb_varint(&w->text, TCH_PF_EVENT_TYPE, type);
    tch_pb_varint(&w->text, TCH_PF_EVENT_TRACK, track);
    return event;
}

static void put_names(struct tch_writer *w, const struct tch_ev *ev)
{
    tch_pb_varint(&w->text, TCH_PF_EVENT_NAME_IID, (uint64_t)ev->name + 1);
    if (ev->category)
        tch_pb_varint(&w->text, TCH_PF_EVENT_CATEGORY_IID, (uint64_t)ev->category + 1);
}

static int named_event(struct tch_writer *w, unsigned type, const struct tch_ev *ev, uint64_t track)
{
    size_t event = begin_event(w, type, ev->ts, track);

    put_names(w, ev);
    put_args(w, ev);
    tch_pb_end(&w->text, event);
    return end_packet(w);
}

static int plain_end(struct tch_writer *w, int64_t ts, uint64_t track)
{
    size_t event = begin_event(w, TCH_PF_END, ts, track);

    tch_pb_end(&w->text, event);
    return end_packet(w);
}

static uint64_t lane_uuid(uint32_t track, uint32_t lane)
{
    return lane == 0
               ? UUID_TRACK + track
               : UUID_LANE + ((uint64_t)track << 16) + (lane & 0xFFFF) + ((uint64_t)lane << 48);
}

/* A track of its own; told when it is first used. */
static int know_lane(struct tch_writer *w, uint32_t track, uint32_t lane)
{
    struct perfetto *p = w->own;
    uint64_t uuid = lane_uuid(track, lane);
    uint32_t count = p->lanes.count;
    struct tch_buf name;
    int status;

    if (lane == 0)
        return 0;
    if (tch_intern_add(&p->lanes, (const char *)&uuid, sizeof uuid) < count)
        return 0;
    tch_buf_init(&name, 1 << 20);
    if (w->m->tracks[track].name)
        tch_buf_adds(&name, tch_intern_text(&w->m->texts, w->m->tracks[track].name));
    else
        tch_buf_addf(&name, "%llu", (unsigned long long)w->m->tracks[track].tid);
    tch_buf_addf(&name, " (overlaps %u)", (unsigned)lane);
    status = tell_named(w, uuid, UUID_PROCESS + w->m->tracks[track].process, name.data);
    tch_buf_release(&name);
    return status;
}

static int end_span(struct tch_writer *w, uint32_t lane, int64_t ts)
{
    const struct perfetto *p = w->own;

    return plain_end(w, ts, lane_uuid(p->track - 1, lane));
}

static int instant(struct tch_writer *w, const struct tch_ev *ev)
{
    struct perfetto *p = w->own;
    uint64_t track = UUID_TRACK + ev->track;

    if (ev->scope == 'p')
        track = UUID_PROCESS + w->m->tracks[ev->track].process;
    if (ev->scope == 'g') {
        track = UUID_GLOBAL;
        if (!p->global)
            tell_named(w, track, 0, "global");
        p->global = true;
    }
    return named_event(w, TCH_PF_INSTANT, ev, track);
}

/* The track of one series; its unit is the series, so that a reader can part the two again. */
static int counter_track(struct tch_writer *w, const struct tch_ev *ev,
                         const struct tch_json_value *series, uint64_t *ret)
{
    struct perfetto *p = w->own;
    uint32_t process = w->m->tracks[ev->track].process, count = p->counters.count, number;
    const char *name = tch_intern_text(&w->m->texts, ev->name);
    bool only = tch_json_is(series, "value");
    struct tch_buf key;
    size_t track, counter;
    int status = 0;

    tch_buf_init(&key, 1 << 20);
    tch_buf_addf(&key, "%u ", (unsigned)process);
    tch_buf_add(&key, name, tch_intern_len(&w->m->texts, ev->name));
    tch_buf_addc(&key, '\0');
    tch_json_unescape(series, &key);
    number = tch_intern_add(&p->counters, key.data, key.len);
    *ret = UUID_COUNTER + number;
    if (number == TCH_INTERN_NONE || key.failed) {
        status = tch_writer_no_memory(w);
    } else if (number == count) {
        tch_buf_clear(&p->text);
        tch_json_unescape(series, &p->text);
        tch_buf_clear(&key);
        tch_buf_addf(&key, only ? "%s" : "%s %s", name, p->text.data);
        track = begin_track(w, *ret, UUID_PROCESS + process);
        tch_pb_bytes(&w->text, TCH_PF_TRACK_NAME, key.data, key.len);
        counter = tch_pb_begin(&w->text, TCH_PF_TRACK_COUNTER);
        if (!only)
            tch_pb_bytes(&w->text, TCH_PF_COUNTER_UNIT_NAME, p->text.data, p->text.len);
        tch_pb_end(&w->text, counter);
        status = end_track(w, track);
    }
    tch_buf_release(&key);
    return status;
}

static int counter(struct tch_writer *w, const struct tch_ev *ev)
{
    struct tch_json_reader j;
    struct tch_json_value key, v;
    int status = 0;

    if (ev->args_len == 0)
        return 0;
    tch_json_open(&j, ev->args, ev->args_len, NULL);
    tch_json_read(&j, &v);
    while (status == 0 && tch_json_member(&j, &key) > 0) {
        struct tch_json_number n;
        uint64_t track;
        size_t event;

        if (tch_json_read_raw(&j, &v) < 0 || v.type != TCH_JSON_NUMBER)
            continue;
        status = counter_track(w, ev, &key, &track);
        if (status < 0)
            return status;
        n = tch_json_to_number(&v);
        event = begin_event(w, TCH_PF_COUNTER, ev->ts, track);
        if (n.kind == TCH_JSON_F64 || (n.kind == TCH_JSON_U64 && n.as.u64 > INT64_MAX))
            tch_pb_double(&w->text, TCH_PF_EVENT_COUNTER_DOUBLE, tch_json_to_f64(&v));
        else
            tch_pb_varint(&w->text, TCH_PF_EVENT_COUNTER,
                          n.kind == TCH_JSON_U64 ? n.as.u64 : (uint64_t)n.as.i64);
        tch_pb_end(&w->text, event);
        status = end_packet(w);
    }
    return status;
}

/* The old form of a flow step: it binds to the span around it, as in the JSON format. */
static int flow(struct tch_writer *w, const struct tch_ev *ev)
{
    size_t event = begin_event(w, 0, ev->ts, UUID_TRACK + ev->track), legacy;

    put_names(w, ev);
    legacy = tch_pb_begin(&w->text, TCH_PF_EVENT_LEGACY);
    tch_pb_varint(&w->text, TCH_PF_LEGACY_PHASE, (uint64_t)ev->phase);
    tch_pb_varint(&w->text, TCH_PF_LEGACY_ID, ev->id);
    if (ev->flags & TCH_EV_ENCLOSING || ev->phase != 'f')
        tch_pb_varint(&w->text, TCH_PF_LEGACY_BIND, 1);
    tch_pb_end(&w->text, legacy);
    tch_pb_end(&w->text, event);
    return end_packet(w);
}

static int async(struct tch_writer *w, const struct tch_ev *ev)
{
    struct perfetto *p = w->own;
    uint64_t key[3] = {w->m->tracks[ev->track].process, ev->category, ev->id};
    uint32_t count = p->asyncs.count;
    uint32_t number = tch_intern_add(&p->asyncs, (const char *)key, sizeof key);
    uint64_t track = UUID_ASYNC + number;

    if (number == TCH_INTERN_NONE)
        return tch_writer_no_memory(w);
    if (number == count)
        tell_named(w, track, UUID_PROCESS + key[0], tch_intern_text(&w->m->texts, ev->name));
    if (ev->phase == 'e')
        return plain_end(w, ev->ts, track);
    return named_event(w, ev->phase == 'b' ? TCH_PF_BEGIN : TCH_PF_INSTANT, ev, track);
}

static int add(struct tch_writer *w, const struct tch_ev *ev, uint32_t lane)
{
    int status = enter(w, ev->track);

    if (status == 0)
        status = know(w, ev->name);
    if (status == 0 && ev->category)
        status = know(w, ev->category);
    if (status == 0)
        status = know_lane(w, ev->track, lane);
    if (status < 0)
        return status;
    switch (ev->kind) {
    case TCH_EV_SPAN:
    case TCH_EV_BEGIN:
        return named_event(w, TCH_PF_BEGIN, ev, lane_uuid(ev->track, lane));
    case TCH_EV_END:
        return plain_end(w, ev->ts, UUID_TRACK + ev->track);
    case TCH_EV_INSTANT:
        return instant(w, ev);
    case TCH_EV_COUNTER:
        return counter(w, ev);
    case TCH_EV_FLOW:
        return flow(w, ev);
    default:
        return async(w, ev);
    }
}

static int finish(struct tch_writer *w)
{
    return w->out.status;
}

static void release(struct tch_writer *w)
{
    struct perfetto *p = w->own;

    if (!p)
        return;
    free(p->named);
    tch_intern_release(&p->counters);
    tch_intern_release(&p->asyncs);
    tch_intern_release(&p->lanes);
    tch_buf_release(&p->text);
    free(p);
    w->own = NULL;
}

const struct tch_write_format tch_trace_as_perfetto = {.extension = ".pftrace",
                                                       .name = "Perfetto",
                                                       .labels = true,
                                                       .needs_lanes = true,
                                                       .begin = begin,
                                                       .add = add,
                                                       .end_span = end_span,
                                                       .finish = finish,
                                                       .release = release};
