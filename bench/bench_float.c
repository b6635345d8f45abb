/* Compares writing doubles as JSON, with the shortest exact text, with the 17 digits of printf. */
#include <stdio.h>
#include <stdlib.h>

#include "base/float_text.h"
#include "bench.h"

enum { COUNT = 1000000, QUICK_COUNT = 100000 };

/* The floor copies a fixed size, as the fastest writer of text would. */
enum { SLOT = 24 };

struct numbers {
    double *values;
    char *texts; /* SLOT bytes each */
    uint8_t *lengths;
    char *out;
    size_t count;
};

static double random_bits(uint64_t *random)
{
    double value;

    do {
        uint64_t bits = bench_random(random);

        memcpy(&value, &bits, sizeof value);
    } while (value - value != 0); /* NaN and the infinities are not numbers to write */
    return value;
}

/* Returns a number as people type it: 0.25, 17, 1500.5. */
static double human(uint64_t *random)
{
    static const double powers[] = {1, 1, 10, 100, 1000};
    uint64_t x = bench_random(random);

    return (double)(x % 10000) / powers[(x >> 32) % 5];
}

/* Returns a time in microseconds, from tens of nanoseconds to seconds. */
static double microseconds(uint64_t *random)
{
    uint64_t x = bench_random(random);

    return (double)((x >> 8) % ((uint64_t)1 << (6 + (x & 255) % 25))) / 1000;
}

static void numbers_release(struct numbers *n)
{
    free(n->values);
    free(n->texts);
    free(n->lengths);
    free(n->out);
}

/* Fills in the values and their texts, and checks that each text reads back as its value. */
static int numbers_fill(struct numbers *n, double (*draw)(uint64_t *random))
{
    uint64_t random = 1;

    for (size_t i = 0; i < n->count; i++) {
        char text[TCH_FLOAT_TEXT + 1];
        size_t len;

        n->values[i] = draw(&random);
        len = tch_f64_json(text, n->values[i]);
        text[len] = '\0';
        if (len > SLOT || strtod(text, NULL) != n->values[i]) {
            fprintf(stderr, "bench_float: '%s' is not %.17g\n", text, n->values[i]);
            return -1;
        }
        memcpy(n->texts + i * SLOT, text, len);
        n->lengths[i] = (uint8_t)len;
    }
    return 0;
}

static int numbers_init(struct numbers *n, size_t count)
{
    n->count = count;
    n->values = calloc(count, sizeof n->values[0]);
    n->texts = calloc(count, SLOT);
    n->lengths = calloc(count, 1);
    n->out = malloc(count * TCH_FLOAT_TEXT);
    if (n->values && n->texts && n->lengths && n->out)
        return 0;
    fputs("bench_float: out of memory\n", stderr);
    return -1;
}

static int copy_texts(void *work, void *state)
{
    struct numbers *n = work;
    char *out = n->out;

    (void)state;
    for (size_t i = 0; i < n->count; i++) {
        memcpy(out, n->texts + i * SLOT, SLOT);
        out += n->lengths[i];
    }
    return out > n->out ? 0 : -1;
}

static int write_shortest(void *work, void *state)
{
    struct numbers *n = work;
    char *out = n->out;

    (void)state;
    for (size_t i = 0; i < n->count; i++)
        out += tch_f64_json(out, n->values[i]);
    return out > n->out ? 0 : -1;
}

static int print_17_digits(void *work, void *state)
{
    struct numbers *n = work;
    char *out = n->out;

    (void)state;
    for (size_t i = 0; i < n->count; i++)
        out += snprintf(out, TCH_FLOAT_TEXT, "%.17g", n->values[i]);
    return out > n->out ? 0 : -1;
}

static const struct bench_contender contenders[] = {
    {.name = "copying text (floor)", .role = BENCH_FLOOR, .run = copy_texts},
    {.name = "tacho", .role = BENCH_OURS, .run = write_shortest},
    {.name = "printf %.17g", .role = BENCH_PEER, .run = print_17_digits},
};

static const struct bench_target targets[] = {{"tacho", "printf %.17g", 5}};

static int compare(const char *name, double (*draw)(uint64_t *random),
                   const struct bench_options *options)
{
    struct numbers n = {0};
    struct bench_case c = {
        .name = name,
        .work = &n,
        .operations = options->quick ? QUICK_COUNT : COUNT,
        .operation = "number",
        .contenders = contenders,
        .contender_count = sizeof contenders / sizeof contenders[0],
        .targets = targets,
        .target_count = sizeof targets / sizeof targets[0],
    };
    int status = -1;

    c.bytes = c.operations * sizeof(double);
    if (numbers_init(&n, c.operations) == 0 && numbers_fill(&n, draw) == 0)
        status = bench_compare(&c, options);
    numbers_release(&n);
    return status;
}

int main(int argc, char **argv)
{
    struct bench_options options;

    if (bench_parse(&argc, argv, &options) < 0)
        return 64;
    if (argc > 1) {
        fprintf(stderr, "usage: bench_float [--rounds N] [--quick] [--json]\n");
        return 64;
    }
    if (compare("writing doubles: random bits", random_bits, &options) < 0 ||
        compare("writing doubles: few digits, as people write", human, &options) < 0 ||
        compare("writing doubles: timings in microseconds", microseconds, &options) < 0)
        return 1;
    return 0;
}
