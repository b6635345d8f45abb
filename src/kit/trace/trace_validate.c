/* Finds what viewers reject, drop or show wrongly. */
#include "trace_validate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/json_read.h"
#include "lib/trace/nesting_lanes.h"
#include "trace_load.h"
#include "trace_write.h"

#define LARGE_NS (INT64_C(1) << 53) /* beyond this, microseconds in a double lose nanoseconds */

static const struct tch_finding_text texts[TCH_FOUND_KINDS] = {
    [TCH_FOUND_UNSOUND] = {"unsound", "invalid from here on; --fix keeps the part before", true,
                           false},
    [TCH_FOUND_LINES] = {"json-lines", "JSON lines load as an empty trace", true, true},
    [TCH_FOUND_BAD] = {"incomplete",
                       "events without ts, dur, id, args or a known clock are dropped", true,
                       false},
    [TCH_FOUND_IGNORED] = {"ignored", "events and metadata of kinds that viewers do not show",
                           false, false},
    [TCH_FOUND_IDS] = {"large-id", "pids and tids above 32 bits: different ones become the same",
                       true, true},
    [TCH_FOUND_OVERLAP] = {"overlap", "spans that partly overlap another one are dropped", true,
                           true},
    [TCH_FOUND_LONE_END] = {"lone-end", "ends without a begin are dropped", true, false},
    [TCH_FOUND_NEGATIVE] = {"negative-time", "events before time 0 are dropped", true, true},
    [TCH_FOUND_FLOW_NOWHERE] = {"flow-nowhere", "flows outside any span are not drawn", true,
                                false},
    [TCH_FOUND_FLOW_AGAIN] =
        {"flow-again",
         "flows that begin again with the same id: arrows start where the first one did", true,
         false},
    [TCH_FOUND_FLOW_HALF] = {"flow-half", "flows that do not begin, or do not end", true, false},
    [TCH_FOUND_ASYNC_HALF] = {"async-half", "async spans that do not begin, or do not end", false,
                              false},
    [TCH_FOUND_COUNTER] = {"counter", "counters without a number", true, false},
    [TCH_FOUND_UNFINISHED] = {"unfinished", "spans without an end are shown as unfinished", false,
                              false},
    [TCH_FOUND_LARGE] = {"large-time", "times so large that viewers round them", true, true},
    [TCH_FOUND_DROPPED] = {"dropped", "the recorder dropped records; no file contains them", false,
                           false},
};

const struct tch_finding_text *tch_finding_text(enum tch_finding_kind kind)
{
    return &texts[kind];
}

/* An async or flow id, and the events seen with it. */
struct bond {
    uint64_t offset;
    int64_t open; /* number of begins minus number of ends */
    bool began, ended;
};

struct check {
    struct tch_validation *v;
    struct tch_trace_load load;
    struct tch_nest nest;
    struct tch_intern bond_keys;
    struct bond *bonds;
    size_t bond_room;
    uint32_t track; /* 1 + track of the previous event */
    uint64_t flow_wait_offset;
    bool waiting; /* the end of a flow waits for the next span */
};

static struct tch_finding *note(struct check *c, enum tch_finding_kind kind, uint64_t offset)
{
    struct tch_finding *f = &c->v->found[kind];

    tch_trace_places_add(&f->places, offset);
    return f;
}

static void note_event(struct check *c, enum tch_finding_kind kind, const struct tch_ev *ev)
{
    struct tch_finding *f = note(c, kind, ev->offset);

    if (f->places.count == 1)
        snprintf(f->example, sizeof f->example, "'%.80s' at %" PRId64 ".%03u us",
                 tch_intern_text(&c->load.model.texts, ev->name), ev->ts / 1000,
                 (unsigned)(ev->ts < 0 ? -(ev->ts % 1000) : ev->ts % 1000));
}

/* Flows and async events, matched by id. */

struct bond_key {
    uint64_t id;
    uint32_t kind, name, category, process;
};

static struct bond *bond_of(struct check *c, const struct tch_ev *ev)
{
    struct bond_key key = {.id = ev->id, .kind = ev->kind, .category = ev->category};
    uint32_t count = c->bond_keys.count, number;

    if (ev->kind == TCH_EV_FLOW)
        key.name = ev->name;
    if (ev->flags & TCH_EV_LOCAL)
        key.process = c->load.model.tracks[ev->track].process + 1;
    number = tch_intern_add(&c->bond_keys, (const char *)&key, sizeof key);
    if (number == TCH_INTERN_NONE ||
        tch_array_reserve(&c->bonds, &c->bond_room, (size_t)number + 1) < 0)
        return NULL;
    if (number == count)
        c->bonds[number] = (struct bond){.offset = ev->offset};
    return &c->bonds[number];
}

static bool in_span(const struct check *c)
{
    return c->nest.count > 0 && c->nest.lanes[0].depth > 0;
}

static int check_bond(struct check *c, const struct tch_ev *ev, tacho_error *err)
{
    struct bond *bond = bond_of(c, ev);

    if (!bond)
        return tch_fail_memory(err);
    if (ev->phase == 's' && bond->began)
        note_event(c, TCH_FOUND_FLOW_AGAIN, ev);
    if (strchr("sb", ev->phase)) {
        bond->began = true;
        bond->open++;
    } else if (strchr("fe", ev->phase)) {
        bond->ended = true;
        bond->open--;
    }
    if (ev->kind != TCH_EV_FLOW)
        return 0;
    /* An end that does not bind to the enclosing span binds to the next one. */
    if (ev->phase == 'f' && !(ev->flags & TCH_EV_ENCLOSING)) {
        c->waiting = true;
        c->flow_wait_offset = ev->offset;
    } else if (!in_span(c)) {
        note_event(c, TCH_FOUND_FLOW_NOWHERE, ev);
    }
    return 0;
}

static void check_bonds(struct check *c)
{
    for (uint32_t i = 0; i < c->bond_keys.count; i++) {
        struct bond_key key;

        memcpy(&key, tch_intern_text(&c->bond_keys, i), sizeof key);
        if (key.kind == TCH_EV_FLOW ? !c->bonds[i].began || !c->bonds[i].ended
                                    : c->bonds[i].open != 0)
            note(c, key.kind == TCH_EV_FLOW ? TCH_FOUND_FLOW_HALF : TCH_FOUND_ASYNC_HALF,
                 c->bonds[i].offset);
    }
}

/* Events. */

static void leave_track(struct check *c)
{
    if (c->waiting)
        note(c, TCH_FOUND_FLOW_NOWHERE, c->flow_wait_offset);
    c->waiting = false;
    tch_nest_clear(&c->nest);
}

static bool has_number(const struct tch_ev *ev)
{
    struct tch_json_reader j;
    struct tch_json_value key, v;
    bool found = false;

    tch_json_open(&j, ev->args, ev->args_len, NULL);
    if (ev->args_len == 0 || tch_json_read(&j, &v) < 0)
        return false;
    while (tch_json_member(&j, &key) > 0 && tch_json_read_raw(&j, &v) == 0)
        found = found || v.type == TCH_JSON_NUMBER;
    return found;
}

static int check_span(struct check *c, const struct tch_ev *ev, tacho_error *err)
{
    struct tch_nest_span span = tch_nest_span_of(ev);
    int64_t lane = tch_nest_push(&c->nest, &span);

    c->waiting = false;
    if (lane < 0)
        return tch_fail_memory(err);
    if (ev->kind == TCH_EV_BEGIN)
        note_event(c, TCH_FOUND_UNFINISHED, ev);
    else if (lane > 0)
        note_event(c, TCH_FOUND_OVERLAP, ev);
    return 0;
}

static int check_event(struct check *c, const struct tch_ev *ev, tacho_error *err)
{
    bool text = c->load.model.kind <= TCH_KIND_JSON_LINES;
    struct tch_nest_span next = tch_nest_span_of(ev);
    int64_t end;

    if (c->track != ev->track + 1)
        leave_track(c);
    c->track = ev->track + 1;
    for (size_t i = 0; i < c->nest.count; i++)
        while (tch_nest_pop(&c->nest, i, &next, &end) > 0)
            ;
    if (ev->ts < 0)
        note_event(c, TCH_FOUND_NEGATIVE, ev);
    if (text && ev->ts > LARGE_NS)
        note_event(c, TCH_FOUND_LARGE, ev);
    switch (ev->kind) {
    case TCH_EV_SPAN:
    case TCH_EV_BEGIN:
        return check_span(c, ev, err);
    case TCH_EV_COUNTER:
        if (!has_number(ev))
            note_event(c, TCH_FOUND_COUNTER, ev);
        return 0;
    case TCH_EV_FLOW:
    case TCH_EV_ASYNC:
        return check_bond(c, ev, err);
    default:
        return 0;
    }
}

/* Adds findings that the reader made. */
static void check_file(struct check *c)
{
    const struct tch_model *m = &c->load.model;
    struct tch_finding *f;

    if (m->cut) {
        f = note(c, TCH_FOUND_UNSOUND, m->why.offset);
        if (m->why.line > 0)
            snprintf(f->example, sizeof f->example, "line %" PRIu64 ": %.170s", m->why.line,
                     m->why.message);
        else
            snprintf(f->example, sizeof f->example, "%.170s", m->why.message);
    }
    if (m->kind == TCH_KIND_JSON_LINES)
        note(c, TCH_FOUND_LINES, 0);
    c->v->found[TCH_FOUND_BAD].places = m->bad;
    c->v->found[TCH_FOUND_IDS].places = m->big_ids;
    c->v->found[TCH_FOUND_IGNORED].places = m->ignored;
    c->v->found[TCH_FOUND_LONE_END].places = c->load.lone_ends;
    c->v->found[TCH_FOUND_DROPPED].places.count = m->dropped;
}

int tch_validate(struct tch_validation *v, const char *path,
                 const struct tch_trace_read_options *options, tacho_error *err)
{
    struct check c = {.v = v};
    struct tch_ev ev;
    int more, status;

    *v = (struct tch_validation){0};
    tch_model_init(&v->model);
    status = tch_trace_load_open(&c.load, path, options, tch_by_track_and_time, err);
    if (status == 0)
        check_file(&c);
    while (status == 0 && (more = tch_trace_load_next(&c.load, &ev, err)) != 0) {
        v->events++;
        status = more < 0 ? more : check_event(&c, &ev, err);
    }
    if (status == 0) {
        leave_track(&c);
        check_bonds(&c);
    }
    v->model = c.load.model;
    tch_model_init(&c.load.model);
    tch_trace_load_close(&c.load);
    tch_nest_release(&c.nest);
    tch_intern_release(&c.bond_keys);
    free(c.bonds);
    return status;
}

void tch_validation_release(struct tch_validation *v)
{
    tch_model_release(&v->model);
}

bool tch_validation_loses(const struct tch_validation *v)
{
    for (size_t i = 0; i < TCH_FOUND_KINDS; i++)
        if (v->found[i].places.count > 0 && texts[i].lost)
            return true;
    return false;
}
