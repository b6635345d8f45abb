/* Tests that spans stay nested as they were recorded, in every format, when several of them begin
   or end at the same time or have no length. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "kit/trace/trace_load.h"
#include "kit/trace/trace_write.h"
#include "lib/trace/recording_convert.h"
#include "support/system.h"
#include "tools.h"

enum { SPANS = 600, DEPTH = 40, NO_PARENT = SPANS };

/* A random tree of spans. Span i is called "s<i>"; spans are numbered in the order of begins. */
struct tree {
    unsigned count;
    unsigned parent[SPANS];
    unsigned begin[SPANS], end[SPANS];
    struct tch_buf pairs; /* begins and ends, as Chrome JSON */
    uint32_t random;
};

static unsigned pick(struct tree *t, unsigned below)
{
    t->random = t->random * 1664525 + 1013904223;
    return (t->random >> 16) % below;
}

static void add_edge(struct tree *t, unsigned i, char phase, unsigned ts)
{
    tch_buf_addf(&t->pairs,
                 "%s{\"name\":\"s%u\",\"cat\":\"c\",\"ph\":\"%c\",\"ts\":%u,\"pid\":1,\"tid\":1}",
                 t->pairs.len > 1 ? ",\n" : "", i, phase, ts);
}

/* Returns whether a span may end together with the one inside it, which has just ended. The times
   of whole spans do not say whether a span without length is inside a longer one or follows it. */
static bool may_end(const struct tree *t, unsigned outer, unsigned inner)
{
    return t->begin[outer] == t->begin[inner] || t->begin[inner] != t->end[inner];
}

/* Grows a tree whose clock rarely moves. With `chains`, the clock moves after every end, so that
   spans without length do not follow each other at one time: whole spans could not tell that from
   nested ones. */
static void grow(struct tree *t, uint32_t seed, bool chains)
{
    unsigned open[DEPTH], depth = 0, now = 0;

    *t = (struct tree){.random = seed};
    tch_buf_init(&t->pairs, 1 << 20);
    tch_buf_addc(&t->pairs, '[');
    while (t->count < SPANS || depth > 0) {
        bool begin = t->count < SPANS && depth < DEPTH && (depth == 0 || pick(t, 100) < 55);

        if (pick(t, 4) == 0 || depth == 0)
            now += pick(t, 3);
        if (begin) {
            t->parent[t->count] = depth > 0 ? open[depth - 1] : NO_PARENT;
            t->begin[t->count] = now;
            add_edge(t, t->count, 'B', now);
            open[depth++] = t->count++;
            continue;
        }
        do { /* in a chain, all or some of the spans end together */
            t->end[open[--depth]] = now;
            add_edge(t, open[depth], 'E', now);
        } while (chains && depth > 0 && may_end(t, open[depth - 1], open[depth]) &&
                 pick(t, 2) == 0);
        now += chains;
    }
    tch_buf_addc(&t->pairs, ']');
    assert_false(t->pairs.failed);
}

/* Reads a file and finds the span around each span, as all writers do. */
static void check_file(const struct tree *t, const char *name)
{
    struct tch_trace_load l;
    struct tch_nest nest = {0};
    struct tch_ev ev;
    tacho_error err;
    unsigned stack[SPANS + 1], found = 0;

    if (tch_trace_load_open(&l, test_at(name), &tools_plain, tch_by_track_and_time, &err) < 0)
        fail_msg("%s: %s", name, err.message);
    while (tch_trace_load_next(&l, &ev, &err) > 0) {
        struct tch_nest_span span = tch_nest_span_of(&ev);
        unsigned i, parent;
        size_t depth;

        if (ev.kind != TCH_EV_SPAN)
            continue;
        assert_int_equal(sscanf(tch_intern_text(&l.model.texts, ev.name), "s%u", &i), 1);
        if (tch_nest_push(&nest, &span) != 0)
            fail_msg("%s: s%u does not nest", name, i);
        depth = nest.lanes[0].depth;
        stack[depth - 1] = i;
        parent = depth > 1 ? stack[depth - 2] : NO_PARENT;
        if (parent != t->parent[i])
            fail_msg("%s: s%u (%u to %u) is inside s%u, not inside s%u", name, i, t->begin[i],
                     t->end[i], parent, t->parent[i]);
        found++;
    }
    assert_int_equal(found, t->count);
    tch_nest_release(&nest);
    tch_trace_load_close(&l);
}

static void convert(const char *in, const char *out)
{
    char from[160];

    snprintf(from, sizeof from, "%s", test_at(in));
    tools_convert(from, test_at(out));
}

static void convert_recording(const char *in, const char *out)
{
    char from[160];
    tacho_error err;

    snprintf(from, sizeof from, "%s", test_at(in));
    if (tch_trace_convert(from, test_at(out), NULL, &err) < 0)
        fail_msg("%s to %s: %s", in, out, err.message);
}

/* Begins and ends, Perfetto and recordings keep every nesting. */
static void begins_and_ends_keep_every_nesting(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        struct tree t;

        grow(&t, seed, false);
        tools_put("a.json", t.pairs.data);
        check_file(&t, "a.json");
        convert("a.json", "b.tacho");
        check_file(&t, "b.tacho");
        convert("b.tacho", "c.pftrace");
        check_file(&t, "c.pftrace");
        convert("c.pftrace", "d.tacho");
        check_file(&t, "d.tacho");
        convert_recording("b.tacho", "e.pftrace");
        check_file(&t, "e.pftrace");
        tch_buf_release(&t.pairs);
    }
}

/* Chrome JSON has whole spans. Those with the same times are written with the outer one first. */
static void whole_spans_keep_chains(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        struct tree t;

        grow(&t, seed, true);
        tools_put("a.json", t.pairs.data);
        convert("a.json", "b.tacho");
        convert_recording("b.tacho", "c.json");
        check_file(&t, "c.json");
        convert("c.json", "d.pftrace");
        check_file(&t, "d.pftrace");
        convert("d.pftrace", "e.json");
        check_file(&t, "e.json");
        convert("e.json", "f.tacho");
        check_file(&t, "f.tacho");
        tch_buf_release(&t.pairs);
    }
}

/* Another program's whole spans, written when they begin or when they end. */
static void the_order_of_whole_spans_is_found(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        struct tree t;
        struct tch_buf b;

        grow(&t, seed, true);
        for (int at_end = 0; at_end < 2; at_end++) {
            tch_buf_init(&b, 1 << 20);
            tch_buf_addc(&b, '[');
            for (const char *p = t.pairs.data; (p = strstr(p, "\"name\":\"s")); p++) {
                unsigned i;
                char phase;

                assert_int_equal(
                    sscanf(p, "\"name\":\"s%u\",\"cat\":\"c\",\"ph\":\"%c", &i, &phase), 2);
                if ((phase == 'E') == at_end)
                    tch_buf_addf(&b,
                                 "%s{\"name\":\"s%u\",\"ph\":\"X\",\"ts\":%u,\"dur\":%u,\"pid\":1,"
                                 "\"tid\":1}",
                                 b.len > 1 ? ",\n" : "", i, t.begin[i], t.end[i] - t.begin[i]);
            }
            tch_buf_addc(&b, ']');
            tools_put("x.json", b.data);
            tch_buf_release(&b);
            check_file(&t, "x.json");
            convert("x.json", "y.pftrace");
            check_file(&t, "y.pftrace");
        }
        tch_buf_release(&t.pairs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(begins_and_ends_keep_every_nesting),
        TEST_IN_HOME(whole_spans_keep_chains),
        TEST_IN_HOME(the_order_of_whole_spans_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
