/* Describes energy values, and measures the idle power. */
#include "kit/power/power_origin.h"

#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/json_write.h"
#include "base/number.h"
#include "kit/text/human_number.h"
#include "lib/measure/under_root.h"

enum { SOURCES = 8 }; /* limit of sources of a meter */

int tch_power_check(const char *name, const char *more, tacho_error *err)
{
    double watts;

    for (const char *const *known = tacho_power_names(); *known; known++)
        if (strcmp(name, *known) == 0)
            return 0;
    if (strncmp(name, "replay:", 7) == 0 && name[7])
        return 0;
    if (strncmp(name, "fixed:", 6) == 0)
        return tch_parse_f64(name + 6, &watts) == 0 && watts >= 0
                   ? 0
                   : tch_fail(err, TACHO_EINVAL, 0,
                              "'%.60s' is not a number of watts, as in fixed:100", name + 6);
    return tch_fail(
        err, TACHO_EINVAL, 0,
        "there is no power source '%.60s'; use %srapl, perf, hwmon, nvml, rocm, battery, "
        "fixed:WATTS or replay:FILE",
        name, more);
}

int tch_power_add_named(tacho_power *power, const char *name, const char *root, tacho_error *err)
{
    tacho_power_source source = TACHO_POWER_SOURCE_INIT;
    int status = tch_power_open(name, root, &source, err);

    if (status < 0)
        return status;
    status = tacho_power_add(power, &source, err);
    if (status < 0 && source.close)
        source.close(source.ctx);
    return status;
}

double tch_power_given_watts(const char *name)
{
    double watts = 0;

    if (strncmp(name, "fixed:", 6) != 0 || tch_parse_f64(name + 6, &watts) < 0)
        return 0;
    return watts;
}

static void append(char *list, size_t size, const char *text)
{
    size_t len = strlen(list);

    snprintf(list + len, size - len, "%s%s", len > 0 ? "+" : "", text);
}

void tch_power_origin_of(struct tch_power_origin *o, tacho_power *power)
{
    tacho_power_report r = TACHO_POWER_REPORT_INIT;
    bool failed = false;

    *o = (struct tch_power_origin){
        .status = "unavailable", .idle = o->idle, .given_watts = o->given_watts};
    for (size_t i = 0; power && tacho_power_report_at(power, i, &r, NULL) == 0; i++) {
        const char *status = tacho_power_status(&r);

        if (r.counted_by != 0) {
            snprintf(o->why_not, sizeof o->why_not,
                     "process %llu already counts the energy of %s; stop it, or read its report",
                     (unsigned long long)r.counted_by, r.name);
            continue;
        }
        failed = failed || r.dropped > 0;
        append(o->source, sizeof o->source, r.name);
        append(o->domain, sizeof o->domain, r.domain[0] ? r.domain : "-");
        if (o->update_us < r.update_us)
            o->update_us = r.update_us;
        if (strcmp(o->status, "estimated") != 0 && strcmp(status, "unavailable") != 0)
            o->status = status;
    }
    if (strcmp(o->status, "unavailable") != 0)
        o->why_not[0] = '\0';
    else if (!o->why_not[0])
        snprintf(o->why_not, sizeof o->why_not, "%s",
                 failed         ? "readings of the source failed"
                 : o->source[0] ? "the source was read fewer than two times"
                                : "not requested");
}

bool tch_power_too_short(const struct tch_power_origin *o, double seconds)
{
    return seconds * 1e6 < (double)(TCH_POWER_UPDATES * o->update_us);
}

/* --- JSON --- */

static void write_status(struct tch_buf *b, const void *origin)
{
    tch_json_text(b, ((const struct tch_power_origin *)origin)->status);
}

static int read_status(struct tch_json_reader *r, void *origin, tacho_error *err)
{
    static const char *const statuses[] = {"measured", "estimated", "unavailable"};
    struct tch_json_value value;

    (void)err;
    if (tch_json_read_raw(r, &value) < 0)
        return r->status;
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        if (value.type == TCH_JSON_STRING && value.len == strlen(statuses[i]) + 2 &&
            strncmp(value.text + 1, statuses[i], value.len - 2) == 0)
            ((struct tch_power_origin *)origin)->status = statuses[i];
    return 0;
}

static bool is_given(const void *origin)
{
    return ((const struct tch_power_origin *)origin)->given_watts > 0;
}

static bool has_idle(const void *origin)
{
    return ((const struct tch_power_origin *)origin)->idle.seconds > 0;
}

/* These rows bind fields of the whole origin, because its status is also that of the idle power. */
#define IDLE(member)                         \
    .key = #member, .kind = TCH_JSON_AS_F64, \
    .offset = offsetof(struct tch_power_origin, idle.member)

static const struct tch_json_field idle_fields[] = {
    {.key = "status", .kind = TCH_JSON_AS_OWN, .write = write_status},
    {IDLE(watts)},
    {IDLE(seconds)},
    {IDLE(busy)},
    {0},
};

#define ORIGIN(kind, member, when) TCH_JSON_##kind(struct tch_power_origin, member, when)

const struct tch_json_field tch_power_origin_fields[] = {
    {.key = "status", .kind = TCH_JSON_AS_OWN, .write = write_status, .read = read_status},
    {ORIGIN(CHARS, source, TCH_JSON_OR_NULL), .strict = true},
    {ORIGIN(CHARS, domain, TCH_JSON_OR_NULL), .strict = true},
    {ORIGIN(U64, update_us, TCH_JSON_ALWAYS)},
    {ORIGIN(U64, short_runs, TCH_JSON_ALWAYS)},
    {ORIGIN(F64, given_watts, TCH_JSON_LEFT_OUT), .there = is_given},
    {.key = "idle",
     .kind = TCH_JSON_AS_OBJECT,
     .absent = TCH_JSON_OR_NULL,
     .fields = idle_fields,
     .there = has_idle},
    {ORIGIN(CHARS, why_not, TCH_JSON_OR_NULL), .strict = true},
    {0},
};

/* --- Text --- */

void tch_power_origin_add(struct tch_buf *b, const struct tch_power_origin *o)
{
    if (strcmp(o->status, "unavailable") == 0)
        tch_buf_addf(b, "unavailable: %s", o->why_not);
    else if (o->given_watts > 0)
        tch_buf_addf(b, "%.4g W given x time", o->given_watts);
    else
        tch_buf_addf(b, "%s by %s (%s)", o->status, o->source, o->domain);
}

void tch_power_idle_add(struct tch_buf *b, const struct tch_power_origin *o)
{
    if (!(o->idle.seconds > 0))
        return;
    tch_buf_addf(b, "%.4g W, %s for ", o->idle.watts, o->status);
    tch_add_value(b, TCH_NS, o->idle.seconds * 1e9);
    tch_buf_adds(b, " before");
    if (!isnan(o->idle.busy))
        tch_buf_addf(b, " while the CPUs were %.0f %% busy", 100 * o->idle.busy);
}

/* Returns the sum of the mean watts of all sources since `before`, by the times of their own
   readings. Returns NAN if no source was read. */
static double watts_since(tacho_power *power, const tacho_power_report before[SOURCES])
{
    tacho_power_report r = TACHO_POWER_REPORT_INIT;
    double sum = NAN;

    for (size_t i = 0; i < SOURCES && tacho_power_report_at(power, i, &r, NULL) == 0; i++) {
        double seconds = r.duration_s - before[i].duration_s;
        double from = isnan(before[i].joules) ? 0 : before[i].joules;

        if (seconds > 0 && !isnan(r.joules))
            sum = (isnan(sum) ? 0 : sum) + (r.joules - from) / seconds;
    }
    return sum;
}

/* Reads all sources and gets a report of each. Returns the number of sources. */
static size_t take_all(tacho_power *power, tacho_power_report ret[SOURCES])
{
    size_t count = 0;

    if (tacho_power_poll(power, NULL) < 0)
        return 0;
    for (size_t i = 0; i < SOURCES; i++) {
        ret[i] = (tacho_power_report)TACHO_POWER_REPORT_INIT;
        if (tacho_power_report_at(power, i, &ret[i], NULL) == 0)
            count += ret[i].counted_by == 0;
    }
    return count;
}

int tch_power_idle_measure(tacho_power *power, const char *root, uint64_t ns,
                           const volatile sig_atomic_t *stop, struct tch_power_idle *ret)
{
    const uint64_t step = 100000000;
    uint64_t busy_before = 0;
    uint64_t busy = 0;
    bool known = tch_cpu_busy(root, &busy_before, NULL) == 0;
    uint64_t start = tch_now_ns();
    uint64_t now = start;
    tacho_power_report before[SOURCES];
    double watts;

    *ret = (struct tch_power_idle){.busy = NAN};
    if (take_all(power, before) == 0)
        return 0;
    while (now - start < ns && !(stop && *stop != 0)) {
        uint64_t left = ns - (now - start);

        nanosleep(&(struct timespec){.tv_nsec = (long)(left < step ? left : step - 1)}, NULL);
        if (tacho_power_poll(power, NULL) < 0)
            return 0;
        now = tch_now_ns();
    }
    if (stop && *stop != 0)
        return 1;
    watts = watts_since(power, before);
    if (isnan(watts))
        return 0;
    ret->seconds = (double)(now - start) / 1e9;
    ret->watts = watts;
    if (known && tch_cpu_busy(root, &busy, NULL) == 0)
        ret->busy = (double)(busy - busy_before) / (double)(now - start) /
                    (double)sysconf(_SC_NPROCESSORS_ONLN);
    return 0;
}
