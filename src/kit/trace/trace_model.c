/* Processes and tracks by number; which reader a file is for. */
#include "trace_model.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/fail.h"
#include "base/protobuf.h"
#include "lib/trace/perfetto_fields.h"
#include "trace_csv.h"
#include "trace_readers.h"

void tch_model_init(struct tch_model *m)
{
    *m = (struct tch_model){0};
}

void tch_model_release(struct tch_model *m)
{
    tch_intern_release(&m->texts);
    tch_intern_release(&m->process_keys);
    tch_intern_release(&m->track_keys);
    free(m->processes);
    free(m->tracks);
    tch_model_init(m);
}

/* Room for one more in a list that is numbered by keys. */
static void *grown(void *list, size_t *room, size_t count, size_t size)
{
    size_t more = *room > 0 ? *room * 2 : 16;
    void *block;

    if (count < *room)
        return list;
    block = realloc(list, more * size);
    if (block)
        *room = more;
    return block;
}

uint32_t tch_model_process(struct tch_model *m, uint64_t pid)
{
    uint32_t count = m->process_keys.count, number;
    struct tch_process *list;

    list = grown(m->processes, &m->process_room, count, sizeof *list);
    if (!list)
        return TCH_INTERN_NONE;
    m->processes = list;
    number = tch_intern_add(&m->process_keys, (const char *)&pid, sizeof pid);
    if (number == count)
        list[number] = (struct tch_process){.pid = pid};
    return number;
}

uint32_t tch_model_track(struct tch_model *m, uint64_t pid, uint64_t tid)
{
    uint64_t key[2] = {pid, tid};
    uint32_t count = m->track_keys.count, number, process;
    struct tch_track *list;

    number = tch_intern_find(&m->track_keys, (const char *)key, sizeof key);
    if (number != TCH_INTERN_NONE)
        return number;
    process = tch_model_process(m, pid);
    list = grown(m->tracks, &m->track_room, count, sizeof *list);
    if (!list || process == TCH_INTERN_NONE)
        return TCH_INTERN_NONE;
    m->tracks = list;
    number = tch_intern_add(&m->track_keys, (const char *)key, sizeof key);
    if (number != TCH_INTERN_NONE)
        list[number] = (struct tch_track){.process = process, .tid = tid};
    return number;
}

void tch_model_add_track_name(const struct tch_model *m, uint32_t track, struct tch_buf *b)
{
    const struct tch_track *t = &m->tracks[track];
    const struct tch_process *p = &m->processes[t->process];

    if (p->name)
        tch_buf_add(b, tch_intern_text(&m->texts, p->name), tch_intern_len(&m->texts, p->name));
    else
        tch_buf_addf(b, "pid %llu", (unsigned long long)p->pid);
    tch_buf_adds(b, " / ");
    if (t->name)
        tch_buf_add(b, tch_intern_text(&m->texts, t->name), tch_intern_len(&m->texts, t->name));
    else
        tch_buf_addf(b, "tid %llu", (unsigned long long)t->tid);
}

/* Reading. */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The first byte that is no blank, a byte order mark passed over; -1: there is none. */
static int first_byte(const struct tch_source *s)
{
    size_t i = s->head_len >= 3 && memcmp(s->head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;

    while (i < s->head_len && is_blank(s->head[i]))
        i++;
    return i < s->head_len ? (unsigned char)s->head[i] : -1;
}

static bool starts_with(const struct tch_source *s, const char *text)
{
    return s->head_len >= strlen(text) && memcmp(s->head, text, strlen(text)) == 0;
}

/* A whole packet at the start, whose fields make sense: JSON may begin with that byte, a line feed.
 */
static bool is_perfetto(const struct tch_source *s)
{
    struct tch_pb_reader r, inner;
    struct tch_pb_field f, g;
    int more;

    tch_pb_open(&r, s->head, s->head_len);
    if (tch_pb_next(&r, &f) <= 0 || f.number != TCH_PF_TRACE_PACKET || f.type != TCH_PB_BYTES)
        return false;
    tch_pb_open(&inner, f.data, f.len);
    while ((more = tch_pb_next(&inner, &g)) > 0)
        ;
    return more == 0;
}

static int read_from(struct tch_reading *r, struct tch_source *s)
{
    int first = first_byte(s);

    r->m->compressed = s->compressed;
    if (starts_with(s, TCH_REC_MAGIC))
        return tch_read_recording(r, s);
    if (is_perfetto(s))
        return tch_read_perfetto(r, s);
    if (tch_is_babeltrace(s))
        return tch_read_babeltrace(r, s);
    if (first == '[' || first == '{')
        return tch_read_chrome(r, s);
    if (starts_with(s, TCH_CSV_HEAD))
        return tch_read_csv(r, s);
    if (first < 0)
        return tch_fail(r->err, TACHO_EPARSE, 0, "it is empty");
    if (tch_is_stacks(s))
        return tch_read_stacks(r, s);
    return tch_fail(r->err, TACHO_EPARSE, 0,
                    "it is no recording, Chrome JSON, Perfetto trace, CSV of spans, folded stacks "
                    "or text of babeltrace2");
}

int tch_name_trace(tacho_error *err, int status, const char *path)
{
    tacho_error inner;

    if (!err || strstr(err->message, path))
        return status;
    inner = *err;
    tch_fail(err, inner.code, inner.line, "'%s': %s", path, inner.message);
    err->column = inner.column;
    err->system_errno = inner.system_errno;
    return status;
}

int tch_model_read(struct tch_model *m, const char *path, const struct tch_read_options *options,
                   tch_ev_sink *sink, void *ctx, tacho_error *err)
{
    struct tch_reading r = {.m = m, .options = *options, .sink = sink, .ctx = ctx, .err = err};
    struct tch_source s;
    int status = tch_source_open(&s, path, err);

    s.progress = options->progress;
    s.progress_ctx = options->progress_ctx;
    if (status == 0 && tch_intern_add(&m->texts, "", 0) == TCH_INTERN_NONE)
        status = tch_fail(err, TACHO_ENOMEM, 0, "out of memory to read a trace");
    if (status == 0)
        status = read_from(&r, &s);
    if (m->bytes == 0)
        m->bytes = s.given;
    tch_source_close(&s);
    return status;
}
