/* Tests of reading traces of any tool, and of summaries, slices, checks and comparisons. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/json_read.h"
#include "base/protobuf.h"
#include "kit/trace/trace_compare.h"
#include "kit/trace/trace_load.h"
#include "kit/trace/trace_merge.h"
#include "kit/trace/trace_rewrite.h"
#include "kit/trace/trace_validate.h"
#include "lib/trace/perfetto_fields.h"
#include "lib/trace/recording_format.h"
#include "support/system.h"
#include "support/test.h"
#include "tools.h"

/* Summaries. */

static void sums_up_what_took_time(void **state)
{
    const char *path = tools_put("full.json", tools_full);
    struct tch_trace_summary s;
    tacho_error err;

    (void)state;
    assert_int_equal(tch_trace_summary_make(&s, path, TCH_BY_NAME, &tools_plain, &err), 0);
    assert_false(s.sorted);
    assert_int_equal(s.spans, 4);
    assert_int_equal(tools_row(&s, "outer")->total, 10000);
    assert_int_equal(tools_row(&s, "outer")->self, 10000 - 2251);
    assert_int_equal(tools_row(&s, "inner")->count, 2); /* however its name is spelled */
    assert_int_equal(tools_row(&s, "inner")->min, 2);
    assert_int_equal(tools_row(&s, "inner")->max, 2251);
    assert_int_equal(tools_row(&s, "inner")->p50, 2);
    assert_int_equal(s.model.by_kind[TCH_EV_COUNTER], 2);
    assert_int_equal(s.model.by_kind[TCH_EV_FLOW], 2);
    assert_int_equal(s.track_count, 2);
    assert_int_equal(s.tracks[0].busy, 10002);
    assert_int_equal(s.tracks[0].gaps[0].ts, 20000);
    assert_int_equal(s.tracks[0].gaps[0].dur, 10000);
    tch_trace_summary_release(&s);
}

/* The same spans, with outer spans after the inner ones. */
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
    const char *paths[2] = {tools_put("a.json", ordered), tools_put("b.json", reversed)};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct tch_trace_summary s;
        tacho_error err;

        assert_int_equal(tch_trace_summary_make(&s, paths[i], TCH_BY_NAME, &tools_plain, &err), 0);
        assert_int_equal(s.sorted, i == 1);
        assert_int_equal(tools_row(&s, "a")->self, 80000);
        assert_int_equal(tools_row(&s, "b")->self, 15000);
        assert_int_equal(tools_row(&s, "c")->self, 5000);
        tch_trace_summary_release(&s);
    }
}

#define AT(name, phase, ts, more) \
    "{\"name\":\"" name "\",\"ph\":\"" phase "\",\"ts\":" #ts ",\"pid\":1,\"tid\":1" more "}"
#define LASTS(dur) ",\"dur\":" #dur
#define ID(id)     ",\"id\":" #id

/* Recursion in whole spans, in begins and ends, in a span that never ends, in partly overlapping
   spans, and in async spans of two ids. */
static void nested_spans_of_one_name_count_once(void **state)
{
    static const struct {
        const char *text;
        uint64_t count, total, sum;
    } cases[] = {
        {"[" AT("f", "X", 0, LASTS(100)) "," AT("g", "X", 10, LASTS(80)) "," AT(
             "f", "X", 20, LASTS(60)) "," AT("f", "X", 30, LASTS(10)) "," AT("f", "X", 200,
                                                                             LASTS(5)) "]",
         4, 105000, 175000},
        {"[" AT("f", "B", 0, "") "," AT("g", "B", 10, "") "," AT("f", "B", 20, "") "," AT(
             "f", "E", 80, "") "," AT("g", "E", 90, "") "," AT("f", "E", 100, "") "]",
         2, 100000, 160000},
        {"[" AT("f", "B", 0, "") "," AT("f", "B", 5, "") "," AT("f", "X", 10, LASTS(20)) "," AT(
             "f", "X", 40, LASTS(30)) "," AT("f", "X", 50, LASTS(1)) "]",
         3, 50000, 51000},
        {"[" AT("f", "X", 0, LASTS(10)) "," AT("f", "X", 5, LASTS(25)) "," AT("f", "X", 12,
                                                                              LASTS(8)) "]",
         3, 30000, 43000},
        {"[" AT("f", "b", 0, ID(1)) "," AT("f", "b", 5, ID(2)) "," AT("f", "b", 6, ID(2)) "," AT(
             "f", "e", 7, ID(2)) "," AT("f", "e", 10, ID(1)) "," AT("f", "e", 25, ID(2)) "]",
         3, 30000, 31000},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *path = tools_put("nested.json", cases[i].text);
        struct tch_trace_summary s;
        struct tch_trace_comparison c;
        tacho_error err;

        assert_int_equal(tch_trace_summary_make(&s, path, TCH_BY_NAME, &tools_plain, &err), 0);
        assert_int_equal(tools_row(&s, "f")->count, cases[i].count);
        assert_int_equal(tools_row(&s, "f")->total, cases[i].total);
        assert_int_equal(tools_row(&s, "f")->sum, cases[i].sum);
        tch_trace_summary_release(&s);
        assert_int_equal(tch_trace_compare(&c, path, path, &err), 0);
        for (size_t k = 0; k < c.count; k++)
            if (strcmp(tch_intern_text(&c.texts, c.rows[k].name), "f") == 0)
                for (int side = 0; side < 2; side++)
                    assert_int_equal(c.rows[k].side[side].total, cases[i].total);
        tch_trace_comparison_release(&c);
    }
}

/* Damage. */

static uint64_t events_of(const char *path, struct tch_model *m)
{
    struct tch_trace_load l;
    tacho_error err;

    assert_int_equal(tch_trace_load_open(&l, path, &tools_plain, tch_by_time, &err), 0);
    *m = l.model;
    tch_trace_load_close(&l);
    return m->events;
}

static void reads_a_damaged_file_up_to_the_damage(void **state)
{
    static const struct {
        const char *text;
        uint64_t events;
        bool cut;
    } cases[] = {
        {"[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"}", 1, true},
        {"[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"},", 1, true},
        {"[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"},]", 1, false},
        {"[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"},\n] \n", 1, false},
        {"[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"},]\n[{\"ph\":\"i\",\"ts\":1}]", 1, true},
        {"[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"},{\"ph\":\"i\",\"ts\":2,\"na", 1, true},
        {"{\"traceEvents\":[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"}", 1, true},
        {"[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"},{\"ph\":\"i\",\"name\":\"b\"c\"}]", 1, true},
        {"{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"}\n\n{\"ph\":\"i\",\"ts\":2}\n", 2, false},
        {"[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"}]\n]", 1, true},
        {"[]", 0, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tch_model m;

        assert_int_equal(events_of(tools_put("cut.json", cases[i].text), &m), cases[i].events);
        assert_int_equal(m.cut, cases[i].cut);
    }
}

/* Bytes are missing at the end of a file that records its own size. */
static void reports_that_a_recording_was_truncated(void **state)
{
    struct tch_model m;

    (void)state;
    tools_convert(tools_put("full.json", tools_full), test_at("full.tacho"));
    assert_true(events_of(test_at("full.tacho"), &m) > 0);
    assert_false(m.cut);
    assert_int_equal(truncate(test_at("full.tacho"), TCH_REC_HEADER + 1000), 0);
    events_of(test_at("full.tacho"), &m);
    assert_true(m.cut);
    assert_int_equal(m.why.offset, TCH_REC_HEADER + 1000);
    assert_int_equal(truncate(test_at("full.tacho"), TCH_REC_HEADER - 1000), 0);
    assert_int_equal(events_of(test_at("full.tacho"), &m), 0);
    assert_true(m.cut);
    assert_int_equal(m.why.offset, TCH_REC_HEADER - 1000);
    /* This is the state after a kill before the first chunk. */
    assert_int_equal(truncate(test_at("full.tacho"), TCH_REC_PAGE), 0);
    assert_int_equal(events_of(test_at("full.tacho"), &m), 0);
    assert_false(m.cut);
}

static int pass_over(void *ctx, const struct tch_ev *ev)
{
    (void)ctx;
    (void)ev;
    return 0;
}

/* An event that is read on the fast path must be one that the JSON reader accepts. */
static void the_fast_path_accepts_no_invalid_event(void **state)
{
    static const char sound[] =
        "[{\"ph\":\"X\",\"ts\":10.25,\"dur\":7,\"name\":\"a\",\"pid\":1,\"tid\":20},\n"
        "{\"args\":{\"l\":[1, 0.5,{}],\"t\":true,\"n\":null},\"ts\":30,\"name\":\"b\","
        "\"ph\":\"i\"}]";
    static const char odd[] = "\",:{}[]0.-e \\x\n\x01\x80";
    char text[sizeof sound];
    uint64_t wrong = 0;

    (void)state;
    for (size_t at = 1; at < sizeof sound - 1; at++)
        for (size_t k = 0; k < sizeof odd - 1; k++) {
            struct tch_model m;
            tacho_error err;
            bool good;
            int status;

            memcpy(text, sound, sizeof text);
            text[at] = odd[k];
            good = tch_json_check(text, sizeof text - 1, &err) == 0;
            tch_model_init(&m);
            status = tch_model_read(&m, tools_put("odd.json", text), &tools_plain, pass_over, NULL,
                                    &err);
            if ((status == 0 && !m.cut) != good)
                fail_msg("%s: %d, %d", text, status, m.cut);
            wrong += !good;
            tch_model_release(&m);
        }
    assert_true(wrong > 1000);
}

/* The same events, every other one with something that the fast path leaves to the JSON reader.
   There are far more of them than it reads at once. */
static void both_paths_give_the_same_events(void **state)
{
    enum { EVENTS = 2000 };
    char *content[2];

    (void)state;
    for (int way = 0; way < 2; way++) {
        FILE *f = fopen(test_at("ways.json"), "w");

        assert_non_null(f);
        for (int i = 0; i < EVENTS; i++)
            fprintf(f,
                    "%s{\"na%s\":\"n%d\",\"ph\":\"X\",\"ts\":%d.%d,\"dur\":0.%03d,\"pid\":1,"
                    "\"tid\":%d,\"args\":{\"i\":[%d,-1.5e3]}}",
                    i > 0 ? ",\n" : "[", way && i % 2 ? "\\u006de" : "me", i % 50, i * 10, i % 10,
                    i % 1000, i % 7, i);
        fputs("]", f);
        fclose(f);
        tools_convert(test_at("ways.json"), test_at("ways.csv"));
        content[way] = tools_content(test_at("ways.csv"));
    }
    assert_string_equal(content[0], content[1]);
    free(content[0]);
    free(content[1]);
}

static void refuses_files_that_are_not_traces(void **state)
{
    static const char *const cases[] = {"", "hello", "{\"a\":1}", "{\"traceEvents\":5}", "[1,"};
    struct tch_trace_load l;
    tacho_error err;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(tch_trace_load_open(&l, tools_put("no.json", cases[i]), &tools_plain,
                                             tch_by_time, &err),
                         TACHO_EPARSE);
        tch_trace_load_close(&l);
    }
    assert_int_equal(tch_trace_load_open(&l, test_at("missing"), &tools_plain, tch_by_time, &err),
                     TACHO_EIO);
    tch_trace_load_close(&l);
}

/* Slices. */

static void clips_spans_at_the_edges(void **state)
{
    struct tch_rewrite_part part = {.from = 1000, .to = 3000};
    struct tch_write_options writing = {.object = false};
    struct tch_rewritten done;
    tacho_error err;
    char *text;

    (void)state;
    part.name = "[oi]*";
    assert_int_equal(tch_rewrite(&done, tools_put("full.json", tools_full), test_at("part.csv"),
                                 &tools_plain, &writing, &part, &err),
                     0);
    assert_int_equal(done.kept, 2);
    assert_int_equal(done.cut, 2);
    tch_rewritten_release(&done);
    text = tools_content(test_at("part.csv"));
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
    assert_int_equal(tch_validate(&v, tools_put("bad.json", bad), &tools_with_args, &err), 0);
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

#define STEP(phase, ts, tid)                            \
    ",{\"name\":\"f\",\"ph\":\"" phase "\",\"ts\":" #ts \
    ",\"id\":1,\"bp\":\"e\",\"pid\":1,\"tid\":" #tid "}"

/* Viewers draw the second arrow from the start of the first one. */
static void finds_a_flow_that_begins_twice(void **state)
{
    static const char text[] =
        "[{\"name\":\"a\",\"ph\":\"X\",\"ts\":0,\"dur\":90,\"pid\":1,\"tid\":1},"
        "{\"name\":\"b\",\"ph\":\"X\",\"ts\":0,\"dur\":90,\"pid\":1,\"tid\":2}" STEP("s", 10, 1)
            STEP("f", 20, 2) STEP("s", 30, 1) STEP("f", 40, 2) "]";
    struct tch_validation v;
    tacho_error err;

    (void)state;
    assert_int_equal(tch_validate(&v, tools_put("twice.json", text), &tools_plain, &err), 0);
    assert_int_equal(v.found[TCH_FOUND_FLOW_AGAIN].places.count, 1);
    assert_int_equal(v.found[TCH_FOUND_FLOW_AGAIN].places.first[0],
                     strstr(text, &STEP("s", 30, 1)[1]) - text);
    assert_true(tch_validation_loses(&v));
    tch_validation_release(&v);
}

/* Spans of two names; their arrow has an id, but no name. */
static void keeps_arrows_that_are_members_of_spans(void **state)
{
    static const char text[] =
        "[{\"name\":\"a\",\"cat\":\"x\",\"ph\":\"X\",\"ts\":0,\"dur\":5,\"pid\":1,\"tid\":1,"
        "\"bind_id\":\"0x5\",\"flow_out\":true},"
        "{\"name\":\"b\",\"cat\":\"y\",\"ph\":\"X\",\"ts\":9,\"dur\":5,\"pid\":1,\"tid\":2,"
        "\"bind_id\":\"0x5\",\"flow_in\":true}]";
    static const char *const outputs[] = {"again.json", "again.pftrace", "again.tacho"};
    const char *in = tools_put("bound.json", text);

    (void)state;
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
        struct tch_validation v;
        tacho_error err;

        tools_convert(in, test_at(outputs[i]));
        assert_int_equal(tch_validate(&v, test_at(outputs[i]), &tools_plain, &err), 0);
        assert_int_equal(v.model.by_kind[TCH_EV_FLOW], 2);
        assert_int_equal(v.found[TCH_FOUND_FLOW_HALF].places.count, 0);
        assert_int_equal(v.found[TCH_FOUND_FLOW_NOWHERE].places.count, 0);
        tch_validation_release(&v);
    }
}

static int note_time(void *ctx, const struct tch_ev *ev)
{
    *(int64_t *)ctx = ev->ts;
    return 0;
}

/* Microseconds since 1970 have more digits than a double holds, and nesting still works. */
static void long_times_lose_nothing(void **state)
{
    static const struct {
        const char *us;
        int64_t ns;
    } cases[] = {
        {"1763264659000001", 1763264659000001000},
        {"1763264659000001.5", 1763264659000001500},
        {"\"1763264659000001.002\"", 1763264659000001002},
        {"1763264659000001.0024999", 1763264659000001002},
        {"1763264659000001.0025", 1763264659000001003},
        {"2199999999999999.9995", 2200000000000000000},
        {"12345678.00049", 12345678000},
        {"1.763264659e15", 1763264659000000000},
    };
    static const char nested[] =
        "[{\"name\":\"a\",\"ph\":\"X\",\"ts\":1763264659000001,\"dur\":2,\"pid\":1,\"tid\":1},"
        "{\"name\":\"b\",\"ph\":\"X\",\"ts\":1763264659000002,\"dur\":1,\"pid\":1,\"tid\":1}]";
    struct tch_validation v;
    tacho_error err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tch_model m;
        char text[128];
        int64_t ns = 0;

        snprintf(text, sizeof text, "[{\"ph\":\"i\",\"ts\":%s,\"name\":\"a\"}]", cases[i].us);
        tch_model_init(&m);
        assert_int_equal(
            tch_model_read(&m, tools_put("long.json", text), &tools_plain, note_time, &ns, &err),
            0);
        assert_int_equal(ns, cases[i].ns);
        tch_model_release(&m);
    }
    assert_int_equal(tch_validate(&v, tools_put("nested.json", nested), &tools_plain, &err), 0);
    assert_int_equal(v.found[TCH_FOUND_OVERLAP].places.count, 0);
    tch_validation_release(&v);
}

/* Several labels are one text, which is stored once. */
static void labels_are_joined_once(void **state)
{
    struct tch_buf b;
    struct tch_model m;
    const char *labels;
    size_t packet, track, process;

    (void)state;
    tch_buf_init(&b, 1 << 20);
    packet = tch_pb_begin(&b, TCH_PF_TRACE_PACKET);
    track = tch_pb_begin(&b, TCH_PF_PACKET_TRACK);
    tch_pb_varint(&b, TCH_PF_TRACK_UUID, 1);
    process = tch_pb_begin(&b, TCH_PF_TRACK_PROCESS);
    tch_pb_varint(&b, TCH_PF_PROCESS_PID, 7);
    for (int i = 0; i < 1000; i++)
        tch_pb_text(&b, TCH_PF_PROCESS_LABELS, i == 999 ? "last" : "label");
    tch_pb_end(&b, process);
    tch_pb_end(&b, track);
    tch_pb_end(&b, packet);
    assert_int_equal(tch_file_replace(test_at("labels.pftrace"), b.data, b.len, false, NULL), 0);
    tch_buf_release(&b);

    tch_model_init(&m);
    assert_int_equal(
        tch_model_read(&m, test_at("labels.pftrace"), &tools_plain, pass_over, NULL, NULL), 0);
    assert_int_equal(tch_model_process_count(&m), 1);
    labels = tch_intern_text(&m.texts, m.processes[0].labels);
    assert_int_equal(strlen(labels), 999 * strlen("label, ") + strlen("last"));
    assert_memory_equal(labels, "label, label, ", 14);
    assert_string_equal(labels + strlen(labels) - strlen(", last"), ", last");
    assert_true(m.texts.bytes_len < 2 * strlen(labels));
    tch_model_release(&m);
}

static void fixes_overlaps_and_ids(void **state)
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
    assert_int_equal(tch_rewrite(&done, tools_put("bad.json", bad), test_at("good.json"),
                                 &tools_with_args, &writing, NULL, &err),
                     0);
    assert_int_equal(done.moved, 1);
    tch_rewritten_release(&done);
    assert_int_equal(tch_validate(&v, test_at("good.json"), &tools_with_args, &err), 0);
    assert_int_equal(v.events, 3);
    assert_false(tch_validation_loses(&v));
    tch_validation_release(&v);
}

/* Comparing. */

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
    while (strcmp(tch_intern_text(&c.texts, c.rows[work].name), "work") != 0)
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
    struct tch_trace_summary s = {0};
    struct tch_merged m = {0};
    tacho_error err;
    int status = tch_trace_summary_make(&s, paths[0], TCH_BY_NAME, &tools_plain, &err);

    tch_trace_summary_release(&s);
    for (size_t i = 2; status == 0 && i < 8; i++) {
        status = tch_rewrite(&done, paths[1], paths[i], &tools_with_args, &writing, NULL, &err);
        tch_rewritten_release(&done);
    }
    if (status == 0) {
        status = tch_validate(&v, paths[2], &tools_with_args, &err);
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
    tools_put("full.json", tools_full);
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
        TEST_IN_HOME(nested_spans_of_one_name_count_once),
        TEST_IN_HOME(reads_a_damaged_file_up_to_the_damage),
        TEST_IN_HOME(reports_that_a_recording_was_truncated),
        TEST_IN_HOME(the_fast_path_accepts_no_invalid_event),
        TEST_IN_HOME(both_paths_give_the_same_events),
        TEST_IN_HOME(refuses_files_that_are_not_traces),
        TEST_IN_HOME(clips_spans_at_the_edges),
        TEST_IN_HOME(finds_what_viewers_lose),
        TEST_IN_HOME(finds_a_flow_that_begins_twice),
        TEST_IN_HOME(keeps_arrows_that_are_members_of_spans),
        TEST_IN_HOME(long_times_lose_nothing),
        TEST_IN_HOME(labels_are_joined_once),
        TEST_IN_HOME(fixes_overlaps_and_ids),
        TEST_IN_HOME(compares_by_name_with_an_interval),
        TEST_IN_HOME(survives_every_failed_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
