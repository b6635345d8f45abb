/* Handles signals that ask tacho to stop. */
#include "stop.h"

#include <stddef.h>

static volatile sig_atomic_t stop;

void cli_note_stop(int sig)
{
    stop = sig;
}

const volatile sig_atomic_t *cli_catch_stop(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction action = {.sa_handler = cli_note_stop};

    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction before;

        sigaction(signals[i], NULL, &before);
        if (signals[i] != SIGHUP ||
            before.sa_handler != SIG_IGN) /* nohup ignores SIGHUP; keep that */
            sigaction(signals[i], &action, NULL);
    }
    return &stop;
}

int cli_stopped_status(int status)
{
    return stop ? 128 + stop : status;
}
