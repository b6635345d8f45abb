/*
 * Stores the values of a YAML tree by tables of fields. An unknown key or a value of the wrong type
 * is an error that names its line and column.
 *
 *     static const struct tch_yaml_field fields[] = {
 *         TCH_YAML_FIELD("name", tch_yaml_text, struct bench, name),
 *         TCH_YAML_FIELD("runs", tch_yaml_count, struct bench, runs),
 *         {.name = NULL},
 *     };
 *
 *     tch_yaml_take(yaml.root, "a bench", fields, &bench, &err);
 */
#ifndef TCH_YAML_FIELDS_H
#define TCH_YAML_FIELDS_H

#include "kit/config/setting.h"
#include "yaml.h"

/** Stores the value of a node in *at. Each taker names the type of *at. */
typedef int tch_yaml_taker(const struct tch_yaml_node *node, void *at, tacho_error *err);

/** One key of a map. A table ends with an entry without name and setting. */
struct tch_yaml_field {
    const char *name;     /**< NULL: use the name of the setting */
    tch_yaml_taker *take; /**< NULL: use the setting, or leave the key to another reader */
    size_t offset;        /**< offset of the value in the struct that is filled */
    const struct tch_setting
        *setting; /**< describes the value in the struct at that offset, or NULL */
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
