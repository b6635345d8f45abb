/* hyperfine --export-json: one process per value. User and system time are means of all runs. */
#include <math.h>

#include "import_read.h"

static bool is_hyperfine(const struct tch_import_input *in)
{
    const struct tch_json_node *first = tch_json_tree_first(tch_json_tree_get(in->root, "results"));

    return tch_json_tree_get(first, "command") && tch_json_tree_get(first, "mean") &&
           (tch_json_tree_get(first, "times") || tch_json_tree_get(first, "stddev"));
}

/* Adds " NAME=VALUE" for each parameter that the command does not show. */
static void add_name(struct tch_buf *b, const struct tch_json_node *result)
{
    const struct tch_json_node *all = tch_json_tree_get(result, "parameters");

    tch_json_tree_add(b, tch_json_tree_get(result, "command"));
    for (const struct tch_json_node *p = tch_json_tree_first(all); p;
         p = tch_json_tree_next(all, p)) {
        tch_buf_addc(b, ' ');
        tch_json_tree_add_key(b, p);
        tch_buf_addc(b, '=');
        tch_json_tree_add(b, p);
    }
}

static size_t add_times(struct tch_import_input *in, struct tch_result *r,
                        const struct tch_json_node *result)
{
    static const struct tch_import_metric memory = {"memory", "B", TCH_BETTER_LOWER, false};
    const struct tch_json_node *times = tch_json_tree_get(result, "times");
    const struct tch_json_node *codes = tch_json_tree_get(result, "exit_codes");
    const struct tch_json_node *sizes = tch_json_tree_get(result, "memory_usage_byte");
    size_t n = 0;
    size_t run = 0;

    for (const struct tch_json_node *t = tch_json_tree_first(times); t;
         t = tch_json_tree_next(times, t))
        tch_import_value(in, r, &tch_import_wall, n++, tch_json_tree_number(t) * 1e9);
    for (const struct tch_json_node *c = tch_json_tree_first(codes); c && run < n;
         c = tch_json_tree_next(codes, c))
        tch_import_exit(in, r, run++,
                        isnan(tch_json_tree_number(c)) ? 1 : (int)tch_json_tree_number(c) & 0xFF);
    run = 0;
    for (const struct tch_json_node *s = tch_json_tree_first(sizes); s && run < n;
         s = tch_json_tree_next(sizes, s))
        tch_import_value(in, r, &memory, run++, tch_json_tree_number(s));
    return n;
}

/* Adds the mean alone, if the file has no times. */
static void add_mean(struct tch_import_input *in, struct tch_result *r,
                     const struct tch_json_node *result)
{
    double median = tch_json_tree_number(tch_json_tree_get(result, "median"));
    double mean = tch_json_tree_number(tch_json_tree_get(result, "mean"));
    struct tch_aggregate *a;

    tch_import_value(in, r, &tch_import_wall, 0, (isnan(median) ? mean : median) * 1e9);
    a = tch_import_statistic(in, r, &tch_import_wall, isnan(median) ? "mean" : "median", 0, NAN);
    if (a)
        a->spread = tch_json_tree_number(tch_json_tree_get(result, "stddev")) * 1e9;
}

static void read_hyperfine(struct tch_import_input *in)
{
    static const struct tch_import_metric means[] = {{"user", "ns", TCH_BETTER_LOWER, false},
                                                     {"system", "ns", TCH_BETTER_LOWER, false}};
    const struct tch_json_node *results = tch_json_tree_get(in->root, "results");

    for (const struct tch_json_node *e = tch_json_tree_first(results); e;
         e = tch_json_tree_next(results, e)) {
        struct tch_result *r;
        struct tch_buf name;
        size_t n;

        tch_buf_init(&name, TCH_IMPORT_NAME);
        add_name(&name, e);
        r = tch_import_bench_named(in, &name, false);
        tch_buf_release(&name);
        n = add_times(in, r, e);
        if (n == 0)
            add_mean(in, r, e);
        for (size_t i = 0; i < 2; i++) {
            double mean = tch_json_tree_number(tch_json_tree_get(e, means[i].name)) * 1e9;

            if (!isnan(mean))
                (void)tch_import_statistic(in, r, &means[i], "mean", n, mean);
        }
    }
}

const struct tch_import_reader tch_import_hyperfine = {
    .format = {.name = "hyperfine",
               .tool = "hyperfine",
               .is = "JSON object with results[] of command, mean and times",
               .repetition = TCH_BY_PROCESS,
               .advice = "write the file with --export-json"},
    .is = is_hyperfine,
    .read = read_hyperfine,
};
