/*
 * Power and energy: sources that read watts or joules, and a meter that samples them.
 *
 * A meter without a source returns an error. It never reports 0 J in place of an unknown energy.
 */
#ifndef TACHO_POWER_H
#define TACHO_POWER_H

#include <stddef.h>
#include <stdint.h>

#include "api.h"
#include "error.h"

TACHO_BEGIN_DECLS

/** A reading of a source. The source sets the members that it knows and leaves the others
    unchanged. */
typedef struct tacho_power_reading {
    size_t size;           /**< set by the caller of the source */
    double joules;         /**< a counter that never falls; NaN: there is none */
    double watts;          /**< power at this moment; NaN: not known */
    uint64_t timestamp_us; /**< time of the reading, if the source has a clock; 0: now */
} tacho_power_reading;

/** A source: a table of functions. Programs can make their own. */
typedef struct tacho_power_source {
    size_t size;   /**< set by TACHO_POWER_SOURCE_INIT */
    char name[64]; /**< "rapl", for files and reports */
    void *ctx;     /**< passed to the functions */
    /** Reads the source. Returns 0, or a negative code, which drops the interval until the next
        good reading. */
    int (*read)(void *ctx, tacho_power_reading *ret, tacho_error *err);
    void (*close)(void *ctx); /**< may be NULL */
    char domain[64];          /**< what it measures: "package-0", "GPU-0"; "": not known */
    /** Names the energy that the source counts, such as "cpu". Of several processes whose
       sources have the same name here, only one counts it; "": every process counts. */
    char counts[32];
    uint64_t update_us; /**< time between two updates of its value; 0: it is always current */
} tacho_power_source;

#define TACHO_POWER_SOURCE_INIT                                     \
    {                                                               \
        sizeof(tacho_power_source), "", NULL, NULL, NULL, "", "", 0 \
    }

/**
 * Opens one of the sources that come with tacho:
 *
 *   rapl      /sys/class/powercap, a counter; most systems let only root read it
 *   perf      the kernel's energy events, a counter
 *   hwmon     sensors that measure watts
 *   battery   a discharging battery
 *   nvml      NVIDIA GPUs, by libnvidia-ml.so.1
 *   rocm      AMD GPUs, by librocm_smi64.so
 *   fixed:W   always W watts
 *   replay:F  the rows of a power.csv
 *
 * @param ret  start with TACHO_POWER_SOURCE_INIT. The caller passes it to tacho_power_add(), or
 * calls ret->close(ret->ctx) unless close is NULL.
 * @return 0, TACHO_ENOMEM, TACHO_EINVAL for an unknown name, TACHO_EUNSUPPORTED when this machine
 * has no such source, TACHO_EIO when it cannot be read; the message says what to do
 */
TACHO_API TACHO_MUST_CHECK int tacho_power_open(const char *name, tacho_power_source *ret,
                                                tacho_error *err);

/** Returns the names above without fixed and replay, in the order in which they are tried;
   terminated by NULL. */
TACHO_API const char *const *tacho_power_names(void);

/** The energy that a source measured. */
typedef struct tacho_power_report {
    size_t size; /**< set by TACHO_POWER_REPORT_INIT */
    char name[64];
    double joules;     /**< NaN: not known, because the source was never read, or readings failed
                          and no interval is left */
    double mean_watts; /**< joules / seconds for a counter, the mean of the readings otherwise; NaN:
                          never read */
    double peak_watts; /**< NaN: never read */
    double last_watts; /**< mean of a counter's last interval, or the last reading; NaN: none yet */
    double duration_s; /**< the time in which the joules were used, without intervals that were left
                          out */
    uint64_t samples;
    uint64_t dropped; /**< intervals with a failed, NaN or infinite reading, and readings older than
                         the one before. Their energy is left out, unless the source is a counter */
    uint32_t estimated; /**< 1: integrated from watts, 0: from a counter */
    uint32_t reserved;
    char domain[64];     /**< domain of the source */
    uint64_t update_us;  /**< update_us of the source */
    uint64_t counted_by; /**< the process that already counts this energy, or the first of several;
                            then there are no samples, and joules and watts are NaN. 0: this process
                            counts it */
} tacho_power_report;

#define TACHO_POWER_REPORT_INIT                                             \
    {                                                                       \
        sizeof(tacho_power_report), "", 0, 0, 0, 0, 0, 0, 0, 0, 0, "", 0, 0 \
    }

/**
 * Returns how the joules of a report were obtained: "measured" (the difference of a counter),
 * "estimated" (integrated from watts) or "unavailable" (fewer than two readings, no interval
 * without a failed reading, or counted by another process). Print it beside every energy.
 */
TACHO_API const char *tacho_power_status(const tacho_power_report *report);

/** Watts at one moment. */
typedef struct tacho_power_sample {
    uint64_t timestamp_us;
    double watts;
} tacho_power_sample;

/** Integrates a series of watts by the trapezoidal rule. Fewer than two samples give 0 J.
    Joules are NaN when a NaN, an infinite or an old reading leaves no interval. Returns 0 or
    TACHO_EINVAL. */
TACHO_API TACHO_MUST_CHECK int tacho_power_energy(const tacho_power_sample *samples, size_t n,
                                                  tacho_power_report *ret, tacho_error *err);

/** A meter that reads up to 8 sources. May be used by several threads. */
typedef struct tacho_power tacho_power;

/**
 * Makes a meter. When TACHO_RUN_DIR is set, samples are also written to power.PID.csv there.
 *
 * @param label  names what it measures, such as "gpu"; copied; NULL is ""
 * @param ret    set on success only; the caller frees it by tacho_power_free()
 * @return 0, TACHO_ENOMEM, TACHO_EIO
 */
TACHO_API TACHO_MUST_CHECK int tacho_power_new(const char *label, tacho_power **ret,
                                               tacho_error *err);

/** Stops sampling and closes the sources. Accepts NULL. */
TACHO_API void tacho_power_free(tacho_power *p);

/** Returns the label. Valid as long as the meter. */
TACHO_API const char *tacho_power_label(const tacho_power *p);

/**
 * Adds a source and takes ownership of it. Returns 0, or TACHO_ELIMIT, and then the caller still
 * owns the source.
 *
 * Energy is counted once per machine. When another process already counts the energy of the source,
 * the source is added, but never read, and reported as "unavailable" with that process. All meters
 * of one process count. Inside a run (TACHO_RUN_DIR), energy is counted once per run: of several
 * MPI ranks on one node, only the first one counts.
 */
TACHO_API TACHO_MUST_CHECK int tacho_power_add(tacho_power *p, const tacho_power_source *source,
                                               tacho_error *err);

/**
 * Adds the sources of this machine, so that nothing is counted twice: the CPUs by the first of
 * rapl, perf and hwmon that works, GPUs by nvml and rocm, and a battery only without any of those.
 *
 * @return the number of sources added; TACHO_EUNSUPPORTED when there is none, and err says why for
 * each source
 */
TACHO_API TACHO_MUST_CHECK int tacho_power_add_all(tacho_power *p, tacho_error *err);

/** Reads all sources once. Failed readings are counted as dropped. Returns 0, TACHO_EINVAL when the
    meter has no source, or TACHO_EIO when the file of TACHO_RUN_DIR cannot be written. */
TACHO_API TACHO_MUST_CHECK int tacho_power_poll(tacho_power *p, tacho_error *err);

/** Starts a thread that reads the sources at an interval and handles no signals. */
TACHO_API TACHO_MUST_CHECK int tacho_power_start(tacho_power *p, uint64_t interval_ns,
                                                 tacho_error *err);

/** Takes one last reading and stops the thread of tacho_power_start(). Returns the first failure
    since the start, or 0. */
TACHO_API TACHO_MUST_CHECK int tacho_power_stop(tacho_power *p, tacho_error *err);

/** Gets the report of the i-th source. Start at 0. Returns 0, or TACHO_EINVAL after the last
    source. */
TACHO_API TACHO_MUST_CHECK int tacho_power_report_at(tacho_power *p, size_t i,
                                                     tacho_power_report *ret, tacho_error *err);

/** The first TACHO_POWER_KEPT samples are kept, 32 bytes each. Later ones, and all after one for
    which there was no memory, are only in the reports and in the file of TACHO_RUN_DIR. */
enum { TACHO_POWER_KEPT = 1 << 20 };

/** Returns the number of samples that are kept, of all sources. */
TACHO_API size_t tacho_power_sample_count(tacho_power *p);

/** Returns the number of samples that are not kept. Failed readings give no sample. */
TACHO_API uint64_t tacho_power_sample_dropped(tacho_power *p);

/**
 * Gets the i-th sample, in the order of the readings. Start at 0.
 *
 * @param ret_source  is set to the number of its source, as for tacho_power_report_at(); may be
 * NULL
 * @return 0, or TACHO_EINVAL after the last one that is kept
 */
TACHO_API TACHO_MUST_CHECK int tacho_power_sample_at(tacho_power *p, size_t i,
                                                     tacho_power_sample *ret, size_t *ret_source,
                                                     tacho_error *err);

/**
 * Writes the samples that are kept as power.csv, complete or not at all. Makes the folders above
 * it.
 *
 * @return 0, TACHO_ENOMEM, TACHO_EIO; TACHO_ELIMIT when the file was written and lacks samples
 */
TACHO_API TACHO_MUST_CHECK int tacho_power_write_csv(tacho_power *p, const char *path,
                                                     tacho_error *err);

/** Returns the watts of all sources in the last interval; NaN before the first. */
TACHO_API double tacho_power_now(tacho_power *p);

/**
 * Returns the energy of a process tree, as a share of the machine's: (joules - idle_watts *
 * seconds) * tree_cpu / busy_cpu, from 0 to joules. 0 when no CPU was busy.
 *
 * @param tree_cpu_ns  of the tree, from tacho_tree_poll()
 * @param busy_cpu_ns  of the machine, from tacho_cpu_busy()
 */
TACHO_API double tacho_power_share(double joules, double idle_watts, double seconds,
                                   uint64_t tree_cpu_ns, uint64_t busy_cpu_ns);

/** Reads the time that the CPUs were busy since boot, from /proc/stat. */
TACHO_API TACHO_MUST_CHECK int tacho_cpu_busy(uint64_t *ret_ns, tacho_error *err);

TACHO_END_DECLS

#endif
