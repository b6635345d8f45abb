/* BenchmarkDotNet, JsonExporter.Full: launches, each with iterations. */
#include <math.h>
#include <stdio.h>

#include "import_read.h"

static bool is_benchmarkdotnet(const struct tch_import_input *in)
{
    return tch_json_tree_get(in->root, "HostEnvironmentInfo") &&
           tch_json_tree_is(tch_json_tree_get(in->root, "Benchmarks"), TCH_JSON_ARRAY);
}

static void add_name(struct tch_buf *b, const struct tch_json_node *e)
{
    static const char *const parts[] = {"Namespace", "Type", "Method"};

    if (tch_json_tree_get(e, "FullName")) {
        tch_json_tree_add(b, tch_json_tree_get(e, "FullName"));
        return;
    }
    for (size_t i = 0; i < 3; i++) {
        if (b->len > 0)
            tch_buf_addc(b, '.');
        tch_json_tree_add(b, tch_json_tree_get(e, parts[i]));
    }
}

/* Adds the measurements of a stage. "Result" has the overhead subtracted; where it is missing, as
   with RunStrategy.Monitoring, "Actual" is the result. */
static size_t add_stage(struct tch_import_input *in, struct tch_result *r,
                        const struct tch_json_node *e, const char *stage)
{
    const struct tch_json_node *all = tch_json_tree_get(e, "Measurements");
    size_t n = 0;

    for (const struct tch_json_node *m = tch_json_tree_first(all); m;
         m = tch_json_tree_next(all, m)) {
        double launch = tch_json_tree_number(tch_json_tree_get(m, "LaunchIndex"));

        if (!tch_json_tree_text_is(tch_json_tree_get(m, "IterationMode"), "Workload") ||
            !tch_json_tree_text_is(tch_json_tree_get(m, "IterationStage"), stage))
            continue;
        tch_import_value(in, r, &tch_import_wall,
                         launch >= 1 && launch < 10000 ? (size_t)launch - 1 : 0,
                         tch_json_tree_number(tch_json_tree_get(m, "Nanoseconds")) /
                             tch_json_tree_number(tch_json_tree_get(m, "Operations")));
        n++;
    }
    return n;
}

static void add_bench(struct tch_import_input *in, const struct tch_json_node *e)
{
    static const struct tch_import_metric allocated = {"allocated/op", "B", TCH_BETTER_LOWER, true};
    const struct tch_json_node *stats = tch_json_tree_get(e, "Statistics");
    double median = tch_json_tree_number(tch_json_tree_get(stats, "Median"));
    double count = tch_json_tree_number(tch_json_tree_get(stats, "N"));
    struct tch_aggregate *a;
    struct tch_result *r;
    struct tch_buf name;

    tch_buf_init(&name, TCH_IMPORT_NAME);
    add_name(&name, e);
    if (!tch_json_tree_is(stats, TCH_JSON_OBJECT)) {
        tch_import_problem(in, e->text, "'%.200s' failed: it has no statistics", name.data);
        tch_buf_release(&name);
        return;
    }
    r = tch_import_bench_named(in, &name, false);
    tch_buf_release(&name);
    if (add_stage(in, r, e, "Result") == 0 && add_stage(in, r, e, "Actual") == 0) {
        tch_import_value(in, r, &tch_import_wall, 0, median);
        a = tch_import_statistic(in, r, &tch_import_wall, "median", count > 0 ? (uint64_t)count : 0,
                                 NAN);
        if (a)
            a->spread = tch_json_tree_number(tch_json_tree_get(stats, "StandardDeviation"));
    }
    tch_import_value(in, r, &allocated, 0,
                     tch_json_tree_number(tch_json_tree_get(tch_json_tree_get(e, "Memory"),
                                                            "BytesAllocatedPerOperation")));
    if (r && r->run_count <= 1)
        snprintf(r->repetition, sizeof r->repetition, "%s", TCH_IN_PROCESS);
}

static void read_benchmarkdotnet(struct tch_import_input *in)
{
    const struct tch_json_node *all = tch_json_tree_get(in->root, "Benchmarks");
    const struct tch_json_node *host = tch_json_tree_get(in->root, "HostEnvironmentInfo");

    in->version = tch_json_tree_copy(tch_json_tree_get(host, "BenchmarkDotNetVersion"));
    tch_import_machine(in, tch_json_tree_get(host, "ProcessorName"),
                       tch_json_tree_number(tch_json_tree_get(host, "LogicalCoreCount")));
    for (const struct tch_json_node *e = tch_json_tree_first(all); e;
         e = tch_json_tree_next(all, e))
        add_bench(in, e);
}

const struct tch_import_reader tch_import_benchmarkdotnet = {
    .format = {.name = "benchmarkdotnet",
               .tool = "BenchmarkDotNet",
               .is = "JSON object with HostEnvironmentInfo and Benchmarks[]",
               .repetition = TCH_BY_PROCESS,
               .advice = "use [JsonExporterAttribute.Full]"},
    .is = is_benchmarkdotnet,
    .read = read_benchmarkdotnet,
};
