/* The writer of the whole process: made once, never closed. */
#include <tacho/event.h>

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/error.h"
#include "config.h"

int tacho_event_state = TACHO_EVENT_NOT_ASKED;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(tacho_event_writer *) global; /* NULL until it is made */
static tacho_error failure;                  /* why it is disabled; code 0: no failure */

/* With the lock held, and global NULL. A writer without a path takes the place of one that could
   not be opened; it needs a few hundred bytes, and without them no push can be served anyway. */
static int make(const tacho_event_config *config)
{
    static const tacho_event_config nothing = {.concurrency = 1};
    tacho_event_writer *writer = NULL;
    int status = tacho_event_open(config, &writer, &failure);

    if (status < 0 && tacho_event_open(&nothing, &writer, NULL) < 0)
        return status;
    __atomic_store_n(&tacho_event_state,
                     tacho_event_is_enabled(writer) ? TACHO_EVENT_ON : TACHO_EVENT_OFF,
                     __ATOMIC_RELAXED);
    atomic_store_explicit(&global, writer, memory_order_release);
    return status;
}
