/* Signals that ask to stop. */
#include "stop.h"

#include <stddef.h>

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
    stop = sig;
}

const volatile sig_atomic_t *cli_catch_stop(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal};

    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaction(signals[i], &action, NULL);
    return &stop;
}
