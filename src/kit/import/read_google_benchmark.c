/* Google Benchmark, --benchmark_format=json: repetitions in one process. */
#include <math.h>
#include <string.h>

#include "import_read.h"

static bool is_google_benchmark(const struct tch_import_input *in)
{
    const struct tch_json_node *all = tch_json_tree_get(in->root, "benchmarks");
    const struct tch_json_node *first = tch_json_tree_first(all);
    const struct tch_json_node *context = tch_json_tree_get(in->root, "context");

    if (!tch_json_tree_is(all, TCH_JSON_ARRAY) || tch_json_tree_get(in->root, "layout") ||
        (first && !tch_json_tree_get(first, "name")))
        return false;
    return tch_json_tree_get(context, "num_cpus") || tch_json_tree_get(first, "real_time") ||
           tch_json_tree_get(first, "run_type");
}

/* Members of a benchmark that are not counters. */
static bool is_known(const struct tch_json_node *m)
{
    static const char *const known[] = {"iterations",
                                        "real_time",
                                        "cpu_time",
                                        "threads",
                                        "repetitions",
                                        "repetition_index",
                                        "family_index",
                                        "per_family_instance_index",
                                        "allocs_per_iter",
                                        "max_bytes_used",
                                        "total_allocated_bytes",
                                        "net_heap_growth"};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (tch_json_tree_key_is(m, known[i]))
            return true;
    return false;
}

/* Old versions tell aggregates by their names only. */
static bool is_aggregate(const struct tch_json_node *e)
{
    static const char *const ends[] = {"_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS"};
    const struct tch_json_node *name = tch_json_tree_get(e, "name");
    struct tch_span span = {name ? name->text : "", name ? name->len : 0};

    if (tch_json_tree_get(e, "run_type"))
        return tch_json_tree_text_is(tch_json_tree_get(e, "run_type"), "aggregate");
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (tch_span_ends(span, ends[i]))
            return true;
    return false;
}

static struct tch_result *bench_of(struct tch_import_input *in, const struct tch_json_node *e)
{
    const struct tch_json_node *name = tch_json_tree_get(e, "run_name");
    struct tch_result *r;
    struct tch_buf b;

    if (!name)
        name = tch_json_tree_get(e, "name");
    if (tch_json_tree_is(name, TCH_JSON_STRING) && !name->escaped)
        return tch_import_bench(in, name->text, name->len, true);
    tch_buf_init(&b, TCH_IMPORT_NAME);
    tch_json_tree_add(&b, name);
    r = tch_import_bench_named(in, &b, true);
    tch_buf_release(&b);
    return r;
}

static double scale_of(const struct tch_json_node *e)
{
    const struct tch_json_node *unit = tch_json_tree_get(e, "time_unit");

    return unit ? tch_import_unit_ns(unit->text, unit->len) : 1;
}

static void add_counters(struct tch_import_input *in, struct tch_result *r,
                         const struct tch_json_node *e)
{
    for (const struct tch_json_node *m = tch_json_tree_first(e); m; m = tch_json_tree_next(e, m)) {
        struct tch_import_metric metric = {"", "?", TCH_BETTER_UNKNOWN, false};
        struct tch_buf name;

        /* A counter that is not a number was replaced by "" before parsing. */
        if ((m->type != TCH_JSON_NUMBER && !(m->type == TCH_JSON_STRING && m->len == 0)) ||
            is_known(m) || tch_json_tree_key_is(m, "label"))
            continue;
        tch_buf_init(&name, TCH_METRIC_TEXT);
        tch_json_tree_add_key(&name, m);
        metric.name = name.data;
        if (strcmp(name.data, "bytes_per_second") == 0 ||
            strcmp(name.data, "items_per_second") == 0) {
            metric.unit = "/s";
            metric.better = TCH_BETTER_HIGHER;
        }
        tch_import_value(in, r, &metric, 0, tch_json_tree_number(m));
        tch_buf_release(&name);
    }
}

/* Returns whether a benchmark failed or was skipped. */
static bool has_failed(const struct tch_json_node *e)
{
    return tch_json_tree_is(tch_json_tree_get(e, "error_occurred"), TCH_JSON_TRUE) ||
           tch_json_tree_is(tch_json_tree_get(e, "skipped"), TCH_JSON_TRUE) ||
           tch_json_tree_get(e, "error_message") || tch_json_tree_get(e, "skip_message");
}

static void add_problem(struct tch_import_input *in, const struct tch_json_node *e)
{
    struct tch_buf name;
    struct tch_buf why;

    tch_buf_init(&name, 200);
    tch_buf_init(&why, 200);
    tch_json_tree_add(&name, tch_json_tree_get(e, "name"));
    tch_json_tree_add(&why, tch_json_tree_get(e, "error_message"));
    tch_json_tree_add(&why, tch_json_tree_get(e, "skip_message"));
    if (has_failed(e))
        tch_import_problem(in, e->text, "'%s' failed: %s", name.data, why.data);
    else
        tch_import_problem(in, e->text, "'%s' has no real_time in a known unit", name.data);
    tch_buf_release(&name);
    tch_buf_release(&why);
}

static void add_iteration(struct tch_import_input *in, const struct tch_json_node *e)
{
    double real = tch_json_tree_number(tch_json_tree_get(e, "real_time"));
    double scale = scale_of(e);
    struct tch_result *r;

    if (has_failed(e) || isnan(real) || isnan(scale)) {
        add_problem(in, e);
        return;
    }
    r = bench_of(in, e);
    tch_import_value(in, r, &tch_import_wall, 0, real * scale);
    tch_import_value(in, r, &tch_import_cpu, 0,
                     tch_json_tree_number(tch_json_tree_get(e, "cpu_time")) * scale);
    add_counters(in, r, e);
}

/* Adds the median of a benchmark that has no repetitions in the file. */
static void add_median(struct tch_import_input *in, const struct tch_json_node *e)
{
    double real = tch_json_tree_number(tch_json_tree_get(e, "real_time")) * scale_of(e);
    double n = tch_json_tree_number(tch_json_tree_get(e, "iterations"));
    struct tch_result *r;

    if (!tch_json_tree_text_is(tch_json_tree_get(e, "aggregate_name"), "median") || isnan(real))
        return;
    r = bench_of(in, e);
    if (!r || r->run_count > in->set->states[r - in->set->results].base)
        return;
    tch_import_value(in, r, &tch_import_wall, 0, real);
    (void)tch_import_statistic(in, r, &tch_import_wall, "median", n > 0 ? (uint64_t)n : 0, NAN);
}

static void read_google_benchmark(struct tch_import_input *in)
{
    const struct tch_json_node *all = tch_json_tree_get(in->root, "benchmarks");
    const struct tch_json_node *context = tch_json_tree_get(in->root, "context");
    const struct tch_json_node *date = tch_json_tree_get(context, "date");
    uint64_t when = date ? tch_import_time(date->text, date->len) : 0;

    if (when > 0)
        in->when = when;
    in->version = tch_json_tree_copy(tch_json_tree_get(context, "library_version"));
    tch_import_machine(in, tch_json_tree_get(context, "host_name"),
                       tch_json_tree_number(tch_json_tree_get(context, "num_cpus")));
    for (const struct tch_json_node *e = tch_json_tree_first(all); e;
         e = tch_json_tree_next(all, e))
        if (!is_aggregate(e))
            add_iteration(in, e);
    for (const struct tch_json_node *e = tch_json_tree_first(all); e;
         e = tch_json_tree_next(all, e))
        if (is_aggregate(e))
            add_median(in, e);
}

const struct tch_import_reader tch_import_google_benchmark = {
    .format = {.name = "google-benchmark",
               .tool = "Google Benchmark",
               .is = "JSON object with context and benchmarks[] of name and real_time",
               .repetition = TCH_IN_PROCESS,
               .advice = "run with --benchmark_repetitions=10 and without "
                         "--benchmark_report_aggregates_only"},
    .is = is_google_benchmark,
    .read = read_google_benchmark,
};
