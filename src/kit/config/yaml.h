/*
 * Reads YAML files of settings into a tree, and then stores the values by tables of fields. An
 * unknown key or a value of the wrong type is an error that names its line and column.
 *
 *     static const struct tch_yaml_field fields[] = {
 *         TCH_YAML_FIELD("name", tch_yaml_text, struct bench, name),
 *         TCH_YAML_FIELD("runs", tch_yaml_count, struct bench, runs),
 *         {.name = NULL},
 *     };
 *
 *     tch_yaml_parse(&yaml, text, len, &err);
 *     tch_yaml_take(yaml.root, "a bench", fields, &bench, &err);
 *     ...                                  texts point into yaml
 *     tch_yaml_release(&yaml);
 *
 * YAML that settings do not need is refused: several documents, anchors and aliases, tags, repeated
 * keys.
 */
#ifndef TCH_YAML_H
#define TCH_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/setting.h"

enum { TCH_YAML_MAX = 1 << 20, TCH_YAML_DEPTH = 32, TCH_YAML_NODES = 100000 };

enum tch_yaml_kind { TCH_YAML_SCALAR, TCH_YAML_LIST, TCH_YAML_MAP };

/** A node of the tree. line and column count from 1. */
struct tch_yaml_node {
    enum tch_yaml_kind kind;
    const char *key; /**< for a member of a map; else NULL */
    uint64_t line;
    uint64_t column;
    const char *text; /**< for a scalar, without NUL bytes; else "" */
    bool quoted;
    size_t count; /**< number of elements of a list or members of a map */
    struct tch_yaml_node *first;
    struct tch_yaml_node *next;
};

struct tch_yaml {
    struct tch_yaml_node *root;
    struct tch_yaml_node *all; /* every node, linked by `made` for the release */
    size_t count;
};

/** Parses a file. The caller releases yaml in any case. An empty file is an empty map. Returns 0,
    TACHO_EPARSE, TACHO_ENOMEM or TACHO_ELIMIT. */
int tch_yaml_parse(struct tch_yaml *yaml, const char *text, size_t len, tacho_error *err);
void tch_yaml_release(struct tch_yaml *yaml);

/** Sets an error about a node, with its line and column, and returns TACHO_EPARSE. */
int tch_yaml_fail(tacho_error *err, const struct tch_yaml_node *node, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/** Finds a member of a map, or returns NULL. */
const struct tch_yaml_node *tch_yaml_find(const struct tch_yaml_node *map, const char *key);

/** Stores the value of a node in *at. Each taker names the type of *at. */
typedef int tch_yaml_taker(const struct tch_yaml_node *node, void *at, tacho_error *err);

/** One key of a map. A table ends with an entry without name and setting. */
struct tch_yaml_field {
    const char *name;     /**< NULL: use the name of the setting */
    tch_yaml_taker *take; /**< NULL: use the setting, or leave the key to another reader */
    size_t offset;        /**< offset of the value in the struct that is filled */
    /** Describes the value in the struct at that offset, or NULL. */
    const struct tch_setting *setting;
};

#define TCH_YAML_FIELD(key, taker, type, field)                         \
    {                                                                   \
        .name = (key), .take = (taker), .offset = offsetof(type, field) \
    }

/**
 * Fills `into` from a map, each member by the field with its name. `what` is the name of the map in
 * error messages: "a bench".
 */
int tch_yaml_take(const struct tch_yaml_node *map, const char *what,
                  const struct tch_yaml_field *fields, void *into, tacho_error *err);

/** Stores a non-empty text: const char *, which points into the tree. */
tch_yaml_taker tch_yaml_text;
/** Stores true or false: bool. */
tch_yaml_taker tch_yaml_bool;
/** Stores a whole number up to 1,000,000,000: uint64_t. */
tch_yaml_taker tch_yaml_count;
/** Stores "5%" or 0.05, not negative: double. */
tch_yaml_taker tch_yaml_share;
/** Stores a duration such as "250ms" in nanoseconds: uint64_t. */
tch_yaml_taker tch_yaml_duration;
/** Store the list or the map itself: const struct tch_yaml_node *. */
tch_yaml_taker tch_yaml_list;
tch_yaml_taker tch_yaml_map;
/** Stores the node itself, of any kind: const struct tch_yaml_node *. */
tch_yaml_taker tch_yaml_any;

#endif
