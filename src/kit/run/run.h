/*
 * Runs the commands of a plan interleaved until there are enough samples. Each sample is on disk
 * when its run is complete.
 *
 *     tch_run_open(&run, &plan, &err);       creates folders; forks the spawner, while small
 *     tch_run_measure(&run, &watch, &err);
 *     tch_run_finish(&run, &err);            writes run.json of each command, even after a failure
 *     tch_run_release(&run);
 */
#ifndef TCH_RUN_H
#define TCH_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "advise_machine.h"
#include "kit/recorded/recorded.h"
#include "kit/result/result.h"
#include "kit/result/run_folder.h"
#include "kit/run/spawner/spawner.h"
#include "plan/run_plan.h"
#include "run_meter.h"
#include "run_result.h"
#include "surroundings.h"

/** One command of the plan and its results. */
struct tch_run_item {
    struct tch_folder folder;
    struct tch_result result;
    char commit[TCH_VCS_HASH]; /**< passed to programs as TACHO_PROFILE_COMMIT_SHA */
    int log_fd;                /**< samples.jsonl */
    int out_fd; /**< output of the command, kept for metrics and messages; -1: not kept */
    int err_fd;
    struct tch_run_timeline timeline;
    struct tch_recorded recorded;          /**< what was read of the program's records */
    tacho_error flame_error;               /**< why it has no flamegraph; message "" otherwise */
    off_t out_from;                        /**< where the output of the current run begins */
    char layout_sha256[TACHO_SHA256_TEXT]; /**< hash of the program in its first layout; "": none */
    bool relinked;                         /**< a later layout has other bytes */
};

enum tch_run_state { TCH_RUN_COMPLETE, TCH_RUN_INTERRUPTED, TCH_RUN_FAILED };

struct tch_run {
    struct tch_run_plan *plan;
    struct tch_run_item *items; /**< one per command */
    struct tch_target *targets;
    struct tch_spawner *spawner;
    struct tch_run_meter meter;
    bool waiting; /**< for the server to be ready */
    struct tch_run_server server;
    struct tch_surroundings surroundings;
    char group[TCH_RUN_ID]; /**< "" for one command */
    double alpha;           /**< 1 - confidence of the interval at one check of the precision */
    uint64_t runs_before;   /**< runs made earlier in this folder; numbering continues after them */
    uint64_t pairs_before;
    uint64_t layout;   /**< layout that the commands are linked with; 0: not linked again */
    uint64_t begin_ns; /**< when measuring began */
    struct tch_result_server server_use;
    tacho_error server_flame_error; /**< why the server has no flamegraph; message "" otherwise */
    struct tch_machine_state before;

    const struct tch_run_watch *watch; /**< callbacks, while the run measures; else NULL */
    enum tch_run_state state;
    const char *stopped;
    struct tch_run_sample bad; /**< the failed run, if state is TCH_RUN_FAILED */
    size_t bad_index;          /**< index of its command */
    bool bad_warmup;
    char bad_check[240]; /**< why that run did not pass its check; "": it failed by itself */
    bool counted;        /**< tch_run_count() was called */
    bool left_running;   /**< a run left processes running */
};

/** How the caller follows and stops a measurement. */
struct tch_run_watch {
    const volatile sig_atomic_t *stop; /**< not 0: stop now; may be NULL */
    void (*step)(void *ctx, const struct tch_run *run, double share); /**< may be NULL */
    void (*hook)(void *ctx); /**< before a hook, which may print; may be NULL */
    void *ctx;
};

/** Opens a run: creates folders and results, forks the spawner. Call tch_run_release() in any
    case. */
int tch_run_open(struct tch_run *run, struct tch_run_plan *plan, tacho_error *err);

/** Makes all runs, and one more for each flamegraph of the plan. A command that fails sets
    run->state and is not an error. */
int tch_run_measure(struct tch_run *run, const struct tch_run_watch *watch, tacho_error *err);

/** Makes more runs of each command after tch_run_measure(), in the same folders. Changes the
    plan. */
int tch_run_more(struct tch_run *run, uint64_t runs, const struct tch_run_watch *watch,
                 tacho_error *err);

/** Makes one extra run of a command under the profiler, which does not count, and writes
    flamegraph-NAME.svg to its folder. Adds the warnings of the profiler. Returns the result of
    tacho_flame_capture(). */
int tch_run_flame(const struct tch_run *run, size_t index, struct tch_warnings *warnings,
                  tacho_error *err);

/** Does the same for the server while the first command runs, and writes flamegraph-NAME-server.svg
    and .folded to the first folder. */
int tch_run_flame_server(const struct tch_run *run, struct tch_warnings *warnings,
                         tacho_error *err);

/** Turns "no samples" into a warning: a short command is not sampled, but its measurements are
    fine. Clears the error. Returns false, and changes nothing, if it has another reason. */
bool tch_run_flame_excuse(tacho_error *err, struct tch_warnings *warnings);

/** Makes the counted runs of all commands, unless they were made. A count that cannot be made is
    not an error; the result says why. */
int tch_run_count(struct tch_run *run, const struct tch_run_watch *watch, tacho_error *err);

/** Takes the stacks of the calls that a command's counts are made of: tch_count_take_stacks(). stop
    may be NULL. */
int tch_run_take_stacks(struct tch_run *run, size_t index, const volatile sig_atomic_t *stop,
                        tacho_error *err);

/** Writes each run.json and removes samples.jsonl. */
int tch_run_finish(struct tch_run *run, tacho_error *err);

void tch_run_release(struct tch_run *run);

/**
 * Creates the folder of the plan's only command with the head of its result, and runs nothing. For
 * callers that decide between two runs which run is next.
 *
 * @param group  id of the runs that are compared with it, or NULL
 */
int tch_run_create_folder(struct tch_folder *folder, const struct tch_run_plan *plan,
                          const char *group, const struct tch_surroundings *s, tacho_error *err);

/** Opens a run like tch_run_open(), in a folder of tch_run_create_folder(), after the `runs` and
    `pairs` (rounds) that were made there. Removes the files that a killed run left. Do not call
    tch_run_finish() for it. */
int tch_run_resume(struct tch_run *run, struct tch_run_plan *plan, const char *folder,
                   uint64_t runs, uint64_t pairs, tacho_error *err);

/** Makes the extra runs for flamegraphs and counts of a resumed run, after its last part, as
    tch_run_measure() does. */
int tch_run_extras(struct tch_run *run, const struct tch_run_watch *watch, tacho_error *err);

/** Ends the result, writes run.json and trace.json, and removes samples.jsonl. r must contain all
    runs, measured or from tch_result_load(). */
int tch_run_complete(struct tch_result *r, struct tch_recorded *rec,
                     const struct tch_result_end *end, bool trace, tacho_error *err);

/**
 * Runs a line of --setup, --prepare and so on by a shell, not measured. `what` names it in
 * messages. Accepts a NULL line.
 *
 * @param stop  not 0: kill the line, as a run is killed. If *stop is not 0 before the line starts,
 * the line may still run for TCH_HOOK_LAST_NS. NULL: no limit
 * @return 0, or TACHO_EIO if it failed or was stopped (system_errno is then ECANCELED)
 */
int tch_run_hook(const struct tch_run_plan *plan, const char *what, const char *line,
                 const volatile sig_atomic_t *stop, tacho_error *err);

/**
 * Runs a line by a shell as above, with a file as its standard input; NULL: /dev/null.
 *
 * @param wait_status  how it exited, as waitpid() reports it
 * @param stopped      set if it was killed because of `stop`
 */
int tch_run_shell(const struct tch_run_plan *plan, const char *line, const char *input,
                  const volatile sig_atomic_t *stop, int *wait_status, bool *stopped,
                  tacho_error *err);

/** Completes the folder of a killed run. r comes from tch_recorded_load(). Writes nothing and
   returns TACHO_EINVAL if the folder belongs to another user or is in use. */
int tch_run_recover(struct tch_result *r, const char *folder, tacho_error *err);

/** Adds how the failed run ended: "failed with status 1", "exceeded its timeout after 3 s". */
void tch_run_describe_failure(struct tch_buf *b, const struct tch_run *run);

/** Adds the last lines, at most `lines`, that the failed run printed to standard error. */
void tch_run_last_words(const struct tch_run *run, unsigned lines, struct tch_buf *b);

/* The steps of one run, which run_one.c and run_hook.c provide for the loop of run.c. */

/** Runs the hook of a command like tch_run_hook(), in the folder where the command runs. */
int tch_run_hook_at(const struct tch_run *run, size_t index, enum tch_hook hook, tacho_error *err);

/** Returns the layout of a round, from 1; 0 if the plan has no layouts. */
uint64_t tch_run_layout_of(const struct tch_run_plan *plan, uint64_t pair);

/** Links all commands with the layout of a round, unless they already are. The seed is the number
    of the layout, so all commands and later runs get the same layouts. */
int tch_run_relink(struct tch_run *run, uint64_t pair, tacho_error *err);

/** Warns if the program has the same bytes in all its layouts. */
void tch_run_check_layouts(struct tch_run *run, size_t i);

/** Runs --setup or --cleanup: the one for all commands, or the one of each command. */
int tch_run_hook_once(const struct tch_run *run, enum tch_hook hook, tacho_error *err);

/** Opens an unnamed file in the folder. It vanishes when it is closed. */
int tch_run_open_unnamed(const char *folder, const char *name, int *fd, tacho_error *err);

/** Prepares and starts runs. Call tch_run_await() or tch_run_collect() for each, in the same
    order. */
int tch_run_begin(struct tch_run *run, const struct tch_job *jobs, size_t count, tacho_error *err);

/** Waits for the next run. On interrupt, aborts the current run and keeps the completed ones.
    Returns 1 with the sample set, or 0 if no run is left. */
int tch_run_await(struct tch_run *run, size_t index, const struct tch_run_watch *watch,
                  struct tch_run_sample *sample, tacho_error *err);

/** Waits for the next run that counts and adds its sample. Returns 1 to continue, 0 to stop. */
int tch_run_collect(struct tch_run *run, const struct tch_job *job,
                    const struct tch_run_watch *watch, tacho_error *err);

/** Checks, after the first round, that the programs record the metrics that were asked for. Returns
    0, or an error that names what they record instead. */
int tch_run_check_recorded(struct tch_run *run, tacho_error *err);

/** Checks that a run did its work, by the checks of the plan. Returns 1, or 0 to stop: the check
    failed, which run->state records, or the user stopped it. */
int tch_run_check(struct tch_run *run, size_t index, const struct tch_run_outputs *outputs,
                  const volatile sig_atomic_t *stop, tacho_error *err);

/** Returns whether the next run may follow this one. If not, sets run->state and the fields about
    the failed run. */
bool tch_run_acceptable(struct tch_run *run, size_t index, const struct tch_run_sample *sample);

#endif
