/*
 * Judges whether b is worse than a by more than a tolerance. In libtachokit.
 *
 *     tacho_judge_budget budget = TACHO_JUDGE_BUDGET_INIT;
 *     tacho_judge *judge = NULL;
 *
 *     budget.tolerance = 0.05;
 *     if (tacho_judge_new(&judge, &err) < 0 ||
 *         tacho_judge_add_pairs(judge, "decode", before, after, n, &budget, &err) < 0 ||
 *         ...                                           any number of questions
 *         tacho_judge_decide(judge, 0.05, &err) < 0)
 *         fprintf(stderr, "%s\n", err.message);
 *     else if (tacho_judge_verdict(judge) == TACHO_VERDICT_FAIL)
 *         ...
 *     tacho_judge_free(judge);
 *
 * All questions of a judge are decided together. If nothing became worse by more than its
 * tolerance, the probability that any of them FAILs is at most alpha, however many questions there
 * are. `tacho compare` and `tacho gate` follow the same rule, which docs/judging.md describes. The
 * same values give the same verdicts.
 *
 * The caller must say how a and b were measured. Pairs are interleaved: a random choice for each
 * pair decides which of the two is measured first, so no disturbance can favour a or b. Two samples
 * were measured one after the other, or on two days. They may differ although nothing changed, so
 * they need a larger difference to FAIL.
 */
#ifndef TACHO_JUDGE_H
#define TACHO_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api.h"
#include "error.h"

TACHO_BEGIN_DECLS

/** The answer to a question, from best to worst. Values are stable. */
enum tacho_verdict {
    TACHO_VERDICT_NONE = 0, /**< nothing was judged */
    TACHO_VERDICT_PASS = 1,
    TACHO_VERDICT_INCONCLUSIVE = 2, /**< too few values, or too noisy */
    TACHO_VERDICT_WARN = 3,         /**< worse, but perhaps within the tolerance */
    TACHO_VERDICT_FAIL = 4
};

/** Returns "PASS" and so on; "-" for TACHO_VERDICT_NONE. */
TACHO_API const char *tacho_verdict_name(enum tacho_verdict verdict);

/** Whether lower or higher values are better. Values are stable. */
enum tacho_direction {
    TACHO_DIRECTION_KNOWN = 0, /**< the known direction of a metric of runs; lower for values */
    TACHO_DIRECTION_LOWER = 1,
    TACHO_DIRECTION_HIGHER = 2
};

/** A budget: how much worse b may be. Start with TACHO_JUDGE_BUDGET_INIT. */
typedef struct tacho_judge_budget {
    size_t size;       /**< set by TACHO_JUDGE_BUDGET_INIT */
    double tolerance;  /**< share by which b may be worse than a; 0.05 is 5 % */
    double min_effect; /**< a smaller share never matters */
    double limit;      /**< largest median that b may have, or the smallest where higher is better;
                          judged as a question of its own; 0: no limit */
    enum tacho_direction direction; /**< whether lower or higher is better */
    uint32_t reserved;              /**< 0 */
} tacho_judge_budget;

/** A tolerance of 5 %, a minimum effect of 2 %, no limit. */
#define TACHO_JUDGE_BUDGET_INIT                                             \
    {                                                                       \
        sizeof(tacho_judge_budget), 0.05, 0.02, 0, TACHO_DIRECTION_KNOWN, 0 \
    }

/** Questions, and the answers after tacho_judge_decide(). One thread at a time. */
typedef struct tacho_judge tacho_judge;

/** Makes a judge without questions. The caller frees it by tacho_judge_free(). Returns 0 or
    TACHO_ENOMEM. */
TACHO_API TACHO_MUST_CHECK int tacho_judge_new(tacho_judge **ret, tacho_error *err);

/** Frees the judge. Accepts NULL. */
TACHO_API void tacho_judge_free(tacho_judge *judge);

/**
 * Adds a question about interleaved values. a[i] was measured right before or right after b[i]; a
 * fair coin must have decided the order for each pair, otherwise the test is not valid.
 *
 * @param name    of the question, copied
 * @param budget  borrowed; NULL: TACHO_JUDGE_BUDGET_INIT
 * @return 0, TACHO_ENOMEM, or TACHO_EINVAL when there are no values, a value is negative or not
 * finite, the budget is not valid, or the judge has already decided
 */
TACHO_API TACHO_MUST_CHECK int tacho_judge_add_pairs(tacho_judge *judge, const char *name,
                                                     const double *a, const double *b, size_t count,
                                                     const tacho_judge_budget *budget,
                                                     tacho_error *err);

/** Adds a question about two samples that were not interleaved. Returns like
    tacho_judge_add_pairs(). */
TACHO_API TACHO_MUST_CHECK int tacho_judge_add_samples(tacho_judge *judge, const char *name,
                                                       const double *a, size_t a_count,
                                                       const double *b, size_t b_count,
                                                       const tacho_judge_budget *budget,
                                                       tacho_error *err);

/**
 * Adds questions about two run folders of `tacho run`, which record whether their runs were
 * interleaved.
 *
 * @param quantity  a metric such as "wall", "memory" or "latency"; NULL: those that both runs have
 * and that `tacho compare -t` judges when no metric is named, such as wall time and memory
 * @return 0, TACHO_ENOMEM, TACHO_EIO and TACHO_EPARSE for a folder that cannot be read, or
 *         TACHO_EINVAL when the runs do not have this metric, when neither tacho nor the budget
 *         knows its direction, or as for tacho_judge_add_pairs()
 */
TACHO_API TACHO_MUST_CHECK int tacho_judge_add_runs(tacho_judge *judge, const char *a_folder,
                                                    const char *b_folder, const char *quantity,
                                                    const tacho_judge_budget *budget,
                                                    tacho_error *err);

/**
 * Decides all questions, once.
 *
 * @param alpha  probability of a wrong FAIL, above 0 and at most 0.5; intervals have the confidence
 * 1 - alpha
 * @return 0, TACHO_EINVAL, TACHO_ENOMEM
 */
TACHO_API TACHO_MUST_CHECK int tacho_judge_decide(tacho_judge *judge, double alpha,
                                                  tacho_error *err);

/** Returns the worst verdict of all questions. */
TACHO_API enum tacho_verdict tacho_judge_verdict(const tacho_judge *judge);

/** Returns the number of questions. A budget with a limit makes two. */
TACHO_API size_t tacho_judge_count(const tacho_judge *judge);

/** The answer to a question. Texts are valid as long as the judge. */
typedef struct tacho_judge_answer {
    size_t size;      /**< set by TACHO_JUDGE_ANSWER_INIT */
    const char *name; /**< name of the question or the metric */
    enum tacho_verdict verdict;
    bool paired;
    bool limit; /**< the question is about the limit of the budget */
    uint8_t reserved[2];
    size_t a_count; /**< number of values; the same as b_count for pairs; 0 for a limit */
    size_t b_count;
    double a_median; /**< NaN for a limit */
    double b_median;
    double estimate;  /**< b / a, or b / limit; NaN where values of 0 make it undefined */
    double low, high; /**< interval of the estimate; NaN if that is NaN; 0 and infinity if there are
                         too few values */
    double p;         /**< p-value of "b is within the tolerance (or limit)" */
    double p_adjusted; /**< p, corrected for the number of questions */
    uint64_t advised;  /**< INCONCLUSIVE: total number of values per side that make a verdict
                          possible, and PASS likely if nothing changed; 0: not known */
    const char *why;   /**< a remark about the verdict; "": none */
} tacho_judge_answer;

#define TACHO_JUDGE_ANSWER_INIT                                                                    \
    {                                                                                              \
        sizeof(tacho_judge_answer), NULL, TACHO_VERDICT_NONE, false, false, {0, 0}, 0, 0, 0, 0, 0, \
            0, 0, 0, 0, 0, NULL                                                                    \
    }

/** Gets the answer to question i, from 0. Returns 0, or TACHO_EINVAL when there is no such question
    or nothing is decided yet. */
TACHO_API TACHO_MUST_CHECK int tacho_judge_answer_at(const tacho_judge *judge, size_t i,
                                                     tacho_judge_answer *ret, tacho_error *err);

/**
 * Writes the answer to question i as a line for people, without a line feed:
 * "decode: FAIL, 1.122 times as much (1.098 to 1.147), tolerance 5 %, p 0.0002".
 *
 * @return out, which is always terminated; "" when there is no answer
 */
TACHO_API const char *tacho_judge_text(const tacho_judge *judge, size_t i, char *out, size_t size);

TACHO_END_DECLS

#endif
