/*
 * JSON objects in both directions from one table: each row binds a member to a field of a struct.
 *
 *     static const struct tch_json_field point_fields[] = {
 *         {TCH_JSON_TEXT(struct point, name, TCH_JSON_ALWAYS)},
 *         {TCH_JSON_F64(struct point, x, TCH_JSON_ALWAYS)},
 *         {TCH_JSON_F64(struct point, weight, TCH_JSON_LEFT_OUT)},
 *         {0},
 *     };
 *
 *     tch_json_fields_write(&b, point_fields, &point);
 *     status = tch_json_fields_read(&reader, point_fields, &point, NULL, err);
 *
 * Members are written in the order of the table and may be read in any order. A field whose member
 * is missing, null or of another type keeps its value, so the caller sets the defaults first. A row
 * that is strict refuses a value of another type, a string that is too long, and null unless it
 * writes null.
 */
#ifndef TCH_JSON_FIELDS_H
#define TCH_JSON_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>

#include "buf.h"
#include "json_read.h"

enum tch_json_kind {
    TCH_JSON_AS_TEXT,   /**< char *, owned; NULL is absent */
    TCH_JSON_AS_CHARS,  /**< char[]; "" is absent; a longer string is read as "", or refused */
    TCH_JSON_AS_U64,    /**< uint64_t; 0 is absent */
    TCH_JSON_AS_F64,    /**< double; NAN is absent */
    TCH_JSON_AS_BOOL,   /**< bool; false is absent */
    TCH_JSON_AS_TRIPLE, /**< int: 1 true, 0 false, -1 not known, which is absent */
    TCH_JSON_AS_WORDS,  /**< char **, owned, ends in NULL: an array of strings; NULL is absent */
    TCH_JSON_AS_PAIRS,  /**< the same of "NAME=VALUE": an object of strings */
    TCH_JSON_AS_RAW,    /**< char *, owned: the JSON of any value; NULL is absent */
    TCH_JSON_AS_OBJECT, /**< a struct in the struct, by its own table */
    TCH_JSON_AS_OWN,    /**< written and read by the functions of the row */
};

/** Says how an absent value is written. */
enum tch_json_absent {
    TCH_JSON_ALWAYS,   /**< the value itself: 0, "", false; null for NULL and NAN */
    TCH_JSON_OR_NULL,  /**< null */
    TCH_JSON_LEFT_OUT, /**< nothing, not even the key */
};

struct tch_json_field {
    const char *key; /**< NULL ends the table */
    enum tch_json_kind kind;
    enum tch_json_absent absent;
    size_t offset;
    size_t size;   /**< AS_CHARS: bytes of the array */
    bool strict;   /**< not for AS_RAW, AS_OBJECT, AS_OWN */
    bool required; /**< an object without the member is refused; only in the first 64 rows */
    /** AS_OBJECT. AS_OWN: the table of the elements of a list, for tests of the schemas. */
    const struct tch_json_field *fields;
    /** Returns whether the member of `whole` is there; NULL: the kind says it. An object and a
        value with functions of its own are otherwise always there. */
    bool (*there)(const void *whole);
    /** AS_OWN: writes the value; NULL: the member is only read. */
    void (*write)(struct tch_buf *b, const void *whole);
    /** AS_OWN: reads the value; NULL: the member is only written. */
    int (*read)(struct tch_json_reader *r, void *whole, tacho_error *err);
};

#define TCH_JSON_FIELD(type, member, as, when) \
    .key = #member, .kind = (as), .absent = (when), .offset = offsetof(type, member)

#define TCH_JSON_TEXT(type, member, when)   TCH_JSON_FIELD(type, member, TCH_JSON_AS_TEXT, when)
#define TCH_JSON_U64(type, member, when)    TCH_JSON_FIELD(type, member, TCH_JSON_AS_U64, when)
#define TCH_JSON_F64(type, member, when)    TCH_JSON_FIELD(type, member, TCH_JSON_AS_F64, when)
#define TCH_JSON_BOOL(type, member, when)   TCH_JSON_FIELD(type, member, TCH_JSON_AS_BOOL, when)
#define TCH_JSON_TRIPLE(type, member, when) TCH_JSON_FIELD(type, member, TCH_JSON_AS_TRIPLE, when)
#define TCH_JSON_WORDS(type, member, when)  TCH_JSON_FIELD(type, member, TCH_JSON_AS_WORDS, when)
#define TCH_JSON_PAIRS(type, member, when)  TCH_JSON_FIELD(type, member, TCH_JSON_AS_PAIRS, when)
#define TCH_JSON_RAW(type, member, when)    TCH_JSON_FIELD(type, member, TCH_JSON_AS_RAW, when)
#define TCH_JSON_CHARS(type, member, when) \
    TCH_JSON_FIELD(type, member, TCH_JSON_AS_CHARS, when), .size = sizeof(((type *)0)->member)

/** Members that no row describes, kept to be written again. */
struct tch_json_other {
    char *key;
    char *json;
};

struct tch_json_others {
    struct tch_json_other *items;
    size_t count;
};

/** Returns the row of a member, or NULL. */
const struct tch_json_field *tch_json_field_find(const struct tch_json_field *fields,
                                                 const char *key);

/** Writes "NAME=VALUE" strings as an object. pairs may be NULL. */
void tch_json_pairs(struct tch_buf *b, char *const *pairs);

/** Writes one member, key and value, or nothing if it is left out. */
void tch_json_field_write(struct tch_buf *b, const struct tch_json_field *field, const void *of);

/** Returns whether tch_json_field_write() would write the member. */
bool tch_json_field_is_written(const struct tch_json_field *field, const void *of);

/** Writes the value only, for a caller that writes the key itself. */
void tch_json_field_write_value(struct tch_buf *b, const struct tch_json_field *field,
                                const void *of);

/** Writes an object. */
void tch_json_fields_write(struct tch_buf *b, const struct tch_json_field *fields, const void *of);

/** Writes the members only, into an object that the caller begins and ends. */
void tch_json_fields_write_members(struct tch_buf *b, const struct tch_json_field *fields,
                                   const void *of);
void tch_json_others_write_members(struct tch_buf *b, const struct tch_json_others *others);

/**
 * Reads an object. Frees the text that a field had before.
 *
 * @param others  receives the members that no row describes; NULL: they are skipped
 * @return 0, TACHO_EPARSE if there is no object, TACHO_ENOMEM, or what a row's function returned.
 *         After a failure the fields read so far stay: release the struct.
 */
int tch_json_fields_read(struct tch_json_reader *r, const struct tch_json_field *fields, void *into,
                         struct tch_json_others *others, tacho_error *err);

/** Reads the value of one row, for a caller that reads the keys itself. */
int tch_json_field_read(struct tch_json_reader *r, const struct tch_json_field *field, void *into,
                        tacho_error *err);

/** Frees what the fields own, and sets it to NULL. */
void tch_json_fields_release(const struct tch_json_field *fields, void *of);
void tch_json_others_release(struct tch_json_others *others);

/** Copies strings into a list that a field of AS_WORDS or AS_PAIRS owns. words may be NULL. Returns
    NULL if memory runs out. */
char **tch_words_copy(const char *const *words);
void tch_words_free(char **words);

/** Returns the value of NAME in a list of "NAME=VALUE", or NULL. pairs may be NULL. */
const char *tch_pairs_find(char *const *pairs, const char *name);

#endif
