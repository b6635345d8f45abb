/* Arguments of events for Perfetto: JSON as it stands, member by member. */
#include "perfetto_write_args.h"

#include "base/json_read.h"
#include "base/protobuf.h"
#include "lib/trace/perfetto_fields.h"

enum { ARG_DEPTH = 32 };

struct args {
    struct tch_buf *out, *spare;
};

static void put_arg_value(struct args *a, struct tch_json_reader *j, unsigned depth);

static void put_json_text(struct args *a, uint32_t field, const struct tch_json_value *v)
{
    tch_buf_clear(a->spare);
    tch_json_unescape(v, a->spare);
    a->out->failed |= a->spare->failed;
    tch_pb_bytes(a->out, field, a->spare->data, a->spare->len);
}

static void put_arg_list(struct args *a, struct tch_json_reader *j, bool object, unsigned depth)
{
    struct tch_json_value key;

    while ((object ? tch_json_member(j, &key) : tch_json_element(j)) > 0) {
        size_t arg = tch_pb_begin(a->out, depth == 0 ? TCH_PF_EVENT_ARG
                                          : object   ? TCH_PF_ARG_DICT
                                                     : TCH_PF_ARG_ARRAY);

        if (object)
            put_json_text(a, TCH_PF_ARG_NAME, &key);
        put_arg_value(a, j, depth + 1);
        tch_pb_end(a->out, arg);
    }
}

static void put_number(struct args *a, const struct tch_json_value *v)
{
    struct tch_json_number n = tch_json_to_number(v);

    if (n.kind == TCH_JSON_U64 && n.as.u64 <= INT64_MAX)
        tch_pb_varint(a->out, TCH_PF_ARG_INT, n.as.u64);
    else if (n.kind == TCH_JSON_U64)
        tch_pb_varint(a->out, TCH_PF_ARG_UINT, n.as.u64);
    else if (n.kind == TCH_JSON_I64)
        tch_pb_varint(a->out, TCH_PF_ARG_INT, (uint64_t)n.as.i64);
    else
        tch_pb_double(a->out, TCH_PF_ARG_DOUBLE, n.as.f64);
}

static void put_arg_value(struct args *a, struct tch_json_reader *j, unsigned depth)
{
    struct tch_json_value v;

    if (depth >= ARG_DEPTH) {
        if (tch_json_read_raw(j, &v) == 0)
            tch_pb_bytes(a->out, TCH_PF_ARG_LEGACY_JSON, v.text, v.len);
        return;
    }
    if (tch_json_read(j, &v) < 0)
        return;
    switch (v.type) {
    case TCH_JSON_STRING:
        put_json_text(a, TCH_PF_ARG_STRING, &v);
        break;
    case TCH_JSON_NUMBER:
        put_number(a, &v);
        break;
    case TCH_JSON_TRUE:
    case TCH_JSON_FALSE:
        tch_pb_varint(a->out, TCH_PF_ARG_BOOL, v.type == TCH_JSON_TRUE);
        break;
    case TCH_JSON_NULL:
        break; /* a name without a value */
    default:
        put_arg_list(a, j, v.type == TCH_JSON_OBJECT, depth);
    }
}

void tch_pf_put_args(struct tch_buf *out, struct tch_buf *spare, const char *json, size_t len)
{
    struct args a = {out, spare};
    struct tch_json_reader j;
    struct tch_json_value v;

    tch_json_open(&j, json, len, NULL);
    if (tch_json_read(&j, &v) == 0)
        put_arg_list(&a, &j, true, 0);
}
