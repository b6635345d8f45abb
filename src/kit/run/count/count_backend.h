/*
 * Back ends that count: one file each, listed in count.c. For each kind, the first one that can
 * count the command is used.
 *
 * tacho forks a process for each counted run, the counter, in which the back end works. The counter
 * has the standard streams, the folder and the personality of the command. It adopts the command's
 * orphans and kills them when the command exits. Results are in a struct tch_tally, which both
 * processes share.
 */
#ifndef TCH_COUNT_BACKEND_H
#define TCH_COUNT_BACKEND_H

#include <stdatomic.h>
#include <sys/types.h>

#include "count.h"

/** Results of one counted run, in memory that tacho and the counter share. */
struct tch_tally {
    int code; /**< 0; TACHO_EUNSUPPORTED: another back end may succeed; or TACHO_EIO */
    char why[TCH_COUNT_TEXT];     /**< reason, if code is not 0 */
    int status;                   /**< exit status of the command, as waitpid() reports it */
    bool aslr;                    /**< address space randomisation could not be switched off */
    uint64_t wall_ns;             /**< wall time of the command */
    double value[TCH_COUNTS];     /**< counts of the kinds that the back end supports */
    double part[TCH_COUNT_PARTS]; /**< counts by name; tch_count_backend.part_names has the names */
    atomic_int listener;          /**< used by count_seccomp.c: its descriptor + 1 */
    atomic_int exec_errno;        /**< why the command could not be executed */
};

/** The command in the form that a back end needs. */
struct tch_count_target {
    const struct tch_run_plan *plan;
    const char *const *argv;
    const char *path; /**< path of the program, as it is executed */
    const char *cwd;  /**< working folder; NULL: ours */
    const char *file; /**< path of the program, relative to our folder */
    char **env;       /**< "K=V", NULL-terminated, without variables that a back end adds */
    int stacks_fd;    /**< used by count_stacks.c: where the counter writes the stacks */
    enum tch_count_kind stacks_of; /**< used by count_stacks.c: the calls whose stacks it takes */
};

struct tch_count_backend {
    unsigned counts;    /**< kinds that it counts, one bit each */
    const char *source; /**< describes what counts; NULL: check does */
    /** Checks whether it can count this command. If not, returns false and sets why. May replace
        source. NULL: it always can. */
    bool (*check)(const struct tch_count_target *t, char source[TCH_COUNT_TEXT],
                  char why[TCH_COUNT_TEXT]);
    /** Makes one counted run. Called in the counter. */
    void (*count)(const struct tch_count_target *t, struct tch_tally *tally);
    const char *const *part_names; /**< names of the parts that it counts; NULL: none */
    bool by_cpu;                   /**< the count depends on the CPU */
};

extern const struct tch_count_backend tch_count_allocations;
extern const struct tch_count_backend tch_count_cachegrind;
extern const struct tch_count_backend tch_count_faults;
extern const struct tch_count_backend tch_count_perf;
extern const struct tch_count_backend tch_count_seccomp;
extern const struct tch_count_backend tch_count_ptrace;

/**
 * Forks the counter and waits until it has made one run.
 *
 * @return 0 with the tally filled, TACHO_ENOMEM, TACHO_EIO
 */
int tch_count_run(const struct tch_count_backend *backend, const struct tch_count_target *t,
                  const volatile sig_atomic_t *stop, struct tch_tally *tally, tacho_error *err);

/** Makes one run of a job with its hooks. Returns what tch_count_run() and the hooks return, or
    TACHO_EIO if the job was stopped. */
int tch_count_make_run(const struct tch_count_job *job, const struct tch_count_backend *backend,
                       const struct tch_count_target *t, struct tch_tally *tally, tacho_error *err);

/** Returns whether the command succeeded. If not, and if the plan requires success, describes how
    it failed in `why`. */
bool tch_count_succeeded(const struct tch_run_plan *plan, const struct tch_tally *tally,
                         char why[TCH_COUNT_TEXT]);

/* --- For back ends, in the counter --- */

/** How the command is started. */
struct tch_count_start {
    const char *path;
    const char *const *argv;
    char *const *env;
    unsigned long flags; /**< flags of clone(2), such as CLONE_FILES */
    /** Called in the child; must use system calls only; may be NULL. */
    void (*before_exec)(void *ctx);
    void *ctx;
};

/**
 * Starts the command in its own process group.
 *
 * @return its pid, or -1 with the tally's code set
 */
pid_t tch_count_start(const struct tch_count_start *start, struct tch_tally *tally);

/**
 * Starts the command like tch_count_start(), but the child waits before its exec until the caller
 * closes *hold. Sets start->before_exec.
 */
pid_t tch_count_start_held(struct tch_count_start *start, int *hold, struct tch_tally *tally);

/** A system call that a traced thread is about to make. */
struct tch_traced_call {
    pid_t tid;
    bool first;  /**< the exec that starts the command; it has no stack */
    size_t part; /**< index in tch_syscall_names */
    uint64_t nr; /**< number of the call; UINT64_MAX: of another architecture */
    const uint64_t *args;
};

/** Runs the command under ptrace and calls on_call at each system call, until the command has
    exited or on_call returns false. */
void tch_count_trace(struct tch_count_start *start, struct tch_tally *tally,
                     bool (*on_call)(void *ctx, const struct tch_traced_call *call), void *ctx);

/**
 * Prepares a run with the preloaded counters: sets the path, the arguments and the environment of
 * `start`.
 *
 * @return the counters, or NULL with the tally's code set
 */
struct tch_allocation_counters *tch_allocations_prepare(const struct tch_count_target *t,
                                                        struct tch_count_start *start,
                                                        struct tch_tally *tally);

/** Names of the allocating functions by enum tch_allocator. */
extern const char *const tch_allocator_names[TCH_COUNT_PARTS];

/** Waits until the command has exited and sets the tally's status. */
void tch_count_wait(pid_t pid, struct tch_tally *tally);

/** Sets the tally's code and reason. */
void tch_tally_fail(struct tch_tally *tally, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/** Names of the system calls of this machine by number; NULL for unused numbers. The last name is
    for calls of another architecture. */
extern const char *const tch_syscall_names[TCH_COUNT_PARTS];

#endif
