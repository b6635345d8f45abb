/*
 * Fields: keys with values. They are the arguments of spans and other events of a trace, and the
 * members of profile events.
 *
 *     TACHO_FIELDS(tacho_i64("m", m), tacho_text("kernel", name), tacho_json("shape", "[32,4096]"))
 *
 * Everything that a field points to is borrowed for the call that it is passed to. Keys are
 * terminated by NUL and need not be literals.
 */
#ifndef TACHO_FIELD_H
#define TACHO_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "api.h"
#include "error.h"

#if defined(__cplusplus)
#include <initializer_list>
#endif

TACHO_BEGIN_DECLS

/** The type of a value. Values are stable. */
enum tacho_field_type {
    TACHO_FIELD_I64 = 1,
    TACHO_FIELD_U64 = 2,
    TACHO_FIELD_F64 = 3, /**< NaN and infinities are null in JSON */
    TACHO_FIELD_BOOL = 4,
    TACHO_FIELD_TEXT = 5, /**< any bytes; those that are not UTF-8 become U+FFFD */
    TACHO_FIELD_JSON = 6  /**< any JSON value, also an array or an object */
};

/** A key and a value. Made by the functions below. */
typedef struct tacho_field {
    const char *key;
    enum tacho_field_type type;
    uint32_t literal; /**< 1: key is a string literal, which a span site may remember by its
                         address; 0 is always right */
    union {
        int64_t i64;
        uint64_t u64;
        double f64;
        bool yes;
        struct {
            const char *data; /**< need not be terminated by NUL; may be NULL when len is 0 */
            size_t len;
        } text; /**< value of a text or of JSON */
    } as;
} tacho_field;

static inline tacho_field tacho_i64(const char *key, int64_t value)
{
    tacho_field field;

    field.key = key;
    field.type = TACHO_FIELD_I64;
    field.literal = 0;
    field.as.i64 = value;
    return field;
}

static inline tacho_field tacho_u64(const char *key, uint64_t value)
{
    tacho_field field;

    field.key = key;
    field.type = TACHO_FIELD_U64;
    field.literal = 0;
    field.as.u64 = value;
    return field;
}

static inline tacho_field tacho_f64(const char *key, double value)
{
    tacho_field field;

    field.key = key;
    field.type = TACHO_FIELD_F64;
    field.literal = 0;
    field.as.f64 = value;
    return field;
}

static inline tacho_field tacho_bool(const char *key, bool value)
{
    tacho_field field;

    field.key = key;
    field.type = TACHO_FIELD_BOOL;
    field.literal = 0;
    field.as.u64 = 0; /* all its bytes are recorded */
    field.as.yes = value;
    return field;
}

/** Makes a field of `len` bytes, which may include NULs. */
static inline tacho_field tacho_text_n(const char *key, const char *data, size_t len)
{
    tacho_field field;

    field.key = key;
    field.type = TACHO_FIELD_TEXT;
    field.literal = 0;
    field.as.text.data = data;
    field.as.text.len = len;
    return field;
}

/** Makes a field of a text terminated by NUL. NULL is an empty text. */
static inline tacho_field tacho_text(const char *key, const char *text)
{
    return tacho_text_n(key, text, text ? strlen(text) : 0);
}

/** Makes a field of JSON, one value. A profile event with invalid JSON is refused. A trace stores
    invalid JSON as a text and counts such values. */
static inline tacho_field tacho_json_n(const char *key, const char *data, size_t len)
{
    tacho_field field = tacho_text_n(key, data, len);

    field.type = TACHO_FIELD_JSON;
    return field;
}

/** Makes a field of JSON terminated by NUL. */
static inline tacho_field tacho_json(const char *key, const char *json)
{
    return tacho_json_n(key, json, json ? strlen(json) : 0);
}

/** A list of fields, in any order. If a key occurs twice, its last value counts. */
typedef struct tacho_fields {
    const tacho_field *data;
    size_t count;
} tacho_fields;

/**
 * Reads the members of a JSON object as fields, sorted by key. Any other JSON value gives no
 * fields. Whole numbers are I64 where they fit, else U64; null, arrays and objects are JSON.
 *
 * @param ret  set on success only; the caller frees it, with all that it points to, by one free()
 * @return 0, TACHO_EPARSE for invalid JSON and for a key with a NUL, or TACHO_ENOMEM, TACHO_ELIMIT
 */
TACHO_API TACHO_MUST_CHECK int tacho_fields_from_json(const char *json, size_t len,
                                                      tacho_field **ret, size_t *ret_count,
                                                      tacho_error *err);

/** Returns the last field with this key, or NULL. */
TACHO_API const tacho_field *tacho_fields_find(tacho_fields fields, const char *key);

TACHO_END_DECLS

#if defined(__GNUC__)
/* Marks keys that are string literals. __builtin_constant_p() is true for literals only, never for
   an array. */
static inline tacho_field tacho_field_of(tacho_field field, int literal)
{
    field.literal = literal ? 1u : 0u;
    return field;
}

#define tacho_i64(key, ...) tacho_field_of((tacho_i64)(key, __VA_ARGS__), __builtin_constant_p(key))
#define tacho_u64(key, ...) tacho_field_of((tacho_u64)(key, __VA_ARGS__), __builtin_constant_p(key))
#define tacho_f64(key, ...) tacho_field_of((tacho_f64)(key, __VA_ARGS__), __builtin_constant_p(key))
#define tacho_bool(key, ...) \
    tacho_field_of((tacho_bool)(key, __VA_ARGS__), __builtin_constant_p(key))
#endif

/** TACHO_FIELDS(field, ...) makes a list that lives until the end of the block in C, and until the
    end of the statement in C++. TACHO_NO_FIELDS is an empty list. */
#if defined(__cplusplus)
static inline tacho_fields tacho_fields_of(std::initializer_list<tacho_field> list)
{
    tacho_fields fields = {list.begin(), list.size()};

    return fields;
}
#define TACHO_FIELDS(...) tacho_fields_of({__VA_ARGS__})
#define TACHO_NO_FIELDS   tacho_fields_of({})
#else
#define TACHO_FIELDS(...)                         \
    ((tacho_fields){(tacho_field[]){__VA_ARGS__}, \
                    sizeof((tacho_field[]){__VA_ARGS__}) / sizeof(tacho_field)})
#define TACHO_NO_FIELDS ((tacho_fields){NULL, 0})
#endif

#endif
