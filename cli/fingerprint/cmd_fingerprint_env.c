/* tacho fingerprint env: prints this machine as a document, a hash and a class. */
#include <stdlib.h>

#include <tacho/fingerprint.h>

#include "base/array.h"
#include "cli/core/opt.h"
#include "cli/core/table.h"
#include "cmd_fingerprint_parts.h"
#include "kit/measure/fingerprint_json.h"
#include "lib/measure/environment.h"
#include "lib/measure/fingerprint_config.h"

struct env_options {
    const char **keep; /* NULL-terminated names */
    size_t kept;
    size_t room;
};

static int add_field(const char *path, const char *a, const char *b, void *ctx)
{
    struct table *t = ctx;

    (void)b;
    if (!a || strcmp(path, "schema") == 0)
        return 0;
    cli_table_add(t, PLAIN, path);
    if (strcmp(a, "null") == 0)
        cli_table_add(t, DIM, "unknown");
    else if (a[0] == '"' && a[1])
        cli_table_addf(t, PLAIN, "%.*s", (int)strlen(a) - 2, a + 1);
    else
        cli_table_add(t, PLAIN, a);
    return 0;
}

static const struct column env_columns[] = {{.fit = FIT_WHOLE}, {.fit = FIT_WRAP}};

static void add_env(struct tch_buf *b, const struct args *args, const char *document, size_t len,
                    const char *class)
{
    char hash[TACHO_ENV_HASH_TEXT];
    struct table t;

    tacho_environment_hash(document, len, hash);
    cli_table_init(&t, &args->out, env_columns, 2);
    if (tacho_json_diff(document, len, "{}", 2, add_field, &t, NULL) < 0)
        b->failed = true;
    cli_table_add(&t, PLAIN, "hash");
    cli_table_add(&t, BOLD, hash);
    cli_table_add(&t, PLAIN, "machine_class");
    cli_table_add(&t, BOLD, class);
    cli_table_print(&t, b);
    cli_table_release(&t);
}

static int take_keep_env(void *into, const struct args *args, const struct opt *opt)
{
    struct env_options *o = into;

    if (!args->value[0] || strchr(args->value, '='))
        return cli_wrong_value(args, opt->name, "the name of a variable");
    if (tch_array_reserve(&o->keep, &o->room, o->kept + 2) < 0)
        return cli_no_memory();
    o->keep[o->kept++] = args->value;
    o->keep[o->kept] = NULL;
    return EXIT_OK;
}

static int run_env(struct args *args)
{
    struct env_options o = {.keep = NULL};
    char *document = NULL;
    char *class = NULL;
    size_t len;
    tacho_error err;
    struct tch_buf b;
    int status = cli_set_opts(args, &o, NULL);

    if (status != EXIT_OK)
        goto out;
    status = EXIT_WORK;
    if (tch_environment("", NULL, o.keep, &document, &len, &err) < 0 ||
        tacho_machine_class(document, len, &class, &err) < 0) {
        cli_complain(&err, "cannot describe this machine");
        goto out;
    }
    tch_buf_init(&b, FINGERPRINT_OUT_MAX);
    if (args->json)
        tch_fingerprint_env_json(&b, document, len, class);
    else
        add_env(&b, args, document, len, class);
    status = cli_print(&b);
out:
    free(o.keep);
    free(document);
    free(class);
    return status;
}

static const struct opt env_opts[] = {
    {.name = "keep-env",
     .arg = "NAME",
     .help = "show the value of NAME although the name looks like that of a secret",
     .take = take_keep_env},
    {.name = NULL},
};

const struct cmd cmd_fingerprint_env = {
    .name = "env",
    .summary = "describe this machine: document, hash and machine class",
    .usage = "tacho fingerprint env [--keep-env NAME]... [--json]",
    .about =
        "Lists CPU model and count, memory, kernel, C library, compiler, governor, GPUs, "
        "container, and the variables TACHO_* and FERRUM_* that affect results; secrets are "
        "masked. Nothing in the list changes while the machine is idle, so two calls give the same "
        "hash. A run on this machine with the same --keep-env stores this hash as environment_hash "
        "in its run.json. The compiler is unknown here; a program that describes its own "
        "environment can name it.",
    .opts = env_opts,
    .json = true,
    .run = run_env,
};
