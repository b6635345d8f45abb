/* Checks product events by tables of rules, and translates them. */
#include "event_product.h"

#include <ctype.h>
#include <string.h>

#include "base/fail.h"
#include "base/json_write.h"
#include "base/utf8.h"

/* --- Rules --- */

enum rule_kind {
    A_TEXT,   /* a text that is not blank */
    A_WHOLE,  /* a whole number, not negative */
    A_NUMBER, /* a whole number, possibly negative */
    AN_OBJECT,
    A_TIME, /* RFC 3339 */
};

struct rule {
    const char *key;
    enum rule_kind kind;
    bool optional;
    const char *const *words; /* of a text: the only ones that are allowed; NULL: any */
};

static const char *const entrypoints[] = {"run", "serve", "bench_serve", "synthetic", NULL};
static const char *const event_kinds[] = {"instant", "timed_span", "resource",
                                          "memory",  "error",      NULL};
static const char *const statuses[] = {"ok", "failure", "diagnostic_only", NULL};
static const char *const actions[] = {
    "request_open",  "reserve",           "commit", "defer", "reject", "release", "rollback",
    "request_close", "capacity_snapshot", NULL};

static const struct rule event_rules[] = {
    {"schema_version", A_WHOLE, false, NULL},
    {"ts_unix_nanos", A_WHOLE, false, NULL},
    {"event_id", A_TEXT, false, NULL},
    {"request_id", A_TEXT, false, NULL},
    {"correlation_id", A_TEXT, false, NULL},
    {"entrypoint", A_TEXT, false, entrypoints},
    {"backend", A_TEXT, false, NULL},
    {"runtime_preset_hash", A_TEXT, false, NULL},
    {"phase", A_TEXT, false, NULL},
    {"event_kind", A_TEXT, false, event_kinds},
    {"timestamp", A_TIME, false, NULL},
    {"status", A_TEXT, false, statuses},
    {"model", A_TEXT, true, NULL},
    {"duration_us", A_WHOLE, true, NULL},
    {"shape", AN_OBJECT, false, NULL},
    {"memory", AN_OBJECT, true, NULL},
    {"resource", AN_OBJECT, true, NULL},
    {"error", AN_OBJECT, true, NULL},
    {"replay", AN_OBJECT, true, NULL},
    {"backend_detail", AN_OBJECT, true, NULL},
    {"attributes", AN_OBJECT, true, NULL},
    {NULL, A_TEXT, false, NULL},
};

static const struct rule memory_rules[] = {
    {"scope", A_TEXT, false, NULL},           {"backend", A_TEXT, true, NULL},
    {"before_bytes", A_WHOLE, false, NULL},   {"after_bytes", A_WHOLE, false, NULL},
    {"current_bytes", A_WHOLE, false, NULL},  {"high_water_bytes", A_WHOLE, false, NULL},
    {"available_bytes", A_WHOLE, true, NULL}, {NULL, A_TEXT, false, NULL},
};

static const struct rule resource_rules[] = {
    {"owner_kind", A_TEXT, false, NULL},
    {"owner_id", A_TEXT, false, NULL},
    {"resource_kind", A_TEXT, false, NULL},
    {"action", A_TEXT, false, actions},
    {"amount", A_NUMBER, true, NULL},
    {"before", A_NUMBER, true, NULL},
    {"after", A_NUMBER, true, NULL},
    {"capacity", A_NUMBER, true, NULL},
    {"error_kind", A_TEXT, true, NULL},
    {"message", A_TEXT, true, NULL},
    {"resource_error_kind", A_TEXT, true, NULL},
    {NULL, A_TEXT, false, NULL},
};

static const struct rule error_rules[] = {
    {"kind", A_TEXT, false, NULL},
    {"message", A_TEXT, false, NULL},
    {NULL, A_TEXT, false, NULL},
};

static const struct rule replay_rules[] = {
    {"command", A_TEXT, false, NULL},
    {NULL, A_TEXT, false, NULL},
};

/* Finds a member that is not null. */
static bool find(const struct tch_json_value *object, const char *key, struct tch_json_value *ret)
{
    return tch_json_find(object->text, object->len, key, ret) && ret->type != TCH_JSON_NULL;
}

/* Returns the text of a string between its quotes. */
static struct tch_json_value inside(const struct tch_json_value *string)
{
    struct tch_json_value text = *string;

    text.text++;
    text.len -= 2;
    text.escaped = memchr(text.text, '\\', text.len) != NULL;
    return text;
}

static bool is_word(const struct tch_json_value *string, const char *word)
{
    struct tch_json_value text = inside(string);

    return tch_json_is(&text, word);
}

static bool is_one_of(const struct tch_json_value *string, const char *const *words)
{
    while (*words && !is_word(string, *words))
        words++;
    return *words != NULL;
}

/* Returns whether a text is like the pattern, in which 0 stands for a digit. */
static bool is_like(const char *text, const char *pattern)
{
    for (; *pattern; pattern++, text++)
        if (*pattern == '0' ? !isdigit((unsigned char)*text) : *text != *pattern)
            return false;
    return true;
}

/* Returns whether a string is a time such as 2026-07-12T06:17:24.5Z or ...24+08:00. */
static bool is_time(const struct tch_json_value *string)
{
    static const char head[] = "0000-00-00T00:00:00";
    struct tch_json_value text = inside(string);
    const char *at = text.text + sizeof head - 1;
    const char *end = text.text + text.len;

    if (text.len < sizeof head || !is_like(text.text, head))
        return false;
    if (*at == '.')
        do
            at++;
        while (at < end && isdigit((unsigned char)*at));
    return (end - at == 1 && *at == 'Z') ||
           (end - at == 6 && (*at == '+' || *at == '-') && is_like(at + 1, "00:00"));
}

static bool is_whole(const struct tch_json_value *v, bool signed_too)
{
    struct tch_json_number number;

    if (v->type != TCH_JSON_NUMBER)
        return false;
    number = tch_json_to_number(v);
    return number.kind == TCH_JSON_U64 || (signed_too && number.kind == TCH_JSON_I64);
}

/* Returns what a value must be if it is not, or NULL. */
static const char *broken(const struct rule *rule, const struct tch_json_value *v)
{
    struct tch_json_value text;

    switch (rule->kind) {
    case A_TEXT:
        if (v->type != TCH_JSON_STRING)
            return "a string";
        text = inside(v);
        if (tch_utf8_is_blank(text.text, text.len))
            return "non-empty";
        return rule->words && !is_one_of(v, rule->words) ? "a known word" : NULL;
    case A_WHOLE:
        return is_whole(v, false) ? NULL : "a whole number, 0 or more";
    case A_NUMBER:
        return is_whole(v, true) ? NULL : "a whole number";
    case A_TIME:
        return v->type == TCH_JSON_STRING && is_time(v) ? NULL : "a time as in RFC 3339";
    default:
        return v->type == TCH_JSON_OBJECT ? NULL : "an object";
    }
}

/* Checks an object. `of` is its name and a dot, or "". */
static int check(const struct tch_json_value *object, const struct rule *rules, const char *of,
                 tacho_error *err)
{
    for (const struct rule *rule = rules; rule->key; rule++) {
        struct tch_json_value v;
        const char *wanted;

        if (!find(object, rule->key, &v)) {
            if (rule->optional)
                continue;
            return tch_fail(err, TACHO_EPARSE, 0, "missing required field: %s%s", of, rule->key);
        }
        wanted = broken(rule, &v);
        if (wanted)
            return tch_fail(err, TACHO_EPARSE, 0, "%s%s must be %s", of, rule->key, wanted);
    }
    return 0;
}

/* Checks what the action of a resource requires. */
static int check_action(const struct tch_json_value *resource, tacho_error *err)
{
    static const char *const changes[] = {"reserve", "commit", "release", "rollback", NULL};
    static const char *const numbers[] = {"amount", "before", "after"};
    static const char *const refusals[] = {"defer", "reject", NULL};
    struct tch_json_value action;
    struct tch_json_value v;

    (void)find(resource, "action", &action);
    for (size_t i = 0; i < 3 && is_one_of(&action, changes); i++)
        if (!find(resource, numbers[i], &v))
            return tch_fail(err, TACHO_EPARSE, 0, "missing required field: resource.%s",
                            numbers[i]);
    if (is_one_of(&action, refusals) && (!find(resource, "reason", &v) ||
                                         broken(&(struct rule){"reason", A_TEXT, false, NULL}, &v)))
        return tch_fail(err, TACHO_EPARSE, 0, "resource.reason must be non-empty");
    if (is_word(&action, "capacity_snapshot") && !find(resource, "capacity", &v))
        return tch_fail(err, TACHO_EPARSE, 0, "missing required field: resource.capacity");
    return 0;
}

static int check_parts(const struct tch_json_value *event, tacho_error *err)
{
    static const struct {
        const char *key;
        const struct rule *rules;
        const char *of;
    } parts[] = {{"memory", memory_rules, "memory."},
                 {"resource", resource_rules, "resource."},
                 {"error", error_rules, "error."},
                 {"replay", replay_rules, "replay."}};
    struct tch_json_value v;
    int status = 0;

    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == 0; i++)
        if (find(event, parts[i].key, &v))
            status = check(&v, parts[i].rules, parts[i].of, err);
    return status == 0 && find(event, "resource", &v) ? check_action(&v, err) : status;
}

/* Checks the share of requests that are profiled, which the writer adds to the attributes. */
static int check_rate(const struct tch_json_value *event, tacho_error *err)
{
    struct tch_json_value attributes;
    struct tch_json_value v;
    double rate;

    if (!find(event, "attributes", &attributes) || !find(&attributes, "profile_sample_rate", &v))
        return 0;
    rate = v.type == TCH_JSON_NUMBER ? tch_json_to_f64(&v) : -1;
    return rate >= 0 && rate <= 1 ? 0
                                  : tch_fail(err, TACHO_EPARSE, 0,
                                             "attributes.profile_sample_rate must be from 0 to 1");
}

static int check_event(const struct tch_json_value *event, tacho_error *err)
{
    struct tch_json_value v;
    struct tch_json_value other;
    int status = check(event, event_rules, "", err);

    if (status == 0)
        status = check_parts(event, err);
    if (status == 0)
        status = check_rate(event, err);
    if (status < 0)
        return status;
    (void)find(event, "schema_version", &v);
    if (tch_json_to_f64(&v) != TCH_PRODUCT_VERSION)
        return tch_fail(err, TACHO_EPARSE, 0, "schema_version must be %d", TCH_PRODUCT_VERSION);
    (void)find(event, "ts_unix_nanos", &v);
    if (tch_json_to_f64(&v) <= 0)
        return tch_fail(err, TACHO_EPARSE, 0, "ts_unix_nanos must be positive");
    (void)find(event, "shape", &v);
    if (!memchr(v.text, '"', v.len))
        return tch_fail(err, TACHO_EPARSE, 0, "shape must contain at least one field");
    (void)find(event, "event_kind", &v);
    if (is_word(&v, "timed_span") && !find(event, "duration_us", &other))
        return tch_fail(err, TACHO_EPARSE, 0, "missing required field: duration_us");
    (void)find(event, "status", &v);
    if (is_word(&v, "failure") && !find(event, "error", &other))
        return tch_fail(err, TACHO_EPARSE, 0, "missing required field: error");
    return 0;
}

/* --- Translation --- */

/* Adds a member as it is in the event; with `instead` if it is missing. */
static void copy(struct tch_buf *b, const char *name, const struct tch_json_value *object,
                 const char *key, const char *instead)
{
    struct tch_json_value v;

    if (find(object, key, &v)) {
        tch_json_key(b, name);
        tch_json_raw(b, v.text, v.len);
    } else if (instead) {
        tch_json_put_text(b, name, instead);
    }
}

static void add_unescaped_key(struct tch_buf *b, const struct tch_json_value *string)
{
    char mem[256];
    struct tch_buf text;

    tch_buf_init_on(&text, mem, sizeof mem, TCH_EVENT_MAX);
    tch_json_unescape(string, &text);
    tch_json_key(b, text.data);
    b->failed |= text.failed;
    tch_buf_release(&text);
}

/* Adds a key that is a string of the event. */
static void add_key(struct tch_buf *b, const struct tch_json_value *object, const char *key)
{
    struct tch_json_value v;

    (void)find(object, key, &v);
    v = inside(&v);
    add_unescaped_key(b, &v);
}

/* Adds the shape, with the members of the event that summaries can be split by. */
static void add_shape(struct tch_buf *b, const struct tch_json_value *event)
{
    static const char *const more[] = {"backend", "entrypoint", "event_kind", "status"};
    struct tch_json_reader r;
    struct tch_json_value shape;
    struct tch_json_value key;
    struct tch_json_value v;

    tch_json_key(b, "shape");
    (void)find(event, "shape", &shape);
    tch_json_begin_object(b);
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
        if (!find(&shape, more[i], &v))
            copy(b, more[i], event, more[i], NULL);
    tch_json_open(&r, shape.text, shape.len, NULL);
    (void)tch_json_read(&r, &v);
    while (tch_json_member(&r, &key) > 0) {
        add_unescaped_key(b, &key);
        if (tch_json_read_raw(&r, &v) == 0)
            tch_json_raw(b, v.text, v.len);
    }
    tch_json_end_object(b);
}

static void add_memory(struct tch_buf *b, const struct tch_json_value *memory)
{
    static const char *const keys[] = {"high_water_bytes", "current_bytes", "before_bytes",
                                       "after_bytes", "available_bytes"};

    tch_json_key(b, "memory");
    tch_json_begin_object(b);
    add_key(b, memory, "scope");
    tch_json_begin_object(b);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        copy(b, keys[i], memory, keys[i], NULL);
    tch_json_end_object(b);
    tch_json_end_object(b);
}

static void add_resource(struct tch_buf *b, const struct tch_json_value *resource)
{
    tch_json_key(b, "resource");
    tch_json_begin_object(b);
    add_key(b, resource, "resource_kind");
    tch_json_begin_object(b);
    add_key(b, resource, "action");
    tch_json_begin_object(b);
    copy(b, "amount_count", resource, "amount", NULL);
    copy(b, "before_count", resource, "before", NULL);
    copy(b, "after_count", resource, "after", NULL);
    copy(b, "capacity_count", resource, "capacity", NULL);
    tch_json_end_object(b);
    tch_json_end_object(b);
    tch_json_end_object(b);
}

static void add_stages(struct tch_buf *b, const struct tch_json_value *event)
{
    struct tch_json_value v;

    tch_json_key(b, "stage_us");
    tch_json_begin_object(b);
    copy(b, "total_us", event, "duration_us", NULL);
    if (find(event, "memory", &v))
        add_memory(b, &v);
    if (find(event, "resource", &v))
        add_resource(b, &v);
    tch_json_end_object(b);
}

static void add_event(struct tch_buf *b, const struct tch_json_value *event)
{
    struct tch_json_value v;
    bool hashed = find(event, "runtime_preset_hash", &v) && v.len > TCH_ENV_HASH_PREFIX &&
                  memcmp(v.text + 1, TCH_ENV_HASH_START, TCH_ENV_HASH_PREFIX) == 0;

    tch_json_begin_object(b);
    copy(b, "event", event, "phase", NULL);
    tch_json_key(b, "commit_sha");
    tch_json_null(b);
    copy(b, "env_hash", event, hashed ? "runtime_preset_hash" : "", "sha256:unknown");
    copy(b, "model", event, "model", "unknown");
    tch_json_put_u64(b, "concurrency", 1);
    add_shape(b, event);
    add_stages(b, event);
    tch_json_put_bool(b, "graph_enabled", false);
    tch_json_key(b, "runtime_flags");
    tch_json_begin_object(b);
    if (find(event, "attributes", &v))
        copy(b, "profile_sample_rate", &v, "profile_sample_rate", NULL);
    tch_json_end_object(b);
    tch_json_put_text(b, "source", "ferrum product event");
    tch_json_end_object(b);
}

int tch_product_translate(const char *text, size_t len, struct tch_buf *out, tacho_error *err)
{
    struct tch_json_value event = {.type = TCH_JSON_OBJECT, .text = text, .len = len};
    struct tch_json_value v;
    int status;

    if (!tch_json_find(text, len, "schema_version", &v) || tch_json_find(text, len, "event", &v))
        return 0;
    status = tch_json_check(text, len, err);
    if (status == 0)
        status = check_event(&event, err);
    if (status < 0)
        return status;
    tch_buf_clear(out);
    add_event(out, &event);
    return out->failed ? tch_fail_memory(err) : 1;
}

int tch_product_line(const struct tch_line *line, struct tch_buf *room, tacho_event_view *ret,
                     bool *torn, tacho_error *err)
{
    const char *text = line->text;
    size_t len = line->len;
    tacho_error why;
    int status = tch_event_line(line, ret, torn, &why);
    int translated = 0;

    if (status == TACHO_EPARSE && !*torn) {
        tch_utf8_trim(&text, &len);
        translated = tch_product_translate(text, len, room, &why);
        if (translated < 0)
            status = translated;
        else if (translated > 0)
            status = tacho_event_parse(room->data, room->len, ret, &why);
        why.line = line->number;
    }
    if (status == 0)
        ret->line = line->number;
    else if (err)
        *err = why;
    return status;
}
