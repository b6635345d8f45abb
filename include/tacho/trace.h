/*
 * Spans and other events of this process, recorded so that a kill -9 loses none of them.
 *
 *     void rms_norm(...)
 *     {
 *         TACHO_SPAN("rms_norm", "norm");       the rest of this scope is one span
 *         ...
 *     }
 *
 * Tracing is off by default: each call is then one predictable branch. Set
 * TACHO_TRACE_OUT=trace.json (or .pftrace, .tacho) in the environment to turn it on, or call
 * tacho_trace_start(). While it is on, records are written to a recording on disk at once. At exit,
 * and by tacho_trace_flush(), the recording is converted to the file that was asked for. `tacho
 * trace recover` reads the recording of a killed process. docs/traces.md is the manual.
 *
 * Every function may be called from any thread at any time, also from a signal handler, unless it
 * says otherwise. None stops the program: records that cannot be written are counted as dropped.
 * Names, categories and texts may contain any bytes. They are copied, and truncated after 16 KiB.
 * Longer JSON is stored as a truncated text.
 *
 * With TACHO_DISABLE defined, nothing is recorded, and arguments are not evaluated.
 */
#ifndef TACHO_TRACE_H
#define TACHO_TRACE_H

#include <stdint.h>

#include "api.h"
#include "error.h"
#include "field.h"

TACHO_BEGIN_DECLS

/* Turning tracing on and off. Do not call these from a signal handler. */

/**
 * Starts a trace. The extension of `path` chooses its format: .pftrace is Perfetto's, .tacho keeps
 * the recording, any other is Chrome JSON. A .gz after it compresses the trace. Missing folders are
 * made. The path is copied.
 *
 * @return 0, TACHO_EALREADY when a trace is on, TACHO_EINVAL for an empty path, TACHO_EIO,
 *         TACHO_ENOMEM, TACHO_ELIMIT
 */
TACHO_API TACHO_MUST_CHECK int tacho_trace_start(const char *path, tacho_error *err);

/** Stops the trace and writes it. The recording is removed after a complete conversion.
    @return 0 (also when no trace is on), or why the file could not be written */
TACHO_API TACHO_MUST_CHECK int tacho_trace_stop(tacho_error *err);

/** Writes the trace so far and continues recording. The file is complete after each call.
    @return 0 (also when no trace is on), or why the file could not be written */
TACHO_API TACHO_MUST_CHECK int tacho_trace_flush(tacho_error *err);

/** Flushes the trace whenever this signal arrives. Installs a handler and starts a thread that
   waits for it. A child made by fork must call this again.
    @return 0, TACHO_EINVAL, TACHO_EIO */
TACHO_API TACHO_MUST_CHECK int tacho_trace_flush_on_signal(int signal_number, tacho_error *err);

/** Returns a sentence that says why nothing is recorded; NULL while a trace is on. */
TACHO_API const char *tacho_trace_why_off(void);

/** Converts the recording of a killed process, like `tacho trace recover`. The name of `out` ends
   in .json or .pftrace, or in one of them and .gz.
    @return 0, TACHO_EINVAL, TACHO_EPARSE, TACHO_EIO, TACHO_ENOMEM */
TACHO_API TACHO_MUST_CHECK int tacho_trace_convert(const char *recording, const char *out,
                                                   tacho_error *err);

/** Returns CLOCK_MONOTONIC in nanoseconds, the clock of explicit times. */
TACHO_API uint64_t tacho_trace_now_ns(void);

/** Limit of arguments per event; more are left out and counted. */
#define TACHO_ARGS_MAX 16

/* Spans of this thread. They nest. Spans of fibers that switch inside them do not, so give each
   fiber a track of its own (tacho_track(), examples/fibers). */

/** Begin a span. Both look up the names at every call; TACHO_SPAN looks them up once per site. */
TACHO_API void tacho_span_begin(const char *name, const char *category);
TACHO_API void tacho_span_begin_args(const char *name, const char *category, tacho_fields args);

/** End the innermost span that this thread began by tacho_span_begin(). They record nothing if
   that begin was dropped, or happened before the trace started. */
TACHO_API void tacho_span_end(void);
TACHO_API void tacho_span_end_args(tacho_fields args);

/** Record a span that ends now and took duration_ms, in the format of ferrum's Chrome trace: whole
   microseconds, process 0, thread `track`. A span that began before the trace starts at 0 and keeps
   its duration. If no variable requested a trace when the library was loaded, the first push reads
   them again (docs/traces.md). That first push must not be in a signal handler. */
TACHO_API void tacho_trace_push(const char *name, const char *category, double duration_ms,
                                uint32_t track);
TACHO_API void tacho_trace_push_args(const char *name, const char *category, double duration_ms,
                                     uint32_t track, tacho_fields args);

/** An event of ferrum's Chrome trace, with all its fields. */
typedef struct tacho_trace_event {
    const char *name;
    const char *category;
    const char *phase; /**< "X" for a complete span */
    uint64_t ts_us;    /**< start, from the start of the trace */
    uint64_t dur_us;
    uint64_t pid;
    uint64_t tid;
    tacho_fields args;
} tacho_trace_event;

/** Records an event unchanged. */
TACHO_API void tacho_trace_push_event(const tacho_trace_event *event);

/** Rounds milliseconds to whole microseconds like ferrum: half away from zero. NaN and negative
    values become 0. */
TACHO_API uint64_t tacho_trace_duration_us(double duration_ms);

/* Other events of this thread. */

/** The scope of an instant, across which viewers draw it. Values are stable. */
enum tacho_scope { TACHO_SCOPE_THREAD = 0, TACHO_SCOPE_PROCESS = 1, TACHO_SCOPE_GLOBAL = 2 };

/** Records an instant: an event without a duration. */
TACHO_API void tacho_instant(const char *name, const char *category, enum tacho_scope scope,
                             tacho_fields args);

/** Record the new value of a counter. */
TACHO_API void tacho_counter_i64(const char *name, int64_t value);
TACHO_API void tacho_counter_f64(const char *name, double value);

/** Phases of flows and asynchronous spans. Values are stable. */
enum tacho_phase { TACHO_PHASE_BEGIN = 0, TACHO_PHASE_STEP = 1, TACHO_PHASE_END = 2 };

/** Records a step of an arrow between spans, across threads. A step binds to the innermost open
   span. Steps with the same name, category and id belong together. Use each id for one begin
   only: viewers draw later arrows of the same id from the first begin. */
TACHO_API void tacho_flow(const char *name, const char *category, enum tacho_phase phase,
                          uint64_t id);

/** Records a phase of a span that may begin on one thread and end on another. Its name, category
   and id identify it. */
TACHO_API void tacho_async(const char *name, const char *category, enum tacho_phase phase,
                           uint64_t id, tacho_fields args);

/** Name the calling thread, and the process, in viewers. */
TACHO_API void tacho_thread_name(const char *name);
TACHO_API void tacho_process_name(const char *name);

/* Tracks that the program makes, for example for a layer, a GPU stream or a request. Times are
   CLOCK_MONOTONIC in nanoseconds. */

/** Finds or makes the track of that name. Returns 0 when no trace is on; later events on track 0
   are counted as dropped. */
TACHO_API uint32_t tacho_track(const char *name);

/** Records a span on a track. Spans of one track may come in any order; those that overlap
   partly get rows of their own. A span whose end_ns is before start_ns gets the length 0. A
   span that began before the trace starts at 0 and keeps its duration. */
TACHO_API void tacho_track_span(uint32_t track, const char *name, const char *category,
                                uint64_t start_ns, uint64_t end_ns, tacho_fields args);
/** Record an instant, and the new value of a counter, on a track. */
TACHO_API void tacho_track_instant(uint32_t track, const char *name, const char *category,
                                   uint64_t at_ns, tacho_fields args);
TACHO_API void tacho_track_counter(uint32_t track, const char *name, uint64_t at_ns, double value);

/*
 * The hot path: inline code for TACHO_SPAN() and TACHO_SPAN_ARGS() below. Use it only through these
 * macros. Its layouts are frozen, because programs have them compiled in.
 */

/** Where the calling thread writes next. At most 64 bytes; its layout is frozen. */
struct tacho_trace_cursor {
    uintptr_t next; /**< address of the next word; after `end` when the stage is full */
    uintptr_t end;  /**< end of the words for inline records; 0: no inline records */
    uintptr_t done; /**< next minus the bytes of unfinished records, also of those that a signal
                         handler interrupted */
    uintptr_t room; /**< end of the words for records made by a call; 0: the trace is over */
    void *lane;
    uint32_t thread; /**< number of the thread, from 1 in each process */
    uint32_t tid;
    uint32_t name;  /**< number of the text of the thread's name; 0: not known */
    uint32_t ended; /**< how often its destructor has run while the thread exits */
    uint32_t reserved[2];
};

#if defined(__GNUC__)
/** Thread-local. With glibc it is at an offset known at program start, so that one load finds it.
    Other C libraries could then not load a plugin that uses libtacho. */
#if defined(__GLIBC__)
#define TACHO_TRACE_TLS __attribute__((tls_model("initial-exec"))) __thread
#else
#define TACHO_TRACE_TLS __thread
#endif

extern TACHO_API TACHO_TRACE_TLS struct tacho_trace_cursor tacho_trace_cursor;
#endif

/** 1 while a trace is on. */
extern TACHO_API int tacho_trace_mode;

/** Returns whether a trace is on. Check it before you measure a time that only the trace needs. */
static inline bool tacho_trace_is_on(void)
{
    return __atomic_load_n(&tacho_trace_mode, __ATOMIC_RELAXED) != 0;
}

/** A site: a place in the program that records spans. Static. Its layout is frozen. */
struct tacho_trace_site {
    uint32_t code;   /**< code of its plain records; 0 before the first, and for sites without plain
                        records */
    uint32_t number; /**< 0 before the first record */
    uint32_t values; /**< hash of the arguments that its records carry as bare values; 0: none */
    uint32_t reserved;
    const char *name;
    const char *category;
};

/* clang-format off */
#define TACHO_TRACE_SITE(name, category) {0, 0, 0, 0, "" name, "" category}
/* clang-format on */

/** Ticket passed from begin to end: the site's code, or TACHO_TRACE_BY_CALL | site number; 0 if the
    span was not recorded. */
#define TACHO_TRACE_BY_CALL 0x80000000u

/** The slow paths of begin and end. */
TACHO_API uint32_t tacho_trace_begin_slow(struct tacho_trace_site *site);
TACHO_API uint32_t tacho_trace_begin_args(struct tacho_trace_site *site, tacho_fields args);
TACHO_API void tacho_trace_end_slow(uint32_t ticket);

/** Begins a span by its names and returns its ticket; 0 when no trace is on. For objects that keep
    the ticket until the span ends: those of <tacho/tacho.hpp> and of other languages. */
TACHO_API uint32_t tacho_trace_begin_named(const char *name, const char *category,
                                           tacho_fields args);
/** Ends the span of a ticket with more arguments. Ticket 0 ends nothing. */
TACHO_API void tacho_trace_end_args(uint32_t ticket, tacho_fields args);

#if defined(__x86_64__) && defined(__GNUC__)
/* Reserves words with one instruction, so that a signal handler runs before or after it, never in
   between. */
static inline uintptr_t tacho_trace_take(uintptr_t bytes)
{
    __asm__ volatile("xaddq %0, %1" : "+r"(bytes), "+m"(tacho_trace_cursor.next) : : "cc");
    return bytes;
}

static inline void tacho_trace_done(uintptr_t bytes)
{
    __asm__ volatile("addq %1, %0" : "+m"(tacho_trace_cursor.done) : "er"(bytes) : "cc", "memory");
}

/* Returns whether the reserved word is inside the stage. */
static inline int tacho_trace_fits(uintptr_t taken)
{
    return taken < __atomic_load_n(&tacho_trace_cursor.end, __ATOMIC_RELAXED);
}

static inline uint32_t tacho_trace_begin(struct tacho_trace_site *site)
{
    uint32_t code = __atomic_load_n(&site->code, __ATOMIC_RELAXED);
    uintptr_t taken;
    uint64_t now;

    if (__builtin_expect(code != 0, 1)) {
        now = __builtin_ia32_rdtsc(); /* read before the word is reserved, which does not depend on
                                         it */
        taken = tacho_trace_take(8);
        if (__builtin_expect(tacho_trace_fits(taken), 1)) {
            *(volatile uint64_t *)taken = now << 16 | code;
            tacho_trace_done(8);
            return code;
        }
        tacho_trace_done(8);
    }
    return tacho_trace_begin_slow(site);
}

static inline void tacho_trace_end(uint32_t ticket)
{
    uintptr_t taken;
    uint64_t now;

    if (__builtin_expect((int32_t)ticket > 0, 1)) {
        now = __builtin_ia32_rdtsc();
        taken = tacho_trace_take(8);
        if (__builtin_expect(tacho_trace_fits(taken), 1)) {
            *(volatile uint64_t *)taken = now << 16 | ticket | 1;
            tacho_trace_done(8);
            return;
        }
        tacho_trace_done(8);
    }
    tacho_trace_end_slow(ticket);
}
#else
static inline uint32_t tacho_trace_begin(struct tacho_trace_site *site)
{
    return tacho_trace_begin_slow(site);
}

static inline void tacho_trace_end(uint32_t ticket)
{
    tacho_trace_end_slow(ticket);
}
#endif

static inline uint32_t tacho_trace_enter(struct tacho_trace_site *site)
{
    return __builtin_expect(tacho_trace_is_on(), 0) ? tacho_trace_begin(site) : 0;
}

static inline void tacho_trace_leave(const uint32_t *ticket)
{
    if (__builtin_expect(*ticket != 0, 0))
        tacho_trace_end(*ticket);
}

TACHO_END_DECLS

#define TACHO_TRACE_JOIN2(a, b) a##b
#define TACHO_TRACE_JOIN(a, b)  TACHO_TRACE_JOIN2(a, b)
#define TACHO_TRACE_NAME(what)  TACHO_TRACE_JOIN(tacho_trace_##what##_, __LINE__)

#if defined(__cplusplus)
namespace tacho
{
/** Ends the span of TACHO_SPAN at the end of the scope, also by exception. <tacho/tacho.hpp> has
    spans that can be moved, ended early and named at run time. */
class span_scope
{
  public:
    explicit span_scope(uint32_t ticket) noexcept : ticket_(ticket)
    {
    }
    span_scope(const span_scope &) = delete;
    span_scope &operator=(const span_scope &) = delete;
    ~span_scope()
    {
        tacho_trace_leave(&ticket_);
    }

  private:
    const uint32_t ticket_;
};
} // namespace tacho

#define TACHO_TRACE_SCOPE(ticket) const tacho::span_scope TACHO_TRACE_NAME(scope)(ticket)
#else
#define TACHO_TRACE_SCOPE(ticket)                                                                \
    const uint32_t TACHO_TRACE_NAME(scope) __attribute__((cleanup(tacho_trace_leave), unused)) = \
        (ticket)
#endif

#if defined(TACHO_DISABLE)

#define TACHO_SPAN(name, category)           ((void)0)
#define TACHO_SPAN_ARGS(name, category, ...) ((void)0)
#define tacho_span_begin(...)                ((void)0)
#define tacho_span_begin_args(...)           ((void)0)
#define tacho_span_end()                     ((void)0)
#define tacho_span_end_args(...)             ((void)0)
#define tacho_trace_push(...)                ((void)0)
#define tacho_trace_push_args(...)           ((void)0)
#define tacho_trace_push_event(...)          ((void)0)
#define tacho_instant(...)                   ((void)0)
#define tacho_counter_i64(...)               ((void)0)
#define tacho_counter_f64(...)               ((void)0)
#define tacho_flow(...)                      ((void)0)
#define tacho_async(...)                     ((void)0)
#define tacho_thread_name(...)               ((void)0)
#define tacho_process_name(...)              ((void)0)
#define tacho_track(...)                     0
#define tacho_track_span(track, ...)         ((void)sizeof(track))
#define tacho_track_instant(track, ...)      ((void)sizeof(track))
#define tacho_track_counter(track, ...)      ((void)sizeof(track))

#else

/** Makes the rest of this scope a span. Both names are string literals. At most one per source
 * line. */
#define TACHO_SPAN(name, category)                                                            \
    static struct tacho_trace_site TACHO_TRACE_NAME(site) = TACHO_TRACE_SITE(name, category); \
    TACHO_TRACE_SCOPE(tacho_trace_enter(&TACHO_TRACE_NAME(site)))

/** Like TACHO_SPAN, with 1 to TACHO_ARGS_MAX arguments: TACHO_SPAN_ARGS("gemm", "math",
   tacho_i64("m", m)). They are evaluated only when a trace is on. */
#define TACHO_SPAN_ARGS(name, category, ...)                                                  \
    static struct tacho_trace_site TACHO_TRACE_NAME(site) = TACHO_TRACE_SITE(name, category); \
    TACHO_TRACE_SCOPE(TACHO_TRACE_ENTER_ARGS(&TACHO_TRACE_NAME(site), __VA_ARGS__))

#define TACHO_TRACE_ENTER_ARGS(site, ...)                          \
    (__builtin_expect(tacho_trace_is_on(), 0)                      \
         ? tacho_trace_begin_args(site, TACHO_FIELDS(__VA_ARGS__)) \
         : 0u)

#endif

#endif
