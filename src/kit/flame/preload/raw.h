/*
 * System calls without the C library, for the preloaded object. It runs inside of any program:
 * under another C library, under a sanitizer that checks memcpy(), in a thread that has no errno.
 */
#ifndef TCH_PRELOAD_RAW_H
#define TCH_PRELOAD_RAW_H

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

static inline long raw6(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

#define RAW(number, a, b, c, d) raw6(number, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

/** The kernel's struct sigaction, which is not the C library's. */
struct raw_sigaction {
    void *handler;
    uint64_t flags;
    void (*restorer)(void);
    uint64_t mask;
};

/** The kernel's stack_t. */
struct raw_stack {
    void *base;
    int flags;
    size_t size;
};

struct raw_time {
    int64_t s;
    int64_t ns;
};

static inline uint64_t raw_clock(int clock)
{
    struct raw_time t = {0, 0};

    RAW(SYS_clock_gettime, clock, &t, 0, 0);
    return (uint64_t)t.s * 1000000000u + (uint64_t)t.ns;
}

static inline int raw_open(const char *path)
{
    return (int)RAW(SYS_openat, -100 /* AT_FDCWD */, path, 02000000 /* O_CLOEXEC */, 0);
}

/** Reads the rest of a file into text, terminates it with '\0', and closes the file. Returns the
   length, or 0 if the file cannot be read. */
static inline size_t raw_read_rest(int fd, char *text, size_t size)
{
    size_t len = 0;
    long got = 1;

    while (fd >= 0 && got > 0 && len + 1 < size) {
        got = RAW(SYS_read, fd, text + len, size - 1 - len, 0);
        len += got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0)
        RAW(SYS_close, fd, 0, 0, 0);
    text[len] = '\0';
    return len;
}

static inline size_t raw_read_file(const char *path, char *text, size_t size)
{
    return raw_read_rest(raw_open(path), text, size);
}

/** Appends a number to a text and returns the end of the text. */
static inline char *raw_add_number(char *at, unsigned number)
{
    char digits[12];
    int count = 0;

    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    while (count > 0)
        *at++ = digits[--count];
    *at = '\0';
    return at;
}

static inline char *raw_add_text(char *at, const char *text)
{
    while (*text)
        *at++ = *text++;
    *at = '\0';
    return at;
}

#endif
