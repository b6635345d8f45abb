/* Packs values as differences of whole numbers, or as they are. */
#include "sample_pack.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"

/* Every whole number up to here is a double. */
static const double largest_whole = 9007199254740992.0;

static bool all_whole(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(values[i]) <= largest_whole) || values[i] != rint(values[i]) ||
            (values[i] == 0 && signbit(values[i])))
            return false;
    return true;
}

static void add_varint(struct tch_buf *out, uint64_t x)
{
    for (; x >= 128; x >>= 7)
        tch_buf_addc(out, (char)(x | 128));
    tch_buf_addc(out, (char)x);
}

enum tch_sample_codec tch_sample_pack(const double *values, size_t n, struct tch_buf *out)
{
    int64_t last = 0;

    if (!all_whole(values, n)) {
        for (size_t i = 0; i < n; i++) {
            uint64_t bits;

            memcpy(&bits, &values[i], sizeof bits);
            for (int shift = 0; shift < 64; shift += 8)
                tch_buf_addc(out, (char)(bits >> shift));
        }
        return TCH_SAMPLE_DOUBLES;
    }
    for (size_t i = 0; i < n; i++) {
        int64_t difference = (int64_t)values[i] - last;

        add_varint(out, (uint64_t)difference << 1 ^ (uint64_t)(difference >> 63));
        last = (int64_t)values[i];
    }
    return TCH_SAMPLE_DIFFERENCES;
}

static int unpack_doubles(const unsigned char *data, size_t len, struct tch_values *ret,
                          tacho_error *err)
{
    if (len % 8 != 0)
        return tch_fail(err, TACHO_EPARSE, 0, "stored values are truncated");
    for (size_t at = 0; at < len; at += 8) {
        uint64_t bits = 0;
        double value;

        for (int i = 0; i < 8; i++)
            bits |= (uint64_t)data[at + (size_t)i] << 8 * i;
        memcpy(&value, &bits, sizeof value);
        if (tch_values_add(ret, value, err) < 0)
            return TACHO_ENOMEM;
    }
    return 0;
}

static int unpack_differences(const unsigned char *data, size_t len, struct tch_values *ret,
                              tacho_error *err)
{
    uint64_t last = 0;
    uint64_t x = 0;
    int shift = 0;

    for (size_t at = 0; at < len; at++) {
        if (shift > 63)
            return tch_fail(err, TACHO_EPARSE, 0, "a stored value is too large");
        x |= (uint64_t)(data[at] & 127) << shift;
        shift += 7;
        if (data[at] & 128)
            continue;
        /* Unsigned, because damaged data may overflow. */
        last += x >> 1 ^ (0 - (x & 1));
        if (tch_values_add(ret, (double)(int64_t)last, err) < 0)
            return TACHO_ENOMEM;
        x = 0;
        shift = 0;
    }
    return shift == 0 ? 0 : tch_fail(err, TACHO_EPARSE, 0, "stored values are truncated");
}

int tch_sample_unpack(int64_t codec, const void *data, size_t len, struct tch_values *ret,
                      tacho_error *err)
{
    switch (codec) {
    case TCH_SAMPLE_DOUBLES:
        return unpack_doubles(data, len, ret, err);
    case TCH_SAMPLE_DIFFERENCES:
        return unpack_differences(data, len, ret, err);
    default:
        return tch_fail(err, TACHO_EPARSE, 0, "stored values have the unknown form %lld",
                        (long long)codec);
    }
}
