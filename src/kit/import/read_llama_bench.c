/* llama-bench -o json or jsonl: repetitions of one test in one process. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "import_read.h"
#include "json_lines.h"

static bool is_test(const struct tch_json_node *e)
{
    return tch_json_tree_get(e, "build_commit") && tch_json_tree_get(e, "model_filename") &&
           tch_json_tree_get(e, "avg_ts");
}

static bool is_llama_bench(const struct tch_import_input *in)
{
    return is_test(tch_json_tree_is(in->root, TCH_JSON_ARRAY) ? tch_json_tree_first(in->root)
                                                              : in->root);
}

/* Adds a name such as "llama 7B mostly Q4_0 pp512". */
static void add_name(struct tch_buf *b, const struct tch_json_node *e)
{
    double prompt = tch_json_tree_number(tch_json_tree_get(e, "n_prompt"));
    double gen = tch_json_tree_number(tch_json_tree_get(e, "n_gen"));
    double depth = tch_json_tree_number(tch_json_tree_get(e, "n_depth"));

    tch_json_tree_add(b, tch_json_tree_get(e, "model_type"));
    if (prompt > 0 && gen > 0)
        tch_buf_addf(b, " pp%.0f+tg%.0f", prompt, gen);
    else
        tch_buf_addf(b, " %s%.0f", prompt > 0 ? "pp" : "tg", prompt > 0 ? prompt : gen);
    if (depth > 0)
        tch_buf_addf(b, " @ d%.0f", depth);
}

static void add_test(struct tch_import_input *in, const struct tch_json_node *e, void *ctx)
{
    const struct tch_json_node *all = tch_json_tree_get(e, "samples_ns");
    const struct tch_json_node *time = tch_json_tree_get(e, "test_time");
    double prompt = tch_json_tree_number(tch_json_tree_get(e, "n_prompt"));
    double gen = tch_json_tree_number(tch_json_tree_get(e, "n_gen"));
    char *commit = tch_json_tree_copy(tch_json_tree_get(e, "build_commit"));
    struct tch_result *r;
    struct tch_buf name;

    (void)ctx;
    tch_import_machine(in, tch_json_tree_get(e, "cpu_info"), NAN);
    tch_buf_init(&name, TCH_IMPORT_NAME);
    add_name(&name, e);
    if (is_test(e)) {
        r = tch_import_bench_named(in, &name, false);
        for (const struct tch_json_node *v = tch_json_tree_first(all); v;
             v = tch_json_tree_next(all, v))
            tch_import_value(in, r, &tch_import_wall, 0, tch_json_tree_number(v));
        tch_import_work(in, r, (prompt > 0 ? prompt : 0) + (gen > 0 ? gen : 0), "tokens");
        if (r && time)
            r->started_unix_ns = tch_import_time(time->text, time->len);
        if (r && commit)
            snprintf(r->commit, sizeof r->commit, "%.64s", commit);
    }
    tch_buf_release(&name);
    free(commit);
}

static void read_llama_bench(struct tch_import_input *in)
{
    if (!tch_json_tree_is(in->root, TCH_JSON_ARRAY)) {
        tch_import_json_lines(in, add_test, NULL);
        return;
    }
    for (const struct tch_json_node *e = tch_json_tree_first(in->root); e;
         e = tch_json_tree_next(in->root, e))
        add_test(in, e, NULL);
}

const struct tch_import_reader tch_import_llama_bench = {
    .format = {.name = "llama-bench",
               .tool = "llama-bench",
               .is = "JSON array or lines of build_commit, model_filename and avg_ts",
               .repetition = TCH_IN_PROCESS,
               .advice = "run with -o json"},
    .is = is_llama_bench,
    .read = read_llama_bench,
};
