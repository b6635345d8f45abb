/*
 * Parses one event: reads the last value of each field, then checks the values. Other members are
 * skipped at the speed of the JSON reader.
 */
#include "event_parse.h"

#include <inttypes.h>

#include "base/fail.h"
#include "base/sized.h"
#include "base/utf8.h"

enum field {
    EVENT,
    COMMIT_SHA,
    ENV_HASH,
    MODEL,
    CONCURRENCY,
    SHAPE,
    STAGE_US,
    GRAPH_ENABLED,
    RUNTIME_FLAGS,
    REQUIRED,
    SOURCE = REQUIRED,
    SOURCE_LINE,
    FIELDS,
};

#define TYPE(type) (1u << TCH_JSON_##type)

static const char *const required[REQUIRED + 1] = {
    "event", "commit_sha", "env_hash",      "model",         "concurrency",
    "shape", "stage_us",   "graph_enabled", "runtime_flags",
};

const char *const *tacho_event_required_fields(void)
{
    return required;
}

/* The fields in the order of the schema, and the types that their values may have. */
static const struct {
    const char *name;
    unsigned types;
    const char *wanted; /* the types, for a message */
} fields[FIELDS] = {
    [EVENT] = {"event", TYPE(STRING), "a string"},
    [COMMIT_SHA] = {"commit_sha", TYPE(STRING) | TYPE(NULL), "a string or null"},
    [ENV_HASH] = {"env_hash", TYPE(STRING), "a string"},
    [MODEL] = {"model", TYPE(STRING), "a string"},
    [CONCURRENCY] = {"concurrency", TYPE(NUMBER), "a whole number from 1 to 4294967295"},
    [SHAPE] = {"shape", TYPE(OBJECT), "an object"},
    [STAGE_US] = {"stage_us", TYPE(OBJECT), "an object"},
    [GRAPH_ENABLED] = {"graph_enabled", TYPE(TRUE) | TYPE(FALSE), "true or false"},
    [RUNTIME_FLAGS] = {"runtime_flags", ~0u, NULL}, /* check_values() checks it after all others */
    [SOURCE] = {"source", TYPE(STRING) | TYPE(NULL), "a string or null"},
    [SOURCE_LINE] = {"source_line", TYPE(STRING) | TYPE(NULL), "a string or null"},
};

#define IS(name) (key->len == sizeof(name) - 1 && memcmp(key->text, name, sizeof(name) - 1) == 0)

/* Returns whether the key is fields[f].name, without escapes. The compiler knows each length
   here; eleven calls of memcmp() per line would take a tenth of the time. */
static inline bool is_field(const struct tch_json_value *key, enum field f)
{
    switch (f) {
    case EVENT:
        return IS("event");
    case COMMIT_SHA:
        return IS("commit_sha");
    case ENV_HASH:
        return IS("env_hash");
    case MODEL:
        return IS("model");
    case CONCURRENCY:
        return IS("concurrency");
    case SHAPE:
        return IS("shape");
    case STAGE_US:
        return IS("stage_us");
    case GRAPH_ENABLED:
        return IS("graph_enabled");
    case RUNTIME_FLAGS:
        return IS("runtime_flags");
    case SOURCE:
        return IS("source");
    case SOURCE_LINE:
        return IS("source_line");
    default:
        return false;
    }
}

/* Returns the field of that name, or FIELDS. Members are usually in order and do not need this
   function. Inline it would cost them registers. */
__attribute__((noinline)) static enum field find_field(const struct tch_json_value *key)
{
    bool escaped = key->escaped;

    for (enum field f = 0; f < FIELDS; f++)
        if (escaped ? tch_json_is(key, fields[f].name) : is_field(key, f))
            return f;
    return FIELDS;
}

/* Returns whether the field must be an object. Its value is then read whole, including quotes. */
static inline bool is_read_raw(enum field f)
{
    return f == SHAPE || f == STAGE_US || f == RUNTIME_FLAGS;
}

/* Reads the value of a field. An object is read whole, a string without its quotes. */
static int read_field(struct tch_json_reader *r, enum field f, struct tch_json_value *ret)
{
    if (is_read_raw(f))
        return tch_json_read_raw(r, ret);
    if (tch_json_read(r, ret) < 0)
        return r->status;
    if (ret->type == TCH_JSON_ARRAY || ret->type == TCH_JSON_OBJECT)
        return tch_json_leave(r);
    return 0;
}

/* Sets the last value of each field. The text of a missing field stays NULL. */
static int read_values(struct tch_json_reader *r, struct tch_json_value values[FIELDS],
                       bool *is_object)
{
    struct tch_json_value value;
    struct tch_json_value key;
    enum field next = EVENT;

    if (tch_json_read(r, &value) < 0)
        return r->status;
    *is_object = value.type == TCH_JSON_OBJECT;
    if (value.type == TCH_JSON_ARRAY)
        tch_json_leave(r);
    while (*is_object && tch_json_member(r, &key) > 0) {
        enum field f = next < FIELDS && is_field(&key, next) ? next : find_field(&key);

        if (f == FIELDS) {
            tch_json_skip(r);
        } else {
            read_field(r, f, &values[f]);
            next = f + 1;
        }
    }
    return tch_json_finish(r);
}

/* Fails for a value of the wrong type.
   @param found  the actual type, or "" */
static int fail_type(enum field f, const struct tch_json_value *value, const char *start,
                     const char *found, tacho_error *err)
{
    bool after_quote = value->type == TCH_JSON_STRING && !is_read_raw(f);
    size_t offset = (size_t)(value->text - start) - after_quote;

    tch_fail(err, TACHO_EPARSE, 0, "invalid profile event: column %zu: %s must be %s%s%s",
             offset + 1, fields[f].name, fields[f].wanted, *found ? ", not " : "", found);
    if (err) {
        err->column = offset + 1;
        err->offset = offset;
    }
    return TACHO_EPARSE;
}

static int check_types(const struct tch_json_value values[FIELDS], const char *start,
                       uint32_t *concurrency, tacho_error *err)
{
    static const char *const type_names[] = {
        [TCH_JSON_NULL] = "null",        [TCH_JSON_FALSE] = "false",
        [TCH_JSON_TRUE] = "true",        [TCH_JSON_STRING] = "a string",
        [TCH_JSON_NUMBER] = "a number",  [TCH_JSON_ARRAY] = "an array",
        [TCH_JSON_OBJECT] = "an object",
    };
    struct tch_json_number number;

    /* A field that is missing here is optional. It is all zero, which is a null, and null is
       allowed. */
    for (enum field f = 0; f < FIELDS; f++)
        if (!(fields[f].types & 1u << values[f].type))
            return fail_type(f, &values[f], start, type_names[values[f].type], err);
    number = tch_json_to_number(&values[CONCURRENCY]);
    if (number.kind != TCH_JSON_U64 || number.as.u64 > UINT32_MAX)
        return fail_type(CONCURRENCY, &values[CONCURRENCY], start, "", err);
    *concurrency = (uint32_t)number.as.u64;
    return 0;
}

struct tch_json_value tch_raw_string(tacho_raw raw)
{
    struct tch_json_value string = {.type = TCH_JSON_STRING, .text = ""};

    if (raw.len >= 2 && raw.text[0] == '"') {
        string.text = raw.text + 1;
        string.len = raw.len - 2;
        string.escaped = memchr(string.text, '\\', string.len) != NULL;
    }
    return string;
}

static bool is_no_env_hash(const char *text, size_t len)
{
    return len < TCH_ENV_HASH_PREFIX || memcmp(text, TCH_ENV_HASH_START, TCH_ENV_HASH_PREFIX) != 0;
}

/* Unescapes a string and calls is_bad() on it. Returns its result, or TACHO_ENOMEM. */
static int is_bad_unescaped(const struct tch_json_value *string,
                            bool (*is_bad)(const char *, size_t), tacho_error *err)
{
    char mem[256];
    struct tch_buf b;
    int answer;

    tch_buf_init_on(&b, mem, sizeof mem, string->len);
    tch_json_unescape(string, &b);
    answer = b.failed ? tch_fail_memory(err) : is_bad(b.data, b.len);
    tch_buf_release(&b);
    return answer;
}

/* Fails with `message` when the value is a string and is_bad() returns true for it. */
static inline int check_text(const struct tch_json_value *value,
                             bool (*is_bad)(const char *, size_t), const char *message,
                             tacho_error *err)
{
    int bad;

    if (value->type != TCH_JSON_STRING)
        return 0;
    bad = value->escaped ? is_bad_unescaped(value, is_bad, err) : is_bad(value->text, value->len);
    return bad > 0 ? tch_fail(err, TACHO_EPARSE, 0, "%s", message) : bad;
}

/* Checks the values in the order of the reference and reports the first broken rule. */
static int check_values(const struct tch_json_value values[FIELDS], uint32_t concurrency,
                        tacho_error *err)
{
    int status = check_text(&values[EVENT], tch_utf8_is_blank, TCH_BAD_EVENT, err);

    if (status == 0)
        status = check_text(&values[COMMIT_SHA], tch_utf8_is_blank, TCH_BAD_COMMIT_SHA, err);
    if (status == 0)
        status = check_text(&values[ENV_HASH], is_no_env_hash, TCH_BAD_ENV_HASH, err);
    if (status == 0)
        status = check_text(&values[MODEL], tch_utf8_is_blank, TCH_BAD_MODEL, err);
    if (status == 0 && concurrency == 0)
        status = tch_fail(err, TACHO_EPARSE, 0, "%s", TCH_BAD_CONCURRENCY);
    if (status == 0 && values[RUNTIME_FLAGS].type != TCH_JSON_OBJECT)
        status = tch_fail(err, TACHO_EPARSE, 0, "%s", TCH_BAD_FLAGS);
    return status;
}

/* Returns the value as it is in the text; a string has its quotes. */
static tacho_raw raw(const struct tch_json_value *value)
{
    if (value->type == TCH_JSON_STRING)
        return (tacho_raw){value->text - 1, value->len + 2};
    return (tacho_raw){value->text, value->len};
}

/* Does the same for an optional field. Null counts as missing. */
static tacho_raw raw_or_none(const struct tch_json_value *value)
{
    return value->text && value->type != TCH_JSON_NULL ? raw(value) : (tacho_raw){NULL, 0};
}

/* Checks the values and makes the event from them. */
static int make_event(const struct tch_json_value values[FIELDS], const char *start,
                      tacho_event_view *ret, tacho_error *err)
{
    uint32_t concurrency = 0;
    int status;

    for (enum field f = 0; f < REQUIRED; f++)
        if (!values[f].text)
            return tch_fail(err, TACHO_EPARSE, 0, "missing required field: %s", fields[f].name);
    status = check_types(values, start, &concurrency, err);
    if (status == 0)
        status = check_values(values, concurrency, err);
    if (status < 0)
        return status;
    *ret = (tacho_event_view){
        .size = sizeof *ret,
        .event = raw(&values[EVENT]),
        .commit_sha = raw(&values[COMMIT_SHA]),
        .env_hash = raw(&values[ENV_HASH]),
        .model = raw(&values[MODEL]),
        .shape = raw(&values[SHAPE]),
        .stage_us = raw(&values[STAGE_US]),
        .runtime_flags = raw(&values[RUNTIME_FLAGS]),
        .source = raw_or_none(&values[SOURCE]),
        .source_line = raw_or_none(&values[SOURCE_LINE]),
        .concurrency = concurrency,
        .graph_enabled = values[GRAPH_ENABLED].type == TCH_JSON_TRUE,
    };
    return 0;
}

/* Returns whether the text is a truncated JSON value. `error` is where the reader stopped. Bytes
   near the end are ignored, because they may be half of an escape, a literal or a character. */
static bool is_truncated(const char *text, size_t len, size_t error)
{
    enum { LONGEST_TOKEN = 12 };
    const char *open = NULL;
    size_t depth = 0;
    size_t whole = len;

    for (size_t i = 0; i < len; i++) {
        char c = text[i];

        if (open && c == '\\')
            i++;
        else if (c == '"')
            open = open ? NULL : text + i;
        else if (!open && (c == '{' || c == '['))
            depth++;
        else if (!open && (c == '}' || c == ']') && depth > 0)
            depth--;
    }
    if (open)
        whole = (size_t)(open - text);
    return (open || depth > 0) && error + LONGEST_TOKEN >= whole;
}

/* Parses a text. `cut`, which may be NULL, is set on failure only: the text is truncated. */
static int parse(const char *text, size_t len, tacho_event_view *ret, bool *cut, tacho_error *err)
{
    struct tch_json_value values[FIELDS] = {0};
    struct tch_json_reader r;
    const char *start = text;
    tacho_error why;
    bool is_object = false;

    tch_utf8_trim(&text, &len);
    tch_json_open(&r, text, len, &why);
    r.finite = true;
    if (cut)
        *cut = false;
    if (read_values(&r, values, &is_object) < 0) {
        uint64_t offset = (uint64_t)(text - start) + why.offset;

        if (cut)
            *cut = is_truncated(text, len, why.offset);
        tch_fail(err, TACHO_EPARSE, 0, "invalid JSON: %scolumn %" PRIu64 ": %s",
                 cut && *cut ? "torn line, " : "", offset + 1, why.message);
        if (err) {
            err->column = offset + 1;
            err->offset = offset;
        }
        return TACHO_EPARSE;
    }
    if (!is_object)
        return tch_fail(err, TACHO_EPARSE, 0, "profile event must be a JSON object");
    return make_event(values, start, ret, err);
}

int tacho_event_parse(const char *text, size_t len, tacho_event_view *ret, tacho_error *err)
{
    tacho_event_view view;
    int status = tch_sized_check(ret, sizeof view, "TACHO_EVENT_VIEW_INIT", err);

    if (status == 0)
        status = parse(text, len, &view, NULL, err);
    if (status == 0)
        tch_sized_write(ret, &view, sizeof view);
    return status;
}

/* Returns the next place after `from` where an event of tacho's writers may start, or NULL. */
static const char *next_start(const char *from, const char *end)
{
    static const char first[] = "{\"event\":";

    return from < end ? memmem(from + 1, (size_t)(end - from) - 1, first, sizeof first - 1) : NULL;
}

int tch_event_salvage(const char *text, size_t len, tacho_event_view *ret, bool *torn,
                      tacho_error *err)
{
    const char *end = text + len;
    const char *last = text;
    bool cut;
    int status = parse(text, len, ret, &cut, err);

    if (status != TACHO_EPARSE)
        return status;
    for (const char *at = text; (at = next_start(at, end)); last = at) {
        if (parse(at, (size_t)(end - at), ret, NULL, NULL) == 0) {
            ret->torn = (uint64_t)(at - text);
            return 0;
        }
    }
    if (last > text && parse(last, (size_t)(end - last), ret, &cut, NULL) < 0 && cut)
        tch_fail(err, TACHO_EPARSE, 0,
                 "invalid JSON: torn line, column %zu: an event begins inside another",
                 (size_t)(last - text) + 1);
    *torn = cut;
    return status;
}

int tch_event_check_length(const struct tch_line *line, tacho_error *err)
{
    if (line->too_long)
        return tch_fail(err, TACHO_ELIMIT, line->number, "line of %zu bytes; the limit is %d",
                        line->len, TCH_EVENT_MAX);
    return 0;
}

int tch_event_line(const struct tch_line *line, tacho_event_view *ret, bool *torn, tacho_error *err)
{
    int status = tch_event_check_length(line, err);

    if (status < 0)
        return status;
    status = tch_event_salvage(line->text, line->len, ret, torn, err);
    if (status == 0)
        ret->line = line->number;
    else if (err)
        err->line = line->number;
    return status;
}
