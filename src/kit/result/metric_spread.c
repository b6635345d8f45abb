/* Computes how much two sessions differ with nothing changed, as long as nobody has measured it. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/json_read.h"
#include "metric.h"

/* Start-up and exit of a process, which depend on the state of the machine and not on the work. */
static const double start_ns = 100e3;

/* Returns the number of CPUs of an environment document, or of this machine. */
static double cpus_of(const char *environment)
{
    struct tch_json_value count;

    if (environment && tch_json_find(environment, strlen(environment), "cpu_count", &count) &&
        count.type == TCH_JSON_NUMBER && tch_json_to_f64(&count) >= 1)
        return tch_json_to_f64(&count);
    return fmax(1, (double)sysconf(_SC_NPROCESSORS_CONF));
}

double tch_memory_error(const char *environment)
{
    double cpus = cpus_of(environment);

    return fmax(32, 2 * cpus) * cpus * (double)sysconf(_SC_PAGESIZE);
}

/* Returns the standard deviation of the part that does not grow with the value. Peak memory is off
   by a uniform error in both sessions. */
static double absolute_part(const struct tch_metric *m, const char *environment)
{
    bool from_kernel = m->source == TCH_FROM_KERNEL || m->source == TCH_FROM_TREE;

    if (m->asked || !(from_kernel || strcmp(m->name, "cpu") == 0))
        return 0;
    return m->unit == TCH_NS      ? start_ns
           : m->unit == TCH_BYTES ? tch_memory_error(environment) * sqrt(2.0 / 3)
                                  : 0;
}

double tch_metric_spread(const struct tch_metric *m, double level, const char *environment)
{
    return level > 0 ? hypot(m->spread, absolute_part(m, environment) / level) : m->spread;
}
