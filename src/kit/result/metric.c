/* The table of metrics that tacho knows by name, and the names of all others. */
#include "metric.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "kit/event/event_stages.h"
#include "kit/stats/session.h"

#define MEMORY_PREFIX "memory."
#define STAGE_PREFIX  "stage:"

/* `assumed` is the session spread until occasions are known, as the standard deviation of the
   logarithm of the ratio of two sessions. Clocks and neighbours change times by a few percent,
   memory and instructions hardly at all. The empty strings stand for the parentheses that a string
   in an array cannot have. */
#define ROW(called, in_files, heading, in, from, at, judged, assumed)                \
    {                                                                                \
        .name = "" called, .key = "" in_files, .title = "" heading, .unit = (in),    \
        .source = (from), .better = TCH_BETTER_LOWER, .gated = (judged), .scale = 1, \
        .spread = (assumed), .number = (at)                                          \
    }
#define KERNEL(called, in_files, heading, in, at, judged, assumed) \
    ROW(called, in_files, heading, in, TCH_FROM_KERNEL, at, judged, assumed)
#define COUNTED(called, heading, in, at, judged, assumed) \
    ROW(called, called, heading, in, TCH_FROM_COUNTS, at, judged, assumed)
#define MEMORY(called, heading) \
    ROW(called, called, heading, TCH_BYTES, TCH_FROM_MEMORY, SIZE_MAX, true, 0.0065)

#define LATENCY(called, heading)                                                                \
    {                                                                                           \
        .name = "" called, .key = "" called, .title = "" heading, .unit = TCH_NS,               \
        .source = TCH_FROM_LATENCY, .better = TCH_BETTER_LOWER, .several = true, .gated = true, \
        .scale = 1, .spread = TCH_SESSION_SPREAD, .number = SIZE_MAX                            \
    }

const struct tch_metric tch_known_metrics[] = {
    KERNEL("wall", "wall_ns", "wall time", TCH_NS, TCH_WALL, true, TCH_SESSION_SPREAD),
    ROW("cpu", "cpu", "CPU time", TCH_NS, TCH_FROM_OTHERS, SIZE_MAX, true, TCH_SESSION_SPREAD),
    KERNEL("user", "user_ns", "user CPU", TCH_NS, TCH_USER, false, TCH_SESSION_SPREAD),
    KERNEL("system", "system_ns", "system CPU", TCH_NS, TCH_SYSTEM, false, 0.065),
    KERNEL("memory", "max_rss_bytes", "peak memory", TCH_BYTES, TCH_MAX_RSS, true, 0.0065),
    ROW("tree_memory", "tree_rss_bytes", "peak memory of the tree", TCH_BYTES, TCH_FROM_TREE,
        TCH_TREE_RSS, false, 0.0065),
    MEMORY("kv_cache", "peak key-value cache"),
    MEMORY("activation", "peak activations"),
    MEMORY("temp_buffer", "peak temporary buffers"),
    LATENCY("latency", "latency"),
    LATENCY("latency_kernel", "latency in the kernel"),
    ROW("energy", "energy_j", "energy", TCH_JOULES, TCH_FROM_POWER, TCH_ENERGY, true, 0.039),
    ROW("server_cpu", "server_cpu_ns", "CPU time of the server", TCH_NS, TCH_FROM_SERVER,
        TCH_SERVER_CPU, true, TCH_SESSION_SPREAD),
    ROW("server_memory", "server_rss_bytes", "memory of the server", TCH_BYTES, TCH_FROM_SERVER,
        TCH_SERVER_RSS, true, 0.0065),
    ROW("server_energy", "server_energy_j", "energy of the server, estimated", TCH_JOULES,
        TCH_FROM_SERVER, TCH_SERVER_ENERGY, true, 0.039),
    {.name = "throughput",
     .key = "throughput",
     .title = "throughput",
     .unit = TCH_RATE,
     .source = TCH_FROM_OTHERS,
     .better = TCH_BETTER_HIGHER,
     .gated = true,
     .scale = 1,
     .spread = TCH_SESSION_SPREAD,
     .number = SIZE_MAX},
    KERNEL("instructions", "instructions", "instructions", TCH_COUNT, TCH_INSTRUCTIONS, true,
           0.0065),
    COUNTED("instructions", "instructions", TCH_COUNT, TCH_COUNT_INSTRUCTIONS, true, 0.0065),
    COUNTED("syscalls", "system calls", TCH_COUNT, TCH_COUNT_SYSCALLS, true, 0.0065),
    COUNTED("allocations", "allocations", TCH_COUNT, TCH_COUNT_ALLOCATIONS, true, 0.0065),
    COUNTED("allocated_bytes", "allocated bytes", TCH_BYTES, TCH_COUNT_ALLOCATED_BYTES, true,
            0.0065),
    COUNTED("faults", "page faults", TCH_COUNT, TCH_COUNT_FAULTS, false, 0.013),
    KERNEL("cycles", "cycles", "CPU cycles", TCH_COUNT, TCH_CYCLES, false, TCH_SESSION_SPREAD),
    KERNEL("branches", "branches", "branches", TCH_COUNT, TCH_BRANCHES, false, 0.0065),
    KERNEL("branch_misses", "branch_misses", "branch misses", TCH_COUNT, TCH_BRANCH_MISSES, false,
           0.065),
    KERNEL("cache_references", "cache_references", "cache references", TCH_COUNT,
           TCH_CACHE_REFERENCES, false, 0.065),
    KERNEL("cache_misses", "cache_misses", "cache misses", TCH_COUNT, TCH_CACHE_MISSES, false,
           0.065),
    KERNEL("minor_faults", "minor_faults", "minor page faults", TCH_COUNT, TCH_MINOR_FAULTS, false,
           0.013),
    KERNEL("major_faults", "major_faults", "major page faults", TCH_COUNT, TCH_MAJOR_FAULTS, false,
           0.065),
    KERNEL("voluntary_switches", "voluntary_switches", "waits (context switches)", TCH_COUNT,
           TCH_VOLUNTARY, false, 0.065),
    KERNEL("involuntary_switches", "involuntary_switches", "preemptions", TCH_COUNT,
           TCH_INVOLUNTARY, false, 0.065),
    KERNEL("block_reads", "block_reads", "blocks read", TCH_COUNT, TCH_BLOCK_READS, false, 0.065),
    KERNEL("block_writes", "block_writes", "blocks written", TCH_COUNT, TCH_BLOCK_WRITES, false,
           0.065),
};

const size_t tch_known_metric_count = sizeof tch_known_metrics / sizeof tch_known_metrics[0];

static const struct tch_metric *known_by_number(bool counted, size_t number)
{
    for (size_t i = 0; i < tch_known_metric_count; i++) {
        const struct tch_metric *m = &tch_known_metrics[i];

        if (m->number == number && (m->source == TCH_FROM_COUNTS) == counted)
            return m;
    }
    return NULL; /* every field and every count has a row */
}

const struct tch_metric *tch_field_metric(enum tch_field field)
{
    return known_by_number(false, field);
}

const struct tch_metric *tch_count_metric(enum tch_count_kind kind)
{
    return known_by_number(true, kind);
}

/* --- Kinds --- */

bool tch_metric_is_field(const struct tch_metric *m)
{
    return m->source == TCH_FROM_KERNEL || m->source == TCH_FROM_TREE ||
           m->source == TCH_FROM_POWER || m->source == TCH_FROM_SERVER;
}

bool tch_metric_keeps_quantiles(const struct tch_metric *m)
{
    return !m->asked && (m->source == TCH_FROM_STAGES || m->source == TCH_FROM_LATENCY ||
                         m->source == TCH_FROM_MEMORY);
}

bool tch_metric_keeps_lists(const struct tch_metric *m)
{
    return m->several && !tch_metric_keeps_quantiles(m);
}

bool tch_metric_comes_first(const struct tch_metric *m)
{
    return tch_metric_is_field(m) || m->source == TCH_FROM_OTHERS;
}

/* --- Names with a source --- */

static const struct {
    const char *prefix;
    enum tch_metric_source source;
    enum tch_metric_statistic otherwise;
} prefixes[] = {
    {"span:", TCH_FROM_SPANS, TCH_STATISTIC_TOTAL},
    {STAGE_PREFIX, TCH_FROM_STAGES, TCH_STATISTIC_P50},
    {"latency:", TCH_FROM_LATENCY, TCH_STATISTIC_P50},
};

static const char *const statistics[TCH_STATISTICS] = {"total", "count", "mean",
                                                       "p50",   "p99",   "max"};

bool tch_metric_name_parse(const char *name, struct tch_metric_name *ret)
{
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        size_t prefix = strlen(prefixes[i].prefix);
        const char *colon;

        if (strncmp(name, prefixes[i].prefix, prefix) != 0)
            continue;
        *ret = (struct tch_metric_name){.source = prefixes[i].source,
                                        .text = name + prefix,
                                        .len = strlen(name + prefix),
                                        .statistic = prefixes[i].otherwise};
        colon = strrchr(ret->text, ':');
        for (int s = 0; colon && s < TCH_STATISTICS; s++)
            if (strcmp(colon + 1, statistics[s]) == 0) {
                ret->statistic = (enum tch_metric_statistic)s;
                ret->len = (size_t)(colon - ret->text);
                ret->complete = true;
            }
        return true;
    }
    return false;
}

bool tch_metric_is_recorded(const char *name)
{
    struct tch_metric_name parts;

    return tch_metric_name_parse(name, &parts);
}

bool tch_metric_name_complete(const char *name, char ret[TCH_METRIC_TEXT])
{
    struct tch_metric_name p;
    int n;

    if (!tch_metric_name_parse(name, &p) || p.len == 0 || p.len > TCH_METRIC_TEXT)
        return false;
    n = snprintf(ret, TCH_METRIC_TEXT, "%.*s%.*s:%s", (int)(p.text - name), name, (int)p.len,
                 p.text, statistics[p.statistic]);
    return n > 0 && n < TCH_METRIC_TEXT;
}

/* --- Metrics by name --- */

static void set_name(struct tch_metric *m, const char *name)
{
    snprintf(m->name, sizeof m->name, "%s", name);
    snprintf(m->key, sizeof m->key, "%s", name);
    snprintf(m->title, sizeof m->title, "%s", name);
}

void tch_metric_describe(struct tch_metric *ret, const char *name, bool all)
{
    struct tch_metric_name p = {.source = TCH_FROM_OUTPUT};
    bool recorded = tch_metric_name_parse(name, &p);
    bool count = p.statistic == TCH_STATISTIC_COUNT ||
                 (p.source == TCH_FROM_STAGES && tch_stage_is_count(p.text, p.len));
    bool time = recorded && !count;

    /* Less is better for a recorded time. Of all others only the user knows. */
    *ret = (struct tch_metric){.unit = time       ? TCH_NS
                                       : recorded ? TCH_COUNT
                                                  : TCH_PLAIN,
                               .source = p.source,
                               .better = time ? TCH_BETTER_LOWER : TCH_BETTER_UNKNOWN,
                               .asked = true,
                               .several = all,
                               .gated = time,
                               .scale = 1,
                               .spread = TCH_SESSION_SPREAD,
                               .number = SIZE_MAX};
    set_name(ret, name);
}

/* Units that tacho shows by itself. */
static const struct {
    const char *text;
    enum tch_unit unit;
} shown_units[] = {
    {"ns", TCH_NS},     {"B", TCH_BYTES}, {"count", TCH_COUNT}, {"cycles", TCH_COUNT},
    {"op/s", TCH_RATE}, {"/s", TCH_RATE}, {"B/s", TCH_RATE},
};

void tch_metric_describe_imported(struct tch_metric *ret, const char *name, const char *unit,
                                  enum tch_better better, bool exact)
{
    bool shown = !unit[0] || strcmp(unit, name) == 0 || strcmp(unit, "?") == 0;
    enum tch_unit as = TCH_PLAIN;

    for (size_t i = 0; i < sizeof shown_units / sizeof shown_units[0]; i++)
        if (strcmp(shown_units[i].text, unit) == 0) {
            as = shown_units[i].unit;
            shown = true;
        }
    *ret = (struct tch_metric){.unit = as,
                               .source = TCH_FROM_OUTPUT,
                               .better = better,
                               .asked = true,
                               .several = true,
                               .gated = better != TCH_BETTER_UNKNOWN,
                               .exact = exact,
                               .scale = 1,
                               .spread = as == TCH_BYTES ? 0.0065 : TCH_SESSION_SPREAD,
                               .number = SIZE_MAX};
    set_name(ret, name);
    if (!shown)
        snprintf(ret->title, sizeof ret->title, "%.90s (%.30s)", name, unit);
}

bool tch_metric_describe_recorded(struct tch_metric *ret, const char *name)
{
    bool stage = strncmp(name, STAGE_PREFIX, strlen(STAGE_PREFIX)) == 0 && strchr(name, '.');
    bool memory =
        strncmp(name, MEMORY_PREFIX, strlen(MEMORY_PREFIX)) == 0 && name[strlen(MEMORY_PREFIX)];
    bool count = stage && tch_stage_is_count(name, strlen(name));

    if ((!stage && !memory) || strlen(name) >= TCH_METRIC_TEXT)
        return false;
    *ret = (struct tch_metric){
        .unit = count   ? TCH_COUNT
                : stage ? TCH_NS
                        : TCH_BYTES,
        .source = stage ? TCH_FROM_STAGES : TCH_FROM_MEMORY,
        .better = count ? TCH_BETTER_UNKNOWN : TCH_BETTER_LOWER,
        .several = stage,
        .gated = !count,
        .scale = stage && !count ? 1e3 : 1, /* events contain microseconds */
        .spread = stage ? TCH_SESSION_SPREAD : 0.0065,
        .number = SIZE_MAX,
    };
    set_name(ret, name);
    snprintf(ret->title, sizeof ret->title, "%s%.100s", stage ? "stage " : "peak ",
             name + strlen(stage ? STAGE_PREFIX : MEMORY_PREFIX));
    return true;
}

/* Returns whether two names are equal when '-' and '_' are. */
static bool is_same_word(const char *a, const char *b)
{
    for (; *a && (*a == *b || (*a == '_' && *b == '-')); a++)
        b++;
    return *a == *b;
}

bool tch_metric_is(const struct tch_metric *known, const char *name)
{
    size_t prefix = strlen(MEMORY_PREFIX);

    if (known->source == TCH_FROM_COUNTS)
        return is_same_word(known->name, name);
    if (known->source == TCH_FROM_MEMORY && strncmp(name, MEMORY_PREFIX, prefix) == 0)
        name += prefix;
    return strcmp(known->name, name) == 0 || strcmp(known->key, name) == 0;
}

bool tch_metric_is_reserved(const char *name)
{
    for (size_t i = 0; i < tch_known_metric_count; i++)
        if (tch_metric_is(&tch_known_metrics[i], name))
            return tch_metric_comes_first(&tch_known_metrics[i]);
    return false;
}

/* A stage without a statistic keeps its quantiles, so it is not the metric that has one value. */
static bool find_asked(const char *name, struct tch_metric *ret)
{
    char whole[TCH_METRIC_TEXT];
    struct tch_metric_name p;

    if (!tch_metric_name_complete(name, whole) || !tch_metric_name_parse(name, &p) ||
        (p.source == TCH_FROM_STAGES && !p.complete))
        return false;
    tch_metric_describe(ret, whole, false);
    return true;
}

bool tch_metric_find(const char *name, struct tch_metric *ret)
{
    for (size_t i = 0; i < tch_known_metric_count; i++)
        if (tch_metric_is(&tch_known_metrics[i], name)) {
            *ret = tch_known_metrics[i];
            return true;
        }
    return find_asked(name, ret) || tch_metric_describe_recorded(ret, name);
}
