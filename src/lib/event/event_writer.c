/* The writer of profile events composes an event on the stack and writes it by one write(2). The
   second part of the file is the writer of the process, which is made once and never closed. */
#include <tacho/event.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json_canon.h"
#include "base/json_write.h"
#include "base/message.h"
#include "base/no_cancel.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "event_config.h"
#include "event_fields.h"
#include "event_parse.h"

enum { OPEN_FLAGS = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY };
enum { STACK_LINE = 12 * 1024 }; /* lines of real programs have up to 9 KB */

#define START "{\"event\":"
/* The text from the last member of shape to the first of stage_us. */
#define BETWEEN "},\"stage_us\":{"

struct tacho_event_writer {
    struct tch_owned_fd file;  /* none: disabled */
    char path[PATH_MAX];       /* absolute */
    atomic_uint_fast64_t lost; /* number of events since the program closed the descriptor */
    /* The number of truncated lines, and how many of them a line feed has ended since. While the
       two differ, the next line starts with a line feed. */
    atomic_uint torn, healed;
    bool limited;               /* RLIMIT_FSIZE is set */
    const char *bad;            /* why no event can be made; NULL: it can */
    tacho_event_config *config; /* NULL: disabled */
    struct tch_buf before;      /* the text between the event's name and its first shape */
    struct tch_buf after[2];    /* the text after its last stage; graph_enabled false and true */
};

/* Returns whether the file ends in the middle of a line, and true for a file that cannot be
   read. */
static bool ends_with_fragment(int fd, const char *path)
{
    struct stat st;
    char last = '\0';
    int in;

    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
        return false;
    in = open(path, O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return true;
    if (pread(in, &last, 1, st.st_size - 1) != 1)
        last = '\0';
    close(in);
    return last != '\n';
}

static int open_sink(tacho_event_writer *w, tacho_error *err)
{
    int status = tch_mkdirs_above(w->config->path, err);

    if (status < 0)
        return status;
    if (tch_absolute_path(w->path, w->config->path) < 0 ||
        tch_owned_take(&w->file, open(w->config->path, OPEN_FLAGS | O_CREAT, 0666)) < 0)
        return tch_fail_errno(err, errno, "cannot open '%s' for profile events", w->config->path);
    atomic_store(&w->torn, ends_with_fragment(w->file.fd, w->config->path));
    w->limited = tch_file_size_limited();
    return 0;
}

static int prepare_texts(tacho_event_writer *w, const tacho_event_config *config, tacho_error *err)
{
    w->config = tch_event_config_copy(config);
    w->bad = tch_event_config_check(config);
    tch_buf_addc(&w->before, ',');
    tch_event_config_head(&w->before, config);
    tch_buf_adds(&w->before, ",\"shape\":{");
    for (int graph = 0; graph < 2; graph++) {
        tch_buf_adds(&w->after[graph], "},");
        tch_json_put_bool(&w->after[graph], "graph_enabled", graph);
        tch_event_config_flags(&w->after[graph], config);
        tch_json_put_text(&w->after[graph], "source",
                          config->source ? config->source : tch_event_config_default.source);
        tch_buf_adds(&w->after[graph], "}\n");
    }
    if (!w->config || w->before.failed || w->after[0].failed || w->after[1].failed)
        return tch_fail_memory(err);
    return 0;
}

int tacho_event_open(const tacho_event_config *given, tacho_event_writer **ret, tacho_error *err)
{
    TCH_NO_CANCEL;
    tacho_event_config config;
    tacho_event_writer *w;
    int status = tch_sized_read(&config, sizeof config, given, "TACHO_EVENT_CONFIG_INIT", err);

    if (status < 0)
        return status;
    w = calloc(1, sizeof *w);
    if (!w)
        return tch_fail_memory(err);
    w->file = TCH_OWNED_NONE;
    tch_buf_init(&w->before, TCH_EVENT_MAX);
    tch_buf_init(&w->after[0], TCH_EVENT_MAX);
    tch_buf_init(&w->after[1], TCH_EVENT_MAX);
    if (tch_event_config_has_path(&config)) {
        status = prepare_texts(w, &config, err);
        if (status == 0)
            status = open_sink(w, err);
    }
    if (status == 0)
        *ret = w;
    else
        tacho_event_close(w);
    return status;
}

int tacho_event_open_env(const char *const *pairs, tacho_event_writer **ret, tacho_error *err)
{
    TCH_NO_CANCEL;
    struct tch_event_env env;

    tch_event_env_read(&env, pairs);
    return tacho_event_open(&env.config, ret, err);
}

void tacho_event_close(tacho_event_writer *w)
{
    TCH_NO_CANCEL;

    if (!w)
        return;
    tch_owned_close(&w->file);
    free(w->config);
    tch_buf_release(&w->before);
    tch_buf_release(&w->after[0]);
    tch_buf_release(&w->after[1]);
    free(w);
}

bool tacho_event_is_enabled(const tacho_event_writer *w)
{
    return w && tch_owned_fd(&w->file) >= 0;
}

const char *tacho_event_path(const tacho_event_writer *w)
{
    return tacho_event_is_enabled(w) ? w->config->path : NULL;
}

const tacho_event_config *tacho_event_writer_config(const tacho_event_writer *w)
{
    return tacho_event_is_enabled(w) ? w->config : &tch_event_config_default;
}

int tacho_event_flush(tacho_event_writer *w, tacho_error *err)
{
    TCH_NO_CANCEL;

    if (tacho_event_is_enabled(w) && !tch_owned_holds(&w->file))
        return tch_owned_fail(w->config->path, err);
    return 0;
}

int tacho_event_sync(tacho_event_writer *w, tacho_error *err)
{
    TCH_NO_CANCEL;
    int status = tacho_event_flush(w, err);

    if (status < 0 || !tacho_event_is_enabled(w))
        return status;
    /* The kernel refuses this for some files, such as pipes, which have no disk to wait for. */
    if (fdatasync(tch_owned_fd(&w->file)) < 0 && errno != EINVAL && errno != EROFS)
        return tch_fail_errno(err, errno, "cannot write '%s' to the disk", w->config->path);
    return 0;
}

/* Counts an event that cannot be written because the program closed the descriptor. Reports the
   first one, because many programs do not check the result of an event. */
static int fail_lost(tacho_event_writer *w, tacho_error *err)
{
    tacho_error why;

    tch_owned_fail(w->config->path, &why);
    if (atomic_fetch_add(&w->lost, 1) == 0)
        tch_message("tacho: profile events are lost: %s", why.message);
    if (err)
        *err = why;
    return why.code;
}

/* Writes the line by one call. A truncated line is not continued, because a line of another
   writer may already follow it. After any failure the next line starts with a line feed, even if
   nothing of this line was written: another process may have truncated a line on the same full
   disk. Readers skip empty lines. */
static int write_line(tacho_event_writer *w, const char *line, size_t len, tacho_error *err)
{
    int fd;
    ssize_t n;

    if (!tch_owned_regain(&w->file, AT_FDCWD, w->path, OPEN_FLAGS))
        return fail_lost(w, err);
    fd = tch_owned_fd(&w->file);
    do
        n = w->limited ? tch_write_limited(fd, line, len) : write(fd, line, len);
    while (n < 0 && errno == EINTR);
    if (n == (ssize_t)len)
        return 0;
    atomic_fetch_add(&w->torn, 1);
    if (n >= 0)
        return tch_fail_errno(err, ENOSPC, "cannot write '%s' (%zd of %zu bytes)", w->config->path,
                              n, len);
    return tch_fail_errno(err, errno, "cannot write '%s'", w->config->path);
}

/* Checks that an event of that name can be written. */
static int check_event(const tacho_event_writer *w, const char *event, tacho_error *err)
{
    if (!event || tch_utf8_is_blank(event, strlen(event)))
        return tch_fail(err, TACHO_EINVAL, 0, "%s", TCH_BAD_EVENT);
    if (w->bad)
        return tch_fail(err, TACHO_EINVAL, 0, "%s", w->bad);
    return 0;
}

static char *put_bytes(char *out, const char *data, size_t len)
{
    memcpy(out, data, len);
    return out + len;
}

/* Writes the line to `out` when it contains only plain names and numbers. Returns its length, or
   0. */
static size_t put_plain_line(const tacho_event_writer *w, char out[STACK_LINE], const char *event,
                             tacho_fields shape, tacho_fields stage_us, bool graph_enabled)
{
    const struct tch_buf *after = &w->after[graph_enabled];
    size_t fields = 2 + shape.count + stage_us.count; /* count the name and BETWEEN as fields */
    char *p;

    if (fields > STACK_LINE / TCH_FIELD_MAX ||
        w->before.len + after->len > STACK_LINE - fields * TCH_FIELD_MAX ||
        atomic_load_explicit(&w->torn, memory_order_relaxed) !=
            atomic_load_explicit(&w->healed, memory_order_relaxed))
        return 0;
    p = tch_plain_put(put_bytes(out, START, sizeof START - 1), event);
    if (p)
        p = tch_numbers_put(put_bytes(p, w->before.data, w->before.len), shape);
    if (p)
        p = tch_numbers_put(put_bytes(p, BETWEEN, sizeof BETWEEN - 1), stage_us);
    if (p)
        p = put_bytes(p, after->data, after->len);
    return p ? (size_t)(p - out) : 0;
}

/* Adds the line up to the shape, with a line feed before it. Fails before anything is added. */
static int begin_line(const tacho_event_writer *w, struct tch_buf *b, const char *event,
                      tacho_error *err)
{
    int status = check_event(w, event, err);

    if (status < 0)
        return status;
    tch_buf_adds(b, "\n" START);
    tch_json_text(b, event);
    tch_json_part(b, w->before.data, w->before.len, false);
    return 0;
}

/* Writes a line feed and a line. Leaves out the line feed when the last line is whole. */
static int write_buf(tacho_event_writer *w, const struct tch_buf *b, tacho_error *err)
{
    unsigned torn = atomic_load(&w->torn);
    size_t skip = torn == atomic_load(&w->healed);
    int status;

    if (b->failed)
        return tch_fail(err, b->len > TCH_EVENT_MAX / 2 ? TACHO_ELIMIT : TACHO_ENOMEM, 0,
                        "out of memory, or the event has more than %d bytes", TCH_EVENT_MAX);
    status = write_line(w, b->data + skip, b->len - skip, err);
    if (status == 0 && skip == 0)
        atomic_store(&w->healed, torn);
    return status;
}

static int end_line(tacho_event_writer *w, struct tch_buf *b, bool graph_enabled, tacho_error *err)
{
    tch_buf_add(b, w->after[graph_enabled].data, w->after[graph_enabled].len);
    return write_buf(w, b, err);
}

int tacho_event_push(tacho_event_writer *w, const char *event, tacho_fields shape,
                     tacho_fields stage_us, bool graph_enabled, tacho_error *err)
{
    TCH_NO_CANCEL;
    char mem[STACK_LINE];
    struct tch_buf b;
    size_t len;
    int status;

    if (!tacho_event_is_enabled(w))
        return 0;
    status = check_event(w, event, err);
    if (status < 0)
        return status;
    len = put_plain_line(w, mem, event, shape, stage_us, graph_enabled);
    if (len > 0)
        return write_line(w, mem, len, err);
    tch_buf_init_on(&b, mem, sizeof mem, TCH_EVENT_MAX);
    status = begin_line(w, &b, event, err);
    if (status == 0)
        status = tch_members_put(&b, shape, err);
    tch_json_part(&b, BETWEEN, sizeof BETWEEN - 1, false);
    if (status == 0)
        status = tch_members_put(&b, stage_us, err);
    if (status == 0)
        status = end_line(w, &b, graph_enabled, err);
    tch_buf_release(&b);
    return status;
}

/* Adds the members of an object after its opening brace; adds nothing for any other value. */
static int put_json(struct tch_buf *b, const char *json, tacho_error *err)
{
    size_t brace = b->len - 1;
    int status;

    if (b->failed) /* end_line() reports the failure */
        return 0;
    tch_json_rewind(b, brace, false); /* tch_json_canon() writes the brace again */
    status = tch_json_canon(b, json, strlen(json), TCH_CANON_FINITE | TCH_CANON_SORTED, err);
    if (status == TACHO_EPARSE)
        return tch_fail(err, TACHO_EINVAL, 0, "the fields of an event are not valid JSON");
    if (status == 0 && b->data[brace] == '{')
        b->len--; /* the closing brace is added later */
    else if (status == 0)
        b->len = brace + 1;
    b->data[brace] = '{';
    return status;
}

int tacho_event_push_json(tacho_event_writer *w, const char *event, const char *shape,
                          const char *stage_us, bool graph_enabled, tacho_error *err)
{
    TCH_NO_CANCEL;
    char mem[STACK_LINE];
    struct tch_buf b;
    int status;

    if (!tacho_event_is_enabled(w))
        return 0;
    tch_buf_init_on(&b, mem, sizeof mem, TCH_EVENT_MAX);
    status = begin_line(w, &b, event, err);
    if (status == 0)
        status = put_json(&b, shape, err);
    tch_json_part(&b, BETWEEN, sizeof BETWEEN - 1, false);
    if (status == 0)
        status = put_json(&b, stage_us, err);
    if (status == 0)
        status = end_line(w, &b, graph_enabled, err);
    tch_buf_release(&b);
    return status;
}

int tacho_event_write(tacho_event_writer *w, const tacho_event *event, tacho_error *err)
{
    TCH_NO_CANCEL;
    char mem[STACK_LINE];
    struct tch_buf b;
    int status;

    if (!tacho_event_is_enabled(w))
        return 0;
    tch_buf_init_on(&b, mem, sizeof mem, TCH_EVENT_MAX);
    tch_buf_addc(&b, '\n');
    status = tch_event_put(&b, event, err);
    tch_buf_addc(&b, '\n');
    if (status == 0)
        status = write_buf(w, &b, err);
    tch_buf_release(&b);
    return status;
}

/*
 * The writer of the process.
 */

int tacho_event_state = TACHO_EVENT_NOT_ASKED;

static tacho_event_writer disabled = {.file = {.fd = -1}};
static pthread_mutex_t global_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(tacho_event_writer *) global; /* NULL until it is made */
static tacho_error global_failure;           /* why it is disabled; code 0: no failure */

/* Sets the writer of the process. The lock must be held and `global` must be NULL. */
static void set_global(tacho_event_writer *writer)
{
    int state = tacho_event_is_enabled(writer) ? TACHO_EVENT_ON : TACHO_EVENT_OFF;

    __atomic_store_n(&tacho_event_state, state, __ATOMIC_RELAXED);
    atomic_store_explicit(&global, writer, memory_order_release);
}

int tacho_event_configure(const tacho_event_config *config, tacho_error *err)
{
    TCH_NO_CANCEL;
    tacho_event_writer *writer = NULL;
    int status;

    pthread_mutex_lock(&global_lock);
    if (atomic_load_explicit(&global, memory_order_relaxed))
        status = tch_fail(err, TACHO_EALREADY, 0,
                          "the process's writer of profile events is already configured or in use");
    else
        status = tacho_event_open(config, &writer, err);
    if (status == 0)
        set_global(writer);
    pthread_mutex_unlock(&global_lock);
    return status;
}

tacho_event_writer *tacho_event_global(void)
{
    TCH_NO_CANCEL;
    tacho_event_writer *writer = atomic_load_explicit(&global, memory_order_acquire);
    bool failed = false;

    if (writer)
        return writer;
    pthread_mutex_lock(&global_lock);
    writer = atomic_load_explicit(&global, memory_order_relaxed);
    if (!writer) {
        failed = tacho_event_open_env(NULL, &writer, &global_failure) < 0;
        if (failed)
            writer = &disabled;
        set_global(writer);
    }
    pthread_mutex_unlock(&global_lock);
    if (failed) /* there is no caller to return it to */
        tch_message("[profile-jsonl] failed to open configured sink: %s", global_failure.message);
    return writer;
}

int tacho_event_flush_global(tacho_error *err)
{
    return tacho_event_flush(atomic_load_explicit(&global, memory_order_acquire), err);
}

int tacho_event_global_status(tacho_error *err)
{
    tacho_event_global(); /* the writer is made now and does not change any more */
    if (global_failure.code < 0 && err)
        *err = global_failure;
    return global_failure.code;
}
