/*
 * Protects the library from pthread_cancel(). A cancelled thread exits in the middle of a function:
 * at a system call that is a cancellation point, or at any instruction if its cancellation is
 * asynchronous. No thread would ever release a lock that it held.
 */
#ifndef TCH_NO_CANCEL_H
#define TCH_NO_CANCEL_H

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

struct tch_cancel {
    int state;
    int type;
};

/** Waits for a cancellation that is under way, for a thread with asynchronous cancellation that has
    just disabled it. glibc may have sent the signal before, and its handler ends the thread at the
    next cancellation point, whatever the state. So pass one before a lock is taken. */
static inline void tch_cancel_settle(void)
{
    int saved = errno;
    char none;

    (void)!read(-1, &none, 0);
    errno = saved;
}

/** Disables cancellation of the calling thread. Returns what to restore. Signal-safe. */
static inline struct tch_cancel tch_cancel_off(void)
{
    struct tch_cancel before = {PTHREAD_CANCEL_ENABLE, PTHREAD_CANCEL_DEFERRED};

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before.state);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before.type);
    if (__builtin_expect(before.type == PTHREAD_CANCEL_ASYNCHRONOUS, 0))
        tch_cancel_settle();
    return before;
}

/** Restores the state. A thread with asynchronous cancellation may exit here, so it must not hold a
    lock any more. */
static inline void tch_cancel_restore(const struct tch_cancel *before)
{
    int ignored;

    if (__builtin_expect(before->type == PTHREAD_CANCEL_ASYNCHRONOUS, 0))
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &ignored);
    pthread_setcancelstate(before->state, &ignored);
}

/** Disables cancellation in the rest of the scope. It is the first declaration of a function that
    takes a lock, allocates or calls the kernel. */
#define TCH_NO_CANCEL                         \
    const struct tch_cancel tch_cancel_before \
        __attribute__((cleanup(tch_cancel_restore), unused)) = tch_cancel_off()

#endif
