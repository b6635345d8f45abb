/* Reads logs of HdrHistogram. */
#include "hdr_log.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/fail.h"
#include "kit/file/gzip.h"
#include "lib/measure/histogram.h"
#include "lib/measure/histogram_code.h"
#include "lib/measure/histogram_line.h"

enum {
    OUTER = 8,                        /* bytes before the zlib stream: a cookie and a length */
    INFLATED_MOST = 64 * 1024 * 1024, /* size of all possible buckets at five digits */
    LOWEST_AT = 16,                   /* offset of the unit in the data */
    TAGS = 160,
};

static const char cookie[] = {0x1c, (char)0x84, (char)0x93,
                              0x14};       /* first bytes of V2, compressed */
static const char cookie_text[] = "HISTF"; /* the same bytes in base64 */

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

static int by_middle(const void *a, const void *b)
{
    double x = ((const struct tch_hdr_bucket *)a)->middle;
    double y = ((const struct tch_hdr_bucket *)b)->middle;

    return (x > y) - (x < y);
}

/* Sorts the buckets and merges those with the same middle. */
static void merge_buckets(struct tch_hdr_log *log)
{
    struct tch_hdr_bucket *list = log->buckets;
    size_t kept = 0;

    if (log->count > log->merged)
        qsort(list, log->count, sizeof *list, by_middle);
    for (size_t i = 0; i < log->count; i++) {
        if (kept > 0 && list[kept - 1].middle == list[i].middle)
            list[kept - 1].count += list[i].count;
        else
            list[kept++] = list[i];
    }
    log->count = log->merged = kept;
}

/* Counts the values of one line. A line is added either completely or not at all. */
static int count_values(void *ctx, const tacho_histogram_bucket *b, tacho_error *err)
{
    uint64_t *values = ctx;

    if (b->count > INT64_MAX - *values)
        return tch_fail(err, TACHO_EPARSE, 0, "not a histogram: there are more than 2^63 values");
    *values += b->count;
    return 0;
}

static int add_bucket(void *ctx, const tacho_histogram_bucket *b, tacho_error *err)
{
    struct tch_hdr_log *log = ctx;
    double half = (double)(b->high - b->low) / 2;

    /* Merge before the array grows, unless most of it is merged already. */
    if (log->count == log->room && log->count > 2 * log->merged)
        merge_buckets(log);
    if (tch_array_reserve(&log->buckets, &log->room, log->count + 1) < 0)
        return tch_fail_memory(err);
    log->buckets[log->count++] = (struct tch_hdr_bucket){(double)b->low + half, b->count};
    if (half > (double)log->coarse)
        log->relative = fmax(log->relative, half / ((double)b->low + half));
    log->min = b->low < log->min ? b->low : log->min;
    log->max = b->high > log->max ? b->high : log->max;
    return 0;
}

/* Adds the histogram of a line; its binary form is plain or deflated. */
static int add_line(const struct tch_line *line, struct tch_hdr_log *log, tacho_error *err)
{
    struct tch_bucket_taker count = {count_values, &log->values};
    struct tch_bucket_taker add = {add_bucket, log};
    uint64_t before = log->values;
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
        status = tch_histogram_decode(form->data, form->len, &count, err);
    if (status == 0) {
        uint64_t coarse = coarseness((const unsigned char *)form->data);

        log->coarse = coarse > log->coarse ? coarse : log->coarse;
        status = tch_histogram_decode(form->data, form->len, &add, err);
    }
    if (status < 0)
        log->values = before;
    tch_buf_release(&bytes);
    tch_buf_release(&inflated);
    return status;
}

/* Adds the histogram of a line with that tag. Returns 1, or 0 for other lines. */
static int add_tagged_line(const struct tch_line *line, const char *tag, struct tch_hdr_log *log,
                           struct tch_buf *tags, tacho_error *err)
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
    status = add_line(line, log, err);
    return status < 0 ? status : 1;
}

static int no_such_tag(const char *tag, const char *tags, tacho_error *err)
{
    if (tag[0])
        return tch_fail(err, TACHO_EINVAL, 0, "no line has the tag '%s'; tags in the file:%s", tag,
                        tags[0] ? tags : " none");
    return tch_fail(err, TACHO_EINVAL, 0, "every line has a tag; choose one with --column:%s",
                    tags);
}

void tch_hdr_log_release(struct tch_hdr_log *log)
{
    free(log->buckets);
    *log = (struct tch_hdr_log){0};
}

int tch_hdr_log_read(struct tch_lines *lines, const char *tag, bool skip, struct tch_hdr_log *ret,
                     tacho_error *err)
{
    char text[TAGS + 1];
    struct tch_buf tags;
    struct tch_line line;
    int status = 0;

    tag = tag ? tag : "";
    *ret = (struct tch_hdr_log){.min = UINT64_MAX};
    tch_buf_init_on(&tags, text, sizeof text, TAGS);
    while (status >= 0 && (status = tch_lines_next(lines, &line, err)) > 0) {
        status = add_tagged_line(&line, tag, ret, &tags, err);
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
    merge_buckets(ret);
    tch_buf_release(&tags);
    return status;
}
