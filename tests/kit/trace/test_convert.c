/* Tests of converting traces between formats and of reading the text formats of other tools. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tacho/trace.h>

#include "kit/trace/trace_rewrite.h"
#include "lib/trace/recording_convert.h"
#include "lib/trace/recording_format.h"
#include "support/system.h"
#include "support/test.h"
#include "tools.h"

/* Converts through every pair of formats, and back to one that shows what the poorer of the two
   keeps. */
static void round_trips_keep_what_the_formats_hold(void **state)
{
    enum { EVERYTHING, SPANS, STACKS };
    static const struct {
        const char *extension;
        int keeps;
    } formats[] = {{"json", EVERYTHING},  {"json.gz", EVERYTHING}, {"pftrace", EVERYTHING},
                   {"tacho", EVERYTHING}, {"csv", SPANS},          {"folded", STACKS}};
    static const char *const shown_as[] = {"json", "csv", "folded"};
    const size_t count = sizeof formats / sizeof formats[0];
    const char *in = tools_put("full.json", tools_full);
    char first[256], second[256], back[256], *wanted[3], *got;

    (void)state;
    for (int i = 0; i < 3; i++) {
        snprintf(back, sizeof back, "%s/direct.%s", test_home, shown_as[i]);
        tools_convert(in, back);
        wanted[i] = tools_content(back);
    }
    assert_non_null(strstr(wanted[EVERYTHING],
                           "\"args\":{\"a\":1,\"t\":\"x\\ny\",\"n\":{\"k\":[1,2.5,null,true]}"
                           ",\"b\":2}"));
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            int keeps = formats[i].keeps > formats[k].keeps ? formats[i].keeps : formats[k].keeps;

            snprintf(first, sizeof first, "%s/one.%s", test_home, formats[i].extension);
            snprintf(second, sizeof second, "%s/two.%s", test_home, formats[k].extension);
            snprintf(back, sizeof back, "%s/back.%s", test_home, shown_as[keeps]);
            tools_convert(in, first);
            tools_convert(first, second);
            tools_convert(second, back);
            got = tools_content(back);
            if (strcmp(got, wanted[keeps]) != 0)
                fail_msg("%s, %s: %s", formats[i].extension, formats[k].extension, got);
            free(got);
        }
    for (int i = 0; i < 3; i++)
        free(wanted[i]);
}

/* Overlaps stay on their track, a begin stays open, times far apart stay, and texts are
   unchanged. */
static void a_recording_holds_a_trace(void **state)
{
    static const char odd[] =
        "[{\"name\":\"a\",\"cat\":\"\",\"ph\":\"X\",\"ts\":0,\"dur\":10,\"pid\":1,\"tid\":2},\n"
        "{\"name\":\"b\",\"cat\":\"\",\"ph\":\"X\",\"ts\":5,\"dur\":10,\"pid\":1,\"tid\":2,"
        "\"args\":{\"\\u0000\":\"\xE2\x82\xAC\",\"big\":18446744073709551615,\"neg\":-1,\"f\":-0.5,"
        "\"list\":[],\"no\":null,\"yes\":true}},\n"
        "{\"name\":\"open\",\"cat\":\"\",\"ph\":\"B\",\"ts\":20,\"pid\":1,\"tid\":2},\n"
        "{\"name\":\"late\",\"cat\":\"\",\"ph\":\"X\",\"ts\":400000000000,\"dur\":0.001,\"pid\":1,"
        "\"tid\":2},\n"
        "{\"name\":\"two\",\"ph\":\"C\",\"ts\":1,\"pid\":1,\"tid\":1,\"args\":{\"x\":1,\"y\":2.5}},"
        "\n"
        "{\"name\":\"r\",\"cat\":\"q\",\"ph\":\"b\",\"id\":\"0x7\",\"ts\":1,\"pid\":1,\"tid\":2},\n"
        "{\"name\":\"r\",\"cat\":\"q\",\"ph\":\"n\",\"id\":\"0x7\",\"ts\":2,\"pid\":1,\"tid\":2},\n"
        "{\"name\":\"r\",\"cat\":\"q\",\"ph\":\"e\",\"id\":\"0x7\",\"ts\":3,\"pid\":1,\"tid\":2},\n"
        "{\"name\":\"all\",\"ph\":\"i\",\"s\":\"g\",\"ts\":4,\"pid\":1,\"tid\":2}]\n";
    char *wanted, *got;

    (void)state;
    tools_convert(tools_put("odd.json", odd), test_at("direct.json"));
    tools_convert(test_at("odd.json"), test_at("odd.tacho"));
    tools_convert(test_at("odd.tacho"), test_at("back.json"));
    wanted = tools_content(test_at("direct.json"));
    got = tools_content(test_at("back.json"));
    assert_string_equal(got, wanted);
    assert_non_null(strstr(got, "\"big\":18446744073709551615"));
    assert_non_null(strstr(got, "\"ts\":400000000000"));
    free(wanted);
    free(got);
}

/* More records than a chunk holds, also with all of them at one instant. */
static void a_recording_holds_many_events(void **state)
{
    enum { EVENTS = 100000 };
    FILE *f = fopen(test_at("many.csv"), "w");
    struct tch_trace_summary s;
    tacho_error err;

    (void)state;
    assert_non_null(f);
    fputs("pid,tid,process,thread,name,category,start_ns,dur_ns,args\n", f);
    for (int i = 0; i < EVENTS; i++)
        fprintf(f, "1,1,,,n%d,,%d,1,\n", i % 7, i < EVENTS / 2 ? i : EVENTS / 2);
    fclose(f);
    tools_convert(test_at("many.csv"), test_at("many.tacho"));
    assert_int_equal(
        tch_trace_summary_make(&s, test_at("many.tacho"), TCH_BY_NAME, &tools_plain, &err), 0);
    assert_int_equal(s.spans, EVENTS);
    assert_int_equal(tools_row(&s, "n0")->count, EVENTS / 7 + 1);
    assert_int_equal(s.model.bad.count, 0);
    tch_trace_summary_release(&s);
}

static void a_recording_can_hold_several_processes(void **state)
{
    static const char several[] =
        "[{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0,\"args\":{\"name\":\"two\"}},\n"
        "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"one\"}},\n"
        "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":1,\"args\":{\"name\":\"t\"}},\n"
        "{\"name\":\"a\",\"cat\":\"\",\"ph\":\"X\",\"ts\":0,\"dur\":1,\"pid\":1,\"tid\":1},\n"
        "{\"name\":\"b\",\"cat\":\"\",\"ph\":\"X\",\"ts\":0,\"dur\":2,\"pid\":0,\"tid\":1},\n"
        "{\"name\":\"c\",\"ph\":\"C\",\"ts\":1,\"pid\":0,\"tid\":1,\"args\":{\"v\":3}},\n"
        "{\"name\":\"a\",\"cat\":\"\",\"ph\":\"X\",\"ts\":5,\"dur\":1,\"pid\":9,\"tid\":1}]\n";
    char *wanted, *got;
    tacho_error err;

    (void)state;
    tools_convert(tools_put("in.json", several), test_at("direct.json"));
    tools_convert(test_at("in.json"), test_at("out.tacho"));
    tools_convert(test_at("out.tacho"), test_at("again.tacho"));
    tools_convert(test_at("again.tacho"), test_at("back.json"));
    wanted = tools_content(test_at("direct.json"));
    got = tools_content(test_at("back.json"));
    assert_string_equal(got, wanted);
    assert_non_null(
        strstr(got, "\"name\":\"b\",\"cat\":\"\",\"ph\":\"X\",\"ts\":0,\"dur\":2,\"pid\":0"));
    free(wanted);
    free(got);
    /* The converter of libtacho supports only one process, and says so. */
    assert_int_equal(tch_trace_convert(test_at("out.tacho"), test_at("no.json"), NULL, &err),
                     TACHO_EINVAL);
    assert_int_equal(access(test_at("no.json"), F_OK), -1);
}

static void labels_and_sort_orders_stay_if_the_format_can_hold_them(void **state)
{
    static const char text[] =
        "[{\"name\":\"process_labels\",\"ph\":\"M\",\"pid\":7,\"args\":{\"labels\":\"rank 0\"}},\n"
        "{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":7,\"args\":{\"sort_index\":-2}},\n"
        "{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":7,\"tid\":8,"
        "\"args\":{\"sort_index\":3}},\n"
        "{\"name\":\"a\",\"cat\":\"\",\"ph\":\"X\",\"ts\":1,\"dur\":2,\"pid\":7,\"tid\":8}\n]\n";
    static const char *const kept_by[] = {"json", "json.gz", "pftrace"};
    static const char *const lost_by[] = {"tacho", "csv", "folded"};
    const char *in = tools_put("in.json", text);
    char out[256];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        snprintf(out, sizeof out, "%s/out.%s", test_home, kept_by[i]);
        tools_convert(in, out);
        tools_convert(out, test_at("back.json"));
        test_assert_content(test_at("back.json"), text);
    }
    for (size_t i = 0; i < 3; i++) {
        struct tch_write_options writing = {.object = false};
        struct tch_rewritten done;
        tacho_error err;

        snprintf(out, sizeof out, "%s/out.%s", test_home, lost_by[i]);
        assert_int_equal(tch_rewrite(&done, in, out, &tools_with_args, &writing, NULL, &err), 0);
        assert_int_equal(done.unlabelled, 2);
        tch_rewritten_release(&done);
    }
}

/* Text formats of other tools. */

static void reads_folded_stacks_of_any_profiler(void **state)
{
    struct tch_trace_summary s;
    tacho_error err;

    (void)state;
    tools_put("perf.folded",
              "prog;main;a 3\nprog;main;a;b 4\nprog;main 1\nother 2\nprog;main;a 1\n");
    assert_int_equal(
        tch_trace_summary_make(&s, test_at("perf.folded"), TCH_BY_NAME, &tools_plain, &err), 0);
    assert_int_equal(s.model.kind, TCH_KIND_FOLDED);
    assert_int_equal(tools_row(&s, "main")->total, 9);
    assert_int_equal(tools_row(&s, "main")->self, 1);
    assert_int_equal(tools_row(&s, "a")->total, 8);
    assert_int_equal(tools_row(&s, "a")->self, 4);
    assert_int_equal(tools_row(&s, "b")->self, 4);
    assert_int_equal(tools_row(&s, "other")->self, 2);
    assert_int_equal(s.lone_ends + s.unfinished + s.overlaps, 0);
    tch_trace_summary_release(&s);
}

static void reads_the_text_of_babeltrace(void **state)
{
    static const char text[] =
        "[23:59:59.999999998] (+?.????????"
        "?) host app:step_begin: { cpu_id = 1 }, { vpid = 5, vtid "
        "= 6, procname = \"w\" }, { n = 1, s = \"a\\\"b{, }\", h = 0x1F, l = [ [0] = 1, [1] = 2 ], "
        "e "
        "= ( \"ON\" : container = 1 ), o = { x = 1.5 } }\n"
        "[00:00:00.000000001] (+0.000000003) host app:mark: { cpu_id = 1 }, { vpid = 5, vtid = 6, "
        "procname = \"w\" }, { }\n"
        "[00:00:00.000000005] (+0.000000004) host app:step_end: { cpu_id = 1 }, { vpid = 5, vtid = "
        "6, procname = \"w\" }, { }\n"
        "nonsense\n"
        "[00:00:01.000000005] (+1.000000000) host process_exit: { cpu_id = 3 }, { tid = 9 }\n";
    char *got;

    (void)state;
    tools_convert(tools_put("bt.txt", text), test_at("bt.json"));
    got = tools_content(test_at("bt.json"));
    assert_non_null(strstr(got,
                           "{\"name\":\"step\",\"cat\":\"app\",\"ph\":\"X\",\"ts\":86399999999.998,"
                           "\"dur\":0.007,\"pid\":5,\"tid\":6,\"args\":{\"n\":1,\"s\":\"a\\\"b{, }"
                           "\",\"h\":31,\"l\":[1,2],\"e\":\"ON\",\"o\":{\"x\":1.5}}}"));
    assert_non_null(strstr(got, "\"name\":\"mark\",\"cat\":\"app\",\"ph\":\"i\""));
    assert_non_null(strstr(got, "\"name\":\"process_exit\",\"cat\":\"\",\"ph\":\"i\""));
    assert_non_null(strstr(got, "{\"name\":\"CPU 3\"}"));
    free(got);
}

static void csv_keeps_the_spans(void **state)
{
    const char *in = tools_put("full.json", tools_full);
    char *a, *b;

    (void)state;
    tools_convert(in, test_at("a.csv"));
    tools_convert(test_at("a.csv"), test_at("b.csv"));
    a = tools_content(test_at("a.csv"));
    b = tools_content(test_at("b.csv"));
    assert_string_equal(a, b);
    assert_non_null(strstr(a, "7,9,\"server \"\"x\"\"\",\"work,er\",consume,c,15000,5000,\n"));
    free(a);
    free(b);
}

static void folds_stacks_by_own_time(void **state)
{
    (void)state;
    tools_convert(tools_put("full.json", tools_full), test_at("a.folded"));
    test_assert_content(test_at("a.folded"), "server \"x\" / main;outer 7749\n"
                                             "server \"x\" / main;outer;inner 2251\n"
                                             "server \"x\" / main;inner 2\n"
                                             "server \"x\" / work,er;consume 5000\n");
}

/* A span that began before the trace, recorded with its duration on its own track. */
static void a_duration_stays_in_every_format(void **state)
{
    static const char *const outputs[] = {"a.tacho", "a.json",    "a.pftrace", "b.json",
                                          "b.tacho", "b.pftrace", "b.json.gz", "b.csv"};
    uint64_t early = tacho_trace_now_ns() - 7000000;
    tacho_error err;

    (void)state;
    assert_int_equal(tacho_trace_start(test_at("a.tacho"), &err), 0);
    tacho_trace_push("load_model", "io", 2500.0, 0);
    tacho_track_span(tacho_track("gpu"), "kernel", "gpu", early, early + 5000000, TACHO_NO_FIELDS);
    assert_int_equal(tacho_trace_stop(&err), 0);
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
        const char *out = test_at(outputs[i]);
        struct tch_trace_summary s;

        if (outputs[i][0] == 'b')
            tools_convert(test_at("a.tacho"), out);
        else if (i > 0)
            assert_int_equal(tacho_trace_convert(test_at("a.tacho"), out, &err), 0);
        assert_int_equal(tch_trace_summary_make(&s, out, TCH_BY_NAME, &tools_plain, &err), 0);
        assert_int_equal(tools_row(&s, "load_model")->total, 2500000000);
        assert_int_equal(tools_row(&s, "kernel")->total, 5000000);
        tch_trace_summary_release(&s);
    }
}

/* A recording whose first span began 3 us before the trace. Times in Perfetto's format are those of
   the machine's clock, so that format keeps the whole span. */
static void a_recorded_span_never_reaches_into_the_next(void **state)
{
    static const char *const outputs[] = {"a.tacho", "a.json", "a.pftrace", "b.csv"};
    const char *path = test_at("a.tacho");
    struct tch_rec_header head;
    tacho_error err;
    FILE *f;

    (void)state;
    tools_convert(tools_put("in.json", "[{\"name\":\"early\",\"ph\":\"X\",\"ts\":1,\"dur\":5,"
                                       "\"pid\":1,\"tid\":1},{\"name\":\"next\",\"ph\":\"X\","
                                       "\"ts\":7,\"dur\":2,\"pid\":1,\"tid\":1}]"),
                  path);
    f = fopen(path, "r+");
    assert_non_null(f);
    assert_int_equal(fread(&head, sizeof head, 1, f), 1);
    head.first.ticks += 4000;
    head.first.ns += 4000;
    head.first.check = head.first.ticks ^ head.first.ns ^ head.first.error;
    rewind(f);
    assert_int_equal(fwrite(&head, sizeof head, 1, f), 1);
    fclose(f);
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
        const char *out = test_at(outputs[i]);
        struct tch_trace_summary s;

        if (outputs[i][0] == 'b')
            tools_convert(path, out);
        else if (i > 0)
            assert_int_equal(tacho_trace_convert(path, out, &err), 0);
        assert_int_equal(tch_trace_summary_make(&s, out, TCH_BY_NAME, &tools_plain, &err), 0);
        assert_int_equal(tools_row(&s, "early")->total, i == 2 ? 5000 : 2000);
        assert_int_equal(tools_row(&s, "next")->total, 2000);
        tch_trace_summary_release(&s);
    }
}

static void a_full_disk_is_an_error(void **state)
{
    struct tch_write_options writing = {.object = false};
    const char *in = tools_put("full.json", tools_full), *out = test_at("out.json");
    struct tch_rewritten done;
    tacho_error err;

    (void)state;
    assert_int_equal(symlink("/dev/full", out), 0);
    assert_int_equal(tch_rewrite(&done, in, out, &tools_with_args, &writing, NULL, &err),
                     TACHO_EIO);
    tch_rewritten_release(&done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(round_trips_keep_what_the_formats_hold),
        TEST_IN_HOME(a_recording_holds_a_trace),
        TEST_IN_HOME(a_recording_holds_many_events),
        TEST_IN_HOME(a_recording_can_hold_several_processes),
        TEST_IN_HOME(reads_folded_stacks_of_any_profiler),
        TEST_IN_HOME(reads_the_text_of_babeltrace),
        TEST_IN_HOME(csv_keeps_the_spans),
        TEST_IN_HOME(folds_stacks_by_own_time),
        TEST_IN_HOME(labels_and_sort_orders_stay_if_the_format_can_hold_them),
        TEST_IN_HOME(a_duration_stays_in_every_format),
        TEST_IN_HOME(a_recorded_span_never_reaches_into_the_next),
        TEST_IN_HOME(a_full_disk_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
