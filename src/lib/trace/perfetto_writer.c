/* Writes the events of a Perfetto trace. */
#include "perfetto_writer.h"

#include <tacho/trace.h>

#include "base/hash.h"
#include "base/json_read.h"
#include "perfetto_writer_args.h"
#include "perfetto_writer_tracks.h"
#include "record_words.h"
#include "recording_file.h"

enum { SMALL_PACKET = 64 }; /* bytes that suffice for the packet of a plain begin or end */

/* Writes a begin or end without arguments. Nearly all events are of this kind, so this is the
   fast path. Returns false when the sink must make room first. */
static inline bool add_plain(struct tch_perfetto *p, const struct tch_pf_tail *tail, int64_t ts)
{
    uint8_t *start = (uint8_t *)tch_sink_free_room(p->out, SMALL_PACKET), *at;

    if (!start)
        return false;
    at = start + 3;
    start[0] = TCH_PF_TRACE_PACKET << 3 | TCH_PB_BYTES;
    start[2] = TCH_PF_PACKET_TIME << 3 | TCH_PB_VARINT;
    at += tch_pb_put_varint(at, (uint64_t)ts - p->last);
    p->last = (uint64_t)ts;
    memcpy(at, tail->bytes,
           sizeof tail->bytes); /* the next packet overwrites the bytes after its length */
    at += tail->len;
    start[1] = (uint8_t)(at - start - 2);
    p->out->b.len += (size_t)(at - start);
    return true;
}

/* Starts an event. An event on the track of the sequence and not earlier than the one before it
   needs no track, and its time is relative. Any other event has both in full. */
static size_t begin_event(struct tch_perfetto *p, unsigned type, int64_t ts, uint64_t track)
{
    bool own = p->track > 0 && track == TCH_PF_UUID_TRACK + p->track - 1;
    size_t event;

    tch_pf_begin_packet(p);
    if (own && (uint64_t)ts >= p->last) {
        tch_pb_varint(&p->packet, TCH_PF_PACKET_TIME, (uint64_t)ts - p->last);
        p->last = (uint64_t)ts;
    } else {
        tch_pb_varint(&p->packet, TCH_PF_PACKET_TIME, (uint64_t)ts);
        tch_pb_varint(&p->packet, TCH_PF_PACKET_CLOCK, TCH_PF_CLOCK_BOOT);
    }
    tch_pb_varint(&p->packet, TCH_PF_PACKET_FLAGS, TCH_PF_NEEDS_STATE);
    event = tch_pb_begin(&p->packet, TCH_PF_PACKET_EVENT);
    if (type > 0)
        tch_pb_varint(&p->packet, TCH_PF_EVENT_TYPE, type);
    if (!own)
        tch_pb_varint(&p->packet, TCH_PF_EVENT_TRACK, track);
    return event;
}

static int end_event(struct tch_perfetto *p, size_t event)
{
    tch_pb_end(&p->packet, event);
    return tch_pf_end_packet(p);
}

static void add_names(struct tch_perfetto *p, const struct tch_ev *ev)
{
    tch_pb_varint(&p->packet, TCH_PF_EVENT_NAME_IID, (uint64_t)ev->name + 1);
    if (ev->category)
        tch_pb_varint(&p->packet, TCH_PF_EVENT_CATEGORY_IID, (uint64_t)ev->category + 1);
}

static int named_event(struct tch_perfetto *p, unsigned type, const struct tch_ev *ev,
                       uint64_t track)
{
    size_t event = begin_event(p, type, ev->ts, track);

    add_names(p, ev);
    if (ev->args_len > 0)
        tch_pf_add_args(p, ev);
    return end_event(p, event);
}

/* Ends a span on a track. ev is NULL for an end without arguments. */
static int end_on(struct tch_perfetto *p, int64_t ts, uint64_t track, const struct tch_ev *ev)
{
    size_t event = begin_event(p, TCH_PF_END, ts, track);

    if (ev && ev->args_len > 0)
        tch_pf_add_args(p, ev);
    return end_event(p, event);
}

int tch_perfetto_end_span(struct tch_perfetto *p, uint32_t lane, int64_t ts)
{
    if (lane == 0 && (uint64_t)ts >= p->last && add_plain(p, &p->end, ts))
        return p->out->status;
    return end_on(p, ts, tch_pf_lane_uuid(p->track - 1, lane), NULL);
}

static int instant(struct tch_perfetto *p, const struct tch_ev *ev, uint64_t track)
{
    if (ev->scope == 'p')
        track = TCH_PF_UUID_PROCESS + p->m->tracks[ev->track].process;
    if (ev->scope == 'g') {
        track = TCH_PF_UUID_GLOBAL;
        if (!p->global)
            tch_pf_describe(p, track, 0, "global");
        p->global = true;
    }
    return named_event(p, TCH_PF_INSTANT, ev, track);
}

static int counter_value(struct tch_perfetto *p, const struct tch_ev *ev, const char *series,
                         size_t len, bool is_double, uint64_t bits)
{
    uint64_t track;
    size_t event;

    if (tch_pf_counter_track(p, ev, series, len, &track) < 0)
        return p->out->status;
    event = begin_event(p, TCH_PF_COUNTER, ev->ts, track);
    if (is_double)
        tch_pb_fixed64(&p->packet, TCH_PF_EVENT_COUNTER_DOUBLE, bits);
    else
        tch_pb_varint(&p->packet, TCH_PF_EVENT_COUNTER, bits);
    return end_event(p, event);
}

/* Writes one counter event for each member that is a number. */
static int json_counter(struct tch_perfetto *p, const struct tch_ev *ev)
{
    struct tch_json_reader j;
    struct tch_json_value key, v;

    tch_json_open(&j, ev->args, ev->args_len, NULL);
    tch_json_read(&j, &v);
    while (p->out->status == 0 && tch_json_member(&j, &key) > 0) {
        struct tch_json_number n;
        bool is_double;
        double number;

        if (tch_json_read_raw(&j, &v) < 0 || v.type != TCH_JSON_NUMBER)
            continue;
        n = tch_json_to_number(&v);
        is_double = n.kind == TCH_JSON_F64 || (n.kind == TCH_JSON_U64 && n.as.u64 > INT64_MAX);
        if (is_double) {
            number = tch_json_to_f64(&v);
            memcpy(&n.as.u64, &number, sizeof number);
        }
        tch_buf_clear(&p->text);
        tch_json_unescape(&key, &p->text);
        counter_value(p, ev, p->text.data, p->text.len, is_double, n.as.u64);
    }
    return p->out->status;
}

static int counter(struct tch_perfetto *p, const struct tch_ev *ev)
{
    if (ev->args_len > 0 && !(ev->flags & TCH_EV_VALUES))
        return json_counter(p, ev);
    for (uint32_t i = 0; i < ev->args_len; i++)
        if (ev->values[i].type < TACHO_FIELD_TEXT)
            counter_value(p, ev, ev->values[i].key->name, ev->values[i].key->name_len,
                          ev->values[i].type == TACHO_FIELD_F64, ev->values[i].bits);
    return p->out->status;
}

/* Writes the old form of a flow step, which binds to the span around it, as in the JSON format. */
static int flow(struct tch_perfetto *p, const struct tch_ev *ev)
{
    size_t event = begin_event(p, 0, ev->ts, TCH_PF_UUID_TRACK + ev->track), legacy;

    add_names(p, ev);
    legacy = tch_pb_begin(&p->packet, TCH_PF_EVENT_LEGACY);
    tch_pb_varint(&p->packet, TCH_PF_LEGACY_PHASE, (uint64_t)ev->phase);
    tch_pb_varint(&p->packet, TCH_PF_LEGACY_ID, ev->id);
    if (ev->flags & TCH_EV_ENCLOSING || ev->phase != 'f')
        tch_pb_varint(&p->packet, TCH_PF_LEGACY_BIND, 1);
    tch_pb_end(&p->packet, legacy);
    return end_event(p, event);
}

/* Writes an asynchronous event. The uuid of its track is a hash of what events of one span have
   in common, so that memory does not grow with the number of ids. */
static int async(struct tch_perfetto *p, const struct tch_ev *ev)
{
    uint64_t process = p->m->tracks[ev->track].process;
    uint64_t key[3] = {ev->flags & TCH_EV_LOCAL ? process + 1 : 0, ev->category, ev->id};
    uint64_t track = TCH_PF_UUID_ASYNC | tch_hash(key, sizeof key);

    if (ev->phase == 'e')
        return end_on(p, ev->ts, track, NULL);
    if (ev->phase == 'b')
        tch_pf_describe(p, track, TCH_PF_UUID_PROCESS + process,
                        tch_intern_text(&p->m->texts, ev->name));
    return named_event(p, ev->phase == 'b' ? TCH_PF_BEGIN : TCH_PF_INSTANT, ev, track);
}

/* Returns whether there is a prepared tail for the event's name and category on this sequence. */
static inline bool has_tail(const struct tch_perfetto *p, const struct tch_ev *ev)
{
    return ev->name < p->text_room && p->texts[ev->name].tail == p->sequence &&
           p->texts[ev->name].tail_category == ev->category;
}

static inline bool add_if_plain(struct tch_perfetto *p, const struct tch_ev *ev)
{
    if (ev->kind > TCH_EV_END || (ev->args_len | ev->lane) != 0 || ev->flags & TCH_EV_ASIDE ||
        p->track != ev->track + 1 || (uint64_t)ev->ts < p->last)
        return false;
    if (ev->kind == TCH_EV_END)
        return add_plain(p, &p->end, ev->ts);
    return has_tail(p, ev) && add_plain(p, &p->texts[ev->name].begin, ev->ts);
}

__attribute__((noinline)) static int add_event(struct tch_perfetto *p, const struct tch_ev *ev)
{
    uint64_t track = tch_pf_lane_uuid(ev->track, ev->lane);

    tch_sink_room(p->out, SMALL_PACKET);
    if (p->track != ev->track + 1 && !(ev->flags & TCH_EV_ASIDE))
        tch_pf_enter(p, ev->track, ev->ts);
    if (ev->kind != TCH_EV_END && !has_tail(p, ev))
        tch_pf_intern(p, ev->name, ev->category);
    if (ev->flags & TCH_EV_ASIDE || ev->lane > 0)
        tch_pf_know_lane(p, ev->track, ev->lane);
    if (p->out->status < 0 || add_if_plain(p, ev))
        return p->out->status;
    switch (ev->kind) {
    case TCH_EV_SPAN:
    case TCH_EV_BEGIN:
        return named_event(p, TCH_PF_BEGIN, ev, track);
    case TCH_EV_END:
        return end_on(p, ev->ts, track, ev);
    case TCH_EV_INSTANT:
        return instant(p, ev, track);
    case TCH_EV_COUNTER:
        return counter(p, ev);
    case TCH_EV_FLOW:
        return flow(p, ev);
    default:
        return async(p, ev);
    }
}

int tch_perfetto_add(void *ctx, const struct tch_ev *ev)
{
    return add_if_plain(ctx, ev) ? 0 : add_event(ctx, ev);
}
