/*
 * Finds out whether the numbers of a result are doubtful.
 */
#ifndef TCH_ADVISE_H
#define TCH_ADVISE_H

#include <tacho/error.h>

#include "result.h"

/** Warns of drift, a slow first run, outliers, two modes, failures and missing metrics. The same
    values give the same warnings. Returns 0 or TACHO_ENOMEM. */
int tch_advise(struct tch_result *r, tacho_error *err);

#endif
