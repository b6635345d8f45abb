/* Features of tacho that depend on the machine: each is available, degraded or absent. They follow
   from the findings of the other groups, so this group runs last. */
#include <linux/perf_event.h>

#include "base/number.h"
#include "kit/flame/sample/preload_fit.h"
#include "kit/run/preload/allocations_shared.h"
#include "kit/symbol/object/symbol_budget.h"
#include "kit/text/human_number.h"
#include "probe_read.h"

static const char allow_perf[] =
    "in a container: docker run --cap-add PERFMON, or --security-opt seccomp=unconfined";
static const char allow_trace[] = "in a container: docker run --cap-add SYS_PTRACE";
static const char allow_no_aslr[] = "in a container: docker run --security-opt seccomp=unconfined";

/* Returns an earlier finding, or NULL. */
static const struct tch_probe *find(const struct tch_probes *p, const char *group, const char *name)
{
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->items[i].group->name, group) == 0 && strcmp(p->items[i].name, name) == 0)
            return &p->items[i];
    return NULL;
}

static bool is_ok(const struct tch_probes *p, const char *group, const char *name)
{
    const struct tch_probe *found = find(p, group, name);

    return found && found->status == TCH_PROBE_OK;
}

/* Returns the fix of an earlier finding, or other if there is no fix. */
static const char *fix_of(const struct tch_probes *p, const char *group, const char *name,
                          const char *other)
{
    const struct tch_probe *found = find(p, group, name);

    return found && found->fix ? found->fix : other;
}

/* --- Flamegraphs --- */

/* Adds what `tacho flame` can capture where perf events are refused. */
static void add_flame_without(struct tch_probes *p, int64_t level, bool samplers)
{
    static const char name[] = "flamegraphs";
    const char *fix = level > 2 ? "sudo sysctl kernel.perf_event_paranoid=2" : allow_perf;
    char why[64] = "performance events are not available";

    if (level > 2)
        snprintf(why, sizeof why, "perf_event_paranoid is %d", (int)level);
    if (samplers)
        tch_probes_add(p, name, TCH_PROBE_WARNING, fix,
                       "degraded: own programs only, by the samplers below, and no kernel frames: "
                       "%s",
                       why);
    else
        tch_probes_add(p, name, TCH_PROBE_MISSING, fix, "absent: %s, and no other sampler works",
                       why);
}

/* Adds a mode of `tacho flame` that needs perf events up to a certain perf_event_paranoid. */
static void add_flame_mode(struct tch_probes *p, const char *name, bool allowed, int needed)
{
    char fix[64];

    if (allowed) {
        tch_probes_add(p, name, TCH_PROBE_OK, NULL, "available");
        return;
    }
    snprintf(fix, sizeof fix, "sudo sysctl kernel.perf_event_paranoid=%d", needed);
    tch_probes_add(p, name, TCH_PROBE_MISSING, fix,
                   "absent: needs performance events and perf_event_paranoid %d or less", needed);
}

static void add_samplers(struct tch_probes *p, const char *no_preload, bool traces)
{
    if (!no_preload)
        tch_probes_add(p, "flame preload", TCH_PROBE_OK, NULL,
                       "available: needs no rights; for programs that are not static");
    else
        tch_probes_add(p, "flame preload", TCH_PROBE_MISSING, "tacho flame --profiler ptrace",
                       "absent: %s", no_preload);
    if (traces)
        tch_probes_add(p, "flame ptrace", TCH_PROBE_OK, NULL,
                       "available: needs no rights; for every program of this user");
    else
        tch_probes_add(p, "flame ptrace", TCH_PROBE_MISSING, allow_trace,
                       "absent: this user may not trace programs");
}

static void add_flame(struct tch_probes *p, bool traces)
{
    static const char name[] = "flamegraphs";
    bool opens = p->machine->perf_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK) == 0;
    bool all = tch_probe_may_perf_all(p);
    tacho_error why;
    bool preloads = p->machine->preload(TCH_PRELOAD_OBJECT, &why) == 0;
    int64_t level = 2;

    tch_probe_number(p, &level, "/proc/sys/kernel/perf_event_paranoid");
    if (!opens)
        add_flame_without(p, level, preloads || traces);
    else if (all || level <= 1)
        tch_probes_add(p, name, TCH_PROBE_OK, NULL,
                       "available: own processes and their time in the kernel");
    else
        tch_probes_add(p, name, TCH_PROBE_WARNING, "sudo sysctl kernel.perf_event_paranoid=1",
                       "degraded: own processes without their time in the kernel");
    add_flame_mode(p, "flame --off-cpu", opens && (all || level <= 1), 1);
    add_flame_mode(p, "flame --all", opens && (all || level <= 0), 0);
    add_samplers(p, preloads ? NULL : why.message, traces);
}

/* --- Counts --- */

static void add_instructions(struct tch_probes *p)
{
    static const char name[] = "count instructions";

    if (p->machine->perf_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS) == 0)
        tch_probes_add(p, name, TCH_PROBE_OK, NULL, "available: by the CPU's counter");
    else if (is_ok(p, "tools", "valgrind"))
        tch_probes_add(p, name, TCH_PROBE_WARNING,
                       fix_of(p, "events", "hardware counters", allow_perf),
                       "degraded: by valgrind, in which a run takes 5 to 11 times as long");
    else
        tch_probes_add(p, name, TCH_PROBE_MISSING, fix_of(p, "tools", "valgrind", allow_perf),
                       "absent: there is neither a CPU counter nor valgrind");
}

static void add_syscalls(struct tch_probes *p, bool traces)
{
    static const char name[] = "count syscalls";
    char actions[256];

    tch_probe_line(p, actions, sizeof actions, "/proc/sys/kernel/seccomp/actions_avail");
    if (tch_text_word(actions, "user_notif"))
        tch_probes_add(p, name, TCH_PROBE_OK, NULL, "available: by seccomp notifications");
    else if (traces)
        tch_probes_add(p, name, TCH_PROBE_WARNING, "boot Linux 5.0 or newer with seccomp",
                       "degraded: by ptrace, with which a system call takes 3 times as long");
    else
        tch_probes_add(p, name, TCH_PROBE_MISSING, allow_trace,
                       "absent: there are no seccomp notifications, and this user may not trace "
                       "programs");
}

static void add_allocations(struct tch_probes *p)
{
    tacho_error why;

    if (p->machine->preload(TCH_ALLOCATIONS_LIB, &why) == 0)
        tch_probes_add(p, "count allocations", TCH_PROBE_OK, NULL,
                       "available: for programs that are not static");
    else
        tch_probes_add(p, "count allocations", TCH_PROBE_MISSING, "install tacho completely",
                       "absent: %s", why.message);
}

static void add_faults(struct tch_probes *p, bool traces)
{
    bool fixed = p->machine->no_aslr() == 0;

    if (!traces)
        tch_probes_add(p, "count faults", TCH_PROBE_MISSING, allow_trace,
                       "absent: this user may not trace programs");
    else if (fixed)
        tch_probes_add(p, "count faults", TCH_PROBE_OK, NULL, "available");
    else
        tch_probes_add(p, "count faults", TCH_PROBE_WARNING, allow_no_aslr,
                       "degraded: counts differ from run to run, because ASLR cannot be switched "
                       "off");
    if (fixed)
        tch_probes_add(p, "run --no-aslr", TCH_PROBE_OK, NULL, "available");
    else
        tch_probes_add(p, "run --no-aslr", TCH_PROBE_MISSING, allow_no_aslr,
                       "absent: ASLR cannot be switched off");
}

/* --- Energy, memory, traces, commits --- */

static void add_energy(struct tch_probes *p)
{
    static const char *const sources[] = {"RAPL", "perf power", "hwmon"};

    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        if (is_ok(p, "power", sources[i])) {
            tch_probes_add(p, "energy", TCH_PROBE_OK, NULL, "available: by %s", sources[i]);
            return;
        }
    if (tch_probe_battery_measures(p))
        tch_probes_add(p, "energy", TCH_PROBE_WARNING,
                       fix_of(p, "power", "RAPL", "tacho run --power-source battery -- COMMAND"),
                       "degraded: of the whole machine, by its battery");
    else
        tch_probes_add(
            p, "energy", TCH_PROBE_MISSING,
            fix_of(p, "power", "RAPL", "tacho run --power-source fixed:WATTS -- COMMAND"),
            "absent: there is no power source that can be read");
}

static void add_gpu_energy(struct tch_probes *p)
{
    static const char *const gpus[] = {"NVIDIA GPUs", "AMD GPUs"};
    const char *absent = NULL;

    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++) {
        const struct tch_probe *found = find(p, "power", gpus[i]);

        if (found && found->status == TCH_PROBE_OK) {
            tch_probes_add(p, "GPU energy", TCH_PROBE_OK, NULL, "available: of %s", gpus[i]);
            return;
        }
        if (found && found->status == TCH_PROBE_MISSING)
            absent = gpus[i];
    }
    if (absent)
        tch_probes_add(p, "GPU energy", TCH_PROBE_MISSING, fix_of(p, "power", absent, allow_perf),
                       "absent: the library that reads the power of %s is missing", absent);
    else
        tch_probes_add(p, "GPU energy", TCH_PROBE_NOT_APPLICABLE, NULL,
                       "absent: this machine has no GPU that tacho supports");
}

static void add_memory(struct tch_probes *p)
{
    if (tch_probe_has(p, "/proc/self/status"))
        tch_probes_add(p, "memory of a tree", TCH_PROBE_OK, NULL,
                       "available: polled in /proc; a peak between two polls can be missed");
    else
        tch_probes_add(p, "memory of a tree", TCH_PROBE_MISSING, "sudo mount -t proc proc /proc",
                       "absent: /proc is not mounted");
}

static void add_traces(struct tch_probes *p)
{
    const struct tch_probe *tsc = find(p, "clock", "TSC");

    if (tsc && tch_probe_asks(tsc->status))
        tch_probes_add(p, "traces", TCH_PROBE_WARNING, tsc->fix,
                       "degraded: recording a span costs more, because CLOCK_MONOTONIC times it");
    else
        tch_probes_add(p, "traces", TCH_PROBE_OK, NULL, "available: timed by %s",
                       tsc && tsc->status == TCH_PROBE_OK ? "the TSC" : "CLOCK_MONOTONIC");
}

static void add_against(struct tch_probes *p)
{
    if (is_ok(p, "tools", "git"))
        tch_probes_add(p, "gate --against", TCH_PROBE_OK, NULL, "available");
    else
        tch_probes_add(p, "gate --against", TCH_PROBE_MISSING,
                       fix_of(p, "tools", "git", "install git"),
                       "absent: git is missing; run folders do not record their commit either");
}

/* Adds the memory that the symbols and debug information of a capture may use. */
static void add_symbols(struct tch_probes *p)
{
    char value[64] = "";
    uint64_t kib;
    struct tch_buf b;

    tch_buf_init(&b, 1 << 16);
    tch_probe_read(p, &b, "/proc/meminfo");
    tch_text_field(b.data, "MemTotal", value, sizeof value);
    tch_buf_clear(&b);
    if (tch_parse_u64_n(value, strcspn(value, " "), UINT64_MAX >> 10, &kib) < 0)
        kib = UINT64_MAX >> 10; /* unknown, so the limit is the fixed one */
    tch_add_value(&b, TCH_BYTES, (double)tch_symbol_memory(kib << 10));
    tch_probes_add(p, "flame symbols", TCH_PROBE_OK, NULL,
                   "available: at most %s of memory per capture", b.data);
    tch_buf_release(&b);
}

static void probe_features(struct tch_probes *p)
{
    bool traces = p->machine->trace() == 0;

    add_flame(p, traces);
    add_symbols(p);
    add_instructions(p);
    add_syscalls(p, traces);
    add_allocations(p);
    add_faults(p, traces);
    add_energy(p);
    add_gpu_energy(p);
    add_memory(p);
    add_traces(p);
    add_against(p);
}

const struct tch_probe_group tch_probe_features = {
    .name = "features",
    .title = "Features",
    .chapter = TCH_PROBE_CAN_DO,
    .run = probe_features,
};
