/* Prints messages; no other file of the library prints. */
#include "message.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "no_cancel.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the handler and its argument */
static tacho_message_handler *message_handler;
static void *message_arg;

/* Blocks signals while the lock is held: a signal handler that records spans may have a message. */
static void take_lock(sigset_t *before)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
    pthread_mutex_lock(&lock);
}

static void release_lock(const sigset_t *before)
{
    pthread_mutex_unlock(&lock);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

void tacho_set_message_handler(tacho_message_handler *handler, void *arg)
{
    TCH_NO_CANCEL;
    sigset_t before;

    take_lock(&before);
    message_handler = handler;
    message_arg = arg;
    release_lock(&before);
}

/* Prints without raising a signal when nobody reads standard error, or when it is a file that is
   full. */
static void print(const char *line, size_t len)
{
    static const struct timespec now;
    sigset_t signals, before;

    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    if (write(STDERR_FILENO, line, len) < 0 && (errno == EPIPE || errno == EFBIG))
        while (sigtimedwait(&signals, NULL, &now) < 0 && errno == EINTR)
            continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void tch_message_at_exit(const char *fmt, ...)
{
    char line[512 + PATH_MAX];
    va_list args;
    size_t len;

    va_start(args, fmt);
    vsnprintf(line, sizeof line - 1, fmt, args);
    va_end(args);
    len = strlen(line);
    line[len] = '\n';
    print(line, len + 1);
}

void tch_message(const char *fmt, ...)
{
    TCH_NO_CANCEL;
    char line[512]; /* has room for a tacho_error and the words before it */
    tacho_message_handler *handler;
    sigset_t before;
    va_list args;
    void *arg;
    size_t len;

    va_start(args, fmt);
    vsnprintf(line, sizeof line - 1, fmt, args);
    va_end(args);
    take_lock(&before);
    handler = message_handler;
    arg = message_arg;
    release_lock(&before);
    if (handler) {
        handler(line, arg);
        return;
    }
    len = strlen(line);
    line[len] = '\n';
    print(line, len + 1);
}
