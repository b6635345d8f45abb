/* Writes and reads the wire format of Protocol Buffers. */
#include "protobuf.h"

#include <tacho/error.h>

/* Writing. */

static void put_tag(struct tch_buf *b, uint32_t field, enum tch_pb_type type)
{
    tch_pb_packed(b, (uint64_t)field << 3 | type);
}

void tch_pb_packed(struct tch_buf *b, uint64_t value)
{
    uint8_t bytes[TCH_PB_VARINT_MAX];

    tch_buf_add(b, bytes, tch_pb_put_varint(bytes, value));
}

void tch_pb_varint(struct tch_buf *b, uint32_t field, uint64_t value)
{
    put_tag(b, field, TCH_PB_VARINT);
    tch_pb_packed(b, value);
}

void tch_pb_fixed64(struct tch_buf *b, uint32_t field, uint64_t value)
{
    uint8_t bytes[8];

    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    put_tag(b, field, TCH_PB_FIXED64);
    tch_buf_add(b, bytes, sizeof bytes);
}

void tch_pb_double(struct tch_buf *b, uint32_t field, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    tch_pb_fixed64(b, field, bits);
}

void tch_pb_bytes(struct tch_buf *b, uint32_t field, const void *data, size_t len)
{
    put_tag(b, field, TCH_PB_BYTES);
    tch_pb_packed(b, len);
    tch_buf_add(b, data, len);
}

void tch_pb_text(struct tch_buf *b, uint32_t field, const char *text)
{
    tch_pb_bytes(b, field, text, strlen(text));
}

/* Reserves one byte for the length, enough for most; tch_pb_end() moves longer content. */
size_t tch_pb_begin(struct tch_buf *b, uint32_t field)
{
    put_tag(b, field, TCH_PB_BYTES);
    tch_buf_addc(b, '\0');
    return b->len;
}

void tch_pb_end(struct tch_buf *b, size_t begun)
{
    uint8_t length[TCH_PB_VARINT_MAX];
    size_t len, n;

    if (b->failed)
        return;
    len = b->len - begun;
    n = tch_pb_put_varint(length, len);
    if (n > 1) {
        if (!tch_buf_room(b, n - 1))
            return;
        memmove(b->data + begun + n - 1, b->data + begun, len);
        tch_buf_grew(b, n - 1);
    }
    memcpy(b->data + begun - 1, length, n);
}

/* Reading. */

void tch_pb_open(struct tch_pb_reader *r, const void *data, size_t len)
{
    r->at = data;
    r->end = len > 0 ? r->at + len : r->at;
}

/* Moves *at past a varint of at most 64 bits. Returns false when there is none. */
static bool read_varint(const uint8_t **at, const uint8_t *end, uint64_t *ret)
{
    const uint8_t *p = *at;
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64 && p < end; shift += 7) {
        uint8_t byte = *p++;

        if (shift == 63 && byte > 1)
            return false;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *at = p;
            *ret = value;
            return true;
        }
    }
    return false;
}

static bool read_fixed(const uint8_t **at, const uint8_t *end, unsigned size, uint64_t *ret)
{
    uint64_t value = 0;

    if ((size_t)(end - *at) < size)
        return false;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)(*at)[i] << 8 * i;
    *at += size;
    *ret = value;
    return true;
}

static bool read_value(const uint8_t **at, const uint8_t *end, struct tch_pb_field *field)
{
    uint64_t len;

    switch (field->type) {
    case TCH_PB_VARINT:
        return read_varint(at, end, &field->value);
    case TCH_PB_FIXED64:
        return read_fixed(at, end, 8, &field->value);
    case TCH_PB_BYTES:
        if (!read_varint(at, end, &len) || len > (uint64_t)(end - *at))
            return false;
        field->data = *at;
        field->len = (size_t)len;
        *at += field->len;
        return true;
    case TCH_PB_FIXED32:
        return read_fixed(at, end, 4, &field->value);
    }
    return false;
}

int tch_pb_next(struct tch_pb_reader *r, struct tch_pb_field *ret)
{
    const uint8_t *at = r->at;
    struct tch_pb_field field = {0};
    uint64_t tag;

    if (at == r->end)
        return 0;
    if (!read_varint(&at, r->end, &tag) || tag >> 3 == 0 || tag >> 3 > TCH_PB_FIELD_MAX)
        return TACHO_EPARSE;
    field.number = (uint32_t)(tag >> 3);
    field.type = (enum tch_pb_type)(tag & 7);
    if (!read_value(&at, r->end, &field))
        return TACHO_EPARSE;
    r->at = at;
    *ret = field;
    return 1;
}

double tch_pb_to_double(uint64_t value)
{
    double number;

    memcpy(&number, &value, sizeof number);
    return number;
}
