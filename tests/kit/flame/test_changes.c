/* Tests what a differential compares, and its intervals. */
#include "support/test.h"

#include <math.h>

#include "kit/flame/draw/change_text.h"
#include "kit/flame/read/profile_read.h"
#include "kit/flame/stack/stacks.h"

static void read_text(struct tch_stacks *s, const char *text, bool reverse)
{
    const struct tch_flame_read_options options = {.reverse = reverse};
    struct tch_flame_reader reader;

    tch_read_init(&reader, s, &options);
    assert_int_equal(tch_read_mem(&reader, text, strlen(text), NULL), 0);
    tch_read_release(&reader);
}

static int compare_texts(struct tch_stacks *s, const char *a, const char *b, bool normalize,
                         tacho_error *err)
{
    *s = (struct tch_stacks){0};
    read_text(s, a, false);
    assert_int_equal(tch_stacks_diff_begin(s, NULL), 0);
    read_text(s, b, false);
    return tch_stacks_diff_end(s, normalize, false, err);
}

static const struct tch_function_change *
change_of(const struct tch_stacks *s, const struct tch_changes *changes, const char *name)
{
    for (size_t i = 0; i < changes->count; i++)
        if (strcmp(tch_intern_text(&s->names, changes->list[i].name), name) == 0)
            return changes->list + i;
    fail_msg("%s is not listed", name);
    return NULL;
}

/* Expected limits: the score interval of each Poisson count, combined as Zou and Donner do. */
static void intervals_are_those_of_the_formula(void **state)
{
    static const double cases[][4] = {{214, 518, 215.9411, 395.2765},
                                      {0, 14, 0.5164, 32.8633},
                                      {0, 13, -0.2441, 31.4546},
                                      {7, 0, -22.6655, 4.8592}};
    const struct tch_stacks plain = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tch_change c = tch_change_of(&plain, cases[i][0], cases[i][1]);
        struct tch_change back = tch_change_of(&plain, cases[i][1], cases[i][0]);

        assert_true(fabs(c.low - cases[i][2]) < 0.01 && fabs(c.high - cases[i][3]) < 0.01);
        assert_int_equal(c.sign, cases[i][2] > 0);
        assert_true(back.low == -c.high && back.high == -c.low && back.sign == -c.sign);
    }
}

/* Returns a Poisson number by Knuth's method: a product of uniform numbers. */
static double poisson(uint64_t *state, double mean)
{
    double left = exp(-mean);
    double count = -1;

    for (double product = 1; product > left; count++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        product *= ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
    }
    return count;
}

/* Frames that did not change are grey in all but one case of a thousand. */
static void noise_is_grey(void **state)
{
    enum { ROUNDS = 100000 };
    static const double means[] = {1, 3, 10, 30, 100};
    const struct tch_stacks plain = {0};
    uint64_t random = 1;

    (void)state;
    for (size_t i = 0; i < sizeof means / sizeof means[0]; i++) {
        int coloured = 0;

        for (int round = 0; round < ROUNDS; round++) {
            double before = poisson(&random, means[i]);

            coloured += tch_change_of(&plain, before, poisson(&random, means[i])).sign != 0;
        }
        print_message("mean %g: %d of %d are coloured\n", means[i], coloured, (int)ROUNDS);
        assert_true(coloured <= ROUNDS / 1000 * 5 / 4);
    }
}

/* The table lists self time by function over all stacks, with the caller that explains it; a
   function that calls itself counts once in its total. */
static void the_culprit_is_named(void **state)
{
    struct tch_stacks s;
    struct tch_changes c;
    const struct tch_function_change *f;

    (void)state;
    assert_int_equal(
        compare_texts(
            &s,
            "p;main;words;letter 184\np;main;words 30\np;main;lines;letter 9\np;main;lines 330\n",
            "p;main;words;letter 487\np;main;words 31\np;main;lines;letter 9\np;main;lines 321\n",
            false, NULL),
        0);
    assert_int_equal(tch_stacks_changes(&s, &c, NULL), 0);
    assert_int_equal(c.count, 3);
    f = change_of(&s, &c, "letter");
    assert_true(f == c.list && f->self.before == 193 && f->self.now == 496 && f->self.sign == 1);
    assert_string_equal(tch_intern_text(&s.names, f->caller), "words");
    f = change_of(&s, &c, "words");
    assert_true(f->self.sign == 0 && f->total.before == 214 && f->total.now == 518 &&
                f->total.sign == 1);
    assert_true(isnan(c.dispersion));
    tch_stacks_release(&s);
    assert_int_equal(
        compare_texts(&s, "p;f;f;f 10\np;g;f 5\n", "p;f;f;f 90\np;g;f 5\n", false, NULL), 0);
    assert_int_equal(tch_stacks_changes(&s, &c, NULL), 0);
    f = change_of(&s, &c, "f");
    assert_true(c.count == 1 && f->total.before == 15 && f->total.now == 95);
    assert_true(f->caller == TCH_INTERN_NONE); /* it is its own caller where it grew */
    tch_stacks_release(&s);
}

static void leaf_first_stacks_have_the_same_changes(void **state)
{
    struct tch_stacks s = {0};
    struct tch_changes c;

    (void)state;
    read_text(&s, "p;main;f 10\n", true);
    assert_int_equal(tch_stacks_diff_begin(&s, NULL), 0);
    read_text(&s, "p;main;f 90\n", true);
    assert_int_equal(tch_stacks_diff_end(&s, false, true, NULL), 0);
    assert_int_equal(tch_stacks_changes(&s, &c, NULL), 0);
    assert_int_equal(c.count, 1);
    assert_string_equal(tch_intern_text(&s.names, c.list[0].name), "f");
    tch_stacks_release(&s);
}

/* Most functions vary far more than samples do. */
static void dispersion_is_measured(void **state)
{
    struct tch_stacks s;
    struct tch_changes c;
    struct tch_buf a;
    struct tch_buf b;

    (void)state;
    tch_buf_init(&a, 10000);
    tch_buf_init(&b, 10000);
    for (int i = 0; i < 12; i++) {
        tch_buf_addf(&a, "p;f%d 1000\n", i);
        tch_buf_addf(&b, "p;f%d %d\n", i, i % 2 ? 1200 : 800);
    }
    assert_int_equal(compare_texts(&s, a.data, b.data, false, NULL), 0);
    assert_int_equal(tch_stacks_changes(&s, &c, NULL), 0);
    assert_int_equal(c.count, TCH_CHANGES);
    assert_true(c.dispersion > 35 && c.dispersion < 55);
    tch_buf_clear(&a);
    tch_changes_notes(&a, &c);
    assert_non_null(strstr(a.data, "times as much as sampling explains"));
    tch_buf_release(&a);
    tch_buf_release(&b);
    tch_stacks_release(&s);
}

#define NATIVE  "# tacho: unit=samples measure=cpu period_ns=1000000 profiler=native\n"
#define PRELOAD "# tacho: unit=microseconds measure=cpu samples=90 quantum=1100 profiler=preload\n"

static void explains(const struct tch_stacks *s, const char *wanted)
{
    struct tch_buf b;

    tch_buf_init(&b, 1000);
    tch_counted_explain(&b, s);
    assert_string_equal(b.data, wanted);
    tch_buf_release(&b);
}

static void times_are_compared(void **state)
{
    struct tch_stacks s;

    (void)state;
    assert_int_equal(compare_texts(&s, NATIVE "p;f 10\n", NATIVE "p;f 90\n", false, NULL), 0);
    explains(&s, "CPU time as recorded: 10.00 ms before, 90.00 ms now");
    assert_int_equal(s.list[0].count, 90);
    tch_stacks_release(&s);
    assert_int_equal(compare_texts(&s, NATIVE "p;f 10\n", PRELOAD "p;f 90000\n", false, NULL), 0);
    explains(&s,
             "CPU time as recorded: 10.00 ms before, 90.00 ms now; converted, because the units of "
             "the profiles differ; sampled by native before and by preload now, which may name "
             "stacks differently");
    assert_true(s.before[0] == 10e6 && s.list[0].count == 90000000);
    assert_true(s.counted_before.quantum == 1e6 && s.counted.quantum == 1.1e6);
    tch_stacks_release(&s);
    assert_int_equal(compare_texts(&s, "p;f 10\n", "p;f 90\n", false, NULL), 0);
    explains(&s, "samples as recorded: 10 before, 90 now");
    tch_stacks_release(&s);
    assert_int_equal(compare_texts(&s, NATIVE "p;f 10\n", NATIVE "p;f 90\n", true, NULL), 0);
    explains(&s, "CPU time, before scaled to the total of now: 90.00 ms before, 90.00 ms now");
    assert_true(s.counted_before.quantum == 9);
    tch_stacks_release(&s);
}

static void other_units_are_refused(void **state)
{
    static const char *const pairs[][3] = {
        {NATIVE "p;f 10\n", "p;f 90\n",
         "samples of CPU time, the second counts of an unknown unit"},
        {NATIVE "p;f 10\n", "# tacho: unit=cycles\np;f 90\n",
         "samples of CPU time, the second cycles"},
        {NATIVE "p;f 10\n", "# tacho: unit=microseconds measure=off-cpu\np;f 90\n",
         "samples of CPU time, the second microseconds of waiting time"},
        {"p;f 10\n", "p 1/1 1.0: 1003009 cpu-clock: \n\t401 f (/p)\n\n",
         "counts of an unknown unit, the second nanoseconds of CPU time"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct tch_stacks s;
        tacho_error err;

        assert_int_equal(compare_texts(&s, pairs[i][0], pairs[i][1], false, &err), TACHO_EINVAL);
        assert_non_null(strstr(err.message, pairs[i][2]));
        tch_stacks_release(&s);
    }
}

static void a_comment_cannot_harm(void **state)
{
    static const char long_unit[] =
        "# tacho: "
        "unit=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    static const char *const comments[] = {
        "# tacho: unit= period_ns=-1 quantum=nan quantum=0 quantum=-4 samples=x =5 = unit",
        "# tacho:", "# tacho: period_ns=99999999999999999999 quantum=inf", "# tacho", long_unit};

    (void)state;
    for (size_t i = 0; i < sizeof comments / sizeof comments[0]; i++) {
        struct tch_stacks s = {0};

        read_text(&s, comments[i], false);
        assert_true(s.counted.unit[0] == '\0' && s.counted.period_ns == 0 &&
                    s.counted.quantum == 0);
        tch_stacks_release(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_are_those_of_the_formula),
        cmocka_unit_test(noise_is_grey),
        cmocka_unit_test(the_culprit_is_named),
        cmocka_unit_test(leaf_first_stacks_have_the_same_changes),
        cmocka_unit_test(dispersion_is_measured),
        cmocka_unit_test(times_are_compared),
        cmocka_unit_test(other_units_are_refused),
        cmocka_unit_test(a_comment_cannot_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
