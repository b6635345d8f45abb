/* tacho fingerprint config: hashes the configuration of a benchmark, from a file or from
   options. */
#include <math.h>
#include <stdlib.h>

#include <tacho/fingerprint.h>

#include "base/json_read.h"
#include "base/number.h"
#include "cli/core/opt.h"
#include "cmd_fingerprint_parts.h"

enum {
    CONFIG_FILE,
    CONFIG_AS,
    MODEL_COMMIT,
    WEIGHTS_HASH,
    LAMBDA,
    TAU,
    EPS,
    COMPILER_FLAGS,
    CONFIG_OPTS
};

static const char *const forms[] = {"any", "bench-config", NULL};

/* Returns whether an object has fields that a tacho_config does not have. The JSON must be valid.
 */
static bool has_other_fields(const struct tch_buf *b)
{
    struct tch_json_reader r;
    struct tch_json_value value;
    struct tch_json_value key;
    int count = 0;

    tch_json_open(&r, b->data, b->len, NULL);
    if (tch_json_read(&r, &value) < 0 || value.type != TCH_JSON_OBJECT)
        return false;
    while (tch_json_member(&r, &key) > 0 && tch_json_read_raw(&r, &value) == 0)
        count++;
    return count > CONFIG_OPTS - MODEL_COMMIT;
}

/* Hashes exactly the six fields of a tacho_config as tacho_config_hash() does, and every other
   document as a whole, so that no field is ignored. When the document must be a tacho_config,
   another one is an error. */
static int hash_config_file(const struct args *args, const char *file, bool strict)
{
    struct tch_buf b;
    char *json = NULL;
    size_t len;
    tacho_error err;
    int status = cli_fingerprint_read(file, &b);

    if (status != EXIT_OK)
        return status;
    if (strict) {
        if (tacho_config_canonical(b.data, b.len, &json, &len, &err) < 0)
            status = EXIT_WORK;
    } else if (tacho_config_canonical(b.data, b.len, &json, &len, &err) < 0 ||
               has_other_fields(&b)) {
        free(json);
        json = NULL;
        if (tacho_json_canonical(b.data, b.len, &json, &len, &err) < 0)
            status = EXIT_WORK;
    }
    if (status == EXIT_OK)
        status = cli_fingerprint_put_document(args, "config", json, len);
    else
        cli_complain(&err, "cannot take a fingerprint of '%s'", file);
    free(json);
    tch_buf_release(&b);
    return status;
}

static int parse_float(const struct args *args, const char *name, const char *text, float *ret)
{
    double value;

    if (tch_parse_f64(text, &value) < 0 || !isfinite((float)value))
        return cli_wrong_usage(args, "--%s needs a number, not '%s'", name, text);
    *ret = (float)value;
    return EXIT_OK;
}

static int parse_config(struct args *args, const char *values[CONFIG_OPTS], tacho_config *c)
{
    static const char *const names[] = {"file",   "as",  "model-commit", "weights-hash",
                                        "lambda", "tau", "eps",          "compiler-flags"};
    int status;

    for (int i = MODEL_COMMIT; i < CONFIG_OPTS; i++)
        if (!values[i])
            return cli_wrong_usage(
                args, "--%s is missing; give all six fields, or a document with --file", names[i]);
    c->model_commit = values[MODEL_COMMIT];
    c->weights_hash = values[WEIGHTS_HASH];
    c->compiler_flags = values[COMPILER_FLAGS];
    if (tch_parse_u64(values[TAU], UINT64_MAX, &c->tau) < 0)
        return cli_wrong_usage(args, "--tau needs a whole number, not '%s'", values[TAU]);
    status = parse_float(args, "lambda", values[LAMBDA], &c->lambda);
    return status != EXIT_OK ? status : parse_float(args, "eps", values[EPS], &c->eps);
}

static int run_config(struct args *args)
{
    const char *values[CONFIG_OPTS] = {NULL};
    const struct opt *opt;
    tacho_config config;
    tacho_error err;
    char *json;
    size_t len;
    bool any = false;
    int status;

    while ((opt = cli_next_opt(args))) {
        values[opt->id] = args->value;
        any = any || opt->id >= MODEL_COMMIT;
    }
    if (values[CONFIG_FILE] && any)
        return cli_wrong_usage(args,
                               "cannot combine --file with single fields; remove one of them");
    if (values[CONFIG_FILE])
        return hash_config_file(args, values[CONFIG_FILE],
                                values[CONFIG_AS] && strcmp(values[CONFIG_AS], forms[1]) == 0);
    status = parse_config(args, values, &config);
    if (status != EXIT_OK)
        return status;
    if (tacho_config_to_json(&config, &json, &len, &err) < 0) {
        cli_complain(&err, "cannot hash the configuration");
        return EXIT_WORK;
    }
    status = cli_fingerprint_put_document(args, "config", json, len);
    free(json);
    return status;
}

static const struct opt config_opts[] = {
    {.id = CONFIG_FILE,
     .name = "file",
     .letter = 'f',
     .arg = "FILE",
     .help = "hash this JSON document; - for standard input",
     .complete = COMPLETE_FILE},
    {.id = CONFIG_AS,
     .name = "as",
     .arg = "FORM",
     .help = "take the document as any JSON, or as the six fields of ruvector-profiler, as "
             "tacho_config_canonical() does, and refuse it otherwise (default any)",
     .choices = forms},
    {.id = MODEL_COMMIT, .name = "model-commit", .arg = "TEXT", .help = "set model_commit"},
    {.id = WEIGHTS_HASH, .name = "weights-hash", .arg = "TEXT", .help = "set weights_hash"},
    {.id = LAMBDA, .name = "lambda", .arg = "NUMBER", .help = "set lambda"},
    {.id = TAU, .name = "tau", .arg = "N", .help = "set tau (a whole number)"},
    {.id = EPS, .name = "eps", .arg = "NUMBER", .help = "set eps"},
    {.id = COMPILER_FLAGS, .name = "compiler-flags", .arg = "TEXT", .help = "set compiler_flags"},
    {.name = NULL},
};

static const struct example config_examples[] = {
    {"tacho fingerprint config --file bench.json", "Hash a configuration in a file."},
    {"tacho fingerprint config --model-commit abc --weights-hash def --lambda 0.5 --tau 2 "
     "--eps 0.01 --compiler-flags=-O3",
     "Hash the six fields without a file."},
    {NULL, NULL},
};

const struct cmd cmd_fingerprint_config = {
    .name = "config",
    .summary = "hash the configuration of a benchmark: any JSON document",
    .usage = "tacho fingerprint config [--as FORM] --file FILE\ntacho fingerprint config "
             "--model-commit TEXT "
             "--weights-hash TEXT --lambda NUMBER --tau N --eps NUMBER --compiler-flags TEXT",
    .about =
        "Prints the SHA-256 of a configuration. The configuration may be any JSON document; it is "
        "hashed in the form that 'tacho fingerprint json' describes.\n\nA document with exactly "
        "the fields model_commit, weights_hash, lambda, tau, eps and compiler_flags is hashed with "
        "its fields in this order, and with lambda and eps as 32-bit floats. This is the hash that "
        "tacho_config_hash() and ruvector-profiler compute. The options other than --file give "
        "these six fields without a file. With --as bench-config, a document that "
        "tacho_config_canonical() refuses is an error. --json shows the text that was hashed.",
    .opts = config_opts,
    .examples = config_examples,
    .json = true,
    .run = run_config,
};
