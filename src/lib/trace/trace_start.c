/* Starts and stops traces (by call, environment variable, exit and fork) and chooses their
   files. */
#include "trace_start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tacho/trace.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/message.h"
#include "base/no_cancel.h"
#include "base/number.h"
#include "base/stay_loaded.h"
#include "recording_chunks.h"
#include "recording_convert.h"
#include "trace_names.h"
#include "trace_signal.h"

/* Environment variable "PID:PATH", by which child processes know that this process owns the file
   that TACHO_TRACE_OUT names. */
#define OWNER "TACHO_TRACE_OWNER"

static struct tch_recorder *const rec = &tch_recorder;

/* The lock of the recorder guards these variables. */
static char asked[TCH_TRACE_PATH];     /* the path that was requested, as an absolute path */
static char out[TCH_TRACE_PATH];       /* the file that this process writes */
static char recording[TCH_TRACE_PATH]; /* the recording that becomes `out`, or `out` itself */
static bool in_run_folder;             /* `asked` is TACHO_RUN_DIR */
/* The environment variable that requested the trace; NULL: a call did. */
static const char *asked_by;
static bool keep_recording; /* `out` is a recording: it is not converted */
/* Set when a variable, a call or another writer of the file has decided whether there is a trace.
   Read without the lock. */
static bool decided;
static tacho_error why_off = {.message = "no trace was requested; set TACHO_TRACE_OUT"};

/* Held during a conversion. A thread that needs the recorder's lock as well takes this one
   first. */
static pthread_mutex_t converting = PTHREAD_MUTEX_INITIALIZER;

static void set_mode(int mode)
{
    __atomic_store_n(&tacho_trace_mode, mode, __ATOMIC_RELEASE);
}

/* Paths. */

static int format_path(char ret[TCH_TRACE_PATH], tacho_error *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static int format_path(char ret[TCH_TRACE_PATH], tacho_error *err, const char *fmt, ...)
{
    char text[TCH_TRACE_PATH];
    va_list args;
    int len;

    va_start(args, fmt);
    len = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (len < 0 || (size_t)len >= sizeof text)
        return tch_fail(err, TACHO_ELIMIT, 0, "the path of the trace is longer than %d bytes",
                        TCH_TRACE_PATH - 1);
    memcpy(ret, text, (size_t)len + 1);
    return 0;
}

/* Makes the path absolute, because the program may change its directory before the trace is
   written. */
static int make_absolute(char ret[TCH_TRACE_PATH], const char *path, tacho_error *err)
{
    char here[TCH_TRACE_PATH];

    if (path[0] == '/')
        return format_path(ret, err, "%s", path);
    if (!getcwd(here, sizeof here))
        return tch_fail_errno(err, errno, "cannot get the working directory");
    return format_path(ret, err, "%s/%s", here, path);
}

/* Sets `out` to the requested path. A process that does not own the file gets a path beside it,
   with its process id in the name. */
static int choose_out(bool owner, tacho_error *err)
{
    const char *extension;

    if (in_run_folder)
        return format_path(out, err, "%s/trace.%d.tacho", asked, (int)getpid());
    if (owner)
        return format_path(out, err, "%s", asked);
    extension = tch_trace_extension(asked);
    return format_path(out, err, "%.*s.%d%s", (int)(extension - asked), asked, (int)getpid(),
                       extension);
}

/* Makes the recording under the first free name: STEM.tacho, STEM-2.tacho, STEM-3.tacho, ... An
   existing file is kept, because it is the recording of a process that was killed, or of this
   process before an exec. */
static int open_numbered(const char *stem, uint64_t limit, bool ring, tacho_error *err)
{
    enum { TRIES = 1000 };
    char number[16] = "";
    tacho_error failure;
    int status;

    for (int i = 2;; i++) {
        status = format_path(recording, err, "%s%s.tacho", stem, number);
        if (status < 0)
            return status;
        status = tch_recorder_open(recording, limit, ring, &failure);
        if (status == 0 || failure.system_errno != EEXIST || i > TRIES)
            break;
        snprintf(number, sizeof number, "-%d", i);
    }
    if (status < 0 && err)
        *err = failure;
    return status;
}

/* Makes the recording. For a trace in another format it is a temporary file beside `out`. A
   recording that was requested by its own name replaces the file of that name. */
static int open_recording(bool owner, uint64_t limit, bool ring, tacho_error *err)
{
    char stem[TCH_TRACE_PATH];
    struct stat st;
    int status;

    if (keep_recording && owner && !in_run_folder) {
        if (stat(out, &st) == 0 && S_ISREG(st.st_mode))
            unlink(out);
        memcpy(recording, out, sizeof recording);
        return tch_recorder_open(recording, limit, ring, err);
    }
    if (!keep_recording && stat(out, &st) == 0 && S_ISDIR(st.st_mode))
        return tch_fail_errno(err, EISDIR, "cannot write the trace '%s'", out);
    status = keep_recording
                 ? format_path(stem, err, "%.*s", (int)(tch_trace_extension(out) - out), out)
                 : format_path(stem, err, "%s.%d", out, (int)getpid());
    return status < 0 ? status : open_numbered(stem, limit, ring, err);
}

/* Reads TACHO_TRACE_LIMIT: a size, optionally followed by ",ring" or ",stop". */
static int read_limit(uint64_t *limit, bool *ring, tacho_error *err)
{
    const char *text = secure_getenv("TACHO_TRACE_LIMIT");
    char size[32];
    size_t len;

    *limit = 0;
    *ring = false;
    if (!text || !*text)
        return 0;
    len = strcspn(text, ",");
    *ring = strcmp(text + len, ",ring") == 0;
    if (len < sizeof size && (text[len] == '\0' || *ring || strcmp(text + len, ",stop") == 0)) {
        memcpy(size, text, len);
        size[len] = '\0';
        if (tch_parse_size(size, limit) == 0 && *limit > 0)
            return 0;
    }
    return tch_fail(err, TACHO_EINVAL, 0,
                    "TACHO_TRACE_LIMIT is '%.60s'; use a size such as 2GiB, 2GiB,ring or 2GiB,stop",
                    text);
}

/* Closes the recording and removes its file. */
static void drop_recording(void)
{
    struct tch_owned_fd file = tch_recorder_close();

    tch_owned_close(&file);
    unlink(recording);
}

/* Makes the recording and switches tracing on. The lock must be held. */
static int begin_trace(bool owner, tacho_error *err)
{
    uint64_t limit = 0;
    bool ring = false;
    int status = choose_out(owner, err);

    if (status == 0)
        status = read_limit(&limit, &ring, err);
    if (status == 0)
        status = tch_mkdirs_above(out, err);
    if (status < 0)
        return status;
    keep_recording = tch_trace_is_recording(out);
    status = open_recording(owner, limit, ring, err);
    if (status < 0)
        return status;
    if (!tch_table_move()) {
        drop_recording();
        return tch_fail_errno(err, ENOSPC, "cannot write the recording '%s'", recording);
    }
    rec->state = TCH_TRACE_ON;
    set_mode(1);
    return 0;
}

/* Leaves tracing off and keeps the reason for tacho_trace_why_off(). The lock must be held. */
static void give_up(const tacho_error *err)
{
    why_off = *err;
    if (asked_by)
        tch_fail(&why_off, err->code, 0, "no trace for %s: %s", asked_by, err->message);
    rec->state = TCH_TRACE_OFF;
    set_mode(0);
}

bool tch_trace_make_waiting(void)
{
    tacho_error err;

    rec->state = TCH_TRACE_OFF;
    if (begin_trace(false, &err) == 0)
        return true;
    give_up(&err);
    return false;
}

/* Fork. */

static struct tch_shield before_fork;

static void fork_prepare(void)
{
    struct tch_shield before;

    tch_trace_lock(&before);
    before_fork = before;
}

static void fork_parent(void)
{
    struct tch_shield before = before_fork;

    tch_trace_unlock(&before);
}

static void fork_child(void)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

    if (rec->state == TCH_TRACE_ON) {
        tch_recorder_forked();
        rec->state = TCH_TRACE_WAITING;
    }
    converting = fresh;
    tch_trace_signal_forked();
    rec->lock = fresh;
    tch_shield_off(&before_fork);
}

static void watch_forks(void)
{
    static bool watching;

    if (!watching)
        watching = pthread_atfork(fork_prepare, fork_parent, fork_child) == 0;
}

/* Starting, flushing, stopping. */

static void decide(void)
{
    __atomic_store_n(&decided, true, __ATOMIC_RELEASE);
}

/* Returns the value of a variable, or NULL when it is not set or empty, or when the program runs
   with more rights than its caller. Such a program must not write files where the caller says. */
static const char *env_value(const char *name)
{
    const char *value = secure_getenv(name);

    return value && *value ? value : NULL;
}

/* Finds the variable that requests a trace. Returns its value, or NULL. */
static const char *find_request(const char **variable, bool *run_folder)
{
    static const char *const variables[] = {"TACHO_TRACE_OUT", "FERRUM_TRACE_OUT", "TACHO_RUN_DIR"};
    const char *value = NULL;

    for (size_t i = 0; i < 3 && !value; i++) {
        value = env_value(variables[i]);
        *variable = variables[i];
        *run_folder = i == 2;
    }
    return value;
}

int tacho_trace_start(const char *path, tacho_error *err)
{
    TCH_NO_CANCEL;
    tacho_error why;
    struct tch_shield before;
    int status;

    if (!path || !*path)
        return tch_fail(err, TACHO_EINVAL, 0, "the path of the trace is empty");
    tch_stay_loaded(); /* the library must not be unloaded: threads call release_lane() when they
                          exit */
    tch_trace_lock(&before);
    if (rec->state != TCH_TRACE_OFF) {
        status = tch_fail(&why, TACHO_EALREADY, 0, "a trace is already on; stop it first");
    } else {
        watch_forks();
        in_run_folder = false;
        asked_by = NULL;
        decide();
        status = make_absolute(asked, path, &why);
        if (status == 0)
            status = begin_trace(true, &why);
        if (status < 0)
            why_off = why;
    }
    tch_trace_unlock(&before);
    if (status < 0 && err)
        *err = why;
    return status;
}

/* The paths of a conversion, which are copies because the next trace may start while it runs.
   `converting` guards them. */
static char convert_from[TCH_TRACE_PATH], convert_to[TCH_TRACE_PATH];

static void copy_paths(void)
{
    memcpy(convert_from, recording, sizeof convert_from);
    memcpy(convert_to, out, sizeof convert_to);
}

/* Returns a descriptor to read the recording, or -1. A program that has lost the right to write to
   it may still read it. */
static int copy_to_read(const struct tch_owned_fd *file)
{
    struct tch_owned_fd copy = *file;

    if (!tch_owned_regain(&copy, AT_FDCWD, convert_from, O_RDONLY))
        return -1;
    return copy.fd == file->fd ? tch_owned_dup(&copy) : copy.fd;
}

int tacho_trace_flush(tacho_error *err)
{
    TCH_NO_CANCEL;
    struct tch_shield before;
    bool on, convert;
    int fd = -1, status = 0;

    pthread_mutex_lock(&converting);
    tch_trace_lock(&before);
    on = rec->state == TCH_TRACE_ON;
    convert = on && !keep_recording;
    if (on) {
        tch_recorder_calibrate();
        copy_paths();
        if (convert) {
            (void)tch_chunks_hold(); /* opens it for writing, too, if that is possible */
            fd = copy_to_read(&rec->file);
        }
    }
    tch_trace_unlock(&before);
    if (convert)
        status = fd < 0 ? tch_owned_fail(convert_from, err)
                        : tch_trace_convert_fd(fd, convert_from, convert_to, NULL, err);
    pthread_mutex_unlock(&converting);
    return status;
}

/* Returns whether the recording still has the name it was made with. */
static bool is_at(const struct tch_owned_fd *file, const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && st.st_dev == file->dev && st.st_ino == file->ino;
}

/* Writes the trace from the descriptor of the recording, whose file may have been removed or
   renamed by now. Removes a recording that was converted. */
static int write_out(struct tch_owned_fd *file, bool convert, tacho_error *err)
{
    bool named = is_at(file, convert_from);
    bool needed = convert || (!named && !in_run_folder);
    int fd = needed ? copy_to_read(file) : -1;
    int status = 0;

    if (needed && fd < 0)
        status = tch_owned_fail(convert_from, err);
    else if (convert)
        status = tch_trace_convert_fd(fd, convert_from, convert_to, NULL, err);
    else if (needed)
        status = tch_trace_copy_fd(fd, convert_from, convert_to, err);
    tch_owned_close(file);
    if (convert && named && status == 0)
        unlink(convert_from);
    return status;
}

int tacho_trace_stop(tacho_error *err)
{
    TCH_NO_CANCEL;
    struct tch_shield before;
    struct tch_owned_fd file = TCH_OWNED_NONE;
    bool was_on, convert;
    int status = 0;

    pthread_mutex_lock(&converting);
    tch_trace_lock(&before);
    was_on = rec->state == TCH_TRACE_ON;
    convert = was_on && !keep_recording;
    if (rec->state != TCH_TRACE_OFF) {
        set_mode(0);
        rec->state = TCH_TRACE_OFF;
        why_off = (tacho_error){.message = "the trace was stopped"};
    }
    if (was_on) {
        tch_recorder_calibrate();
        rec->head->ended = 1;
        file = tch_recorder_close();
        copy_paths();
    }
    tch_trace_unlock(&before);
    if (was_on)
        status = write_out(&file, convert, err);
    pthread_mutex_unlock(&converting);
    return status;
}

/* Returns whether two absolute paths name the same file, which need not exist. */
static bool is_same_file(const char *a, const char *b)
{
    const char *paths[2] = {a, b};
    char folder[TCH_TRACE_PATH];
    struct stat st[2];

    if (strcmp(tch_base_name(a), tch_base_name(b)) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        if (format_path(folder, NULL, "%.*s", (int)(tch_base_name(paths[i]) - paths[i]), paths[i]) <
                0 ||
            stat(folder, &st[i]) < 0)
            return false;
    }
    return st[0].st_dev == st[1].st_dev && st[0].st_ino == st[1].st_ino;
}

/* Returns whether a variable requests a trace in this file. */
static bool is_requested(const char *path)
{
    char requested[TCH_TRACE_PATH];
    const char *variable;
    bool run_folder;
    const char *value = find_request(&variable, &run_folder);

    return value && !run_folder && make_absolute(requested, value, NULL) == 0 &&
           is_same_file(requested, path);
}

#define LEFT_TO_CHROME "the file of the trace was left to tacho_chrome_open()"

int tch_trace_make_way(const char *path, tacho_error *err)
{
    struct tch_shield before;
    int status = 0;

    tch_trace_lock(&before);
    if (!decided && is_requested(path)) {
        why_off = (tacho_error){.message = LEFT_TO_CHROME};
        decide();
    } else if (rec->state == TCH_TRACE_ON && is_same_file(out, path)) {
        if (!asked_by || rec->lane_count > 0) {
            status = tch_fail(err, TACHO_EALREADY, 0,
                              "this process records spans to '%.150s'; choose another file", path);
        } else {
            set_mode(0);
            rec->state = TCH_TRACE_OFF;
            why_off = (tacho_error){.message = LEFT_TO_CHROME};
            drop_recording();
        }
    }
    tch_trace_unlock(&before);
    return status;
}

const char *tacho_trace_why_off(void)
{
    return tacho_trace_is_on() ? NULL : why_off.message;
}

/* Starting from the environment when the library is loaded or first pushed to, stopping at exit. */

/* Returns whether a parent, or this process before an exec, already owns this file. */
static bool is_owned(const char *path)
{
    const char *owner = env_value(OWNER);
    const char *colon = owner ? strchr(owner, ':') : NULL;

    return colon && strcmp(colon + 1, path) == 0;
}

/* Starts the trace that a variable requests. A process that does not own the file makes its
   recording at its first record. The lock must be held. */
static int start_from(const char *path, tacho_error *err)
{
    char owner[TCH_TRACE_PATH + 32];
    int status = make_absolute(asked, path, err);

    if (status < 0)
        return status;
    watch_forks();
    if (in_run_folder || is_owned(asked)) {
        tch_clock_init(&rec->clock);
        rec->state = TCH_TRACE_WAITING;
        set_mode(1);
        return 0;
    }
    snprintf(owner, sizeof owner, "%d:%s", (int)getpid(), asked);
    setenv(OWNER, owner, 1);
    return begin_trace(true, err);
}

__attribute__((constructor)) static void start_by_environment(void)
{
    const char *variable;
    bool run_folder;
    const char *value = find_request(&variable, &run_folder);
    tacho_error err;
    struct tch_shield before;

    if (!value)
        return;
    tch_stay_loaded();
    tch_trace_lock(&before);
    if (!decided) {
        asked_by = variable;
        in_run_folder = run_folder;
        decide();
        if (start_from(value, &err) < 0)
            give_up(&err);
    }
    tch_trace_unlock(&before);
}

void tch_trace_first_push(void)
{
    TCH_NO_CANCEL;

    if (__atomic_load_n(&decided, __ATOMIC_ACQUIRE))
        return;
    start_by_environment();
    decide();
}

/* Stops the trace at exit. Prints a failure, because there is no caller to return it to and the
   user requested the trace by a variable. */
__attribute__((destructor)) static void stop_at_exit(void)
{
    tacho_error err;
    struct stat st;

    if (!tacho_trace_is_on() && asked_by && why_off.code < 0)
        tch_message_at_exit("tacho: %s", why_off.message);
    if (!tacho_trace_is_on() || tacho_trace_stop(&err) == 0)
        return;
    if (stat(convert_from, &st) == 0)
        tch_message_at_exit(
            "tacho: %s; the recording is kept: 'tacho trace recover %s -o OUT' makes the trace",
            err.message, convert_from);
    else
        tch_message_at_exit("tacho: %s; the recording '%s' was removed, the trace is lost",
                            err.message, convert_from);
}

int tacho_trace_convert(const char *from, const char *to, tacho_error *err)
{
    TCH_NO_CANCEL;

    if (!tch_trace_format_of(to))
        return tch_fail(err, TACHO_EINVAL, 0,
                        "cannot write '%.150s': its name must end in .json, .json.gz or .pftrace",
                        to);
    return tch_trace_convert(from, to, NULL, err);
}
