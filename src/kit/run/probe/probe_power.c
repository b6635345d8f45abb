/* Power sources: where energy or power can be read. Any one of them is enough. */
#include "lib/measure/under_root.h"
#include "probe_read.h"

/* Adds a source that is absent: missing, or not applicable if this machine cannot have it. */
static void add_absent(struct tch_probes *p, const char *name, bool x86_only, const char *fix,
                       const char *found)
{
    char flags[8192];
    bool other = tch_probe_has(p, "/proc/cpuinfo") && !tch_probe_cpu_flags(p, flags, sizeof flags);

    if (tch_probe_virtual(p))
        tch_probes_add(p, name, TCH_PROBE_NOT_APPLICABLE, NULL,
                       "none: the host hides it from this virtual machine");
    else if (x86_only && other)
        tch_probes_add(p, name, TCH_PROBE_NOT_APPLICABLE, NULL, "none on this architecture");
    else
        tch_probes_add(p, name, TCH_PROBE_MISSING, fix, "%s", found);
}

static void probe_rapl(struct tch_probes *p)
{
    static const char folder[] = "/sys/class/powercap";
    char name[NAME_MAX + 1] = "";
    int64_t energy;

    if (!tch_probe_next(p, folder, "intel-rapl:", name)) {
        add_absent(p, "RAPL", true, "sudo modprobe intel_rapl_msr", "no energy counter");
        return;
    }
    if (tch_probe_number(p, &energy, "%s/%s/energy_uj", folder, name))
        tch_probes_add(p, "RAPL", TCH_PROBE_OK, NULL, "energy counter %s can be read", name);
    else
        tch_probes_add(p, "RAPL", TCH_PROBE_WARNING,
                       "sudo chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj",
                       "energy counter %s exists, but only root may read it", name);
}

static void probe_perf_power(struct tch_probes *p)
{
    static const char folder[] = "/sys/bus/event_source/devices/power/events";
    char mem[256];
    char name[NAME_MAX + 1] = "";
    struct tch_buf events;
    int64_t paranoid;

    /* Lists as many as fit, for readers only. */
    tch_buf_init_on(&events, mem, sizeof mem, sizeof mem - 1);
    while (tch_probe_next(p, folder, "energy-", name))
        if (!strchr(name, '.'))
            tch_buf_addf(&events, "%s%s", events.len > 0 ? ", " : "", name);
    if (events.len == 0)
        add_absent(p, "perf power", true, "sudo modprobe rapl",
                   "the kernel provides no energy events");
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
    add_absent(p, "hwmon", false, fix, "no sensor that reports power");
}

static const char supplies[] = "/sys/class/power_supply";

static bool is_discharging(struct tch_probes *p, const char *battery)
{
    char status[32];

    tch_probe_line(p, status, sizeof status, "%s/%s/status", supplies, battery);
    return strcmp(status, "Discharging") == 0;
}

static bool reports_power(struct tch_probes *p, const char *battery)
{
    return tch_probe_has(p, "%s/%s/power_now", supplies, battery) ||
           (tch_probe_has(p, "%s/%s/current_now", supplies, battery) &&
            tch_probe_has(p, "%s/%s/voltage_now", supplies, battery));
}

bool tch_probe_battery_measures(struct tch_probes *p)
{
    char name[NAME_MAX + 1] = "";

    return tch_probe_next(p, supplies, "BAT", name) && is_discharging(p, name) &&
           reports_power(p, name);
}

/* Checks the battery. A machine without one lacks nothing; one that runs on battery may be
   throttled. */
static void probe_battery(struct tch_probes *p)
{
    char name[NAME_MAX + 1] = "";

    if (!tch_probe_next(p, supplies, "BAT", name)) {
        tch_probes_add(p, "battery", TCH_PROBE_NOT_APPLICABLE, NULL, "none");
        return;
    }
    if (is_discharging(p, name))
        tch_probes_add(p, "battery", TCH_PROBE_WARNING, "plug the machine in",
                       "%s is discharging: %s, but the CPU may be slowed down", name,
                       reports_power(p, name) ? "its power can be read"
                                              : "its power cannot be read");
    else
        tch_probes_add(p, "battery", TCH_PROBE_OK, NULL, "%s is not discharging", name);
}

/* Returns whether the PCI bus has a display controller of that maker. */
static bool has_gpu(struct tch_probes *p, const char *maker)
{
    static const char folder[] = "/sys/bus/pci/devices";
    char name[NAME_MAX + 1] = "";

    while (tch_probe_next(p, folder, "", name)) {
        char vendor[16];
        char class[16];

        tch_probe_line(p, vendor, sizeof vendor, "%s/%s/vendor", folder, name);
        tch_probe_line(p, class, sizeof class, "%s/%s/class", folder, name);
        if (strcmp(vendor, maker) == 0 && strncmp(class, "0x03", 4) == 0)
            return true;
    }
    return false;
}

/* Checks GPUs through the vendors' libraries: those of this machine, or those under the root of a
   test machine. */
static void probe_gpus(struct tch_probes *p)
{
    static const struct {
        const char *source, *name, *maker, *library, *fix;
    } libraries[] = {
        {"nvml", "NVIDIA GPUs", "0x10de", "libnvidia-ml.so.1", "install the NVIDIA driver"},
        {"rocm", "AMD GPUs", "0x1002", "librocm_smi64.so", "install ROCm SMI"}};

    for (size_t i = 0; i < 2; i++) {
        char path[PATH_MAX] = "";
        tacho_power_source source = TACHO_POWER_SOURCE_INIT;
        tacho_error err;

        if (p->machine->root[0])
            snprintf(path, sizeof path, "%s/lib/%s", p->machine->root, libraries[i].library);
        if (tch_power_open(libraries[i].source, path, &source, &err) == 0) {
            source.close(source.ctx);
            tch_probes_add(p, libraries[i].name, TCH_PROBE_OK, NULL, "their power can be read");
        } else if (has_gpu(p, libraries[i].maker)) {
            tch_probes_add(p, libraries[i].name, TCH_PROBE_MISSING, libraries[i].fix, "%s",
                           err.message);
        } else {
            tch_probes_add(p, libraries[i].name, TCH_PROBE_NOT_APPLICABLE, NULL,
                           "none in this machine");
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
