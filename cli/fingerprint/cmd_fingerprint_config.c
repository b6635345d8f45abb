/* tacho fingerprint config: hash of a benchmark's configuration, from a file or from options. */
#include <math.h>
#include <stdlib.h>

#include <tacho/fingerprint.h>

#include "base/number.h"
#include "cli/core/opt.h"
#include "cmd_fingerprint_parts.h"

enum { CONFIG_FILE, MODEL_COMMIT, WEIGHTS_HASH, LAMBDA, TAU, EPS, COMPILER_FLAGS, CONFIG_OPTS };

static int hash_config_file(const struct args *args, const char *file)
{
    struct tch_buf b;
    char *json = NULL;
    size_t len;
    tacho_error err;
    int status = cli_fingerprint_read(file, &b);

    if (status != EXIT_OK)
        return status;
    if (tacho_config_canonical(b.data, b.len, &json, &len, &err) < 0) {
        cli_complain(&err, "'%s' is not a configuration", file);
        status = EXIT_WORK;
    } else {
        status = cli_fingerprint_put_document(args, "config", json, len);
    }
    free(json);
    tch_buf_release(&b);
    return status;
}

static int parse_float(const struct args *args, const char *name, const char *text, float *ret)
{
    double value;

    if (tch_parse_f64(text, &value) < 0 || !isfinite((float)value))
        return cli_wrong_usage(args, "'%s' is not a number for --%s", text, name);
    *ret = (float)value;
    return EXIT_OK;
}

static int parse_config(struct args *args, const char *values[CONFIG_OPTS], tacho_config *c)
{
    static const char *const names[] = {"file", "model-commit", "weights-hash",  "lambda",
                                        "tau",  "eps",          "compiler-flags"};
    int status;

    for (int i = MODEL_COMMIT; i < CONFIG_OPTS; i++)
        if (!values[i])
            return cli_wrong_usage(args, "--%s is missing: all six, or --file", names[i]);
    c->model_commit = values[MODEL_COMMIT];
    c->weights_hash = values[WEIGHTS_HASH];
    c->compiler_flags = values[COMPILER_FLAGS];
    if (tch_parse_u64(values[TAU], UINT64_MAX, &c->tau) < 0)
        return cli_wrong_usage(args, "'%s' is not a whole number for --tau", values[TAU]);
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
        any = any || opt->id != CONFIG_FILE;
    }
    if (values[CONFIG_FILE] && any)
        return cli_wrong_usage(args, "--file and single fields exclude each other");
    if (values[CONFIG_FILE])
        return hash_config_file(args, values[CONFIG_FILE]);
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
     .help = "a JSON object with these fields",
     .complete = COMPLETE_FILE},
    {.id = MODEL_COMMIT, .name = "model-commit", .arg = "TEXT", .help = "commit of the model"},
    {.id = WEIGHTS_HASH, .name = "weights-hash", .arg = "TEXT", .help = "hash of its weights"},
    {.id = LAMBDA, .name = "lambda", .arg = "NUMBER", .help = "lambda"},
    {.id = TAU, .name = "tau", .arg = "N", .help = "tau, a whole number"},
    {.id = EPS, .name = "eps", .arg = "NUMBER", .help = "epsilon"},
    {.id = COMPILER_FLAGS,
     .name = "compiler-flags",
     .arg = "TEXT",
     .help = "what it was compiled with"},
    {.name = NULL},
};

static const struct example config_examples[] = {
    {"tacho fingerprint config --file bench.json", "The hash of a configuration in a file."},
    {"tacho fingerprint config --model-commit abc --weights-hash def --lambda 0.5 --tau 2 "
     "--eps 0.01 --compiler-flags=-O3",
     "The same of single fields."},
    {NULL, NULL},
};

const struct cmd cmd_fingerprint_config = {
    .name = "config",
    .summary = "hash of a benchmark's configuration",
    .usage = "tacho fingerprint config --file F.json\n"
             "tacho fingerprint config --model-commit TEXT --weights-hash TEXT --lambda NUMBER "
             "--tau N --eps NUMBER --compiler-flags TEXT",
    .about =
        "SHA-256 of the configuration as compact JSON with its six fields in this order: "
        "model_commit, weights_hash, lambda, tau, eps, compiler_flags. --json shows that text.",
    .opts = config_opts,
    .examples = config_examples,
    .json = true,
    .run = run_config,
};
