/* The output of tacho watch: lines with small graphs while it runs, then a report. */
#include <math.h>

#include "cli/core/bars.h"
#include "cli/core/clean_out.h"
#include "cli/core/table.h"
#include "cli/core/text.h"
#include "cmd_watch_parts.h"
#include "kit/text/human_number.h"

static void push_point(double values[WATCH_GRAPH], double value)
{
    memmove(values, values + 1, (WATCH_GRAPH - 1) * sizeof *values);
    values[WATCH_GRAPH - 1] = value;
}

/* Appends the current sample to the graphs. */
void cli_watch_remember(struct watch_job *job)
{
    push_point(job->memory, (double)job->now.tree.rss_bytes);
    push_point(job->cpu, job->now.cpu);
    push_point(job->watts, job->now.watts);
    job->points += job->points < WATCH_GRAPH;
}

/* Adds a line of the live display: name, value, graph. */
static void add_live_line(struct tch_buf *b, const struct term *term, const struct watch_job *job,
                          const char *name, const char *value, const double values[WATCH_GRAPH])
{
    tch_buf_addf(b, "%-8s%10s  ", name, value);
    if (values) /* only recorded values: an empty half would look like no use */
        cli_add_spark(b, term, values + WATCH_GRAPH - job->points, job->points);
}

/* Adds the three lines of the live display. */
static void add_live(struct tch_buf *b, const struct term *term, const struct watch_job *job)
{
    char text[64];
    struct tch_buf value;

    tch_buf_init_on(&value, text, sizeof text, sizeof text - 1);
    tch_add_value(&value, TCH_BYTES, (double)job->now.tree.rss_bytes);
    add_live_line(b, term, job, "memory", text, job->memory);
    tch_buf_adds(b, "  peak ");
    tch_add_value(b, TCH_BYTES, (double)job->now.tree.peak_rss_bytes);
    snprintf(text, sizeof text, isnan(job->now.cpu) ? "-" : "%.0f %%", 100 * job->now.cpu);
    tch_buf_addc(b, '\n');
    add_live_line(b, term, job, "cpu", text, job->cpu);
    tch_buf_addf(b, "  %llu processes\n", (unsigned long long)job->now.tree.processes);
    snprintf(text, sizeof text, isnan(job->now.watts) ? "-" : "%.1f W", job->now.watts);
    if (job->no_power.message[0])
        add_live_line(b, term, job, "power", "no source", NULL);
    else
        add_live_line(b, term, job, "power", text, job->watts);
    tch_buf_addc(b, '\n');
    tch_buf_release(&value);
}

static const char *why_unavailable(const tacho_power_report *p, const struct tch_watch_report *r)
{
    if (p->counted_by != 0)
        return r->origin.why_not;
    return p->dropped > 0 ? "its readings failed" : "it was read less than twice";
}

/* Adds what limits the figures: a short time, and the idle power. */
static void add_power_notes(struct table *t, const struct tch_watch_report *r)
{
    struct tch_buf b;

    if (isnan(r->joules))
        return;
    if (tch_power_too_short(&r->origin, r->seconds)) {
        cli_table_add(t, PLAIN, "");
        cli_table_add(t, PLAIN, "");
        cli_table_addf(t, YELLOW, "too short to judge: less than %d updates of %g ms",
                       TCH_POWER_UPDATES, (double)r->origin.update_us / 1e3);
    }
    tch_buf_init_part(&b, &t->text);
    tch_power_idle_add(&b, &r->origin);
    if (b.len > 0) {
        cli_table_add(t, PLAIN, "");
        cli_table_addf(t, BOLD, "%.4g J", r->origin.idle.watts * r->seconds);
        cli_table_addf(t, PLAIN, "included for idle power: %s", b.data);
    }
    tch_buf_release(&b);
}

static void add_power_rows(struct table *t, const struct watch_job *job,
                           const struct tch_watch_report *r)
{
    for (size_t i = 0; i < r->sources; i++) {
        const tacho_power_report *p = &r->power[i];

        cli_table_add(t, PLAIN, i == 0 ? "energy" : "");
        if (strcmp(tacho_power_status(p), "unavailable") == 0) {
            cli_table_add(t, PLAIN, "-");
            cli_table_addf(t, YELLOW, "unavailable from %s: %s", p->name, why_unavailable(p, r));
            continue;
        }
        cli_table_addf(t, BOLD, "%.4g J", p->joules);
        cli_table_addf(t, PLAIN, "%s by %s (%s): %.4g W mean, %.4g W peak%s", tacho_power_status(p),
                       p->name, p->domain[0] ? p->domain : "-", p->mean_watts, p->peak_watts,
                       p->dropped > 0 ? "; readings failed" : "");
    }
    if (!isnan(r->tree_joules)) {
        cli_table_add(t, PLAIN, "");
        cli_table_addf(t, BOLD, "%.4g J", r->tree_joules);
        cli_table_add(t, PLAIN, "this process tree's share, estimated by CPU time");
    }
    if (r->sources == 0) {
        cli_table_add(t, PLAIN, "energy");
        cli_table_add(t, PLAIN, "-");
        cli_table_addf(t, YELLOW, "unavailable: %s", job->no_power.message);
    }
    add_power_notes(t, r);
}

static void add_value_row(struct table *t, const char *name, enum tch_unit unit, double value,
                          const char *what)
{
    cli_table_add(t, PLAIN, name);
    tch_add_value(cli_table_cell(t, BOLD), unit, value);
    cli_table_add(t, PLAIN, what);
}

static void add_memory_rows(struct table *t, const struct tch_watch_report *r)
{
    if (r->peak_rss_bytes > 0)
        add_value_row(t, "memory", TCH_BYTES, (double)r->peak_rss_bytes, "peak");
    else if (r->peak_at_most > 0)
        add_value_row(t, "memory", TCH_BYTES, (double)r->peak_at_most,
                      "at most (it exited before it could be measured)");
    if (r->peak_rss_bytes > 0 && r->mean_rss_bytes > 0)
        add_value_row(t, "", TCH_BYTES, (double)r->mean_rss_bytes, "mean");
    if (r->peak_rss_bytes == 0 && r->peak_at_most == 0) {
        cli_table_add(t, PLAIN, "memory");
        cli_table_add(t, PLAIN, "-");
        cli_table_add(t, YELLOW, "unknown: it exited before it could be polled");
    }
    if (r->swap_bytes > 0)
        add_value_row(t, "", TCH_BYTES, (double)r->swap_bytes, "swapped out, peak");
}

void cli_watch_add_report(struct tch_buf *b, const struct watch_job *job,
                          const struct tch_watch_report *r, const struct args *args)
{
    static const struct column columns[] = {{.fit = FIT_WHOLE}, {.right = true}, {.fit = FIT_WRAP}};
    struct table t;
    char what[128] = "exited before it could be polled";

    cli_table_init(&t, &args->out, columns, 3);
    if (r->most_processes > 0)
        snprintf(what, sizeof what, "polled %llu times, up to %llu process%s",
                 (unsigned long long)r->looks, (unsigned long long)r->most_processes,
                 r->most_processes == 1 ? "" : "es");
    add_value_row(&t, "time", TCH_NS, r->seconds * 1e9, what);
    what[0] = '\0'; /* without polls the time is that since the start, so there is no share */
    if (r->most_processes > 0)
        snprintf(what, sizeof what, "%.0f %% of a CPU",
                 r->seconds > 0 ? (double)r->cpu_ns / 1e7 / r->seconds : 0);
    add_value_row(&t, "cpu", TCH_NS, (double)r->cpu_ns, what);
    add_memory_rows(&t, r);
    cli_table_add(&t, PLAIN, "faults");
    cli_table_addf(&t, BOLD, "%llu", (unsigned long long)r->minor_faults);
    cli_table_addf(&t, PLAIN, "minor, %llu major", (unsigned long long)r->major_faults);
    add_power_rows(&t, job, r);
    cli_table_print(&t, b);
    cli_table_release(&t);
}

/* --- On the terminal --- */

void cli_watch_erase(struct watch_job *job)
{
    char up_and_erase[32];

    if (job->lines == 0)
        return;
    snprintf(up_and_erase, sizeof up_and_erase, "\x1b[%zuA\x1b[J", job->lines);
    cli_stderr_control(up_and_erase);
    job->lines = 0;
}

void cli_watch_draw(struct watch_job *job, const struct args *args)
{
    struct tch_buf b;

    if (!job->live || job->points == 0)
        return;
    tch_buf_init(&b, 64 * 1024);
    cli_watch_erase(job);
    job->lines = 3;
    if (job->unfinished.len > 0) { /* the display starts below an incomplete line */
        struct tch_buf line;

        tch_buf_init(&line, 64 * 1024);
        cli_add_clean(&line, job->unfinished.data, args->err.utf8);
        cli_add_cut(&b, line.data, line.len, args->err.width, args->err.utf8);
        tch_buf_addc(&b, '\n');
        tch_buf_release(&line);
        job->lines++;
    }
    add_live(&b, &args->err, job);
    fputs(b.data, stderr);
    tch_buf_release(&b);
}
