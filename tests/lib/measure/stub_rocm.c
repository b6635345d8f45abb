/* A stub of ROCm SMI with one device, whose counter has a resolution of 15.3 microjoules. */
#include <stdint.h>

int rsmi_init(uint64_t flags);
int rsmi_shut_down(void);
int rsmi_num_monitor_devices(uint32_t *count);
int rsmi_dev_energy_count_get(uint32_t device, uint64_t *count, float *microjoules, uint64_t *ns);
int rsmi_dev_power_get(uint32_t device, uint64_t *microwatts, int *type);

int rsmi_init(uint64_t flags)
{
    return flags == 0 ? 0 : 1;
}

int rsmi_shut_down(void)
{
    return 0;
}

int rsmi_num_monitor_devices(uint32_t *count)
{
    *count = 1;
    return 0;
}

int rsmi_dev_energy_count_get(uint32_t device, uint64_t *count, float *microjoules, uint64_t *ns)
{
    static uint64_t now;

    *count = now += 1000000;
    *microjoules = 15.25f;
    *ns = 0;
    return device == 0 ? 0 : 2;
}

int rsmi_dev_power_get(uint32_t device, uint64_t *microwatts, int *type)
{
    *microwatts = 1;
    *type = 0;
    return device == 0 ? 0 : 2;
}
