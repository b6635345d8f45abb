/* Writes the Chrome trace format. All traces in this format are written here. */
#include "chrome_writer.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/float_text.h"
#include "base/json_write.h"
#include "record_words.h"
#include "recording_file.h"

enum {
    TEXT_LIMIT = 64 << 20, /* limit of one event, in bytes */
    NUMBERS_MAX = 128,     /* bytes that suffice for the times of a span and the text around them */
    LANE_TID = 0x50000000, /* the first tid of the lanes for spans that overlap others */
    LANES = 64,            /* number of tids for the lanes of a track */
};

void tch_chrome_init(struct tch_chrome *c, struct tch_model *m, struct tch_sink *out,
                     const char *between)
{
    *c =
        (struct tch_chrome){.m = m, .out = out, .between = between, .between_len = strlen(between)};
    tch_buf_init(&c->text, TEXT_LIMIT);
}

void tch_chrome_release(struct tch_chrome *c)
{
    for (size_t i = 0; i < c->prefix_room; i++)
        free(c->prefixes[i].text);
    free(c->prefixes);
    tch_buf_release(&c->text);
}

static int out_of_memory(struct tch_chrome *c)
{
    if (c->out->status == 0)
        c->out->status = tch_fail_memory(c->out->err);
    return c->out->status;
}

static int end_event(struct tch_chrome *c)
{
    tch_json_end_object(&c->text);
    if (c->text.failed)
        return out_of_memory(c);
    if (c->any)
        tch_sink_add(c->out, c->between, c->between_len);
    c->any = true;
    tch_sink_add(c->out, c->text.data, c->text.len);
    return c->out->status;
}

static void add_text(struct tch_chrome *c, const char *key, uint32_t text)
{
    tch_json_key(&c->text, key);
    tch_json_string(&c->text, tch_intern_text(&c->m->texts, text),
                    tch_intern_len(&c->m->texts, text));
}

/* Names. */

static void begin_metadata(struct tch_chrome *c, const char *what, uint64_t pid)
{
    tch_buf_clear(&c->text);
    tch_json_begin_object(&c->text);
    tch_json_put_text(&c->text, "name", what);
    tch_json_put_text(&c->text, "ph", "M");
    tch_json_put_u64(&c->text, "pid", pid);
}

/* Ends the event with the text, or with the number when there is no text. */
static void end_metadata(struct tch_chrome *c, const char *key, uint32_t text, int64_t number)
{
    tch_json_key(&c->text, "args");
    tch_json_begin_object(&c->text);
    if (text != 0) {
        add_text(c, key, text);
    } else {
        tch_json_key(&c->text, key);
        tch_json_i64(&c->text, number);
    }
    tch_json_end_object(&c->text);
    end_event(c);
}

int tch_chrome_name_track(struct tch_chrome *c, uint32_t track)
{
    const struct tch_trace_track *t = &c->m->tracks[track];

    if (t->name) {
        begin_metadata(c, "thread_name", tch_model_pid(c->m, track));
        tch_json_put_u64(&c->text, "tid", t->tid);
        end_metadata(c, "name", t->name, 0);
    }
    if (t->sorted) {
        begin_metadata(c, "thread_sort_index", tch_model_pid(c->m, track));
        tch_json_put_u64(&c->text, "tid", t->tid);
        end_metadata(c, "sort_index", 0, t->sort);
    }
    return c->out->status;
}

int tch_chrome_names(struct tch_chrome *c)
{
    for (uint32_t i = 0; i < tch_model_process_count(c->m); i++) {
        const struct tch_trace_process *p = &c->m->processes[i];

        if (p->name) {
            begin_metadata(c, "process_name", p->pid);
            end_metadata(c, "name", p->name, 0);
        }
        if (p->labels) {
            begin_metadata(c, "process_labels", p->pid);
            end_metadata(c, "labels", p->labels, 0);
        }
        if (p->sorted) {
            begin_metadata(c, "process_sort_index", p->pid);
            end_metadata(c, "sort_index", 0, p->sort);
        }
    }
    for (uint32_t i = 0; i < tch_model_track_count(c->m); i++)
        tch_chrome_name_track(c, i);
    return c->out->status;
}

/* Finds the track of a lane. Names it when its first span comes. */
static int lane_track(struct tch_chrome *c, const struct tch_ev *ev, uint32_t *ret)
{
    uint64_t tid = LANE_TID + (uint64_t)ev->track * LANES +
                   (ev->lane < LANES - 1 ? ev->lane : (uint32_t)LANES - 1);
    uint32_t count = tch_model_track_count(c->m), name = c->m->tracks[ev->track].name;
    struct tch_buf text;

    *ret = tch_model_track(c->m, tch_model_pid(c->m, ev->track), tid);
    if (*ret == TCH_INTERN_NONE)
        return out_of_memory(c);
    if (*ret < count)
        return 0;
    tch_buf_init(&text, 1 << 20);
    if (name)
        tch_buf_adds(&text, tch_intern_text(&c->m->texts, name));
    else
        tch_buf_addf(&text, "%llu", (unsigned long long)c->m->tracks[ev->track].tid);
    tch_buf_addf(&text, " (overlaps %u)", (unsigned)ev->lane);
    name = tch_intern_add(&c->m->texts, text.data, text.len);
    tch_buf_release(&text);
    if (name == TCH_INTERN_NONE)
        return out_of_memory(c);
    c->m->tracks[*ret].name = name;
    return tch_chrome_name_track(c, *ret);
}

/* Events. */

/* Writes microseconds, with three decimals unless they are all zero. */
static inline size_t put_us(char *out, uint64_t ns)
{
    unsigned rest = (unsigned)(ns % 1000);
    size_t len = tch_u64_text(out, ns / 1000);

    if (rest > 0) {
        out[len] = '.';
        out[len + 1] = (char)('0' + rest / 100);
        out[len + 2] = (char)('0' + rest / 10 % 10);
        out[len + 3] = (char)('0' + rest % 10);
        len += 4;
    }
    return len;
}

static void add_time(struct tch_chrome *c, const char *key, const struct tch_ev *ev, int64_t time)
{
    char text[TCH_U64_TEXT + 8] = "-";
    uint64_t size = time < 0 ? 0 - (uint64_t)time : (uint64_t)time;
    size_t sign = time < 0;

    tch_json_key(&c->text, key);
    if (ev->flags & TCH_EV_PUT)
        tch_json_u64(&c->text, (uint64_t)time);
    else
        tch_json_raw(&c->text, text, sign + put_us(text + sign, size));
}

static void set_ids(struct tch_chrome *c, uint32_t track)
{
    static const char pid[] = ",\"pid\":", tid[] = ",\"tid\":";
    char *at = c->ids;

    memcpy(at, pid, sizeof pid - 1);
    at += sizeof pid - 1;
    at += tch_u64_text(at, tch_model_pid(c->m, track));
    memcpy(at, tid, sizeof tid - 1);
    at += sizeof tid - 1;
    at += tch_u64_text(at, c->m->tracks[track].tid);
    c->ids_len = (size_t)(at - c->ids);
    c->track = track + 1;
}

/* Writes the event from its name up to its phase, which the caller adds. */
static void begin_event(struct tch_chrome *c, const struct tch_ev *ev)
{
    tch_buf_clear(&c->text);
    tch_json_begin_object(&c->text);
    add_text(c, "name", ev->name);
    add_text(c, "cat", ev->category);
    tch_json_key(&c->text, "ph");
}

/* Returns whether the span has the times of the last one, and it was not written yet which one is
   the outer one. Times that a program has chosen itself come in any order. */
static inline bool is_new_tie(const struct tch_chrome *c, const struct tch_ev *ev)
{
    return ev->ts == c->last_ts && ev->dur == c->last_dur && c->last_track == ev->track + 1 &&
           c->ordered != ev->track + 1 && !(ev->flags & TCH_EV_PUT);
}

static void remember_span(struct tch_chrome *c, const struct tch_ev *ev)
{
    c->last_ts = ev->ts;
    c->last_dur = ev->dur;
    c->last_track = ev->track + 1;
}

/* Says that the outer one of two equal spans comes first. The spans of a recording are otherwise in
   the order of their ends, from which a reader would conclude the opposite. */
static void write_order(struct tch_chrome *c, uint32_t track)
{
    begin_metadata(c, TCH_EQUAL_SPANS, tch_model_pid(c->m, track));
    tch_json_put_u64(&c->text, "tid", c->m->tracks[track].tid);
    end_metadata(c, "outer_first", 0, 1);
    c->ordered = track + 1;
}

/* Spans without arguments. Nearly all events are such spans, so they have a fast path.
   Everything that they rarely need is kept out of line. */

static bool make_prefix(struct tch_chrome *c, const struct tch_ev *ev)
{
    struct tch_chrome_prefix *p;

    if (tch_array_reserve_zero(&c->prefixes, &c->prefix_room, (size_t)ev->name + 1) < 0)
        return false;
    p = &c->prefixes[ev->name];
    if (p->text)
        return true;
    begin_event(c, ev);
    tch_buf_adds(&c->text, "\"X\",\"ts\":");
    p->len = c->text.len;
    p->category = ev->category;
    p->text = tch_buf_take(&c->text);
    return p->text != NULL;
}

/* Writes a plain span by its prefix. Returns false when it needs more, for example because its
   name was first used with another category. */
static inline bool add_plain_span(struct tch_chrome *c, const struct tch_ev *ev)
{
    static const char dur[] = ",\"dur\":";
    const struct tch_chrome_prefix *p;
    char *start, *at;

    if (ev->kind != TCH_EV_SPAN || (ev->args_len | ev->lane) != 0 || ev->flags & TCH_EV_PUT ||
        c->track != ev->track + 1 || ev->name >= c->prefix_room || ev->ts < 0 || c->out->status < 0)
        return false;
    p = &c->prefixes[ev->name];
    if (!p->text || p->category != ev->category || is_new_tie(c, ev))
        return false;
    start = at = tch_sink_room(c->out, c->between_len + p->len + NUMBERS_MAX + c->ids_len);
    if (!at)
        return false;
    at[0] = c->between[0];
    at[1] = c->between[1];
    at += c->any ? c->between_len : 0;
    memcpy(at, p->text, p->len);
    at += p->len;
    at += put_us(at, (uint64_t)ev->ts);
    memcpy(at, dur, sizeof dur - 1);
    at += sizeof dur - 1;
    at += put_us(at, (uint64_t)ev->dur);
    memcpy(at, c->ids, c->ids_len);
    at += c->ids_len;
    *at++ = '}';
    c->out->b.len += (size_t)(at - start);
    c->any = true;
    remember_span(c, ev);
    return true;
}

/* All other events. */

/* Adds the members that only events of one kind have. */
static void add_special(struct tch_chrome *c, const struct tch_ev *ev)
{
    char text[24];

    switch (ev->kind) {
    case TCH_EV_SPAN:
        add_time(c, "dur", ev, ev->dur);
        break;
    case TCH_EV_INSTANT:
        tch_json_put_text(&c->text, "s", (char[]){ev->scope, '\0'});
        break;
    case TCH_EV_FLOW:
    case TCH_EV_ASYNC:
        snprintf(text, sizeof text, "0x%llx", (unsigned long long)ev->id);
        if (ev->flags & TCH_EV_LOCAL) {
            tch_json_key(&c->text, "id2");
            tch_json_begin_object(&c->text);
            tch_json_put_text(&c->text, "local", text);
            tch_json_end_object(&c->text);
        } else {
            tch_json_put_text(&c->text, "id", text);
        }
        if (ev->flags & TCH_EV_ENCLOSING)
            tch_json_put_text(&c->text, "bp", "e");
        break;
    default:
        break;
    }
}

static void add_args(struct tch_chrome *c, const struct tch_ev *ev)
{
    tch_json_key(&c->text, "args");
    if (!(ev->flags & TCH_EV_VALUES)) {
        tch_json_raw(&c->text, ev->args, ev->args_len);
        return;
    }
    tch_json_begin_object(&c->text);
    for (uint32_t i = 0; i < ev->args_len; i++) {
        tch_json_key_n(&c->text, ev->values[i].key->name, ev->values[i].key->name_len);
        tch_json_arg(&c->text, &ev->values[i]);
    }
    tch_json_end_object(&c->text);
}

__attribute__((noinline)) static int add_event(struct tch_chrome *c, const struct tch_ev *ev)
{
    uint32_t track = ev->track;

    if (c->out->status < 0 || (ev->lane > 0 && lane_track(c, ev, &track) < 0))
        return c->out->status;
    if (c->track != track + 1)
        set_ids(c, track);
    if (ev->kind == TCH_EV_SPAN && is_new_tie(c, ev))
        write_order(c, track);
    if (ev->kind == TCH_EV_SPAN && ev->args_len == 0 && make_prefix(c, ev) && add_plain_span(c, ev))
        return c->out->status;
    if (ev->kind == TCH_EV_SPAN)
        remember_span(c, ev);
    begin_event(c, ev);
    if (ev->flags & TCH_EV_PUT && ev->phase == '\0')
        tch_json_string(&c->text, tch_intern_text(&c->m->texts, (uint32_t)ev->id),
                        tch_intern_len(&c->m->texts, (uint32_t)ev->id));
    else
        tch_json_text(&c->text, (char[]){ev->phase, '\0'});
    add_time(c, "ts", ev, ev->ts);
    add_special(c, ev);
    tch_buf_add(&c->text, c->ids, c->ids_len);
    if (ev->args_len > 0)
        add_args(c, ev);
    return end_event(c);
}

int tch_chrome_add(void *ctx, const struct tch_ev *ev)
{
    return add_plain_span(ctx, ev) ? 0 : add_event(ctx, ev);
}
