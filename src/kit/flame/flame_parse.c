/* Reads the document tacho.flame.capture.v1 back into a result. */
#include <stddef.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/json_read.h"
#include "kit/flame/backend/backend.h"

enum { WARNINGS_LIMIT = 16 << 20, MS = 1000000 };

struct parse {
    const struct tch_json_reader *r; /* reader of the whole document, for error positions */
    tacho_flame *flame;
    tacho_error *err;
};

/* Fails with the position of a value. */
static int bad(const struct parse *p, const struct tch_json_value *raw, const char *key,
               const char *what)
{
    tch_fail(p->err, TACHO_EPARSE, 0, "\"%s\" %s", key, what);
    if (p->err)
        tch_json_locate(p->r, raw->text, p->err);
    return TACHO_EPARSE;
}

/* Returns a raw string without its quotes. */
static struct tch_json_value unquoted(const struct tch_json_value *raw)
{
    return (struct tch_json_value){.type = TCH_JSON_STRING,
                                   .text = raw->text + 1,
                                   .len = raw->len - 2,
                                   .escaped = memchr(raw->text, '\\', raw->len) != NULL};
}

/* Sets a text, which the caller frees. */
static int take_text(const struct parse *p, const struct tch_json_value *raw, const char *key,
                     char **ret)
{
    struct tch_json_value string;
    struct tch_buf b;
    bool whole;

    if (raw->type != TCH_JSON_STRING)
        return bad(p, raw, key, "is not a text");
    string = unquoted(raw);
    tch_buf_init(&b, raw->len);
    tch_json_unescape(&string, &b);
    whole = strlen(b.data) == b.len;
    *ret = whole ? tch_buf_take(&b) : NULL;
    tch_buf_release(&b);
    if (!whole)
        return bad(p, raw, key, "is a text that contains U+0000");
    return *ret ? 0 : tch_fail_memory(p->err);
}

/* The members, each with the function that parses it and its offset in the result. */

typedef int take_fn(struct parse *p, const struct tch_json_value *raw, const char *key, void *at);

static int take_path(struct parse *p, const struct tch_json_value *raw, const char *key, void *at)
{
    return raw->type == TCH_JSON_NULL ? 0 : take_text(p, raw, key, at);
}

static int take_short(struct parse *p, const struct tch_json_value *raw, const char *key, char *at,
                      size_t size)
{
    char *text = NULL;
    int status = take_text(p, raw, key, &text);

    if (status == 0 && strlen(text) >= size)
        status = bad(p, raw, key, "is too long");
    if (status == 0)
        memcpy(at, text, strlen(text) + 1);
    free(text);
    return status;
}

static int take_profiler(struct parse *p, const struct tch_json_value *raw, const char *key,
                         void *at)
{
    return take_short(p, raw, key, at, sizeof p->flame->profiler);
}

static int take_event(struct parse *p, const struct tch_json_value *raw, const char *key, void *at)
{
    return take_short(p, raw, key, at, sizeof p->flame->event);
}

static int take_notice(struct parse *p, const struct tch_json_value *raw, const char *key, void *at)
{
    if (raw->type == TCH_JSON_NULL)
        return 0;
    return take_short(p, raw, key, at, sizeof p->flame->notice);
}

static int take_count(struct parse *p, const struct tch_json_value *raw, const char *key, void *at)
{
    struct tch_json_number number = {.kind = TCH_JSON_F64};

    if (raw->type == TCH_JSON_NUMBER)
        number = tch_json_to_number(raw);
    if (number.kind != TCH_JSON_U64)
        return bad(p, raw, key, "is not a whole number of at least 0");
    *(uint64_t *)at = number.as.u64;
    return 0;
}

static int take_ms(struct parse *p, const struct tch_json_value *raw, const char *key, void *at)
{
    uint64_t *ns = at;
    int status = take_count(p, raw, key, at);

    if (status == 0 && *ns > UINT64_MAX / MS)
        return bad(p, raw, key, "is not a number of milliseconds below 2^64 ns");
    *ns *= MS;
    return status;
}

static int take_flag(struct parse *p, const struct tch_json_value *raw, const char *key, void *at)
{
    if (raw->type != TCH_JSON_TRUE && raw->type != TCH_JSON_FALSE)
        return bad(p, raw, key, "is not true or false");
    *(bool *)at = raw->type == TCH_JSON_TRUE;
    return 0;
}

/* Parses an exit status or a signal. One of them is null; both are if no command was run. */
static int take_wait(struct parse *p, const struct tch_json_value *raw, const char *key, int *at,
                     unsigned shift)
{
    uint64_t number = 0;
    int status;

    if (raw->type == TCH_JSON_NULL)
        return 0;
    status = take_count(p, raw, key, &number);
    if (status == 0 && number > (shift ? 255 : 127))
        return bad(p, raw, key, "is not a status of waitpid()");
    if (status == 0)
        *at = (int)(number << shift);
    return status;
}

static int take_exit(struct parse *p, const struct tch_json_value *raw, const char *key, void *at)
{
    return take_wait(p, raw, key, at, 8);
}

static int take_signal(struct parse *p, const struct tch_json_value *raw, const char *key, void *at)
{
    return take_wait(p, raw, key, at, 0);
}

static int take_warnings(struct parse *p, const struct tch_json_value *raw, const char *key,
                         void *at)
{
    struct tch_json_reader r;
    struct tch_json_value item;
    struct tch_buf b;
    int status = 0;

    if (raw->type != TCH_JSON_ARRAY)
        return bad(p, raw, key, "is not an array");
    tch_buf_init(&b, WARNINGS_LIMIT);
    tch_json_open(&r, raw->text, raw->len, NULL);
    tch_json_read(&r, &item);
    while (status == 0 && tch_json_element(&r) > 0) {
        char *text = NULL;

        tch_json_read_raw(&r, &item);
        status = take_text(p, &item, key, &text);
        if (status == 0 && text[0])
            tch_buf_add(&b, text, strlen(text) + 1);
        free(text);
    }
    if (status == 0 && b.failed)
        status = tch_fail_memory(p->err);
    if (status == 0) {
        free(*(char **)at);
        *(char **)at = tch_buf_take(&b);
        status = *(char **)at ? 0 : tch_fail_memory(p->err);
    }
    tch_buf_release(&b);
    return status;
}

static int take_hot(struct parse *p, const struct tch_json_value *raw, struct tacho_flame_hot *hot)
{
    struct tch_json_value name, kernel, self, total;

    if (!tch_json_find(raw->text, raw->len, "function", &name) || name.type != TCH_JSON_STRING ||
        !tch_json_find(raw->text, raw->len, "kernel", &kernel) ||
        !tch_json_find(raw->text, raw->len, "self", &self) || self.type != TCH_JSON_NUMBER ||
        !tch_json_find(raw->text, raw->len, "total", &total) || total.type != TCH_JSON_NUMBER)
        return bad(p, raw, "hottest", "is not an array of functions");
    hot->kernel = kernel.type == TCH_JSON_TRUE;
    hot->self = tch_json_to_f64(&self);
    hot->total = tch_json_to_f64(&total);
    return take_text(p, &name, "function", &hot->name);
}

static int take_hottest(struct parse *p, const struct tch_json_value *raw, const char *key,
                        void *at)
{
    struct tacho_flame_hot *hottest = at;
    struct tch_json_reader r;
    struct tch_json_value item;
    size_t count = 0;
    int status = 0;

    if (raw->type != TCH_JSON_ARRAY)
        return bad(p, raw, key, "is not an array");
    tch_json_open(&r, raw->text, raw->len, NULL);
    tch_json_read(&r, &item);
    while (status == 0 && tch_json_element(&r) > 0) {
        tch_json_read_raw(&r, &item);
        if (count == TCH_HOTTEST)
            return bad(p, raw, key, "is not an array of at most ten functions");
        status = take_hot(p, &item, &hottest[count]);
        if (status == 0)
            p->flame->hottest_count = ++count;
    }
    return status;
}

#define AT(field) offsetof(struct tacho_flame, field)

enum { REQUIRED = 3 };

static const struct {
    const char *key;
    take_fn *take;
    size_t at;
} members[] = {
    {"svg_path", take_path, AT(svg_path)}, /* the first REQUIRED members are mandatory */
    {"profiler_used", take_profiler, AT(profiler)},
    {"duration_ms", take_ms, AT(duration_ns)},
    {"folded_path", take_path, AT(extra_paths[TCH_EXTRA_FOLDED])},
    {"pprof_path", take_path, AT(extra_paths[TCH_EXTRA_PPROF])},
    {"speedscope_path", take_path, AT(extra_paths[TCH_EXTRA_SPEEDSCOPE])},
    {"previous_path", take_path, AT(previous_path)},
    {"notice", take_notice, AT(notice)},
    {"warnings", take_warnings, AT(warnings)},
    {"event", take_event, AT(event)},
    {"kernel_frames", take_flag, AT(kernel)},
    {"after_command_ms", take_ms, AT(after_ns)},
    {"samples", take_count, AT(samples)},
    {"lost", take_count, AT(lost)},
    {"truncated", take_count, AT(truncated)},
    {"hottest", take_hottest, AT(hottest)},
    {"exit_status", take_exit, AT(wait_status)},
    {"signal", take_signal, AT(wait_status)},
};

enum { MEMBERS = sizeof members / sizeof members[0] };

static int take_member(struct parse *p, struct tch_json_reader *r, const struct tch_json_value *key,
                       bool seen[MEMBERS])
{
    struct tch_json_value raw;
    size_t i = 0;
    int status = tch_json_read_raw(r, &raw);

    while (status == 0 && i < MEMBERS && !tch_json_is(key, members[i].key))
        i++;
    if (status < 0 || i == MEMBERS)
        return status;
    if (seen[i])
        return bad(p, &raw, members[i].key, "occurs twice");
    seen[i] = true;
    return members[i].take(p, &raw, members[i].key, (char *)p->flame + members[i].at);
}

static int parse_document(struct parse *p, struct tch_json_reader *r)
{
    bool seen[MEMBERS] = {false};
    struct tch_json_value value;
    int status = tch_json_read(r, &value);
    int more;

    if (status < 0)
        return status;
    if (value.type != TCH_JSON_OBJECT)
        return tch_fail(p->err, TACHO_EPARSE, 1, "a flamegraph result must be a JSON object");
    while ((more = tch_json_member(r, &value)) > 0) {
        status = take_member(p, r, &value, seen);
        if (status < 0)
            return status;
    }
    if (more < 0)
        return more;
    status = tch_json_finish(r);
    if (status < 0)
        return status;
    for (size_t i = 0; i < REQUIRED; i++)
        if (!seen[i])
            return tch_fail(p->err, TACHO_EPARSE, 0, "\"%s\" is missing", members[i].key);
    if (!p->flame->svg_path)
        return tch_fail(p->err, TACHO_EPARSE, 0, "\"svg_path\" is not a text");
    return 0;
}

int tacho_flame_from_json(const char *json, size_t len, tacho_flame **ret, tacho_error *err)
{
    struct tch_json_reader r;
    struct parse p = {.r = &r, .flame = calloc(1, sizeof *p.flame), .err = err};
    int status;

    if (!p.flame)
        return tch_fail_memory(err);
    p.flame->wait_status = -1;
    p.flame->warnings = calloc(1, 1);
    tch_json_open(&r, json, len, err);
    r.finite = true;
    status = p.flame->warnings ? parse_document(&p, &r) : tch_fail_memory(err);
    if (status == 0)
        *ret = p.flame;
    else
        tacho_flame_free(p.flame);
    return status;
}
