/*
 * Numbers as text: the shortest decimal digits that read back as the same float, in two forms: JSON
 * (1.0, 1e16, null) and plain (1, 10000000000000000, NaN), which CSV files use.
 */
#ifndef TCH_FLOAT_TEXT_H
#define TCH_FLOAT_TEXT_H

#include <stddef.h>
#include <stdint.h>

enum {
    TCH_U64_TEXT = 20,    /* bytes that any uint64_t needs */
    TCH_FLOAT_TEXT = 32,  /* bytes that any float or double needs as JSON */
    TCH_PLAIN_TEXT = 344, /* bytes that any double needs without an exponent */
};

/** Each function writes to out without a NUL at the end and returns the length. */
size_t tch_u64_text(char out[TCH_U64_TEXT], uint64_t value);

/** Writes fixed notation for 1e-5 <= |x| < 1e16 (f32: 1e-6 and 1e13), with ".0" for whole numbers,
    else an exponent without a plus sign. NaN and infinities become "null". */
size_t tch_f64_json(char out[TCH_FLOAT_TEXT], double value);
size_t tch_f32_json(char out[TCH_FLOAT_TEXT], float value);

/** Never writes an exponent: "1", "-0", "NaN", "inf", "-inf". */
size_t tch_f64_plain(char out[TCH_PLAIN_TEXT], double value);

#endif
