/*
 * Two runs as rows of a report.
 */
#ifndef TCH_RUN_COMPARE_H
#define TCH_RUN_COMPARE_H

#include "findings.h"

/** The budget of a quantity, by its name. */
struct tch_named_budget {
    const char *name; /**< NULL: every quantity that is gated by default */
    struct tch_budget budget;
    bool directed; /**< budget.higher was said, not guessed */
    bool required;
};

/** The budget of a quantity whose own says nothing else. */
extern const struct tch_budget tch_budget_default;

/**
 * Adds rows for what both runs have: those with a budget first come with a question, the others
 * (with_all) with a ratio alone.
 *
 * @param looks  kept in the rows; NULL: this is the only look
 * @return 0, TACHO_ENOMEM, or TACHO_EINVAL: a budget for what none of the two can have, or of
 *         which it is not known which way is better
 */
int tch_compare_runs(struct tch_findings *f, const char *bench, const struct tch_receipt *a,
                     const struct tch_receipt *b, const struct tch_named_budget *budgets,
                     size_t count, bool with_all, const struct tch_looks *looks, tacho_error *err);

/** Adds a row without a question for each stage of the profile events that both folders have, but
   of which it is not known which run recorded them, as of a server's: rows from number `from` on
   have the others. The events of one run are no runs of their own: their intervals tell of these
   events. */
int tch_compare_events(struct tch_findings *f, const char *bench, size_t from, const char *a,
                       const char *b, tacho_error *err);

/** Adds notes of layouts. With layouts: how much they differ, and that a layout is the unit.
   Without, where only the bytes of the program differ and a time changed by less than 5 %, in rows
   from number `from` on, which have been judged: that the layout alone can do that. a: NULL: a
   baseline, of a program whose bytes differ. how: what makes layouts vary. */
void tch_compare_note_layouts(struct tch_findings *f, const char *bench,
                              const struct tch_receipt *a, const struct tch_receipt *b, size_t from,
                              size_t count, const char *how);

/** Adds a note of what recording for the metrics of a run cost, if it has such metrics. bench: ""
    without. */
void tch_compare_note_recording(struct tch_findings *f, const char *bench,
                                const struct tch_receipt *r);

/** Completes the question about a count: whether it is exact on both sides, and which calls differ.
    a may be NULL, for a maximum. @return false when the two cannot be compared, which it reports */
bool tch_compare_count(struct tch_findings *f, struct tch_about *about, const struct tch_count *a,
                       const struct tch_count *b);

/** Reports that a count with a budget is missing, and why. */
void tch_compare_count_missing(struct tch_findings *f, const char *bench,
                               const struct tch_quantity *q, const struct tch_receipt *r);

/** Says whether a quantity is a count that the run has. */
bool tch_counted(const struct tch_receipt *r, const struct tch_quantity *q);

/** Adds the row for the absolute limit of a budget, if it has one. */
int tch_compare_max(struct tch_findings *f, const char *bench, const struct tch_receipt *b,
                    const struct tch_quantity *q, const struct tch_named_budget *budget,
                    const struct tch_looks *looks, tacho_error *err);

/** Checks that a budget makes sense for a quantity: its direction is known, its statistic has
    something to be of. */
int tch_budget_check(const struct tch_named_budget *budget, const struct tch_quantity *q,
                     tacho_error *err);

#endif
