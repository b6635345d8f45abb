/*
 * Reads YAML files of settings into a tree. yaml_fields.h stores the values by tables of fields.
 *
 *     tch_yaml_parse(&yaml, text, len, &err);
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

#endif
