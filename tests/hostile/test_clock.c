/* Records under a clock that stops or goes back, at once or later. Each test is a process of its
   own, because the source of ticks is chosen once per process. */
#include "support/test.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <tacho/trace.h>

#include "lib/trace/recording_file.h"
#include "lib/trace/recording_walk.h"
#include "support/system.h"

enum { SPANS = 100000 }; /* several chunks */

enum { MOVES, STANDS, GOES_BACK };

static int clock_does;
static int clock_soon;         /* how the clock behaves after the trace has started */
static struct timespec at_one; /* the time of a clock that stopped */

/* Replaces the function of the C library, also for the code under test. */
int clock_gettime(clockid_t id, struct timespec *ret)
{
    static long back;

    if (clock_does == MOVES || id != CLOCK_MONOTONIC)
        return (int)syscall(SYS_clock_gettime, id, ret);
    *ret = at_one;
    if (clock_does == GOES_BACK)
        ret->tv_sec -= ++back / 1000;
    return 0;
}

static uint64_t spans_seen, spans_wrong;

static int count_span(void *ctx, const struct tch_seen_event *e)
{
    (void)ctx;
    if (e->seen != TCH_SEEN_END)
        return 0;
    spans_seen++;
    spans_wrong += e->ns > e->begin_ns && e->ns - e->begin_ns > UINT64_C(60000000000);
    return 0;
}

/* Records under the clock and reads the recording. Returns 0, or the number of the check that
   failed. */
static int record(void *arg)
{
    struct tch_recording r;
    bool faults_seen;

    (void)arg;
    alarm(600); /* the test fails when this process hangs */
    at_one = (struct timespec){.tv_sec = 1000000};
    if (clock_does == MOVES)
        clock_gettime(CLOCK_MONOTONIC, &at_one);
    if (tacho_trace_start(test_at("t.tacho"), NULL) < 0)
        return 1;
    if (clock_does == MOVES)
        clock_does = clock_soon;
    for (int i = 0; i < SPANS; i++) {
        TACHO_SPAN("span", "test");
    }
    if (tacho_trace_stop(NULL) < 0)
        return 2;
    clock_does = MOVES;
    if (tch_recording_open(&r, test_at("t.tacho"), NULL) < 0)
        return 3;
    if (tch_recording_walk(&r, count_span, NULL, NULL) < 0)
        return 4;
    faults_seen = r.head.clock_faults > 0;
    tch_recording_close(&r);
    if (spans_seen != SPANS)
        return 5;
    if (spans_wrong > 0)
        return 6;
    return faults_seen == (clock_soon != MOVES) ? 0 : 7;
}

static void records_under(int first, int later)
{
    clock_does = first;
    clock_soon = later;
    assert_int_equal(test_in_child(record, NULL), 0);
    clock_does = MOVES;
}

static void a_clock_that_moves(void **state)
{
    (void)state;
    records_under(MOVES, MOVES);
}

static void a_clock_that_does_not_move(void **state)
{
    (void)state;
    records_under(STANDS, STANDS);
}

static void a_clock_that_goes_back(void **state)
{
    (void)state;
    records_under(GOES_BACK, GOES_BACK);
}

static void a_clock_that_stops_later(void **state)
{
    (void)state;
    records_under(MOVES, STANDS);
}

static void a_clock_that_goes_back_later(void **state)
{
    (void)state;
    records_under(MOVES, GOES_BACK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(a_clock_that_moves),           TEST_IN_HOME(a_clock_that_does_not_move),
        TEST_IN_HOME(a_clock_that_goes_back),       TEST_IN_HOME(a_clock_that_stops_later),
        TEST_IN_HOME(a_clock_that_goes_back_later),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
