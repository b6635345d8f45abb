/* RVF: headers, chains of entries, and the reader of segments. All numbers are little-endian. */
#include "rvf.h"

#include <string.h>

#include "base/fail.h"

enum { MAGIC = 4, VERSION = 1, COMPUTATION = 2 };
enum { CRC32C, XXH3, SHAKE }; /* checksums */
enum { COMPRESSED = 0x1, ENCRYPTED = 0x2, SIGNED = 0x4 };

/* Offsets of the fields of a header. */
enum {
    AT_VERSION = 4,
    AT_TYPE = 5,
    AT_FLAGS = 6,
    AT_ID = 8,
    AT_LENGTH = 16,
    AT_TIME = 24,
    AT_CHECKSUM = 32,
    AT_COMPRESSION = 33,
    AT_RESERVED = 34,
    AT_HASH = 40,
    AT_UNCOMPRESSED = 56,
    AT_PADDING = 60,
};

static const uint8_t magic[MAGIC] = {0x53, 0x46, 0x56, 0x52};

bool tch_rvf_is(const void *data, size_t len)
{
    return len > 0 && memcmp(data, magic, len < MAGIC ? len : MAGIC) == 0;
}

static void put_number(uint8_t *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get_number(const uint8_t *at, size_t bytes)
{
    uint64_t value = 0;

    for (size_t i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

size_t tch_rvf_padding(uint64_t length)
{
    return (TCH_RVF_HEADER - (size_t)(length % TCH_RVF_HEADER)) % TCH_RVF_HEADER;
}

void tch_rvf_header(uint8_t out[TCH_RVF_HEADER], uint8_t type, uint64_t id, uint64_t length,
                    const uint8_t hash[TCH_RVF_HASH])
{
    memset(out, 0, TCH_RVF_HEADER);
    memcpy(out, magic, MAGIC);
    out[AT_VERSION] = VERSION;
    out[AT_TYPE] = type;
    put_number(out + AT_ID, id, 8);
    put_number(out + AT_LENGTH, length, 8);
    out[AT_CHECKSUM] = SHAKE;
    memcpy(out + AT_HASH, hash, TCH_RVF_HASH);
    put_number(out + AT_PADDING, tch_rvf_padding(length), 4);
}

static uint8_t digit(char c)
{
    return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

void tch_rvf_entry(struct tch_rvf_chain *c, const char *action, uint64_t time_ns,
                   uint8_t out[TCH_RVF_ENTRY])
{
    uint8_t *at = out + TCH_RVF_LINK;

    memcpy(out, c->link, TCH_RVF_LINK);
    for (size_t i = 0; i < TCH_SHA256_SIZE; i++)
        *at++ = (uint8_t)(digit(action[2 * i]) << 4 | digit(action[2 * i + 1]));
    put_number(at, time_ns, 8);
    at[8] = COMPUTATION;
    tch_shake256(out, TCH_RVF_ENTRY, c->link, TCH_RVF_LINK);
}

bool tch_rvf_follows(struct tch_rvf_chain *c, const uint8_t entry[TCH_RVF_ENTRY])
{
    bool follows = memcmp(entry, c->link, TCH_RVF_LINK) == 0;

    tch_shake256(entry, TCH_RVF_ENTRY, c->link, TCH_RVF_LINK);
    return follows;
}

void tch_rvf_init(struct tch_rvf_reader *r, tch_lines_source *source, void *ctx)
{
    *r = (struct tch_rvf_reader){.source = source, .ctx = ctx};
}

/* Reads until there are len bytes or the file ends. Returns the number of bytes, or a failure. */
static ssize_t read_whole(struct tch_rvf_reader *r, uint8_t *data, size_t len, tacho_error *err)
{
    size_t have = 0;

    while (have < len) {
        ssize_t n = r->source(r->ctx, data + have, len - have, err);

        if (n < 0)
            return n;
        if (n == 0)
            break;
        have += (size_t)n;
    }
    return (ssize_t)have;
}

ssize_t tch_rvf_read(void *reader, void *data, size_t len, tacho_error *err)
{
    struct tch_rvf_reader *r = reader;
    size_t held = r->held_len - r->held_at;
    ssize_t n;

    if (held > 0) {
        n = (ssize_t)(held < len ? held : len);
        memcpy(data, r->held + r->held_at, (size_t)n);
        r->held_at += (size_t)n;
        return n;
    }
    if (r->left == 0)
        return 0;
    n = r->source(r->ctx, data, len < r->left ? len : (size_t)r->left, err);
    if (n == 0)
        return tch_fail(err, TACHO_EPARSE, 0,
                        "the file ends here: %llu of %llu bytes of the payload are missing",
                        (unsigned long long)r->left, (unsigned long long)r->length);
    if (n > 0) {
        tch_shake256_update(&r->hash, data, (size_t)n);
        r->left -= (uint64_t)n;
    }
    return n;
}

int tch_rvf_starts_with(struct tch_rvf_reader *r, const char *text, tacho_error *err)
{
    size_t len = strlen(text);
    size_t have = 0;

    while (have < len && r->left > 0) {
        ssize_t n = tch_rvf_read(r, r->held + have, len - have, err);

        if (n < 0)
            return (int)n;
        have += (size_t)n;
    }
    r->held_at = 0;
    r->held_len = have;
    return have == len && memcmp(r->held, text, len) == 0;
}

static int finish_segment(struct tch_rvf_reader *r, tacho_error *err)
{
    uint8_t room[4096];
    uint8_t hash[TCH_RVF_HASH];
    size_t padding = tch_rvf_padding(r->length);
    ssize_t n;

    while ((n = tch_rvf_read(r, room, sizeof room, err)) > 0)
        ;
    if (n < 0)
        return (int)n;
    tch_shake256_final(&r->hash, hash, sizeof hash);
    if (r->header[AT_CHECKSUM] == SHAKE && memcmp(hash, r->header + AT_HASH, sizeof hash) != 0)
        return tch_fail(err, TACHO_EPARSE, 0,
                        "the payload was changed: it does not have the checksum in its header");
    n = read_whole(r, room, padding, err);
    if (n < 0)
        return (int)n;
    if ((size_t)n < padding)
        return tch_fail(err, TACHO_EPARSE, 0, "the file ends in the padding after the payload");
    for (size_t i = 0; i < padding; i++)
        if (room[i] != 0)
            return tch_fail(err, TACHO_EPARSE, 0, "the padding after the payload is not zero");
    r->unchecked += r->header[AT_CHECKSUM] != SHAKE;
    r->open = false;
    return 0;
}

static int check_header(const struct tch_rvf_reader *r, tacho_error *err)
{
    const uint8_t *h = r->header;
    uint64_t flags = get_number(h + AT_FLAGS, 2);
    uint8_t ours[TCH_RVF_HEADER];

    if (memcmp(h, magic, MAGIC) != 0)
        return tch_fail(err, TACHO_EPARSE, 0,
                        "there is no segment here: its magic number is wrong");
    if (h[AT_VERSION] != VERSION)
        return tch_fail(err, TACHO_EPARSE, 0, "its version is %d, not %d", h[AT_VERSION], VERSION);
    tch_rvf_header(ours, r->type, r->number, r->length, h + AT_HASH);
    if (r->strict && memcmp(h, ours, sizeof ours) != 0)
        return tch_fail(err, TACHO_EPARSE, 0, "its header was changed");
    if (flags & SIGNED)
        return tch_fail(err, TACHO_EUNSUPPORTED, 0, "it is signed, which is not supported");
    if (r->type == TCH_RVF_WITNESS && (flags & (COMPRESSED | ENCRYPTED)))
        return tch_fail(err, TACHO_EUNSUPPORTED, 0,
                        "it is compressed or encrypted, which is not supported");
    if (get_number(h + AT_RESERVED, 6) != 0 || h[AT_CHECKSUM] > SHAKE ||
        get_number(h + AT_PADDING, 4) != tch_rvf_padding(r->length) || r->length > INT64_MAX)
        return tch_fail(err, TACHO_EPARSE, 0, "its header is not valid");
    return 0;
}

int tch_rvf_be_strict(struct tch_rvf_reader *r, tacho_error *err)
{
    r->strict = true;
    return check_header(r, err);
}

int tch_rvf_next(struct tch_rvf_reader *r, tacho_error *err)
{
    ssize_t n;
    int status;

    if (r->open && (status = finish_segment(r, err)) < 0)
        return status;
    n = read_whole(r, r->header, TCH_RVF_HEADER, err);
    if (n <= 0)
        return (int)n;
    r->number++;
    if (n < TCH_RVF_HEADER)
        return tch_fail(err, TACHO_EPARSE, 0,
                        "the file ends here: %d of %d bytes of the header are missing",
                        TCH_RVF_HEADER - (int)n, TCH_RVF_HEADER);
    r->type = r->header[AT_TYPE];
    r->length = r->left = get_number(r->header + AT_LENGTH, 8);
    r->held_at = r->held_len = 0;
    r->open = true;
    tch_shake256_init(&r->hash);
    status = check_header(r, err);
    return status < 0 ? status : 1;
}
