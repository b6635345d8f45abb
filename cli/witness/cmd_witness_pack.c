/* tacho witness pack: logs into one bundle. */
#include <stdlib.h>

#include "base/file.h"
#include "cli/core/term.h"
#include "cmd_witness_parts.h"

enum { OUTPUT, CONFIG, ENVIRONMENT };

enum { DOCUMENT_MAX = 16 << 20 };

/* A document of the user's, or NULL. EXIT_OK, or EXIT_WORK after a complaint. */
static int read_document(const char *path, struct tch_buf *b)
{
    tacho_error err;

    if (!path || tch_file_read(path, DOCUMENT_MAX, b, &err) == 0)
        return EXIT_OK;
    cli_complain(NULL, "%s", err.message);
    return EXIT_WORK;
}

static int pack_into(const char *output, const tacho_witness_pack *pack, const struct args *args)
{
    char hash[TACHO_SHA256_TEXT];
    tacho_error err;

    if (tacho_witness_pack_write(output, pack, hash, &err) < 0) {
        cli_complain(&err, "cannot pack '%s'", output);
        return err.code == TACHO_EPARSE ? EXIT_CHECK : EXIT_WORK;
    }
    if (!args->quiet)
        printf("%s  %s\n", hash, output);
    return EXIT_OK;
}

static int run_pack(struct args *args)
{
    static const char *const extensions[] = {".jsonl", NULL};
    const char *output = NULL;
    const char *config_path = NULL;
    const char *env_path = NULL;
    struct witness_paths paths = {0};
    struct tch_buf config;
    struct tch_buf env;
    char *machine = NULL;
    tacho_error err;
    const struct opt *opt;
    int status = EXIT_OK;

    while ((opt = cli_next_opt(args)))
        *(opt->id == OUTPUT ? &output : opt->id == CONFIG ? &config_path : &env_path) = args->value;
    if (!output)
        return cli_wrong_usage(args, "where to? -o witness.rvf");
    tch_buf_init(&config, DOCUMENT_MAX);
    tch_buf_init(&env, DOCUMENT_MAX);
    for (size_t i = 0; i < args->count && status == EXIT_OK; i++)
        status = cli_witness_paths_add(&paths, args->operands[i], extensions);
    if (status == EXIT_OK && paths.count == 0) {
        cli_complain(NULL, "there are no logs to pack: no folder named has a file *.jsonl");
        status = EXIT_WORK;
    }
    if (status == EXIT_OK)
        status = read_document(config_path, &config);
    if (status == EXIT_OK)
        status = read_document(env_path, &env);
    if (status == EXIT_OK && !env_path && tacho_environment("", NULL, &machine, NULL, &err) < 0) {
        cli_complain(&err, "cannot describe this machine");
        status = EXIT_WORK;
    }
    if (status == EXIT_OK) {
        tacho_witness_pack pack = {.config = config_path ? config.data : NULL,
                                   .environment = env_path ? env.data : machine,
                                   .logs = (const char *const *)paths.path,
                                   .log_count = paths.count};

        status = pack_into(output, &pack, args);
    }
    free(machine);
    tch_buf_release(&config);
    tch_buf_release(&env);
    cli_witness_paths_release(&paths);
    return status;
}

static const struct opt opts[] = {
    {.id = OUTPUT,
     .name = "output",
     .letter = 'o',
     .arg = "FILE",
     .help = "the bundle, such as witness.rvf",
     .complete = COMPLETE_FILE},
    {.id = CONFIG,
     .name = "config",
     .arg = "FILE",
     .help = "JSON of what the program was run with",
     .complete = COMPLETE_FILE},
    {.id = ENVIRONMENT,
     .name = "environment",
     .arg = "FILE",
     .help = "JSON of the machine (default: this one, as 'tacho fingerprint env' tells it)",
     .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "LOG", .help = "logs, or folders of *.jsonl", .many = true, .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct exit_note exits[] = {
    {EXIT_CHECK, "a log is not sound, or not closed; nothing was written"},
    {0, NULL},
};

static const struct example examples[] = {
    {"tacho witness pack --config config.json -o witness.rvf results/witness",
     "All logs of a folder, with the configuration and this machine."},
    {NULL, NULL},
};

const struct cmd cmd_witness_pack = {
    .name = "pack",
    .summary = "pack logs, configuration and machine into one bundle",
    .usage = "tacho witness pack [--config FILE] [--environment FILE] -o FILE LOG...",
    .about = "Each log is checked first. The bundle is written whole or not at all; its last hash "
             "is printed and stands for all that is in it.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .exits = exits,
    .run = run_pack,
};
