/* Reads AMD GPUs by ROCm SMI. */
#include "power_gpu.h"

enum { INIT, SHUTDOWN, COUNT, ENERGY, POWER, POWER_AVERAGE };

enum { NOT_SUPPORTED = 2 }; /* RSMI_STATUS_NOT_SUPPORTED */

static const char *const symbols[] = {"rsmi_init",
                                      "rsmi_shut_down",
                                      "rsmi_num_monitor_devices",
                                      "rsmi_dev_energy_count_get",
                                      "rsmi_dev_power_get",     /* since ROCm 6 */
                                      "rsmi_dev_power_ave_get", /* the only one up to ROCm 5 */
                                      NULL};

typedef int get_init(uint64_t);
typedef int no_argument(void);
typedef int get_count(uint32_t *);
typedef int get_energy(uint32_t, uint64_t *, float *, uint64_t *);
typedef int get_power(uint32_t, uint64_t *, int *);
typedef int get_power_average(uint32_t, uint32_t, uint64_t *);

static int rocm_init(struct tch_gpus *g)
{
    return ((get_init *)g->functions[INIT])(0);
}

static void rocm_shutdown(struct tch_gpus *g)
{
    ((no_argument *)g->functions[SHUTDOWN])();
}

static int rocm_count(struct tch_gpus *g, unsigned *ret)
{
    uint32_t count = 0;
    int code = ((get_count *)g->functions[COUNT])(&count);

    *ret = count;
    return code;
}

static int rocm_joules(struct tch_gpus *g, unsigned device, double *ret)
{
    uint64_t counter;
    uint64_t time;
    float microjoules; /* microjoules per count */
    int code = NOT_SUPPORTED;

    if (g->functions[ENERGY])
        code = ((get_energy *)g->functions[ENERGY])(device, &counter, &microjoules, &time);
    if (code == 0)
        *ret = (double)counter * (double)microjoules / 1e6;
    return code;
}

static int rocm_watts(struct tch_gpus *g, unsigned device, double *ret)
{
    uint64_t microwatts;
    int type;
    int code = NOT_SUPPORTED;

    if (g->functions[POWER])
        code = ((get_power *)g->functions[POWER])(device, &microwatts, &type);
    else if (g->functions[POWER_AVERAGE])
        code = ((get_power_average *)g->functions[POWER_AVERAGE])(device, 0, &microwatts);
    if (code == 0)
        *ret = (double)microwatts / 1e6;
    return code;
}

static const struct tch_gpu_ops ops = {.name = "ROCm SMI",
                                       .library = "librocm_smi64.so",
                                       .symbols = symbols,
                                       .required = COUNT + 1,
                                       .init = rocm_init,
                                       .count = rocm_count,
                                       .joules = rocm_joules,
                                       .watts = rocm_watts,
                                       .shutdown = rocm_shutdown};

static int rocm_open(const char *path, tacho_power_source *ret, tacho_error *err)
{
    return tch_gpus_open(&ops, path, ret, err);
}

const struct tch_power_kind tch_power_rocm = {
    .name = "rocm", .what = "amd", .update_us = 100000, .open = rocm_open};
