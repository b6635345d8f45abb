/* Writes packets, tracks and sequences of a Perfetto trace. */

#include "perfetto_writer_tracks.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/fail.h"

enum {
    PACKET_LIMIT = 64 << 20,
    NO_TRACK_SEQUENCE = 1, /* for packets that do not belong to a track's sequence */
};

/* Packets. */

int tch_pf_out_of_memory(struct tch_perfetto *p)
{
    if (p->out->status == 0)
        p->out->status = tch_fail_memory(p->out->err);
    return p->out->status;
}

static uint64_t sequence_id(const struct tch_perfetto *p)
{
    return (uint64_t)NO_TRACK_SEQUENCE + p->track;
}

void tch_pf_begin_packet(struct tch_perfetto *p)
{
    tch_buf_clear(&p->packet);
    tch_pb_varint(&p->packet, TCH_PF_PACKET_SEQUENCE, sequence_id(p));
}

int tch_pf_end_packet(struct tch_perfetto *p)
{
    uint8_t head[1 + TCH_PB_VARINT_MAX] = {TCH_PF_TRACE_PACKET << 3 | TCH_PB_BYTES};

    if (p->packet.failed)
        return tch_pf_out_of_memory(p);
    tch_sink_add(p->out, head, 1 + tch_pb_put_varint(head + 1, p->packet.len));
    tch_sink_add(p->out, p->packet.data, p->packet.len);
    return p->out->status;
}

void tch_perfetto_init(struct tch_perfetto *p, struct tch_model *m, struct tch_sink *out)
{
    *p = (struct tch_perfetto){.m = m, .out = out, .sequence = 1};
    tch_buf_init(&p->packet, PACKET_LIMIT);
    tch_buf_init(&p->text, PACKET_LIMIT);
    tch_pf_begin_packet(p);
    tch_pb_varint(&p->packet, TCH_PF_PACKET_FLAGS, TCH_PF_CLEARED);
    tch_pf_end_packet(p);
}

void tch_perfetto_release(struct tch_perfetto *p)
{
    free(p->texts);
    free(p->processes);
    free(p->tracks);
    tch_intern_release(&p->counters);
    tch_intern_release(&p->lanes);
    tch_buf_release(&p->packet);
    tch_buf_release(&p->text);
}

static void add_text(struct tch_perfetto *p, uint32_t field, uint32_t text)
{
    tch_pb_bytes(&p->packet, field, tch_intern_text(&p->m->texts, text),
                 tch_intern_len(&p->m->texts, text));
}

/* Tracks. */

static size_t begin_track(struct tch_perfetto *p, uint64_t uuid, uint64_t parent)
{
    size_t begun;

    tch_pf_begin_packet(p);
    begun = tch_pb_begin(&p->packet, TCH_PF_PACKET_TRACK);
    tch_pb_varint(&p->packet, TCH_PF_TRACK_UUID, uuid);
    if (parent != 0)
        tch_pb_varint(&p->packet, TCH_PF_TRACK_PARENT, parent);
    return begun;
}

static int end_track(struct tch_perfetto *p, size_t begun)
{
    tch_pb_end(&p->packet, begun);
    return tch_pf_end_packet(p);
}

int tch_pf_describe(struct tch_perfetto *p, uint64_t uuid, uint64_t parent, const char *name)
{
    size_t begun = begin_track(p, uuid, parent);

    tch_pb_text(&p->packet, TCH_PF_TRACK_NAME, name);
    return end_track(p, begun);
}

/* Adds a sort order, limited to the 32 bits of the field. */
static void add_sort(struct tch_perfetto *p, uint32_t field, bool sorted, int64_t sort)
{
    if (sorted)
        tch_pb_varint(&p->packet, field,
                      (uint64_t)(sort > INT32_MAX   ? INT32_MAX
                                 : sort < INT32_MIN ? INT32_MIN
                                                    : sort));
}

static int describe_process(struct tch_perfetto *p, uint32_t number)
{
    const struct tch_trace_process *process = &p->m->processes[number];
    size_t track, inner;

    if (tch_array_reserve_zero(&p->processes, &p->process_room, (size_t)number + 1) < 0)
        return tch_pf_out_of_memory(p);
    if (p->processes[number] == process->name + 1)
        return 0;
    p->processes[number] = process->name + 1;
    track = begin_track(p, TCH_PF_UUID_PROCESS + number, 0);
    inner = tch_pb_begin(&p->packet, TCH_PF_TRACK_PROCESS);
    tch_pb_varint(&p->packet, TCH_PF_PROCESS_PID, process->pid & INT32_MAX);
    add_sort(p, TCH_PF_PROCESS_SORT, process->sorted, process->sort);
    if (process->name)
        add_text(p, TCH_PF_PROCESS_NAME, process->name);
    if (process->labels)
        add_text(p, TCH_PF_PROCESS_LABELS, process->labels);
    tch_pb_end(&p->packet, inner);
    return end_track(p, track);
}

static uint64_t parent_of(const struct tch_trace_track *t)
{
    return t->apart ? 0 : TCH_PF_UUID_PROCESS + t->process;
}

static int describe_track(struct tch_perfetto *p, uint32_t number)
{
    const struct tch_trace_track *t = &p->m->tracks[number];
    size_t track, thread;

    if (tch_array_reserve_zero(&p->tracks, &p->track_room, (size_t)number + 1) < 0)
        return tch_pf_out_of_memory(p);
    if (p->tracks[number] == t->name + 1)
        return 0;
    p->tracks[number] = t->name + 1;
    track = begin_track(p, TCH_PF_UUID_TRACK + number, parent_of(t));
    if (t->made_up && t->name) {
        add_text(p, TCH_PF_TRACK_NAME, t->name);
        add_sort(p, TCH_PF_TRACK_SORT, t->sorted, t->sort);
        return end_track(p, track);
    }
    thread = tch_pb_begin(&p->packet, TCH_PF_TRACK_THREAD);
    tch_pb_varint(&p->packet, TCH_PF_THREAD_PID, tch_model_pid(p->m, number) & INT32_MAX);
    tch_pb_varint(&p->packet, TCH_PF_THREAD_TID, t->tid & INT32_MAX);
    add_sort(p, TCH_PF_THREAD_SORT, t->sorted, t->sort);
    if (t->name)
        add_text(p, TCH_PF_THREAD_NAME, t->name);
    tch_pb_end(&p->packet, thread);
    return end_track(p, track);
}

int tch_perfetto_names(struct tch_perfetto *p)
{
    for (uint32_t i = 0; i < tch_model_process_count(p->m); i++)
        describe_process(p, i);
    for (uint32_t i = 0; i < tch_model_track_count(p->m); i++)
        describe_track(p, i);
    return p->out->status;
}

uint64_t tch_pf_lane_uuid(uint32_t track, uint32_t lane)
{
    return lane == 0 ? TCH_PF_UUID_TRACK + track
                     : TCH_PF_UUID_LANE + ((uint64_t)track << 16) + (lane & 0xFFFF) +
                           ((uint64_t)lane << 48);
}

int tch_pf_know_lane(struct tch_perfetto *p, uint32_t track, uint32_t lane)
{
    const struct tch_trace_track *t = &p->m->tracks[track];
    uint64_t uuid = tch_pf_lane_uuid(track, lane);
    uint32_t count = p->lanes.count, number;

    if (describe_process(p, t->process) < 0 || describe_track(p, track) < 0 || lane == 0)
        return p->out->status;
    number = tch_intern_add(&p->lanes, (const char *)&uuid, sizeof uuid);
    if (number == TCH_INTERN_NONE)
        return tch_pf_out_of_memory(p);
    if (number < count)
        return 0;
    tch_buf_clear(&p->text);
    if (t->name)
        tch_buf_adds(&p->text, tch_intern_text(&p->m->texts, t->name));
    else
        tch_buf_addf(&p->text, "%llu", (unsigned long long)t->tid);
    tch_buf_addf(&p->text, " (overlaps %u)", (unsigned)lane);
    return tch_pf_describe(p, uuid, parent_of(t), p->text.data);
}

/* The unit of the track is the name of the series, so that a reader can separate it from the
   counter's name. */
int tch_pf_counter_track(struct tch_perfetto *p, const struct tch_ev *ev, const char *series,
                         size_t len, uint64_t *ret)
{
    uint32_t process = p->m->tracks[ev->track].process, count = p->counters.count, number;
    const char *name = tch_intern_text(&p->m->texts, ev->name);
    bool only = len == 5 && memcmp(series, "value", 5) == 0;
    struct tch_buf key;
    size_t track, counter;

    tch_buf_init(&key, 1 << 20);
    tch_buf_addf(&key, "%u ", (unsigned)process);
    tch_buf_add(&key, name, tch_intern_len(&p->m->texts, ev->name));
    tch_buf_addc(&key, '\0');
    tch_buf_add(&key, series, len);
    number = key.failed ? TCH_INTERN_NONE : tch_intern_add(&p->counters, key.data, key.len);
    *ret = TCH_PF_UUID_COUNTER + number;
    if (number == TCH_INTERN_NONE) {
        tch_pf_out_of_memory(p);
    } else if (number == count) {
        tch_buf_clear(&key);
        tch_buf_adds(&key, name);
        if (!only) {
            tch_buf_addc(&key, ' ');
            tch_buf_add(&key, series, len);
        }
        track = begin_track(p, *ret, TCH_PF_UUID_PROCESS + process);
        tch_pb_bytes(&p->packet, TCH_PF_TRACK_NAME, key.data, key.len);
        counter = tch_pb_begin(&p->packet, TCH_PF_TRACK_COUNTER);
        if (!only)
            tch_pb_bytes(&p->packet, TCH_PF_COUNTER_UNIT_NAME, series, len);
        tch_pb_end(&p->packet, counter);
        end_track(p, track);
    }
    tch_buf_release(&key);
    return p->out->status;
}

/* Sequences. */

static void add_clock(struct tch_perfetto *p, uint32_t id, uint64_t ns, bool steps)
{
    size_t begun = tch_pb_begin(&p->packet, TCH_PF_CLOCK);

    tch_pb_varint(&p->packet, TCH_PF_CLOCK_ID, id);
    tch_pb_varint(&p->packet, TCH_PF_CLOCK_TIME, ns);
    if (steps)
        tch_pb_varint(&p->packet, TCH_PF_CLOCK_STEPS, 1);
    tch_pb_end(&p->packet, begun);
}

static uint8_t *put_field(uint8_t *at, uint32_t field, uint64_t value)
{
    *at++ =
        (uint8_t)(field << 3 | TCH_PB_VARINT); /* the tag is one byte, for field numbers up to 15 */
    return at + tch_pb_put_varint(at, value);
}

/* Prepares the part of a begin or end packet that follows the time (struct tch_pf_tail). A name or
   category of 0 is left out. */
static struct tch_pf_tail make_tail(const struct tch_perfetto *p, unsigned type, uint32_t name,
                                    uint32_t category)
{
    struct tch_pf_tail tail = {0};
    uint8_t *at = tail.bytes, *event;

    at = put_field(at, TCH_PF_PACKET_SEQUENCE, sequence_id(p));
    at = put_field(at, TCH_PF_PACKET_FLAGS, TCH_PF_NEEDS_STATE);
    *at = TCH_PF_PACKET_EVENT << 3 | TCH_PB_BYTES;
    event = at + 2;
    at = put_field(event, TCH_PF_EVENT_TYPE, type);
    if (name != 0)
        at = put_field(at, TCH_PF_EVENT_NAME_IID, name);
    if (category != 0)
        at = put_field(at, TCH_PF_EVENT_CATEGORY_IID, category);
    event[-1] = (uint8_t)(at - event);
    tail.len = (uint8_t)(at - tail.bytes);
    return tail;
}

/* Starts a sequence: defines its relative clock, and its track as the default of its events. */
int tch_pf_enter(struct tch_perfetto *p, uint32_t track, int64_t ts)
{
    size_t clocks, defaults, event;

    p->track = track + 1;
    p->sequence++;
    p->last = (uint64_t)ts;
    p->end = make_tail(p, TCH_PF_END, 0, 0);
    if (tch_pf_know_lane(p, track, 0) < 0)
        return p->out->status;
    tch_pf_begin_packet(p);
    tch_pb_varint(&p->packet, TCH_PF_PACKET_FLAGS, TCH_PF_CLEARED);
    clocks = tch_pb_begin(&p->packet, TCH_PF_PACKET_CLOCKS);
    add_clock(p, TCH_PF_CLOCK_BOOT, p->last, false);
    add_clock(p, TCH_PF_CLOCK_FIRST_LOCAL, p->last, true);
    tch_pb_end(&p->packet, clocks);
    defaults = tch_pb_begin(&p->packet, TCH_PF_PACKET_DEFAULTS);
    tch_pb_varint(&p->packet, TCH_PF_PACKET_CLOCK, TCH_PF_CLOCK_FIRST_LOCAL);
    event = tch_pb_begin(&p->packet, TCH_PF_PACKET_EVENT);
    tch_pb_varint(&p->packet, TCH_PF_EVENT_TRACK, TCH_PF_UUID_TRACK + track);
    tch_pb_end(&p->packet, event);
    tch_pb_end(&p->packet, defaults);
    return tch_pf_end_packet(p);
}

static void add_entry(struct tch_perfetto *p, uint32_t field, uint32_t text)
{
    size_t entry = tch_pb_begin(&p->packet, field);

    tch_pb_varint(&p->packet, TCH_PF_INTERNED_IID, (uint64_t)text + 1);
    add_text(p, TCH_PF_INTERNED_TEXT, text);
    tch_pb_end(&p->packet, entry);
}

int tch_pf_intern(struct tch_perfetto *p, uint32_t name, uint32_t category)
{
    uint32_t most = name > category ? name : category;
    bool new_name, new_category;
    size_t interned;

    if (tch_array_reserve_zero(&p->texts, &p->text_room, (size_t)most + 1) < 0)
        return tch_pf_out_of_memory(p);
    new_name = p->texts[name].name != p->sequence;
    new_category = category != 0 && p->texts[category].category != p->sequence;
    p->texts[name].name = p->sequence;
    p->texts[category].category = p->sequence;
    p->texts[name].tail = p->sequence;
    p->texts[name].tail_category = category;
    p->texts[name].begin = make_tail(p, TCH_PF_BEGIN, name + 1, category ? category + 1 : 0);
    if (!new_name && !new_category)
        return 0;
    tch_pf_begin_packet(p);
    tch_pb_varint(&p->packet, TCH_PF_PACKET_FLAGS, TCH_PF_NEEDS_STATE);
    interned = tch_pb_begin(&p->packet, TCH_PF_PACKET_INTERNED);
    if (new_name)
        add_entry(p, TCH_PF_INTERNED_NAMES, name);
    if (new_category)
        add_entry(p, TCH_PF_INTERNED_CATEGORIES, category);
    tch_pb_end(&p->packet, interned);
    return tch_pf_end_packet(p);
}
