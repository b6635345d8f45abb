/* Tests the output formats, byte by byte or by reading them back. */
#include "support/test.h"

#include <zlib.h>

#include "base/json_read.h"
#include "base/protobuf.h"
#include "kit/flame/stack/stacks.h"
#include "profile.h"

static const char stacks[] = "main;parse;read 30\nmain;parse 10\nmain;emit 40\nidle 20\n";

static char *convert(const char *text, const char *format)
{
    return test_convert(text, strlen(text), NULL, format, NULL, NULL);
}

static void is(char *got, const char *wanted)
{
    assert_string_equal(got, wanted);
    free(got);
}

static void frames_show_the_layout(void **state)
{
    (void)state;
    is(convert(stacks, "frames"), "level\tx\tw\ttitle\n"
                                  "0\t0\t100\tall (100 samples, 100%)\n"
                                  "1\t20\t80\tmain (80 samples, 80.00%)\n"
                                  "2\t60\t40\tparse (40 samples, 40.00%)\n"
                                  "3\t70\t30\tread (30 samples, 30.00%)\n"
                                  "2\t20\t40\temit (40 samples, 40.00%)\n"
                                  "1\t0\t20\tidle (20 samples, 20.00%)\n");
}

static void a_differential_shows_the_change(void **state)
{
    (void)state;
    is(convert("a;b 5 10\na;c 5 90\n", "frames"),
       "level\tx\tw\ttitle\n"
       "0\t0\t100\tall (10 -> 100 samples, +90 [+57 .. +129])\n"
       "1\t0\t100\ta (10 -> 100 samples, +90 [+57 .. +129])\n"
       "2\t10\t90\tc (5 -> 90 samples, +85 [+55 .. +122])\n"
       "2\t0\t10\tb (5 -> 10 samples, +5 [-11 .. +23], within noise)\n");
}

static void the_tree_has_the_widest_first(void **state)
{
    (void)state;
    is(convert(stacks, "tree"), "  total     self  frame\n"
                                "100.00%    0.00%  all\n"
                                " 80.00%    0.00%  |-main\n"
                                " 40.00%   40.00%  | |-emit\n"
                                " 40.00%   10.00%  | `-parse\n"
                                " 30.00%   30.00%  |   read\n"
                                " 20.00%   20.00%  `-idle\n");
}

static void the_tree_fits_the_terminal(void **state)
{
    struct tch_format_options options = {.columns = 40, .utf8 = true};
    const char text[] = "a_function_with_a_name_of_some_length\x1b[31m 5\n";

    (void)state;
    is(test_convert(text, strlen(text), NULL, "tree", &options, NULL),
       "  total     self  frame\n"
       "100.00%    0.00%  all\n"
       "100.00%  100.00%  a_funct\xe2\x80\xa6me_length\xef\xbf\xbd[31m\n");
}

static void speedscope_has_frames_and_samples(void **state)
{
    (void)state;
    is(convert("a;b 2\na;c 3\n", "speedscope"),
       "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"tacho\","
       "\"name\":\"test\",\"activeProfileIndex\":0,\"shared\":{\"frames\":[{\"name\":\"a\"},"
       "{\"name\":\"b\"},{\"name\":\"c\"}]},\"profiles\":[{\"type\":\"sampled\",\"name\":\"test\","
       "\"unit\":\"none\",\"startValue\":0,\"endValue\":5,\"samples\":[[0,1],[0,2]],"
       "\"weights\":[2,3]}]}\n");
}

static const char perf[] = "p 1/2 1.000000: 5 cycles: \n\t4 f (x)\n\t5 main (x)\n\n"
                           "p 1/3 1.001000: 5 cycles: \n\t4 g (x)\n\n"
                           "p 1/2 1.001000: 5 cycles: \n\t4 g (x)\n\t5 main (x)\n\n"
                           "p 1/2 9.000000: 5 cycles: \n\t5 main (x)\n\n"
                           "p 1/2 9.001000: 5 cycles: \n\t5 main (x)\n\n";

static void speedscope_has_one_profile_per_thread(void **state)
{
    char *got = convert(perf, "speedscope");

    (void)state;
    assert_int_equal(tch_json_check(got, strlen(got), NULL), 0);
    /* Names are numbered as they come: f, main, p, g. */
    assert_non_null(strstr(got, "\"name\":\"p-1/2\",\"unit\":\"none\",\"startValue\":0,"
                                "\"endValue\":20,\"samples\":[[2,1,0],[2,1,3],[2,1],[2,1]],"
                                "\"weights\":[5,5,5,5]}"));
    assert_non_null(strstr(got, "\"name\":\"p-1/3\",\"unit\":\"none\",\"startValue\":0,"
                                "\"endValue\":5,\"samples\":[[2,3]],\"weights\":[5]}"));
    free(got);
}

/* Frames that consecutive samples share are one span. A thread without samples for a long time did
   not run. */
static void chrome_has_spans_in_time(void **state)
{
    static const char text[] = "p 1/2 1.000000: 5 cycles: \n\t4 f (x)\n\t5 main (x)\n\n"
                               "p 1/2 1.001000: 5 cycles: \n\t4 g (x)\n\t5 main (x)\n\n"
                               "p 1/2 1.002000: 5 cycles: \n\t4 g (x)\n\t5 main (x)\n\n"
                               "p 1/2 9.000000: 5 cycles: \n\t5 main (x)\n\n";
    static const struct {
        const char *name;
        char phase;
        const char *ts;
    } edges[] = {
        {"p", 'B', "0"},          {"main", 'B', "0"},       {"f", 'B', "0"},
        {"f", 'E', "1000"},       {"g", 'B', "1000"},       {"g", 'E', "3000"},
        {"main", 'E', "3000"},    {"p", 'E', "3000"},       {"p", 'B', "8000000"},
        {"main", 'B', "8000000"}, {"main", 'E', "8001000"}, {"p", 'E', "8001000"},
    };
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 1 << 16);
    tch_buf_adds(&b, "[\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":2,"
                     "\"args\":{\"name\":\"p-1/2\"}}");
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
        tch_buf_addf(&b,
                     ",\n{\"name\":\"%s\",\"cat\":\"sample\",\"ph\":\"%c\",\"ts\":%s,"
                     "\"pid\":1,\"tid\":2}",
                     edges[i].name, edges[i].phase, edges[i].ts);
    tch_buf_adds(&b, "\n]\n");
    is(convert(text, "chrome"), b.data);
    tch_buf_release(&b);
}

static void speedscope_names_the_unit(void **state)
{
    static const char *const units[][2] = {{"microseconds", "\"unit\":\"microseconds\""},
                                           {"bytes", "\"unit\":\"bytes\""},
                                           {"cycles", "\"unit\":\"none\""}};

    (void)state;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        struct tch_stacks s = {0};
        struct tch_profile profile = {.stacks = &s, .name = "test", .unit = units[i][0]};
        struct tch_sink sink;
        struct tch_buf b;

        tch_buf_init(&b, 1 << 20);
        tch_sink_init(&sink, tch_sink_to_buf, &b, NULL);
        assert_int_equal(tch_write_speedscope(&profile, NULL, &sink), 0);
        assert_int_equal(tch_sink_end(&sink), 0);
        assert_non_null(strstr(b.data, units[i][1]));
        tch_buf_release(&b);
        tch_stacks_release(&s);
    }
}

static void chrome_without_times_is_an_order(void **state)
{
    char *got = convert("a;b 2\na;c 3\n", "chrome");

    (void)state;
    assert_int_equal(tch_json_check(got, strlen(got), NULL), 0);
    assert_non_null(strstr(
        got, "{\"name\":\"b\",\"cat\":\"sample\",\"ph\":\"E\",\"ts\":2,\"pid\":0,\"tid\":0}"));
    assert_non_null(strstr(
        got, "{\"name\":\"a\",\"cat\":\"sample\",\"ph\":\"E\",\"ts\":5,\"pid\":0,\"tid\":0}"));
    free(got);
    is(convert("", "chrome"), "[\n]\n");
}

/* Writes a decompressed pprof file to `out` and returns its length. unit, measure, period_ns: as of
   struct tch_profile. */
static size_t pprof_in(const char *text, const char *unit, const char *measure, uint64_t period_ns,
                       unsigned char *out, size_t size)
{
    struct tch_stacks s = {0};
    struct tch_flame_reader reader;
    struct tch_profile profile = {
        .stacks = &s, .name = "test", .unit = unit, .measure = measure, .period_ns = period_ns};
    struct tch_sink sink;
    struct tch_buf b;
    z_stream z = {0};

    tch_read_init(&reader, &s, &(struct tch_flame_read_options){0});
    assert_int_equal(tch_read_mem(&reader, text, strlen(text), NULL), 0);
    tch_buf_init(&b, 1 << 20);
    tch_sink_init(&sink, tch_sink_to_buf, &b, NULL);
    assert_int_equal(tch_write_pprof(&profile, NULL, &sink), 0);
    assert_int_equal(tch_sink_end(&sink), 0);
    tch_read_release(&reader);
    tch_stacks_release(&s);
    assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
    z.next_in = (unsigned char *)b.data;
    z.avail_in = (unsigned)b.len;
    z.next_out = out;
    z.avail_out = (unsigned)size;
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    inflateEnd(&z);
    tch_buf_release(&b);
    return z.total_out;
}

static size_t pprof(const char *text, unsigned char *out, size_t size)
{
    return pprof_in(text, NULL, NULL, 0, out, size);
}

static void pprof_has_what_its_rules_ask_for(void **state)
{
    unsigned char data[4096];
    size_t len = pprof("a;\xff 2\na;c 3\n", data, sizeof data);
    struct tch_pb_reader r;
    struct tch_pb_field field;
    unsigned fields[16] = {0};
    char strings[8][32] = {{0}};

    (void)state;
    tch_pb_open(&r, data, len);
    while (tch_pb_next(&r, &field) > 0) {
        if (field.number == 6)
            snprintf(strings[fields[6]], sizeof strings[0], "%.*s", (int)field.len,
                     (const char *)field.data);
        fields[field.number]++;
    }
    assert_int_equal(fields[1], 1); /* sample types */
    assert_int_equal(fields[2], 2); /* samples */
    assert_int_equal(fields[4], 3); /* locations */
    assert_int_equal(fields[5], 3); /* functions */
    assert_int_equal(fields[6], 6); /* strings, the first empty */
    assert_string_equal(strings[0], "");
    assert_string_equal(strings[1], "samples");
    assert_string_equal(strings[2], "count");
    assert_string_equal(strings[3], "a");
    assert_string_equal(strings[4], "\xef\xbf\xbd");
    assert_int_equal(fields[14], 1);
}

static void pprof_of_a_differential_has_two_values(void **state)
{
    unsigned char data[4096];
    size_t len = pprof("a;b 2 7\n", data, sizeof data);
    static const unsigned char sample[] = {0x12, 8, 0x0a, 2, 2, 1, 0x12, 2, 7, 2};

    (void)state;
    assert_non_null(memmem(data, len, sample, sizeof sample));
}

/* Checks that the sample "a 3" has these values, and that these strings come before the names. */
static void has_values(const char *unit, const char *measure, uint64_t period_ns,
                       const unsigned char *values, size_t values_len, const char *strings,
                       size_t strings_len)
{
    unsigned char data[4096];
    size_t len = pprof_in("a 3\n", unit, measure, period_ns, data, sizeof data);

    assert_non_null(memmem(data, len, values, values_len));
    assert_non_null(memmem(data, len, strings, strings_len));
}

#define HAS_VALUES(unit, measure, period, values, strings) \
    has_values(unit, measure, period, values, sizeof(values), strings, sizeof(strings) - 1)

static void pprof_names_the_unit_of_its_values(void **state)
{
    static const unsigned char three[] = {0x12, 1, 3};
    static const unsigned char three_us[] = {0x12, 2, 0xb8, 0x17}; /* 3000 */
    static const unsigned char with_time[] = {0x12, 3, 3, 0xb8, 0x17};

    (void)state;
    HAS_VALUES("cycles", NULL, 0, three, "2\006cycles2\005count2\001a");
    HAS_VALUES("microseconds", "cpu", 0, three_us, "2\003cpu2\013nanoseconds2\001a");
    HAS_VALUES("microseconds", NULL, 0, three_us, "2\004time2\013nanoseconds2\001a");
    HAS_VALUES(NULL, NULL, 1000, with_time, "2\007samples2\005count2\003cpu2\013nanoseconds2\001a");
}

static void pprof_refuses_a_sum_that_does_not_fit(void **state)
{
    static const char text[] = "a 9223372036854775807\n";
    struct tch_stacks s = {0};
    struct tch_flame_reader reader;
    struct tch_profile profile = {.stacks = &s, .name = "test", .unit = "microseconds"};
    struct tch_sink sink;
    struct tch_buf b;
    tacho_error err;

    (void)state;
    tch_read_init(&reader, &s, &(struct tch_flame_read_options){0});
    assert_int_equal(tch_read_mem(&reader, text, strlen(text), NULL), 0);
    tch_buf_init(&b, 1 << 20);
    tch_sink_init(&sink, tch_sink_to_buf, &b, &err);
    assert_int_equal(tch_write_pprof(&profile, NULL, &sink), TACHO_ELIMIT);
    assert_string_equal(
        err.message, "9223372036854775807 microseconds are too many for pprof; use another format");
    (void)tch_sink_end(&sink);
    tch_read_release(&reader);
    tch_stacks_release(&s);
    tch_buf_release(&b);
}

static void formats_are_found_by_name(void **state)
{
    (void)state;
    assert_string_equal(tch_format_by_path("x.svg")->name, "svg");
    assert_string_equal(tch_format_by_path("a/x.SVG")->name, "svg");
    assert_string_equal(tch_format_by_path("x.trace.json")->name, "chrome");
    assert_string_equal(tch_format_by_path("x.speedscope.json")->name, "speedscope");
    assert_string_equal(tch_format_by_path("x.pb.gz")->name, "pprof");
    assert_string_equal(tch_format_by_path("x.folded")->name, "folded");
    assert_null(tch_format_by_path("x"));
    assert_null(tch_format_by_path(".svg"));
    assert_null(tch_format_by_name("gif"));
}

/* Returns the differential of two texts as folded stacks, which the caller frees. */
static char *diff(const char *a, const char *b, bool normalize, bool reverse)
{
    const struct tch_flame_read_options options = {.reverse = reverse};
    const char *const texts[] = {a, b};
    struct tch_stacks s = {0};
    struct tch_profile profile = {.stacks = &s, .name = "test"};
    struct tch_flame_reader reader;
    struct tch_sink sink;
    struct tch_buf folded;
    char *ret;

    for (int i = 0; i < 2; i++) {
        tch_read_init(&reader, &s, &options);
        assert_int_equal(tch_read_mem(&reader, texts[i], strlen(texts[i]), NULL), 0);
        tch_read_release(&reader);
        if (i == 0)
            assert_int_equal(tch_stacks_diff_begin(&s, NULL), 0);
    }
    assert_int_equal(tch_stacks_diff_end(&s, normalize, reverse, NULL), 0);
    tch_buf_init(&folded, 1000);
    tch_sink_init(&sink, tch_sink_to_buf, &folded, NULL);
    assert_int_equal(tch_write_folded(&profile, NULL, &sink), 0);
    assert_int_equal(tch_sink_end(&sink), 0);
    assert_int_equal(tch_stacks_diff_begin(&s, NULL), TACHO_EINVAL);
    tch_stacks_release(&s);
    ret = tch_buf_take(&folded);
    assert_non_null(ret);
    return ret;
}

static void diff_puts_two_profiles_side_by_side(void **state)
{
    (void)state;
    is(diff("a 10\nb 10\n", "b 5\nc 5\n", true, false),
       "# tacho: quantum_before=0.5 normalized=yes\na 5 0\nb 5 5\nc 0 5\n");
    is(diff("a;b 2\na;c 1\n", "a;b 3\na;c 1\n", true, false),
       "# tacho: quantum_before=1.3333333333333333 normalized=yes\na;b 2.667 3\na;c 1.333 1\n");
}

static void diff_compares_programs_of_two_names_as_one(void **state)
{
    (void)state;
    is(diff("old;main;f 7\nold;main 1\n", "new;main;f 7\nnew;main;g 1\n", false, false),
       "old -> new;main 1 0\nold -> new;main;f 7 7\nold -> new;main;g 0 1\n");
    is(diff("old;main;f 7\n", "new;main;f 7\n", false, true), "f;main;old -> new 7 7\n");
    /* Processes that both sides have keep their names, and so do threads whose own name starts like
       the program's. */
    is(diff("sh;read 2\nold;f 5\nold-io;g 4\nold-x;g 1\n", "sh;read 2\nnew;f 5\nnew-io;g 4\n",
            false, false),
       "old -> new;f 5 5\nold-io -> new-io;g 4 4\nold-x;g 1 0\nsh;read 2 2\n");
}

/* A helper that only one side ran is not another name of the program. */
static void diff_keeps_the_names_of_other_programs(void **state)
{
    (void)state;
    is(diff("p;f 6\nas;g 4\n", "p;f 6\nld;g 4\n", false, false), "as;g 4 0\nld;g 0 4\np;f 6 6\n");
    is(diff("p;f 6\n", "p;f 6\nld;g 4\n", false, false), "ld;g 0 4\np;f 6 6\n");
    is(diff("p-1/2;f 6\n", "q-3/4;f 6\n", false, false), "p-1/2;f 6 0\nq-3/4;f 0 6\n");
    is(diff("", "q;f 6\n", false, false), "q;f 0 6\n");
}

static int fail_write(void *ctx, const void *data, size_t len, tacho_error *err)
{
    (void)ctx;
    (void)data;
    (void)len;
    (void)err;
    return TACHO_EIO;
}

static void a_failing_output_is_reported(void **state)
{
    struct tch_stacks s = {0};
    struct tch_timeline timeline = {0};
    struct tch_profile profile = {.stacks = &s, .timeline = &timeline, .name = "test"};
    struct tch_format_options options = {0};

    (void)state;
    for (const struct tch_format *f = tch_formats; f->name; f++) {
        struct tch_sink sink;
        int status;

        tch_sink_init(&sink, fail_write, NULL, NULL);
        status = f->write(&profile, &options, &sink);
        if (tch_sink_end(&sink) == 0 && status == 0)
            assert_string_equal(f->name, "folded"); /* of nothing: nothing to write */
    }
}

static int convert_all(void *arg)
{
    struct tch_stacks s = {0};
    struct tch_timeline timeline = {0};
    struct tch_profile profile = {.stacks = &s, .timeline = &timeline, .name = "test"};
    struct tch_format_options options = {.svg.notes = "n", .svg.label = "l", .utf8 = true};
    const char *text = strcmp(arg, "changes") == 0 ? "a;b 1 2\na;c;d 3 4\n" : perf;
    struct tch_flame_reader reader;
    int status;

    tch_read_init(&reader, &s, &(struct tch_flame_read_options){0});
    reader.timeline = &timeline;
    status = tch_read_mem(&reader, text, strlen(text), NULL);
    tch_read_release(&reader);
    if (status == 0) {
        struct tch_sink sink;
        struct tch_buf b;
        int ended;

        tch_buf_init(&b, 1 << 20);
        tch_sink_init(&sink, tch_sink_to_buf, &b, NULL);
        status = tch_format_by_name(arg)->write(&profile, &options, &sink);
        ended = tch_sink_end(&sink);
        status = status < 0 ? status : ended;
        tch_buf_release(&b);
    }
    tch_timeline_release(&timeline);
    tch_stacks_release(&s);
    return status;
}

static void survives_lack_of_memory(void **state)
{
    (void)state;
    for (const struct tch_format *f = tch_formats; f->name; f++)
        test_every_allocation_fails(convert_all, (void *)f->name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_show_the_layout),
        cmocka_unit_test(a_differential_shows_the_change),
        cmocka_unit_test(the_tree_has_the_widest_first),
        cmocka_unit_test(the_tree_fits_the_terminal),
        cmocka_unit_test(speedscope_has_frames_and_samples),
        cmocka_unit_test(speedscope_has_one_profile_per_thread),
        cmocka_unit_test(speedscope_names_the_unit),
        cmocka_unit_test(chrome_has_spans_in_time),
        cmocka_unit_test(chrome_without_times_is_an_order),
        cmocka_unit_test(pprof_has_what_its_rules_ask_for),
        cmocka_unit_test(pprof_of_a_differential_has_two_values),
        cmocka_unit_test(pprof_names_the_unit_of_its_values),
        cmocka_unit_test(pprof_refuses_a_sum_that_does_not_fit),
        cmocka_unit_test(formats_are_found_by_name),
        cmocka_unit_test(diff_puts_two_profiles_side_by_side),
        cmocka_unit_test(diff_compares_programs_of_two_names_as_one),
        cmocka_unit_test(diff_keeps_the_names_of_other_programs),
        cmocka_unit_test(a_failing_output_is_reported),
        cmocka_unit_test(survives_lack_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
