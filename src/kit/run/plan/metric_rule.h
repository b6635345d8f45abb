/*
 * Rules by which the values of a user's metric are found: a number that the command prints, found
 * by a regular expression, or a name of what the program recorded (kit/result/metric.h).
 */
#ifndef TCH_METRIC_RULE_H
#define TCH_METRIC_RULE_H

#include <regex.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <tacho/error.h>

#include "kit/result/result.h"

struct tch_metric_rule {
    char *name;
    bool all; /**< every match counts, not only the last */
    enum tch_metric_source source;
    char *text;    /**< the expression; inside the allocation of `name`; NULL: recorded */
    regex_t regex; /**< finds the number in the output; unused for recorded values */
    bool any;      /**< each match counts as the number 1; used by a check */
};

/**
 * Parses "NAME=REGEX" or "all:NAME=REGEX", where REGEX is an extended POSIX expression that is
 * matched line by line. The number is its first group, or the whole match if it has no group. Also
 * parses the name of a recorded metric, such as "span:parse:p99".
 *
 * @return 0, TACHO_EINVAL, TACHO_ENOMEM
 */
int tch_metric_rule_init(struct tch_metric_rule *rule, const char *spec, tacho_error *err);
void tch_metric_rule_release(struct tch_metric_rule *rule);

/** Writes the rules as a JSON array of their names and expressions. The expression of a recorded
    metric is null. */
void tch_metric_rules_write(struct tch_buf *b, const struct tch_metric_rule *rules, size_t count);

/** The numbers that a rule found in one run. Initialise it with zeros. */
struct tch_found_numbers {
    struct tch_values values;
    char refused[TCH_REFUSED_TEXT]; /**< as in struct tch_column */
};

/**
 * Finds numbers in the file of fd after offset `from` and adds them: every match, or only the last
 * one. Ignores matches that are not finite numbers and keeps one of them in ret->refused. A hostile
 * expression can use unlimited time and memory, so only tch_metric_rules_find() and tests call
 * this.
 *
 * @return 0, TACHO_EIO, TACHO_ENOMEM
 */
int tch_metric_rule_find(const struct tch_metric_rule *rule, int fd, off_t from, const char *name,
                         struct tch_found_numbers *ret, tacho_error *err);

/** The output files of a run. */
struct tch_run_outputs {
    int fd[2];  /**< standard output and standard error; -1: not read */
    off_t from; /**< where the run's part of standard output begins */
};

/**
 * Finds the numbers of all rules in the outputs of a run, in a child process with limited time and
 * memory.
 *
 * @param stop  not 0: stop searching; may be NULL
 * @param ret   one per rule
 * @return 0, TACHO_ELIMIT with the name of the metric whose expression is too expensive, TACHO_EIO
 * (system_errno is ECANCELED if *stop was set), TACHO_ENOMEM
 */
int tch_metric_rules_find(const struct tch_metric_rule *rules, size_t count,
                          const struct tch_run_outputs *outputs, const volatile sig_atomic_t *stop,
                          struct tch_found_numbers *ret, tacho_error *err);

#endif
