/* Verdicts in Prometheus's text format: gauges, a family after the other. */
#include <math.h>

#include "base/float_text.h"
#include "report.h"
#include "verdict_formats.h"

static void add_sample(struct tch_buf *b, const struct tch_findings *f, size_t i, const char *name,
                       double value)
{
    char text[TCH_PLAIN_TEXT];

    if (!isfinite(value))
        return;
    tch_buf_addf(b, "%s{bench=\"", name);
    tch_add_prometheus_label(b, f->about[i].bench);
    tch_buf_adds(b, "\",metric=\"");
    tch_add_prometheus_label(b, f->about[i].quantity.name);
    tch_buf_addf(b, "\",budget=\"%s\"} ", f->about[i].ask == TCH_ASK_MAX ? "max" : "ratio");
    tch_buf_add(b, text, tch_f64_plain(text, value));
    tch_buf_addc(b, '\n');
}

enum what { VERDICT, RATIO, LOW, HIGH, NOW };

static double value_of(const struct tch_verdict_row *r, enum what what)
{
    switch (what) {
    case VERDICT:
        return r->verdict - 1; /* 0 is PASS */
    case RATIO:
        return r->has_ratio ? r->ratio.estimate : NAN;
    case LOW:
        return r->has_ratio && r->ratio.level > 0 ? r->ratio.low : NAN;
    case HIGH:
        return r->has_ratio && r->ratio.level > 0 ? r->ratio.high : NAN;
    case NOW:
        return r->b_median;
    }
    return NAN;
}

static void write_prometheus(struct tch_buf *b, const struct tch_findings *f)
{
    static const struct {
        enum what what;
        const char *name;
        const char *help;
    } families[] = {
        {VERDICT, "tacho_gate_verdict", "0 pass, 1 inconclusive, 2 warn, 3 fail"},
        {RATIO, "tacho_gate_ratio", "now by before, or by the maximum allowed"},
        {LOW, "tacho_gate_ratio_low", "low end of the interval of the ratio"},
        {HIGH, "tacho_gate_ratio_high", "high end of the interval of the ratio"},
        {NOW, "tacho_gate_median", "median now, in nanoseconds, bytes, joules or counts"},
    };

    for (size_t k = 0; k < sizeof families / sizeof families[0]; k++) {
        tch_buf_addf(b, "# HELP %s %s\n# TYPE %s gauge\n", families[k].name, families[k].help,
                     families[k].name);
        for (size_t i = 0; i < f->count; i++)
            if (f->about[i].ask != TCH_ASK_NOTHING)
                add_sample(b, f, i, families[k].name, value_of(&f->rows[i], families[k].what));
    }
}

const struct tch_verdict_format tch_verdict_prometheus = {"prometheus", write_prometheus};
