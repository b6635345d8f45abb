/*
 * The preloaded object: a thread that samples the other threads of its process.
 *
 *     sampler.c   the thread: which threads run, and the signal to them
 *     handler.c   the signal's handler: registers and stack into the ring
 *     hooks.c     what of the program would disturb it: signals, fork, exec
 *     memory.c    memcpy() and memset(), which compilers call
 *
 * Who writes what. The sampler thread owns the table of threads. An entry's fields from `sent` on
 * belong to the handler in that thread while `sent` is 1; the handler sets it to 0 at its end. The
 * object never writes memory of the program, and keeps no descriptor in the program's table.
 */
#ifndef TCH_PRELOAD_SAMPLER_H
#define TCH_PRELOAD_SAMPLER_H

/* The kernel and dlsym() pass functions as data, which ISO C does not know. */
#pragma GCC diagnostic ignored "-Wpedantic"

#include "kit/flame/sample/ring_maps.h"
#include "raw.h"

enum { SAMPLER_THREADS = 2048, SAMPLER_COMM = 16 };

/** A thread of the program. */
struct sampled {
    uint32_t tid;     /**< 0: the entry is free */
    uint32_t seen;    /**< the number of the last scan that found it */
    int fd;           /**< descriptor of its stat file, in the sampler's own table; -1: none */
    uint32_t idle;    /**< rounds in which it did not run */
    uint64_t ran;     /**< its CPU clock when it was last checked */
    uint32_t named;   /**< the number of the scan after which its name was read */
    uint32_t waits;   /**< signals since it was last found on a CPU, not waiting for one */
    uint64_t sent_at; /**< when it was signalled last */
    uint64_t time;    /**< when the sample was taken */
    char comm[SAMPLER_COMM];
    uint64_t low;     /**< its stack is known to be mapped from here... */
    uint64_t high;    /**< ...to here; 0: not known */
    uint32_t sent;    /**< 1: signalled, and not yet handled */
    uint64_t counted; /**< the part of its CPU time that its samples have as weight */
    uint64_t slept;   /**< how often it had gone to sleep when its last signal arrived */
    uint32_t bursts;  /**< more than 0: it has slept between some of its last signals */
    uint64_t base;    /**< start of its thread-local memory, which is at the end of its stack */
};

/** One process. */
struct sampler {
    struct tch_ring_head *ring; /**< NULL: no sampling here */
    uint32_t pid;
    int signal;
    uint32_t stop;   /**< set before an exec: no more signals */
    uint32_t stale;  /**< an instruction outside of the known code was seen */
    uint32_t misled; /**< misleading samples dropped since the sampler last changed its CPU */
    uint64_t random;
    uint64_t
        before; /**< CPU clock of the first thread at the start, which an exec does not reset */
    uint64_t scanned; /**< when threads were looked for last */
    uint32_t scan;
    uint64_t stack_high; /**< where the main thread's stack ends */
    struct tch_code_ranges ranges;
    struct sampled threads[SAMPLER_THREADS];
    uint32_t thread_count; /**< entries in use, and free ones between them */
};

extern struct sampler tch_sampler __attribute__((visibility("hidden")));

/** The action that the program set for our signal. */
extern struct raw_sigaction tch_sampler_wanted __attribute__((visibility("hidden")));

/** Starts the sampler thread of this process. */
__attribute__((visibility("hidden"))) void tch_sampler_start(int is_exec);

/** Installs the handler for a signal that the program does not use; 0: there is none. */
__attribute__((visibility("hidden"))) int tch_handler_install(void);

/** Installs it again, after an exec that failed. */
__attribute__((visibility("hidden"))) void tch_handler_reinstall(void);

/** Finds the main thread's stack, by an address in it. */
__attribute__((visibility("hidden"))) void tch_sampler_main_stack(uint64_t addr);

#endif
