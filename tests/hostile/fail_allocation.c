/*
 * Preloaded into tacho. Makes the FAIL_ALLOCATION-th call of malloc(), calloc(), realloc() and the
 * like fail. A forked process continues with the count of its parent. At exit it writes the number
 * of calls to the file FAIL_ALLOCATION_LOG, and "failed" if one failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

#define REPLACES __attribute__((visibility("default")))

static atomic_ulong calls;
static unsigned long chosen; /* 0: none */
static atomic_int ready;
static const char *path;

static void report(const char *text)
{
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;

    if (fd >= 0 && write(fd, text, strlen(text)) < 0)
        _exit(99);
    if (fd >= 0)
        close(fd);
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("FAIL_ALLOCATION");

    if (!text || strcmp(program_invocation_short_name, "tacho") != 0)
        return;
    chosen = strtoul(text, NULL, 10);
    path = getenv("FAIL_ALLOCATION_LOG");
    ready = 1;
}

__attribute__((destructor)) static void end(void)
{
    char text[64];

    if (!ready)
        return;
    snprintf(text, sizeof text, "%lu\n", (unsigned long)calls);
    report(text);
}

static int fails(void)
{
    if (!ready || atomic_fetch_add(&calls, 1) + 1 != chosen)
        return 0;
    report("failed\n");
    errno = ENOMEM;
    return 1;
}

REPLACES void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

REPLACES void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

REPLACES void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}

REPLACES void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

REPLACES int posix_memalign(void **ret, size_t alignment, size_t size)
{
    *ret = fails() ? NULL : __libc_memalign(alignment, size);
    return *ret ? 0 : ENOMEM;
}
