/*
 * Writes Chrome trace files span by span, and reads them. A program may have any number of writers.
 *
 *     tacho_chrome *trace = NULL;
 *
 *     if (tacho_chrome_open("trace.json", &trace, &err) < 0) ...
 *     tacho_chrome_push(trace, "rms_norm", "norm", elapsed_ms, 1,
 *                       TACHO_FIELDS(tacho_i64("tokens", 4)), NULL);
 *     if (tacho_chrome_close(trace, &err) < 0) ...
 *
 * A file is one JSON array, byte for byte as ferrum writes it. An event is {"name":"rms_norm",
 * "cat":"norm","ph":"X","ts":1234,"dur":56,"pid":0,"tid":1,"args":{"tokens":4}}, without args when
 * there are none. Times are whole microseconds since the writer was opened. There are no other
 * events, such as names of threads.
 *
 * Events stay in memory until the file is written, by tacho_chrome_flush(), tacho_chrome_close(),
 * or at exit for a writer that is still open. A kill loses them. <tacho/trace.h> records more,
 * faster, and survives a kill.
 *
 * Several threads may use a writer at the same time. Signal handlers must not use one, and a child
 * made by fork must not use the writers of its parent.
 */
#ifndef TACHO_CHROME_H
#define TACHO_CHROME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "field.h"
#include "trace.h"

TACHO_BEGIN_DECLS

/* ---- the writer ---- */

/** Collects events for one file. */
typedef struct tacho_chrome tacho_chrome;

/**
 * Opens a writer. Nothing is written yet. A file name that ends in .gz is compressed.
 *
 * @param path  copied; any name is allowed. NULL or "": the writer is disabled
 * @param ret   set on success only; the caller closes it
 * @param err   set on failure only; may be NULL
 * @return 0, TACHO_ENOMEM, TACHO_EIO, or TACHO_EALREADY when this process records spans to that
 * file by <tacho/trace.h>. An empty recording to that file that TACHO_TRACE_OUT started is
 * discarded instead.
 */
TACHO_API TACHO_MUST_CHECK int tacho_chrome_open(const char *path, tacho_chrome **ret,
                                                 tacho_error *err);

/**
 * Opens a writer for the file that TACHO_TRACE_OUT names, or FERRUM_TRACE_OUT when that one is not
 * set or is empty. The writer is disabled when both are not set or empty. If a name occurs more
 * than once, its first value that is not empty counts.
 *
 * @param pairs  "NAME=value", terminated by NULL; or NULL for the environment of the process
 */
TACHO_API TACHO_MUST_CHECK int tacho_chrome_open_env(const char *const *pairs, tacho_chrome **ret,
                                                     tacho_error *err);

/** Writes the file and frees the writer, also on failure. Accepts NULL. No other thread may be
    using the writer. @return like tacho_chrome_flush() */
TACHO_API TACHO_MUST_CHECK int tacho_chrome_close(tacho_chrome *writer, tacho_error *err);

/** Returns whether the writer is enabled. Check it before you measure a time that only the trace
    needs. */
TACHO_API bool tacho_chrome_is_enabled(const tacho_chrome *writer);

/** Returns the path as it was given, or NULL when the writer is disabled. Valid as long as the
    writer. */
TACHO_API const char *tacho_chrome_path(const tacho_chrome *writer);

/**
 * Adds a span that ends now and took duration_ms. A span that began before the writer was opened
 * starts at 0 and keeps its duration. A disabled writer does nothing, and succeeds.
 *
 * @param name, category  any bytes up to their NUL, or NULL; bytes that are not UTF-8 become U+FFFD
 * @param duration_ms     rounded to whole microseconds; negative and NaN: 0
 * @param track           the number of the layer or step, "tid" in the file; 0 for the whole
 * program
 * @param args            written in this order; if a key occurs twice, its last value counts
 * @return 0; TACHO_EINVAL for an argument without a key or with invalid JSON; TACHO_ELIMIT above 1
 *         GiB of events; TACHO_ENOMEM. After a failure the event is missing, and the next flush
 *         reports that, too.
 */
TACHO_API int tacho_chrome_push(tacho_chrome *writer, const char *name, const char *category,
                                double duration_ms, uint32_t track, tacho_fields args,
                                tacho_error *err);

/** Adds a span like tacho_chrome_push(), with its arguments as the text of a JSON object,
    terminated by NUL; NULL: no arguments. */
TACHO_API int tacho_chrome_push_json(tacho_chrome *writer, const char *name, const char *category,
                                     double duration_ms, uint32_t track, const char *args,
                                     tacho_error *err);

/** Adds an event unchanged, such as one that was read. Returns like tacho_chrome_push(), and
    TACHO_EINVAL when its phase is not one character, or its pid or tid does not fit 32 bits. */
TACHO_API int tacho_chrome_put(tacho_chrome *writer, const tacho_trace_event *event,
                               tacho_error *err);

/**
 * Writes the file with all events since the writer was opened. The file appears complete or not at
 * all. Missing folders are made. A disabled writer does nothing, and succeeds.
 *
 * @return 0; TACHO_EIO, TACHO_ENOMEM when it could not be written; or, after writing it, the code
 * of the first event that is missing
 */
TACHO_API TACHO_MUST_CHECK int tacho_chrome_flush(tacho_chrome *writer, tacho_error *err);

/* ---- events ---- */

/** Makes the event of a span: phase "X", process 0, no arguments. */
static inline tacho_trace_event tacho_chrome_complete(const char *name, const char *category,
                                                      uint64_t start_us, double duration_ms,
                                                      uint32_t track)
{
    tacho_trace_event event;

    event.name = name;
    event.category = category;
    event.phase = "X";
    event.ts_us = start_us;
    event.dur_us = tacho_trace_duration_us(duration_ms);
    event.pid = 0;
    event.tid = track;
    event.args.data = NULL;
    event.args.count = 0;
    return event;
}

/**
 * Writes one event as JSON, in the form that files have.
 *
 * @param ret      set on success only, terminated by NUL; the caller frees it with free()
 * @param ret_len  bytes without the NUL; may be NULL
 * @return 0, TACHO_EINVAL like tacho_chrome_put(), TACHO_ENOMEM
 */
TACHO_API TACHO_MUST_CHECK int tacho_chrome_event_to_json(const tacho_trace_event *event,
                                                          char **ret, size_t *ret_len,
                                                          tacho_error *err);

/* ---- the reader ---- */

/** Reads the events of a file one by one, in bounded memory. */
typedef struct tacho_chrome_reader tacho_chrome_reader;

/** Opens a reader of memory, which is borrowed until the reader is closed. It contains an array
   of events, or one event. Returns 0, TACHO_ENOMEM, or TACHO_EUNSUPPORTED for gzip, which
   libtacho cannot decompress. */
TACHO_API TACHO_MUST_CHECK int tacho_chrome_reader_open_mem(const char *data, size_t len,
                                                            tacho_chrome_reader **ret,
                                                            tacho_error *err);

/** Opens a reader of a file. Returns like tacho_chrome_reader_open_mem(), and TACHO_EIO when the
    file cannot be read. */
TACHO_API TACHO_MUST_CHECK int tacho_chrome_reader_open(const char *path, tacho_chrome_reader **ret,
                                                        tacho_error *err);

/** Closes the reader. Accepts NULL. */
TACHO_API void tacho_chrome_reader_close(tacho_chrome_reader *reader);

/**
 * Reads the next event. The reader is strict: name and cat are texts, ph is one character, ts and
 * dur are whole numbers of 64 bits, pid and tid of 32. Each of them must occur exactly once; args
 * may be missing and is an object. Other members are ignored. `tacho trace` reads the traces of
 * other programs.
 *
 * @param ret  valid until the next call. Arguments keep their order. The type of each field is that
 * of its value; arrays, objects and null are TACHO_FIELD_JSON.
 * @return 1; 0 at the end; TACHO_EPARSE with line, column and offset of the invalid text;
 *         TACHO_ELIMIT for an event above 16 MiB; TACHO_EIO, TACHO_ENOMEM. A failure is final.
 */
TACHO_API TACHO_MUST_CHECK int tacho_chrome_next(tacho_chrome_reader *reader,
                                                 const tacho_trace_event **ret, tacho_error *err);

TACHO_END_DECLS

#endif
