/* The strict reader of <tacho/chrome.h>. The reader of the file validates each event as JSON.
   Then a second reader reads the members from the event's text, which is still in the window of
   the first. Every position in a message is therefore a position in the file. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tacho/chrome.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/json_canon.h"
#include "base/json_read.h"
#include "base/owned_fd.h"
#include "base/utf8.h"
#include "chrome_event.h"

struct tacho_chrome_reader {
    const char *data; /* the bytes in memory that are left to read; those of the file follow */
    size_t len;
    struct tch_owned_fd file; /* none: the trace is in memory */
    char head[256];
    enum { AT_START, IN_ARRAY, AT_END } state;
    bool single;     /* the text is one event instead of an array */
    uint64_t number; /* number of the event, from 1 */
    int status;      /* code of the failure that stopped the reader */
    tacho_error why;
    struct tch_json_reader json;

    /* The current event. */
    tacho_trace_event event;
    struct tch_buf texts; /* its texts, each terminated by NUL */
    struct tch_buf args;  /* its arguments in canonical form */
    tacho_field *fields;
    size_t field_count, field_room;
};

static ssize_t read_source(void *ctx, char *buf, size_t size)
{
    tacho_chrome_reader *r = ctx;

    if (r->len == 0)
        return r->file.fd < 0               ? 0
               : !tch_owned_holds(&r->file) ? -1
                                            : tch_read_some(r->file.fd, buf, size);
    if (size > r->len)
        size = r->len;
    memcpy(buf, r->data, size);
    r->data += size;
    r->len -= size;
    return (ssize_t)size;
}

/* Starts the reader on bytes in memory. The rest of the file follows them. */
static int open_reader(tacho_chrome_reader *r, const char *data, size_t len, tacho_error *err)
{
    size_t blanks = 0;

    if (len >= 2 && memcmp(data, "\x1f\x8b", 2) == 0)
        return tch_fail(err, TACHO_EUNSUPPORTED, 0,
                        "the trace is compressed; decompress it with 'gunzip' first");
    while (blanks < len && strchr(" \t\r\n", data[blanks]) && data[blanks])
        blanks++;
    r->single = blanks < len && data[blanks] == '{';
    r->data = data;
    r->len = len;
    if (tch_json_open_stream(&r->json, read_source, r, TCH_CHROME_EVENT_MAX, &r->why) < 0)
        return tch_fail_memory(err);
    r->json.finite = true;
    tch_buf_init(&r->texts, (size_t)8 * TCH_CHROME_EVENT_MAX);
    tch_buf_init(&r->args, (size_t)8 * TCH_CHROME_EVENT_MAX);
    return 0;
}

int tacho_chrome_reader_open_mem(const char *data, size_t len, tacho_chrome_reader **ret,
                                 tacho_error *err)
{
    tacho_chrome_reader *r = calloc(1, sizeof *r);
    int status;

    if (!r)
        return tch_fail_memory(err);
    r->file = TCH_OWNED_NONE;
    status = open_reader(r, data, len, err);
    if (status == 0)
        *ret = r;
    else
        free(r);
    return status;
}

int tacho_chrome_reader_open(const char *path, tacho_chrome_reader **ret, tacho_error *err)
{
    tacho_chrome_reader *r = calloc(1, sizeof *r);
    int status = r ? 0 : tch_fail_memory(err);
    ssize_t len = -1;

    if (r) {
        if (tch_owned_take(&r->file, open(path, O_RDONLY | O_CLOEXEC)) >= 0)
            len = tch_read_some(r->file.fd, r->head, sizeof r->head);
        status = len < 0 ? tch_fail_errno(err, errno, "cannot read '%s'", path)
                         : open_reader(r, r->head, (size_t)len, err);
    }
    if (status == 0) {
        *ret = r;
        return 0;
    }
    if (r)
        tch_owned_close(&r->file);
    free(r);
    return status;
}

void tacho_chrome_reader_close(tacho_chrome_reader *reader)
{
    if (!reader)
        return;
    tch_json_close(&reader->json);
    tch_buf_release(&reader->texts);
    tch_buf_release(&reader->args);
    free(reader->fields);
    tch_owned_close(&reader->file);
    free(reader);
}

/* Fails at a position in the window. */
static int bad(tacho_chrome_reader *r, const char *at, const char *what, const char *key)
{
    tch_fail(&r->why, TACHO_EPARSE, 0, "trace event %llu: %s%s%s%s", (unsigned long long)r->number,
             what, key ? " '" : "", key ? key : "", key ? "'" : "");
    tch_json_locate(&r->json, at, &r->why);
    return TACHO_EPARSE;
}

/* Texts. Until the event is complete, they are stored as offsets into r->texts plus 1, because
   the buffer may move. */

/* Adds a raw string without its quotes and escapes. */
static void add_string(tacho_chrome_reader *r, const struct tch_json_value *raw)
{
    struct tch_json_value string = {.type = TCH_JSON_STRING,
                                    .text = raw->text + 1,
                                    .len = raw->len - 2,
                                    .escaped = memchr(raw->text, '\\', raw->len) != NULL};

    tch_json_unescape(&string, &r->texts);
}

/* Adds a string. Returns TACHO_EPARSE when it contains U+0000, which a C string cannot contain. */
static int take_string(tacho_chrome_reader *r, const struct tch_json_value *raw, const char **ret)
{
    size_t at = r->texts.len;

    add_string(r, raw);
    if (memchr(r->texts.data + at, '\0', r->texts.len - at))
        return TACHO_EPARSE;
    tch_buf_addc(&r->texts, '\0');
    *ret = (const char *)(uintptr_t)(at + 1);
    return 0;
}

static const char *text_at(const tacho_chrome_reader *r, const char *offset)
{
    return r->texts.data + (uintptr_t)offset - 1;
}

/* Members. */

static int take_text(tacho_chrome_reader *r, const struct tch_json_value *raw, const char *key,
                     const char **ret)
{
    if (raw->type != TCH_JSON_STRING)
        return bad(r, raw->text, "a text is expected for", key);
    if (take_string(r, raw, ret) < 0)
        return bad(r, raw->text, "U+0000 cannot be read as part of", key);
    return 0;
}

static int take_number(tacho_chrome_reader *r, const struct tch_json_value *raw, const char *key,
                       uint64_t most, uint64_t *ret)
{
    struct tch_json_number number = {.kind = TCH_JSON_F64};

    if (raw->type == TCH_JSON_NUMBER)
        number = tch_json_to_number(raw);
    if (number.kind != TCH_JSON_U64 || number.as.u64 > most)
        return bad(r, raw->text,
                   most == UINT32_MAX ? "a whole number below 2^32 is expected for"
                                      : "a whole number below 2^64 is expected for",
                   key);
    *ret = number.as.u64;
    return 0;
}

/* Sets the value of a field from its text in the window. */
static void set_value(tacho_chrome_reader *r, tacho_field *field, const struct tch_json_value *raw)
{
    struct tch_json_number number;
    size_t at = r->texts.len;

    switch (raw->type) {
    case TCH_JSON_TRUE:
    case TCH_JSON_FALSE:
        field->type = TACHO_FIELD_BOOL;
        field->as.yes = raw->type == TCH_JSON_TRUE;
        return;
    case TCH_JSON_NUMBER:
        number = tch_json_to_number(raw);
        field->type = number.kind == TCH_JSON_U64   ? TACHO_FIELD_U64
                      : number.kind == TCH_JSON_I64 ? TACHO_FIELD_I64
                                                    : TACHO_FIELD_F64;
        field->as.u64 = number.as.u64;
        if (number.kind == TCH_JSON_F64)
            field->as.f64 = number.as.f64;
        return;
    case TCH_JSON_STRING:
        field->type = TACHO_FIELD_TEXT;
        add_string(r, raw);
        break;
    default:
        field->type = TACHO_FIELD_JSON;
        tch_buf_add(&r->texts, raw->text, raw->len);
    }
    field->as.text.data = (const char *)(uintptr_t)(at + 1);
    field->as.text.len = r->texts.len - at;
    tch_buf_addc(&r->texts, '\0');
}

/* Reads the arguments from their canonical form, in which each key occurs once. */
static int take_args(tacho_chrome_reader *r, const struct tch_json_value *raw)
{
    struct tch_json_reader inner;
    struct tch_json_value value, name;
    int status;

    if (raw->type != TCH_JSON_OBJECT)
        return bad(r, raw->text, "an object is expected for", "args");
    tch_buf_clear(&r->args);
    status = tch_json_canon(&r->args, raw->text, raw->len, 0, &r->why);
    tch_json_open(&inner, r->args.data, r->args.len, NULL);
    tch_json_read(&inner, &value);
    while (status == 0 && tch_json_member(&inner, &name) > 0) {
        struct tch_json_value quoted = {.text = name.text - 1, .len = name.len + 2};
        tacho_field field = {.key = NULL};

        tch_json_read_raw(&inner, &value);
        if (take_string(r, &quoted, &field.key) < 0)
            return bad(r, raw->text, "U+0000 cannot be read as part of a key of", "args");
        set_value(r, &field, &value);
        if (tch_array_reserve(&r->fields, &r->field_room, r->field_count + 1) < 0)
            return tch_fail_memory(&r->why);
        r->fields[r->field_count++] = field;
    }
    return status;
}

enum member { NAME, CAT, PH, TS, DUR, PID, TID, ARGS, MEMBERS };

static const char *const keys[MEMBERS] = {"name", "cat", "ph", "ts", "dur", "pid", "tid", "args"};

static int take_phase(tacho_chrome_reader *r, const struct tch_json_value *raw)
{
    int status = take_text(r, raw, "ph", &r->event.phase);
    const char *phase;

    if (status < 0 || r->texts.failed)
        return status;
    phase = text_at(r, r->event.phase);
    if (!*phase || tch_utf8_step(phase, strlen(phase)) != strlen(phase))
        return bad(r, raw->text, "one character is expected for", "ph");
    return 0;
}

static int take_member(tacho_chrome_reader *r, enum member m, const struct tch_json_value *raw)
{
    switch (m) {
    case NAME:
        return take_text(r, raw, keys[m], &r->event.name);
    case CAT:
        return take_text(r, raw, keys[m], &r->event.category);
    case PH:
        return take_phase(r, raw);
    case TS:
        return take_number(r, raw, keys[m], UINT64_MAX, &r->event.ts_us);
    case DUR:
        return take_number(r, raw, keys[m], UINT64_MAX, &r->event.dur_us);
    case PID:
        return take_number(r, raw, keys[m], UINT32_MAX, &r->event.pid);
    case TID:
        return take_number(r, raw, keys[m], UINT32_MAX, &r->event.tid);
    default:
        return take_args(r, raw);
    }
}

/* Replaces the offsets by pointers. */
static void settle_texts(tacho_chrome_reader *r)
{
    r->event.name = text_at(r, r->event.name);
    r->event.category = text_at(r, r->event.category);
    r->event.phase = text_at(r, r->event.phase);
    for (size_t i = 0; i < r->field_count; i++) {
        tacho_field *field = &r->fields[i];

        field->key = text_at(r, field->key);
        if (field->type == TACHO_FIELD_TEXT || field->type == TACHO_FIELD_JSON)
            field->as.text.data = text_at(r, field->as.text.data);
    }
    r->event.args = (tacho_fields){r->fields, r->field_count};
}

static int take_event(tacho_chrome_reader *r, const struct tch_json_value *raw)
{
    bool seen[MEMBERS] = {false};
    struct tch_json_reader inner;
    struct tch_json_value name, value;
    int status = 0;

    tch_buf_clear(&r->texts);
    r->field_count = 0;
    r->event = (tacho_trace_event){.name = NULL};
    if (raw->type != TCH_JSON_OBJECT)
        return bad(r, raw->text, "an event must be an object", NULL);
    tch_json_open(&inner, raw->text, raw->len, NULL);
    tch_json_read(&inner, &value);
    while (status == 0 && tch_json_member(&inner, &name) > 0) {
        int m = 0;

        tch_json_read_raw(&inner, &value);
        while (m < MEMBERS && !tch_json_is(&name, keys[m]))
            m++;
        if (m == MEMBERS)
            continue;
        if (seen[m])
            return bad(r, name.text, "there are two members", keys[m]);
        seen[m] = true;
        status = take_member(r, (enum member)m, &value);
    }
    for (int m = 0; status == 0 && m < ARGS; m++)
        if (!seen[m])
            return bad(r, raw->text, "there is no member", keys[m]);
    if (status == 0 && r->texts.failed)
        return tch_fail_memory(&r->why);
    if (status == 0)
        settle_texts(r);
    return status;
}

/* Enters the array, if there is one. */
static int start(tacho_chrome_reader *r)
{
    struct tch_json_value value;
    int status;

    r->state = IN_ARRAY;
    if (r->single)
        return 0;
    status = tch_json_read(&r->json, &value);
    if (status == 0 && value.type != TCH_JSON_ARRAY)
        status = tch_fail(&r->why, TACHO_EPARSE, 1, "a trace must be an array of events");
    return status;
}

/* Reads the next event. Returns 1, 0 at the end, or a negative code. */
static int step(tacho_chrome_reader *r)
{
    struct tch_json_value raw;
    int more = 0;

    if (r->state == AT_START)
        more = start(r);
    if (more == 0 && r->state != AT_END)
        more = r->single ? r->number == 0 : tch_json_element(&r->json);
    if (more == 0 && r->state != AT_END) {
        r->state = AT_END;
        more = tch_json_finish(&r->json);
    }
    if (more <= 0)
        return more;
    r->number++;
    more = tch_json_read_raw(&r->json, &raw);
    return more == 0 && (more = take_event(r, &raw)) == 0 ? 1 : more;
}

int tacho_chrome_next(tacho_chrome_reader *reader, const tacho_trace_event **ret, tacho_error *err)
{
    int more = reader->status < 0 ? reader->status : step(reader);

    if (more > 0)
        *ret = &reader->event;
    if (more < 0)
        reader->status = more;
    if (more < 0 && err)
        *err = reader->why;
    return more;
}
