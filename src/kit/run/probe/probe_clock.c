/* Clocks: whether time can be read quickly and runs evenly. */
#include "base/clock.h"
#include "probe_read.h"

static const char folder[] = "/sys/devices/system/clocksource/clocksource0";

/* Checks the TSC by the same rules as clock.c, so that the report says what the recorder does. */
static void probe_tsc(struct tch_probes *p)
{
    char flags[8192];
    char source[64];
    bool known, is_x86, invariant;
    const char *why;

    known = tch_probe_has(p, "/proc/cpuinfo");
    is_x86 = tch_probe_cpu_flags(p, flags, sizeof flags);
    tch_probe_line(p, source, sizeof source, "%s/current_clocksource", folder);
    invariant = tch_text_word(flags, "constant_tsc") && tch_text_word(flags, "nonstop_tsc");
    why = tch_clock_judge_tsc(invariant, source);
    if (!known)
        tch_probes_add(p, "TSC", TCH_PROBE_MISSING, "sudo mount -t proc proc /proc",
                       "unknown: cannot read /proc/cpuinfo");
    else if (!is_x86)
        tch_probes_add(p, "TSC", TCH_PROBE_NOT_APPLICABLE, NULL,
                       "no TSC on this architecture; its timer is used");
    else if (!why)
        tch_probes_add(p, "TSC", TCH_PROBE_OK, NULL, "invariant; used to measure time");
    else
        tch_probes_add(p, "TSC", TCH_PROBE_WARNING,
                       invariant ? "fix the clocksource below"
                                 : "on a virtual machine's host: qemu -cpu host,+invtsc",
                       "not used, so reading the time is slower: %s", why);
}

static void probe_clocksource(struct tch_probes *p)
{
    /* Clock sources that are read without entering the kernel. */
    static const char *const fast[] = {"tsc", "kvm-clock", "arch_sys_counter",
                                       "hyperv_clocksource_tsc_page", "riscv_clocksource"};
    char current[64];
    char available[256];

    if (!tch_probe_line(p, current, sizeof current, "%s/current_clocksource", folder))
        return;
    for (size_t i = 0; i < sizeof fast / sizeof fast[0]; i++)
        if (strcmp(current, fast[i]) == 0) {
            tch_probes_add(p, "clocksource", TCH_PROBE_OK, NULL, "%s", current);
            return;
        }
    tch_probe_line(p, available, sizeof available, "%s/available_clocksource", folder);
    tch_probes_add(p, "clocksource", TCH_PROBE_WARNING,
                   tch_text_word(available, "tsc")
                       ? "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/"
                         "current_clocksource"
                       : "boot with tsc=reliable",
                   "%s is slow to read", current);
}

static void probe_clock(struct tch_probes *p)
{
    probe_tsc(p);
    probe_clocksource(p);
}

const struct tch_probe_group tch_probe_clock = {
    .name = "clock",
    .title = "Clocks",
    .run = probe_clock,
};
