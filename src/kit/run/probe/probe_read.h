/*
 * How the probes look at a machine: files under its root, never the system's own by accident.
 * Paths are given as a format, from the root. Memory that runs out makes p fail.
 */
#ifndef TCH_PROBE_READ_H
#define TCH_PROBE_READ_H

#include <limits.h>

#include "base/buf.h"
#include "probe.h"

/** All of a file into b, which is cleared first; false where it cannot be read. */
bool tch_probe_read(struct tch_probes *p, struct tch_buf *b, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/** A small file without the white space at its end; "" and false where it cannot be read. */
bool tch_probe_line(struct tch_probes *p, char *out, size_t size, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/** A file that holds one whole number. */
bool tch_probe_number(struct tch_probes *p, int64_t *ret, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

bool tch_probe_has(struct tch_probes *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/** The entry of a folder that follows `name` in the order of bytes, of those that start with
    prefix; into name. Begin with "". */
bool tch_probe_next(struct tch_probes *p, const char *folder, const char *prefix,
                    char name[NAME_MAX + 1]);

/** The rest of the line of text that starts with key, without the colon and white space around;
    "" and false where there is no such line. */
bool tch_text_field(const char *text, const char *key, char *out, size_t size);

/** Whether word stands in text between blanks. */
bool tch_text_word(const char *text, const char *word);

/** How many CPUs a list such as "0-3,8" names; 0 when it is not one. */
unsigned tch_cpu_list_count(const char *list);

/** Reads the flags of the CPU, which is an x86 when it has some; "" and false where it has none. */
bool tch_probe_cpu_flags(struct tch_probes *p, char *out, size_t size);

/** Returns whether this is a virtual machine. */
bool tch_probe_virtual(struct tch_probes *p);

/** Whether the effective capabilities of /proc/self/status hold this bit. */
bool tch_probe_capable(struct tch_probes *p, unsigned bit);

/** Whether perf events are open to this user whatever perf_event_paranoid says. */
bool tch_probe_may_perf_all(struct tch_probes *p);

/** The command that installs what holds a program, for the distribution of /etc/os-release. */
enum tch_package {
    TCH_PACKAGE_PERF,
    TCH_PACKAGE_CARGO,
    TCH_PACKAGE_HYPERFINE,
    TCH_PACKAGE_GDB,
    TCH_PACKAGE_DEBUGINFOD,
    TCH_PACKAGE_SENSORS,
    TCH_PACKAGE_VALGRIND,
    TCH_PACKAGES,
};
void tch_install_command(struct tch_probes *p, enum tch_package package, char *out, size_t size);

/* The groups that the table of probe.c lists. */
extern const struct tch_probe_group tch_probe_clock;
extern const struct tch_probe_group tch_probe_cpu;
extern const struct tch_probe_group tch_probe_events;
extern const struct tch_probe_group tch_probe_memory;
extern const struct tch_probe_group tch_probe_power;
extern const struct tch_probe_group tch_probe_system;
extern const struct tch_probe_group tch_probe_tools;

#endif
