/*
 * Encodes and decodes a histogram in HdrHistogram's binary format V2. histogram_line.c writes and
 * reads its text form.
 */
#include "histogram_code.h"

#include <inttypes.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/fail.h"

/*
 * The payload consists of a cookie, the number of bytes of counts, an index offset (0; ignored when
 * read), the digits, the lowest and highest value, a ratio (1.0), and the counts. Each count is a
 * zigzag LEB128 number of at most 9 bytes; a run of zeros is one negative number.
 *
 * The payload is wrapped in another cookie, a length and a zlib stream. The writer makes a stream
 * of stored blocks: every reader accepts them, and writing them needs no compressor.
 */
enum {
    COOKIE_PLAIN = 0x1c849303 | 0x10,
    COOKIE_ZLIB = 0x1c849304 | 0x10,
    HEAD = 40,
    OUTER = 8,
    DIGITS = 2,      /* significant digits of our histograms */
    DIGITS_MOST = 5, /* ... of histograms that can be read */
    LEB_MAX = 9,
    BLOCK_MAX = 65535,
    PAYLOAD_MAX = HEAD + TACHO_HISTOGRAM_BUCKETS * LEB_MAX, /* largest payload of our histograms */
};

static void put_be(struct tch_buf *b, uint64_t value, unsigned bytes)
{
    while (bytes-- > 0)
        tch_buf_addc(b, (char)(value >> 8 * bytes & 0xff));
}

static uint64_t get_be(const uint8_t *p, unsigned bytes)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < bytes; i++)
        value = value << 8 | p[i];
    return value;
}

/* Writes seven bits per byte and eight in the ninth byte, so 64 bits fit. */
static void put_leb(struct tch_buf *b, int64_t value)
{
    uint64_t bits = (uint64_t)value << 1 ^ (uint64_t)(value >> 63);

    for (int i = 0; i < LEB_MAX - 1; i++) {
        if (bits < 0x80) {
            tch_buf_addc(b, (char)bits);
            return;
        }
        tch_buf_addc(b, (char)((bits & 0x7f) | 0x80));
        bits >>= 7;
    }
    tch_buf_addc(b, (char)bits);
}

/* Reads such a number. Returns the number of bytes read, or 0 when the data is truncated. */
static size_t get_leb(const uint8_t *p, size_t len, int64_t *ret)
{
    uint64_t bits = 0;

    for (unsigned i = 0; i < LEB_MAX && i < len; i++) {
        if (i == LEB_MAX - 1 || p[i] < 0x80) {
            bits |= (uint64_t)p[i] << 7 * i;
            *ret = (int64_t)(bits >> 1 ^ (0 - (bits & 1)));
            return i + 1;
        }
        bits |= (uint64_t)(p[i] & 0x7f) << 7 * i;
    }
    return 0;
}

static void put_counts(const tacho_histogram *h, struct tch_buf *b)
{
    unsigned last = TACHO_HISTOGRAM_BUCKETS;

    while (last > 0 && h->counts[last - 1] == 0)
        last--;
    for (unsigned i = 0; i < last;) {
        unsigned from = i;

        while (h->counts[i] == 0) /* the last count is not 0 */
            i++;
        if (i > from)
            put_leb(b, -(int64_t)(i - from));
        put_leb(b, (int64_t)(h->counts[i] <= INT64_MAX ? h->counts[i] : INT64_MAX));
        i++;
    }
}

static void put_payload(const tacho_histogram *h, struct tch_buf *b)
{
    size_t start = b->len;
    size_t counts;

    put_be(b, COOKIE_PLAIN, 4);
    put_be(b, 0, 4); /* the length, which is set below */
    put_be(b, 0, 4);
    put_be(b, DIGITS, 4);
    put_be(b, 1, 8);
    put_be(b, TACHO_HISTOGRAM_MAX, 8);
    put_be(b, 0x3ff0000000000000, 8); /* 1.0 */
    put_counts(h, b);
    if (b->failed)
        return;
    counts = b->len - start - HEAD;
    for (unsigned i = 0; i < 4; i++)
        b->data[start + 4 + i] = (char)(counts >> 8 * (3 - i) & 0xff);
}

static uint32_t adler32(const char *data, size_t len)
{
    uint32_t a = 1;
    uint32_t b = 0;

    for (size_t i = 0; i < len; i++) {
        a = (a + (uint8_t)data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static void put_le16(struct tch_buf *b, size_t value)
{
    tch_buf_addc(b, (char)(value & 0xff));
    tch_buf_addc(b, (char)(value >> 8 & 0xff));
}

static void put_stored(struct tch_buf *b, const char *data, size_t len)
{
    tch_buf_add(b, "\x78\x01", 2);
    for (size_t at = 0; at < len;) {
        size_t piece = len - at < BLOCK_MAX ? len - at : BLOCK_MAX;

        tch_buf_addc(b, at + piece == len); /* 1 for the last block */
        put_le16(b, piece);
        put_le16(b, ~piece);
        tch_buf_add(b, data + at, piece);
        at += piece;
    }
    put_be(b, adler32(data, len), 4);
}

int tch_histogram_encode(const tacho_histogram *h, struct tch_buf *b, tacho_error *err)
{
    struct tch_buf payload;
    size_t blocks;

    tch_buf_init(&payload, PAYLOAD_MAX);
    put_payload(h, &payload);
    blocks = (payload.len + BLOCK_MAX - 1) / BLOCK_MAX;
    put_be(b, COOKIE_ZLIB, 4);
    put_be(b, 2 + blocks * 5 + payload.len + 4, 4);
    put_stored(b, payload.data, payload.len);
    b->failed = b->failed || payload.failed;
    tch_buf_release(&payload);
    return b->failed ? tch_fail_memory(err) : 0;
}

int tacho_histogram_encode(const tacho_histogram *h, void **ret, size_t *ret_len, tacho_error *err)
{
    struct tch_buf b;
    size_t size;
    char *data;

    tch_buf_init(&b, TCH_HISTOGRAM_BYTES);
    if (tch_histogram_encode(h, &b, err) < 0) {
        tch_buf_release(&b);
        return TACHO_ENOMEM;
    }
    size = b.len;
    data = tch_buf_take(&b);
    if (!data)
        return tch_fail_memory(err);
    *ret = data;
    *ret_len = size;
    return 0;
}

static int not_a_histogram(tacho_error *err, const char *what)
{
    return tch_fail(err, TACHO_EPARSE, 0, "not a histogram: %s", what);
}

/* The bucket layout of a histogram that is being read. Its buckets may be finer, or start at a
   larger unit. */
struct layout {
    unsigned bits; /* 2^bits buckets for each doubling */
    unsigned unit; /* 2^unit is the width of the smallest buckets */
};

/* Finds the smallest and the largest value of a bucket. Returns false when the bucket is above
   all 64-bit values. */
static bool find_bucket(const struct layout *l, uint64_t i, uint64_t *low, uint64_t *high)
{
    uint64_t half = (uint64_t)1 << l->bits;
    uint64_t doubling = i < 2 * half ? 0 : (i >> l->bits) - 1;
    uint64_t shift = l->unit + doubling;

    if (shift + l->bits > 62)
        return false;
    *low = (i - doubling * half) << shift;
    *high = *low + ((uint64_t)1 << shift) - 1;
    return true;
}

/* Adds the count of a bucket at the middle of the bucket, and widens the minimum and maximum to
   its ends. Fails when the count exceeds what the format can store. */
static int add_bucket(void *ctx, const tacho_histogram_bucket *b, tacho_error *err)
{
    tacho_histogram *h = ctx;
    uint64_t middle = b->low + (b->high - b->low) / 2;

    if (b->count > INT64_MAX - h->counts[tacho_histogram_index(middle)])
        return not_a_histogram(err, "there are more than 2^63 values in a bucket");
    tacho_histogram_record_count(h, middle, b->count);
    h->min = b->low < h->min ? b->low : h->min;
    h->max = b->high > h->max ? b->high : h->max;
    return 0;
}

static int get_counts(const struct tch_bucket_taker *taker, const struct layout *l,
                      const uint8_t *p, size_t len, tacho_error *err)
{
    tacho_histogram_bucket b;
    uint64_t i = 0;
    int status = 0;

    while (status == 0 && len > 0) {
        int64_t count;
        size_t took = get_leb(p, len, &count);

        if (took == 0)
            return not_a_histogram(err, "a count is truncated");
        p += took;
        len -= took;
        if (count < 0 && -(uint64_t)count <= UINT32_MAX)
            i += -(uint64_t)count;
        else if (count < 0 || !find_bucket(l, i++, &b.low, &b.high))
            return not_a_histogram(err, "there are more counts than buckets");
        b.count = (uint64_t)count;
        if (count > 0)
            status = taker->take(taker->ctx, &b, err);
    }
    return status;
}

/* Computes the layout from the digits and the lowest value that matters, as HdrHistogram does.
   The index offset describes how a writer stores its counts in memory. It is ignored, because
   the counts of a payload are always in the order of their values; hdr-histogram-js writes 1. */
static int get_layout(struct layout *l, const uint8_t *head, tacho_error *err)
{
    uint64_t digits = get_be(head + 12, 4);
    uint64_t lowest = get_be(head + 16, 8);
    uint64_t most = 1;

    if (digits < DIGITS || digits > DIGITS_MOST)
        return tch_fail(err, TACHO_EUNSUPPORTED, 0,
                        "the histogram has %llu digits, and only %d to %d can be read",
                        (unsigned long long)digits, DIGITS, DIGITS_MOST);
    if (lowest == 0 || lowest > TACHO_HISTOGRAM_MAX)
        return not_a_histogram(err, "its lowest value is not valid");
    for (uint64_t d = 0; d < digits; d++)
        most *= 10;
    l->bits = 63u - (unsigned)__builtin_clzll(2 * most - 1); /* 2^(bits + 1) >= 2 * most */
    l->unit = 63u - (unsigned)__builtin_clzll(lowest);
    return 0;
}

static int get_payload(const struct tch_bucket_taker *taker, const uint8_t *p, size_t len,
                       tacho_error *err)
{
    struct layout layout = {0};
    uint64_t counts;
    int status;

    if (len < HEAD || get_be(p, 4) != COOKIE_PLAIN)
        return not_a_histogram(err, "it is not in the V2 form");
    counts = get_be(p + 4, 4);
    status = get_layout(&layout, p, err);
    if (status == 0 && counts > len - HEAD)
        status = not_a_histogram(err, "it is truncated");
    return status < 0 ? status : get_counts(taker, &layout, p + HEAD, (size_t)counts, err);
}

/* Joins the stored blocks of a zlib stream. */
static int get_stored(const uint8_t *p, size_t len, struct tch_buf *b, tacho_error *err)
{
    bool last = false;

    if (len < 2 || (p[0] & 0x0f) != 8)
        return not_a_histogram(err, "it has no zlib stream");
    for (size_t at = 2; !last;) {
        size_t piece;

        if (at >= len || len - at < 5)
            return not_a_histogram(err, "its zlib stream is truncated");
        if ((p[at] & 6) != 0)
            return tch_fail(
                err, TACHO_EUNSUPPORTED, 0,
                "the histogram is compressed, which libtacho cannot read; use 'tacho stats'");
        last = p[at] & 1;
        piece = (size_t)p[at + 1] | (size_t)p[at + 2] << 8;
        if ((piece ^ ((size_t)p[at + 3] | (size_t)p[at + 4] << 8)) != 0xffff ||
            piece > len - at - 5)
            return not_a_histogram(err, "a block of its zlib stream is not valid");
        tch_buf_add(b, p + at + 5, piece);
        at += 5 + piece;
        if (last && (len - at < 4 || get_be(p + at, 4) != adler32(b->data, b->len)))
            return not_a_histogram(err, "its checksum does not match");
    }
    return 0;
}

int tch_histogram_decode(const void *data, size_t len, const struct tch_bucket_taker *taker,
                         tacho_error *err)
{
    const uint8_t *p = data;
    struct tch_buf b;
    int status;

    if (len < OUTER || get_be(p, 4) != COOKIE_ZLIB)
        return get_payload(taker, p, len, err);
    if (get_be(p + 4, 4) > len - OUTER)
        return not_a_histogram(err, "it is truncated");
    tch_buf_init(&b, PAYLOAD_MAX);
    status = get_stored(p + OUTER, (size_t)get_be(p + 4, 4), &b, err);
    if (status == 0 && b.failed)
        status = tch_fail(err, TACHO_ENOMEM, 0, "out of memory, or the histogram is too large");
    if (status == 0)
        status = get_payload(taker, (const uint8_t *)b.data, b.len, err);
    tch_buf_release(&b);
    return status;
}

int tacho_histogram_decode(const void *data, size_t len, tacho_histogram **ret, tacho_error *err)
{
    struct tch_bucket_taker taker = {.take = add_bucket};
    tacho_histogram *h;
    int status;

    if (tacho_histogram_new(&h, err) < 0)
        return TACHO_ENOMEM;
    taker.ctx = h;
    status = tch_histogram_decode(data, len, &taker, err);
    if (status < 0) {
        tacho_histogram_free(h);
        return status;
    }
    *ret = h;
    return 0;
}
