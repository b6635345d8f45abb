/* Records the memory and power of a command over time. */
#include "run_meter.h"

#include <limits.h>
#include <math.h>

#include "base/clock.h"
#include "base/fail.h"
#include "kit/result/run_folder.h"
#include "lib/measure/under_root.h"

static uint64_t own_cpu_ns(void)
{
    return tch_clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

double tch_run_meter_joules(const struct tch_run_meter *m)
{
    tacho_power_report report = TACHO_POWER_REPORT_INIT;
    double sum = NAN;

    for (size_t i = 0; m->power && tacho_power_report_at(m->power, i, &report, NULL) == 0; i++)
        if (!isnan(report.joules))
            sum = (isnan(sum) ? 0 : sum) + report.joules;
    return sum;
}

int tch_run_meter_open(struct tch_run_meter *m, const char *source, tacho_error *err)
{
    bool automatic = strcmp(source, "auto") == 0;
    tacho_error why;
    int status;

    *m = (struct tch_run_meter){.begin_j = NAN};
    tch_power_origin_of(&m->origin, NULL);
    m->origin.given_watts = tch_power_given_watts(source);
    if (strcmp(source, "none") == 0)
        return 0;
    status = tacho_power_new(NULL, &m->power, err);
    if (status < 0)
        return status;
    status = automatic ? tacho_power_add_all(m->power, &why)
                       : tch_power_add_named(m->power, source, "", err);
    if (status < 0) {
        tacho_power_free(m->power);
        m->power = NULL;
    }
    if (status < 0 && automatic) {
        snprintf(m->origin.why_not, sizeof m->origin.why_not, "%s", why.message);
        return 0;
    }
    if (m->power) {
        tch_power_origin_of(&m->origin, m->power);
        tch_power_find_updates(m->power);
    }
    if (m->power && !m->origin.source[0]) { /* another process counts the energy of all sources */
        tacho_power_free(m->power);
        m->power = NULL;
    }
    return status < 0 ? status : 0;
}

int tch_run_meter_idle(struct tch_run_meter *m, const struct tch_run_plan *plan,
                       const volatile sig_atomic_t *stop)
{
    if (!m->power || plan->idle_ns == 0)
        return 0;
    return tch_power_idle_measure(m->power, "", plan->idle_ns, stop, &m->origin.idle);
}

void tch_run_meter_close(struct tch_run_meter *m)
{
    tacho_tree_close(m->tree);
    tacho_power_free(m->power);
    m->tree = NULL;
    m->power = NULL;
}

int tch_run_timeline_open(struct tch_run_timeline *t, const struct tch_run_meter *m,
                          const char *folder, enum tch_csv_columns columns, tacho_error *err)
{
    char path[PATH_MAX];
    int status = tch_folder_at(path, folder, "memory.csv", err);

    if (status == 0)
        status = tch_csv_open_memory(path, columns, TACHO_CSV_APPEND, &t->memory, err);
    if (status == 0 && m->power)
        status = tch_folder_at(path, folder, "power.csv", err);
    if (status == 0 && m->power)
        status = tacho_csv_open(path, TACHO_CSV_POWER, TACHO_CSV_APPEND, &t->power, err);
    return status;
}

static int close_csv(tacho_csv **csv, tacho_error *err)
{
    int status = *csv ? tacho_csv_close(*csv, err) : 0;

    *csv = NULL;
    return status;
}

int tch_run_timeline_close(struct tch_run_timeline *t, tacho_error *err)
{
    int memory = close_csv(&t->memory, err);
    int power = close_csv(&t->power, err);

    return memory < 0 ? memory : power;
}

static void forget_tree(struct tch_run_meter *m)
{
    tacho_tree_close(m->tree);
    m->tree = NULL;
    m->pid = 0;
    m->several = false;
    m->peak_bytes = 0;
}

/* Counts the readings of all sources that this process counts. */
struct readings {
    uint64_t sources;
    uint64_t good;
    uint64_t dropped; /* intervals whose energy may be missing */
};

static struct readings readings_of(const struct tch_run_meter *m)
{
    tacho_power_report report = TACHO_POWER_REPORT_INIT;
    struct readings sum = {0};

    for (size_t i = 0; tacho_power_report_at(m->power, i, &report, NULL) == 0; i++)
        if (report.counted_by == 0) {
            sum.sources++;
            sum.good += report.samples;
            sum.dropped += report.dropped;
        }
    return sum;
}

uint64_t tch_run_meter_dropped(const struct tch_run_meter *m)
{
    return m->power ? readings_of(m).dropped : 0;
}

/* Reads all sources. Returns whether every source could be read. */
static bool read_sources(struct tch_run_meter *m)
{
    uint64_t before = readings_of(m).good;
    struct readings after;

    if (tacho_power_poll(m->power, NULL) < 0)
        return false;
    after = readings_of(m);
    return after.good - before == after.sources;
}

void tch_run_meter_begin(struct tch_run_meter *m)
{
    forget_tree(m);
    m->begin_j = NAN;
    if (!m->power || !read_sources(m))
        return;
    m->begin_j = tch_run_meter_joules(m);
    if (isnan(m->begin_j))
        m->begin_j = 0; /* earlier readings failed, so nothing was added up yet */
    m->begin_dropped = readings_of(m).dropped;
}

/* Describes the sources when they have been read twice, because only then there are watts to
   write. */
static void label_sources(struct tch_run_meter *m)
{
    tacho_power_report report = TACHO_POWER_REPORT_INIT;

    for (size_t i = 0; tacho_power_report_at(m->power, i, &report, NULL) == 0; i++) {
        size_t len = strlen(m->label);
        char one[TCH_POWER_LABEL];

        if (report.counted_by != 0)
            continue;
        tch_power_label(one, &report);
        snprintf(m->label + len, sizeof m->label - len, "%s%s", len > 0 ? "+" : "", one);
    }
}

/* Polls the power sources. Returns whether every source could be read; otherwise it writes no row,
   because the last watts would be repeated. */
static bool poll_power(struct tch_run_meter *m, struct tch_run_timeline *t)
{
    tacho_csv_power row = {.source = m->label};

    if (!m->power || !read_sources(m))
        return false;
    row.timestamp_us = tch_wall_ns() / 1000;
    row.watts = tacho_power_now(m->power);
    row.joules = tch_run_meter_joules(m);
    if (isnan(row.watts))
        return true;
    if (!m->label[0])
        label_sources(m);
    row.source_len = strlen(m->label);
    (void)tacho_csv_add_power(t->power, &row, NULL); /* the close reports an error */
    return true;
}

/* Polls the memory of a command. A process that exits at this moment is not an error. */
static void poll_memory(struct tch_run_meter *m, pid_t pid, struct tch_run_timeline *t)
{
    tacho_tree_sample seen = TACHO_TREE_SAMPLE_INIT;
    tacho_csv_memory row = {0};
    tacho_error err;
    int status = 0;

    if (pid != m->pid) {
        forget_tree(m);
        status = tacho_tree_open(pid, &m->tree, &err);
        m->pid = status == 0 ? pid : 0;
    }
    if (status == 0)
        status = tacho_tree_poll(m->tree, &seen, &err);
    if (status == TACHO_EIO && t->missed++ == 0)
        t->why = err;
    if (status < 0 || seen.rss_bytes == 0)
        return; /* it has exited or is about to */
    row.timestamp_us = seen.timestamp_us;
    row.peak_rss_bytes = seen.rss_bytes;
    (void)tacho_csv_add_memory(t->memory, &row, NULL);
    m->tree_bytes = seen.rss_bytes;
    m->several = m->several || seen.processes > 1;
    m->peak_bytes = m->several ? 0 : seen.peak_rss_bytes;
}

void tch_run_meter_poll(struct tch_run_meter *m, pid_t pid, struct tch_run_timeline *t)
{
    uint64_t before = own_cpu_ns();

    m->tree_bytes = 0;
    if (pid > 0)
        poll_memory(m, pid, t);
    (void)poll_power(m, t);
    t->polls++;
    m->last_ns = own_cpu_ns() - before;
    t->polls_ns += m->last_ns;
}

/* Sets the energy of a run, if no reading failed and the run is long enough for the steps of the
   counter. `ended`: the reading at its end succeeded. */
static void end_energy(struct tch_run_meter *m, struct tch_run_sample *sample, bool ended)
{
    tch_power_origin_of(&m->origin, m->power);
    if (strcmp(m->origin.status, "unavailable") == 0 || isnan(m->begin_j) || !ended ||
        readings_of(m).dropped != m->begin_dropped)
        return;
    if (!tch_power_too_short(&m->origin, sample->field[TCH_WALL] / 1e9))
        sample->field[TCH_ENERGY] = tch_run_meter_joules(m) - m->begin_j;
}

void tch_run_meter_end(struct tch_run_meter *m, struct tch_run_timeline *t,
                       struct tch_run_sample *sample)
{
    bool ended = poll_power(m, t);

    if (m->power)
        end_energy(m, sample, ended);
    if (m->tree) {
        (void)tacho_csv_flush(t->memory, NULL);
        if (t->power)
            (void)tacho_csv_flush(t->power, NULL);
    }
    forget_tree(m);
}
