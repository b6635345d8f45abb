/* Performance events: what the kernel lets this user count and sample. */
#include <errno.h>
#include <linux/perf_event.h>

#include "base/number.h"
#include "probe_read.h"

enum { CAP_SYS_ADMIN_BIT = 21, CAP_SYSLOG_BIT = 34, CAP_PERFMON_BIT = 38 };

static const char set_paranoid[] = "sudo sysctl kernel.perf_event_paranoid=1";

bool tch_probe_may_perf_all(struct tch_probes *p)
{
    return tch_probe_capable(p, CAP_PERFMON_BIT) || tch_probe_capable(p, CAP_SYS_ADMIN_BIT);
}

static void probe_paranoid(struct tch_probes *p)
{
    static const char name[] = "perf_event_paranoid";
    int64_t level;

    if (!tch_probe_number(p, &level, "/proc/sys/kernel/perf_event_paranoid"))
        tch_probes_add(p, name, TCH_PROBE_MISSING, "boot a kernel built with CONFIG_PERF_EVENTS",
                       "this kernel has no performance events");
    else if (tch_probe_may_perf_all(p))
        tch_probes_add(p, name, TCH_PROBE_OK, NULL,
                       "%d; this user is privileged and may measure everything", (int)level);
    else if (level <= 1)
        tch_probes_add(p, name, TCH_PROBE_OK, NULL,
                       "%d: own processes, including their time in the kernel", (int)level);
    else if (level == 2)
        tch_probes_add(p, name, TCH_PROBE_WARNING, set_paranoid,
                       "2: own processes, without their time in the kernel");
    else
        tch_probes_add(p, name, TCH_PROBE_MISSING, set_paranoid,
                       "%d: nothing without the capability CAP_PERFMON", (int)level);
}

/* Adds the result of opening an event, 0 or an errno number. `none` and its fix are for a kernel or
   a machine without such an event. */
static void add_event(struct tch_probes *p, const char *name, int error, const char *works,
                      const char *none, const char *fix)
{
    char why[80];

    if (error == 0)
        tch_probes_add(p, name, TCH_PROBE_OK, NULL, "%s", works);
    else if (error == EACCES || error == EPERM)
        tch_probes_add(p, name, TCH_PROBE_MISSING, set_paranoid,
                       "denied by perf_event_paranoid or by a container's seccomp filter");
    else if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP || error == ENOSYS)
        tch_probes_add(p, name, TCH_PROBE_MISSING, fix, "%s", none);
    else
        tch_probes_add(p, name, TCH_PROBE_MISSING, "perf stat -v true",
                       "unknown: perf_event_open failed: %s", strerror_r(error, why, sizeof why));
}

static void probe_software(struct tch_probes *p)
{
    add_event(p, "sampling", p->machine->perf_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK),
              "works: the cpu-clock event opens", "none: this kernel has no performance events",
              "boot a kernel built with CONFIG_PERF_EVENTS");
}

static void probe_hardware(struct tch_probes *p)
{
    add_event(p, "hardware counters",
              p->machine->perf_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES),
              "CPU cycles can be counted", "none: this CPU or virtual machine provides no counters",
              "on a virtual machine's host: qemu -cpu host,pmu=on");
}

/* Checks whether this user sees addresses in /proc/kallsyms, by the kernel's rules. */
static void probe_kptr(struct tch_probes *p)
{
    int64_t level;
    int64_t paranoid = 2;
    bool seen;

    if (!tch_probe_number(p, &level, "/proc/sys/kernel/kptr_restrict"))
        return;
    tch_probe_number(p, &paranoid, "/proc/sys/kernel/perf_event_paranoid");
    seen = (level == 0 && paranoid <= 1) || (level <= 1 && tch_probe_capable(p, CAP_SYSLOG_BIT));
    if (seen)
        tch_probes_add(p, "kernel names", TCH_PROBE_OK, NULL,
                       "kptr_restrict %d: kernel functions can be named", (int)level);
    else
        tch_probes_add(p, "kernel names", TCH_PROBE_WARNING,
                       level == 0 ? "sudo sysctl kernel.perf_event_paranoid=1"
                                  : "sudo sysctl kernel.kptr_restrict=0 "
                                    "kernel.perf_event_paranoid=1",
                       "kptr_restrict %d, perf_event_paranoid %d: this user cannot name kernel "
                       "functions",
                       (int)level, (int)paranoid);
}

/* Checks the memory for the ring buffers of sampling. It counts first against perf_event_mlock_kb,
   per CPU and user, then against RLIMIT_MEMLOCK. 516 KiB, the kernel's default, is 128 pages and a
   header page. */
static void probe_mlock(struct tch_probes *p)
{
    enum { USUAL_KB = 516 };
    struct tch_buf limits;
    char limit[64];
    uint64_t bytes;
    int64_t kb;

    if (!tch_probe_number(p, &kb, "/proc/sys/kernel/perf_event_mlock_kb"))
        return;
    tch_buf_init(&limits, 1 << 16);
    tch_probe_read(p, &limits, "/proc/self/limits");
    tch_text_field(limits.data, "Max locked memory", limit, sizeof limit);
    limit[strcspn(limit, " ")] = '\0';
    tch_buf_release(&limits);
    if (tch_parse_u64(limit, UINT64_MAX, &bytes) == 0)
        snprintf(limit, sizeof limit, "%llu KiB", (unsigned long long)bytes / 1024);
    if (kb >= USUAL_KB)
        tch_probes_add(p, "sample buffers", TCH_PROBE_OK, NULL,
                       "%d KiB per CPU, and %s of locked memory", (int)kb,
                       limit[0] ? limit : "an unknown amount");
    else
        tch_probes_add(p, "sample buffers", TCH_PROBE_WARNING,
                       "sudo sysctl kernel.perf_event_mlock_kb=516",
                       "%d KiB per CPU: samples get lost at high rates", (int)kb);
}

static void probe_rate(struct tch_probes *p)
{
    enum { ENOUGH = 4000 };
    int64_t rate;

    if (!tch_probe_number(p, &rate, "/proc/sys/kernel/perf_event_max_sample_rate"))
        return;
    tch_probes_add(p, "sample rate", rate >= ENOUGH ? TCH_PROBE_OK : TCH_PROBE_WARNING,
                   "sudo sysctl kernel.perf_event_max_sample_rate=100000",
                   "up to %d samples per second", (int)rate);
}

static void probe_events(struct tch_probes *p)
{
    probe_software(p);
    probe_hardware(p);
    probe_paranoid(p);
    probe_kptr(p);
    probe_mlock(p);
    probe_rate(p);
}

const struct tch_probe_group tch_probe_events = {
    .name = "events",
    .title = "Performance events",
    .run = probe_events,
};
