/* Decodes and checks the words of a record. */
#include "record_words.h"

#include <string.h>

#include "base/json_write.h"

/* Arguments. */

static unsigned arg_words(uint64_t head)
{
    unsigned type = head >> 32 & 0xFF;

    return 1 + (type >= TACHO_FIELD_TEXT ? tch_rec_value_words((size_t)(head >> 40)) : 1);
}

bool tch_rec_next_arg(const struct tch_recording *r, struct tch_rec_args *args,
                      struct tch_rec_arg *ret)
{
    uint64_t head;

    if (args->count == 0)
        return false;
    head = args->words[0];
    *ret = (struct tch_rec_arg){.key = &r->texts.list[(uint32_t)head], .type = head >> 32 & 0xFF};
    if (ret->type >= TACHO_FIELD_TEXT) {
        ret->text = (const char *)(args->words + 1);
        ret->len = (size_t)(head >> 40);
    } else {
        ret->bits = args->words[1];
    }
    args->words += arg_words(head);
    args->count--;
    return true;
}

static bool has_text(const struct tch_recording *r, uint64_t id)
{
    return id < r->texts.count && r->texts.list[id].name;
}

bool tch_rec_args_sound(const struct tch_recording *r, const uint64_t *words, unsigned count,
                        size_t left)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned type, size;

        if (left == 0)
            return false;
        type = words[0] >> 32 & 0xFF;
        size = arg_words(words[0]);
        if (type < TACHO_FIELD_I64 || type > TACHO_FIELD_JSON || size > left ||
            !has_text(r, (uint32_t)words[0]))
            return false;
        words += size;
        left -= size;
    }
    return left == 0;
}

bool tch_rec_join_values(const struct tch_recording *r, const struct tch_rec_name *site,
                         const uint64_t *values, uint64_t joined[2 * TACHO_ARGS_MAX])
{
    for (uint32_t i = 0; i < site->arg_count; i++) {
        uint32_t key, type;

        memcpy(&key, site->args + (size_t)i * 8, 4);
        memcpy(&type, site->args + (size_t)i * 8 + 4, 4);
        if (!has_text(r, key) || !tch_rec_type_is_number(type))
            return false;
        joined[(size_t)i * 2] = key | (uint64_t)type << 32;
        joined[(size_t)i * 2 + 1] = values[i];
    }
    return true;
}

bool tch_rec_kind_sound(const struct tch_recording *r, unsigned kind, uint32_t id,
                        const uint64_t *fixed)
{
    switch (kind) {
    case TCH_REC_END:
        return id == TCH_REC_SITE_ANY || tch_rec_has_site(r, id);
    case TCH_REC_PUT:
        return tch_rec_has_site(r, id) && has_text(r, fixed[4]);
    case TCH_REC_TRACK_SPAN:
    case TCH_REC_TRACK_INSTANT:
    case TCH_REC_TRACK_COUNTER:
        return tch_rec_has_site(r, id) && has_text(r, fixed[0]);
    case TCH_REC_THREAD:
        return true;
    case TCH_REC_THREAD_NAME:
    case TCH_REC_PROCESS_NAME:
        return has_text(r, id);
    default:
        return tch_rec_has_site(r, id);
    }
}

/* Adds valid JSON on one line. Control characters can only be white space between tokens and
   become blanks. */
static void put_json(struct tch_buf *b, const char *json, size_t len)
{
    size_t start = b->len;

    tch_json_raw(b, json, len);
    for (size_t i = start; i < b->len; i++)
        if ((unsigned char)b->data[i] < ' ')
            b->data[i] = ' ';
}

void tch_json_arg(struct tch_buf *b, const struct tch_rec_arg *arg)
{
    double number;

    switch (arg->type) {
    case TACHO_FIELD_I64:
        tch_json_i64(b, (int64_t)arg->bits);
        break;
    case TACHO_FIELD_F64:
        memcpy(&number, &arg->bits, sizeof number);
        tch_json_f64(b, number);
        break;
    case TACHO_FIELD_BOOL:
        tch_json_bool(b, tch_rec_arg_yes(arg));
        break;
    case TACHO_FIELD_TEXT:
        tch_json_string(b, arg->text, arg->len);
        break;
    case TACHO_FIELD_JSON:
        put_json(b, arg->text, arg->len);
        break;
    default:
        tch_json_u64(b, arg->bits);
    }
}
