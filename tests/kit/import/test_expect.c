/* Imports real files, and compares every benchmark with an independent reading of them: a table
   with the file, the benchmark, the metric, its unit and direction, whether it is raw, the number
   of values and the first of them. The project has a small table of its own files. The reference
   data has one of 94 files, and expect.tsv beside this test has rows of its other files. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/number.h"
#include "kit/import/import.h"
#include "kit/result/series.h"
#include "support/reference.h"

enum { FILE_, BENCHMARK, METRIC, UNIT, BETTER, KIND, COUNT, FIRST, FIELDS };

struct table {
    char folder[4096];
    char file[1024]; /* file of the set */
    struct tch_import_set set;
    size_t rows;
    size_t wrong;
    size_t histories;
};

static void split(char *line, char *fields[FIELDS])
{
    for (int i = 0; i < FIELDS; i++) {
        fields[i] = line;
        line += strcspn(line, "\t");
        if (*line)
            *line++ = '\0';
    }
}

static size_t number(const char *text)
{
    uint64_t value = SIZE_MAX;

    (void)tch_parse_u64_n(text, strspn(text, "0123456789"), UINT32_MAX, &value);
    return (size_t)value;
}

static void load(struct table *t, const char *file)
{
    static const struct tch_import_options none = {0};
    char path[6000];
    tacho_error err = {0};

    if (strcmp(t->file, file) == 0)
        return;
    tch_import_release(&t->set);
    tch_import_init(&t->set);
    snprintf(t->file, sizeof t->file, "%s", file);
    snprintf(path, sizeof path, "%s/%s", t->folder, file);
    if (tch_import_path(&t->set, path, &none, &err) < 0 ||
        tch_import_finish(&t->set, &none, &err) < 0)
        print_error("%s: %s\n", file, err.message);
}

static const struct tch_result *find(const struct table *t, const char *name)
{
    for (size_t i = 0; i < t->set.count; i++)
        if (strcmp(t->set.results[i].name, name) == 0)
            return &t->set.results[i];
    return NULL;
}

/* All values of a metric in the order of the file, also of failed runs. */
static size_t values_of(const struct tch_column *c, size_t runs, double *out, size_t most)
{
    size_t n = 0;

    for (size_t i = 0; i < runs; i++) {
        for (size_t k = 0; c->all && k < c->all[i].n; k++, n++)
            if (n < most)
                out[n] = c->all[i].v[k];
        if (!c->all && !isnan(c->value[i])) {
            if (n < most)
                out[n] = c->value[i];
            n++;
        }
    }
    if (n == 0 && c->aggregate && !isnan(c->aggregate->value))
        out[n++] = c->aggregate->value;
    return n;
}

/* Returns what is wrong with a row, or NULL. */
static const char *check(const struct table *t, char *fields[FIELDS])
{
    static const char *const words[] = {"?", "lower", "higher"};
    const struct tch_result *r = find(t, fields[BENCHMARK]);
    bool aggregate = strncmp(fields[KIND], "aggregate", 9) == 0;
    const struct tch_column *c;
    struct tch_metric m;
    double v[3];
    size_t n;
    char *rest = fields[FIRST];
    const char *of = strstr(fields[KIND], " of ");

    if (!r)
        return "there is no such benchmark";
    if (!tch_result_metric(r, fields[METRIC], &m) || m.number >= r->column_count)
        return "there is no such metric";
    c = &r->columns[m.number];
    if (strcmp(words[m.better], fields[BETTER]) != 0)
        return "its direction differs";
    if (c->unit
            ? strcmp(c->unit, fields[UNIT]) != 0
            : m.unit != (strcmp(fields[UNIT], "B") == 0 ? TCH_BYTES
                         : strcmp(fields[UNIT], "count") == 0 || strcmp(fields[UNIT], "cycles") == 0
                             ? TCH_COUNT
                             : TCH_NS))
        return "its unit differs";
    if (aggregate != (c->aggregate != NULL))
        return "raw and aggregate differ";
    if (of && c->aggregate->n != number(of + 4))
        return "the number of values of the aggregate differs";
    if (strcmp(fields[KIND], "exact") == 0 && !m.exact)
        return "it is not exact";
    n = values_of(c, r->run_count, v, 3);
    if (n != number(fields[COUNT]))
        return "the number of values differs";
    for (size_t i = 0; i < n && i < 3; i++) {
        double want = NAN;
        size_t len = strcspn(rest, " ");

        /* The table writes exponents as C does, "1e+09", which is JSON, too. */
        if (tch_parse_f64_n(rest, len, &want) < 0)
            return "the row has a bad number";
        rest += len + (rest[len] == ' ');

        if (fabs(v[i] - want) > 1e-8 * fabs(want))
            return "a value differs";
    }
    return NULL;
}

/* Counts the benchmarks of a commit, whose row is named "SUITE @COMMIT". */
static const char *check_history(const struct table *t, char *fields[FIELDS])
{
    const char *at = strstr(fields[BENCHMARK], " @");
    size_t n = 0;

    if (!at)
        return "the row names no commit";
    for (size_t i = 0; i < t->set.count; i++)
        n += strncmp(t->set.results[i].commit, at + 2, strlen(at + 2)) == 0 &&
             strncmp(t->set.results[i].name, fields[BENCHMARK], (size_t)(at - fields[BENCHMARK])) ==
                 0;
    return n == number(fields[COUNT]) ? NULL : "the number of benchmarks differs";
}

/* Returns whether a problem names what could not be read. */
static const char *check_problem(const struct table *t, const char *name)
{
    for (size_t i = 0; i < t->set.problem_count; i++)
        if (strcmp(name, "-") == 0 || strstr(t->set.problems[i].text, name))
            return NULL;
    return "no problem names it";
}

static void check_row(struct table *t, char *line)
{
    char *fields[FIELDS];
    const char *wrong;

    split(line, fields);
    if (strcmp(fields[FILE_], "file") == 0)
        return;
    load(t, fields[FILE_]);
    if (strcmp(fields[KIND], "history") == 0)
        wrong = check_history(t, fields);
    else if (strcmp(fields[KIND], "error") == 0 || strcmp(fields[KIND], "unreadable") == 0)
        wrong = check_problem(t, fields[BENCHMARK]);
    else
        wrong = check(t, fields);
    t->rows++;
    if (wrong && t->wrong++ < 40)
        print_error("%s: '%s' %s: %s\n", fields[FILE_], fields[BENCHMARK], fields[METRIC], wrong);
}

/* Checks a table of files that are beside another file. */
static void check_table(const char *path, const char *beside, size_t *rows)
{
    struct table t = {0};
    struct tch_buf b;
    char *save;

    snprintf(t.folder, sizeof t.folder, "%s", beside);
    *strrchr(t.folder, '/') = '\0';
    tch_buf_init(&b, 1 << 24);
    assert_int_equal(tch_file_read(path, 1 << 24, &b, NULL), 0);
    for (char *line = strtok_r(b.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        check_row(&t, line);
    *rows = t.rows;
    print_message("%zu rows of '%s'\n", t.rows, path);
    tch_import_release(&t.set);
    tch_buf_release(&b);
    assert_int_equal(t.wrong, 0);
}

static void every_row_of_our_own_files_agrees(void **state)
{
    size_t rows;

    (void)state;
    check_table(test_reference("corpus/import/EXPECT.tsv", TEST_OWN_CASES),
                test_reference("corpus/import/EXPECT.tsv", TEST_OWN_CASES), &rows);
    assert_true(rows >= 50);
}

static void every_row_of_the_real_files_agrees(void **state)
{
    const char *path = test_reference("corpus/import/EXPECT.tsv", TEST_REFERENCE_DATA);
    size_t rows;

    (void)state;
    if (!path)
        skip();
    check_table(path, path, &rows);
    assert_int_equal(rows, 1555);
    check_table(EXPECT_TABLE, path, &rows);
    assert_true(rows >= 39);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_of_our_own_files_agrees),
        cmocka_unit_test(every_row_of_the_real_files_agrees),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
