/*
 * Warnings about a run whose numbers are doubtful, each with advice.
 */
#ifndef TCH_ADVISE_H
#define TCH_ADVISE_H

#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "run_sample.h"

enum { TCH_WARNINGS_MAX = 16, TCH_WARNING_TEXT = 200 };

struct tch_warning {
    char code[24]; /**< code of the warning in run.json: "drift" */
    char text[TCH_WARNING_TEXT];
    char advice[TCH_WARNING_TEXT];
};

struct tch_warnings {
    struct tch_warning item[TCH_WARNINGS_MAX];
    size_t count;
};

/** Adds a warning. Drops it when there are TCH_WARNINGS_MAX already. */
void tch_warn(struct tch_warnings *w, const char *code, const char *advice, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/** Warns of drift, a slow first run, outliers, two modes and failures. The same samples give the
   same warnings. Returns 0 or TACHO_ENOMEM. */
int tch_advise_samples(struct tch_warnings *w, const struct tch_run_samples *samples,
                       tacho_error *err);

/** The machine's counters at one moment. The difference of two shows what happened between them. */
struct tch_machine_state {
    double busy_s; /**< CPU time of all CPUs and processes, including stolen time; NAN: not known */
    double at_s;   /**< CLOCK_MONOTONIC */
    double throttled; /**< how often the CPUs were slowed down; NAN: not known */
    double own_s;     /**< CPU time of this process and its reaped children */
};

void tch_machine_read(struct tch_machine_state *state);

/** Warns of the governor, of other busy programs and of throttling between the two moments. */
void tch_advise_machine(struct tch_warnings *w, const struct tch_machine_state *before,
                        const struct tch_machine_state *after);

/** Writes the "warnings" of run.json. */
void tch_warnings_write(struct tch_buf *b, const struct tch_warnings *w);

/** Parses the "warnings" of run.json. Returns 0 or TACHO_EPARSE. */
int tch_warnings_parse(const char *json, size_t len, struct tch_warnings *w, tacho_error *err);

#endif
