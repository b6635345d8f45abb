/* A thread that calls a function at an interval. */
#include "sampling_thread.h"

#include <signal.h>

#include "base/clock.h"
#include "base/fail.h"

static void *run(void *arg)
{
    struct tch_sampling_thread *s = arg;
    uint64_t next = tch_now_ns();

    pthread_mutex_lock(&s->lock);
    while (!s->stop) {
        struct timespec until;
        uint64_t now;

        pthread_mutex_unlock(&s->lock);
        s->tick(s->arg);
        now = tch_now_ns();
        next += s->interval_ns;
        if (next <= now)
            next += (now - next) / s->interval_ns * s->interval_ns + s->interval_ns;
        pthread_mutex_lock(&s->lock);
        until = (struct timespec){.tv_sec = (time_t)(next / 1000000000),
                                  .tv_nsec = (long)(next % 1000000000)};
        while (!s->stop && tch_now_ns() < next)
            pthread_cond_timedwait(&s->wake, &s->lock, &until);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

int tch_sampling_start(struct tch_sampling_thread *s, uint64_t interval_ns, void (*tick)(void *arg),
                       void *arg, tacho_error *err)
{
    pthread_condattr_t attr;
    sigset_t all;
    sigset_t before;
    int status;

    if (s->running)
        return tch_fail(err, TACHO_EALREADY, 0, "a sampling thread is already running");
    if (interval_ns == 0)
        return tch_fail(err, TACHO_EINVAL, 0, "the interval between samples must not be 0");
    s->stop = false;
    s->interval_ns = interval_ns;
    s->tick = tick;
    s->arg = arg;
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&s->wake, &attr);
    pthread_condattr_destroy(&attr);
    sigfillset(&all); /* the thread inherits the mask */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    status = pthread_create(&s->thread, NULL, run, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (status != 0) {
        pthread_cond_destroy(&s->wake);
        pthread_mutex_destroy(&s->lock);
        return tch_fail_errno(err, status, "cannot start a thread for sampling");
    }
    s->running = true;
    return 0;
}

void tch_sampling_stop(struct tch_sampling_thread *s)
{
    if (!s->running)
        return;
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    pthread_cond_destroy(&s->wake);
    pthread_mutex_destroy(&s->lock);
    s->running = false;
}
