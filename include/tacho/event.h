/*
 * Profile events: one JSON line for each profiled step of a program.
 *
 *     int report(double us) {
 *         return TACHO_EVENT("unified_prof", TACHO_FIELDS(tacho_u64("batch", 32)),
 *                            TACHO_FIELDS(tacho_f64("model", us)), true); }
 *
 * The path of the file, and the members that describe the process, come from the environment
 * (TACHO_PROFILE_JSONL and others, docs/events.md) or from tacho_event_configure(). Without a path
 * nothing is written, and no field is evaluated.
 *
 * A line has these fields, always in this order: event, commit_sha (or null), env_hash, model,
 * concurrency, shape, stage_us, graph_enabled, runtime_flags, and then, only when set, source and
 * source_line. The top keys of shape and stage_us are sorted by bytes.
 *
 * One event is one write(2) on an O_APPEND descriptor: lines of many threads and processes stay
 * whole, and an event that was pushed survives a kill. A kill or a full disk may leave one
 * truncated line, a fragment. A writer that finds one starts on a new line; a reader reports the
 * line as torn and still returns a whole event after the fragment.
 */
#ifndef TACHO_EVENT_H
#define TACHO_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "field.h"

TACHO_BEGIN_DECLS

/* ---- the writer ---- */

/** The members that are the same for all events of a process. Texts are UTF-8, terminated by NUL,
   and copied. An invalid value, such as a concurrency of 0, makes every push fail. */
typedef struct tacho_event_config {
    size_t size;               /**< set by TACHO_EVENT_CONFIG_INIT */
    const char *path;          /**< NULL or blank: the writer is disabled */
    const char *commit_sha;    /**< NULL: null */
    const char *env_hash;      /**< starts with "sha256:"; NULL: "sha256:unknown" */
    const char *model;         /**< NULL: "unknown" */
    const char *runtime_flags; /**< a JSON object; NULL: {} */
    const char *source;        /**< NULL: "native" */
    uint32_t concurrency;      /**< at least 1 */
    uint32_t reserved;         /**< 0 */
} tacho_event_config;

/** The defaults: no path, concurrency 1. */
#define TACHO_EVENT_CONFIG_INIT                                              \
    {                                                                        \
        sizeof(tacho_event_config), NULL, NULL, NULL, NULL, NULL, NULL, 1, 0 \
    }

/* Environment variables. A FERRUM_ variable is read where its TACHO_ variable is not set. */
#define TACHO_ENV_PROFILE_JSONL              "TACHO_PROFILE_JSONL" /**< the path */
#define TACHO_ENV_PROFILE_COMMIT_SHA         "TACHO_PROFILE_COMMIT_SHA"
#define TACHO_ENV_PROFILE_ENV_HASH           "TACHO_PROFILE_ENV_HASH"
#define TACHO_ENV_PROFILE_MODEL              "TACHO_PROFILE_MODEL"
#define TACHO_ENV_PROFILE_CONCURRENCY        "TACHO_PROFILE_CONCURRENCY"
#define TACHO_ENV_PROFILE_RUNTIME_FLAGS_JSON "TACHO_PROFILE_RUNTIME_FLAGS_JSON"

#define TACHO_ENV_FERRUM_PROFILE_JSONL              "FERRUM_PROFILE_JSONL"
#define TACHO_ENV_FERRUM_PROFILE_COMMIT_SHA         "FERRUM_PROFILE_COMMIT_SHA"
#define TACHO_ENV_FERRUM_PROFILE_ENV_HASH           "FERRUM_PROFILE_ENV_HASH"
#define TACHO_ENV_FERRUM_PROFILE_MODEL              "FERRUM_PROFILE_MODEL"
#define TACHO_ENV_FERRUM_PROFILE_CONCURRENCY        "FERRUM_PROFILE_CONCURRENCY"
#define TACHO_ENV_FERRUM_PROFILE_RUNTIME_FLAGS_JSON "FERRUM_PROFILE_RUNTIME_FLAGS_JSON"

/**
 * Reads the configuration that tacho_event_open_env() uses. Without a path all members have their
 * defaults. Only path and commit_sha can be NULL. The program may change its members, but must not
 * assign the struct to another one, because the library's struct may be longer than the
 * program's.
 *
 * @param pairs  "NAME=value", terminated by NULL; or NULL for the environment of the process. If
 * a name occurs twice, the last pair counts.
 * @param ret    set on success only; the caller frees it, with its texts, by one free()
 * @return 0 or TACHO_ENOMEM
 */
TACHO_API TACHO_MUST_CHECK int
tacho_event_config_from_env(const char *const *pairs, tacho_event_config **ret, tacho_error *err);

/** Reads all members but the path, whether a path is set or not. */
TACHO_API TACHO_MUST_CHECK int
tacho_event_metadata_from_env(const char *const *pairs, tacho_event_config **ret, tacho_error *err);

/**
 * Writes {"jsonl_path":..., "metadata":{"commit_sha":..., "env_hash":..., "model":...,
 * "concurrency":..., "runtime_flags":...}}. There is no jsonl_path when the path is blank, and
 * "source" only when it is not "native".
 *
 * @param ret      set on success only, terminated by NUL; the caller frees it with free()
 * @param ret_len  bytes without the NUL; may be NULL
 * @return 0, TACHO_EINVAL for a path that is not UTF-8 or flags that are not JSON, TACHO_ENOMEM,
 *         TACHO_ELIMIT
 */
TACHO_API TACHO_MUST_CHECK int tacho_event_config_to_json(const tacho_event_config *config,
                                                          char **ret, size_t *ret_len,
                                                          tacho_error *err);

/**
 * Reads the JSON that tacho_event_config_to_json() writes. jsonl_path and metadata may be missing,
 * and unknown members are ignored. Values are checked when events are pushed.
 *
 * @param ret  as for tacho_event_config_from_env()
 * @return 0, TACHO_EPARSE, TACHO_ENOMEM, TACHO_ELIMIT
 */
TACHO_API TACHO_MUST_CHECK int tacho_event_config_from_json(const char *json, size_t len,
                                                            tacho_event_config **ret,
                                                            tacho_error *err);

/** Write and read the object "metadata" alone. */
TACHO_API TACHO_MUST_CHECK int tacho_event_metadata_to_json(const tacho_event_config *config,
                                                            char **ret, size_t *ret_len,
                                                            tacho_error *err);
TACHO_API TACHO_MUST_CHECK int tacho_event_metadata_from_json(const char *json, size_t len,
                                                              tacho_event_config **ret,
                                                              tacho_error *err);

/** Appends events to one file. May be used by several threads. */
typedef struct tacho_event_writer tacho_event_writer;

/**
 * Opens a writer, and makes the folders above its file.
 *
 * @param ret   set on success only; the caller closes it. Without a path it is disabled.
 * @param err   set on failure only; may be NULL
 * @return 0, TACHO_EINVAL, TACHO_ENOMEM, or TACHO_EIO when the file cannot be opened
 */
TACHO_API TACHO_MUST_CHECK int tacho_event_open(const tacho_event_config *config,
                                                tacho_event_writer **ret, tacho_error *err);

/**
 * Opens a writer as environment variables say: TACHO_PROFILE_JSONL (the path), _COMMIT_SHA,
 * _ENV_HASH, _MODEL, _CONCURRENCY and _RUNTIME_FLAGS_JSON, each also read as FERRUM_PROFILE_...
 * where the TACHO_ one is not set. When no variable names the path and TACHO_RUN_DIR is set, it is
 * profile.jsonl in that folder. An invalid value counts as missing.
 *
 * @param pairs  "NAME=value", terminated by NULL; or NULL for the environment of the process. If
 * a name occurs twice, the last pair counts.
 */
TACHO_API TACHO_MUST_CHECK int tacho_event_open_env(const char *const *pairs,
                                                    tacho_event_writer **ret, tacho_error *err);

/** Closes a writer. Must not be called for the global writer, nor while another thread uses the
    writer. Accepts NULL. */
TACHO_API void tacho_event_close(tacho_event_writer *writer);

/** Returns whether the writer is enabled. */
TACHO_API bool tacho_event_is_enabled(const tacho_event_writer *writer);

/** Returns the path of the file, or NULL when the writer is disabled. Valid as long as the writer.
 */
TACHO_API const char *tacho_event_path(const tacho_event_writer *writer);

/** Returns the configuration of the writer; the default when it is disabled. Valid as long as
   the writer. Only path and commit_sha can be NULL. */
TACHO_API const tacho_event_config *tacho_event_writer_config(const tacho_event_writer *writer);

/**
 * Writes one event. A disabled writer does nothing. Allocates only for a line longer than 11 KiB or
 * more than 32 fields.
 *
 * @return 0; TACHO_EINVAL when the event is not valid, and then nothing was written; TACHO_EIO
 *         when it could not be written, with ENOSPC in system_errno on a full disk; TACHO_ELIMIT
 *         above 16 MiB; TACHO_ENOMEM
 */
TACHO_API int tacho_event_push(tacho_event_writer *writer, const char *event, tacho_fields shape,
                               tacho_fields stage_us, bool graph_enabled, tacho_error *err);

/** Writes one event with shape and stage_us as JSON text, terminated by NUL. The members of an
   object become fields; any other JSON value gives no fields. Returns TACHO_EINVAL for invalid
   JSON. */
TACHO_API int tacho_event_push_json(tacho_event_writer *writer, const char *event,
                                    const char *shape, const char *stage_us, bool graph_enabled,
                                    tacho_error *err);

/** Returns 0 when all events are with the kernel, where they survive a kill of the program. Every
    push hands its event over, so this only reports a descriptor that the program closed, as
    TACHO_EIO. It does not wait for the disk: see tacho_event_sync(). */
TACHO_API TACHO_MUST_CHECK int tacho_event_flush(tacho_event_writer *writer, tacho_error *err);

/** Waits until all events are on the disk, where they survive a power failure. Takes milliseconds.
    Returns 0, or TACHO_EIO. */
TACHO_API TACHO_MUST_CHECK int tacho_event_sync(tacho_event_writer *writer, tacho_error *err);

/* ---- the writer of the whole process ---- */

/**
 * Configures the writer of the process, once, before its first use.
 *
 * @return 0; TACHO_EALREADY when it was configured or used before, and then nothing changes;
 *         TACHO_EIO, TACHO_ENOMEM when the file cannot be opened, and then it can be configured
 *         again, or its first use makes it from the environment
 */
TACHO_API TACHO_MUST_CHECK int tacho_event_configure(const tacho_event_config *config,
                                                     tacho_error *err);

/** Returns the writer of the process, which is made from the environment on first use unless it was
    configured before. Never NULL, never closed. When the file that the environment names cannot be
    opened it is disabled, and a message says why, once: "[profile-jsonl] failed to open configured
    sink: ...", on standard error or to the handler of tacho_set_message_handler(). */
TACHO_API tacho_event_writer *tacho_event_global(void);

/** Flushes the writer of the process like tacho_event_flush(). Does nothing if the writer was never
    used, and does not create it. */
TACHO_API TACHO_MUST_CHECK int tacho_event_flush_global(tacho_error *err);

/** Returns 0, or the failure that disabled the global writer although a path was given. */
TACHO_API TACHO_MUST_CHECK int tacho_event_global_status(tacho_error *err);

/** Used by tacho_event_is_on() only. */
enum { TACHO_EVENT_NOT_ASKED, TACHO_EVENT_OFF, TACHO_EVENT_ON };
extern TACHO_API int tacho_event_state;

/** Returns whether the global writer is enabled. After the first call this takes a load and a
    compare. */
static inline bool tacho_event_is_on(void)
{
    int state = __atomic_load_n(&tacho_event_state, __ATOMIC_RELAXED);

    if (state == TACHO_EVENT_OFF)
        return false;
    return state == TACHO_EVENT_ON || tacho_event_is_enabled(tacho_event_global());
}

/* ---- one event per statement ---- */

/**
 * int TACHO_EVENT(const char *event, tacho_fields shape, tacho_fields stage_us, bool
 * graph_enabled): writes an event by the global writer and returns like tacho_event_push().
 * Evaluates nothing while that writer is disabled.
 */
#define TACHO_EVENT(event, shape, stage_us, graph_enabled)                                     \
    (tacho_event_is_on()                                                                       \
         ? tacho_event_push(tacho_event_global(), event, shape, stage_us, graph_enabled, NULL) \
         : 0)

/* ---- events as objects ---- */

/**
 * An event with all its members, which does not use the configuration of a writer. Start with
 * TACHO_EVENT_INIT:
 *
 *     tacho_event event = TACHO_EVENT_INIT;
 *     event.event = "unified_prof";
 *     event.model = "qwen3";
 *     event.stage_us = TACHO_FIELDS(tacho_f64("model", us));
 *     event.source_line = line;
 *
 * Texts are UTF-8, terminated by NUL and borrowed. Two events are equal when tacho_event_to_json()
 * writes the same text for both.
 */
typedef struct tacho_event {
    size_t size;               /**< set by TACHO_EVENT_INIT */
    const char *event;         /**< its name, not blank */
    const char *commit_sha;    /**< not blank; NULL: null */
    const char *env_hash;      /**< starts with "sha256:"; NULL: "sha256:unknown" */
    const char *model;         /**< not blank; NULL: "unknown" */
    tacho_fields shape;        /**< sorted when they are written */
    tacho_fields stage_us;     /**< sorted when they are written */
    const char *runtime_flags; /**< a JSON object; NULL: {} */
    const char *source;        /**< NULL: left out */
    const char *source_line;   /**< NULL: left out */
    uint32_t concurrency;      /**< at least 1 */
    bool graph_enabled;
    uint8_t reserved[3]; /**< 0 */
} tacho_event;

#define TACHO_EVENT_INIT                                                                        \
    {                                                                                           \
        sizeof(tacho_event), NULL, NULL, NULL, NULL, {NULL, 0}, {NULL, 0}, NULL, NULL, NULL, 1, \
            false,                                                                              \
        {                                                                                       \
            0, 0, 0                                                                             \
        }                                                                                       \
    }

/** Returns the names of the fields that every event must have, in their order, terminated by NULL.
 */
TACHO_API const char *const *tacho_event_required_fields(void);

/** Checks an event. @return 0; TACHO_EINVAL with the first rule that is broken, such as
   "concurrency must be > 0"; TACHO_ELIMIT above 16 MiB; TACHO_ENOMEM */
TACHO_API TACHO_MUST_CHECK int tacho_event_validate(const tacho_event *event, tacho_error *err);

/**
 * Writes a valid event as JSON in its canonical form, without a line feed.
 *
 * @param ret      set on success only, terminated by NUL; the caller frees it with free()
 * @param ret_len  bytes without the NUL; may be NULL
 * @return 0, or what tacho_event_validate() returns
 */
TACHO_API TACHO_MUST_CHECK int tacho_event_to_json(const tacho_event *event, char **ret,
                                                   size_t *ret_len, tacho_error *err);

/**
 * Reads and checks one event like tacho_event_parse(). shape and stage_us are sorted by key.
 *
 * The program may change the members, but must not assign the struct to another one, because the
 * library's struct may be longer than the program's.
 *
 * @param ret  set on success only; the caller frees it, with all that it points to, by one free()
 * @return 0, TACHO_EPARSE (also for a text with a NUL, because members are terminated by NUL), or
 * TACHO_ENOMEM
 */
TACHO_API TACHO_MUST_CHECK int tacho_event_from_json(const char *json, size_t len,
                                                     tacho_event **ret, tacho_error *err);

/** Writes an event with its own members to the file of the writer, whose configuration is not used.
    Returns like tacho_event_push(). */
TACHO_API int tacho_event_write(tacho_event_writer *writer, const tacho_event *event,
                                tacho_error *err);

/** The events of a text, all of them valid. */
typedef struct tacho_event_list tacho_event_list;

/**
 * Reads all events of a text, one per line. Blank lines are skipped. Reading stops at the first
 * line that is not a valid event, and only the error is returned, with that line. A reader
 * (tacho_event_reader_open_mem()) continues after such a line instead, salvages events from torn
 * lines and needs little memory.
 *
 * @param ret  set on success only; the caller frees it
 * @return 0, TACHO_EPARSE, TACHO_ELIMIT for a line above 16 MiB, TACHO_ENOMEM
 */
TACHO_API TACHO_MUST_CHECK int
tacho_event_list_from_jsonl(const char *text, size_t len, tacho_event_list **ret, tacho_error *err);

/** Frees the list. Accepts NULL. */
TACHO_API void tacho_event_list_free(tacho_event_list *list);

/** Returns the number of events. */
TACHO_API size_t tacho_event_list_count(const tacho_event_list *list);

/** Returns the i-th event, from 0, or NULL. Valid as long as the list. Its members may be changed,
   as after tacho_event_from_json(). */
TACHO_API tacho_event *tacho_event_list_at(tacho_event_list *list, size_t i);

/** Checks that there is an event of each name. @return 0; TACHO_EPARSE and "missing profile event
    groups: a, b"; TACHO_ENOMEM */
TACHO_API TACHO_MUST_CHECK int tacho_event_list_require(const tacho_event_list *list,
                                                        const char *const *names, size_t count,
                                                        tacho_error *err);

/* ---- reading events without copying them ---- */

/** JSON text of one value, borrowed from the text that was read; a string with its quotes and
   escapes. NULL and 0 when the value is missing. */
typedef struct tacho_raw {
    const char *text;
    size_t len;
} tacho_raw;

/** A valid event that was read: its values are JSON text, borrowed from the text that was read. */
typedef struct tacho_event_view {
    size_t size; /**< set by TACHO_EVENT_VIEW_INIT */
    tacho_raw event;
    tacho_raw commit_sha; /**< a string or null */
    tacho_raw env_hash;
    tacho_raw model;
    tacho_raw shape;         /**< an object */
    tacho_raw stage_us;      /**< an object */
    tacho_raw runtime_flags; /**< an object */
    tacho_raw source;        /**< often missing */
    tacho_raw source_line;   /**< often missing */
    uint32_t concurrency;
    bool graph_enabled;
    uint8_t reserved[3];
    uint64_t line; /**< its line in the input, from 1; 0 when parsed alone */
    uint64_t torn; /**< bytes of a fragment before it in that line */
} tacho_event_view;

#define TACHO_EVENT_VIEW_INIT                                                            \
    {                                                                                    \
        sizeof(tacho_event_view), {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, \
            {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, 0, false, {0, 0, 0}, 0, 0        \
    }

/**
 * Parses and validates one event. Unicode white space around it is allowed.
 *
 * It checks in this order: JSON, an object, no field missing, types, then the values of event,
 * commit_sha, env_hash, model, concurrency and runtime_flags. If a key occurs twice, its last value
 * counts. Unknown members are ignored, but must be valid JSON.
 *
 * @param ret  set on success only; points into text
 * @return 0, or TACHO_EPARSE, TACHO_EINVAL, TACHO_ENOMEM
 */
TACHO_API TACHO_MUST_CHECK int tacho_event_parse(const char *text, size_t len,
                                                 tacho_event_view *ret, tacho_error *err);

/**
 * Copies the string without its quotes and escapes, terminated by NUL; "" for any other value.
 *
 * @param raw      from an event
 * @param size     of out; raw.len + 1 is always enough
 * @param ret_len  bytes without the NUL (the text may contain NULs); may be NULL
 * @return 0, or TACHO_ELIMIT when it does not fit
 */
TACHO_API TACHO_MUST_CHECK int tacho_raw_text(tacho_raw raw, char *out, size_t size,
                                              size_t *ret_len, tacho_error *err);

/**
 * Writes the event in its canonical form, without a line feed: fields in order, unknown ones
 * dropped, top keys of shape and stage_us sorted, shortest numbers, fewest escapes.
 *
 * @param ret      set on success only, terminated by NUL; the caller frees it with free()
 * @param ret_len  bytes without the NUL; may be NULL
 * @return 0, TACHO_ENOMEM or TACHO_ELIMIT
 */
TACHO_API TACHO_MUST_CHECK int tacho_event_canon(const tacho_event_view *event, char **ret,
                                                 size_t *ret_len, tacho_error *err);

/** Reads the events of a file or of memory line by line, in bounded memory. */
typedef struct tacho_event_reader tacho_event_reader;

/** Opens a reader of memory. data is borrowed until the reader is closed; events point into it. */
TACHO_API TACHO_MUST_CHECK int tacho_event_reader_open_mem(const char *data, size_t len,
                                                           tacho_event_reader **ret,
                                                           tacho_error *err);

/** Opens a reader of fd, from its current offset. fd, and name for error messages, are borrowed. */
TACHO_API TACHO_MUST_CHECK int
tacho_event_reader_open_fd(int fd, const char *name, tacho_event_reader **ret, tacho_error *err);

/** Closes the reader. Accepts NULL. */
TACHO_API void tacho_event_reader_close(tacho_event_reader *reader);

/**
 * Reads the next event and skips blank lines.
 *
 * @param ret  valid until the next call; ret->torn is not 0 when a fragment is before the event
 * @return 1; 0 at the end; TACHO_EPARSE for a line without a valid event, or TACHO_ELIMIT for one
 * above 16 MiB, with its number in err->line, and then the next call continues after it; TACHO_EIO,
 *         TACHO_ENOMEM
 */
TACHO_API TACHO_MUST_CHECK int tacho_event_next(tacho_event_reader *reader, tacho_event_view *ret,
                                                tacho_error *err);

/** Returns the number of fragments so far, with or without an event after them. */
TACHO_API uint64_t tacho_event_reader_torn(const tacho_event_reader *reader);

/* ---- required groups: names of events that must occur ---- */

typedef struct tacho_event_groups tacho_event_groups;

/** Makes a list of required names, which are copied. Returns 0 or TACHO_ENOMEM. */
TACHO_API TACHO_MUST_CHECK int tacho_event_groups_new(const char *const *names, size_t count,
                                                      tacho_event_groups **ret, tacho_error *err);

/** Frees the list. Accepts NULL. */
TACHO_API void tacho_event_groups_free(tacho_event_groups *groups);

/** Record that an event of this name occurred. */
TACHO_API void tacho_event_groups_see(tacho_event_groups *groups, const tacho_event_view *event);
TACHO_API void tacho_event_groups_see_name(tacho_event_groups *groups, const char *name);

/** Returns the next missing name after `after`, in the order given, or NULL. Start with NULL. */
TACHO_API const char *tacho_event_groups_missing(const tacho_event_groups *groups,
                                                 const char *after);

/** Checks that all names occurred. Returns 0, or TACHO_EPARSE and "missing profile event groups: a,
    b". */
TACHO_API TACHO_MUST_CHECK int tacho_event_groups_check(const tacho_event_groups *groups,
                                                        tacho_error *err);

TACHO_END_DECLS

#endif
