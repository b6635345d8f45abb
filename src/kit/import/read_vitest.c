/* vitest bench --outputJson, up to version 4: milliseconds, mostly without the samples. */
#include <math.h>

#include "import_read.h"

static bool is_vitest(const struct tch_import_input *in)
{
    const struct tch_json_node *files = tch_json_tree_get(in->root, "files");

    return tch_json_tree_is(files, TCH_JSON_ARRAY) &&
           tch_json_tree_get(tch_json_tree_first(files), "groups");
}

static void add_bench(struct tch_import_input *in, const struct tch_json_node *group,
                      const struct tch_json_node *e)
{
    const struct tch_json_node *all = tch_json_tree_get(e, "samples");
    double median = tch_json_tree_number(tch_json_tree_get(e, "median"));
    double mean = tch_json_tree_number(tch_json_tree_get(e, "mean"));
    double count = tch_json_tree_number(tch_json_tree_get(e, "sampleCount"));
    struct tch_aggregate *a;
    struct tch_result *r;
    struct tch_buf name;

    tch_buf_init(&name, TCH_IMPORT_NAME);
    tch_json_tree_add(&name, tch_json_tree_get(group, "fullName"));
    tch_buf_adds(&name, " > ");
    tch_json_tree_add(&name, tch_json_tree_get(e, "name"));
    if (!tch_json_tree_first(all) && isnan(median) && isnan(mean)) {
        tch_import_problem(in, e->text, "'%.200s' has no time", name.data);
        tch_buf_release(&name);
        return;
    }
    r = tch_import_bench_named(in, &name, false);
    tch_buf_release(&name);
    for (const struct tch_json_node *v = tch_json_tree_first(all); v;
         v = tch_json_tree_next(all, v))
        tch_import_value(in, r, &tch_import_wall, 0, tch_json_tree_number(v) * 1e6);
    if (tch_json_tree_first(all))
        return;
    tch_import_value(in, r, &tch_import_wall, 0, (isnan(median) ? mean : median) * 1e6);
    a = tch_import_statistic(in, r, &tch_import_wall, isnan(median) ? "mean" : "median",
                             count > 0 ? (uint64_t)count : 0, NAN);
    if (a)
        a->spread = tch_json_tree_number(tch_json_tree_get(e, "sd")) * 1e6;
}

static void read_vitest(struct tch_import_input *in)
{
    const struct tch_json_node *files = tch_json_tree_get(in->root, "files");

    for (const struct tch_json_node *f = tch_json_tree_first(files); f;
         f = tch_json_tree_next(files, f)) {
        const struct tch_json_node *groups = tch_json_tree_get(f, "groups");

        for (const struct tch_json_node *g = tch_json_tree_first(groups); g;
             g = tch_json_tree_next(groups, g)) {
            const struct tch_json_node *all = tch_json_tree_get(g, "benchmarks");

            for (const struct tch_json_node *e = tch_json_tree_first(all); e;
                 e = tch_json_tree_next(all, e))
                add_bench(in, g, e);
        }
    }
}

const struct tch_import_reader tch_import_vitest = {
    .format = {.name = "vitest",
               .tool = "vitest",
               .is = "JSON object with files[] of groups[]",
               .repetition = TCH_IN_PROCESS,
               .advice = "run it several times and import all files together"},
    .is = is_vitest,
    .read = read_vitest,
};
