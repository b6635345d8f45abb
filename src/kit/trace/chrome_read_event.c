/* Interprets events of the Chrome format. chrome_read_member.c reads their members. */
#include "chrome_read_event.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "chrome_read_member.h"

enum { MADE_UP = 0x60000000 }; /* the first number for an id that is a text */

/* Tracks. */

/* Returns a number for an id that is a text. The text becomes the name of the process or thread. */
static uint64_t made_up_id(uint32_t text)
{
    return (uint64_t)MADE_UP + text;
}

static int find_track(struct tch_chrome_reader *c)
{
    struct tch_model *m = c->r->m;

    if (c->pid_text)
        c->pid = made_up_id(c->pid_text);
    if (c->tid_text)
        c->tid = made_up_id(c->tid_text);
    if (c->track > 0 && c->pid == c->track_pid && c->tid == c->track_tid) {
        c->ev.track = c->track - 1;
        return 0;
    }
    c->ev.track = tch_model_track(m, c->pid, c->tid);
    if (c->ev.track == TCH_INTERN_NONE)
        return tch_fail_memory(c->r->err);
    c->track = c->ev.track + 1;
    c->track_pid = c->pid;
    c->track_tid = c->tid;
    if (c->tid_text && !m->tracks[c->ev.track].name) {
        m->tracks[c->ev.track].name = c->tid_text;
        m->tracks[c->ev.track].made_up = true;
    }
    if (c->pid_text && !m->processes[m->tracks[c->ev.track].process].name)
        m->processes[m->tracks[c->ev.track].process].name = c->pid_text;
    if (c->pid > UINT32_MAX || c->tid > UINT32_MAX)
        tch_trace_places_add(&m->big_ids, c->ev.offset);
    return 0;
}

/* Metadata. */

static bool name_is(const struct tch_chrome_reader *c, const char *text)
{
    return strcmp(tch_intern_text(&c->r->m->texts, c->ev.name), text) == 0;
}

/* Reads the relevant member of args: "name", "labels" or "sort_index". */
static int read_metadata(struct tch_chrome_reader *c, uint32_t *text, int64_t *number, bool *sorted)
{
    struct tch_json_value key, v;
    const char *p = c->args + 1;

    while ((p = tch_chrome_next_member(p, &key, &v))) {
        if (!KEY_IS(&key, "name") && !KEY_IS(&key, "labels") && !KEY_IS(&key, "sort_index"))
            continue;
        if (v.type == TCH_JSON_STRING && text)
            return tch_chrome_intern(c, &v, text);
        if (v.type == TCH_JSON_NUMBER && number) {
            *number = (int64_t)fmax(-9e18, fmin(9e18, tch_json_to_f64(&v)));
            *sorted = true;
        }
    }
    return 0;
}

static int read_metadata_event(struct tch_chrome_reader *c)
{
    struct tch_model *m = c->r->m;
    struct tch_trace_process *p;
    uint32_t process;
    int status;

    if (!c->has_args || !c->has_name)
        return 0;
    if (name_is(c, TCH_EQUAL_SPANS)) {
        status = find_track(c);
        if (status == 0)
            m->tracks[c->ev.track].outer_first = true;
        return status;
    }
    if (name_is(c, "thread_name") || name_is(c, "thread_sort_index")) {
        struct tch_trace_track *t;

        status = find_track(c);
        if (status < 0)
            return status;
        t = &m->tracks[c->ev.track];
        return name_is(c, "thread_name") ? read_metadata(c, &t->name, NULL, NULL)
                                         : read_metadata(c, NULL, &t->sort, &t->sorted);
    }
    if (c->pid_text)
        c->pid = made_up_id(c->pid_text);
    process = tch_model_process(m, c->pid);
    if (process == TCH_INTERN_NONE)
        return tch_fail_memory(c->r->err);
    p = &m->processes[process];
    if (name_is(c, "process_name"))
        return read_metadata(c, &p->name, NULL, NULL);
    if (name_is(c, "process_labels"))
        return read_metadata(c, &p->labels, NULL, NULL);
    if (name_is(c, "process_sort_index"))
        return read_metadata(c, NULL, &p->sort, &p->sorted);
    tch_trace_places_add(&m->ignored, c->ev.offset);
    return 0;
}

/* Events. */

static bool set_kind(struct tch_ev *ev, char phase)
{
    switch (phase) {
    case 'X':
        ev->kind = TCH_EV_SPAN;
        return true;
    case 'B':
        ev->kind = TCH_EV_BEGIN;
        return true;
    case 'E':
        ev->kind = TCH_EV_END;
        return true;
    case 'i':
    case 'I':
    case 'R':
        ev->kind = TCH_EV_INSTANT;
        ev->phase = 'i';
        return true;
    case 'C':
        ev->kind = TCH_EV_COUNTER;
        return true;
    case 's':
    case 't':
    case 'f':
        ev->kind = TCH_EV_FLOW;
        return true;
    case 'b':
    case 'n':
    case 'e':
        ev->kind = TCH_EV_ASYNC;
        return true;
    default:
        return false;
    }
}

/* Returns whether the event lacks something that viewers need. */
static bool is_bad(const struct tch_chrome_reader *c)
{
    return !c->has_ts || (c->phase == 'X' && (!c->has_dur || c->ev.dur < 0)) ||
           ((c->ev.kind == TCH_EV_FLOW || c->ev.kind == TCH_EV_ASYNC) && !c->has_id) ||
           (c->phase == 'C' && !c->has_args);
}

/* Emits flows in their newer form, as members of a span. These match by id alone, whatever the
   names of the spans. Flows that are separate events must also have the same name. */
static int emit_bound_flow(struct tch_chrome_reader *c)
{
    struct tch_ev flow = c->ev;

    if (c->bind_id == 0 || (!c->flow_in && !c->flow_out))
        return 0;
    flow.name = tch_intern_add(&c->r->m->texts, "flow", 4);
    if (flow.name == TCH_INTERN_NONE)
        return tch_fail_memory(c->r->err);
    flow.category = 0;
    flow.kind = TCH_EV_FLOW;
    flow.id = c->bind_id;
    flow.dur = 0;
    flow.args = NULL;
    flow.args_len = 0;
    flow.flags = TCH_EV_ENCLOSING;
    flow.phase = c->flow_in && c->flow_out ? 't' : c->flow_out ? 's' : 'f';
    return tch_trace_reading_give(c->r, &flow);
}

static int emit_event(struct tch_chrome_reader *c)
{
    int status;

    if (c->phase == 'M')
        return read_metadata_event(c);
    c->ev.phase = c->phase;
    if (!set_kind(&c->ev, c->phase)) {
        tch_trace_places_add(&c->r->m->ignored, c->ev.offset);
        return 0;
    }
    if (is_bad(c)) {
        tch_trace_places_add(&c->r->m->bad, c->ev.offset);
        return 0;
    }
    if (c->ev.kind == TCH_EV_SPAN)
        c->ev.closed = 0; /* the id of a span that also has one */
    else
        c->ev.dur = 0; /* no viewer shows the duration of another event */
    if (c->ev.kind == TCH_EV_ASYNC)
        c->ev.id ^= c->id_scope; /* the same id in another scope is another span */
    else
        c->ev.flags &= (uint8_t)~TCH_EV_LOCAL;
    status = find_track(c);
    if (status < 0)
        return status;
    if (c->has_args && c->ev.kind <= TCH_EV_END)
        c->ev.flags |= tch_trace_args_flags(c->args, c->args_len);
    if (c->has_args && c->r->options.args && c->args_len > 2) {
        c->ev.args = c->args;
        c->ev.args_len = (uint32_t)c->args_len;
    }
    if (c->ev.kind == TCH_EV_INSTANT && c->has_args)
        tch_trace_reading_note(c->r, c->ev.name, c->ev.category, c->args, c->args_len);
    status = tch_trace_reading_give(c->r, &c->ev);
    return status != 0 ? status : emit_bound_flow(c);
}

int tch_chrome_read_event(struct tch_chrome_reader *c)
{
    struct tch_json_value v;
    int status = tch_chrome_read_members(c, &v);

    if (status < 0) {
        c->between = c->json.depth == c->depth;
        return status;
    }
    c->ev.offset = tch_json_offset(&c->json, &v);
    if (v.type != TCH_JSON_OBJECT) {
        tch_trace_places_add(&c->r->m->bad, c->ev.offset);
        return 0;
    }
    return emit_event(c);
}
