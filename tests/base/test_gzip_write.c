/* gzip without zlib, read back by zlib. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "base/gzip_write.h"
#include "kit/file/gzip.h"

struct packed {
    struct tch_buf b;
    size_t at;
};

static ssize_t take(void *ctx, char *buf, size_t size)
{
    struct packed *p = ctx;
    size_t n = p->b.len - p->at < size ? p->b.len - p->at : size;

    memcpy(buf, p->b.data + p->at, n);
    p->at += n;
    return (ssize_t)n;
}

/* Packs the text in pieces of that size, unpacks it, and returns the packed size. */
static size_t through(const char *text, size_t len, size_t piece)
{
    struct tch_gzip_writer *z = NULL;
    struct tch_inflate *in = NULL;
    struct packed p = {.at = 0};
    char *back = malloc(len + 1);
    size_t got = 0, packed;
    ssize_t n;

    assert_non_null(back);
    tch_buf_init(&p.b, 64 << 20);
    assert_int_equal(tch_gzip_writer_open(&z, tch_sink_to_buf, &p.b, NULL), 0);
    for (size_t at = 0; at < len; at += piece)
        assert_int_equal(tch_sink_to_gzip(z, text + at, len - at < piece ? len - at : piece, NULL),
                         0);
    assert_int_equal(tch_gzip_writer_close(z, NULL), 0);
    assert_int_equal(tch_inflate_open(&in, take, &p, NULL), 0);
    while ((n = tch_inflate_read(in, back + got, len + 1 - got)) > 0)
        got += (size_t)n;
    assert_int_equal(n, 0);
    assert_false(tch_inflate_cut(in));
    assert_int_equal(got, len);
    assert_memory_equal(back, text, len);
    packed = p.b.len;
    tch_inflate_close(in);
    tch_buf_release(&p.b);
    free(back);
    return packed;
}

static void every_byte_comes_back(void **state)
{
    char text[70000];
    uint32_t random = 1;

    (void)state;
    for (size_t i = 0; i < sizeof text; i++) {
        random = random * 1664525 + 1013904223;
        text[i] = (char)(random >> 24);
    }
    for (size_t len = 0; len < 20; len++)
        through(text, len, 100);
    through(text, sizeof text, sizeof text);
    through(text, sizeof text, 997);
    for (size_t i = 0; i < 256; i++)
        text[i] = (char)i;
    through(text, 256, 256);
}

/* Matches of each length, and of distances around every power of two. */
static void repetitions_of_any_length_and_distance_come_back(void **state)
{
    static char text[80000];
    uint32_t random = 7;

    (void)state;
    for (size_t i = 0; i < sizeof text; i++) {
        random = random * 1664525 + 1013904223;
        text[i] = (char)(random >> 24);
    }
    for (size_t len = 3; len <= 300; len++) {
        memcpy(text + 40000, text + 39000, len);
        through(text + 38000, 4000, 4000);
    }
    for (size_t distance = 1; distance <= 32768; distance *= 2)
        for (size_t off = 0; off < 3; off++) {
            size_t back = distance + off - (distance > 1);

            for (size_t i = 0; i < 400; i++)
                text[40000 + i] = text[40000 + i - back];
            through(text, 41000, 41000);
        }
    memset(text, 'x', sizeof text);
    through(text, sizeof text, sizeof text);
}

static void a_trace_shrinks_to_a_fifth(void **state)
{
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 8 << 20);
    for (unsigned i = 0; i < 20000; i++)
        tch_buf_addf(&b,
                     "{\"name\":\"rms_norm\",\"cat\":\"norm\",\"ph\":\"X\",\"ts\":%u.%03u,"
                     "\"dur\":%u.%03u,\"pid\":4711,\"tid\":4711},",
                     i * 37, i * 7919 % 1000, i * 31 % 60, i * 104729 % 1000);
    assert_in_range(through(b.data, b.len, 256 << 10), 1, b.len / 5);
    tch_buf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_comes_back),
        cmocka_unit_test(repetitions_of_any_length_and_distance_come_back),
        cmocka_unit_test(a_trace_shrinks_to_a_fifth),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
