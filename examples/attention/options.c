/* The command line: every option is one row of a table, every number the whole word or nothing. */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SAMPLES = 1000000, MAX_LEN = 65536, MAX_HEADS = 1024, MAX_DIM = 4096 };

/* Parses the value of an option, NULL for one that takes none. 0, or -1 when it is not one. */
typedef int set_option(struct options *o, const char *value);

struct option {
    const char *name;
    set_option *set;
    const char *value; /* as the usage shows it; NULL: takes none */
    const char *wants; /* as the error says it */
    const char *help;
};

/* Decimal digits alone: strtoull() by itself would take " 7", "-7" and "7x". */
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

/* "A:B" with A <= B, or one length. */
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
    return strcmp(value, "softmax") == 0 ? 0 : -1;
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
    {"--mode", set_mode, "MODE", "softmax", "what to compute (softmax)"},
    {"--samples", set_samples, "N", "a whole number from 1 to 1000000", "sequences (32)"},
    {"--seq-len", set_seq_len, "A:B", "A:B with 1 <= A <= B <= 65536",
     "their lengths, drawn uniformly (128:512)"},
    {"--seed", set_seed, "S", "a whole number of 64 bits", "of the random numbers (1)"},
    {"--heads", set_heads, "H", "a whole number from 1 to 1024", "heads of a sequence (4)"},
    {"--dim", set_dim, "D", "a whole number from 1 to 4096", "floats in a row of a head (64)"},
    {"--check", set_check, NULL, NULL, "compare every output with a plain reference"},
    {"--quiet", set_quiet, NULL, NULL, "print the checksum alone"},
    {"--help", set_help, NULL, NULL, "this"},
};

void options_usage(FILE *to)
{
    fputs("usage: attention [options]\n", to);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        fprintf(to, "  %-10s %-8s %s\n", table[i].name, table[i].value ? table[i].value : "",
                table[i].help);
}

/* name_len bytes of arg are the name: the rest may be "=value". */
static const struct option *find(const char *arg, size_t name_len)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strlen(table[i].name) == name_len && memcmp(table[i].name, arg, name_len) == 0)
            return &table[i];
    return NULL;
}

/* Takes argv[*i], and the argument after it where the value is there. */
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
        fprintf(stderr, "attention: '%s' is not a value for %s: it takes %s\n", value, option->name,
                option->wants);
        return -1;
    }
    return 0;
}

int options_parse(int argc, char **argv, struct options *ret)
{
    struct options o = {.mode = "softmax",
                        .samples = 32,
                        .min_len = 128,
                        .max_len = 512,
                        .heads = 4,
                        .dim = 64,
                        .seed = 1};

    for (int i = 1; i < argc; i++)
        if (take(argv, &i, &o) < 0)
            return -1;
    *ret = o;
    return 0;
}
