/*
 * The common part of the two GPU libraries: devices that have an energy counter, a power reading,
 * or both.
 */
#ifndef TCH_POWER_GPU_H
#define TCH_POWER_GPU_H

#include "power_meter.h"

struct tch_gpus;

/** The functions of one library. Each returns 0 or the library's own error number. */
struct tch_gpu_ops {
    const char *name;           /**< "NVML" */
    const char *library;        /**< name for dlopen() */
    const char *const *symbols; /**< terminated by NULL, in the order of tch_gpus.functions */
    size_t required;            /**< number of symbols that must exist; the others may be NULL */
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
    bool by_energy; /* all devices in use have a counter */
    size_t count;
    unsigned devices[TCH_GPU_MAX];
};

int tch_gpus_open(const struct tch_gpu_ops *ops, const char *path, tacho_power_source *ret,
                  tacho_error *err);

#endif
