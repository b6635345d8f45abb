/* Opens run folders, lists the formats, and defines what the formats share. */
#include "report.h"

#include <math.h>

#include "base/fail.h"
#include "kit/file/found_file.h"
#include "kit/result/costs.h"
#include "kit/result/layouts.h"
#include "kit/text/human_number.h"

const struct tch_report_format *const tch_report_formats[] = {
    &tch_report_html,      &tch_report_md,
    &tch_report_json,      &tch_report_csv,
    &tch_report_junit,     &tch_report_prometheus,
    &tch_report_hyperfine, &tch_report_bmf,
    &tch_report_github,    NULL,
};

int tch_report_open(struct tch_report_run *run, const char *folder, tacho_error *err)
{
    *run = (struct tch_report_run){.folder = folder};
    return tch_recorded_load(&run->result, folder, &run->life, err);
}

void tch_report_close(struct tch_report_run *run)
{
    tch_result_release(&run->result);
}

int tch_report_save(const struct tch_result *r, const char *folder, tacho_error *err)
{
    const struct tch_report_run run = {.result = *r, .folder = folder}; /* borrowed, not closed */
    int status = 0;

    for (size_t i = 0; tch_report_formats[i] && status == 0; i++) {
        const struct tch_report_format *format = tch_report_formats[i];
        struct tch_buf b;

        if (!format->file)
            continue;
        tch_buf_init(&b, TCH_REPORT_MAX);
        status = format->write(&b, &run, 1, err);
        if (status == 0 && b.failed)
            status = tch_fail_memory(err);
        if (status == 0)
            status = tch_found_write(folder, format->file, b.data, b.len, false, err);
        tch_buf_release(&b);
    }
    return status;
}

const char *tch_report_nothing(const struct tch_result *r)
{
    if (r->row_count > 0)
        return NULL;
    return r->run_count > 0 ? "no run succeeded" : "no run was made";
}

void tch_report_add_costs(struct tch_buf *b, const struct tch_result *r)
{
    double polls = (double)r->costs.polls;
    double cpu = r->costs.polls_cpu_ns;
    double wall = 0;

    for (size_t i = 0; i < r->run_count; i++)
        wall += tch_result_value(r, TCH_WALL, i);
    if (!(polls > 0) || !(wall > 0) || isnan(cpu))
        return;
    tch_buf_addf(b, "Memory and power were polled %.0f times. A poll took ", polls);
    tch_add_value(b, TCH_NS, cpu / polls);
    tch_buf_addf(b, " of CPU time on average; all polls took %.2f %% of the runs' time.",
                 100 * cpu / wall);
}

void tch_report_add_layouts(struct tch_buf *b, const struct tch_result *r)
{
    struct tch_layout_spread s;

    tch_layout_spread(r, TCH_WALL, &s);
    if (s.layouts > 0)
        tch_layout_spread_describe(b, &s);
}

void tch_report_add_recording(struct tch_buf *b, const struct tch_result *r)
{
    tch_costs_describe(b, &r->costs, tch_result_wall(r));
}

static double median_wall_s(const struct tch_result *r)
{
    return r->row_count > 0 ? r->rows[0].summary.median / 1e9 : NAN;
}

/* Counts the runs that are long enough, but have no energy, because a reading failed. */
static size_t runs_without_energy(const struct tch_result *r, const struct tch_power_origin *o)
{
    size_t count = 0;

    for (size_t i = 0; i < r->run_count && strcmp(o->status, "unavailable") != 0; i++)
        count += isnan(tch_result_value(r, TCH_ENERGY, i)) &&
                 !tch_power_too_short(o, tch_result_value(r, TCH_WALL, i) / 1e9);
    return count;
}

void tch_report_add_energy(struct tch_buf *b, const struct tch_result *r)
{
    const struct tch_power_origin *o = &r->power;
    size_t missing;

    if (!o->status[0])
        return;
    tch_buf_adds(b, "energy: ");
    tch_power_origin_add(b, o);
    if (o->short_runs > 0)
        tch_buf_addf(b,
                     "; not judged for %llu of %zu runs, which are shorter than %d updates of "
                     "%g ms",
                     (unsigned long long)o->short_runs, r->run_count, TCH_POWER_UPDATES,
                     (double)o->update_us / 1e3);
    missing = runs_without_energy(r, o);
    if (missing > 0)
        tch_buf_addf(b, "; missing in %zu of %zu runs, because a reading failed", missing,
                     r->run_count);
    if (!(o->idle.seconds > 0))
        return;
    tch_buf_adds(b, "; idle power ");
    tch_power_idle_add(b, o);
    if (median_wall_s(r) > 0) {
        tch_buf_adds(b, ", which is ");
        tch_add_value(b, TCH_JOULES, o->idle.watts * median_wall_s(r));
        tch_buf_adds(b, " of a run");
    }
}

void tch_report_add_latencies(struct tch_buf *b, const struct tch_result *r)
{
    const tacho_latency_stats *s = &r->latency.wall;
    const struct {
        const char *name;
        double ns;
    } told[] = {{"p50", r->latency.wall_p50},
                {"p95", (double)s->p95},
                {"p99", (double)s->p99},
                {"max", (double)s->max}};

    if (s->n == 0)
        return;
    tch_add_grouped(b, s->n);
    tch_buf_adds(b, " latencies recorded by the program: ");
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        tch_buf_addf(b, "%s%s ", i > 0 ? ", " : "", told[i].name);
        tch_add_value(b, TCH_NS, told[i].ns);
    }
}
