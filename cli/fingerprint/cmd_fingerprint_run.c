/* tacho fingerprint run: prints everything that defines a run, and its hash. */
#include <tacho/fingerprint.h>

#include "base/fail.h"
#include "base/json_read.h"
#include "cli/core/opt.h"
#include "cli/core/table.h"
#include "cli/run/run_view.h"
#include "cmd_fingerprint_parts.h"
#include "kit/result/result.h"

/* Adds a component: texts without their quotes, lists and objects as JSON. */
static void add_component(struct table *t, const struct tch_json_value *key,
                          const struct tch_json_value *value)
{
    bool text = value->type == TCH_JSON_STRING;

    cli_table_addf(t, PLAIN, "%.*s", (int)key->len, key->text);
    if (value->type == TCH_JSON_NULL)
        cli_table_add(t, DIM, "none");
    else
        cli_table_addf(t, PLAIN, "%.*s", (int)value->len - 2 * text, value->text + text);
}

static void add_components(struct tch_buf *b, const struct args *args,
                           const struct tch_buf *document, const char *hash)
{
    static const struct column columns[] = {{.fit = FIT_WHOLE}, {.fit = FIT_WRAP}};
    struct tch_json_reader r;
    struct tch_json_value value;
    struct tch_json_value key;
    struct table t;

    cli_table_init(&t, &args->out, columns, 2);
    tch_json_open(&r, document->data, document->len, NULL);
    if (tch_json_read(&r, &value) == 0)
        while (tch_json_member(&r, &key) > 0 && tch_json_read_raw(&r, &value) == 0)
            if (!tch_json_is(&key, "schema"))
                add_component(&t, &key, &value);
    cli_table_add(&t, PLAIN, "fingerprint");
    cli_table_add(&t, BOLD, hash);
    cli_table_print(&t, b);
    cli_table_release(&t);
}

static int put_fingerprint(const struct args *args, const struct tch_result *result,
                           const struct tch_buf *document, const char *hash)
{
    const char *recorded = result->fingerprint;
    struct tch_buf b;
    int status;

    if (args->json) {
        status = cli_fingerprint_put(args, "run", hash, document->data, document->len);
    } else {
        tch_buf_init(&b, FINGERPRINT_OUT_MAX);
        add_components(&b, args, document, hash);
        status = cli_print(&b);
    }
    if (status != EXIT_OK || strcmp(recorded, hash) == 0)
        return status;
    if (!recorded[0]) {
        cli_warn("the run recorded no fingerprint; this one was computed from run.json");
        return EXIT_OK;
    }
    cli_complain(NULL, "run.json was changed after the run, which recorded the fingerprint %s",
                 recorded);
    return EXIT_CHECK;
}

static int run_run(struct args *args)
{
    char path[PATH_MAX];
    char hash[TACHO_SHA256_TEXT];
    struct tch_result result = {0};
    struct tch_buf document;
    tacho_error err;
    int status = EXIT_WORK;

    tch_buf_init(&document, FINGERPRINT_OUT_MAX);
    if (tch_result_load(&result, cli_run_folder(args->operands[0], path), &err) < 0)
        cli_complain_of_folder(args->operands[0], &err);
    else if (tch_result_fingerprint(&result, &document, hash, &err) < 0)
        cli_complain(&err, "cannot take the fingerprint of the run '%s'", args->operands[0]);
    else
        status = put_fingerprint(args, &result, &document, hash);
    tch_result_release(&result);
    tch_buf_release(&document);
    return status;
}

static const struct arg run_args[] = {
    {.name = "RUN", .help = "a run folder, or its run.json", .complete = COMPLETE_RUN},
    {.name = NULL},
};

static const struct exit_note run_exits[] = {
    {EXIT_CHECK, "run.json does not match the fingerprint that the run recorded"}, {0, NULL}};

static const struct example run_examples[] = {
    {"tacho fingerprint run tacho-out/prog/latest", "Show what defines the latest run of prog."},
    {"tacho fingerprint run --json A > a.json; tacho fingerprint run --json B | tacho fingerprint "
     "diff a.json -",
     "Show which component differs between two runs."},
    {NULL, NULL},
};

const struct cmd cmd_fingerprint_run = {
    .name = "run",
    .summary = "show what defines a run, and its fingerprint",
    .usage = "tacho fingerprint run [--json] RUN",
    .about =
        "Prints the SHA-256 of everything that defines a run: the command and its arguments; the "
        "hashes of its program, its input and the document of --config; the variables of --env; "
        "labels and parameters; the seed of --seed; and --cpu, --no-aslr, the hooks and the "
        "server. Neither the machine nor the results are part of it, so the same run on another "
        "machine has the same fingerprint. run.json contains it as 'fingerprint'.",
    .args = run_args,
    .examples = run_examples,
    .exits = run_exits,
    .json = true,
    .run = run_run,
};
