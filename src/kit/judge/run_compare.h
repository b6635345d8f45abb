/*
 * Adds two runs as rows of a report.
 */
#ifndef TCH_RUN_COMPARE_H
#define TCH_RUN_COMPARE_H

#include "findings.h"

/** The budget of a quantity, by its name. */
struct tch_named_budget {
    const char *name; /**< NULL: every quantity that is judged by default */
    struct tch_budget budget;
    bool directed; /**< the user gave budget.higher */
    bool required;
    bool imported; /**< without a name: only metrics of other tools */
};

/** Defaults of a budget. */
extern const struct tch_budget tch_budget_default;

/** Returns the minimum effect of a budget for which the user gave none: the default, or the
    tolerance if that is smaller. A tolerance of 0 has the default, because no interval ends at 0.
 */
double tch_budget_least_effect(const struct tch_budget *budget);

/**
 * Adds rows for the quantities that both runs have. Those with a budget come first, with a
 * question. The others, if with_all is set, have a ratio only.
 *
 * @param analyses  stored in the rows; NULL: this is the only analysis
 * @return 0, TACHO_ENOMEM, or TACHO_EINVAL: a budget for a quantity that neither run can have, or
 * whose better direction is not known
 */
int tch_compare_runs(struct tch_findings *f, const char *bench, const struct tch_result *a,
                     const struct tch_result *b, const struct tch_named_budget *budgets,
                     size_t count, bool with_all, const struct tch_analyses *analyses,
                     tacho_error *err);

/** Compares b with a in wall time, by pairs if both belong to one group. alpha: 1 - confidence of
    the interval. Returns 0, TACHO_ENOMEM, or TACHO_EINVAL if there is nothing to compare. */
int tch_compare_wall(const struct tch_result *a, const struct tch_result *b, double alpha,
                     struct tch_ratio *ret, tacho_error *err);

/** Adds a row without a question for each stage of profile events that both folders have but whose
    run is not known, as for events of a server. Stages that have a row from number `from` on are
    left out. The events of one run are not runs: their intervals describe these events only. */
int tch_compare_events(struct tch_findings *f, const char *bench, size_t from, const char *a,
                       const char *b, tacho_error *err);

/** Adds notes about layouts. With layouts, the note says how much they differ and that a layout is
    the unit. Without, it says where a layout alone can be the cause: only the bytes of the program
    differ, and a time changed by less than 5 %. Reads the judged rows from number `from` on. a:
    NULL for a baseline of a program whose bytes differ. how: the option that makes layouts vary. */
void tch_compare_note_layouts(struct tch_findings *f, const char *bench, const struct tch_result *a,
                              const struct tch_result *b, size_t from, size_t count,
                              const char *how);

/** Adds a note about the cost of recording the metrics of a run, if it has such metrics. bench: ""
    if there is none. */
void tch_compare_note_recording(struct tch_findings *f, const char *bench,
                                const struct tch_result *r);

/** Completes the question about a count: whether it is exact on both sides, and which calls
    differ, and what counted it. a may be NULL, for a maximum. @return false, after reporting it, if
   the two cannot be compared */
bool tch_compare_count(struct tch_findings *f, struct tch_about *about, const struct tch_count *a,
                       const struct tch_result *r);

/** Sets what counted a row and what it cost. Does nothing for other quantities. */
void tch_describe_count(struct tch_about *about, const struct tch_result *r);

/** Adds a note with the stacks whose calls differ; see tch_count_add_stacks(). a may be NULL.
    Returns whether there are any. */
bool tch_compare_stacks(struct tch_findings *f, const struct tch_about *about,
                        const struct tch_count *a, const struct tch_count *b);

/** Reports that a count with a budget is missing, and why. */
void tch_compare_count_missing(struct tch_findings *f, const char *bench,
                               const struct tch_metric *q, const struct tch_result *r);

/** Returns whether a quantity is a count that the run has. */
bool tch_counted(const struct tch_result *r, const struct tch_metric *q);

/** Adds the row for the absolute limit of a budget, if it has one. */
int tch_compare_max(struct tch_findings *f, const char *bench, const struct tch_result *b,
                    const struct tch_metric *q, const struct tch_named_budget *budget,
                    const struct tch_analyses *analyses, tacho_error *err);

/** Checks that a budget fits a quantity: the better direction is known, and the statistic
    applies. `direct` says in the error how to set the direction. */
int tch_budget_check(const struct tch_named_budget *budget, const struct tch_metric *q,
                     const char *direct, tacho_error *err);

#endif
