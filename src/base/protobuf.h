/*
 * Protocol Buffers on the wire: writing into a tch_buf, reading field by field. No schema.
 *
 *     size_t packet = tch_pb_begin(&b, 1);
 *     tch_pb_varint(&b, 8, timestamp);
 *     tch_pb_text(&b, 23, "name");
 *     tch_pb_end(&b, packet);
 *
 *     tch_pb_open(&r, data, len);
 *     while ((more = tch_pb_next(&r, &field)) > 0)
 *         if (field.number == 1 && field.type == TCH_PB_BYTES) ...
 *
 * Field numbers are 1 to TCH_PB_FIELD_MAX. Lengths come out in their shortest form, so the same
 * calls always give the same bytes.
 */
#ifndef TCH_PROTOBUF_H
#define TCH_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"

enum {
    TCH_PB_VARINT_MAX = 10, /**< bytes that any varint needs */
    TCH_PB_FIELD_MAX = (1 << 29) - 1,
};

/** Writes a varint to out, which has room for TCH_PB_VARINT_MAX bytes. Returns its length. */
static inline size_t tch_pb_put_varint(uint8_t *out, uint64_t value)
{
    size_t n = 0;

    while (value >= 0x80) {
        out[n++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    out[n++] = (uint8_t)value;
    return n;
}

/** Writes an int32, int64, uint32, uint64, bool or enum. A negative number is written as its 64-bit
    two's complement. */
void tch_pb_varint(struct tch_buf *b, uint32_t field, uint64_t value);

void tch_pb_fixed64(struct tch_buf *b, uint32_t field, uint64_t value);
void tch_pb_double(struct tch_buf *b, uint32_t field, double value);

/** Writes bytes, a string (the caller ensures valid UTF-8), or a message made elsewhere. */
void tch_pb_bytes(struct tch_buf *b, uint32_t field, const void *data, size_t len);
void tch_pb_text(struct tch_buf *b, uint32_t field, const char *text);

/** Begins a sub-message or a packed field: everything written until tch_pb_end() is inside. They
    nest. */
size_t tch_pb_begin(struct tch_buf *b, uint32_t field);
void tch_pb_end(struct tch_buf *b, size_t begun);

/** Writes a varint without a tag, an element of a packed field. */
void tch_pb_packed(struct tch_buf *b, uint64_t value);

enum tch_pb_type {
    TCH_PB_VARINT = 0,
    TCH_PB_FIXED64 = 1,
    TCH_PB_BYTES = 2,
    TCH_PB_FIXED32 = 5,
};

/** One field as it is on the wire. */
struct tch_pb_field {
    uint32_t number;
    enum tch_pb_type type;
    uint64_t value;      /**< value of a varint, fixed64 or fixed32 */
    const uint8_t *data; /**< bytes of the field; points into the message */
    size_t len;
};

/** at and end may be read: after a failure, at is where the bad field starts. */
struct tch_pb_reader {
    const uint8_t *at;
    const uint8_t *end;
};

/** Starts reading a message, which must outlive the reader. There is nothing to release. */
void tch_pb_open(struct tch_pb_reader *r, const void *data, size_t len);

/** Returns 1 for a field, 0 at the end of the message, TACHO_EPARSE when the message is truncated
    or not protobuf. Groups, which are obsolete, are not read. */
int tch_pb_next(struct tch_pb_reader *r, struct tch_pb_field *ret);

double tch_pb_to_double(uint64_t value);

#endif
