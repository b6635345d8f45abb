/* Runs each case of the project, and of the public test data of FlameGraph and inferno, which is
   part of the reference data. */
#include "support/test.h"

#include "base/file.h"
#include "base/lines.h"
#include "kit/flame/stack/stacks.h"
#include "profile.h"
#include "support/reference.h"

enum { COLUMNS = 9, CASES_MAX = 200, PATH_SIZE = 4096 };
enum { ID, KIND, INPUTS, OPTIONS, EXPECTED, COMPARE };

/* Intended differences, also listed in docs/flamegraphs.md. */
static const struct difference {
    const char *id; /* of a case, or the start of several ones, then with "*" at its end */
    const char *reason;
    const char *theirs; /* part of the expected text that `ours` replaces; NULL: not compared */
    const char *ours;
} differences[] = {
    {"perf-iperf-stacks-pidtid-01--kernel", "the vdso runs in user space",
     "__vdso_gettimeofday_[k]", "__vdso_gettimeofday"},
    {"perf-iperf-stacks-pidtid-01--all", "the vdso runs in user space", "__vdso_gettimeofday_[k]",
     "__vdso_gettimeofday"},
    {"perf-java-stacks-01--kernel", "the vdso runs in user space", "[[vdso]]_[k]", "[[vdso]]"},
    {"perf-java-stacks-01--all", "the vdso runs in user space", "[[vdso]]_[k]", "[[vdso]]"},
    {"perf-vertx-stacks-01*", "the return type is not part of the name",
     ";oopDesc* PSPromotionManager::", ";PSPromotionManager::"},
    {"cpp-stacks-std-function", "the operator is called operator()",
     ";std::function<int (int, int)>::operator;", ";std::function<int (int, int)>::operator();"},
    {"svg-nameattr-nameattr", "there is no --nameattr: titles are always the frame's", NULL, NULL},
    {"svg-base-single-base", "its input is not part of the corpus, another has its name", NULL,
     NULL},
};

static const struct difference *difference_of(const char *id)
{
    for (size_t i = 0; i < sizeof differences / sizeof differences[0]; i++) {
        size_t len = strcspn(differences[i].id, "*");

        if (strncmp(differences[i].id, id, len) == 0 && (differences[i].id[len] || !id[len]))
            return differences + i;
    }
    return NULL;
}

static int folder; /* of the cases that are checked */

/* Reads a whole file of the corpus. */
static void load(const char *name, struct tch_buf *b)
{
    char path[PATH_SIZE];

    snprintf(path, sizeof path, "corpus/flame/%s", name);
    tch_buf_init(b, 1 << 26);
    assert_int_equal(tch_file_read(test_reference(path, folder), 1 << 26, b, NULL), 0);
}

static bool has(const char *options, const char *option)
{
    const char *at = strstr(options, option);
    size_t len = strlen(option);

    return at && (at[len] == '\0' || at[len] == ' ');
}

static struct tch_flame_read_options read_options(const char *options)
{
    return (struct tch_flame_read_options){
        .pid = has(options, "--pid"),
        .tid = has(options, "--tid"),
        .addrs = has(options, "--addrs"),
        .mark_kernel = has(options, "--kernel") || has(options, "--all"),
        .mark_jit = has(options, "--jit") || has(options, "--all"),
        .mark_inlined = has(options, "--all"),
        .reverse = has(options, "--reverse"),
        .strip_hex = has(options, "--strip-hex"),
    };
}

/* Sorts lines, because the order of the output is not specified. */
static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char **sorted_lines(char *text, size_t *count)
{
    char **lines = malloc((strlen(text) + 1) * sizeof *lines);
    char *rest = text;
    char *line;

    *count = 0;
    while ((line = strsep(&rest, "\n")))
        if (*line)
            lines[(*count)++] = line;
    qsort(lines, *count, sizeof *lines, by_text);
    return lines;
}

static void assert_same_lines(const char *id, char *got, char *wanted)
{
    size_t got_count;
    size_t wanted_count;
    char **got_lines = sorted_lines(got, &got_count);
    char **wanted_lines = sorted_lines(wanted, &wanted_count);

    for (size_t i = 0; i < got_count && i < wanted_count; i++)
        if (strcmp(got_lines[i], wanted_lines[i]) != 0)
            fail_msg("%s: got '%s', wanted '%s'", id, got_lines[i], wanted_lines[i]);
    if (got_count != wanted_count)
        fail_msg("%s: %zu lines, wanted %zu", id, got_count, wanted_count);
    free(got_lines);
    free(wanted_lines);
}

static void delete_quotes(char *text)
{
    char *to = text;

    for (const char *p = text; *p; p++)
        if (*p != '"' && *p != '\'')
            *to++ = *p;
    *to = '\0';
}

static void replace_all(struct tch_buf *b, const char *from, const char *to)
{
    struct tch_buf old = *b;
    const char *rest = old.data;
    const char *found;

    tch_buf_init(b, 1 << 26);
    for (; (found = strstr(rest, from)); rest = found + strlen(from)) {
        tch_buf_add(b, rest, (size_t)(found - rest));
        tch_buf_adds(b, to);
    }
    tch_buf_adds(b, rest);
    tch_buf_release(&old);
}

/* Removes the counts from the titles of frames. Those of a differential differ on purpose: tacho
   shows the change of the total, before and now. */
static void cut_counts(char *text)
{
    char *to = text;
    const char *line = text;

    while (*line) {
        const char *end = strchr(line, '\n') ? strchr(line, '\n') : line + strlen(line);
        size_t len = tch_span_rfind((struct tch_span){line, (size_t)(end - line)}, " (");

        memmove(to, line, len);
        to += len;
        if (*end)
            *to++ = *end++;
        line = end;
    }
    *to = '\0';
}

static void compare(char **c, char *got)
{
    const struct difference *d = difference_of(c[ID]);
    struct tch_buf wanted;

    load(c[EXPECTED], &wanted);
    if (strcmp(c[COMPARE], "quotes-stripped") == 0) {
        delete_quotes(got);
        delete_quotes(wanted.data);
    }
    if (strstr(wanted.data, "%; ")) { /* a differential */
        cut_counts(got);
        cut_counts(wanted.data);
    }
    if (d)
        replace_all(&wanted, d->theirs, d->ours);
    assert_same_lines(c[ID], got, wanted.data);
    tch_buf_release(&wanted);
}

static void check_fold(char **c)
{
    struct tch_flame_read_options options = read_options(c[OPTIONS]);
    struct tch_read_notes notes;
    struct tch_buf in;
    char *got;

    load(c[INPUTS], &in);
    options.collapse_recursion = strcmp(c[KIND], "collapse-recursive") == 0;
    got = test_convert(in.data, in.len, &options, "folded", NULL, &notes);
    if (strcmp(c[EXPECTED], "-") == 0)
        assert_int_equal(notes.ignored, 1); /* "one warning: event line not understood" */
    else
        compare(c, got);
    free(got);
    tch_buf_release(&in);
}

static void check_draw(char **c)
{
    struct tch_flame_read_options options = read_options(c[OPTIONS]);
    struct tch_format_options write = {.least_percent = 0.01};
    struct tch_read_notes notes;
    struct tch_buf in;
    char *got;

    if (strstr(c[OPTIONS], "--countname"))
        write.svg.count_name = "test-samples <& ' \"";
    load(c[INPUTS], &in);
    got = test_convert(in.data, in.len, &options, "frames", &write, &notes);
    if (strcmp(c[EXPECTED], "-") == 0)
        assert_false(notes.fractional); /* "no warning about fractional samples" */
    else
        compare(c, got);
    free(got);
    tch_buf_release(&in);
}

static void read_into(struct tch_stacks *stacks, const char *name,
                      const struct tch_flame_read_options *options)
{
    struct tch_flame_reader reader;
    struct tch_buf in;

    load(name, &in);
    tch_read_init(&reader, stacks, options);
    assert_int_equal(tch_read_mem(&reader, in.data, in.len, NULL), 0);
    tch_read_release(&reader);
    tch_buf_release(&in);
}

static void check_diff(char **c)
{
    struct tch_flame_read_options options = read_options(c[OPTIONS]);
    struct tch_stacks stacks = {0};
    struct tch_profile profile = {.stacks = &stacks, .name = "test"};
    struct tch_sink sink;
    struct tch_buf got;
    char *second = strchr(c[INPUTS], ' ');

    assert_non_null(second);
    *second++ = '\0';
    read_into(&stacks, c[INPUTS], &options);
    assert_int_equal(tch_stacks_diff_begin(&stacks, NULL), 0);
    read_into(&stacks, second, &options);
    assert_int_equal(tch_stacks_diff_end(&stacks, false, false, NULL), 0);
    tch_buf_init(&got, 1 << 20);
    tch_sink_init(&sink, tch_sink_to_buf, &got, NULL);
    assert_int_equal(tch_write_folded(&profile, NULL, &sink), 0);
    assert_int_equal(tch_sink_end(&sink), 0);
    compare(c, got.data);
    tch_buf_release(&got);
    tch_stacks_release(&stacks);
}

static void check_case(char **c)
{
    const struct difference *d = difference_of(c[ID]);

    if (d)
        print_message("%s: differs on purpose: %s\n", c[ID], d->reason);
    if (d && !d->theirs)
        return;
    if (strcmp(c[KIND], "svg") == 0)
        check_draw(c);
    else if (strcmp(c[KIND], "diff-folded") == 0)
        check_diff(c);
    else
        check_fold(c);
}

/* Checks the cases of a folder and returns their number. */
static unsigned check_manifest(void)
{
    struct tch_buf manifest;
    unsigned cases = 0;
    char *rest;
    char *line;

    load("manifest.tsv", &manifest);
    rest = manifest.data;
    strsep(&rest, "\n");
    while ((line = strsep(&rest, "\n")) && *line) {
        char *columns[COLUMNS] = {NULL};

        for (int i = 0; i < COLUMNS; i++)
            columns[i] = strsep(&line, "\t");
        assert_non_null(columns[COMPARE]);
        check_case(columns);
        cases++;
    }
    tch_buf_release(&manifest);
    return cases;
}

static void every_case_comes_out_as_expected(void **state)
{
    static const unsigned least[] = {1, 70};

    (void)state;
    for (folder = 0; test_reference("corpus/flame/manifest.tsv", folder); folder++)
        assert_true(check_manifest() >= least[folder]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_case_comes_out_as_expected)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
