/*
 * The threads that write to the recording. The lock must be held for the first three functions.
 */
#ifndef TCH_THREAD_STAGE_H
#define TCH_THREAD_STAGE_H

#include "trace_recorder.h"

int tch_trace_stages_init(tacho_error *err);
void tch_trace_stages_close(void);
void tch_trace_stages_forked(void);

/** Reserves bytes of the calling thread's stage, even beyond its end: the caller then compares
   the returned address with the cursor's end or room. This is one instruction on x86-64, so a
   signal handler runs before or after it. */
static inline uintptr_t tch_cursor_take(uintptr_t bytes)
{
#if defined(__x86_64__)
    return tacho_trace_take(bytes);
#else
    return __atomic_fetch_add(&tacho_trace_cursor.next, bytes, __ATOMIC_RELAXED);
#endif
}

/** Marks bytes that were taken as written, or as never to be written. */
static inline void tch_cursor_done(uintptr_t bytes)
{
#if defined(__x86_64__)
    tacho_trace_done(bytes);
#else
    __atomic_fetch_add(&tacho_trace_cursor.done, bytes, __ATOMIC_RELEASE);
#endif
}

/** Takes `words` words for a record of this thread. Takes the lock only when the thread has no
    lane. The caller writes the words, then calls tch_cursor_done().
    @return the first word, or NULL after the record was counted as dropped */
uint64_t *tch_recorder_take(unsigned words);

#endif
