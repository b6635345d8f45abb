/* Reads JSON in every way that the reader offers. */
#include "json_ways.h"

ssize_t test_pieces_read(void *ctx, char *buf, size_t size)
{
    struct test_pieces *pieces = ctx;
    size_t n = pieces->len < pieces->piece ? pieces->len : pieces->piece;

    if (n > size)
        n = size;
    memcpy(buf, pieces->data, n);
    pieces->data += n;
    pieces->len -= n;
    return (ssize_t)n;
}

/* Adds data to an FNV-1a hash over all values that were read, to compare two ways of reading. */
static void mix(uint64_t *hash, const char *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        *hash = (*hash ^ (unsigned char)data[i]) * 0x100000001B3u;
}

static int pull(struct tch_json_reader *r, uint64_t *hash)
{
    struct tch_json_value value;
    int status = tch_json_read(r, &value);
    int more = 0;

    if (status < 0)
        return status;
    mix(hash, (char[]){(char)('0' + (int)value.type)}, 1);
    mix(hash, value.text, value.len);
    if (value.type == TCH_JSON_ARRAY)
        while (status == 0 && (more = tch_json_element(r)) > 0)
            status = pull(r, hash);
    if (value.type == TCH_JSON_OBJECT)
        while (status == 0 && (more = tch_json_member(r, &value)) > 0) {
            mix(hash, value.text, value.len);
            status = pull(r, hash);
        }
    return more < 0 ? more : status;
}

enum how { SKIP, PULL };

struct outcome {
    int status;
    uint64_t offset;
    uint64_t line;
    uint64_t column;
    uint64_t hash;
};

static struct outcome walk(struct tch_json_reader *r, enum how how, tacho_error *err)
{
    struct outcome outcome = {.hash = 0xCBF29CE484222325u};

    *err = (tacho_error){0};
    outcome.status = how == SKIP ? tch_json_skip(r) : pull(r, &outcome.hash);
    if (outcome.status == 0)
        outcome.status = tch_json_finish(r);
    outcome.offset = err->offset;
    outcome.line = err->line;
    outcome.column = err->column;
    return outcome;
}

static bool same(struct outcome a, struct outcome b, bool values)
{
    return a.status == b.status && a.offset == b.offset && a.line == b.line &&
           a.column == b.column && (!values || a.status < 0 || a.hash == b.hash);
}

/* An unclosed string is reported at its start by a reader of memory, and at the end of the text by
   a reader of a stream. */
static bool same_failure(struct outcome memory, struct outcome stream, size_t len)
{
    return memory.status == stream.status &&
           (same(memory, stream, true) || (memory.status < 0 && stream.offset == len));
}

static struct outcome from_stream(const char *data, size_t len, size_t piece,
                                  tch_json_scan_fn *scan, enum how how, tacho_error *err)
{
    struct test_pieces pieces = {data, len, piece};
    struct tch_json_reader r;
    struct outcome outcome;

    if (tch_json_open_stream(&r, test_pieces_read, &pieces, 1 << 20, err) < 0)
        return (struct outcome){.status = TACHO_ENOMEM};
    r.scanner = scan;
    outcome = walk(&r, how, err);
    tch_json_close(&r);
    return outcome;
}

static const size_t piece_sizes[] = {1, 63, 200, 5000};

enum { PIECE_SIZES = sizeof piece_sizes / sizeof piece_sizes[0], ALL_PIECES = PIECE_SIZES };

/* Reads by one scanner, from memory and as a stream in pieces of the given size, or of every
   size. */
static bool agrees(const struct tch_json_scanner *s, const char *data, size_t len, size_t pieces,
                   struct outcome wanted_skip, struct outcome wanted_pull)
{
    struct tch_json_reader r;
    tacho_error err;
    bool agree;

    tch_json_open(&r, data, len, &err);
    r.scanner = s->scan;
    agree = same(wanted_skip, walk(&r, SKIP, &err), false);
    for (size_t i = 0; i < PIECE_SIZES; i++) {
        struct outcome skipped;
        struct outcome pulled;

        if (pieces != ALL_PIECES && pieces != i)
            continue;
        skipped = from_stream(data, len, piece_sizes[i], s->scan, SKIP, &err);
        pulled = from_stream(data, len, piece_sizes[i], s->scan, PULL, &err);
        skipped.hash = wanted_skip.hash;
        agree = agree && same_failure(wanted_skip, skipped, len) &&
                same_failure(wanted_pull, pulled, len);
    }
    return agree;
}

static int read_in_ways(const char *data, size_t len, size_t pieces, unsigned scanner,
                        tacho_error *err, bool *agree)
{
    struct tch_json_reader r;
    struct outcome skipped;
    struct outcome pulled;
    tacho_error other;
    unsigned usable = 0;

    tch_json_open(&r, data, len, err);
    skipped = walk(&r, SKIP, err);
    tch_json_open(&r, data, len, &other);
    pulled = walk(&r, PULL, &other);
    *agree = same(skipped, pulled, false);
    for (const struct tch_json_scanner *s = tch_json_scanners; s->name; s++)
        if (s->usable() && (pieces == ALL_PIECES || usable++ == scanner))
            *agree = *agree && agrees(s, data, len, pieces, skipped, pulled);
    return skipped.status;
}

int test_json_every_way(const char *data, size_t len, tacho_error *err, bool *agree)
{
    return read_in_ways(data, len, ALL_PIECES, 0, err, agree);
}

int test_json_some_ways(const char *data, size_t len, unsigned pick, tacho_error *err, bool *agree)
{
    return read_in_ways(data, len, pick % PIECE_SIZES, pick / PIECE_SIZES % 3, err, agree);
}
