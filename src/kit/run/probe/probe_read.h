/*
 * Reads a machine for the probes: files under its root, never those of the host by accident. Paths
 * are given as a format, from the root. If memory runs out, p fails.
 */
#ifndef TCH_PROBE_READ_H
#define TCH_PROBE_READ_H

#include <limits.h>

#include "base/buf.h"
#include "probe.h"

/** Reads a whole file into b, which is cleared first. Returns false if it cannot be read. */
bool tch_probe_read(struct tch_probes *p, struct tch_buf *b, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/** Reads a small file without the white space at its end. Returns false and "" if it cannot be
    read. */
bool tch_probe_line(struct tch_probes *p, char *out, size_t size, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/** Reads a file that contains one whole number. */
bool tch_probe_number(struct tch_probes *p, int64_t *ret, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

bool tch_probe_has(struct tch_probes *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/** Finds the entry of a folder that follows `name` in byte order, among those that start with
    prefix, and stores it in name. Start with "". */
bool tch_probe_next(struct tch_probes *p, const char *folder, const char *prefix,
                    char name[NAME_MAX + 1]);

/** Finds the line of text that starts with key and copies the rest, without the colon and
    surrounding white space. Returns false and "" if there is no such line. */
bool tch_text_field(const char *text, const char *key, char *out, size_t size);

/** Returns whether text contains word between blanks. */
bool tch_text_word(const char *text, const char *word);

/** Counts the CPUs of a list such as "0-3,8". Returns 0 if the list is invalid. */
unsigned tch_cpu_list_count(const char *list);

/** Reads the flags of the CPU. Only an x86 has them; for others, returns false and "". */
bool tch_probe_cpu_flags(struct tch_probes *p, char *out, size_t size);

/** Returns whether this is a virtual machine. */
bool tch_probe_virtual(struct tch_probes *p);

/** Returns whether the effective capabilities in /proc/self/status include this bit. */
bool tch_probe_capable(struct tch_probes *p, unsigned bit);

/** Returns whether this user may use perf events whatever perf_event_paranoid says. */
bool tch_probe_may_perf_all(struct tch_probes *p);

/** Returns whether the machine runs on a battery that reports its power. */
bool tch_probe_battery_measures(struct tch_probes *p);

/** The packages that contain a program, for the command that installs it on the distribution of
    /etc/os-release. */
enum tch_package {
    TCH_PACKAGE_PERF,
    TCH_PACKAGE_CARGO,
    TCH_PACKAGE_HYPERFINE,
    TCH_PACKAGE_GDB,
    TCH_PACKAGE_DEBUGINFOD,
    TCH_PACKAGE_SENSORS,
    TCH_PACKAGE_VALGRIND,
    TCH_PACKAGE_GIT,
    TCH_PACKAGES,
};
void tch_install_command(struct tch_probes *p, enum tch_package package, char *out, size_t size);

/* The groups that the table of probe.c lists. */
extern const struct tch_probe_group tch_probe_clock;
extern const struct tch_probe_group tch_probe_cpu;
extern const struct tch_probe_group tch_probe_events;
extern const struct tch_probe_group tch_probe_features;
extern const struct tch_probe_group tch_probe_memory;
extern const struct tch_probe_group tch_probe_power;
extern const struct tch_probe_group tch_probe_system;
extern const struct tch_probe_group tch_probe_tools;

#endif
