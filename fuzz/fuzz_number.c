/* Parses any text as a number, a duration and a size. An accepted value can be written and reads
   back the same. */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>

#include "base/number.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
    if (!holds)
        abort();
}

static void integers(const char *text, size_t len)
{
    uint64_t u;
    uint64_t u_again;
    int64_t i;
    int64_t i_again;
    char out[32];

    if (tch_parse_u64_n(text, len, UINT64_MAX, &u) == 0) {
        snprintf(out, sizeof out, "%" PRIu64, u);
        must(tch_parse_u64(out, u, &u_again) == 0 && u == u_again);
        must(u == 0 || tch_parse_u64(out, u - 1, &u_again) < 0);
    }
    if (tch_parse_i64_n(text, len, &i) == 0) {
        snprintf(out, sizeof out, "%" PRId64, i);
        must(tch_parse_i64(out, &i_again) == 0 && i == i_again);
    }
}

static void floats(const char *text, size_t len)
{
    double value;
    double again;
    char out[32];

    if (tch_parse_f64_n(text, len, &value) < 0)
        return;
    must(!isnan(value));
    must(value == strtod(text, NULL));
    if (isinf(value))
        return;
    snprintf(out, sizeof out, "%.17g", value);
    must(tch_parse_f64(out, &again) == 0);
    must(memcmp(&value, &again, sizeof value) == 0);
}

static void amounts(const char *text)
{
    uint64_t value;
    uint64_t again;
    char out[32];

    if (tch_parse_duration(text, &value) == 0) {
        snprintf(out, sizeof out, "%" PRIu64 "ns", value);
        must(tch_parse_duration(out, &again) == 0 && value == again);
    }
    if (tch_parse_size(text, &value) == 0) {
        snprintf(out, sizeof out, "%" PRIu64, value);
        must(tch_parse_size(out, &again) == 0 && value == again);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    if (!text)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    integers(text, size);
    floats(text, size);
    amounts(text);
    free(text);
    return 0;
}
