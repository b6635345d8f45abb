/* Reads Perfetto's format: track events and their arguments. */
#include "perfetto_read_event.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "perfetto_read_tracks.h"

enum {
    NAMED_TID = 0x40000000, /* the first tid for a track that is not a thread */
    ARG_DEPTH = 64,
    PARENTS = 16, /* limit of tracks between a track and its process */
};

/* Arguments. Debug annotations become JSON. */

static void add_arg(struct tch_pf_reader *p, uint32_t sequence, const struct tch_pb_field *arg,
                    bool named, unsigned depth);

static void add_interned(struct tch_pf_reader *p, uint32_t text, bool key)
{
    const char *at = tch_intern_text(&p->r->m->texts, text);
    size_t len = tch_intern_len(&p->r->m->texts, text);

    if (key)
        tch_json_key_n(&p->args, at, len);
    else
        tch_json_string(&p->args, at, len);
}

static void add_scalar(struct tch_pf_reader *p, uint32_t sequence, const struct tch_pb_field *f)
{
    char text[24];

    switch (f->number) {
    case TCH_PF_ARG_BOOL:
        tch_json_bool(&p->args, f->value != 0);
        break;
    case TCH_PF_ARG_UINT:
        tch_json_u64(&p->args, f->value);
        break;
    case TCH_PF_ARG_INT:
        tch_json_i64(&p->args, (int64_t)f->value);
        break;
    case TCH_PF_ARG_DOUBLE:
        tch_json_f64(&p->args, tch_pb_to_double(f->value));
        break;
    case TCH_PF_ARG_POINTER:
        snprintf(text, sizeof text, "0x%llx", (unsigned long long)f->value);
        tch_json_text(&p->args, text);
        break;
    case TCH_PF_ARG_STRING_IID:
        add_interned(p, tch_pf_interned(p, sequence, TCH_PF_INTERNED_STRINGS, f->value), false);
        break;
    case TCH_PF_ARG_LEGACY_JSON:
        if (tch_json_check((const char *)f->data, f->len, NULL) == 0)
            tch_json_raw(&p->args, (const char *)f->data, f->len);
        else
            tch_json_string(&p->args, (const char *)f->data, f->len);
        break;
    default:
        tch_json_string(&p->args, (const char *)f->data, f->len);
    }
}

static bool is_scalar(const struct tch_pb_field *f)
{
    switch (f->number) {
    case TCH_PF_ARG_BOOL:
    case TCH_PF_ARG_UINT:
    case TCH_PF_ARG_INT:
    case TCH_PF_ARG_POINTER:
    case TCH_PF_ARG_STRING_IID:
        return f->type == TCH_PB_VARINT;
    case TCH_PF_ARG_DOUBLE:
        return f->type == TCH_PB_FIXED64;
    case TCH_PF_ARG_STRING:
    case TCH_PF_ARG_LEGACY_JSON:
        return f->type == TCH_PB_BYTES;
    default:
        return false;
    }
}

/* Adds the name. JSON needs it first; in the message it may be anywhere. */
static void add_key(struct tch_pf_reader *p, uint32_t sequence, const struct tch_pb_field *arg)
{
    struct tch_pb_reader r;
    struct tch_pb_field f;

    tch_pb_open(&r, arg->data, arg->len);
    while (tch_pb_next(&r, &f) > 0) {
        if (f.number == TCH_PF_ARG_NAME && f.type == TCH_PB_BYTES) {
            tch_json_key_n(&p->args, (const char *)f.data, f.len);
            return;
        }
        if (f.number == TCH_PF_ARG_NAME_IID && f.type == TCH_PB_VARINT) {
            add_interned(p, tch_pf_interned(p, sequence, TCH_PF_INTERNED_ARGS, f.value), true);
            return;
        }
    }
    tch_json_key(&p->args, "");
}

static void add_arg(struct tch_pf_reader *p, uint32_t sequence, const struct tch_pb_field *arg,
                    bool named, unsigned depth)
{
    struct tch_pb_reader r;
    struct tch_pb_field f;
    uint32_t inside = 0; /* TCH_PF_ARG_DICT or _ARRAY once a container was entered */

    if (named)
        add_key(p, sequence, arg);
    tch_pb_open(&r, arg->data, arg->len);
    while (tch_pb_next(&r, &f) > 0) {
        bool more = (f.number == TCH_PF_ARG_DICT || f.number == TCH_PF_ARG_ARRAY) &&
                    f.type == TCH_PB_BYTES && depth < ARG_DEPTH;

        if (inside == 0 && is_scalar(&f)) {
            add_scalar(p, sequence, &f);
            return;
        }
        if (!more || (inside != 0 && f.number != inside))
            continue;
        if (inside == 0 && f.number == TCH_PF_ARG_DICT)
            tch_json_begin_object(&p->args);
        else if (inside == 0)
            tch_json_begin_array(&p->args);
        inside = f.number;
        add_arg(p, sequence, &f, f.number == TCH_PF_ARG_DICT, depth + 1);
    }
    if (inside == TCH_PF_ARG_DICT)
        tch_json_end_object(&p->args);
    else if (inside == TCH_PF_ARG_ARRAY)
        tch_json_end_array(&p->args);
    else
        tch_json_null(&p->args);
}

/* Events. */

struct found {
    uint64_t type, track;
    uint32_t name, category;
    bool has_double, has_flows;
    uint8_t flags;
    uint64_t counter;
    double counter_double;
    struct tch_pb_field legacy;
};

/* Sets the name or the category, which is interned or a plain text. */
static void set_text(struct tch_pf_reader *p, uint32_t sequence, const struct tch_pb_field *f,
                     struct found *ret)
{
    bool is_name = f->number == TCH_PF_EVENT_NAME || f->number == TCH_PF_EVENT_NAME_IID;
    bool is_text = f->number == TCH_PF_EVENT_NAME || f->number == TCH_PF_EVENT_CATEGORY;
    uint32_t *text = is_name ? &ret->name : &ret->category;

    if (is_text && f->type == TCH_PB_BYTES)
        *text = tch_intern_add(&p->r->m->texts, (const char *)f->data, f->len);
    else if (!is_text && f->type == TCH_PB_VARINT)
        *text = tch_pf_interned(
            p, sequence, is_name ? TCH_PF_INTERNED_NAMES : TCH_PF_INTERNED_CATEGORIES, f->value);
}

/* Returns whether this is an event by which the recorder reports losses. Its arguments are always
   read. In traces of libtacho they follow the type and the category. */
static bool is_report(const struct tch_pf_reader *p, const struct found *f)
{
    return f->type == TCH_PF_INSTANT && f->category != TCH_INTERN_NONE &&
           strcmp(tch_intern_text(&p->r->m->texts, f->category), "tacho") == 0;
}

static void read_field(struct tch_pf_reader *p, uint32_t sequence, const struct tch_pb_field *f,
                       struct found *ret)
{
    switch (f->number) {
    case TCH_PF_EVENT_TYPE:
        ret->type = f->value;
        break;
    case TCH_PF_EVENT_TRACK:
        ret->track = f->value;
        break;
    case TCH_PF_EVENT_NAME:
    case TCH_PF_EVENT_NAME_IID:
    case TCH_PF_EVENT_CATEGORY:
    case TCH_PF_EVENT_CATEGORY_IID:
        set_text(p, sequence, f, ret);
        break;
    case TCH_PF_EVENT_COUNTER:
        ret->counter = f->value;
        break;
    case TCH_PF_EVENT_COUNTER_DOUBLE:
        ret->counter_double = tch_pb_to_double(f->value);
        ret->has_double = true;
        break;
    case TCH_PF_EVENT_ARG:
        if (f->type == TCH_PB_BYTES)
            ret->flags |= tch_trace_args_flags(f->data, f->len);
        if (f->type == TCH_PB_BYTES && (p->r->options.args || is_report(p, ret)))
            add_arg(p, sequence, f, true, 0);
        break;
    case TCH_PF_EVENT_LEGACY:
        if (f->type == TCH_PB_BYTES)
            ret->legacy = *f;
        break;
    case TCH_PF_EVENT_FLOW:
    case TCH_PF_EVENT_FLOW_END:
    case TCH_PF_EVENT_FLOW_OLD:
    case TCH_PF_EVENT_FLOW_END_OLD:
        ret->has_flows = true;
        break;
    default:
        break;
    }
}

/* Reads the fields of an event; its arguments become JSON in p->args. */
static int read_fields(struct tch_pf_reader *p, const struct tch_pf_packet *packet,
                       struct found *ret)
{
    struct tch_pb_reader r;
    struct tch_pb_field f;
    int more;

    *ret = (struct found){.track = p->sequences[packet->sequence].default_track};
    tch_buf_clear(&p->args);
    tch_json_begin_object(&p->args);
    tch_pb_open(&r, packet->event.data, packet->event.len);
    while ((more = tch_pb_next(&r, &f)) > 0)
        read_field(p, packet->sequence, &f, ret);
    tch_json_end_object(&p->args);
    if (ret->name == TCH_INTERN_NONE || ret->category == TCH_INTERN_NONE || p->args.failed)
        return tch_fail_memory(p->r->err);
    return more;
}

/* Returns the process that a track belongs to. */
static uint64_t pid_of(struct tch_pf_reader *p, const struct tch_pf_track *t)
{
    uint64_t uuid = t->uuid;

    for (int i = 0; i < PARENTS; i++) {
        uint32_t number = tch_intern_find(&p->track_keys, (const char *)&uuid, sizeof uuid);

        if (number == TCH_INTERN_NONE)
            return 0;
        if (p->tracks[number].kind != TCH_PF_KIND_NAMED)
            return p->tracks[number].pid;
        uuid = p->tracks[number].parent;
    }
    return 0;
}

/* Finds or makes the model's track for a track of the file. */
static int model_track(struct tch_pf_reader *p, struct tch_pf_track *t, uint32_t *ret)
{
    struct tch_model *m = p->r->m;

    if (t->model == 0) {
        uint64_t pid = pid_of(p, t);
        uint64_t tid = t->kind == TCH_PF_KIND_THREAD ? t->tid
                       : t->kind == TCH_PF_KIND_PROCESS || t->counter
                           ? pid
                           : (uint64_t)NAMED_TID + p->named_tracks++;
        uint32_t number = tch_model_track(m, pid, tid);

        if (number == TCH_INTERN_NONE)
            return tch_fail_memory(p->r->err);
        if (t->kind == TCH_PF_KIND_NAMED && !t->counter) {
            m->tracks[number].name = t->name;
            m->tracks[number].made_up = true;
        }
        t->model = number + 1;
    }
    *ret = t->model - 1;
    return 0;
}

static bool ends_in(const struct tch_intern *texts, uint32_t text, uint32_t tail)
{
    size_t len = tch_intern_len(texts, text), tail_len = tch_intern_len(texts, tail);

    return len > tail_len + 1 && tch_intern_text(texts, text)[len - tail_len - 1] == ' ' &&
           memcmp(tch_intern_text(texts, text) + len - tail_len, tch_intern_text(texts, tail),
                  tail_len) == 0;
}

/* Emits a counter. libtacho writes a counter with a series as "name series" with the unit
   "series". */
static int emit_counter(struct tch_pf_reader *p, const struct found *f,
                        const struct tch_pf_track *t, struct tch_ev *ev)
{
    struct tch_intern *texts = &p->r->m->texts;
    struct tch_buf name;
    const char *series = "value";

    ev->kind = TCH_EV_COUNTER;
    ev->phase = 'C';
    ev->name = t->name;
    if (t->unit && ends_in(texts, t->name, t->unit)) {
        tch_buf_init(&name, 1 << 20);
        tch_buf_add(&name, tch_intern_text(texts, t->name),
                    tch_intern_len(texts, t->name) - tch_intern_len(texts, t->unit) - 1);
        ev->name = tch_intern_add(texts, name.data, name.len);
        tch_buf_release(&name);
        if (ev->name == TCH_INTERN_NONE)
            return tch_fail_memory(p->r->err);
        series = tch_intern_text(texts, t->unit);
    }
    tch_buf_clear(&p->args);
    tch_json_begin_object(&p->args);
    tch_json_key(&p->args, series);
    if (f->has_double)
        tch_json_f64(&p->args, f->counter_double);
    else
        tch_json_i64(&p->args, (int64_t)f->counter);
    tch_json_end_object(&p->args);
    ev->args = p->args.data;
    ev->args_len = (uint32_t)p->args.len;
    return tch_trace_reading_give(p->r, ev);
}

/* Sets the kind of an event in the legacy form, which uses phases of the Chrome format. */

static bool set_legacy_kind(struct tch_ev *ev, uint64_t phase, uint64_t duration_us)
{
    static const struct {
        char phase;
        uint8_t kind;
    } kinds[] = {{'B', TCH_EV_BEGIN},   {'E', TCH_EV_END},     {'I', TCH_EV_INSTANT},
                 {'i', TCH_EV_INSTANT}, {'R', TCH_EV_INSTANT}, {'X', TCH_EV_SPAN},
                 {'s', TCH_EV_FLOW},    {'t', TCH_EV_FLOW},    {'f', TCH_EV_FLOW},
                 {'b', TCH_EV_ASYNC},   {'n', TCH_EV_ASYNC},   {'e', TCH_EV_ASYNC}};

    if (phase == 'X' && duration_us >= INT64_MAX / 1000)
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (phase == (uint64_t)kinds[i].phase) {
            ev->kind = kinds[i].kind;
            ev->phase = ev->kind == TCH_EV_INSTANT ? 'i' : kinds[i].phase;
            ev->dur = ev->kind == TCH_EV_SPAN ? (int64_t)duration_us * 1000 : 0;
            return true;
        }
    return false;
}

static int emit_legacy(struct tch_pf_reader *p, const struct found *f, struct tch_ev *ev)
{
    struct tch_pb_reader r;
    struct tch_pb_field g;
    uint64_t phase = 0, duration = 0, scope = 0;
    bool local = false;

    tch_pb_open(&r, f->legacy.data, f->legacy.len);
    while (tch_pb_next(&r, &g) > 0) {
        if (g.number == TCH_PF_LEGACY_PHASE)
            phase = g.value;
        else if (g.number == TCH_PF_LEGACY_ID || g.number == TCH_PF_LEGACY_LOCAL_ID ||
                 g.number == TCH_PF_LEGACY_GLOBAL_ID)
            ev->id = g.value;
        else if (g.number == TCH_PF_LEGACY_DURATION_US)
            duration = g.value;
        else if (g.number == TCH_PF_LEGACY_BIND && g.value)
            ev->flags |= TCH_EV_ENCLOSING;
        else if (g.number == TCH_PF_LEGACY_SCOPE && g.type == TCH_PB_BYTES)
            scope = tch_hash(g.data, g.len);
        local = local || g.number == TCH_PF_LEGACY_LOCAL_ID;
    }
    if (!set_legacy_kind(ev, phase, duration)) {
        tch_trace_places_add(&p->r->m->ignored, p->offset);
        return 0;
    }
    if (ev->kind == TCH_EV_SPAN)
        ev->closed = 0; /* the id of a span that also has one */
    if (ev->kind == TCH_EV_ASYNC) {
        ev->id ^= scope;
        ev->flags = local ? TCH_EV_LOCAL : 0;
    }
    return tch_trace_reading_give(p->r, ev);
}

static int emit_flow(struct tch_pf_reader *p, struct tch_ev ev, uint64_t id, bool end)
{
    uint32_t count = p->flows.count;
    uint32_t number = tch_intern_add(&p->flows, (const char *)&id, sizeof id);

    if (number == TCH_INTERN_NONE)
        return tch_fail_memory(p->r->err);
    ev.kind = TCH_EV_FLOW;
    ev.id = id;
    ev.dur = 0;
    ev.args = NULL;
    ev.args_len = 0;
    ev.flags = TCH_EV_ENCLOSING;
    ev.phase = end ? 'f' : number == count ? 's' : 't';
    /* In the Chrome format, flows must also match by name and category. */
    ev.category = 0;
    ev.name = tch_intern_add(&p->r->m->texts, "flow", 4);
    if (ev.name == TCH_INTERN_NONE)
        return tch_fail_memory(p->r->err);
    return tch_trace_reading_give(p->r, &ev);
}

/* Emits flows in the current form: ids in an event. */
static int emit_flows(struct tch_pf_reader *p, const struct tch_pf_packet *packet,
                      const struct tch_ev *ev)
{
    struct tch_pb_reader r;
    struct tch_pb_field f;
    int status = 0;

    tch_pb_open(&r, packet->event.data, packet->event.len);
    while (status == 0 && tch_pb_next(&r, &f) > 0) {
        bool end = f.number == TCH_PF_EVENT_FLOW_END || f.number == TCH_PF_EVENT_FLOW_END_OLD;

        if (!end && f.number != TCH_PF_EVENT_FLOW && f.number != TCH_PF_EVENT_FLOW_OLD)
            continue;
        if (f.type == TCH_PB_FIXED64 || f.type == TCH_PB_VARINT)
            status = emit_flow(p, *ev, f.value, end);
    }
    return status;
}

static int emit_plain(struct tch_pf_reader *p, const struct tch_pf_packet *packet,
                      const struct found *f, const struct tch_pf_track *t, struct tch_ev *ev)
{
    int status;

    switch (f->type) {
    case TCH_PF_BEGIN:
        ev->kind = TCH_EV_BEGIN;
        ev->phase = 'B';
        break;
    case TCH_PF_END:
        ev->kind = TCH_EV_END;
        ev->phase = 'E';
        ev->name = 0; /* an end without a name closes the innermost span */
        break;
    case TCH_PF_INSTANT:
        ev->kind = TCH_EV_INSTANT;
        ev->phase = 'i';
        if (ev->args_len > 0)
            tch_trace_reading_note(p->r, ev->name, ev->category, ev->args, ev->args_len);
        ev->scope = t->kind == TCH_PF_KIND_PROCESS                   ? 'p'
                    : t->kind == TCH_PF_KIND_NAMED && t->parent == 0 ? 'g'
                                                                     : 't';
        break;
    default:
        tch_trace_places_add(&p->r->m->ignored, p->offset);
        return 0;
    }
    if (ev->kind != TCH_EV_INSTANT)
        ev->flags |= f->flags;
    status = tch_trace_reading_give(p->r, ev);
    if (status == 0 && f->has_flows)
        status = emit_flows(p, packet, ev);
    return status;
}

int tch_pf_event(struct tch_pf_reader *p, const struct tch_pf_packet *packet, int64_t ts)
{
    struct tch_ev ev = {.ts = ts, .scope = 't'};
    struct tch_pf_track *t;
    struct found f;
    int status;

    status = read_fields(p, packet, &f);
    if (status < 0)
        return status;
    t = tch_pf_track_of(p, f.track);
    if (!t)
        return tch_fail_memory(p->r->err);
    status = model_track(p, t, &ev.track);
    if (status < 0)
        return status;
    ev.name = f.name;
    ev.category = f.category;
    if (p->args.len > 2) {
        ev.args = p->args.data;
        ev.args_len = (uint32_t)p->args.len;
    }
    if (f.type == TCH_PF_COUNTER)
        return emit_counter(p, &f, t, &ev);
    if (f.legacy.data && f.type == 0)
        return emit_legacy(p, &f, &ev);
    return emit_plain(p, packet, &f, t, &ev);
}
