/*
 * Descriptors that the library keeps open between calls.
 *
 * A program may close them without knowing: a daemon closes all descriptors when it starts, and
 * dup2() replaces one. Its next open() then gets the same number, and the library would write into
 * a file of the program. So these descriptors have high numbers, which a program does not reach by
 * accident, and every use first checks that the number still leads to the file that was opened. A
 * descriptor that does not is never closed, because it belongs to the program.
 *
 * The check cannot see a program that opens the same file under the same number. Another thread
 * that replaces the descriptor between the check and the use is not seen, either.
 */
#ifndef TCH_OWNED_FD_H
#define TCH_OWNED_FD_H

#include <stdbool.h>
#include <sys/types.h>

#include <tacho/error.h>

struct tch_owned_fd {
    int fd; /**< -1: none. Another thread may change it by tch_owned_regain(). */
    dev_t dev;
    ino_t ino;
    mode_t type;
};

#define TCH_OWNED_NONE ((struct tch_owned_fd){.fd = -1})

/** Moves a new descriptor to a high number, if there is one, and remembers its file. `fd` may be
   -1, the result of an open() that failed. Returns the descriptor, or -1 with errno. */
int tch_owned_take(struct tch_owned_fd *o, int fd);

/** Returns the descriptor, for a call that follows at once. */
static inline int tch_owned_fd(const struct tch_owned_fd *o)
{
    return __atomic_load_n(&o->fd, __ATOMIC_RELAXED);
}

/** Returns whether the descriptor still leads to the file that was opened. Sets errno to EBADF
    if not. Signal-safe. */
bool tch_owned_holds(const struct tch_owned_fd *o);

/** Replaces a lost descriptor by `fd` if that leads to the same file; closes `fd` if not. Several
    threads may do this at the same time. */
bool tch_owned_retake(struct tch_owned_fd *o, int fd);

/** Returns whether the descriptor leads to its file, after it opened the file again if necessary.
    That is possible for a regular file or a folder that is still at `path`, relative to the folder
    `at` (AT_FDCWD). `flags` are those of open(2). The offset is then 0. Signal-safe. */
bool tch_owned_regain(struct tch_owned_fd *o, int at, const char *path, int flags);

/** Closes the descriptor, unless it was lost, and forgets it. Returns what close(2) returns; 0 for
   a lost one. */
int tch_owned_close(struct tch_owned_fd *o);

/** Duplicates the descriptor to a high number. Returns -1 with errno on failure. */
int tch_owned_dup(const struct tch_owned_fd *o);

/** Fails with TACHO_EIO because the descriptor of a file is lost. */
int tch_owned_fail(const char *path, tacho_error *err);

#endif
