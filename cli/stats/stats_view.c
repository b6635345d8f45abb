/* Shows the distribution of numbers on the terminal: a table and a histogram. */
#include "stats_view.h"

#include <math.h>

#include "cli/core/bars.h"
#include "cli/core/table.h"
#include "kit/stats/dependence.h"
#include "kit/stats/session.h"
#include "kit/text/human_number.h"

/* Formats a time, or a number with all its digits. A number that is not exact gets six digits. */
static const char *shown(const struct tch_stats_report *job, double value, bool exact, char out[64])
{
    struct tch_buf b;

    if (isnan(value))
        return "-";
    tch_buf_init_on(&b, out, 64, 63);
    if (job->unit_ns > 0) {
        tch_add_value(&b, TCH_NS, value * job->unit_ns);
    } else if (!exact || value != floor(value) || fabs(value) >= 1e15) {
        tch_buf_addf(&b, "%.6g", value);
    } else {
        tch_buf_addf(&b, "%.0f", value);
    }
    return out;
}

static void add_row(struct table *t, const struct tch_stats_report *job, const char *name,
                    double value, bool exact, double error)
{
    char text[64];

    cli_table_add(t, PLAIN, name);
    cli_table_add(t, BOLD, shown(job, value, exact, text));
    if (error > 0)
        cli_table_addf(t, DIM, "error at most %s", shown(job, error, false, text));
    else
        cli_table_add(t, PLAIN, "");
}

static void add_percentile_row(struct table *t, const struct tch_stats_report *job,
                               const struct tch_percentile *p)
{
    bool exact = tch_stream_exact(&job->stream);
    char low[64];
    char high[64];
    char text[64];
    char name[40];

    snprintf(name, sizeof name, "p%s", p->text);
    cli_table_add(t, PLAIN, name);
    cli_table_add(t, BOLD, shown(job, p->value, exact, text));
    if (isnan(p->low))
        cli_table_add(t, DIM, "too few numbers for an interval");
    else
        cli_table_addf(t, DIM, "%s to %s", shown(job, p->low, exact, low),
                       shown(job, p->high, exact, high));
}

static void add_table(struct tch_buf *b, const struct tch_stats_report *job,
                      const struct args *args)
{
    static const struct column columns[] = {
        {.fit = FIT_WHOLE}, {.right = true}, {.title = "95 % interval", .fit = FIT_CUT}};
    struct table t;

    cli_table_init(&t, &args->out, columns, 3);
    add_row(&t, job, "min", job->stream.min, true, 0);
    for (size_t i = 0; i < job->count; i++)
        add_percentile_row(&t, job, &job->percentiles[i]);
    add_row(&t, job, "max", job->stream.max, true, 0);
    add_row(&t, job, "mean", tch_stream_mean(&job->stream), false, 0);
    add_row(&t, job, "sd", job->sd, false, job->sd_error);
    add_row(&t, job, "mad", job->mad, tch_stream_exact(&job->stream), job->mad_error);
    cli_table_print(&t, b);
    cli_table_release(&t);
}

static void add_drawing(struct tch_buf *b, const struct tch_stats_report *job,
                        const struct args *args)
{
    static const struct column columns[] = {{.right = true}, {.fit = FIT_WHOLE}, {.right = true}};
    uint64_t most = 1;
    struct table t;

    for (int i = 0; i < TCH_STATS_BINS; i++) {
        uint64_t count = job->below[i + 1] - job->below[i];

        most = count > most ? count : most;
    }
    tch_buf_addc(b, '\n');
    cli_table_init(&t, &args->out, columns, 3);
    for (int i = 0; i < TCH_STATS_BINS; i++) {
        uint64_t count = job->below[i + 1] - job->below[i];
        char edge[64];
        char text[256];
        struct tch_buf bar;

        cli_table_add(&t, PLAIN, shown(job, job->edges[i], false, edge));
        tch_buf_init_on(&bar, text, sizeof text, sizeof text - 1);
        cli_add_bar(&bar, &args->out, (double)count / (double)most, 40);
        cli_table_add(&t, CYAN, bar.data);
        tch_buf_clear(&bar);
        tch_add_value(&bar, TCH_COUNT, (double)count);
        cli_table_add(&t, PLAIN, count > 0 ? bar.data : "");
        tch_buf_release(&bar);
    }
    cli_table_print(&t, b);
    cli_table_release(&t);
}

/* Says what the intervals allow for, and what they assume. */
static void add_dependence(struct tch_buf *b, const struct tch_stats_report *job)
{
    if (job->rho >= TCH_DEPENDENCE_STRONG)
        tch_buf_adds(b, "sorted, or each depends strongly on the one before: the intervals may be "
                        "too narrow\n");
    else if (job->rho > 0)
        tch_buf_addf(b, "each depends on the one before: worth %.0f independent numbers\n",
                     (double)job->stream.n / tch_session_inflation(job->rho));
    else if (job->assumes)
        tch_buf_addf(b, "the intervals assume %s\n", job->assumes);
}

void cli_add_stats(struct tch_buf *b, const struct tch_stats_report *job, const struct args *args)
{
    char coarse[64];

    tch_buf_addf(b, "%llu number%s", (unsigned long long)job->stream.n, tch_plural(job->stream.n));
    if (job->found.column[0])
        tch_buf_addf(b, " of %s", job->found.column);
    if (job->intervals > 0)
        tch_buf_addf(b, " in %llu histogram%s", (unsigned long long)job->intervals,
                     tch_plural(job->intervals));
    if (tch_stream_exact(&job->stream))
        tch_buf_adds(b, ", exact\n");
    else if (job->coarse > 0)
        tch_buf_addf(b, ", by histogram: each value is within %.2g %% or %s, if that is more\n",
                     100 * job->relative, shown(job, job->coarse, true, coarse));
    else
        tch_buf_addf(b, ", by histogram: each value is within %.2g %%\n", 100 * job->relative);
    if (job->definition == TCH_STATS_REFERENCE)
        tch_buf_adds(b, "p50 is nearest-rank, sd is divided by n\n");
    if (job->found.skipped > 0)
        tch_buf_addf(b, "%llu lines skipped, the first is line %llu\n",
                     (unsigned long long)job->found.skipped,
                     (unsigned long long)job->found.first_skipped);
    if (job->interval_ns > 0)
        tch_buf_addf(b, "%llu of the numbers were added for requests that slow ones delayed\n",
                     (unsigned long long)job->added);
    add_dependence(b, job);
    tch_buf_addc(b, '\n');
    add_table(b, job, args);
    if (!job->no_histogram && !args->quiet)
        add_drawing(b, job, args);
}
