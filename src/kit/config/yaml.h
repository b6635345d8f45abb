/*
 * YAML files of settings: read into a tree, then taken out by tables of fields, so that a key that
 * is not known and a value of the wrong type are errors that name their line and column.
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
 * What settings do not need is refused: several documents, anchors and aliases, tags, a key twice.
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

/** Line and column count from 1. */
struct tch_yaml_node {
    enum tch_yaml_kind kind;
    const char *key; /**< of a member of a map; else NULL */
    uint64_t line;
    uint64_t column;
    const char *text; /**< of a scalar, without NUL bytes in it; "" for the others */
    bool quoted;
    size_t count; /**< of a list's elements or a map's members */
    struct tch_yaml_node *first;
    struct tch_yaml_node *next;
};

struct tch_yaml {
    struct tch_yaml_node *root;
    struct tch_yaml_node *all; /* every node, to release them; `made` links them */
    size_t count;
};

/** yaml is released by the caller in any case. An empty file is an empty map.
    0, TACHO_EPARSE, TACHO_ENOMEM, TACHO_ELIMIT. */
int tch_yaml_parse(struct tch_yaml *yaml, const char *text, size_t len, tacho_error *err);
void tch_yaml_release(struct tch_yaml *yaml);

/** TACHO_EPARSE about a node: fills line and column. */
int tch_yaml_fail(tacho_error *err, const struct tch_yaml_node *node, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/** The member of a map, or NULL. */
const struct tch_yaml_node *tch_yaml_find(const struct tch_yaml_node *map, const char *key);

/** Takes a node's value into *at, which is of the type that each taker names. */
typedef int tch_yaml_taker(const struct tch_yaml_node *node, void *at, tacho_error *err);

/** A table of them ends with an entry without name and setting. */
struct tch_yaml_field {
    const char *name;                  /**< NULL: the name of the setting */
    tch_yaml_taker *take;              /**< NULL: by the setting; or a key of another reader */
    size_t offset;                     /**< in the struct that is filled */
    const struct tch_setting *setting; /**< of the struct at that offset; or NULL */
};

#define TCH_YAML_FIELD(key, taker, type, field)                         \
    {                                                                   \
        .name = (key), .take = (taker), .offset = offsetof(type, field) \
    }

/**
 * Fills `into` from a map: each member by the field of its name. `what` is what errors call the
 * map: "a bench".
 */
int tch_yaml_take(const struct tch_yaml_node *map, const char *what,
                  const struct tch_yaml_field *fields, void *into, tacho_error *err);

/** A text that is not empty: const char *, into the tree. */
tch_yaml_taker tch_yaml_text;
/** true or false: bool. */
tch_yaml_taker tch_yaml_bool;
/** A whole number up to 1,000,000,000: uint64_t. */
tch_yaml_taker tch_yaml_count;
/** "5%" or 0.05, not negative: double. */
tch_yaml_taker tch_yaml_share;
/** "250ms", in nanoseconds: uint64_t. */
tch_yaml_taker tch_yaml_duration;
/** The list or the map itself: const struct tch_yaml_node *. */
tch_yaml_taker tch_yaml_list;
tch_yaml_taker tch_yaml_map;
/** The node itself, of any kind: const struct tch_yaml_node *. */
tch_yaml_taker tch_yaml_any;

#endif
