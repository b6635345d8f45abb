/* The scanners for AVX2 and for AVX-512. Empty on other processors. */
#include "json_scan.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "json_scan_block.h"

#define AVX2   __attribute__((target("avx2,bmi,pclmul")))
#define AVX512 __attribute__((target("avx512bw,avx512vbmi2,avx2,bmi,pclmul")))

/* Returns a word whose bit i is the parity of bits 0 ... i: a carry-less product by all ones. */
AVX2 static inline uint64_t parities(uint64_t bits)
{
    __m128i product =
        _mm_clmulepi64_si128(_mm_set_epi64x(0, (long long)bits), _mm_set1_epi8((char)0xFF), 0);

    return (uint64_t)_mm_cvtsi128_si64(product);
}

/*
 * Table indexed by the low four bits of a byte. The entry equals the byte itself for exactly the
 * bytes in question; NO equals no byte with its index. With bit 5 set, [ and { are the same, as are
 * ] and }.
 */
#define NO     0x7F
#define BLANKS ' ', NO, NO, NO, NO, NO, NO, NO, NO, '\t', '\n', NO, NO, '\r', NO, 0
#define OPS    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ':', '{', ',', '}', 0, 0

AVX2 static inline uint64_t bits_of(__m256i low, __m256i high)
{
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high)
                                                     << 32;
}

AVX2 static inline __m256i controls(__m256i text)
{
    return _mm256_cmpeq_epi8(_mm256_min_epu8(text, _mm256_set1_epi8(0x1F)), text);
}

AVX2 static inline struct tch_json_masks masks_avx2(const char *data)
{
    const __m256i blanks = _mm256_setr_epi8(BLANKS, BLANKS);
    const __m256i ops = _mm256_setr_epi8(OPS, OPS);
    const __m256i quote = _mm256_set1_epi8('"');
    const __m256i backslash = _mm256_set1_epi8('\\');
    const __m256i bit5 = _mm256_set1_epi8(0x20);
    __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)data);
    __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(data + 32));

    return (struct tch_json_masks){
        .quote = bits_of(_mm256_cmpeq_epi8(a, quote), _mm256_cmpeq_epi8(b, quote)),
        .backslash = bits_of(_mm256_cmpeq_epi8(a, backslash), _mm256_cmpeq_epi8(b, backslash)),
        .control = bits_of(controls(a), controls(b)),
        .high = bits_of(a, b),
        .op = bits_of(_mm256_cmpeq_epi8(_mm256_or_si256(a, bit5), _mm256_shuffle_epi8(ops, a)),
                      _mm256_cmpeq_epi8(_mm256_or_si256(b, bit5), _mm256_shuffle_epi8(ops, b))),
        .blank = bits_of(_mm256_cmpeq_epi8(a, _mm256_shuffle_epi8(blanks, a)),
                         _mm256_cmpeq_epi8(b, _mm256_shuffle_epi8(blanks, b))),
    };
}

/* Writes eight marks at a time even when there are fewer: a branch for each costs more than the
   stores. */
AVX2 static inline size_t put_marks(uint16_t *marks, unsigned base, uint64_t bits)
{
    size_t count = (size_t)__builtin_popcountll(bits);

    for (size_t done = 0; done < count; done += 8)
        for (size_t i = 0; i < 8; i++) {
            marks[done + i] = (uint16_t)(base + (unsigned)_tzcnt_u64(bits));
            bits = _blsr_u64(bits);
        }
    return count;
}

AVX2 size_t tch_json_scan_avx2(struct tch_json_scan *s, const char *data, size_t blocks,
                               unsigned base, uint16_t *marks)
{
    uint64_t high_before = 0;
    size_t count = 0;

    for (size_t i = 0; i < blocks; i++, base += TCH_JSON_BLOCK) {
        struct tch_json_masks m = masks_avx2(data + i * TCH_JSON_BLOCK);
        uint64_t escapes;
        uint64_t quotes = tch_json_quotes(s, &m, &escapes);
        uint64_t bits = tch_json_block(s, &m, quotes, parities(quotes), escapes, high_before);

        high_before = m.high >> 63;
        count += put_marks(marks + count, base, bits);
    }
    return count;
}

AVX512 static inline struct tch_json_masks masks_avx512(const char *data)
{
    const __m512i blanks = _mm512_broadcast_i32x4(_mm_setr_epi8(BLANKS));
    const __m512i ops = _mm512_broadcast_i32x4(_mm_setr_epi8(OPS));
    __m512i text = _mm512_loadu_si512(data);

    return (struct tch_json_masks){
        .quote = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('"')),
        .backslash = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('\\')),
        .control = _mm512_cmplt_epu8_mask(text, _mm512_set1_epi8(0x20)),
        .high = _mm512_movepi8_mask(text),
        .op = _mm512_cmpeq_epi8_mask(_mm512_or_si512(text, _mm512_set1_epi8(0x20)),
                                     _mm512_shuffle_epi8(ops, text)),
        .blank = _mm512_cmpeq_epi8_mask(text, _mm512_shuffle_epi8(blanks, text)),
    };
}

/* Writes the offsets 0 ... 63 of the set bits, compressed by one instruction and widened to 16
   bits. */
AVX512 static inline size_t compress_marks(uint16_t *marks, unsigned base, uint64_t bits)
{
    const __m512i offsets = _mm512_set_epi8(
        63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41,
        40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18,
        17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m512i found = _mm512_maskz_compress_epi8(bits, offsets);
    __m512i start = _mm512_set1_epi16((short)base);
    size_t count = (size_t)__builtin_popcountll(bits);

    _mm512_storeu_si512(
        marks, _mm512_add_epi16(start, _mm512_cvtepu8_epi16(_mm512_castsi512_si256(found))));
    if (count > 32)
        _mm512_storeu_si512(
            marks + 32,
            _mm512_add_epi16(start, _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(found, 1))));
    return count;
}

AVX512 size_t tch_json_scan_avx512(struct tch_json_scan *s, const char *data, size_t blocks,
                                   unsigned base, uint16_t *marks)
{
    uint64_t high_before = 0;
    size_t count = 0;

    for (size_t i = 0; i < blocks; i++, base += TCH_JSON_BLOCK) {
        struct tch_json_masks m = masks_avx512(data + i * TCH_JSON_BLOCK);
        uint64_t escapes;
        uint64_t quotes = tch_json_quotes(s, &m, &escapes);
        uint64_t bits = tch_json_block(s, &m, quotes, parities(quotes), escapes, high_before);

        high_before = m.high >> 63;
        count += compress_marks(marks + count, base, bits);
    }
    return count;
}

#else
typedef int tch_json_scan_x86_is_empty;
#endif
