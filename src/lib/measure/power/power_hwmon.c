/* Reads sensors that measure watts: one per chip, and its average if it has one. */
#include <math.h>

#include "base/fail.h"
#include "power_meter.h"

enum { CHIPS = 16 };

static const char folder[] = "/sys/class/hwmon";

struct hwmon {
    size_t count;
    char paths[CHIPS][PATH_MAX];
};

static int hwmon_read(void *ctx, tacho_power_reading *ret, tacho_error *err)
{
    struct hwmon *h = ctx;
    double watts = 0;

    for (size_t i = 0; i < h->count; i++) {
        uint64_t microwatts;
        int number = tch_power_number(h->paths[i], &microwatts);

        if (number != 0)
            return tch_fail_errno(err, number, "cannot read '%s'", h->paths[i]);
        watts += (double)microwatts / 1e6;
    }
    ret->watts = watts;
    return 0;
}

/* Adds the name of a chip to the domain, and keeps the longest update interval of all chips. A
   chip without a name is named after its folder. */
static void describe_chip(const char *root, const char *entry, tacho_power_source *ret)
{
    static const char *const files[] = {"power1_average_interval", "update_interval"};
    char path[PATH_MAX];
    char name[64];
    uint64_t ms;

    tch_power_path(path, root, folder, entry, "name");
    tch_power_add_domain(ret, tch_power_line(path, name, sizeof name) == 0 ? name : entry);
    for (size_t f = 0; f < 2; f++) {
        tch_power_path(path, root, folder, entry, files[f]);
        if (tch_power_number(path, &ms) == 0 && ms > 0 && ms < 3600000 &&
            ret->update_us < ms * 1000)
            ret->update_us = ms * 1000;
    }
}

static void find_chips(struct hwmon *h, const char *root, tacho_power_source *ret)
{
    static const char *const files[] = {"power1_average", "power1_input"};
    char name[NAME_MAX + 1] = "";

    while (h->count < CHIPS && tch_power_next(root, folder, "hwmon", name))
        for (size_t f = 0; f < 2; f++) {
            uint64_t microwatts;

            tch_power_path(h->paths[h->count], root, folder, name, files[f]);
            if (tch_power_number(h->paths[h->count], &microwatts) == 0) {
                h->count++;
                describe_chip(root, name, ret);
                break;
            }
        }
}

static int hwmon_open(const char *root, tacho_power_source *ret, tacho_error *err)
{
    struct hwmon *h = calloc(1, sizeof *h);

    if (!h)
        return tch_fail_memory(err);
    find_chips(h, root, ret);
    if (h->count == 0) {
        free(h);
        return tch_fail(err, TACHO_EUNSUPPORTED, 0, "no sensor in %s%s measures power", root,
                        folder);
    }
    ret->ctx = h;
    ret->read = hwmon_read;
    ret->close = free;
    return 0;
}

const struct tch_power_kind tch_power_hwmon = {
    .name = "hwmon", .what = "cpu", .update_us = 1000000, .open = hwmon_open};
