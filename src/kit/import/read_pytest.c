/* pytest-benchmark --benchmark-json: rounds in one process. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "import_read.h"

static bool is_pytest(const struct tch_import_input *in)
{
    const struct tch_json_node *all = tch_json_tree_get(in->root, "benchmarks");
    const struct tch_json_node *first = tch_json_tree_first(all);

    return tch_json_tree_is(all, TCH_JSON_ARRAY) &&
           (tch_json_tree_get(in->root, "machine_info") ||
            tch_json_tree_get(in->root, "commit_info") ||
            (tch_json_tree_get(first, "fullname") && tch_json_tree_get(first, "stats")));
}

/* Returns the values, unless somebody shortened them by a string. */
static const struct tch_json_node *data_of(const struct tch_json_node *stats)
{
    const struct tch_json_node *data = tch_json_tree_get(stats, "data");

    for (const struct tch_json_node *v = tch_json_tree_first(data); v;
         v = tch_json_tree_next(data, v))
        if (v->type != TCH_JSON_NUMBER)
            return NULL;
    return data;
}

static void add_bench(struct tch_import_input *in, const struct tch_json_node *e)
{
    const struct tch_json_node *stats = tch_json_tree_get(e, "stats");
    const struct tch_json_node *data = data_of(stats);
    const struct tch_json_node *name = tch_json_tree_get(e, "fullname");
    double median = tch_json_tree_number(tch_json_tree_get(stats, "median"));
    double rounds = tch_json_tree_number(tch_json_tree_get(stats, "rounds"));
    struct tch_aggregate *a;
    struct tch_result *r;
    struct tch_buf b;

    tch_buf_init(&b, TCH_IMPORT_NAME);
    tch_json_tree_add(&b, name ? name : tch_json_tree_get(e, "name"));
    if (!tch_json_tree_first(data) && isnan(median)) {
        tch_import_problem(in, e->text, "'%.200s' has neither values nor a median", b.data);
        tch_buf_release(&b);
        return;
    }
    r = tch_import_bench_named(in, &b, false);
    tch_buf_release(&b);
    for (const struct tch_json_node *v = tch_json_tree_first(data); v;
         v = tch_json_tree_next(data, v))
        tch_import_value(in, r, &tch_import_wall, 0, tch_json_tree_number(v) * 1e9);
    if (tch_json_tree_first(data))
        return;
    tch_import_value(in, r, &tch_import_wall, 0, median * 1e9);
    a = tch_import_statistic(in, r, &tch_import_wall, "median", rounds > 0 ? (uint64_t)rounds : 0,
                             NAN);
    if (a)
        a->spread = tch_json_tree_number(tch_json_tree_get(stats, "iqr")) * 1e9;
}

static void read_pytest(struct tch_import_input *in)
{
    const struct tch_json_node *all = tch_json_tree_get(in->root, "benchmarks");
    const struct tch_json_node *cpu =
        tch_json_tree_get(tch_json_tree_get(in->root, "machine_info"), "cpu");
    const struct tch_json_node *date = tch_json_tree_get(in->root, "datetime");
    const struct tch_json_node *brand = tch_json_tree_get(cpu, "brand_raw");
    const struct tch_json_node *id =
        tch_json_tree_get(tch_json_tree_get(in->root, "commit_info"), "id");
    uint64_t when = date ? tch_import_time(date->text, date->len) : 0;
    char *commit = tch_json_tree_copy(id);

    if (when > 0)
        in->when = when;
    if (commit)
        snprintf(in->commit, sizeof in->commit, "%.64s", commit);
    free(commit);
    in->version = tch_json_tree_copy(tch_json_tree_get(in->root, "version"));
    tch_import_machine(in, brand ? brand : tch_json_tree_get(cpu, "brand"),
                       tch_json_tree_number(tch_json_tree_get(cpu, "count")));
    for (const struct tch_json_node *e = tch_json_tree_first(all); e;
         e = tch_json_tree_next(all, e))
        add_bench(in, e);
}

const struct tch_import_reader tch_import_pytest = {
    .format = {.name = "pytest-benchmark",
               .tool = "pytest-benchmark",
               .is = "JSON object with benchmarks[] of fullname and stats",
               .repetition = TCH_IN_PROCESS,
               .advice = "write the file with --benchmark-json, or save with "
                         "--benchmark-save-data"},
    .is = is_pytest,
    .read = read_pytest,
};
