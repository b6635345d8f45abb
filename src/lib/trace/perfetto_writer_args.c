/* Writes arguments of events for Perfetto, from values or from JSON, member by member. */

#include "perfetto_writer_args.h"

#include <tacho/trace.h>

#include "base/json_read.h"
#include "base/utf8.h"
#include "record_words.h"
#include "recording_file.h"

enum { ARG_DEPTH = 32 };

static void add_json_value(struct tch_perfetto *p, struct tch_json_reader *j, unsigned depth);

static void add_json_text(struct tch_perfetto *p, uint32_t field, const struct tch_json_value *v)
{
    tch_buf_clear(&p->text);
    tch_json_unescape(v, &p->text);
    p->packet.failed |= p->text.failed;
    tch_pb_bytes(&p->packet, field, p->text.data, p->text.len);
}

static void add_json_list(struct tch_perfetto *p, struct tch_json_reader *j, bool object,
                          unsigned depth)
{
    struct tch_json_value key;

    while ((object ? tch_json_member(j, &key) : tch_json_element(j)) > 0) {
        size_t arg = tch_pb_begin(&p->packet, depth == 0 ? TCH_PF_EVENT_ARG
                                              : object   ? TCH_PF_ARG_DICT
                                                         : TCH_PF_ARG_ARRAY);

        if (object)
            add_json_text(p, TCH_PF_ARG_NAME, &key);
        add_json_value(p, j, depth + 1);
        tch_pb_end(&p->packet, arg);
    }
}

static void add_json_number(struct tch_perfetto *p, const struct tch_json_value *v)
{
    struct tch_json_number n = tch_json_to_number(v);

    if (n.kind == TCH_JSON_U64 && n.as.u64 <= INT64_MAX)
        tch_pb_varint(&p->packet, TCH_PF_ARG_INT, n.as.u64);
    else if (n.kind == TCH_JSON_U64)
        tch_pb_varint(&p->packet, TCH_PF_ARG_UINT, n.as.u64);
    else if (n.kind == TCH_JSON_I64)
        tch_pb_varint(&p->packet, TCH_PF_ARG_INT, (uint64_t)n.as.i64);
    else
        tch_pb_double(&p->packet, TCH_PF_ARG_DOUBLE, n.as.f64);
}

static void add_json_value(struct tch_perfetto *p, struct tch_json_reader *j, unsigned depth)
{
    struct tch_json_value v;

    if (depth >= ARG_DEPTH) {
        if (tch_json_read_raw(j, &v) == 0)
            tch_pb_bytes(&p->packet, TCH_PF_ARG_LEGACY_JSON, v.text, v.len);
        return;
    }
    if (tch_json_read(j, &v) < 0)
        return;
    switch (v.type) {
    case TCH_JSON_STRING:
        add_json_text(p, TCH_PF_ARG_STRING, &v);
        break;
    case TCH_JSON_NUMBER:
        add_json_number(p, &v);
        break;
    case TCH_JSON_TRUE:
    case TCH_JSON_FALSE:
        tch_pb_varint(&p->packet, TCH_PF_ARG_BOOL, v.type == TCH_JSON_TRUE);
        break;
    case TCH_JSON_NULL:
        break; /* writes a name without a value */
    default:
        add_json_list(p, j, v.type == TCH_JSON_OBJECT, depth);
    }
}

static void add_utf8(struct tch_perfetto *p, uint32_t field, const char *text, size_t len)
{
    size_t begun = tch_pb_begin(&p->packet, field);

    tch_utf8_add(&p->packet, text, len);
    tch_pb_end(&p->packet, begun);
}

static void add_value(struct tch_perfetto *p, const struct tch_rec_arg *arg)
{
    size_t begun = tch_pb_begin(&p->packet, TCH_PF_EVENT_ARG);
    struct tch_json_reader j;

    add_utf8(p, TCH_PF_ARG_NAME, arg->key->name, arg->key->name_len);
    switch (arg->type) {
    case TACHO_FIELD_I64:
        tch_pb_varint(&p->packet, TCH_PF_ARG_INT, arg->bits);
        break;
    case TACHO_FIELD_F64:
        tch_pb_fixed64(&p->packet, TCH_PF_ARG_DOUBLE, arg->bits);
        break;
    case TACHO_FIELD_BOOL:
        tch_pb_varint(&p->packet, TCH_PF_ARG_BOOL, tch_rec_arg_yes(arg));
        break;
    case TACHO_FIELD_TEXT:
        add_utf8(p, TCH_PF_ARG_STRING, arg->text, arg->len);
        break;
    case TACHO_FIELD_JSON:
        tch_json_open(&j, arg->text, arg->len, NULL);
        add_json_value(p, &j, 1);
        break;
    default:
        tch_pb_varint(&p->packet, TCH_PF_ARG_UINT, arg->bits);
    }
    tch_pb_end(&p->packet, begun);
}

void tch_pf_add_args(struct tch_perfetto *p, const struct tch_ev *ev)
{
    struct tch_json_reader j;
    struct tch_json_value v;

    if (ev->flags & TCH_EV_VALUES) {
        for (uint32_t i = 0; i < ev->args_len; i++)
            add_value(p, &ev->values[i]);
        return;
    }
    tch_json_open(&j, ev->args, ev->args_len, NULL);
    if (tch_json_read(&j, &v) == 0)
        add_json_list(p, &j, true, 0);
}
