/* Tests spans whose begin was dropped, or that end in another order than they nest. Every span has
   its own length, or is marked as possibly wrong. */
#include "support/test.h"

#include <tacho/trace.h>

#include "base/buf.h"
#include "base/file.h"
#include "lib/trace/recording_convert.h"
#include "lib/trace/recording_walk.h"
#include "support/system.h"

struct seen {
    uint64_t outer_end, marker; /* ns */
    uint64_t deep;
    uint32_t mismatched; /* names that begin with "fiber" and are mismatched */
};

static bool name_is(const struct tch_rec_name *site, const char *name)
{
    return site->name_len == strlen(name) && memcmp(site->name, name, site->name_len) == 0;
}

static struct tch_recording r;

static int see(void *ctx, const struct tch_seen_event *e)
{
    struct seen *s = ctx;
    const struct tch_rec_name *site;

    if (e->kind == TCH_REC_THREAD || e->seen == TCH_SEEN_BEGIN)
        return 0;
    site = tch_rec_site(&r, e->id);
    if (name_is(site, "outer"))
        s->outer_end = e->ns;
    else if (name_is(site, "marker"))
        s->marker = e->ns;
    else if (name_is(site, "deep"))
        s->deep++;
    else if (e->ended_by != 0)
        s->mismatched++;
    return 0;
}

/* Stops the trace "t.tacho" and reads it. */
static bool stop_and_read(struct seen *s)
{
    *s = (struct seen){0};
    if (tacho_trace_stop(NULL) < 0 || tch_recording_open(&r, test_at("t.tacho"), NULL) < 0 ||
        tch_recording_walk(&r, see, s, NULL) < 0)
        return false;
    tch_recording_close(&r);
    return true;
}

/* Runs in a child process, because names stay until a process exits. */
static int use_all_names(void *arg)
{
    struct seen s;
    char name[32];

    (void)arg;
    if (tacho_trace_start(test_at("t.tacho"), NULL) < 0)
        return 1;
    tacho_span_begin("outer", "test");
    tacho_instant("marker", "test", TACHO_SCOPE_THREAD, TACHO_NO_FIELDS);
    for (int i = 0; i < 1 << 17; i++) {
        snprintf(name, sizeof name, "%d", i);
        tacho_track(name);
    }
    for (int i = 0; i < 3; i++) {
        tacho_span_begin("a name too many", "test");
        tacho_span_end();
    }
    tacho_instant("marker", "test", TACHO_SCOPE_THREAD, TACHO_NO_FIELDS);
    tacho_span_end();
    if (!stop_and_read(&s))
        return 2;
    if (s.marker == 0 || s.outer_end < s.marker)
        return 3; /* an end of a dropped span has ended it */
    if (r.lost_ends + r.mismatched + r.unfinished > 0)
        return 4;
    return r.head.dropped == 3 ? 0 : 5;
}

static void the_end_of_a_dropped_span_ends_no_other(void **state)
{
    (void)state;
    assert_int_equal(test_in_child(use_all_names, NULL), 0);
}

static bool contains(const char *file, const char *text)
{
    struct tch_buf b;
    bool found;

    tch_buf_init(&b, 1 << 20);
    assert_int_equal(tch_file_read(test_at(file), 1 << 20, &b, NULL), 0);
    found = memmem(b.data, b.len, text, strlen(text)) != NULL;
    tch_buf_release(&b);
    return found;
}

/* Records like two fibers that a scheduler switches inside their spans. */
static void mixed_spans_of_fibers_are_marked(void **state)
{
    static struct tacho_trace_site one = TACHO_TRACE_SITE("fiber one", "test");
    static struct tacho_trace_site two = TACHO_TRACE_SITE("fiber two", "test");
    uint32_t first, second;
    struct seen s;

    (void)state;
    assert_int_equal(tacho_trace_start(test_at("t.tacho"), NULL), 0);
    first = tacho_trace_enter(&one);
    second = tacho_trace_enter(&two);
    tacho_trace_leave(&first);
    tacho_trace_leave(&second);
    assert_true(stop_and_read(&s));
    assert_int_equal(s.mismatched, 1);
    assert_int_equal(r.mismatched, 1);
    assert_int_equal(tch_trace_convert(test_at("t.tacho"), test_at("t.json"), NULL, NULL), 0);
    assert_true(contains("t.json", "\"tacho.mismatch\":\"ended by the end of 'fiber one'\""));
    assert_int_equal(tch_trace_convert(test_at("t.tacho"), test_at("t.pftrace"), NULL, NULL), 0);
    assert_true(contains("t.pftrace", "tacho.mismatch"));
}

/* tacho_span_end() ends the span of the last tacho_span_begin(), not the innermost span of any
   kind. */
static void an_end_by_call_matches_its_begin(void **state)
{
    static struct tacho_trace_site two = TACHO_TRACE_SITE("fiber two", "test");
    uint32_t second;
    struct seen s;

    (void)state;
    assert_int_equal(tacho_trace_start(test_at("t.tacho"), NULL), 0);
    tacho_span_begin("fiber one", "test");
    second = tacho_trace_enter(&two);
    tacho_span_end();
    tacho_trace_leave(&second);
    assert_true(stop_and_read(&s));
    assert_int_equal(s.mismatched, 1);
    assert_int_equal(r.lost_ends, 1);
}

static void an_end_without_its_begin_ends_no_other(void **state)
{
    struct seen s;

    (void)state;
    tacho_span_begin("before the trace", "test");
    assert_int_equal(tacho_trace_start(test_at("t.tacho"), NULL), 0);
    {
        TACHO_SPAN("outer", "test");
        tacho_span_end();
        tacho_instant("marker", "test", TACHO_SCOPE_THREAD, TACHO_NO_FIELDS);
    }
    assert_true(stop_and_read(&s));
    assert_true(s.marker > 0 && s.outer_end >= s.marker);
}

static void spans_may_nest_deep(void **state)
{
    enum { DEEP = 10000 };
    struct seen s;

    (void)state;
    assert_int_equal(tacho_trace_start(test_at("t.tacho"), NULL), 0);
    for (int i = 0; i < DEEP; i++)
        tacho_span_begin(i % 2 ? "deep" : "other", "test");
    for (int i = 0; i < DEEP; i++)
        tacho_span_end();
    assert_true(stop_and_read(&s));
    assert_int_equal(s.deep, DEEP / 2);
    assert_int_equal(r.spans, DEEP);
    assert_int_equal(r.mismatched + r.unfinished + r.lost_ends, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(the_end_of_a_dropped_span_ends_no_other),
        TEST_IN_HOME(mixed_spans_of_fibers_are_marked),
        TEST_IN_HOME(an_end_by_call_matches_its_begin),
        TEST_IN_HOME(an_end_without_its_begin_ends_no_other),
        TEST_IN_HOME(spans_may_nest_deep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
