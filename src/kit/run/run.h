/*
 * Runs a plan: commands in turn, as often as it takes, every sample on disk when it is taken.
 *
 *     tch_run_open(&run, &plan, &err);       folders, the spawner: early, while we are small
 *     tch_run_measure(&run, &watch, &err);
 *     tch_run_finish(&run, &err);            run.json of each command, whatever came before
 *     tch_run_release(&run);
 */
#ifndef TCH_RUN_H
#define TCH_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "advise.h"
#include "bench_server.h"
#include "kit/run/spawner/spawner.h"
#include "receipt.h"
#include "run_folder.h"
#include "run_plan.h"
#include "run_timeline.h"

/** One command of the plan and what came of it. */
struct tch_run_item {
    struct tch_folder folder;
    struct tch_receipt receipt;
    int log_fd; /**< samples.jsonl */
    int out_fd; /**< what it prints, kept for metrics and messages; -1: not kept */
    int err_fd;
    struct tch_run_timeline timeline;
    tacho_error flame_error; /**< why it has no flamegraph; message "" otherwise */
    off_t out_from;          /**< where the output of the run that goes on begins */
};

enum tch_run_state { TCH_RUN_COMPLETE, TCH_RUN_INTERRUPTED, TCH_RUN_FAILED };

struct tch_run {
    struct tch_run_plan *plan;
    struct tch_run_item *items; /**< one a command */
    struct tch_target *targets;
    struct tch_spawner *spawner;
    struct tch_run_meter meter;
    struct tch_run_server server;
    struct tch_surroundings surroundings;
    char group[TCH_RUN_ID]; /**< "" for one command */
    double alpha;           /**< 1 - confidence of every interval */
    uint64_t runs_before;   /**< made in this folder earlier: numbers go on from there */
    uint64_t pairs_before;
    uint64_t begin_ns; /**< of measuring */
    struct tch_run_server_use server_use;
    tacho_error server_flame_error; /**< message "" when there is nothing to tell */
    struct tch_machine_state before;

    enum tch_run_state state;
    const char *stopped;
    struct tch_run_sample bad; /**< the run that failed, when the state says so */
    size_t bad_index;          /**< of its command */
    bool bad_warmup;
};

/** Who looks on. */
struct tch_run_watch {
    const volatile sig_atomic_t *stop; /**< not 0: end now; may be NULL */
    void (*step)(void *ctx, const struct tch_run *run, double share); /**< may be NULL */
    void *ctx;
};

/** run is released by the caller in any case. */
int tch_run_open(struct tch_run *run, struct tch_run_plan *plan, tacho_error *err);

/** Runs it all, then once more for each flamegraph that the plan asks for. That a command failed is
    told by run->state, not by an error. */
int tch_run_measure(struct tch_run *run, const struct tch_run_watch *watch, tacho_error *err);

/** After that: so many runs more of each command, in the same folders. Changes the plan. */
int tch_run_more(struct tch_run *run, uint64_t runs, const struct tch_run_watch *watch,
                 tacho_error *err);

/** One extra run of a command, not counted, under the profiler: flamegraph-NAME.svg in its folder.
    0, or what tacho_flame_capture() says. */
int tch_run_flame(const struct tch_run *run, size_t index, tacho_error *err);

/** One extra run of the first command, not counted, with the server under the profiler:
    flamegraph-NAME-server.svg in the first folder. As above. */
int tch_run_flame_server(const struct tch_run *run, tacho_error *err);

/** Sums up and writes each run.json; samples.jsonl goes. */
int tch_run_finish(struct tch_run *run, tacho_error *err);

void tch_run_release(struct tch_run *run);

/**
 * A run in parts, for who decides between two runs what comes next: the folder of the plan's one
 * command and the head of its receipt are made, and nothing is run.
 *
 * @param group  of the runs that are compared with it; or NULL
 */
int tch_run_create_folder(struct tch_folder *folder, const struct tch_run_plan *plan,
                          const char *group, const struct tch_surroundings *s, tacho_error *err);

/** As tch_run_open(), but it goes on in such a folder, in which `runs` were made; what a run that
    was killed has left of itself goes. pairs: of the rounds before. Do not tch_run_finish() it. */
int tch_run_resume(struct tch_run *run, struct tch_run_plan *plan, const char *folder,
                   uint64_t runs, uint64_t pairs, tacho_error *err);

/** On such a run, after its last part: what tch_run_measure() draws when the plan asks for it. */
int tch_run_flames(struct tch_run *run, const struct tch_run_watch *watch, tacho_error *err);

/** Completes it: run.json is written from samples.jsonl. r is what tch_receipt_load() gave. */
int tch_run_complete(struct tch_receipt *r, const char *folder, const struct tch_run_end *end,
                     bool trace, tacho_error *err);

/** setup, prepare and the like: by a shell, not measured. `what` names it in messages; a line that
    is NULL is fine. 0, or TACHO_EIO when it failed. */
int tch_run_hook(const struct tch_run_plan *plan, const char *what, const char *line,
                 tacho_error *err);

/** Completes the folder of a run that was killed: run.json is written from samples.jsonl.
    r is what tch_receipt_load() gave. */
int tch_run_recover(struct tch_receipt *r, const char *folder, tacho_error *err);

/** The last lines, at most `lines`, of what the failed run printed on standard error. */
void tch_run_last_words(const struct tch_run *run, unsigned lines, struct tch_buf *b);

#endif
