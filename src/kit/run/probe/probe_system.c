/* The system around a benchmark: other work on the machine, and what the kernel does unnoticed. */
#include <sys/statvfs.h>

#include "base/number.h"
#include "kit/text/human_number.h"
#include "probe_read.h"

/* Reports /proc and /sys only if they are not mounted, because many other findings depend on
   them. */
static void probe_mounts(struct tch_probes *p)
{
    if (!tch_probe_has(p, "/proc/self"))
        tch_probes_add(p, "proc", TCH_PROBE_MISSING, "sudo mount -t proc proc /proc",
                       "not mounted: what the kernel reports there is unknown");
    if (!tch_probe_has(p, "/sys/devices"))
        tch_probes_add(p, "sys", TCH_PROBE_MISSING, "sudo mount -t sysfs sys /sys",
                       "not mounted: what the kernel reports there is unknown");
}

static void probe_load(struct tch_probes *p)
{
    enum { QUIET_PER_CPU = 4 }; /* quiet: a load below 1/4 per CPU */
    char text[128];
    char online[256];
    double load;
    unsigned count;

    tch_probe_line(p, online, sizeof online, "/sys/devices/system/cpu/online");
    count = tch_cpu_list_count(online);
    tch_probe_line(p, text, sizeof text, "/proc/loadavg");
    if (count == 0 || tch_parse_f64_n(text, strcspn(text, " "), &load) < 0)
        return;
    tch_probes_add(p, "load", load * QUIET_PER_CPU < count ? TCH_PROBE_OK : TCH_PROBE_WARNING,
                   "ps -eo pcpu,pid,args --sort=-pcpu | head",
                   "%.2f in the last minute, on %u CPU%s", load, count, tch_plural(count));
}

static void probe_aslr(struct tch_probes *p)
{
    int64_t level;

    if (!tch_probe_number(p, &level, "/proc/sys/kernel/randomize_va_space"))
        return;
    tch_probes_add(p, "ASLR", level == 0 ? TCH_PROBE_OK : TCH_PROBE_WARNING,
                   "tacho run --no-aslr -- COMMAND", "%s",
                   level == 0 ? "off" : "on: memory addresses differ from run to run");
}

static void probe_huge_pages(struct tch_probes *p)
{
    char text[64];

    if (!tch_probe_line(p, text, sizeof text, "/sys/kernel/mm/transparent_hugepage/enabled"))
        return;
    if (strstr(text, "[always]"))
        tch_probes_add(p, "huge pages", TCH_PROBE_WARNING,
                       "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
                       "always: which memory gets large pages differs from run to run");
    else
        tch_probes_add(p, "huge pages", TCH_PROBE_OK, NULL, "%s",
                       strstr(text, "[never]") ? "never" : "only for programs that ask");
}

static uint64_t meminfo(const char *text, const char *key)
{
    char value[64];
    uint64_t kb = 0;

    tch_text_field(text, key, value, sizeof value);
    return tch_parse_u64_n(value, strcspn(value, " "), UINT64_MAX / 1024, &kb) == 0 ? kb : 0;
}

static void probe_swap(struct tch_probes *p)
{
    struct tch_buf b;
    uint64_t total, unused, used;

    tch_buf_init(&b, 1 << 16);
    if (tch_probe_read(p, &b, "/proc/meminfo")) {
        total = meminfo(b.data, "SwapTotal");
        unused = meminfo(b.data, "SwapFree");
        used = unused < total ? total - unused : 0;
        if (used == 0)
            tch_probes_add(p, "swap", TCH_PROBE_OK, NULL, "%s", total > 0 ? "not in use" : "none");
        else
            tch_probes_add(p, "swap", TCH_PROBE_WARNING, "sudo swapoff -a && sudo swapon -a",
                           "%llu MiB in use: a program that touches this memory waits for the disk",
                           (unsigned long long)(used + 1023) / 1024);
    }
    tch_buf_release(&b);
}

static void probe_disk(struct tch_probes *p)
{
    enum { ENOUGH_MIB = 1024 };
    struct statvfs fs;
    unsigned long long free_mib;

    if (statvfs(p->machine->work, &fs) < 0) {
        tch_probes_add(p, "disk", TCH_PROBE_MISSING, "cd to a folder that exists",
                       "unknown: cannot examine this folder");
        return;
    }
    free_mib = (unsigned long long)fs.f_bavail * fs.f_frsize >> 20;
    tch_probes_add(p, "disk", free_mib >= ENOUGH_MIB ? TCH_PROBE_OK : TCH_PROBE_WARNING,
                   "du -xh --max-depth=1 . | sort -h | tail", "%.1f GiB free in this folder",
                   (double)free_mib / 1024);
}

static void probe_virtual(struct tch_probes *p)
{
    char vendor[64];
    char product[64];

    tch_probe_line(p, vendor, sizeof vendor, "/sys/class/dmi/id/sys_vendor");
    tch_probe_line(p, product, sizeof product, "/sys/class/dmi/id/product_name");
    if (!tch_probe_virtual(p))
        tch_probes_add(p, "virtual machine", TCH_PROBE_OK, NULL, "no");
    else
        tch_probes_add(p, "virtual machine", TCH_PROBE_WARNING,
                       "measure on bare metal, or interleave both programs: tacho run -c A -c B",
                       "yes%s%s%s%s: other machines may use the same CPU", vendor[0] ? ", " : "",
                       vendor, product[0] ? " " : "", product);
}

static void probe_container(struct tch_probes *p)
{
    char kind[64];
    struct tch_buf cgroup;
    bool found;

    tch_buf_init(&cgroup, 1 << 16);
    tch_probe_read(p, &cgroup, "/proc/1/cgroup");
    tch_probe_line(p, kind, sizeof kind, "/run/systemd/container");
    found = kind[0] || tch_probe_has(p, "/.dockerenv") || tch_probe_has(p, "/run/.containerenv") ||
            strstr(cgroup.data, "/docker") || strstr(cgroup.data, "/kubepods") ||
            strstr(cgroup.data, "/lxc");
    tch_buf_release(&cgroup);
    if (found)
        tch_probes_add(p, "container", TCH_PROBE_WARNING,
                       "docker run --cpuset-cpus=0-1, or measure outside the container",
                       "yes%s%s: its limits and its neighbours affect results", kind[0] ? ", " : "",
                       kind);
    else
        tch_probes_add(p, "container", TCH_PROBE_OK, NULL, "no");
}

static void probe_system(struct tch_probes *p)
{
    probe_mounts(p);
    probe_load(p);
    probe_virtual(p);
    probe_container(p);
    probe_aslr(p);
    probe_huge_pages(p);
    probe_swap(p);
    probe_disk(p);
}

const struct tch_probe_group tch_probe_system = {
    .name = "system",
    .title = "System",
    .chapter = TCH_PROBE_DISTURBS,
    .run = probe_system,
};
