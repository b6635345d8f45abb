/* The Chrome trace format: one JSON array of events. */
#include "chrome_writer.h"

#include "base/fail.h"
#include "base/float_text.h"
#include "recording_convert.h"

enum {
    TEXT_LIMIT = 1 << 20, /* of one event: names and arguments are far below */
    NUMBERS_MAX = 128,    /* bytes that the times of an event need */
};

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
void tch_chrome_begin(struct tch_chrome *c, const struct tch_rec_name *site)
{
    tch_buf_clear(&c->text);
    tch_json_begin_object(&c->text);
    tch_json_key(&c->text, "name");
    tch_json_string(&c->text, site->name, site->name_len);
    tch_json_key(&c->text, "cat");
    tch_json_string(&c->text, site->category, site->category_len);
    tch_json_key(&c->text, "ph");
}

void tch_chrome_add_time(struct tch_chrome *c, const char *key, uint64_t ns)
{
    char text[TCH_U64_TEXT + 4];

    tch_json_key(&c->text, key);
    tch_json_raw(&c->text, text, put_us(text, ns));
}

static void add_ids(struct tch_chrome *c)
{
    c->process_used = c->thread_used = true;
    tch_buf_add(&c->text, c->ids, c->ids_len);
}

static void add_args(struct tch_chrome *c, const struct tch_seen_event *e)
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

void tch_chrome_end(struct tch_chrome *c)
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

static const struct tch_chrome_prefix *prefix_of(struct tch_chrome *c, uint32_t site)
{
    struct tch_chrome_prefix *p = &c->prefixes[site];

    if (p->text || c->out.status < 0)
        return p;
    tch_chrome_begin(c, tch_rec_site(c->r, site));
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

static void plain_span(struct tch_chrome *c, const struct tch_seen_event *e)
{
    static const char dur[] = ",\"dur\":";
    const struct tch_chrome_prefix *p = prefix_of(c, e->id);
    char *at;

    if (c->out.status < 0)
        return;
    at = tch_out_room(&c->out, p->len + NUMBERS_MAX + c->ids_len);
    *at = ',';
    at += c->any;
    memcpy(at, p->text, p->len);
    at += p->len;
    at += put_us(at, tch_chrome_from_start(c, e->begin_ns));
    memcpy(at, dur, sizeof dur - 1);
    at += sizeof dur - 1;
    at += put_us(at, e->ns > e->begin_ns ? e->ns - e->begin_ns : 0);
    memcpy(at, c->ids, c->ids_len);
    at += c->ids_len;
    *at++ = '}';
    c->out.len = (size_t)(at - c->out.data);
    c->any = c->process_used = c->thread_used = true;
}

static void span_with_args(struct tch_chrome *c, const struct tch_seen_event *e)
{
    tch_chrome_begin(c, tch_rec_site(c->r, e->id));
    tch_json_text(&c->text, "X");
    tch_chrome_add_time(c, "ts", tch_chrome_from_start(c, e->begin_ns));
    tch_chrome_add_time(c, "dur", e->ns > e->begin_ns ? e->ns - e->begin_ns : 0);
    add_ids(c);
    add_args(c, e);
    tch_chrome_end(c);
}

/* A begin without an end: viewers show it as not finished. */
static void unfinished_span(struct tch_chrome *c, const struct tch_seen_event *e)
{
    tch_chrome_begin(c, tch_rec_site(c->r, e->id));
    tch_json_text(&c->text, "B");
    tch_chrome_add_time(c, "ts", tch_chrome_from_start(c, e->ns));
    add_ids(c);
    add_args(c, e);
    tch_chrome_end(c);
}

/* Others. */

static void begin_other(struct tch_chrome *c, const struct tch_seen_event *e, const char *phase)
{
    tch_chrome_begin(c, tch_rec_site(c->r, e->id));
    tch_json_text(&c->text, phase);
    tch_chrome_add_time(c, "ts", tch_chrome_from_start(c, e->ns));
    add_ids(c);
}

static void add_id(struct tch_chrome *c, uint64_t id)
{
    char text[24];

    snprintf(text, sizeof text, "0x%llx", (unsigned long long)id);
    tch_json_put_text(&c->text, "id", text);
}

static const char *pick(const char *const *list, uint64_t i)
{
    return list[i < 3 ? i : 0];
}

static void instant(struct tch_chrome *c, const struct tch_seen_event *e)
{
    static const char *const scopes[] = {"t", "p", "g"};

    begin_other(c, e, "i");
    tch_json_put_text(&c->text, "s", pick(scopes, e->fixed[0]));
    add_args(c, e);
    tch_chrome_end(c);
}

static void add_counter_value(struct tch_chrome *c, unsigned type, uint64_t bits)
{
    tch_json_key(&c->text, "args");
    tch_json_begin_object(&c->text);
    tch_json_key(&c->text, "value");
    tch_json_arg(&c->text, &(struct tch_rec_arg){.type = type, .bits = bits});
    tch_json_end_object(&c->text);
    tch_chrome_end(c);
}

static void counter(struct tch_chrome *c, const struct tch_seen_event *e)
{
    begin_other(c, e, "C");
    add_counter_value(c, e->fixed[0] == TACHO_ARG_F64 ? TACHO_ARG_F64 : TACHO_ARG_I64, e->fixed[1]);
}

static void flow(struct tch_chrome *c, const struct tch_seen_event *e)
{
    static const char *const phases[] = {"s", "t", "f"};

    begin_other(c, e, pick(phases, e->fixed[0]));
    add_id(c, e->fixed[1]);
    tch_json_put_text(&c->text, "bp", "e");
    tch_chrome_end(c);
}

static void async(struct tch_chrome *c, const struct tch_seen_event *e)
{
    static const char *const phases[] = {"b", "n", "e"};

    begin_other(c, e, pick(phases, e->fixed[0]));
    add_id(c, e->fixed[1]);
    add_args(c, e);
    tch_chrome_end(c);
}

/* The reference format: whole microseconds, from the start of the recording. */
static void put_event(struct tch_chrome *c, const struct tch_seen_event *e, const char *phase,
                      size_t phase_len, const uint64_t numbers[4])
{
    tch_chrome_begin(c, tch_rec_site(c->r, e->id));
    tch_json_string(&c->text, phase, phase_len);
    tch_json_put_u64(&c->text, "ts",
                     numbers[0] + tch_chrome_from_start(c, c->r->clock.first.ns) / 1000);
    tch_json_put_u64(&c->text, "dur", numbers[1]);
    tch_json_put_u64(&c->text, "pid", numbers[2] ? numbers[2] : c->put_pid);
    tch_json_put_u64(&c->text, "tid", numbers[3]);
    add_args(c, e);
    tch_chrome_end(c);
}

static void push(struct tch_chrome *c, const struct tch_seen_event *e)
{
    uint64_t numbers[4] = {0, 0, 0, e->fixed[1]};

    tch_push_times(c->r, e, &numbers[0], &numbers[1]);
    put_event(c, e, "X", 1, numbers);
}

static void track_event(struct tch_chrome *c, const struct tch_seen_event *e, uint32_t row)
{
    uint64_t start, end;

    tch_rows_times(c->r, e, &start, &end);
    tch_chrome_begin(c, tch_rec_site(c->r, e->id));
    tch_json_text(&c->text, e->kind == TCH_REC_TRACK_SPAN ? "X" : "i");
    tch_chrome_add_time(c, "ts", tch_chrome_from_start(c, start));
    if (e->kind == TCH_REC_TRACK_SPAN)
        tch_chrome_add_time(c, "dur", end - start);
    c->process_used = true;
    tch_json_put_u64(&c->text, "pid", c->r->head.pid);
    tch_json_put_u64(&c->text, "tid", TCH_CHROME_TRACK_TID + row);
    if (e->kind != TCH_REC_TRACK_SPAN) {
        tch_json_put_text(&c->text, "s", "t");
    }
    add_args(c, e);
    tch_chrome_end(c);
}

static void track_counter(struct tch_chrome *c, const struct tch_seen_event *e)
{
    tch_chrome_begin(c, tch_rec_site(c->r, e->id));
    tch_json_text(&c->text, "C");
    tch_chrome_add_time(c, "ts", tch_chrome_from_start(c, e->fixed[1]));
    add_ids(c);
    add_counter_value(c, TACHO_ARG_F64, e->fixed[2]);
}

static void other(struct tch_chrome *c, const struct tch_seen_event *e)
{
    const struct tch_rec_name *phase;
    uint32_t row = tch_rows_has(c->r, e) ? tch_rows_next(&c->rows, c->r, e) : 0;

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
        if (row != TCH_NO_ROW)
            track_event(c, e, row);
        else
            c->r->damaged++;
        break;
    case TCH_REC_TRACK_COUNTER:
        track_counter(c, e);
        break;
    case TCH_REC_THREAD:
        tch_chrome_enter_thread(c, e);
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
    struct tch_chrome *c = ctx;

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

static int write_events(struct tch_chrome *c, tacho_error *err)
{
    int status = tch_rows_lay_out(&c->rows, c->r, err);

    if (status == 0)
        status = tch_recording_walk(c->r, see, c, err);
    if (status < 0)
        return status;
    tch_chrome_name_thread(c);
    tch_chrome_name_rows(c);
    tch_chrome_tell_losses(c);
    tch_chrome_name_process(c);
    return 0;
}

static int write_between(struct tch_chrome *c, struct tch_replace *file, const char *before,
                         const char *after, tacho_error *err)
{
    int status;

    tch_buf_init(&c->text, TEXT_LIMIT);
    status = tch_out_init(&c->out, file, err);
    c->prefixes = calloc((size_t)c->r->sites.count + 1, sizeof *c->prefixes);
    if (!c->prefixes)
        status = tch_fail(err, TACHO_ENOMEM, 0, "out of memory to write a trace");
    if (status == 0) {
        tch_out_add(&c->out, before, strlen(before));
        status = write_events(c, err);
    }
    if (status == 0) {
        tch_out_add(&c->out, after, strlen(after));
        status = tch_out_flush(&c->out);
    }
    for (uint32_t i = 0; c->prefixes && i < c->r->sites.count; i++)
        free(c->prefixes[i].text);
    free(c->prefixes);
    tch_rows_release(&c->rows);
    tch_buf_release(&c->text);
    tch_out_release(&c->out);
    return status;
}

static int write_chrome(struct tch_recording *r, struct tch_replace *file, tacho_error *err)
{
    struct tch_chrome c = {.r = r, .origin = r->clock.first.ns};

    return write_between(&c, file, "[", "]", err);
}

int tch_chrome_add(struct tch_recording *r, struct tch_replace *file, uint64_t origin_ns,
                   tacho_error *err)
{
    struct tch_chrome c = {.r = r, .origin = origin_ns, .put_pid = r->head.pid, .any = true};

    return write_between(&c, file, "", "", err);
}

const struct tch_trace_format tch_trace_chrome = {".json", "Chrome JSON", write_chrome};
