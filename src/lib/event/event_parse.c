/* Parses one event: checks the values of its fields, which event_values.c reads. */
#include "event_parse.h"

#include <inttypes.h>

#include "base/fail.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "event_values.h"

#define TYPE(type) (1u << TCH_JSON_##type)

static const char *const required[TCH_EVENT_REQUIRED + 1] = {
    "event", "commit_sha", "env_hash",      "model",         "concurrency",
    "shape", "stage_us",   "graph_enabled", "runtime_flags",
};

const char *const *tacho_event_required_fields(void)
{
    return required;
}

/* The types that the value of each field may have. */
static const struct {
    unsigned types;
    const char *wanted; /* the types, for a message */
} fields[TCH_EVENT_FIELDS] = {
    [TCH_EVENT_EVENT] = {TYPE(STRING), "a string"},
    [TCH_EVENT_COMMIT_SHA] = {TYPE(STRING) | TYPE(NULL), "a string or null"},
    [TCH_EVENT_ENV_HASH] = {TYPE(STRING), "a string"},
    [TCH_EVENT_MODEL] = {TYPE(STRING), "a string"},
    [TCH_EVENT_CONCURRENCY] = {TYPE(NUMBER), "a whole number from 1 to 4294967295"},
    [TCH_EVENT_SHAPE] = {TYPE(OBJECT), "an object"},
    [TCH_EVENT_STAGE_US] = {TYPE(OBJECT), "an object"},
    [TCH_EVENT_GRAPH_ENABLED] = {TYPE(TRUE) | TYPE(FALSE), "true or false"},
    [TCH_EVENT_RUNTIME_FLAGS] = {~0u, NULL}, /* check_values() checks it after all others */
    [TCH_EVENT_SOURCE] = {TYPE(STRING) | TYPE(NULL), "a string or null"},
    [TCH_EVENT_SOURCE_LINE] = {TYPE(STRING) | TYPE(NULL), "a string or null"},
};

/* Fails for a value of the wrong type.
   @param found  the actual type, or "" */
static int fail_type(enum tch_event_field f, const struct tch_json_value *value, const char *start,
                     const char *found, tacho_error *err)
{
    bool after_quote = value->type == TCH_JSON_STRING && !tch_event_is_raw(f);
    size_t offset = (size_t)(value->text - start) - after_quote;

    tch_fail(err, TACHO_EPARSE, 0, "invalid profile event: column %zu: %s must be %s%s%s",
             offset + 1, tch_event_field_name(f), fields[f].wanted, *found ? ", not " : "", found);
    if (err) {
        err->column = offset + 1;
        err->offset = offset;
    }
    return TACHO_EPARSE;
}

static int check_types(const struct tch_json_value values[TCH_EVENT_FIELDS], const char *start,
                       uint32_t *concurrency, tacho_error *err)
{
    static const char *const type_names[] = {
        [TCH_JSON_NULL] = "null",        [TCH_JSON_FALSE] = "false",
        [TCH_JSON_TRUE] = "true",        [TCH_JSON_STRING] = "a string",
        [TCH_JSON_NUMBER] = "a number",  [TCH_JSON_ARRAY] = "an array",
        [TCH_JSON_OBJECT] = "an object",
    };
    struct tch_json_number number;

    /* Only optional fields can be missing here. A missing value is all zero, which is the type
       null, and optional fields may be null. */
    for (enum tch_event_field f = 0; f < TCH_EVENT_FIELDS; f++)
        if (!(fields[f].types & 1u << values[f].type))
            return fail_type(f, &values[f], start, type_names[values[f].type], err);
    number = tch_json_to_number(&values[TCH_EVENT_CONCURRENCY]);
    if (number.kind != TCH_JSON_U64 || number.as.u64 > UINT32_MAX)
        return fail_type(TCH_EVENT_CONCURRENCY, &values[TCH_EVENT_CONCURRENCY], start, "", err);
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
static int check_values(const struct tch_json_value values[TCH_EVENT_FIELDS], uint32_t concurrency,
                        tacho_error *err)
{
    int status = check_text(&values[TCH_EVENT_EVENT], tch_utf8_is_blank, TCH_BAD_EVENT, err);

    if (status < 0)
        return status;
    status = check_text(&values[TCH_EVENT_COMMIT_SHA], tch_utf8_is_blank, TCH_BAD_COMMIT_SHA, err);
    if (status < 0)
        return status;
    status = check_text(&values[TCH_EVENT_ENV_HASH], is_no_env_hash, TCH_BAD_ENV_HASH, err);
    if (status < 0)
        return status;
    status = check_text(&values[TCH_EVENT_MODEL], tch_utf8_is_blank, TCH_BAD_MODEL, err);
    if (status < 0)
        return status;
    if (concurrency == 0)
        return tch_fail(err, TACHO_EPARSE, 0, "%s", TCH_BAD_CONCURRENCY);
    if (values[TCH_EVENT_RUNTIME_FLAGS].type != TCH_JSON_OBJECT)
        return tch_fail(err, TACHO_EPARSE, 0, "%s", TCH_BAD_FLAGS);
    return 0;
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
static int make_event(const struct tch_json_value values[TCH_EVENT_FIELDS], const char *start,
                      tacho_event_view *ret, tacho_error *err)
{
    uint32_t concurrency = 0;
    int status;

    for (enum tch_event_field f = 0; f < TCH_EVENT_REQUIRED; f++)
        if (!values[f].text)
            return tch_fail(err, TACHO_EPARSE, 0, "missing required field: %s",
                            tch_event_field_name(f));
    status = check_types(values, start, &concurrency, err);
    if (status == 0)
        status = check_values(values, concurrency, err);
    if (status < 0)
        return status;
    *ret = (tacho_event_view){
        .size = sizeof *ret,
        .event = raw(&values[TCH_EVENT_EVENT]),
        .commit_sha = raw(&values[TCH_EVENT_COMMIT_SHA]),
        .env_hash = raw(&values[TCH_EVENT_ENV_HASH]),
        .model = raw(&values[TCH_EVENT_MODEL]),
        .shape = raw(&values[TCH_EVENT_SHAPE]),
        .stage_us = raw(&values[TCH_EVENT_STAGE_US]),
        .runtime_flags = raw(&values[TCH_EVENT_RUNTIME_FLAGS]),
        .source = raw_or_none(&values[TCH_EVENT_SOURCE]),
        .source_line = raw_or_none(&values[TCH_EVENT_SOURCE_LINE]),
        .concurrency = concurrency,
        .graph_enabled = values[TCH_EVENT_GRAPH_ENABLED].type == TCH_JSON_TRUE,
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
    struct tch_json_value values[TCH_EVENT_FIELDS] = {0};
    struct tch_json_reader r;
    const char *start = text;
    tacho_error why;
    bool is_object = false;

    tch_utf8_trim(&text, &len);
    tch_json_open(&r, text, len, &why);
    r.finite = true;
    if (cut)
        *cut = false;
    if (tch_event_read_values(&r, true, values, &is_object) < 0) {
        uint64_t offset = (uint64_t)(text - start) + why.offset;

        if (cut)
            *cut = is_truncated(text, len, (size_t)why.offset);
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
