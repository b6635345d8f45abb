/* The one place of the library that prints. */
#include "message.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the two below */
static tacho_message_handler *message_handler;
static void *message_arg;

void tacho_set_message_handler(tacho_message_handler *handler, void *arg)
{
    pthread_mutex_lock(&lock);
    message_handler = handler;
    message_arg = arg;
    pthread_mutex_unlock(&lock);
}

void tch_message(const char *fmt, ...)
{
    char line[512]; /* a tacho_error and what is before it */
    tacho_message_handler *handler;
    va_list args;
    void *arg;
    size_t len;

    va_start(args, fmt);
    vsnprintf(line, sizeof line - 1, fmt, args);
    va_end(args);
    pthread_mutex_lock(&lock);
    handler = message_handler;
    arg = message_arg;
    pthread_mutex_unlock(&lock);
    if (handler) {
        handler(line, arg);
        return;
    }
    len = strlen(line);
    line[len] = '\n';
    if (write(STDERR_FILENO, line, len + 1) < 0)
        return; /* there is nobody left to tell */
}
