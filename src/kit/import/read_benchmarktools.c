/* BenchmarkTools.jl, BenchmarkTools.save(): groups of trials, nanoseconds. */
#include <math.h>

#include "import_read.h"

enum { GROUPS_MOST = 32 };

static bool is_benchmarktools(const struct tch_import_input *in)
{
    const struct tch_json_node *first =
        tch_json_tree_is(in->root, TCH_JSON_ARRAY) ? tch_json_tree_first(in->root) : NULL;

    return tch_json_tree_get(first, "Julia") && tch_json_tree_get(first, "BenchmarkTools");
}

static void add_trial(struct tch_import_input *in, const char *name, size_t len,
                      const struct tch_json_node *kind, const struct tch_json_node *trial)
{
    static const struct tch_import_metric allocs = {"allocs", "count", TCH_BETTER_LOWER, true};
    static const struct tch_import_metric bytes = {"allocated", "B", TCH_BETTER_LOWER, true};
    const struct tch_json_node *all = tch_json_tree_get(trial, "times");
    double time = tch_json_tree_number(tch_json_tree_get(trial, "time"));
    struct tch_result *r = tch_import_bench(in, name, len, false);

    for (const struct tch_json_node *v = tch_json_tree_first(all); v;
         v = tch_json_tree_next(all, v))
        tch_import_value(in, r, &tch_import_wall, 0, tch_json_tree_number(v));
    if (tch_json_tree_text_is(kind, "TrialEstimate")) {
        tch_import_value(in, r, &tch_import_wall, 0, time);
        (void)tch_import_statistic(in, r, &tch_import_wall, "estimate", 0, NAN);
    }
    tch_import_value(in, r, &allocs, 0, tch_json_tree_number(tch_json_tree_get(trial, "allocs")));
    tch_import_value(in, r, &bytes, 0, tch_json_tree_number(tch_json_tree_get(trial, "memory")));
}

/* Reads ["BenchmarkGroup", {"data": {NAME: ...}}] or ["Trial", {...}]. */
static void add_group(struct tch_import_input *in, struct tch_buf *name,
                      const struct tch_json_node *e, unsigned depth)
{
    const struct tch_json_node *kind =
        tch_json_tree_is(e, TCH_JSON_ARRAY) ? tch_json_tree_first(e) : NULL;
    const struct tch_json_node *body = kind ? tch_json_tree_next(e, kind) : NULL;
    const struct tch_json_node *data = tch_json_tree_get(body, "data");
    size_t len = name->len;

    if (tch_json_tree_text_is(kind, "Trial") || tch_json_tree_text_is(kind, "TrialEstimate"))
        add_trial(in, name->data, name->len, kind, body);
    for (const struct tch_json_node *c = tch_json_tree_first(data); c && depth < GROUPS_MOST;
         c = tch_json_tree_next(data, c)) {
        if (len > 0)
            tch_buf_addc(name, '/');
        tch_json_tree_add_key(name, c);
        add_group(in, name, c, depth + 1);
        name->len = len;
        name->data[len] = '\0';
    }
}

static void read_benchmarktools(struct tch_import_input *in)
{
    const struct tch_json_node *head = tch_json_tree_first(in->root);
    const struct tch_json_node *all = head ? tch_json_tree_next(in->root, head) : NULL;
    char room[4096];
    struct tch_buf name;

    in->version = tch_json_tree_copy(tch_json_tree_get(head, "BenchmarkTools"));
    tch_buf_init_on(&name, room, sizeof room, TCH_IMPORT_NAME);
    for (const struct tch_json_node *g = tch_json_tree_first(all); g;
         g = tch_json_tree_next(all, g))
        add_group(in, &name, g, 0);
    tch_buf_release(&name);
}

const struct tch_import_reader tch_import_benchmarktools = {
    .format = {.name = "benchmarktools-jl",
               .tool = "BenchmarkTools.jl",
               .is = "JSON array that begins with {\"Julia\", \"BenchmarkTools\"}",
               .repetition = TCH_IN_PROCESS,
               .advice = "save the trials, not their estimates"},
    .is = is_benchmarktools,
    .read = read_benchmarktools,
};
