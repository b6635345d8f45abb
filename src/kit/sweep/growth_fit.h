/*
 * Fits how a cost grows with n: a constant part and a growing one, cost = a + b f(n), for each of
 * the usual f, and chooses the f that the costs support.
 *
 * The fit minimises relative errors, because costs range over orders of magnitude. The constant
 * part is the cost of every run whatever n is, such as that of starting the program. It cannot be
 * negative.
 */
#ifndef TCH_GROWTH_FIT_H
#define TCH_GROWTH_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>

enum tch_growth {
    TCH_O_1,
    TCH_O_LOG,
    TCH_O_N,
    TCH_O_NLOG,
    TCH_O_N2,
    TCH_O_N3,
    TCH_GROWTHS,
};

/** "1", "log n", "n", "n log n", "n^2", "n^3". */
extern const char *const tch_growth_names[TCH_GROWTHS];

/** Returns f(n). */
double tch_growth_of(enum tch_growth growth, double n);

struct tch_fit_model {
    double a, b;
    double rms; /**< relative error of the fit, root of the mean square */
    double r2;  /**< share of the variance of the costs that the fit explains, 0 to 1 */
    double bic; /**< Schwarz's criterion: the smaller, the better */
    bool open;  /**< not ruled out by the costs */
};

enum { TCH_FIT_LEAST = 4 }; /* different n that a fit needs */

/** A growth is also ruled out when surely less than this share of the cost has grown. */
#define TCH_FIT_GROWN 0.1

/** Smallest relative error assumed of a cost. Caches and pages keep real programs from following a
    formula more closely. */
#define TCH_FIT_FLOOR 0.02

struct tch_fit {
    struct tch_fit_model model[TCH_GROWTHS];
    size_t points;
    int best;        /**< -1: too few points */
    double exponent; /**< k of a + b n^k, fitted freely; NAN: too few points, or no growth */
    double exponent_low, exponent_high; /**< interval of the confidence 1 - alpha; contains 1, 2 or
                                           3 if n, n^2 or n^3 is open; NAN: unknown */
};

/**
 * Fits all growths. With fewer than TCH_FIT_LEAST different n, ret->best is -1.
 *
 * @param n, cost  all above 0
 * @param error    relative standard errors of the costs; NULL: none but TCH_FIT_FLOOR
 * @param alpha    largest probability of ruling out the true growth
 */
void tch_fit_growth(const double *n, const double *cost, const double *error, size_t count,
                    double alpha, struct tch_fit *ret);

/** The growth that the user expects: exactly this one, or at most this one. */
struct tch_expect {
    const char *text; /**< as given; NULL: no expectation */
    enum tch_growth growth;
    bool at_most;
};

/** Parses "n log n", "O(n^2)" or "<= n". Returns 0 or TACHO_EINVAL. text must outlive ret. */
int tch_expect_parse(const char *text, struct tch_expect *ret, tacho_error *err);

/** Returns whether a fit contradicts the expected growth. */
bool tch_fit_contradicts(const struct tch_fit *fit, const struct tch_expect *expect);

#endif
