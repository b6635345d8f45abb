/* Lists the events that can be sampled, and explains why the kernel refused one. */

#include "perf_event_kind.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/number.h"

const char *const tch_flame_sampler_events[] = {
    "cycles",        "cpu-clock",        "task-clock",     "instructions", "cache-misses",
    "branch-misses", "cache-references", "branches",       "page-faults",  "minor-faults",
    "major-faults",  "context-switches", "cpu-migrations", NULL,
};

static const struct tch_flame_event events[] = {
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, false},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, false},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, false},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, false},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, false},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, false},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, false},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, false},
};

const struct tch_flame_event *tch_flame_event_find(const char *name)
{
    for (size_t i = 0; tch_flame_sampler_events[i]; i++)
        if (strcmp(tch_flame_sampler_events[i], name) == 0)
            return &events[i];
    return NULL;
}

/* Reads a number from a file of /proc/sys; returns `fallback` if it cannot be read. */
static int64_t kernel_setting(const char *path, int64_t fallback)
{
    struct tch_buf b;
    int64_t value = fallback;

    tch_buf_init(&b, 64);
    if (tch_file_read(path, 32, &b, NULL) == 0 && b.len > 0)
        tch_parse_i64_n(b.data, b.len - (b.data[b.len - 1] == '\n'), &value);
    tch_buf_release(&b);
    return value;
}

/* Explains EINVAL. The kernel lowers its rate limit by itself when samples take too much time. */
static int fail_invalid(const struct tch_flame_sampler_options *options, const char *event,
                        tacho_error *err)
{
    int64_t most = kernel_setting("/proc/sys/kernel/perf_event_max_sample_rate", INT64_MAX);

    if (options->off_cpu || (int64_t)options->rate <= most)
        return tch_fail_errno(err, EINVAL, "perf_event_open for '%s'", event);
    return tch_fail(err, TACHO_EIO, 0,
                    "the kernel allows at most %lld samples per second; use --rate %lld, or run "
                    "'sudo sysctl kernel.perf_event_max_sample_rate=%u'",
                    (long long)most, (long long)most, (unsigned)options->rate);
}

/* Recommends the level of perf_event_paranoid that is enough for the target: 0 for all processes, 1
   for kernel code, 2 for the user's own processes. */
int tch_flame_event_no_permission(int64_t level, const struct tch_flame_sampler_options *options,
                                  tacho_error *err)
{
    bool kernel = options->space == TCH_SPACE_KERNEL || options->off_cpu;
    int enough = options->target == TCH_FLAME_TARGET_ALL ? 0 : kernel ? 1 : 2;
    const char *what = options->target == TCH_FLAME_TARGET_ALL ? "all processes"
                       : kernel                                ? "the kernel"
                                                               : "this process";

    if (level <= enough || level == 99)
        return tch_fail(err, TACHO_EUNSUPPORTED, 0,
                        "no permission to sample %s: perf events are forbidden in this container, "
                        "or it belongs to another user",
                        what);
    return tch_fail(err, TACHO_EUNSUPPORTED, 0,
                    "no permission to sample %s: kernel.perf_event_paranoid is %lld; run 'sudo "
                    "sysctl kernel.perf_event_paranoid=%d', or run tacho as root",
                    what, (long long)level, enough);
}

int tch_flame_event_refused(int number, const struct tch_flame_sampler_options *options,
                            const char *event, tacho_error *err)
{
    int status;

    switch (number) {
    case EACCES:
    case EPERM:
        status = tch_flame_event_no_permission(
            kernel_setting("/proc/sys/kernel/perf_event_paranoid", 99), options, err);
        break;
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
        return tch_fail(err, TACHO_EUNSUPPORTED, 0,
                        "this machine cannot sample '%s' (no hardware counters, as in most virtual "
                        "machines); use --event cpu-clock",
                        event);
    case ENOSYS:
        status = tch_fail(err, TACHO_EUNSUPPORTED, 0,
                          "the kernel has no perf events, or the container hides them");
        break;
    case ESRCH:
        return tch_fail(err, TACHO_EINVAL, 0, "there is no process %d", (int)options->pid);
    case EINVAL:
        return fail_invalid(options, event, err);
    case EMFILE:
        return tch_fail(err, TACHO_EIO, 0,
                        "too many open files; run 'ulimit -n 65536' first, or sample fewer "
                        "threads");
    default:
        return tch_fail_errno(err, number, "perf_event_open for '%s'", event);
    }
    if (err)
        err->system_errno = number; /* the caller may add advice about permissions */
    return status;
}
