/*
 * Reads the text that babeltrace2 prints for an LTTng or any other CTF trace, one event per line:
 *
 *     [12:00:00.000000001] (+0.1) host provider:event: { cpu_id = 0 }, { vtid = 7 }, { n = 1 }
 *
 * NAME_begin and NAME_end, or NAME_entry and NAME_exit, form a span called NAME. An end without a
 * begin on its thread becomes an instant, and so does every other event. The contexts name the
 * thread (vpid, vtid, pid, tid, procname); without them, the CPU is the track. All other fields
 * become arguments.
 */
#include <stdlib.h>
#include <string.h>

#include "babeltrace_text.h"
#include "base/array.h"
#include "base/fail.h"
#include "base/json_write.h"
#include "trace_readers.h"
#include "trace_source.h"

enum { ARGS_LIMIT = 1 << 20 };

struct babeltrace {
    struct tch_trace_reading *r;
    struct tch_intern open; /* open spans, keyed by struct span_key */
    uint32_t *open_count;   /* number of open spans, by the number of the key */
    size_t open_room;
    struct tch_bt_out out;
    struct tch_bt_day day;

    /* The event being read. */
    uint64_t pid, tid;
    bool has_tid;
    uint32_t thread; /* text number of the thread's name; 0: none */
};

struct span_key {
    uint32_t track, name;
};

bool tch_is_babeltrace(const struct tch_trace_source *s)
{
    struct tch_bt_day day = {0};
    struct tch_bt_text t = {s->head, s->head + s->head_len};
    int64_t ts;

    return tch_bt_time(&day, &t, &ts) && tch_bt_char(&t, '(') && tch_bt_char(&t, '+');
}

/* Contexts. */

static bool is(const char *text, size_t len, const char *word)
{
    return len == strlen(word) && memcmp(text, word, len) == 0;
}

/* Reads a field that says where the event happened. Returns false if the field is an argument. */
static bool parse_context(void *ctx, struct tch_bt_text *t, const char *key, size_t len)
{
    struct babeltrace *b = ctx;
    bool sound = true;
    uint64_t number;

    if (is(key, len, "procname")) {
        sound = tch_bt_char(t, '"');
        t->at -= sound;
        sound = sound && tch_bt_string(&b->out, t);
        b->thread =
            sound ? tch_intern_add(&b->r->m->texts, b->out.value.data, b->out.value.len) : 0;
        return true;
    }
    if (!is(key, len, "vpid") && !is(key, len, "pid") && !is(key, len, "vtid") &&
        !is(key, len, "tid") && !is(key, len, "cpu_id"))
        return false;
    while (t->at < t->end && *t->at == ' ')
        t->at++;
    if (!tch_bt_number(t, &number))
        return true;
    if (is(key, len, "cpu_id")) {
        b->tid = b->has_tid ? b->tid : number;
    } else if (key[len - 3] == 'p') {
        b->pid = number;
    } else {
        b->tid = number;
        b->has_tid = true;
    }
    return true;
}

/* Returns whether the group whose opening brace was just read is the last one, which has the
   event's own fields. */
static bool is_last_group(struct tch_bt_text t)
{
    unsigned depth = 1;

    for (; t.at < t.end && depth > 0; t.at++) {
        if (*t.at == '"')
            for (t.at++; t.at < t.end && *t.at != '"'; t.at++)
                t.at += *t.at == '\\';
        else
            depth += (unsigned)(*t.at == '{') - (unsigned)(*t.at == '}');
        if (t.at >= t.end)
            return true;
    }
    return !tch_bt_char(&t, ',');
}

static bool parse_groups(struct babeltrace *b, struct tch_bt_text *t)
{
    bool sound = true;

    tch_json_begin_object(&b->out.args);
    while (sound && tch_bt_char(t, '{')) {
        sound = tch_bt_fields(&b->out, t, 0, is_last_group(*t) ? NULL : parse_context, b);
        tch_bt_char(t, ',');
    }
    tch_json_end_object(&b->out.args);
    return sound && t->at == t->end;
}

/* Events. */

/* Returns the counter of spans open on the track with that name; NULL if memory ran out. */
static uint32_t *open_of(struct babeltrace *b, uint32_t track, uint32_t name)
{
    struct span_key key = {track, name};
    uint32_t number = tch_intern_add(&b->open, (const char *)&key, sizeof key);

    if (number == TCH_INTERN_NONE ||
        tch_array_reserve_zero(&b->open_count, &b->open_room, (size_t)number + 1) < 0)
        return NULL;
    return &b->open_count[number];
}

/* Returns the length of the name without its suffix for begin or end; 0 if there is no suffix. A
   name that is only "begin" is an ordinary name. */
static size_t stem(const char *name, size_t len, bool *begins)
{
    static const struct {
        const char *word;
        bool begins;
    } ends[] = {{"begin", true}, {"entry", true}, {"end", false}, {"exit", false}};

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t tail = strlen(ends[i].word);

        if (len > tail + 1 && memcmp(name + len - tail, ends[i].word, tail) == 0 &&
            strchr("_:", name[len - tail - 1])) {
            *begins = ends[i].begins;
            return len - tail - 1;
        }
    }
    return 0;
}

/* Sets kind, name and category from the event's name, "provider:event". */
static int name_event(struct babeltrace *b, struct tch_ev *ev, const char *name, size_t len)
{
    const char *colon = memrchr(name, ':', len);
    const char *own = colon ? colon + 1 : name;
    bool begins = false;
    size_t left = stem(name, len, &begins), category = colon ? (size_t)(colon - name) : 0;
    uint32_t base, *open;

    ev->kind = TCH_EV_INSTANT;
    ev->phase = 'i';
    ev->scope = 't';
    ev->category = tch_intern_add(&b->r->m->texts, name, category);
    ev->name = tch_intern_add(&b->r->m->texts, own, (size_t)(name + len - own));
    if (ev->category == TCH_INTERN_NONE || ev->name == TCH_INTERN_NONE)
        return tch_fail_memory(b->r->err);
    if (left == 0)
        return 0;
    own = name + left > own ? own : name;
    base = tch_intern_add(&b->r->m->texts, own, (size_t)(name + left - own));
    open = base == TCH_INTERN_NONE ? NULL : open_of(b, ev->track, base);
    if (!open)
        return tch_fail_memory(b->r->err);
    if (!begins && *open == 0)
        return 0;
    *open += begins ? 1 : UINT32_MAX;
    ev->kind = begins ? TCH_EV_BEGIN : TCH_EV_END;
    ev->phase = begins ? 'B' : 'E';
    ev->name = base;
    return 0;
}

static int place_event(struct babeltrace *b, struct tch_ev *ev)
{
    struct tch_model *m = b->r->m;
    struct tch_buf *text = &b->out.value;
    struct tch_trace_track *t;

    ev->track = tch_model_track(m, b->pid, b->tid);
    if (ev->track == TCH_INTERN_NONE || b->thread == TCH_INTERN_NONE)
        return tch_fail_memory(b->r->err);
    t = &m->tracks[ev->track];
    if (!b->has_tid && !t->name) {
        tch_buf_clear(text);
        tch_buf_addf(text, "CPU %llu", (unsigned long long)b->tid);
        t->name = tch_intern_add(&m->texts, text->data, text->len);
        t->made_up = true;
        return t->name == TCH_INTERN_NONE ? tch_fail_memory(b->r->err) : 0;
    }
    if (b->has_tid && b->thread) {
        t->name = b->thread;
        if (!m->processes[t->process].name)
            m->processes[t->process].name = b->thread;
    }
    return 0;
}

/* Reads a line. Returns 0, TACHO_EPARSE if the line is not an event, or the status that stops
   reading. */
static int parse_line(struct babeltrace *b, struct tch_bt_text t, uint64_t offset)
{
    struct tch_ev ev = {.offset = offset};
    const char *name, *name_end;
    int status;

    b->pid = b->tid = 0;
    b->has_tid = false;
    b->thread = 0;
    tch_buf_clear(&b->out.args);
    if (!tch_bt_time(&b->day, &t, &ev.ts) || !tch_bt_char(&t, '('))
        return TACHO_EPARSE;
    name_end = memmem(t.at, (size_t)(t.end - t.at), ": {", 3);
    if (!name_end)
        return TACHO_EPARSE;
    name = memrchr(t.at, ' ', (size_t)(name_end - t.at));
    t.at = name_end + 1;
    if (!name || !parse_groups(b, &t))
        return TACHO_EPARSE;
    status = place_event(b, &ev);
    if (status == 0)
        status = name_event(b, &ev, name + 1, (size_t)(name_end - name - 1));
    if (status != 0)
        return status;
    if (b->out.args.failed || b->out.value.failed)
        return tch_fail_memory(b->r->err);
    if (b->r->options.args && b->out.args.len > 2) {
        ev.args = b->out.args.data;
        ev.args_len = (uint32_t)b->out.args.len;
    }
    return tch_trace_reading_give(b->r, &ev);
}

int tch_read_babeltrace(struct tch_trace_reading *r, struct tch_trace_source *s)
{
    struct tch_trace_source_lines lines = {.s = s};
    struct babeltrace b = {.r = r};
    const char *text;
    size_t len;
    int more, status = 0;

    r->m->kind = TCH_KIND_BABELTRACE;
    tch_buf_init(&b.out.args, ARGS_LIMIT);
    tch_buf_init(&b.out.value, ARGS_LIMIT);
    while (status == 0 && (more = tch_trace_source_line(&lines, &text, &len, r->err)) > 0) {
        while (len > 0 && (text[len - 1] == '\r' || text[len - 1] == ' '))
            len--;
        if (len > 0)
            status = parse_line(&b, (struct tch_bt_text){text, text + len}, lines.offset);
        if (status == TACHO_EPARSE) {
            tch_trace_places_add(&r->m->bad, lines.offset);
            status = 0;
        }
    }
    tch_trace_source_lines_release(&lines);
    tch_intern_release(&b.open);
    free(b.open_count);
    tch_buf_release(&b.out.args);
    tch_buf_release(&b.out.value);
    return status != 0 ? status : more;
}
