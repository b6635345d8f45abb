/* Parses the command line. Every option is one row of a table, and numbers are parsed completely or
   refused. */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SAMPLES = 1000000, MAX_LEN = 65536, MAX_HEADS = 1024, MAX_DIM = 4096 };

/* A longer mask than MAX_GATED_LEN squared does not fit a line of a witness log. */
enum { MAX_GATED_LEN = 3000 };

/* Parses the value of an option; NULL for an option without a value. Returns 0, or -1 when the
   value is invalid. */
typedef int set_option(struct options *o, const char *value);

struct option {
    const char *name;
    set_option *set;
    const char *value; /* in the usage text; NULL: the option has no value */
    const char *wants; /* in error messages */
    const char *help;
};

/* Parses decimal digits only; strtoull() alone would accept " 7", "-7" and "7x". */
static int parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *ret)
{
    char *end;
    unsigned long long value;

    if (!isdigit((unsigned char)text[0]))
        return -1;
    errno = 0;
    value = strtoull(text, &end, 10);
    if (*end || errno || value < min || value > max)
        return -1;
    *ret = value;
    return 0;
}

static int parse_size(const char *text, size_t max, size_t *ret)
{
    uint64_t value;

    if (parse_number(text, 1, max, &value) < 0)
        return -1;
    *ret = (size_t)value;
    return 0;
}

/* Parses "A:B" with A <= B, or one length. */
static int parse_range(const char *text, size_t max, size_t *low, size_t *high)
{
    const char *colon = strchr(text, ':');
    char first[24];
    size_t len = colon ? (size_t)(colon - text) : strlen(text);
    size_t a, b;

    if (len >= sizeof first)
        return -1;
    memcpy(first, text, len);
    first[len] = '\0';
    if (parse_size(first, max, &a) < 0 || parse_size(colon ? colon + 1 : first, max, &b) < 0)
        return -1;
    if (a > b)
        return -1;
    *low = a;
    *high = b;
    return 0;
}

static int set_mode(struct options *o, const char *value)
{
    o->mode = value;
    o->gated = strcmp(value, "mincut") == 0;
    return o->gated || strcmp(value, "softmax") == 0 ? 0 : -1;
}

static int set_input(struct options *o, const char *value)
{
    o->input = value;
    o->clusters = strcmp(value, "clusters") == 0;
    return o->clusters || strcmp(value, "random") == 0 ? 0 : -1;
}

/* Parses a decimal number that is not negative; strtof() alone would accept "inf", "0x1" and
   "nan". */
static int parse_float(const char *text, float *ret)
{
    char *end;
    float value;

    if (!isdigit((unsigned char)text[0]) || strpbrk(text, "xX"))
        return -1;
    value = strtof(text, &end);
    if (*end || !(value <= 1e30f))
        return -1;
    *ret = value;
    return 0;
}

static int set_lambda(struct options *o, const char *value)
{
    return parse_float(value, &o->lambda);
}

static int set_tau(struct options *o, const char *value)
{
    return parse_number(value, 0, UINT32_MAX, &o->tau);
}

static int set_eps(struct options *o, const char *value)
{
    return parse_float(value, &o->eps);
}

static int set_csv(struct options *o, const char *value)
{
    o->csv = value;
    return *value ? 0 : -1;
}

static int set_witness(struct options *o, const char *value)
{
    o->witness = value;
    return *value ? 0 : -1;
}

static int set_power(struct options *o, const char *value)
{
    o->power = value;
    return *value ? 0 : -1;
}

static int set_steps(struct options *o, const char *value)
{
    return parse_number(value, 1, 1000000, &o->steps);
}

static int set_doubling(struct options *o, const char *value)
{
    (void)value;
    o->doubling = true;
    return 0;
}

static int set_samples(struct options *o, const char *value)
{
    return parse_size(value, MAX_SAMPLES, &o->samples);
}

static int set_seq_len(struct options *o, const char *value)
{
    return parse_range(value, MAX_LEN, &o->min_len, &o->max_len);
}

static int set_seed(struct options *o, const char *value)
{
    return parse_number(value, 0, UINT64_MAX, &o->seed);
}

static int set_heads(struct options *o, const char *value)
{
    return parse_size(value, MAX_HEADS, &o->heads);
}

static int set_dim(struct options *o, const char *value)
{
    return parse_size(value, MAX_DIM, &o->dim);
}

static int set_check(struct options *o, const char *value)
{
    (void)value;
    o->check = true;
    return 0;
}

static int set_quiet(struct options *o, const char *value)
{
    (void)value;
    o->quiet = true;
    return 0;
}

static int set_help(struct options *o, const char *value)
{
    (void)value;
    o->help = true;
    return 0;
}

static const struct option table[] = {
    {"--mode", set_mode, "MODE", "softmax or mincut",
     "compute softmax or mincut (default softmax)"},
    {"--samples", set_samples, "N", "a whole number from 1 to 1000000", "sequences (32)"},
    {"--seq-len", set_seq_len, "A:B", "A:B with 1 <= A <= B <= 65536",
     "their lengths, drawn uniformly (128:512)"},
    {"--steps", set_steps, "N", "a whole number from 1 to 1000000",
     "samples with the same tokens: the steps of a sequence (1)"},
    {"--doubling", set_doubling, NULL, NULL,
     "lengths A, 2A, 4A ... B, each a quarter as often as the one before"},
    {"--input", set_input, "INPUT", "random or clusters",
     "random numbers, or clusters of keys (random)"},
    {"--seed", set_seed, "S", "a whole number of 64 bits", "of the random numbers (1)"},
    {"--heads", set_heads, "H", "a whole number from 1 to 1024",
     "heads of a sequence (4; 1 with mincut)"},
    {"--dim", set_dim, "D", "a whole number from 1 to 4096", "floats in a row of a head (64)"},
    {"--lambda", set_lambda, "L", "a number that is not negative", "of the cut (0.5)"},
    {"--tau", set_tau, "T", "a whole number of 32 bits", "steps until a mask's entry flips (2)"},
    {"--eps", set_eps, "E", "a number that is not negative",
     "logits not above it are gated (0.01)"},
    {"--csv", set_csv, "FILE", "a file", "write one row per sample"},
    {"--witness", set_witness, "FILE", "a file", "write one witness entry per sample (mincut)"},
    {"--power", set_power, "SOURCE", "auto, none or a source of power", "of energy_j (auto)"},
    {"--check", set_check, NULL, NULL, "compare every output with a plain reference"},
    {"--quiet", set_quiet, NULL, NULL, "print the checksum alone"},
    {"--help", set_help, NULL, NULL, "this"},
};

void options_usage(FILE *to)
{
    fputs("usage: attention [options]\n", to);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        fprintf(to, "  %-10s %-7s %s\n", table[i].name, table[i].value ? table[i].value : "",
                table[i].help);
}

/* Finds an option by the first name_len bytes of arg; the rest may be "=value". */
static const struct option *find(const char *arg, size_t name_len)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strlen(table[i].name) == name_len && memcmp(table[i].name, arg, name_len) == 0)
            return &table[i];
    return NULL;
}

/* Parses argv[*i], and the next argument if that is its value. */
static int take(char **argv, int *i, struct options *o)
{
    const char *arg = argv[*i];
    size_t name_len = strcspn(arg, "=");
    const char *value = arg[name_len] ? arg + name_len + 1 : NULL;
    const struct option *option = find(arg, name_len);

    if (!option) {
        fprintf(stderr, "attention: unknown option '%s'; see attention --help\n", arg);
        return -1;
    }
    if (option->value && !value && argv[*i + 1])
        value = argv[++*i];
    if (option->value && !value) {
        fprintf(stderr, "attention: %s needs a value: %s\n", option->name, option->wants);
        return -1;
    }
    if (!option->value && value) {
        fprintf(stderr, "attention: %s takes no value\n", option->name);
        return -1;
    }
    if (option->set(o, value) < 0) {
        fprintf(stderr, "attention: '%s' is not a value for %s; use %s\n", value, option->name,
                option->wants);
        return -1;
    }
    return 0;
}

/* Sets the default of --heads and refuses options that exclude each other. */
static int settle(struct options *o)
{
    const char *why = NULL;

    if (o->heads == 0)
        o->heads = o->gated ? 1 : 4;
    if (o->gated && o->heads > 1)
        why = "--mode mincut has one head, because a witness entry has one mask; remove --heads";
    else if (o->gated && o->max_len > MAX_GATED_LEN)
        why = "--mode mincut supports lengths up to 3000; make --seq-len smaller";
    else if (!o->gated && o->witness)
        why = "--witness records masks; add --mode mincut";
    if (why)
        fprintf(stderr, "attention: %s\n", why);
    return why ? -1 : 0;
}

int options_parse(int argc, char **argv, struct options *ret)
{
    struct options o = {.mode = "softmax",
                        .input = "random",
                        .samples = 32,
                        .min_len = 128,
                        .max_len = 512,
                        .dim = 64,
                        .seed = 1,
                        .lambda = 0.5f,
                        .steps = 1,
                        .tau = 2,
                        .eps = 0.01f,
                        .power = "auto"};

    for (int i = 1; i < argc; i++)
        if (take(argv, &i, &o) < 0)
            return -1;
    if (!o.help && settle(&o) < 0)
        return -1;
    *ret = o;
    return 0;
}
