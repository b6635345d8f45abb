/* nanobench, templates::json(): epochs in one process. */
#include "import_read.h"

static bool is_nanobench(const struct tch_import_input *in)
{
    const struct tch_json_node *first = tch_json_tree_first(tch_json_tree_get(in->root, "results"));

    return tch_json_tree_get(first, "title") && tch_json_tree_get(first, "name") &&
           tch_json_tree_get(first, "median(elapsed)");
}

static void read_nanobench(struct tch_import_input *in)
{
    const struct tch_json_node *results = tch_json_tree_get(in->root, "results");

    for (const struct tch_json_node *e = tch_json_tree_first(results); e;
         e = tch_json_tree_next(results, e)) {
        const struct tch_json_node *all = tch_json_tree_get(e, "measurements");
        struct tch_result *r;
        struct tch_buf name;

        tch_buf_init(&name, TCH_IMPORT_NAME);
        tch_json_tree_add(&name, tch_json_tree_get(e, "title"));
        tch_buf_addc(&name, '/');
        tch_json_tree_add(&name, tch_json_tree_get(e, "name"));
        r = tch_import_bench_named(in, &name, false);
        tch_buf_release(&name);
        for (const struct tch_json_node *m = tch_json_tree_first(all); m;
             m = tch_json_tree_next(all, m))
            tch_import_value(in, r, &tch_import_wall, 0,
                             tch_json_tree_number(tch_json_tree_get(m, "elapsed")) * 1e9);
    }
}

const struct tch_import_reader tch_import_nanobench = {
    .format = {.name = "nanobench",
               .tool = "nanobench",
               .is = "JSON object with results[] of title, name and median(elapsed)",
               .repetition = TCH_IN_PROCESS},
    .is = is_nanobench,
    .read = read_nanobench,
};
