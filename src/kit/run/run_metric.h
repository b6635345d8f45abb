/*
 * Numbers that a program prints, found by regular expressions.
 */
#ifndef TCH_RUN_METRIC_H
#define TCH_RUN_METRIC_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <tacho/error.h>

#include "run_sample.h"

struct tch_metric {
    struct tch_metric_name id;
    char *text; /**< the expression, inside the allocation of id.name */
    regex_t regex;
};

/**
 * "NAME=REGEX" or "all:NAME=REGEX": an extended POSIX expression, matched line by line. The number
 * is its first group, or all of the match where it has no group.
 *
 * @return 0, TACHO_EINVAL, TACHO_ENOMEM
 */
int tch_metric_init(struct tch_metric *metric, const char *spec, tacho_error *err);
void tch_metric_release(struct tch_metric *metric);

/**
 * Finds the numbers in what fd holds behind `from` and adds them to values, one list a metric:
 * each match, or the last alone. A match that is not a number is passed over.
 *
 * @return 0, TACHO_EIO, TACHO_ENOMEM
 */
int tch_metrics_find(const struct tch_metric *metrics, size_t count, int fd, off_t from,
                     const char *name, struct tch_values *values, tacho_error *err);

#endif
