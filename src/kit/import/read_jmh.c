/* JMH -rf json: forks, each with iterations. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import_read.h"

enum { PARAMETERS_MOST = 64 };

static bool is_jmh(const struct tch_import_input *in)
{
    const struct tch_json_node *first =
        tch_json_tree_is(in->root, TCH_JSON_ARRAY) ? tch_json_tree_first(in->root) : NULL;

    return tch_json_tree_get(first, "benchmark") && tch_json_tree_get(first, "mode") &&
           tch_json_tree_get(first, "primaryMetric");
}

static int by_key(const struct tch_json_node *a, const struct tch_json_node *b)
{
    size_t least = a->key_len < b->key_len ? a->key_len : b->key_len;
    int order = memcmp(a->key, b->key, least);

    return order ? order : (int)a->key_len - (int)b->key_len;
}

/* Adds the name and its parameters, sorted, because JMH does not keep their order. */
static void add_name(struct tch_buf *b, const struct tch_json_node *e)
{
    const struct tch_json_node *all = tch_json_tree_get(e, "params");
    const struct tch_json_node *sorted[PARAMETERS_MOST];
    size_t n = 0;

    tch_json_tree_add(b, tch_json_tree_get(e, "benchmark"));
    for (const struct tch_json_node *p = tch_json_tree_first(all); p && n < PARAMETERS_MOST;
         p = tch_json_tree_next(all, p)) {
        size_t at = n++;

        for (; at > 0 && by_key(sorted[at - 1], p) > 0; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = p;
    }
    for (size_t i = 0; i < n; i++) {
        tch_buf_addc(b, ' ');
        tch_json_tree_add_key(b, sorted[i]);
        tch_buf_addc(b, '=');
        tch_json_tree_add(b, sorted[i]);
    }
}

/* Finds what a unit means: "ms/op" is a time, "ops/ms" a throughput. Returns the factor. */
static double metric_of(const struct tch_json_node *unit, struct tch_import_metric *m)
{
    struct tch_span span = {unit ? unit->text : "", unit ? unit->len : 0};
    double ns =
        span.len > 3 && tch_span_ends(span, "/op") ? tch_import_unit_ns(span.p, span.len - 3) : NAN;

    if (!isnan(ns)) {
        *m = tch_import_wall;
        return ns;
    }
    ns = tch_span_starts(span, "ops/") ? tch_import_unit_ns(span.p + 4, span.len - 4) : NAN;
    *m = (struct tch_import_metric){"throughput", "op/s", TCH_BETTER_HIGHER, false};
    return 1e9 / ns;
}

/* Adds the values of all forks. Returns their number. */
static size_t add_raw(struct tch_import_input *in, struct tch_result *r,
                      const struct tch_json_node *metric, const struct tch_import_metric *m,
                      double scale)
{
    const struct tch_json_node *forks = tch_json_tree_get(metric, "rawData");
    size_t fork = 0;
    size_t n = 0;

    for (const struct tch_json_node *f = tch_json_tree_first(forks); f;
         f = tch_json_tree_next(forks, f)) {
        for (const struct tch_json_node *v = tch_json_tree_first(f); v;
             v = tch_json_tree_next(f, v), n++)
            tch_import_value(in, r, m, fork, tch_json_tree_number(v) * scale);
        fork++;
    }
    return n;
}

static void add_primary(struct tch_import_input *in, struct tch_result *r,
                        const struct tch_json_node *e)
{
    const struct tch_json_node *primary = tch_json_tree_get(e, "primaryMetric");
    double score = tch_json_tree_number(tch_json_tree_get(primary, "score"));
    struct tch_import_metric m;
    double scale = metric_of(tch_json_tree_get(primary, "scoreUnit"), &m);
    struct tch_aggregate *a;

    if (isnan(scale)) {
        tch_import_problem(in, e->text, "'%.200s' has a score in an unknown unit",
                           r ? r->name : "");
        return;
    }
    if (add_raw(in, r, primary, &m, scale) > 0 || isnan(score))
        return;
    tch_import_value(in, r, &m, 0, score * scale);
    a = tch_import_statistic(in, r, &m, "mean", 0, NAN);
    if (a)
        a->spread = tch_json_tree_number(tch_json_tree_get(primary, "scoreError")) * scale;
}

static void add_secondary(struct tch_import_input *in, struct tch_result *r,
                          const struct tch_json_node *e)
{
    const struct tch_json_node *all = tch_json_tree_get(e, "secondaryMetrics");

    for (const struct tch_json_node *s = tch_json_tree_first(all); s;
         s = tch_json_tree_next(all, s)) {
        struct tch_import_metric m = {.better = TCH_BETTER_UNKNOWN};
        struct tch_buf name;
        struct tch_buf unit;

        tch_buf_init(&name, TCH_METRIC_TEXT);
        tch_buf_init(&unit, 100);
        tch_json_tree_add_key(&name, s);
        tch_json_tree_add(&unit, tch_json_tree_get(s, "scoreUnit"));
        m.name = name.data;
        m.unit = unit.data;
        (void)add_raw(in, r, s, &m, 1);
        tch_buf_release(&name);
        tch_buf_release(&unit);
    }
}

static void read_jmh(struct tch_import_input *in)
{
    in->version =
        tch_json_tree_copy(tch_json_tree_get(tch_json_tree_first(in->root), "jmhVersion"));
    for (const struct tch_json_node *e = tch_json_tree_first(in->root); e;
         e = tch_json_tree_next(in->root, e)) {
        struct tch_result *r;
        struct tch_buf name;

        tch_buf_init(&name, TCH_IMPORT_NAME);
        add_name(&name, e);
        r = tch_import_bench_named(in, &name, false);
        tch_buf_release(&name);
        add_primary(in, r, e);
        add_secondary(in, r, e);
        if (r && r->run_count == 1)
            snprintf(r->repetition, sizeof r->repetition, "%s", TCH_IN_PROCESS);
    }
}

const struct tch_import_reader tch_import_jmh = {
    .format = {.name = "jmh",
               .tool = "JMH",
               .is = "JSON array of objects with benchmark, mode and primaryMetric",
               .repetition = TCH_BY_FORK,
               .advice = "run without -Djmh.json.rawData=false, and with -f 5"},
    .is = is_jmh,
    .read = read_jmh,
};
