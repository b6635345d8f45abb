/*
 * A thread that calls a function at an interval.
 */
#ifndef TCH_SAMPLING_THREAD_H
#define TCH_SAMPLING_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <tacho/error.h>

struct tch_sampling_thread {
    bool running;
    bool stop;
    uint64_t interval_ns;
    void (*tick)(void *arg);
    void *arg;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

/** Starts the thread. It calls `tick` at once, then at every multiple of the interval, and skips
    multiples that have passed. All signals are blocked in it. Returns 0, TACHO_EALREADY,
    TACHO_EINVAL or TACHO_EIO. */
int tch_sampling_start(struct tch_sampling_thread *s, uint64_t interval_ns, void (*tick)(void *arg),
                       void *arg, tacho_error *err);

/** Stops the thread and waits until it has exited. Does nothing when no thread runs. */
void tch_sampling_stop(struct tch_sampling_thread *s);

#endif
