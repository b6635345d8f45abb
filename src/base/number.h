/*
 * Parses numbers: the whole string or nothing. float_text.h writes them.
 *
 * Each function returns 0, or TACHO_EINVAL and leaves *ret unchanged. Blanks, plus signs and
 * locales are not accepted, and nothing is allocated. The forms without a length take text that
 * ends with a NUL.
 */
#ifndef TCH_NUMBER_H
#define TCH_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/** Parses decimal digits only, at most max. */
int tch_parse_u64(const char *text, uint64_t max, uint64_t *ret);
int tch_parse_u64_n(const char *text, size_t len, uint64_t max, uint64_t *ret);

/** Parses "0x" and 1 to 16 hexadecimal digits. */
int tch_parse_hex_n(const char *text, size_t len, uint64_t *ret);

/** Parses decimal digits with an optional '-'. */
int tch_parse_i64(const char *text, int64_t *ret);
int tch_parse_i64_n(const char *text, size_t len, int64_t *ret);

/** Parses a decimal number as JSON writes it, correctly rounded whatever its length. A number that
    is too large becomes an infinity. "nan", "inf" and hexadecimal are refused. */
int tch_parse_f64(const char *text, double *ret);
int tch_parse_f64_n(const char *text, size_t len, double *ret);

/*
 * Amounts with a unit: digits, and optionally a point and 1 to 18 digits. The arithmetic is exact.
 * A rest below one nanosecond or byte is rounded, a half upwards. An amount that does not fit 64
 * bits is refused.
 */

/** Parses "250ms", "2s", "1.5m", "1h", "7d", "10us", "5ns", to whole nanoseconds. The unit is
    mandatory except for "0". */
int tch_parse_duration(const char *text, uint64_t *ret_ns);

/** Parses "64k", "2GiB", "10MB", "512" to whole bytes: k, M, G, T and KiB, MiB, GiB, TiB are powers
    of 1024, kB, MB, GB, TB powers of 1000, in any case. */
int tch_parse_size(const char *text, uint64_t *ret_bytes);

#endif
