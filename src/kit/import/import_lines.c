/* Lines of a text, without what terminals and CI systems add, and their words. */
#include <string.h>

#include "import_read.h"

/* Copies a line without colours and other control sequences. */
static size_t plain(char *out, size_t size, const char *line, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i < len && n < size; i++) {
        if (line[i] != '\033') {
            out[n++] = line[i];
            continue;
        }
        if (i + 1 < len && line[i + 1] == '[')
            for (i += 2; i < len && (line[i] < '@' || line[i] > '~'); i++)
                ;
    }
    return n;
}

/* Returns a line of a CI log without its time, "2026-11-16T16:14:12.1234567Z ". */
static struct tch_span without_time(struct tch_span line)
{
    const char *z = line.len > 20 ? memchr(line.p, 'Z', line.len < 40 ? line.len : 40) : NULL;

    if (!z || z + 1 >= line.p + line.len || z[1] != ' ' || line.p[4] != '-' || line.p[10] != 'T' ||
        tch_import_time(line.p, line.len) == 0)
        return line;
    return (struct tch_span){z + 2, line.len - (size_t)(z + 2 - line.p)};
}

void tch_import_lines(struct tch_import_input *in,
                      void (*line)(struct tch_import_input *in, struct tch_span line, void *ctx),
                      void *ctx)
{
    const char *end = in->text + in->len;
    char room[1 << 14];

    for (const char *p = in->text; p < end && in->status == 0;) {
        const char *lf = memchr(p, '\n', (size_t)(end - p));
        struct tch_span span = {p, (size_t)((lf ? lf : end) - p)};

        if (memchr(span.p, '\033', span.len)) {
            span.len = plain(room, sizeof room, span.p, span.len);
            span.p = room;
        }
        while (span.len > 0 && span.p[span.len - 1] == '\r')
            span.len--;
        line(in, without_time(span), ctx);
        p = lf ? lf + 1 : end;
    }
}

size_t tch_import_words(struct tch_span line, struct tch_span *words, size_t most)
{
    size_t n = 0;
    size_t i = 0;

    while (i < line.len && n < most) {
        size_t from;

        while (i < line.len && (line.p[i] == ' ' || line.p[i] == '\t'))
            i++;
        from = i;
        while (i < line.len && line.p[i] != ' ' && line.p[i] != '\t')
            i++;
        if (i > from)
            words[n++] = (struct tch_span){line.p + from, i - from};
    }
    return n;
}
