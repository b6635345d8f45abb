/* Comparisons of sets: what is matched, how rows are ordered, and two promises. Repetitions inside
   one process are not taken for runs, and the interval of a geometric mean contains the truth. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "kit/import/import.h"
#include "kit/judge/set_compare.h"
#include "kit/stats/rank_test.h"
#include "random.h"

static const struct tch_import_options none = {0};

/* A result file of Google Benchmark that is being written. */
struct file {
    struct tch_buf b;
    size_t rows;
};

static void begin(struct file *f)
{
    *f = (struct file){0};
    tch_buf_init(&f->b, 1 << 24);
    tch_buf_adds(&f->b, "{\"context\": {\"num_cpus\": 2}, \"benchmarks\": [");
}

static void add(struct file *f, const char *name, double value)
{
    tch_buf_addf(&f->b,
                 "%s{\"name\": \"%s\", \"run_type\": \"iteration\", \"real_time\": %.17g, "
                 "\"time_unit\": \"ns\"}",
                 f->rows++ > 0 ? "," : "", name, value);
}

static void end(struct file *f, struct tch_import_set *set)
{
    tch_buf_adds(&f->b, "]}");
    tch_import_init(set);
    assert_int_equal(tch_import_text(set, "f.json", f->b.data, f->b.len, 1, &none, NULL), 0);
    assert_int_equal(tch_import_finish(set, &none, NULL), 0);
    tch_buf_release(&f->b);
}

/* Compares two sets, and releases them. */
static void compare(struct tch_findings *f, struct tch_import_set *a, struct tch_import_set *b)
{
    tch_findings_init(f, "compare");
    assert_int_equal(tch_compare_sets(f, a->results, a->count, b->results, b->count, NULL, 0, NULL),
                     0);
    assert_int_equal(tch_findings_judge(f, 0.05, NULL), 0);
    assert_int_equal(tch_sets_finish(f, NULL), 0);
    tch_import_release(a);
    tch_import_release(b);
}

/* Adds repetitions around a mean. */
static void add_all(struct file *f, const char *name, double mean, uint64_t *random)
{
    for (int i = 0; i < 10; i++)
        add(f, name, mean * exp(0.003 * random_normal(random)));
}

static void benchmarks_are_matched_by_name_and_ordered(void **state)
{
    uint64_t random = 1;
    struct tch_import_set a;
    struct tch_import_set b;
    struct tch_findings f;
    struct file file;

    (void)state;
    begin(&file);
    add_all(&file, "gone", 100, &random);
    add_all(&file, "alike", 100, &random);
    add_all(&file, "faster", 100, &random);
    add_all(&file, "worse", 100, &random);
    end(&file, &a);
    begin(&file);
    add_all(&file, "worse", 190, &random);
    add_all(&file, "faster", 50, &random);
    add_all(&file, "alike", 100, &random);
    add_all(&file, "new", 100, &random);
    end(&file, &b);
    compare(&f, &a, &b);
    assert_int_equal(f.count, 3);
    assert_string_equal(f.about[0].bench, "worse");
    assert_string_equal(f.about[1].bench, "faster");
    assert_string_equal(f.about[2].bench, "alike");
    assert_true(f.rows[0].changed && f.rows[1].changed && !f.rows[2].changed);
    assert_int_equal(f.set->only_a_count, 1);
    assert_string_equal(f.set->only_a[0], "gone");
    assert_int_equal(f.set->only_b_count, 1);
    assert_string_equal(f.set->only_b[0], "new");
    assert_int_equal(f.set->mean_count, 1);
    assert_int_equal(f.set->means[0].count, 3);
    assert_true(fabs(f.set->means[0].estimate - cbrt(1.9 * 0.5)) < 0.01);
    tch_sets_keep_changed(&f);
    assert_int_equal(f.count, 2);
    assert_int_equal(f.set->hidden, 1);
    tch_findings_release(&f);
}

static void sets_without_a_common_benchmark_are_refused(void **state)
{
    struct tch_import_set a;
    struct tch_import_set b;
    struct tch_findings f;
    struct file file;

    (void)state;
    begin(&file);
    add(&file, "a", 1);
    add(&file, "b", 1);
    end(&file, &a);
    begin(&file);
    add(&file, "c", 1);
    end(&file, &b);
    tch_findings_init(&f, "compare");
    assert_int_equal(tch_compare_sets(&f, a.results, a.count, b.results, b.count, NULL, 0, NULL),
                     TACHO_EINVAL);
    tch_findings_release(&f);
    /* The only benchmark of each side needs no name: the commands ./old and ./new. */
    tch_findings_init(&f, "compare");
    assert_int_equal(tch_compare_sets(&f, a.results, 1, b.results, 1, NULL, 0, NULL), 0);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.note_count, 1);
    tch_findings_release(&f);
    tch_import_release(&a);
    tch_import_release(&b);
}

/* Returns whether the rank-sum test takes two repeated benchmarks for different. */
static bool naive(const struct tch_findings *f)
{
    const struct tch_verdict_row *r = &f->rows[0];
    struct tch_rank_tails tails;

    assert_int_equal(tch_rank_sum_test(r->a, r->a_count, r->b, r->b_count, NULL, &tails, NULL), 0);
    return tails.above < 0.025 || tails.below < 0.025;
}

/* The same program in two processes, 10 repetitions in each. Processes differ by 1.8 %, repetitions
   by 0.3 %, so that two sessions differ by 2.6 %, as the judge assumes. */
static void repetitions_are_not_taken_for_runs(void **state)
{
    enum { PAIRS = 400 };
    uint64_t random = 7;
    size_t different = 0;
    size_t changed = 0;

    (void)state;
    for (int i = 0; i < PAIRS; i++) {
        struct tch_import_set sets[2];
        struct tch_findings f;
        struct file file;

        for (int k = 0; k < 2; k++) {
            begin(&file);
            add_all(&file, "BM", 100 * exp(0.018 * random_normal(&random)), &random);
            end(&file, &sets[k]);
        }
        compare(&f, &sets[0], &sets[1]);
        different += naive(&f);
        changed += f.rows[0].changed;
        tch_findings_release(&f);
    }
    print_message("%d pairs of equal programs: %zu differ if repetitions are runs, %zu here\n",
                  PAIRS, different, changed);
    assert_true(different > PAIRS / 2);
    assert_true(changed <= PAIRS / 20);
}

/* Benchmarks of a session err together by `common`, and each by itself by `own`. */
static size_t missed_means(double common, double own, int sets_of, int repeat)
{
    uint64_t random = 11;
    size_t missed = 0;

    for (int i = 0; i < repeat; i++) {
        struct tch_import_set sets[2];
        struct tch_findings f;
        struct file file;

        for (int k = 0; k < 2; k++) {
            double session = common * random_normal(&random);

            begin(&file);
            for (int n = 0; n < sets_of; n++) {
                char name[32];

                snprintf(name, sizeof name, "BM/%d", n);
                add_all(&file, name, 100 * exp(session + own * random_normal(&random)), &random);
            }
            end(&file, &sets[k]);
        }
        compare(&f, &sets[0], &sets[1]);
        missed += f.set->means[0].low > 1 || f.set->means[0].high < 1;
        tch_findings_release(&f);
    }
    return missed;
}

static void the_interval_of_a_geometric_mean_contains_the_truth(void **state)
{
    enum { REPEAT = 200 };
    size_t together = missed_means(0.018, 0.001, 20, REPEAT);
    size_t alone = missed_means(0.001, 0.018, 20, REPEAT);

    (void)state;
    print_message("of %d intervals, %zu miss the truth if errors are shared, %zu if not\n", REPEAT,
                  together, alone);
    assert_true(together <= REPEAT / 20);
    assert_true(alone <= REPEAT / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(benchmarks_are_matched_by_name_and_ordered),
        cmocka_unit_test(sets_without_a_common_benchmark_are_refused),
        cmocka_unit_test(repetitions_are_not_taken_for_runs),
        cmocka_unit_test(the_interval_of_a_geometric_mean_contains_the_truth),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
