/*
 * Records events as wide records (recording_format.h). trace_span.c and trace_event.c define the
 * events.
 */
#ifndef TCH_RECORD_PUT_H
#define TCH_RECORD_PUT_H

#include <tacho/trace.h>

#include "thread_stage.h"
#include "trace_recorder.h"

enum { TCH_PUT_FIXED = 5 };

struct tch_put_event {
    enum tch_rec_kind kind;
    uint32_t id;
    uint64_t ticks;
    uint64_t fixed[TCH_PUT_FIXED]; /* enum tch_rec_kind says what they mean */
};

/** Starts an event of a site at the current time. Returns false when there is nothing to record. */
bool tch_put_begin(struct tch_put_event *e, enum tch_rec_kind kind, const char *name,
                   const char *category);

/** Writes the event with its arguments. Arguments that do not fit are left out and counted. Returns
    false when the event was dropped, which is counted too. */
bool tch_put(const struct tch_put_event *e, tacho_fields args);

/** Does what tch_recorder_take() does, inline when the stage has room. */
static inline uint64_t *tch_put_take(unsigned words)
{
    uintptr_t bytes = (uintptr_t)words * 8;
    uintptr_t taken, end;

    /* Without the clock of the inline code there is no end. Words taken here would be lost. */
    if (__atomic_load_n(&tacho_trace_cursor.end, __ATOMIC_RELAXED) == 0)
        return tch_recorder_take(words);
    taken = tch_cursor_take(bytes);
    /* Load it once more, and once: another thread that stops the trace sets it to 0. */
    end = __atomic_load_n(&tacho_trace_cursor.end, __ATOMIC_RELAXED);
    if (taken + bytes <= end)
        return (uint64_t *)taken;
    if (taken < end)
        *(uint64_t *)taken = tch_rec_rest(end - taken);
    tch_cursor_done(bytes);
    return tch_recorder_take(words);
}

#endif
