/* data.js of github-action-benchmark: one value per benchmark and commit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import_read.h"

static bool is_data_js(const struct tch_import_input *in)
{
    return tch_json_tree_is(tch_json_tree_get(in->root, "entries"), TCH_JSON_OBJECT) &&
           tch_json_tree_get(in->root, "lastUpdate");
}

/* Adds a value with a unit such as "ns/iter", "ops/sec", "us" or one of the user's. */
static void add_value(struct tch_import_input *in, struct tch_result *r,
                      const struct tch_json_node *e)
{
    const struct tch_json_node *range = tch_json_tree_get(e, "range");
    double value = tch_json_tree_number(tch_json_tree_get(e, "value"));
    struct tch_import_metric m = tch_import_wall;
    struct tch_aggregate *a;
    struct tch_buf unit;
    double ns;
    size_t len;

    tch_buf_init(&unit, 60);
    tch_json_tree_add(&unit, tch_json_tree_get(e, "unit"));
    len = strcspn(unit.data, "/");
    ns = tch_import_unit_ns(unit.data, len);
    if (isnan(ns)) {
        m = (struct tch_import_metric){unit.len > 0 ? unit.data : "value", unit.data,
                                       tch_import_unit_better(unit.data, unit.len), false};
        if (strcmp(unit.data, "ops/sec") == 0)
            m.better = TCH_BETTER_HIGHER;
        ns = 1;
    }
    tch_import_value(in, r, &m, 0, value * ns);
    a = tch_import_statistic(in, r, &m, "value", 0, NAN);
    if (a && range && range->len > 3 && memcmp(range->text, "\xc2\xb1 ", 3) == 0) {
        struct tch_json_node number = *range;

        number.text += 3;
        number.len -= 3;
        a->spread = tch_json_tree_number(&number) * ns;
    }
    tch_buf_release(&unit);
}

static void add_entry(struct tch_import_input *in, const struct tch_json_node *suite,
                      const struct tch_json_node *entry)
{
    const struct tch_json_node *all = tch_json_tree_get(entry, "benches");
    double date = tch_json_tree_number(tch_json_tree_get(entry, "date"));
    char *commit = tch_json_tree_copy(tch_json_tree_get(tch_json_tree_get(entry, "commit"), "id"));

    for (const struct tch_json_node *e = tch_json_tree_first(all); e;
         e = tch_json_tree_next(all, e)) {
        struct tch_result *r;
        struct tch_buf name;

        tch_buf_init(&name, TCH_IMPORT_NAME);
        tch_json_tree_add_key(&name, suite);
        tch_buf_addc(&name, '/');
        tch_json_tree_add(&name, tch_json_tree_get(e, "name"));
        r = tch_import_bench_at(in, name.data, name.len, commit ? commit : "");
        tch_buf_release(&name);
        if (r && date > 0 && date < 9e12)
            r->started_unix_ns = (uint64_t)date * 1000000u;
        add_value(in, r, e);
    }
    free(commit);
}

static void read_data_js(struct tch_import_input *in)
{
    const struct tch_json_node *suites = tch_json_tree_get(in->root, "entries");

    for (const struct tch_json_node *s = tch_json_tree_first(suites); s;
         s = tch_json_tree_next(suites, s))
        for (const struct tch_json_node *e = tch_json_tree_first(s); e;
             e = tch_json_tree_next(s, e))
            add_entry(in, s, e);
}

const struct tch_import_reader tch_import_data_js = {
    .format = {.name = "github-action-benchmark",
               .tool = "github-action-benchmark",
               .is = "window.BENCHMARK_DATA = an object with entries and lastUpdate",
               .repetition = TCH_IN_PROCESS,
               .advice = "import the files of the benchmark tool itself"},
    .is = is_data_js,
    .read = read_data_js,
};
