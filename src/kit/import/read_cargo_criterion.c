/* cargo criterion --message-format=json: one line per benchmark. */
#include <math.h>

#include "import_read.h"
#include "json_lines.h"

static bool is_cargo_criterion(const struct tch_import_input *in)
{
    const struct tch_json_node *reason = tch_json_tree_get(in->root, "reason");

    return tch_json_tree_text_is(reason, "benchmark-complete") ||
           tch_json_tree_text_is(reason, "group-complete");
}

static void add_line(struct tch_import_input *in, const struct tch_json_node *e, void *ctx)
{
    const struct tch_json_node *iters = tch_json_tree_get(e, "iteration_count");
    const struct tch_json_node *times = tch_json_tree_get(e, "measured_values");
    const struct tch_json_node *unit = tch_json_tree_get(e, "unit");
    const struct tch_json_node *n = tch_json_tree_first(iters);
    double ns = unit ? tch_import_unit_ns(unit->text, unit->len) : NAN;
    struct tch_import_metric m = tch_import_wall;
    struct tch_result *r;
    struct tch_buf name;
    struct tch_buf other;

    (void)ctx;
    if (!tch_json_tree_text_is(tch_json_tree_get(e, "reason"), "benchmark-complete"))
        return;
    tch_buf_init(&name, TCH_IMPORT_NAME);
    tch_buf_init(&other, 60);
    tch_json_tree_add(&name, tch_json_tree_get(e, "id"));
    if (isnan(ns)) { /* a measurement of the user's, such as cycles */
        tch_json_tree_add(&other, unit);
        m = (struct tch_import_metric){other.data, other.data,
                                       tch_import_unit_better(other.data, other.len), false};
        ns = 1;
    }
    r = tch_import_bench_named(in, &name, false);
    for (const struct tch_json_node *t = tch_json_tree_first(times); t && n;
         t = tch_json_tree_next(times, t), n = tch_json_tree_next(iters, n))
        tch_import_value(in, r, &m, 0, tch_json_tree_number(t) / tch_json_tree_number(n) * ns);
    tch_buf_release(&name);
    tch_buf_release(&other);
}

static void read_cargo_criterion(struct tch_import_input *in)
{
    tch_import_json_lines(in, add_line, NULL);
}

const struct tch_import_reader tch_import_cargo_criterion = {
    .format = {.name = "cargo-criterion",
               .tool = "cargo-criterion",
               .is = "JSON lines with \"reason\": \"benchmark-complete\"",
               .repetition = TCH_IN_PROCESS},
    .is = is_cargo_criterion,
    .read = read_cargo_criterion,
};
