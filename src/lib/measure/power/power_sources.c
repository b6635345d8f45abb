/* The table of power sources, and the search for those that this machine has. */
#include "base/buf.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/no_cancel.h"
#include "base/sized.h"
#include "lib/measure/under_root.h"
#include "power_meter.h"

enum { KINDS = 6 };

static const struct tch_power_kind *const kinds[KINDS] = {&tch_power_rapl,  &tch_power_perf,
                                                          &tch_power_hwmon, &tch_power_nvml,
                                                          &tch_power_rocm,  &tch_power_battery};

const char *const *tacho_power_names(void)
{
    static const char *const names[] = {"rapl", "perf", "hwmon", "nvml", "rocm", "battery", NULL};

    return names;
}

static int open_kind(const struct tch_power_kind *kind, const char *where, tacho_power_source *ret,
                     tacho_error *err)
{
    tacho_power_source source = TACHO_POWER_SOURCE_INIT;
    int status = tch_sized_check(ret, sizeof source, "TACHO_POWER_SOURCE_INIT", err);

    if (status < 0)
        return status;
    snprintf(source.name, sizeof source.name, "%s", kind->name);
    status = kind->open(where, &source, err);
    if (source.update_us == 0)
        source.update_us = kind->update_us;
    if (kind->what[0]) /* a test's made-up machine is not this one */
        snprintf(source.counts, sizeof source.counts, where[0] ? "%s.%08x" : "%s", kind->what,
                 (unsigned)tch_hash(where, strlen(where)));
    if (status == 0)
        tch_sized_write(ret, &source, sizeof source);
    return status;
}

int tch_power_open(const char *name, const char *root, tacho_power_source *ret, tacho_error *err)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return open_kind(kinds[i], root, ret, err);
    if (strncmp(name, "fixed:", 6) == 0)
        return open_kind(&tch_power_fixed, name + 6, ret, err);
    if (strncmp(name, "replay:", 7) == 0)
        return open_kind(&tch_power_replay, name + 7, ret, err);
    return tch_fail(err, TACHO_EINVAL, 0,
                    "no power source '%s': there are rapl, perf, hwmon, nvml, rocm, battery, "
                    "fixed:WATTS and replay:FILE",
                    name);
}

int tacho_power_open(const char *name, tacho_power_source *ret, tacho_error *err)
{
    TCH_NO_CANCEL;

    return tch_power_open(name, "", ret, err);
}

/* Returns whether a kind of source can be searched for. GPU libraries have no root, so they are
   left out when there is one, as in tests. */
static bool applies(const struct tch_power_kind *kind, const char *root)
{
    return !root[0] || (kind != &tch_power_nvml && kind != &tch_power_rocm);
}

int tch_power_add_all(tacho_power *p, const char *root, tacho_error *err)
{
    struct tch_buf missing; /* names of sources that do not exist */
    struct tch_buf refused; /* names of sources that cannot be read, with the reason */
    bool have_cpu = false;
    int added = 0;
    int status = 0;

    tch_buf_init(&missing, 4096);
    tch_buf_init(&refused, 4096);
    for (size_t i = 0; i < KINDS && status == 0; i++) {
        tacho_power_source source = TACHO_POWER_SOURCE_INIT;
        tacho_error failure = {0};
        bool cpu = strcmp(kinds[i]->what, "cpu") == 0;

        if (!applies(kinds[i], root) || (cpu && have_cpu) ||
            (strcmp(kinds[i]->what, "machine") == 0 && added > 0))
            continue;
        if (open_kind(kinds[i], root, &source, &failure) < 0) {
            if (failure.code == TACHO_EUNSUPPORTED)
                tch_buf_addf(&missing, "%s%s", missing.len > 0 ? ", " : "", kinds[i]->name);
            else
                tch_buf_addf(&refused, "; %s: %s", kinds[i]->name, failure.message);
            continue;
        }
        status = tacho_power_add(p, &source, err);
        if (status < 0)
            source.close(source.ctx);
        added += status == 0;
        have_cpu = have_cpu || cpu;
    }
    if (status == 0 && added == 0)
        status = tch_fail(err, TACHO_EUNSUPPORTED, 0, "no power source: this machine has no %s%s",
                          missing.data, refused.data);
    tch_buf_release(&missing);
    tch_buf_release(&refused);
    return status < 0 ? status : added;
}

int tacho_power_add_all(tacho_power *p, tacho_error *err)
{
    TCH_NO_CANCEL;

    return tch_power_add_all(p, "", err);
}
