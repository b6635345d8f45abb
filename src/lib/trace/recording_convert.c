/* Lists the formats of traces and converts a recording to one of them. */
#include "recording_convert.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/gzip_write.h"
#include "chrome_writer.h"
#include "perfetto_writer.h"
#include "recording_events.h"

static int write_chrome(struct tch_recording *r, tch_sink_write *write, void *ctx, tacho_error *err)
{
    struct tch_model m;
    struct tch_sink out;
    struct tch_chrome c;
    struct tch_recording_source source = {
        .r = r, .m = &m, .form = TCH_REC_FOR_CHROME, .origin = r->clock.first.ns};
    int status;

    tch_model_init(&m);
    tch_sink_init(&out, write, ctx, err);
    tch_chrome_init(&c, &m, &out, ",");
    tch_sink_add(&out, "[", 1);
    status = tch_recording_events(&source, tch_chrome_add, &c, err);
    if (status == 0)
        status = tch_chrome_names(&c);
    tch_sink_add(&out, "]", 1);
    if (tch_sink_end(&out) < 0 && status == 0)
        status = out.status;
    tch_chrome_release(&c);
    tch_model_release(&m);
    return status;
}

static int write_perfetto(struct tch_recording *r, tch_sink_write *write, void *ctx,
                          tacho_error *err)
{
    struct tch_model m;
    struct tch_sink out;
    struct tch_perfetto p;
    struct tch_recording_source source = {.r = r, .m = &m, .form = TCH_REC_FOR_PERFETTO};
    int status;

    tch_model_init(&m);
    tch_sink_init(&out, write, ctx, err);
    tch_perfetto_init(&p, &m, &out);
    status = tch_recording_events(&source, tch_perfetto_add, &p, err);
    if (status == 0)
        status = tch_perfetto_names(&p);
    if (tch_sink_end(&out) < 0 && status == 0)
        status = out.status;
    tch_perfetto_release(&p);
    tch_model_release(&m);
    return status;
}

const struct tch_trace_format tch_trace_chrome = {".json", "Chrome JSON", write_chrome};
const struct tch_trace_format tch_trace_perfetto = {".pftrace", "Perfetto", write_perfetto};

static const struct tch_trace_format *const formats[] = {&tch_trace_chrome, &tch_trace_perfetto};

static bool ends_with(const char *path, const char *extension)
{
    size_t len = strlen(path), tail = strlen(extension);

    return len > tail && strcmp(path + len - tail, extension) == 0;
}

/* Returns the length of path without a final .gz. */
static size_t unzipped_len(const char *path)
{
    return strlen(path) - (ends_with(path, ".gz") ? strlen(".gz") : 0);
}

const struct tch_trace_format *tch_trace_format_of(const char *path)
{
    size_t len = unzipped_len(path);

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        size_t tail = strlen(formats[i]->extension);

        if (len > tail && memcmp(path + len - tail, formats[i]->extension, tail) == 0)
            return formats[i];
    }
    return NULL;
}

bool tch_trace_is_recording(const char *path)
{
    return ends_with(path, ".tacho");
}

const char *tch_trace_extension(const char *path)
{
    const char *name = tch_base_name(path), *at = path + unzipped_len(path);

    for (const char *point = at; point > name + 1; point--)
        if (point[-1] == '.')
            return point - 1;
    return at;
}

/* Writes the trace in the format that the name of `out` selects. */
static int write_format(struct tch_recording *r, const char *out, struct tch_replace *file,
                        tacho_error *err)
{
    const struct tch_trace_format *format = tch_trace_format_of(out);
    struct tch_gzip_writer *z = NULL;
    int status, ended;

    if (!format)
        format = &tch_trace_chrome;
    if (!ends_with(out, ".gz"))
        return format->write(r, tch_sink_to_replace, file, err);
    status = tch_gzip_writer_open(&z, tch_sink_to_replace, file, err);
    if (status == 0)
        status = format->write(r, tch_sink_to_gzip, z, err);
    ended = tch_gzip_writer_close(z, status == 0 ? err : NULL);
    return status == 0 ? ended : status;
}

int tch_trace_convert(const char *recording, const char *out, struct tch_recording *ret,
                      tacho_error *err)
{
    int fd = open(recording, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return tch_fail_errno(err, errno, "cannot open '%s'", recording);
    return tch_trace_convert_fd(fd, recording, out, ret, err);
}

int tch_trace_convert_fd(int fd, const char *recording, const char *out, struct tch_recording *ret,
                         tacho_error *err)
{
    struct tch_recording r;
    struct tch_replace file;
    int status = tch_recording_open_fd(&r, fd, recording, err);

    if (status < 0)
        return status;
    status = r.head.foreign ? tch_fail(err, TACHO_EINVAL, 0,
                                       "it was converted from a trace of several processes; "
                                       "use 'tacho trace convert'")
                            : tch_replace_open(&file, out, err);
    if (status < 0)
        goto out;
    status = write_format(&r, out, &file, err);
    if (status == 0)
        status = tch_replace_commit(&file, err);
    else
        tch_replace_abort(&file);
out:
    tch_recording_close(&r);
    if (ret)
        *ret = r;
    return status;
}

int tch_trace_copy_fd(int fd, const char *recording, const char *out, tacho_error *err)
{
    char bytes[16 * 1024];
    struct tch_replace file;
    off_t at = 0;
    ssize_t n = 0;
    int status = tch_replace_open(&file, out, err);

    if (status < 0)
        goto out;
    while (status == 0 && (n = pread(fd, bytes, sizeof bytes, at)) > 0) {
        status = tch_replace_write(&file, bytes, (size_t)n, err);
        at += n;
    }
    if (status == 0 && n < 0)
        status = tch_fail_errno(err, errno, "cannot read '%s'", recording);
    if (status == 0)
        status = tch_replace_commit(&file, err);
    else
        tch_replace_abort(&file);
out:
    close(fd);
    return status;
}
