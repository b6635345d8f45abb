/*
 * One report: rows with their names and values, what differs around them, and what came out.
 *
 *     tch_findings_init(&f, "compare");
 *     tch_findings_add(&f, &about, &a, &b, &err);      as often as there are questions
 *     tch_findings_judge(&f, 0.05, &err);
 *     ...                                              f.rows[i] goes with f.about[i]
 *     tch_findings_release(&f);
 */
#ifndef TCH_FINDINGS_H
#define TCH_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>

#include "quantity.h"
#include "verdict_rule.h"

#define TCH_VERDICT_SCHEMA "tacho.verdict.v1"

#define TCH_ALPHA 0.05

enum { TCH_ABOUT_DETAIL = 120 };

struct tch_calibration;

/** The question of a row. */
struct tch_about {
    const char *bench; /**< copied; "" without */
    struct tch_quantity quantity;
    struct tch_budget budget;
    enum tch_ask ask;
    bool required; /**< FAIL when there are no values */
    bool paired;
    size_t coins;  /**< paired: rows with the same number share their coins; 0: with no other row */
    double spread; /**< not paired: that of tch_verdict_row */
    size_t occasions;              /**< of the baseline; 0: both sides are run folders */
    const struct tch_looks *looks; /**< not copied; NULL: this is the only one */
    bool exact;                    /**< that of tch_verdict_row */
    char detail[TCH_ABOUT_DETAIL]; /**< of a count: which calls differ; "" without */
    const char *instead; /**< in place of a verdict: "new"; not copied; NULL: there is a verdict */
};

/** A difference between the two sides. Texts are JSON; NULL where a side has nothing. */
struct tch_difference {
    char *path;
    char *a;
    char *b;
};

/** The occasion of a baseline that a bench was compared with. */
struct tch_reference {
    char *bench;
    char *at;     /**< "2026-11-15T23:05:11Z" */
    char *commit; /**< "" when not known */
    bool dirty;   /**< files differed from it */
    int64_t days; /**< its age; -1: not known */
    bool old;     /**< older than is allowed */
    int ancestor; /**< of the commit that was measured: 1, 0, or -1 when that is not known */
};

struct tch_findings {
    const char *mode; /**< "compare", "baseline", "against" */
    char *a_name;     /**< for people: what is old, or first */
    char *b_name;
    struct tch_about *about;      /**< `bench` is owned */
    struct tch_verdict_row *rows; /**< values are owned */
    size_t count;
    struct tch_difference *differences;
    size_t difference_count;
    char **notes; /**< sentences that go before the table */
    size_t note_count;
    char **problems; /**< sentences: why something that should be judged was not */
    size_t problem_count;
    size_t unjudged; /**< of the problems: there is nothing usable to compare with, which is no
                          failure */
    struct tch_reference *references; /**< texts are owned */
    size_t reference_count;
    char dirty[32]; /**< the commit that the measured files differ from; "": from none */
    double alpha;   /**< of the whole report */
    unsigned looks; /**< that were planned; they share alpha */
    double
        session_spread; /**< in place of what is known or assumed of a quantity; NAN: not given */
    const struct tch_calibration *calibration; /**< of the runs, borrowed: what it knows of sessions
                                                    is in place of what is assumed; or NULL */
    double quantile;   /**< of the values within a run, where a budget names none */
    double suspicious; /**< a row that is better by more than this factor is WARN; 0: none is */
    bool lost;         /**< there was no memory for a sentence: nothing may be written */
    char *reproduce;   /**< the command to type; or NULL */
    char *link;        /**< of the page with more; or NULL */
    enum tch_verdict verdict;
};

void tch_findings_init(struct tch_findings *f, const char *mode);
void tch_findings_release(struct tch_findings *f);

/** Removes all rows, before more runs are judged. */
void tch_findings_clear_rows(struct tch_findings *f);

/** Adds a row with copies of a (NULL for TCH_ASK_MAX) and b; paired values are matched first.
    @return 0 or TACHO_ENOMEM */
int tch_findings_add(struct tch_findings *f, const struct tch_about *about,
                     struct tch_quantity_series *a, struct tch_quantity_series *b,
                     tacho_error *err);

/** Is there a row of that quantity, from row number `from` on? */
bool tch_findings_has(const struct tch_findings *f, size_t from, const char *quantity);

/** Adds the differences between the configurations and environments of two runs. */
int tch_findings_differences(struct tch_findings *f, const struct tch_receipt *a,
                             const struct tch_receipt *b, tacho_error *err);

/** Adds the differences of two JSON objects. */
int tch_findings_diff(struct tch_findings *f, const char *a, size_t a_len, const char *b,
                      size_t b_len, tacho_error *err);

/** Adds a copy of what a bench was compared with. 0 or TACHO_ENOMEM. */
int tch_findings_add_reference(struct tch_findings *f, const struct tch_reference *reference,
                               tacho_error *err);

/** Adds a sentence for people, once. Sets f->lost when memory runs out. */
void tch_findings_note(struct tch_findings *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/** Adds a sentence that says what could not be judged, and why. Sets f->lost when memory runs out.
 */
void tch_findings_problem(struct tch_findings *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/** Adds such a sentence about what has nothing usable to compare with. */
void tch_findings_unjudged(struct tch_findings *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/** What the whole report came to: a verdict, "NOT JUDGED", or NULL when nothing was asked. */
const char *tch_findings_word(const struct tch_findings *f);

/** Sets a text of f (a_name, link …) to a copy. 0 or TACHO_ENOMEM. */
int tch_findings_set(char **slot, const char *text, tacho_error *err);

/** Judges all rows. 0 or TACHO_ENOMEM, also for a lost sentence. */
int tch_findings_judge(struct tch_findings *f, double alpha, tacho_error *err);

/** Adds a note that says what was assumed of two sessions, where rows are not paired.
    in_turns: the command that leaves no such doubt. */
void tch_findings_note_sessions(struct tch_findings *f, const char *in_turns);

enum { TCH_STATISTIC_TEXT = 32 };

/** Returns "median", or "p95", "p99.9" and so on, written to room. */
const char *tch_statistic_name(double quantile, char room[TCH_STATISTIC_TEXT]);

/** Finds a statistic that a budget can have: "median", "p95" or "p99". false: there is none. */
bool tch_statistic_find(const char *name, double *quantile);

#endif
