/* Reads Perfetto's format: packets, sequences and interned texts. */
#include "perfetto_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "perfetto_read_clocks.h"
#include "perfetto_read_event.h"
#include "perfetto_read_tracks.h"
#include "trace_source.h"

enum { PACKET_LIMIT = 256 << 20, PIECE = 1 << 18 };

/* Interned texts. */

struct interned_key {
    uint32_t sequence, generation, what, zero;
    uint64_t iid;
};

static struct interned_key key_of(const struct tch_pf_reader *p, uint32_t sequence, uint32_t what,
                                  uint64_t iid)
{
    return (struct interned_key){sequence, p->sequences[sequence].generation, what, 0, iid};
}

uint32_t tch_pf_interned(const struct tch_pf_reader *p, uint32_t sequence, uint32_t what,
                         uint64_t iid)
{
    struct interned_key key = key_of(p, sequence, what, iid);
    uint32_t number = tch_intern_find(&p->interned_keys, (const char *)&key, sizeof key);

    return number == TCH_INTERN_NONE ? 0 : p->interned[number];
}

static int intern_entry(struct tch_pf_reader *p, uint32_t sequence, uint32_t what,
                        const struct tch_pb_field *entry)
{
    struct tch_pb_reader r;
    struct tch_pb_field f;
    struct interned_key key;
    const uint8_t *text = (const uint8_t *)"";
    size_t len = 0;
    uint64_t iid = 0;
    uint32_t number;

    tch_pb_open(&r, entry->data, entry->len);
    while (tch_pb_next(&r, &f) > 0) {
        if (f.number == TCH_PF_INTERNED_IID && f.type == TCH_PB_VARINT) {
            iid = f.value;
        } else if (f.number == TCH_PF_INTERNED_TEXT && f.type == TCH_PB_BYTES) {
            text = f.data;
            len = f.len;
        }
    }
    key = key_of(p, sequence, what, iid);
    number = tch_intern_add(&p->interned_keys, (const char *)&key, sizeof key);
    if (number == TCH_INTERN_NONE ||
        tch_array_reserve_zero(&p->interned, &p->interned_room, (size_t)number + 1) < 0)
        return tch_fail_memory(p->r->err);
    p->interned[number] = tch_intern_add(&p->r->m->texts, (const char *)text, len);
    return p->interned[number] == TCH_INTERN_NONE ? tch_fail_memory(p->r->err) : 0;
}

static int intern_all(struct tch_pf_reader *p, uint32_t sequence, const struct tch_pb_field *data)
{
    struct tch_pb_reader r;
    struct tch_pb_field f;
    int status = 0;

    tch_pb_open(&r, data->data, data->len);
    while (status == 0 && tch_pb_next(&r, &f) > 0)
        if (f.type == TCH_PB_BYTES &&
            (f.number <= TCH_PF_INTERNED_ARGS || f.number == TCH_PF_INTERNED_STRINGS))
            status = intern_entry(p, sequence, f.number, &f);
    return status;
}

/* Sequences. */

static void read_defaults(struct tch_pf_sequence *s, const struct tch_pb_field *defaults)
{
    struct tch_pb_reader r, inner;
    struct tch_pb_field f, g;

    tch_pb_open(&r, defaults->data, defaults->len);
    while (tch_pb_next(&r, &f) > 0) {
        if (f.number == TCH_PF_PACKET_CLOCK && f.type == TCH_PB_VARINT)
            s->default_clock = f.value;
        if (f.number != TCH_PF_PACKET_EVENT || f.type != TCH_PB_BYTES)
            continue;
        tch_pb_open(&inner, f.data, f.len);
        while (tch_pb_next(&inner, &g) > 0)
            if (g.number == TCH_PF_EVENT_TRACK && g.type == TCH_PB_VARINT)
                s->default_track = g.value;
    }
}

/* Packets. */

struct parts {
    struct tch_pf_packet packet;
    struct tch_pb_field interned, defaults, track, clocks;
    uint64_t sequence, flags;
    bool loss; /* packets of the sequence were lost before this one */
};

/* Finds the parts of a packet. Returns 0 or TACHO_EPARSE. */
static int find_parts(const uint8_t *data, size_t len, struct parts *ret)
{
    struct tch_pb_reader r;
    struct tch_pb_field f;
    int more;

    *ret = (struct parts){0};
    tch_pb_open(&r, data, len);
    while ((more = tch_pb_next(&r, &f)) > 0) {
        if (f.type == TCH_PB_VARINT) {
            if (f.number == TCH_PF_PACKET_TIME) {
                ret->packet.time = f.value;
                ret->packet.has_time = true;
            } else if (f.number == TCH_PF_PACKET_SEQUENCE) {
                ret->sequence = f.value;
            } else if (f.number == TCH_PF_PACKET_FLAGS) {
                ret->flags = f.value;
            } else if (f.number == TCH_PF_PACKET_CLOCK) {
                ret->packet.clock = f.value;
            } else if (f.number == TCH_PF_PACKET_LOSS) {
                ret->loss = f.value != 0;
            }
        } else if (f.type == TCH_PB_BYTES) {
            if (f.number == TCH_PF_PACKET_EVENT)
                ret->packet.event = f;
            else if (f.number == TCH_PF_PACKET_INTERNED)
                ret->interned = f;
            else if (f.number == TCH_PF_PACKET_DEFAULTS)
                ret->defaults = f;
            else if (f.number == TCH_PF_PACKET_TRACK)
                ret->track = f;
            else if (f.number == TCH_PF_PACKET_CLOCKS)
                ret->clocks = f;
        }
    }
    return more;
}

/* Updates the state of a sequence. Interned texts and defaults are valid from the packet that
   clears them to the next loss. */
static void update_state(struct tch_pf_sequence *s, const struct parts *parts)
{
    if (parts->flags & TCH_PF_CLEARED)
        *s = (struct tch_pf_sequence){.generation = s->generation + 1, .valid = true};
    else if (parts->loss)
        s->valid = false;
}

/* Reads the event of a packet. Every packet with a time advances a clock that counts steps. */
static int read_event(struct tch_pf_reader *p, const struct parts *parts)
{
    int64_t ts = 0;
    bool timed = !parts->packet.has_time || tch_pf_time(p, &parts->packet, &ts);

    if (!parts->packet.event.data)
        return 0;
    if (!timed ||
        (parts->flags & TCH_PF_NEEDS_STATE && !p->sequences[parts->packet.sequence].valid)) {
        tch_trace_places_add(&p->r->m->bad, p->offset);
        return 0;
    }
    return tch_pf_event(p, &parts->packet, ts);
}

static int read_packet(struct tch_pf_reader *p, const uint8_t *data, size_t len)
{
    struct parts parts;
    uint32_t number;
    int status = find_parts(data, len, &parts);

    if (status < 0)
        return status;
    number =
        tch_intern_add(&p->sequence_keys, (const char *)&parts.sequence, sizeof parts.sequence);
    if (number == TCH_INTERN_NONE ||
        tch_array_reserve_zero(&p->sequences, &p->sequence_room, (size_t)number + 1) < 0)
        return tch_fail_memory(p->r->err);
    parts.packet.sequence = number;
    update_state(&p->sequences[number], &parts);
    if (parts.clocks.data)
        status = tch_pf_read_clocks(p, number, &parts.clocks);
    if (parts.defaults.data)
        read_defaults(&p->sequences[number], &parts.defaults);
    if (status == 0 && parts.interned.data)
        status = intern_all(p, number, &parts.interned);
    if (status == 0 && parts.track.data)
        status = tch_pf_read_track(p, &parts.track);
    return status < 0 ? status : read_event(p, &parts);
}

static void note_cut(struct tch_pf_reader *p, uint64_t offset, const char *why)
{
    p->r->m->cut = true;
    tch_fail(&p->r->m->why, TACHO_EPARSE, 0, "%s", why);
    p->r->m->why.offset = offset;
}

/* Reads all complete packets in b, which starts at `offset` of the file, and sets *used. */
static int read_packets(struct tch_pf_reader *p, const struct tch_buf *b, uint64_t offset,
                        size_t *used)
{
    struct tch_pb_reader r;
    struct tch_pb_field f;
    int status = 0;

    tch_pb_open(&r, b->data, b->len);
    *used = 0;
    while (status == 0 && tch_pb_next(&r, &f) > 0) {
        p->offset = offset + *used;
        if (f.number == TCH_PF_TRACE_PACKET && f.type == TCH_PB_BYTES)
            status = read_packet(p, f.data, f.len);
        if (status == TACHO_EPARSE) {
            note_cut(p, offset + *used, "a packet is invalid");
            return 1;
        }
        *used = (size_t)(r.at - (const uint8_t *)b->data);
    }
    return status;
}

static int read_all(struct tch_pf_reader *p, struct tch_buf *b)
{
    uint64_t offset = 0;
    size_t used;
    int status = 0;

    while (status == 0) {
        char *room = tch_buf_room(b, PIECE);
        ssize_t got;

        if (!room)
            return tch_fail(p->r->err, TACHO_ELIMIT, 0, "a packet is larger than %d bytes",
                            PACKET_LIMIT);
        got = tch_trace_source_read(p->s, room, PIECE);
        if (got < 0)
            return tch_fail_errno(p->r->err, errno, "cannot read '%.150s'", p->s->path);
        if (got == 0)
            break;
        tch_buf_grew(b, (size_t)got);
        status = read_packets(p, b, offset, &used);
        memmove(b->data, b->data + used, b->len - used);
        b->len -= used;
        offset += used;
    }
    if (status > 0 && p->r->m->cut)
        return 0;
    if (status == 0 && b->len > 0)
        note_cut(p, offset, "the last packet is incomplete");
    return status;
}

int tch_read_perfetto(struct tch_trace_reading *r, struct tch_trace_source *s)
{
    struct tch_pf_reader p = {.r = r, .s = s};
    struct tch_buf b;
    int status;

    r->m->kind = TCH_KIND_PERFETTO;
    tch_buf_init(&b, PACKET_LIMIT);
    tch_buf_init(&p.args, PACKET_LIMIT);
    status = tch_pf_clocks_init(&p);
    if (status == 0)
        status = read_all(&p, &b);
    if (status == 0 && r->m->cut && r->m->events == 0)
        status =
            tch_fail(r->err, TACHO_EPARSE, 0, "'%.150s' is not a trace in a known format", s->path);
    tch_buf_release(&b);
    tch_buf_release(&p.args);
    tch_intern_release(&p.interned_keys);
    tch_intern_release(&p.track_keys);
    tch_intern_release(&p.sequence_keys);
    tch_intern_release(&p.flows);
    tch_pf_clocks_release(&p);
    free(p.interned);
    free(p.tracks);
    free(p.sequences);
    return status;
}
