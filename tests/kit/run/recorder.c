/* Records one event of each kind that a trace has, in the middle of its run time. */
#include <unistd.h>

#include <tacho/trace.h>

static void record(void)
{
    uint64_t now = tacho_trace_now_ns();
    uint32_t track = tacho_track("stream 7");

    tacho_span_begin("outer", "test");
    tacho_counter_i64("queue", 5);
    tacho_flow("arrow", "test", TACHO_PHASE_BEGIN, 1);
    tacho_async("request", "test", TACHO_PHASE_BEGIN, 9, TACHO_NO_FIELDS);
    tacho_instant("now", "test", TACHO_SCOPE_THREAD, TACHO_NO_FIELDS);
    usleep(2000);
    tacho_async("request", "test", TACHO_PHASE_END, 9, TACHO_NO_FIELDS);
    tacho_flow("arrow", "test", TACHO_PHASE_END, 1);
    tacho_trace_push("pushed", "test", 1.0, 3);
    tacho_track_span(track, "kernel", "gpu", now, now + 1000000, TACHO_NO_FIELDS);
    tacho_track_instant(track, "mark", "gpu", now + 500000, TACHO_NO_FIELDS);
    tacho_track_counter(track, "load", now + 500000, 0.5);
    tacho_span_end();
}

int main(void)
{
    usleep(2000);
    record();
    usleep(2000);
    return 0;
}
