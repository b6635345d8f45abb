/* A stub of NVML with TACHO_STUB_GPUS devices. The first has a counter, the second reports only
   its power, and the third answers "not supported" to everything. */
#include <stdint.h>
#include <stdlib.h>

enum { NOT_SUPPORTED = 3 };

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules);
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts);

static unsigned long long energy;

int nvmlInit_v2(void)
{
    return getenv("TACHO_STUB_GPUS") ? 0 : 9; /* driver not loaded */
}

int nvmlShutdown(void)
{
    return 0;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = (unsigned)(getenv("TACHO_STUB_GPUS")[0] - '0');
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    *device = (void *)(uintptr_t)(index + 1);
    return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules)
{
    if ((uintptr_t)device != 1)
        return NOT_SUPPORTED;
    *millijoules = energy += 2500;
    return 0;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
    if ((uintptr_t)device > 2)
        return NOT_SUPPORTED;
    *milliwatts = (uintptr_t)device == 1 ? 100000 : 75500;
    return 0;
}
