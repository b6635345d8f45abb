/* The table that Google Benchmark prints. Its values have three digits. */
#include <string.h>

#include "base/number.h"
#include "import_read.h"

enum { WORDS = 64 };

/* A line of the table. */
struct row {
    struct tch_span name;
    double real;
    double cpu;
};

static bool is_head(struct tch_span line)
{
    struct tch_span words[4];

    return tch_span_starts(line, "Benchmark") && tch_import_words(line, words, 4) >= 4 &&
           tch_span_is(words[1], "Time") && tch_span_is(words[2], "CPU") &&
           tch_span_starts(words[3], "Iterations");
}

static bool parse_time(const struct tch_span *words, double *ret)
{
    double scale = tch_import_unit_ns(words[1].p, words[1].len);

    if (!(scale > 0) || tch_parse_f64_n(words[0].p, words[0].len, ret) < 0)
        return false;
    *ret *= scale;
    return true;
}

/* Parses "NAME  0.75 ns  0.33 ns  19079428 ...". A name may have spaces. */
static bool parse_row(struct tch_span line, struct row *ret)
{
    struct tch_span words[WORDS];
    size_t n = tch_import_words(line, words, WORDS);
    uint64_t iterations;

    for (size_t i = 1; i + 5 <= n; i++)
        if (parse_time(words + i, &ret->real) && parse_time(words + i + 2, &ret->cpu) &&
            tch_parse_u64_n(words[i + 4].p, words[i + 4].len, UINT64_MAX, &iterations) == 0) {
            ret->name = tch_span_trim((struct tch_span){line.p, (size_t)(words[i].p - line.p)});
            return true;
        }
    return false;
}

static bool is_statistic(struct tch_span name)
{
    static const char *const ends[] = {"_mean", "_median", "_stddev", "_cv",
                                       "_BigO", "_RMS",    "_min",    "_max"};

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (tch_span_ends(name, ends[i]))
            return true;
    return false;
}

struct search {
    bool head;
    bool row;
};

static void find_row(struct tch_import_input *in, struct tch_span line, void *ctx)
{
    struct search *s = ctx;
    struct row row;

    (void)in;
    s->head = s->head || is_head(line);
    s->row = s->row || (s->head && parse_row(line, &row));
}

static bool is_google_text(const struct tch_import_input *in)
{
    struct tch_import_input copy = *in;
    struct search s = {false, false};

    tch_import_lines(&copy, find_row, &s);
    return s.row;
}

static void read_line(struct tch_import_input *in, struct tch_span line, void *ctx)
{
    static const char failed[] = "ERROR OCCURRED: ";
    struct search *s = ctx;
    struct tch_result *r;
    const char *error;
    struct row row;

    s->head = s->head || is_head(line);
    if (!s->head)
        return;
    error = memmem(line.p, line.len, failed, sizeof failed - 1);
    if (error) {
        struct tch_span name = tch_span_trim((struct tch_span){line.p, (size_t)(error - line.p)});

        error += sizeof failed - 1;
        tch_import_problem(in, line.p, "'%.*s' failed: %.*s", (int)name.len, name.p,
                           (int)(line.p + line.len - error), error);
    } else if (parse_row(line, &row) && !is_statistic(row.name)) {
        r = tch_import_bench(in, row.name.p, row.name.len, true);
        tch_import_value(in, r, &tch_import_wall, 0, row.real);
        tch_import_value(in, r, &tch_import_cpu, 0, row.cpu);
    }
}

static void read_google_text(struct tch_import_input *in)
{
    struct search s = {false, false};

    tch_import_lines(in, read_line, &s);
}

const struct tch_import_reader tch_import_google_text = {
    .format = {.name = "google-benchmark-text",
               .tool = "Google Benchmark",
               .is = "a table with the columns Benchmark, Time, CPU and Iterations",
               .repetition = TCH_IN_PROCESS},
    .is = is_google_text,
    .read = read_google_text,
};
