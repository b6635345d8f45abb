/* The list of findings and the table of groups. Each group is in its own file, probe_<name>.c. */
#include "probe.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/fail.h"
#include "kit/flame/sample/preload_fit.h"
#include "kit/flame/sample/tracer.h"
#include "probe_read.h"
#include "process/preload_path.h"

enum { FOUND_MAX = 4096 };

const struct tch_probe_group *const tch_probe_groups[] = {
    &tch_probe_events, &tch_probe_power,    &tch_probe_clock,
    &tch_probe_memory, &tch_probe_tools,    &tch_probe_cpu,
    &tch_probe_system, &tch_probe_features, NULL,
};

const char *tch_probe_status_name(enum tch_probe_status status)
{
    static const char *const names[TCH_PROBE_STATUSES] = {
        [TCH_PROBE_OK] = "ok",
        [TCH_PROBE_WARNING] = "warning",
        [TCH_PROBE_MISSING] = "missing",
        [TCH_PROBE_NOT_APPLICABLE] = "not_applicable",
    };

    return names[status];
}

/* Opens an event for user space only, which paranoid level 2 still allows. */
static int perf_open(uint32_t type, uint64_t config)
{
    struct perf_event_attr attr = {
        .size = sizeof attr,
        .type = type,
        .config = config,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

    if (fd < 0)
        return errno;
    close((int)fd);
    return 0;
}

static int trace(void)
{
    tacho_error err = {.system_errno = 0};

    return tch_tracer_probe(&err) == 0 ? 0 : err.system_errno ? err.system_errno : EPERM;
}

/* Docker's default seccomp filter refuses this. */
static int no_aslr(void)
{
    int before = personality(0xffffffff);

    if (before < 0 || personality((unsigned long)before | ADDR_NO_RANDOMIZE) < 0)
        return errno;
    (void)personality((unsigned long)before);
    return 0;
}

static int preload(const char *object, tacho_error *err)
{
    char path[PATH_MAX];

    if (strcmp(object, TCH_PRELOAD_OBJECT) == 0)
        return tch_preload_probe(err);
    return tch_preload_path(object, path, err);
}

void tch_machine_init(struct tch_machine *machine)
{
    *machine = (struct tch_machine){
        .root = "",
        .work = ".",
        .perf_open = perf_open,
        .trace = trace,
        .no_aslr = no_aslr,
        .preload = preload,
    };
}

static char *copy(const char *text)
{
    struct tch_buf b;

    tch_buf_init(&b, FOUND_MAX);
    tch_buf_adds(&b, text);
    return tch_buf_take(&b);
}

void tch_probes_add(struct tch_probes *p, const char *name, enum tch_probe_status status,
                    const char *fix, const char *fmt, ...)
{
    struct tch_probe *item;
    char found[FOUND_MAX];
    va_list args;

    if (p->failed)
        return;
    p->failed = true; /* until the whole finding is stored */
    if (tch_array_reserve(&p->items, &p->room, p->count + 1) < 0)
        return;
    item = &p->items[p->count];
    va_start(args, fmt);
    vsnprintf(found, sizeof found, fmt, args);
    va_end(args);
    *item = (struct tch_probe){.group = p->group, .name = name, .status = status};
    item->found = copy(found);
    if (!item->found)
        return;
    if (tch_probe_asks(status) && fix) {
        item->fix = copy(fix);
        if (!item->fix) {
            free(item->found);
            return;
        }
    }
    p->count++;
    p->failed = false;
}

int tch_probes_run(struct tch_probes *p, const struct tch_machine *machine, tacho_error *err)
{
    *p = (struct tch_probes){.machine = machine};
    for (size_t i = 0; tch_probe_groups[i] && !p->failed; i++) {
        p->group = tch_probe_groups[i];
        p->group->run(p);
    }
    if (p->failed)
        return tch_fail_memory(err);
    return 0;
}

void tch_probes_release(struct tch_probes *p)
{
    for (size_t i = 0; i < p->count; i++) {
        free(p->items[i].found);
        free(p->items[i].fix);
    }
    free(p->items);
    *p = (struct tch_probes){.machine = p->machine};
}
