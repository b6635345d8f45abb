/* Packets, tracks and sequences of a Perfetto trace. */
#include "perfetto_writer.h"

#include "base/fail.h"
#include "base/utf8.h"

enum { SEQUENCE_FIRST = 2 }; /* sequence 1 is for what is of no thread */

/* Packets. */

void tch_pf_begin_packet(struct tch_perfetto *p)
{
    tch_buf_clear(&p->packet);
}

void tch_pf_end_packet(struct tch_perfetto *p)
{
    uint8_t head[1 + TCH_PB_VARINT_MAX] = {TCH_PF_TRACE_PACKET << 3 | TCH_PB_BYTES};

    if (p->packet.failed && p->out.status == 0)
        p->out.status = tch_fail(p->out.err, TACHO_ENOMEM, 0, "out of memory for a packet");
    tch_out_add(&p->out, head, 1 + tch_pb_put_varint(head + 1, p->packet.len));
    tch_out_add(&p->out, p->packet.data, p->packet.len);
}

void tch_pf_add_utf8(struct tch_perfetto *p, uint32_t field, const char *text, size_t len)
{
    size_t begun = tch_pb_begin(&p->packet, field);

    tch_utf8_add(&p->packet, text, len);
    tch_pb_end(&p->packet, begun);
}

/* Tracks. */

static size_t begin_track(struct tch_perfetto *p, uint64_t uuid, uint64_t parent, size_t *ret)
{
    tch_pf_begin_packet(p);
    tch_pb_varint(&p->packet, TCH_PF_PACKET_SEQUENCE, p->sequence);
    *ret = tch_pb_begin(&p->packet, TCH_PF_PACKET_TRACK);
    tch_pb_varint(&p->packet, TCH_PF_TRACK_UUID, uuid);
    if (parent != 0)
        tch_pb_varint(&p->packet, TCH_PF_TRACK_PARENT, parent);
    return *ret;
}

static void end_track(struct tch_perfetto *p, size_t begun)
{
    tch_pb_end(&p->packet, begun);
    tch_pf_end_packet(p);
}

void tch_pf_tell_process(struct tch_perfetto *p, const char *name, size_t len)
{
    size_t track, process;

    p->process_told = true;
    begin_track(p, UUID_PROCESS, 0, &track);
    process = tch_pb_begin(&p->packet, TCH_PF_TRACK_PROCESS);
    tch_pb_varint(&p->packet, TCH_PF_PROCESS_PID, p->r->head.pid);
    tch_pf_add_utf8(p, TCH_PF_PROCESS_NAME, name, len);
    tch_pb_end(&p->packet, process);
    end_track(p, track);
}

void tch_pf_tell_thread(struct tch_perfetto *p, const char *name, size_t len)
{
    size_t track, thread;

    begin_track(p, p->track, UUID_PROCESS, &track);
    thread = tch_pb_begin(&p->packet, TCH_PF_TRACK_THREAD);
    tch_pb_varint(&p->packet, TCH_PF_THREAD_PID, p->r->head.pid);
    tch_pb_varint(&p->packet, TCH_PF_THREAD_TID, p->tid);
    if (len > 0)
        tch_pf_add_utf8(p, TCH_PF_THREAD_NAME, name, len);
    tch_pb_end(&p->packet, thread);
    end_track(p, track);
}

void tch_pf_tell_track(struct tch_perfetto *p, uint64_t uuid, uint64_t parent, const char *name,
                       size_t len, bool counter)
{
    size_t track;

    begin_track(p, uuid, parent, &track);
    tch_pf_add_utf8(p, TCH_PF_TRACK_NAME, name, len);
    if (counter)
        tch_pb_bytes(&p->packet, TCH_PF_TRACK_COUNTER, NULL, 0);
    end_track(p, track);
}

void tch_pf_tell_row(struct tch_perfetto *p, uint32_t number)
{
    const struct tch_row *row = &p->rows.rows[number];
    const struct tch_rec_name *text;
    char name[64];
    int len;

    if (row->kind == TCH_ROW_TRACK) {
        text = tch_rec_text(p->r, (uint32_t)row->a);
        tch_pf_tell_track(p, UUID_ROW + number, UUID_PROCESS, text->name, text->name_len, false);
        return;
    }
    if (row->kind == TCH_ROW_PUSH)
        len = snprintf(name, sizeof name, "track %llu", (unsigned long long)row->a);
    else
        len = snprintf(name, sizeof name, "process %llu, thread %llu", (unsigned long long)row->a,
                       (unsigned long long)row->b);
    tch_pf_tell_track(p, UUID_ROW + number, 0, name, (size_t)len, false);
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
    *at++ = (uint8_t)(field << 3 | TCH_PB_VARINT); /* fields up to 15 */
    return at + tch_pb_put_varint(at, value);
}

/* The site is 0 where the packet names none. */
static struct tch_pf_tail make_tail(const struct tch_perfetto *p, unsigned type, uint32_t site)
{
    struct tch_pf_tail tail = {0};
    uint8_t *at = tail.bytes, *event;

    at = put_field(at, TCH_PF_PACKET_SEQUENCE, p->sequence);
    at = put_field(at, TCH_PF_PACKET_FLAGS, TCH_PF_NEEDS_STATE);
    *at = TCH_PF_PACKET_EVENT << 3 | TCH_PB_BYTES;
    event = at + 2;
    at = put_field(event, TCH_PF_EVENT_TYPE, type);
    if (site != 0)
        at = put_field(at, TCH_PF_EVENT_NAME_IID, site);
    if (site != 0 && tch_rec_site(p->r, site)->category_len > 0)
        at = put_field(at, TCH_PF_EVENT_CATEGORY_IID, site);
    event[-1] = (uint8_t)(at - event);
    tail.len = (uint8_t)(at - tail.bytes);
    return tail;
}

/* From here on the sequence has its clock of steps, and its events the thread's track. */
static void start_sequence(struct tch_perfetto *p, uint64_t ns)
{
    size_t clocks, defaults, event;

    p->started = true;
    p->last_ns = ns;
    p->end = make_tail(p, TCH_PF_END, 0);
    tch_pf_begin_packet(p);
    tch_pb_varint(&p->packet, TCH_PF_PACKET_SEQUENCE, p->sequence);
    tch_pb_varint(&p->packet, TCH_PF_PACKET_FLAGS, TCH_PF_CLEARED);
    clocks = tch_pb_begin(&p->packet, TCH_PF_PACKET_CLOCKS);
    add_clock(p, TCH_PF_CLOCK_BOOT, ns, false);
    add_clock(p, TCH_PF_CLOCK_FIRST_LOCAL, ns, true);
    tch_pb_end(&p->packet, clocks);
    defaults = tch_pb_begin(&p->packet, TCH_PF_PACKET_DEFAULTS);
    tch_pb_varint(&p->packet, TCH_PF_PACKET_CLOCK, TCH_PF_CLOCK_FIRST_LOCAL);
    event = tch_pb_begin(&p->packet, TCH_PF_PACKET_EVENT);
    tch_pb_varint(&p->packet, TCH_PF_EVENT_TRACK, p->track);
    tch_pb_end(&p->packet, event);
    tch_pb_end(&p->packet, defaults);
    tch_pf_end_packet(p);
}

void tch_pf_enter_thread(struct tch_perfetto *p, const struct tch_seen_event *e)
{
    char comm[17] = "";
    const char *program = tch_base_name(p->r->head.program);

    p->thread = e->thread;
    p->tid = e->tid;
    p->sequence = (uint64_t)SEQUENCE_FIRST + e->thread;
    p->track = UUID_THREAD + e->thread;
    p->started = false;
    if (!p->process_told)
        tch_pf_tell_process(p, program, strlen(program));
    memcpy(comm, e->fixed + 1, sizeof comm - 1);
    tch_pf_tell_thread(p, comm, strlen(comm));
    start_sequence(p, e->ns);
}

void tch_pf_intern(struct tch_perfetto *p, uint32_t site)
{
    const struct tch_rec_name *name = tch_rec_site(p->r, site);
    size_t interned, entry;

    p->sites[site] = (struct tch_pf_site){p->thread + 1, make_tail(p, TCH_PF_BEGIN, site)};
    tch_pf_begin_packet(p);
    tch_pb_varint(&p->packet, TCH_PF_PACKET_SEQUENCE, p->sequence);
    tch_pb_varint(&p->packet, TCH_PF_PACKET_FLAGS, TCH_PF_NEEDS_STATE);
    interned = tch_pb_begin(&p->packet, TCH_PF_PACKET_INTERNED);
    entry = tch_pb_begin(&p->packet, TCH_PF_INTERNED_NAMES);
    tch_pb_varint(&p->packet, TCH_PF_INTERNED_IID, site);
    tch_pf_add_utf8(p, TCH_PF_INTERNED_TEXT, name->name, name->name_len);
    tch_pb_end(&p->packet, entry);
    if (name->category_len > 0) {
        entry = tch_pb_begin(&p->packet, TCH_PF_INTERNED_CATEGORIES);
        tch_pb_varint(&p->packet, TCH_PF_INTERNED_IID, site);
        tch_pf_add_utf8(p, TCH_PF_INTERNED_TEXT, name->category, name->category_len);
        tch_pb_end(&p->packet, entry);
    }
    tch_pb_end(&p->packet, interned);
    tch_pf_end_packet(p);
}
