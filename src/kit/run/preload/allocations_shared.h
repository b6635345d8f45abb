/*
 * The memory that tacho-allocations.so shares with tacho: counters per thread.
 *
 * Each thread takes the next slot and counts only there. A forked child keeps the slot of its
 * parent until it executes another program, so counters are incremented atomically. When all slots
 * are taken, further threads share the last one. This header needs no library.
 */
#ifndef TCH_ALLOCATIONS_SHARED_H
#define TCH_ALLOCATIONS_SHARED_H

#include <stdatomic.h>

/** The variable that names the file with that memory. */
#define TCH_ALLOCATIONS_INTO "TACHO_COUNT_INTO"
#define TCH_ALLOCATIONS_LIB  "tacho-allocations.so"

enum {
    TCH_ALLOCATION_SLOTS = 4096,
    TCH_ALLOCATION_CALL = 0x7ac0, /* no system call has this number or one of the next ones */
};

enum tch_allocator {
    TCH_ALLOC_MALLOC,
    TCH_ALLOC_CALLOC,
    TCH_ALLOC_REALLOC,
    TCH_ALLOC_REALLOCARRAY,
    TCH_ALLOC_MEMALIGN,
    TCH_ALLOC_ALIGNED,
    TCH_ALLOC_POSIX_MEMALIGN,
    TCH_ALLOC_VALLOC,
    TCH_ALLOC_PVALLOC,
    TCH_ALLOC_NEW,
    TCH_ALLOC_NEW_ARRAY,
    TCH_ALLOCATORS,
};

struct tch_allocation_slot {
    _Alignas(64) atomic_ullong calls[TCH_ALLOCATORS];
    atomic_ullong bytes;
};

struct tch_allocation_counters {
    atomic_uint loaded;   /**< number of programs that loaded the object */
    atomic_uint taken;    /**< slots taken; may exceed their number */
    atomic_bool announce; /**< set by tacho: make the system call TCH_ALLOCATION_CALL + the function
                             with the size at each counted call */
    struct tch_allocation_slot slot[TCH_ALLOCATION_SLOTS];
};

#endif
