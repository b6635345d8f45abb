/*
 * The kinds of power sources. Each has a file, and power_sources.c has the table of them.
 *
 * This is the face of src/lib/measure/power/.
 */
#ifndef TCH_POWER_METER_H
#define TCH_POWER_METER_H

#include <limits.h>
#include <stdbool.h>

#include <tacho/power.h>

struct tch_power_kind {
    const char *name;
    const char *what;   /**< the thing that it measures; sources of the same thing are not added up.
                           "": a made-up source, which counts beside any other */
    uint64_t update_us; /**< time between two updates, if the source does not report it */
    /** Sets ret->ctx, read and close. `where` is the root, or the text after the colon. */
    int (*open)(const char *where, tacho_power_source *ret, tacho_error *err);
};

extern const struct tch_power_kind tch_power_rapl;
extern const struct tch_power_kind tch_power_perf;
extern const struct tch_power_kind tch_power_hwmon;
extern const struct tch_power_kind tch_power_battery;
extern const struct tch_power_kind tch_power_nvml;
extern const struct tch_power_kind tch_power_rocm;
extern const struct tch_power_kind tch_power_fixed;
extern const struct tch_power_kind tch_power_replay;

/* Small files under a root (power_files.c). */

/** Makes the path of a file: the root and the parts, joined by '/'. */
void tch_power_path(char out[PATH_MAX], const char *root, const char *folder, const char *entry,
                    const char *file);

/** Reads a file with one number. Returns 0 or an errno number. */
int tch_power_number(const char *path, uint64_t *ret);

/** Reads a file of one line, without blanks at its end. Returns 0 or an errno number. */
int tch_power_line(const char *path, char *out, size_t size);

/** Finds the next entry of a folder, after `name` in byte order, that starts with prefix, and
    copies it to name. Start with "". Returns false after the last entry. */
bool tch_power_next(const char *root, const char *folder, const char *prefix,
                    char name[NAME_MAX + 1]);

/** Computes the increase of a counter that wraps around at range. Returns false when it fell and
   range is 0. */
bool tch_power_step(uint64_t before, uint64_t now, uint64_t range, uint64_t *ret);

/** Measures the update_us of a source that has a counter, which takes up to 300 ms. */
void tch_power_find_update(tacho_power_source *source);

/** Appends a name to the domain of a source: "package-0+package-1". */
void tch_power_add_domain(tacho_power_source *source, const char *name);

/**
 * Marks `key` as counted by this process, until tch_power_unmark(). The mark is a socket with an
 * abstract name, so it needs no file, works for all users, and disappears with the process.
 *
 * @return 0 when this process counts it, or when marks do not work here; otherwise the id of the
 * process that counts it, or 1 when that is not known
 */
uint64_t tch_power_mark(const char *key);
void tch_power_unmark(const char *key);

/* The energy of one source. These functions only add up; they use no clock and no file. */
struct tch_energy {
    uint64_t first_us;
    uint64_t last_us;
    double last_watts;
    double last_joules; /* last value of the counter */
    double joules;
    double watts_sum;
    double peak;
    double now; /* watts in the last interval; NaN before the first */
    uint64_t samples;
    uint64_t intervals;  /* intervals between two readings whose energy is in joules */
    uint64_t missing_us; /* time of the intervals whose energy is not known */
    uint64_t dropped;
    bool counter;
    bool broken; /* the last reading failed, so no interval ends at the next one */
};

void tch_energy_init(struct tch_energy *e);
void tch_energy_add(struct tch_energy *e, uint64_t timestamp_us,
                    const tacho_power_reading *reading);
void tch_energy_lost(struct tch_energy *e);
void tch_energy_report(const struct tch_energy *e, tacho_power_report *ret);

#endif
