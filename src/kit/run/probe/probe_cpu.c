/* The CPU: everything that changes its speed from one moment to the next. */
#include "probe_read.h"

static const char cpus[] = "/sys/devices/system/cpu";

static void probe_governor(struct tch_probes *p)
{
    char policy[NAME_MAX + 1] = "";
    char governor[32] = "";
    size_t count = 0;

    while (tch_probe_next(p, "/sys/devices/system/cpu/cpufreq", "policy", policy)) {
        tch_probe_line(p, governor, sizeof governor, "%s/cpufreq/%s/scaling_governor", cpus,
                       policy);
        count++;
        if (strcmp(governor, "performance") != 0)
            break;
    }
    if (count == 0)
        tch_probes_add(p, "governor", TCH_PROBE_NOT_APPLICABLE, NULL,
                       "none: the CPU or the host sets the frequency");
    else if (strcmp(governor, "performance") == 0)
        tch_probes_add(p, "governor", TCH_PROBE_OK, NULL, "performance");
    else
        tch_probes_add(p, "governor", TCH_PROBE_WARNING,
                       "echo performance | sudo tee "
                       "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor",
                       "%s: the frequency follows the load", governor);
}

static void probe_turbo(struct tch_probes *p)
{
    static const char on[] = "on: the frequency depends on heat and on the other cores";
    int64_t value;

    if (tch_probe_number(p, &value, "%s/intel_pstate/no_turbo", cpus))
        tch_probes_add(p, "turbo", value == 0 ? TCH_PROBE_WARNING : TCH_PROBE_OK,
                       "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo", "%s",
                       value == 0 ? on : "off");
    else if (tch_probe_number(p, &value, "%s/cpufreq/boost", cpus))
        tch_probes_add(p, "turbo", value != 0 ? TCH_PROBE_WARNING : TCH_PROBE_OK,
                       "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost", "%s",
                       value != 0 ? on : "off");
    else
        tch_probes_add(p, "turbo", TCH_PROBE_NOT_APPLICABLE, NULL,
                       "this machine has no switch for it");
}

static void probe_smt(struct tch_probes *p)
{
    int64_t active;

    if (!tch_probe_number(p, &active, "%s/smt/active", cpus) || active == 0)
        tch_probes_add(p, "SMT", TCH_PROBE_OK, NULL, "off: no two threads share a core");
    else
        tch_probes_add(p, "SMT", TCH_PROBE_WARNING,
                       "echo off | sudo tee /sys/devices/system/cpu/smt/control",
                       "on: two threads share a core");
}

static void probe_count(struct tch_probes *p)
{
    char online[256];
    char allowed[256];
    struct tch_buf status;
    char fix[512];
    unsigned online_count, allowed_count;

    tch_probe_line(p, online, sizeof online, "%s/online", cpus);
    tch_buf_init(&status, 1 << 16);
    tch_probe_read(p, &status, "/proc/self/status");
    tch_text_field(status.data, "Cpus_allowed_list", allowed, sizeof allowed);
    tch_buf_release(&status);
    online_count = tch_cpu_list_count(online);
    allowed_count = tch_cpu_list_count(allowed);
    if (online_count == 0)
        return;
    if (allowed_count == 0 || allowed_count >= online_count) {
        tch_probes_add(p, "CPUs", TCH_PROBE_OK, NULL, "%u online, all usable", online_count);
        return;
    }
    snprintf(fix, sizeof fix, "tacho run --cpu %s -- COMMAND", online);
    tch_probes_add(p, "CPUs", TCH_PROBE_WARNING, fix, "%u online, but only %u (%s) usable",
                   online_count, allowed_count, allowed);
}

static void probe_numa(struct tch_probes *p)
{
    size_t nodes = 0;
    char name[NAME_MAX + 1] = "";
    char list[256];
    char fix[512];

    while (tch_probe_next(p, "/sys/devices/system/node", "node", name))
        nodes += name[4] >= '0' && name[4] <= '9';
    if (nodes <= 1) {
        tch_probes_add(p, "NUMA", TCH_PROBE_OK, NULL, "one node");
        return;
    }
    tch_probe_line(p, list, sizeof list, "/sys/devices/system/node/node0/cpulist");
    snprintf(fix, sizeof fix, "tacho run --cpu %s -- COMMAND", list[0] ? list : "LIST");
    tch_probes_add(p, "NUMA", TCH_PROBE_WARNING, fix, "%zu nodes: memory may be near or far",
                   nodes);
}

static void probe_cpu(struct tch_probes *p)
{
    probe_count(p);
    probe_governor(p);
    probe_turbo(p);
    probe_smt(p);
    probe_numa(p);
}

const struct tch_probe_group tch_probe_cpu = {
    .name = "cpu",
    .title = "CPU",
    .chapter = TCH_PROBE_DISTURBS,
    .run = probe_cpu,
};
