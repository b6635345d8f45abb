/*
 * Parsing one event: a walk over the members that remembers the last value of each field, then
 * the checks. Everything else is passed over at the JSON reader's speed.
 */
#include "event_parse.h"

#include <inttypes.h>

#include "base/fail.h"
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

/* In the order of the schema. */
static const char *const names[FIELDS] = {
    "event",    "commit_sha",    "env_hash",      "model",  "concurrency", "shape",
    "stage_us", "graph_enabled", "runtime_flags", "source", "source_line",
};

#define IS(name) (key->len == sizeof(name) - 1 && memcmp(key->text, name, sizeof(name) - 1) == 0)

/* names[f] with its length known to the compiler: eleven calls of memcmp() a line would be a
   tenth of the time. */
static inline bool is_field(const struct tch_json_value *key, enum field f)
{
    if (key->escaped)
        return tch_json_is(key, names[f]);
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

/* Which field the key is, or FIELDS. Members mostly come in order, so the next is tried first. */
static enum field find_field(const struct tch_json_value *key, enum field next)
{
    if (next < FIELDS && is_field(key, next))
        return next;
    for (enum field f = 0; f < FIELDS; f++)
        if (is_field(key, f))
            return f;
    return FIELDS;
}

static bool is_container(enum field f)
{
    return f == SHAPE || f == STAGE_US || f == RUNTIME_FLAGS;
}

/* The value of a field: an object where one belongs is taken whole, a string without its quotes. */
static int read_field(struct tch_json_reader *r, enum field f, struct tch_json_value *ret)
{
    if (is_container(f))
        return tch_json_read_raw(r, ret);
    if (tch_json_read(r, ret) < 0)
        return r->status;
    if (ret->type == TCH_JSON_ARRAY || ret->type == TCH_JSON_OBJECT)
        return tch_json_leave(r);
    return 0;
}

/* Fills values with the last one of each field; text is NULL where there is none. */
static int walk(struct tch_json_reader *r, struct tch_json_value values[FIELDS], bool *is_object)
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
        enum field f = find_field(&key, next);

        if (f == FIELDS) {
            tch_json_skip(r);
        } else {
            read_field(r, f, &values[f]);
            next = f + 1;
        }
    }
    return tch_json_finish(r);
}

static const char *type_name(const struct tch_json_value *value)
{
    static const char *const type_names[] = {
        [TCH_JSON_NULL] = "null",        [TCH_JSON_FALSE] = "false",
        [TCH_JSON_TRUE] = "true",        [TCH_JSON_NUMBER] = "a number",
        [TCH_JSON_STRING] = "a string",  [TCH_JSON_ARRAY] = "an array",
        [TCH_JSON_OBJECT] = "an object",
    };

    return type_names[value->type];
}

static int wrong_type(enum field f, const struct tch_json_value *value, const char *start,
                      const char *wanted, tacho_error *err)
{
    return tch_fail(err, TACHO_EPARSE, 0,
                    "invalid profile event: column %zu: %s must be %s, not %s",
                    (size_t)(value->text - start) + 1, names[f], wanted, type_name(value));
}

/* What a value of each field may be. */
static bool type_fits(enum field f, enum tch_json_type type)
{
    switch (f) {
    case EVENT:
    case ENV_HASH:
    case MODEL:
        return type == TCH_JSON_STRING;
    case COMMIT_SHA:
    case SOURCE:
    case SOURCE_LINE:
        return type == TCH_JSON_STRING || type == TCH_JSON_NULL;
    case CONCURRENCY:
        return type == TCH_JSON_NUMBER;
    case SHAPE:
    case STAGE_US:
        return type == TCH_JSON_OBJECT;
    case GRAPH_ENABLED:
        return type == TCH_JSON_TRUE || type == TCH_JSON_FALSE;
    default:
        return true; /* runtime_flags has its own check, the last of all */
    }
}

static const char *wanted_type(enum field f)
{
    switch (f) {
    case COMMIT_SHA:
    case SOURCE:
    case SOURCE_LINE:
        return "a string or null";
    case CONCURRENCY:
        return "a whole number from 1 to 4294967295";
    case SHAPE:
    case STAGE_US:
        return "an object";
    case GRAPH_ENABLED:
        return "true or false";
    default:
        return "a string";
    }
}

static int check_types(const struct tch_json_value values[FIELDS], const char *start,
                       uint32_t *concurrency, tacho_error *err)
{
    struct tch_json_number number;

    for (enum field f = 0; f < FIELDS; f++)
        if (values[f].text && !type_fits(f, values[f].type))
            return wrong_type(f, &values[f], start, wanted_type(f), err);
    number = tch_json_to_number(&values[CONCURRENCY]);
    if (number.kind != TCH_JSON_U64 || number.as.u64 > UINT32_MAX)
        return tch_fail(err, TACHO_EPARSE, 0,
                        "invalid profile event: column %zu: concurrency must be %s",
                        (size_t)(values[CONCURRENCY].text - start) + 1, wanted_type(CONCURRENCY));
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

/* Asks about a string without its escapes: what `ask` says, or TACHO_ENOMEM. */
static int ask_unescaped(const struct tch_json_value *string, bool (*ask)(const char *, size_t),
                         tacho_error *err)
{
    char mem[256];
    struct tch_buf b;
    int answer;

    tch_buf_init_on(&b, mem, sizeof mem, string->len);
    tch_json_unescape(string, &b);
    answer = b.failed ? tch_fail(err, TACHO_ENOMEM, 0, "out of memory reading an event")
                      : ask(b.data, b.len);
    tch_buf_release(&b);
    return answer;
}

static bool is_no_env_hash(const char *text, size_t len)
{
    return len < TCH_ENV_HASH_PREFIX || memcmp(text, TCH_ENV_HASH_START, TCH_ENV_HASH_PREFIX) != 0;
}

static int check_text(const struct tch_json_value *value, bool (*is_bad)(const char *, size_t),
                      const char *message, tacho_error *err)
{
    int bad;

    if (value->type != TCH_JSON_STRING)
        return 0;
    bad = value->escaped ? ask_unescaped(value, is_bad, err) : is_bad(value->text, value->len);
    if (bad > 0)
        return tch_fail(err, TACHO_EPARSE, 0, "%s", message);
    return bad;
}

/* The rules for values, in the order in which they are judged. */
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

/* A string gets its quotes back. */
static tacho_raw raw(const struct tch_json_value *value)
{
    if (value->type == TCH_JSON_STRING)
        return (tacho_raw){value->text - 1, value->len + 2};
    return (tacho_raw){value->text, value->len};
}

/* For what need not be there: null is the same as nothing. */
static tacho_raw raw_or_none(const struct tch_json_value *value)
{
    return value->text && value->type != TCH_JSON_NULL ? raw(value) : (tacho_raw){NULL, 0};
}

static int judge(const struct tch_json_value values[FIELDS], const char *start, tacho_event *ret,
                 tacho_error *err)
{
    uint32_t concurrency = 0;
    int status;

    for (enum field f = 0; f < REQUIRED; f++)
        if (!values[f].text)
            return tch_fail(err, TACHO_EPARSE, 0, "missing required field: %s", names[f]);
    status = check_types(values, start, &concurrency, err);
    if (status == 0)
        status = check_values(values, concurrency, err);
    if (status < 0)
        return status;
    *ret = (tacho_event){
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

/* Is the text the start of a JSON value that goes on where the text ends? The error is where the
   reader stopped. Bytes near the end are not looked at: they may be half of an escape, a literal
   or a character. */
static bool is_cut(const char *text, size_t len, size_t error)
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

/* cut: set on failure only; the text ends inside a JSON value. May be NULL. */
static int parse(const char *text, size_t len, tacho_event *ret, bool *cut, tacho_error *err)
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
    if (walk(&r, values, &is_object) < 0) {
        uint64_t offset = (uint64_t)(text - start) + why.offset;

        if (cut)
            *cut = is_cut(text, len, why.offset);
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
    return judge(values, start, ret, err);
}

int tacho_event_parse(const char *text, size_t len, tacho_event *ret, tacho_error *err)
{
    return parse(text, len, ret, NULL, err);
}

/* Where the next event that our writers could have begun starts, behind `from`; NULL: nowhere. */
static const char *next_start(const char *from, const char *end)
{
    static const char first[] = "{\"event\":";

    return from < end ? memmem(from + 1, (size_t)(end - from) - 1, first, sizeof first - 1) : NULL;
}

int tch_event_salvage(const char *text, size_t len, tacho_event *ret, bool *torn, tacho_error *err)
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

int tch_event_line(const struct tch_line *line, tacho_event *ret, bool *torn, tacho_error *err)
{
    int status;

    if (line->too_long)
        return tch_fail(err, TACHO_ELIMIT, line->number, "line of %zu bytes: the limit is %d",
                        line->len, TCH_EVENT_MAX);
    status = tch_event_salvage(line->text, line->len, ret, torn, err);
    if (status == 0)
        ret->line = line->number;
    else if (err)
        err->line = line->number;
    return status;
}
