/* Describes what recording cost a program. */
#include "costs.h"

#include <math.h>

#include "kit/text/human_number.h"

bool tch_costs_counted(const struct tch_result_costs *c)
{
    return c->spans_per_run > 0 || c->events_per_run > 0 || c->latencies_per_run > 0;
}

static void describe(struct tch_buf *b, const char *records, double count, double each_ns,
                     double wall_ns)
{
    double ns = count * each_ns;

    if (!(count > 0))
        return;
    tch_buf_addf(b, "%s%.4g %s in each run", b->len > 0 ? "; " : "", count, records);
    if (isnan(ns)) {
        tch_buf_adds(b, ", at an unknown cost");
        return;
    }
    tch_buf_adds(b, " cost about ");
    tch_add_value(b, TCH_NS, ns);
    if (wall_ns > 0)
        tch_buf_addf(b, ", %.2g %% of the wall time", 100 * ns / wall_ns);
    tch_buf_adds(b, " (estimated: ");
    tch_add_value(b, TCH_NS, each_ns);
    tch_buf_adds(b, " each, measured on this machine)");
}

void tch_costs_describe(struct tch_buf *b, const struct tch_result_costs *c, double wall_ns)
{
    struct tch_buf text;

    tch_buf_init(&text, 4096);
    describe(&text, "spans", c->spans_per_run, c->span_cost_ns, wall_ns);
    describe(&text, "events", c->events_per_run, c->event_cost_ns, wall_ns);
    describe(&text, "latencies", c->latencies_per_run, c->latency_cost_ns, wall_ns);
    tch_buf_add(b, text.data, text.len);
    b->failed |= text.failed;
    tch_buf_release(&text);
}
