/* Flushes the trace when a signal arrives. A handler must not take locks, so it wakes a thread that
   flushes. */
#include "trace_signal.h"

#include <errno.h>
#include <semaphore.h>

#include <tacho/trace.h>

#include "base/fail.h"
#include "base/no_cancel.h"
#include "base/stay_loaded.h"
#include "trace_recorder.h"

static pthread_once_t flusher_once = PTHREAD_ONCE_INIT; /* starts the thread flusher() */
static int flusher_failure;
static sem_t flush_wanted;

static void request_flush(int signal_number)
{
    int saved = errno;

    (void)signal_number;
    sem_post(&flush_wanted);
    errno = saved;
}

static void *flusher(void *arg)
{
    (void)arg;
    for (;;)
        if (sem_wait(&flush_wanted) == 0)
            (void)!tacho_trace_flush(
                NULL); /* there is no caller; a later flush or stop reports the failure */
    return NULL;
}

static void start_flusher(void)
{
    pthread_t thread;
    struct tch_shield before;

    sem_init(&flush_wanted, 0, 0);
    tch_shield_on(&before); /* the thread must not handle signals of the program */
    flusher_failure = pthread_create(&thread, NULL, flusher, NULL);
    tch_shield_off(&before);
    if (flusher_failure == 0)
        pthread_detach(thread);
}

int tacho_trace_flush_on_signal(int signal_number, tacho_error *err)
{
    TCH_NO_CANCEL;
    struct sigaction action = {.sa_handler = request_flush, .sa_flags = SA_RESTART};

    tch_stay_loaded(); /* the library must not be unloaded: the kernel calls request_flush() from
                          now on */
    pthread_once(&flusher_once, start_flusher);
    if (flusher_failure != 0)
        return tch_fail_errno(err, flusher_failure, "cannot start a thread to write the trace");
    sigemptyset(&action.sa_mask);
    if (sigaction(signal_number, &action, NULL) < 0)
        return tch_fail(err, TACHO_EINVAL, 0, "signal %d cannot be handled", signal_number);
    return 0;
}

void tch_trace_signal_forked(void)
{
    static const pthread_once_t not_yet = PTHREAD_ONCE_INIT;

    flusher_once = not_yet; /* only the parent has its thread */
}
