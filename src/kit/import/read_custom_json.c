/* customSmallerIsBetter and customBiggerIsBetter of github-action-benchmark. */
#include "import_read.h"

static bool is_custom_json(const struct tch_import_input *in)
{
    const struct tch_json_node *first =
        tch_json_tree_is(in->root, TCH_JSON_ARRAY) ? tch_json_tree_first(in->root) : NULL;

    return tch_json_tree_get(first, "name") && tch_json_tree_get(first, "value") &&
           tch_json_tree_get(first, "unit");
}

static void read_custom_json(struct tch_import_input *in)
{
    for (const struct tch_json_node *e = tch_json_tree_first(in->root); e;
         e = tch_json_tree_next(in->root, e)) {
        struct tch_import_metric m = {.better = TCH_BETTER_UNKNOWN};
        struct tch_result *r;
        struct tch_buf name;
        struct tch_buf unit;

        tch_buf_init(&name, TCH_IMPORT_NAME);
        tch_buf_init(&unit, 60);
        tch_json_tree_add(&name, tch_json_tree_get(e, "name"));
        tch_json_tree_add(&unit, tch_json_tree_get(e, "unit"));
        m.name = unit.len > 0 ? unit.data : "value";
        m.unit = unit.data;
        m.better = tch_import_unit_better(unit.data, unit.len);
        r = tch_import_bench_named(in, &name, true);
        tch_import_value(in, r, &m, 0, tch_json_tree_number(tch_json_tree_get(e, "value")));
        tch_buf_release(&name);
        tch_buf_release(&unit);
    }
}

const struct tch_import_reader tch_import_custom_json = {
    .format = {.name = "custom-json",
               .tool = "github-action-benchmark",
               .is = "JSON array of objects with name, unit and value",
               .repetition = TCH_IN_PROCESS},
    .is = is_custom_json,
    .read = read_custom_json,
};
