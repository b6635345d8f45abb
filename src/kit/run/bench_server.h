/*
 * A server that commands are run against: started once, watched, ended afterwards.
 */
#ifndef TCH_BENCH_SERVER_H
#define TCH_BENCH_SERVER_H

#include <regex.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include <tacho/csv.h>
#include <tacho/memory.h>

#include "run_plan.h"

struct tch_run_server {
    pid_t pid;  /**< 0: none */
    int log_fd; /**< what it prints */
    tacho_tree *tree;
    tacho_csv *memory;
    tacho_tree_sample last;  /**< the last look */
    uint64_t peak_rss_bytes; /**< of its tree, as far as looks saw it */
    uint64_t begin_cpu_ns;   /**< when it was ready */
    double ready_s;          /**< from its start */

    tacho_csv *power; /**< NULL: nobody knows the machine's energy */
    double joules;    /**< its share since it was ready */
    struct {
        uint64_t ns;
        uint64_t cpu_ns;  /**< its own */
        uint64_t busy_ns; /**< of the machine */
        double joules;    /**< of the machine */
    } mark;               /**< what the share was last reckoned from */
};

/**
 * Starts plan->server by sh -c in a process group of its own. Its output goes to FOLDER/server.log,
 * its memory over time to FOLDER/server-memory.csv. tch_run_server_stop() in any case.
 */
int tch_run_server_start(struct tch_run_server *s, const struct tch_run_plan *plan,
                         const char *folder, tacho_error *err);

/**
 * Waits until it is ready: until a line of what it prints matches ready, or, when that is a number,
 * until that port of this machine takes connections. It is measured from then on.
 *
 * @param stop  not 0: wait no longer; may be NULL
 * @return 0, 1 when it was stopped, TACHO_EINVAL, TACHO_EIO (also when it ends before it is ready),
 * TACHO_ELIMIT when it is not ready in time
 */
int tch_run_server_await(struct tch_run_server *s, const char *ready,
                         const volatile sig_atomic_t *stop, tacho_error *err);

/**
 * Begins to reckon its share of the machine's energy, by CPU time: FOLDER/server-power.csv.
 *
 * @param joules  of the machine, from any beginning
 */
int tch_run_server_power_begin(struct tch_run_server *s, const char *folder, double joules,
                               tacho_error *err);

/** Goes on with that. A row each tenth of a second: CPU time is counted in ticks. */
void tch_run_server_power(struct tch_run_server *s, double joules, bool last);

/** Looks at its process tree. 1 while it lives, 0 when it has ended. */
int tch_run_server_look(struct tch_run_server *s);

/** TERM to its group, KILL after the grace time; the files are closed. */
void tch_run_server_stop(struct tch_run_server *s);

#endif
