/*
 * Shows the output of a watched command above the live display.
 *
 * The display moves the cursor, so the command must not write to the same terminal. With a pipe the
 * command would buffer whole blocks and drop its colours, so it gets a pseudo-terminal.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/file.h"
#include "cmd_watch_parts.h"

/* Opens a pseudo-terminal as wide as tacho's that changes no byte. Returns the command's end, or
   -1. */
static int open_terminal(struct watch_job *job)
{
    int ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    struct termios mode;
    struct winsize size;
    char name[64];
    int child = -1;

    if (ours >= 0 && grantpt(ours) == 0 && unlockpt(ours) == 0 &&
        ptsname_r(ours, name, sizeof name) == 0)
        child = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (child < 0) {
        if (ours >= 0)
            close(ours);
        return -1;
    }
    if (tcgetattr(child, &mode) == 0) {
        mode.c_oflag &= ~(tcflag_t)OPOST;
        tcsetattr(child, TCSANOW, &mode);
    }
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0)
        ioctl(child, TIOCSWINSZ, &size);
    job->output = ours;
    return child;
}

void cli_watch_redirect(struct watch_job *job, const struct args *args, struct tch_spawn *s,
                        int *child)
{
    *child = -1;
    if (args->json) /* standard output contains only the document */
        s->io[1] = (struct tch_io){.kind = TCH_IO_FD, .fd = STDERR_FILENO};
    if (!job->live)
        return;
    *child = open_terminal(job);
    if (*child < 0) {
        job->live = false; /* the output matters more than the display */
        return;
    }
    s->io[2] = (struct tch_io){.kind = TCH_IO_FD, .fd = *child};
    if (args->json || isatty(STDOUT_FILENO))
        s->io[1] = s->io[2];
}

/* Writes complete lines above the display and keeps the rest. */
static void show(struct watch_job *job, const char *text, size_t len)
{
    const char *end = memrchr(text, '\n', len);
    size_t whole = end ? (size_t)(end + 1 - text) : 0;

    if (job->unfinished.len + len > WATCH_LINE)
        whole = len;
    if (whole > 0) {
        cli_watch_erase(job);
        fflush(stderr);
        tch_write_all(STDERR_FILENO, "standard error", job->unfinished.data, job->unfinished.len,
                      NULL);
        tch_write_all(STDERR_FILENO, "standard error", text, whole, NULL);
        tch_buf_clear(&job->unfinished);
    }
    tch_buf_add(&job->unfinished, text + whole, len - whole);
}

void cli_watch_relay(struct watch_job *job, bool at_end)
{
    char text[4096];
    ssize_t n = 0;

    while (job->output >= 0 && (n = read(job->output, text, sizeof text)) > 0)
        show(job, text, (size_t)n);
    if (job->output >= 0 && (at_end || (n < 0 && errno != EAGAIN && errno != EINTR))) {
        close(job->output); /* nobody writes to it any more */
        job->output = -1;
    }
    if (at_end && job->unfinished.len > 0)
        show(job, "\n", 1);
}
