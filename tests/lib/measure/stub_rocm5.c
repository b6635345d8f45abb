/* A stub of the library of ROCm 5 on a GPU without a counter: one device, 42.5 W. */
#include <stdint.h>

int rsmi_init(uint64_t flags);
int rsmi_shut_down(void);
int rsmi_num_monitor_devices(uint32_t *count);
int rsmi_dev_energy_count_get(uint32_t device, uint64_t *count, float *microjoules, uint64_t *ns);
int rsmi_dev_power_ave_get(uint32_t device, uint32_t sensor, uint64_t *microwatts);

enum { NOT_SUPPORTED = 2 };

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
    (void)device;
    (void)count;
    (void)microjoules;
    (void)ns;
    return NOT_SUPPORTED;
}

int rsmi_dev_power_ave_get(uint32_t device, uint32_t sensor, uint64_t *microwatts)
{
    *microwatts = 42500000;
    return device == 0 && sensor == 0 ? 0 : NOT_SUPPORTED;
}
