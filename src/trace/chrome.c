/* The Chrome trace format: one JSON array of events. */
#include "base/error.h"
#include "base/float_text.h"
#include "base/json_write.h"
#include "convert.h"
#include "out.h"

enum {
    TEXT_LIMIT = 1 << 20,    /* of one event: names and arguments are far below */
    TRACK_TID = 0x40000000u, /* the first tid of a track: no thread has one that high */
    NUMBERS_MAX = 128,       /* bytes that the times of an event need */
};

/* The constant start of a site's events, made when it is first used. */
struct prefix {
    char *text;
    size_t len;
};

struct chrome {
    struct tch_recording *r;
    struct tch_out out;
    struct tch_rows rows;
    struct prefix *prefixes;
    struct tch_buf text; /* of the event that is being made */
    bool any;            /* events so far */

    char ids[64]; /* ,"pid":1,"tid":2 of the thread */
    size_t ids_len;
    uint32_t tid;
    bool process_used, thread_used; /* has events of its own */
    char comm[17];
    uint32_t thread_text; /* its name, when it gave itself one */
    uint32_t process_text;
};

static uint64_t from_start(const struct chrome *c, uint64_t ns)
{
    uint64_t origin = c->r->clock.first.ns;

    return ns > origin ? ns - origin : 0;
}

/* Microseconds, with three decimals where there are any. */
static size_t put_us(char *out, uint64_t ns)
{
    size_t len = tch_u64_text(out, ns / 1000);
    unsigned rest = (unsigned)(ns % 1000);

    if (rest > 0) {
        out[len] = '.';
        out[len + 1] = (char)('0' + rest / 100);
        out[len + 2] = (char)('0' + rest / 10 % 10);
        out[len + 3] = (char)('0' + rest % 10);
        len += 4;
    }
    return len;
}

/* Starts an event in c->text. */
static void begin_event(struct chrome *c, const struct tch_rec_name *site)
{
    tch_buf_clear(&c->text);
    tch_json_begin_object(&c->text);
    tch_json_key(&c->text, "name");
    tch_json_string(&c->text, site->name, site->name_len);
    tch_json_key(&c->text, "cat");
    tch_json_string(&c->text, site->category, site->category_len);
    tch_json_key(&c->text, "ph");
}

static void add_us(struct chrome *c, const char *key, uint64_t ns)
{
    char text[TCH_U64_TEXT + 4];

    tch_json_key(&c->text, key);
    tch_json_raw(&c->text, text, put_us(text, ns));
}

static void add_u64(struct chrome *c, const char *key, uint64_t value)
{
    tch_json_key(&c->text, key);
    tch_json_u64(&c->text, value);
}

static void add_ids(struct chrome *c)
{
    c->process_used = c->thread_used = true;
    tch_buf_add(&c->text, c->ids, c->ids_len);
}

void tch_json_arg(struct tch_buf *b, const struct tch_rec_arg *arg)
{
    double number;

    switch (arg->type) {
    case TACHO_ARG_I64:
        tch_json_i64(b, (int64_t)arg->bits);
        break;
    case TACHO_ARG_F64:
        memcpy(&number, &arg->bits, sizeof number);
        tch_json_f64(b, number);
        break;
    case TACHO_ARG_BOOL:
        tch_json_bool(b, arg->bits != 0);
        break;
    case TACHO_ARG_TEXT:
    case TCH_REC_ARG_JSON:
        tch_json_string(b, arg->text, arg->len);
        break;
    default:
        tch_json_u64(b, arg->bits);
    }
}

static void add_args(struct chrome *c, const struct tch_seen_event *e)
{
    struct tch_arg_list args;

    if (e->args.count + e->end_args.count == 0)
        return;
    tch_args_gather(&args, c->r, e);
    tch_json_key(&c->text, "args");
    tch_json_begin_object(&c->text);
    for (size_t i = 0; i < args.count; i++) {
        tch_json_key_n(&c->text, args.list[i].key->name, args.list[i].key->name_len);
        tch_json_arg(&c->text, &args.list[i]);
    }
    tch_json_end_object(&c->text);
}

static void end_event(struct chrome *c)
{
    tch_json_end_object(&c->text);
    if (c->text.failed && c->out.status == 0)
        c->out.status = tch_fail(c->out.err, TACHO_ENOMEM, 0, "out of memory for an event");
    if (c->any)
        tch_out_add(&c->out, ",", 1);
    c->any = true;
    tch_out_add(&c->out, c->text.data, c->text.len);
}

/* Spans of threads: nearly all there is, so without detours. */

static const struct prefix *prefix_of(struct chrome *c, uint32_t site)
{
    struct prefix *p = &c->prefixes[site];

    if (p->text || c->out.status < 0)
        return p;
    begin_event(c, tch_rec_site(c->r, site));
    tch_buf_adds(&c->text, "\"X\",\"ts\":");
    p->text = malloc(c->text.len + 1);
    if (!p->text || c->text.failed) {
        c->out.status = tch_fail(c->out.err, TACHO_ENOMEM, 0, "out of memory for a name");
        return p;
    }
    memcpy(p->text, c->text.data, c->text.len);
    p->len = c->text.len;
    return p;
}

static void plain_span(struct chrome *c, const struct tch_seen_event *e)
{
    static const char dur[] = ",\"dur\":";
    const struct prefix *p = prefix_of(c, e->id);
    char *at;

    if (c->out.status < 0)
        return;
    at = tch_out_room(&c->out, p->len + NUMBERS_MAX + c->ids_len);
    *at = ',';
    at += c->any;
    memcpy(at, p->text, p->len);
    at += p->len;
    at += put_us(at, from_start(c, e->begin_ns));
    memcpy(at, dur, sizeof dur - 1);
    at += sizeof dur - 1;
    at += put_us(at, e->ns > e->begin_ns ? e->ns - e->begin_ns : 0);
    memcpy(at, c->ids, c->ids_len);
    at += c->ids_len;
    *at++ = '}';
    c->out.len = (size_t)(at - c->out.data);
    c->any = c->process_used = c->thread_used = true;
}

static void span_with_args(struct chrome *c, const struct tch_seen_event *e)
{
    begin_event(c, tch_rec_site(c->r, e->id));
    tch_json_text(&c->text, "X");
    add_us(c, "ts", from_start(c, e->begin_ns));
    add_us(c, "dur", e->ns > e->begin_ns ? e->ns - e->begin_ns : 0);
    add_ids(c);
    add_args(c, e);
    end_event(c);
}

/* A begin without an end: viewers show it as not finished. */
static void unfinished_span(struct chrome *c, const struct tch_seen_event *e)
{
    begin_event(c, tch_rec_site(c->r, e->id));
    tch_json_text(&c->text, "B");
    add_us(c, "ts", from_start(c, e->ns));
    add_ids(c);
    add_args(c, e);
    end_event(c);
}

/* Others. */

static void begin_other(struct chrome *c, const struct tch_seen_event *e, const char *phase)
{
    begin_event(c, tch_rec_site(c->r, e->id));
    tch_json_text(&c->text, phase);
    add_us(c, "ts", from_start(c, e->ns));
    add_ids(c);
}

static void add_id(struct chrome *c, uint64_t id)
{
    char text[24];

    snprintf(text, sizeof text, "0x%llx", (unsigned long long)id);
    tch_json_key(&c->text, "id");
    tch_json_text(&c->text, text);
}

static const char *pick(const char *const *list, uint64_t i)
{
    return list[i < 3 ? i : 0];
}

static void instant(struct chrome *c, const struct tch_seen_event *e)
{
    static const char *const scopes[] = {"t", "p", "g"};

    begin_other(c, e, "i");
    tch_json_key(&c->text, "s");
    tch_json_text(&c->text, pick(scopes, e->fixed[0]));
    add_args(c, e);
    end_event(c);
}

static void add_counter_value(struct chrome *c, unsigned type, uint64_t bits)
{
    tch_json_key(&c->text, "args");
    tch_json_begin_object(&c->text);
    tch_json_key(&c->text, "value");
    tch_json_arg(&c->text, &(struct tch_rec_arg){.type = type, .bits = bits});
    tch_json_end_object(&c->text);
    end_event(c);
}

static void counter(struct chrome *c, const struct tch_seen_event *e)
{
    begin_other(c, e, "C");
    add_counter_value(c, e->fixed[0] == TACHO_ARG_F64 ? TACHO_ARG_F64 : TACHO_ARG_I64, e->fixed[1]);
}

static void flow(struct chrome *c, const struct tch_seen_event *e)
{
    static const char *const phases[] = {"s", "t", "f"};

    begin_other(c, e, pick(phases, e->fixed[0]));
    add_id(c, e->fixed[1]);
    tch_json_key(&c->text, "bp");
    tch_json_text(&c->text, "e");
    end_event(c);
}

static void async(struct chrome *c, const struct tch_seen_event *e)
{
    static const char *const phases[] = {"b", "n", "e"};

    begin_other(c, e, pick(phases, e->fixed[0]));
    add_id(c, e->fixed[1]);
    add_args(c, e);
    end_event(c);
}

/* The reference format: whole microseconds. */
static void put_event(struct chrome *c, const struct tch_seen_event *e, const char *phase,
                      size_t phase_len, const uint64_t numbers[4])
{
    begin_event(c, tch_rec_site(c->r, e->id));
    tch_json_string(&c->text, phase, phase_len);
    add_u64(c, "ts", numbers[0]);
    add_u64(c, "dur", numbers[1]);
    add_u64(c, "pid", numbers[2]);
    add_u64(c, "tid", numbers[3]);
    add_args(c, e);
    end_event(c);
}

static void push(struct chrome *c, const struct tch_seen_event *e)
{
    uint64_t numbers[4] = {0, 0, 0, e->fixed[1]};

    tch_push_times(c->r, e, &numbers[0], &numbers[1]);
    put_event(c, e, "X", 1, numbers);
}

static void track_event(struct chrome *c, const struct tch_seen_event *e, uint32_t row)
{
    uint64_t start, end;

    tch_rows_times(c->r, e, &start, &end);
    begin_event(c, tch_rec_site(c->r, e->id));
    tch_json_text(&c->text, e->kind == TCH_REC_TRACK_SPAN ? "X" : "i");
    add_us(c, "ts", from_start(c, start));
    if (e->kind == TCH_REC_TRACK_SPAN)
        add_us(c, "dur", end - start);
    c->process_used = true;
    add_u64(c, "pid", c->r->head.pid);
    add_u64(c, "tid", TRACK_TID + row);
    if (e->kind != TCH_REC_TRACK_SPAN) {
        tch_json_key(&c->text, "s");
        tch_json_text(&c->text, "t");
    }
    add_args(c, e);
    end_event(c);
}

static void track_counter(struct chrome *c, const struct tch_seen_event *e)
{
    begin_event(c, tch_rec_site(c->r, e->id));
    tch_json_text(&c->text, "C");
    add_us(c, "ts", from_start(c, e->fixed[1]));
    add_ids(c);
    add_counter_value(c, TACHO_ARG_F64, e->fixed[2]);
}

/* Who is who. */

static void metadata(struct chrome *c, const char *what, uint32_t tid, const char *name, size_t len)
{
    tch_buf_clear(&c->text);
    tch_json_begin_object(&c->text);
    tch_json_key(&c->text, "name");
    tch_json_text(&c->text, what);
    tch_json_key(&c->text, "ph");
    tch_json_text(&c->text, "M");
    add_u64(c, "pid", c->r->head.pid);
    add_u64(c, "tid", tid);
    tch_json_key(&c->text, "args");
    tch_json_begin_object(&c->text);
    tch_json_key(&c->text, "name");
    tch_json_string(&c->text, name, len);
    tch_json_end_object(&c->text);
    end_event(c);
}

static void name_thread(struct chrome *c)
{
    const struct tch_rec_name *text;

    if (!c->thread_used)
        return;
    if (c->thread_text != 0) {
        text = tch_rec_text(c->r, c->thread_text);
        metadata(c, "thread_name", c->tid, text->name, text->name_len);
    } else if (c->comm[0]) {
        metadata(c, "thread_name", c->tid, c->comm, strlen(c->comm));
    }
}

static void enter_thread(struct chrome *c, const struct tch_seen_event *e)
{
    name_thread(c);
    c->thread_used = false;
    c->thread_text = 0;
    c->tid = e->tid;
    memcpy(c->comm, e->fixed + 1, sizeof c->comm - 1);
    c->ids_len = (size_t)snprintf(c->ids, sizeof c->ids, ",\"pid\":%u,\"tid\":%u",
                                  (unsigned)c->r->head.pid, (unsigned)e->tid);
}

static void name_process(struct chrome *c)
{
    const char *program = tch_base_name(c->r->head.program);
    const struct tch_rec_name *text;

    if (c->process_text != 0) {
        text = tch_rec_text(c->r, c->process_text);
        metadata(c, "process_name", c->r->head.pid, text->name, text->name_len);
    } else if (c->process_used) {
        metadata(c, "process_name", c->r->head.pid, program, strlen(program));
    }
}

static void name_rows(struct chrome *c)
{
    for (uint32_t i = 0; i < c->rows.count; i++) {
        const struct tch_row *row = &c->rows.rows[i];
        const struct tch_rec_name *text;

        if (row->kind != TCH_ROW_TRACK)
            continue;
        text = tch_rec_text(c->r, (uint32_t)row->a);
        metadata(c, "thread_name", TRACK_TID + i, text->name, text->name_len);
    }
}

/* What is not in here. */
static void tell_losses(struct chrome *c)
{
    static const struct tch_rec_name what = {
        .name = "records dropped", .category = "tacho", .name_len = 15, .category_len = 5};
    const struct tch_rec_header *head = &c->r->head;
    char mem[64];
    struct tch_buf why;

    if (head->dropped == 0)
        return;
    tch_buf_init_on(&why, mem, sizeof mem, sizeof mem - 1);
    tch_add_reasons(&why, head->reasons);
    begin_event(c, &what);
    tch_json_text(&c->text, "i");
    add_us(c, "ts", from_start(c, c->r->clock.last.ns));
    add_u64(c, "pid", head->pid);
    add_u64(c, "tid", head->pid);
    tch_json_key(&c->text, "s");
    tch_json_text(&c->text, "g");
    tch_json_key(&c->text, "args");
    tch_json_begin_object(&c->text);
    add_u64(c, "dropped", head->dropped);
    tch_json_key(&c->text, "why");
    tch_json_text(&c->text, why.data);
    add_u64(c, "ends_without_begin", c->r->lost_ends);
    add_u64(c, "spans_cut", c->r->lost_begins);
    tch_json_end_object(&c->text);
    end_event(c);
    tch_buf_release(&why);
}

static void other(struct chrome *c, const struct tch_seen_event *e)
{
    const struct tch_rec_name *phase;
    uint32_t row = tch_rows_has(c->r, e) ? tch_rows_next(&c->rows) : 0;

    switch (e->kind) {
    case TCH_REC_INSTANT:
        instant(c, e);
        break;
    case TCH_REC_COUNTER:
        counter(c, e);
        break;
    case TCH_REC_FLOW:
        flow(c, e);
        break;
    case TCH_REC_ASYNC:
        async(c, e);
        break;
    case TCH_REC_PUSH:
        push(c, e);
        break;
    case TCH_REC_PUT:
        phase = tch_rec_text(c->r, (uint32_t)e->fixed[4]);
        put_event(c, e, phase->name, phase->name_len, e->fixed);
        break;
    case TCH_REC_TRACK_SPAN:
    case TCH_REC_TRACK_INSTANT:
        track_event(c, e, row);
        break;
    case TCH_REC_TRACK_COUNTER:
        track_counter(c, e);
        break;
    case TCH_REC_THREAD:
        enter_thread(c, e);
        break;
    case TCH_REC_THREAD_NAME:
        c->thread_text = e->id;
        break;
    case TCH_REC_PROCESS_NAME:
        c->process_text = e->id;
        break;
    default:
        break;
    }
}

static int see(void *ctx, const struct tch_seen_event *e)
{
    struct chrome *c = ctx;

    switch (e->seen) {
    case TCH_SEEN_BEGIN:
        break; /* written when it ends */
    case TCH_SEEN_END:
        if (e->args.count + e->end_args.count == 0)
            plain_span(c, e);
        else
            span_with_args(c, e);
        break;
    case TCH_SEEN_UNFINISHED:
        unfinished_span(c, e);
        break;
    case TCH_SEEN_OTHER:
        other(c, e);
        break;
    }
    return c->out.status;
}

static int write_all(struct chrome *c, tacho_error *err)
{
    int status = tch_rows_lay_out(&c->rows, c->r, err);

    if (status < 0)
        return status;
    tch_out_add(&c->out, "[", 1);
    status = tch_recording_walk(c->r, see, c, err);
    if (status < 0)
        return status;
    name_thread(c);
    name_rows(c);
    tell_losses(c);
    name_process(c);
    tch_out_add(&c->out, "]", 1);
    return tch_out_flush(&c->out);
}

static int write_chrome(struct tch_recording *r, struct tch_replace *file, tacho_error *err)
{
    struct chrome c = {.r = r};
    int status;

    tch_buf_init(&c.text, TEXT_LIMIT);
    status = tch_out_init(&c.out, file, err);
    c.prefixes = calloc((size_t)r->sites.count + 1, sizeof *c.prefixes);
    if (!c.prefixes)
        status = tch_fail(err, TACHO_ENOMEM, 0, "out of memory to write a trace");
    if (status == 0)
        status = write_all(&c, err);
    for (uint32_t i = 0; c.prefixes && i < r->sites.count; i++)
        free(c.prefixes[i].text);
    free(c.prefixes);
    tch_rows_release(&c.rows);
    tch_buf_release(&c.text);
    tch_out_release(&c.out);
    return status;
}

const struct tch_trace_format tch_trace_chrome = {".json", "Chrome JSON", write_chrome};
