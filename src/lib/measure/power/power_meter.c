/* The power meter: reads its sources, sums up their energy and writes power.csv. */
#include "power_meter.h"

#include <math.h>
#include <pthread.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/no_cancel.h"
#include "base/sized.h"
#include "lib/measure/csv_columns.h"
#include "lib/measure/csv_write.h"
#include "lib/measure/sampling_thread.h"
#include "lib/measure/timestamp.h"
#include "lib/measure/under_root.h"

enum { SOURCES = 8, LABEL = 256 };

/* One reading of one source. */
struct kept {
    tacho_power_sample sample;
    double joules; /* of the source, since its first reading */
    size_t source;
};

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
    struct kept *kept;
    size_t kept_count;
    size_t kept_room;
    uint64_t readings; /* kept or not */
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
    free(p->kept);
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

/* Keeps a reading. The kept readings have no gap: after one that could not be
   kept, no later one is. */
static void keep(tacho_power *p, const struct kept *reading)
{
    if (p->kept_count == p->readings && p->kept_count < TACHO_POWER_KEPT &&
        tch_array_reserve(&p->kept, &p->kept_room, p->kept_count + 1) == 0)
        p->kept[p->kept_count++] = *reading;
    p->readings++;
}

static int write_row(tacho_csv *csv, const char *source, const struct kept *k, tacho_error *err)
{
    return tacho_csv_add_power(csv,
                               &(tacho_csv_power){.timestamp_us = k->sample.timestamp_us,
                                                  .source = source,
                                                  .watts = k->sample.watts,
                                                  .joules = k->joules},
                               err);
}

/* Keeps the last reading of source i and writes it to the file of the run, if there is one. */
static int record(tacho_power *p, size_t i, tacho_error *err)
{
    tacho_power_report report = TACHO_POWER_REPORT_INIT;
    const struct tch_energy *e = &p->energy[i];
    struct kept k = {
        .sample = {.timestamp_us = e->last_us, .watts = e->counter ? e->now : e->last_watts},
        .source = i};
    char label[TCH_POWER_LABEL];

    report_on(p, i, &report);
    k.joules = report.joules;
    keep(p, &k);
    if (!p->csv)
        return 0;
    tch_power_label(label, &report);
    return write_row(p->csv, label, &k, err);
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
    return !e->broken && e->last_us == now ? record(p, i, err) : 0;
}

int tacho_power_poll(tacho_power *p, tacho_error *err)
{
    TCH_NO_CANCEL;
    int status = 0;

    pthread_mutex_lock(&p->lock);
    if (p->count == 0)
        status = tch_fail(err, TACHO_EINVAL, 0,
                          "the meter has no power source; add one by tacho_power_add()");
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

size_t tacho_power_sample_count(tacho_power *p)
{
    TCH_NO_CANCEL;
    size_t count;

    pthread_mutex_lock(&p->lock);
    count = p->kept_count;
    pthread_mutex_unlock(&p->lock);
    return count;
}

uint64_t tacho_power_sample_dropped(tacho_power *p)
{
    TCH_NO_CANCEL;
    uint64_t dropped;

    pthread_mutex_lock(&p->lock);
    dropped = p->readings - p->kept_count;
    pthread_mutex_unlock(&p->lock);
    return dropped;
}

int tacho_power_sample_at(tacho_power *p, size_t i, tacho_power_sample *ret, size_t *ret_source,
                          tacho_error *err)
{
    TCH_NO_CANCEL;
    size_t count;

    pthread_mutex_lock(&p->lock);
    count = p->kept_count;
    if (i < count) {
        *ret = p->kept[i].sample;
        if (ret_source)
            *ret_source = p->kept[i].source;
    }
    pthread_mutex_unlock(&p->lock);
    return i < count ? 0
                     : tch_fail(err, TACHO_EINVAL, 0, "the meter keeps %zu samples, not %zu", count,
                                i + 1);
}

/* Writes the rows of the kept samples. The lock must be held. */
static int write_rows(const tacho_power *p, tacho_csv *csv, tacho_error *err)
{
    char labels[SOURCES][TCH_POWER_LABEL];
    int status = 0;

    for (size_t i = 0; i < p->count; i++) {
        tacho_power_report report = TACHO_POWER_REPORT_INIT;

        report_on(p, i, &report);
        tch_power_label(labels[i], &report);
    }
    for (size_t i = 0; i < p->kept_count && status == 0; i++)
        status = write_row(csv, labels[p->kept[i].source], &p->kept[i], err);
    return status;
}

int tacho_power_write_csv(tacho_power *p, const char *path, tacho_error *err)
{
    TCH_NO_CANCEL;
    size_t count = 0;
    uint64_t dropped = 0;
    tacho_csv *csv;
    int status = tacho_csv_open(path, TACHO_CSV_POWER, TACHO_CSV_WHOLE, &csv, err);

    if (status < 0)
        return status;
    pthread_mutex_lock(&p->lock);
    status = write_rows(p, csv, err);
    count = p->kept_count;
    dropped = p->readings - count;
    pthread_mutex_unlock(&p->lock);
    if (status < 0) {
        tacho_csv_discard(csv);
        return status;
    }
    status = tacho_csv_close(csv, err);
    if (status == 0 && dropped > 0)
        status = tch_fail(err, TACHO_ELIMIT, 0,
                          "'%s' has the first %zu samples; %llu more were not kept", path, count,
                          (unsigned long long)dropped);
    return status;
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
