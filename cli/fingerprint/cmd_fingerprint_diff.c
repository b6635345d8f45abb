/* tacho fingerprint diff: compares two documents field by field. */
#include <tacho/fingerprint.h>

#include "cli/core/opt.h"
#include "cli/core/table.h"
#include "cmd_fingerprint_parts.h"
#include "kit/measure/fingerprint_json.h"

struct diffs {
    struct table table;
    struct tch_buf json;
    size_t count;
};

static int add_diff(const char *path, const char *a, const char *b, void *ctx)
{
    struct diffs *d = ctx;

    d->count++;
    cli_table_add(&d->table, PLAIN, path);
    cli_table_add(&d->table, RED, a ? a : "-");
    cli_table_add(&d->table, GREEN, b ? b : "-");
    tch_fingerprint_difference_json(&d->json, path, a, b);
    return 0;
}

static int put_diffs(const struct args *args, struct diffs *d)
{
    struct tch_buf b;

    tch_buf_init(&b, FINGERPRINT_OUT_MAX);
    if (args->json) {
        tch_fingerprint_diff_json(&b, &d->json);
    } else if (d->count > 0) {
        cli_table_print(&d->table, &b);
    } else if (!args->quiet) {
        tch_buf_adds(&b, "no difference\n");
    }
    return cli_print(&b);
}

static int run_diff(struct args *args)
{
    static const struct column columns[] = {
        {.title = "field"}, {.title = "A"}, {.title = "B", .fit = FIT_WRAP}};
    struct diffs d = {.count = 0};
    struct tch_buf a;
    struct tch_buf b;
    tacho_error err;
    int status = cli_fingerprint_read(args->operands[0], &a);

    if (status != EXIT_OK)
        return status;
    status = cli_fingerprint_read(args->operands[1], &b);
    if (status != EXIT_OK) {
        tch_buf_release(&a);
        return status;
    }
    cli_table_init(&d.table, &args->out, columns, 3);
    tch_buf_init(&d.json, FINGERPRINT_OUT_MAX);
    if (tacho_json_diff(a.data, a.len, b.data, b.len, add_diff, &d, &err) < 0) {
        cli_complain(&err, "cannot compare '%s' with '%s'", args->operands[0], args->operands[1]);
        status = EXIT_WORK;
    } else {
        status = put_diffs(args, &d);
        if (status == EXIT_OK && d.count > 0)
            status = EXIT_CHECK;
    }
    cli_table_release(&d.table);
    tch_buf_release(&d.json);
    tch_buf_release(&a);
    tch_buf_release(&b);
    return status;
}

static const struct arg diff_args[] = {
    {.name = "A", .help = "a JSON document; - for standard input", .complete = COMPLETE_FILE},
    {.name = "B", .help = "another JSON document", .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct exit_note diff_exits[] = {{EXIT_CHECK, "the documents differ"}, {0, NULL}};

static const struct example diff_examples[] = {
    {"tacho fingerprint env --json > a.json", "Save a description of this machine."},
    {"tacho fingerprint env --json | tacho fingerprint diff a.json -",
     "Show later what has changed."},
    {NULL, NULL},
};

const struct cmd cmd_fingerprint_diff = {
    .name = "diff",
    .summary = "compare two JSON documents field by field",
    .usage = "tacho fingerprint diff [--json] A B",
    .about =
        "Prints each field whose value differs, with its value in A and in B; - where a document "
        "lacks the field.",
    .args = diff_args,
    .examples = diff_examples,
    .exits = diff_exits,
    .json = true,
    .run = run_diff,
};
