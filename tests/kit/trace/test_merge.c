/* Tests of merging traces of several processes on one clock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit/trace/trace_merge.h"
#include "lib/trace/recording_format.h"
#include "support/system.h"
#include "support/test.h"
#include "tools.h"

static void merges_by_an_event_and_keeps_processes_apart(void **state)
{
    char a[128], b[128], *paths[2] = {a, b};
    struct tch_merge_options options = {.align = "sync"};
    struct tch_write_options writing = {.object = false};
    struct tch_merged done;
    tacho_error err;
    char *text;

    (void)state;
    snprintf(
        a, sizeof a, "%s",
        tools_put("a.json", "[{\"name\":\"sync\",\"ph\":\"X\",\"ts\":10,\"dur\":1,\"pid\":1}]"));
    snprintf(b, sizeof b, "%s",
             tools_put("b.json", "[{\"name\":\"sync\",\"ph\":\"X\",\"ts\":500,\"dur\":1,\"pid\":1},"
                                 "{\"name\":\"x\",\"ph\":\"X\",\"ts\":505,\"dur\":1,\"pid\":1}]"));
    assert_int_equal(tch_merge(&done, paths, 2, test_at("all.csv"), &options, &writing, &err), 0);
    assert_int_equal(done.inputs[1].way, TCH_MERGE_EVENT);
    assert_int_equal(done.inputs[1].offset, -490000);
    assert_int_equal(done.inputs[1].renumbered, 1);
    tch_merged_release(&done);
    text = tools_content(test_at("all.csv"));
    assert_non_null(strstr(text, "1,0,,,sync,,10000,1000,\n1000001,0,,,sync,,10000,1000,\n"
                                 "1000001,0,,,x,,15000,1000,\n"));
    free(text);
    options.align = NULL;
    assert_int_equal(tch_merge(&done, paths, 2, test_at("all.csv"), &options, &writing, &err),
                     TACHO_EINVAL);
    tch_merged_release(&done);
}

/* Makes a recording of one span that starts 100 ticks after `first`, with a made-up clock. */
static const char *recording(const char *name, const char *boot, bool tsc,
                             struct tch_rec_pair first, struct tch_rec_pair last, uint64_t wall,
                             uint64_t wall_error)
{
    struct tch_rec_header head;
    const char *path = test_at(name);
    char text[256];
    FILE *f;

    snprintf(text, sizeof text,
             "[{\"name\":\"x\",\"ph\":\"X\",\"ts\":%llu.%03llu,\"dur\":1,\"pid\":1,\"tid\":1}]",
             (unsigned long long)(first.ticks + 100) / 1000,
             (unsigned long long)(first.ticks + 100) % 1000);
    tools_convert(tools_put("in.json", text), path);
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
    head.wall_error = wall_error;
    rewind(f);
    assert_int_equal(fwrite(&head, sizeof head, 1, f), 1);
    fclose(f);
    return path;
}

static void merges_recordings_by_the_best_clock_they_share(void **state)
{
    /* Two ticks per nanosecond. The first pair of the second recording was read 7 ns late. */
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
        uint64_t wall_error[2];
        enum tch_merge_wall wall;
    } cases[] = {
        {"one", true, NULL, TCH_MERGE_TICKS, 2000000000, 45, {300, 4000}, 0},
        {"one", false, NULL, TCH_MERGE_BOOT, 2000000007, 50, {300, 4000}, 0},
        {"two", true, NULL, TCH_MERGE_WALL, 5000000000, 50 + 4300, {300, 4000}, TCH_WALL_KNOWN},
        {"two", true, NULL, TCH_MERGE_WALL, 5000000000, 50, {300, 0}, TCH_WALL_MUTE},
        {"two", true, NULL, TCH_MERGE_WALL, 5000000000, 50, {UINT64_MAX, 0}, TCH_WALL_WRONG},
        {"two", true, "x", TCH_MERGE_EVENT, 1, 0, {300, 4000}, 0}, /* its 100 ticks are 49 ns
                                                                      because of the late pair */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tch_merge_options options = {.align = cases[i].align};
        struct tch_write_options writing = {.object = false};
        char a[128], b[128], *paths[2] = {a, b};
        struct tch_merged done;
        tacho_error err;

        snprintf(
            a, sizeof a, "%s",
            recording("a.tacho", "one", cases[i].tsc, a0, a1, 1000000000, cases[i].wall_error[0]));
        snprintf(b, sizeof b, "%s",
                 recording("b.tacho", cases[i].boot, cases[i].tsc, b0, b1, 6000000000,
                           cases[i].wall_error[1]));
        if (tch_merge(&done, paths, 2, test_at("all.csv"), &options, &writing, &err) < 0)
            fail_msg("case %zu: %s", i, err.message);
        assert_int_equal(done.inputs[1].way, cases[i].way);
        assert_int_equal(done.inputs[1].offset, cases[i].offset);
        assert_int_equal(done.inputs[1].uncertainty, cases[i].uncertainty);
        assert_int_equal(done.inputs[1].wall, cases[i].wall);
        tch_merged_release(&done);
    }
}

/* A recording converted from a trace without a clock has no clock either, so its times are not used
   for alignment. */
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
    tools_convert(tools_put("full.json", tools_full), a);
    tools_convert(test_at("full.json"), b);
    assert_int_equal(tch_merge(&done, paths, 2, test_at("all.csv"), &options, &writing, &err),
                     TACHO_EINVAL);
    assert_non_null(strstr(err.message, "does not name its clock"));
    tch_merged_release(&done);
}

#define EVENT(name, phase, ts, more)                                         \
    ",{\"name\":\"" name "\",\"cat\":\"c\",\"ph\":\"" phase "\",\"ts\":" #ts \
    ",\"pid\":1,\"tid\":1" more "}"
#define WHOLE "[{\"name\":\"work\",\"ph\":\"X\",\"ts\":0,\"dur\":90,\"pid\":1,\"tid\":1}"
#define OWN   ",\"id2\":{\"local\":\"0x9\"}"

/* Stores the ids of all events with this name and phase, in the order of the file. */
static size_t ids_of(const char *path, const char *name, char phase, char ids[4][32])
{
    char *text = tools_content(path), what[64], *at = text;
    size_t n = 0;

    snprintf(what, sizeof what, "\"name\":\"%s\",\"cat\":\"c\",\"ph\":\"%c\"", name, phase);
    while (n < 4 && (at = strstr(at, what))) {
        const char *id = strstr(at, "0x");

        at++;
        snprintf(ids[n++], 32, "%.*s", (int)strcspn(id, "\""), id);
    }
    free(text);
    return n;
}

/* Two runs of one program use the same ids for different things. A flow that begins in one trace
   and ends in the other is one flow. */
static void keeps_ids_of_several_traces_apart(void **state)
{
    static const char first[] =
        WHOLE EVENT("f", "s", 1, ",\"id\":1") EVENT("f", "f", 2, ",\"id\":1,\"bp\":\"e\"")
            EVENT("over", "s", 3, ",\"id\":7") EVENT("a", "b", 4, ",\"id\":9")
                EVENT("a", "e", 5, ",\"id\":9") EVENT("l", "b", 6, OWN) EVENT("l", "e", 7, OWN) "]";
    static const char second[] =
        WHOLE EVENT("f", "s", 1, ",\"id\":1") EVENT("f", "f", 2, ",\"id\":1,\"bp\":\"e\"")
            EVENT("over", "f", 3, ",\"id\":7,\"bp\":\"e\"") EVENT("a", "b", 4, ",\"id\":9")
                EVENT("a", "e", 5, ",\"id\":9") EVENT("l", "b", 6, OWN) EVENT("l", "e", 7, OWN) "]";
    char a[128], b[128], *paths[2] = {a, b}, begins[4][32], ends[4][32];
    struct tch_merge_options options = {.same_clock = true};
    struct tch_write_options writing = {.object = false};
    struct tch_merged done;
    tacho_error err;

    (void)state;
    snprintf(a, sizeof a, "%s", tools_put("a.json", first));
    snprintf(b, sizeof b, "%s", tools_put("b.json", second));
    assert_int_equal(tch_merge(&done, paths, 2, test_at("all.json"), &options, &writing, &err), 0);
    assert_int_equal(done.inputs[0].parted, 0);
    assert_int_equal(done.inputs[1].parted, 4);
    tch_merged_release(&done);
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "f" : "a";

        assert_int_equal(ids_of(test_at("all.json"), name, i == 0 ? 's' : 'b', begins), 2);
        assert_int_equal(ids_of(test_at("all.json"), name, i == 0 ? 'f' : 'e', ends), 2);
        assert_string_not_equal(begins[0], begins[1]);
        assert_string_equal(begins[0], ends[0]);
        assert_string_equal(begins[1], ends[1]);
    }
    assert_int_equal(ids_of(test_at("all.json"), "over", 's', begins), 1);
    assert_int_equal(ids_of(test_at("all.json"), "over", 'f', ends), 1);
    assert_string_equal(begins[0], ends[0]);
    /* Ids that belong to a process need no change. */
    assert_int_equal(ids_of(test_at("all.json"), "l", 'b', begins), 2);
    assert_string_equal(begins[0], "0x9");
    assert_string_equal(begins[1], "0x9");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(merges_by_an_event_and_keeps_processes_apart),
        TEST_IN_HOME(merges_recordings_by_the_best_clock_they_share),
        TEST_IN_HOME(a_converted_recording_claims_no_clock),
        TEST_IN_HOME(keeps_ids_of_several_traces_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
