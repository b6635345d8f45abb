/* One event of the Chrome format. */
#include "chrome_event.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"

enum { MADE_UP = 0x60000000 }; /* the first number for an id that is a text */

static int no_memory(struct tch_chrome_reader *c)
{
    return tch_fail(c->r->err, TACHO_ENOMEM, 0, "out of memory to read a trace");
}

/* Microseconds as written to nanoseconds, rounded; false: neither a number nor a text of one. */

static bool slow_ns(const char *text, size_t len, int64_t *ret)
{
    double us;

    if (tch_parse_f64_n(text, len, &us) < 0)
        return false;
    us = round(us * 1000);
    if (!(us > -9.2e18 && us < 9.2e18))
        return false;
    *ret = (int64_t)us;
    return true;
}

static bool us_to_ns(const char *text, size_t len, int64_t *ret)
{
    const char *at = text, *end = text + len, *digits;
    uint64_t ns = 0; /* may wrap; too many digits go the slow way */
    int left = 3;

    if (at < end && *at == '-')
        at++;
    for (digits = at; at < end && *at >= '0' && *at <= '9'; at++)
        ns = ns * 10 + (uint64_t)(*at - '0');
    if (at == digits || at - digits > 15)
        return slow_ns(text, len, ret);
    if (at < end && *at == '.')
        for (at++; left > 0 && at < end && *at >= '0' && *at <= '9'; at++, left--)
            ns = ns * 10 + (uint64_t)(*at - '0');
    for (; left > 0; left--)
        ns *= 10;
    if (at < end)
        return slow_ns(text, len, ret);
    *ret = *text == '-' ? -(int64_t)ns : (int64_t)ns;
    return true;
}

static bool read_us(const struct tch_json_value *v, int64_t *ret)
{
    return (v->type == TCH_JSON_NUMBER || v->type == TCH_JSON_STRING) &&
           us_to_ns(v->text, v->len, ret);
}

/* Texts. */

static int intern(struct tch_chrome_reader *c, const struct tch_json_value *v, uint32_t *ret)
{
    const char *text = v->text;
    size_t len = v->len;

    if (v->escaped) {
        tch_buf_clear(&c->text);
        tch_json_unescape(v, &c->text);
        if (c->text.failed)
            return no_memory(c);
        text = c->text.data;
        len = c->text.len;
    }
    *ret = tch_texts_add(&c->r->m->texts, text, len);
    return *ret == TCH_NO_TEXT ? no_memory(c) : 0;
}

/* Ids. */

static uint64_t hash_text(const char *text, size_t len)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return hash;
}

static bool hex_number(const char *text, size_t len, uint64_t *ret)
{
    uint64_t value = 0;

    if (len < 3 || len > 18 || text[0] != '0' || (text[1] | 32) != 'x')
        return false;
    for (size_t i = 2; i < len; i++) {
        char low = (char)(text[i] | 32);

        if (text[i] >= '0' && text[i] <= '9')
            value = value << 4 | (uint64_t)(text[i] - '0');
        else if (low >= 'a' && low <= 'f')
            value = value << 4 | (uint64_t)(low - 'a' + 10);
        else
            return false;
    }
    *ret = value;
    return true;
}

/* What belongs together: a number, a hexadecimal text, or any other text by its hash. */
static uint64_t id_of(const struct tch_json_value *v)
{
    uint64_t id;

    if (hex_number(v->text, v->len, &id) || tch_parse_u64_n(v->text, v->len, UINT64_MAX, &id) == 0)
        return id;
    return hash_text(v->text, v->len);
}

/* A pid or tid. One event after the other has the same. */
static int read_number(struct tch_chrome_reader *c, const struct tch_json_value *v,
                       struct tch_chrome_id *last, uint64_t *number, uint32_t *text)
{
    if (v->type == TCH_JSON_STRING)
        return intern(c, v, text);
    if (v->type != TCH_JSON_NUMBER)
        return 0;
    if (v->len == last->len && memcmp(v->text, last->text, v->len) == 0) {
        *number = last->number;
        return 0;
    }
    if (tch_parse_u64_n(v->text, v->len, UINT64_MAX, number) < 0)
        *number = (uint64_t)(int64_t)fmax(-9.2e18, fmin(9.2e18, tch_json_to_f64(v)));
    if (v->len <= sizeof last->text) {
        memcpy(last->text, v->text, v->len);
        last->len = v->len;
        last->number = *number;
    }
    return 0;
}

/* Members.
 *
 * The reader has checked the whole event, so what follows walks sound JSON and looks for ends only.
 */

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')
        p++;
    return p;
}

/* The closing quote of the string whose first byte is at p. */
static const char *string_end(const char *p, bool *escaped)
{
    for (; *p != '"'; p++)
        if (*p == '\\') {
            *escaped = true;
            p++;
        }
    return p;
}

/* The byte behind the array or object that begins at p. */
static const char *container_end(const char *p)
{
    unsigned depth = 0;
    bool unused;

    for (;; p++) {
        if (*p == '"')
            p = string_end(p + 1, &unused);
        else if (*p == '{' || *p == '[')
            depth++;
        else if ((*p == '}' || *p == ']') && --depth == 0)
            return p + 1;
    }
}

/* The value at p; the text of a string is without its quotes. Returns the byte behind it. */
static const char *read_value(const char *p, struct tch_json_value *v)
{
    const char *start = p;

    v->escaped = false;
    switch (*p) {
    case '"':
        v->type = TCH_JSON_STRING;
        p = string_end(++start, &v->escaped);
        v->text = start;
        v->len = (size_t)(p - start);
        return p + 1;
    case '{':
    case '[':
        v->type = *p == '{' ? TCH_JSON_OBJECT : TCH_JSON_ARRAY;
        p = container_end(p);
        break;
    default:
        v->type = *p == 't'   ? TCH_JSON_TRUE
                  : *p == 'f' ? TCH_JSON_FALSE
                  : *p == 'n' ? TCH_JSON_NULL
                              : TCH_JSON_NUMBER;
        while (*p != ',' && *p != '}' && *p != ']' && *p > ' ')
            p++;
    }
    v->text = start;
    v->len = (size_t)(p - start);
    return p;
}

/* The next key of an object and its value; NULL behind the last. p is behind what came before. */
static const char *next_member(const char *p, struct tch_json_value *key, struct tch_json_value *v)
{
    p = skip_blanks(p);
    if (*p == ',')
        p = skip_blanks(p + 1);
    if (*p == '}')
        return NULL;
    p = skip_blanks(read_value(p, key));
    return read_value(skip_blanks(p + 1), v);
}

static bool key_is(const struct tch_json_value *key, const char *text, size_t len)
{
    return key->len == len && memcmp(key->text, text, len) == 0;
}
#define KEY_IS(key, text) key_is(key, text, sizeof(text) - 1)

/* {"local": "0x1"} or {"global": "0x1"}. */
static void read_id2(struct tch_chrome_reader *c, const struct tch_json_value *object)
{
    struct tch_json_value key, v;
    const char *p = object->text + 1;

    if (object->type != TCH_JSON_OBJECT)
        return;
    while ((p = next_member(p, &key, &v))) {
        c->ev.id = id_of(&v);
        c->has_id = true;
    }
}

/* The members that only some events have. */
static void rare_member(struct tch_chrome_reader *c, const struct tch_json_value *key,
                        const struct tch_json_value *v)
{
    if (KEY_IS(key, "id2")) {
        read_id2(c, v);
    } else if (KEY_IS(key, "id")) {
        c->ev.id = id_of(v);
        c->has_id = v->type == TCH_JSON_STRING || v->type == TCH_JSON_NUMBER;
    } else if (KEY_IS(key, "bind_id")) {
        c->bind_id = id_of(v);
    } else if (KEY_IS(key, "bp")) {
        c->ev.flags = v->len == 1 && v->text[0] == 'e' ? TCH_EV_ENCLOSING : 0;
    } else if (KEY_IS(key, "s")) {
        c->ev.scope = v->len == 1 && strchr("pg", v->text[0]) ? v->text[0] : 't';
    } else if (KEY_IS(key, "flow_in")) {
        c->flow_in = v->type == TCH_JSON_TRUE;
    } else if (KEY_IS(key, "flow_out")) {
        c->flow_out = v->type == TCH_JSON_TRUE;
    }
}

/* By length, then the whole. */
static int take_member(struct tch_chrome_reader *c, const struct tch_json_value *key,
                       const struct tch_json_value *v)
{
    if (key->len == 2 && KEY_IS(key, "ph")) {
        c->phase = v->type == TCH_JSON_STRING && v->len == 1 ? v->text[0] : '?';
    } else if (key->len == 2 && KEY_IS(key, "ts")) {
        c->has_ts = read_us(v, &c->ev.ts);
    } else if (key->len == 3 && KEY_IS(key, "dur")) {
        c->has_dur = read_us(v, &c->ev.dur);
    } else if (key->len == 3 && KEY_IS(key, "pid")) {
        return read_number(c, v, &c->last_pid, &c->pid, &c->pid_text);
    } else if (key->len == 3 && KEY_IS(key, "tid")) {
        return read_number(c, v, &c->last_tid, &c->tid, &c->tid_text);
    } else if (key->len == 3 && KEY_IS(key, "cat")) {
        return v->type == TCH_JSON_STRING ? intern(c, v, &c->ev.category) : 0;
    } else if (key->len == 4 && KEY_IS(key, "name")) {
        c->has_name = v->type == TCH_JSON_STRING;
        return c->has_name ? intern(c, v, &c->ev.name) : 0;
    } else if (key->len == 4 && KEY_IS(key, "args")) {
        c->has_args = v->type == TCH_JSON_OBJECT;
        c->args = v->text;
        c->args_len = v->len;
    } else {
        rare_member(c, key, v);
    }
    return 0;
}

/* Tracks. */

/* An id that is a text gets a number of its own, and names what it is the id of. */
static uint64_t made_up_id(struct tch_chrome_reader *c, uint32_t text)
{
    (void)c;
    return (uint64_t)MADE_UP + text;
}

static int find_track(struct tch_chrome_reader *c)
{
    struct tch_model *m = c->r->m;

    if (c->pid_text)
        c->pid = made_up_id(c, c->pid_text);
    if (c->tid_text)
        c->tid = made_up_id(c, c->tid_text);
    if (c->track > 0 && c->pid == c->track_pid && c->tid == c->track_tid) {
        c->ev.track = c->track - 1;
        return 0;
    }
    c->ev.track = tch_model_track(m, c->pid, c->tid);
    if (c->ev.track == TCH_NO_TEXT)
        return no_memory(c);
    c->track = c->ev.track + 1;
    c->track_pid = c->pid;
    c->track_tid = c->tid;
    if (c->tid_text && !m->tracks[c->ev.track].name) {
        m->tracks[c->ev.track].name = c->tid_text;
        m->tracks[c->ev.track].made_up = true;
    }
    if (c->pid_text && !m->processes[m->tracks[c->ev.track].process].name)
        m->processes[m->tracks[c->ev.track].process].name = c->pid_text;
    if (c->pid > UINT32_MAX || c->tid > UINT32_MAX) {
        if (m->big_ids++ == 0)
            m->big_offset = c->ev.offset;
    }
    return 0;
}

/* Metadata. */

static bool name_is(const struct tch_chrome_reader *c, const char *text)
{
    return strcmp(tch_text(&c->r->m->texts, c->ev.name), text) == 0;
}

/* The member of args that counts: "name", "labels" or "sort_index". */
static int read_metadata(struct tch_chrome_reader *c, uint32_t *text, int64_t *number, bool *sorted)
{
    struct tch_json_value key, v;
    const char *p = c->args + 1;

    while ((p = next_member(p, &key, &v))) {
        if (!KEY_IS(&key, "name") && !KEY_IS(&key, "labels") && !KEY_IS(&key, "sort_index"))
            continue;
        if (v.type == TCH_JSON_STRING && text)
            return intern(c, &v, text);
        if (v.type == TCH_JSON_NUMBER && number) {
            *number = (int64_t)fmax(-9e18, fmin(9e18, tch_json_to_f64(&v)));
            *sorted = true;
        }
    }
    return 0;
}

static int take_metadata(struct tch_chrome_reader *c)
{
    struct tch_model *m = c->r->m;
    struct tch_process *p;
    uint32_t process;
    int status;

    if (!c->has_args || !c->has_name)
        return 0;
    if (name_is(c, "thread_name") || name_is(c, "thread_sort_index")) {
        struct tch_track *t;

        status = find_track(c);
        if (status < 0)
            return status;
        t = &m->tracks[c->ev.track];
        return name_is(c, "thread_name") ? read_metadata(c, &t->name, NULL, NULL)
                                         : read_metadata(c, NULL, &t->sort, &t->sorted);
    }
    if (c->pid_text)
        c->pid = made_up_id(c, c->pid_text);
    process = tch_model_process(m, c->pid);
    if (process == TCH_NO_TEXT)
        return no_memory(c);
    p = &m->processes[process];
    if (name_is(c, "process_name"))
        return read_metadata(c, &p->name, NULL, NULL);
    if (name_is(c, "process_labels"))
        return read_metadata(c, &p->labels, NULL, NULL);
    if (name_is(c, "process_sort_index"))
        return read_metadata(c, NULL, &p->sort, &p->sorted);
    m->ignored++;
    return 0;
}

/* Giving. */

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

/* Does it lack what a viewer needs? */
static bool is_bad(const struct tch_chrome_reader *c)
{
    return !c->has_ts || (c->phase == 'X' && (!c->has_dur || c->ev.dur < 0)) ||
           ((c->ev.kind == TCH_EV_FLOW || c->ev.kind == TCH_EV_ASYNC) && !c->has_id) ||
           (c->phase == 'C' && !c->has_args);
}

/* The newer way to write flows: as members of a span. */
static int give_bound(struct tch_chrome_reader *c)
{
    struct tch_ev flow = c->ev;
    int status = 0;

    if (c->bind_id == 0 || (!c->flow_in && !c->flow_out))
        return 0;
    flow.kind = TCH_EV_FLOW;
    flow.id = c->bind_id;
    flow.dur = 0;
    flow.args = NULL;
    flow.args_len = 0;
    flow.flags = TCH_EV_ENCLOSING;
    flow.phase = c->flow_in && c->flow_out ? 't' : c->flow_out ? 's' : 'f';
    status = tch_reading_give(c->r, &flow);
    return status;
}

/* The recorder tells so what it dropped. */
static void note_dropped(struct tch_chrome_reader *c)
{
    struct tch_json_value key, v;
    const char *p = c->args + 1;
    uint64_t dropped;

    if (!name_is(c, "records dropped") ||
        strcmp(tch_text(&c->r->m->texts, c->ev.category), "tacho") != 0)
        return;
    while ((p = next_member(p, &key, &v)))
        if (KEY_IS(&key, "dropped") && tch_parse_u64_n(v.text, v.len, UINT64_MAX, &dropped) == 0)
            c->r->m->dropped += dropped;
}

static int give(struct tch_chrome_reader *c)
{
    int status;

    if (c->phase == 'M')
        return take_metadata(c);
    c->ev.phase = c->phase;
    if (!set_kind(&c->ev, c->phase)) {
        c->r->m->ignored++;
        return 0;
    }
    if (is_bad(c)) {
        if (c->r->m->bad++ == 0)
            c->r->m->bad_offset = c->ev.offset;
        return 0;
    }
    status = find_track(c);
    if (status < 0)
        return status;
    if (c->has_args && c->r->options.args && c->args_len > 2) {
        c->ev.args = c->args;
        c->ev.args_len = (uint32_t)c->args_len;
    }
    if (c->ev.kind == TCH_EV_INSTANT && c->has_args)
        note_dropped(c);
    status = tch_reading_give(c->r, &c->ev);
    return status != 0 ? status : give_bound(c);
}

/*
 * A writer gives its members in the same order again and again. The key expected here is compared,
 * quotes and colon included; where it is that, nothing is searched for. Comparing stops at the
 * first byte that differs, so it never passes the end of the event.
 */
static const char *past_expected(const char *p, const char *text)
{
    while (*text != '\0') {
        if (*p++ != *text++)
            return NULL;
    }
    return p;
}

/* A plain number of microseconds at p; NULL when it is anything else. */
static const char *quick_us(const char *p, int64_t *ret)
{
    const char *start = p;
    uint64_t ns = 0;
    int left = 3;

    for (; *p >= '0' && *p <= '9'; p++)
        ns = ns * 10 + (uint64_t)(*p - '0');
    if (p == start || p - start > 15)
        return NULL;
    if (*p == '.')
        for (p++; left > 0 && *p >= '0' && *p <= '9'; p++, left--)
            ns = ns * 10 + (uint64_t)(*p - '0');
    if (*p != ',' && *p != '}')
        return NULL;
    for (; left > 0; left--)
        ns *= 10;
    *ret = (int64_t)ns;
    return p;
}

/* The same id as in an event before. */
static const char *quick_id(const char *p, const struct tch_chrome_id *last, uint64_t *ret)
{
    for (size_t i = 0; i < last->len; i++)
        if (p[i] != last->text[i])
            return NULL;
    p += last->len;
    if (last->len == 0 || (*p != ',' && *p != '}'))
        return NULL;
    *ret = last->number;
    return p;
}

/* What nearly every event has, behind the member before. NULL: not that, or not as plain. */
static const char *quick_member(struct tch_chrome_reader *c, const char *p)
{
    const char *at, *end;

    if ((at = past_expected(p, ",\"ts\":"))) {
        end = quick_us(at, &c->ev.ts);
        c->has_ts = end != NULL;
        return end;
    }
    if ((at = past_expected(p, ",\"dur\":"))) {
        end = quick_us(at, &c->ev.dur);
        c->has_dur = end != NULL;
        return end;
    }
    if ((at = past_expected(p, ",\"ph\":\"")) && at[0] != '\\' && at[0] != '"' && at[1] == '"') {
        c->phase = at[0];
        return at + 2;
    }
    if ((at = past_expected(p, ",\"pid\":")))
        return quick_id(at, &c->last_pid, &c->pid);
    if ((at = past_expected(p, ",\"tid\":")))
        return quick_id(at, &c->last_tid, &c->tid);
    return NULL;
}

int tch_chrome_read_event(struct tch_chrome_reader *c)
{
    struct tch_json_value v, key;
    const char *p;
    int status = tch_json_read_raw(&c->json, &v);

    if (status < 0) {
        c->between = c->json.depth == c->depth;
        return status;
    }
    c->ev = (struct tch_ev){.offset = tch_json_offset(&c->json, &v), .scope = 't'};
    if (v.type != TCH_JSON_OBJECT) {
        if (c->r->m->bad++ == 0)
            c->r->m->bad_offset = c->ev.offset;
        return 0;
    }
    c->pid = c->tid = c->bind_id = 0;
    c->pid_text = c->tid_text = 0;
    c->phase = 0;
    c->has_ts = c->has_dur = c->has_name = c->has_args = c->has_id = false;
    c->flow_in = c->flow_out = false;
    for (p = v.text + 1; status == 0 && p;) {
        const char *quick = quick_member(c, p);

        if (quick) {
            p = quick;
            continue;
        }
        p = next_member(p, &key, &v);
        if (p)
            status = take_member(c, &key, &v);
    }
    return status != 0 ? status : give(c);
}
