/* Power sources: where energy or power can be read. Any one of them is enough. */
#include <tacho/power.h>

#include "probe_read.h"

static void probe_rapl(struct tch_probes *p)
{
    static const char folder[] = "/sys/class/powercap";
    char name[NAME_MAX + 1] = "";
    int64_t energy;

    if (!tch_probe_next(p, folder, "intel-rapl:", name)) {
        tch_probes_add(p, "RAPL", TCH_PROBE_MISSING, "sudo modprobe intel_rapl_msr",
                       "no energy counter; most virtual machines have none");
        return;
    }
    if (tch_probe_number(p, &energy, "%s/%s/energy_uj", folder, name))
        tch_probes_add(p, "RAPL", TCH_PROBE_OK, NULL, "energy counter %s can be read", name);
    else
        tch_probes_add(p, "RAPL", TCH_PROBE_WARNING,
                       "sudo chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj",
                       "energy counter %s is there but only root may read it", name);
}

static void probe_perf_power(struct tch_probes *p)
{
    static const char folder[] = "/sys/bus/event_source/devices/power/events";
    char mem[256];
    char name[NAME_MAX + 1] = "";
    struct tch_buf events;
    int64_t paranoid;

    /* As many as fit: they are for people to read. */
    tch_buf_init_on(&events, mem, sizeof mem, sizeof mem - 1);
    while (tch_probe_next(p, folder, "energy-", name))
        if (!strchr(name, '.'))
            tch_buf_addf(&events, "%s%s", events.len > 0 ? ", " : "", name);
    if (events.len == 0)
        tch_probes_add(p, "perf power", TCH_PROBE_MISSING, "sudo modprobe rapl",
                       "the kernel shows no energy events");
    else if (tch_probe_may_perf_all(p) ||
             (tch_probe_number(p, &paranoid, "/proc/sys/kernel/perf_event_paranoid") &&
              paranoid <= 0))
        tch_probes_add(p, "perf power", TCH_PROBE_OK, NULL, "%s", events.data);
    else
        tch_probes_add(p, "perf power", TCH_PROBE_WARNING,
                       "sudo sysctl kernel.perf_event_paranoid=0",
                       "%s, but only for privileged users", events.data);
    tch_buf_release(&events);
}

static void probe_hwmon(struct tch_probes *p)
{
    static const char folder[] = "/sys/class/hwmon";
    char name[NAME_MAX + 1] = "";
    char fix[128];

    while (tch_probe_next(p, folder, "hwmon", name)) {
        char chip[64];

        if (!tch_probe_has(p, "%s/%s/power1_average", folder, name) &&
            !tch_probe_has(p, "%s/%s/power1_input", folder, name))
            continue;
        tch_probe_line(p, chip, sizeof chip, "%s/%s/name", folder, name);
        tch_probes_add(p, "hwmon", TCH_PROBE_OK, NULL, "power of %s (%s)",
                       chip[0] ? chip : "a chip", name);
        return;
    }
    tch_install_command(p, TCH_PACKAGE_SENSORS, fix, sizeof fix);
    snprintf(fix + strlen(fix), sizeof fix - strlen(fix), " && sudo sensors-detect --auto");
    tch_probes_add(p, "hwmon", TCH_PROBE_MISSING, fix, "no sensor that tells power");
}

/* A machine without one lacks nothing; one that runs from it is throttled. */
static void probe_battery(struct tch_probes *p)
{
    static const char folder[] = "/sys/class/power_supply";
    char name[NAME_MAX + 1] = "";
    char status[32];
    bool tells_power;

    if (!tch_probe_next(p, folder, "BAT", name)) {
        tch_probes_add(p, "battery", TCH_PROBE_OK, NULL, "none");
        return;
    }
    tells_power = tch_probe_has(p, "%s/%s/power_now", folder, name) ||
                  (tch_probe_has(p, "%s/%s/current_now", folder, name) &&
                   tch_probe_has(p, "%s/%s/voltage_now", folder, name));
    tch_probe_line(p, status, sizeof status, "%s/%s/status", folder, name);
    if (strcmp(status, "Discharging") == 0)
        tch_probes_add(p, "battery", TCH_PROBE_WARNING, "plug the machine in",
                       "%s is discharging: %s, but the CPU may be slowed down", name,
                       tells_power ? "its power can be read" : "its power cannot be read");
    else
        tch_probes_add(p, "battery", TCH_PROBE_OK, NULL, "%s is not discharging", name);
}

/* By the makers' libraries, which have no root: a made-up machine has none of them. */
static void probe_gpus(struct tch_probes *p)
{
    static const struct {
        const char *source, *name, *fix;
    } libraries[] = {
        {"nvml", "NVIDIA GPUs", "install the NVIDIA driver, where there is such a GPU"},
        {"rocm", "AMD GPUs", "install ROCm SMI, where there is such a GPU"}};

    for (size_t i = 0; i < 2 && !p->machine->root[0]; i++) {
        tacho_power_source source;
        tacho_error err;

        if (tacho_power_open(libraries[i].source, "", &source, &err) == 0) {
            source.close(source.ctx);
            tch_probes_add(p, libraries[i].name, TCH_PROBE_OK, NULL, "tell their power");
        } else {
            tch_probes_add(p, libraries[i].name, TCH_PROBE_MISSING, libraries[i].fix, "%s",
                           err.message);
        }
    }
}

static void probe_power(struct tch_probes *p)
{
    probe_rapl(p);
    probe_perf_power(p);
    probe_hwmon(p);
    probe_battery(p);
    probe_gpus(p);
}

const struct tch_probe_group tch_probe_power = {
    .name = "power",
    .title = "Power sources",
    .run = probe_power,
};
