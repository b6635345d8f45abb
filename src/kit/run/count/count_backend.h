/*
 * Back ends that count: one file each, listed in count.c. The first one of a kind that can count
 * the command is used.
 *
 * A back end makes one counted run in a process of its own, the counter, which tacho forks for it:
 * that process has the standard streams, the folder and the personality of the command, adopts
 * its orphans and kills them when the command exits. Both share a struct tch_tally.
 */
#ifndef TCH_COUNT_BACKEND_H
#define TCH_COUNT_BACKEND_H

#include <stdatomic.h>
#include <sys/types.h>

#include "count.h"

/** Results of one counted run, in memory that tacho and the counter share. */
struct tch_tally {
    int code;                     /**< 0, or TACHO_EUNSUPPORTED: another back end may; TACHO_EIO */
    char why[TCH_COUNT_TEXT];     /**< of that */
    int status;                   /**< of the command, as of waitpid() */
    bool aslr;                    /**< addresses could not be fixed */
    uint64_t wall_ns;             /**< of the command */
    double value[TCH_COUNTS];     /**< of the kinds that the back end counts */
    double part[TCH_COUNT_PARTS]; /**< tch_count_backend.part_names says of what */
    atomic_int listener;          /**< of count_seccomp.c: its descriptor + 1 */
    atomic_int exec_errno;        /**< why the command could not be executed */
};

/** The command, as a back end needs it. */
struct tch_count_target {
    const struct tch_run_plan *plan;
    const char *const *argv;
    const char *path; /**< of the program, as it is executed */
    const char *cwd;  /**< NULL: ours */
    const char *file; /**< of the program, from our folder */
    char **env;       /**< "K=V", NULL-ended, without those that a back end adds */
};

struct tch_count_backend {
    unsigned counts; /**< a bit per kind */
    /** Describes what counts, and finds out whether it can count this command.
        false: why says why not. */
    bool (*check)(const struct tch_count_target *t, char source[TCH_COUNT_TEXT],
                  char why[TCH_COUNT_TEXT]);
    /** Makes one run, in the counter. */
    void (*count)(const struct tch_count_target *t, struct tch_tally *tally);
    const char *const *part_names; /**< of the parts that it counts; NULL: there are none */
    bool by_cpu;                   /**< the count depends on the CPU */
};

extern const struct tch_count_backend tch_count_allocations;
extern const struct tch_count_backend tch_count_cachegrind;
extern const struct tch_count_backend tch_count_faults;
extern const struct tch_count_backend tch_count_perf;
extern const struct tch_count_backend tch_count_seccomp;
extern const struct tch_count_backend tch_count_ptrace;

/** Forks the counter and lets it make one run. @return 0 with the tally filled, TACHO_ENOMEM,
    TACHO_EIO */
int tch_count_run(const struct tch_count_backend *backend, const struct tch_count_target *t,
                  const volatile sig_atomic_t *stop, struct tch_tally *tally, tacho_error *err);

/* --- For back ends, in the counter --- */

/** How the command is started. */
struct tch_count_start {
    const char *path;
    const char *const *argv;
    char *const *env;
    unsigned long flags;            /**< of clone(2), such as CLONE_FILES */
    void (*before_exec)(void *ctx); /**< in the child; system calls alone; may be NULL */
    void *ctx;
};

/** Starts the command in a process group of its own. @return its pid, or -1 with the tally's code
    set */
pid_t tch_count_start(const struct tch_count_start *start, struct tch_tally *tally);

/** Waits until the command has exited and sets the tally's status. */
void tch_count_wait(pid_t pid, struct tch_tally *tally);

/** Sets the tally's code and reason. */
void tch_tally_fail(struct tch_tally *tally, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/** The names of the system calls of this machine, by their numbers; NULL where there is none. The
    last one is for calls of another architecture. */
extern const char *const tch_syscall_names[TCH_COUNT_PARTS];

#endif
