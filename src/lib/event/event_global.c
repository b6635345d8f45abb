/* The writer of the whole process: made once, never closed. */
#include <tacho/event.h>

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/fail.h"
#include "event_config.h"
#include "event_writer.h"

int tacho_event_state = TACHO_EVENT_NOT_ASKED;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(tacho_event_writer *) global; /* NULL until it is made */
static tacho_error failure;                  /* why it is disabled; code 0: no failure */

/* With the lock held, and global NULL. */
static int make(const tacho_event_config *config)
{
    tacho_event_writer *writer = &tch_event_disabled;
    int status = tacho_event_open(config, &writer, &failure);
    int state = tacho_event_is_enabled(writer) ? TACHO_EVENT_ON : TACHO_EVENT_OFF;

    __atomic_store_n(&tacho_event_state, state, __ATOMIC_RELAXED);
    atomic_store_explicit(&global, writer, memory_order_release);
    return status;
}

int tacho_event_configure(const tacho_event_config *config, tacho_error *err)
{
    int status;

    pthread_mutex_lock(&lock);
    if (atomic_load_explicit(&global, memory_order_relaxed)) {
        status = tch_fail(err, TACHO_EALREADY, 0,
                          "the writer of profile events was configured or used before");
    } else {
        status = make(config);
        if (status < 0 && err)
            *err = failure;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

tacho_event_writer *tacho_event_global(void)
{
    tacho_event_writer *writer = atomic_load_explicit(&global, memory_order_acquire);

    if (writer)
        return writer;
    pthread_mutex_lock(&lock);
    if (!atomic_load_explicit(&global, memory_order_relaxed)) {
        struct tch_event_env env;

        tch_event_env_read(&env, NULL);
        make(&env.config);
    }
    pthread_mutex_unlock(&lock);
    return atomic_load_explicit(&global, memory_order_acquire);
}

int tacho_event_global_status(tacho_error *err)
{
    tacho_event_global(); /* from here on nothing changes any more */
    if (failure.code < 0 && err)
        *err = failure;
    return failure.code;
}
