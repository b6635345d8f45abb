/*
 * Work in a child process of limited CPU time and memory.
 *
 * Some functions of the C library cannot be stopped: regexec() takes no time limit, and neither a
 * signal handler nor another thread may abort it, because it may hold a lock of malloc(). A process
 * can be killed at any time.
 */
#ifndef TCH_LIMITED_CHILD_H
#define TCH_LIMITED_CHILD_H

#include <signal.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/buf.h"

struct tch_child_limits {
    uint64_t cpu_seconds;
    uint64_t memory_bytes;             /**< in addition to the memory that this process has */
    const volatile sig_atomic_t *stop; /**< not 0: kill the child; may be NULL */
};

/**
 * Calls work(fd, ctx) in a child process and adds the bytes that it writes to fd to `answer`, also
 * those of a child that is killed. work() calls _exit(1) when memory runs out.
 *
 * @return 0, TACHO_ELIMIT when the child took too much time or died, TACHO_ENOMEM, or TACHO_EIO,
 * with ECANCELED as system_errno when *stop was set. The message is the reason alone.
 */
int tch_child_call(const struct tch_child_limits *limits, void (*work)(int fd, void *ctx),
                   void *ctx, struct tch_buf *answer, tacho_error *err);

/** Sets a soft limit (RLIMIT_...) of this process, unless the hard one is lower. */
void tch_child_limit(int resource, uint64_t value);

/** Returns the bytes that count for RLIMIT_DATA, such as those of a sanitizer. */
uint64_t tch_child_memory(void);

#endif
