/* Implements dependence.h with the robust correlation of session.h. */
#include "dependence.h"

#include <math.h>

#include "base/fail.h"
#include "session.h"

/* A correlation of independent values is larger with a probability of 10 %. A larger limit would
   miss more of the dependence that 20 to 50 runs have. */
static const double chance = 1.28;

double tch_dependence(const double *x, size_t n, double *room)
{
    double lag1;

    if (n < TCH_DEPENDENCE_LEAST)
        return 0;
    lag1 = tch_lag1(x, n, room);
    return lag1 > chance / sqrt((double)n) ? tch_session_rho(lag1, n) : 0;
}

int tch_dependent_interval(size_t n, double q, double alpha, double rho,
                           struct tch_rank_interval *ret, tacho_error *err)
{
    double wider = sqrt(tch_session_inflation(rho));
    double place = (double)n * q;
    double low;
    double high;
    int status = tch_quantile_interval(n, q, alpha, ret, err);

    if (status < 0 || rho == 0)
        return status;
    low = floor(place - (place - (double)ret->low) * wider);
    high = ceil(place + ((double)ret->high - place) * wider);
    if (low < 0 || high > (double)(n - 1)) {
        *ret = (struct tch_rank_interval){.high = n - 1};
        return tch_fail(err, TACHO_EINVAL, 0,
                        "%zu values that depend on each other are too few for an interval at %g", n,
                        1 - alpha);
    }
    ret->low = (size_t)low;
    ret->high = (size_t)high;
    return 0;
}

const char *tch_dependence_assumed(size_t n, double rho)
{
    if (rho >= TCH_DEPENDENCE_STRONG)
        return "weaker dependence";
    return n < TCH_DEPENDENCE_SURE ? "independent runs" : NULL;
}
