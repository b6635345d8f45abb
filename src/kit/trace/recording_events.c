/* A recording as events of the model: what chrome_writer.c writes, without the text between. */
#include <stdio.h>
#include <string.h>

#include <tacho/trace.h>

#include "base/fail.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "lib/trace/trace_output.h"
#include "trace_readers.h"

enum {
    ARGS_LIMIT = 1 << 20,
    TRACK_TID = 0x40000000, /* the first tid of a track, as in chrome_writer.c */
};

struct recording_reader {
    struct tch_reading *r;
    struct tch_recording rec;
    struct tch_rows rows;
    struct tch_buf args;
    uint32_t *names;      /* by site: 1 + the text of its name */
    uint32_t *categories; /* by site */
    uint32_t track;       /* of the thread */
    uint64_t tid;
    bool track_named;
};

static int no_memory(struct recording_reader *c)
{
    return tch_fail(c->r->err, TACHO_ENOMEM, 0, "out of memory to read a recording");
}

static uint32_t add_text(struct recording_reader *c, const char *text, size_t len)
{
    uint32_t number = TCH_INTERN_NONE;

    tch_buf_clear(&c->args);
    tch_utf8_add(&c->args, text, len);
    if (!c->args.failed)
        number = tch_intern_add(&c->r->m->texts, c->args.data, c->args.len);
    return number;
}

static int know_site(struct recording_reader *c, uint32_t site)
{
    const struct tch_rec_name *name = tch_rec_site(&c->rec, site);
    uint32_t text, category;

    if (c->names[site] > 0)
        return 0;
    text = add_text(c, name->name, name->name_len);
    category = add_text(c, name->category, name->category_len);
    if (text == TCH_INTERN_NONE || category == TCH_INTERN_NONE)
        return no_memory(c);
    c->names[site] = text + 1;
    c->categories[site] = category;
    return 0;
}

static int64_t from_start(const struct recording_reader *c, uint64_t ns)
{
    uint64_t origin = c->rec.clock.first.ns;

    return ns > origin ? (int64_t)(ns - origin) : 0;
}

/* What claims to be JSON is, or it is a text. */
static void add_value(struct recording_reader *c, const struct tch_rec_arg *arg)
{
    if (arg->type == TCH_REC_ARG_JSON && tch_json_check(arg->text, arg->len, NULL) == 0)
        tch_json_raw(&c->args, arg->text, arg->len);
    else
        tch_json_arg(&c->args, arg);
}

static void write_args(struct recording_reader *c, const struct tch_seen_event *e)
{
    struct tch_arg_list args;

    tch_args_gather(&args, &c->rec, e);
    tch_buf_clear(&c->args);
    tch_json_begin_object(&c->args);
    for (size_t i = 0; i < args.count; i++) {
        tch_json_key_n(&c->args, args.list[i].key->name, args.list[i].key->name_len);
        add_value(c, &args.list[i]);
    }
    tch_json_end_object(&c->args);
}

/* Gives an event whose kind, phase and times are set. */
static int give(struct recording_reader *c, const struct tch_seen_event *e, struct tch_ev *ev)
{
    int status = know_site(c, e->id);

    if (status < 0)
        return status;
    ev->name = c->names[e->id] - 1;
    ev->category = c->categories[e->id];
    if (c->r->options.args && e->args.count + e->end_args.count > 0)
        write_args(c, e);
    else if (ev->kind != TCH_EV_COUNTER)
        tch_buf_clear(&c->args);
    if (c->args.failed)
        return no_memory(c);
    if (c->args.len > 0) {
        ev->args = c->args.data;
        ev->args_len = (uint32_t)c->args.len;
    }
    return tch_reading_give(c->r, ev);
}

static int span(struct recording_reader *c, const struct tch_seen_event *e)
{
    struct tch_ev ev = {.kind = TCH_EV_SPAN,
                        .phase = 'X',
                        .track = c->track,
                        .ts = from_start(c, e->begin_ns),
                        .dur = e->ns > e->begin_ns ? (int64_t)(e->ns - e->begin_ns) : 0};

    return give(c, e, &ev);
}

/* A number as the arguments of a counter. */
static int counter(struct recording_reader *c, const struct tch_seen_event *e, uint64_t ns,
                   unsigned type, uint64_t bits)
{
    struct tch_ev ev = {
        .kind = TCH_EV_COUNTER, .phase = 'C', .track = c->track, .ts = from_start(c, ns)};
    int status = know_site(c, e->id);

    if (status < 0)
        return status;
    tch_buf_clear(&c->args);
    tch_json_begin_object(&c->args);
    tch_json_key(&c->args, "value");
    tch_json_arg(&c->args, &(struct tch_rec_arg){.type = type, .bits = bits});
    tch_json_end_object(&c->args);
    return give(c, e, &ev);
}

static int set_track(struct recording_reader *c, struct tch_ev *ev, uint64_t pid, uint64_t tid)
{
    ev->track = tch_model_track(c->r->m, pid, tid);
    return ev->track == TCH_INTERN_NONE ? no_memory(c) : 0;
}

/* What has explicit times. */
static int on_row(struct recording_reader *c, const struct tch_seen_event *e)
{
    uint32_t row = tch_rows_next(&c->rows, &c->rec, e);
    struct tch_ev ev = {.kind = TCH_EV_SPAN, .phase = 'X', .scope = 't'};
    const struct tch_rec_name *text;
    uint64_t start, end;
    int status;

    if (row == TCH_NO_ROW) {
        c->rec.damaged++;
        return 0;
    }
    tch_rows_times(&c->rec, e, &start, &end);
    ev.ts = from_start(c, start);
    ev.dur = (int64_t)(end - start);
    if (e->kind == TCH_REC_PUSH) {
        status = set_track(c, &ev, 0, e->fixed[1]);
    } else if (e->kind == TCH_REC_PUT) {
        status = set_track(c, &ev, e->fixed[2], e->fixed[3]);
        text = tch_rec_text(&c->rec, (uint32_t)e->fixed[4]);
        if (text->name_len != 1 || text->name[0] != 'X') {
            ev.kind = TCH_EV_INSTANT;
            ev.phase = 'i';
        }
    } else {
        status = set_track(c, &ev, c->rec.head.pid, (uint64_t)TRACK_TID + row);
        text = tch_rec_text(&c->rec, (uint32_t)c->rows.rows[row].a);
        if (status == 0) {
            c->r->m->tracks[ev.track].name = add_text(c, text->name, text->name_len);
            c->r->m->tracks[ev.track].made_up = true;
            if (c->r->m->tracks[ev.track].name == TCH_INTERN_NONE)
                return no_memory(c);
        }
        if (e->kind == TCH_REC_TRACK_INSTANT) {
            ev.kind = TCH_EV_INSTANT;
            ev.phase = 'i';
        }
    }
    if (ev.kind == TCH_EV_INSTANT)
        ev.dur = 0;
    return status < 0 ? status : give(c, e, &ev);
}

static int with_id(struct recording_reader *c, const struct tch_seen_event *e,
                   enum tch_ev_kind kind, const char *phases)
{
    struct tch_ev ev = {.kind = (uint8_t)kind,
                        .phase = phases[e->fixed[0] < 3 ? e->fixed[0] : 0],
                        .track = c->track,
                        .ts = from_start(c, e->ns),
                        .id = e->fixed[1],
                        .flags = kind == TCH_EV_FLOW ? TCH_EV_ENCLOSING : 0};

    return give(c, e, &ev);
}

static int edge(struct recording_reader *c, const struct tch_seen_event *e, enum tch_ev_kind kind)
{
    struct tch_ev ev = {.kind = (uint8_t)kind,
                        .phase = kind == TCH_EV_BEGIN ? 'B' : 'i',
                        .track = c->track,
                        .ts = from_start(c, e->ns),
                        .scope =
                            "tpg"[kind == TCH_EV_INSTANT && e->fixed[0] < 3 ? e->fixed[0] : 0]};

    return give(c, e, &ev);
}

static int enter_thread(struct recording_reader *c, const struct tch_seen_event *e)
{
    char comm[17] = "";

    memcpy(comm, e->fixed + 1, sizeof comm - 1);
    c->tid = e->tid;
    c->track = tch_model_track(c->r->m, e->pid, e->tid);
    if (c->track == TCH_INTERN_NONE)
        return no_memory(c);
    if (comm[0] && !c->r->m->tracks[c->track].name)
        c->r->m->tracks[c->track].name = add_text(c, comm, strlen(comm));
    return c->r->m->tracks[c->track].name == TCH_INTERN_NONE ? no_memory(c) : 0;
}

static int set_name(struct recording_reader *c, uint32_t text, uint32_t *name)
{
    const struct tch_rec_name *t = tch_rec_text(&c->rec, text);

    *name = add_text(c, t->name, t->name_len);
    return *name == TCH_INTERN_NONE ? no_memory(c) : 0;
}

static int other(struct recording_reader *c, const struct tch_seen_event *e)
{
    struct tch_model *m = c->r->m;

    if (tch_rows_has(&c->rec, e))
        return on_row(c, e);
    switch (e->kind) {
    case TCH_REC_INSTANT:
        return edge(c, e, TCH_EV_INSTANT);
    case TCH_REC_COUNTER:
        return counter(c, e, e->ns, e->fixed[0] == TACHO_ARG_F64 ? TACHO_ARG_F64 : TACHO_ARG_I64,
                       e->fixed[1]);
    case TCH_REC_TRACK_COUNTER:
        return counter(c, e, e->fixed[1], TACHO_ARG_F64, e->fixed[2]);
    case TCH_REC_FLOW:
        return with_id(c, e, TCH_EV_FLOW, "stf");
    case TCH_REC_ASYNC:
        return with_id(c, e, TCH_EV_ASYNC, "bne");
    case TCH_REC_THREAD:
        return enter_thread(c, e);
    case TCH_REC_THREAD_NAME:
        return set_name(c, e->id, &m->tracks[c->track].name);
    case TCH_REC_PROCESS_NAME:
        return set_name(c, e->id, &m->processes[m->tracks[c->track].process].name);
    default:
        return 0;
    }
}

static int see(void *ctx, const struct tch_seen_event *e)
{
    struct recording_reader *c = ctx;

    switch (e->seen) {
    case TCH_SEEN_END:
        return span(c, e);
    case TCH_SEEN_UNFINISHED:
        return edge(c, e, TCH_EV_BEGIN);
    case TCH_SEEN_OTHER:
        return other(c, e);
    default:
        return 0; /* a begin comes again with its end */
    }
}

static int walk(struct recording_reader *c)
{
    struct tch_model *m = c->r->m;
    const char *program = tch_base_name(c->rec.head.program);
    uint32_t process = tch_model_process(m, c->rec.head.pid), name;
    int status = tch_rows_lay_out(&c->rows, &c->rec, c->r->err);

    if (status < 0)
        return status;
    name = add_text(c, program, strlen(program));
    c->names = calloc((size_t)c->rec.sites.count + 1, sizeof *c->names);
    c->categories = calloc((size_t)c->rec.sites.count + 1, sizeof *c->categories);
    if (!c->names || !c->categories || process == TCH_INTERN_NONE || name == TCH_INTERN_NONE)
        return no_memory(c);
    m->processes[process].name = name;
    return tch_recording_walk(&c->rec, see, c, c->r->err);
}

static void note_clock(struct recording_reader *c)
{
    struct tch_model *m = c->r->m;
    const struct tch_rec_header *head = &c->rec.head;

    /* A recording that a trace without a clock was converted to has none either. */
    m->clock = (struct tch_trace_clock){.known = head->wall_ns != 0,
                                        .tsc = head->clock == TCH_REC_CLOCK_TSC,
                                        .first = c->rec.clock.first,
                                        .last = c->rec.clock.last,
                                        .wall_ns = head->wall_ns,
                                        .wall_error = head->wall_error};
    memcpy(m->clock.boot_id, head->boot_id, sizeof m->clock.boot_id);
    m->clock.boot_id[sizeof m->clock.boot_id - 1] = '\0';
}

/* The recorder makes one page, then whole chunks where those begin: else somebody else cut it. */
static bool is_cut(const struct tch_recording *r)
{
    if (r->size < r->head.header_size)
        return r->size != TCH_REC_PAGE;
    return (r->size - r->head.header_size) % TCH_REC_CHUNK != 0;
}

static void note_facts(struct recording_reader *c)
{
    struct tch_model *m = c->r->m;
    const struct tch_rec_header *head = &c->rec.head;

    m->bytes = c->rec.size;
    m->dropped = head->dropped;
    m->bad.count = c->rec.damaged;
    if (is_cut(&c->rec)) {
        m->cut = m->tail_only = true;
        tch_fail(&m->why, TACHO_EPARSE, 0, "the recording ends inside %s",
                 c->rec.size < head->header_size ? "its header" : "a chunk");
        m->why.offset = c->rec.size;
    }
}

int tch_read_recording(struct tch_reading *r, struct tch_source *s)
{
    struct recording_reader c = {.r = r};
    int status;

    if (s->compressed || strcmp(s->path, "-") == 0)
        return tch_fail(r->err, TACHO_EINVAL, 0,
                        "a recording must be a file of its own, neither compressed nor a pipe");
    status = tch_recording_open(&c.rec, s->path, r->err);
    if (status < 0)
        return status;
    r->m->kind = TCH_KIND_RECORDING;
    tch_buf_init(&c.args, ARGS_LIMIT);
    note_clock(&c);
    status = walk(&c);
    note_facts(&c);
    tch_buf_release(&c.args);
    tch_rows_release(&c.rows);
    free(c.names);
    free(c.categories);
    tch_recording_close(&c.rec);
    return status;
}
