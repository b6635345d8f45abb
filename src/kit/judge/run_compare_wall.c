/* Compares two runs in wall time alone, without a budget. */
#include <stdlib.h>

#include "base/fail.h"
#include "kit/result/series.h"
#include "kit/stats/session.h"
#include "run_compare.h"

enum {
    COMPARED_MOST = 2000
}; /* the work grows with the square, and the interval is narrow by then */

static size_t at_most(size_t n)
{
    return n < COMPARED_MOST ? n : COMPARED_MOST;
}

/* Compares runs that were not interleaved; see session.h. */
static int compare_sessions(const double *a, size_t m, const double *b, size_t n, double spread,
                            double alpha, struct tch_ratio *ret, tacho_error *err)
{
    size_t least = m < n ? m : n;
    double *room = malloc(2 * (m + n + 1) * sizeof *room);
    int status = room ? tch_ratio_unpaired(a, m, b, n, alpha, 1, ret, err) : tch_fail_memory(err);

    if (status == 0 && least >= 4) {
        double lag1 = (tch_session_lag1(a, m, room) + tch_session_lag1(b, n, room)) / 2;

        tch_session_widen(ret, tch_session_rho(lag1, least), spread, alpha, 1);
    }
    free(room);
    return status;
}

int tch_compare_wall(const struct tch_result *a, const struct tch_result *b, double alpha,
                     struct tch_ratio *ret, tacho_error *err)
{
    bool paired = tch_results_paired(a, b);
    struct tch_series x = {0};
    struct tch_series y = {0};
    struct tch_metric wall;
    int status;

    tch_metric_find("wall", &wall);
    status = tch_series_of(a, &wall, 0.5, &x, err);
    if (status == 0)
        status = tch_series_of(b, &wall, 0.5, &y, err);
    if (status == 0 && paired) {
        tch_series_match(&x, &y);
        status = tch_ratio_paired(x.value, y.value, at_most(x.count), alpha, 1, ret, err);
    } else if (status == 0) {
        status = compare_sessions(x.value, at_most(x.count), y.value, at_most(y.count), wall.spread,
                                  alpha, ret, err);
    }
    tch_series_release(&x);
    tch_series_release(&y);
    return status;
}
