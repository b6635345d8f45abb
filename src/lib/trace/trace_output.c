/* Output, arguments and text for the writers of traces. */
#include "trace_output.h"

#include "base/fail.h"
#include "base/json_write.h"

int tch_out_init(struct tch_out *o, struct tch_replace *file, tacho_error *err)
{
    *o = (struct tch_out){.file = file, .err = err, .data = malloc(TCH_OUT_SIZE)};
    if (!o->data)
        o->status = tch_fail(err, TACHO_ENOMEM, 0, "out of memory to write a trace");
    return o->status;
}

void tch_out_release(struct tch_out *o)
{
    free(o->data);
    o->data = NULL;
}

int tch_out_flush(struct tch_out *o)
{
    if (o->status == 0)
        o->status = tch_replace_write(o->file, o->data, o->len, o->err);
    o->len = 0;
    return o->status;
}

void tch_out_add(struct tch_out *o, const void *data, size_t len)
{
    while (len > 0) {
        size_t n = len < TCH_OUT_SIZE ? len : TCH_OUT_SIZE;

        memcpy(tch_out_room(o, n), data, n);
        o->len += n;
        data = (const char *)data + n;
        len -= n;
    }
}

static bool same_key(const struct tch_rec_arg *a, const struct tch_rec_arg *b)
{
    return a->key->name_len == b->key->name_len &&
           memcmp(a->key->name, b->key->name, a->key->name_len) == 0;
}

static void gather(struct tch_arg_list *ret, const struct tch_recording *r,
                   struct tch_rec_args args)
{
    struct tch_rec_arg arg;

    while (tch_rec_next_arg(r, &args, &arg)) {
        size_t i = 0;

        while (i < ret->count && !same_key(&ret->list[i], &arg))
            i++;
        if (i == sizeof ret->list / sizeof ret->list[0])
            return;
        ret->list[i] = arg;
        if (i == ret->count)
            ret->count++;
    }
}

void tch_args_gather(struct tch_arg_list *ret, const struct tch_recording *r,
                     const struct tch_seen_event *e)
{
    ret->count = 0;
    gather(ret, r, e->args);
    gather(ret, r, e->end_args);
}

void tch_json_arg(struct tch_buf *b, const struct tch_rec_arg *arg)
{
    double number;

    switch (arg->type) {
    case TACHO_ARG_I64:
        tch_json_i64(b, (int64_t)arg->bits);
        break;
    case TACHO_ARG_F64:
        memcpy(&number, &arg->bits, sizeof number);
        tch_json_f64(b, number);
        break;
    case TACHO_ARG_BOOL:
        tch_json_bool(b, arg->bits != 0);
        break;
    case TACHO_ARG_TEXT:
    case TCH_REC_ARG_JSON:
        tch_json_string(b, arg->text, arg->len);
        break;
    default:
        tch_json_u64(b, arg->bits);
    }
}

const char *tch_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

void tch_add_reasons(struct tch_buf *b, uint64_t reasons)
{
    static const char *const words[] = {"limit", "ring", "disk", "threads", "names"};
    const char *comma = "";

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (reasons >> i & 1) {
            tch_buf_addf(b, "%s%s", comma, words[i]);
            comma = ", ";
        }
}
