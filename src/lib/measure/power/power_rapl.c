/* Reads RAPL by powercap: counters of microjoules that wrap around. */
#include <errno.h>

#include "base/fail.h"
#include "power_meter.h"

enum { ZONES = 16 };

static const char folder[] = "/sys/class/powercap";

struct zone {
    char path[PATH_MAX];
    uint64_t range;
    uint64_t last;
};

struct rapl {
    size_t count;
    uint64_t total_uj; /* sum over all zones since the source was opened */
    struct zone zones[ZONES];
};

static int rapl_read(void *ctx, tacho_power_reading *ret, tacho_error *err)
{
    struct rapl *r = ctx;
    uint64_t now[ZONES];
    uint64_t step = 0;

    for (size_t i = 0; i < r->count; i++) {
        struct zone *z = &r->zones[i];
        int number = tch_power_number(z->path, &now[i]);
        uint64_t used;

        if (number != 0)
            return tch_fail_errno(err, number, "cannot read '%s'", z->path);
        if (!tch_power_step(z->last, now[i], z->range, &used)) {
            z->last = now[i];
            return tch_fail(err, TACHO_EIO, 0, "'%s' wrapped around, and its range is not known",
                            z->path);
        }
        step += used;
    }
    for (size_t i = 0; i < r->count; i++)
        r->zones[i].last = now[i];
    r->total_uj += step;
    ret->joules = (double)r->total_uj / 1e6;
    return 0;
}

/* Returns whether this is a top-level zone. These have one colon: "intel-rapl:0:1" is a part of
   "intel-rapl:0". */
static bool is_top(const char *name)
{
    const char *colon = strchr(name, ':');

    return colon && !strchr(colon + 1, ':');
}

static void zone_name(const char *root, const char *entry, char name[64])
{
    char path[PATH_MAX];

    tch_power_path(path, root, folder, entry, "name");
    (void)tch_power_line(path, name, 64); /* "" if it has no name */
}

static int add_zone(struct rapl *r, const char *root, const char *entry, tacho_error *err)
{
    struct zone *z = &r->zones[r->count];
    char range[PATH_MAX];
    int number;

    tch_power_path(z->path, root, folder, entry, "energy_uj");
    number = tch_power_number(z->path, &z->last);
    if (number == EACCES)
        return tch_fail_errno(err, number,
                              "cannot read '%s' (to allow it: sudo chmod a+r "
                              "/sys/class/powercap/intel-rapl:*/energy_uj)",
                              z->path);
    if (number != 0)
        return tch_fail_errno(err, number, "cannot read '%s'", z->path);
    tch_power_path(range, root, folder, entry, "max_energy_range_uj");
    if (tch_power_number(range, &z->range) != 0)
        z->range = 0;
    r->count++;
    return 0;
}

/* Adds the packages, or the other top-level zones. A zone for the whole platform contains the
   packages, so it is used only when there are no packages. */
static int add_zones(struct rapl *r, const char *root, bool packages, tacho_power_source *ret,
                     tacho_error *err)
{
    char entry[NAME_MAX + 1] = "";
    int status = 0;

    while (status == 0 && r->count < ZONES && tch_power_next(root, folder, "intel-rapl:", entry)) {
        char name[64];

        zone_name(root, entry, name);
        if (!is_top(entry) || (strncmp(name, "package", 7) == 0) != packages)
            continue;
        status = add_zone(r, root, entry, err);
        tch_power_add_domain(ret, name[0] ? name : entry);
    }
    return status;
}

static int rapl_open(const char *root, tacho_power_source *ret, tacho_error *err)
{
    struct rapl *r = calloc(1, sizeof *r);
    int status;

    if (!r)
        return tch_fail_memory(err);
    status = add_zones(r, root, true, ret, err);
    if (status == 0 && r->count == 0)
        status = add_zones(r, root, false, ret, err);
    if (status == 0 && r->count == 0)
        status = tch_fail(err, TACHO_EUNSUPPORTED, 0,
                          "no energy counter in %s%s; most virtual machines do not have one", root,
                          folder);
    if (status < 0) {
        free(r);
        return status;
    }
    ret->ctx = r;
    ret->read = rapl_read;
    ret->close = free;
    return 0;
}

const struct tch_power_kind tch_power_rapl = {
    .name = "rapl", .what = "cpu", .update_us = 1000, .open = rapl_open};
