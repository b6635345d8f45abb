/* Bencher Metric Format: {benchmark: {measure: {value, lower_value, upper_value}}}. */
#include <math.h>
#include <string.h>

#include "import_read.h"

/* Returns whether an object has only members that a measure can have. */
static bool is_measure(const struct tch_json_node *m)
{
    if (!tch_json_tree_is(tch_json_tree_get(m, "value"), TCH_JSON_NUMBER))
        return false;
    for (const struct tch_json_node *c = tch_json_tree_first(m); c; c = tch_json_tree_next(m, c))
        if (!tch_json_tree_key_is(c, "value") && !tch_json_tree_key_is(c, "lower_value") &&
            !tch_json_tree_key_is(c, "upper_value"))
            return false;
    return true;
}

static bool is_bmf(const struct tch_import_input *in)
{
    if (!tch_json_tree_is(in->root, TCH_JSON_OBJECT) || !tch_json_tree_first(in->root))
        return false;
    for (const struct tch_json_node *b = tch_json_tree_first(in->root); b;
         b = tch_json_tree_next(in->root, b)) {
        if (!tch_json_tree_is(b, TCH_JSON_OBJECT) || !tch_json_tree_first(b))
            return false;
        for (const struct tch_json_node *m = tch_json_tree_first(b); m;
             m = tch_json_tree_next(b, m))
            if (!is_measure(m))
                return false;
    }
    return true;
}

/* Units and directions are settings of the server, except for the built-in measures. */
static void add_measure(struct tch_import_input *in, struct tch_result *r,
                        const struct tch_json_node *e)
{
    struct tch_import_metric m = {.unit = "?", .better = TCH_BETTER_UNKNOWN};
    struct tch_aggregate *a;
    struct tch_buf name;

    tch_buf_init(&name, TCH_METRIC_TEXT);
    tch_json_tree_add_key(&name, e);
    m.name = name.data;
    if (strcmp(name.data, "latency") == 0)
        m = tch_import_wall;
    else if (strcmp(name.data, "throughput") == 0)
        m = (struct tch_import_metric){"throughput", "op/s", TCH_BETTER_HIGHER, false};
    tch_import_value(in, r, &m, 0, tch_json_tree_number(tch_json_tree_get(e, "value")));
    a = tch_import_statistic(in, r, &m, "value", 0, NAN);
    if (a) {
        a->low = tch_json_tree_number(tch_json_tree_get(e, "lower_value"));
        a->high = tch_json_tree_number(tch_json_tree_get(e, "upper_value"));
    }
    tch_buf_release(&name);
}

static void read_bmf(struct tch_import_input *in)
{
    for (const struct tch_json_node *b = tch_json_tree_first(in->root); b;
         b = tch_json_tree_next(in->root, b)) {
        struct tch_result *r;
        struct tch_buf name;

        tch_buf_init(&name, TCH_IMPORT_NAME);
        tch_json_tree_add_key(&name, b);
        r = tch_import_bench_named(in, &name, false);
        tch_buf_release(&name);
        for (const struct tch_json_node *m = tch_json_tree_first(b); m;
             m = tch_json_tree_next(b, m))
            add_measure(in, r, m);
    }
}

const struct tch_import_reader tch_import_bmf = {
    .format = {.name = "bmf",
               .tool = "Bencher",
               .is = "JSON object of benchmarks, each an object of measures with a value",
               .repetition = TCH_IN_PROCESS,
               .advice = "import the files of the benchmark tool itself"},
    .is = is_bmf,
    .read = read_bmf,
};
