/* Compares and divides borrowed pieces of text. */
#include "text_span.h"

#include <string.h>

#include "utf8.h"

bool tch_span_is(struct tch_span span, const char *text)
{
    return span.len == strlen(text) && memcmp(span.p, text, span.len) == 0;
}

bool tch_span_starts(struct tch_span span, const char *text)
{
    size_t len = strlen(text);

    return span.len >= len && memcmp(span.p, text, len) == 0;
}

bool tch_span_ends(struct tch_span span, const char *text)
{
    size_t len = strlen(text);

    return span.len >= len && memcmp(span.p + span.len - len, text, len) == 0;
}

struct tch_span tch_span_trim(struct tch_span span)
{
    while (span.len > 0 && tch_is_blank(span.p[0])) {
        span.p++;
        span.len--;
    }
    while (span.len > 0 && tch_is_blank(span.p[span.len - 1]))
        span.len--;
    return span;
}

size_t tch_span_rfind(struct tch_span span, const char *text)
{
    size_t len = strlen(text);

    for (size_t i = span.len >= len ? span.len - len + 1 : 0; i > 0; i--)
        if (memcmp(span.p + i - 1, text, len) == 0)
            return i - 1;
    return span.len;
}

struct tch_span tch_span_base(struct tch_span path)
{
    size_t slash = tch_span_rfind(path, "/");

    if (slash == path.len)
        return path;
    return (struct tch_span){path.p + slash + 1, path.len - slash - 1};
}
