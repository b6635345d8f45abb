/* Writes events as words of the recording. */
#include "record_put.h"

#include <string.h>

#include "record_words.h"

/* Finds the numbers of the keys. Returns how many arguments can be recorded; the first one without
   a number and all after it are left out and counted. */
static size_t find_keys(const tacho_arg *args, size_t arg_count, uint32_t keys[TACHO_ARGS_MAX])
{
    size_t most = arg_count < TACHO_ARGS_MAX ? arg_count : TACHO_ARGS_MAX;
    size_t i = 0;

    while (i < most && (keys[i] = tch_trace_text(args[i].key)) != 0)
        i++;
    if (i < arg_count)
        tch_recorder_cut();
    return i;
}

/* Returns the words that the arguments take, and sets the bytes of their values. Arguments that do
   not fit are left out and counted. */
static unsigned measure_args(const tacho_arg *args, size_t *arg_count,
                             size_t lengths[TACHO_ARGS_MAX])
{
    const unsigned most = TCH_REC_WIDE_MAX - TCH_REC_HEAD_WORDS - TCH_PUT_FIXED;
    unsigned words = 0;

    for (size_t i = 0; i < *arg_count; i++) {
        unsigned value;

        lengths[i] = 8;
        if (args[i].type == TACHO_ARG_TEXT) {
            lengths[i] = args[i].as.text ? strnlen(args[i].as.text, TCH_TEXT_MAX + 1) : 0;
            if (lengths[i] > TCH_TEXT_MAX) {
                tch_recorder_cut();
                lengths[i] = TCH_TEXT_MAX;
            }
        }
        value = tch_rec_value_words(lengths[i]);
        if (words + 1 + value > most) {
            tch_recorder_cut();
            *arg_count = i;
            break;
        }
        words += 1 + value;
    }
    return words;
}

/* The first word is written last; until then the record counts as not written. */
bool tch_put(const struct tch_put_event *e, const tacho_arg *args, size_t arg_count)
{
    size_t lengths[TACHO_ARGS_MAX];
    uint32_t keys[TACHO_ARGS_MAX];
    unsigned fixed = tch_rec_fixed(e->kind);
    unsigned words;
    uint64_t *slot, *at;

    /* Names come first: they must be in the recording before a record uses them. */
    arg_count = find_keys(args, arg_count, keys);
    words = TCH_REC_HEAD_WORDS + fixed + measure_args(args, &arg_count, lengths);
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
        at = tch_rec_put_arg(at, keys[i], args[i].type,
                             args[i].type == TACHO_ARG_TEXT ? (const void *)args[i].as.text
                                                            : &args[i].as.u64,
                             lengths[i]);
    __atomic_store_n(slot, e->ticks << TCH_REC_LOW_BITS | TCH_REC_WIDE, __ATOMIC_RELEASE);
    tch_cursor_done((uintptr_t)words * 8);
    return true;
}

bool tch_put_begin(struct tch_put_event *e, enum tch_rec_kind kind, const char *name,
                   const char *category)
{
    uint64_t now;

    if (!tacho_trace_enabled())
        return false;
    now = tch_ticks();
    *e = (struct tch_put_event){.kind = kind, .ticks = now, .id = tch_trace_site(name, category)};
    if (e->id == 0)
        tch_recorder_drop(1, 0);
    return e->id != 0;
}
