/* Reads GPUs by a vendor's library, which is loaded if it is installed. */
#include "power_gpu.h"

#include <dlfcn.h>

#include "base/fail.h"

static void gpus_close(void *ctx)
{
    struct tch_gpus *g = ctx;

    if (!g)
        return;
    if (g->library) {
        g->ops->shutdown(g);
        dlclose(g->library);
    }
    free(g);
}

static int gpus_read(void *ctx, tacho_power_reading *ret, tacho_error *err)
{
    struct tch_gpus *g = ctx;
    double sum = 0;

    for (size_t i = 0; i < g->count; i++) {
        double value;
        int code = g->by_energy ? g->ops->joules(g, g->devices[i], &value)
                                : g->ops->watts(g, g->devices[i], &value);

        if (code != 0)
            return tch_fail(err, TACHO_EIO, 0, "%s returned error %d for GPU %u", g->ops->name,
                            code, g->devices[i]);
        sum += value;
    }
    *(g->by_energy ? &ret->joules : &ret->watts) = sum;
    return 0;
}

static int load_library(struct tch_gpus *g, const char *path, tacho_error *err)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return tch_fail(err, TACHO_EUNSUPPORTED, 0, "%s is not installed: no %s", g->ops->name,
                        path);
    for (size_t i = 0; g->ops->symbols[i]; i++) {
        void *symbol = dlsym(library, g->ops->symbols[i]);

        /* POSIX allows this conversion to a function pointer. */
        memcpy(&g->functions[i], &symbol, sizeof symbol);
        if (!symbol && i < g->ops->required) {
            dlclose(library);
            return tch_fail(err, TACHO_EUNSUPPORTED, 0, "%s has no %s", path, g->ops->symbols[i]);
        }
    }
    if (g->ops->init(g) != 0) {
        dlclose(library);
        return tch_fail(err, TACHO_EUNSUPPORTED, 0,
                        "%s cannot be initialised; check that the driver is loaded", g->ops->name);
    }
    g->library = library;
    return 0;
}

/* Finds the devices that can be read. All are read by their counters. If a device does not have
   a counter, all are read by their power. */
static int find_devices(struct tch_gpus *g, tacho_error *err)
{
    unsigned there = 0;
    double value;

    if (g->ops->count(g, &there) != 0 || there == 0)
        return tch_fail(err, TACHO_EUNSUPPORTED, 0, "%s finds no GPU", g->ops->name);
    g->by_energy = true;
    for (unsigned i = 0; i < there && g->count < TCH_GPU_MAX; i++) {
        bool energy = g->ops->joules(g, i, &value) == 0;

        if (energy || g->ops->watts(g, i, &value) == 0)
            g->devices[g->count++] = i;
        if (!energy && g->count > 0 && g->devices[g->count - 1] == i)
            g->by_energy = false;
    }
    if (!g->by_energy) {
        size_t kept = 0;

        for (size_t i = 0; i < g->count; i++)
            if (g->ops->watts(g, g->devices[i], &value) == 0)
                g->devices[kept++] = g->devices[i];
        g->count = kept;
    }
    if (g->count == 0)
        return tch_fail(err, TACHO_EUNSUPPORTED, 0, "none of %u GPUs reports its power to %s",
                        there, g->ops->name);
    return 0;
}

int tch_gpus_open(const struct tch_gpu_ops *ops, const char *path, tacho_power_source *ret,
                  tacho_error *err)
{
    struct tch_gpus *g = calloc(1, sizeof *g);
    int status;

    if (!g)
        return tch_fail_memory(err);
    g->ops = ops;
    status = load_library(g, path[0] ? path : ops->library, err);
    if (status == 0)
        status = find_devices(g, err);
    if (status < 0) {
        gpus_close(g);
        return status;
    }
    for (size_t i = 0; i < g->count; i++) {
        char name[32];

        snprintf(name, sizeof name, "GPU-%u", g->devices[i]);
        tch_power_add_domain(ret, name);
    }
    ret->ctx = g;
    ret->read = gpus_read;
    ret->close = gpus_close;
    return 0;
}
