/* The portable scanner, and the choice among all of them. */
#include "json_scan.h"

#include "json_scan_block.h"

enum { QUOTE = 1, BACKSLASH = 2, CONTROL = 4, HIGH = 8, OP = 16, BLANK = 32 };

static unsigned class_of(unsigned char c)
{
    switch (c) {
    case '"':
        return QUOTE;
    case '\\':
        return BACKSLASH;
    case '{':
    case '}':
    case '[':
    case ']':
    case ':':
    case ',':
        return OP;
    case ' ':
        return BLANK;
    case '\t':
    case '\n':
    case '\r':
        return BLANK | CONTROL;
    default:
        return c < 0x20 ? CONTROL : c >= 0x80 ? HIGH : 0;
    }
}

static struct tch_json_masks masks_of(const char *data)
{
    struct tch_json_masks m = {0};

    for (unsigned i = 0; i < TCH_JSON_BLOCK; i++) {
        uint64_t class = class_of((unsigned char)data[i]);

        m.quote |= (class & 1) << i;
        m.backslash |= (class >> 1 & 1) << i;
        m.control |= (class >> 2 & 1) << i;
        m.high |= (class >> 3 & 1) << i;
        m.op |= (class >> 4 & 1) << i;
        m.blank |= (class >> 5 & 1) << i;
    }
    return m;
}

/* Bit i becomes the parity of bits 0 ... i. */
static uint64_t parities(uint64_t bits)
{
    for (unsigned shift = 1; shift < 64; shift *= 2)
        bits ^= bits << shift;
    return bits;
}

size_t tch_json_scan_portable(struct tch_json_scan *s, const char *data, size_t blocks,
                              unsigned base, uint16_t *marks)
{
    uint64_t high_before = 0;
    size_t count = 0;

    for (size_t i = 0; i < blocks; i++, base += TCH_JSON_BLOCK) {
        struct tch_json_masks m = masks_of(data + i * TCH_JSON_BLOCK);
        uint64_t escapes;
        uint64_t quotes = tch_json_quotes(s, &m, &escapes);
        uint64_t bits = tch_json_block(s, &m, quotes, parities(quotes), escapes, high_before);

        high_before = m.high >> 63;
        for (; bits; bits &= bits - 1)
            marks[count++] = (uint16_t)(base + (unsigned)__builtin_ctzll(bits));
    }
    return count;
}

static int always(void)
{
    return 1;
}

#if defined(__x86_64__)
static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("pclmul");
}

static int has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vbmi2");
}
#endif

const struct tch_json_scanner tch_json_scanners[] = {
#if defined(__x86_64__)
    {"avx512", tch_json_scan_avx512, has_avx512},
    {"avx2", tch_json_scan_avx2, has_avx2},
#endif
    {"portable", tch_json_scan_portable, always},
    {NULL, NULL, NULL},
};

tch_json_scan_fn *tch_json_scan_best(void)
{
    const struct tch_json_scanner *scanner = tch_json_scanners;

    while (!scanner->usable())
        scanner++;
    return scanner->scan;
}
