/* Warnings about the machine: other busy programs, the governor, throttling. */
#include "advise_machine.h"

#include <math.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "kit/run/probe/probe.h"
#include "kit/run/probe/probe_read.h"

/* Returns the busy time of all CPUs, from the first line of /proc/stat: user nice system idle
   iowait irq softirq steal, in ticks. Everything but idle and iowait is busy. */
static double busy_seconds(void)
{
    struct tch_buf b;
    char *at;
    double busy = 0;

    tch_buf_init(&b, 1 << 20);
    if (tch_file_read("/proc/stat", 1 << 20, &b, NULL) < 0 || strncmp(b.data, "cpu ", 4) != 0) {
        tch_buf_release(&b);
        return NAN;
    }
    at = b.data + 4;
    for (int i = 0; i < 8; i++) {
        size_t len;
        uint64_t ticks = 0;

        at += strspn(at, " ");
        len = strcspn(at, " \n");
        (void)tch_parse_u64_n(at, len, UINT64_MAX, &ticks);
        if (i != 3 && i != 4)
            busy += (double)ticks;
        at += len;
    }
    tch_buf_release(&b);
    return busy / (double)sysconf(_SC_CLK_TCK);
}

static double throttle_count(void)
{
    struct tch_machine machine;
    struct tch_probes probes = {.machine = &machine};
    double sum = NAN;
    int64_t count;

    tch_machine_init(&machine);
    for (int cpu = 0; tch_probe_number(
             &probes, &count, "/sys/devices/system/cpu/cpu%d/thermal_throttle/core_throttle_count",
             cpu);
         cpu++)
        sum = (cpu == 0 ? 0 : sum) + (double)count;
    return sum;
}

static double used_by(int who)
{
    struct rusage u;

    getrusage(who, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

void tch_machine_read(struct tch_machine_state *state)
{
    state->at_s = (double)tch_now_ns() / 1e9;
    state->busy_s = busy_seconds();
    state->throttled = throttle_count();
    state->own_s = used_by(RUSAGE_SELF) + used_by(RUSAGE_CHILDREN);
}

static void check_governor(struct tch_warnings *w)
{
    struct tch_machine machine;
    struct tch_probes probes = {.machine = &machine, .group = &tch_probe_cpu};

    tch_machine_init(&machine);
    tch_probe_cpu.run(&probes);
    for (size_t i = 0; i < probes.count; i++) {
        const struct tch_probe *p = &probes.items[i];

        if (strcmp(p->name, "governor") == 0 && p->status == TCH_PROBE_WARNING)
            tch_warn(w, "governor", p->fix ? p->fix : "see tacho doctor",
                     "the CPU's frequency is not constant: %s", p->found);
    }
    tch_probes_release(&probes);
}

void tch_advise_machine(struct tch_warnings *w, const struct tch_machine_state *before,
                        const struct tch_machine_state *after)
{
    double elapsed = after->at_s - before->at_s;
    double others = (after->busy_s - before->busy_s) - (after->own_s - before->own_s);
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    check_governor(w);
    /* A tick is 10 ms, so a short interval is too inaccurate. */
    if (elapsed > 0.2 && others / elapsed > 0.25)
        tch_warn(w, "machine-loaded", "close them, see: ps -eo pcpu,pid,args --sort=-pcpu | head",
                 "other programs used %.1f of %ld CPUs during the runs", others / elapsed, cpus);
    if (after->throttled > before->throttled)
        tch_warn(w, "throttled",
                 "let the CPU cool down, or set a lower frequency; see tacho doctor",
                 "the CPU was slowed down %.0f times because it was too hot",
                 after->throttled - before->throttled);
}
