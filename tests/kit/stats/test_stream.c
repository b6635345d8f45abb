/* Statistics of a stream: exact while the numbers fit, within the stated error beyond, and read
   from any format. */
#include "support/test.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "kit/stats/number_column.h"
#include "kit/stats/order_stats.h"
#include "kit/stats/stream_stats.h"
#include "support/system.h"

static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9E3779B97F4A7C15u;

    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

enum { N = 50000 };

static double value_of(int kind, uint64_t *seed)
{
    double u = (double)(next_random(seed) >> 11) / 9007199254740992.0;

    return kind == 0   ? exp(20 * u)
           : kind == 1 ? 100 * (u - 0.5)
           : kind == 2 ? floor(5 * u)
                       : 1000 + u;
}

static const uint64_t ranks[] = {1, 500, N / 2, N - N / 10, N - 5, N, 7};
enum { RANKS = sizeof ranks / sizeof *ranks };

static void answers_as_sorting_would(void **state)
{
    static double x[N];

    (void)state;
    for (int kind = 0; kind < 4; kind++)
        for (int exact = 0; exact < 2; exact++) {
            struct tch_stream s;
            uint64_t seed = 11;
            double got[RANKS];
            double median;
            double mad;
            double mean = 0;
            double squares = 0;

            assert_int_equal(tch_stream_init(&s, exact ? 1 << 20 : 1 << 10, NULL), 0);
            for (int i = 0; i < N; i++) {
                x[i] = value_of(kind, &seed);
                tch_stream_add(&s, x[i]);
                mean += x[i] / N;
            }
            for (int i = 0; i < N; i++)
                squares += (x[i] - mean) * (x[i] - mean);
            assert_int_equal(tch_stream_exact(&s), exact);
            assert_int_equal(s.n, N);
            assert_true(fabs(tch_stream_mean(&s) - mean) <= 1e-9 * fabs(mean) + 1e-9);
            assert_true(fabs(tch_stream_stddev(&s) / sqrt(squares / (N - 1)) - 1) < 1e-9);
            assert_int_equal(tch_stream_at(&s, ranks, RANKS, got, NULL), 0);
            tch_sort(x, N);
            for (int r = 0; r < RANKS; r++) {
                double want = x[ranks[r] - 1];

                assert_true(fabs(got[r] - want) <= (exact ? 0 : TCH_STREAM_ERROR * fabs(want)));
            }
            assert_int_equal(tch_stream_median(&s, &median, NULL), 0);
            assert_true(fabs(median - tch_quantile_linear(x, N, 0.5)) <=
                        (exact ? 0 : TCH_STREAM_ERROR * fabs(median)));
            assert_int_equal(tch_stream_mad(&s, x[N / 2], &mad, NULL), 0);
            if (exact) {
                double from = x[N / 2];

                for (int i = 0; i < N; i++)
                    x[i] = fabs(x[i] - from);
                tch_sort(x, N);
                assert_true(mad == tch_median(x, N));
            }
            tch_stream_release(&s);
        }
}

/* Squares of such numbers overflow or underflow a double, or one of them hides the others. */
static void mean_and_deviation_are_right_at_any_magnitude(void **state)
{
    static const struct {
        double values[3];
        double mean;
        double sd;
    } cases[] = {
        {{1e300, 2e300, 3e300}, 2e300, 1e300},
        {{1e-200, 2e-200, 3e-200}, 2e-200, 1e-200},
        {{1.5e308, 1.5e308, 1.5e308}, 1.5e308, 0},
        {{-1.5e308, 0, 1.5e308}, 0, 1.5e308},
    };
    struct tch_stream s;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(tch_stream_init(&s, 1 << 10, NULL), 0);
        tch_stream_add_all(&s, cases[i].values, 3);
        assert_true(fabs(tch_stream_mean(&s) - cases[i].mean) <= 1e-15 * fabs(cases[i].mean));
        assert_true(fabs(tch_stream_stddev(&s) - cases[i].sd) <= 1e-15 * cases[i].sd);
        tch_stream_release(&s);
    }
    assert_int_equal(tch_stream_init(&s, 1 << 10, NULL), 0);
    tch_stream_add(&s, 1e16);
    for (int i = 0; i < 999999; i++)
        tch_stream_add(&s, 3);
    assert_true(fabs(tch_stream_mean(&s) - (1e10 + 2.999997)) <= 2e-6);
    tch_stream_release(&s);
}

/* The bounds of tacho stats: for values in one bucket, the MAD may be off by its whole value. */
static void a_mad_of_buckets_is_within_its_bound(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        struct tch_stream s, exact;
        uint64_t seed = 5;
        double median, mad, want_median, want;

        assert_int_equal(tch_stream_init(&s, 1 << 10, NULL), 0);
        assert_int_equal(tch_stream_init(&exact, 1 << 20, NULL), 0);
        for (int i = 0; i < N; i++) {
            double x = value_of(kind, &seed);

            tch_stream_add(&s, x);
            tch_stream_add(&exact, x);
        }
        assert_int_equal(tch_stream_median(&s, &median, NULL), 0);
        assert_int_equal(tch_stream_mad(&s, median, &mad, NULL), 0);
        assert_int_equal(tch_stream_median(&exact, &want_median, NULL), 0);
        assert_int_equal(tch_stream_mad(&exact, want_median, &want, NULL), 0);
        assert_true(fabs(mad - want) <= TCH_STREAM_ERROR * (2 * fabs(median) + mad));
        tch_stream_release(&s);
        tch_stream_release(&exact);
    }
}

/* 1000, with one due every 100: 900, 800, ... 100 are added. For values, for our own buckets and
   for those of a log. */
static void adds_omitted_requests(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        struct tch_stream s;
        uint64_t added;
        double got[2];

        assert_int_equal(tch_stream_init(&s, kind == 0 ? 1 << 10 : 8, NULL), 0);
        if (kind < 2) {
            tch_stream_add(&s, 1000);
            tch_stream_add(&s, 50);
        } else {
            assert_int_equal(tch_stream_add_weight(&s, 50, 1, NULL), 0);
            assert_int_equal(tch_stream_add_weight(&s, 1000, 1, NULL), 0);
            s.min = 50;
            s.max = 1000;
        }
        assert_int_equal(tch_stream_correct(&s, 100, &added, NULL), 0);
        assert_true(added == 9 && s.n == 11 && s.min == 50 && s.max == 1000);
        assert_int_equal(tch_stream_exact(&s), kind == 0);
        assert_int_equal(tch_stream_at(&s, (const uint64_t[]){2, 10}, 2, got, NULL), 0);
        assert_true(fabs(got[0] - 100) <= 0.4 && fabs(got[1] - 900) <= 3.6);
        assert_true(fabs(tch_stream_mean(&s) - 5550.0 / 11) < 2);
        assert_int_equal(tch_stream_correct(&s, 1e-12, &added, NULL), TACHO_ELIMIT);
        tch_stream_release(&s);
    }
}

static void counts_below_edges(void **state)
{
    const double edges[] = {0, 10, 10.5, 500.25, 1000, 1001};
    uint64_t below[6];
    struct tch_stream s;

    (void)state;
    assert_int_equal(tch_stream_init(&s, 1 << 20, NULL), 0);
    for (int i = 1000; i > 0; i--)
        tch_stream_add(&s, i);
    tch_stream_below(&s, edges, 6, below);
    assert_true(below[0] == 0 && below[1] == 9 && below[2] == 10 && below[3] == 500);
    assert_true(below[4] == 999 && below[5] == 1000);
    tch_stream_release(&s);
}

/* The numbers read from a text. */
struct got {
    size_t n;
    double first;
    double last;
    double sum;
};

static void take(void *ctx, const double *values, size_t n)
{
    struct got *g = ctx;

    g->first = g->n == 0 ? values[0] : g->first;
    g->last = values[n - 1];
    for (size_t i = 0; i < n; i++)
        g->sum += values[i];
    g->n += n;
}

static int read_text(const char *text, const char *column, bool skip, struct got *g,
                     struct tch_numbers *found, tacho_error *err)
{
    struct tch_lines lines;
    int status;

    tch_lines_init_mem(&lines, text, strlen(text), 0);
    *g = (struct got){0};
    status = tch_numbers_read(&lines, column, skip, take, g, found, err);
    tch_lines_release(&lines);
    return status;
}

static void reads_every_form(void **state)
{
    static const struct {
        const char *text, *column;
        enum tch_numbers_form form;
        const char *found;
        size_t n;
        double first, last;
    } cases[] = {
        {"1\n2.5\n-3e2\n", NULL, TCH_NUMBERS_PLAIN, "", 3, 1, -300},
        {"\n  12345678 \r\n\t0.125\n1234567.25", NULL, TCH_NUMBERS_PLAIN, "", 3, 12345678,
         1234567.25},
        {"123456789012345678\n0\n-0.5\n", NULL, TCH_NUMBERS_PLAIN, "", 3, 123456789012345678.,
         -0.5},
        {"x\n1\n2\n", NULL, TCH_NUMBERS_CSV, "x", 2, 1, 2},
        {"a,wall_time_us,b\n1,2,3\n4,5,6\n", NULL, TCH_NUMBERS_CSV, "wall_time_us", 2, 2, 5},
        {"a,b\n1,2\n", "b", TCH_NUMBERS_CSV, "b", 1, 2, 2},
        {"a,b\n1,2\n", "1", TCH_NUMBERS_CSV, "a", 1, 1, 1},
        {"1,2\n3,4\n", "2", TCH_NUMBERS_CSV, "", 2, 2, 4},
        {"\"t,x\",v\n\"a \"\"b\"\", c\",7\n", "v", TCH_NUMBERS_CSV, "v", 1, 7, 7},
        {"{\"a\":{\"b\":1},\"x\":[1]}\n{\"a\":{\"c\":9,\"b\":2}}\n", "a.b", TCH_NUMBERS_JSON, "a.b",
         2, 1, 2},
        {"{\"a.b\":4}\n", "a.b", TCH_NUMBERS_JSON, "a.b", 1, 4, 4},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct got g;
        struct tch_numbers found;
        tacho_error err;

        if (read_text(cases[i].text, cases[i].column, false, &g, &found, &err) < 0)
            fail_msg("case %zu: %s", i, err.message);
        assert_int_equal(found.form, cases[i].form);
        assert_string_equal(found.column, cases[i].found);
        assert_int_equal(g.n, cases[i].n);
        assert_true(g.first == cases[i].first && g.last == cases[i].last);
    }
}

static void says_what_is_wrong(void **state)
{
    static const struct {
        const char *text, *column;
        int status;
        uint64_t line;
        const char *message;
    } cases[] = {
        {"1\nabc\n", NULL, TACHO_EPARSE, 2, "no number: 'abc'"},
        {"1\nnan\n", NULL, TACHO_EPARSE, 2, "no number: 'nan'"},
        {"1\n1e999\n", NULL, TACHO_EPARSE, 2, "no number: '1e999'"},
        {"1\n12345678x\n", NULL, TACHO_EPARSE, 2, "no number: '12345678x'"},
        {"a,b\n1,2\n", NULL, TACHO_EINVAL, 0, "choose one of the columns with --column: a,b"},
        {"a,b\n1,2\n", "c", TACHO_EINVAL, 0, "there is no column 'c'; there are a,b"},
        {"a,b\n1,2\n", "3", TACHO_EINVAL, 0, "there is no column '3'; there are a,b"},
        {"a,b\n1,2\n3\n", "b", TACHO_EPARSE, 3, "there is no field 2"},
        {"a,b\n1,x\n", "b", TACHO_EPARSE, 2, "no number in b: 'x'"},
        {"{\"a\":1}\n", NULL, TACHO_EINVAL, 0, "choose a key of the JSON objects with --column"},
        {"{\"a\":1}\n{\"b\":1}\n", "a", TACHO_EPARSE, 2, "no number in a: '{\"b\":1}'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct got g;
        struct tch_numbers found;
        tacho_error err;

        assert_int_equal(read_text(cases[i].text, cases[i].column, false, &g, &found, &err),
                         cases[i].status);
        assert_string_equal(err.message, cases[i].message);
        assert_int_equal(err.line, cases[i].line);
    }
}

/* Every number of digits before and after the point, against strtod. */
static void plain_lines_are_read_as_strtod_reads_them(void **state)
{
    static const char digits[] = "83091726450981273309";
    char text[128];

    (void)state;
    for (int before = 0; before <= 16; before++)
        for (int behind = -1; behind <= 16; behind++)
            for (int negative = 0; negative < 2; negative++) {
                bool plain = before > 0 && behind != 0 && before + (behind < 0 ? 0 : behind) <= 15;
                double got = 0;
                size_t took;
                int len = snprintf(text, sizeof text, "%s%.*s%s%.*s\n", negative ? "-" : "", before,
                                   digits, behind < 0 ? "" : ".", behind < 0 ? 0 : behind,
                                   digits + before % 3);

                memset(text + len, ' ', sizeof text - (size_t)len);
                assert_int_equal(tch_plain_lines(text, sizeof text, &got, 1, &took), plain);
                assert_int_equal(took, plain ? len : 0);
                if (plain)
                    assert_true(got == strtod(text, NULL));
            }
}

static void plain_lines_end_where_others_begin(void **state)
{
    static const struct {
        const char *text;
        size_t n;
    } cases[] = {
        {"1\n2\n 3\n", 2},
        {"1\n2\r\n", 1},
        {"0\n0.5\n-0\n00\n", 3},
        {"1e3\n", 0},
        {".5\n", 0},
        {"5.\n", 0},
        {"-\n", 0},
        {"1/\n", 0},
        {"1:\n", 0},
        {"\xb1\n", 0},
        {"1\n\n", 1},
        {"12", 0},
        {"12345678\n1234567\n", 2},
        {"1..2\n", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        double values[8];
        size_t took;
        size_t len = strlen(cases[i].text);

        memcpy(text, cases[i].text, len);
        memset(text + len, ' ', sizeof text - len);
        if (tch_plain_lines(text, sizeof text, values, 8, &took) != cases[i].n)
            fail_msg("case %zu", i);
        assert_int_equal(tch_plain_lines(text, len, values, 8, &took),
                         0); /* too close to the end */
    }
}

/* Writes a number, and now and then one that is not plain. */
static int put_number(char *to, int i)
{
    return snprintf(to, 16, i % 1000 < 990 ? "%d\n" : " %de0\n", i);
}

/* Line numbers stay right when the fast and the exact path alternate. */
static void counts_lines_by_both_ways(void **state)
{
    enum { LINES = 100000 };
    char *text = malloc(LINES * 16);
    size_t len = 0;
    struct got g;
    struct tch_numbers found;
    tacho_error err;

    (void)state;
    for (int i = 1; i <= LINES; i++)
        len += (size_t)put_number(text + len, i);
    memcpy(text + len, "no\n", 4);
    assert_int_equal(read_text(text, NULL, false, &g, &found, &err), TACHO_EPARSE);
    assert_int_equal(err.line, LINES + 1);
    assert_int_equal(g.n, LINES);
    assert_true(g.sum == (double)LINES * (LINES + 1) / 2);
    free(text);
}

static void counts_skipped_lines(void **state)
{
    struct got g;
    struct tch_numbers found;

    (void)state;
    assert_int_equal(read_text("1\nx\n2\n\ny\n3\n", NULL, true, &g, &found, NULL), 0);
    assert_true(g.n == 3 && g.sum == 6 && found.skipped == 2 && found.first_skipped == 2);
    assert_int_equal(read_text("", NULL, false, &g, &found, NULL), 0);
    assert_int_equal(g.n, 0);
}

static int stream_once(void *arg)
{
    struct tch_stream s;
    double at;
    double mad;
    int status = -1;

    (void)arg;
    if (tch_stream_init(&s, 1 << 20, NULL) < 0)
        return -1;
    for (int i = 0; i < 5000; i++)
        tch_stream_add(&s, i);
    if (tch_stream_exact(&s) && tch_stream_at(&s, (uint64_t[]){2500}, 1, &at, NULL) == 0 &&
        tch_stream_mad(&s, at, &mad, NULL) == 0 && at == 2499)
        status = 0;
    tch_stream_release(&s);
    return status;
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    test_every_allocation_fails(stream_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_as_sorting_would),
        cmocka_unit_test(mean_and_deviation_are_right_at_any_magnitude),
        cmocka_unit_test(a_mad_of_buckets_is_within_its_bound),
        cmocka_unit_test(adds_omitted_requests),
        cmocka_unit_test(counts_below_edges),
        cmocka_unit_test(plain_lines_are_read_as_strtod_reads_them),
        cmocka_unit_test(plain_lines_end_where_others_begin),
        cmocka_unit_test(reads_every_form),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(counts_lines_by_both_ways),
        cmocka_unit_test(counts_skipped_lines),
        cmocka_unit_test(survives_every_failing_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
