/*
 * Shared by the files of `tacho compare`.
 */
#ifndef CLI_COMPARE_PARTS_H
#define CLI_COMPARE_PARTS_H

#include <limits.h>

#include "cli/core/opt.h"
#include "kit/judge/calibration.h"
#include "kit/judge/run_compare.h"
#include "kit/report/report.h"
#include "kit/report/verdict_formats.h"
#include "kit/run/plan/metric_rule.h"

enum { BUDGETS_MOST = 64, RUNS_MOST = 16 };

/** The options of `tacho compare`, the runs and the findings. */
struct compare {
    struct tch_named_budget budgets[BUDGETS_MOST];
    char *names[BUDGETS_MOST]; /**< owned */
    size_t budget_count;
    struct {
        const char *name;
        bool higher;
    } directions[BUDGETS_MOST];
    size_t direction_count;
    double min_effect; /**< NAN: not given */
    double alpha;
    int format;
    const char *html;
    bool equivalent;
    bool raw;
    bool force;
    bool fail_on_warn;
    const char *filter;  /**< sets: compare only benchmarks whose name matches; NULL: all */
    bool only_changed;   /**< sets: print only rows that changed */
    uint64_t rows_shown; /**< sets: rows of the table; 0: all */
    const struct tch_verdict_format *writer; /**< output format; NULL: a table */

    struct tch_metric_rule metrics[TCH_METRICS_MOST];
    size_t metric_count;
    struct tch_report_run runs[RUNS_MOST];
    char folders[RUNS_MOST][PATH_MAX];
    size_t rows[RUNS_MOST]; /**< the findings of run i are rows[i - 1] to rows[i] */
    size_t count;
    struct tch_calibration calibration; /**< calibration of their bench; empty: there is none */
    struct tch_findings findings;
};

extern const struct opt cli_compare_opts[];

/** Parses and checks all options. Returns EXIT_OK, or the status of wrong usage. */
int cli_compare_parse(struct compare *c, struct args *args);

/** Refuses to compare runs of different machine classes, unless --force is given, and notes that
   they differ or are not known. Returns EXIT_OK or EXIT_WORK. */
int cli_compare_check_machine(struct compare *c, const struct tch_result *a,
                              const struct tch_result *b);

/** Returns whether one of two operands is a set of benchmarks: a file of another tool, or a folder
    with many runs. */
bool cli_compare_is_sets(const struct args *args);

/** Compares two sets. Returns EXIT_OK, or EXIT_WORK after a complaint. */
int cli_compare_sets(struct compare *c, const struct args *args);

/** Reads the calibration of the first two runs, if there is one. The calibration contains the
    smallest changes that this machine can see. For two runs of one command that were not
    interleaved, it also contains how much sessions differ. */
void cli_compare_read_calibration(struct compare *c);

/** Notes tolerances that are smaller than the changes this machine can see in interleaved runs. */
void cli_compare_note_unseen(struct compare *c);

#endif
