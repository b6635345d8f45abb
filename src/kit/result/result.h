/*
 * A result: what was run, how, where, and every value that was measured. This is the face of
 * src/kit/result/.
 *
 * tacho run and tacho sweep make results; the judge, the reports, baselines and comparisons read
 * them. The values are columns of numbers, one column per metric and one number per run:
 *
 *             wall_ns   user_ns   ...   tokens_per_s   span:parse:p99
 *     run 1   12.1e6    11.8e6          512.0          31000
 *     run 2   12.3e6    12.0e6          508.5          NAN: missing
 *
 * A result is stored as run.json in its run folder, schema tacho.run.v1: result_json.c,
 * result_run_json.c and result_load.c. The file is
 * written twice. When the runs begin it has the head: what is run, how, where. When they are over,
 * the outcome follows it, with every sample. In between the samples are in samples.jsonl, one per
 * line, from which the outcome is made after a kill.
 */
#ifndef TCH_RESULT_H
#define TCH_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>
#include <tacho/fingerprint.h>
#include <tacho/latency.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json_fields.h"
#include "counts.h"
#include "kit/power/power_origin.h"
#include "kit/stats/values.h"
#include "kit/vcs/vcs.h"
#include "metric.h"
#include "summary.h"
#include "warnings.h"

#define TCH_RESULT_SCHEMA "tacho.run.v1"

enum {
    TCH_RUN_ID = 32,          /* bytes of the id of a run folder, with its NUL */
    TCH_RESULT_MAX = 1 << 30, /* bytes of run.json */
    TCH_REFUSED_TEXT = 32,
    TCH_METRICS_MOST = 64,          /* metrics that a user may ask for */
    TCH_IMPORTED_MOST = 4096,       /* metrics that a run may import from what it prints */
    TCH_RECORDED_MOST = 1024,       /* names of recorded values; more are left out */
    TCH_RECORDED_ENTRIES = 1 << 24, /* recorded values in all runs */
};

/** The command. All texts are owned; secrets are masked. */
struct tch_result_command {
    char *line; /**< the command as one line, for people */
    char **argv;
    char *program; /**< its file; NULL: not known */
    bool shell;    /**< argv is sh -c LINE */
    char *cwd;
    char **env;   /**< "K=V": variables that the user set */
    char *input;  /**< NULL: /dev/null */
    char *output; /**< "null", "inherit" or a path */
};

/** How the command was run. Texts are owned, NULL: not given. A number of 0 is "not given", too. */
struct tch_result_plan {
    uint64_t runs;
    double precision; /**< NAN with a fixed number of runs */
    uint64_t max_runs;
    uint64_t max_time_ns;
    double alpha;
    uint64_t interval_ns;
    uint64_t warmup;
    uint64_t timeout_ns;
    char *cpus;
    bool no_aslr;
    bool no_record;
    char *seed; /**< the number as text, because 0 is a seed, too */
    bool allow_nonzero;
    bool seal;
    char **counts; /**< names of counts */
    uint64_t count_runs;
    uint64_t layouts;
    uint64_t layout_runs;
    char *server;
    char *ready;
    char *setup;
    char *prepare;
    char *conclude;
    char *cleanup;
    char *relink;
    char *check_output;
    char *check_command;
};

/** A configuration of the user's. */
struct tch_result_config {
    char *path; /**< NULL: it has no file */
    char sha256[TACHO_SHA256_TEXT];
    char *document; /**< JSON, as in its file; NULL: no configuration */
};

struct tch_result_work {
    double amount; /**< units per run; NAN: not given */
    char *unit;
};

/** The costs of measuring and recording. */
struct tch_result_costs {
    double tacho_cpu_ns; /**< NAN: not known */
    uint64_t polls;      /**< polls of memory and power during the runs */
    double polls_cpu_ns; /**< CPU time of the polls, a part of tacho_cpu_ns; NAN: not known */
    /* Recordings, and records that metrics are computed from: their mean number per run (NAN: not
       counted), and the cost of one of them (NAN: not known). */
    double recordings_per_run; /**< of spans: started and ended, one per process */
    double recording_cost_ns;
    double spans_per_run;
    double span_cost_ns;
    double events_per_run;
    double event_cost_ns;
    double latencies_per_run;
    double latency_cost_ns;
};

/** CPU time, memory and energy of the server during the runs. */
struct tch_result_server {
    double ready_s; /**< NAN: there was no server */
    double cpu_ns;
    double peak_rss_bytes;
    double energy_j; /**< NAN: not known */
};

/** Statistics of all latencies of all runs. */
struct tch_latency_summary {
    bool exact;
    tacho_latency_stats wall;   /**< n is 0 when nothing was recorded */
    tacho_latency_stats kernel; /**< all 0 when not known */
    double wall_p50;            /**< the median as in all results of runs */
    double kernel_p50;
};

/** Where a result of another tool comes from. Texts are owned; NULL: not known. */
struct tch_result_imported {
    char *tool;
    char *version;
    char *format; /**< name of the reader in kit/import; NULL: tacho measured this result */
    char *file;
    char sha256[TACHO_SHA256_TEXT]; /**< of the file */
    char *note;                     /**< how to make the tool write every value; NULL: it did */
};

/** Values of tch_result.repetition: the unit that an imported result repeats. Repetitions inside
    one process depend on each other, so they are one run. */
#define TCH_BY_PROCESS "process"
#define TCH_BY_FORK    "fork"
#define TCH_IN_PROCESS "in-process"

/** A statistic that another tool computed from values that it did not write. Texts are owned. */
struct tch_aggregate {
    char *statistic; /**< "median", "mean" */
    double value;    /**< of all runs together; NAN: each run has its own, as its value */
    uint64_t n;      /**< number of values that it was computed from; 0: not known */
    double low;      /**< interval that the tool computed; NAN: there is none */
    double high;
    double level;    /**< confidence of that interval; NAN: not known */
    double spread;   /**< NAN: not known */
    char *spread_is; /**< what the spread is: "stddev", "max-min", … */
};

/** One run of the command. Its values are in the columns. */
struct tch_result_run {
    uint64_t run;      /**< from 1 */
    uint64_t pair;     /**< its round, from 1; the runs of interleaved commands in one round have
                          the same number */
    uint64_t layout;   /**< layout of the program, from 1; 0: it was not linked again */
    uint64_t start_ns; /**< CLOCK_MONOTONIC, before the spawn */
    int status;        /**< wait status, as of waitpid() */
    bool timed_out;
    bool left_running; /**< descendants were still running when it exited */
};

/** The values of one metric. */
struct tch_column {
    struct tch_metric metric;
    double *value; /**< one per run; NAN: missing. NULL: see `all` */
    double *p95;   /**< of a metric that keeps quantiles; NULL otherwise */
    double *p99;
    struct tch_values *all; /**< every value of each run, in order; NULL: one value per run. A
                               column that every run has keeps their median in `value`, too */
    struct tch_aggregate *aggregate; /**< NULL: the values were measured one by one */
    char *unit;                      /**< unit in an imported file; NULL: not imported */
    char *expression;                /**< finds the value in the output; NULL: it is not printed */
    char refused[TCH_REFUSED_TEXT]; /**< what the expression matched in a run without a value: not a
                                       finite number; truncated, printable; or "" */
};

struct tch_result {
    /* Identity. */
    char *name;
    char id[TCH_RUN_ID];
    char group[TCH_RUN_ID]; /**< id of the runs that it was interleaved with; "": none */
    uint64_t order_seed;    /**< seed of the order of interleaved commands; 0: only one command */
    char *comparison;       /**< relative path of the page that compares them; NULL: none */

    /* Provenance. */
    char schema[32];
    char *tacho_version;
    char started_at[TCH_TIME_TEXT];
    uint64_t started_unix_ns;
    uint64_t started_monotonic_ns;
    struct tch_result_command command;
    struct tch_result_plan plan;
    char *machine_class;
    char *environment; /**< JSON, document tacho.env.v1 */
    char environment_hash[TACHO_ENV_HASH_TEXT];
    char commit[TCH_VCS_HASH]; /**< "": not known */
    struct tch_vcs vcs;
    struct tch_result_config config;
    char **labels; /**< "K=V" */
    struct tch_result_work work;
    char program_sha256[TACHO_SHA256_TEXT];
    char input_sha256[TACHO_SHA256_TEXT];
    char fingerprint[TACHO_SHA256_TEXT];
    struct tch_result_imported imported;
    char repetition[16]; /**< TCH_BY_PROCESS and so on; "": not imported */

    /* Outcome. */
    bool ended;     /**< there is an outcome */
    char state[16]; /**< "running", "complete", "interrupted", "failed", "recovered" */
    char ended_at[TCH_TIME_TEXT];
    uint64_t ended_unix_ns;
    char stopped[24]; /**< why no more runs were made: "runs", "precise", "max-time", … */
    double alpha;     /**< 1 - confidence of the intervals; until the end, that of one check */
    struct tch_result_costs costs;
    struct tch_result_server server;
    struct tch_power_origin power;
    struct tch_latency_summary latency;
    struct tch_counts counts;
    struct tch_warnings warnings;

    /* Values. The first TCH_FIELDS columns are those of enum tch_field, in its order. */
    struct tch_result_run *runs;
    size_t run_count;
    size_t run_room;
    struct tch_column *columns;
    size_t column_count;

    struct tch_row *rows; /**< summary of the columns: tch_result_sum() */
    size_t row_count;

    struct tch_json_others others; /**< members of run.json that this version does not know */
};

/** Prepares an empty result. Returns 0 or TACHO_ENOMEM. Call tch_result_release() in any case. */
int tch_result_init(struct tch_result *r, tacho_error *err);
void tch_result_release(struct tch_result *r);

/*
 * Runs and columns.
 */

/** Adds a column for a metric. Returns its index, TACHO_ELIMIT or TACHO_ENOMEM. */
int tch_result_add_column(struct tch_result *r, const struct tch_metric *metric, tacho_error *err);

/** Returns the index of the column with this key that is not a recorded one; -1: there is none. */
int tch_result_column(const struct tch_result *r, const char *key);

/** Returns the index of the column of a metric that the user asked for; -1: there is none. */
int tch_result_asked(const struct tch_result *r, const char *name);

/** Returns the index of the column of what programs recorded unasked under a name; -1: there is
    none. A metric of the user's may have the same name. */
int tch_result_recorded(const struct tch_result *r, const char *name);

/**
 * Adds a run after the last one, with no values.
 *
 * @return 0 or TACHO_ENOMEM
 */
int tch_result_add_run(struct tch_result *r, const struct tch_result_run *run, tacho_error *err);

/** Removes the last run. */
void tch_result_drop_run(struct tch_result *r);

/** Sets the values of the last run in the columns that every run has. */
void tch_result_set_fields(struct tch_result *r, const double field[TCH_FIELDS]);

/** Adds a value of a run to a column: one of several, or the only one. Returns 0 or
    TACHO_ENOMEM. */
int tch_column_add(struct tch_column *c, size_t run, double value, tacho_error *err);

/** Lets a column keep several values of each run. Returns 0 or TACHO_ENOMEM. */
int tch_result_keep_values(struct tch_result *r, size_t column, tacho_error *err);

/** Makes the value of each run the median of its several values, in the columns that every run has,
    and the only one where no run has several. Returns 0 or TACHO_ENOMEM. */
int tch_result_reduce_values(struct tch_result *r, tacho_error *err);

/** Returns whether the runs are repetitions inside a single process. The values of a column are
    then all values of that process, and the process is one session. */
bool tch_result_one_process(const struct tch_result *r);

/** Sets what a program recorded in a run under a name, whose column is added if it is new. Ignores
    values that are not finite, and names beyond the limits above. Returns 0 or TACHO_ENOMEM. */
int tch_result_set_recorded(struct tch_result *r, size_t run, const char *name, double p50,
                            double p95, double p99, tacho_error *err);

/** Returns whether a run exited by itself with status 0. */
bool tch_result_run_ok(const struct tch_result_run *run);

/** Returns the exit status as a shell does: 128 + the signal if the command was killed. */
int tch_result_run_exit(const struct tch_result_run *run);

/** Returns a value of a run in a column that every run has; NAN: missing. */
double tch_result_value(const struct tch_result *r, enum tch_field field, size_t run);

/** Copies one field of all successful runs to values, which has room for run_count. Leaves out
    missing values. Returns their number. */
size_t tch_result_field(const struct tch_result *r, enum tch_field field, double *values);

/** Adds all values of a column in successful runs, in order. Returns 0 or TACHO_ENOMEM. */
int tch_column_values(const struct tch_result *r, const struct tch_column *c,
                      struct tch_values *values, tacho_error *err);

/** Returns whether the program was linked with several layouts. Then a layout is the unit, and its
    value is the median of its runs. */
bool tch_result_by_layout(const struct tch_result *r);

/** Makes `view` a result with the runs from number `from` on, which borrows everything from r.
    Returns 0 or TACHO_ENOMEM. Release it by free(view->columns). */
int tch_result_tail(const struct tch_result *r, size_t from, struct tch_result *view,
                    tacho_error *err);

/*
 * Summaries.
 */

/** Summarises the columns as rows: what every run has, the metrics that were asked for, the
    throughput. Replaces earlier rows. Returns 0 or TACHO_ENOMEM. */
int tch_result_sum(struct tch_result *r, tacho_error *err);

/** Returns the row of a metric by its key, or NULL. */
const struct tch_row *tch_result_row(const struct tch_result *r, const char *key);

/** Returns the median of the wall time in nanoseconds; NAN: there is none. */
double tch_result_wall(const struct tch_result *r);

/** Writes the commit for people: its first digits, with "-dirty" if files differed from it. Writes
    "" if there is no commit. */
void tch_result_commit(const struct tch_result *r, char *out, size_t size);

/*
 * The outcome.
 */

/** How the runs of a command ended. Strings are borrowed. */
struct tch_result_end {
    const char *state;   /**< "complete", "interrupted", "failed", "recovered" */
    const char *stopped; /**< why no more runs were made: "runs", "precise", "max-time", … */
    uint64_t ended_unix_ns;
    double tacho_cpu_ns; /**< NAN: not known */
    uint64_t polls;
    double polls_cpu_ns; /**< NAN: not known */
    struct tch_result_server server;
    struct tch_power_origin power;
};

/** Adds the outcome to a result, and summarises it. Replaces an earlier one. Returns 0 or
    TACHO_ENOMEM. */
int tch_result_end(struct tch_result *r, const struct tch_result_end *end, tacho_error *err);

/*
 * run.json.
 */

/** The members of run.json, in their order. Those of the outcome are written when `ended` is
    set. */
extern const struct tch_json_field tch_result_fields[];

/** Writes the result. Without an outcome, only its head. */
void tch_result_write(struct tch_buf *b, const struct tch_result *r);

/** Writes the JSON object of a run: an element of "samples" in run.json, a line of
    samples.jsonl. */
void tch_result_write_run(struct tch_buf *b, const struct tch_result *r, size_t run);

/** Parses a head or a whole result. Ignores the statistics. Returns 0, TACHO_EPARSE, TACHO_ELIMIT
   or TACHO_ENOMEM. Call tch_result_release() in any case. */
int tch_result_parse(struct tch_result *r, const char *text, size_t len, tacho_error *err);

/** Reads the JSON object of a run and adds it. Ignores unknown members. Returns 0, TACHO_EPARSE,
    TACHO_ELIMIT or TACHO_ENOMEM. */
int tch_result_read_run(struct tch_json_reader *j, struct tch_result *r, tacho_error *err);

/** Parses a text that is such an object and nothing else. */
int tch_result_parse_run(struct tch_result *r, const char *text, size_t len, tacho_error *err);

/** Writes the result to FOLDER/run.json, whole or not at all. */
int tch_result_save(const struct tch_result *r, const char *folder, tacho_error *err);

/**
 * Reads FOLDER/run.json. If that has no outcome yet, also reads the samples from samples.jsonl and
 * ignores a truncated last line. Computes the summary.
 *
 * @return 0, TACHO_EINVAL if it is not a run folder, TACHO_EPARSE, TACHO_EIO, TACHO_ENOMEM; call
 *         tch_result_release() in any case
 */
int tch_result_load(struct tch_result *r, const char *folder, tacho_error *err);

/**
 * Writes the document that defines the run, and its SHA-256, the fingerprint. The document contains
 * the command, the hashes of its program, its input and the config, variables, parameters, the
 * seed, hooks and the like, all as in run.json. It contains nothing about the machine or the
 * results.
 *
 * @return 0, or TACHO_ENOMEM
 */
int tch_result_fingerprint(const struct tch_result *r, struct tch_buf *document,
                           char hash[TACHO_SHA256_TEXT], tacho_error *err);

/** Writes the settings that runs must share to be compared over time, besides the command line:
    variables, parameters, the hashes of config and input, the work. */
int tch_result_settings(const struct tch_result *r, struct tch_buf *document, tacho_error *err);

#endif
