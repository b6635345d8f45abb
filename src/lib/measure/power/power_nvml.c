/* Reads NVIDIA GPUs by NVML. Its header is not needed, because the interface of the six
   functions does not change. */
#include "power_gpu.h"

enum { INIT, SHUTDOWN, COUNT, HANDLE, ENERGY, POWER };

static const char *const symbols[] = {"nvmlInit_v2",
                                      "nvmlShutdown",
                                      "nvmlDeviceGetCount_v2",
                                      "nvmlDeviceGetHandleByIndex_v2",
                                      "nvmlDeviceGetTotalEnergyConsumption",
                                      "nvmlDeviceGetPowerUsage",
                                      NULL};

typedef int no_argument(void);
typedef int get_count(unsigned *);
typedef int get_handle(unsigned, void **);
typedef int get_energy(void *, unsigned long long *);
typedef int get_power(void *, unsigned *);

static int nvml_init(struct tch_gpus *g)
{
    return ((no_argument *)g->functions[INIT])();
}

static void nvml_shutdown(struct tch_gpus *g)
{
    ((no_argument *)g->functions[SHUTDOWN])();
}

static int nvml_count(struct tch_gpus *g, unsigned *ret)
{
    return ((get_count *)g->functions[COUNT])(ret);
}

static int nvml_joules(struct tch_gpus *g, unsigned device, double *ret)
{
    void *handle;
    unsigned long long millijoules;
    int code = ((get_handle *)g->functions[HANDLE])(device, &handle);

    if (code == 0)
        code = ((get_energy *)g->functions[ENERGY])(handle, &millijoules);
    if (code == 0)
        *ret = (double)millijoules / 1e3;
    return code;
}

static int nvml_watts(struct tch_gpus *g, unsigned device, double *ret)
{
    void *handle;
    unsigned milliwatts;
    int code = ((get_handle *)g->functions[HANDLE])(device, &handle);

    if (code == 0)
        code = ((get_power *)g->functions[POWER])(handle, &milliwatts);
    if (code == 0)
        *ret = milliwatts / 1e3;
    return code;
}

static const struct tch_gpu_ops ops = {.name = "NVML",
                                       .library = "libnvidia-ml.so.1",
                                       .symbols = symbols,
                                       .required = POWER + 1,
                                       .init = nvml_init,
                                       .count = nvml_count,
                                       .joules = nvml_joules,
                                       .watts = nvml_watts,
                                       .shutdown = nvml_shutdown};

static int nvml_open(const char *path, tacho_power_source *ret, tacho_error *err)
{
    return tch_gpus_open(&ops, path, ret, err);
}

const struct tch_power_kind tch_power_nvml = {
    .name = "nvml", .what = "nvidia", .update_us = 100000, .open = nvml_open};
