/* Tests of Perfetto traces like those of Chrome, made by hand: clocks, lost packets, async events
   by id. */
#include <string.h>

#include "base/file.h"
#include "base/protobuf.h"
#include "kit/trace/trace_summary.h"
#include "lib/trace/perfetto_fields.h"
#include "support/system.h"
#include "support/test.h"
#include "tools.h"

enum { MONOTONIC = 3, REALTIME = 1, BOOT = TCH_PF_CLOCK_BOOT, STEPS = 64, MICROS = 65 };

static struct tch_buf trace;
static size_t packet;

static void begin_packet(uint64_t sequence, uint64_t flags)
{
    packet = tch_pb_begin(&trace, TCH_PF_TRACE_PACKET);
    tch_pb_varint(&trace, TCH_PF_PACKET_SEQUENCE, sequence);
    if (flags)
        tch_pb_varint(&trace, TCH_PF_PACKET_FLAGS, flags);
}

static void end_packet(void)
{
    tch_pb_end(&trace, packet);
}

static void add_clock(uint64_t id, uint64_t time, uint64_t unit, bool steps)
{
    size_t clock = tch_pb_begin(&trace, TCH_PF_CLOCK);

    tch_pb_varint(&trace, TCH_PF_CLOCK_ID, id);
    tch_pb_varint(&trace, TCH_PF_CLOCK_TIME, time);
    tch_pb_varint(&trace, TCH_PF_CLOCK_STEPS, steps);
    if (unit)
        tch_pb_varint(&trace, TCH_PF_CLOCK_UNIT, unit);
    tch_pb_end(&trace, clock);
}

static void set_default_clock(uint64_t id)
{
    size_t defaults = tch_pb_begin(&trace, TCH_PF_PACKET_DEFAULTS);

    tch_pb_varint(&trace, TCH_PF_PACKET_CLOCK, id);
    tch_pb_end(&trace, defaults);
}

/* Adds an event of a type on a track. name is NULL for an end, clock is 0 for the sequence's
   own. */
static void add_event(uint64_t sequence, uint64_t clock, uint64_t time, uint64_t track,
                      uint64_t type, const char *name)
{
    size_t event;

    begin_packet(sequence, TCH_PF_NEEDS_STATE);
    tch_pb_varint(&trace, TCH_PF_PACKET_TIME, time);
    if (clock)
        tch_pb_varint(&trace, TCH_PF_PACKET_CLOCK, clock);
    event = tch_pb_begin(&trace, TCH_PF_PACKET_EVENT);
    tch_pb_varint(&trace, TCH_PF_EVENT_TYPE, type);
    tch_pb_varint(&trace, TCH_PF_EVENT_TRACK, track);
    if (name)
        tch_pb_text(&trace, TCH_PF_EVENT_NAME, name);
    tch_pb_end(&trace, event);
    end_packet();
}

static void add_span(uint64_t sequence, uint64_t clock, uint64_t from, uint64_t to, uint64_t track,
                     const char *name)
{
    add_event(sequence, clock, from, track, TCH_PF_BEGIN, name);
    add_event(sequence, clock, to, track, TCH_PF_END, NULL);
}

static struct tch_trace_summary summary_of_trace(void)
{
    struct tch_trace_summary s;
    tacho_error err;

    assert_false(trace.failed);
    assert_int_equal(tch_file_replace(test_at("t.pftrace"), trace.data, trace.len, false, &err), 0);
    tch_buf_release(&trace);
    assert_int_equal(
        tch_trace_summary_make(&s, test_at("t.pftrace"), TCH_BY_NAME, &tools_plain, &err), 0);
    return s;
}

/* Begins a trace with two processes whose sequences count microseconds in steps, tied to MONOTONIC,
   the clock of the trace. MONOTONIC is 5 ms ahead of BOOTTIME. */
static void begin_chrome_trace(void)
{
    size_t clocks;

    tch_buf_init(&trace, 1 << 20);
    begin_packet(1, 0);
    clocks = tch_pb_begin(&trace, TCH_PF_PACKET_CLOCKS);
    tch_pb_varint(&trace, TCH_PF_CLOCKS_PRIMARY, MONOTONIC);
    add_clock(BOOT, 95000000, 0, false);
    add_clock(MONOTONIC, 100000000, 0, false);
    add_clock(REALTIME, 7000000000, 0, false);
    tch_pb_end(&trace, clocks);
    end_packet();
    for (uint64_t sequence = 2; sequence <= 3; sequence++) {
        begin_packet(sequence, TCH_PF_CLEARED);
        clocks = tch_pb_begin(&trace, TCH_PF_PACKET_CLOCKS);
        add_clock(MONOTONIC, sequence * 10000000 + 123, 0, false);
        add_clock(STEPS, sequence * 10000, 1000, true);
        add_clock(MICROS, sequence * 10000, 1000, false);
        tch_pb_end(&trace, clocks);
        set_default_clock(STEPS);
        end_packet();
    }
}

static void resolves_clocks_to_that_of_the_trace(void **state)
{
    struct tch_trace_summary s;

    (void)state;
    begin_chrome_trace();
    /* Steps of both sequences: 20 ms + 123 ns + 50 us, then 200 us more. */
    add_span(2, 0, 50, 200, 1, "steps");
    /* A packet without an event moves the clock: the next span begins 1000 us later. */
    begin_packet(2, TCH_PF_NEEDS_STATE);
    tch_pb_varint(&trace, TCH_PF_PACKET_TIME, 1000);
    end_packet();
    add_span(2, 0, 0, 300, 1, "steps");
    add_span(3, 0, 10, 20, 2, "other");
    add_span(3, MICROS, 31000, 31007, 3, "micros");
    add_span(3, MONOTONIC, 40000000, 40000009, 4, "plain");
    add_span(3, BOOT, 40000000, 40000011, 5, "boot");
    s = summary_of_trace();
    assert_int_equal(tools_row(&s, "steps")->count, 2);
    assert_int_equal(tools_row(&s, "steps")->total, 500000);
    assert_int_equal(tools_row(&s, "steps")->max_ts, 20000000 + 123 + 1250000);
    assert_int_equal(tools_row(&s, "other")->max_ts, 30000000 + 123 + 10000);
    assert_int_equal(tools_row(&s, "other")->total, 20000);
    assert_int_equal(tools_row(&s, "micros")->max_ts, 31000000 + 123);
    assert_int_equal(tools_row(&s, "micros")->total, 7000);
    assert_int_equal(tools_row(&s, "plain")->max_ts, 40000000);
    assert_int_equal(tools_row(&s, "boot")->max_ts, 45000000);
    assert_int_equal(tools_row(&s, "boot")->total, 11);
    assert_int_equal(s.first, 20000000 + 123 + 50000);
    assert_int_equal(s.last, 45000011);
    assert_int_equal(s.unfinished, 0);
    assert_int_equal(s.model.bad.count, 0);
    tch_trace_summary_release(&s);
}

/* REALTIME jumps. Each time is converted by the last snapshot before it, through BOOTTIME, which is
   the clock of the trace unless another one is named. */
static void converts_times_by_the_snapshot_before_them(void **state)
{
    static const uint64_t real[] = {1000000, 9000000}, boot[] = {100000, 200000};
    struct tch_trace_summary s;

    (void)state;
    tch_buf_init(&trace, 1 << 20);
    for (int i = 0; i < 2; i++) {
        size_t clocks;

        begin_packet(1, TCH_PF_CLEARED);
        clocks = tch_pb_begin(&trace, TCH_PF_PACKET_CLOCKS);
        add_clock(REALTIME, real[i], 0, false);
        add_clock(MONOTONIC, boot[i] / 2, 0, false);
        tch_pb_end(&trace, clocks);
        end_packet();
        begin_packet(1, 0);
        clocks = tch_pb_begin(&trace, TCH_PF_PACKET_CLOCKS);
        add_clock(MONOTONIC, boot[i] / 2, 0, false);
        add_clock(BOOT, boot[i], 0, false);
        tch_pb_end(&trace, clocks);
        end_packet();
    }
    add_span(1, REALTIME, 1000007, 1000009, 1, "early");
    add_span(1, REALTIME, 9000003, 9000004, 2, "late");
    s = summary_of_trace();
    assert_int_equal(tools_row(&s, "early")->max_ts, 100007);
    assert_int_equal(tools_row(&s, "late")->max_ts, 200003);
    tch_trace_summary_release(&s);
}

/* Counts events without a convertible time, and events whose names were lost. */
static void counts_events_that_it_cannot_read(void **state)
{
    struct tch_trace_summary s;

    (void)state;
    begin_chrome_trace();
    add_span(2, 70, 10, 20, 1, "no clock");
    add_span(4, 0, 10, 20, 2, "not cleared");
    begin_packet(3, 0);
    tch_pb_varint(&trace, TCH_PF_PACKET_LOSS, 1);
    end_packet();
    add_span(3, 0, 10, 20, 2, "lost");
    add_span(2, 0, 10, 20, 3, "good");
    s = summary_of_trace();
    assert_int_equal(s.spans, 1);
    assert_int_equal(tools_row(&s, "good")->count, 1);
    assert_int_equal(s.model.bad.count, 6);
    tch_trace_summary_release(&s);
}

static void add_legacy(uint64_t time, uint64_t track, char phase, uint32_t id_field, uint64_t id,
                       const char *name)
{
    size_t event, legacy;

    begin_packet(2, TCH_PF_NEEDS_STATE);
    tch_pb_varint(&trace, TCH_PF_PACKET_TIME, time);
    tch_pb_varint(&trace, TCH_PF_PACKET_CLOCK, MONOTONIC);
    event = tch_pb_begin(&trace, TCH_PF_PACKET_EVENT);
    tch_pb_varint(&trace, TCH_PF_EVENT_TRACK, track);
    tch_pb_text(&trace, TCH_PF_EVENT_NAME, name);
    legacy = tch_pb_begin(&trace, TCH_PF_EVENT_LEGACY);
    tch_pb_varint(&trace, TCH_PF_LEGACY_PHASE, (uint64_t)phase);
    if (id_field)
        tch_pb_varint(&trace, id_field, id);
    tch_pb_end(&trace, legacy);
    tch_pb_end(&trace, event);
    end_packet();
}

static void add_process(uint64_t uuid, uint64_t pid)
{
    size_t track, process;

    begin_packet(2, 0);
    track = tch_pb_begin(&trace, TCH_PF_PACKET_TRACK);
    tch_pb_varint(&trace, TCH_PF_TRACK_UUID, uuid);
    process = tch_pb_begin(&trace, TCH_PF_TRACK_PROCESS);
    tch_pb_varint(&trace, TCH_PF_PROCESS_PID, pid);
    tch_pb_end(&trace, process);
    tch_pb_end(&trace, track);
    end_packet();
}

/* Async spans in the legacy form overlap on their tracks and are matched by id: one id of a
   process, one of the whole trace. */
static void joins_async_events_by_id(void **state)
{
    struct tch_trace_summary s;

    (void)state;
    begin_chrome_trace();
    add_process(1, 11);
    add_process(2, 12);
    add_legacy(100, 1, 'b', TCH_PF_LEGACY_ID, 5, "load");
    add_legacy(110, 1, 'b', TCH_PF_LEGACY_ID, 6, "load");
    add_legacy(120, 1, 'b', TCH_PF_LEGACY_ID, 6, "load"); /* inside the other span with this id */
    add_legacy(125, 1, 'e', TCH_PF_LEGACY_ID, 6, "load");
    add_legacy(130, 2, 'e', TCH_PF_LEGACY_ID, 5, "load"); /* in another process */
    add_legacy(150, 1, 'e', TCH_PF_LEGACY_ID, 6, "load");
    add_legacy(200, 1, 'b', TCH_PF_LEGACY_LOCAL_ID, 5, "own");
    add_legacy(210, 2, 'b', TCH_PF_LEGACY_LOCAL_ID, 5, "own");
    add_legacy(220, 1, 'e', TCH_PF_LEGACY_LOCAL_ID, 5, "own");
    add_legacy(300, 2, 'e', TCH_PF_LEGACY_LOCAL_ID, 5, "own");
    add_legacy(310, 2, 'b', TCH_PF_LEGACY_ID, 9, "never");
    add_legacy(320, 2, 'R', 0, 0, "mark");
    s = summary_of_trace();
    assert_int_equal(tools_row(&s, "load")->count, 3);
    assert_int_equal(tools_row(&s, "load")->total, 30 + 40);
    assert_int_equal(tools_row(&s, "load")->sum, 30 + 40 + 5);
    assert_int_equal(tools_row(&s, "own")->count, 2);
    assert_int_equal(tools_row(&s, "own")->total, 20 + 90);
    assert_int_equal(tools_row(&s, "own")->max, 90);
    assert_int_equal(s.unfinished, 1);
    assert_int_equal(s.track_count, 0);
    assert_int_equal(s.model.by_kind[TCH_EV_INSTANT], 1);
    tch_trace_summary_release(&s);
}

/* Chrome writes earlier events after later ones. Events with the same time stay in the order of the
   file, as in viewers. */
static void keeps_the_order_of_the_file_at_one_moment(void **state)
{
    struct tch_trace_summary s;

    (void)state;
    begin_chrome_trace();
    add_span(2, MONOTONIC, 1000, 1000, 1, "empty");
    add_span(2, MONOTONIC, 1000, 9000, 1, "outer");
    add_span(2, MONOTONIC, 1000, 4000, 1, "inner");
    s = summary_of_trace();
    assert_true(s.sorted);
    assert_int_equal(tools_row(&s, "empty")->total, 0);
    assert_int_equal(tools_row(&s, "outer")->total, 8000);
    assert_int_equal(tools_row(&s, "inner")->total, 3000);
    tch_trace_summary_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(resolves_clocks_to_that_of_the_trace),
        TEST_IN_HOME(converts_times_by_the_snapshot_before_them),
        TEST_IN_HOME(counts_events_that_it_cannot_read),
        TEST_IN_HOME(joins_async_events_by_id),
        TEST_IN_HOME(keeps_the_order_of_the_file_at_one_moment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
