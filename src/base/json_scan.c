/* The portable scanner, and the choice among all of them. */
#include "json_scan.h"

#include "json_scan_block.h"

/* Sixteen bytes at once. The compiler chooses the instructions. */
typedef uint8_t bytes __attribute__((vector_size(16)));

/* Returns the sixteen results of a comparison, which are all ones where true, as bits; the first is
   the lowest. */
static uint64_t bits_of(bytes truth)
{
    const bytes weight = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    bytes weighed = truth & weight;
    uint64_t half[2];

    memcpy(half, &weighed, sizeof half);
    /* No two bytes of a half share a bit, so the sum in the top byte contains all of them. */
    return (half[0] * 0x0101010101010101u >> 56) | (half[1] * 0x0101010101010101u >> 56) << 8;
}

static struct tch_json_masks masks_of(const char *data)
{
    struct tch_json_masks m = {0};

    for (unsigned i = 0; i < TCH_JSON_BLOCK; i += sizeof(bytes)) {
        bytes text, folded;

        memcpy(&text, data + i, sizeof text);
        folded = text | 0x20; /* makes [ and { equal, and ] and } */
        m.quote |= bits_of((bytes)(text == '"')) << i;
        m.backslash |= bits_of((bytes)(text == '\\')) << i;
        m.control |= bits_of((bytes)(text < 0x20)) << i;
        m.high |= bits_of((bytes)(text >= 0x80)) << i;
        m.op |= bits_of((bytes)(folded == '{') | (bytes)(folded == '}') | (bytes)(text == ':') |
                        (bytes)(text == ','))
                << i;
        m.blank |= bits_of((bytes)(text == ' ') | (bytes)(text == '\t') | (bytes)(text == '\n') |
                           (bytes)(text == '\r'))
                   << i;
    }
    return m;
}

/* Returns a word whose bit i is the parity of bits 0 ... i. */
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
