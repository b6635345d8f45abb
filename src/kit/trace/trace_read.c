/* Chooses the reader for a file. */
#include "trace_read.h"

#include <string.h>

#include "base/fail.h"
#include "base/json_read.h"
#include "base/number.h"
#include "base/protobuf.h"
#include "base/utf8.h"
#include "lib/trace/perfetto_fields.h"
#include "lib/trace/recording_format.h"
#include "trace_csv.h"
#include "trace_readers.h"
#include "trace_source.h"

/* Returns the first byte that is not a blank, after a byte order mark; -1 if there is none. */
static int first_byte(const struct tch_trace_source *s)
{
    size_t i = s->head_len >= 3 && memcmp(s->head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;

    while (i < s->head_len && tch_is_blank(s->head[i]))
        i++;
    return i < s->head_len ? (unsigned char)s->head[i] : -1;
}

static bool starts_with(const struct tch_trace_source *s, const char *text)
{
    return s->head_len >= strlen(text) && memcmp(s->head, text, strlen(text)) == 0;
}

/* Returns whether the file starts with a complete packet whose fields are plausible. The first byte
   alone, a line feed, may also start JSON. */
static bool is_perfetto(const struct tch_trace_source *s)
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

static uint64_t count_of(const char *args, size_t len, const char *key)
{
    struct tch_json_value v;
    uint64_t count;

    return tch_json_find(args, len, key, &v) &&
                   tch_parse_u64_n(v.text, v.len, UINT64_MAX, &count) == 0
               ? count
               : 0;
}

void tch_trace_reading_note(struct tch_trace_reading *r, uint32_t name, uint32_t category,
                            const char *args, size_t len)
{
    const char *text = tch_intern_text(&r->m->texts, name);

    if (strcmp(tch_intern_text(&r->m->texts, category), "tacho") != 0)
        return;
    if (strcmp(text, "records dropped") == 0) {
        r->m->dropped += count_of(args, len, "dropped");
        r->m->invalid_json += count_of(args, len, "invalid_json");
    } else if (strcmp(text, "clock stood still or went back") == 0) {
        r->m->clock_faults += count_of(args, len, "times");
    }
}

static int read_from(struct tch_trace_reading *r, struct tch_trace_source *s)
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
                    "it is not a recording, Chrome JSON, Perfetto trace, CSV of spans, folded "
                    "stacks or text of babeltrace2");
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

int tch_model_read(struct tch_model *m, const char *path,
                   const struct tch_trace_read_options *options, tch_ev_sink *sink, void *ctx,
                   tacho_error *err)
{
    struct tch_trace_reading r = {
        .m = m, .options = *options, .sink = sink, .ctx = ctx, .err = err};
    struct tch_trace_source s;
    int status = tch_trace_source_open(&s, path, err);

    s.progress = options->progress;
    s.progress_ctx = options->progress_ctx;
    if (status == 0 && tch_intern_add(&m->texts, "", 0) == TCH_INTERN_NONE)
        status = tch_fail_memory(err);
    if (status == 0)
        status = read_from(&r, &s);
    if (s.bomb)
        status = tch_zip_fail(path, err);
    if (m->bytes == 0)
        m->bytes = s.given;
    tch_trace_source_close(&s);
    return status;
}
