/*
 * Measures how often a counter is updated.
 *
 * An energy counter moves in steps: RAPL every millisecond, a GPU every 20 to 100 milliseconds. The
 * energy of a short time has therefore an error of up to two steps, so callers judge only times of
 * at least TCH_POWER_UPDATES steps.
 */
#include <math.h>

#include "base/clock.h"
#include "power_meter.h"

enum { STEPS = 10 };

#define LIMIT_NS 300000000u /* a counter that has not moved by then is slower than most runs */
#define PAUSE_NS 100000     /* a tenth of the shortest step */

static bool read_counter(const tacho_power_source *source, double *ret)
{
    tacho_power_reading r = {.size = sizeof r, .joules = NAN, .watts = NAN};

    if (!source->read || source->read(source->ctx, &r, NULL) != 0 || !isfinite(r.joules))
        return false;
    *ret = r.joules;
    return true;
}

void tch_power_find_update(tacho_power_source *source)
{
    uint64_t start = tch_now_ns();
    uint64_t now = start;
    uint64_t first = 0;
    int steps = 0;
    double before;
    double joules;

    if (!read_counter(source, &before))
        return; /* the source has watts only: keep the interval that it reports */
    while (steps < STEPS && now - start < LIMIT_NS) {
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
        now = tch_now_ns();
        if (!read_counter(source, &joules))
            return;
        if (joules == before)
            continue;
        before = joules;
        if (steps++ == 0)
            first = now;
    }
    if (steps > 1)
        source->update_us = (now - first) / 1000 / (uint64_t)(steps - 1);
    else
        source->update_us = LIMIT_NS / 1000;
}
