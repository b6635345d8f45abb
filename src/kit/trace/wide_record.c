/* Converts events of the model to wide records of a recording. */
#include "wide_record.h"

#include <string.h>

#include "base/json_read.h"
#include "lib/trace/record_words.h"

enum { ARGS_MAX = 2 * TACHO_ARGS_MAX };

void tch_wide_record_init(struct tch_wide_record *r)
{
    *r = (struct tch_wide_record){.len = 0};
    tch_buf_init(&r->text, 1 << 20);
}

void tch_wide_record_release(struct tch_wide_record *r)
{
    tch_intern_release(&r->texts);
    tch_buf_release(&r->text);
}

uint32_t tch_wide_record_text(struct tch_wide_record *r, const char *text, size_t len)
{
    uint32_t number;

    if (len > TCH_RECORD_TEXT) {
        len = TCH_RECORD_TEXT;
        r->cut++;
    }
    number = tch_intern_add(&r->texts, text, len);
    return number == TCH_INTERN_NONE ? number : number + 1;
}

void tch_wide_record_begin(struct tch_wide_record *r, unsigned kind, uint32_t id,
                           const uint64_t *fixed)
{
    r->words[0] = TCH_REC_WIDE;
    r->words[1] = tch_rec_wide(0, kind, 0, id);
    memcpy(r->words + TCH_REC_HEAD_WORDS, fixed, tch_rec_fixed(kind) * sizeof *fixed);
    r->len = TCH_REC_HEAD_WORDS + tch_rec_fixed(kind);
    r->words[1] |= r->len;
}

static void put_arg(struct tch_wide_record *r, uint32_t key, unsigned type, const void *value,
                    size_t len)
{
    unsigned words = 1 + tch_rec_value_words(len);

    if (r->len + words > TCH_REC_WIDE_MAX) {
        r->cut++;
        return;
    }
    tch_rec_put_arg(r->words + r->len, key, type, value, len);
    r->len += words;
    r->words[1] += (UINT64_C(1) << 24) + words; /* counts one more argument and its words */
}

static unsigned number_of(const struct tch_json_value *v, uint64_t *bits)
{
    struct tch_json_number n = tch_json_to_number(v);

    memcpy(bits, &n.as, sizeof *bits);
    if (n.kind == TCH_JSON_F64)
        return TACHO_FIELD_F64;
    return n.kind == TCH_JSON_U64 && n.as.u64 > INT64_MAX ? TACHO_FIELD_U64 : TACHO_FIELD_I64;
}

/* Adds a JSON value, including its quotes. */
static void put_value(struct tch_wide_record *r, uint32_t key, const struct tch_json_value *raw)
{
    struct tch_json_value string = {.type = TCH_JSON_STRING, .escaped = true};
    uint64_t bits;

    switch (raw->type) {
    case TCH_JSON_NUMBER: {
        unsigned type = number_of(raw, &bits);

        put_arg(r, key, type, &bits, sizeof bits);
        break;
    }
    case TCH_JSON_TRUE:
    case TCH_JSON_FALSE:
        bits = tacho_bool("", raw->type == TCH_JSON_TRUE).as.u64;
        put_arg(r, key, TACHO_FIELD_BOOL, &bits, sizeof bits);
        break;
    case TCH_JSON_STRING:
        string.text = raw->text + 1;
        string.len = raw->len - 2;
        tch_buf_clear(&r->text);
        tch_json_unescape(&string, &r->text);
        put_arg(r, key, TACHO_FIELD_TEXT, r->text.data, r->text.len);
        break;
    default:
        put_arg(r, key, TACHO_FIELD_JSON, raw->text, raw->len);
    }
}

static int put_args(struct tch_wide_record *r, const struct tch_ev *ev)
{
    struct tch_json_reader j;
    struct tch_json_value key, v;
    unsigned count = 0;

    if (ev->args_len == 0)
        return 0;
    tch_json_open(&j, ev->args, ev->args_len, NULL);
    if (tch_json_read(&j, &v) < 0)
        return 0;
    while (tch_json_member(&j, &key) > 0) {
        uint32_t text;

        tch_buf_clear(&r->text);
        tch_json_unescape(&key, &r->text);
        text = tch_wide_record_text(r, r->text.data, r->text.len);
        if (text == TCH_INTERN_NONE || tch_json_read_raw(&j, &v) < 0)
            return text == TCH_INTERN_NONE ? -1 : 0;
        if (count++ < ARGS_MAX)
            put_value(r, text, &v);
        else
            r->cut++;
    }
    return r->text.failed ? -1 : 0;
}

/* Adds a counter. One with a single series called "value" is a plain number; others store their
   series as arguments. */
static int put_counter(struct tch_wide_record *r, const struct tch_ev *ev, uint32_t site)
{
    uint64_t fixed[2] = {TACHO_FIELD_I64, 0};
    struct tch_json_reader j;
    struct tch_json_value key, v;
    bool alone = true, found = false;

    tch_json_open(&j, ev->args, ev->args_len, NULL);
    if (ev->args_len > 0 && tch_json_read(&j, &v) == 0)
        while (tch_json_member(&j, &key) > 0 && tch_json_read_raw(&j, &v) == 0) {
            alone = alone && !found && tch_json_is(&key, "value");
            if (!found && v.type == TCH_JSON_NUMBER)
                fixed[0] = number_of(&v, &fixed[1]);
            found = found || v.type == TCH_JSON_NUMBER;
        }
    tch_wide_record_begin(r, TCH_REC_COUNTER, site, fixed);
    return alone && found ? 0 : put_args(r, ev);
}

static uint64_t phase_of(char phase)
{
    return phase == 't' || phase == 'n' ? 1 : phase == 'f' || phase == 'e' ? 2 : 0;
}

int tch_wide_record_make(struct tch_wide_record *r, const struct tch_ev *ev, uint32_t site)
{
    uint64_t fixed[2] = {0, ev->id};

    switch (ev->kind) {
    case TCH_EV_INSTANT:
        fixed[0] = ev->scope == 'p' ? 1 : ev->scope == 'g' ? 2 : 0;
        tch_wide_record_begin(r, TCH_REC_INSTANT, site, fixed);
        break;
    case TCH_EV_COUNTER:
        return put_counter(r, ev, site);
    case TCH_EV_FLOW:
    case TCH_EV_ASYNC:
        fixed[0] = phase_of(ev->phase);
        if (ev->kind == TCH_EV_ASYNC && !(ev->flags & TCH_EV_LOCAL))
            fixed[0] |= TCH_REC_TRACE_ID;
        tch_wide_record_begin(r, ev->kind == TCH_EV_FLOW ? TCH_REC_FLOW : TCH_REC_ASYNC, site,
                              fixed);
        break;
    default:
        tch_wide_record_begin(r, TCH_REC_BEGIN, site, fixed);
    }
    return put_args(r, ev);
}
