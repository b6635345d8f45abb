/* The common time base of all trackers of the process. */
#include "timestamp.h"

#include <pthread.h>

static struct tch_stamp start;

static void set_start(void)
{
    start = tch_stamp_start();
}

struct tch_stamp tch_stamp_of_process(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, set_start);
    return start;
}
