/* Writes and reads a histogram as a line of an HdrHistogram log. */
#include "histogram_line.h"

#include <inttypes.h>
#include <stdbool.h>

#include "base/base64.h"
#include "base/fail.h"
#include "histogram_code.h"

enum { TEXT_LIMIT = 4 * 1024 * 1024 };

/* Adds seconds with three decimals, in any locale. */
static void put_seconds(struct tch_buf *b, double seconds)
{
    int64_t millis = (int64_t)(seconds * 1000 + (seconds < 0 ? -0.5 : 0.5));
    uint64_t size = millis < 0 ? 0 - (uint64_t)millis : (uint64_t)millis;

    tch_buf_addf(b, "%s%" PRIu64 ".%03" PRIu64, millis < 0 ? "-" : "", size / 1000, size % 1000);
}

static bool is_valid_time(double seconds)
{
    return seconds > -1e15 && seconds < 1e15;
}

int tacho_histogram_line(const tacho_histogram *h, const char *tag, double start_s, double length_s,
                         char **ret, tacho_error *err)
{
    struct tch_buf bytes;
    struct tch_buf b;
    char *text = NULL;

    if (tag && (!tag[0] || strpbrk(tag, ", \t\r\n")))
        return tch_fail(err, TACHO_EINVAL, 0,
                        "the tag '%s' contains a comma or a blank, which a tag cannot", tag);
    if (!is_valid_time(start_s) || !is_valid_time(length_s))
        return tch_fail(err, TACHO_EINVAL, 0, "the start or length of an interval is not a number");
    tch_buf_init(&bytes, TCH_HISTOGRAM_BYTES);
    tch_buf_init(&b, TEXT_LIMIT);
    if (tch_histogram_encode(h, &bytes, err) == 0) {
        if (tag)
            tch_buf_addf(&b, "Tag=%s,", tag);
        put_seconds(&b, start_s);
        tch_buf_addc(&b, ',');
        put_seconds(&b, length_s);
        tch_buf_addf(&b, ",%" PRIu64 ".%03" PRIu64 ",", h->max / 1000000, h->max / 1000 % 1000);
        tch_base64_add(&b, bytes.data, bytes.len);
        tch_buf_addc(&b, '\n');
        text = tch_buf_take(&b);
    }
    tch_buf_release(&b);
    tch_buf_release(&bytes);
    if (!text)
        return tch_fail_memory(err);
    *ret = text;
    return 0;
}

int tch_histogram_line_bytes(const char *line, size_t len, struct tch_buf *out, tacho_error *err)
{
    size_t start;

    while (len > 0 && (line[len - 1] == '\n' || line[len - 1] == '\r'))
        len--;
    for (start = len; start > 0 && line[start - 1] != ',';)
        start--;
    if (tch_base64_parse(line + start, len - start, out) < 0)
        return tch_fail(err, TACHO_EPARSE, 0,
                        "not a histogram: it contains a character that is not base64");
    return out->failed ? tch_fail_memory(err) : 0;
}

int tacho_histogram_parse_line(const char *line, size_t len, tacho_histogram **ret,
                               tacho_error *err)
{
    struct tch_buf b;
    int status;

    tch_buf_init(&b, TEXT_LIMIT);
    status = tch_histogram_line_bytes(line, len, &b, err);
    if (status == 0)
        status = tacho_histogram_decode(b.data, b.len, ret, err);
    tch_buf_release(&b);
    return status;
}

int tacho_histogram_log_head(double start_s, char **ret, tacho_error *err)
{
    struct tch_buf b;
    char *text;

    if (!is_valid_time(start_s))
        return tch_fail(err, TACHO_EINVAL, 0, "the start of a log is not a number");
    tch_buf_init(&b, TEXT_LIMIT);
    tch_buf_adds(&b, "#[Logged by tacho]\n"
                     "#[Histogram log format version 1.3]\n"
                     "#[StartTime: ");
    put_seconds(&b, start_s);
    tch_buf_adds(&b, " (seconds since epoch)]\n"
                     "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
                     "\"Interval_Compressed_Histogram\"\n");
    text = tch_buf_take(&b);
    if (!text)
        return tch_fail_memory(err);
    *ret = text;
    return 0;
}
