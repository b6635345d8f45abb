/* Results as run.json: the tables of its members. result_run_json.c has those of a run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json_write.h"
#include "layouts.h"
#include "result.h"
#include "result_aggregate.h"

/* --- The parts of run.json --- */

#define COMMAND(kind, member, when)                              \
    {                                                            \
        TCH_JSON_##kind(struct tch_result_command, member, when) \
    }

static const struct tch_json_field command_fields[] = {
    COMMAND(TEXT, line, TCH_JSON_OR_NULL),
    COMMAND(WORDS, argv, TCH_JSON_ALWAYS),
    COMMAND(TEXT, program, TCH_JSON_OR_NULL),
    COMMAND(BOOL, shell, TCH_JSON_ALWAYS),
    COMMAND(TEXT, cwd, TCH_JSON_OR_NULL),
    COMMAND(PAIRS, env, TCH_JSON_ALWAYS),
    COMMAND(TEXT, input, TCH_JSON_OR_NULL),
    COMMAND(TEXT, output, TCH_JSON_OR_NULL),
    {0},
};

#define PLAN(kind, member, when)                              \
    {                                                         \
        TCH_JSON_##kind(struct tch_result_plan, member, when) \
    }

static const struct tch_json_field plan_fields[] = {
    PLAN(U64, runs, TCH_JSON_OR_NULL),
    PLAN(F64, precision, TCH_JSON_OR_NULL),
    PLAN(U64, max_runs, TCH_JSON_OR_NULL),
    PLAN(U64, max_time_ns, TCH_JSON_OR_NULL),
    PLAN(F64, alpha, TCH_JSON_ALWAYS),
    PLAN(U64, interval_ns, TCH_JSON_ALWAYS),
    PLAN(U64, warmup, TCH_JSON_ALWAYS),
    PLAN(U64, timeout_ns, TCH_JSON_OR_NULL),
    PLAN(TEXT, cpus, TCH_JSON_OR_NULL),
    PLAN(BOOL, no_aslr, TCH_JSON_ALWAYS),
    PLAN(BOOL, no_record, TCH_JSON_LEFT_OUT),
    PLAN(RAW, seed, TCH_JSON_OR_NULL),
    PLAN(BOOL, allow_nonzero, TCH_JSON_ALWAYS),
    PLAN(BOOL, seal, TCH_JSON_ALWAYS),
    PLAN(WORDS, counts, TCH_JSON_LEFT_OUT),
    PLAN(U64, count_runs, TCH_JSON_LEFT_OUT),
    PLAN(U64, layouts, TCH_JSON_OR_NULL),
    PLAN(U64, layout_runs, TCH_JSON_OR_NULL),
    PLAN(TEXT, server, TCH_JSON_OR_NULL),
    PLAN(TEXT, ready, TCH_JSON_OR_NULL),
    PLAN(TEXT, setup, TCH_JSON_OR_NULL),
    PLAN(TEXT, prepare, TCH_JSON_OR_NULL),
    PLAN(TEXT, conclude, TCH_JSON_OR_NULL),
    PLAN(TEXT, cleanup, TCH_JSON_OR_NULL),
    PLAN(TEXT, relink, TCH_JSON_OR_NULL),
    PLAN(TEXT, check_output, TCH_JSON_LEFT_OUT),
    PLAN(TEXT, check_command, TCH_JSON_LEFT_OUT),
    {0},
};

static const struct tch_json_field config_fields[] = {
    {TCH_JSON_TEXT(struct tch_result_config, path, TCH_JSON_OR_NULL)},
    {TCH_JSON_CHARS(struct tch_result_config, sha256, TCH_JSON_OR_NULL)},
    {TCH_JSON_RAW(struct tch_result_config, document, TCH_JSON_OR_NULL)},
    {0},
};

static const struct tch_json_field work_fields[] = {
    {TCH_JSON_F64(struct tch_result_work, amount, TCH_JSON_ALWAYS)},
    {TCH_JSON_TEXT(struct tch_result_work, unit, TCH_JSON_OR_NULL)},
    {0},
};

static bool counts_recordings(const void *costs)
{
    return ((const struct tch_result_costs *)costs)->recordings_per_run > 0;
}

static bool counts_spans(const void *costs)
{
    return ((const struct tch_result_costs *)costs)->spans_per_run > 0;
}

static bool counts_events(const void *costs)
{
    return ((const struct tch_result_costs *)costs)->events_per_run > 0;
}

static bool counts_latencies(const void *costs)
{
    return ((const struct tch_result_costs *)costs)->latencies_per_run > 0;
}

#define COST(kind, member) TCH_JSON_##kind(struct tch_result_costs, member, TCH_JSON_ALWAYS)
#define RECORDED(member, is_there)                                                            \
    {                                                                                         \
        TCH_JSON_F64(struct tch_result_costs, member, TCH_JSON_LEFT_OUT), .there = (is_there) \
    }

static const struct tch_json_field cost_fields[] = {
    {COST(F64, tacho_cpu_ns)},
    {COST(U64, polls)},
    {COST(F64, polls_cpu_ns)},
    RECORDED(recordings_per_run, counts_recordings),
    RECORDED(recording_cost_ns, counts_recordings),
    RECORDED(spans_per_run, counts_spans),
    RECORDED(span_cost_ns, counts_spans),
    RECORDED(events_per_run, counts_events),
    RECORDED(event_cost_ns, counts_events),
    RECORDED(latencies_per_run, counts_latencies),
    RECORDED(latency_cost_ns, counts_latencies),
    {0},
};

static bool has_energy(const void *server)
{
    return !isnan(((const struct tch_result_server *)server)->energy_j);
}

/* Energy of one process is always an estimate: sources measure a package or the machine. */
static void write_energy_status(struct tch_buf *b, const void *server)
{
    (void)server;
    tch_json_text(b, "estimated");
}

static const struct tch_json_field server_fields[] = {
    {TCH_JSON_F64(struct tch_result_server, ready_s, TCH_JSON_ALWAYS)},
    {TCH_JSON_F64(struct tch_result_server, cpu_ns, TCH_JSON_ALWAYS)},
    {TCH_JSON_F64(struct tch_result_server, peak_rss_bytes, TCH_JSON_ALWAYS)},
    {TCH_JSON_F64(struct tch_result_server, energy_j, TCH_JSON_LEFT_OUT)},
    {.key = "energy_status",
     .kind = TCH_JSON_AS_OWN,
     .absent = TCH_JSON_LEFT_OUT,
     .there = has_energy,
     .write = write_energy_status},
    {0},
};

/* The statistics of latencies. The median is not one of them: it is computed as in all results. */
struct latency_stats {
    tacho_latency_stats s;
    double p50;
};

#define LATENCY(as, member)                                                              \
    {                                                                                    \
        .key = #member, .kind = (as), .offset = offsetof(struct latency_stats, s.member) \
    }

static const struct tch_json_field latency_stats_fields[] = {
    LATENCY(TCH_JSON_AS_U64, n),
    LATENCY(TCH_JSON_AS_U64, min),
    LATENCY(TCH_JSON_AS_U64, p90),
    LATENCY(TCH_JSON_AS_U64, p95),
    LATENCY(TCH_JSON_AS_U64, p99),
    LATENCY(TCH_JSON_AS_U64, p999),
    LATENCY(TCH_JSON_AS_U64, max),
    LATENCY(TCH_JSON_AS_U64, mad),
    {TCH_JSON_F64(struct latency_stats, p50, TCH_JSON_ALWAYS)},
    LATENCY(TCH_JSON_AS_F64, mean),
    LATENCY(TCH_JSON_AS_F64, std),
    {0},
};

struct latencies {
    bool exact;
    struct latency_stats wall_ns;
    struct latency_stats kernel_ns;
};

static bool has_kernel_latencies(const void *latencies)
{
    return ((const struct latencies *)latencies)->kernel_ns.s.max > 0;
}

static const struct tch_json_field latency_fields[] = {
    {TCH_JSON_BOOL(struct latencies, exact, TCH_JSON_ALWAYS)},
    {TCH_JSON_FIELD(struct latencies, wall_ns, TCH_JSON_AS_OBJECT, TCH_JSON_ALWAYS),
     .fields = latency_stats_fields},
    {TCH_JSON_FIELD(struct latencies, kernel_ns, TCH_JSON_AS_OBJECT, TCH_JSON_LEFT_OUT),
     .fields = latency_stats_fields, .there = has_kernel_latencies},
    {0},
};

/* --- The members of run.json that have functions of their own --- */

static bool has_ended(const void *result)
{
    return ((const struct tch_result *)result)->ended;
}

static bool has_vcs(const void *result)
{
    return ((const struct tch_result *)result)->vcs.sha[0];
}

static bool has_config(const void *result)
{
    return ((const struct tch_result *)result)->config.document;
}

static const struct tch_json_field imported_fields[] = {
    {TCH_JSON_TEXT(struct tch_result_imported, tool, TCH_JSON_OR_NULL)},
    {TCH_JSON_TEXT(struct tch_result_imported, version, TCH_JSON_OR_NULL)},
    {TCH_JSON_TEXT(struct tch_result_imported, format, TCH_JSON_ALWAYS)},
    {TCH_JSON_TEXT(struct tch_result_imported, file, TCH_JSON_OR_NULL)},
    {TCH_JSON_CHARS(struct tch_result_imported, sha256, TCH_JSON_OR_NULL)},
    {TCH_JSON_TEXT(struct tch_result_imported, note, TCH_JSON_LEFT_OUT)},
    {0},
};

static bool is_imported(const void *result)
{
    return ((const struct tch_result *)result)->imported.format;
}

static bool has_work(const void *result)
{
    return ((const struct tch_result *)result)->work.amount > 0;
}

/* Writes the unit and the direction of a metric of another tool. */
static void write_imported_metric(struct tch_buf *b, const struct tch_column *c)
{
    tch_json_put_text(b, "unit", c->unit);
    if (c->metric.better != TCH_BETTER_UNKNOWN)
        tch_json_put_text(b, "better", c->metric.better == TCH_BETTER_HIGHER ? "higher" : "lower");
    if (c->metric.exact)
        tch_json_put_bool(b, "exact", true);
}

static void write_metrics(struct tch_buf *b, const void *result)
{
    const struct tch_result *r = result;

    tch_json_begin_array(b);
    for (size_t i = TCH_FIELDS; i < r->column_count; i++) {
        const struct tch_column *c = &r->columns[i];

        if (!c->metric.asked)
            continue;
        tch_json_begin_object(b);
        tch_json_put_text(b, "name", c->metric.name);
        tch_json_put_text(b, "regex", c->expression);
        tch_json_put_bool(b, "all", c->metric.several);
        if (c->unit)
            write_imported_metric(b, c);
        tch_json_end_object(b);
    }
    tch_json_end_array(b);
}

/* An element of "metrics". */
struct asked {
    char *name;
    char *regex;
    bool all;
    char *unit; /* NULL: it is not imported */
    char better[8];
    bool exact;
};

static const struct tch_json_field asked_fields[] = {
    {TCH_JSON_TEXT(struct asked, name, TCH_JSON_ALWAYS)},
    {TCH_JSON_TEXT(struct asked, regex, TCH_JSON_OR_NULL)},
    {TCH_JSON_BOOL(struct asked, all, TCH_JSON_ALWAYS)},
    {TCH_JSON_TEXT(struct asked, unit, TCH_JSON_LEFT_OUT)},
    {TCH_JSON_CHARS(struct asked, better, TCH_JSON_LEFT_OUT)},
    {TCH_JSON_BOOL(struct asked, exact, TCH_JSON_LEFT_OUT)},
    {0},
};

/* Adds the column of an element. The name may be missing or too long in a file that somebody
   changed; the values under that name are then skipped. */
static int add_asked(struct tch_result *r, struct asked *a, tacho_error *err)
{
    struct tch_metric metric;
    int at;

    if (!a->name || strlen(a->name) >= TCH_METRIC_TEXT)
        return 0;
    if (r->column_count >= TCH_FIELDS + (size_t)(a->unit ? TCH_IMPORTED_MOST : TCH_METRICS_MOST))
        return tch_fail(err, TACHO_ELIMIT, 0, "run.json has more than %d metrics",
                        a->unit ? TCH_IMPORTED_MOST : TCH_METRICS_MOST);
    if (a->unit)
        tch_metric_describe_imported(&metric, a->name, a->unit,
                                     strcmp(a->better, "higher") == 0  ? TCH_BETTER_HIGHER
                                     : strcmp(a->better, "lower") == 0 ? TCH_BETTER_LOWER
                                                                       : TCH_BETTER_UNKNOWN,
                                     a->exact);
    else
        tch_metric_describe(&metric, a->name, a->all);
    metric.several = a->all;
    at = tch_result_add_column(r, &metric, err);
    if (at < 0)
        return at;
    r->columns[at].expression = a->regex;
    r->columns[at].unit = a->unit;
    a->regex = a->unit = NULL;
    return 0;
}

static int read_metrics(struct tch_json_reader *j, void *result, tacho_error *err)
{
    struct tch_json_value value;
    int status = tch_json_read(j, &value);
    int more = 0;

    if (status < 0 || value.type == TCH_JSON_NULL)
        return status;
    if (value.type != TCH_JSON_ARRAY)
        return tch_fail(err, TACHO_EPARSE, 0, "'metrics' must be an array");
    while (status == 0 && (more = tch_json_element(j)) > 0) {
        struct asked a = {0};

        status = tch_json_fields_read(j, asked_fields, &a, NULL, err);
        if (status == 0)
            status = add_asked(result, &a, err);
        tch_json_fields_release(asked_fields, &a);
    }
    return status < 0 ? status : more;
}

static void write_precision(struct tch_buf *b, const void *result)
{
    const struct tch_result *r = result;
    double reached = r->row_count > 0 ? tch_summary_precision(&r->rows[0].summary) : INFINITY;

    tch_json_begin_object(b);
    tch_json_put_f64(b, "target", r->plan.precision);
    tch_json_put_f64(b, "reached", reached); /* null without an interval */
    tch_json_put_f64(b, "alpha", r->alpha);
    tch_json_end_object(b);
}

static int read_precision(struct tch_json_reader *j, void *result, tacho_error *err)
{
    static const struct tch_json_field fields[] = {
        {TCH_JSON_F64(struct tch_result, alpha, TCH_JSON_ALWAYS)},
        {0},
    };
    struct tch_json_value value;
    struct tch_json_reader inner;

    if (tch_json_read_raw(j, &value) < 0)
        return j->status;
    tch_json_open(&inner, value.text, value.len, NULL);
    return value.type == TCH_JSON_OBJECT ? tch_json_fields_read(&inner, fields, result, NULL, err)
                                         : 0;
}

static bool has_server(const void *result)
{
    const struct tch_result *r = result;

    return r->ended && r->server.ready_s > 0;
}

static bool has_latencies(const void *result)
{
    const struct tch_result *r = result;

    return r->ended && r->latency.wall.n > 0;
}

static void write_latency(struct tch_buf *b, const void *result)
{
    const struct tch_latency_summary *s = &((const struct tch_result *)result)->latency;

    tch_json_fields_write(b, latency_fields,
                          &(struct latencies){s->exact,
                                              {.s = s->wall, .p50 = s->wall_p50},
                                              {.s = s->kernel, .p50 = s->kernel_p50}});
}

static int read_latency(struct tch_json_reader *j, void *result, tacho_error *err)
{
    struct tch_latency_summary *s = &((struct tch_result *)result)->latency;
    struct latencies l = {false, {.s = TACHO_LATENCY_STATS_INIT}, {.s = TACHO_LATENCY_STATS_INIT}};
    int status = tch_json_fields_read(j, latency_fields, &l, NULL, err);

    if (status == 0)
        *s = (struct tch_latency_summary){.exact = l.exact,
                                          .wall = l.wall_ns.s,
                                          .kernel = l.kernel_ns.s,
                                          .wall_p50 = l.wall_ns.p50,
                                          .kernel_p50 = l.kernel_ns.p50};
    return status;
}

static bool has_layouts(const void *result)
{
    const struct tch_result *r = result;
    struct tch_layout_spread s;

    if (!r->ended || !tch_result_by_layout(r))
        return false;
    tch_layout_spread(r, TCH_WALL, &s);
    return s.layouts > 0;
}

static void write_layouts(struct tch_buf *b, const void *result)
{
    struct tch_layout_spread s;

    tch_layout_spread(result, TCH_WALL, &s);
    tch_layout_spread_write(b, &s);
}

static bool has_counts(const void *result)
{
    const struct tch_result *r = result;

    return r->ended && tch_counts_asked(&r->counts);
}

static void write_counts(struct tch_buf *b, const void *result)
{
    tch_counts_write(b, &((const struct tch_result *)result)->counts);
}

static int read_counts(struct tch_json_reader *j, void *result, tacho_error *err)
{
    return tch_counts_read(j, &((struct tch_result *)result)->counts, err);
}

static void write_statistics(struct tch_buf *b, const void *result)
{
    const struct tch_result *r = result;

    tch_rows_write(b, r->rows, r->row_count);
}

static void write_warnings(struct tch_buf *b, const void *result)
{
    tch_warnings_write(b, &((const struct tch_result *)result)->warnings);
}

static int read_warnings(struct tch_json_reader *j, void *result, tacho_error *err)
{
    return tch_warnings_read(j, &((struct tch_result *)result)->warnings, err);
}

static void write_samples(struct tch_buf *b, const void *result)
{
    const struct tch_result *r = result;

    tch_json_begin_array(b);
    for (size_t i = 0; i < r->run_count; i++)
        tch_result_write_run(b, r, i);
    tch_json_end_array(b);
}

/* Notes that there is an outcome. The samples are read last, when all metrics are known. */
static int note_samples(struct tch_json_reader *j, void *result, tacho_error *err)
{
    (void)err;
    ((struct tch_result *)result)->ended = true;
    return tch_json_skip(j);
}

/* The aggregates are read last, too. */
static int note_aggregates(struct tch_json_reader *j, void *result, tacho_error *err)
{
    (void)result;
    (void)err;
    return tch_json_skip(j);
}

#define RESULT(kind, member, when) TCH_JSON_##kind(struct tch_result, member, when)
#define OUTCOME(kind, member) \
    TCH_JSON_##kind(struct tch_result, member, TCH_JSON_LEFT_OUT), .there = has_ended
#define OBJECT(member, when, table, is_there)                                               \
    TCH_JSON_FIELD(struct tch_result, member, TCH_JSON_AS_OBJECT, when), .fields = (table), \
                                                                         .there = (is_there)
#define OWN(name, is_there, writer, reader)                                                   \
    .key = (name), .kind = TCH_JSON_AS_OWN, .absent = TCH_JSON_LEFT_OUT, .there = (is_there), \
    .write = (writer), .read = (reader)

const struct tch_json_field tch_result_fields[] = {
    {RESULT(CHARS, schema, TCH_JSON_ALWAYS)},
    {RESULT(TEXT, tacho_version, TCH_JSON_OR_NULL)},
    {RESULT(TEXT, name, TCH_JSON_OR_NULL)},
    {RESULT(CHARS, id, TCH_JSON_ALWAYS)},
    {RESULT(CHARS, group, TCH_JSON_OR_NULL)},
    {RESULT(U64, order_seed, TCH_JSON_LEFT_OUT)},
    {RESULT(TEXT, comparison, TCH_JSON_LEFT_OUT)},
    {RESULT(CHARS, started_at, TCH_JSON_ALWAYS)},
    {RESULT(U64, started_unix_ns, TCH_JSON_ALWAYS)},
    {RESULT(U64, started_monotonic_ns, TCH_JSON_ALWAYS)},
    {OBJECT(command, TCH_JSON_ALWAYS, command_fields, NULL)},
    {OBJECT(plan, TCH_JSON_ALWAYS, plan_fields, NULL)},
    {RESULT(TEXT, machine_class, TCH_JSON_OR_NULL)},
    {RESULT(RAW, environment, TCH_JSON_OR_NULL)},
    {RESULT(CHARS, environment_hash, TCH_JSON_ALWAYS)},
    {RESULT(CHARS, commit, TCH_JSON_OR_NULL)},
    {OBJECT(vcs, TCH_JSON_OR_NULL, tch_vcs_fields, has_vcs)},
    {OBJECT(config, TCH_JSON_OR_NULL, config_fields, has_config)},
    {RESULT(PAIRS, labels, TCH_JSON_ALWAYS)},
    {OBJECT(work, TCH_JSON_OR_NULL, work_fields, has_work)},
    {OWN("metrics", NULL, write_metrics, read_metrics)},
    {RESULT(CHARS, program_sha256, TCH_JSON_OR_NULL)},
    {RESULT(CHARS, input_sha256, TCH_JSON_OR_NULL)},
    {RESULT(CHARS, fingerprint, TCH_JSON_OR_NULL)},
    {OBJECT(imported, TCH_JSON_LEFT_OUT, imported_fields, is_imported)},
    {RESULT(CHARS, repetition, TCH_JSON_LEFT_OUT)},
    {OWN("aggregate", tch_result_has_aggregates, tch_result_write_aggregates, note_aggregates)},
    {RESULT(CHARS, state, TCH_JSON_ALWAYS)},
    {OUTCOME(CHARS, ended_at)},
    {OUTCOME(U64, ended_unix_ns)},
    {OUTCOME(CHARS, stopped)},
    {OWN("precision", has_ended, write_precision, read_precision)},
    {OBJECT(costs, TCH_JSON_LEFT_OUT, cost_fields, has_ended)},
    {OBJECT(server, TCH_JSON_LEFT_OUT, server_fields, has_server)},
    {OBJECT(power, TCH_JSON_LEFT_OUT, tch_power_origin_fields, has_ended)},
    {OWN("latency", has_latencies, write_latency, read_latency)},
    {OWN("layouts", has_layouts, write_layouts, NULL)},
    {OWN("counts", has_counts, write_counts, read_counts)},
    {OWN("statistics", has_ended, write_statistics, NULL)},
    {OWN("warnings", has_ended, write_warnings, read_warnings)},
    {OWN("samples", has_ended, write_samples, note_samples)},
    {0},
};

/* --- The document --- */

void tch_result_write(struct tch_buf *b, const struct tch_result *r)
{
    tch_json_begin_object(b);
    tch_json_fields_write_members(b, tch_result_fields, r);
    tch_json_others_write_members(b, &r->others);
    tch_json_end_object(b);
    tch_json_line_end(b);
}

static int read_samples(struct tch_result *r, const char *text, size_t len, tacho_error *err)
{
    struct tch_json_value samples;
    struct tch_json_value value;
    struct tch_json_reader j;
    int more;

    if (!tch_json_find(text, len, "samples", &samples))
        return 0;
    tch_json_open(&j, samples.text, samples.len, err);
    if (tch_json_read(&j, &value) < 0)
        return j.status;
    if (value.type != TCH_JSON_ARRAY)
        return tch_fail(err, TACHO_EPARSE, 0, "'samples' must be an array");
    while ((more = tch_json_element(&j)) > 0) {
        int status = tch_result_read_run(&j, r, err);

        if (status < 0)
            return status;
    }
    return more;
}

/* Gives texts that reports print, and that a file of another program may lack, a value. */
static int fill_texts(struct tch_result *r, tacho_error *err)
{
    char **const texts[] = {&r->name, &r->command.line, &r->machine_class};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (!*texts[i] && !(*texts[i] = strdup("")))
            return tch_fail_memory(err);
    return 0;
}

int tch_result_parse(struct tch_result *r, const char *text, size_t len, tacho_error *err)
{
    struct tch_json_reader j;
    int status = tch_result_init(r, err);

    if (status < 0)
        return status;
    r->plan.alpha = TCH_RESULT_ALPHA;
    r->alpha = NAN; /* without an outcome, that of the plan */
    tch_json_open(&j, text, len, err);
    status = tch_json_fields_read(&j, tch_result_fields, r, &r->others, err);
    if (status == 0)
        status = tch_json_finish(&j);
    if (status < 0)
        return status;
    if (strcmp(r->schema, TCH_RESULT_SCHEMA) != 0)
        return tch_fail(err, TACHO_EPARSE, 0, "its schema is '%s', not " TCH_RESULT_SCHEMA,
                        r->schema);
    if (isnan(r->alpha))
        r->alpha = r->plan.alpha;
    status = fill_texts(r, err);
    if (status == 0)
        status = tch_result_read_aggregates(r, text, len, err);
    return status < 0 ? status : read_samples(r, text, len, err);
}
