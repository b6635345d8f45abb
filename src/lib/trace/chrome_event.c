/* Writes events in the form of ferrum's Chrome traces. */
#include "chrome_event.h"

#include <string.h>

#include <tacho/chrome.h>

#include "base/fail.h"
#include "base/json_canon.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/utf8.h"

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* Fails with the reason why an argument cannot be written as canonical JSON. */
static int bad_args(const char *key, const tacho_error *why, tacho_error *err)
{
    if (why->code == TACHO_ENOMEM)
        return tch_fail_memory(err);
    if (!key)
        return tch_fail(err, TACHO_EINVAL, 0, "the arguments of an event are not valid: %.150s",
                        why->message);
    return tch_fail(err, TACHO_EINVAL, 0, "the argument '%.60s' is not valid JSON: %.100s", key,
                    why->message);
}

static int add_value(struct tch_buf *b, const tacho_field *field, tacho_error *err)
{
    const char *text = or_empty(field->as.text.data);
    tacho_error why;

    switch (field->type) {
    case TACHO_FIELD_I64:
        tch_json_i64(b, field->as.i64);
        return 0;
    case TACHO_FIELD_U64:
        tch_json_u64(b, field->as.u64);
        return 0;
    case TACHO_FIELD_F64:
        tch_json_f64(b, field->as.f64);
        return 0;
    case TACHO_FIELD_BOOL:
        tch_json_bool(b, field->as.yes);
        return 0;
    case TACHO_FIELD_TEXT:
        tch_json_string(b, text, field->as.text.len);
        return 0;
    case TACHO_FIELD_JSON:
        if (tch_json_canon(b, text, field->as.text.len, TCH_CANON_FINITE, &why) < 0)
            return bad_args(field->key, &why, err);
        return 0;
    default:
        return tch_fail(err, TACHO_EINVAL, 0, "the argument '%.80s' has the unknown type %d",
                        field->key, (int)field->type);
    }
}

/* Adds an object in canonical form, unless it is empty. */
static int add_object(struct tch_buf *b, const char *json, size_t len, tacho_error *err)
{
    struct tch_json_value object;
    struct tch_json_reader r;
    tacho_error why;

    tch_json_open(&r, json, len, NULL);
    if (tch_json_read(&r, &object) == 0 && object.type != TCH_JSON_OBJECT)
        return tch_fail(err, TACHO_EINVAL, 0, "the arguments of an event must be a JSON object");
    if (tch_json_member(&r, &object) == 0 && tch_json_finish(&r) == 0)
        return 0;
    tch_json_key(b, "args");
    if (tch_json_canon(b, json, len, TCH_CANON_FINITE, &why) < 0)
        return bad_args(NULL, &why, err);
    return 0;
}

static bool has_key(const tacho_field *fields, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(fields[i].key, key) == 0)
            return true;
    return false;
}

/* Adds fields as an object, in which a key may occur twice. Sets *twice when one does, and also
   when there are more than FEW fields, which are not compared. */
static int add_members(struct tch_buf *b, tacho_fields args, bool *twice, tacho_error *err)
{
    enum { FEW = 32 };
    int status = 0;

    *twice = args.count > FEW;
    tch_json_begin_object(b);
    for (size_t i = 0; i < args.count && status == 0; i++) {
        const tacho_field *field = &args.data[i];

        if (!field->key)
            return tch_fail(err, TACHO_EINVAL, 0, "an argument has no key");
        *twice = *twice || has_key(args.data, i, field->key);
        tch_json_key(b, field->key);
        status = add_value(b, field, err);
    }
    tch_json_end_object(b);
    return status;
}

static int add_fields(struct tch_buf *b, tacho_fields args, tacho_error *err)
{
    size_t before = b->len;
    bool comma = b->comma;
    struct tch_buf object;
    bool twice;
    int status;

    if (args.count == 0)
        return 0;
    tch_json_key(b, "args");
    status = add_members(b, args, &twice, err);
    if (status < 0 || !twice || b->failed)
        return status;
    tch_buf_init(&object, TCH_CHROME_EVENT_LIMIT); /* write them again, with each key once */
    add_members(&object, args, &twice, NULL);
    tch_json_rewind(b, before, comma);
    status = object.failed ? tch_fail_memory(err) : add_object(b, object.data, object.len, err);
    tch_buf_release(&object);
    return status;
}

int tch_chrome_event_add(struct tch_buf *b, const tacho_trace_event *event, const char *args,
                         tacho_error *err)
{
    const char *phase = or_empty(event->phase);
    size_t phase_len = strlen(phase);
    int status;

    if (phase_len == 0 || tch_utf8_step(phase, phase_len) != phase_len)
        return tch_fail(err, TACHO_EINVAL, 0, "the phase '%.20s' must be one character", phase);
    if (event->pid > UINT32_MAX || event->tid > UINT32_MAX)
        return tch_fail(err, TACHO_EINVAL, 0, "%s %llu does not fit 32 bits",
                        event->pid > UINT32_MAX ? "the process" : "the thread",
                        (unsigned long long)(event->pid > UINT32_MAX ? event->pid : event->tid));
    tch_json_begin_object(b);
    tch_json_put_text(b, "name", or_empty(event->name));
    tch_json_put_text(b, "cat", or_empty(event->category));
    tch_json_put_text(b, "ph", phase);
    tch_json_put_u64(b, "ts", event->ts_us);
    tch_json_put_u64(b, "dur", event->dur_us);
    tch_json_put_u64(b, "pid", event->pid);
    tch_json_put_u64(b, "tid", event->tid);
    status = args ? add_object(b, args, strlen(args), err) : add_fields(b, event->args, err);
    tch_json_end_object(b);
    return status == 0 && b->failed ? tch_fail_memory(err) : status;
}

int tacho_chrome_event_to_json(const tacho_trace_event *event, char **ret, size_t *ret_len,
                               tacho_error *err)
{
    struct tch_buf b;
    size_t len;
    char *text = NULL;
    int status;

    tch_buf_init(&b, TCH_CHROME_EVENT_LIMIT);
    status = tch_chrome_event_add(&b, event, NULL, err);
    len = b.len;
    if (status == 0)
        text = tch_buf_take(&b);
    tch_buf_release(&b);
    if (status == 0 && !text)
        return tch_fail_memory(err);
    if (status == 0) {
        *ret = text;
        if (ret_len)
            *ret_len = len;
    }
    return status;
}
