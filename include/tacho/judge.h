/*
 * Judging: is b worse than a by more than it may be? In libtachokit.
 *
 *     tacho_judge_budget budget = TACHO_JUDGE_BUDGET_INIT;
 *     tacho_judge *judge = NULL;
 *
 *     budget.tolerance = 0.05;
 *     if (tacho_judge_new(&judge, &err) < 0 ||
 *         tacho_judge_add_pairs(judge, "decode", before, after, n, &budget, &err) < 0 ||
 *         ...                                           as many questions as there are
 *         tacho_judge_decide(judge, 0.05, &err) < 0)
 *         fprintf(stderr, "%s\n", err.message);
 *     else if (tacho_judge_verdict(judge) == TACHO_VERDICT_FAIL)
 *         ...
 *     tacho_judge_free(judge);
 *
 * All questions of a judge are decided together: if nothing became worse by more than its
 * tolerance, one of them FAILs with a probability of at most alpha, however many there are. The
 * rule is that of `tacho compare` and `tacho gate`; docs/judging.md describes it. The same values
 * give the same verdicts.
 *
 * How a and b were measured must be said. Pairs are measured in turns, and a fair coin decides for
 * each pair which is first: then no disturbance can favour one of them. Two samples were measured
 * one after the other, or on two days, and may differ although nothing changed; so they FAIL later
 * than pairs do.
 */
#ifndef TACHO_JUDGE_H
#define TACHO_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api.h"
#include "error.h"

TACHO_BEGIN_DECLS

/** The answer to a question, ordered by how bad it is. Values are stable. */
enum tacho_verdict {
    TACHO_VERDICT_NONE = 0, /**< nothing was decided */
    TACHO_VERDICT_PASS = 1,
    TACHO_VERDICT_INCONCLUSIVE = 2, /**< too few values, or too noisy */
    TACHO_VERDICT_WARN = 3,         /**< worse, but perhaps within the tolerance */
    TACHO_VERDICT_FAIL = 4
};

/** Returns "PASS" and so on; "-" for TACHO_VERDICT_NONE. */
TACHO_API const char *tacho_verdict_name(enum tacho_verdict verdict);

/** Which way is better. Values are stable. */
enum tacho_direction {
    TACHO_DIRECTION_KNOWN = 0, /**< of a run's quantity: as tacho knows it; of values: lower */
    TACHO_DIRECTION_LOWER = 1,
    TACHO_DIRECTION_HIGHER = 2
};

/** What b may cost. Start with TACHO_JUDGE_BUDGET_INIT. */
typedef struct tacho_judge_budget {
    size_t size;                    /**< set by TACHO_JUDGE_BUDGET_INIT */
    double tolerance;               /**< share by which b may be worse than a; 0.05 is 5 % */
    double min_effect;              /**< a smaller share never matters */
    double limit;                   /**< what the median of b may be at most, or at least where
                                         higher is better: a question of its own; 0: none */
    enum tacho_direction direction; /**< which way is better */
    uint32_t reserved;              /**< 0 */
} tacho_judge_budget;

/** A tolerance of 5 %, a minimum effect of 2 %, no limit. */
#define TACHO_JUDGE_BUDGET_INIT                                             \
    {                                                                       \
        sizeof(tacho_judge_budget), 0.05, 0.02, 0, TACHO_DIRECTION_KNOWN, 0 \
    }

/** Questions, and their answers once they were decided. One thread at a time. */
typedef struct tacho_judge tacho_judge;

/** Makes a judge without questions. The caller frees it by tacho_judge_free(). 0 or TACHO_ENOMEM.
 */
TACHO_API TACHO_MUST_CHECK int tacho_judge_new(tacho_judge **ret, tacho_error *err);

/** Frees the judge. Accepts NULL. */
TACHO_API void tacho_judge_free(tacho_judge *judge);

/**
 * Asks about values that were measured in turns: a[i] right before or after b[i], as a fair coin
 * decided for this pair. The test rests on these coins.
 *
 * @param name    of the question, copied
 * @param budget  borrowed; NULL: TACHO_JUDGE_BUDGET_INIT
 * @return 0, TACHO_ENOMEM, or TACHO_EINVAL: no values, one that is not finite or is below 0, a
 *         budget that is not valid, or the judge has decided already
 */
TACHO_API TACHO_MUST_CHECK int tacho_judge_add_pairs(tacho_judge *judge, const char *name,
                                                     const double *a, const double *b, size_t count,
                                                     const tacho_judge_budget *budget,
                                                     tacho_error *err);

/** Asks about two samples that were not measured in turns. As tacho_judge_add_pairs(). */
TACHO_API TACHO_MUST_CHECK int tacho_judge_add_samples(tacho_judge *judge, const char *name,
                                                       const double *a, size_t a_count,
                                                       const double *b, size_t b_count,
                                                       const tacho_judge_budget *budget,
                                                       tacho_error *err);

/**
 * Asks about two run folders of `tacho run`. The runs tell whether they were made in turns.
 *
 * @param quantity  such as "wall", "memory", "latency"; NULL: all that both have and that are
 * judged by `tacho compare -t` without a name, such as wall time and memory
 * @return 0, TACHO_ENOMEM, TACHO_EIO and TACHO_EPARSE for a folder that cannot be read, or
 *         TACHO_EINVAL: the runs have no such quantity, its direction is not known and not in the
 *         budget, or as above
 */
TACHO_API TACHO_MUST_CHECK int tacho_judge_add_runs(tacho_judge *judge, const char *a_folder,
                                                    const char *b_folder, const char *quantity,
                                                    const tacho_judge_budget *budget,
                                                    tacho_error *err);

/**
 * Decides all questions, once.
 *
 * @param alpha  chance of a wrong FAIL, above 0 and at most 0.5; intervals have the level 1 - alpha
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
    const char *name; /**< of the question, or of the quantity */
    enum tacho_verdict verdict;
    bool paired;
    bool limit; /**< it is about the limit of the budget */
    uint8_t reserved[2];
    size_t a_count; /**< values; of pairs both are the same; 0 for a limit */
    size_t b_count;
    double a_median; /**< NaN for a limit */
    double b_median;
    double estimate;   /**< b / a, or b / limit; NaN where values of 0 leave no ratio */
    double low, high;  /**< its interval; NaN where there is no estimate; 0 and infinity
                            where there are too few values */
    double p;          /**< p-value of "the tolerance, or the limit, is kept" */
    double p_adjusted; /**< the same, corrected for the number of questions */
    uint64_t advised;  /**< INCONCLUSIVE: values of each side, in all, with which a verdict is
                            possible, and PASS likely if nothing changed; 0: not known */
    const char *why;   /**< what else is to be said; "" */
} tacho_judge_answer;

#define TACHO_JUDGE_ANSWER_INIT                                                                    \
    {                                                                                              \
        sizeof(tacho_judge_answer), NULL, TACHO_VERDICT_NONE, false, false, {0, 0}, 0, 0, 0, 0, 0, \
            0, 0, 0, 0, 0, NULL                                                                    \
    }

/** Gets the answer to question i, from 0. TACHO_EINVAL when there is none, or none yet. */
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
