/*
 * memcpy() and memset() of the object itself. A compiler calls them for a struct that is copied or
 * cleared, whatever options it gets. Those of the program may be a sanitizer's, which aborts the
 * program when it sees a stack being read. Hidden symbols are bound when the object is linked.
 */
#include <string.h>

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN void *memcpy(void *restrict to, const void *restrict from, size_t len)
{
    void *at = to;

    __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(len) : : "memory");
    return to;
}

HIDDEN void *memset(void *to, int value, size_t len)
{
    void *at = to;

    __asm__ volatile("rep stosb" : "+D"(at), "+c"(len) : "a"(value) : "memory");
    return to;
}
