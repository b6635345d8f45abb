/* Tests of HdrHistogram logs of other implementations: deflated, with more digits, in larger units,
   with tags. */
#include "support/test.h"

#include <math.h>

#include "kit/measure/hdr_log.h"

/* A log from HdrHistogram's own tests: two digits, units of 16384. The third field is the largest
   value in milliseconds. */
static const char tagged[] =
    "#[Histogram log format version 1.2]\n"
    "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
    "Tag=A,2.133,1.001,0.426,HISTFAAAAD942pNpmSzMwMAgwwABTBDKT4GBgdnNYMcCBvsPEBE+Ph4OLgk5OSkeIS4+"
    "LgEeswIDo1+MbmdYNASYAA51CSo=\n"
    "Tag=B,0.127,1.007,2.769,HISTFAAAAEV42pNpmSzMwMCgyAABTBDKT4GBgdnNYMcCBvsPEBEJISEuATEZMQ4uASkh"
    "IR4nrxg9v2lMaxhvMekILGZkKmcCAEf2CsI=\r\n"
    "Tag=A,3.134,1.001,0.426,HISTFAAAAD942pNpmSzMwMAgwwABTBDKT4GBgdnNYMcCBvsPEBExPiEpITEFGTkRKSEe"
    "OR6FkCg1hTeMXvNYlHhYABQ5CTo=\n";

/* The values 1 to 500000 in steps of 1000: three digits, units of one. */
static const char fine[] =
    "0.000,1.000,0.500,"
    "HISTFAAAAHV42pNpmSzMwMD8kwECmKE0I5DpZrBjAYP9B4jAeX6ms/xMUzmYnrIzLWRh+sgMRcuZmL4zYkErGZmq"
    "mSrx4GwmayC0BZPk0bpM0kyyQIgg6c/nZ+Jl4gZiCESwsIsOV3l2JlYwZIbSqJB40VH9g08/AL35OVs=\n";

static int read_log(const char *text, const char *tag, bool skip, struct tch_hdr_log *found,
                    tacho_error *err)
{
    struct tch_lines lines;
    int status;

    tch_lines_init_mem(&lines, text, strlen(text), 0);
    status = tch_hdr_log_read(&lines, tag, skip, found, err);
    tch_lines_release(&lines);
    return status;
}

static void adds_up_the_lines_of_a_tag(void **state)
{
    struct tch_hdr_log found;

    (void)state;
    assert_int_equal(read_log(tagged, "A", false, &found, NULL), 0);
    assert_true(found.intervals == 2 && found.coarse == 8192);
    assert_int_equal(found.values, 1498);
    assert_int_equal(found.max, 425983); /* 0.426 ms, the upper end of its bucket */
    for (size_t i = 1; i < found.count; i++)
        assert_true(found.buckets[i].middle > found.buckets[i - 1].middle);
    tch_hdr_log_release(&found);
    assert_int_equal(read_log(tagged, "B", false, &found, NULL), 0);
    assert_int_equal(found.intervals, 1);
    assert_int_equal(found.max, 2768895);
    tch_hdr_log_release(&found);
}

static void finer_histograms_keep_their_buckets(void **state)
{
    struct tch_hdr_log found;

    (void)state;
    assert_int_equal(read_log(fine, NULL, false, &found, NULL), 0);
    assert_true(found.intervals == 1 && found.coarse == 0);
    assert_true(found.values == 500 && found.count == 500);
    assert_true(found.relative > 0 && found.relative <= 1.0 / 2048);
    for (size_t i = 0; i < 500; i++)
        assert_true(fabs(found.buckets[i].middle / (1000.0 * (double)(i + 1)) - 1) <=
                    found.relative);
    tch_hdr_log_release(&found);
}

/* Two digits, the values 1 to 3, as hdr-histogram-js 3 writes them: with an index offset of 1,
   which Java's reader ignores, too. The data is stored, not deflated. */
static void an_index_offset_moves_no_value(void **state)
{
    static const char text[] = "0.000,1.000,0.000,HISTEwAAAAQAAAABAAAAAgAAAAAAAAABAAAAAAAAAAI/"
                               "8AAAAAAAAAECBAI=\n";
    struct tch_hdr_log found;

    (void)state;
    assert_int_equal(read_log(text, NULL, false, &found, NULL), 0);
    assert_int_equal(found.values, 4);
    assert_int_equal(found.count, 3);
    assert_true(found.buckets[0].middle == 1 && found.buckets[1].count == 2);
    tch_hdr_log_release(&found);
}

static void says_what_is_wrong(void **state)
{
    static const struct {
        const char *text, *tag;
        int status;
        uint64_t line;
        const char *message;
    } cases[] = {
        {tagged, NULL, TACHO_EINVAL, 0, "every line has a tag; choose one with --column: 'A' 'B'"},
        {tagged, "C", TACHO_EINVAL, 0, "no line has the tag 'C'; tags in the file: 'A' 'B'"},
        {fine, "C", TACHO_EINVAL, 0, "no line has the tag 'C'; tags in the file: none"},
        {"#[x]\n1,2,3,!\n", NULL, TACHO_EPARSE, 2,
         "not a histogram: it contains a character that is not base64"},
        {"1,2,3,HISTFAAAAAh42p\n", NULL, TACHO_EPARSE, 1, "a zlib stream that is damaged"},
        {"1,2,3,HISTEgAA\n", NULL, TACHO_EPARSE, 1, "not a histogram: it is not in the V2 form"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tch_hdr_log found;
        tacho_error err = {0};

        assert_int_equal(read_log(cases[i].text, cases[i].tag, false, &found, &err),
                         cases[i].status);
        assert_string_equal(err.message, cases[i].message);
        assert_int_equal(err.line, cases[i].line);
        tch_hdr_log_release(&found);
    }
}

static void skips_invalid_lines_on_request(void **state)
{
    char text[sizeof fine + 32];
    struct tch_hdr_log found;

    (void)state;
    snprintf(text, sizeof text, "#[x]\n1,2,3,!\n%s1,2,3,!\n", fine);
    assert_int_equal(read_log(text, NULL, true, &found, NULL), 0);
    assert_true(found.intervals == 1 && found.skipped == 2 && found.first_skipped == 2);
    assert_int_equal(found.values, 500);
    tch_hdr_log_release(&found);
}

static void knows_a_log_by_its_first_line(void **state)
{
    (void)state;
    assert_true(tch_hdr_log_starts("#[Logged with x]", 16));
    assert_true(tch_hdr_log_starts("\"StartTimestamp\",\"x\"", 20));
    assert_true(tch_hdr_log_starts("Tag=a,1,2,3,HISTFAAA", 20));
    assert_true(tch_hdr_log_starts("HISTFAAA", 8));
    assert_false(tch_hdr_log_starts("sample_id,wall_time_us", 22));
    assert_false(tch_hdr_log_starts("1,2,3,4", 7));
    assert_false(tch_hdr_log_starts("", 0));
}

static int read_once(void *arg)
{
    struct tch_hdr_log found;
    struct tch_lines lines;
    int status;

    (void)arg;
    tch_lines_init_mem(&lines, fine, sizeof fine - 1, 0);
    status = tch_hdr_log_read(&lines, NULL, false, &found, NULL);
    tch_lines_release(&lines);
    tch_hdr_log_release(&found);
    return status;
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    test_every_allocation_fails(read_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_up_the_lines_of_a_tag),
        cmocka_unit_test(finer_histograms_keep_their_buckets),
        cmocka_unit_test(an_index_offset_moves_no_value),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(skips_invalid_lines_on_request),
        cmocka_unit_test(knows_a_log_by_its_first_line),
        cmocka_unit_test(survives_every_failing_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
