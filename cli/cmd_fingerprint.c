/* tacho fingerprint: hashes of configurations, JSON, tensors and of this machine. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include <tacho/fingerprint.h>

#include "base/file.h"
#include "base/json_write.h"
#include "base/number.h"
#include "base/sha256.h"
#include "cmds.h"
#include "opt.h"
#include "table.h"

enum { OUT_MAX = 32 * 1024 * 1024, FILE_MAX = 16 * 1024 * 1024 };

/* All of a file, or of standard input for "-". */
static int read_file(const char *name, struct tch_buf *b)
{
    bool std = strcmp(name, "-") == 0;
    tacho_error err;
    int status;

    tch_buf_init(b, FILE_MAX);
    status = std ? tch_file_read_fd(STDIN_FILENO, "standard input", FILE_MAX, b, &err)
                 : tch_file_read(name, FILE_MAX, b, &err);
    if (status < 0) {
        complain(&err, "cannot take a fingerprint of '%s'", name);
        tch_buf_release(b);
        return EXIT_WORK;
    }
    return EXIT_OK;
}

/* "HASH", or with --json the hash and what was hashed. */
/* document: what was hashed, NULL where that is no JSON. */
static int put_hash(const struct args *args, const char *kind, const char *hash,
                    const char *document, size_t len)
{
    struct tch_buf b;

    tch_buf_init(&b, OUT_MAX);
    if (args->json) {
        tch_json_begin_object(&b);
        tch_json_key(&b, "schema");
        tch_json_text(&b, "tacho.fingerprint.v1");
        tch_json_key(&b, "kind");
        tch_json_text(&b, kind);
        tch_json_key(&b, "sha256");
        tch_json_text(&b, hash);
        tch_json_key(&b, "document");
        if (document)
            tch_json_raw(&b, document, len);
        else
            tch_json_null(&b);
        tch_json_end_object(&b);
    } else {
        tch_buf_adds(&b, hash);
    }
    tch_buf_addc(&b, '\n');
    return put_out(&b);
}

static int put_document(const struct args *args, const char *kind, const char *document, size_t len)
{
    char hash[TACHO_SHA256_TEXT];

    tacho_sha256(document, len, hash);
    return put_hash(args, kind, hash, document, len);
}

/* config */

enum { CONFIG_FILE, MODEL_COMMIT, WEIGHTS_HASH, LAMBDA, TAU, EPS, COMPILER_FLAGS, CONFIG_OPTS };

static int hash_config_file(const struct args *args, const char *file)
{
    struct tch_buf b;
    char *json = NULL;
    size_t len;
    tacho_error err;
    int status = read_file(file, &b);

    if (status != EXIT_OK)
        return status;
    if (tacho_config_parse(b.data, b.len, &json, &len, &err) < 0) {
        complain(&err, "'%s' is not a configuration", file);
        status = EXIT_WORK;
    } else {
        status = put_document(args, "config", json, len);
    }
    free(json);
    tch_buf_release(&b);
    return status;
}

static int parse_float(const struct args *args, const char *name, const char *text, float *ret)
{
    double value;

    if (tch_parse_f64(text, &value) < 0 || !isfinite((float)value))
        return wrong_usage(args, "'%s' is not a number for --%s", text, name);
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
            return wrong_usage(args, "--%s is missing: all six, or --file", names[i]);
    c->model_commit = values[MODEL_COMMIT];
    c->weights_hash = values[WEIGHTS_HASH];
    c->compiler_flags = values[COMPILER_FLAGS];
    if (tch_parse_u64(values[TAU], UINT64_MAX, &c->tau) < 0)
        return wrong_usage(args, "'%s' is not a whole number for --tau", values[TAU]);
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

    while ((opt = next_opt(args))) {
        values[opt->id] = args->value;
        any = any || opt->id != CONFIG_FILE;
    }
    if (values[CONFIG_FILE] && any)
        return wrong_usage(args, "--file and single fields exclude each other");
    if (values[CONFIG_FILE])
        return hash_config_file(args, values[CONFIG_FILE]);
    status = parse_config(args, values, &config);
    if (status != EXIT_OK)
        return status;
    if (tacho_config_json(&config, &json, &len, &err) < 0) {
        complain(&err, "cannot hash the configuration");
        return EXIT_WORK;
    }
    status = put_document(args, "config", json, len);
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

static const struct cmd config_cmd = {
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

/* json */

static int run_json(struct args *args)
{
    struct tch_buf b;
    char *json = NULL;
    size_t len;
    tacho_error err;
    int status = read_file(args->operands[0], &b);

    if (status != EXIT_OK)
        return status;
    if (tacho_json_canonical(b.data, b.len, &json, &len, &err) < 0) {
        complain(&err, "cannot take a fingerprint of '%s'", args->operands[0]);
        status = EXIT_WORK;
    } else {
        status = put_document(args, "json", json, len);
    }
    free(json);
    tch_buf_release(&b);
    return status;
}

static const struct arg file_arg[] = {
    {.name = "FILE", .help = "the file, '-' for standard input", .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct cmd json_cmd = {
    .name = "json",
    .summary = "hash of any JSON document, blanks left out",
    .usage = "tacho fingerprint json [--json] FILE",
    .about = "SHA-256 of the document as compact JSON: keys in the order given, numbers in their "
             "shortest form. A key that comes twice in an object is an error.",
    .args = file_arg,
    .json = true,
    .run = run_json,
};

/* env */

static void add_env_row(struct table *t, const char *path, const char *value)
{
    size_t len = strlen(value);

    table_add(t, PLAIN, path);
    if (len >= 2 && value[0] == '"')
        table_addf(t, PLAIN, "%.*s", (int)(len - 2), value + 1);
    else
        table_add(t, strcmp(value, "null") == 0 ? DIM : PLAIN,
                  strcmp(value, "null") == 0 ? "not known" : value);
}

static int add_field(const char *path, const char *a, const char *b, void *ctx)
{
    (void)b;
    if (a && strcmp(path, "schema") != 0)
        add_env_row(ctx, path, a);
    return 0;
}

static const struct column env_columns[] = {{.fit = FIT_WHOLE}, {.fit = FIT_WRAP}};

static void add_env(struct tch_buf *b, const struct args *args, const char *document, size_t len,
                    const char *class)
{
    char hash[TACHO_ENV_HASH_TEXT];
    struct table t;

    tacho_environment_hash(document, len, hash);
    table_init(&t, &args->out, env_columns, 2);
    if (tacho_json_diff(document, len, "{}", 2, add_field, &t, NULL) < 0)
        b->failed = true;
    table_add(&t, PLAIN, "hash");
    table_add(&t, BOLD, hash);
    table_add(&t, PLAIN, "machine_class");
    table_add(&t, BOLD, class);
    table_print(&t, b);
    table_release(&t);
}

static void add_env_json(struct tch_buf *b, const char *document, size_t len, const char *class)
{
    char hash[TACHO_ENV_HASH_TEXT];

    tacho_environment_hash(document, len, hash);
    tch_json_begin_object(b);
    tch_json_key(b, "schema");
    tch_json_text(b, "tacho.fingerprint.env.v1");
    tch_json_key(b, "env_hash");
    tch_json_text(b, hash);
    tch_json_key(b, "machine_class");
    tch_json_text(b, class);
    tch_json_key(b, "environment");
    tch_json_raw(b, document, len);
    tch_json_end_object(b);
    tch_buf_addc(b, '\n');
}

static int run_env(struct args *args)
{
    char *document = NULL;
    char *class = NULL;
    size_t len;
    tacho_error err;
    struct tch_buf b;
    int status = EXIT_WORK;

    if (tacho_environment("", TACHO_COMPILER, &document, &len, &err) < 0 ||
        tacho_machine_class(document, len, &class, &err) < 0) {
        complain(&err, "cannot describe this machine");
        goto out;
    }
    tch_buf_init(&b, OUT_MAX);
    if (args->json)
        add_env_json(&b, document, len, class);
    else
        add_env(&b, args, document, len, class);
    status = put_out(&b);
out:
    free(document);
    free(class);
    return status;
}

static const struct cmd env_cmd = {
    .name = "env",
    .summary = "this machine as a document, its hash and its machine_class",
    .usage = "tacho fingerprint env [--json]",
    .about =
        "CPU model and count, memory, kernel, C library, compiler, governor, GPUs, container, "
        "and the variables TACHO_* and FERRUM_* that matter. Nothing that changes while the "
        "machine idles, so two runs give the same hash. The compiler is the one that tacho was "
        "built with; a program that records itself tells its own.",
    .json = true,
    .run = run_env,
};

/* diff */

struct diffs {
    struct table table;
    struct tch_buf json;
    size_t count;
};

static void add_raw(struct tch_buf *b, const char *key, const char *json)
{
    tch_json_key(b, key);
    if (json)
        tch_json_raw(b, json, strlen(json));
    else
        tch_json_null(b);
}

static int add_diff(const char *path, const char *a, const char *b, void *ctx)
{
    struct diffs *d = ctx;

    d->count++;
    table_add(&d->table, PLAIN, path);
    table_add(&d->table, RED, a ? a : "-");
    table_add(&d->table, GREEN, b ? b : "-");
    tch_json_begin_object(&d->json);
    tch_json_key(&d->json, "path");
    tch_json_text(&d->json, path);
    add_raw(&d->json, "a", a);
    add_raw(&d->json, "b", b);
    tch_json_end_object(&d->json);
    return 0;
}

static int put_diffs(const struct args *args, struct diffs *d)
{
    struct tch_buf b;

    tch_buf_init(&b, OUT_MAX);
    if (args->json) {
        tch_json_begin_object(&b);
        tch_json_key(&b, "schema");
        tch_json_text(&b, "tacho.fingerprint.diff.v1");
        tch_json_key(&b, "differences");
        tch_json_begin_array(&b);
        tch_json_raw(&b, d->json.data, d->json.len);
        tch_json_end_array(&b);
        tch_json_end_object(&b);
        tch_buf_addc(&b, '\n');
        b.failed = b.failed || d->json.failed;
    } else if (d->count > 0) {
        table_print(&d->table, &b);
    } else if (!args->quiet) {
        tch_buf_adds(&b, "no difference\n");
    }
    return put_out(&b);
}

static int run_diff(struct args *args)
{
    static const struct column columns[] = {
        {.title = "field"}, {.title = "A"}, {.title = "B", .fit = FIT_WRAP}};
    struct diffs d = {.count = 0};
    struct tch_buf a;
    struct tch_buf b;
    tacho_error err;
    int status = read_file(args->operands[0], &a);

    if (status != EXIT_OK)
        return status;
    status = read_file(args->operands[1], &b);
    if (status != EXIT_OK) {
        tch_buf_release(&a);
        return status;
    }
    table_init(&d.table, &args->out, columns, 3);
    tch_buf_init(&d.json, OUT_MAX);
    if (tacho_json_diff(a.data, a.len, b.data, b.len, add_diff, &d, &err) < 0) {
        complain(&err, "cannot compare '%s' with '%s'", args->operands[0], args->operands[1]);
        status = EXIT_WORK;
    } else {
        status = put_diffs(args, &d);
        if (status == EXIT_OK && d.count > 0)
            status = EXIT_CHECK;
    }
    table_release(&d.table);
    tch_buf_release(&d.json);
    tch_buf_release(&a);
    tch_buf_release(&b);
    return status;
}

static const struct arg diff_args[] = {
    {.name = "A", .help = "a JSON document", .complete = COMPLETE_FILE},
    {.name = "B", .help = "another", .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct exit_note diff_exits[] = {{EXIT_CHECK, "they differ"}, {0, NULL}};

static const struct example diff_examples[] = {
    {"tacho fingerprint env --json > a.json", "Keep what this machine is now,"},
    {"tacho fingerprint env --json | tacho fingerprint diff a.json -",
     "and see later what has changed."},
    {NULL, NULL},
};

static const struct cmd diff_cmd = {
    .name = "diff",
    .summary = "compare two documents field by field",
    .usage = "tacho fingerprint diff [--json] A B",
    .args = diff_args,
    .examples = diff_examples,
    .exits = diff_exits,
    .json = true,
    .run = run_diff,
};

/* tensor */

static int hash_tensor(int fd, const char *name, char hash[TCH_SHA256_HEX])
{
    static char block[1 << 18];
    uint8_t digest[TCH_SHA256_SIZE];
    struct tch_sha256 h;
    uint64_t size = 0;
    ssize_t len;

    tch_sha256_init(&h);
    while ((len = read(fd, block, sizeof block)) != 0) {
        if (len < 0 && errno != EINTR) {
            char why[128];

            complain(NULL, "cannot read '%s': %s", name, strerror_r(errno, why, sizeof why));
            return EXIT_WORK;
        }
        if (len > 0) {
            tch_sha256_update(&h, block, (size_t)len);
            size += (uint64_t)len;
        }
    }
    tch_sha256_final(&h, digest);
    tch_sha256_digest_hex(hash, digest);
    if (size % sizeof(float) == 0)
        return EXIT_OK;
    complain(NULL, "'%s' has %llu bytes: not a whole number of 4-byte floats", name,
             (unsigned long long)size);
    return EXIT_WORK;
}

static int run_tensor(struct args *args)
{
    const char *name = args->operands[0];
    bool std = strcmp(name, "-") == 0;
    int fd = std ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    char hash[TCH_SHA256_HEX];
    int status;

    if (fd < 0) {
        char why[128];

        complain(NULL, "cannot read '%s': %s", name, strerror_r(errno, why, sizeof why));
        return EXIT_WORK;
    }
    status = hash_tensor(fd, name, hash);
    if (!std)
        close(fd);
    return status == EXIT_OK ? put_hash(args, "tensor", hash, NULL, 0) : status;
}

static const struct cmd tensor_cmd = {
    .name = "tensor",
    .summary = "hash of a file of 32-bit floats",
    .usage = "tacho fingerprint tensor [--json] FILE",
    .about = "SHA-256 of little-endian IEEE floats, one after the other, with nothing around them: "
             "the same as tacho_tensor_hash() of the values in memory.",
    .args = file_arg,
    .json = true,
    .run = run_tensor,
};

static const struct cmd *const subs[] = {&config_cmd, &diff_cmd,   &env_cmd,
                                         &json_cmd,   &tensor_cmd, NULL};

const struct cmd cmd_fingerprint = {
    .name = "fingerprint",
    .summary = "hash a configuration, show and hash the environment",
    .usage = "tacho fingerprint config|diff|env|json|tensor [OPTIONS] [ARGUMENTS]",
    .about = "Under what a result came about, as a hash that goes with every result.",
    .subs = subs,
};
