/*
 * A slot is a number that one living thread has for itself. The thread counts in memory that
 * belongs to its slot, without a lock.
 */
#ifndef TCH_THREAD_SLOT_H
#define TCH_THREAD_SLOT_H

#include <tacho/trace.h>

enum {
    TCH_THREAD_SLOTS = 64,
    TCH_NO_SLOT = 0, /* shared by all threads that got no slot; they add atomically */
};

/** The thread's slot plus 1; 0 before the first call of tch_thread_slot(). */
extern TACHO_TRACE_TLS unsigned tch_thread_slot_plus_1;

/** Takes a free slot for the calling thread. */
unsigned tch_thread_slot_take(void);

/** Returns one more than the largest slot that any thread ever had. */
unsigned tch_thread_slots_used(void);

/**
 * Returns the slot of the calling thread: TCH_NO_SLOT, or 1 to TCH_THREAD_SLOTS - 1, which no other
 * living thread has. The slot is released when the thread exits. The next thread that takes it sees
 * everything that was written in it.
 */
static inline unsigned tch_thread_slot(void)
{
    unsigned known = tch_thread_slot_plus_1;

    return __builtin_expect(known != 0, 1) ? known - 1 : tch_thread_slot_take();
}

#endif
