/*
 * memcpy() and memset() of the object itself. A compiler calls them for a struct that is copied or
 * cleared, whatever options it gets. Those of the program may be a sanitizer's, which aborts the
 * program when it sees a stack being read. Hidden symbols are bound when the object is linked.
 */
#include <stddef.h>

#define HIDDEN __attribute__((visibility("hidden"), used))

HIDDEN void *tch_memcpy(void *to, const void *from, size_t len) __asm__("memcpy");
HIDDEN void *tch_memset(void *to, int value, size_t len) __asm__("memset");

void *tch_memcpy(void *to, const void *from, size_t len)
{
    void *at = to;

    __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(len) : : "memory");
    return to;
}

void *tch_memset(void *to, int value, size_t len)
{
    void *at = to;

    __asm__ volatile("rep stosb" : "+D"(at), "+c"(len) : "a"(value) : "memory");
    return to;
}
