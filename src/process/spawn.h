/*
 * Starts other programs, waits for them and reads their output.
 *
 *     struct tch_spawn s = {.argv = argv, .io = {[1] = {.kind = TCH_IO_NULL}}};
 *     tch_spawn(&s, &pid, err);
 *     tch_spawn_wait(pid, &end, err);
 *
 * It uses posix_spawn(), so that the cost does not grow with our memory. Each function returns 0 or
 * a negative code and fills err.
 */
#ifndef TCH_SPAWN_H
#define TCH_SPAWN_H

#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <tacho/error.h>

#include "base/buf.h"

/** Where the child's standard input, output or error goes. */
enum tch_io_kind {
    TCH_IO_INHERIT, /**< the same as ours */
    TCH_IO_NULL,    /**< /dev/null */
    TCH_IO_READ,    /**< the file `path`, which must exist */
    TCH_IO_WRITE,   /**< the file `path`, emptied first */
    TCH_IO_APPEND,  /**< the file `path`, at its end */
    TCH_IO_FD,      /**< our descriptor `fd`, which stays open here */
};

struct tch_io {
    enum tch_io_kind kind;
    const char *path; /**< relative to our folder, not to the child's */
    int fd;
};

/** A program to start. Members that are zero, except argv, mean: the same as ours. */
struct tch_spawn {
    const char *const *argv; /**< ends with NULL; argv[0] is searched for on our PATH, unless it has
                                a slash: then a relative path is relative to the child's folder */
    const char *path;        /**< the program, when found before; NULL: argv[0] names it */
    const char *const *env;  /**< "NAME=VALUE", ends with NULL; NULL: our environment */
    const char *const *extra_env; /**< NULL, or pairs that replace those of the same name; "NAME"
                                     alone removes NAME; the last entry of a name counts */
    const char *cwd;              /**< its folder; NULL: ours */
    struct tch_io io[3];          /**< standard input, output, error */
    bool new_group;               /**< a process group of its own, whose number is its pid */
};

/**
 * Starts a program. Every signal has its default action, except that a SIGHUP ignored here stays
 * ignored. No signal is blocked. Our descriptors without O_CLOEXEC are inherited.
 *
 * @return 0, TACHO_ENOMEM, or TACHO_EIO with a message that names what was missing: the program,
 * the folder, the file of a redirection
 */
int tch_spawn(const struct tch_spawn *s, pid_t *ret, tacho_error *err);

/** A program that is ready to start: the work of tch_spawn() before the program begins, for callers
    that measure from there on. Private to this folder. */
struct tch_spawn_ready {
    const struct tch_spawn *spec;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    bool has_actions;
    bool has_attr;
    int cwd;          /* -1: none */
    int fds[3];       /* opened here for the child; -1: none */
    const char **env; /* allocated, its strings are not; NULL: spec->env or environ as it is */
};

/** Opens and merges everything that s asks for. s must outlive p. Call tch_spawn_release() in any
    case. */
int tch_spawn_prepare(struct tch_spawn_ready *p, const struct tch_spawn *s, tacho_error *err);

/** Starts the program by one posix_spawn(). */
int tch_spawn_start(const struct tch_spawn_ready *p, pid_t *ret, tacho_error *err);

void tch_spawn_release(struct tch_spawn_ready *p);

/** Becomes the program: for a child that was forked, which has one thread. Signals are as
    tch_spawn() says. @return a negative code, as tch_spawn() does */
int tch_spawn_exec(const struct tch_spawn *s, tacho_error *err);

/** Fails with the message for a program that cannot be run: the errno, and what to do. */
int tch_spawn_failed(tacho_error *err, const char *name, int number);

/** How a child exited. */
struct tch_spawn_end {
    int status; /**< as of waitpid(): WIFEXITED() and so on */
    /** Resources used by the child and the children that it waited for. Beware of ru_maxrss: it
        includes the memory of the process that spawned (from a process of 300 MB, `true` "used" 308
        MB), with fork, vfork and posix_spawn alike. Spawn from a small process, or read VmHWM of
        /proc or memory.peak of the cgroup instead. */
    struct rusage usage;
};

/** Waits until the child has exited, despite signals. */
int tch_spawn_wait(pid_t pid, struct tch_spawn_end *ret, tacho_error *err);

/** Waits at most limit_ns. @return 1, 0 when the child is still running, or a negative code */
int tch_spawn_wait_for(pid_t pid, uint64_t limit_ns, struct tch_spawn_end *ret, tacho_error *err);

/**
 * Waits for a child that has its own process group (`new_group`). Once *stop is not 0, ends it, its
 * descendants and the group, as tch_tree_end() does.
 *
 * @param grace_ns  time between SIGTERM and SIGKILL
 * @param ret       set when the child has exited, also when it was stopped
 * @return 0 also when it was stopped: the caller checks *stop
 */
int tch_spawn_wait_or_stop(pid_t pid, const volatile sig_atomic_t *stop, uint64_t grace_ns,
                           struct tch_spawn_end *ret, tacho_error *err);

/**
 * Runs a program until it exits and adds its standard output to `out`, up to the limit of that
 * buffer. Ignores s->io[1] and s->new_group.
 *
 * When the program prints more than fits, or has not closed its output and exited after timeout_ns
 * (0: no limit), it, its descendants and its process group are killed. Then the function returns
 * TACHO_ELIMIT with a message that says which, and `out` holds the output so far. An exit status
 * other than 0 is not a failure here: see *ret.
 *
 * @param ret  may be NULL; set on success only
 */
int tch_spawn_read(const struct tch_spawn *s, uint64_t timeout_ns, struct tch_buf *out,
                   struct tch_spawn_end *ret, tacho_error *err);

/**
 * Finds the program that tch_spawn() would start for a name: on PATH, or the file itself when the
 * name has a slash.
 *
 * @param path  set on success only
 * @return 0, TACHO_EIO when there is no executable, TACHO_ELIMIT when `size` is too small
 */
int tch_find_program(const char *name, char *path, size_t size, tacho_error *err);

#endif
