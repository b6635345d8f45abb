/* Describes what recording cost a program. */
#include "costs.h"

#include <math.h>

#include "kit/text/human_number.h"

bool tch_costs_counted(const struct tch_result_costs *c)
{
    return c->recordings_per_run > 0 || c->spans_per_run > 0 || c->events_per_run > 0 ||
           c->latencies_per_run > 0;
}

/* Returns the digits after the point of a percentage: two significant ones if it is small. */
static int digits(double percent)
{
    return percent >= 10 ? 0 : percent >= 1 ? 1 : percent >= 0.1 ? 2 : 3;
}

/* Adds the cost of `count` things, whose name is `one` or, if there are several, `many`. */
static void describe(struct tch_buf *b, const char *one, const char *many, double count,
                     double each_ns, double wall_ns)
{
    double ns = count * each_ns;

    if (!(count > 0))
        return;
    tch_buf_addf(b, "%s%.4g %s in each run", b->len > 0 ? "; " : "", count,
                 count == 1 ? one : many);
    if (isnan(ns)) {
        tch_buf_adds(b, ", at an unknown cost");
        return;
    }
    tch_buf_adds(b, " cost about ");
    tch_add_value(b, TCH_NS, ns);
    if (wall_ns > 0)
        tch_buf_addf(b, ", %.*f %% of the wall time", digits(100 * ns / wall_ns),
                     100 * ns / wall_ns);
    tch_buf_adds(b, " (estimated: ");
    tch_add_value(b, TCH_NS, each_ns);
    tch_buf_adds(b, " each, measured on this machine)");
}

void tch_costs_describe(struct tch_buf *b, const struct tch_result_costs *c, double wall_ns)
{
    struct tch_buf text;

    tch_buf_init(&text, 4096);
    describe(&text, "span", "spans", c->spans_per_run, c->span_cost_ns, wall_ns);
    describe(&text, "event", "events", c->events_per_run, c->event_cost_ns, wall_ns);
    describe(&text, "latency", "latencies", c->latencies_per_run, c->latency_cost_ns, wall_ns);
    describe(&text, "recording started and ended", "recordings started and ended",
             c->recordings_per_run, c->recording_cost_ns, wall_ns);
    tch_buf_add(b, text.data, text.len);
    b->failed |= text.failed;
    tch_buf_release(&text);
}

void tch_costs_advise(struct tch_warnings *w, const struct tch_result_costs *c, double wall_ns)
{
    double ns = c->recordings_per_run * c->recording_cost_ns;
    struct tch_buf cost;

    if (!(wall_ns > 0) || !(ns > TCH_COSTS_LARGE * wall_ns))
        return;
    tch_buf_init(&cost, 64);
    tch_add_value(&cost, TCH_NS, ns);
    tch_warn(
        w, "recording-cost", "run without recording (--no-record), or make each run do more work",
        "starting and ending the program's recordings takes about %s, %.*f %% of the median run",
        cost.data, digits(100 * ns / wall_ns), 100 * ns / wall_ns);
    tch_buf_release(&cost);
}
