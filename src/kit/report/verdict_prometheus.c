/* Verdicts in Prometheus's text format: gauges, family after family, one family per unit. */
#include <math.h>

#include "report_text.h"
#include "verdict_formats.h"

enum gauge { VERDICT, RATIO, LOW, HIGH, AT_MOST, SECONDS, BYTES, JOULES, OTHER };

static const struct {
    const char *name;
    const char *help;
    enum tch_unit unit;
} gauges[] = {
    [VERDICT] = {"verdict", "0 pass, 1 inconclusive, 2 warn, 3 fail", TCH_PLAIN},
    [RATIO] = {"ratio", "now divided by before, or by the limit", TCH_PLAIN},
    [LOW] = {"ratio_low", "low end of the interval of the ratio", TCH_PLAIN},
    [HIGH] = {"ratio_high", "high end of the interval of the ratio", TCH_PLAIN},
    [AT_MOST] = {"largest_change",
                 "largest change for the worse that the data do not rule out, as a share",
                 TCH_PLAIN},
    [SECONDS] = {"median", "median of a time now", TCH_NS},
    [BYTES] = {"median", "median of a size now", TCH_BYTES},
    [JOULES] = {"median", "median of an energy now", TCH_JOULES},
    [OTHER] = {"median", "median of a count or a metric now, in its own unit", TCH_PLAIN},
};

static double gauge_value(const struct tch_findings *f, size_t i, enum gauge gauge)
{
    const struct tch_verdict_row *r = &f->rows[i];
    bool interval = r->has_ratio && r->ratio.level > 0;
    enum tch_unit unit = f->about[i].metric.unit;

    switch (gauge) {
    case VERDICT:
        return f->about[i].ask != TCH_ASK_NOTHING ? (double)r->verdict - 1 : NAN; /* 0: PASS */
    case RATIO:
        return r->has_ratio ? r->ratio.estimate : NAN;
    case LOW:
        return interval ? r->ratio.low : NAN;
    case HIGH:
        return interval ? r->ratio.high : NAN;
    case AT_MOST:
        return tch_row_at_most(f, i);
    case SECONDS:
    case BYTES:
    case JOULES:
        return unit == gauges[gauge].unit ? r->b_median : NAN;
    case OTHER:
        return unit == TCH_COUNT || unit == TCH_PLAIN ? r->b_median : NAN;
    }
    return NAN;
}

static void add_gauge(struct tch_buf *b, const struct tch_findings *f, enum gauge gauge)
{
    static const char *const budgets[] = {
        [TCH_ASK_NOTHING] = "none", [TCH_ASK_RATIO] = "ratio", [TCH_ASK_MAX] = "max"};
    struct tch_prometheus family;
    bool begun = false;

    tch_prometheus_name(&family, "tacho_gate", gauges[gauge].name, gauges[gauge].unit);
    for (size_t i = 0; i < f->count; i++) {
        const struct tch_about *about = &f->about[i];
        const char *labels[] = {"bench",  about->bench,        "metric", about->metric.name,
                                "budget", budgets[about->ask], NULL};
        double value = gauge_value(f, i, gauge);

        if (!isfinite(value))
            continue;
        if (!begun)
            tch_prometheus_begin(b, &family, gauges[gauge].help);
        begun = true;
        tch_prometheus_add(b, &family, labels, value);
    }
}

static void write_prometheus(struct tch_buf *b, const struct tch_findings *f)
{
    struct tch_prometheus problems;

    for (size_t i = 0; i < sizeof gauges / sizeof gauges[0]; i++)
        add_gauge(b, f, (enum gauge)i);
    tch_prometheus_name(&problems, "tacho_gate", "problems", TCH_PLAIN);
    tch_prometheus_begin(b, &problems, "reasons why something was not judged");
    tch_prometheus_add(b, &problems, (const char *[]){NULL}, (double)f->problem_count);
}

const struct tch_verdict_format tch_verdict_prometheus = {"prometheus", write_prometheus};
