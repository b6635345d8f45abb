/* The power meter: reads its sources, sums up their energy and writes power.csv. */
#include "power_meter.h"

#include <math.h>
#include <pthread.h>

#include "base/fail.h"
#include "base/no_cancel.h"
#include "base/sized.h"
#include "lib/measure/csv_columns.h"
#include "lib/measure/csv_write.h"
#include "lib/measure/sampling_thread.h"
#include "lib/measure/timestamp.h"
#include "lib/measure/under_root.h"

enum { SOURCES = 8, LABEL = 256 };

struct tacho_power {
    pthread_mutex_t lock;
    size_t count;
    tacho_power_source sources[SOURCES];
    struct tch_energy energy[SOURCES];
    uint64_t counted_by[SOURCES]; /* the process that counts the source; 0: this one */
    struct tch_stamp stamp;
    struct tch_sampling_thread sampler;
    tacho_error sampler_error;
    tacho_csv *csv;
    char label[LABEL];
};

int tacho_power_new(const char *label, tacho_power **ret, tacho_error *err)
{
    TCH_NO_CANCEL;
    tacho_power *p = calloc(1, sizeof *p);
    int status;

    if (!p)
        return tch_fail_memory(err);
    pthread_mutex_init(&p->lock, NULL);
    p->stamp = tch_stamp_of_process();
    snprintf(p->label, sizeof p->label, "%s", label ? label : "");
    status = tch_csv_open_in_run(TACHO_CSV_POWER, &p->csv, err);
    if (status < 0)
        tacho_power_free(p);
    else
        *ret = p;
    return status;
}

void tacho_power_free(tacho_power *p)
{
    TCH_NO_CANCEL;

    if (!p)
        return;
    tch_sampling_stop(&p->sampler);
    for (size_t i = 0; i < p->count; i++) {
        if (p->sources[i].counts[0] && p->counted_by[i] == 0)
            tch_power_unmark(p->sources[i].counts);
        if (p->sources[i].close)
            p->sources[i].close(p->sources[i].ctx);
    }
    if (p->csv && tacho_csv_close(p->csv, NULL) < 0)
        p->csv = NULL; /* there is no caller to report the failure to */
    pthread_mutex_destroy(&p->lock);
    free(p);
}

const char *tacho_power_label(const tacho_power *p)
{
    return p->label;
}

int tacho_power_add(tacho_power *p, const tacho_power_source *given, tacho_error *err)
{
    TCH_NO_CANCEL;
    tacho_power_source source;
    int status = tch_sized_read(&source, sizeof source, given, "TACHO_POWER_SOURCE_INIT", err);

    if (status < 0)
        return status;
    pthread_mutex_lock(&p->lock);
    if (p->count == SOURCES) {
        status =
            tch_fail(err, TACHO_ELIMIT, 0, "a power meter can have at most %d sources", SOURCES);
    } else {
        p->sources[p->count] = source;
        tch_energy_init(&p->energy[p->count]);
        p->counted_by[p->count] = source.counts[0] ? tch_power_mark(source.counts) : 0;
        p->count++;
    }
    pthread_mutex_unlock(&p->lock);
    return status;
}

void tch_power_label(char out[TCH_POWER_LABEL], const tacho_power_report *report)
{
    snprintf(out, TCH_POWER_LABEL, "%s:%s:%s", report->name,
             report->domain[0] ? report->domain : "-",
             report->estimated ? "estimated" : "measured");
}

/* Fills in the report of source i. The lock must be held. */
static void report_on(const tacho_power *p, size_t i, tacho_power_report *ret)
{
    memcpy(ret->name, p->sources[i].name, sizeof ret->name);
    memcpy(ret->domain, p->sources[i].domain, sizeof ret->domain);
    ret->update_us = p->sources[i].update_us;
    ret->counted_by = p->counted_by[i];
    tch_energy_report(&p->energy[i], ret);
    if (ret->counted_by != 0 || ret->samples == 0) /* not known, which is not the same as 0 */
        ret->joules = ret->mean_watts = ret->peak_watts = NAN;
}

static int write_row(const tacho_power *p, size_t i, tacho_error *err)
{
    tacho_power_report report = TACHO_POWER_REPORT_INIT;
    const struct tch_energy *e = &p->energy[i];
    char label[TCH_POWER_LABEL];

    report_on(p, i, &report);
    tch_power_label(label, &report);
    return tacho_csv_add_power(p->csv,
                               &(tacho_csv_power){.timestamp_us = e->last_us,
                                                  .source = label,
                                                  .source_len = strlen(label),
                                                  .watts = e->counter ? e->now : e->last_watts,
                                                  .joules = report.joules},
                               err);
}

static int read_source(tacho_power *p, size_t i, tacho_error *err)
{
    tacho_power_reading reading = {.size = sizeof reading, .joules = NAN, .watts = NAN};
    struct tch_energy *e = &p->energy[i];
    uint64_t before = tch_stamp_us(&p->stamp);
    uint64_t now;

    if (p->counted_by[i] != 0)
        return 0;
    if (p->sources[i].read(p->sources[i].ctx, &reading, NULL) != 0) {
        tch_energy_lost(e);
        return 0;
    }
    now = before + (tch_stamp_us(&p->stamp) - before) /
                       2; /* the middle of the call, because a GPU library may take long */
    if (reading.timestamp_us)
        now = reading.timestamp_us;
    tch_energy_add(e, now, &reading);
    /* A row for a reading that was dropped would repeat the row before. */
    return p->csv && !e->broken && e->last_us == now ? write_row(p, i, err) : 0;
}

int tacho_power_poll(tacho_power *p, tacho_error *err)
{
    TCH_NO_CANCEL;
    int status = 0;

    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < p->count; i++) {
        int one = read_source(p, i, status == 0 ? err : NULL);

        status = status == 0 ? one : status;
    }
    pthread_mutex_unlock(&p->lock);
    return status;
}

static void take_reading(void *arg)
{
    tacho_power *p = arg;
    tacho_error err;

    if (tacho_power_poll(p, &err) < 0 && p->sampler_error.code == 0)
        p->sampler_error = err;
}

int tacho_power_start(tacho_power *p, uint64_t interval_ns, tacho_error *err)
{
    TCH_NO_CANCEL;

    if (!p->sampler.running)
        p->sampler_error = (tacho_error){0};
    return tch_sampling_start(&p->sampler, interval_ns, take_reading, p, err);
}

int tacho_power_stop(tacho_power *p, tacho_error *err)
{
    TCH_NO_CANCEL;

    if (!p->sampler.running)
        return 0;
    tch_sampling_stop(&p->sampler);
    take_reading(p);
    if (p->sampler_error.code != 0 && err)
        *err = p->sampler_error;
    return p->sampler_error.code;
}

int tacho_power_report_at(tacho_power *p, size_t i, tacho_power_report *ret, tacho_error *err)
{
    TCH_NO_CANCEL;
    tacho_power_report report = TACHO_POWER_REPORT_INIT;
    bool known;

    if (tch_sized_check(ret, sizeof report, "TACHO_POWER_REPORT_INIT", err) < 0)
        return TACHO_EINVAL;
    pthread_mutex_lock(&p->lock);
    known = i < p->count;
    if (known)
        report_on(p, i, &report);
    pthread_mutex_unlock(&p->lock);
    if (!known)
        return tch_fail(err, TACHO_EINVAL, 0, "the meter has no power source %zu", i);
    tch_sized_write(ret, &report, sizeof report);
    return 0;
}

const char *tacho_power_status(const tacho_power_report *given)
{
    tacho_power_report r;

    if (tch_sized_read(&r, sizeof r, given, "TACHO_POWER_REPORT_INIT", NULL) < 0 ||
        r.counted_by != 0 || r.samples < 2 || isnan(r.joules))
        return "unavailable";
    return r.estimated ? "estimated" : "measured";
}

void tch_power_find_updates(tacho_power *p)
{
    TCH_NO_CANCEL;

    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < p->count; i++)
        if (p->counted_by[i] == 0)
            tch_power_find_update(&p->sources[i]);
    pthread_mutex_unlock(&p->lock);
}

double tacho_power_now(tacho_power *p)
{
    TCH_NO_CANCEL;
    double watts = NAN;

    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < p->count; i++) {
        double now = p->energy[i].now;

        if (!isnan(now))
            watts = isnan(watts) ? now : watts + now;
    }
    pthread_mutex_unlock(&p->lock);
    return watts;
}
