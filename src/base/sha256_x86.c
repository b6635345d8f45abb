/* SHA-256 by the SHA instructions of x86. Returns no implementation on other machines. */
#include "sha256.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

#define WITH_SHA __attribute__((target("sha,sse4.1,ssse3")))

WITH_SHA static __m128i load(const void *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

/* Does four rounds on the state, which the instructions need in the order ABEF and CDGH. */
WITH_SHA static inline void four_rounds(__m128i *abef, __m128i *cdgh, __m128i words, int round)
{
    __m128i wk = _mm_add_epi32(words, load(&tch_sha256_k[round]));

    *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, wk);
    *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32(wk, 0x0E));
}

/* Computes the next four words of the message schedule from the previous sixteen. */
WITH_SHA static inline __m128i next_words(const __m128i w[4])
{
    __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w[0], w[1]), _mm_alignr_epi8(w[3], w[2], 4));

    return _mm_sha256msg2_epu32(sum, w[3]);
}

WITH_SHA static void blocks(uint32_t state[8], const uint8_t *data, size_t n)
{
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i badc = _mm_shuffle_epi32(load(&state[0]), 0xB1);
    __m128i hgfe = _mm_shuffle_epi32(load(&state[4]), 0x1B);
    __m128i abef = _mm_alignr_epi8(badc, hgfe, 8);
    __m128i cdgh = _mm_blend_epi16(hgfe, badc, 0xF0);

    for (; n > 0; n--, data += TCH_SHA256_BLOCK) {
        __m128i w[4];
        __m128i abef_before = abef;
        __m128i cdgh_before = cdgh;

        for (int i = 0; i < 4; i++)
            w[i] = _mm_shuffle_epi8(load(data + 16 * i), big_endian);
        for (int round = 0; round < 48; round += 4) {
            __m128i next = next_words(w);

            four_rounds(&abef, &cdgh, w[0], round);
            w[0] = w[1];
            w[1] = w[2];
            w[2] = w[3];
            w[3] = next;
        }
        for (int i = 0; i < 4; i++)
            four_rounds(&abef, &cdgh, w[i], 48 + 4 * i);
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }

    __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
    __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);

    _mm_storeu_si128((__m128i *)&state[0], _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128((__m128i *)&state[4], _mm_alignr_epi8(dchg, feba, 8));
}

/* Asks CPUID, because some supported compilers do not know "sha" in __builtin_cpu_supports(). */
tch_sha256_blocks *tch_sha256_x86(void)
{
    enum { LEAF7_EBX_SHA = 1 << 29 };
    unsigned a, b, c, d;

    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSSE3) || !(c & bit_SSE4_1))
        return NULL;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & LEAF7_EBX_SHA))
        return NULL;
    return blocks;
}

#else

tch_sha256_blocks *tch_sha256_x86(void)
{
    return NULL;
}

#endif
