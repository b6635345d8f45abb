/* Uses everything in <tacho/tacho.hpp> once. Exits with the line of the first check that fails,
   modulo 251. cplusplus.sh builds it by each compiler, in each standard and with each set of flags,
   and reads its files. */
#include <tacho/tacho.hpp>

#include <cstdio>
#include <string>

#define CHECK(condition)                                                          \
    do {                                                                          \
        if (!(condition)) {                                                       \
            std::fprintf(stderr, "line %d: %s is false\n", __LINE__, #condition); \
            std::exit(__LINE__ % 251 + 1);                                        \
        }                                                                         \
    } while (0)

static_assert(std::is_nothrow_move_constructible_v<tacho::span>);
static_assert(std::is_nothrow_move_assignable_v<tacho::span>);
static_assert(!std::is_copy_constructible_v<tacho::span>);
static_assert(!std::is_copy_constructible_v<tacho::event_writer>);
static_assert(!std::is_copy_constructible_v<tacho::histogram>);
static_assert(!std::is_copy_constructible_v<tacho::latency>);
static_assert(!std::is_copy_constructible_v<tacho::memory>);
static_assert(!std::is_copy_constructible_v<tacho::memory_hold>);
static_assert(!std::is_copy_constructible_v<tacho::recorder>);
static_assert(!std::is_copy_constructible_v<tacho::timer<tacho::recorder>>);
static_assert(std::is_nothrow_constructible_v<tacho::span, std::string_view, std::string_view>);
static_assert(std::is_nothrow_constructible_v<tacho::span, tacho_trace_site &>);
static_assert(sizeof(tacho::span) == sizeof(std::uint32_t));

/* Returns a span that the caller ends. */
static tacho::span begin_request(std::string_view path)
{
    return tacho::span("request", "server", tacho::field("path", path));
}

static void record_spans()
{
    const std::string made_up = "layer " + std::to_string(7) + std::string(300, '!');

    for (int i = 0; i < 3; i++) {
        tacho::span site(TACHO_SITE("site", "test"));
        tacho::span with_fields(TACHO_SITE("fields", "test"), tacho_i64("i", i),
                                tacho::field("size", sizeof i), tacho::field("half", 0.5f),
                                tacho::field("yes", true));
        tacho::span named(std::string_view(made_up).substr(0, 7), "test",
                          tacho::field("text", std::string_view("a\"b").substr(0, 2)),
                          tacho::json_field("shape", "[32, 4096]"));
        tacho::span numbers(TACHO_SITE("numbers", "test"), tacho_i64("i", i),
                            tacho_bool("b", true));
        TACHO_SPAN("macro", "test");
    }
    tacho::span long_name(made_up, "test");
    tacho::span request = begin_request("/index");
    tacho::span moved = std::move(request);

    CHECK(!request && static_cast<bool>(moved) == tacho::enabled());
    moved.end(tacho::field("status", 200));
    CHECK(!moved);
    moved.end();
    moved = tacho::span("again", "test");
    moved = tacho::span();
    tacho::instant("moment", "test", tacho::field("n", 1ull << 63));
    tacho::counter("queue", 3u);
    tacho::counter("load", 0.25);
}

static void write_events(const char *path)
{
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    tacho_error err;

    CHECK(tacho::event("global", {tacho::field("batch", 32)}, {tacho::field("model", 12.5)},
                       true) == 0);
    config.path = path;
    tacho::event_writer writer(config, &err);
    CHECK(writer);
    CHECK(writer.push("own", {tacho::field("batch", 1)}, {}) == 0);
    tacho::event_writer moved = std::move(writer);
    CHECK(!writer && moved);
    CHECK(writer.push("lost", {}, {}) == TACHO_EINVAL);
    CHECK(moved.push("", {}, {}, false, &err) == TACHO_EINVAL && err.message[0] != '\0');
    CHECK(moved.flush() == 0);
    config.path = "/dev/null/file";
    CHECK(!tacho::event_writer(config, &err) && err.code == TACHO_EIO);
}

static void measure_latencies()
{
    tacho::recorder recorder;
    tacho::histogram histogram;
    tacho::latency list;

    CHECK(recorder && histogram && list);
    for (std::uint64_t i = 1; i <= 100; i++) {
        recorder.record(i);
        histogram.record(i);
        list.record(i);
    }
    {
        tacho::timer timer(recorder);
        tacho::timer moved = std::move(timer);
        tacho::timer cancelled(histogram);
        cancelled.cancel();
    }
    CHECK(recorder.snapshot().count() == 101);
    CHECK(histogram.percentile(50) == 50);
    histogram.merge(recorder.snapshot());
    CHECK(histogram.count() == 201 && histogram.stats()->n == 201);
    CHECK(list.size() == 100 && list[4].wall_ns == 5 && list[4].sample_id == 4);
    CHECK(list.add({100, 5000, 400, 128}) == 0);
    CHECK(list.stats()->p50 == 51 && list.stats()->max == 5000);
    tacho::latency moved = std::move(list);
    CHECK(!list && !list.stats() && list.size() == 0 && moved.size() == 101);
}

static void count_memory()
{
    tacho::memory memory("test");
    tacho::memory_category cache = memory.category("kv_cache");

    CHECK(memory && cache);
    CHECK(!memory.category(std::string(64, 'x')) && !tacho::memory_category());
    {
        tacho::memory_hold hold(cache, 1000);
        tacho::memory_hold moved = std::move(hold);

        CHECK(cache.held() == 1000);
        moved.resize(4000);
        CHECK(cache.held() == 4000 && moved.size() == 4000 && hold.size() == 0);
        hold = std::move(moved);
        CHECK(cache.held() == 4000);
        CHECK(memory.snapshot()->kv_cache_bytes == 4000);
    }
    CHECK(cache.held() == 0);
    CHECK(cache.peak()->peak == 4000 && !tacho::memory_category().peak());
    cache.add(7);
    CHECK(memory.category("kv_cache").held() == 7);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    record_spans();
    write_events(argv[1]);
    measure_latencies();
    count_memory();
    return 0;
}
