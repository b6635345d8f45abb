/* criterion.rs: new/sample.json of each benchmark, named by benchmark.json beside it. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "import_read.h"

static bool is_criterion(const struct tch_import_input *in)
{
    return tch_json_tree_is(tch_json_tree_get(in->root, "iters"), TCH_JSON_ARRAY) &&
           tch_json_tree_is(tch_json_tree_get(in->root, "times"), TCH_JSON_ARRAY);
}

/* Names the benchmark after the folders above "new". */
static void add_path(struct tch_buf *b, const char *file)
{
    char path[PATH_MAX];
    char *slash;

    snprintf(path, sizeof path, "%s", file);
    for (int i = 0; i < 2 && (slash = strrchr(path, '/')); i++)
        *slash = '\0';
    tch_buf_adds(b, tch_base_name(path));
}

/* Adds the name, and finds the work of an iteration. */
static void describe(struct tch_import_input *in, struct tch_buf *name, double *work,
                     struct tch_buf *unit)
{
    char path[PATH_MAX];
    struct tch_json_tree tree = {0};
    struct tch_buf text;
    const struct tch_json_node *id = NULL;
    const struct tch_json_node *amount;
    size_t folder = (size_t)(tch_base_name(in->file) - in->file);

    tch_buf_init(&text, 1 << 20);
    *work = NAN;
    if (snprintf(path, sizeof path, "%.*sbenchmark.json", (int)folder, in->file) < PATH_MAX &&
        tch_file_read_regular(path, 1 << 20, &text, NULL) == 0 &&
        tch_json_tree_parse(&tree, text.data, text.len, NULL, NULL) == 0) {
        id = tch_json_tree_get(tree.nodes, "full_id");
        amount = tch_json_tree_first(tch_json_tree_get(tree.nodes, "throughput"));
        *work = tch_json_tree_number(amount);
        if (amount && amount->key)
            tch_json_tree_add_key(unit, amount);
    }
    if (id)
        tch_json_tree_add(name, id);
    else
        add_path(name, in->file);
    tch_json_tree_release(&tree);
    tch_buf_release(&text);
}

static void read_criterion(struct tch_import_input *in)
{
    const struct tch_json_node *iters = tch_json_tree_get(in->root, "iters");
    const struct tch_json_node *times = tch_json_tree_get(in->root, "times");
    const struct tch_json_node *n = tch_json_tree_first(iters);
    struct tch_result *r;
    struct tch_buf name;
    struct tch_buf unit;
    double work;

    tch_buf_init(&name, TCH_IMPORT_NAME);
    tch_buf_init(&unit, 40);
    describe(in, &name, &work, &unit);
    r = tch_import_bench_named(in, &name, true);
    for (const struct tch_json_node *t = tch_json_tree_first(times); t && n;
         t = tch_json_tree_next(times, t), n = tch_json_tree_next(iters, n))
        tch_import_value(in, r, &tch_import_wall, 0,
                         tch_json_tree_number(t) / tch_json_tree_number(n));
    tch_import_work(in, r, work, unit.data);
    tch_buf_release(&name);
    tch_buf_release(&unit);
}

const struct tch_import_reader tch_import_criterion = {
    .format = {.name = "criterion",
               .tool = "criterion.rs",
               .is = "target/criterion, a folder with new/sample.json of iters and times",
               .repetition = TCH_IN_PROCESS},
    .is = is_criterion,
    .read = read_criterion,
};
