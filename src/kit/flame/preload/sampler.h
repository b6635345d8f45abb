/*
 * The preloaded object: a thread that samples the other threads of its process.
 *
 *     sampler.c   the sampler thread: finds the threads that run and signals them
 *     handler.c   the signal's handler: copies registers and stack into the ring
 *     hooks.c     functions by which the program would disturb sampling: signals, fork, exec
 *     alt_stack.c the stacks on which the handler runs, one per thread
 *     maps.c      the mappings: reports new code to the reader of the ring
 *     memory.c    memcpy() and memset(), which compilers call
 *
 * The sampler thread writes the table of threads. While `sent` of an entry is 1, the handler in
 * that thread writes the members after it; the handler sets `sent` to 0 when it is done. The object
 * never writes memory of the program, and keeps no descriptor in the program's table.
 *
 * This is the face of src/kit/flame/preload/.
 */
#ifndef TCH_PRELOAD_SAMPLER_H
#define TCH_PRELOAD_SAMPLER_H

/* The kernel and dlsym() return functions as data pointers, which ISO C does not allow. */
#pragma GCC diagnostic ignored "-Wpedantic"

#include "kit/flame/sample/ring_maps.h"
#include "raw.h"

enum { SAMPLER_THREADS = 2048, SAMPLER_COMM = 16 };

/** A thread of the program. */
struct sampled {
    uint32_t tid;       /**< 0: the entry is free */
    uint32_t seen;      /* number of the last scan of /proc/self/task that found it */
    int fd;             /**< descriptor of its stat file, in the sampler's own table; -1: none */
    uint32_t idle;      /* checks in a row that found that it had not run */
    uint64_t ran;       /**< its CPU clock when it was last checked */
    uint64_t checked;   /* time of that check */
    uint64_t unchecked; /**< time between that check and the one before */
    uint32_t named;     /* number of the scan after which its name was last read */
    uint32_t refused;   /* signals that were not sent because it has no alternate stack */
    uint32_t blocked;   /* 1: counted among the threads that block the signal */
    uint32_t waits;     /**< checks since it was last found on a CPU, not waiting for one */
    uint64_t sent_at;   /* time of the last signal to it */
    uint64_t time;      /* time of the sample */
    char comm[SAMPLER_COMM];
    uint64_t low;   /* lowest address of its stack that is known to be mapped */
    uint64_t high;  /* end of its stack; 0: unknown */
    uint32_t sent;  /**< 1: signalled, and not yet handled */
    uint64_t first; /**< CPU time that its next sample represents, if it was noticed late; or 0 */
    uint64_t held_until; /**< CPU clock at the end of its first sample's time; 0: that is over */
    uint64_t sampled_at; /**< its CPU clock at its last sample */
    uint64_t claimed;    /**< sum of the CPU times that its samples represent */
    uint64_t slept;      /**< how often it had gone to sleep when its last signal arrived */
    uint32_t bursts;     /**< more than 0: it has slept between some of its last signals */
    uint64_t base;       /**< start of its thread-local memory, which is at the end of its stack */
};

/** The sampler of this process. */
struct sampler {
    struct tch_ring_head *ring; /* NULL: this process is not sampled */
    uint32_t pid;
    int signal;
    uint32_t stop;       /* 1: an exec has begun, so no more signals are sent */
    uint32_t sending;    /**< 1: the sampler may be about to send a signal */
    uint32_t traced;     /**< 1: a thread asked to be traced, so no more signals are sent */
    uint32_t own_stacks; /**< 1: a sanitizer gives all threads alternate stacks */
    uint32_t stale;      /* 1: an instruction outside of the known code was sampled */
    uint32_t unbounded;  /* 1: the bounds of a thread's stack are not known yet */
    uint64_t followed;   /* time of the last round that followed the mappings */
    uint64_t faults;     /* page faults of the process at the last check of its mappings */
    uint32_t misled;     /**< misleading samples dropped since the sampler last changed its CPU */
    uint32_t stride;     /* a sleeping thread is checked once in this many rounds */
    uint64_t cost;       /* usual CPU time of a round */
    uint32_t quiet;      /* rounds in a row in which no thread ran */
    uint64_t random;
    /** CPU clock of the first thread at the start, which an exec does not reset. */
    uint64_t before;
    uint64_t scanned; /* time of the last scan for threads */
    uint32_t scan;
    uint64_t stack_low;  /**< an address in the main thread's stack */
    uint64_t stack_high; /* end of that stack; 0: not yet read from the mappings */
    struct tch_code_ranges ranges;
    struct sampled threads[SAMPLER_THREADS];
    uint32_t thread_count; /* number of entries in use, including free ones between them */
};

extern struct sampler tch_sampler __attribute__((visibility("hidden")));

/** The action that the program set for our signal. */
extern struct raw_sigaction tch_sampler_wanted __attribute__((visibility("hidden")));

/** An alternate stack of a thread, for our handler. */
struct tch_alt_stack {
    uint32_t owner;
    char *base;              /* NULL: not mapped yet */
    struct raw_stack wanted; /* the stack that the program set, if the kernel has ours instead */
    void *(*start)(void *);  /**< function of a thread that is about to start, and its argument */
    void *arg;
};

/** Reserves a stack for a thread that will start. Returns NULL if there is no memory. */
__attribute__((visibility("hidden"))) struct tch_alt_stack *tch_alt_stack_reserve(void);

/** Gives back a stack that no thread has entered. */
__attribute__((visibility("hidden"))) void tch_alt_stack_release(struct tch_alt_stack *s);

/** Makes a reserved stack that of the calling thread. */
__attribute__((visibility("hidden"))) void tch_alt_stack_enter(struct tch_alt_stack *s);

/** Returns whether our handler runs on an alternate stack in the thread. */
__attribute__((visibility("hidden"))) int tch_alt_stack_has(uint32_t tid);

/** In the child of a fork: keeps the stack of the thread that forked, and gives back the others. */
__attribute__((visibility("hidden"))) void tch_alt_stack_forked(uint32_t parent_tid);

/** Does what sigaltstack(2) does, as the program sees it. Where the program has no stack or a small
   one, the kernel gets ours. Returns 0, or a negative error number. */
__attribute__((visibility("hidden"))) long tch_alt_stack_set(const struct raw_stack *wanted,
                                                             struct raw_stack *before);

/** Starts the sampler thread of this process. */
__attribute__((visibility("hidden"))) void tch_sampler_start(int is_exec);

/** Reads the mappings if they have changed or something in them is missing: passes those of code to
   the reader, and finds the bounds of stacks. */
__attribute__((visibility("hidden"))) void tch_maps_read(uint64_t now);

/** Follows the mappings just before samples are taken, so that the reader knows all code that is in
   a sample. */
__attribute__((visibility("hidden"))) void tch_maps_follow(uint64_t now);

/** Returns the head of a record other than a sample. */
static inline struct tch_ring_record tch_sampler_head(uint32_t tid, uint32_t kind)
{
    return (struct tch_ring_record){.kind = kind,
                                    .pid = tch_sampler.pid,
                                    .tid = tid,
                                    .time = raw_clock(1 /* CLOCK_MONOTONIC */)};
}

/** Installs the handler for a signal that the program does not use. Returns the signal, or 0 if
   there is none. */
__attribute__((visibility("hidden"))) int tch_handler_install(void);

/** Installs the handler again after an exec that failed. */
__attribute__((visibility("hidden"))) void tch_handler_reinstall(void);

#endif
