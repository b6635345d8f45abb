/*
 * The text that babeltrace2 makes of an LTTng or any other CTF trace, one event a line:
 *
 *     [12:00:00.000000001] (+0.1) host provider:event: { cpu_id = 0 }, { vtid = 7 }, { n = 1 }
 *
 * NAME_begin and NAME_end, or NAME_entry and NAME_exit, are a span called NAME; an end whose begin
 * was not seen on its thread, and everything else, is an instant. The thread is what the contexts
 * say (vpid, vtid, pid, tid, procname), or the CPU. What else an event has are its arguments.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/number.h"
#include "grown.h"
#include "readers.h"

enum { ARGS_LIMIT = 1 << 20, DEPTH_MAX = 16, DAYS_MAX = 10000 };

#define SECOND      INT64_C(1000000000)
#define DAY         (86400 * SECOND)
#define SECONDS_MAX UINT64_C(4000000000)

struct text {
    const char *at, *end;
};

struct babeltrace {
    struct tch_reading *r;
    struct tch_texts open; /* of struct span_key */
    uint32_t *open_count;  /* by its number */
    size_t open_room;
    struct tch_buf args, value;
    int64_t before, days; /* of the clock without a date: the time before, and midnights since */

    /* Of the event. */
    uint64_t pid, tid;
    bool has_tid;
    uint32_t thread; /* text of its name, 0: none */
};

struct span_key {
    uint32_t track, name;
};

static int no_memory(struct babeltrace *b)
{
    return tch_fail(b->r->err, TACHO_ENOMEM, 0, "out of memory to read a trace");
}

/* Words. */

static bool take_char(struct text *t, char c)
{
    while (t->at < t->end && *t->at == ' ')
        t->at++;
    if (t->at == t->end || *t->at != c)
        return false;
    t->at++;
    return true;
}

static bool take_number(struct text *t, uint64_t *ret)
{
    const char *start = t->at;

    while (t->at < t->end && *t->at >= '0' && *t->at <= '9')
        t->at++;
    return tch_parse_u64_n(start, (size_t)(t->at - start), UINT64_MAX, ret) == 0;
}

/* Behind the point: nanoseconds, however many digits there are. */
static bool take_fraction(struct text *t, uint64_t *ns)
{
    unsigned digits = 0;

    if (!take_char(t, '.'))
        return false;
    for (*ns = 0; t->at < t->end && *t->at >= '0' && *t->at <= '9'; t->at++)
        if (digits < 9) {
            *ns = *ns * 10 + (uint64_t)(*t->at - '0');
            digits++;
        }
    for (; digits < 9; digits++)
        *ns *= 10;
    return true;
}

/* Days from 1970 to a date, in the calendar of today. */
static int64_t days_to(int64_t year, int64_t month, int64_t day)
{
    int64_t y = month <= 2 ? year - 1 : year, m = month <= 2 ? month + 9 : month - 3;

    return y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1 - 719468;
}

/* Nanoseconds of an hour, minute and second; -1: there is no such time. */
static int64_t time_of_day(const uint64_t n[3], uint64_t ns)
{
    if (n[0] > 23 || n[1] > 59 || n[2] > 60)
        return -1;
    return (int64_t)(n[0] * 3600 + n[1] * 60 + n[2]) * SECOND + (int64_t)ns;
}

/* "2024-01-31 12:00:00.5", "12:00:00.5" or "1700000000.5" between brackets. */
static bool take_time(struct babeltrace *b, struct text *t, int64_t *ret)
{
    uint64_t n[6] = {0}, ns;
    size_t count = 0;
    bool dated = false;

    if (!take_char(t, '['))
        return false;
    for (;;) {
        if (count == 6 || !take_number(t, &n[count]))
            return false;
        count++;
        if (t->at < t->end && (*t->at == ':' || *t->at == '-' || (*t->at == ' ' && count == 3))) {
            dated = dated || *t->at == '-';
            t->at++;
        } else {
            break;
        }
    }
    if (!take_fraction(t, &ns) || !take_char(t, ']') || count != (dated ? 6 : count == 1 ? 1 : 3))
        return false;
    if (count == 1) {
        *ret = (int64_t)(n[0] % SECONDS_MAX) * SECOND + (int64_t)ns;
        return n[0] < SECONDS_MAX;
    }
    *ret = time_of_day(n + count - 3, ns);
    if (*ret < 0)
        return false;
    if (dated) {
        if (n[0] < 1970 || n[0] > 2200 || n[1] < 1 || n[1] > 12 || n[2] < 1 || n[2] > 31)
            return false;
        *ret += days_to((int64_t)n[0], (int64_t)n[1], (int64_t)n[2]) * DAY;
        return true;
    }
    if (*ret < b->before - DAY / 2 && b->days < DAYS_MAX)
        b->days++;
    b->before = *ret;
    *ret += b->days * DAY;
    return true;
}

bool tch_is_babeltrace(const struct tch_source *s)
{
    struct babeltrace b = {.days = 0};
    struct text t = {s->head, s->head + s->head_len};
    int64_t ts;

    return take_time(&b, &t, &ts) && take_char(&t, '(') && take_char(&t, '+');
}

/* Values. */

/* What is between quotes, its escapes undone, in b->value. */
static bool take_string(struct babeltrace *b, struct text *t)
{
    static const char letters[] = "abfnrtv", bytes[] = "\a\b\f\n\r\t\v";

    tch_buf_clear(&b->value);
    for (t->at++; t->at < t->end && *t->at != '"'; t->at++) {
        const char *letter = NULL;

        if (*t->at == '\\' && ++t->at < t->end)
            letter = strchr(letters, *t->at);
        if (t->at == t->end)
            return false;
        tch_buf_addc(&b->value, letter && *letter ? bytes[letter - letters] : *t->at);
    }
    return take_char(t, '"');
}

/* A number as JSON has it, or a text. */
static bool take_word(struct babeltrace *b, struct text *t)
{
    const char *start = t->at;
    uint64_t number;
    size_t len;

    while (t->at < t->end && !strchr(" ,)}]", *t->at))
        t->at++;
    len = (size_t)(t->at - start);
    if (tch_parse_hex_n(start, len, &number) == 0)
        tch_json_u64(&b->args, number);
    else if (len > 0 && (*start == '-' || (*start >= '0' && *start <= '9')) &&
             tch_json_check(start, len, NULL) == 0)
        tch_json_raw(&b->args, start, len);
    else
        tch_json_string(&b->args, start, len);
    return len > 0;
}

static bool take_fields(struct babeltrace *b, struct text *t, unsigned depth);

/* "[ [0] = 1, [1] = 2 ]", behind its bracket. */
static bool take_array(struct babeltrace *b, struct text *t, unsigned depth);

/* "( "NAME" : container = 2 )": the name. */
static bool take_label(struct babeltrace *b, struct text *t)
{
    while (t->at < t->end && *t->at == ' ')
        t->at++;
    if (t->at < t->end && *t->at == '"') {
        if (!take_string(b, t))
            return false;
        tch_json_string(&b->args, b->value.data, b->value.len);
    } else if (!take_word(b, t)) {
        return false;
    }
    while (t->at < t->end && *t->at != ')')
        t->at++;
    return take_char(t, ')');
}

static bool take_value(struct babeltrace *b, struct text *t, unsigned depth)
{
    bool sound;

    while (t->at < t->end && *t->at == ' ')
        t->at++;
    if (t->at == t->end || depth > DEPTH_MAX)
        return false;
    switch (*t->at) {
    case '"':
        if (!take_string(b, t))
            return false;
        tch_json_string(&b->args, b->value.data, b->value.len);
        return true;
    case '{':
        t->at++;
        tch_json_begin_object(&b->args);
        sound = take_fields(b, t, depth + 1);
        tch_json_end_object(&b->args);
        return sound;
    case '[':
        t->at++;
        return take_array(b, t, depth + 1);
    case '(':
        t->at++;
        return take_label(b, t);
    default:
        return take_word(b, t);
    }
}

/* "name = ", or "[3] = ". */
static bool take_key(struct text *t, const char **key, size_t *len)
{
    while (t->at < t->end && *t->at == ' ')
        t->at++;
    *key = t->at;
    while (t->at < t->end && *t->at != ' ' && *t->at != '=')
        t->at++;
    *len = (size_t)(t->at - *key);
    return *len > 0 && take_char(t, '=');
}

static bool take_fields(struct babeltrace *b, struct text *t, unsigned depth)
{
    const char *key;
    size_t len;

    if (take_char(t, '}'))
        return true;
    do {
        if (!take_key(t, &key, &len))
            return false;
        tch_json_key_n(&b->args, key, len);
        if (!take_value(b, t, depth))
            return false;
    } while (take_char(t, ','));
    return take_char(t, '}');
}

static bool take_array(struct babeltrace *b, struct text *t, unsigned depth)
{
    const char *key;
    size_t len;
    bool sound = true;

    tch_json_begin_array(&b->args);
    if (!take_char(t, ']')) {
        do
            sound = take_key(t, &key, &len) && take_value(b, t, depth);
        while (sound && take_char(t, ','));
        sound = sound && take_char(t, ']');
    }
    tch_json_end_array(&b->args);
    return sound;
}

/* Contexts. */

static bool is(const char *text, size_t len, const char *word)
{
    return len == strlen(word) && memcmp(text, word, len) == 0;
}

/* A field that says where the event was; false: an argument like any other. */
static bool take_context(struct babeltrace *b, struct text *t, const char *key, size_t len)
{
    bool sound = true;
    uint64_t number;

    if (is(key, len, "procname")) {
        sound = take_char(t, '"');
        t->at -= sound;
        sound = sound && take_string(b, t);
        b->thread = sound ? tch_texts_add(&b->r->m->texts, b->value.data, b->value.len) : 0;
        return true;
    }
    if (!is(key, len, "vpid") && !is(key, len, "pid") && !is(key, len, "vtid") &&
        !is(key, len, "tid") && !is(key, len, "cpu_id"))
        return false;
    while (t->at < t->end && *t->at == ' ')
        t->at++;
    if (!take_number(t, &number))
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

static bool take_contexts(struct babeltrace *b, struct text *t)
{
    const char *key;
    size_t len;

    if (take_char(t, '}'))
        return true;
    do {
        if (!take_key(t, &key, &len))
            return false;
        if (take_context(b, t, key, len))
            continue;
        tch_json_key_n(&b->args, key, len);
        if (!take_value(b, t, 0))
            return false;
    } while (take_char(t, ','));
    return take_char(t, '}');
}

/* Behind the brace that opens a group: is it the last one, the event's own fields? */
static bool is_last_group(struct text t)
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
    return !take_char(&t, ',');
}

static bool take_groups(struct babeltrace *b, struct text *t)
{
    bool sound = true;

    tch_json_begin_object(&b->args);
    while (sound && take_char(t, '{')) {
        sound = is_last_group(*t) ? take_fields(b, t, 0) : take_contexts(b, t);
        take_char(t, ',');
    }
    tch_json_end_object(&b->args);
    return sound && t->at == t->end;
}

/* Events. */

/* Spans open on the track under that name; NULL when memory ran out. */
static uint32_t *open_of(struct babeltrace *b, uint32_t track, uint32_t name)
{
    struct span_key key = {track, name};
    uint32_t number = tch_texts_add(&b->open, (const char *)&key, sizeof key);
    uint32_t *counts = number == TCH_NO_TEXT ? NULL
                                             : tch_trace_grown(b->open_count, &b->open_room,
                                                               (size_t)number + 1, sizeof *counts);

    if (counts)
        b->open_count = counts;
    return counts ? &counts[number] : NULL;
}

/* How much of the name is left without what says that something begins or ends; 0: nothing does.
   "begin" alone is the provider's. */
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

/* Sets kind, name and category by the event's name, "provider:event". */
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
    ev->category = tch_texts_add(&b->r->m->texts, name, category);
    ev->name = tch_texts_add(&b->r->m->texts, own, (size_t)(name + len - own));
    if (ev->category == TCH_NO_TEXT || ev->name == TCH_NO_TEXT)
        return no_memory(b);
    if (left == 0)
        return 0;
    own = name + left > own ? own : name;
    base = tch_texts_add(&b->r->m->texts, own, (size_t)(name + left - own));
    open = base == TCH_NO_TEXT ? NULL : open_of(b, ev->track, base);
    if (!open)
        return no_memory(b);
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
    struct tch_buf *text = &b->value;
    struct tch_track *t;

    ev->track = tch_model_track(m, b->pid, b->tid);
    if (ev->track == TCH_NO_TEXT || b->thread == TCH_NO_TEXT)
        return no_memory(b);
    t = &m->tracks[ev->track];
    if (!b->has_tid && !t->name) {
        tch_buf_clear(text);
        tch_buf_addf(text, "CPU %llu", (unsigned long long)b->tid);
        t->name = tch_texts_add(&m->texts, text->data, text->len);
        t->made_up = true;
        return t->name == TCH_NO_TEXT ? no_memory(b) : 0;
    }
    if (b->has_tid && b->thread) {
        t->name = b->thread;
        if (!m->processes[t->process].name)
            m->processes[t->process].name = b->thread;
    }
    return 0;
}

/* 0, TACHO_EPARSE when the line is no event, or what stops the reading. */
static int take_line(struct babeltrace *b, struct text t, uint64_t offset)
{
    struct tch_ev ev = {.offset = offset};
    const char *name, *name_end;
    int status;

    b->pid = b->tid = 0;
    b->has_tid = false;
    b->thread = 0;
    tch_buf_clear(&b->args);
    if (!take_time(b, &t, &ev.ts) || !take_char(&t, '('))
        return TACHO_EPARSE;
    name_end = memmem(t.at, (size_t)(t.end - t.at), ": {", 3);
    if (!name_end)
        return TACHO_EPARSE;
    name = memrchr(t.at, ' ', (size_t)(name_end - t.at));
    t.at = name_end + 1;
    if (!name || !take_groups(b, &t))
        return TACHO_EPARSE;
    status = place_event(b, &ev);
    if (status == 0)
        status = name_event(b, &ev, name + 1, (size_t)(name_end - name - 1));
    if (status != 0)
        return status;
    if (b->args.failed || b->value.failed)
        return no_memory(b);
    if (b->r->options.args && b->args.len > 2) {
        ev.args = b->args.data;
        ev.args_len = (uint32_t)b->args.len;
    }
    return tch_reading_give(b->r, &ev);
}

int tch_read_babeltrace(struct tch_reading *r, struct tch_source *s)
{
    struct tch_source_lines lines = {.s = s};
    struct babeltrace b = {.r = r};
    const char *text;
    size_t len;
    int more, status = 0;

    r->m->kind = TCH_KIND_BABELTRACE;
    tch_buf_init(&b.args, ARGS_LIMIT);
    tch_buf_init(&b.value, ARGS_LIMIT);
    while (status == 0 && (more = tch_source_line(&lines, &text, &len, r->err)) > 0) {
        while (len > 0 && (text[len - 1] == '\r' || text[len - 1] == ' '))
            len--;
        if (len > 0)
            status = take_line(&b, (struct text){text, text + len}, lines.offset);
        if (status == TACHO_EPARSE) {
            tch_places_add(&r->m->bad, lines.offset);
            status = 0;
        }
    }
    tch_source_lines_release(&lines);
    tch_texts_release(&b.open);
    free(b.open_count);
    tch_buf_release(&b.args);
    tch_buf_release(&b.value);
    return status != 0 ? status : more;
}
