/* Handles signals that ask tacho to stop. */
#include "stop.h"

#include <stddef.h>

#include "base/temp_files.h"

static volatile sig_atomic_t stop;

void cli_note_stop(int sig)
{
    stop = sig;
}

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* The signal's own action was restored when this handler began, and follows when it returns. */
static void clean_up(int sig)
{
    tch_temp_files_remove();
    raise(sig);
}

void cli_clean_up_on_stop(void)
{
    struct sigaction action = {.sa_handler = clean_up, .sa_flags = (int)SA_RESETHAND};

    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction before;

        sigaction(signals[i], NULL, &before);
        if (before.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
    }
}

const volatile sig_atomic_t *cli_catch_stop(void)
{
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
