/* tacho fingerprint: lists its sub-commands, reads their files and prints hashes. */
#include <unistd.h>

#include <tacho/fingerprint.h>

#include "base/file.h"
#include "cli/cmds.h"
#include "cli/core/opt.h"
#include "cmd_fingerprint_parts.h"
#include "kit/measure/fingerprint_json.h"

enum { FILE_MAX = 16 * 1024 * 1024 };

const struct arg cli_fingerprint_file_arg[] = {
    {.name = "FILE", .help = "the file to hash; - for standard input", .complete = COMPLETE_FILE},
    {.name = NULL},
};

int cli_fingerprint_read(const char *name, struct tch_buf *b)
{
    bool std = strcmp(name, "-") == 0;
    tacho_error err;
    int status;

    tch_buf_init(b, FILE_MAX);
    status = std ? tch_file_read_fd(STDIN_FILENO, "standard input", FILE_MAX, b, &err)
                 : tch_file_read(name, FILE_MAX, b, &err);
    if (status < 0) {
        cli_complain(&err, "cannot take a fingerprint of '%s'", name);
        tch_buf_release(b);
        return EXIT_WORK;
    }
    return EXIT_OK;
}

int cli_fingerprint_put(const struct args *args, const char *kind, const char *hash,
                        const char *document, size_t len)
{
    struct tch_buf b;

    tch_buf_init(&b, FINGERPRINT_OUT_MAX);
    if (args->json)
        tch_fingerprint_json(&b, kind, hash, document, len);
    else
        tch_buf_adds(&b, hash);
    tch_buf_addc(&b, '\n');
    return cli_print(&b);
}

int cli_fingerprint_put_document(const struct args *args, const char *kind, const char *document,
                                 size_t len)
{
    char hash[TACHO_SHA256_TEXT];

    tacho_sha256(document, len, hash);
    return cli_fingerprint_put(args, kind, hash, document, len);
}

static const struct cmd *const subs[] = {
    &cmd_fingerprint_config,
    &cmd_fingerprint_diff,
    &cmd_fingerprint_env,
    &cmd_fingerprint_json,
    &cmd_fingerprint_run,
    &cmd_fingerprint_tensor,
    NULL,
};

static const struct man_item variables[] = {
    {"TACHO_*, FERRUM_*", "Belong to the environment, unless the name says that the value is a "
                          "path, a commit or a hash."},
    {NULL, NULL},
};

static const struct man_item files[] = {
    {"/proc, /sys, /etc/os-release", "Describe the machine."},
    {NULL, NULL},
};

const struct cmd cmd_fingerprint = {
    .name = "fingerprint",
    .summary = "hash a JSON document, a run or the environment",
    .usage = "tacho fingerprint config|diff|env|json|run|tensor [OPTIONS] [ARGUMENTS]",
    .about = "Hashes the conditions of a result, so that every result can name the exact "
             "conditions that produced it. 'json' hashes any JSON document, 'run' everything that "
             "defines a run, 'env' the machine and its settings.",
    .subs = subs,
    .variables = variables,
    .files = files,
};
