/* Computes energy from readings: from the difference of a counter if the source has one,
   otherwise by the trapezoidal rule. */
#include <math.h>

#include "base/sized.h"
#include "power_meter.h"

void tch_energy_init(struct tch_energy *e)
{
    *e = (struct tch_energy){.peak = -INFINITY, .now = NAN};
}

static double seconds(uint64_t from_us, uint64_t to_us)
{
    return to_us > from_us ? (double)(to_us - from_us) / 1e6 : 0;
}

static void end_interval(struct tch_energy *e, uint64_t now_us, const tacho_power_reading *r)
{
    double s = seconds(e->last_us, now_us);

    /* A counter keeps counting while it cannot be read, so only the detail is lost. The energy
       between two readings of watts is not known, so neither its joules nor its time count. */
    e->dropped += e->broken;
    if (e->broken && !e->counter) {
        e->missing_us += now_us - e->last_us;
        e->now = r->watts;
        return;
    }
    e->intervals++;
    if (e->counter) {
        double used = r->joules - e->last_joules;

        e->joules += used;
        if (s > 0) {
            e->now = used / s;
            if (e->now > e->peak)
                e->peak = e->now;
        }
    } else {
        e->joules += (e->last_watts + r->watts) / 2 * s;
        e->now = r->watts;
    }
}

void tch_energy_add(struct tch_energy *e, uint64_t now_us, const tacho_power_reading *r)
{
    if (e->samples == 0) {
        e->first_us = e->last_us = now_us;
        e->counter = isfinite(r->joules);
    }
    if (!isfinite(e->counter ? r->joules : r->watts)) {
        tch_energy_lost(e);
        return;
    }
    if (!e->counter) {
        e->watts_sum += r->watts;
        if (r->watts > e->peak)
            e->peak = r->watts;
    }
    if (e->samples++ > 0 && now_us < e->last_us) {
        e->dropped++; /* the time up to last_us has been counted, so this reading adds none */
        return;
    }
    if (e->samples > 1)
        end_interval(e, now_us, r);
    else
        e->dropped += e->broken; /* the time before the first good reading */
    e->last_us = now_us;
    e->last_watts = r->watts;
    e->last_joules = r->joules;
    e->broken = false;
}

/* Counts a lost reading. Several in a row are one missing interval. */
void tch_energy_lost(struct tch_energy *e)
{
    e->broken = true;
}

void tch_energy_report(const struct tch_energy *e, tacho_power_report *ret)
{
    ret->samples = e->samples;
    ret->dropped = e->dropped + e->broken;
    /* Nothing was lost if there was one reading only: 0 J in 0 s is true. */
    ret->joules = e->intervals == 0 && ret->dropped > 0 ? NAN : e->joules;
    ret->duration_s = seconds(e->first_us + e->missing_us, e->last_us);
    ret->estimated = !e->counter;
    ret->last_watts = e->counter ? e->now : e->samples > 0 ? e->last_watts : NAN;
    ret->peak_watts = e->samples == 1 && !e->counter ? e->last_watts : e->peak;
    if (e->counter)
        ret->mean_watts = ret->duration_s > 0 ? e->joules / ret->duration_s : 0;
    else
        ret->mean_watts = e->samples > 0 ? e->watts_sum / (double)e->samples : 0;
    if (e->samples == 0 || (e->counter && isinf(e->peak)))
        ret->peak_watts = 0;
}

int tacho_power_energy(const tacho_power_sample *samples, size_t n, tacho_power_report *ret,
                       tacho_error *err)
{
    tacho_power_report report = {.size = sizeof report, .name = "series"};
    struct tch_energy e;

    if (tch_sized_check(ret, sizeof report, "TACHO_POWER_REPORT_INIT", err) < 0)
        return TACHO_EINVAL;
    tch_energy_init(&e);
    for (size_t i = 0; i < n; i++)
        tch_energy_add(&e, samples[i].timestamp_us,
                       &(tacho_power_reading){.joules = NAN, .watts = samples[i].watts});
    tch_energy_report(&e, &report);
    tch_sized_write(ret, &report, sizeof report);
    return 0;
}

double tacho_power_share(double joules, double idle_watts, double duration_s, uint64_t tree_cpu_ns,
                         uint64_t busy_cpu_ns)
{
    double share;

    if (busy_cpu_ns == 0)
        return 0;
    share = (joules - idle_watts * duration_s) * ((double)tree_cpu_ns / (double)busy_cpu_ns);
    return share < 0 ? 0 : share > joules ? joules : share;
}
