/* Writes events as words of a recording. */
#include "record_put.h"

#include <string.h>

#include "record_words.h"
#include "thread_stage.h"
#include "trace_names.h"

/* Finds the numbers of the keys. Returns how many arguments can be recorded; the first one without
   a number and all after it are left out and counted. */
static size_t find_keys(tacho_fields args, uint32_t keys[TACHO_ARGS_MAX])
{
    size_t most = args.count < TACHO_ARGS_MAX ? args.count : TACHO_ARGS_MAX;
    size_t i = 0;

    while (i < most && (keys[i] = tch_trace_text(args.data[i].key)) != 0)
        i++;
    if (i < args.count)
        tch_recorder_cut();
    return i;
}

/* A value in the form in which it is recorded. */
struct value {
    unsigned type;
    size_t len;
    const void *bytes;
};

/* Returns the value of an argument. Truncates a long text. JSON that is too long becomes a
   truncated text, and a value of an unknown type an empty text. All of these are counted. */
static struct value value_of(const tacho_field *arg)
{
    struct value value = {.type = (unsigned)arg->type, .len = 8, .bytes = &arg->as};

    if (tch_rec_type_is_number(value.type))
        return value;
    value.len = arg->as.text.len;
    value.bytes = arg->as.text.data;
    if (value.type > TACHO_FIELD_JSON || value.type == 0) {
        tch_recorder_cut();
        return (struct value){.type = TACHO_FIELD_TEXT};
    }
    if (value.len > TCH_TEXT_MAX) {
        tch_recorder_cut();
        value.type = TACHO_FIELD_TEXT;
        value.len = TCH_TEXT_MAX;
    }
    return value;
}

/* Sets the values of the arguments and returns the number of words that they take. Arguments
   that do not fit are left out and counted. */
static unsigned measure_args(const tacho_field *args, size_t *arg_count,
                             struct value values[TACHO_ARGS_MAX])
{
    const unsigned most = TCH_REC_WIDE_MAX - TCH_REC_HEAD_WORDS - TCH_PUT_FIXED;
    unsigned words = 0;

    for (size_t i = 0; i < *arg_count; i++) {
        unsigned more;

        values[i] = value_of(&args[i]);
        more = 1 + tch_rec_value_words(values[i].len);
        if (words + more > most) {
            tch_recorder_cut();
            *arg_count = i;
            break;
        }
        words += more;
    }
    return words;
}

/* The first word is written last; until then the record counts as not written. */
bool tch_put(const struct tch_put_event *e, tacho_fields args)
{
    struct value values[TACHO_ARGS_MAX];
    uint32_t keys[TACHO_ARGS_MAX];
    size_t arg_count;
    unsigned fixed = tch_rec_fixed(e->kind);
    unsigned words;
    uint64_t *slot, *at;

    /* Names first: they must be in the recording before a record uses them. */
    arg_count = find_keys(args, keys);
    words = TCH_REC_HEAD_WORDS + fixed + measure_args(args.data, &arg_count, values);
    slot = tch_put_take(words);
    if (!slot)
        return false;
    if (e->kind >= TCH_REC_PUSH && e->kind <= TCH_REC_TRACK_COUNTER)
        tch_recorder_has_tracks();
    *(volatile uint64_t *)slot = (uint64_t)words << TCH_REC_LOW_BITS | TCH_REC_SKIP;
    slot[1] = tch_rec_wide(words, e->kind, (unsigned)arg_count, e->id);
    at = slot + TCH_REC_HEAD_WORDS;
    for (unsigned i = 0; i < fixed; i++)
        *at++ = e->fixed[i];
    for (size_t i = 0; i < arg_count; i++)
        at = tch_rec_put_arg(at, keys[i], values[i].type, values[i].bytes, values[i].len);
    __atomic_store_n(slot, e->ticks << TCH_REC_LOW_BITS | TCH_REC_WIDE, __ATOMIC_RELEASE);
    tch_cursor_done((uintptr_t)words * 8);
    return true;
}

bool tch_put_begin(struct tch_put_event *e, enum tch_rec_kind kind, const char *name,
                   const char *category)
{
    uint64_t now;

    if (!tacho_trace_is_on())
        return false;
    now = tch_ticks();
    *e = (struct tch_put_event){.kind = kind, .ticks = now, .id = tch_trace_site(name, category)};
    if (e->id == 0)
        tch_recorder_drop(1, 0);
    return e->id != 0;
}
