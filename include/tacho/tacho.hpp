/*
 * libtacho for C++17: objects that end their spans and free their handles when they are destroyed.
 *
 *     void decode(int tokens)
 *     {
 *         tacho::span span(TACHO_SITE("decode", "model"), tacho_i64("tokens", tokens));
 *         ...
 *     }                                                  the span ends here
 *
 * Nothing throws, and nothing needs exceptions or RTTI. While a trace is off a span is one
 * predictable branch. With TACHO_DISABLE defined, spans, instants and counters are empty; their
 * arguments are evaluated, unlike those of TACHO_SPAN and TACHO_SPAN_ARGS of <tacho/trace.h>.
 *
 * Objects that own something can be moved, not copied. An object that could not be made, or that
 * was moved from, is false as a condition, and its functions do nothing. Texts are std::string_view
 * and need no NUL. docs/cpp.md is the manual.
 */
#ifndef TACHO_TACHO_HPP
#define TACHO_TACHO_HPP

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tacho.h"

namespace tacho
{

/* ---- fields ---- */

/** Makes a field of a number or a truth value. The key is terminated by NUL. Key and text are
    borrowed until the call that gets the field has returned. For the fastest spans use
    tacho_i64("key", value) and the like: their keys are looked up once per site, not each time. */
template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
inline tacho_field field(const char *key, T value) noexcept
{
    if constexpr (std::is_same_v<T, bool>)
        return (tacho_bool)(key, value);
    else if constexpr (std::is_floating_point_v<T>)
        return (tacho_f64)(key, static_cast<double>(value));
    else if constexpr (std::is_signed_v<T>)
        return (tacho_i64)(key, static_cast<std::int64_t>(value));
    else
        return (tacho_u64)(key, static_cast<std::uint64_t>(value));
}

/** Makes a field of a text. */
inline tacho_field field(const char *key, std::string_view text) noexcept
{
    return tacho_text_n(key, text.data(), text.size());
}

/** Makes a field of any JSON value, such as "[32, 4096]". */
inline tacho_field json_field(const char *key, std::string_view json) noexcept
{
    return tacho_json_n(key, json.data(), json.size());
}

namespace detail
{
/** A copy of a text, terminated by NUL. A long text is truncated when there is no memory. */
class c_text
{
  public:
    explicit c_text(std::string_view text) noexcept : data_(small_)
    {
        std::size_t len = text.size();

        if (len >= sizeof small_) {
            data_ = static_cast<char *>(std::malloc(len + 1));
            if (!data_) {
                data_ = small_;
                len = sizeof small_ - 1;
            }
        }
        if (len > 0)
            std::memcpy(data_, text.data(), len);
        data_[len] = '\0';
    }
    c_text(const c_text &) = delete;
    c_text &operator=(const c_text &) = delete;
    ~c_text()
    {
        if (data_ != small_)
            std::free(data_);
    }

    operator const char *() const noexcept
    {
        return data_;
    }

  private:
    char *data_;
    char small_[160];
};

/** Deleter of a std::unique_ptr that owns a handle of the library. */
template <auto free_handle> struct free_by {
    template <class T> void operator()(T *handle) const noexcept
    {
        free_handle(handle);
    }
};

template <class... T> constexpr bool are_fields = (std::is_same_v<T, tacho_field> && ...);
} // namespace detail

/* Files with and without TACHO_DISABLE can be linked together, so the two variants of these
   functions are in different namespaces. */
#if defined(TACHO_DISABLE)
inline namespace disabled
{
#else
inline namespace recorded
{
#endif

/** Returns whether a trace is on. Check it before you measure a time that only the trace needs. */
inline bool enabled() noexcept
{
#if defined(TACHO_DISABLE)
    return false;
#else
    return __builtin_expect(tacho_trace_is_on(), 0);
#endif
}

/* ---- spans ---- */

/** A site: a place in the program that records spans, made once. Both names are string literals.
    Spans of a site do not look up their names, which makes them as fast as TACHO_SPAN. */
#define TACHO_SITE(name, category)                                                         \
    ([]() noexcept -> struct tacho_trace_site & {                                          \
        static struct tacho_trace_site tacho_this_site = TACHO_TRACE_SITE(name, category); \
        return tacho_this_site;                                                            \
    }())

/** A span of this thread, from here to the end of the object's life. Spans of a thread nest, so end
    it on the same thread, before the spans around it. */
class span
{
  public:
    /** Makes an object without a span. */
    span() noexcept = default;

    /** Begins a span of a site. */
    explicit span(struct tacho_trace_site &site) noexcept
    {
        if (enabled())
            ticket_ = tacho_trace_begin(&site);
    }

    /** Begins a span of a site, with at most TACHO_ARGS_MAX fields. */
    template <class... Fields, std::enable_if_t<detail::are_fields<Fields...>, int> = 0>
    span(struct tacho_trace_site &site, tacho_field first, Fields... more) noexcept
    {
        if (enabled())
            ticket_ = tacho_trace_begin_args(&site, TACHO_FIELDS(first, more...));
    }

    /** Begins a span whose names are known at run time only. They are looked up each time. */
    template <class... Fields, std::enable_if_t<detail::are_fields<Fields...>, int> = 0>
    span(std::string_view name, std::string_view category, Fields... fields) noexcept
    {
        if (enabled())
            ticket_ = begin_named(name, category, TACHO_FIELDS(fields...));
    }

    span(span &&other) noexcept : ticket_(std::exchange(other.ticket_, 0))
    {
    }

    span &operator=(span &&other) noexcept
    {
        if (this != &other) {
            end();
            ticket_ = std::exchange(other.ticket_, 0);
        }
        return *this;
    }

    ~span()
    {
        end();
    }

    /** Returns whether a span is being recorded. */
    explicit operator bool() const noexcept
    {
        return ticket_ != 0;
    }

    /** Ends the span before the object is destroyed. */
    void end() noexcept
    {
        if (__builtin_expect(ticket_ != 0, 0))
            tacho_trace_end(std::exchange(ticket_, 0));
    }

    /** Ends the span with fields that are known only now. */
    template <class... Fields, std::enable_if_t<detail::are_fields<Fields...>, int> = 0>
    void end(tacho_field first, Fields... more) noexcept
    {
        if (__builtin_expect(ticket_ != 0, 0))
            tacho_trace_end_args(std::exchange(ticket_, 0), TACHO_FIELDS(first, more...));
    }

  private:
    [[gnu::noinline]] static std::uint32_t
    begin_named(std::string_view name, std::string_view category, tacho_fields fields) noexcept
    {
        return tacho_trace_begin_named(detail::c_text(name), detail::c_text(category), fields);
    }

    std::uint32_t ticket_ = 0;
};

/** Records an instant on the track of this thread. */
template <class... Fields, std::enable_if_t<detail::are_fields<Fields...>, int> = 0>
inline void instant(std::string_view name, std::string_view category, Fields... fields) noexcept
{
    if (enabled())
        (tacho_instant)(detail::c_text(name), detail::c_text(category), TACHO_SCOPE_THREAD,
                        TACHO_FIELDS(fields...));
}

/** Records the new value of a counter. */
template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
inline void counter(std::string_view name, T value) noexcept
{
    if (!enabled())
        return;
    if constexpr (std::is_integral_v<T> && (std::is_signed_v<T> || sizeof(T) < 8))
        (tacho_counter_i64)(detail::c_text(name), static_cast<std::int64_t>(value));
    else
        (tacho_counter_f64)(detail::c_text(name), static_cast<double>(value));
}

} // namespace

/* ---- profile events ---- */

/** Writes an event by the writer of the process, which TACHO_PROFILE_JSONL or
    tacho_event_configure() turns on. Returns like tacho_event_push(); 0 while it is off. */
inline int event(std::string_view name, std::initializer_list<tacho_field> shape,
                 std::initializer_list<tacho_field> stage_us, bool graph_enabled = false,
                 tacho_error *err = nullptr) noexcept
{
    if (!tacho_event_is_on())
        return 0;
    return tacho_event_push(tacho_event_global(), detail::c_text(name), tacho_fields_of(shape),
                            tacho_fields_of(stage_us), graph_enabled, err);
}

/** Appends events to a file of its own. May be used by several threads. */
class event_writer
{
  public:
    event_writer() noexcept = default;

    /** Opens the writer. It is false when that fails, and err says why. */
    explicit event_writer(const tacho_event_config &config, tacho_error *err = nullptr) noexcept
    {
        tacho_event_writer *writer = nullptr;

        if (tacho_event_open(&config, &writer, err) == 0)
            writer_.reset(writer);
    }

    explicit operator bool() const noexcept
    {
        return writer_ != nullptr;
    }

    /** Writes an event. Returns like tacho_event_push(), and TACHO_EINVAL without a writer. */
    int push(std::string_view name, std::initializer_list<tacho_field> shape,
             std::initializer_list<tacho_field> stage_us, bool graph_enabled = false,
             tacho_error *err = nullptr) noexcept
    {
        if (!writer_)
            return TACHO_EINVAL;
        return tacho_event_push(writer_.get(), detail::c_text(name), tacho_fields_of(shape),
                                tacho_fields_of(stage_us), graph_enabled, err);
    }

    /** Waits until all events are on the disk. */
    [[nodiscard]] int flush(tacho_error *err = nullptr) noexcept
    {
        return writer_ ? tacho_event_flush(writer_.get(), err) : int{TACHO_EINVAL};
    }

    /** Returns the handle for functions of <tacho/event.h>. */
    tacho_event_writer *get() const noexcept
    {
        return writer_.get();
    }

  private:
    std::unique_ptr<tacho_event_writer, detail::free_by<tacho_event_close>> writer_;
};

/* ---- latencies ---- */

/** A histogram of whole numbers, nanoseconds by convention. One thread at a time. */
class histogram
{
  public:
    /** Makes an empty histogram. It is false when there is no memory. */
    explicit histogram(tacho_error *err = nullptr) noexcept
    {
        tacho_histogram *made = nullptr;

        if (tacho_histogram_new(&made, err) == 0)
            histogram_.reset(made);
    }

    explicit operator bool() const noexcept
    {
        return histogram_ != nullptr;
    }

    void record(std::uint64_t value) noexcept
    {
        if (histogram_)
            tacho_histogram_record(histogram_.get(), value);
    }

    void merge(const histogram &from) noexcept
    {
        if (histogram_ && from)
            tacho_histogram_merge(histogram_.get(), from.get());
    }

    std::uint64_t count() const noexcept
    {
        return histogram_ ? tacho_histogram_count(histogram_.get()) : 0;
    }

    /** Returns the value at a percentile (0 to 100), within TACHO_HISTOGRAM_ERROR. */
    std::uint64_t percentile(double percent) const noexcept
    {
        return histogram_ ? tacho_histogram_percentile(histogram_.get(), percent) : 0;
    }

    /** Returns all statistics, or nullopt without a histogram. */
    std::optional<tacho_latency_stats> stats(tacho_error *err = nullptr) const noexcept
    {
        tacho_latency_stats ret = TACHO_LATENCY_STATS_INIT;

        if (!histogram_ || tacho_histogram_stats(histogram_.get(), &ret, err) < 0)
            return std::nullopt;
        return ret;
    }

    /** Returns the handle for functions of <tacho/latency.h>. */
    tacho_histogram *get() const noexcept
    {
        return histogram_.get();
    }

  private:
    std::unique_ptr<tacho_histogram, detail::free_by<tacho_histogram_free>> histogram_;
};

/** Records latencies of many threads at once, without a lock. */
class recorder
{
  public:
    /** Makes an empty recorder. It is false when there is no memory. */
    explicit recorder(tacho_error *err = nullptr) noexcept
    {
        tacho_latency_recorder *made = nullptr;

        if (tacho_latency_recorder_new(&made, err) == 0)
            recorder_.reset(made);
    }

    explicit operator bool() const noexcept
    {
        return recorder_ != nullptr;
    }

    void record(std::uint64_t value) noexcept
    {
        if (recorder_)
            tacho_latency_recorder_record(recorder_.get(), value);
    }

    /** Returns all records so far. */
    histogram snapshot(tacho_error *err = nullptr) const noexcept
    {
        histogram all(err);

        if (recorder_ && all)
            tacho_latency_recorder_snapshot(recorder_.get(), all.get());
        return all;
    }

    /** Returns the handle for functions of <tacho/latency.h>. */
    tacho_latency_recorder *get() const noexcept
    {
        return recorder_.get();
    }

  private:
    std::unique_ptr<tacho_latency_recorder, detail::free_by<tacho_latency_recorder_free>> recorder_;
};

/** A list of records with exact statistics. One thread at a time. */
class latency
{
  public:
    /** Makes an empty list. It is false when that fails, and err says why. */
    explicit latency(tacho_error *err = nullptr) noexcept
    {
        tacho_latency *made = nullptr;

        if (tacho_latency_new(&made, err) == 0)
            list_.reset(made);
    }

    explicit operator bool() const noexcept
    {
        return list_ != nullptr;
    }

    /** Adds a record. Returns like tacho_latency_add(), and TACHO_EINVAL without a list. */
    [[nodiscard]] int add(const tacho_latency_record &record, tacho_error *err = nullptr) noexcept
    {
        return list_ ? tacho_latency_add(list_.get(), &record, err) : int{TACHO_EINVAL};
    }

    /** Adds a time, with the number of records before it as its sample_id. It cannot report a
        failure: use add() where that matters. */
    void record(std::uint64_t wall_ns) noexcept
    {
        static_cast<void>(add(tacho_latency_record{size(), wall_ns, 0, 0}));
    }

    std::size_t size() const noexcept
    {
        return list_ ? tacho_latency_count(list_.get()) : 0;
    }

    /** Returns the i-th record, i < size(). */
    tacho_latency_record operator[](std::size_t i) const noexcept
    {
        return tacho_latency_at(list_.get(), i);
    }

    /** Returns the statistics of all wall_ns, or nullopt on failure. */
    std::optional<tacho_latency_stats> stats(tacho_error *err = nullptr) const noexcept
    {
        tacho_latency_stats ret = TACHO_LATENCY_STATS_INIT;

        if (!list_ || tacho_latency_wall_stats(list_.get(), &ret, err) < 0)
            return std::nullopt;
        return ret;
    }

    /** Returns the handle for functions of <tacho/latency.h>. */
    tacho_latency *get() const noexcept
    {
        return list_.get();
    }

  private:
    std::unique_ptr<tacho_latency, detail::free_by<tacho_latency_free>> list_;
};

/** Measures its own lifetime and records it in a histogram, a recorder or a latency, which must
    live longer: tacho::timer timer(recorder). */
template <class To> class timer
{
  public:
    explicit timer(To &to) noexcept : to_(&to), start_(tacho_trace_now_ns())
    {
    }

    timer(timer &&other) noexcept : to_(std::exchange(other.to_, nullptr)), start_(other.start_)
    {
    }

    timer &operator=(timer &&other) noexcept
    {
        if (this != &other) {
            stop();
            to_ = std::exchange(other.to_, nullptr);
            start_ = other.start_;
        }
        return *this;
    }

    ~timer()
    {
        stop();
    }

    /** Records the time now, before the object is destroyed. */
    void stop() noexcept
    {
        if (to_)
            std::exchange(to_, nullptr)->record(tacho_trace_now_ns() - start_);
    }

    /** Stops without recording, as after a failure. */
    void cancel() noexcept
    {
        to_ = nullptr;
    }

  private:
    To *to_;
    std::uint64_t start_;
};

/* ---- memory by category ---- */

/** A category of a tacho::memory, which must live longer. May be copied. */
class memory_category
{
  public:
    memory_category() noexcept = default;

    memory_category(tacho_memory *of, int number) noexcept
        : memory_(number < 0 ? nullptr : of), number_(number)
    {
    }

    /** Returns whether the category exists. */
    explicit operator bool() const noexcept
    {
        return memory_ != nullptr;
    }

    /** Counts bytes that were allocated, or freed when negative. */
    void add(std::int64_t bytes) const noexcept
    {
        if (memory_)
            tacho_memory_add(memory_, number_, bytes);
    }

    /** Returns the bytes that are counted now. */
    std::uint64_t held() const noexcept
    {
        return memory_ ? tacho_memory_held(memory_, number_) : 0;
    }

    /** Returns the peak, or nullopt without a category. */
    std::optional<tacho_memory_peak> peak(tacho_error *err = nullptr) const noexcept
    {
        tacho_memory_peak ret = TACHO_MEMORY_PEAK_INIT;

        if (!memory_ || tacho_memory_category_peak(memory_, number_, &ret, err) < 0)
            return std::nullopt;
        return ret;
    }

  private:
    tacho_memory *memory_ = nullptr;
    int number_ = -1;
};

/** Counts bytes of a category while the object lives. */
class memory_hold
{
  public:
    memory_hold() noexcept = default;

    memory_hold(memory_category category, std::size_t bytes) noexcept : category_(category)
    {
        resize(bytes);
    }

    memory_hold(memory_hold &&other) noexcept
        : category_(other.category_), bytes_(std::exchange(other.bytes_, 0))
    {
    }

    memory_hold &operator=(memory_hold &&other) noexcept
    {
        if (this != &other) {
            resize(0);
            category_ = other.category_;
            bytes_ = std::exchange(other.bytes_, 0);
        }
        return *this;
    }

    ~memory_hold()
    {
        resize(0);
    }

    /** Changes the number of bytes, as after a reallocation. */
    void resize(std::size_t bytes) noexcept
    {
        if (bytes != bytes_)
            category_.add(static_cast<std::int64_t>(bytes) - static_cast<std::int64_t>(bytes_));
        bytes_ = bytes;
    }

    std::size_t size() const noexcept
    {
        return bytes_;
    }

  private:
    memory_category category_;
    std::size_t bytes_ = 0;
};

/** A tracker of the memory of this process. May be used by several threads. */
class memory
{
  public:
    /** Makes a tracker. It is false when that fails, and err says why. */
    explicit memory(std::string_view label, tacho_error *err = nullptr) noexcept
    {
        tacho_memory *made = nullptr;

        if (tacho_memory_new(detail::c_text(label), &made, err) == 0)
            memory_.reset(made);
    }

    explicit operator bool() const noexcept
    {
        return memory_ != nullptr;
    }

    /** Finds or makes the category of this name. It is false when that fails. */
    memory_category category(std::string_view name, tacho_error *err = nullptr) noexcept
    {
        if (!memory_)
            return {};
        return {memory_.get(), tacho_memory_category(memory_.get(), detail::c_text(name), err)};
    }

    /** Takes a snapshot. Returns nullopt on failure. */
    std::optional<tacho_memory_snapshot> snapshot(tacho_memory_level level = TACHO_MEMORY_BASIC,
                                                  tacho_error *err = nullptr) noexcept
    {
        tacho_memory_snapshot ret = TACHO_MEMORY_SNAPSHOT_INIT;

        if (!memory_ || tacho_memory_snapshot_take(memory_.get(), level, &ret, err) < 0)
            return std::nullopt;
        return ret;
    }

    /** Returns the handle for functions of <tacho/memory.h>. */
    tacho_memory *get() const noexcept
    {
        return memory_.get();
    }

  private:
    std::unique_ptr<tacho_memory, detail::free_by<tacho_memory_free>> memory_;
};

} // namespace tacho

#endif
