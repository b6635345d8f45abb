/*
 * Memory that is really resident, which measurements must show.
 */
#ifndef TESTS_MEASURE_RESIDENT_H
#define TESTS_MEASURE_RESIDENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

static const size_t MIB = 1024 * 1024;

/** Allocates resident pages, which go back to the kernel at once when unmapped. Returns NULL
    without memory. */
static inline char *take(size_t bytes)
{
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        return NULL;
    memset(p, 1, bytes);
    return p;
}

static inline bool within(uint64_t got, uint64_t expected, double share)
{
    double off = (double)got - (double)expected;

    return (off < 0 ? -off : off) <= share * (double)expected;
}

#endif
