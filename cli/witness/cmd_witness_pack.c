/* tacho witness pack: packs logs into one bundle. */
#include <stdlib.h>

#include "base/file.h"
#include "cli/core/term.h"
#include "cmd_witness_parts.h"

enum { DOCUMENT_MAX = 16 << 20 };

struct pack {
    const char *output;
    const char *config;      /* path, or NULL: no configuration in the bundle */
    const char *environment; /* path, or NULL: describe this machine */
};

/* Reads the documents and writes the bundle. */
static int write_bundle(const struct pack *p, const struct witness_paths *logs, bool quiet)
{
    tacho_witness_pack content = TACHO_WITNESS_PACK_INIT;
    char hash[TACHO_SHA256_TEXT];
    struct tch_buf config;
    struct tch_buf environment;
    char *machine = NULL;
    tacho_error err;
    int status = EXIT_WORK;

    tch_buf_init(&config, DOCUMENT_MAX);
    tch_buf_init(&environment, DOCUMENT_MAX);
    if ((p->config && tch_file_read(p->config, DOCUMENT_MAX, &config, &err) < 0) ||
        (p->environment && tch_file_read(p->environment, DOCUMENT_MAX, &environment, &err) < 0)) {
        cli_complain(NULL, "%s", err.message);
        goto out;
    }
    if (!p->environment && tacho_environment(NULL, &machine, NULL, &err) < 0) {
        cli_complain(&err, "cannot describe this machine");
        goto out;
    }
    content.logs = (const char *const *)logs->path;
    content.log_count = logs->count;
    content.config = p->config ? config.data : NULL;
    content.environment = machine ? machine : environment.data;
    if (tacho_witness_pack_write(p->output, &content, hash, &err) < 0) {
        cli_complain(&err, "cannot pack '%s'", p->output);
        status = err.code == TACHO_EPARSE ? EXIT_CHECK : EXIT_WORK;
        goto out;
    }
    if (!quiet)
        printf("%s  %s\n", hash, p->output);
    status = EXIT_OK;
out:
    free(machine);
    tch_buf_release(&config);
    tch_buf_release(&environment);
    return status;
}

static int run_pack(struct args *args)
{
    static const char *const extensions[] = {".jsonl", NULL};
    struct pack p = {.output = NULL};
    struct witness_paths logs = {0};
    int status = cli_set_opts(args, &p, NULL);

    if (!p.output)
        return cli_wrong_usage(args,
                               "-o is missing; name the bundle to write, such as -o witness.rvf");
    for (size_t i = 0; i < args->count && status == EXIT_OK; i++)
        status = cli_witness_paths_add(&logs, args->operands[i], extensions);
    if (status == EXIT_OK && logs.count == 0) {
        cli_complain(NULL, "no logs to pack: the named folders contain no *.jsonl files");
        status = EXIT_WORK;
    }
    if (status == EXIT_OK)
        status = write_bundle(&p, &logs, args->quiet);
    cli_witness_paths_release(&logs);
    return status;
}

static const struct opt opts[] = {
    {.name = "output",
     .letter = 'o',
     .arg = "FILE",
     .help = "write the bundle to FILE, an RVF file such as witness.rvf",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct pack, output)},
    {.name = "config",
     .arg = "FILE",
     .help = "include this JSON document as the program's configuration",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct pack, config)},
    {.name = "environment",
     .arg = "FILE",
     .help = "include this JSON document as the description of the machine (default: as 'tacho "
             "fingerprint env' describes this machine)",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct pack, environment)},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "LOG", .help = "logs, or folders of *.jsonl", .many = true, .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct exit_note exits[] = {
    {EXIT_CHECK, "a log is invalid or not closed; nothing was written"},
    {0, NULL},
};

static const struct example examples[] = {
    {"tacho witness pack --config config.json -o witness.rvf results/witness",
     "Pack all logs of a folder, the configuration and a description of this machine."},
    {NULL, NULL},
};

const struct cmd cmd_witness_pack = {
    .name = "pack",
    .summary = "pack logs, configuration and machine into one bundle",
    .usage = "tacho witness pack [--config FILE] [--environment FILE] -o FILE LOG...",
    .about = "Checks each log first. The bundle is an RVF file (RuVector\'s binary format) with a "
             "witness segment per log, chained by SHAKE-256, and the log\'s text. It is written "
             "completely or not at all. Prints the bundle\'s last hash, which depends on "
             "everything in it.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .exits = exits,
    .run = run_pack,
};
