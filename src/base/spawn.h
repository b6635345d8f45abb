/*
 * Starting other programs, waiting for them, reading what they print.
 *
 *     struct tch_spawn s = {.argv = argv, .io = {[1] = {.kind = TCH_IO_NULL}}};
 *     tch_spawn(&s, &pid, err);
 *     tch_spawn_wait(pid, &end, err);
 *
 * posix_spawn() does it, so that its cost does not grow with our memory. Each function returns 0
 * or a negative code and fills err.
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

#include "buf.h"

/** Where the child's standard input, output or error goes. */
enum tch_io_kind {
    TCH_IO_INHERIT, /**< where ours does */
    TCH_IO_NULL,    /**< /dev/null */
    TCH_IO_READ,    /**< the file `path`, which must exist */
    TCH_IO_WRITE,   /**< the file `path`, emptied first */
    TCH_IO_APPEND,  /**< the file `path`, at its end */
    TCH_IO_FD,      /**< the descriptor `fd` of ours, which stays open here */
};

struct tch_io {
    enum tch_io_kind kind;
    const char *path; /**< a relative one counts from our folder, not from the child's */
    int fd;
};

/** What to start, and how. All zero but argv: as we are. */
struct tch_spawn {
    const char *const *argv; /**< ends with NULL; argv[0] is searched for on our PATH, unless it has
                                  a slash: then a relative one counts from the child's folder */
    const char *path;        /**< the program, when found before; NULL: argv[0] says which */
    const char *const *env;  /**< "NAME=VALUE", ends with NULL; NULL: our environment */
    const char *const *extra_env; /**< NULL, or such pairs that replace those of the same name;
                                       "NAME" alone takes NAME away; the last word holds */
    const char *cwd;              /**< its folder; NULL: ours */
    struct tch_io io[3];          /**< standard input, output, error */
    bool new_group;               /**< a process group of its own, whose number is its pid */
};

/**
 * Starts a program. It has the default action for every signal, but a SIGHUP that we ignore it
 * ignores, too; none is blocked. Descriptors of
 * ours without O_CLOEXEC are inherited.
 *
 * @return 0, TACHO_ENOMEM, or TACHO_EIO with a message that tells what was missing: the program,
 *         the folder, the file of a redirection
 */
int tch_spawn(const struct tch_spawn *s, pid_t *ret, tacho_error *err);

/** Ready to start: what tch_spawn() does before the program begins, for who measures from there
    on. Not to be touched. */
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

/** Opens and merges what s asks for. s must outlive p; tch_spawn_release() in any case. */
int tch_spawn_prepare(struct tch_spawn_ready *p, const struct tch_spawn *s, tacho_error *err);

/** Starts it: one posix_spawn(). */
int tch_spawn_start(const struct tch_spawn_ready *p, pid_t *ret, tacho_error *err);

void tch_spawn_release(struct tch_spawn_ready *p);

/** How a child ended. */
struct tch_spawn_end {
    int status; /**< as of waitpid(): WIFEXITED() and so on */
    /** What it and the children that it waited for used. Beware of ru_maxrss: it includes the
        memory of the process that spawned (from a process of 300 MB, `true` "used" 308 MB), with
        fork, vfork and posix_spawn alike. Spawn from a small process, or read VmHWM of /proc or
        memory.peak of the cgroup instead. */
    struct rusage usage;
};

/** Waits until the child has ended, whatever signals come. */
int tch_spawn_wait(pid_t pid, struct tch_spawn_end *ret, tacho_error *err);

/** Waits at most limit_ns. @return 1, 0 when the child still runs, or a negative code */
int tch_spawn_wait_for(pid_t pid, uint64_t limit_ns, struct tch_spawn_end *ret, tacho_error *err);

/**
 * Waits for a child that has a process group of its own (`new_group`). Once *stop is not 0, the
 * group gets SIGTERM and, when the child has not exited after grace_ns, SIGKILL.
 *
 * @param ret  set when the child has exited, also when it was stopped
 * @return 0 also when it was stopped: the caller sees *stop
 */
int tch_spawn_wait_or_stop(pid_t pid, const volatile sig_atomic_t *stop, uint64_t grace_ns,
                           struct tch_spawn_end *ret, tacho_error *err);

/**
 * Runs a program to its end and adds what it prints on standard output to `out`, whose limit
 * holds. s->io[1] and s->new_group are not looked at.
 *
 * When it prints more than fits, or has not closed its output and ended after timeout_ns (0: no
 * limit), it and its process group are killed: TACHO_ELIMIT, with a message that says which, and
 * `out` holds what came until then. That it ended with another status than 0 is no failure here:
 * see *ret.
 *
 * @param ret  may be NULL; set on success only
 */
int tch_spawn_read(const struct tch_spawn *s, uint64_t timeout_ns, struct tch_buf *out,
                   struct tch_spawn_end *ret, tacho_error *err);

/**
 * Finds what tch_spawn() would start for a name: on PATH, or the file itself when it has a slash.
 *
 * @param path  set on success only
 * @return 0, or TACHO_EIO when there is none that may be run, TACHO_ELIMIT when `size` is too small
 */
int tch_find_program(const char *name, char *path, size_t size, tacho_error *err);

#endif
