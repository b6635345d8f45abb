/* An event becomes words of the recording. */
#include "record_put.h"

#include <string.h>

#include "record_words.h"

static size_t text_length(const tacho_arg *arg)
{
    return arg->as.text ? strnlen(arg->as.text, TCH_TEXT_MAX + 1) : 0;
}

/* The keys' numbers. From one that there is no room for on, arguments are left out and counted. */
static void know_keys(struct tch_put_event *e, uint32_t keys[TACHO_ARGS_MAX])
{
    size_t count = e->arg_count < TACHO_ARGS_MAX ? e->arg_count : TACHO_ARGS_MAX, i = 0;

    while (i < count && (keys[i] = tch_trace_text(e->args[i].key)) != 0)
        i++;
    if (i < e->arg_count)
        tch_recorder_cut();
    e->arg_count = i;
}

/* Words for the arguments; leaves out what does not fit and counts it. */
static unsigned measure_args(struct tch_put_event *e, size_t lengths[TACHO_ARGS_MAX])
{
    const unsigned most = TCH_REC_WIDE_MAX - TCH_REC_HEAD_WORDS - TCH_PUT_FIXED;
    unsigned words = 0;

    for (size_t i = 0; i < e->arg_count; i++) {
        unsigned value = 1;

        lengths[i] = 8;
        if (e->args[i].type == TACHO_ARG_TEXT) {
            lengths[i] = text_length(&e->args[i]);
            if (lengths[i] > TCH_TEXT_MAX) {
                tch_recorder_cut();
                lengths[i] = TCH_TEXT_MAX;
            }
            value = tch_rec_value_words(lengths[i]);
        }
        if (words + 1 + value > most) {
            tch_recorder_cut();
            e->arg_count = i;
            break;
        }
        words += 1 + value;
    }
    return words;
}

/* Its first word goes last: until then the record counts as not made. */
void tch_put(struct tch_put_event *e)
{
    size_t lengths[TACHO_ARGS_MAX];
    uint32_t keys[TACHO_ARGS_MAX];
    unsigned fixed = tch_rec_fixed(e->kind);
    unsigned words;
    uint64_t *slot, *at;

    /* Names first: they must be in the recording before a record speaks of them. */
    know_keys(e, keys);
    words = TCH_REC_HEAD_WORDS + fixed + measure_args(e, lengths);
    slot = tch_put_take(words);
    if (!slot)
        return;
    if (e->kind >= TCH_REC_PUSH && e->kind <= TCH_REC_TRACK_COUNTER)
        tch_recorder_has_tracks();
    *(volatile uint64_t *)slot = (uint64_t)words << TCH_REC_LOW_BITS | TCH_REC_SKIP;
    slot[1] = tch_rec_wide(words, e->kind, (unsigned)e->arg_count, e->id);
    at = slot + TCH_REC_HEAD_WORDS;
    for (unsigned i = 0; i < fixed; i++)
        *at++ = e->fixed[i];
    for (size_t i = 0; i < e->arg_count; i++) {
        const tacho_arg *arg = &e->args[i];

        at = tch_rec_put_arg(
            at, keys[i], arg->type,
            arg->type == TACHO_ARG_TEXT ? (const void *)arg->as.text : &arg->as.u64, lengths[i]);
    }
    __atomic_store_n(slot, e->ticks << TCH_REC_LOW_BITS | TCH_REC_WIDE, __ATOMIC_RELEASE);
    tch_cursor_done((uintptr_t)words * 8);
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
