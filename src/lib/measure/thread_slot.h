/*
 * A number for each living thread that counts something, so that it can count without a lock in
 * memory that is its own.
 */
#ifndef TCH_THREAD_SLOT_H
#define TCH_THREAD_SLOT_H

enum {
    TCH_THREAD_SLOTS = 64,
    TCH_NO_SLOT = 0, /* for all threads beyond: they share, and add atomically */
};

/** 0: not asked for yet. Else the slot, plus 1. */
extern _Thread_local unsigned tch_thread_slot_plus_1 __attribute__((tls_model("initial-exec")));

unsigned tch_thread_slot_take(void);

/** One more than the largest slot that any thread ever had. */
unsigned tch_thread_slots_used(void);

/**
 * The calling thread's: TCH_NO_SLOT, or 1 to TCH_THREAD_SLOTS - 1, which no other living thread
 * has. A thread gives it back when it ends, and whoever gets it next sees what was written in it.
 */
static inline unsigned tch_thread_slot(void)
{
    unsigned known = tch_thread_slot_plus_1;

    return __builtin_expect(known != 0, 1) ? known - 1 : tch_thread_slot_take();
}

#endif
