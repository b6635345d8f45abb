/*
 * What the two GPU libraries have in common: devices, each with an energy counter, a power, or
 * both.
 */
#ifndef TCH_POWER_GPU_H
#define TCH_POWER_GPU_H

#include "power_meter.h"

struct tch_gpus;

/** One library. Each function returns 0, or the library's own number of what went wrong. */
struct tch_gpu_ops {
    const char *name;           /**< "NVML" */
    const char *library;        /**< what dlopen looks for */
    const char *const *symbols; /**< NULL-ended, in the order of tch_gpus.functions */
    size_t required;            /**< symbols without which nothing works; the others may be NULL */
    int (*init)(struct tch_gpus *g);
    int (*count)(struct tch_gpus *g, unsigned *ret);
    int (*joules)(struct tch_gpus *g, unsigned device, double *ret);
    int (*watts)(struct tch_gpus *g, unsigned device, double *ret);
    void (*shutdown)(struct tch_gpus *g);
};

enum { TCH_GPU_MAX = 64, TCH_GPU_SYMBOLS = 8 };

typedef void (*tch_gpu_function)(void); /* cast to its own type before it is called */

struct tch_gpus {
    const struct tch_gpu_ops *ops;
    void *library;
    tch_gpu_function functions[TCH_GPU_SYMBOLS];
    bool by_energy; /* every device that is used has a counter */
    size_t count;
    unsigned devices[TCH_GPU_MAX];
};

int tch_gpus_open(const struct tch_gpu_ops *ops, const char *path, tacho_power_source *ret,
                  tacho_error *err);

#endif
