/* Calls the trackers of libtacho for memory and power. */
#include "meter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int open_power(struct meter *m, const char *name, tacho_error *err)
{
    tacho_power_source source = TACHO_POWER_SOURCE_INIT;
    int status;

    if (strcmp(name, "none") == 0)
        return 0;
    status = tacho_power_new(NULL, &m->power, err);
    if (status == 0 && strcmp(name, "auto") == 0) {
        status = tacho_power_add_all(m->power, err);
        if (status < 0) { /* most machines have no source; then the column stays empty */
            tacho_power_free(m->power);
            m->power = NULL;
        }
        return 0;
    }
    if (status == 0)
        status = tacho_power_open(name, &source, err);
    if (status == 0)
        status = tacho_power_add(m->power, &source, err);
    return status;
}

int meter_open(struct meter *m, const char *label, const char *source)
{
    tacho_error err;

    *m = (struct meter){0};
    if (tacho_memory_new(label, &m->memory, &err) == 0 && open_power(m, source, &err) == 0)
        return 0;
    fprintf(stderr, "attention: %s\n", err.message);
    meter_close(m);
    return -1;
}

void meter_close(struct meter *m)
{
    tacho_memory_free(m->memory);
    tacho_power_free(m->power);
    *m = (struct meter){0};
}

void meter_take(struct meter *m, int category, size_t bytes)
{
    uint64_t now;

    tacho_memory_add(m->memory, category, (int64_t)bytes);
    m->held[category] += bytes;
    now = m->held[0] + m->held[1] + m->held[2];
    m->peak = now > m->peak ? now : m->peak;
}

void meter_give(struct meter *m, int category, size_t bytes)
{
    tacho_memory_add(m->memory, category, -(int64_t)bytes);
    m->held[category] -= bytes;
}

void meter_begin_sample(struct meter *m)
{
    m->peak = 0;
}

void meter_end_sample(struct meter *m)
{
    tacho_error err;

    if (tacho_memory_snapshot_take(m->memory, TACHO_MEMORY_BASIC, NULL, &err) < 0)
        fprintf(stderr, "attention: memory is not recorded: %s\n", err.message);
    for (int i = 0; i < 3; i++)
        meter_give(m, i, m->held[i]);
}

double meter_joules(struct meter *m)
{
    tacho_power_report report = TACHO_POWER_REPORT_INIT;
    double joules = 0;
    tacho_error err;

    if (!m->power)
        return NAN;
    if (tacho_power_poll(m->power, &err) < 0)
        fprintf(stderr, "attention: power is not recorded: %s\n", err.message);
    for (size_t i = 0; tacho_power_report_at(m->power, i, &report, NULL) == 0; i++)
        joules += report.joules;
    return joules;
}
