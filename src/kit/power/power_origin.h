/*
 * The origin of energy values, and how reliable they are.
 *
 * Every value in joules or watts is "measured" (by a counter), "estimated" (from watts, or as a
 * share) or "unavailable", and has a source and a domain. The idle power is a separate value.
 */
#ifndef TCH_POWER_ORIGIN_H
#define TCH_POWER_ORIGIN_H

#include <math.h>
#include <signal.h>

#include <tacho/power.h>

#include "base/buf.h"
#include "base/json_fields.h"

enum {
    TCH_POWER_UPDATES = 20, /**< updates of a counter; a run with fewer is not judged */
    TCH_POWER_WHY = 232,
};

/** The machine's power while nothing was run. */
struct tch_power_idle {
    double seconds; /**< 0: not measured */
    double watts;
    double busy; /**< share of all CPUs that other programs used during this time; NAN: not known */
};

struct tch_power_origin {
    const char *status;  /**< "measured", "estimated", "unavailable"; never NULL once set */
    char source[128];    /**< "rapl+nvml"; "": none */
    char domain[192];    /**< "package-0+GPU-0" */
    uint64_t update_us;  /**< the longest update interval of all sources; 0: always current */
    uint64_t short_runs; /**< runs without energy: shorter than TCH_POWER_UPDATES updates of the
                            source */
    double given_watts;  /**< of the only source, fixed:WATTS; 0: there is a sensor */
    char why_not[TCH_POWER_WHY]; /**< why it is unavailable; "" otherwise */
    struct tch_power_idle idle;
};

/**
 * Checks the name of a power source without opening it.
 *
 * @param more  further names for the message, such as "auto, none, "
 * @return 0 or TACHO_EINVAL
 */
int tch_power_check(const char *name, const char *more, tacho_error *err);

/** Opens the power source of that name and adds it. root is the path before /proc and /sys. */
int tch_power_add_named(tacho_power *power, const char *name, const char *root, tacho_error *err);

/** Returns the watts of "fixed:WATTS", or 0 for another source. */
double tch_power_given_watts(const char *name);

/** Describes the sources that a meter reads. Sources that another process counts are left out.
    Keeps the idle power and the given watts. */
void tch_power_origin_of(struct tch_power_origin *o, tacho_power *power);

/** Returns whether a run of `seconds` is too short to judge its energy. */
bool tch_power_too_short(const struct tch_power_origin *o, double seconds);

/** An origin without values, to be read by tch_power_origin_fields. Members that are missing, as in
    files of earlier versions, stay "". */
#define TCH_POWER_ORIGIN_NONE                              \
    {                                                      \
        .status = "", .idle = {.watts = NAN, .busy = NAN } \
    }

/** The members of an origin in JSON. */
extern const struct tch_json_field tch_power_origin_fields[];

/** Adds "measured by rapl (package-0)", "20 W given x time", or "unavailable: " and why. */
void tch_power_origin_add(struct tch_buf *b, const struct tch_power_origin *o);

/** Adds "12.3 W, measured for 5 s before, while the CPUs were 1 % busy"; nothing when the idle
    power was not measured. */
void tch_power_idle_add(struct tch_buf *b, const struct tch_power_origin *o);

/**
 * Measures the idle power. Reads the sources every 100 ms, as during a run.
 *
 * @param root  path before /proc
 * @param stop  not 0: stop early; may be NULL
 * @return 0, or 1 if it was stopped; ret->seconds is 0 if nothing could be read
 */
int tch_power_idle_measure(tacho_power *power, const char *root, uint64_t ns,
                           const volatile sig_atomic_t *stop, struct tch_power_idle *ret);

#endif
