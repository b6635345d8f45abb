/* Names the class of the CPU. */
#include "cpu.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

void tch_cpu_class(char *out, size_t size)
{
    unsigned a, b, c, d;
    unsigned family, model;
    char vendor[13] = "";
    bool avx2 = __builtin_cpu_supports("avx2");
    bool avx512 = __builtin_cpu_supports("avx512vl");

    __cpuid(0, a, b, c, d);
    memcpy(vendor, &b, 4);
    memcpy(vendor + 4, &d, 4);
    memcpy(vendor + 8, &c, 4);
    __cpuid(1, a, b, c, d);
    family = (a >> 8 & 15) + (a >> 20 & 255);
    model = (a >> 4 & 15) | (a >> 12 & 0xf0);
    snprintf(out, size, "%s %u/%u%s%s", vendor, family, model, avx2 ? " avx2" : "",
             avx512 ? " avx512" : "");
}
#else
#include <sys/auxv.h>

void tch_cpu_class(char *out, size_t size)
{
    snprintf(out, size, "hwcap %lx/%lx", getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
}
#endif
