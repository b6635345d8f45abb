/*
 * A pipeline in C++ that records spans, events, latencies and memory. Requests pass three stages on
 * two threads.
 *
 *     TACHO_TRACE_OUT=trace.json ./pipeline            spans, in Perfetto
 *     TACHO_PROFILE_JSONL=events.jsonl ./pipeline      one profile event per request
 *     tacho run --trace -- ./pipeline                  all of it, memory by category too
 *
 * Destructors end the spans, also when a stage fails.
 */
#include <tacho/tacho.hpp>

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace
{
constexpr int requests = 200;

struct pipeline {
    tacho::recorder latencies;
    tacho::memory memory{"pipeline"};
    tacho::memory_category batches = memory.category("batches");
    std::atomic<int> next{0};
    std::atomic<std::uint64_t> sum{0};
};

/* A batch, whose memory is counted while it exists. */
struct batch {
    batch(const pipeline &of, int request)
        : values(static_cast<std::size_t>(1000 + request)),
          counted(of.batches, values.size() * sizeof values[0])
    {
        std::iota(values.begin(), values.end(), 0u);
    }

    std::vector<std::uint32_t> values;
    tacho::memory_hold counted;
};

batch load(const pipeline &of, int request)
{
    tacho::span span(TACHO_SITE("load", "stage"), tacho_i64("request", request));

    return {of, request};
}

void transform(batch &data)
{
    tacho::span span(TACHO_SITE("transform", "stage"));

    for (std::uint32_t &value : data.values)
        value = value * 3 + 1;
}

std::uint64_t reduce(const batch &data)
{
    tacho::span span(TACHO_SITE("reduce", "stage"));
    std::uint64_t sum = std::accumulate(data.values.begin(), data.values.end(), std::uint64_t{0});

    span.end(tacho::field("sum", sum)); /* known at the end only */
    return sum;
}

void serve(pipeline &of, int request)
{
    tacho::timer timer(of.latencies);
    const std::uint64_t start = tacho_trace_now_ns();
    /* A name that is made at run time is looked up each time, which is acceptable for one span per
       request. */
    tacho::span span("request " + std::to_string(request % 10), "request");
    batch data = load(of, request);

    transform(data);
    of.sum += reduce(data);
    tacho::event("request", {tacho::field("values", data.values.size())},
                 {tacho::field("total", static_cast<double>(tacho_trace_now_ns() - start) / 1e3)});
}

void work(pipeline *of)
{
    for (int request = of->next++; request < requests; request = of->next++)
        serve(*of, request);
}
} // namespace

int main()
{
    pipeline all;
    std::thread other(work, &all);

    work(&all);
    other.join();

    const tacho::histogram times = all.latencies.snapshot();

    std::printf("%" PRIu64 " requests, sum %" PRIu64 ", p50 %.1f us, p99 %.1f us, %" PRIu64
                " bytes held\n",
                times.count(), all.sum.load(), static_cast<double>(times.percentile(50)) / 1e3,
                static_cast<double>(times.percentile(99)) / 1e3, all.batches.held());
    return 0;
}
