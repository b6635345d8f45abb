/* Verdicts in Prometheus's text format: gauges, one family after the other. */
#include <math.h>

#include "report_text.h"
#include "verdict_formats.h"

enum gauge { VERDICT, RATIO, LOW, HIGH, NOW };

static const struct {
    const char *family;
    const char *help;
} gauges[] = {
    [VERDICT] = {"tacho_gate_verdict", "0 pass, 1 inconclusive, 2 warn, 3 fail"},
    [RATIO] = {"tacho_gate_ratio", "now by before, or by the maximum allowed"},
    [LOW] = {"tacho_gate_ratio_low", "low end of the interval of the ratio"},
    [HIGH] = {"tacho_gate_ratio_high", "high end of the interval of the ratio"},
    [NOW] = {"tacho_gate_median", "median now, in nanoseconds, bytes, joules or counts"},
};

static double gauge_value(const struct tch_verdict_row *r, enum gauge gauge)
{
    bool interval = r->has_ratio && r->ratio.level > 0;

    switch (gauge) {
    case VERDICT:
        return r->verdict - 1; /* 0 is PASS */
    case RATIO:
        return r->has_ratio ? r->ratio.estimate : NAN;
    case LOW:
        return interval ? r->ratio.low : NAN;
    case HIGH:
        return interval ? r->ratio.high : NAN;
    case NOW:
        return r->b_median;
    }
    return NAN;
}

static void write_prometheus(struct tch_buf *b, const struct tch_findings *f)
{
    for (size_t k = 0; k < sizeof gauges / sizeof gauges[0]; k++) {
        tch_prometheus_begin(b, gauges[k].family, gauges[k].help);
        for (size_t i = 0; i < f->count; i++) {
            const struct tch_about *about = &f->about[i];
            const char *budget = about->ask == TCH_ASK_MAX ? "max" : "ratio";
            const char *labels[] = {"bench",  about->bench, "metric", about->quantity.name,
                                    "budget", budget,       NULL};
            double value = gauge_value(&f->rows[i], (enum gauge)k);

            if (about->ask != TCH_ASK_NOTHING && isfinite(value))
                tch_prometheus_add(b, gauges[k].family, labels, value);
        }
    }
}

const struct tch_verdict_format tch_verdict_prometheus = {"prometheus", write_prometheus};
