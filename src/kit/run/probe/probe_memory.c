/* Memory accounting: whether the kernel records the peak of a process tree. */
#include "probe_read.h"

static const char unified[] = "/sys/fs/cgroup";

static bool probe_version(struct tch_probes *p)
{
    static const char fix[] = "boot with systemd.unified_cgroup_hierarchy=1";

    if (tch_probe_has(p, "%s/cgroup.controllers", unified)) {
        tch_probes_add(p, "cgroups", TCH_PROBE_OK, NULL, "version 2");
        return true;
    }
    if (tch_probe_has(p, "%s/unified/cgroup.controllers", unified))
        tch_probes_add(p, "cgroups", TCH_PROBE_WARNING, fix,
                       "version 1; version 2 is also mounted, but without its memory controller");
    else if (tch_probe_has(p, "%s/memory", unified))
        tch_probes_add(p, "cgroups", TCH_PROBE_WARNING, fix, "version 1");
    else
        tch_probes_add(p, "cgroups", TCH_PROBE_MISSING, "sudo mount -t cgroup2 none /sys/fs/cgroup",
                       "not mounted");
    return false;
}

/* Checks the file of our own group. The root group has no such file, so there any group below it is
   checked. */
static bool has_peak(struct tch_probes *p)
{
    char own[PATH_MAX] = "";
    char group[NAME_MAX + 1] = "";
    struct tch_buf b;

    tch_buf_init(&b, 1 << 16);
    tch_probe_read(p, &b, "/proc/self/cgroup");
    tch_text_field(b.data, "0", own, sizeof own);
    tch_buf_release(&b);
    if (tch_probe_has(p, "%s%s/memory.peak", unified, own))
        return true;
    while (tch_probe_next(p, unified, "", group))
        if (tch_probe_has(p, "%s/%s/memory.peak", unified, group))
            return true;
    return false;
}

static void probe_memory(struct tch_probes *p)
{
    bool version_2 = probe_version(p);

    if (version_2 && has_peak(p))
        tch_probes_add(p, "memory.peak", TCH_PROBE_OK, NULL, "recorded for every group");
    else
        tch_probes_add(p, "memory.peak", TCH_PROBE_MISSING,
                       version_2 ? "echo +memory | sudo tee /sys/fs/cgroup/cgroup.subtree_control"
                                 : "fix cgroups first; the peak needs Linux 5.19 or newer",
                       "not recorded; tacho polls the memory of a process tree instead");
}

const struct tch_probe_group tch_probe_memory = {
    .name = "memory",
    .title = "Memory accounting",
    .run = probe_memory,
};
