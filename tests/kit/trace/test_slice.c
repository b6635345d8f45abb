/* Tests of slices of async spans, which begin and end by separate events with one id. Other slices
   are in test_tools.c. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "kit/trace/trace_rewrite.h"
#include "support/system.h"
#include "tools.h"

#define EV(name, phase, ts, more)                                                                  \
    "{\"name\":\"" name "\",\"cat\":\"c\",\"ph\":\"" phase "\",\"ts\":" #ts ",\"pid\":1" more "}," \
    "\n"
#define ID(id) ",\"tid\":1,\"id\":" #id

/* The part is from 40 to 80. The offsets of `in` and `out` are not in the order of their times. */
static const char spans[] = "[" EV("root", "X", 0, ",\"tid\":1,\"dur\":100")
    EV("across", "b", 10, ID(1) ",\"args\":{\"k\":1}") EV("across", "e", 90, ",\"tid\":2,\"id\":1")
        EV("into", "b", 10, ID(2)) EV("into", "e", 50, ID(2)) EV("outof", "b", 50, ID(3))
            EV("outof", "e", 90, ID(3)) EV("before", "b", 5, ID(4)) EV("before", "e", 40, ID(4))
                EV("after", "b", 80, ID(5)) EV("after", "e", 95, ID(5)) EV("open", "b", 15, ID(6))
                    EV("in", "b", 20, ID(7)) EV("out", "b", 10, ID(7)) EV("step", "n", 50, ID(7))
                        EV("step", "n", 10, ID(7)) EV("out", "e", 90, ID(7))
                            EV("in", "e", 85, ID(7)) EV("edge", "b", 45, ID(8))
                                EV("edge", "e", 80, ID(8)) EV("lone", "e", 60, ID(9))
                                    EV("late", "e", 85, ID(10))
    /* one id in two scopes */
    EV("scoped", "b", 10, ID(11) ",\"scope\":\"A\"")
        EV("scoped", "b", 20, ID(11) ",\"scope\":\"B\"")
            EV("scoped", "e", 50, ID(11) ",\"scope\":\"A\"")
                EV("scoped", "e", 95, ID(11) ",\"scope\":\"B\"")
    /* an id that is valid in its process only */
    EV("local", "b", 10, ",\"tid\":1,\"id2\":{\"local\":\"1\"}")
        EV("local", "e", 70, ",\"tid\":1,\"id2\":{\"local\":\"1\"}") "]";

static void slice_to(const char *out, const char *text, struct tch_rewrite_part part,
                     struct tch_rewritten *done)
{
    struct tch_write_options writing = {.object = false};
    tacho_error err;

    if (tch_rewrite(done, tools_put("in.json", text), test_at(out), &tools_with_args, &writing,
                    &part, &err) < 0)
        fail_msg("%s", err.message);
    tch_rewritten_release(done);
}

static char *slice(const char *text, struct tch_rewrite_part part, struct tch_rewritten *done)
{
    slice_to("out.json", text, part, done);
    return tools_content(test_at("out.json"));
}

/* Returns where the event is, as the writer writes it; NULL: it is missing. */
static const char *find(const char *text, const char *name, const char *phase, int ts)
{
    char start[100];

    snprintf(start, sizeof start, "{\"name\":\"%s\",\"cat\":\"c\",\"ph\":\"%s\",\"ts\":%d,", name,
             phase, ts);
    return strstr(text, start);
}

static void check(const char *text, const char *name, int begin, int end)
{
    const char *b = find(text, name, "b", begin), *e = find(text, name, "e", end);

    if (!b || (end >= 0 && !e))
        fail_msg("'%s' is not from %d to %d in %s", name, begin, end, text);
}

static void async_spans_are_clipped(void **state)
{
    struct tch_rewritten done;
    char *text = slice(spans, (struct tch_rewrite_part){.from = 40000, .to = 80000}, &done);

    (void)state;
    check(text, "across", 40, 80);
    assert_non_null(strstr(find(text, "across", "b", 40), "\"args\":{\"k\":1}"));
    check(text, "into", 40, 50);
    check(text, "outof", 50, 80);
    check(text, "edge", 45, 80);
    check(text, "open", 40, -1);
    check(text, "scoped", 40, 50);
    check(text, "scoped", 40, 80);
    check(text, "local", 40, 70);
    assert_non_null(find(text, "lone", "e", 60));
    assert_non_null(find(text, "step", "n", 50));
    for (const char *const *gone = (const char *const[]){"before", "after", "late", NULL}; *gone;
         gone++)
        assert_null(strstr(text, *gone));
    assert_null(find(text, "step", "n", 10));
    /* Spans of one id that are clipped to one time stay nested. */
    assert_true(find(text, "out", "b", 40) < find(text, "in", "b", 40));
    assert_true(find(text, "in", "e", 80) < find(text, "out", "e", 80));
    assert_int_equal(done.kept, 22);
    /* root, across, into, outof, open, in, out, scoped in both scopes, local */
    assert_int_equal(done.cut, 10);
    free(text);
}

static void whole_async_spans_keep_their_times(void **state)
{
    struct tch_rewritten done;
    char *text =
        slice(spans, (struct tch_rewrite_part){.from = 40000, .to = 80000, .whole = true}, &done);

    (void)state;
    check(text, "across", 10, 90);
    check(text, "into", 10, 50);
    check(text, "outof", 50, 90);
    check(text, "in", 20, 85);
    assert_null(strstr(text, "before"));
    assert_int_equal(done.cut, 0);
    free(text);
}

/* The end follows its begin, which decides for both. */
static void a_filter_keeps_both_halves_of_an_async_span(void **state)
{
    struct tch_rewrite_part all = {.from = INT64_MIN, .to = INT64_MAX};
    struct tch_rewritten done;
    char *text;

    (void)state;
    all.track = "1"; /* `across` ends on track 2 */
    text = slice(spans, all, &done);
    check(text, "across", 10, 90);
    free(text);
    all.track = "2";
    text = slice(spans, all, &done);
    assert_null(strstr(text, "across"));
    free(text);
    all.track = NULL;
    all.name = "across";
    text = slice(spans, all, &done);
    check(text, "across", 10, 90);
    assert_int_equal(done.kept, 2);
    free(text);
}

/* Adds random async spans to a trace. Returns how much of their time lies in the part. */
static uint64_t add_random(struct tch_buf *b, unsigned count, unsigned from, unsigned to)
{
    uint64_t sum = 0;
    uint32_t random = 1;

    for (unsigned i = 0; i < count; i++) {
        unsigned start, end, thread;

        random = random * 1664525 + 1013904223;
        start = (random >> 8) % 1000;
        end = start + (random >> 20) % 300;
        thread = random >> 30;
        tch_buf_addf(b,
                     "{\"name\":\"f\",\"cat\":\"c\",\"ph\":\"e\",\"ts\":%u,\"pid\":%u,\"tid\":1,"
                     "\"id\":%u},\n{\"name\":\"f\",\"cat\":\"c\",\"ph\":\"b\",\"ts\":%u,\"pid\":1,"
                     "\"tid\":1,\"id\":%u},\n",
                     end + 1, thread + 1, i, start, i);
        if (start < to && end + 1 > from)
            sum += (uint64_t)((end + 1 < to ? end + 1 : to) - (start > from ? start : from));
    }
    return sum * 1000;
}

static void the_time_of_async_spans_in_the_part_is_kept(void **state)
{
    static const char *const outs[] = {"out.json", "out.pftrace", "out.tacho"};
    struct tch_rewritten done;
    struct tch_buf b;
    uint64_t sum;

    (void)state;
    tch_buf_init(&b, 1 << 20);
    tch_buf_adds(&b,
                 "[{\"name\":\"root\",\"ph\":\"X\",\"ts\":0,\"dur\":2000,\"pid\":1,\"tid\":1},\n");
    sum = add_random(&b, 500, 400, 600);
    tch_buf_adds(&b, "]");
    for (size_t i = 0; i < sizeof outs / sizeof outs[0]; i++) {
        struct tch_trace_summary s;
        tacho_error err;

        slice_to(outs[i], b.data, (struct tch_rewrite_part){.from = 400000, .to = 600000}, &done);
        assert_int_equal(
            tch_trace_summary_make(&s, test_at(outs[i]), TCH_BY_NAME, &tools_plain, &err), 0);
        assert_int_equal(tools_row(&s, "f")->sum, sum);
        assert_int_equal(s.unfinished, 0);
        assert_int_equal(s.lone_ends, 0);
        tch_trace_summary_release(&s);
    }
    tch_buf_release(&b);
}

static int try_slice(void *arg)
{
    struct tch_rewrite_part part = {.from = 40000, .to = 80000};
    struct tch_write_options writing = {.object = false};
    struct tch_rewritten done;
    const char *const *paths = arg;
    int status = tch_rewrite(&done, paths[0], paths[1], &tools_with_args, &writing, &part, NULL);

    tch_rewritten_release(&done);
    return status;
}

static void every_allocation_of_a_slice_may_fail(void **state)
{
    char in[160], out[160];

    (void)state;
    snprintf(in, sizeof in, "%s", tools_put("in.json", spans));
    snprintf(out, sizeof out, "%s", test_at("out.json"));
    test_every_allocation_fails(try_slice, (const char *[]){in, out});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(async_spans_are_clipped),
        TEST_IN_HOME(whole_async_spans_keep_their_times),
        TEST_IN_HOME(a_filter_keeps_both_halves_of_an_async_span),
        TEST_IN_HOME(the_time_of_async_spans_in_the_part_is_kept),
        TEST_IN_HOME(every_allocation_of_a_slice_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
