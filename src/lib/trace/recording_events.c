/* Converts the records of a recording to events of a model. */
#include "recording_events.h"

#include <stdio.h>
#include <stdlib.h>

#include <tacho/trace.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "record_words.h"
#include "recording_walk.h"

enum { ARGS_LIMIT = 1 << 20 };

/* Texts. */

int tch_rec_add_text(struct tch_rec_events *s, const char *text, size_t len, uint32_t *ret)
{
    uint32_t number = tch_model_text(s->m, text, len);

    if (number == TCH_INTERN_NONE)
        return tch_fail_memory(s->err);
    *ret = number;
    return 0;
}

static int know_site(struct tch_rec_events *s, uint32_t id)
{
    const struct tch_rec_name *site = tch_rec_site(s->r, id);
    uint32_t name = 0;

    if (tch_rec_add_text(s, site->name, site->name_len, &name) < 0 ||
        tch_rec_add_text(s, site->category, site->category_len, &s->sites[id].category) < 0)
        return TACHO_ENOMEM;
    s->sites[id].name = name + 1;
    return 0;
}

/* Arguments. */

static bool same_key(const struct tch_rec_arg *a, const struct tch_rec_arg *b)
{
    return a->key->name_len == b->key->name_len &&
           memcmp(a->key->name, b->key->name, a->key->name_len) == 0;
}

/* Turns a value that is marked as JSON but is not valid into a text, and counts it. */
static void check_json(struct tch_rec_events *s, struct tch_rec_arg *arg)
{
    if (arg->type != TACHO_FIELD_JSON || tch_json_check(arg->text, arg->len, NULL) == 0)
        return;
    arg->type = TACHO_FIELD_TEXT;
    s->r->invalid_json++;
}

/* Collects the values of arguments. When a key occurs twice, the later value counts and takes
   the place of the first. */
static void gather_values(struct tch_rec_events *s, struct tch_rec_args args)
{
    struct tch_rec_arg arg;

    while (tch_rec_next_arg(s->r, &args, &arg)) {
        uint32_t i = 0;

        while (i < s->value_count && !same_key(&s->values[i], &arg))
            i++;
        if (i == TCH_REC_EVENT_ARGS)
            return;
        check_json(s, &arg);
        s->values[i] = arg;
        if (i == s->value_count)
            s->value_count++;
    }
}

/* Adds an argument that says which span ended this one. */
static void add_mismatch(struct tch_rec_events *s)
{
    static const struct tch_rec_name key = {.name = TCH_MISMATCH,
                                            .name_len = sizeof TCH_MISMATCH - 1};
    const struct tch_rec_name *site = tch_rec_site(s->r, s->ended_by);
    int len = snprintf(s->mismatch, sizeof s->mismatch, "ended by the end of '%.*s'",
                       (int)(site->name_len < 90 ? site->name_len : 90), site->name);

    s->values[s->value_count++] = (struct tch_rec_arg){
        .key = &key, .type = TACHO_FIELD_TEXT, .text = s->mismatch, .len = (size_t)len};
}

/* Sets the arguments of an event: as JSON for tools, as values for the formats. */
static int set_args(struct tch_rec_events *s, struct tch_ev *ev)
{
    if (s->given->form != TCH_REC_FOR_TOOLS) {
        ev->flags |= TCH_EV_VALUES;
        ev->values = s->values;
        ev->args_len = s->value_count;
        return 0;
    }
    tch_buf_clear(&s->json);
    tch_json_begin_object(&s->json);
    for (uint32_t i = 0; i < s->value_count; i++) {
        tch_json_key_n(&s->json, s->values[i].key->name, s->values[i].key->name_len);
        tch_json_arg(&s->json, &s->values[i]);
    }
    tch_json_end_object(&s->json);
    if (s->json.failed)
        return tch_fail_memory(s->err);
    ev->args = s->json.data;
    ev->args_len = (uint32_t)s->json.len;
    return 0;
}

int tch_rec_emit(struct tch_rec_events *s, uint32_t site, struct tch_ev *ev,
                 struct tch_rec_args args, struct tch_rec_args more)
{
    if (s->sites[site].name == 0 && know_site(s, site) < 0)
        return TACHO_ENOMEM;
    ev->name = s->sites[site].name - 1;
    ev->category = s->sites[site].category;
    if (s->ended_by != 0)
        ev->flags |= TCH_EV_MISMATCHED;
    if ((args.count + more.count > 0 || s->ended_by != 0) && !s->given->no_args) {
        s->value_count = 0;
        gather_values(s, args);
        gather_values(s, more);
        if (s->ended_by != 0)
            add_mismatch(s);
        if (set_args(s, ev) < 0)
            return TACHO_ENOMEM;
    }
    return s->sink(s->ctx, ev);
}

/* Threads. */

int tch_rec_set_track(struct tch_rec_events *s, struct tch_ev *ev, uint64_t pid, uint64_t tid)
{
    ev->track = tch_model_track(s->m, pid, tid);
    return ev->track == TCH_INTERN_NONE ? tch_fail_memory(s->err) : 0;
}

/* Makes the track of the thread, which now has an event. */
static int start_track(struct tch_rec_events *s)
{
    struct tch_trace_track *t;

    s->own = true;
    s->track = tch_model_track(s->m, s->pid, s->tid);
    if (s->track == TCH_INTERN_NONE)
        return tch_fail_memory(s->err);
    t = &s->m->tracks[s->track];
    if (s->name != 0)
        t->name = s->name;
    else if (s->comm[0] && t->name == 0)
        return tch_rec_add_text(s, s->comm, strlen(s->comm), &t->name);
    return 0;
}

static int enter_thread(struct tch_rec_events *s, const struct tch_seen_event *e)
{
    s->pid = e->pid;
    s->tid = e->tid;
    s->name = 0;
    s->track = TCH_INTERN_NONE;
    memcpy(s->comm, e->fixed + 1, sizeof s->comm - 1);
    return s->given->form == TCH_REC_FOR_CHROME ? 0 : start_track(s);
}

static int name_thread(struct tch_rec_events *s, uint32_t id)
{
    const struct tch_rec_name *text = tch_rec_text(s->r, id);
    int status = tch_rec_add_text(s, text->name, text->name_len, &s->name);

    if (status == 0 && s->track != TCH_INTERN_NONE)
        s->m->tracks[s->track].name = s->name;
    return status;
}

static int name_process(struct tch_rec_events *s, uint64_t pid, const char *name, size_t len)
{
    uint32_t process = tch_model_process(s->m, pid);

    return process == TCH_INTERN_NONE
               ? tch_fail_memory(s->err)
               : tch_rec_add_text(s, name, len, &s->m->processes[process].name);
}

static int name_program(struct tch_rec_events *s)
{
    const char *program = tch_base_name(s->r->head.program);

    return name_process(s, s->r->head.pid, program, strlen(program));
}

/* Spans of threads. Nearly all events are plain spans, without arguments and with a known name.
   For these, only a few fields of s->plain are set before they go to the sink. All other code is
   kept out of line, because it would use registers that this path needs. */

__attribute__((noinline)) static int rare_span(struct tch_rec_events *s,
                                               const struct tch_seen_event *e)
{
    struct tch_ev ev = s->plain;
    struct tch_rec_args none = {0};
    int status;

    if (s->track == TCH_INTERN_NONE && start_track(s) < 0)
        return TACHO_ENOMEM;
    ev.track = s->track;
    s->ended_by = e->ended_by;
    status = tch_rec_emit(s, e->id, &ev, ev.kind == TCH_EV_END ? none : e->args, e->end_args);
    s->ended_by = 0;
    return status;
}

/* Sends a span to the sink. A span that began before the trace is shortened to its part in the
   trace, because its whole length would cover the spans after it on its thread. */
static inline int emit_span(struct tch_rec_events *s, const struct tch_seen_event *e,
                            enum tch_ev_kind kind, char phase, uint64_t from, uint64_t to)
{
    const struct tch_rec_site_texts *site = &s->sites[e->id];
    struct tch_ev *ev = &s->plain;

    ev->kind = (uint8_t)kind;
    ev->phase = phase;
    ev->ts = tch_rec_from_origin(s, from);
    ev->dur = to > from ? tch_rec_from_origin(s, to) - ev->ts : 0;
    ev->offset = kind == TCH_EV_SPAN ? e->begin_order : e->order;
    ev->closed = kind == TCH_EV_SPAN ? e->order : 0;
    if ((kind == TCH_EV_END ? 0 : e->args.count) + e->end_args.count + e->ended_by > 0 ||
        site->name == 0 || s->track == TCH_INTERN_NONE)
        return rare_span(s, e);
    ev->track = s->track;
    ev->name = site->name - 1;
    ev->category = site->category;
    return s->sink(s->ctx, ev);
}

/* Other events of threads. */

static int begin_event(struct tch_rec_events *s, struct tch_ev *ev, enum tch_ev_kind kind,
                       char phase, uint64_t ns)
{
    *ev = (struct tch_ev){.kind = (uint8_t)kind,
                          .phase = phase,
                          .scope = 't',
                          .ts = tch_rec_from_origin(s, ns),
                          .offset = s->r->records};
    if (s->track == TCH_INTERN_NONE && start_track(s) < 0)
        return TACHO_ENOMEM;
    ev->track = s->track;
    return 0;
}

static int instant(struct tch_rec_events *s, const struct tch_seen_event *e)
{
    struct tch_ev ev;

    if (begin_event(s, &ev, TCH_EV_INSTANT, 'i', e->ns) < 0)
        return TACHO_ENOMEM;
    ev.scope = "tpg"[e->fixed[0] < 3 ? e->fixed[0] : 0];
    return tch_rec_emit(s, e->id, &ev, e->args, e->end_args);
}

/* Emits an event of a flow or of an asynchronous span, whose events are linked by an id. In a
   recording the name and the category are part of the id. In Perfetto an id is valid in the
   whole trace. No format has flow ids that belong to a process, so flows of several programs are
   kept apart by their scope. */
static int linked(struct tch_rec_events *s, const struct tch_seen_event *e, enum tch_ev_kind kind,
                  const char *phases)
{
    const struct tch_rec_name *site = tch_rec_site(s->r, e->id);
    uint64_t phase = e->fixed[0] & ~(uint64_t)TCH_REC_TRACE_ID;
    struct tch_ev ev;

    if (begin_event(s, &ev, kind, phases[phase < 3 ? phase : 0], e->ns) < 0)
        return TACHO_ENOMEM;
    ev.flags = kind == TCH_EV_FLOW              ? TCH_EV_ENCLOSING
               : e->fixed[0] & TCH_REC_TRACE_ID ? 0
                                                : TCH_EV_LOCAL;
    ev.id = e->fixed[1];
    if (kind == TCH_EV_FLOW && s->given->flow_scope != 0)
        ev.id = tch_hash_mix(ev.id ^ UINT64_C(0xa0761d6478bd642f), s->given->flow_scope);
    if (s->given->form == TCH_REC_FOR_PERFETTO)
        ev.id = tch_hash_mix(tch_hash(site->name, (size_t)site->name_len + site->category_len) ^
                                 site->name_len,
                             ev.id ^ UINT64_C(0x9e3779b97f4a7c15));
    return tch_rec_emit(s, e->id, &ev, e->args, e->end_args);
}

/* Emits a counter. Its number is the argument "value". */
static int counter(struct tch_rec_events *s, const struct tch_seen_event *e, uint64_t ns,
                   unsigned type, uint64_t bits)
{
    static const struct tch_rec_name key = {.name = "value", .name_len = 5};
    static const struct tch_rec_args none;
    struct tch_ev ev;

    if (begin_event(s, &ev, TCH_EV_COUNTER, 'C', ns) < 0)
        return TACHO_ENOMEM;
    if (e->args.count > 0 && !s->given->no_args)
        return tch_rec_emit(s, e->id, &ev, e->args, none);
    s->values[0] = (struct tch_rec_arg){.key = &key, .type = type, .bits = bits};
    s->value_count = 1;
    return set_args(s, &ev) < 0 ? TACHO_ENOMEM : tch_rec_emit(s, e->id, &ev, none, none);
}

/* The walk. */

__attribute__((noinline)) static int other_record(struct tch_rec_events *s,
                                                  const struct tch_seen_event *e)
{
    const struct tch_rec_name *text;

    switch (e->kind) {
    case TCH_REC_INSTANT:
        return instant(s, e);
    case TCH_REC_COUNTER:
        return counter(s, e, e->ns,
                       e->fixed[0] == TACHO_FIELD_F64 ? TACHO_FIELD_F64 : TACHO_FIELD_I64,
                       e->fixed[1]);
    case TCH_REC_TRACK_COUNTER:
        return counter(s, e, e->fixed[1], TACHO_FIELD_F64, e->fixed[2]);
    case TCH_REC_FLOW:
        return linked(s, e, TCH_EV_FLOW, "stf");
    case TCH_REC_ASYNC:
        return linked(s, e, TCH_EV_ASYNC, "bne");
    case TCH_REC_PUSH:
    case TCH_REC_PUT:
    case TCH_REC_TRACK_SPAN:
    case TCH_REC_TRACK_INSTANT:
        return tch_rec_timed_event(s, e);
    case TCH_REC_THREAD:
        return enter_thread(s, e);
    case TCH_REC_THREAD_NAME:
        return name_thread(s, e->id);
    case TCH_REC_PROCESS_NAME:
        text = tch_rec_text(s->r, e->id);
        return name_process(s, e->pid, text->name, text->name_len);
    default:
        return 0;
    }
}

static int visit_edges(void *ctx, const struct tch_seen_event *e)
{
    switch (e->seen) {
    case TCH_SEEN_BEGIN:
        return emit_span(ctx, e, TCH_EV_BEGIN, 'B', e->ns, e->ns);
    case TCH_SEEN_END:
        return emit_span(ctx, e, TCH_EV_END, 'E', e->ns, e->ns);
    case TCH_SEEN_UNFINISHED:
        return 0; /* its begin was emitted; it has no end */
    default:
        return other_record(ctx, e);
    }
}

static int visit_spans(void *ctx, const struct tch_seen_event *e)
{
    switch (e->seen) {
    case TCH_SEEN_BEGIN:
        return 0; /* emitted as a whole at its end */
    case TCH_SEEN_END:
        return emit_span(ctx, e, TCH_EV_SPAN, 'X', e->begin_ns, e->ns);
    case TCH_SEEN_UNFINISHED: /* viewers show a begin without an end as unfinished */
        return emit_span(ctx, e, TCH_EV_BEGIN, 'B', e->ns, e->ns);
    default:
        return other_record(ctx, e);
    }
}

void tch_add_reasons(struct tch_buf *b, uint64_t reasons)
{
    static const char *const words[] = {"limit", "ring", "disk", "threads", "names", "closed"};
    const char *comma = "";

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (reasons >> i & 1) {
            tch_buf_addf(b, "%s%s", comma, words[i]);
            comma = ", ";
        }
}

/* Emits an event that lists what is missing in the trace. */
static int report_losses(struct tch_rec_events *s)
{
    static const char *const keys[] = {
        "dropped",         "why",         "ends_without_begin", "truncated_spans",
        "truncated_texts", "invalid_json"};
    enum { KEYS = sizeof keys / sizeof keys[0] };
    const struct tch_rec_header *head = &s->r->head;
    const uint64_t counts[KEYS] = {head->dropped,     0,         s->r->lost_ends,
                                   s->r->lost_begins, head->cut, s->r->invalid_json};
    struct tch_rec_name names[KEYS];
    struct tch_ev ev = {.kind = TCH_EV_INSTANT, .phase = 'i', .scope = 'g', .flags = TCH_EV_ASIDE};

    tch_buf_clear(&s->json);
    tch_add_reasons(&s->json, head->reasons);
    for (size_t i = 0; i < KEYS; i++) {
        names[i] = (struct tch_rec_name){.name = keys[i], .name_len = (uint32_t)strlen(keys[i])};
        s->values[i] = (struct tch_rec_arg){.key = &names[i],
                                            .type = i == 1 ? TACHO_FIELD_TEXT : TACHO_FIELD_U64,
                                            .bits = counts[i],
                                            .text = s->json.data,
                                            .len = s->json.len};
    }
    s->value_count = KEYS;
    ev.ts = tch_rec_from_origin(s, s->r->clock.last.ns);
    if (tch_rec_add_text(s, "records dropped", 15, &ev.name) < 0 ||
        tch_rec_add_text(s, "tacho", 5, &ev.category) < 0 || set_args(s, &ev) < 0 ||
        tch_rec_set_track(s, &ev, head->pid, head->pid) < 0)
        return TACHO_ENOMEM;
    return s->sink(s->ctx, &ev);
}

/* Emits an event that reports faults of the trace's clock. */
static int report_clock(struct tch_rec_events *s)
{
    static const char name[] = "clock stood still or went back";
    static const struct tch_rec_name key = {.name = "times", .name_len = 5};
    const struct tch_rec_header *head = &s->r->head;
    struct tch_ev ev = {.kind = TCH_EV_INSTANT, .phase = 'i', .scope = 'g', .flags = TCH_EV_ASIDE};

    s->values[0] =
        (struct tch_rec_arg){.key = &key, .type = TACHO_FIELD_U64, .bits = head->clock_faults};
    s->value_count = 1;
    ev.ts = tch_rec_from_origin(s, s->r->clock.last.ns);
    if (tch_rec_add_text(s, name, sizeof name - 1, &ev.name) < 0 ||
        tch_rec_add_text(s, "tacho", 5, &ev.category) < 0 || set_args(s, &ev) < 0 ||
        tch_rec_set_track(s, &ev, head->pid, head->pid) < 0)
        return TACHO_ENOMEM;
    return s->sink(s->ctx, &ev);
}

static int walk_recording(struct tch_rec_events *s)
{
    bool tools = s->given->form == TCH_REC_FOR_TOOLS, chrome = s->given->form == TCH_REC_FOR_CHROME;
    const struct tch_rec_header *head = &s->r->head;
    uint32_t process;
    int status = tch_trace_rows_lay_out(&s->rows, s->r, s->err);

    if (status == 0 && !chrome)
        status = name_program(s);
    /* Viewers take the first of two spans with the same times as the outer one. */
    s->r->outer_first = chrome;
    if (status == 0)
        status = tch_recording_walk(
            s->r, s->given->form == TCH_REC_FOR_PERFETTO ? visit_edges : visit_spans, s, s->err);
    if (status == 0 && !tools && head->dropped + head->cut + s->r->invalid_json > 0)
        status = report_losses(s);
    if (status == 0 && !tools && head->clock_faults > 0)
        status = report_clock(s);
    if (status != 0 || !chrome || !s->own)
        return status;
    process = tch_model_process(s->m, head->pid);
    if (process == TCH_INTERN_NONE)
        return tch_fail_memory(s->err);
    return s->m->processes[process].name == 0 ? name_program(s) : 0;
}

int tch_recording_events(const struct tch_recording_source *source, tch_ev_sink *sink, void *ctx,
                         tacho_error *err)
{
    struct tch_rec_events s = {.given = source,
                               .r = source->r,
                               .m = source->m,
                               .sink = sink,
                               .ctx = ctx,
                               .err = err,
                               .sites =
                                   calloc((size_t)source->r->sites.count + 1, sizeof *s.sites)};
    int status;

    tch_buf_init(&s.json, ARGS_LIMIT);
    status = s.sites ? walk_recording(&s) : tch_fail_memory(err);
    free(s.sites);
    tch_trace_rows_release(&s.rows);
    tch_buf_release(&s.json);
    return status;
}
