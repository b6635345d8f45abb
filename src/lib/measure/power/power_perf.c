/* Reads the kernel's energy events: perf_event_open() on the power device, one event per
   package. */
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/number.h"
#include "base/owned_fd.h"
#include "power_meter.h"

enum { EVENTS = 64 };

static const char folder[] = "/sys/bus/event_source/devices";

struct perf {
    double scale; /* joules per count */
    size_t count;
    struct {
        struct tch_owned_fd fd;
        uint64_t id; /* all perf events have the same inode */
    } events[EVENTS];
};

/* Asks for the identity of an event. ioctl() takes the request as an unsigned long in glibc and as
   an int in musl. */
static bool read_id(int fd, uint64_t *id)
{
    return syscall(SYS_ioctl, fd, PERF_EVENT_IOC_ID, id) == 0;
}

/* Returns whether the descriptor still leads to event i, or sets errno. */
static bool is_ours(const struct perf *p, size_t i)
{
    uint64_t id;

    if (!tch_owned_holds(&p->events[i].fd))
        return false;
    if (read_id(p->events[i].fd.fd, &id) && id == p->events[i].id)
        return true;
    errno = EBADF;
    return false;
}

static void perf_close(void *ctx)
{
    struct perf *p = ctx;

    for (size_t i = 0; p && i < p->count; i++)
        if (is_ours(p, i))
            tch_owned_close(&p->events[i].fd);
    free(p);
}

static int perf_read(void *ctx, tacho_power_reading *ret, tacho_error *err)
{
    struct perf *p = ctx;
    uint64_t sum = 0;

    for (size_t i = 0; i < p->count; i++) {
        uint64_t count;

        if (!is_ours(p, i) ||
            read(p->events[i].fd.fd, &count, sizeof count) != (ssize_t)sizeof count)
            return tch_fail_errno(err, errno, "cannot read a perf energy event");
        sum += count;
    }
    ret->joules = (double)sum * p->scale;
    return 0;
}

static int open_event(struct perf *p, uint32_t type, uint64_t config, int cpu, tacho_error *err)
{
    struct perf_event_attr attr = {.type = type, .size = sizeof attr, .config = config};
    long fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

    if (fd < 0)
        return tch_fail_errno(err, errno,
                              "cannot open the perf energy event on CPU %d (as root, or: sudo "
                              "sysctl kernel.perf_event_paranoid=-1)",
                              cpu);
    if (tch_owned_take(&p->events[p->count].fd, (int)fd) < 0 ||
        !read_id(p->events[p->count].fd.fd, &p->events[p->count].id))
        return tch_fail_errno(err, errno, "cannot use the perf energy event on CPU %d", cpu);
    p->count++;
    return 0;
}

/* Opens one event on each CPU of a list such as "0,8" or "0-1". */
static int open_events(struct perf *p, uint32_t type, uint64_t config, const char *list,
                       tacho_error *err)
{
    int status = 0;

    while (*list && status == 0) {
        size_t len = strcspn(list, ",");
        const char *dash = memchr(list, '-', len);
        size_t head = dash ? (size_t)(dash - list) : len;
        uint64_t first;
        uint64_t last;

        if (tch_parse_u64_n(list, head, INT32_MAX, &first) < 0)
            return tch_fail(err, TACHO_EIO, 0, "'%s' is not a list of CPUs", list);
        last = first;
        if (dash && tch_parse_u64_n(dash + 1, len - head - 1, INT32_MAX, &last) < 0)
            return tch_fail(err, TACHO_EIO, 0, "'%s' is not a list of CPUs", list);
        for (; first <= last && status == 0 && p->count < EVENTS; first++)
            status = open_event(p, type, config, (int)first, err);
        list += len + (list[len] == ',');
    }
    return status;
}

static int device_file(const char *root, const char *name, char *out, size_t size)
{
    char path[PATH_MAX];

    tch_power_path(path, root, folder, "power", name);
    return tch_power_line(path, out, size);
}

/* Parses "event=0x02", a hexadecimal number. */
static bool parse_event(const char *text, uint64_t *ret)
{
    if (strncmp(text, "event=0x", 8) != 0 || !text[8] || strlen(text) > 8 + 16)
        return false;
    *ret = 0;
    for (const char *p = text + 8; *p; p++) {
        static const char digits[] = "0123456789abcdef";
        const char *d = strchr(digits, *p);

        if (!d)
            return false;
        *ret = *ret << 4 | (uint64_t)(d - digits);
    }
    return true;
}

static int perf_find(struct perf *p, const char *root, tacho_error *err)
{
    char type[64];
    char cpus[256];
    char event[64];
    char scale[64];
    uint64_t number;
    uint64_t config;

    if (device_file(root, "type", type, sizeof type) != 0 ||
        device_file(root, "events/energy-pkg", event, sizeof event) != 0)
        return tch_fail(err, TACHO_EUNSUPPORTED, 0,
                        "the kernel shows no energy event in %s%s/power", root, folder);
    device_file(root, "events/energy-pkg.scale", scale, sizeof scale);
    device_file(root, "cpumask", cpus, sizeof cpus);
    if (tch_parse_u64(type, UINT32_MAX, &number) < 0 || !parse_event(event, &config) ||
        tch_parse_f64(scale, &p->scale) < 0 || !(p->scale > 0))
        return tch_fail(err, TACHO_EIO, 0, "cannot parse the energy event in %s%s/power", root,
                        folder);
    return open_events(p, (uint32_t)number, config, cpus[0] ? cpus : "0", err);
}

static int perf_open(const char *root, tacho_power_source *ret, tacho_error *err)
{
    struct perf *p = calloc(1, sizeof *p);
    int status;

    if (!p)
        return tch_fail_memory(err);
    status = perf_find(p, root, err);
    if (status < 0) {
        perf_close(p);
        return status;
    }
    tch_power_add_domain(ret, p->count > 1 ? "packages" : "package-0");
    ret->ctx = p;
    ret->read = perf_read;
    ret->close = perf_close;
    return 0;
}

const struct tch_power_kind tch_power_perf = {
    .name = "perf", .what = "cpu", .update_us = 1000, .open = perf_open};
