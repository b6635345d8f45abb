/* Says how a process ended. */
#include "exit_text.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

const char *tch_exit_text(int status, const char *killed, const char *exited,
                          char text[TCH_EXIT_TEXT])
{
    if (WIFSIGNALED(status))
        snprintf(text, TCH_EXIT_TEXT, "%s signal %d (%s)", killed, WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(text, TCH_EXIT_TEXT, "%s status %d", exited, WEXITSTATUS(status));
    return text;
}

int tch_exit_code(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
