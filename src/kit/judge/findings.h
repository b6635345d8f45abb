/*
 * One report: rows with their names and values, the differences between the two sides, and the
 * verdicts.
 *
 *     tch_findings_init(&f, "compare");
 *     tch_findings_add(&f, &about, &a, &b, &err);      once per question
 *     tch_findings_judge(&f, 0.05, &err);
 *     ...                                              f.rows[i] belongs to f.about[i]
 *     tch_findings_release(&f);
 */
#ifndef TCH_FINDINGS_H
#define TCH_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>

#include "kit/result/series.h"
#include "verdict_rule.h"

#define TCH_VERDICT_SCHEMA "tacho.verdict.v1"

#define TCH_ALPHA 0.05

enum { TCH_ABOUT_DETAIL = 120, TCH_ABOUT_COUNTED = 300 };

struct tch_calibration;
struct tch_set_summary;

/** The question of a row. */
struct tch_about {
    const char *bench; /**< copied; "" if there is no bench */
    struct tch_metric metric;
    struct tch_budget budget;
    enum tch_ask ask;
    bool required; /**< FAIL if there are no values */
    bool paired;
    size_t coins;  /**< paired: rows with the same number share their coins; 0: shares them with no
                      other row */
    double spread; /**< not paired: for tch_verdict_row.spread */
    size_t occasions; /**< occasions of the baseline; 0: both sides are run folders */
    double obvious;   /**< for tch_verdict_row.obvious */
    const struct tch_analyses *analyses; /**< not copied; NULL: this is the only analysis */
    bool exact;                          /**< for tch_verdict_row.exact */
    char detail[TCH_ABOUT_DETAIL];       /**< for a count: the calls that differ, or "" */
    char counted_by[TCH_ABOUT_COUNTED];  /**< for a count: what counted it now, and its cost */
    const char
        *instead; /**< shown in place of a verdict: "new"; not copied; NULL: there is a verdict */
};

/** A difference between the two sides. Texts are JSON; NULL: the side has no value. */
struct tch_difference {
    char *path;
    char *a;
    char *b;
};

/** A note or a problem: a sentence shown before the table. Texts are owned. */
struct tch_note {
    char *text;
    char *bench; /**< bench of a budget that could not be judged; NULL: the note is not about one */
    char *metric; /**< metric of that budget; "": all of the bench. NULL with bench */
    bool of_rows; /**< tch_findings_clear_rows() removes it */
};

/** The occasion of a baseline that a bench was compared with. */
struct tch_reference {
    char *bench;
    char *at;     /**< "2026-11-15T23:05:11Z" */
    char *commit; /**< "" if not known */
    bool dirty;   /**< files differed from the commit */
    int64_t days; /**< age in days; -1: its time is in the future */
    bool old;     /**< older than max_age */
    int ancestor; /**< whether it is an ancestor of the measured commit: 1, 0, or -1 if git does not
                     know */
};

struct tch_findings {
    const char *mode; /**< "compare", "baseline", "against" */
    char *a_name;     /**< display name of the old or first side */
    char *b_name;
    struct tch_about *about;      /**< `bench` is owned */
    struct tch_verdict_row *rows; /**< values are owned */
    size_t count;
    struct tch_difference *differences;
    size_t difference_count;
    struct tch_note *notes;
    size_t note_count;
    struct tch_note *problems; /**< say what should have been judged, and why it was not */
    size_t problem_count;
    struct tch_reference *references; /**< texts are owned */
    size_t reference_count;
    char dirty[32];    /**< commit that the measured files differ from; "": they do not differ */
    double alpha;      /**< alpha of the whole report */
    unsigned analyses; /**< interim analyses that were planned; they share alpha */
    double session_spread; /**< replaces the known or assumed session spread of all quantities; NAN:
                              not given */
    const struct tch_calibration *calibration; /**< calibration of the runs, borrowed; its session
                                                  spread replaces the assumed one; or NULL */
    double quantile;   /**< quantile of the values within a run, unless a budget names one */
    double suspicious; /**< a row that is better by more than this factor is WARN; 0: no such
                          warning */
    bool lost;         /**< memory ran out for a sentence: the report must not be written */
    char *reproduce;   /**< command to reproduce the report; or NULL */
    char *link;        /**< URL of the page with more; or NULL */
    struct tch_set_summary *set; /**< of a comparison of sets, owned: set_compare.h; or NULL */
    enum tch_verdict verdict;
};

void tch_findings_init(struct tch_findings *f, const char *mode);
void tch_findings_release(struct tch_findings *f);

/** Removes all rows, and the notes bound to them, before a larger number of runs is judged. */
void tch_findings_clear_rows(struct tch_findings *f);

/** Binds the notes from number `from` on to the rows, because they describe these runs only. */
void tch_findings_bind_notes(struct tch_findings *f, size_t from);

/** Adds a row with copies of a (NULL for TCH_ASK_MAX) and b. Paired values are matched by round
    first. @return 0 or TACHO_ENOMEM */
int tch_findings_add(struct tch_findings *f, const struct tch_about *about, struct tch_series *a,
                     struct tch_series *b, tacho_error *err);

/** Returns whether there is a row of that quantity, from row number `from` on. */
bool tch_findings_has(const struct tch_findings *f, size_t from, const char *quantity);

/** Adds the differences between the configurations and environments of two runs. */
int tch_findings_differences(struct tch_findings *f, const struct tch_result *a,
                             const struct tch_result *b, tacho_error *err);

/** Adds the differences of two JSON objects. */
int tch_findings_diff(struct tch_findings *f, const char *a, size_t a_len, const char *b,
                      size_t b_len, tacho_error *err);

/** Adds a copy of the occasion that a bench was compared with. Returns 0 or TACHO_ENOMEM. */
int tch_findings_add_reference(struct tch_findings *f, const struct tch_reference *reference,
                               tacho_error *err);

/** Adds a note, once. Sets f->lost if memory runs out. */
void tch_findings_note(struct tch_findings *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/** Adds a sentence that says what could not be judged, and why. Sets f->lost if memory runs out. */
void tch_findings_problem(struct tch_findings *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/** Adds a note about a budget that could not be judged: it was not measured, or there is nothing
    usable to compare with. metric: its title; "": all budgets of the bench; NULL: there is no
    budget, so that this is a plain note. */
void tch_findings_unjudged(struct tch_findings *f, const char *bench, const char *metric,
                           const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/** Turns PASS into WARN if a budget could not be judged. Call it when all notes are known. */
void tch_findings_doubt(struct tch_findings *f);

/** Returns the verdict of the whole report, "NOT JUDGED", or NULL if no question was asked. */
const char *tch_findings_word(const struct tch_findings *f);

/** Sets a text of f (a_name, link …) to a copy. Returns 0 or TACHO_ENOMEM. */
int tch_findings_set(char **slot, const char *text, tacho_error *err);

/** Judges all rows. Returns 0 or TACHO_ENOMEM, also for a lost sentence. */
int tch_findings_judge(struct tch_findings *f, double alpha, tacho_error *err);

/** Adds a note about the session spread that rows without pairs assume. interleave: the command
    that interleaves the runs and needs no such assumption. */
void tch_findings_note_sessions(struct tch_findings *f, const char *interleave);

enum { TCH_STATISTIC_TEXT = 32 };

/** Returns "median", "p95", "p99.9" and so on, written to room. */
const char *tch_statistic_name(double quantile, char room[TCH_STATISTIC_TEXT]);

/** Finds a statistic that a budget can have: "median", "p95" or "p99". Returns false for any other
    name. */
bool tch_statistic_find(const char *name, double *quantile);

#endif
