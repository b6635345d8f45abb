/* asv, the results of one commit on one machine: results/MACHINE/COMMIT-ENVIRONMENT.json. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import_read.h"

enum { PARAMETERS_MOST = 16 };

/* The parts of a result. Version 1 of the format names them, version 2 has a list of columns. */
struct parts {
    const struct tch_json_node *result;
    const struct tch_json_node *params;
    const struct tch_json_node *samples;
    const struct tch_json_node *low;
    const struct tch_json_node *high;
    const struct tch_json_node *repeat;
};

static bool is_asv(const struct tch_import_input *in)
{
    return tch_json_tree_get(in->root, "commit_hash") && tch_json_tree_get(in->root, "params") &&
           tch_json_tree_is(tch_json_tree_get(in->root, "results"), TCH_JSON_OBJECT);
}

static const struct tch_json_node *at(const struct tch_json_node *of, size_t i)
{
    const struct tch_json_node *c =
        tch_json_tree_is(of, TCH_JSON_ARRAY) ? tch_json_tree_first(of) : NULL;

    for (; c && i > 0; i--)
        c = tch_json_tree_next(of, c);
    return c;
}

/* Finds the parts of a result by the names of the columns. Trailing columns may be missing. */
static struct parts parts_of(const struct tch_import_input *in, const struct tch_json_node *e)
{
    const struct tch_json_node *columns = tch_json_tree_get(in->root, "result_columns");
    struct parts p = {.result = e};
    size_t i = 0;

    if (!columns || !tch_json_tree_is(e, TCH_JSON_ARRAY)) {
        if (tch_json_tree_is(e, TCH_JSON_OBJECT)) {
            p.result = tch_json_tree_get(e, "result");
            p.params = tch_json_tree_get(e, "params");
            p.samples = tch_json_tree_get(e, "samples");
        }
        return p;
    }
    for (const struct tch_json_node *c = tch_json_tree_first(columns); c;
         c = tch_json_tree_next(columns, c), i++) {
        const struct tch_json_node *value = at(e, i);

        if (tch_json_tree_text_is(c, "result"))
            p.result = value;
        else if (tch_json_tree_text_is(c, "params"))
            p.params = value;
        else if (tch_json_tree_text_is(c, "samples"))
            p.samples = value;
        else if (tch_json_tree_text_is(c, "stats_ci_99_a"))
            p.low = value;
        else if (tch_json_tree_text_is(c, "stats_ci_99_b"))
            p.high = value;
        else if (tch_json_tree_text_is(c, "stats_repeat"))
            p.repeat = value;
    }
    return p;
}

/* Finds what a benchmark measures by the begin of its function's name, which is how asv finds it.
   Returns the factor to the metric's unit. */
static double metric_of(const struct tch_json_node *e, struct tch_import_metric *m)
{
    struct tch_span name = {e->key, e->key_len};
    size_t dot = tch_span_rfind(name, ".");

    if (dot < name.len)
        name = (struct tch_span){name.p + dot + 1, name.len - dot - 1};
    *m = tch_import_wall;
    if (tch_span_starts(name, "time_") || tch_span_starts(name, "timeraw_"))
        return 1e9;
    if (tch_span_starts(name, "peakmem_"))
        *m = (struct tch_import_metric){"memory", "B", TCH_BETTER_LOWER, false};
    else if (tch_span_starts(name, "mem_"))
        *m = (struct tch_import_metric){"size", "B", TCH_BETTER_LOWER, true};
    else
        *m = (struct tch_import_metric){"value", "?", TCH_BETTER_UNKNOWN, false};
    return 1;
}

/* Adds "(a, b)" for the i-th combination of parameters. The last one varies fastest. */
static void add_parameters(struct tch_buf *b, const struct tch_json_node *params, size_t i)
{
    const struct tch_json_node *chosen[PARAMETERS_MOST];
    size_t sizes[PARAMETERS_MOST];
    size_t n = 0;

    for (const struct tch_json_node *p = tch_json_tree_first(params); p && n < PARAMETERS_MOST;
         p = tch_json_tree_next(params, p), n++) {
        sizes[n] = 0;
        chosen[n] = p;
        for (const struct tch_json_node *v = tch_json_tree_first(p); v;
             v = tch_json_tree_next(p, v))
            sizes[n]++;
    }
    for (size_t k = n; k-- > 0;) {
        const struct tch_json_node *value = sizes[k] > 0 ? at(chosen[k], i % sizes[k]) : NULL;

        i = sizes[k] > 0 ? i / sizes[k] : i;
        chosen[k] = value;
    }
    for (size_t k = 0; k < n; k++) {
        tch_buf_adds(b, k == 0 ? "(" : ", ");
        tch_json_tree_add(b, chosen[k]);
    }
    tch_buf_adds(b, n > 0 ? ")" : "");
}

/* Adds the values of one combination of parameters. */
static void add_value(struct tch_import_input *in, const struct tch_json_node *e,
                      const struct parts *p, size_t i, const struct tch_json_node *value)
{
    const struct tch_json_node *samples = at(p->samples, i);
    struct tch_import_metric m;
    double scale = metric_of(e, &m);
    double repeat = tch_json_tree_number(at(p->repeat, i));
    struct tch_aggregate *a;
    struct tch_result *r;
    struct tch_buf name;

    tch_buf_init(&name, TCH_IMPORT_NAME);
    tch_json_tree_add_key(&name, e);
    add_parameters(&name, p->params, i);
    if (tch_json_tree_is(value, TCH_JSON_NULL))
        tch_import_problem(in, e->text, "'%.200s' failed", name.data);
    if (isnan(tch_json_tree_number(value))) { /* null: it failed; NaN: it was skipped */
        tch_buf_release(&name);
        return;
    }
    r = tch_import_bench(in, name.data, name.len, false);
    tch_buf_release(&name);
    if (tch_json_tree_first(samples)) {
        for (const struct tch_json_node *v = tch_json_tree_first(samples); v;
             v = tch_json_tree_next(samples, v))
            tch_import_value(in, r, &m, 0, tch_json_tree_number(v) * scale);
        return;
    }
    tch_import_value(in, r, &m, 0, tch_json_tree_number(value) * scale);
    if (m.exact)
        return;
    a = tch_import_statistic(in, r, &m, "median", repeat > 0 ? (uint64_t)repeat : 0, NAN);
    if (a) {
        a->low = tch_json_tree_number(at(p->low, i)) * scale;
        a->high = tch_json_tree_number(at(p->high, i)) * scale;
        a->level = isnan(a->low) ? (double)NAN : 0.99;
    }
}

static void add_bench(struct tch_import_input *in, const struct tch_json_node *e)
{
    struct parts p = parts_of(in, e);
    size_t i = 0;

    if (!tch_json_tree_is(p.result, TCH_JSON_ARRAY)) {
        add_value(in, e, &p, 0, p.result);
        return;
    }
    for (const struct tch_json_node *v = tch_json_tree_first(p.result); v;
         v = tch_json_tree_next(p.result, v))
        add_value(in, e, &p, i++, v);
}

static void read_asv(struct tch_import_input *in)
{
    const struct tch_json_node *results = tch_json_tree_get(in->root, "results");
    const struct tch_json_node *params = tch_json_tree_get(in->root, "params");
    const struct tch_json_node *cpu = tch_json_tree_get(params, "cpu");
    double date = tch_json_tree_number(tch_json_tree_get(in->root, "date"));
    char *commit = tch_json_tree_copy(tch_json_tree_get(in->root, "commit_hash"));

    if (date > 0 && date < 9e12)
        in->when = (uint64_t)date * 1000000u;
    if (commit)
        snprintf(in->commit, sizeof in->commit, "%.64s", commit);
    free(commit);
    tch_import_machine(in, cpu ? cpu : tch_json_tree_get(params, "machine"),
                       tch_json_tree_number(tch_json_tree_get(params, "num_cpu")));
    for (const struct tch_json_node *e = tch_json_tree_first(results); e;
         e = tch_json_tree_next(results, e))
        add_bench(in, e);
}

const struct tch_import_reader tch_import_asv = {
    .format = {.name = "asv",
               .tool = "asv",
               .is = "JSON object with commit_hash, params and results{}",
               .repetition = TCH_IN_PROCESS,
               .advice = "run 'asv run --record-samples'"},
    .is = is_asv,
    .read = read_asv,
};
