/*
 * A JSON document as a tree, for readers of small, nested files of other tools.
 *
 * The nodes of a document are one array in the order of the text: a node, then everything in it.
 * A node therefore needs no pointers: its `size` says where the next one is.
 */
#ifndef TCH_JSON_TREE_H
#define TCH_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "base/json_read.h"

/** A value, with its key if it is a member of an object. Texts point into the document. */
struct tch_json_node {
    const char *key; /**< NULL: an element of an array, or the document */
    const char *text;
    uint32_t key_len;
    uint32_t len;
    uint32_t size; /**< number of nodes of this value, itself included */
    uint8_t type;  /**< enum tch_json_type */
    bool escaped;
    bool key_escaped;
};

struct tch_json_tree {
    struct tch_json_node *nodes;
    size_t count;
    size_t room;
};

/**
 * Parses the first value of a text; `end` receives its length. Text after the value is ignored.
 *
 * @param text  borrowed by the tree
 * @return 0, TACHO_EPARSE, TACHO_ELIMIT or TACHO_ENOMEM
 */
int tch_json_tree_parse(struct tch_json_tree *t, const char *text, size_t len, size_t *end,
                        tacho_error *err);
void tch_json_tree_release(struct tch_json_tree *t);

/** All functions below accept NULL, a missing value, and then return NULL, NAN, false or 0. */

/** Returns the first value in an array or object, and the one after `child`; NULL after the
    last. */
const struct tch_json_node *tch_json_tree_first(const struct tch_json_node *of);
const struct tch_json_node *tch_json_tree_next(const struct tch_json_node *of,
                                               const struct tch_json_node *child);

/** Returns a member of an object, or NULL. */
const struct tch_json_node *tch_json_tree_get(const struct tch_json_node *of, const char *key);

bool tch_json_tree_is(const struct tch_json_node *node, enum tch_json_type type);
bool tch_json_tree_key_is(const struct tch_json_node *node, const char *key);

/** Returns whether a string equals a text. */
bool tch_json_tree_text_is(const struct tch_json_node *node, const char *text);

/** Returns a number, or a number in a string; NAN for anything else. */
double tch_json_tree_number(const struct tch_json_node *node);

/** Adds a string without its escapes, or a number or word as it is written. */
void tch_json_tree_add(struct tch_buf *b, const struct tch_json_node *node);
void tch_json_tree_add_key(struct tch_buf *b, const struct tch_json_node *node);

/** Returns a copy of a string, or NULL if it is not a string or there is no memory. */
char *tch_json_tree_copy(const struct tch_json_node *node);

#endif
