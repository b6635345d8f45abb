/* Reads the output of a run as a result file of another tool. */
#include "run_import.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/sha256.h"
#include "kit/import/import.h"
#include "kit/stats/order_stats.h"

enum { OUTPUT_MOST = 256 << 20, PIECE = 1 << 16, HASH_DIGITS = 8 };

/* Reads what the run printed. */
static int read_output(const struct tch_run_outputs *outputs, struct tch_buf *b, tacho_error *err)
{
    char piece[PIECE];
    off_t at = outputs->from;
    ssize_t len;

    while ((len = pread(outputs->fd[0], piece, sizeof piece, at)) > 0) {
        tch_buf_add(b, piece, (size_t)len);
        at += len;
    }
    if (len < 0)
        return tch_fail_errno(err, errno, "cannot read the output of the run");
    return b->failed ? tch_fail(err, TACHO_ELIMIT, 0, "the output of the run is longer than %d MiB",
                                OUTPUT_MOST >> 20)
                     : 0;
}

/* Names the metric of a benchmark: the benchmark itself for the wall time. A long name ends with a
   hash, so that no two are equal. */
static void name_metric(char out[TCH_METRIC_TEXT], const char *bench, const struct tch_column *c)
{
    bool wall = strcmp(c->metric.name, "wall") == 0;
    char hex[TCH_SHA256_HEX];
    int n = snprintf(out, TCH_METRIC_TEXT, "%s%s%s", bench, wall ? "" : " ",
                     wall ? "" : c->metric.name);

    if (n < TCH_METRIC_TEXT)
        return;
    tch_sha256_hex(hex, bench, strlen(bench));
    n = TCH_METRIC_TEXT - 2 - HASH_DIGITS - (wall ? 0 : (int)strlen(c->metric.name) % 64 + 1);
    snprintf(out, TCH_METRIC_TEXT, "%.*s-%.*s%s%.63s", n, bench, HASH_DIGITS, hex, wall ? "" : " ",
             wall ? "" : c->metric.name);
}

/* Adds the value of a metric to the last run. */
static int add_value(struct tch_result *r, const char *bench, const struct tch_column *c,
                     double value, tacho_error *err)
{
    struct tch_metric metric;
    char name[TCH_METRIC_TEXT];
    int at;

    name_metric(name, bench, c);
    at = tch_result_asked(r, name);
    if (at < 0) {
        const char *unit = c->unit                       ? c->unit
                           : c->metric.unit == TCH_NS    ? "ns"
                           : c->metric.unit == TCH_BYTES ? "B"
                                                         : "count";

        if (r->column_count >= TCH_FIELDS + TCH_IMPORTED_MOST)
            return tch_fail(err, TACHO_ELIMIT, 0, "a run can have at most %d imported metrics",
                            TCH_IMPORTED_MOST);
        tch_metric_describe_imported(&metric, name, unit, c->metric.better, c->metric.exact);
        metric.several = false; /* the median of the process */
        at = tch_result_add_column(r, &metric, err);
        if (at < 0)
            return at;
        r->columns[at].unit = strdup(unit);
        if (!r->columns[at].unit)
            return tch_fail_memory(err);
    }
    return tch_column_add(&r->columns[at], r->run_count - 1, value, err);
}

static int add_result(struct tch_result *r, const struct tch_result *from, tacho_error *err)
{
    int status = 0;

    for (size_t i = 0; i < from->column_count && status == 0; i++) {
        const struct tch_column *c = &from->columns[i];
        struct tch_values values = {0};

        status = tch_column_values(from, c, &values, err);
        if (status == 0 && values.n > 0)
            status = add_value(r, from->name, c, tch_median(values.v, values.n), err);
        tch_values_release(&values);
    }
    return status;
}

int tch_run_import(struct tch_result *r, const struct tch_run_outputs *outputs, tacho_error *err)
{
    static const struct tch_import_options none = {0};
    struct tch_import_set set;
    struct tch_buf b;
    tacho_error why = {0};
    int status;

    tch_import_init(&set);
    tch_buf_init(&b, OUTPUT_MOST);
    status = read_output(outputs, &b, err);
    if (status == 0) {
        status = tch_import_text(&set, "output", b.data, b.len, 1, &none, &why);
        if (status == 0)
            status = tch_import_finish(&set, &none, &why);
        if (status < 0)
            (void)tch_fail(err, status == TACHO_ENOMEM ? status : TACHO_EPARSE, 0,
                           "cannot import what the command printed: %.300s", why.message);
    }
    if (status == 0 && set.problem_count > 0)
        status = tch_fail(err, TACHO_EPARSE, 0, "cannot import what the command printed: %.300s",
                          set.problems[0].text);
    for (size_t i = 0; i < set.count && status == 0; i++)
        status = add_result(r, &set.results[i], err);
    tch_import_release(&set);
    tch_buf_release(&b);
    return status;
}
