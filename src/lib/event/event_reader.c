/* Reads events line by line, and unescapes strings of raw JSON. */
#include <tacho/event.h>

#include <stdlib.h>

#include "base/fail.h"
#include "base/lines.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "event_parse.h"

struct tacho_event_reader {
    struct tch_lines lines;
    uint64_t torn;
};

static int open_reader(tacho_event_reader **ret, tacho_error *err)
{
    *ret = calloc(1, sizeof **ret);
    return *ret ? 0 : tch_fail_memory(err);
}

int tacho_event_reader_open_mem(const char *data, size_t len, tacho_event_reader **ret,
                                tacho_error *err)
{
    tacho_event_reader *reader;
    int status = open_reader(&reader, err);

    if (status < 0)
        return status;
    tch_lines_init_mem(&reader->lines, data, len, TCH_EVENT_MAX);
    *ret = reader;
    return 0;
}

int tacho_event_reader_open_fd(int fd, const char *name, tacho_event_reader **ret, tacho_error *err)
{
    tacho_event_reader *reader;
    int status = open_reader(&reader, err);

    if (status < 0)
        return status;
    tch_lines_init_fd(&reader->lines, fd, name, TCH_EVENT_MAX);
    *ret = reader;
    return 0;
}

void tacho_event_reader_close(tacho_event_reader *reader)
{
    if (!reader)
        return;
    tch_lines_release(&reader->lines);
    free(reader);
}

int tacho_event_next(tacho_event_reader *reader, tacho_event_view *ret, tacho_error *err)
{
    struct tch_line line;
    tacho_event_view view;
    bool torn = false;
    int status = tch_sized_check(ret, sizeof view, "TACHO_EVENT_VIEW_INIT", err);

    if (status < 0)
        return status;
    do {
        status = tch_lines_next(&reader->lines, &line, err);
        if (status <= 0)
            return status;
    } while (!line.too_long && tch_utf8_is_blank(line.text, line.len));
    status = tch_event_line(&line, &view, &torn, err);
    reader->torn += status == 0 ? view.torn > 0 : torn;
    if (status < 0)
        return status;
    tch_sized_write(ret, &view, sizeof view);
    return 1;
}

uint64_t tacho_event_reader_torn(const tacho_event_reader *reader)
{
    return reader->torn;
}

int tacho_raw_text(tacho_raw raw, char *out, size_t size, size_t *ret_len, tacho_error *err)
{
    struct tch_json_value string = tch_raw_string(raw);
    struct tch_buf b;

    if (size == 0)
        return tch_fail(err, TACHO_ELIMIT, 0, "the buffer has no room for a string");
    tch_buf_init_on(&b, out, size, size - 1);
    tch_json_unescape(&string, &b);
    if (b.failed)
        return tch_fail(err, TACHO_ELIMIT, 0,
                        "the buffer is too small for a string of up to %zu bytes", raw.len);
    if (ret_len)
        *ret_len = b.len;
    return 0;
}
