/*
 * Identifies the CPU. Unwinding stacks and reading registers are supported on x86-64 only.
 */
#ifndef TCH_CPU_H
#define TCH_CPU_H

#include <stddef.h>

#if defined(__x86_64__)
enum { TCH_CPU_X86_64 = 1 };
#else
enum { TCH_CPU_X86_64 = 0 };
#endif

/** Writes the family and model of the CPU, and the features by which a C library chooses its
    functions: "AuthenticAMD 25/1 avx2". On another CPU than x86-64, the features as numbers. */
void tch_cpu_class(char *out, size_t size);

#endif
