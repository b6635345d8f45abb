/*
 * Power and energy: sources that read watts or joules, and a meter that samples them.
 *
 * Where there is no source the meter says so; it never says 0 J.
 */
#ifndef TACHO_POWER_H
#define TACHO_POWER_H

#include <stddef.h>
#include <stdint.h>

#include "api.h"
#include "error.h"

TACHO_BEGIN_DECLS

/** What a source reads. Set what it knows, leave the rest as it was given. */
typedef struct tacho_power_reading {
    double joules;         /**< a counter that never falls; NaN: it has none */
    double watts;          /**< at this moment; NaN: not known */
    uint64_t timestamp_us; /**< of a source that has a time of its own; 0: now */
} tacho_power_reading;

/** A source: a table of functions, which anyone can fill in. */
typedef struct tacho_power_source {
    char name[64]; /**< "rapl", for files and reports */
    void *ctx;     /**< handed to the functions */
    /** 0, or a code; then the interval until the next reading that works counts as dropped. */
    int (*read)(void *ctx, tacho_power_reading *ret, tacho_error *err);
    void (*close)(void *ctx); /**< may be NULL */
} tacho_power_source;

/**
 * Opens one of the sources that come with tacho:
 *
 *   rapl      /sys/class/powercap, a counter; most systems let only root read it
 *   perf      the kernel's energy events, a counter
 *   hwmon     sensors that tell watts
 *   battery   what a discharging battery gives
 *   nvml      NVIDIA GPUs, by libnvidia-ml.so.1
 *   rocm      AMD GPUs, by librocm_smi64.so
 *   fixed:W   always W watts
 *   replay:F  the rows of a power.csv
 *
 * @param root  before every path of /sys; "" for this machine. For nvml and rocm, when it is not
 *              empty, the path of the library itself
 * @return 0, TACHO_ENOMEM, TACHO_EINVAL for another name, TACHO_EUNSUPPORTED when this machine has
 *         none, TACHO_EIO when there is one that cannot be read; the message says what to do
 */
TACHO_API TACHO_MUST_CHECK int tacho_power_open(const char *name, const char *root,
                                                tacho_power_source *ret, tacho_error *err);

/** The names above, in the order in which they are tried, without fixed and replay; NULL-ended. */
TACHO_API const char *const *tacho_power_names(void);

/** What was used over a time. */
typedef struct tacho_power_report {
    char name[64];
    double joules;
    double mean_watts; /**< joules / seconds for a counter, the mean of the readings otherwise */
    double peak_watts;
    double last_watts; /**< of the last interval of a counter, or the last reading; NaN before */
    double duration_s;
    uint64_t samples;
    uint64_t dropped; /**< intervals in which time ran backwards or a reading failed: left out, but
                         for the energy of a counter that could be read again */
    int estimated;    /**< 1: integrated from watts, 0: from a counter */
} tacho_power_report;

typedef struct tacho_power_sample {
    uint64_t timestamp_us;
    double watts;
} tacho_power_sample;

/** The energy of a series of watts, by trapezoid. Fewer than two samples give 0 J. */
TACHO_API void tacho_power_energy(const tacho_power_sample *samples, size_t n,
                                  tacho_power_report *ret);

/** A meter of up to 8 sources. May be used by several threads. */
typedef struct tacho_power tacho_power;

/** Where TACHO_RUN_DIR is set, samples are also written to power.PID.csv there. */
TACHO_API TACHO_MUST_CHECK int tacho_power_new(tacho_power **ret, tacho_error *err);

/** Stops the sampling, closes the sources. Accepts NULL. */
TACHO_API void tacho_power_free(tacho_power *p);

/** Adds a source, which the meter closes from then on. 0, or TACHO_ELIMIT: it is still yours. */
TACHO_API TACHO_MUST_CHECK int tacho_power_add(tacho_power *p, const tacho_power_source *source,
                                               tacho_error *err);

/**
 * Adds what this machine has, each thing once: the CPUs by the first of rapl, perf and hwmon that
 * works, GPUs by nvml and rocm, and a battery only where there is none of those.
 *
 * @return how many were added; TACHO_EUNSUPPORTED when none, and err says why each did not work
 */
TACHO_API int tacho_power_add_all(tacho_power *p, const char *root, tacho_error *err);

/** Reads all sources once. What failed is counted as dropped; 0, or TACHO_EIO of the file. */
TACHO_API int tacho_power_take(tacho_power *p, tacho_error *err);

/** Reads them at an interval, in a thread of its own that takes no signals. */
TACHO_API TACHO_MUST_CHECK int tacho_power_start(tacho_power *p, uint64_t interval_ns,
                                                 tacho_error *err);

/** Ends that, after one last reading. What failed meanwhile, or 0. */
TACHO_API int tacho_power_stop(tacho_power *p, tacho_error *err);

/** The i-th source's report; TACHO_EINVAL where there is none: go from 0 until then. */
TACHO_API int tacho_power_report_get(tacho_power *p, size_t i, tacho_power_report *ret);

/** Watts of the last interval over all sources; NaN before there was one. */
TACHO_API double tacho_power_now(tacho_power *p);

/**
 * The share of a process tree: (joules - idle_watts * seconds) * tree_cpu / busy_cpu, never below 0
 * nor above joules. 0 when no CPU was busy.
 *
 * @param tree_cpu_ns  of the tree, from tacho_tree_poll()
 * @param busy_cpu_ns  of the machine, from tacho_cpu_busy()
 */
TACHO_API double tacho_power_share(double joules, double idle_watts, double seconds,
                                   uint64_t tree_cpu_ns, uint64_t busy_cpu_ns);

/** The time that the machine's CPUs were busy since it started, from /proc/stat under root. */
TACHO_API TACHO_MUST_CHECK int tacho_cpu_busy(const char *root, uint64_t *ret_ns, tacho_error *err);

TACHO_END_DECLS

#endif
