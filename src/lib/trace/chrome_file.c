/* The writer object of <tacho/chrome.h>. It keeps events as JSON in memory and writes them to a
   file. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <tacho/chrome.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/gzip_write.h"
#include "base/message.h"
#include "base/no_cancel.h"
#include "chrome_event.h"
#include "trace_recorder.h"
#include "trace_start.h"

enum { EVENTS_LIMIT = 1 << 30, LINE_ROOM = 1024 };

struct tacho_chrome {
    pthread_mutex_t lock;
    char *path; /* as given; NULL: disabled */
    char *file; /* path as an absolute path, because the program may change its working directory */
    uint64_t start_ns;
    pid_t pid;
    char *text; /* the events, separated by commas */
    size_t len, room;
    uint64_t missing;   /* number of events that could not be kept */
    tacho_error reason; /* why the first of them could not be kept */
    tacho_chrome *next; /* next writer in the list of open ones */
};

/* The list of open writers. Their files are written when the program exits. */
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static tacho_chrome *open_writers;

static void enlist(tacho_chrome *w)
{
    pthread_mutex_lock(&open_lock);
    w->next = open_writers;
    open_writers = w;
    pthread_mutex_unlock(&open_lock);
}

static void delist(const tacho_chrome *w)
{
    tacho_chrome **at = &open_writers;

    pthread_mutex_lock(&open_lock);
    while (*at && *at != w)
        at = &(*at)->next;
    if (*at)
        *at = w->next;
    pthread_mutex_unlock(&open_lock);
}

/* Opening and closing. */

static void free_writer(tacho_chrome *w)
{
    pthread_mutex_destroy(&w->lock);
    free(w->path);
    free(w->file);
    free(w->text);
    free(w);
}

static int set_path(tacho_chrome *w, const char *path, tacho_error *err)
{
    char *here = path[0] == '/' ? NULL : getcwd(NULL, 0);

    if (path[0] != '/' && !here)
        return tch_fail_errno(err, errno, "cannot get the working directory");
    w->path = strdup(path);
    if (!here)
        w->file = strdup(path);
    else if (asprintf(&w->file, "%s/%s", here, path) < 0)
        w->file = NULL;
    free(here);
    if (!w->path || !w->file)
        return tch_fail_memory(err);
    return tch_trace_make_way(w->file, err);
}

int tacho_chrome_open(const char *path, tacho_chrome **ret, tacho_error *err)
{
    TCH_NO_CANCEL;
    tacho_chrome *w = calloc(1, sizeof *w);
    int status = 0;

    if (!w)
        return tch_fail_memory(err);
    pthread_mutex_init(&w->lock, NULL);
    w->pid = getpid();
    if (path && *path)
        status = set_path(w, path, err);
    if (status < 0) {
        free_writer(w);
        return status;
    }
    w->start_ns = tch_now_ns();
    enlist(w);
    *ret = w;
    return 0;
}

/* Returns the first value of the variable that is not empty, or NULL. */
static const char *find_value(const char *const *pairs, const char *name)
{
    size_t len = strlen(name);

    for (; *pairs; pairs++)
        if (strncmp(*pairs, name, len) == 0 && (*pairs)[len] == '=' && (*pairs)[len + 1])
            return *pairs + len + 1;
    return NULL;
}

int tacho_chrome_open_env(const char *const *pairs, tacho_chrome **ret, tacho_error *err)
{
    TCH_NO_CANCEL;
    static const char *const none[] = {NULL};
    const char *path;

    /* A program that runs with more rights than its caller must not write where the caller says. */
    if (!pairs)
        pairs = getauxval(AT_SECURE) ? none : (const char *const *)environ;
    path = find_value(pairs, "TACHO_TRACE_OUT");
    if (!path)
        path = find_value(pairs, "FERRUM_TRACE_OUT");
    return tacho_chrome_open(path, ret, err);
}

bool tacho_chrome_is_enabled(const tacho_chrome *writer)
{
    return writer->path != NULL;
}

const char *tacho_chrome_path(const tacho_chrome *writer)
{
    return writer->path;
}

/* Events. */

/* Keeps the text of one event. */
static int keep(tacho_chrome *w, const struct tch_buf *line, tacho_error *err)
{
    size_t comma = w->len > 0;

    if (w->len + comma + line->len > EVENTS_LIMIT)
        return tch_fail(err, TACHO_ELIMIT, 0,
                        "the trace '%.120s' has more than 1 GiB of events; close it and open "
                        "another",
                        w->path);
    if (tch_array_reserve(&w->text, &w->room, w->len + comma + line->len) < 0)
        return tch_fail_memory(err);
    if (comma)
        w->text[w->len++] = ',';
    memcpy(w->text + w->len, line->data, line->len);
    w->len += line->len;
    return 0;
}

/* Writes the event as JSON and keeps it. The lock must be held. */
static int add(tacho_chrome *w, const tacho_trace_event *event, const char *args, tacho_error *err)
{
    char room[LINE_ROOM];
    struct tch_buf line;
    tacho_error why;
    int status;

    tch_buf_init_on(&line, room, sizeof room, TCH_CHROME_EVENT_LIMIT);
    status = tch_chrome_event_add(&line, event, args, &why);
    if (status == 0)
        status = keep(w, &line, &why);
    tch_buf_release(&line);
    if (status < 0 && w->missing++ == 0)
        w->reason = why;
    if (status < 0 && err)
        *err = why;
    return status;
}

/* Returns the start of a span that ends now. Like the reference, it subtracts the duration in
   whole microseconds, which is truncated here and not rounded as in the event's own value. */
static uint64_t start_us(uint64_t now_us, double duration_ms)
{
    double us = duration_ms * 1000.0;

    if (!(us > 0))
        return now_us; /* also for NaN */
    return us < (double)now_us ? now_us - (uint64_t)us : 0;
}

static int push(tacho_chrome *w, tacho_trace_event event, double duration_ms, const char *args,
                tacho_error *err)
{
    TCH_NO_CANCEL;
    int status;

    if (!w->path)
        return 0;
    pthread_mutex_lock(&w->lock);
    event.ts_us = start_us((tch_now_ns() - w->start_ns) / 1000, duration_ms);
    status = add(w, &event, args, err);
    pthread_mutex_unlock(&w->lock);
    return status;
}

int tacho_chrome_push(tacho_chrome *writer, const char *name, const char *category,
                      double duration_ms, uint32_t track, tacho_fields args, tacho_error *err)
{
    tacho_trace_event event = tacho_chrome_complete(name, category, 0, duration_ms, track);

    event.args = args;
    return push(writer, event, duration_ms, NULL, err);
}

int tacho_chrome_push_json(tacho_chrome *writer, const char *name, const char *category,
                           double duration_ms, uint32_t track, const char *args, tacho_error *err)
{
    return push(writer, tacho_chrome_complete(name, category, 0, duration_ms, track), duration_ms,
                args, err);
}

int tacho_chrome_put(tacho_chrome *writer, const tacho_trace_event *event, tacho_error *err)
{
    TCH_NO_CANCEL;
    int status;

    if (!writer->path)
        return 0;
    pthread_mutex_lock(&writer->lock);
    status = add(writer, event, NULL, err);
    pthread_mutex_unlock(&writer->lock);
    return status;
}

/* The file. */

static int write_array(const tacho_chrome *w, tch_sink_write *write, void *ctx, tacho_error *err)
{
    int status = write(ctx, "[", 1, err);

    if (status == 0 && w->len > 0)
        status = write(ctx, w->text, w->len, err);
    return status == 0 ? write(ctx, "]", 1, err) : status;
}

static int write_gzip(const tacho_chrome *w, struct tch_replace *file, tacho_error *err)
{
    struct tch_gzip_writer *z = NULL;
    int status = tch_gzip_writer_open(&z, tch_sink_to_replace, file, err);
    int ended;

    if (status == 0)
        status = write_array(w, tch_sink_to_gzip, z, err);
    ended = tch_gzip_writer_close(z, status == 0 ? err : NULL);
    return status == 0 ? ended : status;
}

static int write_file(const tacho_chrome *w, tacho_error *err)
{
    size_t len = strlen(w->file);
    bool gzip = len > 3 && strcmp(w->file + len - 3, ".gz") == 0;
    struct tch_replace file;
    int status = tch_mkdirs_above(w->file, err);

    if (status == 0)
        status = tch_replace_open(&file, w->file, err);
    if (status < 0)
        return status;
    status = gzip ? write_gzip(w, &file, err) : write_array(w, tch_sink_to_replace, &file, err);
    if (status == 0)
        return tch_replace_commit(&file, err);
    tch_replace_abort(&file);
    return status;
}

int tacho_chrome_flush(tacho_chrome *writer, tacho_error *err)
{
    TCH_NO_CANCEL;
    int status = 0;

    if (!writer->path)
        return 0;
    pthread_mutex_lock(&writer->lock);
    status = write_file(writer, err);
    if (status == 0 && writer->missing > 0)
        status =
            tch_fail(err, writer->reason.code, 0, "%llu event%s missing in '%.60s': %.120s",
                     (unsigned long long)writer->missing, writer->missing == 1 ? " is" : "s are",
                     writer->path, writer->reason.message);
    pthread_mutex_unlock(&writer->lock);
    return status;
}

int tacho_chrome_close(tacho_chrome *writer, tacho_error *err)
{
    TCH_NO_CANCEL;
    int status;

    if (!writer)
        return 0;
    delist(writer);
    status = tacho_chrome_flush(writer, err);
    free_writer(writer);
    return status;
}

/* Writes the files of open writers at exit, when there is no caller to return an error to. A
   child made by fork leaves the writers of its parent alone. */
__attribute__((destructor)) static void write_open_files(void)
{
    tacho_error err;

    for (tacho_chrome *w = open_writers; w; w = w->next)
        if (w->pid == getpid() && tacho_chrome_flush(w, &err) < 0)
            tch_message_at_exit("tacho: %s", err.message);
}
