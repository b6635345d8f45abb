/* Reads logs of HdrHistogram. */
#include "hdr_log.h"

#include "base/fail.h"
#include "base/gzip.h"
#include "lib/measure/histogram.h"

enum {
    OUTER = 8,                        /* a cookie and a length are before the zlib stream */
    INFLATED_MOST = 64 * 1024 * 1024, /* all buckets there can be at five digits */
    LOWEST_AT = 16,                   /* where the data says its unit */
    TAGS = 160,
};

static const char cookie[] = {0x1c, (char)0x84, (char)0x93, 0x14}; /* V2, compressed */
static const char cookie_text[] = "HISTF";                         /* the same as base64 */

/* Returns half the width of the smallest buckets. The data is not compressed. */
static uint64_t coarseness(const unsigned char *data)
{
    uint64_t lowest = 0;

    for (int i = 0; i < 8; i++)
        lowest = lowest << 8 | data[LOWEST_AT + i];
    return (uint64_t)1 << (63 - __builtin_clzll(lowest)) >> 1;
}

static bool starts_with(const char *line, size_t len, const char *with)
{
    return len >= strlen(with) && memcmp(line, with, strlen(with)) == 0;
}

bool tch_hdr_log_starts(const char *line, size_t len)
{
    size_t last = len;

    while (last > 0 && line[last - 1] != ',')
        last--;
    return starts_with(line, len, "#[") || starts_with(line, len, "\"StartTimestamp\"") ||
           starts_with(line + last, len - last, cookie_text);
}

/* Returns the tag of a line, or "" with length 0. */
static const char *tag_of(const struct tch_line *line, size_t *len)
{
    const char *comma;

    *len = 0;
    if (!starts_with(line->text, line->len, "Tag="))
        return "";
    comma = memchr(line->text, ',', line->len);
    *len = (size_t)((comma ? comma : line->text + line->len) - line->text) - strlen("Tag=");
    return line->text + strlen("Tag=");
}

/* Collects the tags for the error message, each once, as many as fit. */
static void note_tag(struct tch_buf *tags, const char *tag, size_t len)
{
    char one[64];

    snprintf(one, sizeof one, " '%.*s'", (int)(len < 32 ? len : 32), tag);
    if (len > 0 && tags->len + strlen(one) < TAGS && !strstr(tags->data, one))
        tch_buf_adds(tags, one);
}

/* Adds the histogram of a line, whose binary form is stored or deflated. */
static int add_line(const struct tch_line *line, tacho_histogram *h, struct tch_hdr_log *log,
                    tacho_error *err)
{
    tacho_histogram *one = NULL;
    struct tch_buf bytes, inflated, *form = &bytes;
    int status;

    tch_buf_init(&bytes, INFLATED_MOST);
    tch_buf_init(&inflated, INFLATED_MOST);
    status = tch_histogram_line_bytes(line->text, line->len, &bytes, err);
    if (status == 0 && bytes.len > OUTER && memcmp(bytes.data, cookie, sizeof cookie) == 0) {
        status = tch_zlib_inflate(bytes.data + OUTER, bytes.len - OUTER, &inflated, err);
        form = &inflated;
    }
    if (status == 0)
        status = tacho_histogram_decode(form->data, form->len, &one, err);
    if (status == 0) {
        uint64_t coarse = coarseness((const unsigned char *)form->data);

        log->coarse = coarse > log->coarse ? coarse : log->coarse;
        tacho_histogram_merge(h, one);
    }
    tacho_histogram_free(one);
    tch_buf_release(&bytes);
    tch_buf_release(&inflated);
    return status;
}

/* Adds the histogram of a line with that tag. Returns 1, or 0 for other lines. */
static int add_tagged_line(const struct tch_line *line, const char *tag, tacho_histogram *h,
                           struct tch_hdr_log *log, struct tch_buf *tags, tacho_error *err)
{
    const char *has;
    size_t len;
    int status;

    if (line->too_long)
        return tch_fail(err, TACHO_EPARSE, 0, "the line is too long");
    if (line->len == 0 || memchr("#\"\r", line->text[0], 3)) /* a comment, or the head */
        return 0;
    has = tag_of(line, &len);
    note_tag(tags, has, len);
    if (len != strlen(tag) || memcmp(has, tag, len) != 0)
        return 0;
    status = add_line(line, h, log, err);
    return status < 0 ? status : 1;
}

static int no_such_tag(const char *tag, const char *tags, tacho_error *err)
{
    if (tag[0])
        return tch_fail(err, TACHO_EINVAL, 0, "no line has the tag '%s'; there are%s", tag,
                        tags[0] ? tags : " none");
    return tch_fail(err, TACHO_EINVAL, 0, "every line has a tag: say with --column which of%s",
                    tags);
}

int tch_hdr_log_read(struct tch_lines *lines, const char *tag, bool skip, tacho_histogram *h,
                     struct tch_hdr_log *ret, tacho_error *err)
{
    char text[TAGS + 1];
    struct tch_buf tags;
    struct tch_line line;
    int status = 0;

    tag = tag ? tag : "";
    *ret = (struct tch_hdr_log){0};
    tch_buf_init_on(&tags, text, sizeof text, TAGS);
    while (status >= 0 && (status = tch_lines_next(lines, &line, err)) > 0) {
        status = add_tagged_line(&line, tag, h, ret, &tags, err);
        ret->intervals += status > 0;
        if (status < 0 && skip && status != TACHO_ENOMEM) {
            ret->first_skipped = ret->skipped++ == 0 ? line.number : ret->first_skipped;
            status = 0;
        } else if (status < 0 && err) {
            err->line = line.number;
        }
    }
    if (status == 0 && ret->intervals == 0 && ret->skipped == 0 && (tag[0] || tags.len > 0))
        status = no_such_tag(tag, tags.data, err);
    tch_buf_release(&tags);
    return status;
}
