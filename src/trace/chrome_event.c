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
    int64_t ns = 0;
    int left = 3;

    if (at < end && *at == '-')
        at++;
    for (digits = at; at < end && *at >= '0' && *at <= '9'; at++)
        ns = ns * 10 + (*at - '0');
    if (at == digits || at - digits > 15)
        return slow_ns(text, len, ret);
    if (at < end && *at == '.')
        for (at++; left > 0 && at < end && *at >= '0' && *at <= '9'; at++, left--)
            ns = ns * 10 + (*at - '0');
    for (; left > 0; left--)
        ns *= 10;
    if (at < end)
        return slow_ns(text, len, ret);
    *ret = *text == '-' ? -ns : ns;
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

/* {"local": "0x1"} or {"global": "0x1"}. */
static int read_id2(struct tch_chrome_reader *c)
{
    struct tch_json_value v, key;
    int more, status = tch_json_read(&c->json, &v);

    if (status < 0 || v.type != TCH_JSON_OBJECT)
        return status < 0 || v.type != TCH_JSON_ARRAY ? status : tch_json_leave(&c->json);
    while ((more = tch_json_member(&c->json, &key)) > 0) {
        status = tch_json_read_raw(&c->json, &v);
        if (status < 0)
            return status;
        if (v.type == TCH_JSON_STRING)
            c->ev.id = id_of(&(struct tch_json_value){.text = v.text + 1, .len = v.len - 2});
        c->has_id = true;
    }
    return more;
}

/* Members. */

static int read_args(struct tch_chrome_reader *c)
{
    struct tch_json_value v;
    bool wanted = c->r->options.args || c->phase == 0 || c->phase == 'M' || c->phase == 'i' ||
                  c->phase == 'I';
    int status;

    if (!wanted) {
        c->has_args = true;
        return tch_json_skip(&c->json);
    }
    status = tch_json_read_raw(&c->json, &v);
    if (status < 0 || v.type != TCH_JSON_OBJECT)
        return status;
    c->has_args = true;
    tch_buf_clear(&c->args);
    tch_buf_add(&c->args, v.text, v.len);
    return c->args.failed ? no_memory(c) : 0;
}

static bool key_is(const struct tch_json_value *key, const char *text, size_t len)
{
    return key->len == len && memcmp(key->text, text, len) == 0;
}
#define KEY_IS(key, text) key_is(key, text, sizeof text - 1)

/* The members that only some events have. */
static int rare_member(struct tch_chrome_reader *c, const struct tch_json_value *key)
{
    struct tch_json_value v;
    int status;

    if (KEY_IS(key, "id2"))
        return read_id2(c);
    if (!KEY_IS(key, "id") && !KEY_IS(key, "bp") && !KEY_IS(key, "s") && !KEY_IS(key, "bind_id") &&
        !KEY_IS(key, "flow_in") && !KEY_IS(key, "flow_out"))
        return tch_json_skip(&c->json);
    status = tch_json_read_raw(&c->json, &v);
    if (status < 0)
        return status;
    if (v.type == TCH_JSON_STRING) {
        v.text++;
        v.len -= 2;
    }
    if (KEY_IS(key, "id") && (v.type == TCH_JSON_STRING || v.type == TCH_JSON_NUMBER)) {
        c->ev.id = id_of(&v);
        c->has_id = true;
    } else if (KEY_IS(key, "bind_id")) {
        c->bind_id = id_of(&v);
    } else if (KEY_IS(key, "bp")) {
        c->ev.flags = v.len == 1 && v.text[0] == 'e' ? TCH_EV_ENCLOSING : 0;
    } else if (KEY_IS(key, "s")) {
        c->ev.scope = v.len == 1 ? v.text[0] : 't';
    } else if (KEY_IS(key, "flow_in")) {
        c->flow_in = v.type == TCH_JSON_TRUE;
    } else if (KEY_IS(key, "flow_out")) {
        c->flow_out = v.type == TCH_JSON_TRUE;
    }
    return 0;
}

enum member { NAME, CAT, PH, TS, DUR, PID, TID, ARGS, RARE };

/* By length and first byte, then the whole. */
static enum member member_of(const struct tch_json_value *key)
{
    switch (key->len) {
    case 2:
        return KEY_IS(key, "ph") ? PH : KEY_IS(key, "ts") ? TS : RARE;
    case 3:
        return KEY_IS(key, "dur")   ? DUR
               : KEY_IS(key, "pid") ? PID
               : KEY_IS(key, "tid") ? TID
               : KEY_IS(key, "cat") ? CAT
                                    : RARE;
    case 4:
        return KEY_IS(key, "name") ? NAME : KEY_IS(key, "args") ? ARGS : RARE;
    default:
        return RARE;
    }
}

static int read_member(struct tch_chrome_reader *c, const struct tch_json_value *key)
{
    enum member member = member_of(key);
    struct tch_json_value v;
    int status;

    if (member == RARE)
        return rare_member(c, key);
    if (member == ARGS)
        return read_args(c);
    status = tch_json_read(&c->json, &v);
    if (status < 0)
        return status;
    if (v.type == TCH_JSON_OBJECT || v.type == TCH_JSON_ARRAY)
        return tch_json_leave(&c->json);
    switch (member) {
    case NAME:
        c->has_name = v.type == TCH_JSON_STRING;
        return c->has_name ? intern(c, &v, &c->ev.name) : 0;
    case CAT:
        return v.type == TCH_JSON_STRING ? intern(c, &v, &c->ev.category) : 0;
    case PH:
        c->phase = v.type == TCH_JSON_STRING && v.len == 1 ? v.text[0] : '?';
        return 0;
    case TS:
        c->has_ts = read_us(&v, &c->ev.ts);
        return 0;
    case DUR:
        c->has_dur = read_us(&v, &c->ev.dur);
        return 0;
    case PID:
        return read_number(c, &v, &c->last_pid, &c->pid, &c->pid_text);
    default:
        return read_number(c, &v, &c->last_tid, &c->tid, &c->tid_text);
    }
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
    struct tch_json_reader j;
    struct tch_json_value v, key;
    int more, status;

    tch_json_open(&j, c->args.data, c->args.len, NULL);
    if (tch_json_read(&j, &v) < 0)
        return 0;
    while ((more = tch_json_member(&j, &key)) > 0) {
        if (!KEY_IS(&key, "name") && !KEY_IS(&key, "labels") && !KEY_IS(&key, "sort_index")) {
            tch_json_skip(&j);
            continue;
        }
        status = tch_json_read(&j, &v);
        if (status == 0 && v.type == TCH_JSON_STRING && text) {
            status = intern(c, &v, text);
            if (status < 0)
                return status;
        } else if (v.type == TCH_JSON_NUMBER && number) {
            *number = (int64_t)fmax(-9e18, fmin(9e18, tch_json_to_f64(&v)));
            *sorted = true;
        } else if (v.type == TCH_JSON_OBJECT || v.type == TCH_JSON_ARRAY) {
            tch_json_leave(&j);
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
    struct tch_json_reader j;
    struct tch_json_value v, key;
    uint64_t dropped;

    if (!name_is(c, "records dropped") ||
        strcmp(tch_text(&c->r->m->texts, c->ev.category), "tacho") != 0)
        return;
    tch_json_open(&j, c->args.data, c->args.len, NULL);
    if (tch_json_read(&j, &v) < 0)
        return;
    while (tch_json_member(&j, &key) > 0)
        if (tch_json_read_raw(&j, &v) == 0 && KEY_IS(&key, "dropped") &&
            tch_parse_u64_n(v.text, v.len, UINT64_MAX, &dropped) == 0)
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
    if (c->has_args && c->r->options.args && c->args.len > 2) {
        c->ev.args = c->args.data;
        c->ev.args_len = (uint32_t)c->args.len;
    }
    if (c->ev.kind == TCH_EV_INSTANT && c->has_args)
        note_dropped(c);
    status = tch_reading_give(c->r, &c->ev);
    return status != 0 ? status : give_bound(c);
}

int tch_chrome_read_event(struct tch_chrome_reader *c)
{
    struct tch_json_value v, key;
    int more, status = tch_json_read(&c->json, &v);

    if (status < 0)
        return status;
    c->ev = (struct tch_ev){.offset = tch_json_offset(&c->json, &v), .scope = 't'};
    if (v.type != TCH_JSON_OBJECT) {
        if (c->r->m->bad++ == 0)
            c->r->m->bad_offset = c->ev.offset;
        return v.type == TCH_JSON_ARRAY ? tch_json_leave(&c->json) : 0;
    }
    c->between = false;
    c->pid = c->tid = c->bind_id = 0;
    c->pid_text = c->tid_text = 0;
    c->phase = 0;
    c->has_ts = c->has_dur = c->has_name = c->has_args = c->has_id = false;
    c->flow_in = c->flow_out = false;
    while ((more = tch_json_member(&c->json, &key)) > 0) {
        status = read_member(c, &key);
        if (status != 0)
            return status;
    }
    if (more < 0)
        return more;
    c->between = true;
    return give(c);
}
