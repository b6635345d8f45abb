/* Clocks: whether time can be read cheaply and evenly. */
#include "probe_read.h"

static void probe_tsc(struct tch_probes *p)
{
    struct tch_buf cpuinfo;
    char flags[8192];
    bool is_x86;

    tch_buf_init(&cpuinfo, 16 << 20);
    tch_probe_read(p, &cpuinfo, "/proc/cpuinfo");
    is_x86 = tch_text_field(cpuinfo.data, "flags", flags, sizeof flags);
    tch_buf_release(&cpuinfo);
    if (!is_x86)
        tch_probes_add(p, "TSC", TCH_PROBE_OK, NULL, "none on this architecture; its timer serves");
    else if (tch_text_word(flags, "constant_tsc") && tch_text_word(flags, "nonstop_tsc"))
        tch_probes_add(p, "TSC", TCH_PROBE_OK, NULL, "invariant: same speed in every state of the CPU");
    else
        tch_probes_add(p, "TSC", TCH_PROBE_WARNING,
                       "in a virtual machine, let the host pass it on (QEMU: -cpu host,+invtsc)",
                       "not invariant: the kernel's clock is used, which costs more to read");
}

static void probe_clocksource(struct tch_probes *p)
{
    static const char folder[] = "/sys/devices/system/clocksource/clocksource0";
    /* Those that are read without entering the kernel. */
    static const char *const fast[] = {"tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page",
                                       "riscv_clocksource"};
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
                       : "boot with the kernel parameter tsc=reliable",
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
