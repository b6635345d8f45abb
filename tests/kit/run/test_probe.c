/* Tests the probes, each against a fake /proc and /sys. */
#include "support/test.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "kit/run/probe/probe.h"
#include "kit/run/probe/probe_read.h"
#include "support/system.h"

/* The answer of the fake kernel to a perf event. */
static int software_error;
static int hardware_error;

static int trace_error;

static int fake_trace(void)
{
    return trace_error;
}

static int aslr_error;

static int fake_no_aslr(void)
{
    return aslr_error;
}

/* The one object that cannot be preloaded; NULL: all can. */
static const char *lost_object;

static int fake_preload(const char *object, tacho_error *err)
{
    if (!lost_object || strcmp(object, lost_object) != 0)
        return 0;
    return tch_fail(err, TACHO_EIO, 0, "'%s' is missing", object);
}

static int fake_perf_open(uint32_t type, uint64_t config)
{
    (void)config;
    return type == PERF_TYPE_HARDWARE ? hardware_error : software_error;
}

static struct tch_machine machine(void)
{
    return (struct tch_machine){
        .root = test_home,
        .work = test_home,
        .perf_open = fake_perf_open,
        .trace = fake_trace,
        .no_aslr = fake_no_aslr,
        .preload = fake_preload,
    };
}

/* A file of the fake tree, with the folders above it. */
static void put(const char *path, const char *text)
{
    char full[512];
    char *slash;

    snprintf(full, sizeof full, "%s%s", test_home, path);
    slash = strrchr(full, '/');
    *slash = '\0';
    assert_int_equal(tch_mkdirs(full, NULL), 0);
    *slash = '/';
    test_put(full, text);
}

/* Runs all groups. The finding called name in this group must have this status, and its texts must
   contain these. */
static void finds(const struct tch_probe_group *group, const char *name,
                  enum tch_probe_status status, const char *found, const char *fix)
{
    struct tch_machine fake = machine();
    struct tch_probes p;
    const struct tch_probe *item = NULL;

    assert_int_equal(tch_probes_run(&p, &fake, NULL), 0);
    for (size_t i = 0; i < p.count; i++)
        if (p.items[i].group == group && strcmp(p.items[i].name, name) == 0)
            item = &p.items[i];
    assert_non_null(item);
    assert_string_equal(tch_probe_status_name(item->status), tch_probe_status_name(status));
    if (!strstr(item->found, found))
        fail_msg("'%s' says '%s', not '%s'", name, item->found, found);
    if (fix && (!item->fix || !strstr(item->fix, fix)))
        fail_msg("'%s' advises '%s', not '%s'", name, item->fix ? item->fix : "nothing", fix);
    assert_true((item->fix == NULL) == !tch_probe_asks(status));
    tch_probes_release(&p);
}

static void reports_what_paranoid_levels_allow(void **state)
{
    const struct tch_probe_group *g = &tch_probe_events;
    static const char name[] = "perf_event_paranoid";
    static const char path[] = "/proc/sys/kernel/perf_event_paranoid";
    static const char fix[] = "sudo sysctl kernel.perf_event_paranoid=1";

    (void)state;
    finds(g, name, TCH_PROBE_MISSING, "no performance events", "CONFIG_PERF_EVENTS");
    put("/proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n");
    put(path, "-1\n");
    finds(g, name, TCH_PROBE_OK, "-1: own processes, including their time in the kernel", NULL);
    put(path, "1\n");
    finds(g, name, TCH_PROBE_OK, "1: own processes, including their time in the kernel", NULL);
    put(path, "2\n");
    finds(g, name, TCH_PROBE_WARNING, "2: own processes", fix);
    put(path, "4\n");
    finds(g, name, TCH_PROBE_MISSING, "CAP_PERFMON", fix);
    put("/proc/self/status", "Name:\tx\nCapEff:\t0000004000000000\n"); /* CAP_PERFMON alone */
    finds(g, name, TCH_PROBE_OK, "privileged", NULL);
}

static void reports_what_flamegraphs_may_show(void **state)
{
    const struct tch_probe_group *g = &tch_probe_features;
    static const char name[] = "flamegraphs";
    static const char path[] = "/proc/sys/kernel/perf_event_paranoid";

    (void)state;
    software_error = trace_error = 0;
    put("/proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n");
    put(path, "0\n");
    finds(g, name, TCH_PROBE_OK, "available: own processes and their time in the kernel", NULL);
    finds(g, "flame --off-cpu", TCH_PROBE_OK, "available", NULL);
    finds(g, "flame --all", TCH_PROBE_OK, "available", NULL);
    put(path, "1\n");
    finds(g, name, TCH_PROBE_OK, "available: own processes and their time in the kernel", NULL);
    finds(g, "flame --off-cpu", TCH_PROBE_OK, "available", NULL);
    finds(g, "flame --all", TCH_PROBE_MISSING, "absent", "perf_event_paranoid=0");
    put(path, "2\n");
    finds(g, name, TCH_PROBE_WARNING, "degraded: own processes without", "perf_event_paranoid=1");
    finds(g, "flame --off-cpu", TCH_PROBE_MISSING, "absent", "perf_event_paranoid=1");
    software_error = EPERM;
    finds(g, name, TCH_PROBE_WARNING, "degraded: own programs", "docker run --cap-add PERFMON");
    trace_error = EPERM;
    finds(g, name, TCH_PROBE_WARNING, "degraded: own programs", "docker run --cap-add PERFMON");
    lost_object = "tacho-sampler.so";
    finds(g, name, TCH_PROBE_MISSING, "absent", "docker run --cap-add PERFMON");
    put(path, "4\n");
    finds(g, name, TCH_PROBE_MISSING, "perf_event_paranoid is 4", "perf_event_paranoid=2");
    trace_error = 0;
    finds(g, name, TCH_PROBE_WARNING, "perf_event_paranoid is 4", "perf_event_paranoid=2");
    lost_object = NULL;
    software_error = 0;
    put("/proc/self/status", "Name:\tx\nCapEff:\t0000004000000000\n"); /* CAP_PERFMON alone */
    finds(g, name, TCH_PROBE_OK, "available", NULL);
    finds(g, "flame --all", TCH_PROBE_OK, "available", NULL);
}

static void reports_which_samplers_need_no_rights(void **state)
{
    const struct tch_probe_group *g = &tch_probe_features;

    (void)state;
    trace_error = 0;
    finds(g, "flame preload", TCH_PROBE_OK, "available", NULL);
    finds(g, "flame ptrace", TCH_PROBE_OK, "available", NULL);
    lost_object = "tacho-sampler.so";
    trace_error = EPERM;
    finds(g, "flame preload", TCH_PROBE_MISSING, "absent: 'tacho-sampler.so' is missing",
          "--profiler ptrace");
    finds(g, "flame ptrace", TCH_PROBE_MISSING, "absent", "SYS_PTRACE");
    lost_object = NULL;
    trace_error = 0;
}

static void reports_what_can_be_counted(void **state)
{
    const struct tch_probe_group *g = &tch_probe_features;
    char *path = strdup(getenv("PATH"));

    (void)state;
    hardware_error = trace_error = aslr_error = 0;
    finds(g, "count instructions", TCH_PROBE_OK, "available: by the CPU's counter", NULL);
    finds(g, "count syscalls", TCH_PROBE_WARNING, "degraded: by ptrace", "Linux 5.0");
    finds(g, "count faults", TCH_PROBE_OK, "available", NULL);
    finds(g, "count allocations", TCH_PROBE_OK, "available", NULL);
    finds(g, "run --no-aslr", TCH_PROBE_OK, "available", NULL);
    hardware_error = ENOENT;
    put("/bin/valgrind", "#!/bin/sh\n");
    setenv("PATH", test_at("bin"), 1);
    finds(g, "count instructions", TCH_PROBE_MISSING, "absent", "valgrind");
    assert_int_equal(chmod(test_at("bin/valgrind"), 0755), 0);
    finds(g, "count instructions", TCH_PROBE_WARNING, "degraded: by valgrind", "pmu=on");
    setenv("PATH", path, 1);
    free(path);
    put("/proc/sys/kernel/seccomp/actions_avail", "kill_process trap user_notif allow\n");
    aslr_error = EPERM;
    finds(g, "count faults", TCH_PROBE_WARNING, "degraded", "seccomp=unconfined");
    finds(g, "run --no-aslr", TCH_PROBE_MISSING, "absent", "seccomp=unconfined");
    trace_error = EPERM;
    finds(g, "count syscalls", TCH_PROBE_OK, "available: by seccomp", NULL);
    finds(g, "count faults", TCH_PROBE_MISSING, "absent", "SYS_PTRACE");
    put("/proc/sys/kernel/seccomp/actions_avail", "kill_process trap allow\n");
    finds(g, "count syscalls", TCH_PROBE_MISSING, "absent", "SYS_PTRACE");
    lost_object = "tacho-allocations.so";
    finds(g, "count allocations", TCH_PROBE_MISSING, "'tacho-allocations.so' is missing",
          "install");
    lost_object = NULL;
    hardware_error = trace_error = aslr_error = 0;
}

static void reports_whether_energy_can_be_measured(void **state)
{
    const struct tch_probe_group *g = &tch_probe_features;

    (void)state;
    finds(g, "energy", TCH_PROBE_MISSING, "absent", "modprobe");
    finds(g, "GPU energy", TCH_PROBE_NOT_APPLICABLE, "no GPU", NULL);
    put("/sys/class/power_supply/BAT0/status", "Discharging\n");
    put("/sys/class/power_supply/BAT0/power_now", "5000000\n");
    finds(g, "energy", TCH_PROBE_WARNING, "degraded: of the whole machine", "modprobe");
    put("/proc/cpuinfo", "flags\t: fpu hypervisor sse\n");
    put("/sys/class/power_supply/BAT0/status", "Full\n");
    finds(g, "energy", TCH_PROBE_MISSING, "absent", "fixed:WATTS");
    put("/sys/class/powercap/intel-rapl:0/energy_uj", "262143328850\n");
    finds(g, "energy", TCH_PROBE_OK, "available: by RAPL", NULL);
    put("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
    put("/sys/bus/pci/devices/0000:01:00.0/class", "0x030200\n");
    finds(g, "GPU energy", TCH_PROBE_MISSING, "absent", "NVIDIA driver");
}

static void reports_what_else_works(void **state)
{
    const struct tch_probe_group *g = &tch_probe_features;
    char *path = strdup(getenv("PATH"));

    (void)state;
    finds(g, "memory of a tree", TCH_PROBE_MISSING, "absent", "mount -t proc");
    put("/proc/self/status", "Name:\tx\n");
    finds(g, "memory of a tree", TCH_PROBE_OK, "available", NULL);
    put("/proc/cpuinfo", "flags\t\t: fpu constant_tsc nonstop_tsc\n");
    put("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
    finds(g, "traces", TCH_PROBE_WARNING, "degraded", "clocksource");
    put("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
    finds(g, "traces", TCH_PROBE_OK, "available: timed by the TSC", NULL);
    setenv("PATH", test_at("bin"), 1);
    finds(g, "gate --against", TCH_PROBE_MISSING, "absent: git is missing", "git");
    put("/bin/git", "#!/bin/sh\n");
    assert_int_equal(chmod(test_at("bin/git"), 0755), 0);
    finds(g, "gate --against", TCH_PROBE_OK, "available", NULL);
    setenv("PATH", path, 1);
    free(path);
}

static void reports_why_events_do_not_open(void **state)
{
    const struct tch_probe_group *g = &tch_probe_events;

    (void)state;
    software_error = hardware_error = 0;
    finds(g, "sampling", TCH_PROBE_OK, "opens", NULL);
    finds(g, "hardware counters", TCH_PROBE_OK, "cycles", NULL);
    software_error = EACCES;
    hardware_error = ENOENT;
    finds(g, "sampling", TCH_PROBE_MISSING, "denied", "perf_event_paranoid=1");
    finds(g, "hardware counters", TCH_PROBE_MISSING, "no counters", "pmu=on");
    software_error = ENOSYS;
    hardware_error = EPERM;
    finds(g, "sampling", TCH_PROBE_MISSING, "no performance events", "CONFIG_PERF_EVENTS");
    finds(g, "hardware counters", TCH_PROBE_MISSING, "denied", "perf_event_paranoid=1");
    software_error = EPERM;
    hardware_error = EMFILE;
    finds(g, "sampling", TCH_PROBE_MISSING, "denied", "perf_event_paranoid=1");
    finds(g, "hardware counters", TCH_PROBE_MISSING, "failed: Too many open files", "perf stat");
}

static void reports_what_is_free_on_the_disk(void **state)
{
    struct statvfs fs;
    bool enough;

    (void)state;
    assert_int_equal(statvfs(test_home, &fs), 0);
    enough = (uint64_t)fs.f_bavail * fs.f_frsize >= UINT64_C(1) << 30;
    finds(&tch_probe_system, "disk", enough ? TCH_PROBE_OK : TCH_PROBE_WARNING,
          "GiB free in this folder", enough ? NULL : "du -xh");
}

static void reports_what_limits_sampling(void **state)
{
    const struct tch_probe_group *g = &tch_probe_events;

    (void)state;
    put("/proc/sys/kernel/kptr_restrict", "1\n");
    finds(g, "kernel names", TCH_PROBE_WARNING, "kptr_restrict 1", "kptr_restrict=0");
    put("/proc/self/status", "CapEff:\t0000000400000000\n"); /* CAP_SYSLOG */
    finds(g, "kernel names", TCH_PROBE_OK, "kptr_restrict 1", NULL);
    put("/proc/sys/kernel/kptr_restrict", "2\n"); /* hidden from all */
    finds(g, "kernel names", TCH_PROBE_WARNING, "kptr_restrict 2", "kptr_restrict=0");
    put("/proc/self/status", "CapEff:\t0000000000000000\n");
    put("/proc/sys/kernel/kptr_restrict", "0\n");
    put("/proc/sys/kernel/perf_event_paranoid", "2\n");
    finds(g, "kernel names", TCH_PROBE_WARNING, "kptr_restrict 0, perf_event_paranoid 2",
          "sudo sysctl kernel.perf_event_paranoid=1");
    put("/proc/sys/kernel/perf_event_paranoid", "1\n");
    finds(g, "kernel names", TCH_PROBE_OK, "kptr_restrict 0", NULL);
    put("/proc/sys/kernel/perf_event_mlock_kb", "516\n");
    put("/proc/self/limits", "Limit    Soft Limit  Hard Limit  Units\n"
                             "Max locked memory         8388608   8388608   bytes     \n");
    finds(g, "sample buffers", TCH_PROBE_OK, "8192 KiB of locked memory", NULL);
    put("/proc/self/limits", "Max locked memory         unlimited   unlimited   bytes\n");
    finds(g, "sample buffers", TCH_PROBE_OK, "and unlimited of locked", NULL);
    put("/proc/sys/kernel/perf_event_mlock_kb", "64\n");
    finds(g, "sample buffers", TCH_PROBE_WARNING, "64 KiB", "perf_event_mlock_kb=516");
    put("/proc/sys/kernel/perf_event_max_sample_rate", "500\n");
    finds(g, "sample rate", TCH_PROBE_WARNING, "500", "max_sample_rate");
}

static void finds_energy_counters(void **state)
{
    const struct tch_probe_group *g = &tch_probe_power;

    (void)state;
    finds(g, "RAPL", TCH_PROBE_MISSING, "no energy counter", "modprobe");
    put("/proc/cpuinfo", "flags\t: fpu hypervisor sse\n");
    finds(g, "RAPL", TCH_PROBE_NOT_APPLICABLE, "virtual machine", NULL);
    finds(g, "perf power", TCH_PROBE_NOT_APPLICABLE, "virtual machine", NULL);
    finds(g, "hwmon", TCH_PROBE_NOT_APPLICABLE, "virtual machine", NULL);
    put("/proc/cpuinfo", "Features\t: fp asimd\n");
    finds(g, "RAPL", TCH_PROBE_NOT_APPLICABLE, "architecture", NULL);
    finds(g, "perf power", TCH_PROBE_NOT_APPLICABLE, "architecture", NULL);
    finds(g, "hwmon", TCH_PROBE_MISSING, "no sensor", "lm-sensors");
    put("/proc/cpuinfo", "flags\t: fpu sse\n");
    put("/sys/class/powercap/intel-rapl:0/energy_uj", "262143328850\n");
    finds(g, "RAPL", TCH_PROBE_OK, "intel-rapl:0", NULL);
    finds(g, "perf power", TCH_PROBE_MISSING, "no energy events", "modprobe rapl");
    put("/sys/bus/event_source/devices/power/events/energy-pkg", "event=0x02\n");
    put("/sys/bus/event_source/devices/power/events/energy-pkg.scale", "2.3e-10\n");
    put("/sys/bus/event_source/devices/power/events/energy-cores", "event=0x01\n");
    put("/proc/sys/kernel/perf_event_paranoid", "2\n");
    finds(g, "perf power", TCH_PROBE_WARNING, "privileged", "paranoid=0");
    put("/proc/sys/kernel/perf_event_paranoid", "0\n");
    finds(g, "perf power", TCH_PROBE_OK, "energy-cores, energy-pkg", NULL);
    put("/proc/sys/kernel/perf_event_paranoid", "2\n");
    put("/proc/self/status", "CapEff:\t0000000000200000\n"); /* CAP_SYS_ADMIN */
    finds(g, "perf power", TCH_PROBE_OK, "energy-cores, energy-pkg", NULL);
}

/* As nobody: root passes every permission check. */
static int probe_unreadable_rapl(void *arg)
{
    struct tch_machine fake = machine();
    struct tch_probes p = {.machine = &fake, .group = &tch_probe_power};
    bool warns;

    (void)arg;
    test_become_nobody();
    tch_probe_power.run(&p);
    warns = !p.failed && p.items[0].status == TCH_PROBE_WARNING && strstr(p.items[0].fix, "chmod");
    tch_probes_release(&p);
    return warns ? 0 : 1;
}

static void says_how_to_read_a_counter_kept_for_root(void **state)
{
    (void)state;
    put("/sys/class/powercap/intel-rapl:0/energy_uj", "1\n");
    assert_int_equal(chmod(test_home, 0755), 0);
    assert_int_equal(chmod(test_at("sys/class/powercap/intel-rapl:0/energy_uj"), 0), 0);
    assert_int_equal(test_in_child(probe_unreadable_rapl, NULL), 0);
}

static void finds_other_power_sources(void **state)
{
    const struct tch_probe_group *g = &tch_probe_power;

    (void)state;
    put("/etc/os-release", "NAME=\"Fedora\"\nID=fedora\n");
    put("/sys/class/hwmon/hwmon0/name", "coretemp\n");
    finds(g, "hwmon", TCH_PROBE_MISSING, "no sensor",
          "sudo dnf install lm_sensors && sudo sensors");
    put("/sys/class/hwmon/hwmon3/power1_average", "1000000\n");
    put("/sys/class/hwmon/hwmon3/name", "amdgpu\n");
    finds(g, "hwmon", TCH_PROBE_OK, "amdgpu (hwmon3)", NULL);
    finds(g, "battery", TCH_PROBE_NOT_APPLICABLE, "none", NULL);
    put("/sys/class/power_supply/BAT1/status", "Full\n");
    finds(g, "battery", TCH_PROBE_OK, "BAT1", NULL);
    put("/sys/class/power_supply/BAT1/status", "Discharging\n");
    put("/sys/class/power_supply/BAT1/power_now", "5000000\n");
    finds(g, "battery", TCH_PROBE_WARNING, "its power can be read", "plug");
}

static void reports_a_gpu_without_its_library(void **state)
{
    const struct tch_probe_group *g = &tch_probe_power;

    (void)state;
    finds(g, "NVIDIA GPUs", TCH_PROBE_NOT_APPLICABLE, "none", NULL);
    put("/sys/bus/pci/devices/0000:00:1f.3/vendor", "0x1002\n"); /* its sound, not its GPU */
    put("/sys/bus/pci/devices/0000:00:1f.3/class", "0x040300\n");
    put("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
    put("/sys/bus/pci/devices/0000:01:00.0/class", "0x030200\n");
    finds(g, "NVIDIA GPUs", TCH_PROBE_MISSING, "no", "NVIDIA driver");
    finds(g, "AMD GPUs", TCH_PROBE_NOT_APPLICABLE, "none", NULL);
    put("/sys/bus/pci/devices/0000:00:1f.3/class", "0x038000\n");
    finds(g, "AMD GPUs", TCH_PROBE_MISSING, "ROCm SMI is not installed", "install ROCm SMI");
}

static void judges_clocks(void **state)
{
    const struct tch_probe_group *g = &tch_probe_clock;
    static const char current[] =
        "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    static const char all[] = "/sys/devices/system/clocksource/clocksource0/available_clocksource";

    (void)state;
    put("/proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd\n");
    finds(g, "TSC", TCH_PROBE_NOT_APPLICABLE, "on this architecture", NULL);
    put("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu constant_tsc nonstop_tsc\n");
    put(current, "tsc\n");
    put(all, "tsc hpet acpi_pm\n");
    finds(g, "TSC", TCH_PROBE_OK, "invariant", NULL);
    finds(g, "clocksource", TCH_PROBE_OK, "tsc", NULL);
    put(current, "hpet\n");
    finds(g, "TSC", TCH_PROBE_WARNING, "not used", "clocksource");
    finds(g, "clocksource", TCH_PROBE_WARNING, "hpet is slow", "echo tsc | sudo tee");
    put(all, "hpet acpi_pm\n");
    finds(g, "clocksource", TCH_PROBE_WARNING, "hpet is slow", "tsc=reliable");
    put("/proc/cpuinfo", "flags\t\t: fpu constant_tsc\n");
    finds(g, "TSC", TCH_PROBE_WARNING, "no invariant", "+invtsc");
}

static void finds_where_memory_is_accounted(void **state)
{
    const struct tch_probe_group *g = &tch_probe_memory;

    (void)state;
    finds(g, "cgroups", TCH_PROBE_MISSING, "not mounted", "mount -t cgroup2");
    put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "1\n");
    finds(g, "cgroups", TCH_PROBE_WARNING, "version 1", "unified_cgroup_hierarchy=1");
    put("/sys/fs/cgroup/unified/cgroup.controllers", "\n");
    finds(g, "cgroups", TCH_PROBE_WARNING, "also mounted", "unified_cgroup_hierarchy=1");
    finds(g, "memory.peak", TCH_PROBE_MISSING, "polls the memory of a process tree", "fix cgroups");
    put("/sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
    finds(g, "cgroups", TCH_PROBE_OK, "version 2", NULL);
    finds(g, "memory.peak", TCH_PROBE_MISSING, "polls the memory of a process tree", "+memory");
    put("/proc/self/cgroup", "0::/user.slice/a b\n");
    put("/sys/fs/cgroup/user.slice/a b/memory.peak", "4096\n");
    finds(g, "memory.peak", TCH_PROBE_OK, "recorded", NULL);
}

static void finds_tools_on_the_path(void **state)
{
    const struct tch_probe_group *g = &tch_probe_tools;
    char *path = getenv("PATH") ? strdup(getenv("PATH")) : NULL;

    (void)state;
    put("/bin/perf", "#!/bin/sh\n");
    assert_int_equal(chmod(test_at("bin/perf"), 0755), 0);
    setenv("PATH", test_at("bin"), 1);
    put("/etc/os-release", "PRETTY_NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n");
    finds(g, "perf", TCH_PROBE_OK, "/bin/perf", NULL);
    finds(g, "gdb", TCH_PROBE_MISSING, "not found", "sudo apt install gdb");
    finds(g, "cargo", TCH_PROBE_NOT_APPLICABLE, "Rust", NULL);
    finds(g, "cargo-flamegraph", TCH_PROBE_NOT_APPLICABLE, "tacho flame", NULL);
    finds(g, "inferno", TCH_PROBE_NOT_APPLICABLE, "tacho flame", NULL);
    finds(g, "dtrace", TCH_PROBE_NOT_APPLICABLE, "perf events do its work", NULL);
    put("/bin/cargo", "#!/bin/sh\n");
    assert_int_equal(chmod(test_at("bin/cargo"), 0755), 0);
    finds(g, "cargo", TCH_PROBE_OK, "/bin/cargo", NULL);
    finds(g, "inferno", TCH_PROBE_NOT_APPLICABLE, "tacho flame", NULL);
    put("/bin/inferno-flamegraph", "#!/bin/sh\n");
    assert_int_equal(chmod(test_at("bin/inferno-flamegraph"), 0755), 0);
    finds(g, "inferno", TCH_PROBE_OK, "/bin/inferno-flamegraph", NULL);
    setenv("PATH", path ? path : "", 1);
    free(path);
}

static void installs_as_the_distribution_does(void **state)
{
    static const struct {
        const char *release;
        const char *command;
    } cases[] = {
        {"ID=debian\n", "sudo apt install linux-perf"},
        {"ID=ubuntu\nID_LIKE=debian\n", "sudo apt install linux-tools-generic"},
        {"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "sudo dnf install perf"},
        {"ID=arch\n", "sudo pacman -S perf"},
        {"ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n", "sudo zypper install perf"},
        {"ID=alpine\n", "sudo apk add perf"},
        {"ID=nixos\n", "install the package linux-perf"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tch_machine fake = machine();
        struct tch_probes p = {.machine = &fake};
        char command[128];

        put("/etc/os-release", cases[i].release);
        tch_install_command(&p, TCH_PACKAGE_PERF, command, sizeof command);
        assert_string_equal(command, cases[i].command);
    }
}

static void reports_what_changes_the_frequency(void **state)
{
    const struct tch_probe_group *g = &tch_probe_cpu;

    (void)state;
    finds(g, "governor", TCH_PROBE_NOT_APPLICABLE, "none", NULL);
    put("/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance\n");
    finds(g, "governor", TCH_PROBE_OK, "performance", NULL);
    put("/sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "powersave\n");
    finds(g, "governor", TCH_PROBE_WARNING, "powersave", "echo performance | sudo tee");
    finds(g, "turbo", TCH_PROBE_NOT_APPLICABLE, "no switch", NULL);
    put("/sys/devices/system/cpu/cpufreq/boost", "1\n");
    finds(g, "turbo", TCH_PROBE_WARNING, "on", "echo 0 | sudo tee");
    put("/sys/devices/system/cpu/cpufreq/boost", "0\n");
    finds(g, "turbo", TCH_PROBE_OK, "off", NULL);
    put("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
    finds(g, "turbo", TCH_PROBE_WARNING, "on", "echo 1 | sudo tee");
    put("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
    finds(g, "turbo", TCH_PROBE_OK, "off", NULL);
}

static void reports_what_cpus_there_are(void **state)
{
    const struct tch_probe_group *g = &tch_probe_cpu;

    (void)state;
    finds(g, "SMT", TCH_PROBE_OK, "off", NULL);
    put("/sys/devices/system/cpu/smt/active", "1\n");
    finds(g, "SMT", TCH_PROBE_WARNING, "share a core", "smt/control");
    put("/sys/devices/system/cpu/online", "0-7\n");
    put("/proc/self/status", "Cpus_allowed:\tff\nCpus_allowed_list:\t0-7\n");
    finds(g, "CPUs", TCH_PROBE_OK, "8 online", NULL);
    put("/proc/self/status", "Cpus_allowed:\t5\nCpus_allowed_list:\t0,2\n");
    finds(g, "CPUs", TCH_PROBE_WARNING, "only 2 (0,2)", "tacho run --cpu 0-7");
    finds(g, "NUMA", TCH_PROBE_OK, "one node", NULL);
    put("/sys/devices/system/node/node0/cpulist", "0-3\n");
    put("/sys/devices/system/node/node1/cpulist", "4-7\n");
    put("/sys/devices/system/node/online", "0-1\n");
    finds(g, "NUMA", TCH_PROBE_WARNING, "2 nodes", "tacho run --cpu 0-3 --");
}

static void reports_what_else_runs(void **state)
{
    const struct tch_probe_group *g = &tch_probe_system;

    (void)state;
    put("/sys/devices/system/cpu/online", "0-3\n");
    put("/proc/loadavg", "0.99 0.40 0.30 1/200 4711\n");
    finds(g, "load", TCH_PROBE_OK, "0.99 in the last minute, on 4 CPUs", NULL);
    put("/proc/loadavg", "1.00 0.40 0.30 1/200 4711\n");
    finds(g, "load", TCH_PROBE_WARNING, "1.00", "ps -eo");
    finds(g, "virtual machine", TCH_PROBE_OK, "no", NULL);
    put("/proc/cpuinfo", "flags\t: fpu hypervisor sse\n");
    put("/sys/class/dmi/id/sys_vendor", "QEMU\n");
    finds(g, "virtual machine", TCH_PROBE_WARNING, "yes, QEMU", "bare metal");
    finds(g, "container", TCH_PROBE_OK, "no", NULL);
    put("/.dockerenv", "");
    finds(g, "container", TCH_PROBE_WARNING, "yes", "cpuset-cpus");
}

static void reports_what_the_kernel_does_with_memory(void **state)
{
    const struct tch_probe_group *g = &tch_probe_system;
    static const char huge[] = "/sys/kernel/mm/transparent_hugepage/enabled";

    (void)state;
    put("/proc/sys/kernel/randomize_va_space", "2\n");
    finds(g, "ASLR", TCH_PROBE_WARNING, "on", "tacho run --no-aslr");
    put("/proc/sys/kernel/randomize_va_space", "0\n");
    finds(g, "ASLR", TCH_PROBE_OK, "off", NULL);
    put(huge, "[always] madvise never\n");
    finds(g, "huge pages", TCH_PROBE_WARNING, "always", "echo madvise");
    put(huge, "always [madvise] never\n");
    finds(g, "huge pages", TCH_PROBE_OK, "programs that ask", NULL);
    put("/proc/meminfo", "MemTotal: 100 kB\nSwapTotal:       0 kB\nSwapFree:        0 kB\n");
    finds(g, "swap", TCH_PROBE_OK, "none", NULL);
    put("/proc/meminfo", "SwapTotal:    4096 kB\nSwapFree:     1024 kB\n");
    finds(g, "swap", TCH_PROBE_WARNING, "3 MiB in use", "swapoff");
    put("/proc/meminfo", "SwapTotal:    4096 kB\nSwapFree:     4096 kB\n");
    finds(g, "swap", TCH_PROBE_OK, "not in use", NULL);
}

static void counts_cpu_lists(void **state)
{
    (void)state;
    assert_int_equal(tch_cpu_list_count("0"), 1);
    assert_int_equal(tch_cpu_list_count("0-3,8,10-11"), 7);
    assert_int_equal(tch_cpu_list_count(""), 0);
    assert_int_equal(tch_cpu_list_count("3-1"), 0);
    assert_int_equal(tch_cpu_list_count("0-"), 0);
    assert_int_equal(tch_cpu_list_count("a"), 0);
    assert_int_equal(tch_cpu_list_count("0,,1"), 0);
}

static void accepts_whole_keys_only(void **state)
{
    char out[8];

    (void)state;
    assert_true(tch_text_field("ab: 1\na:\t2  \nb=3", "a", out, sizeof out));
    assert_string_equal(out, "2");
    assert_true(tch_text_field("ab: 1\na:\t2  \nb=3", "b", out, sizeof out));
    assert_string_equal(out, "3");
    assert_false(tch_text_field("ab: 1\n", "c", out, sizeof out));
    assert_string_equal(out, "");
    assert_true(tch_text_field("a: 123456789", "a", out, sizeof out));
    assert_string_equal(out, "1234567");
    assert_true(tch_text_word("one two", "two"));
    assert_false(tch_text_word("one twofold", "two"));
}

static int run_all(void *arg)
{
    struct tch_machine fake = machine();
    struct tch_probes p;
    int code = tch_probes_run(&p, &fake, NULL);

    (void)arg;
    tch_probes_release(&p);
    return code;
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    put("/proc/cpuinfo", "flags\t: fpu hypervisor sse\n");
    put("/proc/self/status", "CapEff:\t0000000000000000\n");
    test_every_allocation_fails(run_all, NULL);
}

/* Whatever this machine is: every finding is whole, and what asks for something comes with advice.
 */
static void examines_this_machine(void **state)
{
    struct tch_machine here;
    struct tch_probes p;

    (void)state;
    tch_machine_init(&here);
    assert_int_equal(tch_probes_run(&p, &here, NULL), 0);
    assert_true(p.count > 20);
    for (size_t i = 0; i < p.count; i++) {
        assert_true(p.items[i].found[0] != '\0');
        assert_true((p.items[i].fix == NULL) == !tch_probe_asks(p.items[i].status));
        for (size_t j = 0; j < i; j++)
            assert_false(p.items[i].group == p.items[j].group &&
                         strcmp(p.items[i].name, p.items[j].name) == 0);
    }
    tch_probes_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(reports_what_paranoid_levels_allow),
        TEST_IN_HOME(reports_what_flamegraphs_may_show),
        TEST_IN_HOME(reports_which_samplers_need_no_rights),
        TEST_IN_HOME(reports_what_can_be_counted),
        TEST_IN_HOME(reports_whether_energy_can_be_measured),
        TEST_IN_HOME(reports_what_else_works),
        TEST_IN_HOME(reports_why_events_do_not_open),
        TEST_IN_HOME(reports_what_is_free_on_the_disk),
        TEST_IN_HOME(reports_what_limits_sampling),
        TEST_IN_HOME(finds_energy_counters),
        TEST_IN_HOME(says_how_to_read_a_counter_kept_for_root),
        TEST_IN_HOME(finds_other_power_sources),
        TEST_IN_HOME(reports_a_gpu_without_its_library),
        TEST_IN_HOME(judges_clocks),
        TEST_IN_HOME(finds_where_memory_is_accounted),
        TEST_IN_HOME(finds_tools_on_the_path),
        TEST_IN_HOME(installs_as_the_distribution_does),
        TEST_IN_HOME(reports_what_changes_the_frequency),
        TEST_IN_HOME(reports_what_cpus_there_are),
        TEST_IN_HOME(reports_what_else_runs),
        TEST_IN_HOME(reports_what_the_kernel_does_with_memory),
        cmocka_unit_test(counts_cpu_lists),
        cmocka_unit_test(accepts_whole_keys_only),
        TEST_IN_HOME(survives_every_allocation_failing),
        cmocka_unit_test(examines_this_machine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
