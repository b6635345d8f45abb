/*
 * The shared memory through which a sampler without perf events passes samples to tacho. tacho
 * creates it. The producers are the preloaded object, in each process of the command, or the
 * tracer. tacho is the only reader.
 *
 * Each slot holds one record. Its state word says which side may touch the slot:
 *
 *     0              free: a producer may claim it (compare and swap, acquire)
 *     tid << 32 | 1  claimed: that thread writes the record, then publishes it (release store)
 *     tid << 32 | 2  full: the reader (acquire) processes the record and frees the slot (release)
 *
 * A producer may be killed while it writes. Therefore the slots are not a queue: the reader
 * collects full slots in any order, sorts them by time, and frees the slots that a dead thread has
 * claimed. A producer never waits: if no slot is free it counts a lost sample. It claims the first
 * free slot, so that few slots are in use, and a sampled process maps few pages and keeps them in
 * its cache. Counters are relaxed. Besides the state words, `stop` is the only word that tacho
 * writes while producers run.
 *
 * The reader does not trust the memory, because a sampled program may overwrite any of it.
 *
 * This header does not use the C library: the preloaded object does not link it and has its own
 * memcpy().
 */
#ifndef TCH_SAMPLE_RING_H
#define TCH_SAMPLE_RING_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    TCH_RING_MAGIC = 0x54434852,
    TCH_RING_VERSION = 3,
    TCH_RING_SLOTS_MAX = 1024,
    TCH_RING_DATA = 16384, /**< where the slots begin */
    TCH_RED_ZONE = 128,    /**< bytes below the stack pointer that a leaf function may use */
    TCH_RING_REGS = 17,    /**< AX BX CX DX SI DI BP SP IP R8 to R15, as the kernel orders them */
};

enum tch_ring_state { TCH_SLOT_FREE = 0, TCH_SLOT_CLAIMED = 1, TCH_SLOT_FULL = 2 };

enum tch_ring_kind {
    TCH_RING_SAMPLE, /**< data: the stack, from TCH_RED_ZONE below the stack pointer on */
    TCH_RING_COMM,   /**< data: the name of the thread */
    TCH_RING_MAPS,   /**< data: lines of /proc/PID/maps */
    TCH_RING_EXEC,   /**< an exec: the process has no mappings yet; data: the name of the program */
};

/** Reasons why a process of the command has no samples, in tch_ring_head.trouble. */
enum tch_ring_trouble {
    TCH_TROUBLE_NO_SIGNAL = 1,  /**< the process uses every real-time signal */
    TCH_TROUBLE_NO_THREAD = 2,  /**< the process may not start a thread */
    TCH_TROUBLE_NO_MEMORY = 4,  /**< a stack could not be read */
    TCH_TROUBLE_TAKEN_AWAY = 8, /**< the process replaced the handler of the sampler's signal */
    TCH_TROUBLE_TRACED = 16,    /**< a thread asked to be traced, so signals would stop it */
};

struct tch_ring_head {
    uint32_t magic;
    uint32_t version;
    uint32_t slots;
    uint32_t slot_bytes;
    uint32_t stack_bytes; /**< bytes of the stack to copy, from TCH_RED_ZONE below the stack pointer
                             on */
    uint32_t period_ns;   /**< time between two samples on one CPU */
    uint32_t stop;        /**< set by tacho; samplers then stop */
    uint64_t lost;        /**< samples that found no slot */
    uint32_t blocked;     /**< threads that never received their signal */
    uint32_t unsafe;      /**< threads without an alternate stack for the sampler's signal */
    uint32_t trouble;     /**< enum tch_ring_trouble, ORed */
    uint32_t processes;   /**< processes in which a sampler was started */
    int32_t wait_status;  /**< status of the traced command, once it has exited */
    uint64_t state[TCH_RING_SLOTS_MAX];
};

struct tch_ring_record {
    uint32_t kind; /**< enum tch_ring_kind */
    uint32_t pid;
    uint32_t tid;
    uint32_t len;    /**< bytes of data */
    uint64_t time;   /**< CLOCK_MONOTONIC, in ns */
    uint64_t weight; /**< CPU time of the thread since its previous sample, in ns */
    uint64_t regs[TCH_RING_REGS];
    uint8_t data[];
};

/** Returns a random time to the next sample, 0.5 to 1.5 periods, so that sampling does not stay in
    phase with a periodic program. *random must not be 0; it changes (xorshift, Marsaglia 2003). */
static inline uint64_t tch_ring_next_period(uint64_t *random, uint64_t period)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return period / 2 + *random % period;
}

static inline struct tch_ring_record *tch_ring_slot(struct tch_ring_head *ring, uint32_t at)
{
    return (struct tch_ring_record *)((uint8_t *)ring + TCH_RING_DATA +
                                      (size_t)at * ring->slot_bytes);
}

/** Returns how many bytes of data fit into a slot. */
static inline uint32_t tch_ring_room(const struct tch_ring_head *ring)
{
    return ring->slot_bytes - (uint32_t)sizeof(struct tch_ring_record);
}

/** Claims a slot and returns its number. Returns -1 and counts a lost sample if none is free. */
static inline int tch_ring_claim(struct tch_ring_head *ring, uint32_t tid)
{
    uint64_t claimed = (uint64_t)tid << 32 | TCH_SLOT_CLAIMED;
    uint32_t slots = ring->slots < TCH_RING_SLOTS_MAX ? ring->slots : TCH_RING_SLOTS_MAX;

    for (uint32_t at = 0; at < slots; at++) {
        uint64_t state = __atomic_load_n(&ring->state[at], __ATOMIC_RELAXED);

        if (state == TCH_SLOT_FREE &&
            __atomic_compare_exchange_n(&ring->state[at], &state, claimed, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return (int)at;
    }
    __atomic_fetch_add(&ring->lost, 1, __ATOMIC_RELAXED);
    return -1;
}

/** Hands a claimed slot over to the reader. */
static inline void tch_ring_publish(struct tch_ring_head *ring, int at, uint32_t tid)
{
    __atomic_store_n(&ring->state[at], (uint64_t)tid << 32 | TCH_SLOT_FULL, __ATOMIC_RELEASE);
}

/** Writes a record other than a sample. @return 0, or -1: no slot was free */
static inline int tch_ring_note(struct tch_ring_head *ring, struct tch_ring_record head,
                                const char *text)
{
    int at = tch_ring_claim(ring, head.tid);
    struct tch_ring_record *record;

    if (at < 0)
        return -1;
    record = tch_ring_slot(ring, (uint32_t)at);
    record->kind = head.kind;
    record->pid = head.pid;
    record->tid = head.tid;
    record->len = head.len;
    record->time = head.time;
    memcpy(record->data, text, head.len);
    tch_ring_publish(ring, at, head.tid);
    return 0;
}

#endif
