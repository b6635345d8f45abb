/*
 * Metrics: what a number of a run is called, what it means and where it comes from.
 *
 * A time that the kernel reports, a number that the command prints, the p99 of a span, a count and
 * a throughput are all metrics. metric.c has one table of those that tacho knows by name. The
 * others have the names that users and programs gave them:
 *
 *     NAME                           a number that the command prints
 *     span:NAME[:STATISTIC]          durations of spans; the total by default
 *     stage:EVENT.STAGE[:STATISTIC]  values of a stage of profile events; the median by default
 *     latency:NAME[:STATISTIC]       latencies; the median by default
 *     memory.NAME                    peak of a memory category
 *
 * STATISTIC is total, count, mean, p50, p99 or max. With a statistic the metric has one value per
 * run. Without one, a stage and a latency have several, of which the result keeps quantiles.
 */
#ifndef TCH_METRIC_H
#define TCH_METRIC_H

#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>

#include "kit/text/human_number.h"

enum {
    TCH_METRIC_TEXT = 128, /* bytes of a name or a title, with its NUL */
};

/** Metrics that every run has a column for, in the order of run.json. Their numbers are those of
    the columns of a result. */
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
    TCH_SERVER_CPU,
    TCH_SERVER_RSS,
    TCH_SERVER_ENERGY,
    TCH_FIELDS,
};

/** Counts that are made in extra runs. */
enum tch_count_kind {
    TCH_COUNT_INSTRUCTIONS,
    TCH_COUNT_SYSCALLS,
    TCH_COUNT_ALLOCATIONS,
    TCH_COUNT_ALLOCATED_BYTES,
    TCH_COUNT_FAULTS,
    TCH_COUNTS,
};

/** Where the values of a metric come from. */
enum tch_metric_source {
    TCH_FROM_KERNEL,  /**< the kernel's accounting and hardware counters, for every run */
    TCH_FROM_TREE,    /**< polls of the process tree */
    TCH_FROM_POWER,   /**< power sources */
    TCH_FROM_SERVER,  /**< polls of the server's process tree at the ends of a run */
    TCH_FROM_OUTPUT,  /**< the command prints them */
    TCH_FROM_SPANS,   /**< the program recorded spans */
    TCH_FROM_STAGES,  /**< the program recorded profile events */
    TCH_FROM_LATENCY, /**< the program recorded latencies */
    TCH_FROM_MEMORY,  /**< the program recorded memory categories */
    TCH_FROM_COUNTS,  /**< extra runs that are counted and not timed */
    TCH_FROM_OTHERS,  /**< computed from other metrics */
    TCH_METRIC_SOURCES,
};

enum tch_better { TCH_BETTER_UNKNOWN, TCH_BETTER_LOWER, TCH_BETTER_HIGHER };

/** The statistic of what was recorded in a run that is the run's value. */
enum tch_metric_statistic {
    TCH_STATISTIC_TOTAL,
    TCH_STATISTIC_COUNT,
    TCH_STATISTIC_MEAN,
    TCH_STATISTIC_P50,
    TCH_STATISTIC_P99,
    TCH_STATISTIC_MAX,
    TCH_STATISTICS,
};

struct tch_metric {
    char name[TCH_METRIC_TEXT];  /**< "wall": in options, tacho.yaml and verdicts */
    char key[TCH_METRIC_TEXT];   /**< "wall_ns": in run.json; equal to `name` unless tacho's own */
    char title[TCH_METRIC_TEXT]; /**< "wall time": in tables */
    enum tch_unit unit;
    enum tch_metric_source source;
    enum tch_better better;
    bool asked;    /**< the user asked for it by name (--metric); it has one value per run, or the
                      list of all values that the command printed */
    bool several;  /**< has several values per run; a quantile of them represents the run */
    bool gated;    /**< a tolerance without a name applies to this metric, too */
    bool exact;    /**< repeating gives the same value: any change is real */
    double scale;  /**< a stored value times this is the value in `unit` */
    double spread; /**< session spread assumed if nothing is known: sd of the log of the ratio of
                      two sessions, of large values; see tch_metric_spread() */
    size_t number; /**< enum tch_field for what all runs have, enum tch_count_kind for a count; its
                      column for others; SIZE_MAX: no column */
};

/** The metrics that tacho knows by name, in the order of tables and verdicts. */
extern const struct tch_metric tch_known_metrics[];
extern const size_t tch_known_metric_count;

/**
 * Returns the session spread of values of this size: that of the metric, and an absolute part that
 * matters for small values. Two starts of a process differ by 0.1 ms. Peak memory is off by
 * tch_memory_error().
 *
 * @param level        median of the values; NAN: not known, and no absolute part is added
 * @param environment  tacho.env.v1 of the machine, or NULL for this one
 */
double tch_metric_spread(const struct tch_metric *m, double level, const char *environment);

/** Returns by how many bytes the kernel's peak memory may be off. Since Linux 6.2 each CPU counts
    pages on its own and reports them in batches of 32 or twice the number of CPUs. */
double tch_memory_error(const char *environment);

/** Returns the metric of a column that every run has. */
const struct tch_metric *tch_field_metric(enum tch_field field);

/** Returns the metric of a count. */
const struct tch_metric *tch_count_metric(enum tch_count_kind kind);

/** Returns whether a name is that of a known metric: its name, its key, with '-' for '_' if it is a
    count, or with "memory." in front if it is a memory category. */
bool tch_metric_is(const struct tch_metric *known, const char *name);

/** Describes a metric that the user asked for, by its name. Its number is SIZE_MAX. */
void tch_metric_describe(struct tch_metric *ret, const char *name, bool all);

/** Describes what a program recorded without being asked: "memory.NAME", "stage:EVENT.STAGE". Its
    number is SIZE_MAX. Returns false if the name is neither, or too long. */
bool tch_metric_describe_recorded(struct tch_metric *ret, const char *name);

/** Describes the metric that a name would have in any result. Returns false if no metric can have
    this name; a number that a command prints may have any other. */
bool tch_metric_find(const char *name, struct tch_metric *ret);

/** Returns whether tacho measures a metric of this name in every run, so that a user's metric of
    the same name could not be judged. */
bool tch_metric_is_reserved(const char *name);

/** Returns whether an earlier metric takes precedence over the user's one of the same name: not a
    recorded value, and not a count. */
bool tch_metric_comes_first(const struct tch_metric *m);

/** Returns whether a metric is a count or recorded value of the user's naming, or its opposite: one
    of the columns that every run has. */
bool tch_metric_is_field(const struct tch_metric *m);

/** Returns whether a column of this metric keeps a list of values for each run. */
bool tch_metric_keeps_lists(const struct tch_metric *m);

/** Describes a metric of another tool, by its name and its unit there. A unit that tacho does not
    show by itself becomes part of the title. Its number is SIZE_MAX. */
void tch_metric_describe_imported(struct tch_metric *ret, const char *name, const char *unit,
                                  enum tch_better better, bool exact);

/** Returns whether the program recorded it unasked, so that only its p50, p95 and p99 are kept. */
bool tch_metric_keeps_quantiles(const struct tch_metric *m);

/*
 * Names with a source: "span:parse:p99".
 */

/** The parts of such a name. */
struct tch_metric_name {
    enum tch_metric_source source;
    const char *text; /**< what was recorded: "parse"; points into the name */
    size_t len;
    enum tch_metric_statistic statistic;
    bool complete; /**< the name has a statistic */
};

/** Splits a name. Returns false if it is not meant as the name of something recorded. */
bool tch_metric_name_parse(const char *name, struct tch_metric_name *ret);

/** Writes the whole name, with its statistic. Returns false if the name has no source, or is too
    long. */
bool tch_metric_name_complete(const char *name, char ret[TCH_METRIC_TEXT]);

/** Returns whether a name is meant as that of something recorded. */
bool tch_metric_is_recorded(const char *name);

#endif
