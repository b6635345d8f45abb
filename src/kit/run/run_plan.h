/*
 * The plan of `tacho run`: commands, how often to run them, and what is around them. Plain data,
 * filled from the options. Everything is borrowed and must outlive the run.
 */
#ifndef TCH_RUN_PLAN_H
#define TCH_RUN_PLAN_H

#include <regex.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <tacho/error.h>

#include "base/spawn.h"
#include "run_sample.h"

enum {
    TCH_RUNS_MAX = 1000000, /* of one command */
    TCH_RUNS_UNTIL = 1000,  /* until precise, unless the user says otherwise */
    TCH_RUNS_LEAST = 6,     /* below that a median has no 95 % interval */
    TCH_RUNS_USUAL = 10,    /* where they take less than TCH_RUN_USUAL_NS */
    TCH_COMMANDS_MAX = 64,
    TCH_LAYOUTS_MAX = 10000,
    TCH_LAYOUT_RUNS = 3, /* of each layout, unless the user says otherwise */
};

/** What is run around the runs, by sh -c. */
enum tch_hook {
    TCH_HOOK_SETUP,
    TCH_HOOK_PREPARE,
    TCH_HOOK_CONCLUDE,
    TCH_HOOK_CLEANUP,
    TCH_HOOK_RELINK, /* before each block of runs: run_layout.c */
    TCH_HOOKS,
};

#define TCH_RUN_TIME_NS     5000000000u /* until precise, unless the user says otherwise */
#define TCH_RUN_USUAL_NS    60000000000u
#define TCH_RUN_PRECISION   0.01
#define TCH_RUN_LOOK_NS     10000000u
#define TCH_RUN_GRACE_NS    1000000000u /* from TERM to KILL */
#define TCH_RUN_ALPHA       0.05
#define TCH_RUN_CHECK_ALPHA 0.0294
#define TCH_HOOK_LAST_NS    10000000000u /* of --cleanup after an interrupt */

/** Where the numbers of a metric come from. */
enum tch_metric_source {
    TCH_METRIC_PRINTED, /**< the command prints them */
    TCH_METRIC_SPAN,    /**< the program recorded spans, stages of events or latencies */
    TCH_METRIC_STAGE,
    TCH_METRIC_LATENCY,
};

/** Which number represents what was recorded in a run. */
enum tch_metric_statistic {
    TCH_STATISTIC_TOTAL,
    TCH_STATISTIC_COUNT,
    TCH_STATISTIC_MEAN,
    TCH_STATISTIC_P50,
    TCH_STATISTIC_P99,
    TCH_STATISTIC_MAX,
    TCH_STATISTICS,
};

/** A number of each run: one that the command prints, found by a regular expression, or one of what
    the program recorded (recorded_metric.h). */
struct tch_metric {
    struct tch_metric_name id;
    enum tch_metric_source source;
    enum tch_metric_statistic statistic; /**< of what was recorded */
    char *text;    /**< the expression, or the name of what was recorded; inside the allocation of
                        id.name */
    regex_t regex; /**< of what is printed */
    bool any;      /**< each match counts as the number 1, whatever it is: for a check */
};

struct tch_run_command {
    const char *name;            /**< of its folder: no slash */
    const char *const *argv;     /**< what is executed */
    const char *line;            /**< as the user typed it, secrets masked, for people */
    const char *path;            /**< the program's file; set by tch_run_open() */
    const char *cwd;             /**< where it runs; NULL: where the plan says */
    const char *source;          /**< a folder of the repository it was built from; NULL: cwd */
    const char *hook[TCH_HOOKS]; /**< its own; NULL: that of the plan. All commands have one of a
                                      kind, or none has */
    bool earlier;                /**< of another commit, which may not record all metrics yet */
};

struct tch_run_plan {
    struct tch_run_command *commands;
    size_t command_count;
    bool shell; /**< argv is sh -c LINE */

    uint64_t runs;    /**< of each command; 0: until precise */
    double precision; /**< half width of the interval by the median */
    uint64_t
        least_runs; /**< until precise; 0: TCH_RUNS_USUAL if they are quick, else TCH_RUNS_LEAST */
    uint64_t max_runs;
    uint64_t max_time_ns; /**< of measuring, per command; the commands share the sum; 0: no limit */
    uint64_t warmup;
    uint64_t order_seed; /**< of the order of several commands; 0: tch_run_open() draws one */

    const char *setup; /**< of all commands; NULL: none */
    const char *prepare;
    const char *conclude;
    const char *cleanup;

    uint64_t layouts;     /**< that the program is linked with, a block of runs each; 0: as it is */
    uint64_t layout_runs; /**< of each command in a block */
    const char *relink;   /**< a line for sh -c that links it with the layout of a seed */

    const char *server; /**< a line for sh -c that runs beside the commands; NULL: none */
    const char *ready;  /**< a port, or an expression for what it prints */

    uint64_t timeout_ns; /**< 0: none */
    const char *cwd;
    const char *const *env;      /**< "K=V", NULL-ended, or NULL */
    const char *const *keep_env; /**< names whose values are recorded though they look like those
                                      of secrets; NULL-ended, or NULL */
    const char *input;           /**< NULL: /dev/null */
    enum tch_io_kind output;
    const char *output_path;
    bool output_goes_on; /**< append to that file */
    bool allow_nonzero;
    bool seal;        /**< the caller seals the folder when all is written */
    const char *cpus; /**< as typed, or NULL */
    cpu_set_t cpu_set;
    bool no_aslr;
    const uint64_t *seed; /**< that the user chose for the order of runs, of a sweep or of several
                               commands; NULL: none. It is part of the fingerprint */
    bool flame;           /**< one extra run of each under the profiler */
    unsigned counts;      /**< a bit per enum tch_count_kind: made in extra runs */
    uint64_t count_runs;  /**< of each of them */
    bool trace;           /**< trace.json, also where the program recorded nothing */

    double work; /**< units per run; 0: not given */
    const char *work_unit;
    const char *const *labels; /**< "K=V", NULL-ended, or NULL */
    const char *config;        /**< path of a JSON file, or NULL */
    const char *out;           /**< "tacho-out" */
    uint64_t interval_ns;      /**< between polls of memory and power */
    const char *power;         /**< "auto", "none", or a source */
    uint64_t idle_ns;          /**< measure the idle power for so long before the runs; 0: not */

    const struct tch_metric *metrics;
    size_t metric_count;

    /* Proof that a run did its work; one that does not pass fails like one with a bad status. */
    const struct tch_metric *check_output; /**< a line that it prints must match; NULL: none */
    const char *check_command; /**< by sh -c, its input is the run's output; NULL: none */
};

/** Says whether the output of each run is read, for metrics that are printed or for a check. */
bool tch_run_reads_output(const struct tch_run_plan *plan);

/** Says whether tacho reads or adds something of each run before the next one begins. */
bool tch_run_reads_runs(const struct tch_run_plan *plan);

/** "setup" and so on. */
extern const char *const tch_hook_names[TCH_HOOKS];

/** The line of a hook for command `index`; NULL: none. */
const char *tch_run_hook_line(const struct tch_run_plan *plan, size_t index, enum tch_hook hook);

/** Sets everything to its default. */
void tch_run_plan_init(struct tch_run_plan *plan);

/**
 * Parses "NAME=REGEX" or "all:NAME=REGEX": an extended POSIX expression, matched line by line. The
 * number is its first group, or the whole match when it has no group. Or parses the name of what
 * was recorded, such as "span:parse:p99": see recorded_metric.h.
 *
 * @return 0, TACHO_EINVAL, TACHO_ENOMEM
 */
int tch_metric_init(struct tch_metric *metric, const char *spec, tacho_error *err);
void tch_metric_release(struct tch_metric *metric);

/** Writes the metrics as a JSON array of their names and expressions; null for what was recorded.
 */
void tch_metrics_write(struct tch_buf *b, const struct tch_metric *metrics, size_t count);

/**
 * Finds numbers in the file of fd after `from` and adds them to values: every match, or the last
 * one alone. Ignores matches that are not numbers. A hostile expression takes for ever and all
 * memory, so this is for tch_metrics_find() and tests.
 *
 * @return 0, TACHO_EIO, TACHO_ENOMEM
 */
int tch_metric_find(const struct tch_metric *metric, int fd, off_t from, const char *name,
                    struct tch_values *values, tacho_error *err);

/** Where a run printed. */
struct tch_run_outputs {
    int fd[2];  /**< standard output and standard error; -1: not read */
    off_t from; /**< of standard output: where the run's part begins */
};

/**
 * Finds the numbers of all metrics in the outputs of a run, one list per metric, in a child process
 * of limited time and memory.
 *
 * @param stop  not 0: stop searching; may be NULL
 * @return 0, TACHO_ELIMIT with the name of the metric whose expression is too expensive, TACHO_EIO
 *         (system_errno is ECANCELED when *stop was set), TACHO_ENOMEM
 */
int tch_metrics_find(const struct tch_metric *metrics, size_t count,
                     const struct tch_run_outputs *outputs, const volatile sig_atomic_t *stop,
                     struct tch_values *values, tacho_error *err);

/** Parses a list such as "0-3,6". 0 or TACHO_EINVAL. */
int tch_parse_cpus(const char *text, cpu_set_t *set);

/** Returns how often the precision is checked: at 10, 20, 40, … runs up to max_runs. */
unsigned tch_run_checks(uint64_t max_runs);

/**
 * Returns 1 - confidence of the interval at each check. A check is a chance to stop by luck, and
 * there are two such chances: an interval halves in width over four times the runs, so before the
 * last two checks it was far too wide. The level of two looks (S. J. Pocock, 1977) keeps
 * TCH_RUN_ALPHA then; bench_promise measures it.
 */
double tch_run_check_alpha(uint64_t max_runs);

/** Returns 1 - confidence of the intervals after n runs that stopped for another reason than their
    precision, such as --max-time. */
double tch_run_alpha_left(uint64_t n, uint64_t max_runs);

/** Says whether the precision is checked after n runs. */
bool tch_run_check_due(uint64_t n, uint64_t max_runs);

#endif
