/*
 * Samples: the measurements of one run of a command, one number per field, and the user's metrics.
 *
 * A single table defines the fields. The JSON of a sample, statistics, CSV columns and the report
 * use it, so a new field needs only one line.
 */
#ifndef TCH_RUN_SAMPLE_H
#define TCH_RUN_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "base/human_number.h"

enum tch_field {
    TCH_WALL,
    TCH_USER,
    TCH_SYSTEM,
    TCH_MAX_RSS,
    TCH_MINOR_FAULTS,
    TCH_MAJOR_FAULTS,
    TCH_VOLUNTARY,
    TCH_INVOLUNTARY,
    TCH_BLOCK_READS,
    TCH_BLOCK_WRITES,
    TCH_CYCLES,
    TCH_INSTRUCTIONS,
    TCH_BRANCHES,
    TCH_BRANCH_MISSES,
    TCH_CACHE_REFERENCES,
    TCH_CACHE_MISSES,
    TCH_TREE_RSS,
    TCH_ENERGY,
    TCH_FIELDS,
};

struct tch_field_info {
    char name[24];     /**< name in files, with its unit: "wall_ns" */
    const char *title; /**< name in tables: "wall time" */
    enum tch_unit unit;
};

extern const struct tch_field_info tch_fields[TCH_FIELDS];

enum { TCH_REFUSED_TEXT = 32 };

/** A growing list of numbers. */
struct tch_values {
    double *v;
    size_t n;
    size_t room;
    char refused[TCH_REFUSED_TEXT]; /**< metrics: what the expression matched, if that is not a
                                       finite number; truncated, printable; or "" */
};

/** Appends a number. Returns 0 or TACHO_ENOMEM. */
int tch_values_add(struct tch_values *values, double value, tacho_error *err);
void tch_values_release(struct tch_values *values);

enum { TCH_METRICS_MOST = 64 }; /* limit of metrics of a run */

/** A metric that the user defined, by name. */
struct tch_metric_name {
    char *name;
    bool all; /**< every match counts, not only the last */
};

/** Quantiles of the values that a program recorded under one name in a run, all equal for a peak.
    NAN: nothing was recorded. */
struct tch_recorded {
    double p50;
    double p95;
    double p99;
};

struct tch_run_sample {
    uint64_t run;    /**< from 1 */
    uint64_t pair;   /**< its round, from 1; the runs of interleaved commands in one round have the
                        same number */
    uint64_t layout; /**< layout of the program, from 1; 0: it was not linked again */
    uint64_t start_ns;        /**< CLOCK_MONOTONIC, before the spawn */
    double field[TCH_FIELDS]; /**< NAN: not measured */
    int status;               /**< wait status, as of waitpid() */
    bool timed_out;
    bool left_running;             /**< descendants were still running when it exited */
    struct tch_values *metrics;    /**< one list per metric, in the order of their names */
    struct tch_recorded *recorded; /**< in the order of recorded_names: see recorded.h */
    size_t recorded_count;
};

/** All runs of one command, in the order they were made. */
struct tch_run_samples {
    struct tch_run_sample *items;
    size_t count;
    size_t room;
    const struct tch_metric_name *metrics; /**< borrowed */
    size_t metric_count;
    char **recorded_names; /**< owned */
    size_t recorded_count;
    size_t recorded_parsed; /**< recorded values parsed so far, in all samples */
};

void tch_run_sample_init(struct tch_run_sample *sample);

/** Returns a new sample with an empty list for each metric. It is not part of the list until the
    caller adds 1 to count. Returns NULL if memory runs out. */
struct tch_run_sample *tch_run_samples_next(struct tch_run_samples *samples);
void tch_run_samples_release(struct tch_run_samples *samples);

/** Returns whether the run exited by itself with status 0. */
bool tch_run_sample_ok(const struct tch_run_sample *sample);

/** Returns the exit status as a shell does: 128 + the signal if the command was killed. */
int tch_run_sample_exit(const struct tch_run_sample *sample);

enum { TCH_RUN_SAMPLE_TEXT = 2048 };

/**
 * Writes the members of a sample's JSON object except metrics and recorded values.
 *
 * @param at      room for TCH_RUN_SAMPLE_TEXT bytes
 * @param energy  the member for the energy, with a comma in front; or ""
 * @return the end, where it wrote a NUL
 */
char *tch_run_sample_put(char *at, const struct tch_run_sample *sample, const char *energy);

/** Writes the JSON object of a sample: an element of "samples" in run.json, and a line of
    samples.jsonl. */
void tch_run_sample_write(struct tch_buf *b, const struct tch_run_sample *sample,
                          const struct tch_run_samples *of);

/** Parses the JSON object of a sample and adds it to the samples. Ignores unknown members. Returns
    0, TACHO_EPARSE or TACHO_ENOMEM. */
int tch_run_sample_parse(const char *json, size_t len, struct tch_run_samples *to,
                         tacho_error *err);

#endif
