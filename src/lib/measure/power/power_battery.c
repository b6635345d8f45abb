/* Reads the power of a discharging battery, which is that of the whole machine. */
#include "base/fail.h"
#include "power_meter.h"

static const char folder[] = "/sys/class/power_supply";

struct battery {
    char root[PATH_MAX];
    char name[NAME_MAX + 1];
};

static int number_of(const struct battery *b, const char *file, uint64_t *ret)
{
    char path[PATH_MAX];

    tch_power_path(path, b->root, folder, b->name, file);
    return tch_power_number(path, ret);
}

static int battery_read(void *ctx, tacho_power_reading *ret, tacho_error *err)
{
    struct battery *b = ctx;
    char path[PATH_MAX];
    char status[32];
    uint64_t power;
    uint64_t current;
    uint64_t voltage;

    tch_power_path(path, b->root, folder, b->name, "status");
    tch_power_line(path, status, sizeof status);
    if (strcmp(status, "Discharging") != 0)
        return tch_fail(err, TACHO_EUNSUPPORTED, 0, "%s is not discharging", b->name);
    if (number_of(b, "power_now", &power) == 0)
        ret->watts = (double)power / 1e6;
    else if (number_of(b, "current_now", &current) == 0 &&
             number_of(b, "voltage_now", &voltage) == 0)
        ret->watts = (double)current * (double)voltage / 1e12;
    else
        return tch_fail(err, TACHO_EUNSUPPORTED, 0, "%s does not report its power", b->name);
    return 0;
}

static int battery_open(const char *root, tacho_power_source *ret, tacho_error *err)
{
    struct battery *b = calloc(1, sizeof *b);
    tacho_power_reading first;
    int status = TACHO_EUNSUPPORTED;

    if (!b)
        return tch_fail_memory(err);
    snprintf(b->root, sizeof b->root, "%s", root);
    tch_fail(err, status, 0, "no battery in %s%s", root, folder);
    while (status < 0 && tch_power_next(root, folder, "BAT", b->name))
        status = battery_read(b, &first, err);
    if (status < 0) {
        free(b);
        return status;
    }
    tch_power_add_domain(ret, b->name);
    ret->ctx = b;
    ret->read = battery_read;
    ret->close = free;
    return 0;
}

const struct tch_power_kind tch_power_battery = {
    .name = "battery", .what = "machine", .update_us = 10000000, .open = battery_open};
