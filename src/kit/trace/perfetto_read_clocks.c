/*
 * Reads Perfetto's format: clocks.
 *
 * A packet's time is on the clock that the packet names, else on the default clock of its sequence,
 * else on the clock of the trace. Clocks 64 to 127 belong to their sequence, all others to the
 * trace. A snapshot contains the times of several clocks at one moment. The clock of the trace is
 * BOOTTIME unless a snapshot names another one. A time is converted by the last snapshot that is
 * not later; if no snapshot contains both clocks, it is converted through other clocks.
 */
#include "perfetto_read_clocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"

enum {
    LAST_LOCAL = 127,
    HOPS = 4,            /* limit of clocks between a clock and that of the trace */
    SNAPSHOTS = 32,      /* limit of snapshots tried, from the last one */
    TRIES = 1000,        /* limit of tries for one time */
    STEPS_BACK = 10000,  /* limit of snapshots between a packet and the one for its time */
    SNAPSHOT_CLOCKS = 64 /* limit of clocks in a snapshot; more are left out */
};

/* One clock in one snapshot. */
struct moment {
    uint32_t clock, snapshot;
    uint64_t ns;
    uint32_t before; /* 1 + the clock's previous moment; 0: none */
};

struct clock {
    uint64_t unit, now; /* in nanoseconds; now: only for a clock that counts steps */
    bool steps;
    uint32_t last; /* 1 + the clock's last moment; 0: none */
};

struct snapshot {
    uint32_t first, count; /* its moments: the first, and how many */
};

struct tch_pf_clocks {
    struct tch_intern keys; /* keys: struct key */
    struct clock *clocks;
    struct moment *moments;
    struct snapshot *snapshots;
    size_t clock_room, moment_room, snapshot_room;
    uint32_t moment_count, snapshot_count;
    uint64_t primary; /* id of the trace's clock; 0: not named yet */
};

struct key {
    uint64_t id;
    uint64_t sequence; /* 1 + the sequence; 0: all sequences */
};

int tch_pf_clocks_init(struct tch_pf_reader *p)
{
    p->clocks = calloc(1, sizeof *p->clocks);
    return p->clocks ? 0 : tch_fail_memory(p->r->err);
}

void tch_pf_clocks_release(struct tch_pf_reader *p)
{
    struct tch_pf_clocks *c = p->clocks;

    if (!c)
        return;
    tch_intern_release(&c->keys);
    free(c->clocks);
    free(c->moments);
    free(c->snapshots);
    free(c);
}

static struct key key_of(uint64_t id, uint32_t sequence)
{
    bool local = id >= TCH_PF_CLOCK_FIRST_LOCAL && id <= LAST_LOCAL;

    return (struct key){id, local ? (uint64_t)sequence + 1 : 0};
}

/* Finds a clock. Returns TCH_INTERN_NONE if no snapshot contains it. */
static uint32_t find_clock(const struct tch_pf_clocks *c, uint64_t id, uint32_t sequence)
{
    struct key key = key_of(id, sequence);

    return tch_intern_find(&c->keys, (const char *)&key, sizeof key);
}

/* Snapshots. */

static int add_moment(struct tch_pf_clocks *c, uint32_t sequence, const struct tch_pb_field *clock)
{
    struct tch_pb_reader r;
    struct tch_pb_field f;
    uint64_t id = 0, time = 0, steps = 0, unit = 1;
    struct key key;
    uint32_t number;

    tch_pb_open(&r, clock->data, clock->len);
    while (tch_pb_next(&r, &f) > 0) {
        if (f.type != TCH_PB_VARINT)
            continue;
        if (f.number == TCH_PF_CLOCK_ID)
            id = f.value;
        else if (f.number == TCH_PF_CLOCK_TIME)
            time = f.value;
        else if (f.number == TCH_PF_CLOCK_STEPS)
            steps = f.value;
        else if (f.number == TCH_PF_CLOCK_UNIT && f.value > 0)
            unit = f.value;
    }
    key = key_of(id, sequence);
    number = tch_intern_add(&c->keys, (const char *)&key, sizeof key);
    if (number == TCH_INTERN_NONE ||
        tch_array_reserve_zero(&c->clocks, &c->clock_room, (size_t)number + 1) < 0 ||
        tch_array_reserve(&c->moments, &c->moment_room, (size_t)c->moment_count + 1) < 0)
        return TACHO_ENOMEM;
    c->moments[c->moment_count++] = (struct moment){.clock = number,
                                                    .snapshot = c->snapshot_count - 1,
                                                    .ns = time * unit,
                                                    .before = c->clocks[number].last};
    c->clocks[number] = (struct clock){
        .unit = unit, .now = time * unit, .steps = steps != 0, .last = c->moment_count};
    c->snapshots[c->snapshot_count - 1].count++;
    return 0;
}

int tch_pf_read_clocks(struct tch_pf_reader *p, uint32_t sequence,
                       const struct tch_pb_field *snapshot)
{
    struct tch_pf_clocks *c = p->clocks;
    struct tch_pb_reader r;
    struct tch_pb_field f;
    int status = 0;

    if (tch_array_reserve(&c->snapshots, &c->snapshot_room, (size_t)c->snapshot_count + 1) < 0)
        return tch_fail_memory(p->r->err);
    c->snapshots[c->snapshot_count++] = (struct snapshot){.first = c->moment_count};
    tch_pb_open(&r, snapshot->data, snapshot->len);
    while (status == 0 && tch_pb_next(&r, &f) > 0) {
        if (f.number == TCH_PF_CLOCK && f.type == TCH_PB_BYTES &&
            c->snapshots[c->snapshot_count - 1].count < SNAPSHOT_CLOCKS)
            status = add_moment(c, sequence, &f);
        else if (f.number == TCH_PF_CLOCKS_PRIMARY && f.type == TCH_PB_VARINT && c->primary == 0)
            c->primary = f.value;
    }
    return status < 0 ? tch_fail_memory(p->r->err) : 0;
}

/* Times. */

struct conversion {
    const struct tch_pf_clocks *c;
    uint32_t to;
    unsigned tries; /* number of tries left */
};

static bool convert(struct conversion *v, uint32_t clock, uint64_t ns, unsigned hops,
                    uint64_t *ret);

/* Converts a time by the snapshot of a moment: directly to the wanted clock, or to another clock
   and from there. */
static bool convert_at(struct conversion *v, const struct moment *from, uint64_t ns, unsigned hops,
                       uint64_t *ret)
{
    const struct snapshot *s = &v->c->snapshots[from->snapshot];
    const struct moment *m = &v->c->moments[s->first];

    if (v->tries == 0)
        return false;
    v->tries--;
    for (uint32_t i = 0; i < s->count; i++)
        if (m[i].clock == v->to) {
            *ret = ns - from->ns + m[i].ns;
            return true;
        }
    for (uint32_t i = 0; hops > 1 && i < s->count; i++)
        if (m[i].clock != from->clock && !v->c->clocks[m[i].clock].steps &&
            convert(v, m[i].clock, ns - from->ns + m[i].ns, hops - 1, ret))
            return true;
    return false;
}

static bool convert(struct conversion *v, uint32_t clock, uint64_t ns, unsigned hops, uint64_t *ret)
{
    const struct moment *moments = v->c->moments;
    uint32_t last = v->c->clocks[clock].last, at = last;

    /* Times before the first snapshot are converted by that one. */
    for (uint32_t i = 0; i < STEPS_BACK && moments[at - 1].ns > ns && moments[at - 1].before > 0;
         i++)
        at = moments[at - 1].before;
    if (convert_at(v, &moments[at - 1], ns, hops, ret))
        return true;
    for (uint32_t i = 0; i < SNAPSHOTS && last > 0; i++, last = moments[last - 1].before)
        if (last != at && convert_at(v, &moments[last - 1], ns, hops, ret))
            return true;
    return false;
}

bool tch_pf_time(struct tch_pf_reader *p, const struct tch_pf_packet *packet, int64_t *ret)
{
    struct tch_pf_clocks *c = p->clocks;
    struct tch_pf_sequence *s = &p->sequences[packet->sequence];
    uint64_t id = packet->clock ? packet->clock : s->default_clock;
    uint64_t primary = c->primary ? c->primary : TCH_PF_CLOCK_BOOT, ns = packet->time;
    struct conversion v = {.c = c, .tries = TRIES};

    *ret = (int64_t)ns;
    if (id == 0 || id == primary)
        return true;
    if (s->clock_id != id || s->clock == TCH_INTERN_NONE) {
        s->clock_id = id;
        s->clock = find_clock(c, id, packet->sequence);
    }
    v.to = find_clock(c, primary, packet->sequence);
    if (s->clock == TCH_INTERN_NONE || v.to == TCH_INTERN_NONE)
        return false;
    ns *= c->clocks[s->clock].unit;
    if (c->clocks[s->clock].steps)
        ns = c->clocks[s->clock].now += ns;
    if (!convert(&v, s->clock, ns, HOPS, &ns))
        return false;
    *ret = (int64_t)ns;
    return true;
}
