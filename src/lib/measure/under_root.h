/*
 * Functions of <tacho/memory.h> and <tacho/power.h> that read /proc and /sys below any root, so
 * that tests can run on a made-up machine. The root is "" for this machine.
 */
#ifndef TCH_UNDER_ROOT_H
#define TCH_UNDER_ROOT_H

#include <tacho/memory.h>
#include <tacho/power.h>

/** Does what tacho_tree_open() does, below a root. */
int tch_tree_open(const char *root, pid_t pid, tacho_tree **ret, tacho_error *err);

/** Does what tacho_power_open() does, below a root. For nvml and rocm the root is the path of
    the library. */
int tch_power_open(const char *name, const char *root, tacho_power_source *ret, tacho_error *err);

/** Does what tacho_power_add_all() does, below a root. GPUs are added only when the root is "". */
int tch_power_add_all(tacho_power *p, const char *root, tacho_error *err);

/** Writes the source of a row of power.csv: "rapl:package-0:measured". */
enum { TCH_POWER_LABEL = 160 };
void tch_power_label(char out[TCH_POWER_LABEL], const tacho_power_report *report);

/** Finds the update_us of every source of a meter that has a counter, which takes up to 300 ms. */
void tch_power_find_updates(tacho_power *p);

/** Does what tacho_cpu_busy() does, below a root. */
int tch_cpu_busy(const char *root, uint64_t *ret_ns, tacho_error *err);

#endif
