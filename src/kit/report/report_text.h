/*
 * Parts of the text formats that reports of runs and of verdicts share.
 */
#ifndef TCH_REPORT_TEXT_H
#define TCH_REPORT_TEXT_H

#include <stddef.h>

#include "base/buf.h"
#include "kit/stats/ratio.h"
#include "kit/text/human_number.h"

/** Adds an interval, "12.3 ms … 14.5 ms". If level is 0, low and high are the range of all values,
    and " (range)" follows. `to` separates the two, such as " … ". */
void tch_add_interval(struct tch_buf *b, enum tch_unit unit, double low, double high, double level,
                      const char *to);

/** Adds "0.98 … 1.04": the interval of a ratio, or the range of the runs' own ratios. */
void tch_add_ratio_interval(struct tch_buf *b, const struct tch_ratio *ratio, const char *to);

/** One test case of JUnit XML. The texts are plain; they are escaped when written. */
struct tch_junit_case {
    const char *group;
    const char *name;
    double seconds; /**< NAN: left out */
    const char
        *problem; /**< element to write, "failure", "error" or "skipped"; NULL: the case passed */
    const char *message; /**< what the problem is */
    const char *output;
};

/** Begins a document of one test suite. If skipped is SIZE_MAX, its attribute is left out. */
void tch_junit_begin(struct tch_buf *b, const char *name, size_t tests, size_t failures,
                     size_t errors, size_t skipped);
void tch_junit_add(struct tch_buf *b, const struct tch_junit_case *test);
void tch_junit_end(struct tch_buf *b);

/** A family of gauges in Prometheus's text format. */
struct tch_prometheus {
    char name[160];
    double divisor; /**< converts tacho's unit to the base unit */
};

/** Names a family in base units: "tacho_run" and "wall_ns" give "tacho_run_wall_seconds".
    Characters that are invalid in a name become '_'. */
void tch_prometheus_name(struct tch_prometheus *family, const char *prefix, const char *name,
                         enum tch_unit unit);

/** Begins the family. `help` is plain text of one line. */
void tch_prometheus_begin(struct tch_buf *b, const struct tch_prometheus *family, const char *help);

/** Adds a sample in tacho's unit. labels: alternating names and values, terminated by NULL. */
void tch_prometheus_add(struct tch_buf *b, const struct tch_prometheus *family,
                        const char *const *labels, double value);

#endif
