/* Reading traces of any writer, summing up, converting, cutting, checking, merging, comparing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "support/system.h"
#include "support/test.h"
#include "trace/compare.h"
#include "trace/merge.h"
#include "trace/rewrite.h"
#include "trace/summary.h"
#include "trace/validate.h"

static const struct tch_read_options plain = {.args = false};
static const struct tch_read_options with_args = {.args = true};

/* All that the format has, with what is hard in names and arguments. */
static const char full[] =
    "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
    "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":7,\"args\":{\"name\":\"server \\\"x\\\"\"}},\n"
    "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":7,\"tid\":8,\"args\":{\"name\":\"main\"}},\n"
    "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":7,\"tid\":9,\"args\":{\"name\":\"work,er\"}},\n"
    "{\"name\":\"outer\",\"cat\":\"c\",\"ph\":\"B\",\"ts\":10,\"pid\":7,\"tid\":8,"
    "\"args\":{\"a\":1,\"t\":\"x\\ny\",\"n\":{\"k\":[1,2.5,null,true]}}},\n"
    "{\"name\":\"in\\u006eer\",\"cat\":\"c\",\"ph\":\"X\",\"ts\":10.5,\"dur\":2.251,\"pid\":7,"
    "\"tid\":8},\n"
    "{\"name\":\"fl\",\"cat\":\"f\",\"ph\":\"s\",\"id\":5,\"ts\":11,\"bp\":\"e\",\"pid\":7,\"tid\":"
    "8},\n"
    "{\"ph\":\"E\",\"ts\":20,\"pid\":7,\"tid\":8,\"args\":{\"b\":2}},\n"
    "{\"name\":\"consume\",\"cat\":\"c\",\"ph\":\"X\",\"ts\":15,\"dur\":5,\"pid\":7,\"tid\":9},\n"
    "{\"name\":\"fl\",\"cat\":\"f\",\"ph\":\"f\",\"bp\":\"e\",\"id\":5,\"ts\":16,\"pid\":7,\"tid\":"
    "9},\n"
    "{\"name\":\"mem\",\"ph\":\"C\",\"ts\":12,\"pid\":7,\"tid\":7,\"args\":{\"rss\":100}},\n"
    "{\"name\":\"q\",\"ph\":\"C\",\"ts\":13,\"pid\":7,\"tid\":7,\"args\":{\"value\":-3}},\n"
    "{\"name\":\"inner\",\"cat\":\"c\",\"ph\":\"X\",\"ts\":30,\"dur\":0.002,\"pid\":7,\"tid\":8},\n"
    "{\"name\":\"mark\",\"cat\":\"c\",\"ph\":\"i\",\"s\":\"t\",\"ts\":14,\"pid\":7,\"tid\":8}\n"
    "]}\n";

static const char *put(const char *name, const char *text)
{
    const char *path = test_at(name);

    test_put(path, text);
    return path;
}

/* Summaries. */

static const struct tch_summary_row *row_of(const struct tch_summary *s, const char *name)
{
    for (size_t i = 0; i < s->row_count; i++)
        if (strcmp(tch_text(&s->model.texts, s->rows[i].key), name) == 0)
            return &s->rows[i];
    fail_msg("there is no row %s", name);
    return NULL;
}

static void sums_up_what_took_time(void **state)
{
    const char *path = put("full.json", full);
    struct tch_summary s;
    tacho_error err;

    (void)state;
    assert_int_equal(tch_summary_make(&s, path, TCH_BY_NAME, &plain, &err), 0);
    assert_false(s.sorted);
    assert_int_equal(s.spans, 4);
    assert_int_equal(row_of(&s, "outer")->total, 10000);
    assert_int_equal(row_of(&s, "outer")->self, 10000 - 2251);
    assert_int_equal(row_of(&s, "inner")->count, 2); /* however its name is written */
    assert_int_equal(row_of(&s, "inner")->min, 2);
    assert_int_equal(row_of(&s, "inner")->max, 2251);
    assert_int_equal(row_of(&s, "inner")->p50, 2);
    assert_int_equal(s.model.by_kind[TCH_EV_COUNTER], 2);
    assert_int_equal(s.model.by_kind[TCH_EV_FLOW], 2);
    assert_int_equal(s.track_count, 2);
    assert_int_equal(s.tracks[0].busy, 10002);
    assert_int_equal(s.tracks[0].gaps[0].ts, 20000);
    assert_int_equal(s.tracks[0].gaps[0].dur, 10000);
    tch_summary_release(&s);
}

/* The same spans, the outer ones behind what is in them. */
static void order_in_the_file_makes_no_difference(void **state)
{
    static const char ordered[] =
        "[{\"name\":\"a\",\"ph\":\"X\",\"ts\":0,\"dur\":100,\"pid\":1,\"tid\":1},"
        "{\"name\":\"b\",\"ph\":\"X\",\"ts\":10,\"dur\":20,\"pid\":1,\"tid\":1},"
        "{\"name\":\"c\",\"ph\":\"X\",\"ts\":10,\"dur\":5,\"pid\":1,\"tid\":1}]";
    static const char reversed[] =
        "[{\"name\":\"c\",\"ph\":\"X\",\"ts\":10,\"dur\":5,\"pid\":1,\"tid\":1},"
        "{\"name\":\"b\",\"ph\":\"X\",\"ts\":10,\"dur\":20,\"pid\":1,\"tid\":1},"
        "{\"name\":\"a\",\"ph\":\"X\",\"ts\":0,\"dur\":100,\"pid\":1,\"tid\":1}]";
    const char *paths[2] = {put("a.json", ordered), put("b.json", reversed)};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct tch_summary s;
        tacho_error err;

        assert_int_equal(tch_summary_make(&s, paths[i], TCH_BY_NAME, &plain, &err), 0);
        assert_int_equal(s.sorted, i == 1);
        assert_int_equal(row_of(&s, "a")->self, 80000);
        assert_int_equal(row_of(&s, "b")->self, 15000);
        assert_int_equal(row_of(&s, "c")->self, 5000);
        tch_summary_release(&s);
    }
}

/* Damage. */

static uint64_t events_of(const char *path, struct tch_model *m)
{
    struct tch_load l;
    tacho_error err;

    assert_int_equal(tch_load_open(&l, path, &plain, tch_by_time, &err), 0);
    *m = l.model;
    tch_load_close(&l);
    return m->events;
}

static void reads_a_damaged_file_up_to_where_it_is_sound(void **state)
{
    static const struct {
        const char *text;
        uint64_t events;
        bool cut;
    } cases[] = {
        {"[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"}", 1, true},
        {"[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"},", 1, true},
        {"[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"},]", 1, false},
        {"[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"},{\"ph\":\"i\",\"ts\":2,\"na", 1, true},
        {"{\"traceEvents\":[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"}", 1, true},
        {"[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"},{\"ph\":\"i\",\"name\":\"b\"c\"}]", 1, true},
        {"{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"}\n\n{\"ph\":\"i\",\"ts\":2}\n", 2, false},
        {"[]", 0, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tch_model m;

        assert_int_equal(events_of(put("cut.json", cases[i].text), &m), cases[i].events);
        assert_int_equal(m.cut, cases[i].cut);
    }
}

static void refuses_what_is_no_trace(void **state)
{
    static const char *const cases[] = {"", "hello", "{\"a\":1}", "{\"traceEvents\":5}", "[1,"};
    struct tch_load l;
    tacho_error err;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(tch_load_open(&l, put("no.json", cases[i]), &plain, tch_by_time, &err),
                         TACHO_EPARSE);
        tch_load_close(&l);
    }
    assert_int_equal(tch_load_open(&l, test_at("missing"), &plain, tch_by_time, &err), TACHO_EIO);
    tch_load_close(&l);
}

/* Conversion. */

static void convert(const char *in, const char *out)
{
    struct tch_write_options writing = {.object = false};
    struct tch_rewritten done;
    tacho_error err;

    if (tch_rewrite(&done, in, out, &with_args, &writing, NULL, &err) < 0)
        fail_msg("%s to %s: %s", in, out, err.message);
    tch_rewritten_release(&done);
}

static char *content(const char *path)
{
    struct tch_buf b;
    tacho_error err;

    tch_buf_init(&b, 1 << 20);
    assert_int_equal(tch_file_read(path, 1 << 20, &b, &err), 0);
    return tch_buf_take(&b);
}

/* Through every pair of formats, and back to one that shows what the poorer of the two keeps. */
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
    const char *in = put("full.json", full);
    char first[256], second[256], back[256], *wanted[3], *got;

    (void)state;
    for (int i = 0; i < 3; i++) {
        snprintf(back, sizeof back, "%s/direct.%s", test_home, shown_as[i]);
        convert(in, back);
        wanted[i] = content(back);
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
            convert(in, first);
            convert(first, second);
            convert(second, back);
            got = content(back);
            if (strcmp(got, wanted[keeps]) != 0)
                fail_msg("%s, %s: %s", formats[i].extension, formats[k].extension, got);
            free(got);
        }
    for (int i = 0; i < 3; i++)
        free(wanted[i]);
}

/* Overlaps stay on their track, a begin stays open, times far apart stay, and texts are what they
   were. */
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
    convert(put("odd.json", odd), test_at("direct.json"));
    convert(test_at("odd.json"), test_at("odd.tacho"));
    convert(test_at("odd.tacho"), test_at("back.json"));
    wanted = content(test_at("direct.json"));
    got = content(test_at("back.json"));
    assert_string_equal(got, wanted);
    assert_non_null(strstr(got, "\"big\":18446744073709551615"));
    assert_non_null(strstr(got, "\"ts\":400000000000"));
    free(wanted);
    free(got);
}

/* More records than chunks hold, all at one instant too. */
static void a_recording_holds_many_events(void **state)
{
    enum { EVENTS = 100000 };
    FILE *f = fopen(test_at("many.csv"), "w");
    struct tch_summary s;
    tacho_error err;

    (void)state;
    assert_non_null(f);
    fputs("pid,tid,process,thread,name,category,start_ns,dur_ns,args\n", f);
    for (int i = 0; i < EVENTS; i++)
        fprintf(f, "1,1,,,n%d,,%d,1,\n", i % 7, i < EVENTS / 2 ? i : EVENTS / 2);
    fclose(f);
    convert(test_at("many.csv"), test_at("many.tacho"));
    assert_int_equal(tch_summary_make(&s, test_at("many.tacho"), TCH_BY_NAME, &plain, &err), 0);
    assert_int_equal(s.spans, EVENTS);
    assert_int_equal(row_of(&s, "n0")->count, EVENTS / 7 + 1);
    assert_int_equal(s.model.bad.count, 0);
    tch_summary_release(&s);
}

static void a_recording_is_of_one_process(void **state)
{
    static const char two[] =
        "[{\"name\":\"a\",\"ph\":\"X\",\"ts\":0,\"dur\":1,\"pid\":1,\"tid\":1},"
        "{\"name\":\"a\",\"ph\":\"X\",\"ts\":0,\"dur\":1,\"pid\":2,\"tid\":1}]";
    struct tch_write_options writing = {.object = false};
    struct tch_rewritten done;
    tacho_error err;

    (void)state;
    assert_int_equal(tch_rewrite(&done, put("two.json", two), test_at("two.tacho"), &with_args,
                                 &writing, NULL, &err),
                     TACHO_EINVAL);
    assert_non_null(strstr(err.message, "one process"));
    assert_int_equal(access(test_at("two.tacho"), F_OK), -1);
    tch_rewritten_release(&done);
}

/* Text of others. */

static void reads_folded_stacks_of_any_profiler(void **state)
{
    struct tch_summary s;
    tacho_error err;

    (void)state;
    put("perf.folded", "prog;main;a 3\nprog;main;a;b 4\nprog;main 1\nother 2\nprog;main;a 1\n");
    assert_int_equal(tch_summary_make(&s, test_at("perf.folded"), TCH_BY_NAME, &plain, &err), 0);
    assert_int_equal(s.model.kind, TCH_KIND_FOLDED);
    assert_int_equal(row_of(&s, "main")->total, 9);
    assert_int_equal(row_of(&s, "main")->self, 1);
    assert_int_equal(row_of(&s, "a")->total, 8);
    assert_int_equal(row_of(&s, "a")->self, 4);
    assert_int_equal(row_of(&s, "b")->self, 4);
    assert_int_equal(row_of(&s, "other")->self, 2);
    assert_int_equal(s.lone_ends + s.unfinished + s.overlaps, 0);
    tch_summary_release(&s);
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
    convert(put("bt.txt", text), test_at("bt.json"));
    got = content(test_at("bt.json"));
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
    const char *in = put("full.json", full);
    char *a, *b;

    (void)state;
    convert(in, test_at("a.csv"));
    convert(test_at("a.csv"), test_at("b.csv"));
    a = content(test_at("a.csv"));
    b = content(test_at("b.csv"));
    assert_string_equal(a, b);
    assert_non_null(strstr(a, "7,9,\"server \"\"x\"\"\",\"work,er\",consume,c,15000,5000,\n"));
    free(a);
    free(b);
}

static void folds_stacks_by_own_time(void **state)
{
    (void)state;
    convert(put("full.json", full), test_at("a.folded"));
    test_assert_content(test_at("a.folded"), "server \"x\" / main;outer 7749\n"
                                             "server \"x\" / main;outer;inner 2251\n"
                                             "server \"x\" / main;inner 2\n"
                                             "server \"x\" / work,er;consume 5000\n");
}

static void a_full_disk_is_an_error(void **state)
{
    struct tch_write_options writing = {.object = false};
    const char *in = put("full.json", full), *out = test_at("out.json");
    struct tch_rewritten done;
    tacho_error err;

    (void)state;
    assert_int_equal(symlink("/dev/full", out), 0);
    assert_int_equal(tch_rewrite(&done, in, out, &with_args, &writing, NULL, &err), TACHO_EIO);
    tch_rewritten_release(&done);
}

/* Parts. */

static void cuts_spans_at_the_edges(void **state)
{
    struct tch_rewrite_part part = {.from = 1000, .to = 3000};
    struct tch_write_options writing = {.object = false};
    struct tch_rewritten done;
    tacho_error err;
    char *text;

    (void)state;
    part.name = "[oi]*";
    assert_int_equal(tch_rewrite(&done, put("full.json", full), test_at("part.csv"), &plain,
                                 &writing, &part, &err),
                     0);
    assert_int_equal(done.kept, 2);
    assert_int_equal(done.cut, 2);
    tch_rewritten_release(&done);
    text = content(test_at("part.csv"));
    assert_non_null(strstr(text, "outer,c,11000,2000,"));
    assert_non_null(strstr(text, "inner,c,11000,1751,"));
    free(text);
}

/* Checks. */

static void finds_what_viewers_lose(void **state)
{
    static const char bad[] =
        "[{\"name\":\"a\",\"ph\":\"X\",\"ts\":0,\"dur\":10,\"pid\":1,\"tid\":1},\n"
        "{\"name\":\"b\",\"ph\":\"X\",\"ts\":5,\"dur\":10,\"pid\":1,\"tid\":1},\n"
        "{\"name\":\"c\",\"ph\":\"X\",\"ts\":5,\"pid\":1,\"tid\":1},\n"
        "{\"name\":\"d\",\"ph\":\"X\",\"ts\":5,\"dur\":1,\"pid\":4294967296,\"tid\":1},\n"
        "{\"name\":\"f\",\"ph\":\"s\",\"ts\":50,\"id\":1,\"pid\":1,\"tid\":1},\n"
        "{\"name\":\"o\",\"ph\":\"O\",\"ts\":55,\"pid\":1,\"tid\":1},\n"
        "{\"ph\":\"E\",\"ts\":60,\"pid\":1,\"tid\":1}]";
    struct tch_validation v;
    tacho_error err;

    (void)state;
    assert_int_equal(tch_validate(&v, put("bad.json", bad), &with_args, &err), 0);
    assert_true(tch_validation_loses(&v));
    assert_int_equal(v.found[TCH_FOUND_OVERLAP].places.count, 1);
    assert_int_equal(v.found[TCH_FOUND_OVERLAP].places.first[0],
                     strstr(bad, "{\"name\":\"b\"") - bad);
    assert_int_equal(v.found[TCH_FOUND_BAD].places.count, 1);
    assert_int_equal(v.found[TCH_FOUND_BAD].places.first[0], strstr(bad, "{\"name\":\"c\"") - bad);
    assert_int_equal(v.found[TCH_FOUND_IDS].places.count, 1);
    assert_int_equal(v.found[TCH_FOUND_FLOW_NOWHERE].places.count, 1);
    assert_int_equal(v.found[TCH_FOUND_FLOW_HALF].places.count, 1);
    assert_int_equal(v.found[TCH_FOUND_LONE_END].places.count, 1);
    assert_int_equal(v.found[TCH_FOUND_LONE_END].places.first[0],
                     strstr(bad, "{\"ph\":\"E\"") - bad);
    assert_int_equal(v.found[TCH_FOUND_IGNORED].places.count, 1);
    assert_int_equal(v.found[TCH_FOUND_IGNORED].places.first[0],
                     strstr(bad, "{\"name\":\"o\"") - bad);
    tch_validation_release(&v);
}

static void mends_overlaps_and_ids(void **state)
{
    static const char bad[] =
        "[{\"name\":\"a\",\"ph\":\"X\",\"ts\":-5,\"dur\":10,\"pid\":1,\"tid\":1},"
        "{\"name\":\"b\",\"ph\":\"X\",\"ts\":0,\"dur\":10,\"pid\":1,\"tid\":1},"
        "{\"name\":\"d\",\"ph\":\"X\",\"ts\":5,\"dur\":1,\"pid\":4294967296,\"tid\":1}";
    struct tch_write_options writing = {.lanes = true, .fix = true};
    struct tch_rewritten done;
    struct tch_validation v;
    tacho_error err;

    (void)state;
    assert_int_equal(tch_rewrite(&done, put("bad.json", bad), test_at("good.json"), &with_args,
                                 &writing, NULL, &err),
                     0);
    assert_int_equal(done.moved, 1);
    tch_rewritten_release(&done);
    assert_int_equal(tch_validate(&v, test_at("good.json"), &with_args, &err), 0);
    assert_int_equal(v.events, 3);
    assert_false(tch_validation_loses(&v));
    tch_validation_release(&v);
}

/* Several. */

static void merges_by_an_event_and_keeps_processes_apart(void **state)
{
    char a[128], b[128], *paths[2] = {a, b};
    struct tch_merge_options options = {.align = "sync"};
    struct tch_write_options writing = {.object = false};
    struct tch_merged done;
    tacho_error err;
    char *text;

    (void)state;
    snprintf(a, sizeof a, "%s",
             put("a.json", "[{\"name\":\"sync\",\"ph\":\"X\",\"ts\":10,\"dur\":1,\"pid\":1}]"));
    snprintf(b, sizeof b, "%s",
             put("b.json", "[{\"name\":\"sync\",\"ph\":\"X\",\"ts\":500,\"dur\":1,\"pid\":1},"
                           "{\"name\":\"x\",\"ph\":\"X\",\"ts\":505,\"dur\":1,\"pid\":1}]"));
    assert_int_equal(tch_merge(&done, paths, 2, test_at("all.csv"), &options, &writing, &err), 0);
    assert_int_equal(done.inputs[1].way, TCH_MERGE_EVENT);
    assert_int_equal(done.inputs[1].offset, -490000);
    assert_int_equal(done.inputs[1].renumbered, 1);
    tch_merged_release(&done);
    text = content(test_at("all.csv"));
    assert_non_null(strstr(text, "1,0,,,sync,,10000,1000,\n1000001,0,,,sync,,10000,1000,\n"
                                 "1000001,0,,,x,,15000,1000,\n"));
    free(text);
    options.align = NULL;
    assert_int_equal(tch_merge(&done, paths, 2, test_at("all.csv"), &options, &writing, &err),
                     TACHO_EINVAL);
    tch_merged_release(&done);
}

static void put_many(const char *name, unsigned dur, const char *extra)
{
    struct tch_buf b;

    tch_buf_init(&b, 1 << 20);
    tch_buf_addf(&b, "[{\"name\":\"%s\",\"ph\":\"X\",\"ts\":0,\"dur\":1}", extra);
    for (unsigned i = 0; i < 50; i++)
        tch_buf_addf(&b, ",{\"name\":\"work\",\"ph\":\"X\",\"ts\":%u,\"dur\":%u}", 100 + i * 1000,
                     dur + i % 7);
    tch_buf_addc(&b, ']');
    test_put(test_at(name), b.data);
    tch_buf_release(&b);
}

/* A recording of one span from ticks 100 after `first` on, with a clock of our own. */
static const char *recording(const char *name, const char *boot, bool tsc,
                             struct tch_rec_pair first, struct tch_rec_pair last, uint64_t wall)
{
    struct tch_rec_header head;
    const char *path = test_at(name);
    char text[256];
    FILE *f;

    snprintf(text, sizeof text,
             "[{\"name\":\"x\",\"ph\":\"X\",\"ts\":%llu.%03llu,\"dur\":1,\"pid\":1,\"tid\":1}]",
             (unsigned long long)(first.ticks + 100) / 1000,
             (unsigned long long)(first.ticks + 100) % 1000);
    convert(put("in.json", text), path);
    f = fopen(path, "r+");
    assert_non_null(f);
    assert_int_equal(fread(&head, sizeof head, 1, f), 1);
    snprintf(head.boot_id, sizeof head.boot_id, "%s", boot);
    head.clock = tsc ? TCH_REC_CLOCK_TSC : TCH_REC_CLOCK_NS;
    first.check = first.ticks ^ first.ns ^ first.error;
    last.check = last.ticks ^ last.ns ^ last.error;
    head.first = first;
    head.last[0] = last;
    head.wall_ns = wall;
    rewind(f);
    assert_int_equal(fwrite(&head, sizeof head, 1, f), 1);
    fclose(f);
    return path;
}

static void merges_recordings_by_the_best_clock_they_share(void **state)
{
    /* Two ticks a nanosecond; the second recording's first pair was read 7 ns late. */
    static const struct tch_rec_pair a0 = {0, 1000, 20, 0}, a1 = {2000000000, 1000001000, 20, 0};
    static const struct tch_rec_pair b0 = {4000000000, 2000001007, 30, 0};
    static const struct tch_rec_pair b1 = {6000000000, 3000001000, 25, 0};
    static const struct {
        const char *boot;
        bool tsc;
        const char *align;
        enum tch_merge_way way;
        int64_t offset;
        uint64_t uncertainty;
    } cases[] = {
        {"one", true, NULL, TCH_MERGE_TICKS, 2000000000, 45},
        {"one", false, NULL, TCH_MERGE_BOOT, 2000000007, 50},
        {"two", true, NULL, TCH_MERGE_WALL, 5000000000, 50},
        {"two", true, "x", TCH_MERGE_EVENT, 1, 0}, /* its 100 ticks are 49 ns, by that late pair */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tch_merge_options options = {.align = cases[i].align};
        struct tch_write_options writing = {.object = false};
        char a[128], b[128], *paths[2] = {a, b};
        struct tch_merged done;
        tacho_error err;

        snprintf(a, sizeof a, "%s", recording("a.tacho", "one", cases[i].tsc, a0, a1, 1000000000));
        snprintf(b, sizeof b, "%s",
                 recording("b.tacho", cases[i].boot, cases[i].tsc, b0, b1, 6000000000));
        if (tch_merge(&done, paths, 2, test_at("all.csv"), &options, &writing, &err) < 0)
            fail_msg("case %zu: %s", i, err.message);
        assert_int_equal(done.inputs[1].way, cases[i].way);
        assert_int_equal(done.inputs[1].offset, cases[i].offset);
        assert_int_equal(done.inputs[1].uncertainty, cases[i].uncertainty);
        tch_merged_release(&done);
    }
}

/* What was converted from a trace without a clock has none: its times are not believed. */
static void a_converted_recording_claims_no_clock(void **state)
{
    struct tch_merge_options options = {.align = NULL};
    struct tch_write_options writing = {.object = false};
    char a[128], b[128], *paths[2] = {a, b};
    struct tch_merged done;
    tacho_error err;

    (void)state;
    snprintf(a, sizeof a, "%s", test_at("a.tacho"));
    snprintf(b, sizeof b, "%s", test_at("b.tacho"));
    convert(put("full.json", full), a);
    convert(test_at("full.json"), b);
    assert_int_equal(tch_merge(&done, paths, 2, test_at("all.csv"), &options, &writing, &err),
                     TACHO_EINVAL);
    assert_non_null(strstr(err.message, "does not tell its clock"));
    tch_merged_release(&done);
}

static void compares_by_name_with_an_interval(void **state)
{
    struct tch_trace_comparison c;
    tacho_error err;
    size_t work = 0;

    (void)state;
    put_many("a.json", 100, "old");
    put_many("b.json", 150, "new");
    assert_int_equal(tch_trace_compare(&c, test_at("a.json"), test_at("b.json"), &err), 0);
    assert_int_equal(c.count, 3);
    while (strcmp(tch_text(&c.texts, c.rows[work].name), "work") != 0)
        work++;
    assert_int_equal(work, 0);
    assert_true(c.rows[0].ratio.low > 1.4 && c.rows[0].ratio.high < 1.6);
    assert_true(c.rows[0].ratio.estimate > c.rows[0].ratio.low);
    tch_trace_comparison_release(&c);
}

/* Memory. */

static int everything(void *arg)
{
    char *const *paths = arg;
    struct tch_write_options writing = {.lanes = true, .fix = true};
    struct tch_merge_options options = {.same_clock = true};
    struct tch_trace_comparison c = {0};
    struct tch_rewritten done = {0};
    struct tch_validation v = {0};
    struct tch_summary s = {0};
    struct tch_merged m = {0};
    tacho_error err;
    int status = tch_summary_make(&s, paths[0], TCH_BY_NAME, &plain, &err);

    tch_summary_release(&s);
    for (size_t i = 2; status == 0 && i < 8; i++) {
        status = tch_rewrite(&done, paths[1], paths[i], &with_args, &writing, NULL, &err);
        tch_rewritten_release(&done);
    }
    if (status == 0) {
        status = tch_validate(&v, paths[2], &with_args, &err);
        tch_validation_release(&v);
    }
    if (status == 0) {
        status = tch_merge(&m, paths + 2, 2, paths[8], &options, &writing, &err);
        tch_merged_release(&m);
    }
    if (status == 0) {
        status = tch_trace_compare(&c, paths[0], paths[2], &err);
        tch_trace_comparison_release(&c);
    }
    return status;
}

static void survives_every_failed_allocation(void **state)
{
    static const char *const names[] = {"full.json", "full.json", "o.pftrace",
                                        "o.json",    "o.json.gz", "o.csv",
                                        "o.folded",  "o.tacho",   "m.pftrace"};
    char text[9][128], *paths[9];

    (void)state;
    put("full.json", full);
    for (size_t i = 0; i < 9; i++) {
        snprintf(text[i], sizeof text[i], "%s/%s", test_home, names[i]);
        paths[i] = text[i];
    }
    test_every_allocation_fails(everything, paths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(sums_up_what_took_time),
        TEST_IN_HOME(order_in_the_file_makes_no_difference),
        TEST_IN_HOME(reads_a_damaged_file_up_to_where_it_is_sound),
        TEST_IN_HOME(refuses_what_is_no_trace),
        TEST_IN_HOME(round_trips_keep_what_the_formats_hold),
        TEST_IN_HOME(a_recording_holds_a_trace),
        TEST_IN_HOME(a_recording_holds_many_events),
        TEST_IN_HOME(a_recording_is_of_one_process),
        TEST_IN_HOME(reads_folded_stacks_of_any_profiler),
        TEST_IN_HOME(reads_the_text_of_babeltrace),
        TEST_IN_HOME(csv_keeps_the_spans),
        TEST_IN_HOME(folds_stacks_by_own_time),
        TEST_IN_HOME(a_full_disk_is_an_error),
        TEST_IN_HOME(cuts_spans_at_the_edges),
        TEST_IN_HOME(finds_what_viewers_lose),
        TEST_IN_HOME(mends_overlaps_and_ids),
        TEST_IN_HOME(merges_by_an_event_and_keeps_processes_apart),
        TEST_IN_HOME(merges_recordings_by_the_best_clock_they_share),
        TEST_IN_HOME(a_converted_recording_claims_no_clock),
        TEST_IN_HOME(compares_by_name_with_an_interval),
        TEST_IN_HOME(survives_every_failed_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
