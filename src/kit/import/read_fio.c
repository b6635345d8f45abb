/* fio --output-format=json, version 3: one run per file, statistics per job and direction. */
#include <math.h>

#include "import_read.h"

static bool is_fio(const struct tch_import_input *in)
{
    return tch_json_tree_get(in->root, "fio version") && tch_json_tree_get(in->root, "jobs");
}

static void add_direction(struct tch_import_input *in, const struct tch_json_node *job,
                          const char *direction)
{
    static const struct tch_import_metric iops = {"iops", "op/s", TCH_BETTER_HIGHER, false};
    static const struct tch_import_metric bandwidth = {"bandwidth", "B/s", TCH_BETTER_HIGHER,
                                                       false};
    static const struct tch_import_metric latency = {"clat mean", "ns", TCH_BETTER_LOWER, false};
    const struct tch_json_node *d = tch_json_tree_get(job, direction);
    const struct tch_json_node *clat = tch_json_tree_get(d, "clat_ns");
    double bytes = tch_json_tree_number(tch_json_tree_get(d, "bw_bytes"));
    double count = tch_json_tree_number(tch_json_tree_get(clat, "N"));
    struct tch_result *r;
    struct tch_buf name;
    struct tch_aggregate *a;

    if (!(tch_json_tree_number(tch_json_tree_get(d, "iops")) > 0))
        return;
    if (isnan(bytes))
        bytes = tch_json_tree_number(tch_json_tree_get(d, "bw")) * 1024;
    tch_buf_init(&name, TCH_IMPORT_NAME);
    tch_json_tree_add(&name, tch_json_tree_get(job, "jobname"));
    tch_buf_addf(&name, " %s", direction);
    r = tch_import_bench_named(in, &name, false);
    tch_buf_release(&name);
    tch_import_value(in, r, &iops, 0, tch_json_tree_number(tch_json_tree_get(d, "iops")));
    (void)tch_import_statistic(in, r, &iops, "mean", 0, NAN);
    tch_import_value(in, r, &bandwidth, 0, bytes);
    (void)tch_import_statistic(in, r, &bandwidth, "mean", 0, NAN);
    if (!clat)
        return;
    tch_import_value(in, r, &latency, 0, tch_json_tree_number(tch_json_tree_get(clat, "mean")));
    a = tch_import_statistic(in, r, &latency, "mean", count > 0 ? (uint64_t)count : 0, NAN);
    if (a)
        a->spread = tch_json_tree_number(tch_json_tree_get(clat, "stddev"));
}

static void read_fio(struct tch_import_input *in)
{
    static const char *const directions[] = {"read", "write", "trim"};
    const struct tch_json_node *jobs = tch_json_tree_get(in->root, "jobs");
    double when = tch_json_tree_number(tch_json_tree_get(in->root, "timestamp_ms"));

    if (when > 0 && when < 9e12)
        in->when = (uint64_t)when * 1000000u;
    in->version = tch_json_tree_copy(tch_json_tree_get(in->root, "fio version"));
    for (const struct tch_json_node *j = tch_json_tree_first(jobs); j;
         j = tch_json_tree_next(jobs, j)) {
        double error = tch_json_tree_number(tch_json_tree_get(j, "error"));
        struct tch_buf name;

        tch_buf_init(&name, 200);
        tch_json_tree_add(&name, tch_json_tree_get(j, "jobname"));
        if (error != 0 && !isnan(error))
            tch_import_problem(in, j->text, "the job '%s' failed with error %.0f", name.data,
                               error);
        for (size_t i = 0; i < 3 && !(error != 0); i++)
            add_direction(in, j, directions[i]);
        tch_buf_release(&name);
    }
}

const struct tch_import_reader tch_import_fio = {
    .format = {.name = "fio",
               .tool = "fio",
               .is = "JSON object with \"fio version\" and jobs[]",
               .repetition = TCH_BY_PROCESS,
               .advice = "run fio several times and import all files together"},
    .is = is_fio,
    .read = read_fio,
};
