/* pyperf: runs are processes, each with values. */
#include <math.h>

#include "import_read.h"

static bool is_pyperf(const struct tch_import_input *in)
{
    const struct tch_json_node *first =
        tch_json_tree_first(tch_json_tree_get(in->root, "benchmarks"));

    return tch_json_tree_is(tch_json_tree_get(first, "runs"), TCH_JSON_ARRAY) &&
           tch_json_tree_get(in->root, "version") && !tch_json_tree_get(in->root, "layout");
}

/* Finds a metadatum of a benchmark: in it, in its first run, or in the file. */
static const struct tch_json_node *about(const struct tch_import_input *in,
                                         const struct tch_json_node *e, const char *key)
{
    const struct tch_json_node *run = tch_json_tree_first(tch_json_tree_get(e, "runs"));
    const struct tch_json_node *found = tch_json_tree_get(tch_json_tree_get(e, "metadata"), key);

    if (!found)
        found = tch_json_tree_get(tch_json_tree_get(run, "metadata"), key);
    return found ? found : tch_json_tree_get(tch_json_tree_get(in->root, "metadata"), key);
}

static void add_bench(struct tch_import_input *in, const struct tch_json_node *e)
{
    static const struct tch_import_metric memory = {"memory", "B", TCH_BETTER_LOWER, false};
    static const struct tch_import_metric plain = {"value", "count", TCH_BETTER_UNKNOWN, false};
    const struct tch_json_node *runs = tch_json_tree_get(e, "runs");
    const struct tch_json_node *unit = about(in, e, "unit");
    bool bytes = tch_json_tree_text_is(unit, "byte");
    bool whole = tch_json_tree_text_is(unit, "integer");
    const struct tch_import_metric *m = bytes ? &memory : whole ? &plain : &tch_import_wall;
    struct tch_result *r;
    struct tch_buf name;
    size_t process = 0;

    tch_buf_init(&name, TCH_IMPORT_NAME);
    tch_json_tree_add(&name, about(in, e, "name"));
    r = tch_import_bench_named(in, &name, false);
    tch_buf_release(&name);
    for (const struct tch_json_node *run = tch_json_tree_first(runs); run;
         run = tch_json_tree_next(runs, run)) {
        const struct tch_json_node *all = tch_json_tree_get(run, "values");

        /* A run without values calibrated the number of loops. */
        if (!tch_json_tree_first(all))
            continue;
        for (const struct tch_json_node *v = tch_json_tree_first(all); v;
             v = tch_json_tree_next(all, v))
            tch_import_value(in, r, m, process,
                             tch_json_tree_number(v) * (bytes || whole ? 1 : 1e9));
        if (!bytes)
            tch_import_value(in, r, &memory, process,
                             tch_json_tree_number(tch_json_tree_get(
                                 tch_json_tree_get(run, "metadata"), "mem_max_rss")));
        process++;
    }
}

static void read_pyperf(struct tch_import_input *in)
{
    const struct tch_json_node *all = tch_json_tree_get(in->root, "benchmarks");
    const struct tch_json_node *first = tch_json_tree_first(all);
    const struct tch_json_node *date = about(in, first, "date");
    uint64_t when = date ? tch_import_time(date->text, date->len) : 0;

    if (when > 0)
        in->when = when;
    in->version = tch_json_tree_copy(about(in, first, "perf_version"));
    tch_import_machine(in, about(in, first, "cpu_model_name"),
                       tch_json_tree_number(about(in, first, "cpu_count")));
    for (const struct tch_json_node *e = first; e; e = tch_json_tree_next(all, e))
        add_bench(in, e);
}

const struct tch_import_reader tch_import_pyperf = {
    .format = {.name = "pyperf",
               .tool = "pyperf",
               .is = "JSON object with version and benchmarks[] of runs[]",
               .repetition = TCH_BY_PROCESS},
    .is = is_pyperf,
    .read = read_pyperf,
};
