/*
 * A thread that does something at an interval until it is told to stop.
 */
#ifndef TCH_SAMPLING_THREAD_H
#define TCH_SAMPLING_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <tacho/error.h>

struct tch_sampler {
    bool running;
    bool stop;
    uint64_t interval_ns;
    void (*tick)(void *arg);
    void *arg;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

/** Starts it; it calls tick at once, then at every multiple of the interval; one that was missed is
    left out. It takes no signals. 0, TACHO_EALREADY, TACHO_EINVAL, TACHO_EIO. */
int tch_sampler_start(struct tch_sampler *s, uint64_t interval_ns, void (*tick)(void *arg),
                      void *arg, tacho_error *err);

/** Wakes it up, and returns when it has ended. Does nothing when none runs. */
void tch_sampler_stop(struct tch_sampler *s);

#endif
