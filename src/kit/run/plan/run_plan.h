/*
 * The plan of `tacho run`: commands, how often to run them, hooks, environment, outputs. Plain
 * data, filled from the options. Everything is borrowed and must outlive the run.
 */
#ifndef TCH_RUN_PLAN_H
#define TCH_RUN_PLAN_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <tacho/error.h>

#include "kit/result/precision.h"
#include "kit/result/summary.h"
#include "lib/measure/csv_write.h"
#include "metric_rule.h"
#include "process/spawn.h"

enum {
    TCH_RUNS_LEAST = 6,  /* with fewer, a median has no 95 % interval */
    TCH_RUNS_USUAL = 10, /* default if these take less than TCH_RUN_USUAL_NS */
    TCH_COMMANDS_MAX = 64,
    TCH_LAYOUTS_MAX = 10000,
    TCH_LAYOUT_RUNS = 3, /* default number of runs of each layout */
};

/** Shell lines that are run before or after runs. */
enum tch_hook {
    TCH_HOOK_SETUP,
    TCH_HOOK_PREPARE,
    TCH_HOOK_CONCLUDE,
    TCH_HOOK_CLEANUP,
    TCH_HOOK_RELINK, /* before each block of runs: run_layout.c */
    TCH_HOOKS,
};

#define TCH_RUN_TIME_NS      5000000000u /* default of --max-time */
#define TCH_RUN_USUAL_NS     60000000000u
#define TCH_READY_TIMEOUT_NS 60000000000u
#define TCH_RUN_PRECISION    0.01
#define TCH_RUN_POLL_NS      10000000u
#define TCH_RUN_GRACE_NS     1000000000u  /* time between SIGTERM and SIGKILL */
#define TCH_HOOK_LAST_NS     10000000000u /* time limit of --cleanup after an interrupt */

struct tch_run_command {
    const char *name;            /**< name of its folder, without a slash */
    const char *const *argv;     /**< what is executed */
    const char *line;            /**< the line for people, secrets masked */
    const char *path;            /**< the program's file; set by tch_run_open() */
    const char *cwd;             /**< folder in which it runs; NULL: that of the plan */
    const char *source;          /**< folder of the repository that it was built from; NULL: cwd */
    const char *hook[TCH_HOOKS]; /**< its own hooks; NULL: that of the plan. Either all commands
                                    have their own hook of a kind, or none */
    bool earlier; /**< it was built from another commit and may not record all metrics yet */
};

struct tch_run_plan {
    struct tch_run_command *commands;
    size_t command_count;
    bool shell; /**< argv is sh -c LINE */

    uint64_t runs;       /**< runs of each command; 0: until precise */
    double precision;    /**< target: half-width of the interval divided by the median */
    uint64_t least_runs; /**< minimum when stopping by precision; 0: TCH_RUNS_USUAL if they are
                            quick, otherwise TCH_RUNS_LEAST */
    uint64_t max_runs;
    uint64_t max_time_ns; /**< limit of measuring, per command; the commands share the sum; 0: no
                             limit */
    uint64_t warmup;
    uint64_t order_seed; /**< seed of the order of several commands; 0: tch_run_open() draws one */

    const char *setup; /**< hook for all commands; NULL: none */
    const char *prepare;
    const char *conclude;
    const char *cleanup;

    uint64_t layouts; /**< number of layouts, one block of runs each; 0: the program is not linked
                         again */
    uint64_t layout_runs; /**< runs of each command in a block */
    const char *relink;   /**< line for sh -c that links the program with the layout of a seed */

    const char *server;        /**< line for sh -c that starts a server; NULL: none */
    uint64_t ready_timeout_ns; /**< how long the server may take; 0: TCH_READY_TIMEOUT_NS */
    const char *ready;         /**< a port, or an expression for the output of the server */

    uint64_t timeout_ns; /**< 0: none */
    const char *cwd;
    const char *const *env;      /**< "K=V", NULL-terminated, or NULL */
    const char *const *keep_env; /**< names whose values are recorded though they look like those
                                      of secrets; NULL-terminated, or NULL */
    const char *input;           /**< NULL: /dev/null */
    enum tch_io_kind output;
    const char *output_path;
    bool output_goes_on; /**< append to that file */
    bool allow_nonzero;
    bool seal;        /**< the caller seals the folder when all is written */
    const char *cpus; /**< list of CPUs as typed, or NULL */
    cpu_set_t cpu_set;
    bool no_aslr;
    bool no_record;       /**< the command gets no TACHO_RUN_DIR and no file to record to */
    const uint64_t *seed; /**< seed that the user gave for the order of runs, of a sweep or of
                             several commands; NULL: none. It is part of the fingerprint */
    bool flame;           /**< make one extra run of each command under the profiler */
    unsigned counts;      /**< counts to make in extra runs, one bit per enum tch_count_kind */
    uint64_t count_runs;  /**< counted runs for each count */
    bool trace;           /**< write trace.json, even if the program recorded nothing */

    double work; /**< units per run; 0: not given */
    const char *work_unit;
    const char *const *labels; /**< "K=V", NULL-terminated, or NULL */
    const char *config;        /**< path of a JSON file, or NULL */
    const char *out;           /**< "tacho-out" */
    bool pilot;                /**< `latest` stays at the last run that was made for its own sake */
    uint64_t interval_ns;      /**< between polls of memory and power */
    enum tch_csv_columns columns; /**< of memory.csv */
    const char *power;            /**< "auto", "none", or a source */
    uint64_t idle_ns; /**< duration of the idle power measurement before the runs; 0: none */

    const struct tch_metric_rule *metrics;
    size_t metric_count;
    bool import; /**< each run prints a result file of another tool, whose values are metrics */

    /* Checks that a run did its work. A run that does not pass fails like one with a bad exit
       status. */
    const struct tch_metric_rule
        *check_output;         /**< a line of its output must match; NULL: no check */
    const char *check_command; /**< shell line that reads the run's output and must succeed; NULL:
                                  no check */
};

/** Returns whether the output of each run is read, for printed metrics or for a check. */
bool tch_run_reads_output(const struct tch_run_plan *plan);

/** Returns whether tacho has to read or add something between two runs. */
bool tch_run_reads_runs(const struct tch_run_plan *plan);

/** Names of the hooks, such as "setup". */
extern const char *const tch_hook_names[TCH_HOOKS];

/** Returns the line of a hook for command `index`, or NULL if there is none. */
const char *tch_run_hook_line(const struct tch_run_plan *plan, size_t index, enum tch_hook hook);

/** Sets everything to its default. */
void tch_run_plan_init(struct tch_run_plan *plan);

/** Checks before a run that its plan can measure a metric of that name: one of tacho's own, one of
    the plan, or a value that the program may record. Returns 0 or TACHO_EINVAL. */
int tch_run_plan_check_metric(const struct tch_run_plan *plan, const char *name, tacho_error *err);

/** Parses a list such as "0-3,6". Returns 0 or TACHO_EINVAL. */
int tch_parse_cpus(const char *text, cpu_set_t *set);

#endif
