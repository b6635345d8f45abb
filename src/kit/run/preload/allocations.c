/*
 * tacho-allocations.so: counts the allocations of a program that it is preloaded into.
 *
 * It defines malloc() and its relatives and all forms of C++'s operator new, counts each call and
 * passes it on to the next definition. Calls inside a counted call are not counted, so an operator
 * new that calls malloc() counts once. Requested sizes are added up, also those of realloc(),
 * unless the call fails. The counters are in a file that tacho created, so they survive however the
 * program ends.
 *
 * Nothing here allocates. Until dlsym() has found the next calloc(), a small static buffer is used.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "allocations_shared.h"

#define EXPORT __attribute__((visibility("default")))

/* In the object these functions have the names of the functions that they replace. */
EXPORT void *tch_malloc(size_t size) __asm__("malloc");
EXPORT void *tch_calloc(size_t n, size_t size) __asm__("calloc");
EXPORT void *tch_realloc(void *old, size_t size) __asm__("realloc");
EXPORT void *tch_reallocarray(void *old, size_t n, size_t size) __asm__("reallocarray");
EXPORT void *tch_memalign(size_t alignment, size_t size) __asm__("memalign");
EXPORT void *tch_aligned_alloc(size_t alignment, size_t size) __asm__("aligned_alloc");
EXPORT int tch_posix_memalign(void **ret, size_t alignment, size_t size) __asm__("posix_memalign");
EXPORT void *tch_valloc(size_t size) __asm__("valloc");
EXPORT void *tch_pvalloc(size_t size) __asm__("pvalloc");
EXPORT void tch_free(void *p) __asm__("free");

static _Thread_local struct tch_allocation_slot *slot;

/* Volatile, because the compiler assumes that dlsym() calls none of our functions. */
static _Thread_local volatile unsigned depth; /* nesting depth of our functions */
static _Thread_local volatile bool
    in_new; /* the next call belongs to an operator new that was already counted */

static _Atomic(struct tch_allocation_counters *) counters;

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void *(*next_reallocarray)(void *, size_t, size_t);
static void *(*next_memalign)(size_t, size_t);
static void *(*next_aligned)(size_t, size_t);
static int (*next_posix_memalign)(void **, size_t, size_t);
static void *(*next_valloc)(size_t);
static void *(*next_pvalloc)(size_t);
static void (*next_free)(void *);

/* The forms of operator new have one to three arguments, all in registers. They are passed on
   unchanged, so one type is enough for all. */
enum { NEW_FORMS = 8 };
static void *(*next_new[NEW_FORMS])(size_t, size_t, size_t);

/* --- Memory for dlsym() --- */

static _Alignas(16) char early[4096];
static atomic_size_t early_used;

static void *early_calloc(size_t size)
{
    size_t room = (size + 15) & ~(size_t)15;
    size_t at = atomic_fetch_add(&early_used, room);

    return room >= size && at + room <= sizeof early ? early + at : NULL;
}

static bool is_early(const void *p)
{
    return (const char *)p >= early && (const char *)p < early + sizeof early;
}

/* --- Counters --- */

static void map_counters(void)
{
    const char *path = getenv(TCH_ALLOCATIONS_INTO);
    struct tch_allocation_counters *c;
    int fd = path && path[0] ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;

    if (fd < 0)
        return;
    c = mmap(NULL, sizeof *c, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    if (c == MAP_FAILED)
        return;
    atomic_fetch_add(&c->loaded, 1);
    atomic_store(&counters, c);
}

static void *find(const char *name)
{
    void *found;

    depth++; /* dlsym() may allocate */
    found = dlsym(RTLD_NEXT, name);
    depth--;
    return found;
}

/* Finds the next definitions. malloc() comes first, because looking up the others may allocate:
   dlsym() composes an error message for a missing name. */
static void find_next(void)
{
    int before = errno;

    *(void **)&next_malloc = find("malloc");
    *(void **)&next_calloc = find("calloc");
    *(void **)&next_realloc = find("realloc");
    *(void **)&next_free = find("free");
    *(void **)&next_reallocarray = find("reallocarray");
    *(void **)&next_memalign = find("memalign");
    *(void **)&next_aligned = find("aligned_alloc");
    *(void **)&next_posix_memalign = find("posix_memalign");
    *(void **)&next_valloc = find("valloc");
    *(void **)&next_pvalloc = find("pvalloc");
    errno = before;
}

/* Runs while the program has one thread, even in a program that allocates nothing. */
__attribute__((constructor)) static void start(void)
{
    if (!next_malloc)
        find_next();
    if (!atomic_load(&counters))
        map_counters();
}

/* Takes a slot for this thread. The dynamic linker allocates before there is an environment. These
   allocations are not the program's and are not counted. */
static void take_slot(void)
{
    struct tch_allocation_counters *c;
    unsigned at;

    if (!atomic_load(&counters))
        map_counters();
    c = atomic_load(&counters);
    if (!c)
        return;
    at = atomic_fetch_add(&c->taken, 1);
    slot = &c->slot[at < TCH_ALLOCATION_SLOTS ? at : TCH_ALLOCATION_SLOTS - 1];
}

/* Enters a call. */
static void enter(void)
{
    if (!next_malloc)
        find_next();
    depth++;
}

static void add_bytes(size_t size)
{
    if (slot)
        atomic_fetch_add_explicit(&slot->bytes, size, memory_order_relaxed);
}

/* Makes a system call that does not exist, so that a tracer takes the stack of this allocation. */
static void announce(enum tch_allocator by, size_t size)
{
    int before = errno;

    syscall(TCH_ALLOCATION_CALL + by, size);
    errno = before;
}

/* Counts a call. The caller adds the bytes. */
static void count(enum tch_allocator by, size_t size)
{
    if (!slot)
        take_slot();
    if (!slot)
        return;
    atomic_fetch_add_explicit(&slot->calls[by], 1, memory_order_relaxed);
    if (atomic_load_explicit(&atomic_load(&counters)->announce, memory_order_relaxed))
        announce(by, size);
}

/* Leaves a call, and counts it unless it was made inside another one. */
static void leave(enum tch_allocator by, size_t size)
{
    if (--depth == 0 && !in_new) {
        count(by, size);
        add_bytes(size);
    }
    if (depth == 0)
        in_new = false;
}

/* --- The C library's functions --- */

void *tch_malloc(size_t size)
{
    void *p;

    if (!next_malloc && depth > 0)
        return early_calloc(size); /* called by dlsym() */
    enter();
    p = next_malloc(size);
    leave(TCH_ALLOC_MALLOC, p ? size : 0);
    return p;
}

void *tch_calloc(size_t n, size_t size)
{
    void *p;

    if (!next_calloc && depth > 0)
        return early_calloc(n * size); /* called by dlsym() */
    enter();
    p = next_calloc(n, size);
    leave(TCH_ALLOC_CALLOC, p ? n * size : 0);
    return p;
}

void *tch_realloc(void *old, size_t size)
{
    size_t room = (size_t)(early + sizeof early - (char *)old);
    void *p;

    enter();
    p = next_realloc(is_early(old) ? NULL : old, size);
    if (p && is_early(old))
        memcpy(p, old, size < room ? size : room);
    leave(TCH_ALLOC_REALLOC, p ? size : 0);
    return p;
}

void *tch_reallocarray(void *old, size_t n, size_t size)
{
    void *p;

    enter();
    p = next_reallocarray(old, n, size);
    leave(TCH_ALLOC_REALLOCARRAY, p ? n * size : 0);
    return p;
}

void *tch_memalign(size_t alignment, size_t size)
{
    void *p;

    enter();
    p = next_memalign(alignment, size);
    leave(TCH_ALLOC_MEMALIGN, p ? size : 0);
    return p;
}

void *tch_aligned_alloc(size_t alignment, size_t size)
{
    void *p;

    enter();
    p = next_aligned(alignment, size);
    leave(TCH_ALLOC_ALIGNED, p ? size : 0);
    return p;
}

int tch_posix_memalign(void **ret, size_t alignment, size_t size)
{
    int status;

    enter();
    status = next_posix_memalign(ret, alignment, size);
    leave(TCH_ALLOC_POSIX_MEMALIGN, status == 0 ? size : 0);
    return status;
}

void *tch_valloc(size_t size)
{
    void *p;

    enter();
    p = next_valloc(size);
    leave(TCH_ALLOC_VALLOC, p ? size : 0);
    return p;
}

void *tch_pvalloc(size_t size)
{
    void *p;

    enter();
    p = next_pvalloc(size);
    leave(TCH_ALLOC_PVALLOC, p ? size : 0);
    return p;
}

void tch_free(void *p)
{
    if (is_early(p))
        return;
    if (!next_free)
        find_next();
    next_free(p);
}

/* --- C++ --- */

/* Calls an operator new. It may throw, and then this function does not continue. The call is
   therefore counted first, and its first allocation resets `in_new`. */
static void *call_new(int form, const char *symbol, enum tch_allocator by, size_t size, size_t b,
                      size_t c)
{
    void *p;
    bool counted = depth == 0 && !in_new; /* new[] calls new */

    if (!next_new[form])
        *(void **)&next_new[form] = find(symbol);
    if (counted)
        count(by, size);
    in_new = true;
    p = next_new[form](size, b, c);
    in_new = false;
    if (counted && p)
        add_bytes(size);
    return p;
}

#define NEW(name, symbol, form, by)                                     \
    EXPORT void *name(size_t size, size_t b, size_t c) __asm__(symbol); \
    void *name(size_t size, size_t b, size_t c)                         \
    {                                                                   \
        return call_new(form, symbol, by, size, b, c);                  \
    }

NEW(new_plain, "_Znwm", 0, TCH_ALLOC_NEW)
NEW(new_array, "_Znam", 1, TCH_ALLOC_NEW_ARRAY)
NEW(new_nothrow, "_ZnwmRKSt9nothrow_t", 2, TCH_ALLOC_NEW)
NEW(new_array_nothrow, "_ZnamRKSt9nothrow_t", 3, TCH_ALLOC_NEW_ARRAY)
NEW(new_aligned, "_ZnwmSt11align_val_t", 4, TCH_ALLOC_NEW)
NEW(new_array_aligned, "_ZnamSt11align_val_t", 5, TCH_ALLOC_NEW_ARRAY)
NEW(new_aligned_nothrow, "_ZnwmSt11align_val_tRKSt9nothrow_t", 6, TCH_ALLOC_NEW)
NEW(new_array_aligned_nothrow, "_ZnamSt11align_val_tRKSt9nothrow_t", 7, TCH_ALLOC_NEW_ARRAY)
