/* perfgate.run.v1, and a perfgate.baseline.v1 that contains one: a process per sample. */
#include <math.h>

#include "import_read.h"

static const struct tch_json_node *receipt_of(const struct tch_json_node *root)
{
    const struct tch_json_node *receipt = tch_json_tree_get(root, "receipt");

    return receipt ? receipt : root;
}

static bool is_perfgate(const struct tch_import_input *in)
{
    return tch_json_tree_text_is(tch_json_tree_get(receipt_of(in->root), "schema"),
                                 "perfgate.run.v1");
}

static void add_sample(struct tch_import_input *in, struct tch_result *r,
                       const struct tch_json_node *s, size_t run)
{
    static const struct {
        const char *key;
        struct tch_import_metric metric;
        double scale;
    } members[] = {
        {"wall_ms", {"wall", "ns", TCH_BETTER_LOWER, false}, 1e6},
        {"cpu_ms", {"cpu", "ns", TCH_BETTER_LOWER, false}, 1e6},
        {"max_rss_kb", {"memory", "B", TCH_BETTER_LOWER, false}, 1024},
        {"page_faults", {"page_faults", "count", TCH_BETTER_LOWER, false}, 1},
        {"ctx_switches", {"ctx_switches", "count", TCH_BETTER_LOWER, false}, 1},
        {"binary_bytes", {"binary_bytes", "B", TCH_BETTER_LOWER, true}, 1},
    };
    double code = tch_json_tree_number(tch_json_tree_get(s, "exit_code"));

    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (tch_json_tree_get(s, members[i].key))
            tch_import_value(in, r, &members[i].metric, run,
                             tch_json_tree_number(tch_json_tree_get(s, members[i].key)) *
                                 members[i].scale);
    if (tch_json_tree_is(tch_json_tree_get(s, "timed_out"), TCH_JSON_TRUE))
        code = 124;
    if (!isnan(code))
        tch_import_exit(in, r, run, (int)code & 0xFF);
}

static void read_perfgate(struct tch_import_input *in)
{
    const struct tch_json_node *root = receipt_of(in->root);
    const struct tch_json_node *all = tch_json_tree_get(root, "samples");
    const struct tch_json_node *bench = tch_json_tree_get(root, "bench");
    const struct tch_json_node *run = tch_json_tree_get(root, "run");
    const struct tch_json_node *time = tch_json_tree_get(run, "started_at");
    uint64_t when = time ? tch_import_time(time->text, time->len) : 0;
    struct tch_result *r;
    struct tch_buf name;
    size_t n = 0;

    if (when > 0)
        in->when = when;
    in->version = tch_json_tree_copy(tch_json_tree_get(tch_json_tree_get(root, "tool"), "version"));
    tch_import_machine(
        in, tch_json_tree_get(tch_json_tree_get(run, "host"), "arch"),
        tch_json_tree_number(tch_json_tree_get(tch_json_tree_get(run, "host"), "cpu_count")));
    tch_buf_init(&name, TCH_IMPORT_NAME);
    tch_json_tree_add(&name, tch_json_tree_get(bench, "name"));
    r = tch_import_bench_named(in, &name, true);
    tch_buf_release(&name);
    for (const struct tch_json_node *s = tch_json_tree_first(all); s;
         s = tch_json_tree_next(all, s))
        if (!tch_json_tree_is(tch_json_tree_get(s, "warmup"), TCH_JSON_TRUE))
            add_sample(in, r, s, n++);
    tch_import_work(in, r, tch_json_tree_number(tch_json_tree_get(bench, "work_units")), "units");
}

const struct tch_import_reader tch_import_perfgate = {
    .format = {.name = "perfgate",
               .tool = "perfgate",
               .is = "JSON object with \"schema\": \"perfgate.run.v1\"",
               .repetition = TCH_BY_PROCESS},
    .is = is_perfgate,
    .read = read_perfgate,
};
